//! Values: literals, columns, arithmetic, concatenation, CASE, CAST, scalar subqueries.

use std::sync::Arc;

use common::{Error, Result};
use datafusion::common::{Column, Location, ScalarValue, Span, Spans};
use datafusion::functions_aggregate::{count::count_udaf, min_max::min_udaf};
use datafusion::logical_expr::expr::{AggregateFunction, Case};
use datafusion::logical_expr::{AggregateUDF, Expr, LogicalPlan, LogicalPlanBuilder, Operator, Subquery, binary_expr};
use scalar::functions::unsupported;
use scalar::{DatumType, inconsistent};
use sqlparser::ast::{
    self, BinaryOperator, CastKind, CeilFloorKind, DateTimeField, Ident, Spanned, TrimWhereField, UnaryOperator, Value,
};
use sqlparser::tokenizer;

use super::binder::{Binder, fold};
use super::bound::{Bound, null};
use super::convert::common_kind;
use super::function::result_bytes;
use super::query::BoundQuery;
use super::scope::Scope;
use super::sequence;
use crate::error::from_datafusion;
use crate::functions;
use crate::statement::position;
use crate::subquery::{may_be_joined, renamed};
use crate::types::{column, literal};

/// The planner's name of the column of a scalar subquery.
const VALUE: &str = "\u{1}VALUE";

/// Operators of a chain that become nested calls; a longer chain is one call.
const CALLS_MAX: usize = 16;

