//! Entries under transactions, in a database: rollback, snapshots, waits, crashes.

use std::collections::BTreeMap;
use std::ops::Bound;

use common::sync::{Arc, JoinHandle, spawn};
use common::{BlockSize, Error, Result, Rowid};
use proptest::prelude::*;
use waits::{Event, Statistic};

use super::database::{Database, MB};
use engine::ddl::PhysicalAttributes;
use engine::dictionary::{IndexDef, TableDef};
use engine::instance::Session;
use storage::control::SpaceManagement;
use storage::index::{
    EntryKey, FastFullScan, IndexScan, Key, delete_batch, images, insert_batch, lookup, statistics, verify,
};
use storage::txn::{CommitWrite, Mark};

/// Long enough that few keys fill a leaf of 2 KB.
fn key(n: u32) -> Key {
    let text = format!("{n:06}{:width$}", "", width = 10 + (n * 7 % 30) as usize);
    Key::new([Some(text.as_bytes())])
}

fn rowid(table: &TableDef, row: u32) -> Rowid {
    let block = table.segment.header().plus(1 + row / 100);
    Rowid { data_object: table.segment.data_object(), block, slot: (row % 100) as u16 }
}

struct Stage {
    database: Database,
    table: Arc<TableDef>,
    index: Arc<IndexDef>,
}

type Rows = BTreeMap<(u32, u32), ()>;

impl Stage {
    fn new(unique: bool) -> Self {
        let database = Database::new(BlockSize::K2, SpaceManagement::Auto, 4 * MB, true);
        let table = database.table("ROWS");
        // Where one thread plays all sessions, a session that waits for a slot would wait for itself: a full leaf
        // splits.
        let physical = PhysicalAttributes { initrans: Some(2), ..PhysicalAttributes::default() };
        let index = database.index_with(&table, "I", &["B"], unique, physical).unwrap();
        Self { database, table, index }
    }

    fn after(self, close: impl FnOnce(Database) -> Database) -> Self {
        let Self { database, table, index } = self;
        let name = index.name.clone();
        drop((table, index));
        let database = close(database);
        let catalog = database.session.catalog();
        let table = catalog.table("SYSTEM", "ROWS").unwrap().clone();
        let index = catalog.indexes().find(|index| index.name == name).unwrap().clone();
        drop(catalog);
        Self { database, table, index }
    }

    fn connect(&self) -> Arc<Session> {
        self.database.instance.connect("SYSTEM").unwrap()
    }

    fn batch(&self, rows: &[(u32, u32)]) -> Vec<(Key, Rowid)> {
        rows.iter().map(|(n, row)| (key(*n), rowid(&self.table, *row))).collect()
    }

    fn insert(&self, s: &Arc<Session>, rows: &[(u32, u32)]) -> Result<()> {
        insert_batch(s, &self.index, images(&self.batch(rows)))
    }

    fn delete(&self, s: &Arc<Session>, rows: &[(u32, u32)]) -> Result<()> {
        delete_batch(s, &self.index, images(&self.batch(rows)))
    }

    fn scan(&self, s: &Arc<Session>, descending: bool) -> IndexScan {
        IndexScan::new(s, &self.index, Bound::Unbounded, Bound::Unbounded, descending).unwrap()
    }

