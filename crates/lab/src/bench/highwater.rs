//! Our side of a benchmark.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{Clock, Error, Result};
use engine::instance::Session;
use sql::Connection;
use waits::Statistic;

use super::BenchOptions;
use super::insert::{FILTER, SOURCE, Side, TARGET};
use crate::laboratory::{Laboratory, load, numbers};
use crate::progress::Progress;
use crate::source::{Rows, Shape};
use crate::time::seconds;

/// Of a table that is read from disk: so many times the source's rows.
const BIG_COPIES: u32 = 8;
const MB: f64 = 1_048_576.0;

#[derive(Debug)]
pub(super) struct Highwater {
    laboratory: Laboratory,
    connection: Connection,
    datafile: PathBuf,
}

impl Highwater {
    pub(super) fn start(directory: &Path, options: &BenchOptions) -> Result<Self> {
        let directory = directory.join("highwater");
        let parameters = [("db_cache_size", format!("{}M", options.cache_mb))];
        let laboratory = Laboratory::create(Some(&directory), options.device.as_ref(), parameters)?;
        let mut connection = laboratory.connect()?;
        let megabytes = (1_000.0 * options.scale).max(64.0).ceil();
        connection.run(&format!(
            "create tablespace bench_tbs datafile 'bench01.dbf' size {megabytes}M \
             extent management local autoallocate segment space management auto"
        ))?;
        Ok(Self { laboratory, connection, datafile: directory.join("bench01.dbf") })
    }

    fn session(&self) -> &Arc<Session> {
        self.connection.session()
    }

    fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(self.session().meter().clock())
    }

    fn timed(&mut self, work: impl FnOnce(&mut Self) -> Result<()>) -> Result<f64> {
        let clock = self.clock();
        let from_us = clock.monotonic_us();
        work(self)?;
        Ok(seconds(clock.monotonic_us() - from_us))
    }

    /// Makes a table that is large enough to be read from disk; returns the file that it lies in and its bytes.
    pub(super) fn make_big_table(&mut self) -> Result<(PathBuf, u64)> {
        self.connection.run(&format!("create table big tablespace bench_tbs as select * from {SOURCE} where 1=2"))?;
        for _ in 0..BIG_COPIES {
            self.connection.run(&format!("insert into big select * from {SOURCE}"))?;
        }
        self.connection.run("commit")?;
        self.checkpoint()?;
        let blocks = numbers(&mut self.connection, "select blocks from user_segments where segment_name = 'BIG'")?;
        let block_bytes = self.laboratory.database().instance().block_size().bytes() as u64;
        Ok((self.datafile.clone(), blocks.first().copied().unwrap_or(0) * block_bytes))
    }

    /// Reads the big table with nothing of it in the cache: megabytes a second, from the blocks that were read.
    pub(super) fn scan_from_disk(&mut self) -> Result<f64> {
        self.connection.run("alter system flush buffer_cache")?;
        let meter = Arc::clone(self.session().meter());
        let before = meter.value(Statistic::PhysicalReads);
        let time_s = self.timed(|side| numbers(&mut side.connection, "select count(*) from big").map(drop))?;
        let blocks = meter.value(Statistic::PhysicalReads) - before;
        if blocks == 0 {
            return Err(Error::bug("a scan after flushing the cache read nothing"));
        }
        let block_bytes = self.laboratory.database().instance().block_size().bytes() as f64;
        Ok(blocks as f64 * block_bytes / MB / time_s)
    }

    pub(super) fn stop(self) -> Result<()> {
        drop(self.connection);
        self.laboratory.close()
    }
}

impl Side for Highwater {
    fn load(&mut self, shape: &Shape, rows: &mut dyn Rows, progress: &mut dyn Progress) -> Result<()> {
        load(&mut self.connection, SOURCE, shape, rows, progress)?;
        self.connection.run(&format!("alter table {SOURCE} cache"))?;
        self.connection.query(&format!("select count(*) from {SOURCE}"))?;
        self.checkpoint().map(drop)
    }

    fn fresh_target(&mut self) -> Result<()> {
        let catalog = self.session().catalog();
        if catalog.table(&self.session().user(), &TARGET.to_uppercase()).is_some() {
            self.connection.run(&format!("drop table {TARGET}"))?;
        }
        self.connection
            .run(&format!("create table {TARGET} tablespace bench_tbs as select * from {SOURCE} where 1=2"))?;
        self.checkpoint().map(drop)
    }

    fn insert_select(&mut self) -> Result<f64> {
        self.timed(|side| {
            side.connection.run(&format!("insert into {TARGET} select * from {SOURCE}"))?;
            side.connection.run("commit").map(drop)
        })
    }

    fn create_index(&mut self, key: &str) -> Result<f64> {
        self.timed(|side| {
            side.connection.run(&format!("create index {TARGET}_ndx on {TARGET}({key}) tablespace bench_tbs")).map(drop)
        })
    }

    fn checkpoint(&mut self) -> Result<f64> {
        self.timed(|side| {
            let meter = Arc::clone(side.session().meter());
            side.laboratory.database().instance().checkpoint(&meter)
        })
    }

    fn filtered_scan(&mut self) -> Result<(f64, u64)> {
        let mut count = 0;
        let text = format!("select count(*) from {TARGET} where {FILTER}");
        let time_s = self.timed(|side| {
            count = numbers(&mut side.connection, &text)?.first().copied().unwrap_or(0);
            Ok(())
        })?;
        Ok((time_s, count))
    }
}
