//! Databases without damage.

use std::collections::HashSet;

use common::{ObjectNumber, Rowid};
use scan::{RowSink, ScanSpec};

use super::*;
use crate::catalog::DICTIONARY_TABLES;

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
    let mut scan = table::TableScan::new(session.clone(), table.clone(), spec).unwrap();
    let mut sink = Rowids(ObjectNumber(0), BlockAddress::NONE, Vec::new());
    while scan.next(&mut sink, 1000).unwrap() {}
    sink.2
}

/// Inserts, deletes most rows of some blocks, grows others until they move, and inserts again.
fn churn(session: &Arc<Session>, name: &str) {
    insert(session, name, 0..4000, 60);
    let table = session.catalog().table("SYSTEM", name).unwrap().clone();
    let all = rowids(session, &table);
    let mut deleter = table::Deleter::new(session.clone(), table.clone());
    let mut gone = HashSet::new();
    for (n, rowid) in all.iter().enumerate() {
        if (n / 100) % 2 == 0 && n % 10 != 0 {
            deleter.push(*rowid).unwrap();
            gone.insert(*rowid);
        }
    }
    deleter.finish().unwrap();
    let mut updater = table::Updater::new(session.clone(), table.clone());
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
fn a_database_that_is_open_is_checked_block_by_block() {
    let database = Database::new(|_| {});
    let clock = Arc::new(SystemClock::default());
    let instance = Instance::open(database.files.clone(), Path::new(DIRECTORY), clock, None).unwrap();
    let report = database.verify();
    assert_eq!(report.problems.len(), 1);
    assert!(report.problems[0].text.contains("not shut down cleanly"));
    assert!(report.checked.blocks > 0);
    instance.shutdown().unwrap();
    assert!(database.verify().is_clean());
}
