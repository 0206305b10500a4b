//! Running compiled units.
//!
//! A machine runs one call of the session: a block, a stored program, a trigger. Its registers are one stack of values,
//! its frames a stack beside it: calls between programs take no native stack. Only calls through the host (a function
//! called by SQL, a trigger, a block given as text) nest machines, and those are counted.

pub mod call;
pub mod collect;
pub mod cursor;
pub mod dynamic;
pub mod entry;
pub mod machine;
pub mod native;
pub mod output;
pub mod place;
pub mod session;
pub mod sql;
mod sql_call;
pub mod unwind;

pub use output::Output;
pub use session::{HostType, HostVariable, Session, TriggerEvent, TriggerRow};
