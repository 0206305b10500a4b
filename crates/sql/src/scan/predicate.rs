//! Conditions of a query as conditions on stored columns, where the meaning stays the same.

use common::{DataType, Rowid};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use engine::dictionary::TableDef;
use format::date::DateTime;
use scan::{Comparison, Predicate, Truth};

use crate::functions::blank::BlankTrim;

/// A condition that a scan evaluates itself.
#[derive(Clone, Debug)]
pub(crate) enum Pushed {
    /// On stored columns.
    Columns(Predicate),
    /// `ROWID = …` or `ROWID IN (…)`.
    Rowids(Vec<Rowid>),
}

/// The condition for the scan; None when only the query engine can evaluate it.
pub(crate) fn push(expr: &Expr, table: &TableDef) -> Option<Pushed> {
    if let Some(rowids) = rowids(expr, table) {
        return Some(Pushed::Rowids(rowids));
    }
    predicate(expr, table).map(Pushed::Columns)
}

fn is_rowid(expr: &Expr, table: &TableDef) -> bool {
    matches!(expr, Expr::Column(column) if column.name == "ROWID" && table.column("ROWID").is_none())
}

fn rowids(expr: &Expr, table: &TableDef) -> Option<Vec<Rowid>> {
    let text = |expr: &Expr| match expr {
        Expr::Literal(ScalarValue::Utf8(Some(text)), _) => text.parse::<Rowid>().ok(),
        _ => None,
    };
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) if is_rowid(left, table) => {
            Some(vec![text(right)?])
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) if is_rowid(right, table) => {
            Some(vec![text(left)?])
        }
        Expr::InList(list) if !list.negated && is_rowid(&list.expr, table) => list.list.iter().map(text).collect(),
        _ => None,
    }
}

fn position(expr: &Expr, table: &TableDef) -> Option<u16> {
    match expr {
        Expr::Column(column) => u16::try_from(table.column(&column.name)?).ok(),
        _ => None,
    }
}

fn predicate(expr: &Expr, table: &TableDef) -> Option<Predicate> {
    Some(match expr {
        Expr::Literal(ScalarValue::Boolean(value), _) => Predicate::Constant(match value {
            Some(true) => Truth::True,
            Some(false) => Truth::False,
            None => Truth::Unknown,
        }),
        Expr::Not(inner) => Predicate::Not(Box::new(predicate(inner, table)?)),
        Expr::IsNull(inner) => Predicate::IsNull(position(inner, table)?),
        Expr::IsNotNull(inner) => Predicate::IsNotNull(position(inner, table)?),
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            Predicate::And(vec![predicate(left, table)?, predicate(right, table)?])
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            Predicate::Or(vec![predicate(left, table)?, predicate(right, table)?])
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let comparison = comparison(*op)?;
            match (&**left, &**right) {
                (column, Expr::Literal(value, _)) => compare(column, comparison, value, table)?,
                (Expr::Literal(value, _), column) => compare(column, mirrored(comparison), value, table)?,
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
                    Predicate::CompareColumns { left, comparison, right }
                }
            }
        }
        Expr::InList(list) => {
            let (column, data_type) = column_of(&list.expr, table)?;
            let mut values = Vec::with_capacity(list.list.len());
            for item in &list.list {
                let Expr::Literal(value, _) = item else { return None };
                values.push(if value.is_null() { None } else { Some(stored(value, data_type)?) });
            }
            let within = Predicate::in_list(column, values);
            if list.negated { Predicate::Not(Box::new(within)) } else { within }
        }
        Expr::Between(between) => {
            let (Expr::Literal(low, _), Expr::Literal(high, _)) = (&*between.low, &*between.high) else { return None };
            let both = Predicate::And(vec![
                compare(&between.expr, Comparison::GreaterOrEqual, low, table)?,
                compare(&between.expr, Comparison::LessOrEqual, high, table)?,
            ]);
            if between.negated { Predicate::Not(Box::new(both)) } else { both }
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

fn compare(column: &Expr, comparison: Comparison, value: &ScalarValue, table: &TableDef) -> Option<Predicate> {
    let (column, data_type) = column_of(column, table)?;
    if value.is_null() {
        return Some(Predicate::Constant(Truth::Unknown));
    }
    Some(Predicate::compare(column, comparison, &stored(value, data_type)?))
}

/// A value as stored in a column of this type; None when the types differ.
fn stored(value: &ScalarValue, data_type: DataType) -> Option<Vec<u8>> {
    Some(match (value, data_type) {
        (ScalarValue::Binary(Some(bytes)), DataType::Number { .. }) => bytes.clone(),
        (ScalarValue::Utf8(Some(text)), DataType::Varchar2 { .. }) => text.as_bytes().to_vec(),
        (ScalarValue::LargeUtf8(Some(text)), DataType::Char { bytes }) if text.len() <= usize::from(bytes) => {
            let mut padded = text.as_bytes().to_vec();
            padded.resize(usize::from(bytes), b' ');
            padded
        }
        (ScalarValue::TimestampSecond(Some(seconds), None), DataType::Date) => {
            DateTime::from_unix_seconds(*seconds).ok()?.date().to_vec()
        }
        (ScalarValue::TimestampMicrosecond(Some(micros), None), DataType::Timestamp { .. }) => {
            format::date::stored(&DateTime::from_unix_micros(*micros).ok()?.timestamp()).to_vec()
        }
        (ScalarValue::LargeBinary(Some(bytes)), DataType::Raw { .. }) => bytes.clone(),
        _ => return None,
    })
}

fn comparison(op: Operator) -> Option<Comparison> {
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

fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        same => same,
    }
}
