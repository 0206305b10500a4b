//! The parts of a finding: its description, the input of its judges, and their answers.
//!
//! ```text
//! about.rs     About: id, place, page, experiment, and the two judges
//! observed.rs  Observed: a report with its sums (case.rs), or a trace (traces/view.rs)
//! verdict.rs   Verdict: the finding, or why there is none; and the words that all findings use
//! ```

mod about;
mod case;
mod observed;
mod verdict;

pub use case::Options;

pub(crate) use crate::traces::view::View;
pub(crate) use about::{About, InTrace, Limit, SHARED, Value};
pub(crate) use case::{Case, NOTABLE, UNACCOUNTED};
pub(crate) use observed::Observed;
pub(crate) use verdict::{Build, NotFound, Verdict, cannot_tell, finding, ruled_out};

/// Imports for the file of a finding.
pub(crate) mod prelude {
    pub(crate) use super::about::{About, InTrace, OF_DB_TIME, Place, STARVED, limits};
    pub(crate) use super::case::{Case, NOTABLE, Options, UNACCOUNTED};
    pub(crate) use super::verdict::{
        Build, NotFound, OrMissing, Verdict, cannot_tell, finding, listed, ruled_out, section,
    };
    pub(crate) use crate::analysis::Confidence;
    pub(crate) use crate::experiment;
    pub(crate) use crate::screen::number::{bytes, milliseconds, number, percent, seconds};
    pub(crate) use crate::traces::view::View;
    pub(crate) use crate::traces::waits::Waits;
}
