//! Ends of transactions whose undo cannot be read at the moment: the transaction stays, and can be ended later.

use std::path::Path;

use common::sync::Arc;
use common::{DataType, Result, SystemClock};
use device::{Fault, FaultyFileSystem, MemoryFileSystem};

use super::fixture::{Columns, Database, borrow, scan_by};
use engine::ddl::TableSpec;
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{Background, Instance, Session};
use engine::startup::CreateOptions;
use storage::table::{lock_row, update};
use storage::txn::{CommitWrite, LockWait};

fn row(n: u8) -> Columns {
    vec![Some(vec![n]), Some(vec![n; 20])]
}

fn table(session: &Arc<Session>) -> Arc<TableDef> {
    let column = |name: &str| ColumnDef {
        name: name.to_owned(),
        data_type: DataType::Varchar2 { bytes: 30 },
        nullable: true,
        default: None,
    };
    session.create_table(&TableSpec::new("SYSTEM", "T", vec![column("A"), column("B")])).unwrap()
}

/// Every read of a commit and of a rollback fails once.
#[test]
fn a_transaction_whose_end_fails_is_still_there() {
    let ends: [fn(&Session) -> Result<()>; 2] = [|s| s.commit(CommitWrite::default()), |s| s.rollback()];
    for (commits, end) in [true, false].into_iter().zip(ends) {
        let faulty = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
        let (clock, options) = (Arc::new(SystemClock::default()), CreateOptions::default());
        let instance =
            Instance::create_with(faulty.clone(), Path::new("/d"), clock, None, &options, Background::Inline).unwrap();
        let (s, other) = (instance.connect("SYSTEM").unwrap(), instance.connect("SYSTEM").unwrap());
        let table = table(&s);
        Database::insert_as(&s, &table, &[row(1)]);
        s.commit(CommitWrite::default()).unwrap();
        let rowid = *scan_by(&s, &table, None, 10).keys().next().unwrap();
        let mut failed = 0;
        for nth in 1..100 {
            let before = scan_by(&s, &table, None, 10)[&rowid].clone();
            let new = row(nth as u8 + 10);
            assert!(update(&s, &table, rowid, &borrow(&new)).unwrap());
            instance.cache().flush(s.meter()).unwrap();
            let reads = faulty.reads();
            faulty.fail(nth, Fault::Read);
            let result = end(&s);
            faulty.heal();
            match result {
                Ok(()) if faulty.reads() - reads < nth => break,
                // It was a read-ahead, whose failure does not matter.
                Ok(()) => continue,
                Err(_) => {}
            }
            failed += 1;
            assert!(s.in_transaction(), "read {nth}");
            let held = lock_row(&other, &table, rowid, &other.snapshot(), LockWait::NoWait);
            // The rows that a rollback has undone are released.
            assert!(held.map_or_else(|error| error.is_ora(54), |free| free && !commits), "read {nth}");
            other.rollback().unwrap();
            assert_eq!(scan_by(&other, &table, None, 10)[&rowid], before, "read {nth}");
            end(&s).unwrap();
            assert!(!s.in_transaction());
            assert!(lock_row(&other, &table, rowid, &other.snapshot(), LockWait::NoWait).unwrap());
            other.rollback().unwrap();
            let expected = if commits { &new } else { &before };
            assert_eq!(&scan_by(&other, &table, None, 10)[&rowid], expected, "read {nth}");
        }
        assert!(failed > 0, "nothing was read");
        assert!(instance.undo().transactions().is_empty());
        drop((s, other));
        instance.shutdown().unwrap();
    }
}
