//! A session: its user, its rights, its process and its work so far.

use std::ops::Deref;

use common::sync::atomic::AtomicBool;
use common::sync::{Arc, Mutex};
use common::{Error, ErrorKind, Number};

use super::Instance;
use super::entry::{ClientWork, SessionEntry};
use super::interrupts::Interrupts;
use crate::dictionary::Rights;
use crate::dictionary::session_dictionary::SessionDictionary;
use storage::process::Process;
use storage::txn::Worker;

/// One session, with a process of its own. It derefs to its worker.
#[derive(Debug)]
pub struct Session {
    instance: Arc<Instance>,
    worker: Arc<Worker>,
    entry: Arc<SessionEntry>,
    /// The dictionary as the session sees it.
    dictionary: Arc<SessionDictionary>,
    /// The session works, directly or not, for one whose DDL statement is under way.
    within_ddl: bool,
    /// The owner with whose rights a program runs now.
    assumed: Mutex<Option<Rights>>,
}

impl Deref for Session {
    type Target = Arc<Worker>;

    fn deref(&self) -> &Arc<Worker> {
        &self.worker
    }
}

impl Session {
    pub(super) fn new(instance: Arc<Instance>, entry: Arc<SessionEntry>, caller: Option<&Self>) -> Self {
        let dictionary = Arc::new(SessionDictionary::new(instance.catalog.clone(), entry.meter.clone()));
        let client = Interrupts::new(entry.clone(), instance.calls.clone(), instance.health().clone());
        let process = Process::new(instance.store().clone(), entry.meter.clone(), entry.process, Arc::new(client));
        let worker = Arc::new(Worker::new(process, instance.transactions().clone(), dictionary.clone()));
        Self {
            worker,
            entry,
            dictionary,
            within_ddl: caller.is_some_and(Self::is_within_ddl),
            assumed: Mutex::default(),
            instance,
        }
    }

    /// True: this session works as part of a DDL statement, which holds the DDL latch.
    pub(crate) fn is_within_ddl(&self) -> bool {
        self.within_ddl || self.dictionary.is_making()
    }

    #[must_use]
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    /// The session's worker in storage.
    #[must_use]
    pub fn worker(&self) -> &Arc<Worker> {
        &self.worker
    }

    /// The user name, upper case.
    #[must_use]
    pub fn user(&self) -> String {
        self.entry.user().to_string()
    }

    /// The rights in force: the user's, or inside a stored program those of the program's owner.
    #[must_use]
    pub fn rights(&self) -> Rights {
        self.assumed.lock().clone().unwrap_or_else(|| Rights::of_user(&self.entry.user()))
    }

    /// Puts these rights in force; None: the user's own. Returns the earlier ones, to be put back.
    pub fn assume(&self, rights: Option<Rights>) -> Option<Rights> {
        std::mem::replace(&mut *self.assumed.lock(), rights)
    }

    pub fn set_user(&self, user: &str) {
        self.entry.set_user(user);
    }

    pub(crate) fn dictionary(&self) -> &Arc<SessionDictionary> {
        &self.dictionary
    }

    pub(super) fn entry(&self) -> &Arc<SessionEntry> {
        &self.entry
    }

    /// The client's description of its work: module, action, client info and identifier.
    #[must_use]
    pub fn work(&self) -> ClientWork {
        self.entry.work()
    }

    /// Changes the client's description of its work.
    pub fn change_work(&self, change: impl FnOnce(&mut ClientWork)) {
        self.entry.change_work(change);
    }

    /// Sets the name of the client's program.
    pub fn set_program(&self, program: &str) {
        self.entry.set_program(program);
    }

    /// SID and SERIAL#.
    #[must_use]
    pub fn identity(&self) -> (u32, u32) {
        (self.meter().sid(), self.meter().serial())
    }

    /// When the session began, microseconds since 1970.
    #[must_use]
    pub fn logon_us(&self) -> u64 {
        self.entry.logon_us
    }

    /// The text of the current statement, if the caller has set it.
    #[must_use]
    pub fn statement(&self) -> Option<Arc<str>> {
        self.entry.statement()
    }

    /// Sets the text of the current statement; returns the one before.
    pub fn set_statement(&self, text: Option<Arc<str>>) -> Option<Arc<str>> {
        self.entry.set_statement(text)
    }

    /// Flag that cancels the running statement when set.
    #[must_use]
    pub fn cancel_handle(&self) -> Arc<AtomicBool> {
        self.entry.cancelled.clone()
    }
}

pub(crate) fn cancelled() -> Error {
    Error::new(ErrorKind::Cancelled, Number::Ora(1013), "user requested cancel of current operation")
}

impl Drop for Session {
    fn drop(&mut self) {
        // The close waits for calls alone. A rollback that it refuses, or that fails, is done by the next open.
        if self.in_transaction()
            && self.instance.health().check().is_ok()
            && let Ok(_call) = self.instance.calls.enter(&self.entry)
        {
            let _ = self.rollback();
        }
        if self.entry.caller_sid().is_some() {
            self.instance.locks().acts_no_more(self.sid());
        }
        self.instance.sessions.leave(&self.entry);
        // Ends the wait for its kill.
        self.entry.calls.set_tidy();
    }
}
