//! ITL slots up to MAXTRANS, and deadlock graphs.

use common::sync::{Arc, JoinHandle, spawn};
use common::{BlockSize, ErrorKind, Result, Rowid};
use waits::{Event, Statistic};

use super::fixture::{Columns, Database, MANAGEMENTS, borrow};
use engine::ddl::PhysicalAttributes;
use engine::dictionary::TableDef;
use engine::instance::Session;
use storage::control::SpaceManagement;
use storage::segment::Storage;
use storage::table::{delete, update};
use storage::txn::{CommitWrite, Waited};

fn row(n: u8) -> Columns {
    vec![Some(vec![n]), Some(vec![n; 20])]
}

/// Starts work that has to wait, and returns once it does.
fn waiting(
    database: &Database,
    session: &Arc<Session>,
    work: impl FnOnce(&Arc<Session>) -> Result<bool> + Send + 'static,
) -> JoinHandle<Result<bool>> {
    let locks = database.instance.locks();
    let (session, before) = (session.clone(), locks.waiters().len());
    let thread = spawn("waiter", move || work(&session)).unwrap();
    while locks.waiters().len() == before {
        assert!(!thread.is_finished(), "it did not wait");
        std::thread::yield_now();
    }
    thread
}

fn commit(session: &Arc<Session>) {
    session.commit(CommitWrite::default()).unwrap();
}

fn table(database: &Database, maxtrans: u64) -> (Arc<TableDef>, Vec<Rowid>) {
    let physical = PhysicalAttributes { maxtrans: Some(maxtrans), ..PhysicalAttributes::default() };
    let table = database.table_with("T", 2, physical, Storage::default());
    database.insert(&table, &(0..8).map(row).collect::<Vec<_>>());
    commit(&database.session);
    let rowids: Vec<Rowid> = database.scan(&table).into_keys().collect();
    assert!(rowids.iter().all(|rowid| rowid.block == rowids[0].block));
    (table, rowids)
}

#[test]
fn a_block_has_itl_slots_for_as_many_transactions_as_maxtrans_says() {
    for management in MANAGEMENTS {
        for maxtrans in [1, 2, 4] {
            let database = Database::new(BlockSize::K2, management);
            let (table, rowids) = table(&database, maxtrans);
            let sessions: Vec<_> = (0..=maxtrans).map(|_| database.connect()).collect();
            let (late, holders) = sessions.split_last().unwrap();
            for (session, rowid) in holders.iter().zip(&rowids) {
                assert!(delete(session, &table, *rowid).unwrap());
            }
            let (rowid, of) = (rowids[7], table.clone());
            let thread = waiting(&database, late, move |late| delete(late, &of, rowid));
            for holder in holders {
                commit(holder);
            }
            assert!(thread.join().unwrap().unwrap());
            assert_eq!(late.meter().event(Event::EnqTxAllocateItlEntry).waits, 1);
            assert_eq!(late.meter().event(Event::EnqTxRowLockContention).waits, 0);
            commit(late);
            let (_, bytes) = database.blocks(&table).into_iter().find(|(at, _)| *at == rowid.block).unwrap();
            assert_eq!(u64::from(format::transaction::header(&bytes).itl_count), maxtrans);
            assert_eq!(database.scan(&table).len(), 7 - maxtrans as usize);
            database.sound();
        }
    }
}

#[test]
fn rows_migrate_under_maxtrans_1() {
    let database = Database::new(BlockSize::K2, SpaceManagement::Auto);
    let (table, _) = table(&database, 1);
    database.insert(&table, &(8..60).map(row).collect::<Vec<_>>());
    let all = database.scan(&table);
    let mut expected = all.clone();
    for (rowid, row) in expected.iter_mut().skip(3) {
        row[1] = Some(vec![7; 300]);
        assert!(update(&database.session, &table, *rowid, &borrow(row)).unwrap());
    }
    database.check(&table, &expected);
    database.session.rollback().unwrap();
    assert_eq!(database.scan(&table).len(), 8);
    database.sound();
}

#[test]
fn a_deadlock_names_waiters_and_resources() {
    let database = Database::new(BlockSize::K2, SpaceManagement::Manual);
    let (table, rowids) = table(&database, 255);
    let (a, b) = (database.connect(), database.connect());
    let change = |session: &Arc<Session>, n: usize| update(session, &table, rowids[n], &borrow(&row(77)));
    change(&a, 0).unwrap();
    change(&b, 1).unwrap();
    a.set_statement(Some("update t set v = 77 where id = 1".into()));
    let (of, rowid) = (table.clone(), rowids[1]);
    let thread = waiting(&database, &a, move |a| update(a, &of, rowid, &borrow(&row(77))));
    b.set_statement(Some("update t set v = 77 where id = 0".into()));
    assert!(b.take_deadlock().is_none());
    let error = change(&b, 0).unwrap_err();
    assert!(error.is_ora(60) && error.kind == ErrorKind::User);
    let deadlock = b.take_deadlock().unwrap();
    let counted = |session: &Arc<Session>| session.meter().value(Statistic::EnqueueDeadlocks);
    assert_eq!((counted(&a), counted(&b)), (0, 1));
    assert!(b.take_deadlock().is_none() && a.take_deadlock().is_none());
    let [first, second] = &deadlock.sessions[..] else { panic!("{deadlock:?}") };
    assert_eq!((first.sid, first.holder, first.mode), (b.sid(), a.sid(), 6));
    assert_eq!((second.sid, second.holder, second.mode), (a.sid(), b.sid(), 6));
    assert_eq!(first.waited, Waited::Transaction(a.xid().unwrap()));
    assert_eq!(second.waited, Waited::Transaction(b.xid().unwrap()));
    assert_eq!((first.row, second.row), (Some(rowids[0]), Some(rowids[1])));
    let text = deadlock.text();
    let xid = a.xid().unwrap();
    for part in [
        format!("TX-{:04x}{:04x}-{:08x}", xid.segment, xid.slot, xid.sequence),
        format!(
            "(dictionary objn - {}, file - {}, block - {}, slot - {})",
            table.object.0, rowids[0].block.file.0, rowids[0].block.block, rowids[0].slot
        ),
        format!("obj - rowid = {:08X} - {}", table.object.0, rowids[1]),
        "update t set v = 77 where id = 0".to_owned(),
        "update t set v = 77 where id = 1".to_owned(),
    ] {
        assert!(text.contains(&part), "{part} in\n{text}");
    }
    b.rollback().unwrap();
    assert!(thread.join().unwrap().unwrap());
    commit(&a);
}
