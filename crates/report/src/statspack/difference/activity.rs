//! Statistics of the instance and of the operating system, PGA, undo, library cache, parameters.

use super::super::records::UndoStatistics;
use super::super::snapshot::Snapshot;
use super::first_page::{os, pga};
use super::{Pair, percent, since, some};
use crate::model::{
    LibraryCacheLine, OsDetail, OsStatistic, Parameter, PgaTarget, PgaWork, Report, Statistic, UndoInterval,
    UndoSummary,
};

const MEGABYTE: f64 = 1_048_576.0;

/// Statistics that are levels: their difference has no meaning.
const LEVELS: [&str; 4] =
    ["logons current", "opened cursors current", "session cursor cache count", "workarea memory allocated"];

/// Intervals of undo that are listed.
const UNDO_INTERVALS: usize = 35;

impl Pair<'_> {
    pub(super) fn activity(&self, report: &mut Report) {
        report.statistics = some(self.differences());
        report.absolute_statistics = some(self.levels());
        report.thread_activity = some(vec![Statistic {
            name: "log switches (derived)".to_owned(),
            total: Some(since(self.end.header.log_sequence, self.begin.header.log_sequence)),
            ..Statistic::default()
        }]);
        report.host.statistics = some(self.os_statistics());
        report.host.details = self.os_details();
        report.pga_work = self.pga_work();
        report.pga_targets =
            some([pga_target("B", self.begin), pga_target("E", self.end)].into_iter().flatten().collect());
        self.undo(report);
        report.library_cache = some(self.library_cache());
        report.parameters = some(self.parameters());
    }

    /// Every statistic that did not fall.
    fn differences(&self) -> Vec<Statistic> {
        let mut lines: Vec<Statistic> = self
            .end
            .statistics
            .iter()
            .filter(|line| !LEVELS.contains(&line.name.as_str()))
            .filter_map(|line| {
                let total = self.statistic(&line.name).filter(|total| *total >= 0.0)?;
                Some(Statistic {
                    name: line.name.clone(),
                    total: Some(total),
                    per_second: self.per_second(total),
                    per_transaction: self.per_transaction(total),
                    ..Statistic::default()
                })
            })
            .collect();
        lines.sort_by(|one, other| one.name.cmp(&other.name));
        lines
    }

    fn levels(&self) -> Vec<Statistic> {
        let value = |snapshot: &Snapshot, name: &str| {
            snapshot.statistics.iter().find(|line| line.name == name).map(|line| line.value as f64)
        };
        let line = |name: &str| {
            let (begin, total) = (value(self.begin, name), value(self.end, name));
            total.is_some().then(|| Statistic { name: name.to_owned(), total, begin, ..Statistic::default() })
        };
        LEVELS.into_iter().filter_map(line).collect()
    }

    /// Times and traffic as differences, everything else as it was, by kind and name. The load stands on the first
    /// page.
    fn os_statistics(&self) -> Vec<OsStatistic> {
        let kind = |name: &str| match name {
            _ if name.ends_with("_TIME") => 0,
            _ if name.starts_with("VM_") => 1,
            _ => 2,
        };
        let mut lines: Vec<OsStatistic> = self
            .end
            .os_statistics
            .iter()
            .filter(|line| line.name != "LOAD")
            .filter_map(|line| {
                let begin = os(self.begin, &line.name);
                let (value, end) = if kind(&line.name) < 2 {
                    (line.value - begin?, None)
                } else {
                    (begin.unwrap_or(line.value), Some(line.value).filter(|end| Some(*end) != begin && begin.is_some()))
                };
                Some(OsStatistic { name: line.name.clone(), value: Some(value), end })
            })
            .collect();
        lines.sort_by(|one, other| (kind(&one.name), &one.name).cmp(&(kind(&other.name), &other.name)));
        lines
    }

    fn os_details(&self) -> Option<Vec<OsDetail>> {
        let (begin, end) = (os(self.begin, "LOAD"), os(self.end, "LOAD"));
        begin.or(end)?;
        let share = |name: &str| percent(self.os_difference(name)?, self.cpu_centiseconds()?);
        let first = OsDetail { time: self.begin.header.time.in_month(), load: begin, ..OsDetail::default() };
        let last = OsDetail {
            time: self.end.header.time.in_month(),
            load: end,
            busy_percent: share("BUSY_TIME"),
            user_percent: share("USER_TIME"),
            system_percent: share("SYS_TIME"),
            idle_percent: None,
            io_wait_percent: share("IOWAIT_TIME"),
        };
        Some(vec![first, last])
    }

    fn pga_work(&self) -> Option<PgaWork> {
        let processed = self.pga_difference("bytes processed")?;
        let extra = self.pga_difference("extra bytes read/written").unwrap_or(0.0);
        Some(PgaWork {
            cache_hit_percent: percent(processed, processed + extra),
            processed_mb: Some(processed / MEGABYTE),
            extra_mb: Some(extra / MEGABYTE),
        })
    }

    fn undo(&self, report: &mut Report) {
        let (from, to) = (self.begin.header.time, self.end.header.time);
        let mut rows: Vec<&UndoStatistics> =
            self.end.undo.iter().filter(|row| row.end > from && row.begin < to).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.end));
        let Some(first) = rows.first() else { return };
        let sum = |of: fn(&UndoStatistics) -> u64| Some(rows.iter().map(|row| of(row)).sum::<u64>() as f64);
        let most = |of: fn(&UndoStatistics) -> u64| rows.iter().map(|row| of(row) as f64).reduce(f64::max);
        let retention = rows.iter().map(|row| row.tuned_retention_s as f64);
        let tablespace = first.tablespace;
        report.undo = Some(UndoSummary {
            tablespace_number: rows.iter().all(|row| row.tablespace == tablespace).then_some(tablespace as f64),
            blocks: sum(|row| row.blocks),
            transactions: sum(|row| row.transactions),
            longest_query_s: most(|row| row.longest_query_s),
            concurrent_transactions_max: most(|row| row.concurrent_transactions),
            retention_min_s: retention.clone().reduce(f64::min),
            retention_max_s: retention.reduce(f64::max),
            snapshot_too_old: sum(|row| row.snapshot_too_old),
            out_of_space: sum(|row| row.out_of_space),
            unexpired_stolen: sum(|row| row.unexpired_stolen),
            unexpired_released: sum(|row| row.unexpired_released),
            unexpired_reused: sum(|row| row.unexpired_reused),
            expired_stolen: sum(|row| row.expired_stolen),
            expired_released: sum(|row| row.expired_released),
            expired_reused: sum(|row| row.expired_reused),
        });
        let interval = |row: &&UndoStatistics| UndoInterval { end: row.end.in_year(), figures: figures(row) };
        report.undo_intervals = Some(rows.iter().take(UNDO_INTERVALS).map(interval).collect());
    }

    fn library_cache(&self) -> Vec<LibraryCacheLine> {
        let mut lines = Vec::new();
        for line in &self.end.library_cache {
            let mut earlier = self.begin.library_cache.iter();
            let before = earlier.find(|before| before.namespace == line.namespace).cloned().unwrap_or_default();
            let (gets, pins) = (since(line.gets, before.gets), since(line.pins, before.pins));
            if gets + pins == 0.0 {
                continue;
            }
            let missed = |all: f64, hits: f64| percent(all - hits, all);
            lines.push(LibraryCacheLine {
                namespace: line.namespace.clone(),
                gets: Some(gets),
                get_miss_percent: missed(gets, since(line.get_hits, before.get_hits)),
                pins: Some(pins),
                pin_miss_percent: missed(pins, since(line.pin_hits, before.pin_hits)),
                reloads: Some(since(line.reloads, before.reloads)),
                invalidations: Some(since(line.invalidations, before.invalidations)),
            });
        }
        lines.sort_by(|one, other| one.namespace.cmp(&other.namespace));
        lines
    }

    /// Parameters that were set, and those that changed.
    fn parameters(&self) -> Vec<Parameter> {
        let mut lines = Vec::new();
        for parameter in &self.end.parameters {
            let begin = self.begin.parameters.iter().find(|begin| begin.name == parameter.name);
            let value = begin.map_or(&parameter.value, |begin| &begin.value);
            let end = Some(&parameter.value).filter(|end| *end != value);
            if !parameter.is_default || end.is_some() {
                lines.push(Parameter {
                    name: parameter.name.clone(),
                    value: value.clone(),
                    end: end.cloned(),
                    container: None,
                });
            }
        }
        lines.sort_by(|one, other| one.name.cmp(&other.name));
        lines
    }
}

