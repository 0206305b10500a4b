//! Conditions: comparisons, IN, BETWEEN, LIKE, EXISTS, IS NULL, ANY and ALL.

use std::cmp::Ordering;

use common::{Error, Result};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::{Exists, InList, InSubquery, SetComparison, SetQuantifier};
use datafusion::logical_expr::{Expr, Operator, Subquery, and, or};
use scalar::DatumType;
use sqlparser::ast::{self, BinaryOperator, Spanned, UnaryOperator, Value};

use super::binder::Binder;
use super::bound::Bound;
use super::expression::subquery;
use super::scope::Scope;
use crate::functions;
use crate::statement::spelling::first_of_list;
use crate::subquery::{compared_with_one, tuple};
use crate::types::literal;

/// A condition that is always true, or always false.
pub(crate) fn constant(value: bool) -> Expr {
    Expr::Literal(ScalarValue::Boolean(Some(value)), None)
}

impl Binder<'_> {
    /// An expression that is true, false or unknown.
    pub(crate) fn condition(&self, e: &ast::Expr, scope: &Scope<'_>) -> Result<Expr> {
        self.condition_of(e, scope).map_err(|error| self.at(error, e.span()))
    }

    fn condition_of(&self, e: &ast::Expr, scope: &Scope<'_>) -> Result<Expr> {
        use ast::Expr as E;
        match e {
            E::Nested(inner) => self.condition(inner, scope),
            E::UnaryOp { op: UnaryOperator::Not, expr } => self.negation(expr, scope),
            E::BinaryOp { op: op @ (BinaryOperator::And | BinaryOperator::Or), .. } => {
                // A chain of them is followed in a loop, since its tree is as deep as the chain is long.
                let mut row = Vec::new();
                let mut first = e;
                while let E::BinaryOp { left, op: same, right } = first
                    && same == op
                {
                    row.push(&**right);
                    first = left;
                }
                row.push(first);
                let conditions = row.into_iter().rev().map(|condition| self.condition(condition, scope));
                let join = if *op == BinaryOperator::And { and } else { or };
                Ok(balanced(conditions.collect::<Result<_>>()?, join).unwrap_or_else(|| constant(true)))
            }
            E::BinaryOp { left, op, right } => {
                let Some(operator) = comparison(op) else {
                    return Err(Error::user(920, format!("invalid relational operator: {op}")));
                };
                if let E::Tuple(values) = without_parentheses(left) {
                    return match without_parentheses(right) {
                        E::Tuple(right) => self.tuples(values, operator, right, scope),
                        E::Subquery(query) => self.one_row(left, operator, query, scope),
                        _ => Err(single_beside_list()),
                    };
                }
                let left = self.value(left, scope)?;
                let right = self.value(right, scope)?;
                self.compare(left, operator, right)
            }
            E::IsNull(inner) => Ok(Expr::IsNull(Box::new(self.value(inner, scope)?.expr))),
            E::IsNotNull(inner) => Ok(Expr::IsNotNull(Box::new(self.value(inner, scope)?.expr))),
            E::Between { expr, negated, low, high } => {
                let value = self.value(expr, scope)?;
                let low = self.value(low, scope)?;
                let high = self.value(high, scope)?;
                let above = self.compare(value.clone(), Operator::GtEq, low)?;
                let below = self.compare(value, Operator::LtEq, high)?;
                let between = and(above, below);
                Ok(if *negated { Expr::Not(Box::new(between)) } else { between })
            }
            E::InList { expr, list, negated } => self.in_list(expr, list, *negated, scope),
            E::InSubquery { expr, subquery, negated } => self.membership(expr, subquery, *negated, scope),
            E::Exists { subquery: query, negated } => {
                let bound = self.query(query, Some(scope), &[])?;
                let subquery = subquery(bound.plan, self.offset(query.span()), scope);
                Ok(Expr::Exists(Exists { subquery, negated: *negated }))
            }
            E::Like { negated, any: false, expr, pattern, escape_char } => {
                let value = self.value(expr, scope)?;
                let pattern = self.value(pattern, scope)?;
                let mut arguments = vec![value, pattern];
                if let Some(escape) = escape_char {
                    let Value::SingleQuotedString(text) = &escape.value else {
                        return Err(Error::unsupported(format!("ESCAPE {escape}")));
                    };
                    arguments.push(Bound::new(literal::string(text), DatumType::Varchar2));
                }
                let like = self.call_condition("LIKE", arguments)?;
                Ok(if *negated { Expr::Not(Box::new(like)) } else { like })
            }
            E::AnyOp { left, compare_op, right, is_some: _ } => self.quantified(left, compare_op, right, false, scope),
            E::AllOp { left, compare_op, right } => self.quantified(left, compare_op, right, true, scope),
            E::Function(function) => match self.condition_function(function, scope)? {
                Some(condition) => Ok(condition),
                None => Err(Error::user(920, format!("invalid relational operator: {e} is a value, not a condition"))),
            },
            E::IsTrue(_)
            | E::IsNotTrue(_)
            | E::IsFalse(_)
            | E::IsNotFalse(_)
            | E::IsUnknown(_)
            | E::IsNotUnknown(_)
            | E::IsDistinctFrom(..)
            | E::IsNotDistinctFrom(..)
            | E::ILike { .. }
            | E::SimilarTo { .. }
            | E::RLike { .. } => Err(Error::unsupported(format!("condition {e}"))),
            other => Err(Error::user(920, format!("invalid relational operator: {other} is not a condition"))),
        }
    }

    /// `NOT condition`. A membership is negated where it is made: see [`Self::membership`].
    fn negation(&self, e: &ast::Expr, scope: &Scope<'_>) -> Result<Expr> {
        use ast::Expr as E;
        match e {
            E::Nested(inner) => self.negation(inner, scope),
            E::UnaryOp { op: UnaryOperator::Not, expr } => self.condition(expr, scope),
            E::InSubquery { expr, subquery, negated } => self.membership(expr, subquery, !negated, scope),
            E::AnyOp { left, compare_op: BinaryOperator::Eq, right, .. } => match &**right {
                E::Subquery(query) => self.membership(left, query, true, scope),
                _ => Ok(Expr::Not(Box::new(self.condition(e, scope)?))),
            },
            E::AllOp { left, compare_op: BinaryOperator::NotEq, right } => match &**right {
                E::Subquery(query) => self.membership(left, query, false, scope),
                _ => Ok(Expr::Not(Box::new(self.condition(e, scope)?))),
            },
            _ => Ok(Expr::Not(Box::new(self.condition(e, scope)?))),
        }
    }

    /// `value [NOT] IN (subquery)`.
    fn membership(&self, expr: &ast::Expr, query: &ast::Query, negated: bool, scope: &Scope<'_>) -> Result<Expr> {
        let (value, rows) = self.with_columns(expr, query, scope)?;
        Ok(Expr::InSubquery(InSubquery::new(Box::new(value), rows, negated)))
    }

    fn in_list(&self, expr: &ast::Expr, list: &[ast::Expr], negated: bool, scope: &Scope<'_>) -> Result<Expr> {
        if let ast::Expr::Tuple(left) = without_parentheses(expr) {
            let equal = |item: &ast::Expr| match without_parentheses(item) {
                ast::Expr::Tuple(right) => self.tuples(left, Operator::Eq, right, scope),
                ast::Expr::Subquery(query) => self.one_row(expr, Operator::Eq, query, scope),
                ast::Expr::Function(function) => match first_of_list(function).map(without_parentheses) {
                    Some(ast::Expr::Subquery(query)) => self.one_row(expr, Operator::Eq, query, scope),
                    _ => Err(single_beside_list()),
                },
                _ => Err(single_beside_list()),
            };
            let any = any_of(list.iter().map(equal).collect::<Result<_>>()?);
            return Ok(if negated { Expr::Not(Box::new(any)) } else { any });
        }
        let value = self.value(expr, scope)?;
        let items = list.iter().map(|item| self.value(item, scope)).collect::<Result<Vec<_>>>()?;
        let same = value.kind != DatumType::Char
            && !value.text_literal
            && items
                .iter()
                .all(|item| (item.kind == value.kind || item.kind == DatumType::Null) && item.kind != DatumType::Char);
        // When the planner merges two lists it takes every list for one of literals.
        let literals = items.iter().all(|item| matches!(&item.expr, Expr::Literal(value, _) if !value.is_null()));
        if same && literals && value.kind != DatumType::Null {
            let kind = value.kind;
            let list = items
                .into_iter()
                .map(|item| self.convert(item, kind).map(|bound| bound.expr))
                .collect::<Result<Vec<_>>>()?;
            return Ok(Expr::InList(InList::new(Box::new(value.expr), list, negated)));
        }
        let equal = |item| self.compare(value.clone(), Operator::Eq, item);
        let any = any_of(items.into_iter().map(equal).collect::<Result<_>>()?);
        Ok(if negated { Expr::Not(Box::new(any)) } else { any })
    }

    /// `(values) op (subquery)`: compares with the one row of the subquery; unknown without a row.
    fn one_row(&self, left: &ast::Expr, op: Operator, query: &ast::Query, scope: &Scope<'_>) -> Result<Expr> {
        if !matches!(op, Operator::Eq | Operator::NotEq) {
            return Err(lists_out_of_order());
        }
        let (values, rows) = self.with_columns(left, query, scope)?;
        let values = compared_with_one(values);
        Ok(Expr::SetComparison(SetComparison::new(Box::new(values), rows, op, SetQuantifier::Any)))
    }

    fn tuples(&self, left: &[ast::Expr], op: Operator, right: &[ast::Expr], scope: &Scope<'_>) -> Result<Expr> {
        if left.len() != right.len() {
            return Err(Error::user(913, "too many values, or not enough, in a list"));
        }
        if !matches!(op, Operator::Eq | Operator::NotEq) {
            return Err(lists_out_of_order());
        }
        let mut all: Option<Expr> = None;
        for (left, right) in left.iter().zip(right) {
            let equal = self.compare(self.value(left, scope)?, Operator::Eq, self.value(right, scope)?)?;
            all = Some(match all {
                Some(all) => and(all, equal),
                None => equal,
            });
        }
        let all = all.unwrap_or_else(|| constant(true));
        Ok(if op == Operator::NotEq { Expr::Not(Box::new(all)) } else { all })
    }

    /// A value, or a list of them, and a subquery of as many columns, converted to the kinds of their comparison.
    fn with_columns(&self, expr: &ast::Expr, query: &ast::Query, scope: &Scope<'_>) -> Result<(Expr, Subquery)> {
        let expressions = match expr {
            ast::Expr::Tuple(list) => list.as_slice(),
            ast::Expr::Nested(inner) if matches!(**inner, ast::Expr::Tuple(_)) => {
                return self.with_columns(inner, query, scope);
            }
            one => std::slice::from_ref(one),
        };
        let values = expressions.iter().map(|expr| self.value(expr, scope)).collect::<Result<Vec<_>>>()?;
        let bound = self.query(query, Some(scope), &[])?;
        match bound.outputs.len().cmp(&values.len()) {
            Ordering::Greater => {
                return Err(Error::user(913, "too many values: the subquery gives more columns than there are values"));
            }
            Ordering::Less => {
                return Err(Error::user(
                    947,
                    "not enough values: the subquery gives fewer columns than there are values",
                ));
            }
            Ordering::Equal => {}
        }
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        for (value, output) in values.into_iter().zip(&bound.outputs) {
            let (left, right) = self.comparable(value, output.bound())?;
            lefts.push(left);
            rights.push(right);
        }
        let as_they_are = rights.iter().zip(&bound.outputs).all(|(right, output)| *right == output.bound().expr);
        let bound = if as_they_are { bound } else { bound.project(rights)? };
        let left = match <[Expr; 1]>::try_from(lefts) {
            Ok([left]) => left,
            Err(lefts) => tuple(lefts),
        };
        Ok((left, subquery(bound.plan, self.offset(query.span()), scope)))
    }

    fn quantified(
        &self,
        left: &ast::Expr,
        op: &BinaryOperator,
        right: &ast::Expr,
        all: bool,
        scope: &Scope<'_>,
    ) -> Result<Expr> {
        let Some(operator) = comparison(op) else {
            return Err(Error::user(920, format!("invalid relational operator: {op}")));
        };
        match right {
            ast::Expr::Subquery(query) => match (operator, all) {
                (Operator::Eq, false) => self.membership(left, query, false, scope),
                (Operator::NotEq, true) => self.membership(left, query, true, scope),
                _ => {
                    let list = matches!(without_parentheses(left), ast::Expr::Tuple(_));
                    if list && !matches!(operator, Operator::Eq | Operator::NotEq) {
                        return Err(lists_out_of_order());
                    }
                    let (value, subquery) = self.with_columns(left, query, scope)?;
                    let quantifier = if all { SetQuantifier::All } else { SetQuantifier::Any };
                    Ok(Expr::SetComparison(SetComparison::new(Box::new(value), subquery, operator, quantifier)))
                }
            },
            ast::Expr::Nested(item) => self.quantified_list(left, operator, std::slice::from_ref(&**item), all, scope),
            ast::Expr::Tuple(items) => self.quantified_list(left, operator, items, all, scope),
            item => self.quantified_list(left, operator, std::slice::from_ref(item), all, scope),
        }
    }

    fn quantified_list(
        &self,
        left: &ast::Expr,
        op: Operator,
        items: &[ast::Expr],
        all: bool,
        scope: &Scope<'_>,
    ) -> Result<Expr> {
        let value = self.value(left, scope)?;
        let conditions = items.iter().map(|item| self.compare(value.clone(), op, self.value(item, scope)?));
        let join = if all { and } else { or };
        balanced(conditions.collect::<Result<_>>()?, join).ok_or_else(|| Error::user(936, "missing expression"))
    }

    /// `ROWNUM op value` as a limit on rows: Some(n) when at most n rows pass, None when it limits nothing.
    pub(crate) fn rownum_limit(&self, e: &ast::Expr, scope: &Scope<'_>) -> Result<Option<RownumLimit>> {
        use ast::Expr as E;
        let is_rownum = |e: &ast::Expr| matches!(e, E::Identifier(ident) if ident.quote_style.is_none() && ident.value.eq_ignore_ascii_case("ROWNUM"));
        match e {
            E::Nested(inner) => self.rownum_limit(inner, scope),
            E::BinaryOp { left, op, right } => {
                let (value, op) = if is_rownum(left) {
                    (right, op.clone())
                } else if is_rownum(right) {
                    (left, mirrored(op))
                } else {
                    return Ok(None);
                };
                let Some(operator) = comparison(&op) else { return Ok(None) };
                let bound = self.value(value, scope)?;
                let bound = self.convert(bound, DatumType::Number)?;
                let Some(n) = functions::evaluate::number(&bound.expr)? else {
                    return Ok(Some(RownumLimit::Rows(0)));
                };
                Ok(Some(RownumLimit::of(operator, &n)))
            }
            E::Between { expr, negated: false, low, high } if is_rownum(expr) => {
                let low = E::BinaryOp { left: expr.clone(), op: BinaryOperator::GtEq, right: low.clone() };
                let high = E::BinaryOp { left: expr.clone(), op: BinaryOperator::LtEq, right: high.clone() };
                match (self.rownum_limit(&low, scope)?, self.rownum_limit(&high, scope)?) {
                    (Some(low), Some(high)) => Ok(Some(low.and(high))),
                    _ => Ok(None),
                }
            }
            _ => Ok(None),
        }
    }
}