    /// The rest of a scan, as key number and row.
    fn rest(&self, scan: &mut IndexScan) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        while let Some(row) = self.next(scan) {
            found.push(row);
        }
        found
    }

    fn next(&self, scan: &mut IndexScan) -> Option<(u32, u32)> {
        scan.next().unwrap().map(|entry| self.numbers(entry))
    }

    fn next_fast(&self, scan: &mut FastFullScan) -> Option<(u32, u32)> {
        scan.next().unwrap().map(|entry| self.numbers(entry))
    }

    fn numbers(&self, (key, rowid): (EntryKey<'_>, Rowid)) -> (u32, u32) {
        let text = key.columns().next().flatten().unwrap();
        let n = std::str::from_utf8(&text[..6]).unwrap().parse().unwrap();
        let first = self.table.segment.header().plus(1);
        (n, (rowid.block.block - first.block) * 100 + u32::from(rowid.slot))
    }

    fn all(&self, s: &Arc<Session>) -> Vec<(u32, u32)> {
        let found = self.rest(&mut self.scan(s, false));
        let mut backwards = self.rest(&mut self.scan(s, true));
        backwards.reverse();
        assert_eq!(found, backwards);
        found
    }

    fn sound(&self) {
        let problems =
            verify(&self.database.session, &self.index, Some(&self.database.table_of(&self.index).segment)).unwrap();
        let odd: Vec<_> = problems.into_iter().filter(|p| !p.text.contains("not one of table")).collect();
        assert_eq!(odd, []);
    }

    /// Starts a change by another session that has to wait, and returns once it is under way.
    fn waiting(
        self: &Arc<Self>,
        s: &Arc<Session>,
        change: impl FnOnce(&Self, &Arc<Session>) -> Result<()> + Send + 'static,
    ) -> JoinHandle<Result<()>> {
        let (stage, session) = (self.clone(), s.clone());
        let before = self.database.instance.locks().waiters().len();
        let thread = spawn("waiter", move || change(&stage, &session)).unwrap();
        while self.database.instance.locks().waiters().len() == before {
            assert!(!thread.is_finished(), "it did not wait");
            std::thread::yield_now();
        }
        thread
    }
}

fn commit(s: &Arc<Session>) {
    s.commit(CommitWrite::default()).unwrap();
}

fn numbered(keys: impl IntoIterator<Item = u32>) -> Vec<(u32, u32)> {
    keys.into_iter().map(|n| (n, n)).collect()
}

/// What a fast full scan finds while the index is split under it, at each place, and how many of its entries were found
/// before the split.
#[test]
fn a_fast_full_scan_finds_each_entry_once_whatever_is_split_meanwhile() {
    for unique in [false, true] {
        let stage = Stage::new(unique);
        let (reader, writer) = (stage.connect(), stage.connect());
        stage.insert(&writer, &numbered((0..400).map(|n| n * 10))).unwrap();
        commit(&writer);
        stage.delete(&writer, &numbered((0..400).filter(|n| n % 7 == 0).map(|n| n * 10))).unwrap();
        commit(&writer);
        let mut expected = stage.all(&reader);
        assert!(expected.len() > 300);
        for (round, before) in [0, 1, 5, 40, 100, 200, 300, expected.len()].into_iter().enumerate() {
            let mut scan = FastFullScan::new(&reader, &stage.index, None).unwrap();
            let mut found: Vec<_> = (0..before).map_while(|_| stage.next_fast(&mut scan)).collect();
            assert_eq!(found.len(), before);
            // Another session fills leaves on both sides of the scan's place, and empties others.
            let splits = writer.meter().value(Statistic::LeafNodeSplits);
            let rows = numbered((0..400).map(|n| n * 10 + 1 + round as u32));
            stage.insert(&writer, &rows).unwrap();
            stage.delete(&writer, &rows[..rows.len() / 2]).unwrap();
            commit(&writer);
            let after = writer.meter().value(Statistic::LeafNodeSplits);
            assert!(after > splits, "nothing was split");
            while let Some(row) = stage.next_fast(&mut scan) {
                found.push(row);
            }
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "unique {unique}, after {before} entries");
            expected = stage.all(&reader);
        }
        stage.sound();
    }
}

#[test]
fn a_rollback_takes_back_what_splits_have_moved() {
    for unique in [false, true] {
        let stage = Stage::new(unique);
        let (a, b) = (stage.connect(), stage.connect());
        let old = numbered((0..200).map(|n| n * 10));
        stage.insert(&a, &old).unwrap();
        commit(&a);
        // Some old entries go, some come back, new ones come, in leaves that another session's entries split again and
        // again.
        stage.delete(&a, &old[50..150]).unwrap();
        stage.insert(&a, &old[70..90]).unwrap();
        stage.insert(&a, &numbered((0..200).map(|n| n * 10 + 1))).unwrap();
        let splits = b.meter().snapshot().value(Statistic::LeafNodeSplits);
        let others = numbered((0..1000).map(|n| n * 2 + 1).filter(|n| n % 10 != 1));
        stage.insert(&b, &others).unwrap();
        assert!(b.meter().snapshot().value(Statistic::LeafNodeSplits) > splits + 5);
        let mut all: Vec<_> = [&old[..], &others[..]].concat();
        all.sort_unstable();
        assert_eq!(stage.all(&stage.database.session), old);
        a.rollback().unwrap();
        assert_eq!(stage.all(&a), old);
        commit(&b);
        assert_eq!(stage.all(&a), all);
        stage.sound();
    }
}

