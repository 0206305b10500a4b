//! The library cache; the PGA: its targets at both ends of the window, and work areas by size.

use super::Reading;
use super::view::View;
use crate::model::{LibraryCacheLine, PgaHistogramLine, PgaTarget, PgaWork};

impl Reading {
    /// Statspack has its tables under one title.
    pub(super) fn pga(&mut self, view: &View<'_>) -> bool {
        self.pga_targets(view) || self.pga_histogram(view) || self.pga_work(view)
    }

    fn pga_work(&mut self, view: &View<'_>) -> bool {
        let hit = view.find(&["pgacachehit%"]);
        let Some(line) = hit.and_then(|_| view.lines().next()) else { return false };
        let work = PgaWork {
            cache_hit_percent: line.number(hit),
            processed_mb: line.number(view.find(&["wambprocessed"])),
            extra_mb: line.number(view.find(&["extrawambreadwritten"])),
        };
        let read = work != PgaWork::default();
        if read {
            self.report.pga_work = Some(work);
        }
        read
    }

    fn pga_targets(&mut self, view: &View<'_>) -> bool {
        let target = view.find(&["pgaaggrtargetm", "pgaaggregatetargetm", "pgatargetm"]);
        if target.is_none() {
            return false;
        }
        let mut lines = Vec::new();
        for line in view.lines() {
            let which = line.row.cells.first().map_or("", |cell| cell.trim());
            if !matches!(which, "B" | "E") {
                continue;
            }
            lines.push(PgaTarget {
                which: which.to_owned(),
                target_mb: line.number(target),
                automatic_target_mb: line.number(view.find(&["autopgatargetm"])),
                allocated_mb: line.number(view.find(&["pgamemallocm"])),
                work_areas_mb: line.number(view.find(&["wapgausedm"])),
                work_areas_percent: line.number(view.find(&["%pgawamem"])),
                automatic_percent: line.number(view.find(&["%autowamem"])),
                manual_percent: line.number(view.find(&["%manwamem"])),
                global_bound_kb: line.number(view.find(&["globalmemboundk"])),
            });
        }
        if lines.is_empty() {
            return false;
        }
        self.report.pga_targets.get_or_insert_default().extend(lines);
        true
    }

    fn pga_histogram(&mut self, view: &View<'_>) -> bool {
        let low = view.find(&["lowoptimal"]);
        let executions = view.find(&["totalexecs", "totalexecutions"]);
        if low.is_none() || executions.is_none() {
            return false;
        }
        let lines: Vec<PgaHistogramLine> = view
            .lines()
            .map(|line| PgaHistogramLine {
                low_bytes: line.bytes(low).map(|figure| figure.value),
                high_bytes: line.bytes(view.find(&["highoptimal"])).map(|figure| figure.value),
                executions: line.number(executions),
                optimal: line.number(view.find(&["optimalexecs"])),
                one_pass: line.number(view.find(&["1passexecs"])),
                multi_pass: line.number(view.find(&["mpassexecs"])),
            })
            .filter(|line| line.executions.is_some())
            .collect();
        if lines.is_empty() {
            return false;
        }
        self.report.pga_histogram.get_or_insert_default().extend(lines);
        true
    }

    /// Namespaces of the library cache.
    pub(super) fn library_cache(&mut self, view: &View<'_>) -> bool {
        let name = view.find(&["namespace"]);
        let gets = view.find(&["getrequests"]);
        if name.is_none() || gets.is_none() {
            return false;
        }
        // Both shares are "Pct Miss": that of gets stands first.
        let mut misses = (0..view.names.len()).filter(|at| view.names[*at] == "pctmiss").map(|at| view.column(at));
        let (get_miss, pin_miss) = (misses.next(), misses.next());
        let lines: Vec<LibraryCacheLine> = view
            .lines()
            .filter(|line| !line.text(name).is_empty())
            .map(|line| LibraryCacheLine {
                namespace: line.text(name).to_owned(),
                gets: line.number(gets),
                get_miss_percent: line.number(get_miss),
                pins: line.number(view.find(&["pinrequests"])),
                pin_miss_percent: line.number(pin_miss),
                reloads: line.number(view.find(&["reloads"])),
                invalidations: line.number(view.find(&["invalidations"])),
            })
            .collect();
        if lines.is_empty() {
            return false;
        }
        self.report.library_cache.get_or_insert_default().extend(lines);
        true
    }
}
