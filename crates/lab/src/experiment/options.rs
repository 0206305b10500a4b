//! Options of an experiment. Each experiment takes some of them, and refuses the rest.

use std::collections::BTreeMap;
use std::path::PathBuf;

use common::{Error, ErrorKind};
use drive::Positive;

use crate::modelled_run::ModelledRun;
use crate::source::SourceName;

/// Options of a run or a sweep.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Options {
    /// Multiplies the work: rows, or how long sessions work. None: as each experiment has it, most at 1.
    pub scale: Option<f64>,
    /// Folder of the database, which stays; None: a temporary directory.
    pub data: Option<PathBuf>,
    /// Databases lie on modelled devices; None: on the machine's own.
    pub device: Option<ModelledRun>,
    /// Modelled devices are so many times slower than their model, where `device` does not say it: for an experiment
    /// that has a model of its own.
    pub dilate: Option<Positive>,
    /// The source of the rows.
    pub source: Option<SourceName>,
    /// Length of a repetition.
    pub minutes: Option<f64>,
    /// Times that each arm is run.
    pub repetitions: Option<u32>,
    /// The order of the arms follows from it.
    pub seed: Option<u64>,
    /// One part of an experiment that has several.
    pub part: Option<String>,
    /// File for a flame graph of the time.
    pub flamegraph: Option<PathBuf>,
    /// Values of factors by their options, as `freelists` and `sessions`.
    pub factors: BTreeMap<String, Vec<u32>>,
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

    /// The options that were given of those that not every experiment takes.
    pub(super) fn given(&self) -> impl Iterator<Item = &str> {
        let own = [
            ("source", self.source.is_some()),
            ("minutes", self.minutes.is_some()),
            ("repetitions", self.repetitions.is_some()),
            ("seed", self.seed.is_some()),
            ("part", self.part.is_some()),
            ("flamegraph", self.flamegraph.is_some()),
        ];
        let own = own.into_iter().filter(|(_, given)| *given).map(|(name, _)| name);
        own.chain(self.factors.keys().map(String::as_str))
    }
}

/// HW-0003: an experiment has no use for an option.
pub(crate) fn not_taken(experiment: &str, option: &str) -> Error {
    wrong_use(format!("the experiment {experiment} does not take --{option}"))
}
