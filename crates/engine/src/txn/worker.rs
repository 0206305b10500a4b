//! A session's transaction: its beginning, its savepoints, what its statements see.

use std::collections::HashMap;

use common::sync::{Arc, Mutex};
use common::{BlockAddress, Error, ObjectNumber, Result, Scn, Uba, Xid};

use super::snapshot::{Identity, Place};
use super::{Isolation, LockWait, Snapshot, Snapshots, TableLock};
use crate::catalog::TableDef;
use crate::instance::Session;
use crate::segment::OwnFreelist;
use crate::undo::UndoWriter;
use waits::Meter;

/// A transaction under way.
#[derive(Debug)]
pub(crate) struct Transaction {
    pub(super) undo: UndoWriter,
    pub(super) identity: Arc<Identity>,
    /// Data and index blocks that it has changed, oldest first, neighbours once.
    pub(super) blocks: Vec<BlockAddress>,
    pub(super) savepoints: Vec<(String, Mark)>,
    /// Its freelists, by the segment's data object.
    pub(super) freelists: HashMap<ObjectNumber, OwnFreelist>,
    /// Tables that it has loaded past the cache.
    pub(super) loads: Vec<Load>,
    /// It has changed jobs: who runs them is told of the commit.
    pub(super) jobs_changed: bool,
}

/// A table that a transaction has loaded, by the undo record of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) table: ObjectNumber,
    pub(super) uba: Uba,
}

type MakeSnapshot = fn(&Arc<Snapshots>, &Arc<Meter>, &dyn Fn() -> Scn, Option<(Arc<Identity>, Place)>) -> Arc<Snapshot>;

/// A state of a transaction to go back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub(super) xid: Option<Xid>,
    pub(super) last: Uba,
}

#[derive(Default, Debug)]
pub(crate) struct State {
    pub(super) transaction: Option<Transaction>,
    /// Of transactions to come.
    pub(super) usual: Isolation,
    /// Of the transaction that SET TRANSACTION has begun.
    pub(super) isolation: Option<Isolation>,
    /// What a serializable or read-only transaction sees.
    pub(super) fixed: Option<Arc<Snapshot>>,
    /// What the statement sees that is at work.
    pub(super) statement: Option<Arc<Snapshot>>,
}

/// What a session keeps about its transactions.
#[derive(Default, Debug)]
pub(crate) struct SessionTransactions(pub(super) Mutex<State>);

impl State {
    pub(super) fn isolation(&self) -> Isolation {
        self.isolation.unwrap_or(self.usual)
    }

    /// The own transaction and how far it is, for a snapshot.
    pub(super) fn own(&self) -> Option<(Arc<Identity>, Place)> {
        let transaction = self.transaction.as_ref()?;
        Some((transaction.identity.clone(), transaction.identity.place(transaction.undo.last())))
    }
}

impl Session {
    /// Work on the transaction under way; None when there is none.
    pub(super) fn with_transaction<R>(&self, work: impl FnOnce(&mut Transaction) -> R) -> Option<R> {
        self.transactions().0.lock().transaction.as_mut().map(work)
    }

    /// The transaction that has ended is not under way any more, and what SET TRANSACTION has said of it holds no longer.
    pub(super) fn take_ended(&self) -> Option<Transaction> {
        let mut state = self.transactions().0.lock();
        (state.isolation, state.fixed) = (None, None);
        state.transaction.take()
    }

    /// The transaction under way.
    #[must_use]
    pub fn xid(&self) -> Option<Xid> {
        self.with_transaction(|transaction| transaction.undo.xid())
    }

    /// The freelist that the transaction under way has in a segment.
    pub(crate) fn own_freelist(&self, object: ObjectNumber) -> Option<OwnFreelist> {
        self.with_transaction(|transaction| transaction.freelists.get(&object).copied()).flatten()
    }

    pub(crate) fn set_own_freelist(&self, object: ObjectNumber, list: OwnFreelist) {
        self.with_transaction(|transaction| transaction.freelists.insert(object, list));
    }

