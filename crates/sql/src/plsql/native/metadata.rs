//! DBMS_METADATA.GET_DDL: the statement that recreates a table, an index or a tablespace.

use std::fmt::Write as _;

use common::{DataType, Error, Result};
use engine::dictionary::{
    Catalog, ConstraintDef, ConstraintKind, IndexDef, ObjectPrivilege, OnDelete, SchemaObject, TableDef,
};
use engine::instance::Instance;
use scalar::Datum;
use storage::control::{ExtentManagement, SpaceManagement, TablespaceKind};
use storage::segment::{Segment, Storage};

use super::name;
use crate::cursor::connection::Connection;

/// ORA-31603: there is no such object.
fn missing(kind: &str, schema: &str, name: &str) -> Error {
    Error::user(31603, format!("object \"{name}\" of type {kind} not found in schema \"{schema}\""))
}

/// The text, without a terminator.
///
/// # Errors
/// ORA-31603 when there is no such object; ORA-31600 for an unknown type.
pub(super) fn get_ddl(instance: &Instance, catalog: &Catalog, kind: &str, name: &str, schema: &str) -> Result<String> {
    match kind {
        "TABLE" => {
            if let Some(SchemaObject::External(_)) = catalog.object(schema, name) {
                return Err(Error::unsupported("DBMS_METADATA.GET_DDL of an external table"));
            }
            let table = catalog.table(schema, name).ok_or_else(|| missing(kind, schema, name))?;
            Ok(table_ddl(catalog, table))
        }
        "INDEX" => {
            let index = catalog.index(schema, name).ok_or_else(|| missing(kind, schema, name))?;
            let table = catalog.table_by_number(index.table).ok_or_else(|| Error::bug("an index without a table"))?;
            Ok(index_ddl(index, table))
        }
        "TABLESPACE" => tablespace_ddl(instance, name).ok_or_else(|| missing(kind, "SYS", name)),
        "VIEW" | "SEQUENCE" | "SYNONYM" | "USER" | "PROCEDURE" | "FUNCTION" | "PACKAGE" | "PACKAGE_BODY"
        | "TRIGGER" | "CONSTRAINT" | "REF_CONSTRAINT" => {
            Err(Error::unsupported(format!("DBMS_METADATA.GET_DDL of type {kind}")))
        }
        _ => {
            Err(Error::user(31600, format!("invalid input value {kind} for parameter OBJECT_TYPE in function GET_DDL")))
        }
    }
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

fn type_text(data_type: DataType) -> String {
    match data_type {
        DataType::Number { precision: None, scale: 0 } => "NUMBER".to_owned(),
        DataType::Number { precision: None, scale } => format!("NUMBER(*,{scale})"),
        DataType::Number { precision: Some(precision), scale } => format!("NUMBER({precision},{scale})"),
        DataType::Varchar2 { bytes } => format!("VARCHAR2({bytes})"),
        DataType::Char { bytes } => format!("CHAR({bytes})"),
        DataType::Date => "DATE".to_owned(),
        DataType::Timestamp { precision } => format!("TIMESTAMP ({precision})"),
        DataType::Raw { bytes } => format!("RAW({bytes})"),
    }
}

/// The columns of a table by their positions, in parentheses.
fn column_list(table: &TableDef, positions: &[u16]) -> String {
    let names: Vec<String> = positions.iter().map(|at| quoted(&table.columns[usize::from(*at)].name)).collect();
    format!("({})", names.join(", "))
}

fn state(constraint: &ConstraintDef) -> String {
    let state = constraint.state;
    let mut text = String::new();
    if state.deferrable {
        text.push_str(if state.deferred { " DEFERRABLE INITIALLY DEFERRED" } else { " DEFERRABLE" });
    }
    match (state.enabled, state.validated) {
        (true, true) => text.push_str(" ENABLE"),
        (true, false) => text.push_str(" ENABLE NOVALIDATE"),
        (false, true) => text.push_str(" DISABLE VALIDATE"),
        (false, false) => text.push_str(" DISABLE"),
    }
    text
}

fn named(constraint: &ConstraintDef) -> String {
    if constraint.generated { String::new() } else { format!("CONSTRAINT {} ", quoted(&constraint.name)) }
}

fn table_ddl(catalog: &Catalog, table: &TableDef) -> String {
    let mut items = Vec::new();
    for (at, column) in table.columns.iter().enumerate() {
        let mut text = format!("{} {}", quoted(&column.name), type_text(column.data_type));
        if let Some(default) = &column.default {
            let _ = write!(text, " DEFAULT {}", default.trim());
        }
        let forbids = |constraint: &&std::sync::Arc<ConstraintDef>| {
            constraint.kind == ConstraintKind::NotNull
                && constraint.columns.iter().any(|position| usize::from(*position) == at)
        };
        if let Some(constraint) = table.constraints.iter().find(forbids) {
            let _ = write!(text, " {}NOT NULL{}", named(constraint), state(constraint));
        }
        items.push(text);
    }
    for constraint in &table.constraints {
        let what = match constraint.kind {
            ConstraintKind::NotNull => continue,
            ConstraintKind::Check => format!("CHECK ({})", constraint.condition.as_deref().unwrap_or_default()),
            ConstraintKind::PrimaryKey | ConstraintKind::Unique => {
                let word = if constraint.kind == ConstraintKind::PrimaryKey { "PRIMARY KEY" } else { "UNIQUE" };
                let index = constraint
                    .index
                    .and_then(|number| catalog.index_by_number(number))
                    .filter(|_| constraint.own_index);
                let using =
                    index.map(|index| format!("\n  USING INDEX {}", index_attributes(index))).unwrap_or_default();
                format!("{word} {}{using}", column_list(table, &constraint.columns))
            }
            ConstraintKind::ForeignKey => {
                let Some(reference) = &constraint.reference else { continue };
                let Some(parent) = catalog.table_by_number(reference.table) else { continue };
                let rule = match reference.on_delete {
                    OnDelete::NoAction => "",
                    OnDelete::Cascade => " ON DELETE CASCADE",
                    OnDelete::SetNull => " ON DELETE SET NULL",
                };
                format!(
                    "FOREIGN KEY {} REFERENCES {}.{} {}{rule}",
                    column_list(table, &constraint.columns),
                    quoted(&parent.owner),
                    quoted(&parent.name),
                    column_list(parent, &reference.columns)
                )
            }
        };
        items.push(format!("{}{what}{}", named(constraint), state(constraint)));
    }
    let manual = table.segment.management() == SpaceManagement::Manual;
    let pctused = if manual { format!(" PCTUSED {}", table.pctused) } else { String::new() };
    format!(
        "CREATE TABLE {}.{} (\n  {}\n) PCTFREE {}{pctused} INITRANS {} MAXTRANS {}{}{}\n  {}TABLESPACE {}{}",
        quoted(&table.owner),
        quoted(&table.name),
        items.join(",\n  "),
        table.pctfree,
        table.initrans,
        table.maxtrans,
        if table.cache { " CACHE" } else { "" },
        logging(table.logging, &table.segment),
        storage(&table.storage),
        quoted(table.segment.tablespace().name()),
        if table.row_movement { " ENABLE ROW MOVEMENT" } else { "" }
    )
}

fn index_ddl(index: &IndexDef, table: &TableDef) -> String {
    format!(
        "CREATE {}INDEX {}.{} ON {}.{} {}\n  {}",
        if index.unique { "UNIQUE " } else { "" },
        quoted(&index.owner),
        quoted(&index.name),
        quoted(&table.owner),
        quoted(&table.name),
        column_list(table, &index.columns),
        index_attributes(index)
    )
}

fn index_attributes(index: &IndexDef) -> String {
    let segment: &Segment = &index.segment;
    format!(
        "PCTFREE {} INITRANS {} MAXTRANS {}{} {}TABLESPACE {}",
        index.pctfree,
        index.initrans,
        index.maxtrans,
        logging(index.logging, segment),
        storage(&index.storage),
        quoted(segment.tablespace().name())
    )
}

/// The LOGGING clause, where it is needed; with a blank before it.
fn logging(logging: bool, segment: &Segment) -> &'static str {
    match (logging, segment.tablespace().logging()) {
        (false, _) => " NOLOGGING",
        (true, false) => " LOGGING",
        (true, true) => "",
    }
}