fn figures(row: &UndoStatistics) -> UndoSummary {
    let value = |value: u64| Some(value as f64);
    UndoSummary {
        tablespace_number: None,
        blocks: value(row.blocks),
        transactions: value(row.transactions),
        longest_query_s: value(row.longest_query_s),
        concurrent_transactions_max: value(row.concurrent_transactions),
        retention_min_s: value(row.tuned_retention_s),
        retention_max_s: value(row.tuned_retention_s),
        snapshot_too_old: value(row.snapshot_too_old),
        out_of_space: value(row.out_of_space),
        unexpired_stolen: value(row.unexpired_stolen),
        unexpired_released: value(row.unexpired_released),
        unexpired_reused: value(row.unexpired_reused),
        expired_stolen: value(row.expired_stolen),
        expired_released: value(row.expired_released),
        expired_reused: value(row.expired_reused),
    }
}

/// The PGA at one end of the window.
fn pga_target(which: &str, snapshot: &Snapshot) -> Option<PgaTarget> {
    let bytes = |name: &str| pga(snapshot, name).map(|bytes| bytes as f64);
    let megabytes = |bytes: Option<f64>| bytes.map(|bytes| bytes / MEGABYTE);
    let allocated = bytes("total PGA allocated");
    let (automatic, manual) =
        (bytes("total PGA used for auto workareas"), bytes("total PGA used for manual workareas"));
    let used = super::both(automatic, manual);
    let target = bytes("aggregate PGA target parameter");
    allocated.or(target)?;
    Some(PgaTarget {
        which: which.to_owned(),
        target_mb: megabytes(target),
        automatic_target_mb: megabytes(bytes("aggregate PGA auto target")),
        allocated_mb: megabytes(allocated),
        work_areas_mb: megabytes(used),
        work_areas_percent: used.zip(allocated).and_then(|(used, all)| percent(used, all)),
        automatic_percent: automatic.zip(used).and_then(|(part, used)| percent(part, used)),
        manual_percent: manual.zip(used).and_then(|(part, used)| percent(part, used)),
        global_bound_kb: bytes("global memory bound").map(|bytes| bytes / 1024.0),
    })
}