    /// Begins a transaction unless one is under way, and makes room for an undo record. No block may be latched.
    pub(crate) fn prepare(&self, payload: usize) -> Result<Xid> {
        if self.transactions().0.lock().isolation() == Isolation::ReadOnly {
            return Err(Error::user(
                1456,
                "may not perform insert/delete/update operation inside a READ ONLY transaction",
            ));
        }
        self.instance().redo().wait_room(self.meter())?;
        let begun = self.with_transaction(|_| ()).is_some();
        if !begun {
            let undo = self.instance().undo().begin(self)?;
            let xid = undo.xid();
            self.instance().transactions().locks.began(self.meter(), xid, self.sid());
            self.transactions().0.lock().transaction = Some(Transaction {
                undo,
                identity: Identity::new(xid),
                blocks: Vec::new(),
                savepoints: Vec::new(),
                freelists: HashMap::new(),
                loads: Vec::new(),
                jobs_changed: false,
            });
        }
        let mut state = self.transactions().0.lock();
        let Some(transaction) = &mut state.transaction else { return Err(Error::bug("a transaction is gone")) };
        transaction.undo.reserve(self, payload)?;
        Ok(transaction.undo.xid())
    }

    /// The transaction has changed jobs.
    pub(crate) fn note_jobs_changed(&self) {
        self.with_transaction(|transaction| transaction.jobs_changed = true);
    }

    /// Whether the transaction has room for an undo record with so many bytes of payload, without another [`Session::prepare`].
    pub(crate) fn has_undo_room(&self, payload: usize) -> bool {
        self.with_transaction(|transaction| transaction.undo.has_room(payload)).unwrap_or(false)
    }

    /// For how many undo records with so many bytes of payload each, of changes of one block, the transaction has room without another
    /// [`Session::prepare`]; `own`: each change takes an ITL slot of its own, else they share one.
    pub(crate) fn undo_records_with_room(&self, own: bool, payloads: impl Iterator<Item = usize>) -> usize {
        self.with_transaction(|transaction| transaction.undo.records_with_room(own, payloads)).unwrap_or(0)
    }

