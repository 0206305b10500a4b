//! Of `bench block-size`, the table: web_returns of TPC-DS loaded from its flat file, read from disk in blocks of four
//! sizes beside the disk itself, fetched in arrays of 100, and counted in the cache.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{Clock, Error, Result};
use sql::Connection;
use waits::Statistic;

use super::disk;
use super::outcome::Case;
use crate::block_size::multiblock::{SCALE_FACTOR, SIZES, table};
use crate::interval::median;
use crate::laboratory::{Laboratory, io, numbers};
use crate::progress::Progress;
use crate::text::grouped;
use crate::time::seconds;
use peer::Postgres;

/// The block size that is loaded again in every run, fetched and counted.
const LOADED_BYTES: u32 = 8192;
/// Rows of a fetch.
const ARRAY: usize = 100;
/// The table that is loaded over and over, beside those that stay.
const LOADED: &str = "web_returns_loaded";
const CACHED: &str = "web_returns_cached";
/// Share of the table's rows in the cached part, which fits into the cache of either side.
const CACHED_SHARE: f64 = 0.1;
const FILTER: &str = "wr_return_quantity > 90 and wr_fee < 10";
const MB: f64 = 1_048_576.0;
/// PostgreSQL's column types, as the published ones.
const NUMBERS: usize = 15;

const LEAST_LOAD: f64 = 1.5;
const LEAST_SCAN: f64 = 0.9;
const LEAST_COUNT: f64 = 1.5;
/// Rows a second that are asked for in arrays.
const ASKED_ARRAYS: f64 = 2e6;
/// Largest difference between the scans of the four block sizes.
const SPREAD: f64 = 0.03;

/// The table on our side, and the rates of all runs.
pub(super) struct Flat {
    rows: u64,
    file: PathBuf,
    disks: Vec<PathBuf>,
    cached_rows: u64,
    load: Vec<f64>,
    their_load: Vec<f64>,
    scans: [Vec<f64>; SIZES.len()],
    disk: Vec<f64>,
    arrays: Vec<f64>,
    their_arrays: Vec<f64>,
    count: Vec<f64>,
    their_count: Vec<f64>,
}

impl Flat {
    /// Makes the flat file, the disk group with its tablespaces, and the tables in blocks of each size.
    pub(super) fn new(
        laboratory: &Laboratory,
        connection: &mut Connection,
        scale: f64,
        progress: &mut dyn Progress,
    ) -> Result<Self> {
        let made = table::make_flat_file(laboratory.directory(), scale * SCALE_FACTOR, progress)?;
        let disks = table::make_group(laboratory, connection, scale, progress)?;
        for bytes in SIZES {
            progress.step(&format!("loading {} rows into blocks of {bytes} bytes", grouped(made.rows)));
            table::make(connection, bytes)?;
        }
        let cached_rows = ((made.rows as f64 * CACHED_SHARE) as u64).max(1);
        connection.run(&format!(
            "create table {CACHED} tablespace bench_tbs as select * from {} where rownum <= {cached_rows}",
            table::name_of(LOADED_BYTES)
        ))?;
        connection.run(&format!("alter table {CACHED} cache"))?;
        Ok(Self {
            rows: made.rows,
            file: table::flat_file(laboratory.directory()),
            disks,
            cached_rows,
            load: Vec::new(),
            their_load: Vec::new(),
            scans: Default::default(),
            disk: Vec::new(),
            arrays: Vec::new(),
            their_arrays: Vec::new(),
            count: Vec::new(),
            their_count: Vec::new(),
        })
    }

