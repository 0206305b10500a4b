//! Databases without damage.

use std::collections::HashSet;

use common::{ObjectNumber, Rowid};
use scan::{RowSink, ScanSpec};

use super::*;
use crate::dictionary::DICTIONARY_TABLES;

struct Rowids(ObjectNumber, BlockAddress, Vec<Rowid>);

impl RowSink for Rowids {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        (self.0, self.1) = (object, address);
    }

    fn row(&mut self, slot: u16, _: &[Option<&[u8]>]) {
        self.2.push(Rowid { data_object: self.0, block: self.1, slot });
    }
}

pub(super) fn rowids(session: &Arc<Session>, table: &Arc<TableDef>) -> Vec<Rowid> {
    let spec = ScanSpec { projection: Vec::new(), predicate: None, rowids: true };
    let mut scan = table::TableScan::new(session.worker().clone(), table.heap().clone(), spec).unwrap();
    let mut sink = Rowids(ObjectNumber(0), BlockAddress::NONE, Vec::new());
    while scan.next(&mut sink, 1000).unwrap() {}
    sink.2
}

/// Inserts, deletes most rows of some blocks, grows others until they move, and inserts again.
fn churn(session: &Arc<Session>, name: &str) {
    insert(session, name, 0..4000, 60);
    let table = session.catalog().table("SYSTEM", name).unwrap().clone();
    let all = rowids(session, &table);
    let mut deleter = table::Deleter::new(session.worker().clone(), table.heap().clone());
    let mut gone = HashSet::new();
    for (n, rowid) in all.iter().enumerate() {
        if (n / 100) % 2 == 0 && n % 10 != 0 {
            deleter.push(*rowid).unwrap();
            gone.insert(*rowid);
        }
    }
    deleter.finish().unwrap();
    let mut updater = table::Updater::new(session.worker().clone(), table.heap().clone());
    let long = vec![b'y'; 400];
    for (n, rowid) in all.iter().enumerate() {
        if !gone.contains(rowid) && n % 3 == 0 {
            updater.push(*rowid, &[Some(&number::encode_i64(n as i64 * 7)), Some(&long)]).unwrap();
        }
    }
    updater.finish().unwrap();
    insert(session, name, 10_000..11_000, 100);
}

#[test]
fn a_new_database_is_sound() {
    let report = Database::new(|_| {}).verify();
    assert!(report.is_clean(), "{:#?}", texts(&report));
    assert_eq!(report.checked.files, 3);
    assert_eq!(report.checked.tables, DICTIONARY_TABLES as u64);
    assert!(report.checked.rows > 100 && report.checked.formatted_blocks > 9);
}

#[test]
fn tables_and_indexes_of_every_kind_are_sound() {
    let database = Database::new(|session| {
        let cases = [
            ("M8", BlockSize::K8, None, SpaceManagement::Manual),
            ("M2", BlockSize::K2, Some(64 << 10), SpaceManagement::Manual),
            ("S8", BlockSize::K8, Some(16 << 10), SpaceManagement::Manual),
            ("A8", BlockSize::K8, None, SpaceManagement::Auto),
            ("A2", BlockSize::K2, Some(1 << 20), SpaceManagement::Auto),
            ("A16", BlockSize::K16, None, SpaceManagement::Auto),
        ];
        for (name, size, uniform, management) in cases {
            tablespace(session, name, size, uniform, management);
            table(session, &format!("T_{name}"), name, |_| {});
            index(session, &format!("I_{name}"), &format!("T_{name}"), &["ID"], name);
            churn(session, &format!("T_{name}"));
            index(session, &format!("J_{name}"), &format!("T_{name}"), &["NAME", "ID"], name);
        }
        table(session, "LISTS", "M8", |spec| spec.storage.freelists = 3);
        churn(session, "LISTS");
        table(session, "GROUPS", "M8", |spec| {
            spec.storage.freelists = 2;
            spec.storage.freelist_groups = 3;
        });
        churn(session, "GROUPS");
        // Rows larger than a block, and rows of NULLs, which have no index entry.
        table(session, "LONG", "M2", |spec| spec.columns[1].data_type = DataType::Varchar2 { bytes: 2000 });
        index(session, "LONG_I", "LONG", &["NAME"], "A8");
        insert(session, "LONG", 0..50, 2000);
        insert(session, "LONG", 0..50, 0);
        session.truncate_table("SYSTEM", "GROUPS").unwrap();
        session.drop_table("SYSTEM", "LISTS").unwrap();
    });
    let report = database.verify();
    assert!(report.is_clean(), "{:#?}", texts(&report));
    assert!(report.notes.is_empty(), "{:#?}", report.notes);
    assert_eq!(report.checked.indexes, 13);
    assert_eq!(report.checked.tables, DICTIONARY_TABLES as u64 + 8);
    assert!(report.checked.freelist_blocks > 0 && report.checked.bitmap_blocks > 0);
    assert!(report.checked.index_entries > 10_000);
    // Looking changes nothing.
    assert_eq!(database.verify(), report);
}

