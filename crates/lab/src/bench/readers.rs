//! `bench readers`: full scans of one cached table by two sessions at once, compared with scans by one. No session
//! changes the table. So the rows a second that are missing to twice the rate are the cost that readers of the same
//! blocks impose on each other, and the resources that two cores of the machine share.

use std::sync::{Arc, Barrier};

use common::{Error, ErrorKind, Result};
use sql::Connection;
use waits::Statistic;

use super::BenchOptions;
use super::outcome::{Case, Outcome};
use super::together::together;
use crate::laboratory::{Laboratory, numbers};
use crate::progress::Progress;
use crate::text::grouped;
use crate::time::seconds;

const TABLE: &str = "read_source";
/// Rows of the table at scale 1; the power of two that is not less.
const ROWS: f64 = 500_000.0;
const FILLER_BYTES: usize = 80;
/// Scans that each session makes in a run.
const SCANS: u64 = 10;
/// Required rate of two sessions on two cores, as a multiple of that of one.
const ASKED: f64 = 1.7;
/// The queries that scan.
const QUERIES: [(&str, &str); 2] = [
    ("full scan, count(*)", "select count(*) from read_source"),
    ("full scan with a filter", "select count(*) from read_source where kind = 'cold' and n >= 0"),
];

pub(super) fn run(options: &BenchOptions, progress: &mut dyn Progress) -> Result<Outcome> {
    let home = super::home(options)?;
    progress.step("creating the table");
    let parameters = [("db_cache_size", format!("{}M", options.cache_mb))];
    let laboratory = Laboratory::create(Some(&home.path().join("highwater")), options.device.as_ref(), parameters)?;
    let mut connection = laboratory.connect()?;
    let rows = fill(&mut connection, ROWS * options.scale)?;
    laboratory.database().instance().checkpoint(connection.session().meter())?;
    let mut side = Side { laboratory, connection, rows, reads: 0, scanned: 0 };
    let mut cases = Vec::new();
    for (name, query) in QUERIES {
        let (mut one, mut two) = (Vec::new(), Vec::new());
        side.scans(1, query)?;
        (side.reads, side.scanned) = (0, 0);
        for number in 1..=options.runs {
            progress.step(&format!("run {number} of {}: {name}", options.runs));
            one.push(side.scans(1, query)?);
            two.push(side.scans(2, query)?);
        }
        // The dictionary's blocks may be among them.
        if side.reads * 100 > side.scanned {
            let why = format!("{} blocks were read from disk: the table does not fit into the cache", side.reads);
            return Err(Error::own(ErrorKind::User, 3, why));
        }
        cases.push(Case::new(name, "rows/s", "one session", Some(ASKED), two, one));
    }
    progress.end();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let notes = vec![format!(
        "{} rows of about 100 bytes, all in the cache; {SCANS} scans a session in a run; {} runs of one session and of two in turn; {cores} cores{}",
        grouped(rows),
        options.runs,
        if cfg!(debug_assertions) { "; A DEBUG BUILD: times mean nothing" } else { "" }
    )];
    let skipped =
        if cores < 2 { vec!["one core: two sessions cannot do more than one".to_owned()] } else { Vec::new() };
    let Side { laboratory, connection, .. } = side;
    drop(connection);
    laboratory.close()?;
    Ok(Outcome { name: "readers".to_owned(), cases, notes, skipped, device: None })
}

/// Makes the table by doubling; how many rows it has.
fn fill(connection: &mut Connection, least: f64) -> Result<u64> {
    connection.run(
        "create tablespace bench_tbs datafile 'bench01.dbf' size 64M autoextend on next 64M \
         extent management local autoallocate segment space management auto",
    )?;
    connection.run(&format!(
        "create table {TABLE} (n number, kind varchar2(10), filler varchar2({FILLER_BYTES})) tablespace bench_tbs"
    ))?;
    connection.run(&format!("alter table {TABLE} cache"))?;
    let filler = "x".repeat(FILLER_BYTES);
    for (n, kind) in ["warm", "cold", "warm", "warm"].into_iter().enumerate() {
        connection.run(&format!("insert into {TABLE} values ({n}, '{kind}', '{filler}')"))?;
    }
    let mut rows = 4_u64;
    while (rows as f64) < least {
        connection.run(&format!("insert into {TABLE} select * from {TABLE}"))?;
        connection.run("commit")?;
        rows *= 2;
    }
    connection.run("commit")?;
    Ok(rows)
}

struct Side {
    laboratory: Laboratory,
    connection: Connection,
    rows: u64,
    /// Blocks that were read from disk.
    reads: u64,
    /// Blocks that were scanned.
    scanned: u64,
}

impl Side {
    /// All sessions' rows a second, from the first's begin to the last's end.
    fn scans(&mut self, sessions: u32, query: &str) -> Result<f64> {
        let counted = || self.laboratory.database().instance().system_meter().snapshot();
        let before = counted();
        let clock = Arc::clone(self.connection.session().meter().clock());
        let connections = (0..sessions).map(|_| self.laboratory.connect()).collect::<Result<Vec<_>>>()?;
        let time_us = together(&*clock, connections, |_, mut connection, begin: &Barrier| {
            begin.wait();
            for _ in 0..SCANS {
                numbers(&mut connection, query)?;
            }
            Ok(())
        })?;
        let counted = counted().minus(&before);
        self.reads += counted.value(Statistic::PhysicalReads);
        self.scanned += counted.value(Statistic::TableScanBlocksGotten);
        Ok((u64::from(sessions) * SCANS * self.rows) as f64 / seconds(time_us.max(1)))
    }
}
