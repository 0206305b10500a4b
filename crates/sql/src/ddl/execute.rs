//! Execution of commands by the engine's methods.

use std::sync::Arc;

use common::{Error, Number, Result};
use engine::ddl::{ColumnChange, IndexSpec, MoveTo, NewColumn, PhysicalAttributes, TableChange, TableSpec};
use engine::dictionary::{ColumnDef, SchemaObject};
use engine::instance::is_system_named;
use scalar::Datum;
use sqlparser::tokenizer::Token;
use storage::control::SpaceManagement;
use storage::parameters::Parameter;
use storage::segment::Segment;

use super::command::{Command, CreateIndex, CreateTable, Name, SegmentAttributes, Setting, TableClause};
use super::foreign;
use crate::cursor::connection::Connection;
use crate::cursor::open::Cursor;
use crate::cursor::trace;
use crate::functions::evaluate;
use crate::plan::query::BoundQuery;
use crate::plan::scope::Scope as Names;
use crate::statement::parse::{parse_expression, parse_query};
use crate::statement::words::{Word, Words};

impl Connection {
    /// Executes a command. Some(rows) for CREATE TABLE AS SELECT.
    pub(crate) fn command(&mut self, command: &Command, text: &str) -> Result<Option<u64>> {
        let session = Arc::clone(&self.session);
        match command {
            Command::CreateTablespace(spec) => session.create_tablespace(spec).map(|_| None),
            Command::AlterTablespace { name, change } => session.alter_tablespace(name, change).map(|()| None),
            Command::DropTablespace { name, contents, datafiles } => {
                self.drop_tablespace(name, *contents, *datafiles).map(|()| None)
            }
            Command::CreateDiskGroup(spec) => session.create_disk_group(spec).map(|()| None),
            Command::AlterDiskGroup { name, change } => session.alter_disk_group(name, change).map(|()| None),
            Command::DropDiskGroup { name, force: true, .. } => session.forget_lost_disk_group(name).map(|()| None),
            Command::DropDiskGroup { name, contents, .. } => session.drop_disk_group(name, *contents).map(|()| None),
            Command::AlterDatafile { file, change } => session.alter_datafile(file, change.clone()).map(|()| None),
            Command::CreateTable(table) => self.create_table(table, text),
            Command::CreateExternal(table) => self.create_external(table).map(|()| None),
            Command::CreateDirectory { name, path, replace } => {
                session.create_directory(name, path, *replace).map(|_| None)
            }
            Command::DropDirectory(name) => session.drop_directory(name).map(|()| None),
            Command::GrantOnDirectory { privileges, name, to, grantable } => {
                session.grant_on_directory(privileges, name, to, *grantable).map(|()| None)
            }
            Command::RevokeOnDirectory { privileges, name, from } => {
                session.revoke_on_directory(privileges, name, from).map(|()| None)
            }
            Command::AlterTable { name, clauses } => self.alter_table(name, clauses).map(|()| None),
            Command::DropTable { name, cascade } => {
                let (owner, name) = self.qualified(name);
                session.drop_table_and(&owner, &name, *cascade).map(|()| None)
            }
            Command::Truncate(name) => {
                let (owner, name) = self.qualified(name);
                session.truncate_table(&owner, &name).map(|_| None)
            }
            Command::Analyze { index, name, what } => self.analyze(*index, name, what).map(|()| None),
            Command::CreateIndex(index) => self.create_index(index).map(|()| None),
            Command::AlterIndexLogging { name, logging } => {
                let (owner, name) = self.qualified(name);
                session.set_index_logging(&owner, &name, *logging).map(|()| None)
            }
            Command::AlterIndexFlashCache { name, wanted } => {
                let (owner, name) = self.qualified(name);
                session.set_index_flash_cache(&owner, &name, *wanted).map(|()| None)
            }
            Command::DropIndex(name) => {
                let (owner, name) = self.qualified(name);
                session.drop_index(&owner, &name).map(|()| None)
            }
            Command::Rename { from, to } => session.rename(&self.schema, from, to).map(|()| None),
            Command::CreateSequence { .. }
            | Command::AlterSequence { .. }
            | Command::DropSequence(_)
            | Command::DropView(_)
            | Command::CreateSynonym { .. }
            | Command::DropSynonym { .. } => self.object_command(command).map(|()| None),
            Command::Program { kind, name, command } => self.program_command(*kind, name, *command).map(|_| None),
            Command::CreateView(view) => self.create_view(view, text).map(|_| None),
            Command::CompileView(name) => self.compile_view(name).map(|_| None),
            Command::CreateUser { name, spec } => session.create_user(name, spec).map(|()| None),
            Command::AlterUser { name, spec } => session.alter_user(name, spec).map(|()| None),
            Command::DropUser { name, cascade } => session.drop_user(name, *cascade).map(|()| None),
            Command::CreateRole(name) => session.create_role(name).map(|()| None),
            Command::DropRole(name) => session.drop_role(name).map(|()| None),
            Command::Comment { name, column } => self.check_commented(name, column.as_ref()).map(|()| None),
            Command::Grant { names, to, grantable } => session.grant(names, to, *grantable).map(|()| None),
            Command::Revoke { names, from } => session.revoke(names, from).map(|()| None),
            Command::GrantOn { privileges, table, to, grantable } => {
                let object = self.resolved(table)?;
                session.grant_on(privileges, &object.owner, &object.name, to, *grantable).map(|()| None)
            }
            Command::RevokeOn { privileges, table, from, cascade } => {
                let object = self.resolved(table)?;
                session.revoke_on_and(privileges, &object.owner, &object.name, from, *cascade).map(|()| None)
            }
            Command::AlterSession(settings) => self.alter_session(settings).map(|()| None),
            Command::AlterSessionSchema(schema) => {
                session.catalog().require_user(schema)?;
                self.schema.clone_from(schema);
                Ok(None)
            }
            Command::AlterSessionIsolation(isolation) => {
                self.set_isolation(*isolation);
                Ok(None)
            }
            Command::AlterSystem(_)
            | Command::ResetSystem(_)
            | Command::FlushBufferCache
            | Command::FlushSharedPool
            | Command::Checkpoint
            | Command::SwitchLogfile
            | Command::KillSession { .. } => self.system_command(command).map(|()| None),
            Command::AlterLogfile(change) => self.alter_logfile(change).map(|()| None),
            Command::CreateUndoTablespace(spec) => self.create_undo_tablespace(spec).map(|()| None),
        }
    }

