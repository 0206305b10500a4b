//! `--mask`: names replaced, so that the output can be shown to others.
//!
//! The model is masked before the analysis: findings, screen, JSON and page never see a real name. The same name gets
//! the same replacement everywhere, in all files of one run: `DATABASE_1`, `SCHEMA_2`, `OBJECT_17`. Names that Oracle
//! itself gave (`SYS`, `SYSAUX`, `UNDOTBS1`, `OBJ$`) stay, and so do SQL ids and the names of events, statistics and
//! parameters. A statement keeps its verb and the replaced name of the table it changes; findings look at these.
//!
//! ```text
//! names.rs      a name and its replacement       statement.rs  the text of a statement
//! report.rs     every name of a report           trace.rs      every name of a trace
//! analysis.rs   a second look at all texts, in case one of them had a name from elsewhere
//! ```

mod analysis;
mod names;
mod report;
mod statement;
mod trace;

pub(crate) use names::Names;
