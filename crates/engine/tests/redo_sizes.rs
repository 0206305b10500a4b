//! Redo volume beside the published figures for the same work: line items of TPC-H into a table without an index, one a
//! statement.
//!
//! The published figures are read only for the comparison; where they are missing, the test prints the measured figures
//! and skips the comparison with a line that says so.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking and says what it has measured")]

use std::path::Path;

use common::sync::Arc;
use common::{BlockClass, DataType, SystemClock};
use device::{FileSystem, MemoryFileSystem};
use engine::ddl::TableSpec;
use engine::dictionary::{ColumnDef, TableDef};
use engine::instance::{Instance, Session};
use engine::startup::CreateOptions;
use format::date::DateTime;
use format::number;
use format::redo::{CHANGE, Record};
use storage::redo::{Rba, RedoReader};
use storage::table::Inserter;
use storage::txn::CommitWrite;
use tpchgen::generators::{LineItem, LineItemGenerator};
use waits::Statistic;

const DIRECTORY: &str = "/database";

// The rows, with their source.
//
// Columns: LINEITEM of the TPC-H specification (clause 1.4.1). "Identifier" and "integer" are whole numbers, "decimal"
// has two places, "date" is a date, "variable text, size N" is VARCHAR2(N), and "fixed text, size N" is a string of N
// characters that is blank where the value is shorter: CHAR(N). L_RETURNFLAG and L_LINESTATUS are fixed text of 1,
// L_SHIPINSTRUCT of 25, L_SHIPMODE of 10, L_COMMENT variable text of 44. The published script declares none of this: it
// takes its rows with %ROWTYPE from a table of TPC-H's names, whose statement has 16 values.
//
// Scale: the specification makes about 6,000,000 line items at scale factor 1 (clause 4.2.5), so the billion that were
// published are 1,000,000,000 / 6,000,000 = 167. The script copies rows from the first on until there are 48,220,000,
// some 5 % of them. L_ORDERKEY rises through them, and L_PARTKEY (1 to 200,000 times the scale) and L_SUPPKEY (10,000
// times it) are as long as at that scale from the first row on: NUMBER takes a byte for two digits, so rows at scale 1
// are shorter.
//
// Before that (until "engine: the redo test takes line items as TPC-H declares them") fixed text was VARCHAR2 of the
// value's own length and rows were the first at scale 1. A row was shorter then: by 13 bytes of L_SHIPINSTRUCT on
// average (its four values have 11, 4, 16 and 17 of 25 characters), 5.7 of L_SHIPMODE (its seven have 7, 3, 4, 4, 5, 4
// and 3 of 10), and by the digits of keys. Redo of nine rows and a commit was 3,054 bytes with those rows and is 3,275
// with these (19 % below the published figure; with the earlier rows it is below the 20 % that the test allows). The
// test of redo measures and prints both.

/// A range of line items, and the form of their fixed text.
#[derive(Clone, Copy)]
struct Workload {
    scale: f64,
    /// Rows are taken from this part of so many.
    part: i32,
    parts: i32,
    /// Fixed text is CHAR, not VARCHAR2.
    fixed: bool,
}

/// The middle of the rows that were copied, so that keys are as long.
const DECLARED: Workload = Workload { scale: 167.0, part: 24, parts: 1000, fixed: true };
/// The rows of the test before.
const EARLIER: Workload = Workload { scale: 1.0, part: 1, parts: 1, fixed: false };

struct Stage {
    files: Arc<dyn FileSystem>,
    instance: Arc<Instance>,
    session: Arc<Session>,
    table: Arc<TableDef>,
    workload: Workload,
}