#[test]
fn a_snapshot_sees_the_keys_that_were_there() {
    for descending in [false, true] {
        let stage = Stage::new(true);
        let (a, reader) = (stage.connect(), stage.connect());
        let old = numbered((0..300).map(|n| n * 10));
        stage.insert(&a, &old).unwrap();
        commit(&a);
        let mut expected = old.clone();
        if descending {
            expected.reverse();
        }
        let mut scan = stage.scan(&reader, descending);
        let mut later = stage.scan(&reader, descending);
        let mut found = vec![stage.next(&mut scan).unwrap()];
        // All keys change their rows, many are deleted, and so many come that every leaf splits and would be purged
        // without regard to open transactions.
        for round in 1..6 {
            stage.delete(&a, &old.iter().map(|(n, row)| (*n, row + round - 1)).collect::<Vec<_>>()).unwrap();
            commit(&a);
            stage.insert(&a, &numbered((0..300).map(|n| n * 10 + round))).unwrap();
            stage.insert(&a, &old.iter().map(|(n, row)| (*n, row + round)).collect::<Vec<_>>()).unwrap();
            if round % 2 == 0 {
                commit(&a);
            }
            found.push(stage.next(&mut scan).unwrap());
        }
        found.extend(stage.rest(&mut scan));
        assert_eq!(found, expected);
        assert_eq!(stage.rest(&mut later), expected);
        let (there, gone) = (key(10), key(11));
        assert_eq!(lookup(&reader, &stage.index, &gone).unwrap(), Some(rowid(&stage.table, 11)));
        assert_eq!(
            lookup(&reader, &stage.index, &there).unwrap(),
            None,
            "the delete has committed, the insert has not"
        );
        assert_eq!(lookup(&a, &stage.index, &there).unwrap(), Some(rowid(&stage.table, 15)));
        commit(&a);
        assert_eq!(lookup(&reader, &stage.index, &there).unwrap(), Some(rowid(&stage.table, 15)));
        stage.sound();
    }
}

#[test]
fn deleted_entries_stay_as_long_as_a_snapshot_needs_them() {
    let stage = Stage::new(false);
    let (a, reader) = (stage.connect(), stage.connect());
    let blocks = |stage: &Stage| statistics(&stage.database.session, &stage.index).unwrap().leaf_blocks;
    let turn = |n: u32| {
        stage.insert(&a, &[(n, n)]).unwrap();
        if n >= 10 {
            stage.delete(&a, &[(n - 10, n - 10)]).unwrap();
        }
        commit(&a);
    };
    (0..500).for_each(turn);
    assert_eq!(blocks(&stage), 1, "what nobody needs makes room");
    let mut scan = stage.scan(&reader, false);
    (500..600).for_each(turn);
    assert!(blocks(&stage) > 2);
    assert_eq!(stage.rest(&mut scan), numbered(490..500));
    drop(scan);
    let before = blocks(&stage);
    (600..1000).for_each(turn);
    assert!(blocks(&stage) <= before + 1);
    assert_eq!(stage.all(&reader), numbered(990..1000));
    // Entries of an open transaction are not purged.
    stage.delete(&a, &numbered(990..1000)).unwrap();
    (1000..1200).for_each(|n| stage.insert(&reader, &[(n, n)]).unwrap());
    a.rollback().unwrap();
    assert_eq!(stage.all(&reader), numbered(990..1200));
    stage.sound();
}

fn is_duplicate(error: &Error) -> bool {
    error.is_ora(1) && error.text.contains("SYSTEM.I")
}

