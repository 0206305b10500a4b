//! The statements of the published test case: a table of short rows, and one update that makes each of them longer.

use std::sync::Arc;

use common::Result;
use engine::instance::Session;
use sql::Connection;
use waits::Statistic;

use super::flamegraph::{self, Picture};
use super::measured::{Rest, Run};
use super::setting::{LEGACY_SEARCH, PCTFREE, SIZES, tablespace};
use super::{Known, NAME, Paper};
use crate::block_size::cache_parameter;
use crate::experiment::plan::{Plan, Turn};
use crate::experiment::setting::Setting;
use crate::experiment::workload::Workload;
use crate::laboratory::{Laboratory, numbers};
use crate::progress::Progress;
use crate::time::seconds;

/// Rows at scale 1.
const ROWS: f64 = 200_000.0;
const ROWS_LEAST: f64 = 1_000.0;
/// Megabytes of cache of each block size: the tables stay in it.
const CACHE_MB: f64 = 64.0;
/// Megabytes of a datafile at scale 1, as in the published script.
const DATAFILE_MB: f64 = 100.0;
const DATAFILE_MB_LEAST: f64 = 8.0;

/// Rows of every table.
pub(super) fn rows(plan: &Plan) -> u64 {
    (ROWS * plan.scale).max(ROWS_LEAST).round() as u64
}

/// A database with a tablespace of each block size.
#[derive(Debug)]
pub struct Work {
    laboratory: Laboratory,
    rows: u64,
    cache_mb: f64,
    /// Of one more update, that is to be drawn.
    picture: Option<Picture>,
}

impl Workload for Work {
    type Run = Run;
    type Rest = Rest;
    type Known = Known;
    type Paper = Paper;

    fn open(plan: &Plan, _: &mut dyn Progress) -> Result<Self> {
        let picture = plan.options.flamegraph.as_deref().map(Picture::create).transpose()?;
        let cache_mb = (CACHE_MB * plan.scale.max(0.25)).ceil();
        let parameters = SIZES.map(|bytes| (cache_parameter(bytes), format!("{cache_mb}M")));
        let laboratory = Laboratory::create(plan.options.data.as_deref(), plan.options.device.as_ref(), parameters)?;
        create_tablespaces(&mut laboratory.connect()?, plan.scale)?;
        Ok(Self { laboratory, rows: rows(plan), cache_mb, picture })
    }

    fn run(&mut self, setting: Setting, _: Turn, _: &mut dyn Progress) -> Result<Run> {
        run_watched(&self.laboratory, setting, self.rows, |_, update| update())
    }

    fn rest(&mut self, progress: &mut dyn Progress) -> Result<Rest> {
        let picture = self.picture.take().map(|picture| {
            progress.step(&format!("the stacks of {}", flamegraph::arm().name()));
            picture.draw(&self.laboratory, self.rows)
        });
        Ok(Rest { rows: self.rows, flame: picture.transpose()? })
    }

    fn notes(&self) -> Vec<String> {
        let cache_mb = self.cache_mb;
        vec![format!("{NAME}: {cache_mb} MB of cache of each block size; a checkpoint before each update")]
    }

    fn close(self) -> Result<()> {
        self.laboratory.close()
    }
}

/// Makes a tablespace of each block size.
pub(super) fn create_tablespaces(connection: &mut Connection, scale: f64) -> Result<()> {
    let megabytes = (DATAFILE_MB * scale).max(DATAFILE_MB_LEAST).ceil();
    for bytes in SIZES {
        let kilobytes = bytes / 1024;
        connection.run(&format!(
            "create tablespace rm_{kilobytes}k datafile 'rm_{kilobytes}k.dbf' size {megabytes}M blocksize {kilobytes}k \
             extent management local autoallocate segment space management auto"
        ))?;
    }
    Ok(())
}

/// Makes the arm's table, fills it, updates it, and drops it; `watch` does the update, and may do something before and
/// after it.
pub(super) fn run_watched(
    laboratory: &Laboratory,
    setting: Setting,
    rows: u64,
    watch: impl FnOnce(&Arc<Session>, &mut dyn FnMut() -> Result<()>) -> Result<()>,
) -> Result<Run> {
    let mut connection = laboratory.connect()?;
    connection.run(&format!("alter session set \"_legacy_space_search\" = {}", setting.is_on(&LEGACY_SEARCH)))?;
    connection.run("begin dbms_random.seed(0); end;")?;
    connection.run(&format!(
        "create table t1 (n1 number, n2 number) pctfree {} tablespace {}",
        setting.number(&PCTFREE),
        tablespace(setting)
    ))?;
    connection.run(&format!(
        "insert into t1 (n1) select trunc(dbms_random.value(10000000, 100000000)) from dual connect by level <= {rows}"
    ))?;
    connection.run("commit")?;
    let before = statistics(&mut connection)?;
    let block = "dbms_rowid.rowid_block_number(rowid)";
    let filled = numbers(
        &mut connection,
        &format!(
            "select c from (select count(*) c from t1 group by {block}) group by c order by count(*) desc, c desc"
        ),
    )?;
    // The inserted blocks are written now, and not while the update runs.
    laboratory.database().instance().checkpoint(connection.session().meter())?;
    let meter = Arc::clone(connection.session().meter());
    let (counted, clock) = (meter.snapshot(), Arc::clone(meter.clock()));
    let began = clock.monotonic_us();
    let session = Arc::clone(connection.session());
    watch(&session, &mut || connection.run("update t1 set n2 = n1").map(drop))?;
    connection.run("commit")?;
    let update_s = seconds(clock.monotonic_us() - began);
    let counted = meter.snapshot().minus(&counted);
    let after = statistics(&mut connection)?;
    connection.run("analyze table t1 compute statistics")?;
    let migrated = numbers(&mut connection, "select chain_cnt from user_tables where table_name = 'T1'")?;
    let (before_scan, began) = (meter.snapshot(), clock.monotonic_us());
    connection.query("select sum(n2) from t1")?;
    let scan_s = seconds(clock.monotonic_us() - began);
    let scanned = meter.snapshot().minus(&before_scan);
    connection.run("drop table t1")?;
    Ok(Run {
        blocks: [before[0], after[0]],
        average_row_bytes: [before[1], after[1]],
        rows_a_block: filled.first().copied().unwrap_or(0),
        migrated: migrated.first().copied().unwrap_or(0),
        update_s,
        current_gets: counted.value(Statistic::DbBlockGets),
        redo_bytes: counted.value(Statistic::RedoSize),
        scan_s,
        scan_gets: scanned.value(Statistic::ConsistentGets),
    })
}

/// BLOCKS and AVG_ROW_LEN.
fn statistics(connection: &mut Connection) -> Result<[u64; 2]> {
    connection.run("begin dbms_stats.gather_table_stats(user, 'T1'); end;")?;
    let found = numbers(connection, "select blocks, avg_row_len from user_tables where table_name = 'T1'")?;
    Ok([found.first().copied().unwrap_or(0), found.get(1).copied().unwrap_or(0)])
}
