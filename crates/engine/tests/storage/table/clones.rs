//! Consistent-read clones: the view of older snapshots when other readers have left versions of the blocks, and the
//! cost.

use std::collections::BTreeMap;

use common::sync::Arc;
use common::{BlockClass, BlockSize};
use waits::{GetMode, Statistic};

use super::fixture::{Columns, Database, MANAGEMENTS, borrow, entries_by, scan_by};
use engine::dictionary::TableDef;
use engine::instance::Session;
use storage::cache::BufferState;
use storage::snapshot::Snapshot;
use storage::table::{Deleter, Inserter, Updater};
use storage::txn::CommitWrite;

/// Key and text of each row.
type Content = BTreeMap<Vec<u8>, Vec<u8>>;

fn row(key: &str, text: &str) -> Columns {
    vec![Some(key.as_bytes().to_vec()), Some(text.as_bytes().to_vec())]
}

fn content(session: &Arc<Session>, table: &Arc<TableDef>) -> Content {
    let rows = scan_by(session, table, None, 100);
    rows.into_values().map(|row| (row[0].clone().unwrap(), row[1].clone().unwrap())).collect()
}

fn insert(session: &Arc<Session>, table: &Arc<TableDef>, rows: &[Columns]) {
    let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone()).unwrap();
    for row in rows {
        inserter.push(&borrow(row)).unwrap();
    }
    inserter.finish().unwrap();
}

/// Changes the text of every row whose key begins with `prefix`.
fn update(session: &Arc<Session>, table: &Arc<TableDef>, prefix: &str, text: &str) {
    let rows = scan_by(session, table, None, 100);
    let mut updater = Updater::new(session.worker().clone(), table.heap().clone());
    for (rowid, row) in rows.iter().filter(|(_, row)| row[0].as_ref().unwrap().starts_with(prefix.as_bytes())) {
        updater.push(*rowid, &[row[0].as_deref(), Some(text.as_bytes())]).unwrap();
    }
    updater.finish().unwrap();
}

fn commit(session: &Arc<Session>) {
    session.commit(CommitWrite::default()).unwrap();
}

fn clones(database: &Database) -> Vec<BufferState> {
    database.instance.cache().buffers().into_iter().filter(|buffer| buffer.clone).collect()
}

/// The increase of some statistics during a reader's work.
fn counted<const N: usize>(session: &Session, statistics: [Statistic; N], work: impl FnOnce()) -> [u64; N] {
    let before = statistics.map(|statistic| session.meter().value(statistic));
    work();
    let after = statistics.map(|statistic| session.meter().value(statistic));
    std::array::from_fn(|n| after[n] - before[n])
}

const WORK: [Statistic; 5] = [
    Statistic::CrBlocksCreated,
    Statistic::ConsistentChanges,
    Statistic::DataBlocksConsistentReadsUndoRecordsApplied,
    Statistic::RollbacksOnlyConsistentReadGets,
    Statistic::NoWorkConsistentReadGets,
];

