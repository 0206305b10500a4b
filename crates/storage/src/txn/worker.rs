//! A worker: a process with its transaction, the transaction's beginning and savepoints, what its statements see.

use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;

use common::sync::{Arc, Mutex};
use common::{BlockAddress, Error, ObjectNumber, Result, Scn, Uba, Xid};

use waits::Meter;

use super::{Deadlock, Definitions, Isolation, LockWait, Locks, OwnFreelist, TableLock, Transactions};
use crate::process::Process;
use crate::snapshot::{Identity, Place, Snapshot, Snapshots};
use crate::tablespace::Tablespaces;
use crate::undo::{UndoProgress, UndoSegments, UndoWriter};

/// A transaction under way.
#[derive(Debug)]
pub struct Transaction {
    pub undo: UndoWriter,
    pub(super) identity: Arc<Identity>,
    /// Data and index blocks that it has changed, oldest first, neighbours once.
    pub(super) blocks: Vec<BlockAddress>,
    pub(super) savepoints: Vec<(String, Mark)>,
    /// Its freelists, by the segment's data object.
    pub(super) freelists: HashMap<ObjectNumber, OwnFreelist>,
    /// Tables that it has loaded past the cache.
    pub(super) loads: Vec<Load>,
    /// What is to be told of the commit.
    pub(super) at_commit: Option<AtCommit>,
}

/// How far a transaction is, beside what is in blocks.
pub(super) struct Progress {
    undo: UndoProgress,
    freelists: HashMap<ObjectNumber, OwnFreelist>,
    loads: usize,
}

impl Transaction {
    fn progress(&self) -> Progress {
        Progress { undo: self.undo.progress(), freelists: self.freelists.clone(), loads: self.loads.len() }
    }

    /// Undo records that were written since are not there.
    fn go_back(&mut self, progress: Progress) {
        if self.undo.go_back(progress.undo) {
            debug_assert!(progress.loads <= self.loads.len(), "loads were forgotten that are taken back: {self:?}");
            self.freelists = progress.freelists;
            self.loads.truncate(progress.loads);
        }
    }
}

/// A table that a transaction has loaded, by the undo record of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) table: ObjectNumber,
    pub uba: Uba,
}

type MakeSnapshot = fn(&Arc<Snapshots>, &Arc<Meter>, &dyn Fn() -> Scn, Option<(Arc<Identity>, Place)>) -> Arc<Snapshot>;

/// A state of a transaction to go back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub(super) xid: Option<Xid>,
    pub(super) last: Uba,
}

#[derive(Default, Debug)]
pub(crate) struct TransactionContext {
    pub(super) transaction: Option<Transaction>,
    /// Of transactions to come.
    pub(super) usual: Isolation,
    /// Of the transaction that SET TRANSACTION has begun.
    pub(super) isolation: Option<Isolation>,
    /// What a serializable or read-only transaction sees.
    pub(super) fixed: Option<Arc<Snapshot>>,
    /// What the statement sees that is at work.
    pub(super) statement: Option<Arc<Snapshot>>,
    /// The tables that the transaction has locked, each with its mode: most statements lock one of them again.
    tables: Vec<(ObjectNumber, TableLock)>,
}

/// What is called when a transaction has committed.
pub(super) struct AtCommit(Box<dyn Fn() + Send + Sync>);

impl AtCommit {
    pub(super) fn tell(&self) {
        (self.0)();
    }
}

impl fmt::Debug for AtCommit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AtCommit")
    }
}

/// A process that works in transactions. It derefs to the process.
#[derive(Debug)]
pub struct Worker {
    process: Process,
    transactions: Arc<Transactions>,
    pub(super) definitions: Arc<dyn Definitions>,
    pub(super) state: Mutex<TransactionContext>,
    /// The last deadlock that the worker was told of, until it is taken.
    deadlock: Mutex<Option<Deadlock>>,
}

impl Deref for Worker {
    type Target = Process;

    fn deref(&self) -> &Process {
        &self.process
    }
}

impl TransactionContext {
    pub(super) fn isolation(&self) -> Isolation {
        self.isolation.unwrap_or(self.usual)
    }

    /// The own transaction and how far it is, for a snapshot.
    pub(super) fn own(&self) -> Option<(Arc<Identity>, Place)> {
        let transaction = self.transaction.as_ref()?;
        Some((transaction.identity.clone(), transaction.identity.place(transaction.undo.last())))
    }
}

impl Worker {
    pub fn new(process: Process, transactions: Arc<Transactions>, definitions: Arc<dyn Definitions>) -> Self {
        Self { process, transactions, definitions, state: Mutex::default(), deadlock: Mutex::default() }
    }

