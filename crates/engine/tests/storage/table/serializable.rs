//! A serializable transaction and rows that others have deleted since it began.

use common::sync::Arc;
use common::{BlockSize, Result, Rowid};

use super::fixture::{Columns, Database, MANAGEMENTS, borrow};
use engine::dictionary::TableDef;
use engine::instance::Session;
use storage::table::{delete, lock_row, update};
use storage::txn::{CommitWrite, Isolation, LockWait};

const WAYS: usize = 3;

fn row(n: u8) -> Columns {
    vec![Some(vec![n]), Some(vec![n; 20])]
}

fn commit(session: &Arc<Session>) {
    session.commit(CommitWrite::default()).unwrap();
}

/// UPDATE, DELETE or SELECT FOR UPDATE of one row: whether there was one.
fn take(way: usize, session: &Arc<Session>, table: &Arc<TableDef>, rowid: Rowid) -> Result<bool> {
    match way {
        0 => update(session, table, rowid, &borrow(&row(99))),
        1 => delete(session, table, rowid),
        _ => lock_row(session, table, rowid, &session.snapshot(), LockWait::Forever),
    }
}

fn refused(result: Result<bool>) {
    let error = result.unwrap_err();
    assert!(error.is_ora(8177), "{error}");
}

fn table(database: &Database) -> (Arc<TableDef>, Vec<Rowid>) {
    let table = database.table("T", 2, 10);
    database.insert(&table, &(0..40).map(row).collect::<Vec<_>>());
    commit(&database.session);
    let rowids = database.scan(&table).into_keys().collect();
    (table, rowids)
}

fn serializable(database: &Database) -> Arc<Session> {
    let session = database.connect();
    session.set_transaction(Isolation::Serializable).unwrap();
    session
}

#[test]
fn a_row_that_another_has_deleted_since_cannot_be_taken() {
    for management in MANAGEMENTS {
        for way in 0..WAYS {
            // Three cases: the block as the deleting transaction left it; cleaned out by another session; the room
            // reused by yet others.
            for later in 0..3 {
                let database = Database::new(BlockSize::K2, management);
                let (table, rowids) = table(&database);
                let late = serializable(&database);
                assert!(delete(&database.session, &table, rowids[3]).unwrap());
                commit(&database.session);
                for n in 0..later {
                    for rowid in &rowids[10..20] {
                        assert!(update(&database.session, &table, *rowid, &borrow(&row(50 + n))).unwrap());
                        commit(&database.session);
                    }
                    database.insert(&table, &(0..40).map(row).collect::<Vec<_>>());
                    commit(&database.session);
                }
                refused(take(way, &late, &table, rowids[3]));
                late.rollback().unwrap();
                // At present the row does not exist, or is another one, which may be changed.
                late.set_transaction(Isolation::Serializable).unwrap();
                let there = database.fetch(&table, rowids[3]).is_some();
                assert_eq!(take(way, &late, &table, rowids[3]).unwrap(), there);
                late.rollback().unwrap();
                database.sound();
            }
        }
    }
}

#[test]
fn a_row_that_another_deletes_while_it_is_waited_for_cannot_be_taken() {
    for way in 0..WAYS {
        let database = Database::new(BlockSize::K8, MANAGEMENTS[0]);
        let (table, rowids) = table(&database);
        let late = serializable(&database);
        assert!(delete(&database.session, &table, rowids[3]).unwrap());
        let (own, of, rowid) = (late.clone(), table.clone(), rowids[3]);
        let waiter = common::sync::spawn("waiter", move || take(way, &own, &of, rowid)).unwrap();
        while database.instance.locks().waiters().is_empty() {
            assert!(!waiter.is_finished(), "it did not wait");
            std::thread::yield_now();
        }
        commit(&database.session);
        refused(waiter.join().unwrap());
        late.rollback().unwrap();
    }
}

#[test]
fn rows_that_the_transaction_does_not_see_are_passed_over() {
    for way in 0..WAYS {
        let database = Database::new(BlockSize::K8, MANAGEMENTS[1]);
        let (table, rowids) = table(&database);
        // Deleted before it began.
        assert!(delete(&database.session, &table, rowids[1]).unwrap());
        commit(&database.session);
        let late = serializable(&database);
        assert!(!take(way, &late, &table, rowids[1]).unwrap());
        // Deleted by itself, with others at work in the block before and after.
        assert!(update(&database.session, &table, rowids[8], &borrow(&row(51))).unwrap());
        commit(&database.session);
        late.rollback().unwrap();
        late.set_transaction(Isolation::Serializable).unwrap();
        assert!(delete(&late, &table, rowids[2]).unwrap());
        assert!(update(&database.session, &table, rowids[9], &borrow(&row(52))).unwrap());
        commit(&database.session);
        assert!(!take(way, &late, &table, rowids[2]).unwrap());
        // Come and gone since it began.
        let before: Vec<Rowid> = database.scan(&table).into_keys().collect();
        database.insert(&table, &[row(60)]);
        commit(&database.session);
        let come = database.scan(&table).into_keys().find(|rowid| !before.contains(rowid)).unwrap();
        assert!(delete(&database.session, &table, come).unwrap());
        commit(&database.session);
        assert!(!take(way, &late, &table, come).unwrap());
        // Deleted, and brought back by a rollback.
        assert!(delete(&database.session, &table, rowids[30]).unwrap());
        database.session.rollback().unwrap();
        late.rollback().unwrap();
        database.sound();
    }
}

/// A statement of a read committed transaction skips deleted rows, as ever.
#[test]
fn read_committed_passes_over_rows_that_are_gone() {
    for way in 0..WAYS {
        let database = Database::new(BlockSize::K8, MANAGEMENTS[1]);
        let (table, rowids) = table(&database);
        let late = database.connect();
        let _statement = late.enter(late.begin_snapshot());
        assert!(delete(&database.session, &table, rowids[3]).unwrap());
        commit(&database.session);
        assert!(!take(way, &late, &table, rowids[3]).unwrap());
        late.rollback().unwrap();
    }
}