/// The effect of a condition on ROWNUM: only rows that pass are numbered, so `> 1` lets none pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RownumLimit {
    Rows(u64),
    All,
}

impl RownumLimit {
    fn of(op: Operator, bytes: &[u8]) -> Self {
        let one = format::number::encode_i64(1);
        let whole = format::number::truncate(bytes, 0);
        let floor = format::number::decode_i64(&whole).unwrap_or(if bytes[0] >= 0x80 { i64::MAX } else { 0 });
        let exact = whole[..] == *bytes;
        let first = bytes.cmp(&one[..]);
        match op {
            Operator::LtEq => Self::Rows(floor.max(0) as u64),
            Operator::Lt if exact => Self::Rows((floor - 1).max(0) as u64),
            Operator::Lt => Self::Rows(floor.max(0) as u64),
            Operator::Eq if first.is_eq() => Self::Rows(1),
            Operator::Eq => Self::Rows(0),
            Operator::GtEq if first.is_le() => Self::All,
            Operator::Gt if first.is_lt() => Self::All,
            Operator::NotEq if exact && floor >= 1 => Self::Rows(floor as u64 - 1),
            Operator::NotEq => Self::All,
            _ => Self::Rows(0),
        }
    }

    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Rows(a), Self::Rows(b)) => Self::Rows(a.min(b)),
            (Self::All, other) | (other, Self::All) => other,
        }
    }
}