    pub(crate) fn transactions(&self) -> &Arc<Transactions> {
        &self.transactions
    }

    /// Table locks, and waits of sessions for one another.
    #[must_use]
    pub fn locks(&self) -> &Locks {
        &self.transactions.locks
    }

    /// The undo segments, and figures about them.
    #[must_use]
    pub fn undo(&self) -> &Arc<UndoSegments> {
        &self.transactions.undo
    }

    #[must_use]
    pub fn tablespaces(&self) -> &Arc<Tablespaces> {
        self.undo().tablespaces()
    }

    pub(crate) fn definitions(&self) -> &dyn Definitions {
        &*self.definitions
    }

    pub(super) fn note_deadlock(&self, deadlock: Deadlock) {
        *self.deadlock.lock() = Some(deadlock);
    }

    /// The deadlock because of which a statement of this session has failed with ORA-00060 since it was asked last.
    #[must_use]
    pub fn take_deadlock(&self) -> Option<Deadlock> {
        self.deadlock.lock().take()
    }

    /// Does `work` in a mini-transaction, which is committed unless `work` fails: the blocks are then as they were, and
    /// the transaction as far as it was.
    ///
    /// # Errors
    /// Those of `work`.
    pub(crate) fn mini<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        let progress = self.with_transaction(|transaction| transaction.progress());
        let result = self.process.mini(work);
        if let (Err(_), Some(progress)) = (&result, progress) {
            self.with_transaction(|transaction| transaction.go_back(progress));
        }
        result
    }

    /// Work on the transaction under way; None when there is none.
    pub fn with_transaction<R>(&self, work: impl FnOnce(&mut Transaction) -> R) -> Option<R> {
        self.state.lock().transaction.as_mut().map(work)
    }

    /// The transaction that has ended is not under way any more, and what SET TRANSACTION has said of it holds no
    /// longer.
    pub(super) fn take_ended(&self) -> Option<Transaction> {
        let mut state = self.state.lock();
        (state.isolation, state.fixed) = (None, None);
        state.tables.clear();
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
    pub fn prepare(&self, payload: usize) -> Result<Xid> {
        if self.state.lock().isolation() == Isolation::ReadOnly {
            return Err(Error::user(
                1456,
                "may not perform insert/delete/update operation inside a READ ONLY transaction",
            ));
        }
        self.store().redo().wait_room(self.meter())?;
        let begun = self.with_transaction(|_| ()).is_some();
        if !begun {
            let undo = self.undo().begin(self)?;
            let xid = undo.xid();
            self.transactions().locks.began(self.meter(), xid, self.sid());
            let before = self.state.lock().transaction.replace(Transaction {
                undo,
                identity: Identity::new(xid),
                blocks: Vec::new(),
                savepoints: Vec::new(),
                freelists: HashMap::new(),
                loads: Vec::new(),
                at_commit: None,
            });
            debug_assert!(before.is_none(), "a session has one transaction: {before:?}");
        }
        let mut state = self.state.lock();
        let Some(transaction) = &mut state.transaction else { return Err(Error::bug("a transaction is gone")) };
        transaction.undo.reserve(self, payload)?;
        debug_assert_eq!(transaction.undo.xid(), transaction.identity.xid, "snapshots know another transaction");
        Ok(transaction.undo.xid())
    }

    /// Has `told` called once the transaction has committed. It takes the place of what was to be told before.
    pub fn tell_at_commit(&self, told: impl Fn() + Send + Sync + 'static) {
        self.with_transaction(|transaction| transaction.at_commit = Some(AtCommit(Box::new(told))));
    }

    /// Whether the transaction has room for an undo record with so many bytes of payload, without another
    /// [`Worker::prepare`].
    pub(crate) fn has_undo_room(&self, payload: usize) -> bool {
        self.with_transaction(|transaction| transaction.undo.has_room(payload)).unwrap_or(false)
    }

    /// For how many undo records with so many bytes of payload each, of changes of one block, the transaction has room
    /// without another [`Worker::prepare`]; `own`: each change takes an ITL slot of its own, else they share one.
    pub(crate) fn undo_records_with_room(&self, own: bool, payloads: impl Iterator<Item = usize>) -> usize {
        self.with_transaction(|transaction| transaction.undo.records_with_room(own, payloads)).unwrap_or(0)
    }

    /// What is seen now: by the statement at work, else by one that would begin.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        let mut state = self.state.lock();
        match &state.statement {
            Some(snapshot) => snapshot.clone(),
            None => self.new_snapshot(&mut state, Snapshot::new),
        }
    }

    /// What a statement sees that begins now.
    fn new_snapshot(&self, state: &mut TransactionContext, make: MakeSnapshot) -> Arc<Snapshot> {
        let all = &self.store().snapshots();
        let own = state.own();
        if state.isolation() == Isolation::ReadCommitted {
            return make(all, self.meter(), &|| self.store().visible_scn(), own);
        }
        let begin = || Snapshot::new(all, self.meter(), &|| self.store().visible_scn(), None);
        let fixed = state.fixed.get_or_insert_with(begin);
        make(all, self.meter(), &|| fixed.scn(), own)
    }

    /// Up to where a serializable transaction sees what others commit; None for others.
    pub(crate) fn serializable_scn(&self) -> Option<Scn> {
        let state = self.state.lock();
        let fixed = state.fixed.as_ref()?;
        (state.isolation() == Isolation::Serializable).then(|| fixed.scn())
    }

    /// What a query would see that begins now, whatever statement is at work.
    pub(crate) fn latest_snapshot(&self) -> Arc<Snapshot> {
        let mut state = self.state.lock();
        self.new_snapshot(&mut state, Snapshot::new)
    }

    /// Begins a statement: what it sees from now on, until the snapshot is put back by [`Worker::enter`]'s guard.
    #[must_use]
    pub fn begin_snapshot(&self) -> Arc<Snapshot> {
        let mut state = self.state.lock();
        self.new_snapshot(&mut state, Snapshot::of_statement)
    }

    /// What is committed now, and what the own transaction has done, whatever its isolation: constraints hold for rows
    /// as they are.
    #[must_use]
    pub fn current_snapshot(&self) -> Arc<Snapshot> {
        let own = self.state.lock().own();
        let all = &self.store().snapshots();
        Snapshot::new(all, self.meter(), &|| self.store().visible_scn(), own)
    }

    /// Until the guard is dropped, everything that is read is seen as of `snapshot`.
    pub fn enter(self: &Arc<Self>, snapshot: Arc<Snapshot>) -> Entered {
        let before = self.state.lock().statement.replace(snapshot);
        Entered { worker: self.clone(), before }
    }

    /// Until the guard is dropped, what is read is seen as it is when each read begins.
    pub fn leave_statement(self: &Arc<Self>) -> Entered {
        let before = self.state.lock().statement.take();
        Entered { worker: self.clone(), before }
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
            debug_assert_eq!(mark.xid, Some(transaction.undo.xid()), "a savepoint is of the transaction under way");
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
            let mark = transaction.savepoints[at].1;
            debug_assert_eq!(mark.xid, Some(transaction.undo.xid()), "a savepoint is of the transaction under way");
            Some(mark)
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
        let mut state = self.state.lock();
        if state.transaction.is_some() || state.fixed.is_some() || state.isolation.is_some() {
            return Err(Error::user(1453, "SET TRANSACTION must be first statement of transaction"));
        }
        state.isolation = Some(isolation);
        if isolation != Isolation::ReadCommitted {
            let all = &self.store().snapshots();
            state.fixed = Some(Snapshot::new(all, self.meter(), &|| self.store().visible_scn(), None));
        }
        Ok(())
    }

    /// ALTER SESSION SET ISOLATION_LEVEL: for all transactions to come.
    pub fn set_isolation(&self, isolation: Isolation) {
        self.state.lock().usual = isolation;
    }

    /// What the transaction's statements see.
    #[must_use]
    pub fn isolation(&self) -> Isolation {
        self.state.lock().isolation()
    }

    /// Whether the session has changed or locked something since its last commit.
    #[must_use]
    pub fn in_transaction(&self) -> bool {
        self.state.lock().transaction.is_some()
    }

    /// LOCK TABLE, and what a change of rows takes first.
    ///
    /// # Errors
    /// ORA-00054, ORA-30006 or ORA-00060 when the lock is not had.
    pub fn lock_table(&self, table: ObjectNumber, mode: TableLock, wait: LockWait) -> Result<()> {
        if self.state.lock().tables.iter().any(|(held, how)| *held == table && how.covers(mode)) {
            return Ok(());
        }
        if self.xid().is_none() {
            self.prepare(0)?;
        }
        let held = self.transactions().locks.lock_table(self, table, mode, wait)?;
        let tables = &mut self.state.lock().tables;
        tables.retain(|(other, _)| *other != table);
        tables.push((table, held));
        Ok(())
    }
}

/// A statement's view of the data; the one before it comes back when this is dropped.
#[derive(Debug)]
pub struct Entered {
    worker: Arc<Worker>,
    before: Option<Arc<Snapshot>>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.worker.state.lock().statement = self.before.take();
    }
}
