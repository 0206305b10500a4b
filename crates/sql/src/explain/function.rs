//! `TABLE(DBMS_XPLAN.DISPLAY(…))` and `TABLE(DBMS_XPLAN.DISPLAY_CURSOR(…))`.

use std::sync::Arc;

use common::{DataType, Error, Result};
use datafusion::arrow::record_batch::RecordBatch;
use engine::dictionary::SchemaObject;
use scalar::{Datum, DatumType};

use super::display::{self, LINE_BYTES, PlanLine};
use super::format::{Format, Reading};
use super::statement::{is_own, lines, quoted};
use super::table::{self, PLAN_TABLE};
use crate::cursor::library::SharedCursor;
use crate::cursor::nested::{CallPlace, Caller};
use crate::cursor::tables::SessionTables;
use crate::functions::rows::Builder;
use crate::plan::binder::{Relation, Source, TableColumn};
use crate::scan::rows::RowsTable;
use crate::statement::words::Words;
use crate::types::column;

/// The column of their rows.
pub(crate) const OUTPUT: &str = "PLAN_TABLE_OUTPUT";
const OUTPUT_TYPE: DataType = DataType::Varchar2 { bytes: LINE_BYTES as u16 };

/// An argument: its name, if given by name, and its value.
pub(crate) type Argument = (Option<String>, Datum);

/// The source of the displayed plan.
#[derive(Clone, Debug)]
enum Shown {
    /// A plan in a plan table.
    Table { name: String, statement_id: Option<String> },
    /// A cursor's plan: without an identifier, that of the session's last statement.
    Cursor { sql_id: Option<String>, child: i64 },
}

/// The rows of a function of DBMS_XPLAN; None when the function is another one.
///
/// # Errors
/// ORA-06553 with PLS-306 for unknown arguments; HW-0001 for unsupported ones.
pub(crate) fn relation(tables: &SessionTables, path: &[String], arguments: &[Argument]) -> Result<Option<Relation>> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let (["DBMS_XPLAN", function] | ["SYS", "DBMS_XPLAN", function]) = path[..] else { return Ok(None) };
    let (shown, format) = match function {
        "DISPLAY" => {
            let [name, statement_id, format, filter] =
                placed(function, ["TABLE_NAME", "STATEMENT_ID", "FORMAT", "FILTER_PREDS"], arguments)?;
            if filter.is_some() {
                return Err(Error::unsupported("FILTER_PREDS of DBMS_XPLAN.DISPLAY"));
            }
            (Shown::Table { name: name.unwrap_or_else(|| PLAN_TABLE.to_owned()), statement_id }, format)
        }
        "DISPLAY_CURSOR" => {
            let [sql_id, child, format] = placed(function, ["SQL_ID", "CURSOR_CHILD_NO", "FORMAT"], arguments)?;
            let child =
                child.map_or(Ok(0), |child| child.trim().parse()).map_err(|_| Error::user(1722, "invalid number"))?;
            (Shown::Cursor { sql_id, child }, format)
        }
        other => return Err(Error::unsupported(format!("DBMS_XPLAN.{other}"))),
    };
    let schema = column::schema([(OUTPUT, OUTPUT_TYPE)]);
    let (batch_schema, tables, function) = (Arc::clone(&schema), tables.clone(), function.to_owned());
    let provider = RowsTable::new(schema, move || {
        let lines = shown.lines(&tables, &function, format.as_deref())?;
        let mut builder = Builder::new(DatumType::from(OUTPUT_TYPE), lines.len());
        for line in lines {
            builder.append(&if line.is_empty() { Datum::Null } else { Datum::varchar2(line) })?;
        }
        RecordBatch::try_new(Arc::clone(&batch_schema), vec![builder.finish()])
            .map_err(|error| Error::bug(format!("the lines of a plan: {error}")))
    });
    let columns = vec![TableColumn { name: OUTPUT.to_owned(), data_type: OUTPUT_TYPE, nullable: true, pseudo: false }];
    Ok(Some(Relation { owner: "SYS".to_owned(), columns, source: Source::Provider(provider) }))
}

/// The arguments in the parameters' order, as text; None for NULL and for missing ones.
fn placed<const N: usize>(function: &str, names: [&str; N], arguments: &[Argument]) -> Result<[Option<String>; N]> {
    let wrong = || Error::user(6553, format!("PLS-306: wrong number or types of arguments in call to '{function}'"));
    let mut found = [const { None }; N];
    for (at, (name, value)) in arguments.iter().enumerate() {
        let place = match name {
            None => at,
            Some(name) => names.iter().position(|known| known == name).ok_or_else(wrong)?,
        };
        let slot = found.get_mut(place).ok_or_else(wrong)?;
        *slot = match value {
            Datum::Null => None,
            Datum::Varchar2(text) | Datum::Char(text) => Some(text.clone()),
            Datum::Number(number) => Some(number.to_string()),
            _ => return Err(wrong()),
        };
    }
    Ok(found)
}

