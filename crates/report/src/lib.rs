//! Traces and reports of a database, read into one model and printed from it.
//!
//! ```text
//! trace/    a 10046 trace file of any release from 8i on, record by record
//! tkprof/   the same trace summed up by statement: the model, the printed report, the JSON
//! ```
//!
//! Nothing here knows the engine: a trace that Highwater wrote and one that an Oracle database wrote take the same way.

pub mod tkprof;
pub mod trace;
