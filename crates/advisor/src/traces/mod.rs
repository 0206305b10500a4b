//! A trace, or TKPROF's report of one, as the findings look at it.
//!
//! ```text
//! profile::Profile ─┐
//!                   ├─> view.rs  elapsed, CPU, waits, statements in seconds ─> findings/ (each has its judge for a trace)
//! tkprof::Report  ──┘              waits.rs    events that are the finding: commits, log switches, locks, …
//!                                  buffers.rs  buffers that several sessions wanted, by block class, statement and object
//!                                  reads.rs    which events are reads
//! ```
//!
//! A trace tells of one session: what it waited for and in which statement, by which object and block. It has no
//! statistic of the instance and nothing of the host. So it proves more than a report where a statement or an object
//! decides (a freelist finding needs an INSERT), and cannot tell what only the background processes know (how long a
//! redo write took).
//!
//! Severity is the finding's seconds over the wall clock of the trace; [`view::View::matters`] says which are enough.

pub(crate) mod buffers;
pub(crate) mod reads;
pub(crate) mod view;
pub(crate) mod waits;
