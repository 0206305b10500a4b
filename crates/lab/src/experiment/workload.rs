//! The work of an experiment: it runs an arm, and measures its figures.

use std::fmt::Debug;

use common::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::plan::{Plan, Turn};
use super::setting::Setting;
use crate::progress::Progress;

/// A laboratory in which arms can be run. No method sees a published figure.
pub trait Workload: Sized + Debug + 'static {
    /// Figures of one run of an arm.
    type Run: Clone + PartialEq + Debug + Serialize;
    /// Figures that are measured in addition to the arms.
    type Rest: Clone + PartialEq + Debug;
    /// The published figures of an arm.
    type Known: Clone + PartialEq + Debug + Serialize + DeserializeOwned;
    /// The published figures that no arm has.
    type Paper: Clone + PartialEq + Debug + DeserializeOwned;

    /// Makes the database, and in it the objects that all arms need.
    ///
    /// # Errors
    /// HW-0003 for options that cannot be; those of the database, files and statements.
    fn open(plan: &Plan, progress: &mut dyn Progress) -> Result<Self>;

    /// Runs an arm once.
    ///
    /// # Errors
    /// Those of the statements; ORA-00600 when two counters of the same thing disagree.
    fn run(&mut self, setting: Setting, turn: Turn, progress: &mut dyn Progress) -> Result<Self::Run>;

    /// Measures the figures beside the arms, after them. A sweep leaves it out.
    ///
    /// # Errors
    /// Those of the statements.
    fn rest(&mut self, progress: &mut dyn Progress) -> Result<Self::Rest>;

    /// Notes on this run that a reader of the figures must know.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Shuts the database down.
    ///
    /// # Errors
    /// Those of the shutdown.
    fn close(self) -> Result<()>;
}