impl Binder<'_> {
    /// An expression as a value; a condition in its place is an error.
    pub(crate) fn value(&self, e: &ast::Expr, scope: &Scope<'_>) -> Result<Bound> {
        self.value_of(e, scope).map_err(|error| self.at(error, e.span()))
    }

    fn value_of(&self, e: &ast::Expr, scope: &Scope<'_>) -> Result<Bound> {
        use ast::Expr as E;
        match e {
            E::Identifier(ident) => self.identifier(std::slice::from_ref(ident), scope),
            E::CompoundIdentifier(idents) => self.identifier(idents, scope),
            E::Value(value) => self.literal(&value.value).map_err(|error| self.at(error, value.span)),
            E::Nested(inner) => self.value(inner, scope),
            E::UnaryOp { op: UnaryOperator::Plus, expr } => {
                let operand = self.value(expr, scope)?;
                self.convert(operand, DatumType::Number)
            }
            E::UnaryOp { op: UnaryOperator::Minus, expr } => {
                if let E::Value(v) = &**expr
                    && let Value::Number(digits, false) = &v.value
                {
                    return Ok(Bound::new(literal::parse_number(&format!("-{digits}"))?, DatumType::Number));
                }
                let operand = self.value(expr, scope)?;
                self.call("NEGATE", vec![operand])
            }
            E::BinaryOp { .. } => self.operators(e, scope),
            E::Case { operand, conditions, else_result, case_token: _, end_token: _ } => {
                self.case(operand.as_deref(), conditions, else_result.as_deref(), scope)
            }
            E::Function(function) => self.function(function, scope),
            E::Cast { kind: CastKind::Cast, expr, data_type, array: false, format: None } => {
                let value = self.value(expr, scope)?;
                let target = column::declared_type(data_type)?;
                let converted = self.convert(value, DatumType::from(target))?;
                let expr = functions::coercion::cast(converted.expr, target, self.context());
                let mut bound = Bound::new(expr, DatumType::from(target));
                bound.declared = Some(target);
                Ok(bound)
            }
            E::Subquery(query) => {
                let bound = self.query(query, Some(scope), &[])?;
                let [output] = bound.outputs.as_slice() else {
                    return Err(Error::user(913, "too many values: a subquery in an expression gives one column"));
                };
                let (kind, bytes) = (output.kind, output.bytes());
                Ok(Bound::new(scalar_subquery(bound, self.offset(query.span()), scope)?, kind).bytes(bytes))
            }
            E::Substring { expr, substring_from, substring_for, special: _, shorthand: _ } => {
                let mut arguments = vec![self.value(expr, scope)?];
                for part in [substring_from, substring_for].into_iter().flatten() {
                    arguments.push(self.value(part, scope)?);
                }
                self.call("SUBSTR", arguments)
            }
            E::Trim { trim_where, trim_what, expr, trim_characters: None } => {
                let value = self.value(expr, scope)?;
                let mut arguments = vec![value];
                if let Some(what) = trim_what {
                    let what = self.value(what, scope)?;
                    if let Expr::Literal(ScalarValue::Utf8(Some(set)), _) = &what.expr
                        && set.chars().count() > 1
                    {
                        return Err(Error::user(30001, "trim set should have only one character"));
                    }
                    arguments.push(what);
                }
                match trim_where {
                    Some(TrimWhereField::Leading) => self.call("LTRIM", arguments),
                    Some(TrimWhereField::Trailing) => self.call("RTRIM", arguments),
                    _ => {
                        if arguments.len() == 1 {
                            return self.call("TRIM", arguments);
                        }
                        let what = arguments[1].clone();
                        let left = self.call("LTRIM", arguments)?;
                        self.call("RTRIM", vec![left, what])
                    }
                }
            }
            E::Ceil { expr, field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) } => {
                let value = self.value(expr, scope)?;
                self.call("CEIL", vec![value])
            }
            E::Floor { expr, field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) } => {
                let value = self.value(expr, scope)?;
                self.call("FLOOR", vec![value])
            }
            E::Extract { field, syntax: _, expr } => {
                let value = self.value(expr, scope)?;
                let field = Bound::new(literal::string(&field.to_string().to_uppercase()), DatumType::Varchar2);
                self.call("EXTRACT", vec![field, value])
            }
            E::TypedString(typed) => self.typed_string(typed),
            E::OuterJoin(inner) => {
                let bound = self.value(inner, scope)?;
                if let Expr::Column(column) = &bound.expr
                    && let Some(relation) = &column.relation
                {
                    self.outer_marks.borrow_mut().push(relation.table().to_owned());
                    return Ok(bound);
                }
                Err(Error::user(1799, "the (+) sign stands only beside a column of this query's own tables"))
            }
            E::Prior(_) => Err(Error::unsupported("PRIOR (CONNECT BY over rows)")),
            E::Interval(_) => Err(Error::unsupported("INTERVAL values")),
            E::AtTimeZone { .. } => Err(Error::unsupported("AT TIME ZONE")),
            E::IsNull(_)
            | E::IsNotNull(_)
            | E::InList { .. }
            | E::InSubquery { .. }
            | E::Between { .. }
            | E::Like { .. }
            | E::Exists { .. }
            | E::UnaryOp { op: UnaryOperator::Not, .. } => {
                Err(Error::user(936, format!("missing expression: a condition is not a value: {e}")))
            }
            other => Err(Error::unsupported(format!("expression {other}"))),
        }
    }

    /// A number, a string, NULL or a bind variable.
    fn literal(&self, value: &Value) -> Result<Bound> {
        match value {
            Value::Number(digits, false) => Ok(Bound::new(literal::parse_number(digits)?, DatumType::Number)),
            Value::SingleQuotedString(text) | Value::NationalStringLiteral(text) => Ok(text_literal(text)),
            Value::QuoteDelimitedStringLiteral(text) | Value::NationalQuoteDelimitedStringLiteral(text) => {
                Ok(text_literal(&text.value))
            }
            Value::Null => Ok(null()),
            Value::Placeholder(name) => {
                let name = name.trim_start_matches(':').to_uppercase();
                self.cx
                    .variables
                    .iter()
                    .find(|(variable, _)| *variable == name)
                    .map(|(_, value)| value.clone())
                    .ok_or_else(|| Error::user(1008, format!("not all variables bound: :{name}")))
            }
            other => Err(Error::unsupported(format!("literal {other}"))),
        }
    }

    fn typed_string(&self, typed: &ast::TypedString) -> Result<Bound> {
        let Value::SingleQuotedString(text) = &typed.value.value else {
            return Err(Error::unsupported(format!("literal {typed}")));
        };
        let (kind, format) = match &typed.data_type {
            ast::DataType::Date => (DatumType::Date, "YYYY-MM-DD"),
            ast::DataType::Timestamp(None, ast::TimezoneInfo::None) => {
                (DatumType::Timestamp, "YYYY-MM-DD HH24:MI:SS.FF")
            }
            other => return Err(Error::unsupported(format!("literal of type {other}"))),
        };
        let function = if kind == DatumType::Date { "TO_DATE" } else { "TO_TIMESTAMP" };
        let text = Bound::new(literal::string(text), DatumType::Varchar2);
        let format = Bound::new(literal::string(format), DatumType::Varchar2);
        let value = self.call(function, vec![text, format])?;
        // A literal is evaluated at once: its errors are found at its position, whether a row needs it or not.
        let scalar = functions::evaluate::scalar(&value.expr)?;
        Ok(Bound { expr: Expr::Literal(scalar, None), ..value })
    }

    fn identifier(&self, idents: &[Ident], scope: &Scope<'_>) -> Result<Bound> {
        let parts: Vec<String> = idents.iter().map(fold).collect();
        let span = idents[0].span;
        if let Some(bound) = scope.resolve(&parts).map_err(|error| self.at(error, span))? {
            return Ok(bound);
        }
        if let Some((name, next)) = sequence::parts(idents, &parts) {
            return self.sequence_value(name, next).map_err(|error| self.at(error, span));
        }
        let quoted = idents.iter().any(|ident| ident.quote_style.is_some());
        if !quoted {
            if let [name] = parts.as_slice() {
                if name == "ROWNUM" {
                    return self.rownum();
                }
                if name == "LEVEL" {
                    return Err(Error::user(1788, "CONNECT BY clause required in this query block"));
                }
                if unsupported::is_without_parentheses(name) {
                    return Err(Error::unsupported(format!("function {name}")));
                }
                if unsupported::is_pseudocolumn(name) {
                    return Err(Error::unsupported(format!("pseudocolumn {name}")));
                }
            }
            if functions::library::exists(&parts.join(".")) {
                return self.call(&parts.join("."), Vec::new());
            }
        }
        if self.cx.tables.is_program(&parts) {
            return self.program(&parts, Vec::new(), Vec::new()).map_err(|error| self.at(error, span));
        }
        let name = parts.iter().map(|part| format!("\"{part}\"")).collect::<Vec<_>>().join(".");
        Err(self.at(Error::user(904, format!("{name}: invalid identifier")), span))
    }

    /// A chain of operators between values, from the left: `a + b - c` is `(a + b) - c`. It is followed in a loop,
    /// since its tree is as deep as the chain is long.
    fn operators(&self, e: &ast::Expr, scope: &Scope<'_>) -> Result<Bound> {
        let mut row = Vec::new();
        let mut first = e;
        while let ast::Expr::BinaryOp { left, op, right } = first {
            row.push((operator_name(left, op, right)?, &**right));
            first = left;
        }
        let first = self.value(first, scope)?;
        let operands = row.iter().rev();
        if row.len() <= CALLS_MAX {
            return operands.copied().try_fold(first, |left, (name, right)| {
                let right = self.value(right, scope)?;
                self.call(name, vec![left, right])
            });
        }
        // Kinds and lengths are those of nested calls.
        let mut bound = Bound { expr: null().expr, ..first };
        let mut calls = functions::operators::Row::new(first.expr, first.kind, self.context());
        for (name, right) in operands.copied() {
            let mut right = self.value(right, scope)?;
            let expr = std::mem::replace(&mut right.expr, null().expr);
            calls.push(name, expr, right.kind)?;
            let bytes = result_bytes(functions::library::named(name)?, &[bound, right]);
            bound = Bound::new(null().expr, calls.kind()).bytes(bytes);
        }
        Ok(Bound { expr: calls.call(), ..bound })
    }

    fn case(
        &self,
        operand: Option<&ast::Expr>,
        conditions: &[ast::CaseWhen],
        otherwise: Option<&ast::Expr>,
        scope: &Scope<'_>,
    ) -> Result<Bound> {
        let operand = operand.map(|e| self.value(e, scope)).transpose()?;
        let mut whens = Vec::new();
        // The values of WHEN, when the operand is compared unconverted.
        let mut values = Vec::new();
        let mut results = Vec::new();
        for when in conditions {
            whens.push(match &operand {
                Some(operand) => {
                    let value = self.value(&when.condition, scope)?;
                    if common_kind(operand.kind, value.kind).is_none() {
                        return Err(inconsistent(operand.kind, value.kind));
                    }
                    let (left, right) = self.comparable(operand.clone(), value)?;
                    if left == operand.expr {
                        values.push(right.clone());
                    }
                    binary_expr(left, Operator::Eq, right)
                }
                None => self.condition(&when.condition, scope)?,
            });
            results.push(self.value(&when.result, scope)?);
        }
        results.push(match otherwise {
            Some(e) => self.value(e, scope)?,
            None => null(),
        });
        match operand {
            // So the operand occurs once.
            Some(operand) if values.len() == whens.len() => self.choose_by(Some(operand.expr), values, results),
            _ => self.choose(whens, results),
        }
    }

    /// `CASE WHEN when[0] THEN result[0] … ELSE result[last] END`, the results unified.
    pub(crate) fn choose(&self, whens: Vec<Expr>, results: Vec<Bound>) -> Result<Bound> {
        self.choose_by(None, whens, results)
    }

    /// The same by equality of a value with the whens, all of one type.
    pub(crate) fn choose_by(&self, value: Option<Expr>, whens: Vec<Expr>, results: Vec<Bound>) -> Result<Bound> {
        let bytes = results.iter().map(|result| result.bytes).max().unwrap_or(4000);
        let mut results = self.unify(results)?;
        let Some(otherwise) = results.pop() else { return Err(Error::bug("CASE without a branch")) };
        let kind = otherwise.kind;
        let branches = whens.into_iter().zip(results.into_iter().map(|result| result.expr)).collect();
        let case = functions::branches::case(value, branches, otherwise.expr, kind);
        Ok(Bound::new(case, kind).bytes(bytes))
    }

    /// Adds the byte offset to the error, unless it has one: the innermost position stays.
    pub(crate) fn at(&self, error: Error, span: tokenizer::Span) -> Error {
        position::at(error, self.cx.text, span)
    }

    /// The byte offset of a span in the whole statement.
    pub(crate) fn offset(&self, span: tokenizer::Span) -> Option<usize> {
        position::offset(self.cx.text, span.start).map(|offset| offset + self.base.get())
    }
}

