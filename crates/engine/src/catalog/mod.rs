//! The dictionary: what tables, indexes, views, sequences, synonyms, users and privileges there are, and the statements that change that.
//!
//! See README.md in this folder.

mod alter_table;
mod bootstrap;
mod check;
mod compile;
mod constraint;
mod constraint_columns;
mod constraint_ddl;
mod constraint_key;
mod definition;
mod dependency;
mod dictionary;
mod directory;
mod disk_group_ddl;
mod external;
mod field;
mod grant;
mod index_ddl;
mod job;
mod job_run;
mod load;
mod load_others;
mod load_programs;
mod lock;
mod object;
mod own_rows;
mod password;
mod privilege;
mod program;
mod program_ddl;
mod rename;
mod rewrite;
mod rights;
mod rows;
mod scheduler_job;
mod scheduler_run;
mod sequence;
mod sequence_ddl;
mod session_dictionary;
mod shrink;
mod snapshot;
mod statistics;
mod synonym;
mod table_ddl;
mod table_rows;
mod tablespace_ddl;
mod trigger;
mod user;
mod user_ddl;
mod view;

#[cfg(test)]
mod tests;

/// How many tables the dictionary consists of.
#[cfg(test)]
pub(crate) const DICTIONARY_TABLES: usize = rows::TABLES.len();

pub use alter_table::{ColumnChange, NewColumn, TableChange};
pub(crate) use bootstrap::free_unowned;
pub(crate) use bootstrap::is_dictionary;
pub use bootstrap::{DEFAULT_TABLESPACE, create, load};
pub use check::PhysicalAttributes;
pub use compile::Compilation;
pub use constraint::{ConstraintDef, ConstraintKind, ConstraintState, OnDelete, Reference};
pub use constraint_ddl::{ConstraintChange, ConstraintName, ConstraintRule, ConstraintSpec, KeyIndex, RowTest};
pub use definition::{TableDef, TableStatistics};
pub use directory::DirectoryDef;
pub use disk_group_ddl::DiskGroupChange;
pub use external::{ExternalDef, ExternalLocation, ExternalSpec};
pub use index_ddl::IndexSpec;
pub use job::Job;
pub(crate) use job_run::clear_runs;
pub use lock::{ChangeLock, TableLock};
pub use object::{ObjectKind, Resolved, SchemaObject};
pub use password::authenticate;
pub use privilege::{ObjectPrivilege, SystemPrivilege};
pub use program::{CompileError, Dependency, ProgramDef, ProgramKind, ProgramStatus};
pub use program_ddl::ProgramSpec;
pub use rewrite::MoveTo;
pub use rights::{Holder, Rights};
pub use scheduler_job::{JobState, SchedulerJob};
pub use scheduler_run::{RunStatus, SchedulerRun};
pub use sequence::{SequenceDef, SequenceSettings};
pub use sequence_ddl::SequenceSpec;
pub(crate) use session_dictionary::SessionDictionary;
pub use snapshot::Catalog;
pub use statistics::Gathering;
pub use storage::index::IndexDef;
pub use storage::table::ColumnDef;
pub use synonym::SynonymDef;
pub use table_ddl::TableSpec;
pub(crate) use tablespace_ddl::finish_drops;
pub use tablespace_ddl::{DatafileChange, TablespaceChange};
pub use trigger::{TriggerDef, TriggerRule, TriggerSpec, TriggerTiming};
pub use user::{PUBLIC, SYS, SYSTEM, UserDef, UserKind, UserNumber};
pub use user_ddl::{Quota, UserSpec};
pub use view::{ViewColumn, ViewDef, ViewSpec};
