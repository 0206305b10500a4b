//! Whole indexes in a database: created over tables, kept by inserts, in tablespaces of every block size under both
//! kinds of space management.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;

use common::sync::{Arc, spawn};
use common::{BlockSize, DataType, Result, Rowid, SystemClock};
use device::MemoryFileSystem;
use format::number;
use waits::{GetMode, Statistic};

use engine::ddl::{IndexSpec, PhysicalAttributes, TableSpec};
use engine::dictionary::{ColumnDef, IndexDef, TableDef};
use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use storage::control::SpaceManagement;
use storage::index::{IndexScan, IndexStatistics, Key, delete_batch, images, insert_batch, lookup, statistics, verify};
use storage::parameters::Scope;
use storage::segment::Storage;
use storage::table::Inserter;
use storage::txn::CommitWrite;

pub(super) const MB: u64 = 1 << 20;
const MANAGEMENTS: [SpaceManagement; 2] = [SpaceManagement::Manual, SpaceManagement::Auto];

pub(super) struct Database {
    pub(super) session: Arc<Session>,
    pub(super) instance: Arc<Instance>,
    files: Arc<MemoryFileSystem>,
    crashed: bool,
}

impl Drop for Database {
    fn drop(&mut self) {
        if self.crashed {
            return;
        }
        let closed = self.instance.shutdown();
        if !std::thread::panicking() {
            closed.unwrap();
        }
    }
}

impl Database {
    /// With a tablespace T whose file begins with `bytes`, and grows or not.
    pub(super) fn new(size: BlockSize, management: SpaceManagement, bytes: u64, grows: bool) -> Self {
        let files = Arc::new(MemoryFileSystem::default());
        let cache = if size == BlockSize::K8 {
            ("db_cache_size".to_owned(), "32M".to_owned())
        } else {
            (format!("db_{}k_cache_size", size.bytes() / 1024), "4M".to_owned())
        };
        let options = CreateOptions { parameters: vec![cache], ..CreateOptions::default() };
        let clock = Arc::new(SystemClock::default());
        let instance = Instance::create(files.clone(), Path::new("/database"), clock, None, &options).unwrap();
        let session = instance.connect("SYSTEM").unwrap();
        let file =
            DatafileSpec { name: "t.dbf".to_owned(), bytes, reuse: false, autoextend: grows.then_some((4 * MB, None)) };
        let spec = TablespaceSpec {
            logging: true,
            name: "T".to_owned(),
            files: vec![file],
            block_size: Some(size),
            uniform_bytes: None,
            space_management: management,
        };
        instance.create_tablespace(&session, &spec).unwrap();
        Self { session, instance, files, crashed: false }
    }

    /// Crashes the instance; sessions have nothing to clean up after that.
    pub(super) fn stop(&self) {
        self.instance.health().stop(&common::Error::bug("the instance dies"));
    }

    /// The database reopened without a close. No other session may be left.
    pub(super) fn crash(mut self) -> Self {
        self.crashed = true;
        let files = self.files.clone();
        drop(self);
        Self::open(files)
    }

    /// Closed with transactions under way, and opened.
    pub(super) fn reopen(self) -> Self {
        let files = self.files.clone();
        drop(self);
        Self::open(files)
    }

    fn open(files: Arc<MemoryFileSystem>) -> Self {
        let clock = Arc::new(SystemClock::default());
        let instance = Instance::open(files.clone(), Path::new("/database"), clock, None).unwrap();
        let session = instance.connect("SYSTEM").unwrap();
        Self { session, instance, files, crashed: false }
    }

    /// A table of a NUMBER, a VARCHAR2 and a NUMBER.
    /// The table of an index.
    pub(super) fn table_of(&self, index: &IndexDef) -> Arc<TableDef> {
        self.session.catalog().table_by_number(index.table).unwrap().clone()
    }

    pub(super) fn table(&self, name: &str) -> Arc<TableDef> {
        let column =
            |name: &str, data_type| ColumnDef { name: name.to_owned(), data_type, nullable: true, default: None };
        let number = DataType::Number { precision: None, scale: 0 };
        let columns = vec![column("A", number), column("B", DataType::Varchar2 { bytes: 300 }), column("C", number)];
        let mut spec = TableSpec::new("SYSTEM", name, columns);
        spec.tablespace = Some("T".to_owned());
        self.session.create_table(&spec).unwrap()
    }