pub(crate) fn comparison(op: &BinaryOperator) -> Option<Operator> {
    Some(match op {
        BinaryOperator::Eq => Operator::Eq,
        BinaryOperator::NotEq => Operator::NotEq,
        BinaryOperator::Lt => Operator::Lt,
        BinaryOperator::LtEq => Operator::LtEq,
        BinaryOperator::Gt => Operator::Gt,
        BinaryOperator::GtEq => Operator::GtEq,
        _ => return None,
    })
}

fn mirrored(op: &BinaryOperator) -> BinaryOperator {
    match op {
        BinaryOperator::Lt => BinaryOperator::Gt,
        BinaryOperator::LtEq => BinaryOperator::GtEq,
        BinaryOperator::Gt => BinaryOperator::Lt,
        BinaryOperator::GtEq => BinaryOperator::LtEq,
        other => other.clone(),
    }
}

fn lists_out_of_order() -> Error {
    Error::user(1796, "this operator cannot be used with lists: only = and <> can")
}

fn single_beside_list() -> Error {
    Error::user(920, "invalid relational operator: a list of values beside a single value")
}

fn without_parentheses(e: &ast::Expr) -> &ast::Expr {
    match e {
        ast::Expr::Nested(inner) => without_parentheses(inner),
        other => other,
    }
}