#[test]
fn the_second_reader_of_a_snapshot_applies_no_undo() {
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K8, management);
        let (table, other) = (database.table("T1", 2, 10), database.table("T2", 2, 10));
        let rows: Vec<_> = (0..300).map(|n| row(&format!("{n:04}"), "as it was")).collect();
        database.insert(&table, &rows);
        commit(&database.session);
        let expected = content(&database.session, &table);
        update(&database.session, &table, "", "changed, in a text that is longer");

        let [first, second, later] = std::array::from_fn(|_| database.connect());
        let snapshot = first.begin_snapshot();
        let read = |session: &Arc<Session>| {
            let _entered = session.enter(snapshot.clone());
            assert_eq!(content(session, &table), expected, "{management:?}");
        };
        let [created, changes, applied, rollbacks, no_work] = counted(&first, WORK, || read(&first));
        assert!(created > 1 && changes >= 300, "{created} clones, {changes} changes");
        assert_eq!((applied, rollbacks), (changes, created));
        assert_eq!(clones(&database).len() as u64, created, "one buffer a block that was changed");

        let gets = || second.meter().gets(BlockClass::Data, GetMode::Consistent);
        let undo_gets = || second.meter().gets(BlockClass::UndoBlock, GetMode::Consistent);
        let before = (gets(), undo_gets());
        let work = counted(&second, WORK, || read(&second));
        assert_eq!(work[..4], [0; 4]);
        assert_eq!(work[4], created + no_work);
        assert_eq!(gets() - before.0, work[4], "a clone is found by the get of its block");
        assert_eq!(undo_gets(), before.1);

        // One that began later, between this snapshot and the next commit of the rows, sees the same.
        insert(&later, &other, &[row("x", "y")]);
        commit(&later);
        let work = counted(&later, WORK, || assert_eq!(content(&later, &table), expected));
        assert_eq!(work[0], created, "what was not committed when a clone was made may have been since");
        let work = counted(&second, WORK, || assert_eq!(content(&second, &table), expected));
        assert_eq!(work[..4], [0; 4]);

        // The session that made the changes sees them; the clones are not its own.
        assert!(content(&database.session, &table).values().all(|text| text.starts_with(b"changed")));
        commit(&database.session);
        assert!(content(&second, &table).values().all(|text| text.starts_with(b"changed")));
        read(&first);
    }
}

/// The cursor was opened in the transaction and is read after its commit: it shows its own changes, which the others'
/// clones do not.
#[test]
fn a_cursor_sees_its_own_transaction_after_the_commit_beside_clones_that_do_not() {
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K8, management);
        let table = database.table("T1", 2, 10);
        database.insert(&table, &[row("a", "0"), row("b", "0")]);
        commit(&database.session);
        let [reader, writer, third] = std::array::from_fn(|_| database.connect());
        update(&writer, &table, "a", "mine");
        let (old, own) = (reader.begin_snapshot(), writer.begin_snapshot());
        commit(&writer);
        update(&third, &table, "b", "later");
        commit(&third);
        let read = |session: &Arc<Session>, snapshot: &Arc<Snapshot>| {
            let _entered = session.enter(snapshot.clone());
            content(session, &table).into_values().map(|text| String::from_utf8(text).unwrap()).collect::<Vec<_>>()
        };
        for _ in 0..2 {
            assert_eq!(read(&reader, &old), ["0", "0"], "{management:?}");
            assert_eq!(read(&writer, &own), ["mine", "0"], "{management:?}");
        }
    }
}

#[test]
fn a_block_has_six_clones_at_most_and_each_snapshot_its_own_version() {
    let database = Database::new(BlockSize::K8, MANAGEMENTS[1]);
    let table = database.table("T1", 2, 10);
    database.insert(&table, &[row("a", "0"), row("b", "0")]);
    commit(&database.session);
    let reader = database.connect();
    let mut snapshots: Vec<(Arc<Snapshot>, String)> = Vec::new();
    for round in 0..10 {
        snapshots.push((reader.begin_snapshot(), round.to_string()));
        update(&database.session, &table, "", &(round + 1).to_string());
        commit(&database.session);
    }
    for _ in 0..2 {
        for (snapshot, text) in &snapshots {
            let _entered = reader.enter(snapshot.clone());
            let seen = content(&reader, &table);
            assert!(seen.len() == 2 && seen.values().all(|found| found == text.as_bytes()), "{text}: {seen:?}");
        }
        assert_eq!(clones(&database).len(), 6);
    }
    // The last six are there: they are read again without undo.
    let [created] = counted(&reader, [Statistic::CrBlocksCreated], || {
        for (snapshot, _) in &snapshots[4..] {
            let _entered = reader.enter(snapshot.clone());
            content(&reader, &table);
        }
    });
    assert_eq!(created, 0);
}

