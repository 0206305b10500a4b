//! PostgreSQL as a peer: a server of the caller's own, started and stopped by it, for benchmarks and for answers to
//! compare with.
//!
//! A PostgreSQL server refuses to run as root; then the user `nobody` runs it, by `setpriv`, which also ends the server
//! when the caller's process dies.

mod error;
mod installation;
mod server;

pub use error::{failure, refusal};
pub use installation::Installation;
pub use server::{Postgres, PostgresSession, settings};