    /// What is seen now: by the statement at work, else by one that would begin.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        let mut state = self.transactions().0.lock();
        match &state.statement {
            Some(snapshot) => snapshot.clone(),
            None => self.new_snapshot(&mut state, Snapshot::new),
        }
    }

    /// What a statement sees that begins now.
    fn new_snapshot(&self, state: &mut State, make: MakeSnapshot) -> Arc<Snapshot> {
        let all = &self.instance().transactions().snapshots;
        let own = state.own();
        if state.isolation() == Isolation::ReadCommitted {
            return make(all, self.meter(), &|| self.instance().visible_scn(), own);
        }
        let begin = || Snapshot::new(all, self.meter(), &|| self.instance().visible_scn(), None);
        let fixed = state.fixed.get_or_insert_with(begin);
        make(all, self.meter(), &|| fixed.scn(), own)
    }

    /// Up to where a serializable transaction sees what others commit; None for others.
    pub(crate) fn serializable_scn(&self) -> Option<Scn> {
        let state = self.transactions().0.lock();
        let fixed = state.fixed.as_ref()?;
        (state.isolation() == Isolation::Serializable).then(|| fixed.scn())
    }

    /// What a query would see that begins now, whatever statement is at work.
    pub(crate) fn latest_snapshot(&self) -> Arc<Snapshot> {
        let mut state = self.transactions().0.lock();
        self.new_snapshot(&mut state, Snapshot::new)
    }

    /// Begins a statement: what it sees from now on, until the snapshot is put back by [`Session::enter`]'s guard.
    #[must_use]
    pub fn begin_snapshot(&self) -> Arc<Snapshot> {
        let mut state = self.transactions().0.lock();
        self.new_snapshot(&mut state, Snapshot::of_statement)
    }

    /// What is committed now, and what the own transaction has done, whatever its isolation: constraints hold for rows as they are.
    #[must_use]
    pub fn current_snapshot(&self) -> Arc<Snapshot> {
        let own = self.transactions().0.lock().own();
        let all = &self.instance().transactions().snapshots;
        Snapshot::new(all, self.meter(), &|| self.instance().visible_scn(), own)
    }

    /// Until the guard is dropped, everything that is read is seen as of `snapshot`.
    pub fn enter(self: &Arc<Self>, snapshot: Arc<Snapshot>) -> Entered {
        let before = self.transactions().0.lock().statement.replace(snapshot);
        Entered { session: self.clone(), before }
    }

    /// Until the guard is dropped, what is read is seen as it is when each read begins.
    pub(crate) fn leave_statement(self: &Arc<Self>) -> Entered {
        let before = self.transactions().0.lock().statement.take();
        Entered { session: self.clone(), before }
    }

    /// Where the transaction is, to come back to: a statement that fails takes back what it has done.
    #[must_use]
    pub fn mark(&self) -> Mark {
        self.with_transaction(|transaction| Mark { xid: Some(transaction.undo.xid()), last: transaction.undo.last() })
            .unwrap_or(Mark { xid: None, last: Uba::NONE })
    }

    /// SAVEPOINT: a name for the present state; a name that is taken moves.
    ///
    /// # Errors
    /// Those of beginning a transaction.
    pub fn savepoint(&self, name: &str) -> Result<()> {
        if self.xid().is_none() {
            self.prepare(0)?;
        }
        let mark = self.mark();
        self.with_transaction(|transaction| {
            transaction.savepoints.retain(|(other, _)| other != name);
            transaction.savepoints.push((name.to_owned(), mark));
        });
        Ok(())
    }

    /// ROLLBACK TO.
    ///
    /// # Errors
    /// ORA-01086 when the transaction has no such savepoint; those of undoing.
    pub fn rollback_to(&self, name: &str) -> Result<()> {
        let found = self.with_transaction(|transaction| {
            let at = transaction.savepoints.iter().position(|(other, _)| other == name)?;
            transaction.savepoints.truncate(at + 1);
            Some(transaction.savepoints[at].1)
        });
        match found.flatten() {
            Some(mark) => self.rollback_to_mark(mark),
            None => {
                Err(Error::user(1086, format!("savepoint '{name}' never established in this session or is invalid")))
            }
        }
    }

    /// SET TRANSACTION: for the transaction that begins with the next statement.
    ///
    /// # Errors
    /// ORA-01453 when a transaction is under way.
    pub fn set_transaction(&self, isolation: Isolation) -> Result<()> {
        let mut state = self.transactions().0.lock();
        if state.transaction.is_some() || state.fixed.is_some() || state.isolation.is_some() {
            return Err(Error::user(1453, "SET TRANSACTION must be first statement of transaction"));
        }
        state.isolation = Some(isolation);
        if isolation != Isolation::ReadCommitted {
            let all = &self.instance().transactions().snapshots;
            state.fixed = Some(Snapshot::new(all, self.meter(), &|| self.instance().visible_scn(), None));
        }
        Ok(())
    }

    /// ALTER SESSION SET ISOLATION_LEVEL: for all transactions to come.
    pub fn set_isolation(&self, isolation: Isolation) {
        self.transactions().0.lock().usual = isolation;
    }

    /// What the transaction's statements see.
    #[must_use]
    pub fn isolation(&self) -> Isolation {
        self.transactions().0.lock().isolation()
    }

    /// Whether the session has changed or locked something since its last commit.
    #[must_use]
    pub fn in_transaction(&self) -> bool {
        self.transactions().0.lock().transaction.is_some()
    }

    /// LOCK TABLE, and what a change of rows takes first.
    ///
    /// # Errors
    /// ORA-00054, ORA-30006 or ORA-00060 when the lock is not had.
    pub fn lock_table(&self, table: &TableDef, mode: TableLock, wait: LockWait) -> Result<()> {
        if self.xid().is_none() {
            self.prepare(0)?;
        }
        self.instance().transactions().locks.lock_table(self, table.object, mode, wait)
    }
}

/// A statement's view of the data; the one before it comes back when this is dropped.
#[derive(Debug)]
pub struct Entered {
    session: Arc<Session>,
    before: Option<Arc<Snapshot>>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.session.transactions().0.lock().statement = self.before.take();
    }
}
