//! What a finding's judge says, and the words that all of them use.

use report::model::Report;

use super::Options;
use crate::analysis::{Confidence, Evidence, Finding, Saving};
use crate::experiment::Experiment;
use crate::screen::number::{milliseconds, number, percent, seconds};
use crate::sums::Sums;

/// A share of DB time from which on a wait is worth a finding. Our own choice: it is what the smallest findings of Oracle's own advisor are about, and
/// what is below it cannot be told from the change of the load between two windows.
pub(crate) const NOTABLE: f64 = 0.03;
/// Above this share of DB time in neither CPU nor waits, the upper end of a saving is unknown.
pub(crate) const UNACCOUNTED: f64 = 0.1;

/// One judge's answer. Every id gets exactly one.
#[derive(Debug)]
pub(crate) enum Verdict {
    Found(Box<Finding>),
    /// Looked for and not there, with the figure that says so.
    RuledOut(String),
    /// What is missing.
    CannotTell(String),
}

/// What the judges look at.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    pub(crate) report: &'a Report,
    pub(crate) sums: &'a Sums,
    pub(crate) options: &'a Options,
}

impl Case<'_> {
    /// The database did next to nothing: shares of next to nothing are no findings.
    pub(crate) fn idle(&self) -> Option<String> {
        let sessions = self.sums.db_time.average_active_sessions()?;
        let cpus = self.sums.host.cpus;
        let little = sessions < IDLE_SESSIONS && cpus.is_none_or(|cpus| sessions < IDLE_SESSIONS_PER_CPU * cpus);
        little.then(|| format!("the database was idle: {} active sessions on average", number(sessions)))
    }

    /// Confidence in the face of a starved host: whoever holds a lock or a latch there may be waiting for CPU or memory with it in his hands.
    pub(crate) fn unless_starved(&self, confidence: Confidence) -> Confidence {
        if self.sums.host.starved() { Confidence::Low } else { confidence }
    }

    /// The doubt that goes with it.
    pub(crate) fn starved_doubt(&self) -> Option<String> {
        self.sums.host.starved().then(|| "the host is starved (host-starved): who holds what others wait for may be waiting for the machine himself".to_owned())
    }

    /// The doubt about work, as against waits for one another.
    pub(crate) fn slowed_doubt(&self) -> Option<String> {
        self.sums.host.starved().then(|| "the host is starved (host-starved): everything takes longer there".to_owned())
    }

    /// The doubt about times of the time model where much of DB time is in neither CPU nor waits: a part of these is that too.
    pub(crate) fn unaccounted_doubt(&self) -> Option<String> {
        let share = self.sums.db_time.unaccounted_share().filter(|share| *share > UNACCOUNTED)?;
        Some(format!(
            "{} of DB time is in neither CPU nor waits, and a part of this time is that: see unaccounted-time",
            percent(share)
        ))
    }

    /// The common judgement of foreground seconds against DB time: ruled out while idle or below the threshold, else the share.
    pub(crate) fn weigh(&self, what: &str, foreground_s: Option<f64>) -> Result<f64, Verdict> {
        let Some(foreground_s) = foreground_s else {
            return Err(Verdict::CannotTell("the waits of foreground processes (Foreground Wait Events)".to_owned()));
        };
        let db_time = &self.sums.db_time;
        let Some(total) = db_time.total_s else {
            return Err(Verdict::CannotTell(format!(
                "DB time (Time Model Statistics); {what}: {}",
                seconds(foreground_s)
            )));
        };
        if let Some(idle) = self.idle() {
            return Err(Verdict::RuledOut(format!("{idle}; {what}: {}", seconds(foreground_s))));
        }
        let Some(share) = db_time.share(foreground_s) else {
            return Err(Verdict::CannotTell(format!(
                "figures that agree: {} for {what} is more than DB time of {}, and a share above 1 is refused",
                seconds(foreground_s),
                seconds(total)
            )));
        };
        if share < NOTABLE {
            return Err(Verdict::RuledOut(format!(
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

/// Fewer active sessions than this on average are an idle database, unless the machine is so small that they are much of it.
const IDLE_SESSIONS: f64 = 0.5;
const IDLE_SESSIONS_PER_CPU: f64 = 0.1;

/// A finding under construction.
pub(crate) fn finding(id: &'static str, title: String, confidence: Confidence) -> Finding {
    Finding {
        id,
        title,
        severity: None,
        seconds: None,
        confidence,
        evidence: Vec::new(),
        doubts: Vec::new(),
        saving: None,
        advice: Vec::new(),
        experiment: None,
    }
}

/// What each step of making a finding adds to it.
pub(crate) trait Build {
    fn weight(self, severity: f64, foreground_s: f64) -> Self;
    fn evidence(self, section: &str, text: String) -> Self;
    fn evidence_if(self, section: &str, text: Option<String>) -> Self;
    fn doubt(self, text: impl Into<String>) -> Self;
    fn doubt_if(self, text: Option<String>) -> Self;
    fn advise(self, text: impl Into<String>) -> Self;
    fn saves(self, saving: Saving) -> Self;
    fn shown_by(self, experiment: Experiment) -> Self;
    fn found(self) -> Verdict;
}

impl Build for Finding {
    fn weight(mut self, severity: f64, foreground_s: f64) -> Self {
        self.severity = Some(severity);
        self.seconds = Some(foreground_s);
        self
    }

    fn evidence(mut self, section: &str, text: String) -> Self {
        self.evidence.push(Evidence { section: section.to_owned(), text });
        self
    }

    fn evidence_if(self, section: &str, text: Option<String>) -> Self {
        match text {
            Some(text) => self.evidence(section, text),
            None => self,
        }
    }

    fn doubt(mut self, text: impl Into<String>) -> Self {
        self.doubts.push(text.into());
        self
    }

    fn doubt_if(self, text: Option<String>) -> Self {
        match text {
            Some(text) => self.doubt(text),
            None => self,
        }
    }

    fn advise(mut self, text: impl Into<String>) -> Self {
        self.advice.push(text.into());
        self
    }

    fn saves(mut self, saving: Saving) -> Self {
        self.saving = Some(saving);
        self
    }

    fn shown_by(mut self, experiment: Experiment) -> Self {
        self.experiment = Some(experiment);
        self
    }

    fn found(self) -> Verdict {
        Verdict::Found(Box::new(self))
    }
}

/// Names of sections as evidence cites them.
pub(crate) mod section {
    pub(crate) const ACTIVITY: &str = "Instance Activity Stats";
    pub(crate) const BACKGROUND: &str = "Background Wait Events";
    pub(crate) const BUFFER_WAITS: &str = "Buffer Wait Statistics";
    pub(crate) const ENQUEUES: &str = "Enqueue Activity";
    pub(crate) const FILES: &str = "File IO Stats";
    pub(crate) const HOST: &str = "Operating System Statistics";
    pub(crate) const MEMORY: &str = "Memory Statistics";
    pub(crate) const PARAMETERS: &str = "Initialization Parameters";
    pub(crate) const SEGMENTS: &str = "Segment Statistics";
    pub(crate) const SNAPSHOTS: &str = "Snapshots";
    pub(crate) const SQL: &str = "SQL ordered by Elapsed Time";
    pub(crate) const TABLESPACES: &str = "Tablespace IO Stats";
    pub(crate) const TIME_MODEL: &str = "Time Model Statistics";
    pub(crate) const UNDO: &str = "Undo Segment Summary";
}

/// The waits that a finding stands on, each as a line of evidence.
pub(crate) fn listed(mut finding: Finding, section: &str, waits: &[crate::sums::foreground::Wait]) -> Finding {
    for wait in waits.iter().filter(|wait| wait.seconds > 0.0).take(5) {
        finding = finding.evidence(section, crate::sums::foreground::described(wait));
    }
    finding
}
