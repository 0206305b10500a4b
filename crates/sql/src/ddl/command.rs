//! Parsed DDL, session and system commands.

use std::ops::Range;

use engine::ddl::{
    ConstraintChange, ConstraintName, DatafileChange, DiskGroupChange, PhysicalAttributes, Sampling, SequenceSpec,
    TablespaceChange, UserSpec,
};
use engine::dictionary::{ColumnDef, ConstraintState, ExternalLocation, ObjectPrivilege, OnDelete, ProgramKind};
use engine::instance::{DatafileSpec, DiskGroupSpec, TablespaceSpec};
use storage::cells::FlashUse;
use storage::segment::Storage;
use storage::txn::Isolation;

use super::logfile::LogfileChange;

/// A name with or without its owner.
pub(crate) type Name = (Option<String>, String);

/// Attributes of a segment as a statement gives them.
#[derive(Clone, Default, Debug)]
pub(crate) struct SegmentAttributes {
    pub(crate) tablespace: Option<String>,
    pub(crate) physical: PhysicalAttributes,
    pub(crate) storage: Storage,
    pub(crate) cache: Option<bool>,
    pub(crate) logging: Option<bool>,
    pub(crate) row_movement: Option<bool>,
}

/// USING INDEX.
#[derive(Clone, Debug)]
pub(crate) enum UsingIndex {
    Made(SegmentAttributes),
    Existing(Name),
    /// By a CREATE INDEX in parentheses.
    Created(Box<CreateIndex>),
}

impl Constraint {
    /// The CREATE INDEX in it.
    pub(crate) fn created_index(&self) -> Option<&CreateIndex> {
        match &self.rule {
            Rule::Key { index: UsingIndex::Created(index), .. } => Some(index),
            _ => None,
        }
    }
}

impl Default for UsingIndex {
    fn default() -> Self {
        Self::Made(SegmentAttributes::default())
    }
}

/// The rule of a constraint, as written.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    NotNull {
        column: String,
    },
    /// `column` is the one that it is written behind, and the only one that it may name; `offset` is the condition's
    /// position.
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
    /// Offset of the query's text behind AS.
    pub(crate) query: Option<usize>,
}

/// CREATE TABLE … ORGANIZATION EXTERNAL.
#[derive(Clone, Debug)]
pub(crate) struct CreateExternal {
    pub(crate) name: Name,
    pub(crate) columns: Vec<ColumnDef>,
    pub(crate) driver: String,
    pub(crate) directory: String,
    /// The access parameters as written.
    pub(crate) parameters: String,
    pub(crate) locations: Vec<ExternalLocation>,
    /// None for any number.
    pub(crate) reject_limit: Option<u64>,
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

/// CREATE VIEW.
#[derive(Clone, Debug)]
pub(crate) struct CreateView {
    pub(crate) name: Name,
    /// Empty where the query gives the names.
    pub(crate) columns: Vec<String>,
    /// Range of the query's text.
    pub(crate) query: Range<usize>,
    pub(crate) read_only: bool,
    pub(crate) replace: bool,
    pub(crate) force: bool,
}

/// One clause of ALTER TABLE.
#[derive(Clone, Debug)]
pub(crate) enum TableClause {
    Cache(bool),
    Logging(bool),
    FlashCache(FlashUse),
    RowMovement(bool),
    /// `lower`: lowers the high-water mark; `cascade`: rebuilds the indexes.
    Shrink {
        lower: bool,
        cascade: bool,
    },
    Physical(PhysicalAttributes),
    Move(engine::ddl::MoveTo),
    Add(Vec<ColumnDef>),
    AddConstraint(Constraint),
    DropConstraint {
        name: ConstraintName,
        cascade: bool,
        keep_index: Option<bool>,
    },
    ChangeConstraint {
        name: ConstraintName,
        change: ConstraintChange,
        index: UsingIndex,
    },
    RenameConstraint {
        from: String,
        to: String,
    },
    Modify(Vec<engine::ddl::ColumnChange>),
    Drop {
        columns: Vec<String>,
        cascade: bool,
    },
    RenameTo(String),
    /// ENABLE and DISABLE ALL TRIGGERS.
    Triggers(bool),
    RenameColumn {
        from: String,
        to: String,
    },
}

/// The text between SET and its end in ALTER SESSION and ALTER SYSTEM.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) scope: Option<String>,
}

/// CREATE UNDO TABLESPACE.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UndoTablespaceSpec {
    pub(crate) name: String,
    pub(crate) files: Vec<DatafileSpec>,
    /// RETENTION GUARANTEE.
    pub(crate) guaranteed: bool,
}

