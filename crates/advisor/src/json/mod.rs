//! `--json`: the shape of docs/json.md.

use std::collections::BTreeMap;
use std::io::{self, Write};

use report::model::{Identity, Scope, Window};
use serde::Serialize;

use crate::analysis::{CannotTell, Confidence, DbTime, Evidence, Finding, RuledOut, Sum};
use crate::compare::Comparison;
use crate::files::{Machine, Results, Source, Subject, Work};
use crate::timeline::Timeline;

#[derive(Serialize)]
struct Output<'a> {
    files: Vec<OfFile<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<&'a Comparison>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline: Option<&'a Timeline>,
    masked: bool,
}

#[derive(Serialize)]
struct OfFile<'a> {
    path: &'a str,
    /// The number of the report within its file, if the file has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<usize>,
    kind: Source,
    scope: Scope,
    identity: &'a Identity,
    window: &'a Window,
    host: &'a Machine,
    work: &'a Work,
    average_active_sessions: Option<f64>,
    figures: &'a BTreeMap<&'static str, f64>,
    sums: &'a [Sum],
    db_time: Option<&'a DbTime>,
    findings: Vec<OfFinding<'a>>,
    ruled_out: &'a [RuledOut],
    cannot_tell: &'a [CannotTell],
    notes: &'a [String],
    warnings: &'a [String],
}

#[derive(Serialize)]
struct OfFinding<'a> {
    id: &'static str,
    title: &'a str,
    severity: Option<f64>,
    seconds: Option<f64>,
    confidence: Confidence,
    evidence: &'a [Evidence],
    doubts: &'a [String],
    saving: Option<OfSaving<'a>>,
    advice: &'a [String],
    experiment: Option<&'static str>,
    experiment_planned: bool,
}

#[derive(Serialize)]
struct OfSaving<'a> {
    low: f64,
    high: Option<f64>,
    assumption: &'a str,
}

impl<'a> From<&'a Finding> for OfFinding<'a> {
    fn from(finding: &'a Finding) -> Self {
        Self {
            id: finding.id,
            title: &finding.title,
            severity: finding.severity,
            seconds: finding.seconds,
            confidence: finding.confidence,
            evidence: &finding.evidence,
            doubts: &finding.doubts,
            saving: finding.saving.as_ref().map(|saving| OfSaving {
                low: saving.low_s,
                high: saving.high_s,
                assumption: &saving.assumption,
            }),
            advice: &finding.advice,
            experiment: finding.experiment.map(|experiment| experiment.name),
            experiment_planned: finding.experiment.is_some_and(|experiment| experiment.planned),
        }
    }
}

impl<'a> From<&'a Subject> for OfFile<'a> {
    fn from(subject: &'a Subject) -> Self {
        let (facts, analysis) = (&subject.facts, &subject.analysis);
        Self {
            path: &subject.path,
            part: subject.part,
            kind: subject.source,
            scope: facts.scope,
            identity: &facts.identity,
            window: &facts.window,
            host: &facts.host,
            work: &facts.work,
            average_active_sessions: facts.average_active_sessions,
            figures: &analysis.figures,
            sums: &analysis.sums,
            db_time: analysis.db_time.as_ref(),
            findings: analysis.findings.iter().map(OfFinding::from).collect(),
            ruled_out: &analysis.ruled_out,
            cannot_tell: &analysis.cannot_tell,
            notes: &analysis.notes,
            warnings: &subject.warnings,
        }
    }
}

/// Writes all that was found.
///
/// # Errors
///
/// Those of the writer.
pub(crate) fn write(results: &Results, out: &mut dyn Write) -> io::Result<()> {
    let output = Output {
        files: results.subjects.iter().map(OfFile::from).collect(),
        comparison: results.comparison.as_ref(),
        timeline: results.timeline.as_ref(),
        masked: results.masked,
    };
    serde_json::to_writer_pretty(&mut *out, &output)?;
    writeln!(out)
}
