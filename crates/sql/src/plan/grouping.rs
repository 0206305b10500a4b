//! GROUP BY: the aggregate node, and its columns in place of grouping expressions and aggregates.
//!
//! Aggregates inside aggregates (`max(count(*))`) make two nodes: the inner ones over the groups, the outer ones over
//! all of those.

use common::{Error, Result};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, ScalarValue};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::expr::GroupingSet;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use sqlparser::ast::{self, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr};
use sqlparser::tokenizer::Span;

use super::binder::Binder;
use super::block::ROWNUM;
use super::bound::Bound;
use super::scope::Scope;
use crate::error::from_datafusion;
use crate::{functions, subquery};

/// Expressions of one CUBE; each doubles the sets.
const CUBE_MAX: usize = 12;

impl Binder<'_> {
    /// The expressions and grouping sets of GROUP BY.
    pub(super) fn group_by(&self, group_by: &GroupByExpr, scope: &Scope<'_>) -> Result<Vec<Expr>> {
        let GroupByExpr::Expressions(expressions, modifiers) = group_by else {
            return Err(Error::unsupported("GROUP BY ALL"));
        };
        if !modifiers.is_empty() {
            return Err(Error::unsupported("a modifier after GROUP BY"));
        }
        let sets = |sets: Vec<Vec<Expr>>| Expr::GroupingSet(GroupingSet::GroupingSets(sets));
        let mut groups = Vec::new();
        for expression in expressions {
            match expression {
                ast::Expr::Rollup(lists) => groups.push(sets(prefixes(&self.lists(lists, scope)?))),
                ast::Expr::Cube(lists) => groups.push(sets(subsets(&self.lists(lists, scope)?)?)),
                ast::Expr::GroupingSets(lists) => groups.push(sets(self.grouping_sets(lists, scope)?)),
                // `group by ()`: one group of all rows.
                ast::Expr::Tuple(list) if list.is_empty() => groups.push(sets(vec![Vec::new()])),
                ast::Expr::Tuple(list) => groups.extend(self.list(list, scope)?),
                expression => groups.push(self.value(expression, scope)?.expr),
            }
        }
        Ok(groups)
    }

    fn list(&self, list: &[ast::Expr], scope: &Scope<'_>) -> Result<Vec<Expr>> {
        list.iter().map(|expression| Ok(self.value(expression, scope)?.expr)).collect()
    }

    fn lists(&self, lists: &[Vec<ast::Expr>], scope: &Scope<'_>) -> Result<Vec<Vec<Expr>>> {
        lists.iter().map(|list| self.list(list, scope)).collect()
    }

    /// The sets of GROUPING SETS; a nested ROLLUP or CUBE, which the parser takes for a function, contributes its own.
    fn grouping_sets(&self, lists: &[Vec<ast::Expr>], scope: &Scope<'_>) -> Result<Vec<Vec<Expr>>> {
        let mut sets = Vec::new();
        for list in lists {
            let [ast::Expr::Function(function)] = list.as_slice() else {
                sets.push(self.list(list, scope)?);
                continue;
            };
            let name = function.name.to_string().to_uppercase();
            if name != "ROLLUP" && name != "CUBE" {
                sets.push(self.list(list, scope)?);
                continue;
            }
            let inner = self.lists(&arguments(function)?, scope)?;
            sets.extend(if name == "CUBE" { subsets(&inner)? } else { prefixes(&inner) });
        }
        Ok(sets)
    }

    /// Groups `plan` and rewrites `expressions` over the groups; `having` filters them.
    pub(super) fn grouped(
        &self,
        plan: LogicalPlan,
        groups: Vec<Expr>,
        expressions: Vec<(&mut Expr, Span)>,
        having: Option<(Expr, Span)>,
    ) -> Result<LogicalPlan> {
        let nested = expressions.iter().any(|(expr, _)| holds_nested_aggregate(expr));
        if nested && groups.is_empty() {
            return Err(Error::user(978, "nested group function without GROUP BY"));
        }
        let mut inner = Grouping::new(&groups);
        let mut outer = Grouping::new(&[]);
        for (expr, span) in expressions {
            let rebased = if nested {
                inner.rebase_nested(expr).and_then(|expr| outer.rebase(&expr))
            } else {
                inner.rebase(expr)
            };
            *expr = rebased.map_err(|error| self.at(error, span))?;
        }
        let having = having
            .map(|(condition, span)| inner.rebase(&condition).map_err(|error| self.at(error, span)))
            .transpose()?;
        if groups.is_empty() && inner.aggregates.is_empty() {
            // HAVING alone: one group, with constants as its only outputs.
            inner.aggregates.push(count(Expr::Literal(ScalarValue::Int64(Some(1)), None)));
        }
        let mut builder = LogicalPlanBuilder::new(plan).aggregate(groups, inner.named()).map_err(from_datafusion)?;
        if let Some(condition) = having {
            builder = builder.filter(condition).map_err(from_datafusion)?;
        }
        if nested {
            builder = builder.aggregate(Vec::<Expr>::new(), outer.named()).map_err(from_datafusion)?;
        }
        builder.build().map_err(from_datafusion)
    }
}

