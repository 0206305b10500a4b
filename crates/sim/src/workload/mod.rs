//! Work by seed: several sessions, interleaved statement by statement, over tables and indexes of every kind, and what they must hold after each.

mod engine;
mod plan;
mod recording;
mod run;
mod state;

pub(crate) use engine::{OWNER, create_table, insert, read};
pub use plan::Plan;
pub use recording::{Kind, Recording};
pub use run::record;
pub use state::{Difference, Row, Rows, State, Table, session_of};

/// Whether the engine has transactions: ROLLBACK, and what was not committed is undone when the database is opened. Until it has them every change
/// stands when its redo is durable, and a statement that a crash falls into may be there in part.
pub const TRANSACTIONS: bool = false;