#[test]
fn a_key_that_another_transaction_has_is_waited_for() {
    let stage = Arc::new(Stage::new(true));
    let (a, b) = (stage.connect(), stage.connect());
    // The outcome for b, which inserts key 5, of a's change, commit and rollback.
    for inserts in [true, false] {
        for commits in [true, false] {
            for n in [5, 6] {
                let _ = stage.delete(&a, &[(n, 1)]);
                let _ = stage.delete(&a, &[(n, 2)]);
            }
            if !inserts {
                stage.insert(&a, &[(5, 1)]).unwrap();
            }
            commit(&a);
            if inserts {
                stage.insert(&a, &[(5, 1)]).unwrap();
            } else {
                stage.delete(&a, &[(5, 1)]).unwrap();
            }
            stage.insert(&b, &[(6, 2)]).unwrap();
            let mark = b.mark();
            let waiter = stage.waiting(&b, |stage, b| stage.insert(b, &[(4, 2), (5, 2)]));
            if commits {
                commit(&a);
            } else {
                a.rollback().unwrap();
            }
            let result = waiter.join().unwrap();
            if inserts == commits {
                assert!(is_duplicate(&result.unwrap_err()));
                b.rollback_to_mark(mark).unwrap();
                assert_eq!(stage.all(&b), [(5, 1), (6, 2)]);
            } else {
                result.unwrap();
                assert_eq!(stage.all(&b), [(4, 2), (5, 2), (6, 2)]);
            }
            b.rollback().unwrap();
        }
    }
    assert_eq!(b.meter().event(Event::EnqTxRowLockContention).waits, 4);
    stage.sound();
}

#[test]
fn keys_that_two_transactions_want_of_each_other_are_a_deadlock() {
    let stage = Arc::new(Stage::new(true));
    let (a, b) = (stage.connect(), stage.connect());
    stage.insert(&a, &[(1, 1)]).unwrap();
    stage.insert(&b, &[(2, 2)]).unwrap();
    let waiter = stage.waiting(&a, |stage, a| stage.insert(a, &[(2, 1)]));
    assert!(stage.insert(&b, &[(1, 2)]).unwrap_err().is_ora(60));
    b.rollback().unwrap();
    waiter.join().unwrap().unwrap();
    commit(&a);
    assert_eq!(stage.all(&b), [(1, 1), (2, 1)]);
}

/// Two sessions that change different entries of the same full leaves, each in the other's order, do not wait: a leaf
/// without room for an ITL slot splits.
#[test]
fn sessions_do_not_wait_for_a_slot_that_has_no_room() {
    for unique in [false, true] {
        let stage = Arc::new(Stage::new(unique));
        let sessions: Vec<_> = (0..4).map(|_| stage.connect()).collect();
        let old = numbered(0..400);
        stage.insert(&sessions[0], &old).unwrap();
        commit(&sessions[0]);
        let splits = |session: &Arc<Session>| session.meter().value(Statistic::LeafNodeSplits);
        let before: u64 = sessions.iter().map(splits).sum();
        let workers: Vec<_> = (0..)
            .zip(&sessions)
            .map(|(n, session)| {
                let (stage, session) = (stage.clone(), session.clone());
                spawn("deleter", move || {
                    let mut mine: Vec<_> = numbered((0..100).map(|k| 4 * k + n));
                    if n % 2 == 1 {
                        mine.reverse();
                    }
                    for row in mine {
                        stage.delete(&session, &[row]).unwrap();
                    }
                })
                .unwrap()
            })
            .collect();
        for worker in workers {
            worker.join().unwrap();
        }
        for session in &sessions {
            assert_eq!(session.meter().event(Event::EnqTxAllocateItlEntry).waits, 0);
        }
        assert!(sessions.iter().map(splits).sum::<u64>() > before);
        stage.sound();
        sessions[1].rollback().unwrap();
        sessions[2].rollback().unwrap();
        commit(&sessions[0]);
        commit(&sessions[3]);
        let left = old.into_iter().filter(|(n, _)| n % 4 == 1 || n % 4 == 2).collect::<Vec<_>>();
        assert_eq!(stage.all(&sessions[0]), left);
        stage.sound();
    }
}

