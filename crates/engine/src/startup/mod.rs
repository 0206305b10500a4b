//! Creating and opening a database.
//!
//! See README.md in this folder.

mod bootstrap;
mod create;
mod open;
mod recover;

pub use create::CreateOptions;
