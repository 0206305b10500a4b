//! The dictionary: what tables, indexes, views, sequences, synonyms, users and privileges there are, and the statements that change that.
//!
//! See README.md in this folder.

mod alter_table;
mod bootstrap;
mod check;
mod constraint;
mod constraint_columns;
mod constraint_ddl;
mod constraint_key;
mod definition;
mod dictionary;
mod field;
mod grant;
mod index_ddl;
mod load;
mod load_others;
mod lock;
mod object;
mod password;
mod privilege;
mod rename;
mod rewrite;
mod rows;
mod sequence;
mod sequence_ddl;
mod snapshot;
mod statistics;
mod synonym;
mod table_ddl;
mod table_rows;
mod tablespace_ddl;
mod user;
mod user_ddl;
mod view;

#[cfg(test)]
mod tests;

/// How many tables the dictionary consists of.
#[cfg(test)]
pub(crate) const DICTIONARY_TABLES: usize = rows::TABLES.len();

pub use alter_table::{ColumnChange, NewColumn, TableChange};
pub(crate) use bootstrap::is_dictionary;
pub use bootstrap::{create, load};
pub use check::PhysicalAttributes;
pub use constraint::{ConstraintDef, ConstraintKind, ConstraintState, OnDelete, Reference};
pub use constraint_ddl::{ConstraintChange, ConstraintName, ConstraintRule, ConstraintSpec, KeyIndex, RowTest};
pub use definition::{ColumnDef, IndexDef, TableDef, TableStatistics};
pub use index_ddl::IndexSpec;
pub use lock::{ChangeLock, TableLock};
pub use object::{ObjectKind, Resolved, SchemaObject};
pub use password::authenticate;
pub use privilege::{ObjectPrivilege, SystemPrivilege};
pub use sequence::{SequenceDef, SequenceSettings};
pub use sequence_ddl::SequenceSpec;
pub use snapshot::Catalog;
pub use synonym::SynonymDef;
pub use table_ddl::TableSpec;
pub use tablespace_ddl::{DatafileChange, TablespaceChange};
pub use user::{PUBLIC, SYS, SYSTEM, UserDef, UserKind, UserNumber};
pub use user_ddl::{Quota, UserSpec};
pub use view::{ViewColumn, ViewDef, ViewSpec};