#[test]
fn an_index_has_no_more_slots_than_its_maxtrans() {
    let database = Database::new(BlockSize::K2, SpaceManagement::Auto, 4 * MB, true);
    let table = database.table("ROWS");
    let physical = PhysicalAttributes { maxtrans: Some(3), ..PhysicalAttributes::default() };
    let index = database.index_with(&table, "I", &["B"], true, physical).unwrap();
    let stage = Arc::new(Stage { database, table, index });
    let sessions: Vec<_> = (0..3).map(|_| stage.connect()).collect();
    // One slot is for splits.
    stage.insert(&sessions[0], &[(1, 1)]).unwrap();
    stage.insert(&sessions[1], &[(2, 2)]).unwrap();
    let waiter = stage.waiting(&sessions[2], |stage, late| stage.insert(late, &[(3, 3)]));
    commit(&sessions[0]);
    commit(&sessions[1]);
    waiter.join().unwrap().unwrap();
    assert_eq!(sessions[2].meter().event(Event::EnqTxAllocateItlEntry).waits, 1);
    commit(&sessions[2]);
    assert_eq!(stage.all(&sessions[0]), [(1, 1), (2, 2), (3, 3)]);
}

#[test]
fn a_leaf_has_slots_for_as_many_transactions_as_it_may() {
    let stage = Arc::new(Stage::new(false));
    let sessions: Vec<_> = (0..16).map(|_| stage.connect()).collect();
    // Leaves are full when slots are wanted: the inserting sessions split them.
    for round in 0..30 {
        for (n, session) in (0..).zip(&sessions) {
            stage.insert(session, &[(round * 100 + n, n)]).unwrap();
        }
    }
    assert!(statistics(&sessions[0], &stage.index).unwrap().leaf_blocks > 10);
    // The first slot is for splits; a leaf of 2 KB has 17 at most, so that the longest key fits beside them.
    let late = stage.connect();
    let waiter = stage.waiting(&late, |stage, late| stage.insert(late, &[(50, 50)]));
    let holder = stage.database.instance.locks().waiters()[0].holder;
    let gone = sessions.iter().position(|session| session.sid() == holder).unwrap() as u32;
    sessions[gone as usize].rollback().unwrap();
    waiter.join().unwrap().unwrap();
    commit(&late);
    assert_eq!(late.meter().event(Event::EnqTxAllocateItlEntry).waits, 1);
    for session in &sessions {
        commit(session);
    }
    let all = stage.all(&late);
    assert_eq!(all.len(), 15 * 30 + 1);
    assert!(all.contains(&(50, 50)) && !all.contains(&(gone, gone)));
    stage.sound();
}

