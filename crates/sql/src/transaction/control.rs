//! Execution of transaction control on the session, with counters and traces.

use std::sync::Arc;

use common::sync::atomic::Ordering;
use common::{Error, ErrorKind, Number, Result};
use engine::dictionary::{ObjectPrivilege, SchemaObject, SystemPrivilege, TableDef};
use engine::instance::{JobOutcome, JobRun};
use storage::parameters::Parameter;
use storage::txn::{CommitWrite, Isolation};
use waits::Statistic;

use super::command::{Mode, TransactionCommand, WriteOptions};
use super::write;
use crate::cursor::connection::Connection;
use crate::ddl::command::Name;

/// A connection's state of its transaction, beside the session's.
#[derive(Debug, Default)]
pub(crate) struct TransactionState {
    /// ISOLATION_LEVEL of the session.
    pub(crate) isolation: Isolation,
    /// Counter of savepoints and of cursors that lock rows: a rollback to a savepoint releases the locks of later ones.
    moment: u64,
    savepoints: Vec<Savepoint>,
}

#[derive(Debug)]
struct Savepoint {
    name: String,
    moment: u64,
    /// Position in the deferred checks.
    deferred: u64,
}

impl TransactionState {
    pub(crate) fn next_moment(&mut self) -> u64 {
        self.moment += 1;
        self.moment
    }

    /// The moment of a savepoint, and the position in the deferred checks then; drops later savepoints.
    fn back_to(&mut self, name: &str) -> Option<(u64, u64)> {
        let at = self.savepoints.iter().position(|taken| taken.name == name)?;
        self.savepoints.truncate(at + 1);
        self.savepoints.last().map(|savepoint| (savepoint.moment, savepoint.deferred))
    }

    fn set_savepoint(&mut self, name: &str, deferred: u64) {
        self.savepoints.retain(|taken| taken.name != name);
        let moment = self.next_moment();
        self.savepoints.push(Savepoint { name: name.to_owned(), moment, deferred });
    }
}

/// ORA-02091.
fn rolled_back(cause: &Error) -> Error {
    Error::user(2091, format!("transaction rolled back: {cause}"))
}

impl Connection {
    /// Commits the session's transaction; `write` gives the waiting and the batching.
    ///
    /// # Errors
    /// ORA-02091 when a deferred constraint is violated: the transaction is rolled back. HW-0010 when the instance has
    /// stopped; ORA-01089 and ORA-01092 when it is being closed or has been.
    pub fn commit(&mut self, write: CommitWrite) -> Result<()> {
        let _call = self.session.call()?;
        self.check_before_commit()?;
        self.end_transaction(false, |connection| connection.session.commit(write))?;
        self.session.meter().count(Statistic::UserCommits, 1);
        Ok(())
    }

    /// # Errors
    /// As [`Connection::commit`] for a deferred constraint.
    fn check_before_commit(&mut self) -> Result<()> {
        let Err(violated) = self.check_deferred() else { return Ok(()) };
        // An error that kept the check from being made, such as a cancel, leaves the transaction open.
        if ![1, 2290, 2291, 2292].iter().any(|number| violated.is_ora(*number)) {
            return Err(violated);
        }
        self.rollback()?;
        Err(rolled_back(&violated))
    }

    /// Ends the run of a job in this session, and with it the run's open transaction:
    /// [`engine::instance::Jobs::end_run`]. A run that leaves a constraint violated has failed and is rolled back.
    /// Returns the outcome of the run.
    ///
    /// # Errors
    /// Errors of [`engine::instance::Jobs::end_run`].
    pub(crate) fn end_job_run(&mut self, run: &mut JobRun, outcome: &JobOutcome) -> Result<JobOutcome> {
        let _call = self.session.call()?;
        let mut outcome = outcome.clone();
        if matches!(outcome, JobOutcome::Succeeded { .. })
            && let Err(error) = self.check_before_commit()
        {
            outcome = outcome.failed(error);
        }
        let jobs = Arc::clone(self.session.instance().jobs());
        let rolled_back = matches!(outcome, JobOutcome::Failed { .. });
        let mut noted = Ok(outcome.clone());
        self.end_transaction(rolled_back, |connection| {
            noted = jobs.end_run(&connection.session, run, &outcome);
            noted.as_ref().map(drop).map_err(Error::clone)
        })?;
        noted
    }

    /// Undoes the session's transaction.
    ///
    /// # Errors
    /// Errors of reading undo and changing blocks, and those of [`Connection::commit`].
    pub fn rollback(&mut self) -> Result<()> {
        let _call = self.session.call()?;
        let meter = Arc::clone(self.session.meter());
        self.end_transaction(true, |connection| connection.session.rollback())?;
        meter.count(Statistic::UserRollbacks, 1);
        Ok(())
    }

    /// The commits before and after DDL.
    pub(crate) fn commit_implicitly(&mut self) -> Result<()> {
        self.shared.check_no_trigger("COMMIT")?;
        self.check_may_end()?;
        let write = write::resolved(WriteOptions::default(), self.session.parameters());
        self.commit(write)
    }

