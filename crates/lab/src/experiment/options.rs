//! How an experiment shall be run. Each experiment takes some of it, and refuses the rest.

use std::collections::BTreeMap;
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
    /// Times that each arm is run.
    pub repetitions: Option<u32>,
    /// The order of the arms follows from it.
    pub seed: Option<u64>,
    /// One part of an experiment that has several.
    pub part: Option<String>,
    /// Where a flame graph of what takes the time is to be written.
    pub flamegraph: Option<PathBuf>,
    /// Values of factors by their options, as `freelists` and `sessions`.
    pub factors: BTreeMap<String, Vec<u32>>,
}

/// An option that not every experiment takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Take {
    Source,
    Minutes,
    Repetitions,
    Seed,
    Flamegraph,
}

/// HW-0003: a wrong use.
pub(crate) fn wrong_use(text: impl Into<String>) -> Error {
    Error::own(ErrorKind::User, 3, text)
}

impl Options {
    /// The same with values of a factor.
    #[must_use]
    pub fn with(mut self, option: &str, values: &[u32]) -> Self {
        self.factors.insert(option.to_owned(), values.to_vec());
        self
    }

    /// Refuses what an experiment has no use for.
    ///
    /// # Errors
    /// HW-0003 when an option was given that is not among `takes`.
    pub(crate) fn refuse(&self, experiment: &str, takes: &[Take]) -> Result<()> {
        let given = [
            (Take::Source, "source", self.source.is_some()),
            (Take::Minutes, "minutes", self.minutes.is_some()),
            (Take::Repetitions, "repetitions", self.repetitions.is_some()),
            (Take::Seed, "seed", self.seed.is_some()),
            (Take::Flamegraph, "flamegraph", self.flamegraph.is_some()),
        ];
        match given.into_iter().find(|(take, _, given)| *given && !takes.contains(take)) {
            Some((_, name, _)) => Err(not_taken(experiment, name)),
            None => Ok(()),
        }
    }
}

/// HW-0003: an experiment has no use for an option.
pub(crate) fn not_taken(experiment: &str, option: &str) -> Error {
    wrong_use(format!("the experiment {experiment} does not take --{option}"))
}