/// The STORAGE clause as given; with a blank behind it.
fn storage(storage: &Storage) -> String {
    let mut parts = Vec::new();
    let sizes = [("INITIAL", storage.initial), ("NEXT", storage.next)];
    parts.extend(sizes.iter().filter_map(|(word, bytes)| bytes.map(|bytes| format!("{word} {bytes}"))));
    let numbers =
        [("MINEXTENTS", storage.minextents), ("MAXEXTENTS", storage.maxextents), ("PCTINCREASE", storage.pctincrease)];
    parts.extend(numbers.iter().filter_map(|(word, number)| number.map(|number| format!("{word} {number}"))));
    parts.push(format!("FREELISTS {} FREELIST GROUPS {}", storage.freelists, storage.freelist_groups));
    parts.extend(storage.flash_cache.map(|wanted| format!("CELL_FLASH_CACHE {}", wanted.name())));
    format!("STORAGE({}) ", parts.join(" "))
}

fn tablespace_ddl(instance: &Instance, name: &str) -> Option<String> {
    let tablespace = instance.tablespaces().named(name).ok()?;
    let bytes = tablespace.block_size().bytes() as u64;
    let control = instance.control().data().clone();
    let files: Vec<String> = control
        .datafiles
        .iter()
        .filter(|file| file.tablespace == tablespace.number().0)
        .map(|file| {
            let mut text = format!("'{}' SIZE {}", file.name.replace('\'', "''"), u64::from(file.blocks) * bytes);
            if let Some(more) = file.autoextend {
                let _ = write!(
                    text,
                    " AUTOEXTEND ON NEXT {} MAXSIZE {}",
                    u64::from(more.next) * bytes,
                    u64::from(more.max) * bytes
                );
            }
            text
        })
        .collect();
    let (kind, tail) = match tablespace.kind() {
        TablespaceKind::Undo => ("UNDO ", String::new()),
        _ => {
            let management = match tablespace.space_management() {
                SpaceManagement::Manual => "MANUAL",
                SpaceManagement::Auto => "AUTO",
            };
            let logging = if tablespace.logging() { "" } else { "\n  NOLOGGING" };
            ("", format!("\n  SEGMENT SPACE MANAGEMENT {management}{logging}"))
        }
    };
    let extents = match tablespace.extent_management() {
        ExtentManagement::Autoallocate => "AUTOALLOCATE".to_owned(),
        ExtentManagement::Uniform { blocks } => format!("UNIFORM SIZE {}", u64::from(blocks) * bytes),
    };
    Some(format!(
        "CREATE {kind}TABLESPACE {} DATAFILE\n  {}\n  BLOCKSIZE {bytes}\n  EXTENT MANAGEMENT LOCAL {extents}{tail}",
        quoted(tablespace.name()),
        files.join(",\n  ")
    ))
}

/// `GET_DDL(object_type, name, schema)`.
pub(super) fn call(connection: &Connection, arguments: &[Datum]) -> Result<Datum> {
    let (kind, name) = (name(arguments, 0, "OBJECT_TYPE")?, name(arguments, 1, "NAME")?);
    let schema = super::name(arguments, 2, "SCHEMA").unwrap_or_else(|_| connection.schema.clone());
    let session = &connection.session;
    let catalog = session.catalog();
    // A user without a privilege on a table may not learn that it exists.
    if kind == "TABLE"
        && let Some(table) = catalog.table(&schema, &name)
    {
        catalog
            .check_table(&connection.session.rights(), table, ObjectPrivilege::Select)
            .map_err(|_| missing(&kind, &schema, &name))?;
    }
    get_ddl(session.instance(), &catalog, &kind, &name, &schema).map(Datum::varchar2)
}
