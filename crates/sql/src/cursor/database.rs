//! The database for SQL: an instance, and the cursors that its sessions share.

use std::fmt;
use std::sync::Arc;

use common::Result;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use engine::instance::Instance;

use super::connection::Connection;
use super::library::Library;
use super::work_areas::WorkAreas;
use crate::error::from_datafusion;

/// An open database, one in the process; connections share it.
pub struct Database {
    instance: Arc<Instance>,
    library: Library,
    /// Compiled programs.
    programs: Arc<plsql::library::Library>,
    work_areas: Arc<WorkAreas>,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("library", &self.library).finish_non_exhaustive()
    }
}

impl Database {
    #[must_use]
    pub fn new(instance: Arc<Instance>) -> Arc<Self> {
        let work_areas = Arc::new(WorkAreas::new(Arc::clone(&instance)));
        let database = Arc::new(Self { instance, library: Library::default(), programs: Arc::default(), work_areas });
        if database.instance.has_threads() {
            // If it cannot start, jobs wait for the next start.
            drop(database.start_coordinator());
        }
        database
    }

    #[must_use]
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    pub(crate) fn programs(&self) -> &Arc<plsql::library::Library> {
        &self.programs
    }

    pub(crate) fn library(&self) -> &Library {
        &self.library
    }

    /// The work areas of all sessions: sorts, joins and groupings.
    pub(crate) fn work_areas(&self) -> &WorkAreas {
        &self.work_areas
    }

    /// The runtime environment from which a session's queries take memory.
    pub(crate) fn query_environment(&self) -> Result<Arc<RuntimeEnv>> {
        let pool = Arc::clone(&self.work_areas);
        let no_files = DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled);
        RuntimeEnvBuilder::new()
            .with_memory_pool(pool)
            .with_disk_manager_builder(no_files)
            .build_arc()
            .map_err(from_datafusion)
    }

    /// Connects a user. Without a password: the operating system's user, who has opened the database's files, connects
    /// as any user.
    ///
    /// # Errors
    /// ORA-01017 for an unknown user, a wrong password, or any password where the user has none; ORA-28000 for a locked
    /// account; ORA-00020 when there are too many sessions.
    pub fn connect(self: &Arc<Self>, user: &str, password: Option<&str>) -> Result<Connection> {
        Connection::new(Arc::clone(self), user, password)
    }
}
