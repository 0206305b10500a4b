//! A trace, or TKPROF's report of one, as the findings look at it.
//!
//! ```text
//! profile::Profile ─┐
//!                   ├─> view.rs  elapsed, CPU, waits, statements in seconds ─> findings/ (each with its judge)
//! tkprof::Report  ──┘              waits.rs    events that are the finding: commits, log switches, locks, …
//!                                  buffers.rs  contended buffers, by block class, statement and object
//!                                  reads.rs    the events that are reads
//! ```
//!
//! A trace covers one session: its waits, each with its statement, object and block. It has no statistic of the
//! instance and no figure of the host. So it proves more than a report where a statement or an object decides (a
//! freelist finding needs an INSERT), and cannot judge matters that only background processes know (the time of a redo
//! write).
//!
//! Severity is the finding's seconds over the wall clock of the trace; [`view::View::matters`] says which are enough.

pub(crate) mod buffers;
pub(crate) mod reads;
pub(crate) mod view;
pub(crate) mod waits;
