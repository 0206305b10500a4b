//! Traces and reports of a database, read into one model and printed from it.
//!
//! ```text
//! trace/    a 10046 trace file of any release from 8i on, record by record
//! tkprof/   the same trace summed up by statement: the model, the printed report, the JSON
//! input/    what a file holds: packed, in any encoding, several reports in one
//! grid/     a report as sections and tables, from text or HTML
//! section/  the sections that are tables, declared once for both of the next
//! read/     a grid as the typed report, model/; value and names read figures and names that were cut
//! write/    the typed report as Statspack text, on a page/
//! statspack/ snapshots of this engine and the typed report that two of them make
//! profile/  where the trace's wall clock went: by call and event, object, file, block and class, statement
//! ```
//!
//! The crate does not depend on the engine: traces of Highwater and of an Oracle database are read by the same code.

pub mod figure;
pub mod grid;
pub mod input;
pub mod model;
pub mod names;
mod page;
pub mod profile;
pub mod read;
mod section;
pub mod statspack;
pub mod tkprof;
pub mod trace;
pub mod value;
pub mod write;
