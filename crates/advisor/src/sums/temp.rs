//! Temporary tablespaces: their share of the I/O, and the work areas that spilled.
//!
//! Shares of bytes set no severity; the waits of foreground processes do. Waits for direct path I/O do not measure I/O
//! time (many requests are in flight, and one wait may stand for several of them or for none), so latencies come from
//! the file and tablespace tables.

use report::model::Report;

use super::counted;
use super::foreground::Foreground;
use super::ledger::{Ledger, input};

#[derive(Debug, Default)]
pub(crate) struct Temp {
    /// Foreground seconds in direct path reads and writes of temp.
    pub(crate) wait_s: Option<f64>,
    /// The events that they are.
    pub(crate) names: [&'static str; 2],
    /// Before 10g: the events are of all direct path I/O, of scans by parallel servers too.
    pub(crate) unnamed: bool,
    pub(crate) one_pass: Option<f64>,
    pub(crate) multi_pass: Option<f64>,
    pub(crate) optimal: Option<f64>,
    pub(crate) sorts_disk: Option<f64>,
    /// Of all blocks read and written by the instance.
    pub(crate) share: Option<f64>,
    pub(crate) reads: Option<f64>,
    pub(crate) read_ms: Option<f64>,
    pub(crate) writes: Option<f64>,
    pub(crate) write_ms: Option<f64>,
}

impl Temp {
    pub(crate) fn of(report: &Report, foreground: &Foreground, ledger: &mut Ledger) -> Self {
        let unnamed = report.identity.major_release().is_some_and(|release| release < 10);
        let names = if unnamed {
            ["direct path read", "direct path write"]
        } else {
            ["direct path read temp", "direct path write temp"]
        };
        let wait_s = match names.map(|name| foreground.seconds(name)) {
            [Some(read), Some(write)] => Some(read + write),
            [read, write] => read.or(write),
        };
        ledger.figure("temp_wait_s", wait_s);
        let statistic = |name: &str| counted(report, name);
        let histogram = |take: fn(&report::model::PgaHistogramLine) -> Option<f64>| {
            report.pga_histogram.as_ref().map(|lines| lines.iter().filter_map(take).sum::<f64>())
        };
        let one_pass = statistic("workarea executions - onepass").or_else(|| histogram(|line| line.one_pass));
        let multi_pass = statistic("workarea executions - multipass").or_else(|| histogram(|line| line.multi_pass));
        let optimal = statistic("workarea executions - optimal").or_else(|| histogram(|line| line.optimal));
        let direct = |kind: &str| {
            statistic(&format!("physical {kind} direct temporary tablespace")).or_else(|| {
                // Printed names are cut, and the tail is not always known.
                let beginning = format!("physical {kind} direct tem");
                report.statistics.as_ref()?.iter().find(|line| line.name.starts_with(&beginning))?.total
            })
        };
        let (read_blocks, write_blocks) = (direct("reads"), direct("writes"));
        let blocks = read_blocks.zip(write_blocks).map(|(read, write)| read + write);
        let all_blocks =
            statistic("physical reads").zip(statistic("physical writes")).map(|(reads, writes)| reads + writes);
        let share = match (blocks, all_blocks.filter(|all| *all > 0.0)) {
            (Some(blocks), Some(all)) => {
                let inputs = vec![
                    input("temp blocks read and written", blocks, "blocks", "Instance Activity Stats"),
                    input("physical reads + physical writes", all, "blocks", "Instance Activity Stats"),
                ];
                ledger.enter("temp_io_share", blocks / all, "temp blocks / all blocks read and written", inputs);
                Some(blocks / all)
            }
            _ => None,
        };
        let lines = report.tablespaces.iter().flatten().filter(|line| is_temp(&line.tablespace)).collect::<Vec<_>>();
        let reads = sum(lines.iter().filter_map(|line| line.reads.map(|reads| reads.value)));
        let writes = sum(lines.iter().filter_map(|line| line.writes.map(|writes| writes.value)));
        let weighted = |count: Option<f64>, pairs: Vec<(f64, f64)>| {
            let count = count.filter(|count| *count > 0.0)?;
            (!pairs.is_empty()).then(|| pairs.iter().map(|(count, time)| count * time).sum::<f64>() / count)
        };
        let read_ms =
            weighted(reads, lines.iter().filter_map(|line| Some((line.reads?.value, line.read_ms?.value))).collect());
        let write_ms = weighted(
            writes,
            lines.iter().filter_map(|line| Some((line.writes?.value, line.write_ms?.value))).collect(),
        );
        let by_type = report.io_by_file_type.iter().flatten().find(|line| line.name.eq_ignore_ascii_case("temp file"));
        let read_ms = read_ms.or_else(|| {
            by_type.and_then(|line| line.large_read_ms.or(line.small_read_ms)).map(|latency| latency.value)
        });
        Self {
            wait_s,
            names,
            unnamed,
            one_pass,
            multi_pass,
            optimal,
            sorts_disk: statistic("sorts (disk)"),
            share,
            reads,
            read_ms,
            writes,
            write_ms,
        }
    }

    /// Work areas that did not fit in memory.
    pub(crate) fn spilled(&self) -> Option<f64> {
        match (self.one_pass, self.multi_pass) {
            (None, None) => self.sorts_disk,
            (one, multi) => Some(one? + multi?),
        }
    }
}

/// By name: a report has no other sign.
pub(crate) fn is_temp(tablespace: &str) -> bool {
    let name = tablespace.to_ascii_uppercase();
    name.starts_with("TEMP") || name.ends_with("TEMP") || name.contains("_TEMP") || name.starts_with("TMP")
}

pub(crate) fn sum(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.fold(None, |sum, value| Some(sum.unwrap_or(0.0) + value))
}
