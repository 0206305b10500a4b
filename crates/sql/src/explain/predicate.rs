//! Conditions as text, in the form of PLAN_TABLE's ACCESS_PREDICATES and FILTER_PREDICATES: `"A"=1 AND "B"='x'`.

use std::sync::Arc;

use common::Rowid;
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{
    BinaryExpr, CaseExpr, CastExpr, Column, InListExpr, IsNotNullExpr, IsNullExpr, LikeExpr, Literal, NotExpr,
};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use engine::dictionary::TableDef;
use format::date;
use scalar::Datum;
use scan::{Comparison, Truth};

use crate::functions::{branches::CASE, coalesce::CHOICE, operators::Operators, parameter::BindVariable, rows};
use crate::scan::template::{Operand, Template};
use crate::subquery::shown;

/// A value as a literal of SQL.
pub(crate) fn literal(value: &Datum) -> String {
    let moment = |bytes: &[u8]| {
        let at = date::decode(bytes);
        let (year, month, day) = (at.year, at.month, at.day);
        format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", at.hour, at.minute, at.second)
    };
    match value {
        Datum::Null => "NULL".to_owned(),
        Datum::Number(number) => number.to_string(),
        Datum::Varchar2(text) | Datum::Char(text) => format!("'{}'", text.replace('\'', "''")),
        Datum::Date(bytes) => format!("TO_DATE(' {}', 'syyyy-mm-dd hh24:mi:ss')", moment(bytes)),
        Datum::Timestamp(bytes) => format!("TIMESTAMP' {}.{:09}'", moment(bytes), date::decode(bytes).nanosecond),
        Datum::Raw(bytes) => {
            format!("HEXTORAW('{}')", bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>())
        }
    }
}

/// A column, with its table's name where several tables are in the plan.
pub(crate) fn column(table: Option<&str>, name: &str) -> String {
    match table {
        Some(table) => format!("\"{table}\".\"{name}\""),
        None => format!("\"{name}\""),
    }
}

/// A computed column, by the planner's name for it.
pub(crate) fn computed(name: &str) -> String {
    // Names that the planner has made unique end with a mark and a number.
    let name = name.split('\u{1}').find(|part| !part.is_empty()).unwrap_or("");
    match name {
        "count(Int64(1))" => "COUNT(*)".to_owned(),
        name if name.contains('(') => name.to_uppercase(),
        name => column(None, name),
    }
}

/// The parts of a chain of ORs, each with the operator.
fn any_of<'p>(predicate: &'p Template, into: &mut Vec<&'p Template>) {
    match predicate {
        Template::Or(parts) => parts.iter().for_each(|part| any_of(part, into)),
        other => into.push(other),
    }
}

/// The sign of a comparison.
pub(crate) fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}

/// A condition on stored columns. `shown`: the table's name, where it is displayed.
pub(crate) fn of_scan(condition: &Template, table: &TableDef, shown: Option<&str>) -> String {
    let named = |position: u16| {
        let name = table.columns.get(usize::from(position)).map_or("?", |column| column.name.as_str());
        column(shown, name)
    };
    let value = |position: u16, operand: &Operand| match operand {
        Operand::Later { shown, .. } => shown.clone(),
        Operand::Stored(None) => "NULL".to_owned(),
        Operand::Stored(Some(bytes)) => {
            let data_type = table.columns.get(usize::from(position)).map(|column| column.data_type);
            let loaded = data_type.and_then(|data_type| scalar::load(Some(bytes), data_type).ok());
            loaded.map_or_else(|| "?".to_owned(), |datum| literal(&datum))
        }
    };
    let each = |parts: &[&Template]| parts.iter().map(|part| of_scan(part, table, shown)).collect::<Vec<_>>();
    match condition {
        Template::Compare { column, comparison, operand } => {
            format!("{}{}{}", named(*column), sign(*comparison), value(*column, operand))
        }
        Template::CompareColumns { left, comparison, right } => {
            format!("{}{}{}", named(*left), sign(*comparison), named(*right))
        }
        Template::IsNull(position) => format!("{} IS NULL", named(*position)),
        Template::IsNotNull(position) => format!("{} IS NOT NULL", named(*position)),
        Template::In { column, operands } => {
            // In the order of their values, each once; NULL last.
            let mut list: Vec<&Operand> = operands.iter().collect();
            let key = |operand: &Operand| match operand {
                Operand::Stored(Some(bytes)) => (0, bytes.clone()),
                Operand::Later { shown, .. } => (1, shown.as_bytes().into()),
                Operand::Stored(None) => (2, Box::default()),
            };
            list.sort_by_key(|operand| key(operand));
            list.dedup_by_key(|operand| key(operand));
            let list: Vec<String> = list.into_iter().map(|operand| value(*column, operand)).collect();
            format!("{} IN ({})", named(*column), list.join(", "))
        }
        Template::And(parts) => each(&parts.iter().collect::<Vec<_>>()).join(" AND "),
        Template::Or(_) => {
            let mut parts = Vec::new();
            any_of(condition, &mut parts);
            format!("({})", each(&parts).join(" OR "))
        }
        Template::Not(inner) => format!("NOT ({})", of_scan(inner, table, shown)),
        Template::Constant(Truth::True) => "NULL IS NULL".to_owned(),
        Template::Constant(Truth::False | Truth::Unknown) => "NULL IS NOT NULL".to_owned(),
    }
}

