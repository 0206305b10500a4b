//! Conditions of a query as conditions on stored columns, where the meaning stays the same.

use common::DataType;
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::{BinaryExpr, Expr, ExprSchemable, Operator};
use engine::dictionary::TableDef;
use scalar::DatumType;
use scan::{Comparison, Truth};

use super::template::{Operand, Template};
use crate::direct::value::{NoColumns, Value};
use crate::functions::blank::BlankTrim;
use crate::functions::rows;
use crate::plan::parameter;
use crate::types::{ArrowForm, of_arrow};

/// A condition that a scan evaluates itself.
#[derive(Clone, Debug)]
pub(crate) enum Pushed {
    /// On stored columns.
    Columns(Template),
    /// `ROWID = …` or `ROWID IN (…)`.
    Rowids(Vec<Operand>),
}

/// The condition for the scan; None when only the query engine can evaluate it.
pub(crate) fn push(expr: &Expr, table: &TableDef) -> Option<Pushed> {
    if let Some(rowids) = rowids(expr, table) {
        return Some(Pushed::Rowids(rowids));
    }
    template(expr, table).map(|condition| Pushed::Columns(selecting(condition)))
}

/// The condition without alternatives that are never true: a row that is chosen is chosen by another one. So a NULL in
/// a list does not hide the column's other values from an index.
fn selecting(condition: Template) -> Template {
    match condition {
        Template::And(parts) => Template::And(parts.into_iter().map(selecting).collect()),
        Template::Or(parts) => {
            let never = |part: &Template| matches!(part, Template::Constant(Truth::False | Truth::Unknown));
            let mut parts: Vec<_> = parts.into_iter().map(selecting).filter(|part| !never(part)).collect();
            match parts.len() {
                0 => Template::Constant(Truth::False),
                1 => parts.swap_remove(0),
                _ => Template::Or(parts),
            }
        }
        other => other,
    }
}

fn is_rowid(expr: &Expr, table: &TableDef) -> bool {
    matches!(expr, Expr::Column(column) if column.name == "ROWID" && table.column("ROWID").is_none())
}

fn rowids(expr: &Expr, table: &TableDef) -> Option<Vec<Operand>> {
    let one = |expr: &Expr| match expr {
        Expr::Literal(ScalarValue::Utf8(Some(text)), _) if text.parse::<common::Rowid>().is_err() => None,
        Expr::Literal(ScalarValue::Utf8(Some(_)), _) | Expr::Placeholder(_) => operand(expr, ROWID),
        _ => None,
    };
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) if is_rowid(left, table) => {
            Some(vec![one(right)?])
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) if is_rowid(right, table) => {
            Some(vec![one(left)?])
        }
        Expr::InList(list) if !list.negated && is_rowid(&list.expr, table) => list.list.iter().map(one).collect(),
        _ => None,
    }
}

fn position(expr: &Expr, table: &TableDef) -> Option<u16> {
    match expr {
        Expr::Column(column) => u16::try_from(table.column(&column.name)?).ok(),
        _ => None,
    }
}