/// The function of an operator between two values.
fn operator_name(left: &ast::Expr, op: &BinaryOperator, right: &ast::Expr) -> Result<&'static str> {
    Ok(match op {
        BinaryOperator::Plus => "+",
        BinaryOperator::Minus => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::StringConcat => "||",
        BinaryOperator::And
        | BinaryOperator::Or
        | BinaryOperator::Eq
        | BinaryOperator::NotEq
        | BinaryOperator::Lt
        | BinaryOperator::LtEq
        | BinaryOperator::Gt
        | BinaryOperator::GtEq => {
            return Err(Error::user(
                936,
                format!("missing expression: a condition is not a value: {left} {op} {right}"),
            ));
        }
        other => return Err(Error::unsupported(format!("operator {other}"))),
    })
}

/// A subquery as a value.
///
/// The planner turns a correlated subquery into a join only when it is sure of at most one row for a value of the outer
/// columns. One that could be joined but for that is aggregated, and counted beside it: a row whose count is above one
/// gets ORA-01427.
fn scalar_subquery(query: BoundQuery, at: Option<usize>, scope: &Scope<'_>) -> Result<Expr> {
    let plan = query.plan;
    if plan.max_rows().is_some_and(|rows| rows <= 1) || !may_be_joined(&plan) {
        return Ok(nested(plan, at, scope));
    }
    let LogicalPlan::Projection(projection) = &plan else { return Ok(nested(plan, at, scope)) };
    let plan = renamed(projection, VALUE).map_err(from_datafusion)?;
    let value = Expr::Column(Column::new_unqualified(VALUE));
    let aggregated = |function, argument| {
        LogicalPlanBuilder::new(plan.clone())
            .aggregate(Vec::<Expr>::new(), vec![function_call(function, argument)])
            .and_then(LogicalPlanBuilder::build)
            .map(|plan| nested(plan, at, scope))
            .map_err(from_datafusion)
    };
    let one = Expr::Literal(ScalarValue::Int64(Some(1)), None);
    let count = aggregated(count_udaf(), one.clone())?;
    let first = aggregated(min_udaf(), value)?;
    let several = binary_expr(count, Operator::Gt, one);
    let branches = vec![(Box::new(several), Box::new(functions::several_rows::call(&first)))];
    Ok(Expr::Case(Case::new(None, branches, Some(Box::new(first)))))
}

