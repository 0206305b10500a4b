//! The statements that change the dictionary.
//!
//! See README.md in this folder.

mod alter_table;
pub(crate) mod check;
mod column_tally;
mod compile;
mod constraint;
mod constraint_columns;
mod constraint_key;
mod dependency;
mod directory;
mod disk_group;
mod external;
mod grant;
mod index;
mod lock;
mod own_rows;
mod program;
mod rename;
mod rewrite;
pub(crate) mod sequence;
mod set_statistics;
mod shrink;
pub(crate) mod statement;
mod statistics;
mod synonym;
mod table;
mod tablespace;
mod trigger;
mod user;
mod view;

#[cfg(test)]
mod tests;

pub use alter_table::{ColumnChange, NewColumn, TableChange};
pub use check::PhysicalAttributes;
pub(crate) use check::check_name;
pub use column_tally::Size;
pub use compile::Compilation;
pub use constraint::{ConstraintChange, ConstraintName, ConstraintRule, ConstraintSpec, KeyIndex, RowTest};
pub use disk_group::DiskGroupChange;
pub use external::ExternalSpec;
pub use index::IndexSpec;
pub use program::ProgramSpec;
pub use rewrite::MoveTo;
pub use sequence::SequenceSpec;
pub use set_statistics::{ColumnFigures, IndexFigures, TableFigures};
pub use statistics::{Gathering, Sampling};
pub use table::TableSpec;
pub(crate) use tablespace::finish_drops;
pub use tablespace::{DatafileChange, TablespaceChange};
pub use trigger::TriggerSpec;
pub use user::{Quota, UserSpec};
pub use view::ViewSpec;
