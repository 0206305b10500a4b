//! How an experiment shall be run. Each experiment takes some of it, and refuses the rest.

use std::path::PathBuf;

use common::{Error, ErrorKind, Result};

use crate::source::SourceName;

/// What may be asked for.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Options {
    /// Multiplies the work: rows, or how long sessions work. None: as each experiment has it, most at 1.
    pub scale: Option<f64>,
    /// Where the database is made, and stays; None: in a temporary directory.
    pub data: Option<PathBuf>,
    /// Where rows are from.
    pub source: Option<SourceName>,
    /// Length of a repetition.
    pub minutes: Option<f64>,
    /// Sessions at once.
    pub sessions: Option<u32>,
    /// Times that each arm is run.
    pub repetitions: Option<u32>,
    /// The order of the arms follows from it.
    pub seed: Option<u64>,
    /// One part of an experiment that has several.
    pub part: Option<String>,
    /// Where a flame graph of what takes the time is to be written.
    pub flamegraph: Option<PathBuf>,
}

/// HW-0003: a wrong use.
pub(crate) fn wrong_use(text: impl Into<String>) -> Error {
    Error::own(ErrorKind::User, 3, text)
}

impl Options {
    /// What multiplies the work, for an experiment that is run in full unless something else is asked for.
    pub(crate) fn scale(&self) -> f64 {
        self.scale.unwrap_or(1.0)
    }

    /// Refuses what an experiment has no use for.
    ///
    /// # Errors
    /// HW-0003 when one of `names` was given.
    pub(crate) fn refuse(&self, experiment: &str, names: &[&str]) -> Result<()> {
        let given = [
            ("source", self.source.is_some()),
            ("minutes", self.minutes.is_some()),
            ("sessions", self.sessions.is_some()),
            ("repetitions", self.repetitions.is_some()),
            ("seed", self.seed.is_some()),
            ("part", self.part.is_some()),
            ("flamegraph", self.flamegraph.is_some()),
        ];
        match given.into_iter().find(|(name, given)| *given && names.contains(name)) {
            Some((name, _)) => Err(wrong_use(format!("the experiment {experiment} does not take --{name}"))),
            None => Ok(()),
        }
    }
}
