//! A query: WITH, set operations, ORDER BY, OFFSET and FETCH around its blocks.

use std::sync::Arc;

use common::{DataType, Error, Result};
use datafusion::common::Column;
use datafusion::logical_expr::expr::Sort;
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan, LogicalPlanBuilder, Union};
use scalar::DatumType;
use sqlparser::ast::{
    self, Fetch, LimitClause, OrderByKind, Query, SetExpr, SetOperator, SetQuantifier, Spanned, Value,
};

use super::binder::{Binder, Named, fold};
use super::bound::{Bound, null};
use super::function::direction;
use super::scope::Scope;
use super::sequence::SequencePlace;
use crate::error::from_datafusion;
use crate::functions;

/// An output column of a query.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// The name in headings and outer queries.
    pub(crate) name: String,
    /// The planner's name: the same, made unique.
    pub(crate) field: String,
    pub(crate) kind: DatumType,
    pub(crate) declared: DataType,
    /// The declared type is a column's own, not an estimate.
    pub(crate) exact: bool,
    pub(crate) nullable: bool,
    /// A bare NULL literal: in a set operation any kind may stand beside it.
    pub(crate) null: bool,
}

impl Output {
    pub(crate) fn bound(&self) -> Bound {
        let mut bound = Bound::new(Expr::Column(Column::new_unqualified(&self.field)), self.kind).bytes(self.bytes());
        bound.declared = self.exact.then_some(self.declared);
        bound.nullable = self.nullable;
        bound
    }

    pub(crate) fn bytes(&self) -> u32 {
        match self.declared {
            DataType::Varchar2 { bytes } | DataType::Char { bytes } | DataType::Raw { bytes } => u32::from(bytes),
            _ => 40,
        }
    }
}

/// A bound query; its plan's schema has one unqualified field an output.
#[derive(Clone, Debug)]
pub(crate) struct BoundQuery {
    pub(crate) plan: LogicalPlan,
    pub(crate) outputs: Vec<Output>,
}

impl BoundQuery {
    /// The query with columns made by expressions over its outputs.
    pub(crate) fn project(self, expressions: Vec<Expr>) -> Result<Self> {
        let outputs = self.outputs;
        let named = expressions.into_iter().zip(&outputs).map(|(expr, output)| expr.alias(&output.field));
        let plan = LogicalPlanBuilder::new(self.plan)
            .project(named.collect::<Vec<_>>())
            .and_then(LogicalPlanBuilder::build)
            .map_err(from_datafusion)?;
        Ok(Self { plan, outputs })
    }
}

/// Names for the planner, unique among themselves.
pub(crate) fn unique_fields(names: &[String]) -> Vec<String> {
    let mut seen = std::collections::HashMap::new();
    names
        .iter()
        .map(|name| {
            let n: &mut u32 = seen.entry(name.clone()).or_default();
            *n += 1;
            if *n == 1 { name.clone() } else { format!("{name}\u{1}{n}") }
        })
        .collect()
}