fn template(expr: &Expr, table: &TableDef) -> Option<Template> {
    Some(match expr {
        Expr::Literal(ScalarValue::Boolean(value), _) => Template::Constant(match value {
            Some(true) => Truth::True,
            Some(false) => Truth::False,
            None => Truth::Unknown,
        }),
        Expr::Not(inner) => Template::Not(Box::new(template(inner, table)?)),
        Expr::IsNull(inner) => Template::IsNull(position(inner, table)?),
        Expr::IsNotNull(inner) => Template::IsNotNull(position(inner, table)?),
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            Template::And(vec![template(left, table)?, template(right, table)?])
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            Template::any(template(left, table)?, template(right, table)?)
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let comparison = comparison(*op)?;
            match (&**left, &**right) {
                (column, value) if is_constant(value) => compare(column, comparison, value, table)?,
                (value, column) if is_constant(value) => compare(column, mirrored(comparison), value, table)?,
                (left, right) => {
                    let (left, right) = (position(left, table)?, position(right, table)?);
                    let types =
                        (table.columns[usize::from(left)].data_type, table.columns[usize::from(right)].data_type);
                    let comparable = matches!(
                        types,
                        (DataType::Number { .. }, DataType::Number { .. })
                            | (DataType::Varchar2 { .. }, DataType::Varchar2 { .. })
                            | (DataType::Date, DataType::Date)
                            | (DataType::Timestamp { .. }, DataType::Timestamp { .. })
                    );
                    if !comparable {
                        return None;
                    }
                    Template::CompareColumns { left, comparison, right }
                }
            }
        }
        Expr::InList(list) => {
            let (column, data_type) = column_of(&list.expr, table)?;
            let mut operands = Vec::with_capacity(list.list.len());
            for item in &list.list {
                if !matches!(item, Expr::Literal(..)) {
                    return None;
                }
                operands.push(operand(item, data_type)?);
            }
            let within = Template::In { column, operands };
            if list.negated { Template::Not(Box::new(within)) } else { within }
        }
        Expr::Between(between) => {
            if !is_constant(&between.low) || !is_constant(&between.high) {
                return None;
            }
            let both = Template::And(vec![
                compare(&between.expr, Comparison::GreaterOrEqual, &between.low, table)?,
                compare(&between.expr, Comparison::LessOrEqual, &between.high, table)?,
            ]);
            if between.negated { Template::Not(Box::new(both)) } else { both }
        }
        _ => return None,
    })
}

/// The column of a comparison; a CHAR column stands in it without its blanks.
fn column_of(expr: &Expr, table: &TableDef) -> Option<(u16, DataType)> {
    let inner = match expr {
        Expr::ScalarFunction(call) => {
            let function: &dyn std::any::Any = call.func.inner().as_ref();
            function.downcast_ref::<BlankTrim>()?;
            call.args.first()?
        }
        other => other,
    };
    let column = position(inner, table)?;
    let data_type = table.columns[usize::from(column)].data_type;
    // A CHAR column is compared with its blanks only where the other side has them too.
    let trimmed = !std::ptr::eq(inner, expr);
    (trimmed == matches!(data_type, DataType::Char { .. })).then_some((column, data_type))
}

fn compare(column: &Expr, comparison: Comparison, value: &Expr, table: &TableDef) -> Option<Template> {
    let (column, data_type) = column_of(column, table)?;
    Some(match operand(value, data_type)? {
        Operand::Stored(None) => Template::Constant(Truth::Unknown),
        operand => Template::Compare { column, comparison, operand },
    })
}

/// The type of a rowid as text.
const ROWID: DataType = super::sink::ROWID_TYPE;

/// True: the expression may be a value that is the same for all rows: a literal, or one that needs bind variables.
fn is_constant(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(..)) || parameter::is_over_parameters(expr)
}

/// A value for comparisons with a column of this type; None when the types differ, or when only the planner can
/// evaluate it.
fn operand(expr: &Expr, data_type: DataType) -> Option<Operand> {
    if let Expr::Literal(value, _) = expr {
        if value.is_null() {
            return Some(Operand::Stored(None));
        }
        if of_arrow(&value.data_type())? != DatumType::from(data_type) {
            return None;
        }
        let stored = match value {
            // The empty text is no NULL here: it is what is left of blanks.
            ScalarValue::Utf8(Some(text)) | ScalarValue::LargeUtf8(Some(text)) => {
                super::template::padded(text.as_bytes(), data_type)?
            }
            value => super::template::stored(&rows::from_scalar(value).ok()?, data_type)?,
        };
        return Some(Operand::Stored(Some(stored.into())));
    }
    let arrow: ArrowType = expr.get_type(&DFSchema::empty()).ok()?;
    if arrow != DatumType::from(data_type).arrow() {
        return None;
    }
    let value = Value::of(expr, &NoColumns).filter(Value::is_of_statement)?;
    Some(Operand::Later { value, data_type, shown: parameter::shown(expr) })
}

pub(crate) fn comparison(op: Operator) -> Option<Comparison> {
    Some(match op {
        Operator::Eq => Comparison::Equal,
        Operator::NotEq => Comparison::NotEqual,
        Operator::Lt => Comparison::Less,
        Operator::LtEq => Comparison::LessOrEqual,
        Operator::Gt => Comparison::Greater,
        Operator::GtEq => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

/// The comparison with its sides exchanged.
pub(crate) fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        same => same,
    }
}
