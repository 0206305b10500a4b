//! State that the connections of one session share: statements, and programs that statements call, work in one
//! transaction and with one PL/SQL state.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use common::sync::Mutex;
use common::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use common::{Error, ObjectNumber, Result};
use scalar::Nls;

use super::kept_plan::KeptPlans;
use super::library::SharedCursor;
use super::open::{Cursor, CursorNumber};
use crate::dml::deferred::Deferred;
use crate::explain::table::PlanRow;
use crate::functions::sequence::CurrentValues;
use crate::plsql::Programs;
use crate::transaction::TransactionState;

/// Notices that are kept for a caller that does not ask.
const NOTICES_MAX: usize = 100;

/// A session's open cursors. A cursor at work is taken out meanwhile.
#[derive(Default, Debug)]
pub(crate) struct Cursors {
    open: HashMap<CursorNumber, Cursor>,
    last: CursorNumber,
}

impl Cursors {
    /// The number that the next cursor gets.
    pub(crate) fn next(&mut self) -> CursorNumber {
        self.last += 1;
        self.last
    }

    pub(crate) fn put(&mut self, number: CursorNumber, cursor: Cursor) {
        self.open.insert(number, cursor);
    }

    pub(crate) fn take(&mut self, number: CursorNumber) -> Option<Cursor> {
        self.open.remove(&number)
    }

    pub(crate) fn get(&mut self, number: CursorNumber) -> Result<&mut Cursor> {
        self.open.get_mut(&number).ok_or_else(|| Error::user(1001, "invalid cursor"))
    }

    pub(crate) fn all(&mut self) -> impl Iterator<Item = &mut Cursor> {
        self.open.values_mut()
    }

    pub(crate) fn numbers(&self) -> Vec<CursorNumber> {
        self.open.keys().copied().collect()
    }
}

/// The state of one session that all its connections work with.
pub(crate) struct Shared {
    pub(crate) nls: Mutex<Arc<Nls>>,
    pub(crate) random: Arc<AtomicU64>,
    /// Checks that the transaction has deferred.
    pub(crate) deferred: Mutex<Deferred>,
    pub(crate) transaction: Mutex<TransactionState>,
    /// Values of CURRVAL.
    pub(crate) current_values: CurrentValues,
    /// The PL/SQL side of the session; taken while a program runs, and lent back while that program's SQL runs.
    pub(crate) plsql: Mutex<Option<plsql::run::session::Session>>,
    /// Cursors and queries of programs.
    pub(crate) programs: Mutex<Programs>,
    pub(crate) cursors: Mutex<Cursors>,
    pub(crate) kept_plans: Mutex<KeptPlans>,
    /// The last statement that the session's caller has executed.
    pub(crate) last: Mutex<Option<Arc<SharedCursor>>>,
    /// The rows of the session's own PLAN_TABLE.
    pub(crate) plan_rows: Mutex<Vec<PlanRow>>,
    /// Depth of program calls: above 0, calls are recursive.
    depth: AtomicU32,
    /// Programs have committed without waiting; the outermost call waits at its end. Includes commits of sessions that
    /// work for this one.
    pub(crate) commits_pending: Arc<AtomicBool>,
    /// Nesting depth of triggers.
    triggers: AtomicU32,
    /// Tables whose rows the statements that fired these triggers are changing, row by row.
    mutating: Mutex<Vec<ObjectNumber>>,
    /// A statement has called programs: the outermost call cleans up after them.
    called: AtomicBool,
    /// The file that the current statement loads.
    pub(crate) loading: Mutex<Option<Arc<loader::Setup>>>,
    /// Notices for the caller since it last asked: clauses without effect.
    notices: Mutex<Vec<String>>,
    /// The trace file of the session that it works for.
    pub(crate) trace_path: Option<PathBuf>,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("depth", &self.depth()).finish_non_exhaustive()
    }
}