    fn drop_tablespace(&self, name: &str, contents: bool, datafiles: Option<bool>) -> Result<()> {
        let instance = self.session.instance();
        if datafiles == Some(false) {
            let files = instance.tablespaces().named(name).map(|tablespace| tablespace.files()).unwrap_or_default();
            let is_own = |file| instance.cache().file(file).is_ok_and(|file| is_system_named(file.name()));
            if files.into_iter().any(is_own) {
                let what =
                    "KEEP DATAFILES of a tablespace that has files which the database has named, as in a disk group";
                return Err(Error::unsupported(what));
            }
        }
        self.session.drop_tablespace(name, contents, datafiles == Some(true))
    }

    pub(crate) fn qualified(&self, name: &Name) -> (String, String) {
        (name.0.clone().unwrap_or_else(|| self.schema.clone()), name.1.clone())
    }

    fn create_table(&mut self, create: &CreateTable, text: &str) -> Result<Option<u64>> {
        let (owner, name) = self.qualified(&create.name);
        let mut columns = create.columns.clone();
        let query = create.query.map(|offset| self.table_query(&text[offset..], offset)).transpose()?;
        if let Some(query) = &query {
            columns = query_columns(query, &create.column_names)?;
        }
        for column in &columns {
            self.check_default(column)?;
        }
        let (at_once, later) = Self::later_constraints(&create.constraints);
        let constraints = at_once
            .iter()
            .map(|constraint| {
                self.constraint_spec(constraint, &owner, &name, &columns, create.attributes.tablespace.as_ref())
            })
            .collect::<Result<Vec<_>>>()?;
        let SegmentAttributes { tablespace, physical, storage, cache, logging, row_movement } =
            create.attributes.clone();
        let spec = TableSpec {
            tablespace,
            physical,
            storage,
            cache: cache.unwrap_or(false),
            logging,
            row_movement: row_movement.unwrap_or(false),
            constraints,
            ..TableSpec::new(&owner, &name, columns)
        };
        // A query that reads the table being created has failed before the name exists.
        let session = Arc::clone(&self.session);
        let made = match query {
            None => session.create_table(&spec).map(|_| None)?,
            Some(query) => {
                let (shared, _) = self.database.library().find(text, &self.schema, session.catalog().version())?;
                let mut cursor = Cursor::new(shared);
                let filled = session.create_table_filled(&spec, |table| {
                    let _seen = session.enter(session.begin_snapshot());
                    let rows = self.insert_rows(table, query, &mut cursor)?;
                    // The transaction ends with the statement.
                    self.check_deferred()?;
                    Ok(Some(rows))
                });
                self.forget_deferred();
                filled.map_err(|mut error| {
                    // The table is gone, so none of its rows stands: cut that part of the text.
                    if let Some(at) = error.text.find(" (")
                        && error.text.ends_with("rows of this statement stand)")
                    {
                        error.text.truncate(at);
                    }
                    error
                })?
            }
        };
        // Keys whose index has a statement of its own, each a definition by itself.
        let added = later
            .into_iter()
            .try_for_each(|constraint| self.alter_constraint(&owner, &name, &TableClause::AddConstraint(constraint)));
        if added.is_err() {
            // A failed statement leaves nothing. The first error is the one to report.
            let _ = session.drop_table(&owner, &name);
        }
        added?;
        if let Some(table) = session.catalog().table(&owner, &name) {
            self.notice_freelists(&table.segment);
            self.notice_pctused(&table.segment, create.attributes.physical.pctused);
        }
        Ok(made)
    }