impl Binder<'_> {
    /// Binds a query. `names` are the headings of its select list's expressions where the statement's text gives them.
    pub(crate) fn query(&self, query: &Query, outer: Option<&Scope<'_>>, names: &[String]) -> Result<BoundQuery> {
        let Query {
            with,
            body,
            order_by,
            limit_clause,
            fetch,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        if !locks.is_empty() {
            return Err(Error::user(933, "SQL command not properly ended: FOR UPDATE ends a whole statement"));
        }
        if for_clause.is_some() || settings.is_some() || format_clause.is_some() || !pipe_operators.is_empty() {
            return Err(Error::unsupported(format!("a clause of {query}")));
        }
        let place = self.sequences.replace(SequencePlace::Refused);
        let visible = self.named.borrow().len();
        if let Some(with) = with {
            self.with(with)?;
        }
        let order = match order_by {
            None => &[][..],
            Some(ast::OrderBy { kind: OrderByKind::Expressions(keys), interpolate: None }) => keys.as_slice(),
            Some(other) => return Err(Error::unsupported(format!("{other}"))),
        };
        // Flags of the enclosing block.
        let (rownum, aggregates) = (self.rownum_used.replace(false), self.aggregates_allowed.replace(0));
        let numbered = self.rownum_allowed.replace(false);
        if order.is_empty() && place == SequencePlace::Statement && !matches!(**body, SetExpr::SetOperation { .. }) {
            self.sequences.set(place);
        }
        let bound = self.body(body, order, outer, names);
        self.sequences.set(place);
        self.rownum_used.set(rownum);
        self.rownum_allowed.set(numbered);
        self.aggregates_allowed.set(aggregates);
        let bound = self.limited(bound?, limit_clause.as_ref(), fetch.as_ref());
        self.named.borrow_mut().truncate(visible);
        bound
    }

    pub(super) fn with(&self, with: &ast::With) -> Result<()> {
        for cte in &with.cte_tables {
            let ast::Cte { alias, query, from: None, materialized: None, .. } = cte else {
                return Err(Error::unsupported(format!("WITH {cte}")));
            };
            self.defining.borrow_mut().push((fold(&alias.name), !alias.columns.is_empty()));
            let bound = self.query(query, None, &[]);
            self.defining.borrow_mut().pop();
            let mut bound = bound?;
            if !alias.columns.is_empty() {
                if alias.columns.len() != bound.outputs.len() {
                    return Err(Error::user(32038, "number of WITH column names does not match the query's columns"));
                }
                for (output, column) in bound.outputs.iter_mut().zip(&alias.columns) {
                    output.name = fold(&column.name);
                }
            }
            self.named.borrow_mut().push(Named { name: fold(&alias.name), query: bound });
        }
        Ok(())
    }

    fn body(
        &self,
        body: &SetExpr,
        order: &[ast::OrderByExpr],
        outer: Option<&Scope<'_>>,
        names: &[String],
    ) -> Result<BoundQuery> {
        self.cx.tables.check_cancelled()?;
        match body {
            SetExpr::Select(select) => self.block(select, order, outer, names),
            SetExpr::Query(query) => {
                let bound = self.query(query, outer, names)?;
                self.sorted(bound, order)
            }
            // All set operators have one precedence: the parser's tree lets INTERSECT bind closer.
            SetExpr::SetOperation { right, .. } if matches!(**right, SetExpr::SetOperation { .. }) => {
                let level = left_to_right(body);
                self.body(&level, order, outer, names)
            }
            SetExpr::SetOperation { op: SetOperator::Union, set_quantifier, .. } => {
                let all = keeps_duplicates(SetOperator::Union, set_quantifier)?;
                // A chain of UNIONs is one union of its queries. If the last one removes duplicates, the others need
                // not.
                let mut chain = Vec::new();
                let mut first = body;
                while let SetExpr::SetOperation { left, op: SetOperator::Union, set_quantifier, right } = first
                    && !matches!(**right, SetExpr::SetOperation { .. })
                    && (keeps_duplicates(SetOperator::Union, set_quantifier)? || !all)
                {
                    chain.push(&**right);
                    first = left;
                }
                let mut queries = vec![self.body(first, &[], outer, names)?];
                for query in chain.into_iter().rev() {
                    queries.push(self.body(query, &[], outer, &[])?);
                }
                let bound = self.union(queries, all).map_err(|error| self.at(error, body.span()))?;
                self.sorted(bound, order)
            }
            SetExpr::SetOperation { left, op, set_quantifier, right } => {
                let all = keeps_duplicates(*op, set_quantifier)?;
                let left = self.body(left, &[], outer, names)?;
                let right = self.body(right, &[], outer, &[])?;
                let bound = self.set_operation(left, *op, all, right).map_err(|error| self.at(error, body.span()))?;
                self.sorted(bound, order)
            }
            other => Err(Error::unsupported(format!("{other}"))),
        }
    }

    /// UNION of several queries, or UNION ALL.
    fn union(&self, queries: Vec<BoundQuery>, all: bool) -> Result<BoundQuery> {
        let mut outputs: Option<Vec<Output>> = None;
        for query in &queries {
            outputs = Some(match outputs {
                None => query.outputs.clone(),
                Some(outputs) => self.common_outputs(&outputs, &query.outputs)?,
            });
        }
        let outputs = outputs.unwrap_or_default();
        let inputs = queries.into_iter().map(|query| self.as_outputs(query, &outputs).map(Arc::new));
        let union = Union::try_new_with_loose_types(inputs.collect::<Result<_>>()?)
            .map(LogicalPlan::Union)
            .map_err(from_datafusion)?;
        let plan = if all { union } else { LogicalPlan::Distinct(Distinct::All(Arc::new(union))) };
        Ok(BoundQuery { plan, outputs })
    }

    /// MINUS and INTERSECT.
    fn set_operation(&self, left: BoundQuery, op: SetOperator, all: bool, right: BoundQuery) -> Result<BoundQuery> {
        let outputs = self.common_outputs(&left.outputs, &right.outputs)?;
        let (left, right) = (self.as_outputs(left, &outputs)?, self.as_outputs(right, &outputs)?);
        let plan = match op {
            SetOperator::Minus | SetOperator::Except => LogicalPlanBuilder::except(left, right, all),
            SetOperator::Intersect => LogicalPlanBuilder::intersect(left, right, all),
            SetOperator::Union => return Err(Error::bug("a UNION beside MINUS and INTERSECT")),
        };
        let plan = plan.map_err(from_datafusion)?;
        if all {
            return Err(Error::unsupported(format!("{op} ALL")));
        }
        Ok(BoundQuery { plan, outputs })
    }

    /// The common columns of two queries in a set operation.
    fn common_outputs(&self, left: &[Output], right: &[Output]) -> Result<Vec<Output>> {
        if left.len() != right.len() {
            return Err(Error::user(1789, "query block has incorrect number of result columns"));
        }
        let common = |(l, r): (&Output, &Output)| {
            let values = self.unify(vec![operand(l), operand(r)]).map_err(|_| {
                Error::user(1790, format!("expression must have same datatype as corresponding expression: {}", l.name))
            })?;
            let kind = values.first().map_or(l.kind, |value| value.kind);
            // NULL has no length and adds none.
            let (declared, exact) = match (l.null, r.null) {
                (true, false) => (r.declared, r.exact),
                (false, true) => (l.declared, l.exact),
                _ if l.declared == r.declared => (l.declared, l.exact && r.exact),
                _ => (kind.declared(l.bytes().max(r.bytes())), false),
            };
            Ok(Output {
                name: l.name.clone(),
                field: l.field.clone(),
                kind,
                declared,
                exact,
                nullable: l.nullable || r.nullable,
                null: l.null && r.null,
            })
        };
        left.iter().zip(right).map(common).collect()
    }

    /// The query's rows with the columns of its set operation.
    fn as_outputs(&self, query: BoundQuery, outputs: &[Output]) -> Result<LogicalPlan> {
        let column =
            |(own, common): (&Output, &Output)| Ok(self.convert(operand(own), common.kind)?.expr.alias(&common.field));
        let columns = query.outputs.iter().zip(outputs).map(column).collect::<Result<Vec<_>>>()?;
        LogicalPlanBuilder::new(query.plan)
            .project(columns)
            .and_then(LogicalPlanBuilder::build)
            .map_err(from_datafusion)
    }

    /// ORDER BY over the outputs only, by name or position: for set operations and queries in parentheses.
    fn sorted(&self, bound: BoundQuery, order: &[ast::OrderByExpr]) -> Result<BoundQuery> {
        if order.is_empty() {
            return Ok(bound);
        }
        let mut keys = Vec::new();
        for key in order {
            let (ascending, nulls_first) = direction(&key.options);
            let output = match ordinal(&key.expr, bound.outputs.len())? {
                Some(at) => Some(&bound.outputs[at]),
                None => match &key.expr {
                    ast::Expr::Identifier(ident) => {
                        let name = fold(ident);
                        let mut found = bound.outputs.iter().filter(|output| output.name == name);
                        let first = found.next();
                        if found.next().is_some() {
                            return Err(self.at(ambiguous(&name), ident.span));
                        }
                        first
                    }
                    _ => None,
                },
            };
            let output = output.ok_or_else(|| {
                let text = format!("ORDER BY item must be a column of the select list: {}", key.expr);
                self.at(Error::user(1785, text), key.expr.span())
            })?;
            keys.push(Sort::new(output.bound().expr, ascending, nulls_first));
        }
        let plan = LogicalPlanBuilder::new(bound.plan)
            .sort(keys)
            .and_then(LogicalPlanBuilder::build)
            .map_err(from_datafusion)?;
        Ok(BoundQuery { plan, outputs: bound.outputs })
    }

    fn limited(&self, bound: BoundQuery, limit: Option<&LimitClause>, fetch: Option<&Fetch>) -> Result<BoundQuery> {
        let offset = match limit {
            None => None,
            Some(LimitClause::LimitOffset { limit: None, offset, limit_by }) if limit_by.is_empty() => {
                offset.as_ref().map(|offset| &offset.value)
            }
            Some(_) => {
                return Err(Error::user(
                    933,
                    "SQL command not properly ended: LIMIT is written FETCH FIRST n ROWS ONLY",
                ));
            }
        };
        let rows = match fetch {
            None => None,
            Some(Fetch { with_ties: false, percent: false, quantity }) => {
                Some(quantity.as_ref().map_or(Ok(1), |e| self.row_count(e))?)
            }
            Some(other) => return Err(Error::unsupported(format!("{other}"))),
        };
        let skip = offset.map_or(Ok(0), |e| self.row_count(e))?;
        if skip == 0 && rows.is_none() {
            return Ok(bound);
        }
        let plan = LogicalPlanBuilder::new(bound.plan)
            .limit(skip, rows)
            .and_then(LogicalPlanBuilder::build)
            .map_err(from_datafusion)?;
        Ok(BoundQuery { plan, outputs: bound.outputs })
    }

    /// A number of rows; negative counts as 0, NULL too.
    fn row_count(&self, e: &ast::Expr) -> Result<usize> {
        let bound = self.value(e, &Scope::default())?;
        let bound = self.convert(bound, DatumType::Number)?;
        let Some(bytes) = functions::evaluate::number(&bound.expr)? else { return Ok(0) };
        let whole = format::number::truncate(&bytes, 0);
        Ok(match format::number::decode_i64(&whole) {
            Some(n) => usize::try_from(n).unwrap_or(0).min(ROW_COUNT_MAX),
            None if whole.is_negative() => 0,
            None => ROW_COUNT_MAX,
        })
    }
}