    fn try_index(
        &self,
        table: &TableDef,
        name: &str,
        columns: &[&str],
        unique: bool,
        pctfree: u64,
    ) -> Result<Arc<IndexDef>> {
        let physical = PhysicalAttributes { pctfree: Some(pctfree), ..PhysicalAttributes::default() };
        self.index_with(table, name, columns, unique, physical)
    }

    pub(super) fn index_with(
        &self,
        table: &TableDef,
        name: &str,
        columns: &[&str],
        unique: bool,
        physical: PhysicalAttributes,
    ) -> Result<Arc<IndexDef>> {
        self.session.create_index(&IndexSpec {
            logging: None,
            owner: "SYSTEM".to_owned(),
            name: name.to_owned(),
            table_owner: table.owner.clone(),
            table_name: table.name.clone(),
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            unique,
            tablespace: Some("T".to_owned()),
            physical,
            storage: Storage::default(),
        })
    }

    pub(super) fn index(
        &self,
        table: &TableDef,
        name: &str,
        columns: &[&str],
        unique: bool,
        pctfree: u64,
    ) -> Arc<IndexDef> {
        self.try_index(table, name, columns, unique, pctfree).unwrap()
    }

    /// The table as it is now, with its indexes.
    fn now(&self, table: &TableDef) -> Arc<TableDef> {
        self.session.catalog().table(&table.owner, &table.name).unwrap().clone()
    }

    pub(super) fn entries(&self, index: &Arc<IndexDef>, descending: bool) -> Vec<(Key, Rowid)> {
        let mut scan = IndexScan::new(&self.session, index, Bound::Unbounded, Bound::Unbounded, descending).unwrap();
        let mut found = Vec::new();
        while let Some((key, rowid)) = scan.next().unwrap() {
            found.push((key.to_key(), rowid));
        }
        found
    }

    /// The index is sound, its statistics are those of its creation, and scans agree in both directions.
    fn check(&self, index: &Arc<IndexDef>) -> (IndexStatistics, Vec<(Key, Rowid)>) {
        assert_eq!(verify(&self.session, index, Some(&self.table_of(index).segment)).unwrap(), []);
        let found = statistics(&self.session, index).unwrap();
        let entries = self.entries(index, false);
        let mut backwards = self.entries(index, true);
        backwards.reverse();
        assert_eq!(entries, backwards);
        assert_eq!(found.num_rows, entries.len() as u64);
        (found, entries)
    }
}

pub(super) fn number(n: i64) -> Vec<u8> {
    number::encode_i64(n).to_vec()
}

fn insert(
    session: &Arc<Session>,
    table: &Arc<TableDef>,
    rows: impl Iterator<Item = (Option<i64>, String, i64)>,
) -> Result<u64> {
    let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone())?;
    for (a, b, c) in rows {
        let (a, c) = (a.map(number), number(c));
        inserter.push(&[a.as_deref(), Some(b.as_bytes()), Some(&c)])?;
    }
    let rows = inserter.finish()?;
    session.commit(CommitWrite::default())?;
    Ok(rows)
}

/// Values in no order, many of them twice; every fiftieth NULL.
fn mixed(n: i64) -> (Option<i64>, String, i64) {
    let a = n * 7919 % 6007;
    ((n % 50 != 0).then_some(a), format!("{:0width$}", a % 900, width = 1 + (n % 60) as usize), n)
}

#[test]
fn an_index_built_is_the_index_that_inserts_make() {
    for size in BlockSize::ALL {
        for management in MANAGEMENTS {
            let database = Database::new(size, management, 4 * MB, true);
            let table = database.table("ROWS");
            let grown = [
                database.index(&table, "GROWN_A", &["A"], false, 10),
                database.index(&table, "GROWN_BA", &["B", "A"], false, 10),
                database.index(&table, "GROWN_C", &["C"], true, 10),
            ];
            for index in &grown {
                assert_eq!(index.statistics.unwrap(), IndexStatistics { leaf_blocks: 1, ..IndexStatistics::default() });
            }
            let table = database.now(&table);
            insert(&database.session, &table, (0..12_000).map(mixed)).unwrap();
            for ((columns, pctfree), grown) in
                [(&["A"][..], 0), (&["B", "A"], 40), (&["C"], 10)].into_iter().zip(&grown)
            {
                let (other, other_entries) = database.check(grown);
                // Rows with a NULL in the only column have no entry.
                assert_eq!(other.num_rows, if columns == ["A"] { 12_000 - 240 } else { 12_000 });
                database.session.drop_index(&grown.owner, &grown.name).unwrap();
                let built = database.index(&table, &grown.name, columns, grown.unique, pctfree);
                let (found, entries) = database.check(&built);
                assert_eq!(built.statistics.unwrap(), found, "what the build counted is what is there");
                assert_eq!(entries, other_entries);
                let shape = |s: IndexStatistics| (s.num_rows, s.distinct_keys, s.clustering_factor);
                assert_eq!(shape(found), shape(other));
            }
        }
    }
}

