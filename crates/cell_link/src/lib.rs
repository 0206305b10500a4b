//! Cells as processes of their own: a server, and the file system in which an instance finds their disks.
//!
//! ```text
//!   instance ── CellFileSystem ── Client ══ TLS, both sides checked ══ Server ── cell::Service ── disks
//! ```
//!
//! The messages are those of the crate `cell`; here they have a transport.

mod channel;
mod client;
mod files;
mod hello;
mod keys;
mod server;

pub use files::{CellAddress, CellFileSystem, connect};
pub use keys::{Keys, make_keys};
pub use server::Server;
