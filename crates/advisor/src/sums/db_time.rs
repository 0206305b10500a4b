//! DB time = CPU + foreground waits + unaccounted time.
//!
//! All three come from seconds. Printed percentages have several bases (Statspack's includes background waits, AWR's
//! does not) and are never taken. Reports before 10g have no DB time; there the sum of CPU and foreground waits
//! replaces it, and the unaccounted time is unknown. In reports of later releases the sum never replaces it; in an
//! excerpt without its release it does, and no finding has high confidence.

use report::model::Report;

use super::foreground::Foreground;
use super::ledger::{Ledger, input};
use super::{counted, modelled_s, possible};
use crate::analysis;
use crate::screen::number::seconds;

/// DB time and its parts, in seconds.
#[derive(Debug, Default)]
pub(crate) struct DbTime {
    pub(crate) total_s: Option<f64>,
    /// The report has no DB time: the total is CPU and foreground waits.
    pub(crate) estimated: bool,
    /// And the release is not known: it may have a DB time, and much of it in neither.
    pub(crate) unsure: bool,
    pub(crate) cpu_s: Option<f64>,
    pub(crate) waits_s: Option<f64>,
    pub(crate) classes: Vec<(String, f64)>,
    /// Negative when more was counted than DB time holds.
    pub(crate) unaccounted_s: Option<f64>,
    pub(crate) elapsed_s: Option<f64>,
}

impl DbTime {
    pub(crate) fn of(report: &Report, foreground: &Foreground, ledger: &mut Ledger) -> Self {
        let elapsed_s = report.window.elapsed_s.filter(|elapsed| possible(*elapsed) && *elapsed > 0.0);
        let printed = modelled_s(report, "DB time").or(report.window.db_time_s).filter(|total| possible(*total));
        let (cpu_s, cpu_section) = cpu(report);
        let whole = !foreground.absent && !foreground.partial;
        let waits_s = (!foreground.absent).then(|| foreground.waits.iter().map(|wait| wait.seconds).sum::<f64>() + 0.0);
        let mut classes = std::collections::BTreeMap::<&str, f64>::new();
        for wait in &foreground.waits {
            *classes.entry(wait.class).or_default() += wait.seconds;
        }
        let mut classes: Vec<(String, f64)> =
            classes.into_iter().map(|(class, time)| (class.to_owned(), time)).collect();
        classes.sort_by(|one, other| other.1.total_cmp(&one.1));
        let estimate = match (cpu_s, waits_s) {
            (Some(cpu), Some(waits)) if cpu + waits > 0.0 => Some(cpu + waits),
            _ => None,
        };
        // From 10g on there is a DB time, and much of it may be outside CPU and waits: if it cannot be read, nothing
        // replaces it.
        let release = report.identity.major_release();
        let modern = release.map_or(report.time_model.is_some(), |release| release >= 10);
        if printed.is_none() && estimate.is_some() && modern {
            ledger.note(
                "this release has a DB time, and it could not be read here: CPU and waits may be far from it, and no share of it is told",
            );
        }
        let total_s = printed.or(estimate.filter(|_| !modern));
        let estimated = printed.is_none() && total_s.is_some();
        let unaccounted_s = match (printed, cpu_s, waits_s) {
            (Some(total), Some(cpu), Some(waits)) if whole => Some(total - cpu - waits),
            _ => None,
        };
        let unsure = estimated && release.is_none();
        let sum = Self { total_s, estimated, unsure, cpu_s, waits_s, classes, unaccounted_s, elapsed_s };
        sum.enter(foreground, cpu_section, ledger);
        sum
    }

    fn enter(&self, foreground: &Foreground, cpu_section: &str, ledger: &mut Ledger) {
        ledger.figure("db_time_s", self.total_s);
        ledger.figure("db_cpu_s", self.cpu_s);
        ledger.figure("foreground_wait_s", self.waits_s);
        ledger.figure("elapsed_s", self.elapsed_s);
        if self.estimated {
            ledger.note(if foreground.partial {
                "no DB time in this report: CPU and the foreground waits of its first screen stand for it, so shares are upper bounds"
            } else {
                "no DB time in this report: CPU and foreground waits stand for it, and what is in neither is unknown"
            });
        }
        if let (Some(total), Some(elapsed)) = (self.total_s, self.elapsed_s) {
            let inputs = vec![input("DB time", total, "s", "Time Model"), input("elapsed", elapsed, "s", "Snapshots")];
            ledger.enter("average_active_sessions", total / elapsed, "DB time / elapsed", inputs);
        }
        let (Some(total), Some(cpu), Some(waits), Some(rest)) =
            (self.total_s, self.cpu_s, self.waits_s, self.unaccounted_s)
        else {
            return;
        };
        let inputs = vec![
            input("DB time", total, "s", "Time Model"),
            input("DB CPU", cpu, "s", cpu_section),
            input("foreground waits, idle ones left out", waits, "s", foreground.section),
        ];
        ledger.enter("unaccounted_s", rest, "DB time - DB CPU - foreground waits", inputs.clone());
        ledger.enter("unaccounted_share", rest / total, "(DB time - DB CPU - foreground waits) / DB time", inputs);
        if cpu > total {
            ledger.note(format!(
                "DB CPU of {} is more than DB time of {}: a share above 1 is refused (work that is counted as CPU and not as DB time, RMAN or jobs, does this)",
                seconds(cpu),
                seconds(total)
            ));
        } else if rest < 0.0 && -rest > 0.02 * total {
            ledger.note(format!(
                "CPU and waits together are {} more than DB time: some waits are counted as CPU too",
                seconds(-rest)
            ));
        }
    }

    /// These foreground seconds as a share of DB time. None when DB time is unknown, and when the share is above 1:
    /// such a share is refused.
    pub(crate) fn share(&self, foreground_s: f64) -> Option<f64> {
        let share = foreground_s / self.total_s?;
        (share.is_finite() && (0.0..=1.0 + 1e-3).contains(&share)).then(|| share.min(1.0))
    }

    /// Share of DB time in neither CPU nor waits.
    pub(crate) fn unaccounted_share(&self) -> Option<f64> {
        Some(self.unaccounted_s? / self.total_s.filter(|total| *total > 0.0)?)
    }

    pub(crate) fn average_active_sessions(&self) -> Option<f64> {
        Some(self.total_s? / self.elapsed_s?)
    }

    /// The DB time of the analysis.
    pub(crate) fn shown(&self) -> Option<analysis::DbTime> {
        Some(analysis::DbTime {
            total_s: self.total_s?,
            cpu_s: self.cpu_s,
            classes: self.classes.clone(),
            unaccounted_s: self.unaccounted_s,
        })
    }
}

/// CPU of foreground processes: from the time model, otherwise the statistic, otherwise the first screen.
fn cpu(report: &Report) -> (Option<f64>, &'static str) {
    if let Some(cpu) = modelled_s(report, "DB CPU").or(report.window.db_cpu_s.filter(|cpu| possible(*cpu))) {
        return (Some(cpu), "Time Model");
    }
    if let Some(centiseconds) = counted(report, "CPU used by this session") {
        return (Some(centiseconds / 100.0), "Instance Activity Stats");
    }
    let top = report.top_events.as_deref().unwrap_or_default();
    let line = top.iter().find(|event| matches!(event.name.as_str(), "DB CPU" | "CPU time"));
    (line.and_then(|line| line.seconds()).map(|time| time.value).filter(|time| possible(*time)), "Top Timed Events")
}