#[test]
fn clones_go_with_their_block() {
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K8, management);
        let table = database.table("T1", 2, 10);
        let rows: Vec<_> = (0..50).map(|n| row(&format!("{n:04}"), "as it was")).collect();
        database.insert(&table, &rows);
        commit(&database.session);
        let expected = content(&database.session, &table);
        let reader = database.connect();
        let snapshot = reader.begin_snapshot();
        let read = || {
            let _entered = reader.enter(snapshot.clone());
            assert_eq!(content(&reader, &table), expected);
        };
        update(&database.session, &table, "", "changed");
        commit(&database.session);
        read();
        assert!(!clones(&database).is_empty());
        // A clone is never written, and holds up no flush.
        database.instance.cache().flush(database.session.meter()).unwrap();
        assert!(clones(&database).is_empty());
        read();
        let at: Vec<_> = clones(&database).iter().map(|clone| clone.address).collect();
        assert!(!at.is_empty());
        database.session.truncate_table(&table.owner, &table.name).unwrap();
        assert!(clones(&database).iter().all(|clone| !at.contains(&clone.address)), "{management:?}");
        let table = database.session.catalog().table(&table.owner, &table.name).unwrap().clone();
        insert(&database.session, &table, &[row("new", "row")]);
        commit(&database.session);
        assert_eq!(content(&reader, &table).len(), 1);
    }
}

/// A clone of a leaf from before a split stands for keys that are in two leaves by now.
#[test]
fn clones_of_a_leaf_do_not_outlive_its_split() {
    let database = Database::new(BlockSize::K2, MANAGEMENTS[1]);
    let table = database.table("T1", 2, 10);
    let table = database.index(&table, "T1_I", &[0], false);
    let rows: Vec<_> = (0..60).map(|n| row(&format!("{n:04}"), "as it was")).collect();
    database.insert(&table, &rows);
    commit(&database.session);
    let keys: Vec<_> = rows.iter().map(|row| row[0].clone()).collect();
    let reader = database.connect();
    let snapshot = reader.begin_snapshot();
    let read = |descending: bool| {
        let _entered = reader.enter(snapshot.clone());
        let mut found: Vec<_> =
            entries_by(&reader, &table, 0, descending).into_iter().map(|(key, _)| key[0].clone()).collect();
        if descending {
            found.reverse();
        }
        assert_eq!(found, keys, "descending: {descending}");
    };
    insert(&database.session, &table, &[row("0000a", "new"), row("0030a", "new"), row("0059a", "new")]);
    read(false);
    assert!(!clones(&database).is_empty());
    for round in 0..8 {
        let more: Vec<_> = (0..60).map(|n| row(&format!("{n:04}{round}"), "new")).collect();
        insert(&database.session, &table, &more);
        read(round % 2 == 0);
        read(round % 2 == 1);
    }
    commit(&database.session);
    read(true);
    read(false);
}

/// Random numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

/// A session with a transaction of its own: what it has changed, None for rows that it has deleted.
struct Writer {
    session: Arc<Session>,
    pending: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    next: u32,
}

impl Writer {
    fn sees(&self, committed: &Content) -> Content {
        let mut seen = committed.clone();
        for (key, text) in &self.pending {
            match text {
                Some(text) => seen.insert(key.clone(), text.clone()),
                None => seen.remove(key),
            };
        }
        seen
    }