impl Shared {
    /// `seed`: of DBMS_RANDOM and its like.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            nls: Mutex::default(),
            random: Arc::new(AtomicU64::new(seed)),
            deferred: Mutex::default(),
            transaction: Mutex::default(),
            current_values: Arc::default(),
            plsql: Mutex::new(None),
            programs: Mutex::default(),
            cursors: Mutex::default(),
            kept_plans: Mutex::default(),
            last: Mutex::default(),
            plan_rows: Mutex::default(),
            depth: AtomicU32::new(0),
            commits_pending: Arc::default(),
            triggers: AtomicU32::new(0),
            mutating: Mutex::default(),
            called: AtomicBool::new(false),
            loading: Mutex::default(),
            notices: Mutex::default(),
            trace_path: None,
        }
    }

    /// The state of a session that works for this one within its call: its work is recursive where the call's is, so
    /// its time is not counted twice, and the call waits for its commits. Sequence values and random numbers are this
    /// session's.
    pub(crate) fn for_worker(&self, trace_path: PathBuf) -> Self {
        // In one trace open cursors have different numbers.
        let last = self.cursors.lock().last;
        Self {
            depth: AtomicU32::new(self.depth()),
            commits_pending: Arc::clone(&self.commits_pending),
            current_values: Arc::clone(&self.current_values),
            random: Arc::clone(&self.random),
            cursors: Mutex::new(Cursors { last, ..Cursors::default() }),
            trace_path: Some(trace_path),
            ..Self::new(0)
        }
    }

    /// Adds a notice about the current statement, once.
    pub(crate) fn notice(&self, text: String) {
        let mut notices = self.notices.lock();
        if notices.len() < NOTICES_MAX && !notices.contains(&text) {
            notices.push(text);
        }
    }

    pub(crate) fn notices(&self, texts: &[String]) {
        texts.iter().for_each(|text| self.notice(text.clone()));
    }

    pub(crate) fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock())
    }

    pub(crate) fn last_statement(&self) -> Option<Arc<SharedCursor>> {
        self.last.lock().clone()
    }

    /// Nesting depth of programs, each within the SQL of the one around it.
    pub(crate) fn depth(&self) -> u32 {
        self.depth.load(Ordering::Relaxed)
    }

    /// True: the present work is a program's.
    pub(crate) fn is_recursive(&self) -> bool {
        self.depth() > 0
    }

    /// Runs `work` as the work of a program.
    pub(crate) fn recursively<R>(&self, work: impl FnOnce() -> R) -> R {
        self.depth.fetch_add(1, Ordering::Relaxed);
        // After a panic too, which ends the statement and not the session.
        scopeguard::defer! { self.depth.fetch_sub(1, Ordering::Relaxed); }
        work()
    }

    /// Runs `work` as a trigger that is fired while rows of these tables change.
    pub(crate) fn in_trigger<R>(&self, mutating: &[ObjectNumber], work: impl FnOnce() -> R) -> R {
        let before = {
            let mut tables = self.mutating.lock();
            let before = tables.len();
            tables.extend_from_slice(mutating);
            before
        };
        self.triggers.fetch_add(1, Ordering::Relaxed);
        scopeguard::defer! {
            self.triggers.fetch_sub(1, Ordering::Relaxed);
            self.mutating.lock().truncate(before);
        }
        work()
    }

    fn has_triggers(&self) -> bool {
        self.triggers.load(Ordering::Relaxed) > 0
    }

    /// # Errors
    /// ORA-04092 while a trigger is at work: its transaction is that of the statement which has fired it.
    pub(crate) fn check_no_trigger(&self, what: &str) -> Result<()> {
        if self.has_triggers() {
            return Err(Error::user(4092, format!("cannot {what} in a trigger")));
        }
        Ok(())
    }

    /// The tables that are mutating.
    pub(crate) fn mutating(&self) -> Vec<ObjectNumber> {
        if self.has_triggers() { self.mutating.lock().clone() } else { Vec::new() }
    }

    pub(crate) fn note_called(&self) {
        self.called.store(true, Ordering::Relaxed);
    }

    /// True: statements have called programs since the last call.
    pub(crate) fn take_called(&self) -> bool {
        self.called.load(Ordering::Relaxed) && self.called.swap(false, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_panic_leaves_nothing_behind() {
        let shared = Shared::new(0);
        let work = || shared.recursively(|| shared.in_trigger(&[ObjectNumber(7)], || panic!("of a test")));
        assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
        assert_eq!((shared.depth(), shared.has_triggers(), shared.mutating.lock().len()), (0, false, 0));
    }
}
