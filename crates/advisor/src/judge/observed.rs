//! A report or a trace, as the judges see it.

use super::{About, Case, InTrace, Verdict, View, cannot_tell, ruled_out};

/// Everything that is known of one file.
#[derive(Debug)]
pub(crate) enum Observed<'a> {
    Report(Case<'a>),
    Trace(View<'a>),
}

impl Observed<'_> {
    /// Judges a finding in this file.
    pub(crate) fn judged(&self, about: &'static About) -> Verdict {
        match self {
            Self::Report(case) => (about.in_report)(case),
            Self::Trace(view) => match &about.in_trace {
                InTrace::Judge { judge, .. } => judge(view),
                InTrace::Waits(waits) => waits.judged(about, view),
                InTrace::CannotTell(missing) => cannot_tell(*missing),
                InTrace::RuledOut(reason) => ruled_out(*reason),
            },
        }
    }

    /// The place of a finding among the answers for this kind of file.
    pub(crate) fn place(&self, about: &About) -> u16 {
        match self {
            Self::Report(_) => about.place.report,
            Self::Trace(_) => about.place.trace,
        }
    }
}
