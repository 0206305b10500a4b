//! Several sessions at work on one table at the same time.

use common::sync::{self, Arc};
use common::{BlockSize, Rowid};
use scan::{RowSink, ScanSpec};

use super::fixture::{Columns, Database, MANAGEMENTS, Rows, borrow};
use engine::dictionary::TableDef;
use engine::instance::Session;
use storage::table::{Deleter, Inserter, TableScan, Updater};

const SESSIONS: u8 = 4;
const ROUNDS: u32 = 12;

/// A row of one session: unique key, then text whose length changes from round to round, from a few bytes to more than
/// a block.
fn row(session: u8, number: u32, round: u32) -> Columns {
    let bytes = match (number + 3 * round) % 11 {
        0 => 2500,
        1..=3 => 400,
        _ => 20,
    };
    let key = [&[session][..], &number.to_be_bytes()].concat();
    vec![Some(key), Some(vec![round as u8 + 1; 8]), None, Some(vec![session + 1; bytes])]
}

#[derive(Default)]
struct Own {
    session: u8,
    at: Option<(common::ObjectNumber, common::BlockAddress)>,
    rows: Rows,
}

impl RowSink for Own {
    fn block(&mut self, object: common::ObjectNumber, address: common::BlockAddress) {
        self.at = Some((object, address));
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        if columns[0].is_some_and(|key| key[0] == self.session) {
            let (data_object, block) = self.at.unwrap();
            let columns = columns.iter().map(|c| c.map(<[u8]>::to_vec)).collect();
            self.rows.insert(Rowid { data_object, block, slot }, columns);
        }
    }
}

/// The session's own rows. Others move theirs meanwhile, which must not matter to it.
fn own_rows(session: &Arc<Session>, table: &Arc<TableDef>, number: u8) -> Rows {
    let spec = ScanSpec { projection: vec![0, 1, 2, 3], predicate: None, rowids: true };
    let mut scan = TableScan::new(session.worker().clone(), table.heap().clone(), spec).unwrap();
    let mut sink = Own { session: number, ..Own::default() };
    while scan.next(&mut sink, 50).unwrap() {}
    sink.rows
}

fn work(session: &Arc<Session>, table: &Arc<TableDef>, number: u8) -> Rows {
    let mut next = 0;
    for round in 0..ROUNDS {
        let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone()).unwrap();
        for _ in 0..60 {
            inserter.push(&borrow(&row(number, next, round))).unwrap();
            next += 1;
        }
        inserter.finish().unwrap();
        let rows = own_rows(session, table, number);
        let mut updater = Updater::new(session.worker().clone(), table.heap().clone());
        for (rowid, columns) in &rows {
            let key = columns[0].as_ref().unwrap();
            let of = u32::from_be_bytes(key[1..].try_into().unwrap());
            updater.push(*rowid, &borrow(&row(number, of, round))).unwrap();
        }
        assert_eq!(updater.finish().unwrap(), rows.len() as u64);
        let mut deleter = Deleter::new(session.worker().clone(), table.heap().clone());
        let gone = rows.keys().step_by(4).count() as u64;
        for rowid in rows.keys().step_by(4) {
            deleter.push(*rowid).unwrap();
        }
        assert_eq!(deleter.finish().unwrap(), gone);
        assert_eq!(own_rows(session, table, number).len() as u64, rows.len() as u64 - gone);
    }
    session.commit(storage::txn::CommitWrite::default()).unwrap();
    own_rows(session, table, number)
}

#[test]
fn sessions_that_change_rows_of_their_own_do_not_disturb_each_other() {
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K2, management);
        let table = database.table("T1", 4, 10);
        let table = database.index(&table, "T1_U", &[0], true);
        let table = database.index(&table, "T1_N", &[1, 0], false);
        let workers: Vec<_> = (0..SESSIONS)
            .map(|number| {
                let (session, table) = (database.connect(), table.clone());
                sync::spawn(&format!("session {number}"), move || work(&session, &table, number)).unwrap()
            })
            .collect();
        let mut expected = Rows::new();
        for worker in workers {
            expected.extend(worker.join().unwrap());
        }
        assert!(expected.len() > 100);
        database.check(&table, &expected);
    }
}
