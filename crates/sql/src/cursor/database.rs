//! The database as SQL sees it: an instance, and the cursors that its sessions share.

use std::fmt;
use std::sync::{Arc, Weak};

use common::Result;
use common::sync::Mutex;
use engine::instance::{Instance, Session};

use super::connection::Connection;
use super::library::Library;

/// An open database. One for the process; connections share it.
pub struct Database {
    instance: Arc<Instance>,
    library: Library,
    /// Compiled programs.
    programs: Arc<plsql::library::Library>,
    sessions: Mutex<Vec<Weak<Session>>>,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("library", &self.library).finish_non_exhaustive()
    }
}

impl Database {
    #[must_use]
    pub fn new(instance: Arc<Instance>) -> Arc<Self> {
        let database = Arc::new(Self {
            instance,
            library: Library::default(),
            programs: Arc::default(),
            sessions: Mutex::default(),
        });
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

    pub(crate) fn register(&self, session: &Arc<Session>) {
        let mut sessions = self.sessions.lock();
        sessions.retain(|session| session.strong_count() > 0);
        sessions.push(Arc::downgrade(session));
    }

    /// The sessions there are, by number.
    #[must_use]
    pub fn sessions(&self) -> Vec<Arc<Session>> {
        let mut sessions: Vec<_> = self.sessions.lock().iter().filter_map(Weak::upgrade).collect();
        sessions.sort_by_key(|session| session.sid());
        sessions
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
