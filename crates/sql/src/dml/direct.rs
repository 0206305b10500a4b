//! INSERT … VALUES of one row without the planner: the statement is analysed once for a cursor, and an execution
//! evaluates its values, encodes them and inserts the row.
//!
//! For statements whose every value is a literal, a bind variable, a pseudocolumn or a plain function or operator over
//! such; all others go through the binder. Both ways use the same functions, checks and encodings.

use std::ops::Range;
use std::sync::Arc;

use common::{DataType, Error, Result};
use engine::dictionary::{ObjectPrivilege, TableDef};
use scalar::{Context, Datum, DatumType, Function};
use sqlparser::ast::{
    self, BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, UnaryOperator, Value,
};

use super::assign::{Statement, Target};
use super::intake::Intake;
use super::trigger::{Event, Triggers};
use crate::cursor::connection::Connection;
use crate::cursor::open::Cursor;
use crate::functions::rows;
use crate::plan::binder::{Binder, fold};
use crate::plan::scope::Scope;
use crate::statement::merge::Returning;
use crate::statement::parse::parse_expression;

/// Source of a value.
#[derive(Debug)]
enum Origin {
    Constant(Datum),
    /// A bind variable, by its position among the cursor's.
    Bind(String),
    Call(&'static Function, Vec<Origin>),
}

/// A value of RETURNING: a column, and the bind variable that receives it.
type Given = (usize, DataType, String);

/// The analysed INSERT of a cursor.
#[derive(Debug)]
pub(crate) struct DirectInsert {
    table: Arc<TableDef>,
    catalog_version: u64,
    /// One a column of the table.
    origins: Vec<Origin>,
    targets: Vec<Target>,
    given: Vec<Given>,
}

/// A row's bytes, and the range of each column in them; None for NULL.
type Encoded = (Vec<u8>, Vec<Option<Range<usize>>>);

/// Result of the analysis of a cursor's statement.
#[derive(Default, Debug)]
pub(crate) enum Direct {
    #[default]
    Unknown,
    No,
    Insert(Arc<DirectInsert>),
}

impl Connection {
    /// Executes the cursor's INSERT directly; None when it must go through the binder.
    pub(crate) fn insert_directly(
        &self,
        insert: &ast::Insert,
        returning: Option<&Returning>,
        cursor: &mut Cursor,
    ) -> Result<Option<u64>> {
        let version = self.session.catalog().version();
        if matches!(&cursor.direct, Direct::Insert(direct) if direct.catalog_version != version) {
            cursor.direct = Direct::Unknown;
        }
        if matches!(cursor.direct, Direct::Unknown) {
            let direct = self.direct_insert(insert, returning, version, cursor)?;
            cursor.direct = direct.map_or(Direct::No, |direct| Direct::Insert(Arc::new(direct)));
        }
        let Direct::Insert(direct) = &cursor.direct else { return Ok(None) };
        let direct = Arc::clone(direct);
        let (_lock, table) = self.lock_for_change(&direct.table)?;
        // Checked under the lock: a trigger created now waits for the statement.
        if Triggers::of(self, &table, Event::InsertOne).is_some() {
            return Ok(None);
        }
        if !Arc::ptr_eq(&table, &direct.table) {
            // DDL came between: the binder analyses it afresh.
            cursor.direct = Direct::Unknown;
            return Ok(None);
        }
        // The binder repeats the error, with its position in the statement.
        let Ok((bytes, places)) = self.encoded(&direct, cursor) else { return Ok(None) };
        let row: Vec<Option<&[u8]>> = places.iter().map(|place| place.clone().map(|place| &bytes[place])).collect();
        let mut intake = Intake::new(self, &table)?;
        intake.push(&row)?;
        let rows = intake.finish()?;
        let given = direct.given.iter();
        cursor.returned = given
            .map(|(column, data_type, into)| Ok((into.clone(), scalar::load(row[*column], *data_type)?)))
            .collect::<Result<_>>()?;
        if !cursor.returned.is_empty() {
            cursor.returned_rows = vec![cursor.returned.iter().map(|(_, value)| value.clone()).collect()];
        }
        Ok(Some(rows))
    }

    /// The row of an execution.
    fn encoded(&self, direct: &DirectInsert, cursor: &Cursor) -> Result<Encoded> {
        let context = self.statement_context()?;
        let mut bytes = Vec::with_capacity(256);
        let mut places = Vec::with_capacity(direct.origins.len());
        for (origin, target) in direct.origins.iter().zip(&direct.targets) {
            let start = bytes.len();
            let stored = match origin {
                Origin::Constant(value) => target.store(&*context, value, &mut bytes)?,
                Origin::Bind(name) => target.store(&*context, bound(cursor, name)?, &mut bytes)?,
                Origin::Call(..) => target.store(&*context, &evaluate(origin, &*context, cursor)?, &mut bytes)?,
            };
            places.push(stored.then_some(start..bytes.len()));
        }
        Ok((bytes, places))
    }