/// More rows than any query has. The query engine adds an offset and a number of rows in 64 bits with a sign.
const ROW_COUNT_MAX: usize = 1 << 61;

/// A column of a query as an operand of a set operation.
fn operand(output: &Output) -> Bound {
    if output.null { null() } else { output.bound() }
}

/// True: the set operator is followed by ALL.
fn keeps_duplicates(op: SetOperator, quantifier: &SetQuantifier) -> Result<bool> {
    match quantifier {
        SetQuantifier::None | SetQuantifier::Distinct => Ok(false),
        SetQuantifier::All => Ok(true),
        other => Err(Error::unsupported(format!("{op} {other}"))),
    }
}

/// A chain of set operators from left to right. A part in parentheses is a query of its own.
fn left_to_right(body: &SetExpr) -> SetExpr {
    fn flatten<'e>(
        body: &'e SetExpr,
        operands: &mut Vec<&'e SetExpr>,
        operators: &mut Vec<(SetOperator, SetQuantifier)>,
    ) {
        match body {
            SetExpr::SetOperation { left, op, set_quantifier, right } => {
                flatten(left, operands, operators);
                operators.push((*op, *set_quantifier));
                flatten(right, operands, operators);
            }
            other => operands.push(other),
        }
    }
    let (mut operands, mut operators) = (Vec::new(), Vec::new());
    flatten(body, &mut operands, &mut operators);
    let mut operands = operands.into_iter().cloned();
    let first = operands.next().unwrap_or_else(|| body.clone());
    operands.zip(operators).fold(first, |left, (right, (op, set_quantifier))| SetExpr::SetOperation {
        left: Box::new(left),
        op,
        set_quantifier,
        right: Box::new(right),
    })
}

/// ORA-00960: ORDER BY names a column by a name that occurs more than once in the select list.
pub(crate) fn ambiguous(name: &str) -> Error {
    Error::user(960, format!("ambiguous column naming in select list: {name}"))
}

/// The position in the select list that ORDER BY names by a number.
pub(crate) fn ordinal(e: &ast::Expr, outputs: usize) -> Result<Option<usize>> {
    let ast::Expr::Value(value) = e else { return Ok(None) };
    let Value::Number(digits, _) = &value.value else { return Ok(None) };
    match digits.parse::<usize>() {
        Ok(n) if (1..=outputs).contains(&n) => Ok(Some(n - 1)),
        _ => Err(Error::user(1785, format!("ORDER BY item must be the number of a select-list expression: {digits}"))),
    }
}
