//! Creating and opening a database.
//!
//! See README.md in this folder.

mod bootstrap;
mod create;
mod find;
mod open;
mod recover;

pub use create::CreateOptions;
pub use find::{exists, find, read_control};