    fn direct_insert(
        &self,
        insert: &ast::Insert,
        returning: Option<&Returning>,
        catalog_version: u64,
        cursor: &Cursor,
    ) -> Result<Option<DirectInsert>> {
        let (name, query) = super::insert::check(insert)?;
        let ast::SetExpr::Values(values) = &*query.body else { return Ok(None) };
        let [row] = values.rows.as_slice() else { return Ok(None) };
        if query.order_by.is_some() || query.with.is_some() {
            return Ok(None);
        }
        let table = self.target(name, ObjectPrivilege::Insert)?;
        let columns = super::insert::listed_columns(insert, &table, &cursor.shared.text)?;
        if row.content.len() != columns.len() {
            return Ok(None);
        }
        let made = self.with_binder(&cursor.shared.text, &[], |binder| {
            let mut origins = Vec::with_capacity(table.columns.len());
            for (column, definition) in table.columns.iter().enumerate() {
                let written = columns.iter().position(|listed| *listed == column).map(|at| &row.content[at]);
                let origin = match (written, &definition.default) {
                    (Some(value), _) if !super::insert::is_default(value) => origin(value, binder),
                    (_, Some(default)) => origin(&parse_expression(default)?, binder),
                    (_, None) => Some(Origin::Constant(Datum::Null)),
                };
                let Some(origin) = origin else { return Ok(None) };
                origins.push(origin);
            }
            Ok(Some(origins))
        })?;
        let Some(origins) = made else { return Ok(None) };
        let mut given = Vec::new();
        for (value, into) in returning.iter().flat_map(|returning| returning.values.iter().zip(&returning.into)) {
            let Expr::Identifier(ident) = value else { return Ok(None) };
            let Some(column) = table.column(&fold(ident)) else { return Ok(None) };
            given.push((column, table.columns[column].data_type, into.clone()));
        }
        let targets =
            (0..table.columns.len()).map(|column| Target::new(&table, column, None, Statement::Insert)).collect();
        Ok(Some(DirectInsert { table, catalog_version, origins, targets, given }))
    }
}

fn bound<'c>(cursor: &'c Cursor, name: &str) -> Result<&'c Datum> {
    let found = cursor.binds.iter().find(|(variable, _)| variable == name);
    found.map(|(_, value)| value).ok_or_else(|| Error::user(1008, format!("not all variables bound: :{name}")))
}

fn evaluate(origin: &Origin, context: &dyn Context, cursor: &Cursor) -> Result<Datum> {
    match origin {
        Origin::Constant(value) => Ok(value.clone()),
        Origin::Bind(name) => bound(cursor, name).cloned(),
        Origin::Call(function, arguments) => {
            let values =
                arguments.iter().map(|argument| evaluate(argument, context, cursor)).collect::<Result<Vec<_>>>()?;
            let types: Vec<_> = values.iter().map(Datum::datum_type).collect();
            function.call_as(context, &values, function.result_type(&types)?)
        }
    }
}

/// The source of an expression's value; None when only the binder can tell.
fn origin(e: &Expr, binder: &Binder<'_>) -> Option<Origin> {
    match e {
        Expr::Value(value) => match &value.value {
            Value::Placeholder(name) => Some(Origin::Bind(name.trim_start_matches(':').to_uppercase())),
            _ => constant(e, binder),
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } if matches!(**expr, Expr::Value(_)) => constant(e, binder),
        Expr::Nested(inner) => origin(inner, binder),
        Expr::Identifier(ident) if ident.quote_style.is_none() => {
            let function = function(&ident.value).filter(|function| function.needs_no_parentheses())?;
            Some(Origin::Call(function, Vec::new()))
        }
        Expr::BinaryOp { left, op, right } => {
            let name = match op {
                BinaryOperator::Plus => "+",
                BinaryOperator::Minus => "-",
                BinaryOperator::Multiply => "*",
                BinaryOperator::Divide => "/",
                BinaryOperator::StringConcat => "||",
                _ => return None,
            };
            Some(Origin::Call(function(name)?, vec![origin(left, binder)?, origin(right, binder)?]))
        }
        Expr::Function(call) => {
            let [part] = call.name.0.as_slice() else { return None };
            let ident = part.as_ident().filter(|ident| ident.quote_style.is_none())?;
            let function = function(&ident.value).filter(|function| !function.is_operator())?;
            let FunctionArguments::List(list) = &call.args else { return None };
            if call.over.is_some()
                || call.filter.is_some()
                || call.uses_odbc_syntax
                || !matches!(call.parameters, FunctionArguments::None)
                || !call.within_group.is_empty()
                || !list.clauses.is_empty()
                || list.duplicate_treatment.is_some()
            {
                return None;
            }
            let arguments = list.args.iter().map(|argument| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => origin(e, binder),
                _ => None,
            });
            Some(Origin::Call(function, arguments.collect::<Option<Vec<_>>>()?))
        }
        _ => None,
    }
}

/// The function or operator of this name, in any case of letters. None for one that SQL compiles in its own way.
fn function(name: &str) -> Option<&'static Function> {
    scalar::functions::lookup(name).filter(|function| !function.special_form)
}

/// A literal, as the binder reads it.
fn constant(e: &Expr, binder: &Binder<'_>) -> Option<Origin> {
    let bound = binder.value(e, &Scope::default()).ok()?;
    if bound.kind == DatumType::Rowid {
        return None;
    }
    rows::from_scalar(&crate::functions::evaluate::scalar(&bound.expr).ok()?).ok().map(Origin::Constant)
}
