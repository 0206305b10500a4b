//! Findings over a trace and over TKPROF's report of one.
//!
//! ```text
//! profile::Profile ─┐
//!                   ├─> view.rs   elapsed, CPU, waits, statements in seconds, whichever it came from
//! tkprof::Report  ──┘     ├─> waits.rs    an event that is the finding: commits, log switches, locks, …
//!                         ├─> buffers.rs  buffers that several sessions wanted, told apart by block class, statement and object
//!                         ├─> undo.rs     waits for undo segments, and for buffers of undo
//!                         ├─> reads.rs    slow, many, small, uneven reads; temp
//!                         └─> work.rs     CPU, parsing, one statement, what is unaccounted for
//! ```
//!
//! A trace tells of one session: what it waited for and in which statement, by which object and block. It has no statistic of the instance and nothing of
//! the host. So it proves more than a report where a statement or an object decides (a freelist finding needs an INSERT), and cannot tell what only the
//! background processes know (how long a redo write took).
//!
//! Severity is the finding's seconds over the wall clock of the trace. A finding needs [`SHARE`] of the time in which the database worked (the wall clock
//! without idle waits), and of the wall clock too unless it is [`ENOUGH_S`].

mod buffers;
mod reads;
mod undo;
mod view;
mod waits;
mod work;

use report::profile::Profile;
use report::tkprof;

use crate::analysis::{Analysis, CannotTell, Confidence, Evidence, Finding, RuledOut};
use crate::experiment::{self, Experiment};

use crate::screen::number::{milliseconds, number, percent, seconds};
use view::View;

/// Share of the time that a finding must explain: that of the findings over reports.
const SHARE: f64 = 0.03;

/// So many seconds are worth a finding however long the session was idle beside them.
const ENOUGH_S: f64 = 10.0;

/// What became of one id.
#[derive(Debug)]
enum Verdict {
    Found(Box<Finding>),
    RuledOut(&'static str, String),
    CannotTell(&'static str, String),
}

/// Looks a trace's profile over.
#[must_use]
pub fn examine_trace(profile: &Profile) -> Analysis {
    examine(&View::of_profile(profile))
}

/// Looks TKPROF's report of a trace over: the same, as far as its tables go. They have no objects, blocks or classes.
#[must_use]
pub fn examine_tkprof(report: &tkprof::Report) -> Analysis {
    examine(&View::of_tkprof(report))
}

fn examine(view: &View<'_>) -> Analysis {
    let mut analysis = Analysis {
        figures: view.figures(),
        sums: view.sums(),
        db_time: view.time(),
        notes: view.notes(),
        ..Analysis::default()
    };
    let mut verdicts = Vec::new();
    waits::judge(view, &mut verdicts);
    buffers::judge(view, &mut verdicts);
    verdicts.push(undo::judge(view));
    reads::judge(view, &mut verdicts);
    work::judge(view, &mut verdicts);
    for verdict in one_each(verdicts) {
        match verdict {
            Verdict::Found(finding) => analysis.findings.push(*finding),
            Verdict::RuledOut(id, reason) => analysis.ruled_out.push(RuledOut { id, reason }),
            Verdict::CannotTell(id, missing) => analysis.cannot_tell.push(CannotTell { id, missing }),
        }
    }
    analysis.findings.sort_by(|a, b| b.severity.unwrap_or(-1.0).total_cmp(&a.severity.unwrap_or(-1.0)));
    analysis
}

/// One verdict an id. Two findings of one id are of different waits: they are one together. What is found is not ruled out by what else was looked at.
fn one_each(verdicts: Vec<Verdict>) -> Vec<Verdict> {
    let mut kept: Vec<Verdict> = Vec::new();
    for verdict in verdicts {
        let Some(known) = kept.iter_mut().find(|known| known.id() == verdict.id()) else {
            kept.push(verdict);
            continue;
        };
        match (&mut *known, verdict) {
            (Verdict::Found(one), Verdict::Found(other)) => one.join(*other),
            (_, found @ Verdict::Found(_)) => *known = found,
            (Verdict::RuledOut(_, reason), Verdict::RuledOut(_, more)) if !reason.contains(&more) => {
                *reason = format!("{reason}; {more}");
            }
            _ => {}
        }
    }
    kept
}

impl Verdict {
    fn id(&self) -> &'static str {
        match self {
            Self::Found(finding) => finding.id,
            Self::RuledOut(id, _) | Self::CannotTell(id, _) => id,
        }
    }
}

impl Finding {
    /// Takes another finding of the same id, of other waits, in.
    fn join(&mut self, other: Self) {
        let add = |one: Option<f64>, other: Option<f64>| match (one, other) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        self.severity = add(self.severity, other.severity).map(|share| share.min(1.0));
        self.seconds = add(self.seconds, other.seconds);
        self.title = format!("{}; {}", self.title, other.title);
        self.confidence = self.confidence.max(other.confidence);
        self.evidence.extend(other.evidence);
        self.doubts.extend(other.doubts);
        self.advice.extend(other.advice);
        self.saving = self.saving.take().or(other.saving);
    }
}

/// The experiment that shows a finding.
fn shown_by(id: &str) -> Option<Experiment> {
    Some(match id {
        "buffer-pool" | "itl-wait" | "many-reads" | "sql-concentration" => experiment::BLOCK_SIZE,
        "file-skew" | "poor-offload" | "small-multiblock-reads" => experiment::AU_SIZE,
        "bitmap-block-contention"
        | "freelist-contention"
        | "hot-segment"
        | "hw-enqueue"
        | "right-hand-index"
        | "row-lock" => experiment::FREELISTS,
        "cpu-bound" | "hard-parsing" | "library-cache" | "unaccounted-time" => experiment::INSERT_GETS,
        "commit-wait" | "log-buffer" | "log-switch" | "slow-reads" | "temp-spill" | "undo-pressure"
        | "undo-too-old" => experiment::WRITE_ACCELERATOR,
        _ => return None,
    })
}

/// A finding of so many seconds, to be filled in.
fn finding(view: &View<'_>, id: &'static str, seconds: f64, title: String, confidence: Confidence) -> Finding {
    Finding {
        id,
        title,
        severity: Some(view.share(seconds)),
        seconds: Some(seconds),
        confidence,
        evidence: Vec::new(),
        doubts: Vec::new(),
        saving: None,
        advice: Vec::new(),
        experiment: shown_by(id),
    }
}

fn evidence(section: impl Into<String>, text: impl Into<String>) -> Evidence {
    Evidence { section: section.into(), text: text.into() }
}
