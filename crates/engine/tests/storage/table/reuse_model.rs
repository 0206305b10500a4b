//! Two sessions that insert, update, delete, go back to savepoints, commit and roll back in full blocks, against what
//! each of them must see. Room that one has freed may serve itself and is never missing when it rolls back.

use std::collections::BTreeMap;
use std::time::Duration;

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, JoinHandle, Mutex, spawn};
use common::{BlockSize, Result, Rowid};
use format::heap;
use proptest::prelude::*;

use super::fixture::{Columns, Database, MANAGEMENTS, Rows, borrow, scan_by};
use engine::ddl::PhysicalAttributes;
use engine::dictionary::TableDef;
use engine::instance::Session;
use storage::control::SpaceManagement;
use storage::segment::Storage;
use storage::table::{Deleter, Inserter, Updater};
use storage::txn::CommitWrite;

#[derive(Clone, Debug)]
enum Step {
    /// So many rows of so many bytes.
    Insert(usize, usize),
    /// From a position on so many rows.
    Delete(usize, usize),
    Update(usize, usize, usize),
    Savepoint,
    Back,
    Commit,
    Rollback,
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let bytes = || prop_oneof![3 => 5..60usize, 3 => 60..300usize, 1 => 300..1500usize];
    let step = prop_oneof![
        5 => (1..40usize, bytes()).prop_map(|(n, b)| Step::Insert(n, b)),
        4 => (any::<usize>(), 1..60usize).prop_map(|(at, n)| Step::Delete(at, n)),
        3 => (any::<usize>(), 1..30usize, bytes()).prop_map(|(at, n, b)| Step::Update(at, n, b)),
        2 => Just(Step::Savepoint),
        2 => Just(Step::Back),
        2 => Just(Step::Commit),
        2 => Just(Step::Rollback),
    ];
    proptest::collection::vec((0..2usize, step), 10..60)
}

/// A session's changes: new and changed rows, None for deleted ones.
type Changes = BTreeMap<Rowid, Option<Columns>>;

struct World {
    table: Arc<TableDef>,
    database: Database,
    sessions: Vec<Arc<Session>>,
    committed: Rows,
    changes: [Changes; 2],
    savepoints: [Option<Changes>; 2],
    next: u32,
    /// Held while a wait is looked for, and while one is dealt with.
    watch: Arc<Mutex<()>>,
}