fn stage(workload: Workload) -> Stage {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::default());
    let options = CreateOptions {
        parameters: vec![("db_cache_size".to_owned(), "64M".to_owned())],
        log_bytes: 64 << 20,
        ..CreateOptions::default()
    };
    let clock = Arc::new(SystemClock::default());
    let instance = Instance::create(files.clone(), Path::new(DIRECTORY), clock, None, &options).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    let number = |precision, scale| DataType::Number { precision: Some(precision), scale };
    let text = |bytes| DataType::Varchar2 { bytes };
    let fixed = |bytes| if workload.fixed { DataType::Char { bytes } } else { text(bytes) };
    let columns = [
        ("L_ORDERKEY", number(10, 0)),
        ("L_PARTKEY", number(10, 0)),
        ("L_SUPPKEY", number(10, 0)),
        ("L_LINENUMBER", number(10, 0)),
        ("L_QUANTITY", number(15, 2)),
        ("L_EXTENDEDPRICE", number(15, 2)),
        ("L_DISCOUNT", number(15, 2)),
        ("L_TAX", number(15, 2)),
        ("L_RETURNFLAG", fixed(1)),
        ("L_LINESTATUS", fixed(1)),
        ("L_SHIPDATE", DataType::Date),
        ("L_COMMITDATE", DataType::Date),
        ("L_RECEIPTDATE", DataType::Date),
        ("L_SHIPINSTRUCT", fixed(25)),
        ("L_SHIPMODE", fixed(10)),
        ("L_COMMENT", text(44)),
    ];
    let columns =
        columns.map(|(name, data_type)| ColumnDef { name: name.to_owned(), data_type, nullable: true, default: None });
    let table = session.create_table(&TableSpec::new("SYSTEM", "DUP_LINEITEM", columns.to_vec())).unwrap();
    Stage { files, instance, session, table, workload }
}

/// A value of fixed text.
fn padded(text: &str, bytes: usize) -> Vec<u8> {
    format!("{text:<bytes$}").into_bytes()
}

fn encoded(item: &LineItem<'_>, workload: Workload) -> Vec<Vec<u8>> {
    let fixed = |text: &str, bytes| if workload.fixed { padded(text, bytes) } else { text.as_bytes().to_vec() };
    let integer = |value: i64| number::encode_i64(value).to_vec();
    let decimal = |hundredths: i64| number::encode_i128(i128::from(hundredths), 2).unwrap().to_vec();
    let date = |days: i32| DateTime::from_unix_seconds(i64::from(days) * 86_400).unwrap().date().to_vec();
    vec![
        integer(item.l_orderkey),
        integer(item.l_partkey),
        integer(item.l_suppkey),
        integer(i64::from(item.l_linenumber)),
        integer(item.l_quantity),
        decimal(item.l_extendedprice.into_inner()),
        decimal(item.l_discount.into_inner()),
        decimal(item.l_tax.into_inner()),
        item.l_returnflag.as_bytes().to_vec(),
        item.l_linestatus.as_bytes().to_vec(),
        date(item.l_shipdate.to_unix_epoch()),
        date(item.l_commitdate.to_unix_epoch()),
        date(item.l_receiptdate.to_unix_epoch()),
        fixed(item.l_shipinstruct, 25),
        fixed(item.l_shipmode, 10),
        item.l_comment.as_bytes().to_vec(),
    ]
}

impl Stage {
    /// Inserts line items, one a statement, and calls `after` with the number of rows so far after each.
    fn insert(&self, rows: usize, mut after: impl FnMut(usize)) {
        let Workload { scale, part, parts, .. } = self.workload;
        for (item, row) in LineItemGenerator::new(scale, part, parts).iter().zip(1..=rows) {
            let columns = encoded(&item, self.workload);
            let columns: Vec<Option<&[u8]>> = columns.iter().map(|column| Some(&column[..])).collect();
            let _entered = self.session.enter(self.session.begin_snapshot());
            let mut inserter = Inserter::new(self.session.worker().clone(), self.table.heap().clone()).unwrap();
            inserter.push(&columns).unwrap();
            assert_eq!(inserter.finish().unwrap(), 1);
            after(row);
        }
    }

    fn value(&self, statistic: Statistic) -> u64 {
        self.session.meter().value(statistic)
    }

    fn here(&self) -> Rba {
        let redo = self.instance.redo();
        redo.flush(redo.end()).unwrap();
        redo.position(redo.end())
    }

    /// Bytes and number of the session's redo vectors, from `from` on, that change undo blocks.
    fn undo_vectors(&self, from: Rba) -> (u64, u64) {
        self.here();
        let data = self.instance.control().data().clone();
        let (directory, groups) = (Path::new(DIRECTORY), &data.log_groups);
        let mut reader = RedoReader::open(self.files.clone(), directory, data.database_id, groups, from, None).unwrap();
        let (mut bytes, mut count) = (0, 0);
        while let Some((_, record)) = reader.next().unwrap() {
            let record = Record::parse(record).unwrap();
            for vector in record.vectors().unwrap() {
                let undo = vector.code == CHANGE && vector.class == BlockClass::UndoBlock as u16;
                if undo && record.session == self.session.sid() {
                    (bytes, count) = (bytes + vector.bytes() as u64, count + 1);
                }
            }
        }
        (bytes, count)
    }
}