#[test]
fn a_database_that_was_not_closed_is_recovered_in_memory() {
    let database = Database::ended(|session| {
        table(session, "T", "USERS", |_| {});
        index(session, "T_I", "T", &["ID"], "USERS");
        insert(session, "T", 0..3000, 60);
        session.commit(storage::txn::CommitWrite::default()).unwrap();
        session.instance().checkpoint(session.meter()).unwrap();
        insert(session, "T", 3000..4000, 60);
        session.commit(storage::txn::CommitWrite::default()).unwrap();
        // Uncommitted changes must be undone, those on disk by now and those that are not.
        insert(session, "T", 4000..5000, 60);
        session.instance().checkpoint(session.meter()).unwrap();
        insert(session, "T", 5000..6000, 60);
        session.instance().redo().flush(session.instance().redo().end()).unwrap();
        session.instance().abort();
    });
    let report = database.verify();
    assert!(report.is_clean(), "{:#?}", texts(&report));
    let recovered = report.recovered.unwrap();
    assert_eq!(recovered.transactions, 1);
    assert!(recovered.records > 0 && recovered.bytes > 0);
    let clean = Database::new(|_| {}).verify();
    assert_eq!(clean.recovered, None);
    assert_eq!(report.checked.index_entries - clean.checked.index_entries, 4000);
    // Nothing was written to the files: there is as much to do the next time.
    assert_eq!(database.verify(), report);
    database.look(|session| {
        assert_eq!(session.instance().rolled_forward().unwrap().records, recovered.records);
        // A close that comes before the rollback has begun leaves it to the next open.
        while !session.instance().undo().transactions().is_empty() {
            std::thread::yield_now();
        }
    });
    let after = database.verify();
    assert!(after.is_clean() && after.recovered.is_none(), "{:#?}", texts(&after));
}

/// A database that is left with a transaction under way is closed cleanly, and the transaction is still there.
#[test]
fn a_transaction_under_way_at_a_clean_close_is_rolled_back_in_memory() {
    let database = Database::ended(|session| {
        table(session, "T", "USERS", |_| {});
        insert(session, "T", 0..100, 60);
        session.commit(storage::txn::CommitWrite::default()).unwrap();
        insert(session, "T", 100..2000, 60);
        session.instance().shutdown().unwrap();
    });
    let report = database.verify();
    assert!(report.is_clean(), "{:#?}", texts(&report));
    assert_eq!(report.recovered.map(|recovered| (recovered.records, recovered.transactions)), Some((0, 1)));
}

#[test]
fn a_database_whose_redo_is_lost_is_checked_block_by_block() {
    let database = Database::ended(|session| {
        table(session, "T", "USERS", |_| {});
        session.instance().abort();
    });
    for name in ["redo01.log", "redo02.log", "redo03.log"] {
        database.files.remove(&Path::new(DIRECTORY).join(name)).unwrap();
    }
    let report = database.verify();
    assert_eq!(report.problems.len(), 1, "{:#?}", texts(&report));
    assert!(report.problems[0].text.contains("cannot be recovered"), "{:#?}", texts(&report));
    assert!(report.checked.blocks > 0 && report.recovered.is_none());
}