    fn change(&mut self, number: usize, table: &Arc<TableDef>, dice: &mut Dice) {
        let text = vec![b'a' + dice.below(26) as u8; [3, 20, 60, 400][dice.below(4)]];
        if dice.below(3) == 0 {
            let rows: Vec<Columns> = (0..1 + dice.below(5))
                .map(|_| {
                    self.next += 1;
                    vec![Some(format!("{number}-{:05}", self.next).into_bytes()), Some(text.clone())]
                })
                .collect();
            insert(&self.session, table, &rows);
            self.pending.extend(rows.into_iter().map(|row| (row[0].clone().unwrap(), row[1].clone())));
            return;
        }
        let prefix = format!("{number}-");
        let own: Vec<_> = scan_by(&self.session, table, None, 50)
            .into_iter()
            .filter(|(_, row)| row[0].as_ref().unwrap().starts_with(prefix.as_bytes()))
            .collect();
        if own.is_empty() {
            return;
        }
        let (rowid, row) = &own[dice.below(own.len())];
        let key = row[0].clone().unwrap();
        if dice.below(4) == 0 {
            let mut deleter = Deleter::new(self.session.worker().clone(), table.heap().clone());
            deleter.push(*rowid).unwrap();
            assert_eq!(deleter.finish().unwrap(), 1);
            self.pending.insert(key, None);
        } else {
            let mut updater = Updater::new(self.session.worker().clone(), table.heap().clone());
            updater.push(*rowid, &[Some(&key), Some(&text)]).unwrap();
            assert_eq!(updater.finish().unwrap(), 1);
            self.pending.insert(key, Some(text));
        }
    }
}

/// Sessions change rows of the same blocks, commit and roll back; readers of snapshots of any age see the rows
/// committed by then, and their own transaction's changes up to then.
#[test]
fn readers_of_any_age_see_what_was_there() {
    let mut reused = 0;
    for seed in 0..24 {
        let database = Database::new(BlockSize::K8, MANAGEMENTS[seed % 2]);
        let table = database.table("T1", 2, 20);
        let mut dice = Dice(seed as u64);
        let mut writers: Vec<_> =
            (0..3).map(|_| Writer { session: database.connect(), pending: BTreeMap::new(), next: 0 }).collect();
        let readers = [database.connect(), database.connect()];
        let mut committed = Content::new();
        let mut snapshots: Vec<(Arc<Snapshot>, Content)> = Vec::new();
        for step in 0..160 {
            let number = dice.below(writers.len());
            match dice.below(20) {
                0..8 => writers[number].change(number, &table, &mut dice),
                8..10 => {
                    let writer = &mut writers[number];
                    commit(&writer.session);
                    committed = writer.sees(&committed);
                    writer.pending.clear();
                }
                10 => {
                    writers[number].session.rollback().unwrap();
                    writers[number].pending.clear();
                }
                11..13 => snapshots.push((readers[0].begin_snapshot(), committed.clone())),
                13 if snapshots.len() > 3 => drop(snapshots.swap_remove(dice.below(snapshots.len()))),
                14 => {
                    // The statement's view of an open transaction excludes later changes.
                    let snapshot = writers[number].session.begin_snapshot();
                    let expected = writers[number].sees(&committed);
                    writers[number].change(number, &table, &mut dice);
                    let session = writers[number].session.clone();
                    let _entered = session.enter(snapshot);
                    assert_eq!(content(&session, &table), expected, "seed {seed}, step {step}: own");
                }
                15 if dice.below(4) == 0 => database.instance.cache().flush(readers[0].meter()).unwrap(),
                _ if !snapshots.is_empty() => {
                    let (snapshot, expected) = &snapshots[dice.below(snapshots.len())];
                    let reader = &readers[dice.below(2)];
                    let before = clones(&database).len();
                    let [created, no_work] =
                        counted(reader, [Statistic::CrBlocksCreated, Statistic::NoWorkConsistentReadGets], || {
                            let _entered = reader.enter(snapshot.clone());
                            assert_eq!(&content(reader, &table), expected, "seed {seed}, step {step}");
                        });
                    reused += usize::from(before > 0 && created == 0 && no_work > 0);
                }
                _ => {}
            }
        }
        let most = clones(&database).iter().fold(BTreeMap::new(), |mut most, clone| {
            *most.entry(clone.address).or_insert(0) += 1;
            most
        });
        assert!(most.values().all(|count| *count <= 6), "{most:?}");
        for writer in &writers {
            writer.session.rollback().unwrap();
        }
    }
    assert!(reused > 100, "{reused} scans met nothing but clones and blocks as they are to be seen");
}
