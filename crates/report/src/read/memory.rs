//! The PGA: its targets at both ends of the window, and work areas by size.

use super::Reading;
use super::view::View;
use crate::model::{PgaHistogramLine, PgaTarget};

impl Reading {
    /// Statspack has both tables under one title, with a third that the model has no place for.
    pub(super) fn pga(&mut self, view: &View<'_>) -> bool {
        self.pga_targets(view) || self.pga_histogram(view)
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
}