/// ALTER and DROP of a stored program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProgramCommand {
    Drop,
    /// COMPILE; of a package with its body, unless it says SPECIFICATION.
    Compile {
        body: bool,
    },
    /// ENABLE and DISABLE of a trigger.
    Enable(bool),
}

/// The action of ANALYZE.
#[derive(Clone, Debug)]
pub(crate) enum Analysis {
    Statistics(Sampling),
    Delete,
    ChainedRows { into: Name },
}

#[derive(Clone, Debug)]
pub(crate) enum Command {
    Program {
        kind: ProgramKind,
        name: Name,
        command: ProgramCommand,
    },
    CreateTablespace(TablespaceSpec),
    AlterTablespace {
        name: String,
        change: TablespaceChange,
    },
    DropTablespace {
        name: String,
        contents: bool,
        datafiles: Option<bool>,
    },
    AlterDatafile {
        file: String,
        change: DatafileChange,
    },
    AlterLogfile(LogfileChange),
    CreateDiskGroup(DiskGroupSpec),
    AlterDiskGroup {
        name: String,
        change: DiskGroupChange,
    },
    DropDiskGroup {
        name: String,
        contents: bool,
        force: bool,
    },
    CreateUndoTablespace(UndoTablespaceSpec),
    CreateTable(Box<CreateTable>),
    AlterTable {
        name: Name,
        clauses: Vec<TableClause>,
    },
    DropTable {
        name: Name,
        cascade: bool,
    },
    Truncate(Name),
    Analyze {
        index: bool,
        name: Name,
        what: Analysis,
    },
    CreateIndex(Box<CreateIndex>),
    AlterIndexLogging {
        name: Name,
        logging: bool,
    },
    AlterIndexFlashCache {
        name: Name,
        wanted: FlashUse,
    },
    DropIndex(Name),
    Rename {
        from: String,
        to: String,
    },
    CreateSequence {
        name: Name,
        spec: SequenceSpec,
    },
    AlterSequence {
        name: Name,
        spec: SequenceSpec,
    },
    DropSequence(Name),
    CreateView(Box<CreateView>),
    CompileView(Name),
    DropView(Name),
    CreateSynonym {
        name: Name,
        public: bool,
        target: Name,
        replace: bool,
    },
    DropSynonym {
        name: Name,
        public: bool,
    },
    CreateExternal(Box<CreateExternal>),
    CreateDirectory {
        name: String,
        path: String,
        replace: bool,
    },
    DropDirectory(String),
    CreateUser {
        name: String,
        spec: UserSpec,
    },
    AlterUser {
        name: String,
        spec: UserSpec,
    },
    DropUser {
        name: String,
        cascade: bool,
    },
    CreateRole(String),
    DropRole(String),
    /// COMMENT ON a table or view, or one of its columns. The text is not kept.
    Comment {
        name: Name,
        column: Option<String>,
    },
    Grant {
        names: Vec<String>,
        to: Vec<String>,
        grantable: bool,
    },
    Revoke {
        names: Vec<String>,
        from: Vec<String>,
    },
    GrantOn {
        privileges: Vec<ObjectPrivilege>,
        table: Name,
        to: Vec<String>,
        grantable: bool,
    },
    RevokeOn {
        privileges: Vec<ObjectPrivilege>,
        table: Name,
        from: Vec<String>,
        /// CASCADE CONSTRAINTS.
        cascade: bool,
    },
    GrantOnDirectory {
        privileges: Vec<ObjectPrivilege>,
        name: String,
        to: Vec<String>,
        grantable: bool,
    },
    RevokeOnDirectory {
        privileges: Vec<ObjectPrivilege>,
        name: String,
        from: Vec<String>,
    },
    AlterSession(Vec<Setting>),
    AlterSessionSchema(String),
    AlterSessionIsolation(Isolation),
    AlterSystem(Vec<Setting>),
    ResetSystem(String),
    FlushBufferCache,
    FlushSharedPool,
    Checkpoint,
    SwitchLogfile,
    KillSession {
        sid: u32,
        serial: u32,
        immediate: bool,
    },
}

impl Command {
    /// True: a commit stands before and after it.
    pub(crate) fn is_ddl(&self) -> bool {
        !matches!(self.verb().0, "ALTER SESSION" | "ALTER SYSTEM")
    }

