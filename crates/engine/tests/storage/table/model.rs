//! Random statements against a map of rows, at every block size and under both kinds of space management.

use std::cell::Cell;

use common::sync::Arc;
use common::{BlockSize, Rowid};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use scan::{Comparison, Predicate};

use super::fixture::{Columns, Database, MANAGEMENTS, Rows, borrow};
use engine::dictionary::TableDef;
use storage::table::{Deleter, Updater};

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<Columns>),
    /// Rows by position among the existing ones, with their new values.
    Update(Vec<(usize, Columns)>),
    Delete(Vec<usize>),
}

fn value() -> impl Strategy<Value = Option<Vec<u8>>> {
    let bytes = |length| proptest::collection::vec(any::<u8>(), length).prop_map(Some);
    prop_oneof![2 => Just(None), 8 => bytes(1..12), 3 => bytes(100..400), 1 => bytes(1500..4001)]
}

fn row(columns: usize) -> impl Strategy<Value = Columns> {
    let narrow = proptest::collection::vec(value(), columns).prop_map(|mut row| {
        // The indexed columns are short ones.
        row.iter_mut().take(3).flatten().for_each(|value| value.truncate(300));
        row
    });
    // Wide tables mostly have short rows.
    let short = proptest::collection::vec(prop_oneof![Just(None), Just(Some(b"x".to_vec()))], columns);
    if columns > 10 { prop_oneof![9 => short.boxed(), 1 => narrow.boxed()].boxed() } else { narrow.boxed() }
}

fn step(columns: usize) -> impl Strategy<Value = Step> {
    let position = || any::<usize>();
    prop_oneof![
        3 => proptest::collection::vec(row(columns), 1..30).prop_map(Step::Insert),
        3 => proptest::collection::vec((position(), row(columns)), 1..20).prop_map(Step::Update),
        1 => proptest::collection::vec(position(), 1..12).prop_map(Step::Delete),
    ]
}

fn nth(rows: &Rows, position: usize) -> Option<Rowid> {
    rows.keys().nth(position % rows.len().max(1)).copied()
}

fn run(database: &Database, table: &Arc<TableDef>, steps: Vec<Step>) {
    let mut expected = Rows::new();
    for step in steps {
        match step {
            Step::Insert(rows) => {
                assert_eq!(database.insert(table, &rows), rows.len() as u64);
                // The table chooses the place of new rows: the new ones must be exactly these.
                let found = database.scan(table);
                let mut new: Vec<Columns> = found
                    .iter()
                    .filter(|(rowid, _)| !expected.contains_key(rowid))
                    .map(|(_, row)| row.clone())
                    .collect();
                let mut wanted = rows;
                new.sort();
                wanted.sort();
                assert_eq!(new, wanted);
                expected = found;
            }
            Step::Update(changes) => {
                let mut updater = Updater::new(database.session.worker().clone(), table.heap().clone());
                let mut touched: Vec<Rowid> = Vec::new();
                for (position, row) in changes {
                    let Some(rowid) = nth(&expected, position).filter(|rowid| !touched.contains(rowid)) else {
                        continue;
                    };
                    updater.push(rowid, &borrow(&row)).unwrap();
                    touched.push(rowid);
                    expected.insert(rowid, row);
                }
                assert_eq!(updater.finish().unwrap(), touched.len() as u64);
            }
            Step::Delete(positions) => {
                let mut deleter = Deleter::new(database.session.worker().clone(), table.heap().clone());
                let mut gone = 0;
                for position in positions {
                    let Some(rowid) = nth(&expected, position) else { continue };
                    deleter.push(rowid).unwrap();
                    expected.remove(&rowid);
                    gone += 1;
                }
                assert_eq!(deleter.finish().unwrap(), gone);
            }
        }
        database.check(table, &expected);
        table.segment.check_invariants(&database.session).unwrap();
    }
    table.segment.tablespace().check_invariants(&database.session).unwrap();
    let filter = Predicate::compare(1, Comparison::GreaterOrEqual, &[0x80]);
    let some: Rows =
        expected.into_iter().filter(|(_, row)| row[1].as_deref().is_some_and(|value| value >= &[0x80][..])).collect();
    assert_eq!(database.scan_where(table, Some(filter), 3), some);
}

fn check_all(columns: usize, cases: u32, steps: usize) {
    for size in BlockSize::ALL {
        for management in MANAGEMENTS {
            let config =
                ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 200, ..ProptestConfig::default() };
            let strategy = proptest::collection::vec(step(columns), 1..steps);
            let database = Database::new(size, management);
            let number = Cell::new(0);
            let mut runner = TestRunner::new(config);
            let result = runner.run(&strategy, |steps| {
                number.set(number.get() + 1);
                let name = format!("T{}", number.get());
                let table = database.table(&name, columns, 10);
                let table = database.index(&table, &format!("{name}_A"), &[0], false);
                let table = database.index(&table, &format!("{name}_B"), &[1, 0], false);
                run(&database, &table, steps);
                Ok(())
            });
            if let Err(error) = result {
                panic!("{size}, {management:?}: {error}");
            }
        }
    }
}

#[test]
fn a_table_is_what_a_map_of_rows_is() {
    check_all(6, 3, 12);
}

#[test]
fn a_table_of_300_columns_is_what_a_map_of_rows_is() {
    check_all(300, 1, 6);
}
