//! The dictionary: definitions of tables, indexes, views, sequences, synonyms, programs, jobs, users and privileges.
//!
//! See README.md in this folder.

pub(crate) mod access;
pub(crate) mod catalog;
pub(crate) mod constraint;
pub(crate) mod directory;
pub(crate) mod external;
pub(crate) mod field;
mod histogram;
pub(crate) mod job;
pub(crate) mod load;
mod load_others;
mod load_programs;
pub(crate) mod lock;
pub(crate) mod object;
pub(crate) mod own;
pub(crate) mod password;
pub(crate) mod privilege;
pub(crate) mod program;
pub(crate) mod rights;
pub(crate) mod rows;
pub(crate) mod scheduler_job;
pub(crate) mod scheduler_run;
pub(crate) mod sequence;
pub(crate) mod session_dictionary;
pub(crate) mod synonym;
pub(crate) mod table;
pub(crate) mod table_rows;
pub(crate) mod trigger;
pub(crate) mod user;
pub(crate) mod view;

/// The number of the dictionary's tables.
#[cfg(test)]
pub(crate) const DICTIONARY_TABLES: usize = rows::TABLES.len();

pub use catalog::Catalog;
pub use constraint::{ConstraintDef, ConstraintKind, ConstraintState, OnDelete, Reference};
pub use directory::DirectoryDef;
pub use external::{ExternalDef, ExternalLocation};
pub use histogram::{BUCKETS_MAX, Bucket, ENDPOINT_BYTES, Histogram, HistogramKind, place};
pub use job::{Job, JobKey};
pub use lock::{ChangeLock, TableLock};
pub use object::{ObjectKind, Resolved, SchemaObject};
pub use own::DEFAULT_TABLESPACE;
pub use password::authenticate;
pub use privilege::{ObjectPrivilege, SystemPrivilege};
pub use program::{CompileError, Dependency, ProgramDef, ProgramKind, ProgramStatus};
pub use rights::{Holder, Rights};
pub use scheduler_job::{JobState, SchedulerJob};
pub use scheduler_run::{RunStatus, SchedulerRun};
pub use sequence::{SequenceDef, SequenceSettings};
pub use storage::index::IndexDef;
pub use storage::table::ColumnDef;
pub use synonym::SynonymDef;
pub use table::{ColumnStatistics, TableDef, TableStatistics};
pub use trigger::{TriggerDef, TriggerRule, TriggerTiming};
pub use user::{PUBLIC, SYS, SYSTEM, UserDef, UserKind, UserNumber};
pub use view::{ViewColumn, ViewDef};