fn function_call(function: Arc<AggregateUDF>, argument: Expr) -> Expr {
    Expr::AggregateFunction(AggregateFunction::new_udf(function, vec![argument], false, None, Vec::new(), None))
}

fn nested(plan: LogicalPlan, at: Option<usize>, scope: &Scope<'_>) -> Expr {
    Expr::ScalarSubquery(subquery(plan, at, scope))
}

/// A subquery with its position in the statement, for errors found when the whole is planned.
///
/// The byte offset is stored as the line of DataFusion's span, which nothing else reads, and the number of the
/// enclosing scope as its column.
pub(crate) fn subquery(plan: LogicalPlan, at: Option<usize>, scope: &Scope<'_>) -> Subquery {
    let outer_ref_columns = plan.all_out_ref_exprs();
    let mut spans = Spans::new();
    let place = Location { line: at.map_or(u64::MAX, |at| at as u64), column: scope.number };
    spans.add_span(Span::new(place, place));
    Subquery { subquery: Arc::new(plan), outer_ref_columns, spans }
}

/// The byte offset given to `subquery`.
pub(crate) fn place(subquery: &Subquery) -> Option<usize> {
    subquery
        .spans
        .first()
        .filter(|span| span.start.line != u64::MAX)
        .and_then(|span| usize::try_from(span.start.line).ok())
}

fn text_literal(text: &str) -> Bound {
    if text.is_empty() {
        return null();
    }
    let mut bound = Bound::new(literal::string(text), DatumType::Varchar2).bytes(text.len() as u32);
    bound.text_literal = true;
    bound
}
