//! The experiments that show findings: `highwater reproduce NAME`.
//!
//! The laboratory runs them; a test of the binary's crate holds this list against the laboratory's.

use serde::Serialize;

/// An experiment that shows a finding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Experiment {
    pub name: &'static str,
    /// It cannot be run yet.
    pub planned: bool,
}

pub const INSERT_GETS: Experiment = Experiment { name: "insert-gets", planned: false };
pub const FREELISTS: Experiment = Experiment { name: "freelists", planned: false };
pub const BLOCK_SIZE: Experiment = Experiment { name: "block-size", planned: false };
pub const AU_SIZE: Experiment = Experiment { name: "au-size", planned: false };
pub const WRITE_ACCELERATOR: Experiment = Experiment { name: "write-accelerator", planned: true };

/// All that findings name.
pub const ALL: [Experiment; 5] = [INSERT_GETS, FREELISTS, BLOCK_SIZE, AU_SIZE, WRITE_ACCELERATOR];

impl Experiment {
    /// The command that runs it.
    #[must_use]
    pub fn command(self) -> String {
        format!("highwater reproduce {}", self.name)
    }
}