/// A condition on the rows' addresses.
pub(crate) fn of_rowids(rowids: &[Rowid], shown: Option<&str>) -> String {
    let rowid = match shown {
        Some(table) => format!("\"{table}\".ROWID"),
        None => "ROWID".to_owned(),
    };
    match rowids {
        [one] => format!("{rowid}='{one}'"),
        list => {
            let list: Vec<String> = list.iter().map(|each| format!("'{each}'")).collect();
            format!("{rowid} IN ({})", list.join(", "))
        }
    }
}

/// A condition on the rows' addresses that are known at each execution only; None when they are in the plan.
pub(crate) fn of_later_rowids(operands: &[Operand]) -> Option<String> {
    let text = |operand: &Operand| match operand {
        Operand::Later { shown, .. } => Some(shown.clone()),
        Operand::Stored(_) => None,
    };
    let list = operands.iter().map(text).collect::<Option<Vec<_>>>()?;
    Some(match list.as_slice() {
        [one] => format!("ROWID={one}"),
        list => format!("ROWID IN ({})", list.join(", ")),
    })
}

/// An expression of an operator; `named` gives the names of its input's columns.
pub(crate) fn of_expr(expr: &Arc<dyn PhysicalExpr>, named: &dyn Fn(&Column) -> String) -> String {
    let node: &dyn std::any::Any = expr.as_ref();
    let inner = |expr: &Arc<dyn PhysicalExpr>| of_expr(expr, named);
    if let Some(column) = node.downcast_ref::<Column>() {
        return named(column);
    }
    if let Some(value) = node.downcast_ref::<Literal>() {
        // A value without a counterpart in Oracle, such as TRUE, is the planner's own.
        let own = || value.value().to_string().to_uppercase();
        return rows::from_scalar(value.value()).map_or_else(|_| own(), |datum| literal(&datum));
    }
    if let Some(binary) = node.downcast_ref::<BinaryExpr>() {
        let (left, right) = (inner(binary.left()), inner(binary.right()));
        return match binary.op() {
            Operator::And => format!("{left} AND {right}"),
            // One pair of parentheses around a chain of them.
            Operator::Or => {
                let flat = |text: String, side: &Arc<dyn PhysicalExpr>| {
                    let node: &dyn std::any::Any = side.as_ref();
                    let or = node.downcast_ref::<BinaryExpr>().is_some_and(|side| *side.op() == Operator::Or);
                    if or { text[1..text.len() - 1].to_owned() } else { text }
                };
                format!("({} OR {})", flat(left, binary.left()), flat(right, binary.right()))
            }
            Operator::NotEq => format!("{left}<>{right}"),
            op if op.to_string().starts_with(char::is_alphabetic) => format!("{left} {op} {right}"),
            op => format!("{left}{op}{right}"),
        };
    }
    if let Some(test) = node.downcast_ref::<IsNullExpr>() {
        return format!("{} IS NULL", inner(test.arg()));
    }
    if let Some(test) = node.downcast_ref::<IsNotNullExpr>() {
        return format!("{} IS NOT NULL", inner(test.arg()));
    }
    if let Some(not) = node.downcast_ref::<NotExpr>() {
        return format!("NOT ({})", inner(not.arg()));
    }
    if let Some(cast) = node.downcast_ref::<CastExpr>() {
        return inner(cast.expr());
    }
    if let Some(like) = node.downcast_ref::<LikeExpr>() {
        let word = if like.negated() { "NOT LIKE" } else { "LIKE" };
        return format!("{} {word} {}", inner(like.expr()), inner(like.pattern()));
    }
    if let Some(list) = node.downcast_ref::<InListExpr>() {
        let values: Vec<String> = list.list().iter().map(inner).collect();
        let word = if list.negated() { "NOT IN" } else { "IN" };
        return format!("{} {word} ({})", inner(list.expr()), values.join(", "));
    }
    if let Some(call) = node.downcast_ref::<ScalarFunctionExpr>() {
        return of_call(call, &inner);
    }
    if node.is::<CaseExpr>() {
        return "CASE … END".to_owned();
    }
    match expr.to_string() {
        text if text.starts_with("scalar_subquery(") => "(SELECT …)".to_owned(),
        text => text,
    }
}

fn of_call(call: &ScalarFunctionExpr, inner: &dyn Fn(&Arc<dyn PhysicalExpr>) -> String) -> String {
    let arguments: Vec<String> = call.args().iter().map(inner).collect();
    if let Some(subquery) = shown(call.name(), &arguments) {
        return subquery;
    }
    let function: &dyn std::any::Any = call.fun().inner().as_ref();
    if let Some(variable) = function.downcast_ref::<BindVariable>() {
        return variable.shown();
    }
    if let Some(operators) = function.downcast_ref::<Operators>() {
        return operators.shown(&arguments);
    }
    match (call.name(), arguments.as_slice()) {
        // Wrappers of the planner around conditions and CHAR columns are not part of the statement.
        ("CHECKED" | "BLANK_TRIM" | "ARROW_TO_NUMBER", [argument]) => argument.clone(),
        (CASE, _) => "CASE … END".to_owned(),
        (CHOICE, [value, ..]) => format!("COALESCE({value},…)"),
        (name @ ("+" | "-" | "*" | "/" | "||"), [left, right]) => format!("{left}{name}{right}"),
        ("LIKE", [text, pattern]) => format!("{text} LIKE {pattern}"),
        ("LIKE", [text, pattern, escape]) => format!("{text} LIKE {pattern} ESCAPE {escape}"),
        (name, _) => format!("{}({})", name.to_uppercase(), arguments.join(",")),
    }
}