#[test]
fn leaves_are_filled_as_oracles_are() {
    // The published case: 607,332 rows, twelve of each object number, PCTFREE 10, 8 KB: 1,342 blocks were read from
    // disk when 303,666 more rows came in key order, the index's own from its leaves up to the root.
    const ROWS: i64 = 303_666;
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K8, management, 64 * MB, true);
        let table = database.table("TARGET");
        let source = || (0..ROWS).map(|n| (Some(n % 50_611 + n % 50_611 / 40 * 3), String::new(), 0));
        insert(&database.session, &table, source()).unwrap();
        insert(&database.session, &table, source()).unwrap();
        let index = database.index(&table, "TARGET_NDX", &["A"], false, 10);
        let built = index.statistics.unwrap();
        assert_eq!((built.num_rows, built.distinct_keys, built.blevel), (607_332, 50_611, 2));
        assert!((1325..=1355).contains(&built.leaf_blocks), "{} leaves", built.leaf_blocks);

        let session = database.instance.connect("SYSTEM").unwrap();
        database.instance.cache().flush(session.meter()).unwrap();
        let before = session.meter().snapshot();
        let table = database.now(&table);
        insert(&session, &table, source()).unwrap();
        let spent = session.meter().snapshot().minus(&before);
        let after = statistics(&session, &index).unwrap();
        assert_eq!(after.num_rows, 3 * ROWS as u64);
        assert_eq!(spent.value(Statistic::LeafNodeSplits), after.leaf_blocks - built.leaf_blocks);
        assert_eq!(spent.value(Statistic::IndexEntriesInserted), ROWS as u64);
        // Leaves are read once each from disk: the build left none of them in the cache.
        assert!(spent.value(Statistic::PhysicalReads) >= built.leaf_blocks);
        assert_eq!(verify(&session, &index, Some(&table.segment)).unwrap(), []);
    }
}

#[test]
fn keys_twice_and_keys_too_long_are_refused() {
    let database = Database::new(BlockSize::K2, SpaceManagement::Auto, 4 * MB, true);
    let table = database.table("ROWS");
    insert(&database.session, &table, (0..7000).map(mixed)).unwrap();
    let error = database.try_index(&table, "U", &["A"], true, 10).unwrap_err();
    assert!(error.is_ora(1452) && error.text.contains("SYSTEM.U"), "{error}");
    // NULLs are no duplicates of each other; a key that is NULL in part is a key.
    let index = database.index(&table, "AC", &["A", "C"], true, 10);
    assert_eq!(database.check(&index).0.num_rows, 7000);
    let number = DataType::Number { precision: None, scale: 0 };
    let wide = DataType::Varchar2 { bytes: 1459 };
    // 1,478 bytes: 1 + 22 for a number, 2 + 1,453 for the text, 7 for the rowid where it is part of the key.
    assert!(
        storage::index::check_key_length(BlockSize::K2, true, [number, DataType::Varchar2 { bytes: 1453 }]).is_ok()
    );
    let error = storage::index::check_key_length(BlockSize::K2, false, [number, wide]).unwrap_err();
    assert!(error.is_ora(1450) && error.text.contains("1478"), "{error}");
}

