//! A judge's answer, and the words that all judges share.

use super::About;
use crate::analysis::{Confidence, Evidence, Finding, Saving};

/// One judge's answer. Every id gets exactly one.
pub(crate) type Verdict = Result<Finding, NotFound>;

/// The reason why a finding was not made.
#[derive(Debug)]
pub(crate) enum NotFound {
    /// Looked for and not there, with the figure that says so.
    RuledOut(String),
    /// The missing input.
    CannotTell(String),
}

impl NotFound {
    /// Says more where something is ruled out.
    pub(crate) fn because(self, more: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::RuledOut(reason) => Self::RuledOut(more(reason)),
            Self::CannotTell(missing) => Self::CannotTell(missing),
        }
    }
}

/// A figure without which nothing can be told.
pub(crate) trait OrMissing<T> {
    fn or_missing(self, what: &str) -> Result<T, NotFound>;
}

impl<T> OrMissing<T> for Option<T> {
    fn or_missing(self, what: &str) -> Result<T, NotFound> {
        self.ok_or_else(|| NotFound::CannotTell(what.to_owned()))
    }
}

pub(crate) fn ruled_out(reason: impl Into<String>) -> Verdict {
    Err(NotFound::RuledOut(reason.into()))
}

pub(crate) fn cannot_tell(missing: impl Into<String>) -> Verdict {
    Err(NotFound::CannotTell(missing.into()))
}

/// A finding under construction.
pub(crate) fn finding(about: &About, title: impl Into<String>, confidence: Confidence) -> Finding {
    Finding {
        id: about.id,
        title: title.into(),
        severity: None,
        seconds: None,
        confidence,
        evidence: Vec::new(),
        doubts: Vec::new(),
        saving: None,
        advice: Vec::new(),
        experiment: Some(about.experiment),
    }
}

/// Builds a finding; each step adds a part.
pub(crate) trait Build {
    fn weight(self, severity: f64, foreground_s: f64) -> Self;
    fn evidence(self, section: &str, text: impl Into<String>) -> Self;
    fn evidence_if(self, section: &str, text: Option<String>) -> Self;
    fn doubt(self, text: impl Into<String>) -> Self;
    fn doubt_if(self, text: Option<String>) -> Self;
    fn advise(self, text: impl Into<String>) -> Self;
    fn saves(self, saving: Saving) -> Self;
    fn found(self) -> Verdict;
}

impl Build for Finding {
    fn weight(mut self, severity: f64, foreground_s: f64) -> Self {
        self.severity = Some(severity);
        self.seconds = Some(foreground_s);
        self
    }

    fn evidence(mut self, section: &str, text: impl Into<String>) -> Self {
        self.evidence.push(Evidence { section: section.to_owned(), text: text.into() });
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

    fn found(self) -> Verdict {
        Ok(self)
    }
}

/// Names of sections as evidence cites them.
pub(crate) mod section {
    pub(crate) const ACTIVITY: &str = "Instance Activity Stats";
    pub(crate) const BACKGROUND: &str = "Background Wait Events";
    pub(crate) const BUFFER_WAITS: &str = "Buffer Wait Statistics";
    pub(crate) const CELLS: &str = "Storage Cell Messages";
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