    fn end_transaction(&mut self, rolled_back: bool, end: impl FnOnce(&Self) -> Result<()>) -> Result<()> {
        let read_only = !self.session.in_transaction();
        end(self)?;
        self.shared.transaction.lock().savepoints.clear();
        self.forget_deferred();
        self.close_locking_cursors(0);
        let meter = self.session.meter();
        let tim = meter.tim();
        meter.trace(|trace| trace.xctend(rolled_back, read_only, tim));
        Ok(())
    }

    /// Executes a statement.
    pub(crate) fn control(&mut self, command: &TransactionCommand) -> Result<()> {
        match command {
            TransactionCommand::Commit(options) => {
                self.shared.check_no_trigger("COMMIT")?;
                let mut write = write::resolved(*options, self.session.parameters());
                // The caller of a program learns of its commits when the call ends: that is when they are waited for.
                if self.shared.is_recursive() && options.no_wait.is_none() && !write::forced(self.session.parameters())
                {
                    write.no_wait = true;
                    // Nor is the log writer posted, unless COMMIT_LOGGING = IMMEDIATE was asked for: the redo is
                    // written when the call ends, with a commit that waits, or when a third of the log buffer is full.
                    let parameters = self.session.parameters();
                    let asked = options.batch.is_some()
                        || [Parameter::CommitLogging, Parameter::CommitWrite].into_iter().any(|p| parameters.is_set(p));
                    write.batch |= !asked;
                    self.shared.commits_pending.store(true, Ordering::Relaxed);
                }
                self.commit(write)
            }
            TransactionCommand::Rollback(None) => {
                self.shared.check_no_trigger("ROLLBACK")?;
                self.rollback()
            }
            TransactionCommand::Rollback(Some(savepoint)) => {
                self.shared.check_no_trigger("ROLLBACK")?;
                self.session.rollback_to(savepoint)?;
                let back = self.shared.transaction.lock().back_to(savepoint);
                if let Some((moment, deferred)) = back {
                    self.close_locking_cursors(moment);
                    self.shared.deferred.lock().back_to(deferred);
                }
                Ok(())
            }
            TransactionCommand::Savepoint(name) => {
                self.shared.check_no_trigger("SET SAVEPOINT")?;
                self.session.savepoint(name)?;
                let deferred = self.shared.deferred.lock().mark();
                self.shared.transaction.lock().set_savepoint(name, deferred);
                Ok(())
            }
            TransactionCommand::SetTransaction(mode) => {
                self.shared.check_no_trigger("SET TRANSACTION")?;
                let isolation = match mode {
                    Mode::Isolation(isolation) => *isolation,
                    Mode::Usual => self.shared.transaction.lock().isolation,
                };
                self.session.set_transaction(isolation)
            }
            TransactionCommand::LockTable { tables, mode, wait } => {
                // All names are resolved before the first lock is taken.
                let tables = tables.iter().map(|name| self.table_to_lock(name)).collect::<Result<Vec<_>>>()?;
                tables.iter().try_for_each(|table| self.session.lock_table(table.object, *mode, *wait))
            }
        }
    }

    /// ALTER SESSION SET ISOLATION_LEVEL.
    pub(crate) fn set_isolation(&mut self, isolation: Isolation) {
        self.session.set_isolation(isolation);
        self.shared.transaction.lock().isolation = isolation;
    }

    fn table_to_lock(&self, name: &Name) -> Result<Arc<TableDef>> {
        let (owner, table) = (name.0.as_deref().unwrap_or(&self.schema), &name.1);
        let catalog = self.session.catalog();
        let Some(found) = catalog.table(owner, table) else {
            if let Some(object @ SchemaObject::External(external)) = &catalog.object(owner, table)
                && catalog.sees(&self.effective_user(), object)
            {
                return Err(external.refused());
            }
            let view = name.0.is_none() && crate::views::find(table).is_some();
            return Err(if view {
                Error::user(2030, format!("{table} is a view of the dictionary or of figures: it can only be read"))
            } else {
                Error::user(942, format!("table or view does not exist: {owner}.{table}"))
            });
        };
        let user = self.effective_user();
        let any = [
            ObjectPrivilege::Select,
            ObjectPrivilege::Insert,
            ObjectPrivilege::Update,
            ObjectPrivilege::Delete,
            ObjectPrivilege::Alter,
        ];
        let allowed = catalog.has_system_privilege(&user, SystemPrivilege::LockAnyTable)
            || any.into_iter().any(|privilege| catalog.check_table(&user, found, privilege).is_ok());
        if !allowed {
            return Err(Error::user(942, format!("table or view does not exist: {owner}.{table}")));
        }
        if found.is_dictionary() {
            return Err(Error::new(
                ErrorKind::User,
                Number::Ora(1031),
                format!("insufficient privileges: {} is part of the dictionary", found.name),
            ));
        }
        Ok(Arc::clone(found))
    }
}