#[test]
fn no_space_left_leaves_a_sound_index() {
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K4, management, 3 * MB, false);
        let table = database.table("ROWS");
        let index = database.index(&table, "I", &["B", "A"], false, 10);
        // Entries alone, in no order, until the file is full.
        let row = |n: i64| {
            let rowid = Rowid {
                data_object: table.segment.data_object(),
                block: table.segment.header().plus(1 + (n / 4000) as u32),
                slot: (n % 4000) as u16,
            };
            let (a, b) = (number(n), format!("{:060}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64)));
            (Key::new([Some(b.as_bytes()), Some(&a[..])]), rowid)
        };
        let mut n = 0;
        let error = loop {
            match insert_batch(&database.session, &index, images(&[row(n)])) {
                Ok(()) => n += 1,
                Err(error) => break error,
            }
            assert!(n < 100_000, "the file never gets full");
        };
        assert!(error.is_ora(1654), "{error}");
        assert_eq!(database.entries(&index, false).len(), n as usize);
        assert_eq!(statistics(&database.session, &index).unwrap().num_rows, n as u64);
        // Existing entries can still be changed.
        let gone: Vec<_> = (0..n / 2).map(row).collect();
        delete_batch(&database.session, &index, images(&gone)).unwrap();
        insert_batch(&database.session, &index, images(&gone[..10])).unwrap();
        assert_eq!(statistics(&database.session, &index).unwrap().num_rows, (n - n / 2 + 10) as u64);
        let odd: Vec<_> = verify(&database.session, &index, Some(&database.table_of(&index).segment))
            .unwrap()
            .into_iter()
            .filter(|p| !p.text.contains("not one of table"))
            .collect();
        assert_eq!(odd, []);
    }
}

#[test]
fn ranges_and_lookups_find_rows_of_the_table() {
    let database = Database::new(BlockSize::K8, SpaceManagement::Manual, 4 * MB, true);
    let table = database.table("ROWS");
    insert(&database.session, &table, (0..9000).map(mixed)).unwrap();
    let by_c = database.index(&table, "C", &["C"], true, 10);
    let by_ba = database.index(&table, "BA", &["B", "A"], false, 10);
    let table = database.now(&table);
    for n in [0, 1, 4321, 8999] {
        let key = Key::new([Some(&number(n)[..])]);
        let rowid = lookup(&database.session, &by_c, &key).unwrap().unwrap();
        assert_eq!(rowid.data_object, table.segment.data_object());
        let row = storage::table::fetch_row(&database.session, &table, rowid).unwrap().unwrap();
        assert_eq!(row.columns()[2], Some(&number(n)[..]));
    }
    let missing = Key::new([Some(&number(9000)[..])]);
    assert_eq!(lookup(&database.session, &by_c, &missing).unwrap(), None);
    // A range over the leading column alone.
    let mut expected: BTreeMap<(String, Option<Vec<u8>>), usize> = BTreeMap::new();
    for (a, b, _) in (0..9000).map(mixed).filter(|(_, b, _)| ("0100".."0200").contains(&b.as_str())) {
        *expected.entry((b, a.map(number))).or_default() += 1;
    }
    let bound = |text: &str| Key::new([Some(text.as_bytes())]);
    for descending in [false, true] {
        let before = database.session.meter().gets(common::BlockClass::Data, GetMode::Consistent);
        let (lower, upper) = (Bound::Included(bound("0100")), Bound::Excluded(bound("0200")));
        let mut scan = IndexScan::new(&database.session, &by_ba, lower, upper, descending).unwrap();
        let mut found: BTreeMap<(String, Option<Vec<u8>>), usize> = BTreeMap::new();
        while let Some((key, _)) = scan.next().unwrap() {
            let mut columns = key.columns();
            let b = String::from_utf8(columns.next().flatten().unwrap().to_vec()).unwrap();
            *found.entry((b, columns.next().flatten().map(<[u8]>::to_vec))).or_default() += 1;
        }
        assert_eq!(found, expected);
        let gets = database.session.meter().gets(common::BlockClass::Data, GetMode::Consistent) - before;
        assert!((2..30).contains(&gets), "{gets} gets: the branches, and the leaves of the range");
    }
}

