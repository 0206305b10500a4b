//! One report or trace of a file, and what was found in it.

use report::model::{Kind, Report};
use serde::Serialize;

use super::facts::Facts;
use crate::analysis::Analysis;

/// What a file turned out to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    Statspack,
    AwrText,
    AwrHtml,
    Trace,
    Tkprof,
}

impl Source {
    /// As people call it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Statspack => "Statspack",
            Self::AwrText => "AWR text",
            Self::AwrHtml => "AWR HTML",
            Self::Trace => "trace",
            Self::Tkprof => "TKPROF",
        }
    }

    /// As --json and --csv call it.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Statspack => "statspack",
            Self::AwrText => "awr-text",
            Self::AwrHtml => "awr-html",
            Self::Trace => "trace",
            Self::Tkprof => "tkprof",
        }
    }

    /// What shares are shares of.
    #[must_use]
    pub fn whole(self) -> &'static str {
        match self {
            Self::Trace | Self::Tkprof => "elapsed time",
            _ => "DB time",
        }
    }
}

impl From<Kind> for Source {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Statspack => Self::Statspack,
            Kind::AwrText => Self::AwrText,
            Kind::AwrHtml => Self::AwrHtml,
        }
    }
}

/// One report or trace.
#[derive(Clone, PartialEq, Debug)]
pub struct Subject {
    /// The file as it was named; a member of an archive behind a colon.
    pub path: String,
    /// Which of the file's reports, counted from 1, where it has several.
    pub part: Option<usize>,
    pub source: Source,
    pub facts: Facts,
    pub analysis: Analysis,
    /// The whole model, where a comparison needs it.
    pub report: Option<Box<Report>>,
    /// What could not be read.
    pub warnings: Vec<String>,
}

impl Subject {
    /// Whether it has snapshots: a trace has none.
    #[must_use]
    pub fn report_like(&self) -> bool {
        !matches!(self.source, Source::Trace | Source::Tkprof)
    }

    /// File and part.
    #[must_use]
    pub fn label(&self) -> String {
        match self.part {
            Some(part) => format!("{} ({part})", self.path),
            None => self.path.clone(),
        }
    }
}
