//! The dictionary: what tables, indexes, users and privileges there are, and the statements that change that.
//!
//! See README.md in this folder.

mod alter_table;
mod bootstrap;
mod check;
mod constraint;
mod constraint_ddl;
mod constraint_key;
mod definition;
mod dictionary;
mod field;
mod grant;
mod index_ddl;
mod load;
mod lock;
mod password;
mod privilege;
mod rows;
mod snapshot;
mod statistics;
mod table_ddl;
mod table_rows;
mod tablespace_ddl;
mod user;
mod user_ddl;

#[cfg(test)]
mod tests;

pub use alter_table::{ColumnChange, NewColumn, TableChange};
pub use bootstrap::{create, load};
pub use check::PhysicalAttributes;
pub use constraint::{ConstraintDef, ConstraintKind, ConstraintState, OnDelete, Reference};
pub use constraint_ddl::{ConstraintChange, ConstraintName, ConstraintRule, ConstraintSpec, KeyIndex, RowTest};
pub use definition::{ColumnDef, IndexDef, TableDef, TableStatistics};
pub use index_ddl::IndexSpec;
pub use lock::{ChangeLock, TableLock};
pub use password::authenticate;
pub use privilege::{ObjectPrivilege, SystemPrivilege};
pub use snapshot::Catalog;
pub use table_ddl::TableSpec;
pub use tablespace_ddl::{DatafileChange, TablespaceChange};
pub use user::{PUBLIC, SYS, SYSTEM, UserDef, UserKind, UserNumber};
pub use user_ddl::{Quota, UserSpec};
