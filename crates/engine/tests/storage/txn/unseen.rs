//! Room that later commits have freed in a block, and readers that see the block as it was before them.

use std::ops::ControlFlow;

use common::sync::Arc;
use common::{BlockSize, Rowid};

use super::{Database, Row, Rows, database};
use engine::instance::Session;
use storage::table::{Deleter, Inserter, update};
use storage::txn::{CommitWrite, ENDED, Isolation};

const LONG: usize = 700;

fn row(key: u32, bytes: usize) -> Row {
    vec![key.to_be_bytes().to_vec(), key.to_string().into_bytes(), vec![b'x'; bytes]]
}

/// Blocks full of rows, and the rows of every second block.
fn full_blocks() -> (Database, Vec<Rowid>) {
    let database = database(BlockSize::K8);
    database.insert(&(0..200).map(|key| row(key, LONG)).collect::<Vec<_>>(), 200);
    database.session.commit(CommitWrite::default()).unwrap();
    let chosen = database.rows().into_keys().filter(|rowid| rowid.block.block.is_multiple_of(2)).collect();
    (database, chosen)
}

fn rows(database: &Database, session: &Arc<Session>) -> Rows {
    Database { files: database.files.clone(), instance: database.instance.clone(), session: session.clone() }.rows()
}

fn delete(session: &Arc<Session>, database: &Database, rowids: &[Rowid]) {
    let mut deleter = Deleter::new(session.worker().clone(), database.table().heap().clone());
    rowids.iter().for_each(|rowid| deleter.push(*rowid).unwrap());
    assert_eq!(deleter.finish().unwrap(), rowids.len() as u64);
}

fn insert(session: &Arc<Session>, database: &Database, keys: std::ops::Range<u32>) {
    for key in keys {
        let mut inserter = Inserter::new(session.worker().clone(), database.table().heap().clone()).unwrap();
        inserter.push(&row(key, LONG).iter().map(|column| Some(column.as_slice())).collect::<Vec<_>>()).unwrap();
        inserter.finish().unwrap();
    }
}

/// Makes each row of the blocks longer in turn.
fn grow(
    session: &Arc<Session>,
    database: &Database,
    rows: &Rows,
    mut stop: impl FnMut(common::Error) -> ControlFlow<()>,
) {
    for (rowid, row) in rows {
        let long = vec![b'y'; row[2].len() + 500];
        if let Err(error) = update(session, &database.table(), *rowid, &[Some(&row[0]), Some(&row[1]), Some(&long)])
            && stop(error).is_break()
        {
            return;
        }
    }
}

/// Other sessions may learn of a commit between its entry in the undo segment's header and the moment from which new
/// snapshots see it.
#[test]
fn space_freed_by_a_commit_is_not_used_before_snapshots_see_it() {
    for grows in [false, true] {
        let (database, chosen) = full_blocks();
        let committer = database.instance.connect(super::OWNER).unwrap();
        // Every second row of the blocks.
        let gone: Vec<Rowid> = chosen.iter().copied().step_by(2).collect();
        delete(&committer, &database, &gone);
        let before = database.rows();
        let expected = before.len() + if grows { 0 } else { 100 };
        let database = Arc::new(database);
        let (other, deleted) = (database.clone(), gone.clone());
        ENDED.set(Some(Box::new(move || {
            let session = &other.session;
            if grows {
                let is_left = |(rowid, _): &(&Rowid, &Vec<Vec<u8>>)| !deleted.contains(rowid);
                let left: Rows = before.iter().filter(is_left).map(|(a, b)| (*a, b.clone())).collect();
                grow(session, &other, &left, |error| panic!("{error}"));
            } else {
                insert(session, &other, 1000..1100);
            }
            assert_eq!(other.rows().len(), expected, "the deleted rows are still seen");
        })));
        committer.commit(CommitWrite::default()).unwrap();
        assert!(ENDED.take().is_none(), "the commit has passed there");
        assert_eq!(database.rows().len(), expected - gone.len());
    }
}

/// A serializable transaction still sees rows that others have deleted since it began, in blocks that it has changed
/// itself.
#[test]
fn a_serializable_transaction_sees_what_was_deleted_since() {
    for grows in [false, true] {
        let (database, chosen) = full_blocks();
        let late = database.instance.connect(super::OWNER).unwrap();
        late.set_transaction(Isolation::Serializable).unwrap();
        let before = rows(&database, &late);
        let gone: Vec<Rowid> = chosen.iter().copied().step_by(2).collect();
        delete(&database.session, &database, &gone);
        database.session.commit(CommitWrite::default()).unwrap();
        assert_eq!(rows(&database, &late), before);

        let mut expected = before.len();
        if grows {
            let left: Rows =
                before.iter().filter(|(rowid, _)| !gone.contains(rowid)).map(|(a, b)| (*a, b.clone())).collect();
            grow(&late, &database, &left, |error| {
                assert!(error.is_ora(8177), "{error}");
                ControlFlow::Continue(())
            });
        } else {
            insert(&late, &database, 1000..1100);
            expected += 100;
        }
        let seen = rows(&database, &late);
        assert_eq!(seen.len(), expected);
        assert!(gone.iter().all(|rowid| seen.get(rowid) == before.get(rowid)), "deleted since");
        late.commit(CommitWrite::default()).unwrap();
        assert_eq!(rows(&database, &late).len(), expected - gone.len());
    }
}

/// Its inserts into blocks that others change do not hide the ITL entries of the others' changes.
#[test]
fn a_serializable_transaction_keeps_the_slots_of_later_commits() {
    let database = database(BlockSize::K8);
    database.insert(&(0..8).map(|key| row(key, 100)).collect::<Vec<_>>(), 8);
    database.session.commit(CommitWrite::default()).unwrap();
    let late = database.instance.connect(super::OWNER).unwrap();
    late.set_transaction(Isolation::Serializable).unwrap();
    let before = rows(&database, &late);
    for (rowid, row) in &before {
        assert!(
            update(&database.session, &database.table(), *rowid, &[Some(&row[0]), Some(b"new"), Some(&row[2])])
                .unwrap()
        );
        database.session.commit(CommitWrite::default()).unwrap();
        assert_eq!(rows(&database, &late), before);
    }
    insert(&late, &database, 1000..1020);
    let seen = rows(&database, &late);
    assert_eq!(seen.len(), 28);
    assert!(before.iter().all(|(rowid, row)| seen.get(rowid) == Some(row)));
    late.commit(CommitWrite::default()).unwrap();
}