/// The published figures of an experiment; None, with a printed line, where they are missing.
fn published(section: &str) -> Option<toml::Table> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/papers/write-accelerator.toml");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("not compared: {} is not there", path.display());
        return None;
    };
    let table: toml::Table = text.parse().unwrap();
    Some(table[section]["disk"].as_table().unwrap().clone())
}

fn figure(table: &toml::Table, name: &str) -> f64 {
    let value = &table[name];
    value.as_float().unwrap_or_else(|| value.as_integer().unwrap() as f64)
}

/// A commit after every ninth row. All redo of the session counts, as `redo size` of V$MYSTAT has it: that of space and
/// of cleaning out is part of it.
fn redo_a_transaction(workload: Workload) -> f64 {
    let stage = stage(workload);
    // The segment's and the undo segments' first blocks are not measured.
    stage.insert(9, |_| ());
    stage.session.commit(CommitWrite::default()).unwrap();
    let (before, transactions) = (stage.value(Statistic::RedoSize), 400);
    stage.insert(9 * transactions, |row| {
        if row % 9 == 0 {
            stage.session.commit(CommitWrite::default()).unwrap();
        }
    });
    let bytes = (stage.value(Statistic::RedoSize) - before) as f64 / transactions as f64;
    stage.instance.shutdown().unwrap();
    bytes
}

#[test]
fn redo_of_nine_line_items_and_a_commit() {
    let (bytes, earlier) = (redo_a_transaction(DECLARED), redo_a_transaction(EARLIER));
    println!("with fixed text as VARCHAR2, first rows at scale 1: {earlier:.0} bytes");
    assert!(earlier < bytes, "blanks and digits of keys are not in the redo: {earlier} and {bytes} bytes");
    println!("redo of nine line items and a commit: {bytes:.0} bytes");
    if let Some(figures) = published("redo") {
        let published = figure(&figures, "redo_per_txn");
        println!("published: {published:.0} bytes, {:+.1} %", 100.0 * (bytes / published - 1.0));
        assert!((bytes / published - 1.0).abs() <= 0.20, "{bytes} bytes, published are {published}");
    }
}

/// The published figure is the statistic `undo change vector size` over the rows of a run that inserts 999 rows and
/// rolls them back, again and again. The statistic counts bytes of redo: vectors that put an undo record into an undo
/// block, with their headers. So it is whole vectors that are compared, on the average of such a transaction, and not
/// undo records as they lie in their blocks (31 bytes with the directory entry, 47 for a transaction's first in a
/// block, which tells of an ITL slot, too): those are in the vectors, beside the vector's header of 28 bytes and what
/// tells where its pieces go. Undoing makes no undo records, so it adds nothing, as in the published run, where every
/// row was undone.
#[test]
fn undo_vectors_of_rows_without_an_index() {
    const ROWS: u64 = 999;
    let stage = stage(DECLARED);
    stage.insert(9, |_| ());
    stage.session.commit(CommitWrite::default()).unwrap();
    let from = stage.here();
    let before = stage.value(Statistic::UndoChangeVectorSize);
    stage.insert(ROWS as usize, |_| ());
    let counted = stage.value(Statistic::UndoChangeVectorSize) - before;
    // The log holds the counted vectors.
    assert_eq!(stage.undo_vectors(from), (counted, ROWS));
    stage.session.rollback().unwrap();
    assert_eq!(stage.value(Statistic::UndoChangeVectorSize) - before, counted);
    let bytes = counted as f64 / ROWS as f64;
    println!("undo change vectors of an insert without an index: {bytes:.1} bytes a row");
    if let Some(figures) = published("undo") {
        let published = figure(&figures, "undo_change_vector_bytes") / figure(&figures, "rollback_records_applied");
        println!("published: {published:.1} bytes, {:+.1} %", 100.0 * (bytes / published - 1.0));
        assert!((bytes / published - 1.0).abs() <= 0.25, "{bytes} bytes, published are {published}");
    }
    stage.instance.shutdown().unwrap();
}