#[test]
fn uncommitted_changes_are_gone_after_a_crash_and_after_a_close() {
    for unique in [false, true] {
        for crash in [true, false] {
            let stage = Stage::new(unique);
            let (a, b) = (stage.connect(), stage.connect());
            let old = numbered((0..200).map(|n| n * 10));
            stage.insert(&a, &old).unwrap();
            commit(&a);
            stage.delete(&a, &old[20..120]).unwrap();
            stage.insert(&a, &old[30..40]).unwrap();
            stage.insert(&a, &numbered((0..900).map(|n| n * 2 + 1))).unwrap();
            let mark = a.mark();
            stage.insert(&a, &old[40..50]).unwrap();
            stage.delete(&a, &old[150..160]).unwrap();
            a.rollback_to_mark(mark).unwrap();
            // Its commit makes all redo before it durable.
            stage.insert(&b, &numbered([5000, 5002])).unwrap();
            commit(&b);
            if crash {
                stage.database.stop();
            }
            drop((a, b));
            let mut stage = stage.after(|database| if crash { database.crash() } else { database.reopen() });
            let expected = [&old[..], &numbered([5000, 5002])].concat();
            for _ in 0..2 {
                let s = stage.connect();
                // At any stage of the background rollback.
                assert_eq!(stage.all(&s), expected);
                // Held by the dead transaction or free by now.
                stage.delete(&s, &old[60..70]).unwrap();
                stage.insert(&s, &old[60..70]).unwrap();
                s.rollback().unwrap();
                stage.delete(&s, &old[60..70]).unwrap();
                stage.database.stop();
                drop(s);
                stage = stage.after(Database::crash);
            }
            assert_eq!(stage.all(&stage.connect()), expected);
            stage.sound();
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// Neighbouring keys from here, this far apart.
    Insert(u32, u32, u32),
    Delete(u32, u32, u32),
    /// Changes of keys of rows, as UPDATE makes them.
    Move(u32, u32),
    Mark,
    Back,
    Commit,
    Rollback,
    Look,
    /// Begins a scan and reads a part of it; the rest is read later.
    Hold(bool, usize),
    Release,
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let step = prop_oneof![
        6 => (0u32..2000, 1u32..60, 1u32..8).prop_map(|(a, b, c)| Step::Insert(a, b, c)),
        4 => (0u32..2000, 1u32..60, 1u32..8).prop_map(|(a, b, c)| Step::Delete(a, b, c)),
        2 => (0u32..2000, 1u32..20).prop_map(|(a, b)| Step::Move(a, b)),
        2 => Just(Step::Mark),
        2 => Just(Step::Back),
        2 => Just(Step::Commit),
        2 => Just(Step::Rollback),
        1 => Just(Step::Look),
        2 => (any::<bool>(), 0usize..80).prop_map(|(a, b)| Step::Hold(a, b)),
        2 => Just(Step::Release),
    ];
    prop::collection::vec((0usize..3, step), 20..120)
}

/// Changed rows, and whether each exists now.
type Changes = BTreeMap<(u32, u32), bool>;

struct Held {
    session: usize,
    scan: IndexScan,
    found: Vec<(u32, u32)>,
    expected: Vec<(u32, u32)>,
    /// It saw its own transaction's changes, which must not be undone before it is read.
    own: bool,
}

struct World {
    stage: Stage,
    unique: bool,
    sessions: Vec<Arc<Session>>,
    committed: Rows,
    changes: Vec<Changes>,
    marks: Vec<Option<(Mark, Changes)>>,
    held: Vec<Held>,
    rows: u32,
}

impl World {
    fn new(unique: bool) -> Self {
        let stage = Stage::new(unique);
        let sessions = (0..3).map(|_| stage.connect()).collect();
        Self {
            stage,
            unique,
            sessions,
            committed: Rows::new(),
            changes: vec![Changes::new(); 3],
            marks: vec![None, None, None],
            held: Vec::new(),
            rows: 0,
        }
    }

    fn view(&self, session: usize) -> Vec<(u32, u32)> {
        let mut view = self.committed.clone();
        for (row, there) in &self.changes[session] {
            if *there {
                view.insert(*row, ());
            } else {
                view.remove(row);
            }
        }
        view.into_keys().collect()
    }

    /// True: another session has changed the key, or the row's entry.
    fn is_locked(&self, session: usize, row: (u32, u32)) -> bool {
        let others = self.changes.iter().enumerate().filter(|(other, _)| *other != session);
        others.into_iter().any(|(_, changes)| {
            if self.unique { changes.keys().any(|(n, _)| *n == row.0) } else { changes.contains_key(&row) }
        })
    }

    fn insert(&mut self, session: usize, rows: &[(u32, u32)]) {
        let view = self.view(session);
        let rows: Vec<_> = rows.iter().copied().filter(|row| !self.is_locked(session, *row)).collect();
        let clash = self.unique && rows.iter().any(|(n, _)| view.iter().any(|(there, _)| there == n));
        let mark = self.sessions[session].mark();
        match self.stage.insert(&self.sessions[session], &rows) {
            Ok(()) => {
                assert!(!clash);
                self.changes[session].extend(rows.into_iter().map(|row| (row, true)));
            }
            Err(error) => {
                assert!(clash && is_duplicate(&error), "{error}");
                self.sessions[session].rollback_to_mark(mark).unwrap();
            }
        }
    }

    fn delete(&mut self, session: usize, rows: &[(u32, u32)]) {
        self.stage.delete(&self.sessions[session], rows).unwrap();
        self.changes[session].extend(rows.iter().map(|row| (*row, false)));
    }

    fn there(&self, session: usize, keys: &[u32]) -> Vec<(u32, u32)> {
        let view = self.view(session).into_iter();
        view.filter(|row| keys.contains(&row.0) && !self.is_locked(session, *row)).collect()
    }

    fn forget(&mut self, session: usize) {
        self.held.retain(|held| held.session != session || !held.own);
    }

    fn release(&mut self, mut held: Held) {
        held.found.extend(self.stage.rest(&mut held.scan));
        assert_eq!(held.found, held.expected);
    }

    fn step(&mut self, session: usize, step: &Step) {
        let run = |first: u32, count: u32, apart: u32| (0..count).map(|n| first + n * apart).collect::<Vec<_>>();
        match *step {
            Step::Insert(first, count, apart) => {
                let keys = run(first, count, apart);
                let view = self.view(session);
                // Mostly new keys; a key that is there makes the statement fail.
                let is_new = |n: &u32| first % 11 == 0 || !view.iter().any(|(there, _)| there == n);
                let keys: Vec<_> = keys.into_iter().filter(|n| !self.unique || is_new(n)).collect();
                self.rows += 1;
                let rows: Vec<_> = keys.into_iter().map(|n| (n, self.rows)).collect();
                self.insert(session, &rows);
            }
            Step::Delete(first, count, apart) => {
                let rows = self.there(session, &run(first, count, apart));
                self.delete(session, &rows);
            }
            Step::Move(first, count) => {
                let rows = self.there(session, &run(first, count, 1));
                let moved: Vec<_> = rows.iter().map(|(n, row)| (n + 1, *row)).collect();
                let mark = self.sessions[session].mark();
                let before = self.changes[session].clone();
                self.delete(session, &rows);
                let view = self.view(session);
                let fits = moved.iter().all(|row| {
                    !self.is_locked(session, *row)
                        && !view.iter().any(|there| if self.unique { there.0 == row.0 } else { there == row })
                });
                if fits {
                    self.insert(session, &moved);
                } else {
                    self.sessions[session].rollback_to_mark(mark).unwrap();
                    self.changes[session] = before;
                }
            }
            Step::Mark => self.marks[session] = Some((self.sessions[session].mark(), self.changes[session].clone())),
            Step::Back => {
                if let Some((mark, changes)) = self.marks[session].clone() {
                    self.forget(session);
                    self.sessions[session].rollback_to_mark(mark).unwrap();
                    self.changes[session] = changes;
                }
            }
            Step::Commit => {
                commit(&self.sessions[session]);
                for (row, there) in std::mem::take(&mut self.changes[session]) {
                    if there {
                        self.committed.insert(row, ());
                    } else {
                        self.committed.remove(&row);
                    }
                }
                self.marks[session] = None;
            }
            Step::Rollback => {
                self.forget(session);
                self.sessions[session].rollback().unwrap();
                self.changes[session].clear();
                self.marks[session] = None;
            }
            Step::Look => assert_eq!(self.stage.all(&self.sessions[session]), self.view(session)),
            Step::Hold(descending, ahead) => {
                let mut scan = self.stage.scan(&self.sessions[session], descending);
                let mut expected = self.view(session);
                if descending {
                    expected.reverse();
                }
                let found = (0..ahead).map_while(|_| self.stage.next(&mut scan)).collect();
                let own = !self.changes[session].is_empty();
                self.held.push(Held { session, scan, found, expected, own });
            }
            Step::Release => {
                if !self.held.is_empty() {
                    let held = self.held.remove(0);
                    self.release(held);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sessions_see_their_own_and_what_was_committed(unique: bool, steps in steps()) {
        let mut world = World::new(unique);
        for (session, step) in &steps {
            world.step(*session, step);
        }
        while let Some(held) = world.held.pop() {
            world.release(held);
        }
        for session in 0..3 {
            prop_assert_eq!(world.stage.all(&world.sessions[session]), world.view(session));
        }
        world.stage.sound();
        // Two transactions stay open: a crash or a close rolls them back.
        world.insert(0, &[(9999, 0)]);
        world.step(0, &Step::Commit);
        let committed: Vec<_> = world.committed.keys().copied().collect();
        let World { stage, sessions, .. } = world;
        let crash = steps.len() % 2 == 0;
        if crash {
            stage.database.stop();
        }
        drop(sessions);
        let stage = stage.after(|database| if crash { database.crash() } else { database.reopen() });
        prop_assert_eq!(stage.all(&stage.connect()), committed);
        stage.sound();
    }
}
