//! Transactions that begin while their undo tablespace is dropped.
//!
//! Either the drop finds the transaction and is refused, or the transaction finds no undo tablespace.

use common::sync::{Arc, explore, spawn};
use common::{Scn, TablespaceNumber};
use storage::control::SpaceManagement;
use storage::txn::Worker;
use storage::undo::UndoWriter;

use super::database::Database;
use super::nobody_forgotten;

/// Each has a good number of steps that are the same in all of them.
const SCHEDULES: usize = 300;
/// As many as the tablespace has segments at first: the next transaction wants one more.
const TRANSACTIONS: usize = 10;
const UNDO: TablespaceNumber = TablespaceNumber(1);

fn end(s: &Worker, writer: &UndoWriter) {
    let scn: Scn = s.store().advance_scn();
    writer.commit(s, writer.header_mut(s).unwrap(), scn);
}

/// One session begins a transaction, for which a segment is made; another ends all others and drops the tablespace.
fn begin_beside_a_drop() {
    let database = Arc::new(Database::new(SpaceManagement::Auto));
    let s = database.session();
    database.table(&s);
    let writers: Vec<_> = (0..TRANSACTIONS).map(|_| s.undo().begin(&s).unwrap()).collect();
    let beginner = {
        let s = database.session();
        spawn("beginner", move || s.undo().begin(&s)).unwrap()
    };
    writers.iter().for_each(|writer| end(&s, writer));
    let dropped = s.undo().forget(&s, UNDO);
    let begun = beginner.join().unwrap();
    assert_ne!(begun.is_ok(), dropped.is_ok(), "{begun:?}, {dropped:?}");
    if let Err(error) = &dropped {
        assert!(error.is_ora(30013), "{error}");
    }
    if let Ok(writer) = begun {
        end(&s, &writer);
    }
    database.close();
}

#[test]
fn a_transaction_does_not_begin_in_a_tablespace_that_is_dropped() {
    explore(nobody_forgotten(SCHEDULES), begin_beside_a_drop);
}
