//! The workload of the binary, and the expected content of the database.
//!
//! ```text
//!   plan.rs    seed, kind ──> statements of a life, each with the state that it leads to
//!   state.rs   what tables hold, and how two states differ
//!   found.rs   the state that is in a database
//!   told.rs    output of the shell ──> which statements were acknowledged
//! ```

mod change;
mod definition;
mod found;
mod mirrors;
mod plan;
mod state;
mod told;

pub use found::read;
pub use mirrors::Mirrors;
pub use plan::{Plan, Statement, WorkloadKind, setup};
pub use state::{Difference, Jobs, Table, WorkloadState};
pub use told::{Answer, SETTINGS, Told, fails, line, mark, script};