/// Conditions joined from the left; more make a balanced tree, since the planner asks each level about those below.
const FROM_THE_LEFT_MAX: usize = 16;

/// The conditions joined by AND or by OR, in their order; None when there are none.
pub(crate) fn balanced(mut conditions: Vec<Expr>, join: fn(Expr, Expr) -> Expr) -> Option<Expr> {
    if conditions.len() <= FROM_THE_LEFT_MAX {
        return conditions.into_iter().reduce(join);
    }
    let behind = conditions.split_off(conditions.len() / 2);
    Some(join(balanced(conditions, join)?, balanced(behind, join)?))
}

/// True: one of the conditions is true.
fn any_of(conditions: Vec<Expr>) -> Expr {
    balanced(conditions, or).unwrap_or_else(|| constant(false))
}

/// The conjuncts of a condition.
pub(crate) fn conjuncts<'e>(e: &'e ast::Expr, into: &mut Vec<&'e ast::Expr>) {
    let from = into.len();
    let mut first = e;
    // From the right, along the chain: its tree is as deep as the chain is long.
    loop {
        match first {
            ast::Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                let mut behind = Vec::new();
                conjuncts(right, &mut behind);
                into.extend(behind.into_iter().rev());
                first = left;
            }
            ast::Expr::Nested(inner) if matches!(**inner, ast::Expr::BinaryOp { op: BinaryOperator::And, .. }) => {
                first = inner;
            }
            other => {
                into.push(other);
                break;
            }
        }
    }
    into[from..].reverse();
}