/// A consistent get of an index block is counted once more by its use: branches are examined as they are, leaves are
/// made consistent.
#[test]
fn consistent_gets_of_an_index_are_examinations_and_consistent_reads() {
    let database = Database::new(BlockSize::K2, SpaceManagement::Auto, 4 * MB, true);
    let table = database.table("ROWS");
    let by_c = database.index(&table, "C", &["C"], true, 10);
    let (session, meter) = (&database.session, database.session.meter().clone());
    let table = database.now(&table);
    let counted = || {
        let of_data = meter.gets(common::BlockClass::Data, GetMode::Consistent);
        let made = [
            Statistic::NoWorkConsistentReadGets,
            Statistic::CleanoutsOnlyConsistentReadGets,
            Statistic::RollbacksOnlyConsistentReadGets,
            Statistic::CleanoutsAndRollbacksConsistentReadGets,
        ];
        let made = made.into_iter().map(|statistic| meter.value(statistic)).sum();
        [of_data, meter.value(Statistic::ConsistentGetsExamination), made]
    };
    let during = |work: &dyn Fn()| {
        let before = counted();
        work();
        let after = counted();
        [0, 1, 2].map(|n| after[n] - before[n])
    };
    // From the one leaf that is the root to three levels.
    let [gets, examined, read] = during(&|| {
        insert(session, &table, (0..9000).map(mixed)).unwrap();
    });
    assert!(examined > 200 && read == 0, "{gets} gets, {examined} as they are, {read} made consistent");
    assert_eq!(gets, examined);
    session.commit(CommitWrite::default()).unwrap();
    let key = Key::new([Some(&number(4321)[..])]);
    let [gets, examined, read] = during(&|| {
        lookup(session, &by_c, &key).unwrap();
    });
    assert!(examined >= 1 && read == 1, "{gets} gets, {examined} as they are, {read} made consistent");
    assert_eq!(gets, examined + read);
    for descending in [false, true] {
        let [gets, examined, read] = during(&|| {
            let mut scan = IndexScan::new(session, &by_c, Bound::Unbounded, Bound::Unbounded, descending).unwrap();
            while scan.next().unwrap().is_some() {}
        });
        assert!(read > 50, "{gets} gets, {examined} as they are, {read} made consistent");
        assert_eq!(gets, examined + read);
    }
    let [gets, examined, _] = during(&|| {
        statistics(session, &by_c).unwrap();
    });
    assert_eq!(gets, examined);
}

#[test]
fn sessions_that_insert_at_once_share_an_index() {
    const SESSIONS: i64 = 5;
    const ROWS: i64 = 4000;
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K2, management, 4 * MB, true);
        let table = database.table("ROWS");
        let by_c = database.index(&table, "C", &["C"], true, 10);
        let by_b = database.index(&table, "B", &["B"], false, 10);
        let table = database.now(&table);
        let threads: Vec<_> = (0..SESSIONS)
            .map(|number| {
                let session = database.instance.connect("SYSTEM").unwrap();
                let table = table.clone();
                // An ever-increasing number, as from a sequence: all go to the right-hand edge.
                let rows = (0..ROWS).map(move |n| {
                    let (a, b, _) = mixed(n);
                    (a, b, n * SESSIONS + number)
                });
                spawn("session", move || insert(&session, &table, rows).unwrap()).unwrap()
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), ROWS as u64);
        }
        let (found, entries) = database.check(&by_c);
        assert_eq!(found.distinct_keys, (SESSIONS * ROWS) as u64);
        let expected: Vec<Key> = (0..SESSIONS * ROWS).map(|n| Key::new([Some(&number(n)[..])])).collect();
        assert!(entries.iter().map(|(key, _)| key).eq(&expected));
        assert_eq!(database.check(&by_b).0.num_rows, (SESSIONS * ROWS) as u64);
    }
}

/// An index segment has blocks that its tree has not taken yet; they are no damage.
#[test]
fn free_blocks_of_an_index_are_written_where_blocks_are_checked() {
    for management in MANAGEMENTS {
        let database = Database::new(BlockSize::K2, management, 4 * MB, true);
        database.session.alter_system("db_block_checking", "full", Scope::Memory).unwrap();
        let table = database.table("T1");
        let index = database.index(&table, "I1", &["A"], false, 10);
        let now = database.now(&table);
        insert(&database.session, &now, (0..2_000).map(mixed)).unwrap();
        database.instance.checkpoint(database.session.meter()).unwrap();
        assert_eq!(database.check(&index).1.len(), 1_960, "{management:?}");
    }
}

#[test]
fn an_index_of_a_segment_that_was_truncated_is_gone() {
    let database = Database::new(BlockSize::K8, SpaceManagement::Auto, 4 * MB, true);
    let table = database.table("ROWS");
    insert(&database.session, &table, (0..5000).map(mixed)).unwrap();
    let index = database.index(&table, "C", &["C"], true, 10);
    let object = database.session.catalog().tables().map(|t| t.object.0).max().unwrap() + 1000;
    let segment = index.segment.truncate(&database.session, common::ObjectNumber(object)).unwrap();
    // Built again in the same segment, it has the same root.
    let emptied = IndexDef { segment: segment.clone(), ..IndexDef::clone(&index) };
    let again = storage::table::build_index(&database.session, &table, &emptied, &segment).unwrap();
    assert_eq!(again.root, index.root);
    assert_eq!(again.statistics, index.statistics.unwrap());
    // A user of the old definition gets an error.
    let error = statistics(&database.session, &index).unwrap_err();
    assert!(error.is_ora(8103), "{error}");
}
