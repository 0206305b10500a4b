//! Every on-disk structure as bytes, and nothing else: no I/O, no locks, no clock.
//!
//! Bytes that came from disk are validated ([`block::check`]) before any arithmetic on them. All integers are
//! little-endian.

pub mod bitmap;
pub mod block;
pub mod date;
pub mod dump;
pub mod extent_bitmap;
pub mod file;
pub mod freelist;
pub mod heap;
pub mod index;
pub mod itl;
pub mod number;
pub mod object;
pub mod redo;
pub mod segment;
pub mod transaction;
pub mod undo;
mod view;
