//! Work by seed: several sessions, interleaved statement by statement, over tables and indexes of every kind, with the
//! expected content after each.

pub(crate) mod bank;
mod definitions;
mod disks;
mod engine;
mod kill;
mod lives;
mod loads;
pub(crate) mod part;
mod plan;
mod record;
mod recording;
mod run;
mod spaces;
mod state;
mod tally;
mod transactions;

pub(crate) use disks::disks_of;
pub(crate) use engine::OWNER;
pub use engine::{create_table, insert, read};
pub use plan::Plan;
pub use record::record;
pub use recording::{Ending, Life, Recording};
pub use state::{Difference, Row, Rows, Table, WorkloadState, session_of};
pub use tally::DiskTally;
