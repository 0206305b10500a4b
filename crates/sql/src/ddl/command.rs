//! What a DDL, session or system command asks for.

use engine::catalog::{
    ColumnDef, ConstraintChange, ConstraintName, ConstraintState, DatafileChange, ObjectPrivilege, OnDelete,
    PhysicalAttributes, TablespaceChange, UserSpec,
};
use engine::segment::Storage;
use engine::tablespace::TablespaceSpec;

/// A name that may have its owner before it.
pub(crate) type Name = (Option<String>, String);

/// Attributes of a segment as a statement gives them.
#[derive(Clone, Default, Debug)]
pub(crate) struct SegmentAttributes {
    pub(crate) tablespace: Option<String>,
    pub(crate) physical: PhysicalAttributes,
    pub(crate) storage: Storage,
    pub(crate) cache: Option<bool>,
}

/// USING INDEX.
#[derive(Clone, Debug)]
pub(crate) enum UsingIndex {
    Made(SegmentAttributes),
    Existing(Name),
}

impl Default for UsingIndex {
    fn default() -> Self {
        Self::Made(SegmentAttributes::default())
    }
}

/// What a constraint demands, as written.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    NotNull {
        column: String,
    },
    /// `column` is the one that it is written behind, and the only one that it may name; `offset` is where the condition stands.
    Check {
        condition: String,
        offset: usize,
        column: Option<String>,
    },
    Key {
        primary: bool,
        columns: Vec<String>,
        index: UsingIndex,
    },
    ForeignKey {
        columns: Vec<String>,
        table: Name,
        referenced: Vec<String>,
        on_delete: OnDelete,
    },
}

/// A constraint of CREATE TABLE or ALTER TABLE.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    pub(crate) name: Option<String>,
    pub(crate) rule: Rule,
    pub(crate) state: ConstraintState,
}

/// CREATE TABLE.
#[derive(Clone, Debug)]
pub(crate) struct CreateTable {
    pub(crate) name: Name,
    pub(crate) columns: Vec<ColumnDef>,
    /// Names only: the columns of CREATE TABLE (a, b) AS SELECT.
    pub(crate) column_names: Vec<String>,
    pub(crate) constraints: Vec<Constraint>,
    pub(crate) attributes: SegmentAttributes,
    /// Where the text of AS SELECT begins.
    pub(crate) query: Option<usize>,
}

/// CREATE INDEX.
#[derive(Clone, Debug)]
pub(crate) struct CreateIndex {
    pub(crate) name: Name,
    pub(crate) table: Name,
    pub(crate) columns: Vec<String>,
    pub(crate) unique: bool,
    pub(crate) attributes: SegmentAttributes,
}

/// One clause of ALTER TABLE.
#[derive(Clone, Debug)]
pub(crate) enum TableClause {
    Cache(bool),
    Physical(PhysicalAttributes),
    Add(Vec<ColumnDef>),
    AddConstraint(Constraint),
    DropConstraint { name: ConstraintName, cascade: bool, keep_index: Option<bool> },
    ChangeConstraint { name: ConstraintName, change: ConstraintChange, index: UsingIndex },
    RenameConstraint { from: String, to: String },
    Modify(Vec<engine::catalog::ColumnChange>),
    RenameTo(String),
    RenameColumn { from: String, to: String },
}

/// What stands between SET and its end in ALTER SESSION and ALTER SYSTEM.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) scope: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum Command {
    CreateTablespace(TablespaceSpec),
    AlterTablespace { name: String, change: TablespaceChange },
    DropTablespace { name: String, contents: bool, datafiles: bool },
    AlterDatafile { file: String, change: DatafileChange },
    CreateTable(Box<CreateTable>),
    AlterTable { name: Name, clauses: Vec<TableClause> },
    DropTable { name: Name, cascade: bool },
    Truncate(Name),
    CreateIndex(Box<CreateIndex>),
    DropIndex(Name),
    Rename { from: String, to: String },
    CreateUser { name: String, spec: UserSpec },
    AlterUser { name: String, spec: UserSpec },
    DropUser { name: String, cascade: bool },
    Grant { names: Vec<String>, to: Vec<String>, grantable: bool },
    Revoke { names: Vec<String>, from: Vec<String> },
    GrantOn { privileges: Vec<ObjectPrivilege>, table: Name, to: Vec<String>, grantable: bool },
    RevokeOn { privileges: Vec<ObjectPrivilege>, table: Name, from: Vec<String> },
    AlterSession(Vec<Setting>),
    AlterSessionSchema(String),
    AlterSystem(Vec<Setting>),
    ResetSystem(String),
    FlushBufferCache,
    FlushSharedPool,
    Checkpoint,
}

impl Command {
    /// The words that feedback repeats, and the command's number in traces and V$SQL.
    pub(crate) fn verb(&self) -> (&'static str, u32) {
        match self {
            Self::CreateTablespace(_) => ("CREATE TABLESPACE", 39),
            Self::AlterTablespace { .. } => ("ALTER TABLESPACE", 40),
            Self::DropTablespace { .. } => ("DROP TABLESPACE", 41),
            Self::AlterDatafile { .. } => ("ALTER DATABASE", 35),
            Self::CreateTable(_) => ("CREATE TABLE", 1),
            Self::AlterTable { .. } => ("ALTER TABLE", 15),
            Self::DropTable { .. } => ("DROP TABLE", 12),
            Self::Truncate(_) => ("TRUNCATE TABLE", 85),
            Self::CreateIndex(_) => ("CREATE INDEX", 9),
            Self::DropIndex(_) => ("DROP INDEX", 10),
            Self::Rename { .. } => ("RENAME", 28),
            Self::CreateUser { .. } => ("CREATE USER", 51),
            Self::AlterUser { .. } => ("ALTER USER", 43),
            Self::DropUser { .. } => ("DROP USER", 53),
            Self::Grant { .. } | Self::GrantOn { .. } => ("GRANT", 17),
            Self::Revoke { .. } | Self::RevokeOn { .. } => ("REVOKE", 18),
            Self::AlterSession(_) | Self::AlterSessionSchema(_) => ("ALTER SESSION", 42),
            Self::AlterSystem(_)
            | Self::ResetSystem(_)
            | Self::FlushBufferCache
            | Self::FlushSharedPool
            | Self::Checkpoint => ("ALTER SYSTEM", 49),
        }
    }
}
