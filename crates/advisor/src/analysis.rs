//! The result for one file: figures, the sums of DB time, findings, answers "ruled out" and "cannot tell".

use std::collections::BTreeMap;

use serde::Serialize;

use crate::experiment::Experiment;

/// Everything that is said about one report or trace.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Analysis {
    /// The named sums that could be computed, in the unit of their name: `redo_ms_per_write`, `log_file_sync_ms`, … A
    /// sum that the file does not support is absent.
    pub figures: BTreeMap<&'static str, f64>,
    /// The formulas and inputs of the sums, by name.
    pub sums: Vec<Sum>,
    pub db_time: Option<DbTime>,
    /// Worst first.
    pub findings: Vec<Finding>,
    pub ruled_out: Vec<RuledOut>,
    pub cannot_tell: Vec<CannotTell>,
    /// Figures that were refused or assumed: a share above 1, an impossible figure, a DB time that is estimated from
    /// its parts.
    pub notes: Vec<String>,
}

/// A figure, its formula in words, and the inputs it was made from.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Sum {
    pub name: &'static str,
    pub value: f64,
    pub formula: &'static str,
    pub inputs: Vec<Input>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Input {
    pub name: String,
    pub value: f64,
    pub unit: &'static str,
    pub section: String,
}

/// DB time = CPU + foreground waits + unaccounted time. Seconds, recomputed; never from printed percentages.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct DbTime {
    pub total_s: f64,
    pub cpu_s: Option<f64>,
    /// Non-idle foreground waits by class, most first.
    pub classes: Vec<(String, f64)>,
    /// DB time outside CPU and waits; negative when more was counted than DB time holds. None when either part is
    /// unknown.
    pub unaccounted_s: Option<f64>,
}

/// One finding.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Finding {
    /// One of the ids of docs/findings/.
    pub id: &'static str,
    /// One sentence with the figure that matters.
    pub title: String,
    /// Foreground seconds over DB time (of a trace: over elapsed time), 0 to 1. None where the cause is in the
    /// background and no foreground time is attributed to it.
    pub severity: Option<f64>,
    pub seconds: Option<f64>,
    pub confidence: Confidence,
    pub evidence: Vec<Evidence>,
    /// Arguments against the finding, and parts of it that are not proved.
    pub doubts: Vec<String>,
    pub saving: Option<Saving>,
    pub advice: Vec<String>,
    /// The experiment that shows it: `highwater reproduce NAME`.
    pub experiment: Option<Experiment>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    Low,
    Medium,
    High,
}

/// The place of a figure in the report.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Evidence {
    pub section: String,
    pub text: String,
}

/// Seconds of DB time in the window that a change would save.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Saving {
    pub low_s: f64,
    /// None: unknown, because too much of DB time is unaccounted for.
    pub high_s: Option<f64>,
    /// The assumption: the change, and the latency of the storage it moves to.
    pub assumption: String,
}

/// A finding that was looked for and is not there, with the figure that says so.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RuledOut {
    pub id: &'static str,
    pub reason: String,
}

/// A finding that cannot be judged, and the input that is missing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CannotTell {
    pub id: &'static str,
    pub missing: String,
}