    fn table_query(&self, text: &str, offset: usize) -> Result<BoundQuery> {
        let (query, headings) = parse_query(text, offset)?;
        self.with_binder(text, &[], |binder| {
            binder.base.set(offset);
            binder.statement_query(&query, &headings)
        })
        .map_err(|mut error| {
            error.position = error.position.map(|position| position + offset);
            error
        })
    }

    /// Checks the names, types and literals of a DEFAULT. Errors of its evaluation, such as a division by zero, show
    /// when a row needs it.
    fn check_default(&self, column: &ColumnDef) -> Result<()> {
        for literal in column.default.iter().flat_map(|text| datetime_literals(text)) {
            self.constant_value(literal)?;
        }
        match self.default_bytes(column) {
            Err(error) if !of_evaluation(&error) => Err(error),
            _ => Ok(()),
        }
    }

    fn default_bytes(&self, column: &ColumnDef) -> Result<Option<Vec<u8>>> {
        let Some(text) = &column.default else { return Ok(None) };
        let value = self.constant_value(text)?;
        let mut bytes = Vec::new();
        let context = self.statement_context()?;
        let name = format!("\"{}\"", column.name);
        Ok(scalar::store(&*context, &value, column.data_type, &name, &mut bytes)?.then_some(bytes))
    }

    /// The value of an expression without columns.
    fn constant_value(&self, text: &str) -> Result<Datum> {
        let expr = parse_expression(text)?;
        // Positions in the expression's own text are not positions in the statement.
        self.with_binder(text, &[], |binder| {
            evaluate::datum(&binder.without_programs().value(&expr, &Names::default())?.expr)
        })
        .map_err(|error| Error { position: None, ..error })
    }

    /// Adds the notice that FREELISTS has no effect under bitmaps.
    fn notice_freelists(&self, segment: &Segment) {
        let storage = &segment.spec().storage;
        if segment.management() == SpaceManagement::Auto && (storage.freelists > 1 || storage.freelist_groups > 1) {
            let name = segment.tablespace().name();
            self.shared.notice(format!("FREELISTS has no effect: tablespace {name} keeps free space in bitmaps"));
        }
    }