/// One thread plays both sessions: a statement that waits for an ITL slot of the other one would do so for ever, and is
/// cancelled.
fn watcher(sessions: &[Arc<Session>], watch: &Arc<Mutex<()>>, ended: &Arc<AtomicBool>) -> JoinHandle<()> {
    let (sessions, watch, ended) = (sessions.to_vec(), watch.clone(), ended.clone());
    spawn("watcher", move || {
        while !ended.load(Ordering::Acquire) {
            {
                let _watching = watch.lock();
                for waiter in sessions[0].instance().locks().waiters() {
                    for session in sessions.iter().filter(|session| session.sid() == waiter.sid) {
                        session.cancel_handle().store(true, Ordering::Release);
                    }
                }
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    })
    .unwrap()
}

impl World {
    fn view(&self, who: usize) -> Rows {
        let mut view = self.committed.clone();
        for (rowid, row) in &self.changes[who] {
            match row {
                Some(row) => view.insert(*rowid, row.clone()),
                None => view.remove(rowid),
            };
        }
        view
    }

    /// Rows from a position on that the other session has not touched.
    fn pick(&self, who: usize, at: usize, count: usize) -> Vec<Rowid> {
        let view = self.view(who);
        let free: Vec<Rowid> = view.into_keys().filter(|rowid| !self.changes[1 - who].contains_key(rowid)).collect();
        let at = at % free.len().max(1);
        free.into_iter().skip(at).take(count).collect()
    }

    fn row(&mut self, bytes: usize) -> Columns {
        self.next += 1;
        vec![Some(self.next.to_be_bytes().to_vec()), Some(vec![self.next as u8; bytes])]
    }

    /// One statement, whole; false when it would have to wait for the other session, and nothing was done.
    fn statement(&self, who: usize, work: impl FnOnce(&Arc<Session>) -> Result<()>) -> bool {
        let session = &self.sessions[who];
        let mark = session.mark();
        let Err(error) = work(session) else { return true };
        assert!(error.is_ora(1013), "{error}");
        let _watching = self.watch.lock();
        session.cancel_handle().store(false, Ordering::Release);
        session.rollback_to_mark(mark).unwrap();
        false
    }

    fn step(&mut self, who: usize, step: &Step) {
        let session = self.sessions[who].clone();
        match *step {
            Step::Insert(count, bytes) => {
                let before = self.view(who);
                let rows: Vec<Columns> = (0..count).map(|_| self.row(bytes)).collect();
                let done = self.statement(who, |session| {
                    let mut inserter = Inserter::new(session.worker().clone(), self.table.heap().clone())?;
                    for row in &rows {
                        inserter.push(&borrow(row))?;
                    }
                    inserter.finish().map(drop)
                });
                if !done {
                    return;
                }
                let mut wanted: Vec<Columns> = rows;
                let found = scan_by(&session, &self.table, None, 100);
                let new: Rows = found.into_iter().filter(|(rowid, _)| !before.contains_key(rowid)).collect();
                let mut columns: Vec<Columns> = new.values().cloned().collect();
                columns.sort();
                wanted.sort();
                assert_eq!(columns, wanted);
                self.changes[who].extend(new.into_iter().map(|(rowid, row)| (rowid, Some(row))));
            }
            Step::Delete(at, count) => {
                let rowids = self.pick(who, at, count);
                let done = self.statement(who, |session| {
                    let mut deleter = Deleter::new(session.worker().clone(), self.table.heap().clone());
                    for rowid in &rowids {
                        deleter.push(*rowid)?;
                    }
                    assert_eq!(deleter.finish()?, rowids.len() as u64);
                    Ok(())
                });
                if done {
                    self.changes[who].extend(rowids.into_iter().map(|rowid| (rowid, None)));
                }
            }
            Step::Update(at, count, bytes) => {
                let rowids = self.pick(who, at, count).into_iter();
                let rows: Rows = rowids.map(|rowid| (rowid, self.row(bytes))).collect();
                let done = self.statement(who, |session| {
                    let mut updater = Updater::new(session.worker().clone(), self.table.heap().clone());
                    for (rowid, row) in &rows {
                        updater.push(*rowid, &borrow(row))?;
                    }
                    updater.finish().map(drop)
                });
                if done {
                    self.changes[who].extend(rows.into_iter().map(|(rowid, row)| (rowid, Some(row))));
                }
            }
            Step::Savepoint => {
                session.savepoint("S").unwrap();
                self.savepoints[who] = Some(self.changes[who].clone());
            }
            Step::Back => {
                if let Some(changes) = self.savepoints[who].clone() {
                    session.rollback_to("S").unwrap();
                    self.changes[who] = changes;
                }
            }
            Step::Commit => {
                session.commit(CommitWrite::default()).unwrap();
                self.committed = self.view(who);
                (self.changes[who], self.savepoints[who]) = (Changes::new(), None);
            }
            Step::Rollback => {
                session.rollback().unwrap();
                (self.changes[who], self.savepoints[who]) = (Changes::new(), None);
            }
        }
    }

    fn check(&self) {
        for (address, bytes) in self.database.blocks(&self.table) {
            heap::validate(&bytes).unwrap_or_else(|error| panic!("{address}: {error}"));
        }
        for who in 0..2 {
            assert_eq!(scan_by(&self.sessions[who], &self.table, None, 100), self.view(who));
        }
    }
}

fn run(management: SpaceManagement, pctfree: u64, steps: &[(usize, Step)]) {
    let database = Database::new(BlockSize::K2, management);
    let physical = PhysicalAttributes { pctfree: Some(pctfree), ..PhysicalAttributes::default() };
    let table = database.table_with("T", 2, physical, Storage::default());
    let sessions = vec![database.connect(), database.connect()];
    let (watch, ended) = (Arc::default(), Arc::default());
    let watching = watcher(&sessions, &watch, &ended);
    let mut world = World {
        table,
        database,
        sessions,
        committed: Rows::new(),
        changes: Default::default(),
        savepoints: Default::default(),
        next: 0,
        watch,
    };
    // Full blocks to begin with.
    world.step(0, &Step::Insert(150, 60));
    world.step(0, &Step::Commit);
    for (who, step) in steps {
        world.step(*who, step);
        world.check();
    }
    world.step(0, &Step::Rollback);
    world.check();
    world.step(1, &Step::Rollback);
    world.check();
    ended.store(true, Ordering::Release);
    watching.join().unwrap();
    let World { database, sessions, .. } = world;
    drop(sessions);
    database.sound();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn freed_space_serves_its_session_and_its_rollback(
        manual: bool,
        pctfree in proptest::sample::select(vec![0, 10, 30]),
        steps in steps(),
    ) {
        run(MANAGEMENTS[usize::from(!manual)], pctfree, &steps);
    }
}
