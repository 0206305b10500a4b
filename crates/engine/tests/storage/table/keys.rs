//! Tables and their indexes agree, whether a statement succeeds or fails.

use common::BlockSize;

use super::fixture::{Columns, Database, MANAGEMENTS, borrow};
use storage::table::{Inserter, Updater};

fn keyed(n: u32) -> Columns {
    vec![
        Some(n.to_be_bytes().to_vec()),
        Some(format!("row {n}").into_bytes()),
        n.is_multiple_of(3).then(|| vec![n as u8]),
        None,
    ]
}

#[test]
fn a_duplicate_key_takes_its_array_out_again_and_nothing_else() {
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K4, management);
        let table = database.table("T1", 4, 10);
        let table = database.index(&table, "T1_N", &[2, 1], false);
        let table = database.index(&table, "T1_U", &[0], true);
        let mut inserter = Inserter::new(database.session.worker().clone(), table.heap().clone()).unwrap();
        let error =
            (0..2000u32).map(|n| if n == 1500 { 700 } else { n }).try_for_each(|n| inserter.push(&borrow(&keyed(n))));
        let error = error.and_then(|()| inserter.finish().map(|_| ())).unwrap_err();
        assert!(error.is_ora(1), "{error}");
        let standing = inserter.rows();
        assert!((1000..=1500).contains(&standing), "{standing} rows stand");
        let rows = database.scan(&table);
        assert_eq!(rows.len() as u64, standing);
        database.check(&table, &rows);
        // A key that stands already is refused alone too, and a chained row with it.
        let mut again = Inserter::new(database.session.worker().clone(), table.heap().clone()).unwrap();
        let mut long = keyed(3);
        long[1] = Some(vec![b'l'; 300]);
        long[3] = Some(vec![b'l'; 4000]);
        assert!(again.push(&borrow(&long)).unwrap_err().is_ora(1));
        assert_eq!(again.rows(), 0);
        database.check(&table, &rows);
    }
}

#[test]
fn rows_of_one_statement_may_exchange_unique_keys() {
    let database = Database::new(BlockSize::K2, MANAGEMENTS[1]);
    let table = database.table("T1", 4, 10);
    let table = database.index(&table, "T1_U", &[0], true);
    let table = database.index(&table, "T1_N", &[1], false);
    database.insert(&table, &(0..1000).map(keyed).collect::<Vec<_>>());
    let mut rows = database.scan(&table);
    let mut updater = Updater::new(database.session.worker().clone(), table.heap().clone());
    for (rowid, row) in &mut rows {
        let old = u32::from_be_bytes(row[0].clone().unwrap().try_into().unwrap());
        row[0] = Some((old + 1).to_be_bytes().to_vec());
        updater.push(*rowid, &borrow(row)).unwrap();
    }
    assert_eq!(updater.finish().unwrap(), 1000);
    database.check(&table, &rows);
}

#[test]
fn an_update_to_a_duplicate_key_leaves_all_as_it_was() {
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K4, management);
        let table = database.table("T1", 4, 10);
        let table = database.index(&table, "T1_U", &[0], true);
        let table = database.index(&table, "T1_N", &[1], false);
        database.insert(&table, &(0..500).map(keyed).collect::<Vec<_>>());
        let rows = database.scan(&table);
        let mut updater = Updater::new(database.session.worker().clone(), table.heap().clone());
        // Every row grows and gets the same key.
        for rowid in rows.keys() {
            let row = vec![Some(b"same".to_vec()), Some(vec![b'y'; 120]), None, None];
            updater.push(*rowid, &borrow(&row)).unwrap();
        }
        let error = updater.finish().unwrap_err();
        assert!(error.is_ora(1), "{error}");
        assert_eq!(updater.rows(), 0);
        drop(updater);
        database.check(&table, &rows);
    }
}

#[test]
fn a_dropped_updaters_changes_are_rolled_back_with_its_statement() {
    let database = Database::new(BlockSize::K4, MANAGEMENTS[0]);
    let table = database.table("T1", 4, 10);
    let table = database.index(&table, "T1_U", &[0], true);
    database.insert(&table, &(0..500).map(keyed).collect::<Vec<_>>());
    let rows = database.scan(&table);
    let mark = database.session.mark();
    let mut updater = Updater::new(database.session.worker().clone(), table.heap().clone());
    for (n, rowid) in rows.keys().enumerate() {
        updater.push(*rowid, &borrow(&keyed(10_000 + n as u32))).unwrap();
    }
    drop(updater);
    assert_ne!(database.scan(&table), rows);
    database.session.rollback_to_mark(mark).unwrap();
    database.check(&table, &rows);
}
