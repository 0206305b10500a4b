//! The database as SQL sees it: an instance, and the cursors that its sessions share.

use std::fmt;
use std::sync::Arc;

use common::Result;
use engine::instance::Instance;

use super::connection::Connection;
use super::library::Library;

/// An open database. One for the process; connections share it.
pub struct Database {
    instance: Arc<Instance>,
    library: Library,
    /// Compiled programs.
    programs: Arc<plsql::library::Library>,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("library", &self.library).finish_non_exhaustive()
    }
}

impl Database {
    #[must_use]
    pub fn new(instance: Arc<Instance>) -> Arc<Self> {
        let database = Arc::new(Self { instance, library: Library::default(), programs: Arc::default() });
        if database.instance.has_threads() {
            // Without it jobs wait for the next start.
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

    /// Connects a user. A user without a password needs none.
    ///
    /// # Errors
    /// ORA-01017 for an unknown user or a wrong password; ORA-28000 for a locked account; ORA-00020 when there are too many sessions.
    pub fn connect(self: &Arc<Self>, user: &str, password: Option<&str>) -> Result<Connection> {
        Connection::new(Arc::clone(self), user, password)
    }
}