impl Binder<'_> {
    /// A value that may contain aggregates over one group of all rows.
    pub(crate) fn value_of_group(&self, e: &ast::Expr, scope: &Scope<'_>) -> Result<Bound> {
        self.aggregates_allowed.set(1);
        let bound = self.value(e, scope);
        self.aggregates_allowed.set(0);
        bound
    }

    /// The one row of `values`, at least one of which is an aggregate, over all rows of a plan.
    pub(crate) fn group_of_all(&self, plan: LogicalPlan, mut values: Vec<Expr>) -> Result<LogicalPlan> {
        let expressions = values.iter_mut().map(|value| (value, Span::empty())).collect();
        let plan = self.grouped(plan, Vec::new(), expressions, None)?;
        let named = values.into_iter().enumerate().map(|(at, value)| value.alias(format!("VALUE{at}")));
        LogicalPlanBuilder::new(plan)
            .project(named.collect::<Vec<_>>())
            .and_then(LogicalPlanBuilder::build)
            .map_err(from_datafusion)
    }
}

/// The arguments of a function as lists of columns: those in parentheses belong together.
fn arguments(function: &ast::Function) -> Result<Vec<Vec<ast::Expr>>> {
    let refused = || Error::unsupported(format!("in GROUPING SETS: {function}"));
    let FunctionArguments::List(list) = &function.args else { return Err(refused()) };
    let argument = |argument: &FunctionArg| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(ast::Expr::Tuple(list))) => Ok(list.clone()),
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => Ok(vec![expression.clone()]),
        _ => Err(refused()),
    };
    list.args.iter().map(argument).collect()
}

/// The sets of ROLLUP: all of the lists, all but the last, …, none.
fn prefixes(lists: &[Vec<Expr>]) -> Vec<Vec<Expr>> {
    (0..=lists.len()).rev().map(|count| lists[..count].concat()).collect()
}

/// The sets of CUBE: each choice among the lists.
fn subsets(lists: &[Vec<Expr>]) -> Result<Vec<Vec<Expr>>> {
    if lists.len() > CUBE_MAX {
        return Err(Error::unsupported(format!("CUBE over more than {CUBE_MAX} expressions")));
    }
    let chosen = |mask: usize| {
        lists.iter().enumerate().filter(move |(at, _)| mask >> at & 1 == 1).flat_map(|(_, list)| list.clone())
    };
    Ok((0..1usize << lists.len()).rev().map(|mask| chosen(mask).collect()).collect())
}

/// True: the expression contains an aggregate.
pub(crate) fn holds_aggregate(expr: &Expr) -> bool {
    expr.exists(|node| Ok(matches!(node, Expr::AggregateFunction(_)))).unwrap_or(false)
}

fn is_nested(node: &Expr) -> bool {
    matches!(node, Expr::AggregateFunction(function) if function.params.args.iter().any(holds_aggregate))
}

fn holds_nested_aggregate(expr: &Expr) -> bool {
    expr.exists(|node| Ok(is_nested(node))).unwrap_or(false)
}

/// Replaces grouping expressions and aggregates by the columns of the aggregate node.
struct Grouping {
    groups: Vec<Expr>,
    aggregates: Vec<Expr>,
}

impl Grouping {
    fn new(groups: &[Expr]) -> Self {
        let mut flat = Vec::new();
        for group in groups {
            match group {
                Expr::GroupingSet(set) => flat.extend(set.distinct_expr().into_iter().cloned()),
                other => flat.push(other.clone()),
            }
        }
        Self { groups: flat, aggregates: Vec::new() }
    }