    /// The words of the feedback, and the command's number in traces and V$SQL.
    pub(crate) fn verb(&self) -> (&'static str, u32) {
        match self {
            Self::Program { kind, command, .. } => program_verb(*kind, *command),
            Self::CreateTablespace(_) => ("CREATE TABLESPACE", 39),
            Self::AlterTablespace { .. } => ("ALTER TABLESPACE", 40),
            Self::DropTablespace { .. } => ("DROP TABLESPACE", 41),
            Self::CreateUndoTablespace(_) => ("CREATE TABLESPACE", 39),
            Self::AlterDatafile { .. } | Self::AlterLogfile(_) => ("ALTER DATABASE", 35),
            Self::CreateDiskGroup(_) => ("CREATE DISKGROUP", 194),
            Self::AlterDiskGroup { .. } => ("ALTER DISKGROUP", 193),
            Self::DropDiskGroup { .. } => ("DROP DISKGROUP", 195),
            Self::CreateTable(_) | Self::CreateExternal(_) => ("CREATE TABLE", 1),
            Self::CreateDirectory { .. } => ("CREATE DIRECTORY", 157),
            Self::DropDirectory(_) => ("DROP DIRECTORY", 158),
            Self::AlterTable { .. } => ("ALTER TABLE", 15),
            Self::DropTable { .. } => ("DROP TABLE", 12),
            Self::Truncate(_) => ("TRUNCATE TABLE", 85),
            Self::Analyze { index: false, .. } => ("ANALYZE TABLE", 62),
            Self::Analyze { index: true, .. } => ("ANALYZE INDEX", 63),
            Self::CreateIndex(_) => ("CREATE INDEX", 9),
            Self::AlterIndexLogging { .. } | Self::AlterIndexFlashCache { .. } => ("ALTER INDEX", 11),
            Self::DropIndex(_) => ("DROP INDEX", 10),
            Self::Rename { .. } => ("RENAME", 28),
            Self::CreateSequence { .. } => ("CREATE SEQUENCE", 13),
            Self::AlterSequence { .. } => ("ALTER SEQUENCE", 14),
            Self::DropSequence(_) => ("DROP SEQUENCE", 16),
            Self::CreateView(_) => ("CREATE VIEW", 21),
            Self::CompileView(_) => ("ALTER VIEW", 88),
            Self::DropView(_) => ("DROP VIEW", 22),
            Self::CreateSynonym { public, .. } => ("CREATE SYNONYM", if *public { 110 } else { 19 }),
            Self::DropSynonym { public, .. } => ("DROP SYNONYM", if *public { 111 } else { 20 }),
            Self::CreateUser { .. } => ("CREATE USER", 51),
            Self::AlterUser { .. } => ("ALTER USER", 43),
            Self::DropUser { .. } => ("DROP USER", 53),
            Self::CreateRole(_) => ("CREATE ROLE", 52),
            Self::DropRole(_) => ("DROP ROLE", 54),
            Self::Comment { .. } => ("COMMENT", 29),
            Self::Grant { .. } | Self::GrantOn { .. } | Self::GrantOnDirectory { .. } => ("GRANT", 17),
            Self::Revoke { .. } | Self::RevokeOn { .. } | Self::RevokeOnDirectory { .. } => ("REVOKE", 18),
            Self::AlterSession(_) | Self::AlterSessionSchema(_) | Self::AlterSessionIsolation(_) => {
                ("ALTER SESSION", 42)
            }
            Self::AlterSystem(_)
            | Self::ResetSystem(_)
            | Self::FlushBufferCache
            | Self::FlushSharedPool
            | Self::Checkpoint
            | Self::SwitchLogfile
            | Self::KillSession { .. } => ("ALTER SYSTEM", 49),
        }
    }
}

fn program_verb(kind: ProgramKind, command: ProgramCommand) -> (&'static str, u32) {
    use ProgramKind::{Function, Package, PackageBody, Procedure, Trigger};
    match (command, kind) {
        (ProgramCommand::Drop, Procedure) => ("DROP PROCEDURE", 68),
        (ProgramCommand::Drop, Function) => ("DROP FUNCTION", 93),
        (ProgramCommand::Drop, Package) => ("DROP PACKAGE", 96),
        (ProgramCommand::Drop, PackageBody) => ("DROP PACKAGE BODY", 99),
        (ProgramCommand::Drop, Trigger) => ("DROP TRIGGER", 61),
        (_, Procedure) => ("ALTER PROCEDURE", 25),
        (_, Function) => ("ALTER FUNCTION", 92),
        (_, Package) => ("ALTER PACKAGE", 95),
        (_, PackageBody) => ("ALTER PACKAGE BODY", 98),
        (_, Trigger) => ("ALTER TRIGGER", 60),
    }
}