    /// Adds the notice that PCTUSED has no effect under bitmaps.
    fn notice_pctused(&self, segment: &Segment, asked: Option<u64>) {
        if segment.management() == SpaceManagement::Auto && asked.is_some() {
            let name = segment.tablespace().name();
            self.shared.notice(format!("PCTUSED has no effect: tablespace {name} keeps free space in bitmaps"));
        }
    }

    pub(super) fn create_index(&self, create: &CreateIndex) -> Result<()> {
        let (owner, name) = self.qualified(&create.name);
        let table = self.resolved(&create.table)?;
        if let Some(SchemaObject::View(view)) = &table.object {
            return Err(Error::user(1702, format!("a view is not appropriate here: {}", view.qualified_name())));
        }
        let SegmentAttributes { tablespace, physical, storage, logging, cache: _, row_movement: _ } =
            create.attributes.clone();
        let made = self.session.create_index(&IndexSpec {
            logging,
            owner,
            name,
            table_owner: table.owner,
            table_name: table.name,
            columns: create.columns.clone(),
            unique: create.unique,
            tablespace,
            physical,
            storage,
        })?;
        self.notice_freelists(&made.segment);
        Ok(())
    }

    fn alter_table(&self, name: &Name, clauses: &[TableClause]) -> Result<()> {
        let (owner, mut name) = self.qualified(name);
        for clause in clauses {
            let change = match clause {
                TableClause::Cache(cache) => TableChange::Cache(*cache),
                TableClause::Logging(logging) => TableChange::Logging(*logging),
                TableClause::FlashCache(wanted) => TableChange::FlashCache(*wanted),
                TableClause::RowMovement(enabled) => TableChange::RowMovement(*enabled),
                TableClause::Shrink { lower, cascade } => TableChange::Shrink { lower: *lower, cascade: *cascade },
                TableClause::Physical(physical) => TableChange::Physical(*physical),
                TableClause::Move(to) => TableChange::Move(to.clone()),
                TableClause::Add(columns) => TableChange::AddColumns(
                    columns
                        .iter()
                        .map(|column| Ok(NewColumn { column: column.clone(), fill: self.default_bytes(column)? }))
                        .collect::<Result<_>>()?,
                ),
                TableClause::AddConstraint(_)
                | TableClause::DropConstraint { .. }
                | TableClause::ChangeConstraint { .. }
                | TableClause::RenameConstraint { .. } => {
                    self.alter_constraint(&owner, &name, clause)?;
                    continue;
                }
                TableClause::Modify(changes) => {
                    self.check_new_defaults(&owner, &name, changes)?;
                    TableChange::ModifyColumns(changes.clone())
                }
                TableClause::Drop { columns, cascade } => {
                    TableChange::DropColumns { names: columns.clone(), cascade: *cascade }
                }
                TableClause::Triggers(enabled) => {
                    self.session.alter_triggers_of(&owner, &name, *enabled)?;
                    continue;
                }
                TableClause::RenameTo(to) => TableChange::RenameTable(to.clone()),
                TableClause::RenameColumn { from, to } => {
                    TableChange::RenameColumn { from: from.clone(), to: to.clone() }
                }
            };
            self.session.alter_table(&owner, &name, &change)?;
            match clause {
                TableClause::RenameTo(to) => name.clone_from(to),
                TableClause::Physical(PhysicalAttributes { pctused, .. })
                | TableClause::Move(MoveTo { physical: PhysicalAttributes { pctused, .. }, .. }) => {
                    if let Some(table) = self.session.catalog().table(&owner, &name) {
                        self.notice_pctused(&table.segment, *pctused);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks the DEFAULTs of MODIFY against the columns' new types.
    fn check_new_defaults(&self, owner: &str, name: &str, changes: &[ColumnChange]) -> Result<()> {
        let catalog = self.session.catalog();
        let Some(table) = catalog.table(owner, name) else { return Ok(()) };
        for change in changes {
            let (Some(Some(default)), Some(column)) = (&change.default, table.column(&change.name)) else { continue };
            let data_type = change.data_type.unwrap_or(table.columns[column].data_type);
            let default = Some(default.clone());
            self.check_default(&ColumnDef { data_type, default, ..table.columns[column].clone() })?;
        }
        Ok(())
    }

    fn alter_session(&mut self, settings: &[Setting]) -> Result<()> {
        for setting in settings {
            if setting.name == "events" {
                self.set_event(&setting.value)?;
                continue;
            }
            if let Some(notice) = foreign::notice(&setting.name, &setting.value)? {
                self.shared.notice(notice);
                continue;
            }
            let parameter = self.session.parameters().set(&setting.name, &setting.value)?;
            match parameter {
                Parameter::SqlTrace => {
                    if self.session.parameters().boolean(Parameter::SqlTrace) {
                        trace::start(&self.session, 1)?;
                    } else {
                        trace::stop(&self.session)?;
                    }
                }
                Parameter::TracefileIdentifier => {
                    // An active trace goes on in a file of the new name.
                    let level = self.session.meter().trace_level();
                    if level > 0 {
                        trace::start(&self.session, level)?;
                    }
                }
                Parameter::NlsDateFormat | Parameter::NlsTimestampFormat | Parameter::NlsNumericCharacters => {
                    self.refresh_nls()?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// `10046 trace name context forever, level N` and `10046 trace name context off`.
    fn set_event(&self, event: &str) -> Result<()> {
        let words: Vec<String> = event
            .split(|c: char| c.is_whitespace() || c == ',')
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["10046", "trace", "name", "context", "off"] => trace::stop(&self.session),
            ["10046", "trace", "name", "context", "forever"] => trace::start(&self.session, 1),
            ["10046", "trace", "name", "context", "forever", "level", level] => {
                let level: u32 = level
                    .parse()
                    .map_err(|_| Error::user(2194, format!("event specification syntax error: level {level}")))?;
                if level == 0 { trace::stop(&self.session) } else { trace::start(&self.session, level) }
            }
            _ => Err(Error::unsupported(format!("event '{event}'"))),
        }
    }
}

/// The columns of a table made by a query.
fn query_columns(query: &BoundQuery, names: &[String]) -> Result<Vec<ColumnDef>> {
    if !names.is_empty() && names.len() != query.outputs.len() {
        return Err(Error::user(1730, "invalid number of column names specified"));
    }
    query
        .outputs
        .iter()
        .enumerate()
        .map(|(at, output)| {
            let name = names.get(at).unwrap_or(&output.name).clone();
            if output.null {
                return Err(Error::user(
                    1723,
                    format!("zero-length columns are not allowed: {name} is NULL, of no data type"),
                ));
            }
            check_column_name(&name)?;
            Ok(ColumnDef { name, data_type: output.declared, nullable: output.nullable, default: None })
        })
        .collect()
}

/// Checks a heading as the name of a column.
pub(super) fn check_column_name(name: &str) -> Result<()> {
    let is_name = name.chars().next().is_some_and(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | ' '));
    if is_name {
        return Ok(());
    }
    Err(Error::user(998, format!("must name this expression with a column alias: {name}")))
}

/// The literals `DATE '…'` and `TIMESTAMP '…'` of an expression.
fn datetime_literals(text: &str) -> Vec<&str> {
    let Ok(mut words) = Words::new(text) else { return Vec::new() };
    let mut literals = Vec::new();
    while let Some(word) = words.peek().cloned() {
        if !(words.take("DATE") || words.take("TIMESTAMP")) {
            words.advance();
        } else if let Some(Word { token: Token::SingleQuotedString(_), end, .. }) = words.peek() {
            literals.push(&text[word.start..*end]);
        }
    }
    literals
}

/// True: an error in the value of a well-formed expression: arithmetic, conversions, arguments of functions.
fn of_evaluation(error: &Error) -> bool {
    const ARITHMETIC_AND_NUMBERS: [u32; 6] = [1426, 1428, 1476, 1481, 1722, 1760];
    const DATES: std::ops::RangeInclusive<u32> = 1800..=1899;
    match error.number {
        Number::Ora(number) => ARITHMETIC_AND_NUMBERS.contains(&number) || DATES.contains(&number),
        Number::Hw(_) | Number::Sp2(_) => false,
    }
}