    /// One run of ours, and of the disk.
    pub(super) fn ours(&mut self, connection: &mut Connection, fio: bool, step: &mut dyn FnMut(&str)) -> Result<()> {
        let clock = Arc::clone(connection.session().meter().clock());
        step("Highwater, load");
        let from_us = clock.monotonic_us();
        connection.run(&format!("create table {LOADED} tablespace bench_tbs as select * from {}_et", table::TABLE))?;
        self.load.push(self.rows as f64 / seconds(clock.monotonic_us() - from_us));
        let found = numbers(connection, &format!("select count(*) from {LOADED}"))?;
        if found != [self.rows] {
            return Err(Error::bug(format!("{} rows were loaded of {}", found[0], self.rows)));
        }
        connection.run(&format!("drop table {LOADED}"))?;
        for (bytes, rates) in SIZES.into_iter().zip(&mut self.scans) {
            step(&format!("Highwater, blocks of {bytes} bytes from disk"));
            rates.push(scan_from_disk(connection, bytes, self.rows)?);
        }
        if fio {
            step("fio");
            let size = std::fs::metadata(&self.disks[0]).map_err(|error| io(&self.disks[0], &error))?.len();
            let rates = self.disks.iter().map(|disk| disk::read(disk, size / 2)).collect::<Result<Vec<_>>>()?;
            // Each disk reads the same number of bytes.
            self.disk.push(rates.len() as f64 / rates.iter().map(|rate| rate.recip()).sum::<f64>());
        }
        step("Highwater, arrays of 100");
        self.arrays.push(fetch_arrays(connection, self.rows)?);
        step("Highwater, count in the cache");
        let text = format!("select count(*) from {CACHED} where {FILTER}");
        numbers(connection, &text)?;
        let from_us = clock.monotonic_us();
        numbers(connection, &text)?;
        self.count.push(self.cached_rows as f64 / seconds(clock.monotonic_us() - from_us));
        Ok(())
    }

    /// Gives PostgreSQL the same file, readable for it, without the delimiter that ends each line: COPY takes that for
    /// another column.
    pub(super) fn prepare(&self, server: &mut Postgres, directory: &Path) -> Result<PathBuf> {
        let path = directory.join("web_returns.copy");
        let failed = |error: std::io::Error| io(&path, &error);
        let mut from =
            BufReader::with_capacity(1 << 20, File::open(&self.file).map_err(|error| io(&self.file, &error))?);
        let mut to = BufWriter::with_capacity(1 << 20, File::create(&path).map_err(failed)?);
        let mut line = Vec::new();
        while from.read_until(b'\n', &mut line).map_err(failed)? > 0 {
            to.write_all(line.trim_ascii_end().strip_suffix(b"|").unwrap_or(line.trim_ascii_end())).map_err(failed)?;
            to.write_all(b"\n").map_err(failed)?;
            line.clear();
        }
        to.flush().map_err(failed)?;
        server.run(&format!("create table {} ({})", table::TABLE, their_columns()))?;
        self.copy(server, table::TABLE, &path)?;
        server.run(&format!("create table {CACHED} as select * from {} limit {}", table::TABLE, self.cached_rows))?;
        server.run(&format!("vacuum (freeze, analyze) {CACHED}"))?;
        server.run(&format!("vacuum (freeze, analyze) {}", table::TABLE))?;
        server.run("checkpoint")?;
        Ok(path)
    }

    fn copy(&self, server: &mut Postgres, table: &str, file: &Path) -> Result<f64> {
        let text = format!("copy {table} from '{}' with (delimiter '|', null '')", file.display());
        let from_us = server.clock().monotonic_us();
        server.run(&text)?;
        Ok(self.rows as f64 / seconds(server.clock().monotonic_us() - from_us))
    }

    /// One run of PostgreSQL's.
    pub(super) fn theirs(
        &mut self,
        server: &mut Postgres,
        file: &Path,
        connection: &mut Connection,
        step: &mut dyn FnMut(&str),
    ) -> Result<()> {
        step("PostgreSQL, load");
        server.run(&format!("create table {LOADED} ({})", their_columns()))?;
        server.run("checkpoint")?;
        let rate = self.copy(server, LOADED, file)?;
        self.their_load.push(rate);
        server.run(&format!("drop table {LOADED}"))?;
        server.run("checkpoint")?;
        step("PostgreSQL, arrays of 100");
        self.their_arrays.push(server.fetch_arrays(&format!("select * from {CACHED}"), ARRAY, self.cached_rows)?);
        step("PostgreSQL, count in the cache");
        let text = format!("select count(*) from {CACHED} where {FILTER}");
        server.number(&text)?;
        let from_us = server.clock().monotonic_us();
        let found = server.number(&text)?;
        self.their_count.push(self.cached_rows as f64 / seconds(server.clock().monotonic_us() - from_us));
        let ours = numbers(connection, &text)?;
        if ours != [found] {
            return Err(Error::bug(format!("the same query counted {ours:?} rows here and {found} in PostgreSQL")));
        }
        Ok(())
    }

