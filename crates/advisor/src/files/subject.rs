//! One report or trace of a file, and its analysis.

use report::model::{Kind, Report};
use serde::Serialize;

use super::facts::Facts;
use crate::analysis::Analysis;

/// The type of a file.
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
    /// Its name on the screen.
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

    /// Its name in --json and --csv.
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

    /// The whole of which shares are given.
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
    /// The number of the report within its file, from 1; None when it is the only one.
    pub part: Option<usize>,
    pub source: Source,
    pub facts: Facts,
    pub analysis: Analysis,
    /// The whole model, where a comparison needs it.
    pub report: Option<Box<Report>>,
    /// Parts that could not be read.
    pub warnings: Vec<String>,
}

impl Subject {
    /// True: it has snapshots; a trace has none.
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