    fn rebase(&mut self, expr: &Expr) -> Result<Expr> {
        let mut failure = None;
        let rebased = expr
            .clone()
            .transform_down(|node| {
                if self.groups.contains(&node) {
                    return Ok(Transformed::new(as_column(node), true, TreeNodeRecursion::Jump));
                }
                match node {
                    Expr::AggregateFunction(function) => {
                        if let Some(error) = self.misplaced(&function) {
                            failure.get_or_insert(error);
                        }
                        let node = Expr::AggregateFunction(function);
                        let at = self.aggregates.iter().position(|known| *known == node).unwrap_or_else(|| {
                            self.aggregates.push(node.clone());
                            self.aggregates.len() - 1
                        });
                        let column = as_column(named(node, at));
                        Ok(Transformed::new(column, true, TreeNodeRecursion::Jump))
                    }
                    Expr::Column(column) => {
                        failure.get_or_insert_with(|| self.ungrouped(&column));
                        Ok(Transformed::new(Expr::Column(column), false, TreeNodeRecursion::Stop))
                    }
                    node => {
                        // Its rows are the groups.
                        if let Some(column) = subquery::columns_of_block(&node)?
                            .into_iter()
                            .find(|column| !self.groups.contains(&Expr::Column(column.clone())))
                        {
                            failure.get_or_insert_with(|| self.ungrouped(&column));
                        }
                        Ok(Transformed::no(node))
                    }
                }
            })
            .map_err(from_datafusion)?;
        failure.map_or(Ok(rebased.data), Err)
    }

    /// The aggregates under the names of the plan node.
    fn named(self) -> Vec<Expr> {
        self.aggregates.into_iter().enumerate().map(|(at, aggregate)| named(aggregate, at)).collect()
    }

    /// Replaces only the parts inside the outer ones of nested aggregates; beside them no group column is valid.
    fn rebase_nested(&mut self, expr: &Expr) -> Result<Expr> {
        let mut failure = None;
        let rebased = expr
            .clone()
            .transform_down(|node| match node {
                Expr::AggregateFunction(mut function) => {
                    if !function.params.args.iter().any(holds_aggregate) {
                        failure
                            .get_or_insert(Error::user(937, "not a single-group group function: beside a nested one"));
                    }
                    for argument in &mut function.params.args {
                        match self.rebase(argument) {
                            Ok(rebased) => *argument = rebased,
                            Err(error) => {
                                failure.get_or_insert(error);
                            }
                        }
                    }
                    Ok(Transformed::new(Expr::AggregateFunction(function), true, TreeNodeRecursion::Jump))
                }
                node => Ok(Transformed::no(node)),
            })
            .map_err(from_datafusion)?;
        failure.map_or(Ok(rebased.data), Err)
    }

    /// Checks an aggregate against these groups: GROUPING of another expression, a separator of LISTAGG that differs in
    /// a group.
    fn misplaced(&self, function: &datafusion::logical_expr::expr::AggregateFunction) -> Option<Error> {
        let name = function.func.name();
        let arguments = &function.params.args;
        if name == functions::GROUPING {
            if self.groups.is_empty() {
                return Some(Error::user(30481, "GROUPING function only supported with GROUP BY CUBE or ROLLUP"));
            }
            let stray = arguments.iter().any(|argument| !self.groups.contains(argument));
            return stray.then(|| Error::user(979, "not a GROUP BY expression: the argument of GROUPING"));
        }
        if name.starts_with(functions::listagg::NAME) {
            let separator = arguments.get(1)?;
            let varies = separator.exists(|node| Ok(matches!(node, Expr::Column(_)))).unwrap_or(true);
            let mut grouping = Self { groups: self.groups.clone(), aggregates: Vec::new() };
            if varies && grouping.rebase(separator).is_err() {
                return Some(Error::user(
                    30497,
                    "the separator of LISTAGG must be a constant or made of GROUP BY expressions",
                ));
            }
        }
        None
    }

    fn ungrouped(&self, column: &Column) -> Error {
        let name = if column.name == ROWNUM { "ROWNUM" } else { &column.name };
        if self.groups.is_empty() {
            Error::user(937, format!("not a single-group group function: column {name}"))
        } else {
            Error::user(979, format!("not a GROUP BY expression: column {name}"))
        }
    }
}

/// Prefix of the planner's names of aggregates whose own names are not unique; their positions follow.
const AGGREGATE: &str = "\u{1}AGGREGATE";

/// An aggregate under a name of its own when it contains a subquery. A subquery is named by its column, whose name
/// others may have, and gets another name when it becomes a call.
fn named(aggregate: Expr, at: usize) -> Expr {
    if subquery::holds(&aggregate) { aggregate.alias(format!("{AGGREGATE}{at}")) } else { aggregate }
}

/// The column of a plan node for one of its expressions.
pub(super) fn as_column(expr: Expr) -> Expr {
    match expr {
        Expr::Column(column) => Expr::Column(column),
        other => Expr::Column(Column::new_unqualified(other.schema_name().to_string())),
    }
}
