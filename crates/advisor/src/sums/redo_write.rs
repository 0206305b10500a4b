//! The time of a redo write: by the formula over two statistics, and by the event.
//!
//! Redo write time / redo writes is the time of the writer's whole cycle; the average of `log file parallel write` is
//! the device's. Where they differ, the event is the device and the cause of the difference is not proved by either.

use report::figure::Figure;
use report::model::Report;

use super::ledger::{Ledger, input};
use super::{counted, possible};
use crate::screen::number::{milliseconds, number};

/// Times in milliseconds a write.
#[derive(Debug, Default)]
pub(crate) struct RedoWrite {
    pub(crate) writes: Option<f64>,
    /// 10 x redo write time (cs) / redo writes.
    pub(crate) formula_ms: Option<f64>,
    /// Average of `log file parallel write`.
    pub(crate) event_ms: Option<f64>,
    pub(crate) event_writes: Option<f64>,
    pub(crate) event_s: Option<f64>,
    /// The writer's cycle as 12c and later print it: label, milliseconds a write.
    pub(crate) cycle: Vec<(&'static str, f64)>,
}

/// Statistics of the writer's cycle (12.1 on), in microseconds over all writes.
const CYCLE: &[(&str, &str)] = &[
    ("redo write gather time", "gather"),
    ("redo write schedule time", "schedule"),
    ("redo write finish time", "finish"),
    ("redo write total time", "total"),
    ("redo write worker delay (usec)", "worker delay"),
];

/// Formula and event differ from here on.
pub(crate) const DIFFER: f64 = 1.5;

/// Waits of one redo writer for another.
pub(crate) const GROUP_WAITS: &[&str] =
    &["LGWR all worker groups", "LGWR any worker group", "LGWR worker group ordering", "LGWR wait for redo copy"];

impl RedoWrite {
    pub(crate) fn of(report: &Report, ledger: &mut Ledger) -> Self {
        let writes = counted(report, "redo writes").filter(|writes| *writes > 0.0);
        let section = "Instance Activity Stats";
        // From 12.1 on the same time stands in microseconds too: the one with more digits is taken, and it is the same
        // formula.
        let time_cs = match (counted(report, "redo write time"), counted(report, "redo write time (usec)")) {
            (Some(centiseconds), Some(microseconds)) => {
                let coarse = Figure::new(centiseconds, 1.0);
                let fine = Figure::new(microseconds / 10_000.0, 1e-4);
                let agree = (coarse.value - fine.value).abs() <= 2.0 + 0.02 * coarse.value;
                Some(if agree { coarse.finer(fine).value } else { coarse.value })
            }
            (centiseconds, _) => centiseconds,
        };
        let formula_ms = time_cs.zip(writes).map(|(time, writes)| 10.0 * time / writes);
        if let (Some(value), Some(time), Some(writes)) = (formula_ms, time_cs, writes) {
            let inputs = vec![input("redo write time", time, "cs", section), input("redo writes", writes, "", section)];
            ledger.enter("redo_ms_per_write", value, "10 x redo write time (cs) / redo writes", inputs);
        }
        let event =
            report.background_event("log file parallel write").or_else(|| report.event("log file parallel write"));
        let event_ms = event
            .and_then(|event| event.milliseconds())
            .map(|average| average.value)
            .filter(|average| possible(*average));
        if let (Some(value), Some(event)) = (event_ms, event) {
            let mut inputs = Vec::new();
            if let Some(waits) = event.waits {
                inputs.push(input("log file parallel write, waits", waits.value, "", "Background Wait Events"));
            }
            if let Some(time) = event.seconds() {
                inputs.push(input("log file parallel write, total", time.value, "s", "Background Wait Events"));
            }
            ledger.enter(
                "log_file_parallel_write_ms",
                value,
                "total / waits, or the printed average, whichever has more digits",
                inputs,
            );
        }
        let cycle = match writes {
            Some(writes) => CYCLE
                .iter()
                .filter_map(|(name, label)| Some((*label, counted(report, name)? / 1000.0 / writes)))
                .filter(|(_, time)| *time > 0.0)
                .collect(),
            None => Vec::new(),
        };
        let sum = Self {
            writes,
            formula_ms,
            event_ms,
            event_writes: event.and_then(|event| event.waits).map(|waits| waits.value),
            event_s: event.and_then(|event| event.seconds()).map(|time| time.value),
            cycle,
        };
        if let (Some(ratio), Some(formula), Some(event)) =
            (sum.disagreement().filter(|ratio| *ratio >= DIFFER), sum.formula_ms, sum.event_ms)
        {
            ledger.note(format!(
                "a redo write takes {} by the formula and {} by log file parallel write, {} times apart: the event is the device, and the cause of the difference is not proved",
                milliseconds(formula),
                milliseconds(event),
                number(ratio)
            ));
        }
        sum
    }

    /// The larger over the smaller of formula and event, where both are known.
    pub(crate) fn disagreement(&self) -> Option<f64> {
        let (formula, event) = (self.formula_ms?, self.event_ms?);
        let (small, large) = if formula < event { (formula, event) } else { (event, formula) };
        (small > 0.0).then(|| large / small)
    }

    /// "gather 12.5 ms, schedule 17.2 ms, …"; None before 12.1.
    pub(crate) fn cycle_text(&self) -> Option<String> {
        if self.cycle.is_empty() {
            return None;
        }
        let parts: Vec<String> =
            self.cycle.iter().map(|(label, time)| format!("{label} {}", milliseconds(*time))).collect();
        Some(parts.join(", "))
    }
}