    pub(super) fn cases(&self) -> Vec<Case> {
        let case = |name: &str, unit: &str, peer: &str, limit, ours: &Vec<f64>, theirs: &Vec<f64>| {
            Case::new(name, unit, peer, limit, ours.clone(), theirs.clone())
        };
        let mut cases = vec![case(
            "load of web_returns from its flat file",
            "rows/s",
            "PostgreSQL",
            Some(LEAST_LOAD),
            &self.load,
            &self.their_load,
        )];
        for (bytes, rates) in SIZES.into_iter().zip(&self.scans) {
            let name = format!("scan from disk, blocks of {} KB", bytes / 1024);
            cases.push(case(&name, "MB/s", "fio 1 MB O_DIRECT", Some(LEAST_SCAN), rates, &self.disk));
        }
        let asked = vec![ASKED_ARRAYS; self.arrays.len()];
        cases.push(case("all rows in arrays of 100", "rows/s", "2 million rows/s", Some(1.0), &self.arrays, &asked));
        cases.push(case("arrays of 100", "rows/s", "PostgreSQL cursor", None, &self.arrays, &self.their_arrays));
        let name = "count(*) with a filter, cached";
        cases.push(case(name, "rows/s", "PostgreSQL", Some(LEAST_COUNT), &self.count, &self.their_count));
        cases
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = vec![format!(
            "web_returns of TPC-DS: {} rows of 24 columns. Ours: CREATE TABLE AS SELECT from an external table into blocks of 8 KB, committed; \
             PostgreSQL's: COPY of the same file without the last delimiter of each line, numbers bigint and numeric(7,2). Scans: count(*), nothing \
             cached, read past the cache from a disk group of {} files. Arrays: select * of the uncached table in blocks of 8 KB, 24 columns in \
             arrays in this process; PostgreSQL's: FETCH 100 of a cursor over the cached table. Cached: {} rows",
            grouped(self.rows),
            self.disks.len(),
            grouped(self.cached_rows)
        )];
        let medians: Vec<f64> = self.scans.iter().filter_map(|rates| median(rates)).collect();
        if let (Some(least), Some(most)) =
            (medians.iter().copied().reduce(f64::min), medians.iter().copied().reduce(f64::max))
        {
            let apart = (most - least) / most;
            notes.push(format!(
                "the four block sizes' scans are {:.1} % apart by their medians; at most {:.0} % is asked for: {}",
                apart * 100.0,
                SPREAD * 100.0,
                if apart <= SPREAD { "yes" } else { "no" }
            ));
        }
        notes
    }
}

fn their_columns() -> String {
    let columns: Vec<String> = table::columns()
        .enumerate()
        .map(|(at, name)| format!("{name} {}", if at < NUMBERS { "bigint" } else { "numeric(7,2)" }))
        .collect();
    columns.join(", ")
}

/// Counts the rows with nothing of the table cached: megabytes a second, from the blocks that were read.
fn scan_from_disk(connection: &mut Connection, bytes: u32, rows: u64) -> Result<f64> {
    connection.run("alter system flush buffer_cache")?;
    let meter = Arc::clone(connection.session().meter());
    let before = meter.value(Statistic::PhysicalReads);
    let from_us = meter.clock().monotonic_us();
    let found = numbers(connection, &format!("select count(*) from {}", table::name_of(bytes)))?;
    let time_s = seconds(meter.clock().monotonic_us() - from_us);
    let blocks = meter.value(Statistic::PhysicalReads) - before;
    if found != [rows] || blocks == 0 {
        return Err(Error::bug(format!("{found:?} rows of {rows} were found, {blocks} blocks read")));
    }
    Ok(blocks as f64 * f64::from(bytes) / MB / time_s)
}

/// Fetches the table from its first row to its last: rows a second.
fn fetch_arrays(connection: &mut Connection, rows: u64) -> Result<f64> {
    connection.run("alter system flush buffer_cache")?;
    let clock = Arc::clone(connection.session().meter().clock());
    let from_us = clock.monotonic_us();
    let cursor = connection.parse(&format!("select * from {}", table::name_of(LOADED_BYTES)))?;
    let mut found = 0;
    connection.execute(cursor)?;
    loop {
        let fetched = connection.fetch_arrays(cursor, ARRAY)?;
        found += fetched.rows() as u64;
        if fetched.end {
            break;
        }
    }
    connection.close(cursor);
    if found != rows {
        return Err(Error::bug(format!("{found} rows of {rows} were fetched")));
    }
    Ok(rows as f64 / seconds(clock.monotonic_us() - from_us))
}