impl Shown {
    fn lines(&self, tables: &SessionTables, function: &str, format: Option<&str>) -> Result<Vec<String>> {
        let wrong = |text: &str| vec![format!("Error: format '{text}' not valid for DBMS_XPLAN.{function}()")];
        let format = match Format::read(format)? {
            Reading::Known(format) => format,
            Reading::Unknown(text) => return Ok(wrong(&text)),
        };
        match self {
            Self::Table { .. } if format.statistics => Ok(wrong("ALLSTATS")),
            Self::Table { name, statement_id } => {
                let plan = explained(tables, name, statement_id.as_deref())?;
                if plan.is_empty() {
                    return Ok(vec![match statement_id {
                        Some(id) => format!("Error: cannot fetch plan for statement_id '{id}'"),
                        None => format!("Error: cannot fetch last explain plan from {name}"),
                    }]);
                }
                Ok(display::lines(&plan, &format, &[]))
            }
            Self::Cursor { sql_id, child } => {
                let found = match sql_id {
                    Some(sql_id) => tables.database.library().by_sql_id(sql_id),
                    None => tables.nested.shared().last_statement(),
                };
                match found.filter(|_| *child == 0) {
                    Some(cursor) => Ok(of_cursor(&cursor, &format)),
                    None => {
                        let sql_id = sql_id.as_deref().unwrap_or_default();
                        Ok(vec![format!("SQL_ID: {sql_id}, child number: {child} cannot be found")])
                    }
                }
            }
        }
    }
}

/// The plan that was put into a table last, or last with this identifier.
fn explained(tables: &SessionTables, name: &str, statement_id: Option<&str>) -> Result<Vec<PlanLine>> {
    let mut words = Words::new(name)?;
    let (owner, table) = words.name()?;
    words.end()?;
    let resolved = tables.catalog.resolve(&tables.schema, owner.as_deref(), &table)?;
    let (from, optional) = match &resolved.object {
        Some(SchemaObject::Table(table)) => {
            (quoted(&table.owner, &table.name), table::OPTIONAL.map(|name| table.column(name).map_or("null", |_| name)))
        }
        Some(SchemaObject::View(view)) => (quoted(&view.owner, &view.name), table::OPTIONAL.map(|_| "null")),
        None if is_own(owner.as_deref(), &table) => {
            let rows = tables.nested.shared().plan_rows.lock();
            let asked = |id: &Option<String>| statement_id.is_none_or(|asked| id.as_deref() == Some(asked));
            let last = rows.iter().filter(|row| asked(&row.statement_id)).map(|row| row.plan_id).max();
            return Ok(rows.iter().filter(|row| Some(row.plan_id) == last).map(|row| row.line.clone()).collect());
        }
        _ => return Err(Error::user(942, format!("table or view does not exist: {name}"))),
    };
    let (of, binds) = match statement_id {
        Some(id) => (" where statement_id = :B1", vec![Datum::varchar2(id)]),
        None => ("", Vec::new()),
    };
    let query = format!(
        "select {}, {} from {from} where plan_id = (select max(plan_id) from {from}{of}) order by id",
        table::SHOWN,
        optional.join(", ")
    );
    let caller = Caller { schema: &tables.schema, rights: tables.user.clone(), place: CallPlace::Query };
    let rows = tables.nested.call_as(&caller, |host, _| {
        let connection = host.connection();
        let cursor = connection.parse(&query)?;
        let result = connection
            .bind_numbered(cursor, &binds)
            .and_then(|()| connection.execute(cursor))
            .and_then(|_| connection.fetch(cursor, usize::MAX));
        connection.close(cursor);
        result
    })?;
    Ok(rows.rows.iter().map(|row| table::line(row)).collect())
}

/// A cursor's plan, with the figures of its executions.
fn of_cursor(cursor: &SharedCursor, format: &Format) -> Vec<String> {
    let title = format!("SQL_ID  {}, child number 0", cursor.sql_id);
    let rule = "-".repeat(title.len());
    let mut out = vec![title, rule];
    out.extend(display::statement(&cursor.text));
    out.push(String::new());
    let Some(plan) = cursor.plan() else {
        out.push(format!("NOTE: cannot fetch plan for SQL_ID: {}, CHILD_NUMBER: 0", cursor.sql_id));
        out.push("      The statement has none, or has not come to its end since it was parsed.".to_owned());
        return out;
    };
    let mut shown = lines(&plan);
    let mut notes = Vec::new();
    if format.statistics && plan.measured {
        for (at, line) in shown.iter_mut().enumerate() {
            line.figures = Some(if format.last { plan.sources[at].figures } else { plan.totals[at] });
        }
    } else if format.statistics {
        notes = vec![
            "   - Warning: basic plan statistics not available. They are kept of a statement that has".to_owned(),
            "     the hint GATHER_PLAN_STATISTICS, where STATISTICS_LEVEL is ALL, and while SQL is traced".to_owned(),
        ];
    }
    out.extend(display::lines(&shown, format, &notes));
    out
}
