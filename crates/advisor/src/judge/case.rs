//! A report with its sums, and the methods that all judges of reports share.

use report::model::Report;

use super::NotFound;
use crate::analysis::{Confidence, Saving};
use crate::screen::number::{milliseconds, number, percent, seconds};
use crate::sums::Sums;

/// A share of DB time from which on a wait is worth a finding: see `OF_DB_TIME`.
pub(crate) const NOTABLE: f64 = 0.03;
/// Above this share of DB time in neither CPU nor waits, the upper end of a saving is unknown.
pub(crate) const UNACCOUNTED: f64 = 0.1;

/// Fewer active sessions than this on average are an idle database, unless the machine is so small that they are much
/// of it.
pub(crate) const IDLE_SESSIONS: f64 = 0.5;
pub(crate) const IDLE_SESSIONS_PER_CPU: f64 = 0.1;
/// The time that the write-accelerator paper's device took for a redo write (55,447 cs / 5,313,254 writes) and for a
/// temp read.
pub(crate) const STORAGE_MS: f64 = 0.1;

/// Settings that the reader of the findings chooses.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Latency of the storage that redo, temp and undo would move to, in milliseconds. Savings are computed for it and
    /// say so.
    pub storage_ms: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { storage_ms: STORAGE_MS }
    }
}

/// The input of the judges of reports.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    pub(crate) report: &'a Report,
    pub(crate) sums: &'a Sums,
    pub(crate) options: &'a Options,
    /// Processes wait for CPU or memory of the machine (host-starved).
    pub(crate) starved: bool,
}

impl Case<'_> {
    /// The database did next to nothing: shares of next to nothing are no findings.
    pub(crate) fn idle(&self) -> Option<String> {
        let sessions = self.sums.db_time.average_active_sessions()?;
        let cpus = self.sums.host.cpus;
        let little = sessions < IDLE_SESSIONS && cpus.is_none_or(|cpus| sessions < IDLE_SESSIONS_PER_CPU * cpus);
        little.then(|| format!("the database was idle: {} active sessions on average", number(sessions)))
    }

    /// A figure of an idle database is ruled out.
    pub(crate) fn not_idle(&self, figure: &str) -> Result<(), NotFound> {
        self.idle().map_or(Ok(()), |idle| Err(NotFound::RuledOut(format!("{figure}; {idle}"))))
    }

    /// Confidence on a starved host: a process that holds a lock or a latch there may itself be waiting for CPU or
    /// memory.
    pub(crate) fn unless_starved(&self, confidence: Confidence) -> Confidence {
        if self.starved { Confidence::Low } else { confidence }
    }

    /// The doubt that goes with it.
    pub(crate) fn starved_doubt(&self) -> Option<String> {
        self.starved.then(|| "the host is starved (host-starved): who holds what others wait for may be waiting for the machine himself".to_owned())
    }

    /// The doubt about work, as against waits for one another.
    pub(crate) fn slowed_doubt(&self) -> Option<String> {
        self.starved.then(|| "the host is starved (host-starved): everything takes longer there".to_owned())
    }

    /// The doubt about times of the time model where much of DB time is in neither CPU nor waits: a part of these is
    /// that too.
    pub(crate) fn unaccounted_doubt(&self) -> Option<String> {
        let share = self.sums.db_time.unaccounted_share().filter(|share| *share > UNACCOUNTED)?;
        Some(format!(
            "{} of DB time is in neither CPU nor waits, and a part of this time is that: see unaccounted-time",
            percent(share)
        ))
    }

    /// The common judgement of foreground seconds against DB time: ruled out while idle or below the threshold,
    /// otherwise the share.
    pub(crate) fn weigh(&self, what: &str, foreground_s: Option<f64>) -> Result<f64, NotFound> {
        let Some(foreground_s) = foreground_s else {
            return Err(NotFound::CannotTell("the waits of foreground processes (Foreground Wait Events)".to_owned()));
        };
        let db_time = &self.sums.db_time;
        let Some(total) = db_time.total_s else {
            return Err(NotFound::CannotTell(format!(
                "DB time (Time Model Statistics); {what}: {}",
                seconds(foreground_s)
            )));
        };
        if let Some(idle) = self.idle() {
            return Err(NotFound::RuledOut(format!("{idle}; {what}: {}", seconds(foreground_s))));
        }
        let Some(share) = db_time.share(foreground_s) else {
            return Err(NotFound::CannotTell(format!(
                "figures that agree: {} for {what} is more than DB time of {}, and a share above 1 is refused",
                seconds(foreground_s),
                seconds(total)
            )));
        };
        if share < NOTABLE {
            return Err(NotFound::RuledOut(format!(
                "{what}: {} of {} DB time ({})",
                seconds(foreground_s),
                seconds(total),
                percent(share)
            )));
        }
        Ok(share)
    }

    /// The upper end of a saving, unless too much of DB time is unaccounted for.
    pub(crate) fn saving(&self, low_s: f64, high_s: f64, assumption: String) -> Saving {
        let unaccounted = self.sums.db_time.unaccounted_share();
        let unknown = unaccounted.is_some_and(|share| share > UNACCOUNTED);
        let mut assumption = assumption;
        if let (true, Some(share)) = (unknown, unaccounted) {
            assumption.push_str(&format!(
                "; {} of DB time is in neither CPU nor waits, so the upper end is unknown",
                percent(share)
            ));
        } else if unaccounted.is_none() {
            assumption.push_str("; how much of DB time is in neither CPU nor waits is not known");
        }
        let low_s = low_s.max(0.0);
        Saving { low_s, high_s: (!unknown).then(|| high_s.max(low_s)), assumption }
    }

    /// "storage that answers in 0.1 ms (change it with an option)".
    pub(crate) fn target(&self) -> String {
        format!("storage that answers in {}", milliseconds(self.options.storage_ms))
    }
}
