//! A query block: SELECT … FROM … WHERE … GROUP BY … HAVING … ORDER BY.
//!
//! All expressions are bound first, over the columns of FROM; then the plan is built from the bottom:
//!
//! ```text
//! FROM -> WHERE -> ROWNUM -> GROUP BY -> HAVING -> windows -> select list -> DISTINCT -> ORDER BY
//! ```
//!
//! Aggregates and window functions stand inside the bound expressions and are replaced, level by level, by the columns
//! of their plan nodes. ROWNUM numbers the rows that pass WHERE, before grouping and sorting.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use common::{Error, Result};
use datafusion::common::Column;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::functions_window::row_number::row_number_udwf;
use datafusion::logical_expr::expr::{Sort, WindowFunction};
use datafusion::logical_expr::utils::{find_window_exprs, split_conjunction_owned};
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder, WindowFunctionDefinition, and};
use scalar::DatumType;
use sqlparser::ast::{
    self, Distinct, Select, SelectFlavor, SelectItem, SelectItemQualifiedWildcardKind, Spanned,
    WildcardAdditionalOptions,
};
use sqlparser::tokenizer::Span;

use super::binder::{AGGREGATES_NESTED_MAX, Binder, fold, fold_name};
use super::bound::Bound;
use super::condition::{RownumLimit, balanced, conjuncts};
use super::from::{FromContext, FromItem, may_be_missing};
use super::function::direction;
use super::grouping::{as_column, holds_aggregate};
use super::guard::guarded;
use super::hints;
use super::query::{BoundQuery, Output, ambiguous, ordinal, unique_fields};
use super::scope::{Merged, Scope, ScopeColumn};
use super::sequence::{self, SequencePlace, with_sequences};
use crate::error::from_datafusion;
use crate::statement::position;
use crate::{functions, subquery};

/// The planner's name of the ROWNUM column.
pub(super) const ROWNUM: &str = "\u{1}ROWNUM";

/// An item of the select list.
struct Item {
    name: String,
    bound: Bound,
    /// Its position; empty for the columns of `*`.
    span: Span,
    /// Named with AS, so that ORDER BY finds it first.
    alias: bool,
}

impl Item {
    /// An item without text in the statement.
    fn unwritten((name, bound): (String, Bound)) -> Self {
        Self { name, bound, span: Span::empty(), alias: false }
    }
}

/// One key of ORDER BY: an output, or an expression of its own.
enum Key {
    Output(usize),
    Hidden(Bound, Span),
}

impl Binder<'_> {
    /// # Errors
    /// ORA-00976 where there are no rows to number: in VALUES, in a DEFAULT or a CHECK.
    pub(crate) fn rownum(&self) -> Result<Bound> {
        if !self.rownum_allowed.get() {
            return Err(Error::user(976, "specified pseudocolumn or operator not allowed here: ROWNUM"));
        }
        self.rownum_used.set(true);
        Ok(Bound::new(Expr::Column(Column::new_unqualified(ROWNUM)), DatumType::Number))
    }

    pub(crate) fn block(
        &self,
        select: &Select,
        order: &[ast::OrderByExpr],
        outer: Option<&Scope<'_>>,
        names: &[String],
    ) -> Result<BoundQuery> {
        self.block_with(select, order, outer, names, |_, _| Ok(Vec::new()))
    }

    /// A block with further outputs behind its select list, which `more` makes from the columns of FROM; its argument
    /// says whether rows are grouped.
    pub(crate) fn block_with(
        &self,
        select: &Select,
        order: &[ast::OrderByExpr],
        outer: Option<&Scope<'_>>,
        names: &[String],
        more: impl FnOnce(&Scope<'_>, bool) -> Result<Vec<(String, Bound)>>,
    ) -> Result<BoundQuery> {
        let Select {
            select_token: _,
            optimizer_hints,
            distinct,
            select_modifiers,
            top,
            top_before_distinct: _,
            projection,
            exclude,
            into,
            from,
            lateral_views,
            prewhere,
            selection,
            connect_by,
            group_by,
            cluster_by,
            distribute_by,
            sort_by,
            having,
            named_window,
            qualify,
            window_before_qualify: _,
            value_table_mode,
            flavor,
        } = select;
        if into.is_some() {
            return Err(Error::user(905, "SELECT … INTO stands in PL/SQL only"));
        }
        let unknown = [
            (select_modifiers.as_ref().is_some_and(|m| m.is_any_set()), "a modifier after SELECT"),
            (top.is_some(), "TOP"),
            (exclude.is_some(), "EXCLUDE"),
            (!lateral_views.is_empty(), "LATERAL VIEW"),
            (prewhere.is_some(), "PREWHERE"),
            (!cluster_by.is_empty(), "CLUSTER BY"),
            (!distribute_by.is_empty(), "DISTRIBUTE BY"),
            (!sort_by.is_empty(), "SORT BY"),
            (!named_window.is_empty(), "WINDOW"),
            (qualify.is_some(), "QUALIFY"),
            (value_table_mode.is_some(), "AS STRUCT or AS VALUE"),
            (*flavor != SelectFlavor::Standard, "FROM before SELECT"),
        ];
        if let Some((_, what)) = unknown.iter().find(|(present, _)| *present) {
            return Err(Error::unsupported(what));
        }
        let place = self.sequences.replace(SequencePlace::Refused);
        let distinct = match distinct {
            None | Some(Distinct::All) => false,
            Some(Distinct::Distinct) => true,
            Some(Distinct::On(_)) => return Err(Error::unsupported("DISTINCT ON")),
        };

        let mut from_context = FromContext { hints: hints::parse(optimizer_hints), outer, used: HashSet::new() };
        let items: Vec<FromItem> = if connect_by.is_empty() {
            if from.is_empty() {
                return Err(Error::user(923, "FROM keyword not found where expected"));
            }
            from.iter().map(|item| self.bind_from_item(item, &mut from_context)).collect::<Result<_>>()?
        } else {
            vec![self.row_generator(select, outer)?]
        };
        let mut scope = Scope::under(outer);
        scope.columns = items.iter().flat_map(|item| item.columns.iter().cloned()).collect();

        self.rownum_allowed.set(true);
        let Where { filters, outer_conditions, rownum } = self.where_clause(selection.as_ref(), &scope)?;
        for item in items.iter().filter(|item| outer_conditions.iter().any(|(of, _)| item.relations.contains(of))) {
            may_be_missing(&mut scope.columns, &item.relations);
        }
        let plan = self.join_list(items, outer_conditions)?;
        let plan = match balanced(filters, and) {
            None => plan,
            Some(condition) => LogicalPlanBuilder::new(plan)
                .filter(condition)
                .and_then(LogicalPlanBuilder::build)
                .map_err(from_datafusion)?,
        };
        let plan = match rownum {
            RownumLimit::All => plan,
            RownumLimit::Rows(n) => LogicalPlanBuilder::new(plan)
                .limit(0, Some(usize::try_from(n).unwrap_or(usize::MAX)))
                .and_then(LogicalPlanBuilder::build)
                .map_err(from_datafusion)?,
        };

        // Bind everything above WHERE.
        let groups = self.group_by(group_by, &scope)?;
        self.aggregates_allowed.set(AGGREGATES_NESTED_MAX);
        let plain = place == SequencePlace::Statement && !distinct && groups.is_empty() && having.is_none();
        let (mut list, sequences) = if plain && order.is_empty() {
            self.naming_sequences(|| self.select_list(projection, &scope, names))?
        } else {
            (self.select_list(projection, &scope, names)?, Vec::new())
        };
        let mut keys = self.order_keys(order, &list, &scope)?;
        self.aggregates_allowed.set(1);
        let having = having.as_ref().map(|e| Ok((self.condition(e, &scope)?, e.span()))).transpose()?;
        self.aggregates_allowed.set(0);

        let plan = if self.rownum_used.replace(false) { with_rownum(plan)? } else { plan };
        let grouped = !groups.is_empty()
            || having.is_some()
            || list.iter().any(|item| holds_aggregate(&item.bound.expr))
            || keys.iter().any(|(key, ..)| matches!(key, Key::Hidden(bound, _) if holds_aggregate(&bound.expr)));
        list.extend(more(&scope, grouped)?.into_iter().map(Item::unwritten));
        if grouped && !sequences.is_empty() {
            return Err(sequence::not_allowed());
        }
        let plan = with_sequences(plan, sequences)?;
        let mut plan = if grouped {
            if groups.iter().any(|group| matches!(group, Expr::GroupingSet(_))) {
                // NULL in the rows of a grouping set without the column.
                list.iter_mut().for_each(|item| item.bound.nullable = true);
            }
            let mut expressions: Vec<(&mut Expr, Span)> =
                list.iter_mut().map(|item| (&mut item.bound.expr, item.span)).collect();
            expressions.extend(keys.iter_mut().filter_map(|(key, ..)| match key {
                Key::Hidden(bound, span) => Some((&mut bound.expr, *span)),
                Key::Output(_) => None,
            }));
            self.grouped(plan, groups, expressions, having)?
        } else {
            plan
        };
        plan = windows(plan, &mut list, &mut keys)?;
        finish(plan, list, keys, distinct)
    }

    /// The query of UPDATE and DELETE: ROWID of the rows that the block's WHERE finds, and the values that `list` makes
    /// of their columns. `then`: a condition that is evaluated for those rows alone.
    pub(crate) fn rows_to_change(
        &self,
        select: &Select,
        then: Option<&ast::Expr>,
        list: impl FnOnce(&Scope<'_>) -> Result<Vec<(String, Bound)>>,
    ) -> Result<BoundQuery> {
        let mut from_context =
            FromContext { hints: hints::parse(&select.optimizer_hints), outer: None, used: HashSet::new() };
        let items: Vec<FromItem> =
            select.from.iter().map(|item| self.bind_from_item(item, &mut from_context)).collect::<Result<_>>()?;
        let columns = items.iter().flat_map(|item| item.columns.iter().cloned()).collect();
        let scope = Scope::of(columns);
        let rowid = scope
            .columns
            .iter()
            .find(|column| column.pseudo && column.kind == DatumType::Rowid)
            .ok_or_else(|| Error::user(1732, "data manipulation operation not legal here"))?
            .bound();
        self.rownum_allowed.set(true);
        let Where { filters, outer_conditions, rownum } = self.where_clause(select.selection.as_ref(), &scope)?;
        let last = self.where_clause(then, &scope)?;
        if !outer_conditions.is_empty() || !last.outer_conditions.is_empty() {
            return Err(Error::user(1752, "(+) has no meaning in a statement about one table"));
        }
        let mut items_list = vec![Item::unwritten(("ROWID".to_owned(), rowid))];
        let (values, sequences) = self.naming_sequences(|| list(&scope))?;
        self.rownum_allowed.set(false);
        items_list.extend(values.into_iter().map(Item::unwritten));
        let mut builder = LogicalPlanBuilder::new(self.join_list(items, Vec::new())?);
        if let Some(condition) = balanced(filters, and) {
            builder = builder.filter(condition).map_err(from_datafusion)?;
        }
        builder = filtered_last(builder, last.filters).map_err(from_datafusion)?;
        if let RownumLimit::Rows(n) = rownum.and(last.rownum) {
            builder = builder.limit(0, Some(usize::try_from(n).unwrap_or(usize::MAX))).map_err(from_datafusion)?;
        }
        let plan = builder.build().map_err(from_datafusion)?;
        let plan = if self.rownum_used.replace(false) { with_rownum(plan)? } else { plan };
        finish(with_sequences(plan, sequences)?, items_list, Vec::new(), false)
    }

    /// The rows of `source` for which no row of `target` satisfies `on` and `selection` is true, as `list` makes them.
    pub(crate) fn rows_to_add(
        &self,
        source: &ast::TableWithJoins,
        target: &ast::TableWithJoins,
        on: &ast::Expr,
        selection: Option<&ast::Expr>,
        list: impl FnOnce(&Scope<'_>) -> Result<Vec<(String, Bound)>>,
    ) -> Result<BoundQuery> {
        let mut from_context = FromContext { hints: Vec::new(), outer: None, used: HashSet::new() };
        let target = self.bind_from_item(target, &mut from_context)?;
        let source = self.bind_from_item(source, &mut from_context)?;
        let both = target.columns.iter().chain(&source.columns).cloned().collect();
        let on = self.condition(on, &Scope::of(both))?;
        let scope = Scope::of(source.columns);
        let mut builder = LogicalPlanBuilder::new(source.plan)
            .join_on(target.plan, JoinType::LeftAnti, [on])
            .map_err(from_datafusion)?;
        if let Some(condition) = selection {
            builder = filtered_last(builder, vec![self.condition(condition, &scope)?]).map_err(from_datafusion)?;
        }
        let (values, sequences) = self.naming_sequences(|| list(&scope))?;
        let items =
            values.into_iter().map(|(name, bound)| Item { name, bound, span: Span::empty(), alias: false }).collect();
        finish(with_sequences(builder.build().map_err(from_datafusion)?, sequences)?, items, Vec::new(), false)
    }

    fn where_clause(&self, selection: Option<&ast::Expr>, scope: &Scope<'_>) -> Result<Where> {
        let mut parts = Vec::new();
        if let Some(condition) = selection {
            conjuncts(condition, &mut parts);
        }
        let mut result = Where { filters: Vec::new(), outer_conditions: Vec::new(), rownum: RownumLimit::All };
        for part in parts {
            if let Some(limit) = self.rownum_limit(part, scope)? {
                result.rownum = result.rownum.and(limit);
                continue;
            }
            self.outer_marks.borrow_mut().clear();
            let condition = self.condition(part, scope)?;
            if self.rownum_used.replace(false) {
                return Err(Error::unsupported(format!("ROWNUM in this condition: {part}")));
            }
            let mut marks = self.outer_marks.take();
            marks.sort();
            marks.dedup();
            match marks.as_slice() {
                [] => result.filters.push(condition),
                [table] => {
                    if matches!(
                        part,
                        ast::Expr::BinaryOp { op: ast::BinaryOperator::Or, .. } | ast::Expr::InList { .. }
                    ) {
                        return Err(Error::user(1719, "outer join operator (+) not allowed in operand of OR or IN"));
                    }
                    result.outer_conditions.push((table.clone(), condition));
                }
                _ => return Err(Error::user(1468, "a condition may outer-join only one table")),
            }
        }
        // A table without a condition that refers to another table is joined to nothing.
        let leads_away = |table: &str| {
            result.outer_conditions.iter().filter(|(of, _)| of == table).any(|(_, condition)| {
                condition
                    .column_refs()
                    .iter()
                    .any(|column| column.relation.as_ref().is_some_and(|relation| relation.table() != table))
            })
        };
        let (joining, plain): (Vec<_>, Vec<_>) =
            result.outer_conditions.iter().cloned().partition(|(table, _)| leads_away(table));
        result.outer_conditions = joining;
        result.filters.extend(plain.into_iter().map(|(_, condition)| condition));
        result.filters = guarded(result.filters);
        Ok(result)
    }

    fn select_list(&self, projection: &[SelectItem], scope: &Scope<'_>, names: &[String]) -> Result<Vec<Item>> {
        let mut list = Vec::new();
        for (at, item) in projection.iter().enumerate() {
            match item {
                SelectItem::UnnamedExpr(e) => {
                    let name = match e {
                        ast::Expr::Identifier(ident) => fold(ident),
                        ast::Expr::CompoundIdentifier(idents) => idents.last().map(fold).unwrap_or_default(),
                        e => names.get(at).cloned().unwrap_or_else(|| heading(&e.to_string())),
                    };
                    list.push(Item { name, bound: self.value(e, scope)?, span: e.span(), alias: false });
                }
                SelectItem::ExprWithAlias { expr, alias } => {
                    let (name, bound) = (fold(alias), self.value(expr, scope)?);
                    list.push(Item { name, bound, span: expr.span(), alias: true });
                }
                SelectItem::Wildcard(options) => {
                    plain(options)?;
                    let columns =
                        || scope.columns.iter().filter(|column| !column.pseudo && column.merged == Merged::No);
                    self.note_wildcard(None, options, columns());
                    expand(&mut list, columns());
                }
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options) => {
                    plain(options)?;
                    let parts = fold_name(name)?;
                    let matching = |column: &&ScopeColumn| {
                        !column.pseudo
                            && match parts.as_slice() {
                                [table] => column.table.as_ref() == Some(table),
                                [owner, table] => {
                                    column.owner.as_ref() == Some(owner) && column.table.as_ref() == Some(table)
                                }
                                _ => false,
                            }
                    };
                    if !scope.columns.iter().any(|column| matching(&column)) {
                        return Err(self.at(Error::user(904, format!("{name}: invalid identifier")), name.span()));
                    }
                    self.note_wildcard(Some(name.span()), options, scope.columns.iter().filter(matching));
                    expand(&mut list, scope.columns.iter().filter(matching));
                }
                other => return Err(Error::unsupported(format!("select-list item {other}"))),
            }
        }
        Ok(list)
    }

    /// Notes the columns of a `*`, or of a `table.*` that begins at `qualifier`: CREATE VIEW stores them in its place.
    fn note_wildcard<'c>(
        &self,
        qualifier: Option<Span>,
        options: &WildcardAdditionalOptions,
        columns: impl Iterator<Item = &'c ScopeColumn>,
    ) {
        let text = self.cx.text;
        let star = options.wildcard_token.0.span;
        let place = |location| position::offset(text, location);
        let start = place(qualifier.unwrap_or(star).start);
        let (Some(start), Some(from), Some(end)) = (start, place(star.start), place(star.end)) else { return };
        let columns: Vec<&ScopeColumn> = columns.collect();
        let one_table = columns.iter().all(|column| column.table == columns[0].table);
        let quoted = |column: &&ScopeColumn| match &column.table {
            _ if qualifier.is_some() => format!("{}\"{}\"", text[start..from].trim_end(), column.name),
            Some(table) if !one_table => format!("\"{table}\".\"{}\"", column.name),
            _ => format!("\"{}\"", column.name),
        };
        let list = columns.iter().map(quoted).collect::<Vec<_>>().join(",");
        self.wildcards.borrow_mut().push((start..end, list));
    }

    fn order_keys(
        &self,
        order: &[ast::OrderByExpr],
        list: &[Item],
        scope: &Scope<'_>,
    ) -> Result<Vec<(Key, bool, bool)>> {
        let mut keys = Vec::new();
        if order.is_empty() {
            return Ok(keys);
        }
        let named = list.iter().enumerate().filter(|(_, item)| item.alias);
        let aliases = named.map(|(at, item)| (item.name.clone(), marked(at, &item.bound))).collect();
        let (columns, scope) = (scope, &scope.with_aliases(aliases));
        for key in order {
            if key.with_fill.is_some() {
                return Err(Error::unsupported("WITH FILL"));
            }
            let (ascending, nulls_first) = direction(&key.options);
            let mut found = ordinal(&key.expr, list.len())?;
            if let (None, ast::Expr::Identifier(ident)) = (found, &key.expr) {
                let name = fold(ident);
                let mut named = list.iter().enumerate().filter(|(_, item)| item.alias && item.name == name);
                if let Some((at, first)) = named.next() {
                    if named.any(|(_, item)| item.bound.expr != first.bound.expr) {
                        return Err(self.at(ambiguous(&name), ident.span));
                    }
                    found = Some(at);
                }
            }
            let key = match found {
                Some(at) => Key::Output(at),
                None => {
                    let output = |bound: &Bound| list.iter().position(|item| item.bound.expr == bound.expr);
                    // A key that repeats an item's text is that item, even if the item's own name hides a column in it:
                    // `upper(name) name … order by upper(name)`.
                    let again = if names_any(&key.expr, list) {
                        match self.value(&key.expr, columns) {
                            Ok(value) => Some(value),
                            // A cancel is reported once.
                            Err(error) if error.is_ora(1013) => return Err(error),
                            Err(_) => None,
                        }
                    } else {
                        None
                    };
                    match again.as_ref().and_then(output) {
                        Some(at) => Key::Output(at),
                        None => {
                            let bound = self.value(&key.expr, scope)?;
                            output(&bound).map_or_else(|| Key::Hidden(bound, key.expr.span()), Key::Output)
                        }
                    }
                }
            };
            keys.push((key, ascending, nulls_first));
        }
        Ok(keys)
    }
}

/// Name of the column that says whether a row meets the conditions evaluated last.
const MEETS: &str = "\u{1}MEETS";

/// The rows of a join that meet further conditions, which are evaluated for no others: the planner would push those
/// about one side below the join. Subqueries do no harm there, and become joins.
fn filtered_last(builder: LogicalPlanBuilder, conditions: Vec<Expr>) -> datafusion::common::Result<LogicalPlanBuilder> {
    let conditions = conditions.into_iter().flat_map(split_conjunction_owned);
    let (memberships, last): (Vec<Expr>, Vec<Expr>) = conditions.partition(is_membership);
    let builder = match balanced(memberships, and) {
        Some(condition) => builder.filter(condition)?,
        None => builder,
    };
    let Some(condition) = balanced(last, and) else { return Ok(builder) };
    let columns: Vec<Expr> = builder.schema().columns().into_iter().map(Expr::Column).collect();
    // The planner does not move volatile expressions.
    let meets = functions::or_null::call(condition).alias(MEETS);
    builder
        .project(columns.iter().cloned().chain([meets]))?
        .filter(Expr::Column(Column::new_unqualified(MEETS)))?
        .project(columns)
}

/// True: the condition is a subquery without any other part that could fail.
fn is_membership(condition: &Expr) -> bool {
    match condition {
        Expr::Exists(_) => true,
        Expr::InSubquery(inside) => matches!(*inside.expr, Expr::Column(_)),
        _ => false,
    }
}

/// True: the expression contains a name of the select list.
fn names_any(expression: &ast::Expr, list: &[Item]) -> bool {
    let named = ast::visit_expressions(expression, |part| match part {
        ast::Expr::Identifier(ident) if list.iter().any(|item| item.alias && item.name == fold(ident)) => {
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    });
    named.is_break()
}

/// The parts of a WHERE clause.
struct Where {
    filters: Vec<Expr>,
    /// Conditions with `(+)`, by the planner's name of the marked table.
    outer_conditions: Vec<(String, Expr)>,
    rownum: RownumLimit,
}

/// An expression's heading: its text without blanks, in upper case.
pub(crate) fn heading(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_uppercase).collect()
}

fn plain(options: &WildcardAdditionalOptions) -> Result<()> {
    let WildcardAdditionalOptions {
        wildcard_token: _,
        opt_ilike,
        opt_exclude,
        opt_except,
        opt_replace,
        opt_rename,
        opt_alias,
    } = options;
    if opt_ilike.is_some()
        || opt_exclude.is_some()
        || opt_except.is_some()
        || opt_replace.is_some()
        || opt_rename.is_some()
        || opt_alias.is_some()
    {
        return Err(Error::unsupported(format!("*{options}")));
    }
    Ok(())
}

fn expand<'c>(list: &mut Vec<Item>, columns: impl Iterator<Item = &'c ScopeColumn>) {
    list.extend(columns.map(|column| Item {
        name: column.name.clone(),
        bound: column.bound(),
        span: Span::empty(),
        alias: false,
    }));
}

fn with_rownum(plan: LogicalPlan) -> Result<LogicalPlan> {
    let window = Expr::WindowFunction(Box::new(WindowFunction::new(
        WindowFunctionDefinition::WindowUDF(row_number_udwf()),
        vec![],
    )));
    let name = window.schema_name().to_string();
    let mut columns: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
    columns.push(functions::integer::to_number(Expr::Column(Column::new_unqualified(name))).alias(ROWNUM));
    LogicalPlanBuilder::window_plan(plan, vec![window])
        .and_then(|plan| LogicalPlanBuilder::new(plan).project(columns)?.build())
        .map_err(from_datafusion)
}

/// Prefix of the planner's names of columns that windows take from subqueries.
const VALUE: &str = "\u{1}VALUE";

/// Plans the window functions in the select list and in ORDER BY, and replaces them by their columns.
fn windows(plan: LogicalPlan, list: &mut [Item], keys: &mut [(Key, bool, bool)]) -> Result<LogicalPlan> {
    let mut expressions: Vec<&mut Expr> = list.iter_mut().map(|item| &mut item.bound.expr).collect();
    expressions.extend(keys.iter_mut().filter_map(|(key, ..)| match key {
        Key::Hidden(bound, _) => Some(&mut bound.expr),
        Key::Output(_) => None,
    }));
    if find_window_exprs(expressions.iter().map(|e| &**e)).is_empty() {
        return Ok(plan);
    }
    let plan = values_below(plan, &mut expressions).map_err(from_datafusion)?;
    let found = find_window_exprs(expressions.iter().map(|e| &**e));
    for expression in expressions {
        let replaced = expression
            .clone()
            .transform_down(|node| {
                Ok(if matches!(node, Expr::WindowFunction(_)) {
                    Transformed::new(as_column(node), true, TreeNodeRecursion::Jump)
                } else {
                    Transformed::no(node)
                })
            })
            .map_err(from_datafusion)?;
        *expression = replaced.data;
    }
    LogicalPlanBuilder::window_plan(plan, found).map_err(from_datafusion)
}

/// The plan with a column for each argument, partition or order of a window that contains a subquery. A window is named
/// by its parts, and a subquery by its column, whose name others may have.
fn values_below(plan: LogicalPlan, expressions: &mut [&mut Expr]) -> datafusion::common::Result<LogicalPlan> {
    let mut values: Vec<Expr> = Vec::new();
    for expression in expressions {
        let replaced = std::mem::take(&mut **expression).transform_down(|node| {
            if !matches!(node, Expr::WindowFunction(_)) {
                return Ok(Transformed::no(node));
            }
            let node = node.map_children(|part| {
                if !subquery::holds(&part) {
                    return Ok(Transformed::no(part));
                }
                let at = values.iter().position(|value| *value == part).unwrap_or_else(|| {
                    values.push(part);
                    values.len() - 1
                });
                Ok(Transformed::yes(Expr::Column(Column::new_unqualified(format!("{VALUE}{at}")))))
            })?;
            Ok(Transformed::new(node.data, true, TreeNodeRecursion::Jump))
        })?;
        **expression = replaced.data;
    }
    if values.is_empty() {
        return Ok(plan);
    }
    let columns = plan.schema().columns().into_iter().map(Expr::Column);
    let values = values.into_iter().enumerate().map(|(at, value)| value.alias(format!("{VALUE}{at}")));
    let columns: Vec<Expr> = columns.chain(values).collect();
    LogicalPlanBuilder::new(plan).project(columns)?.build()
}

/// Prefix of the planner's names of items that are evaluated below the select list; their position in it follows.
const ITEM: &str = "\u{1}ITEM";

/// The value of an item for ORDER BY by name. A volatile one is marked with its position: it may look like another.
fn marked(at: usize, bound: &Bound) -> Bound {
    if !bound.expr.is_volatile() {
        return bound.clone();
    }
    Bound { expr: bound.expr.clone().alias(format!("{ITEM}{at}")), ..bound.clone() }
}

/// Volatile items of the select list that keys of ORDER BY name in expressions: evaluated once, below both.
fn evaluated_once(plan: LogicalPlan, list: &mut [Item], keys: &mut [(Key, bool, bool)]) -> Result<LogicalPlan> {
    let column = |at: usize| Expr::Column(Column::new_unqualified(format!("{ITEM}{at}")));
    let mut used = BTreeSet::new();
    for (key, ..) in keys {
        let Key::Hidden(bound, _) = key else { continue };
        let key = std::mem::take(&mut bound.expr).transform_down(|node| {
            let at = match &node {
                Expr::Alias(alias) => alias.name.strip_prefix(ITEM).and_then(|at| at.parse().ok()),
                _ => None,
            };
            let Some(at) = at else { return Ok(Transformed::no(node)) };
            used.insert(at);
            Ok(Transformed::new(column(at), true, TreeNodeRecursion::Jump))
        });
        bound.expr = key.map_err(from_datafusion)?.data;
    }
    if used.is_empty() {
        return Ok(plan);
    }
    let mut columns: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
    for at in used {
        let value = std::mem::replace(&mut list[at].bound.expr, column(at));
        columns.push(value.alias(format!("{ITEM}{at}")));
    }
    LogicalPlanBuilder::new(plan).project(columns).and_then(LogicalPlanBuilder::build).map_err(from_datafusion)
}

/// A key of ORDER BY beside DISTINCT, over the distinct rows: made of the select list's outputs, under the names
/// `fields`.
///
/// # Errors
/// ORA-01791 when it needs another value: a column, a subquery, a volatile expression.
fn over_outputs(key: Expr, list: &[Item], fields: &[String]) -> Result<Expr> {
    let mut other = false;
    let key = key.transform_down(|node| {
        let literal = matches!(node, Expr::Literal(..));
        if let Some(at) = list.iter().position(|item| !literal && item.bound.expr == node) {
            let output = Expr::Column(Column::new_unqualified(&fields[at]));
            return Ok(Transformed::new(output, true, TreeNodeRecursion::Jump));
        }
        other |= node.is_volatile_node()
            || matches!(
                node,
                Expr::Column(_)
                    | Expr::OuterReferenceColumn(..)
                    | Expr::ScalarSubquery(_)
                    | Expr::Exists(_)
                    | Expr::InSubquery(_)
                    | Expr::SetComparison(_)
            );
        Ok(Transformed::no(node))
    });
    let key = key.map_err(from_datafusion)?.data;
    if other {
        return Err(Error::user(1791, "not a SELECTed expression: ORDER BY beside DISTINCT"));
    }
    Ok(key)
}

/// Select list, DISTINCT and ORDER BY.
fn finish(
    plan: LogicalPlan,
    mut list: Vec<Item>,
    mut keys: Vec<(Key, bool, bool)>,
    distinct: bool,
) -> Result<BoundQuery> {
    let plan = evaluated_once(plan, &mut list, &mut keys)?;
    let names: Vec<String> = list.iter().map(|item| item.name.clone()).collect();
    let fields = unique_fields(&names);
    if distinct {
        for (key, ..) in &mut keys {
            let Key::Hidden(bound, _) = key else { continue };
            bound.expr = over_outputs(std::mem::take(&mut bound.expr), &list, &fields)?;
        }
    }
    let mut outputs = Vec::new();
    let mut expressions = Vec::new();
    for (item, field) in list.into_iter().zip(fields) {
        let null = item.bound.kind == DatumType::Null;
        let kind = if null { DatumType::Varchar2 } else { item.bound.kind };
        outputs.push(Output {
            name: item.name,
            field: field.clone(),
            kind,
            declared: item.bound.data_type(),
            exact: item.bound.declared.is_some(),
            nullable: item.bound.nullable,
            null,
        });
        expressions.push(item.bound.expr.alias(field));
    }
    let mut sorts = Vec::new();
    let mut hidden = 0;
    for (key, ascending, nulls_first) in keys {
        let column = match key {
            Key::Output(at) => outputs[at].bound().expr,
            Key::Hidden(bound, _) if distinct => bound.expr,
            Key::Hidden(bound, _) => {
                hidden += 1;
                let name = format!("\u{1}KEY{hidden}");
                expressions.push(bound.expr.alias(&name));
                Expr::Column(Column::new_unqualified(name))
            }
        };
        sorts.push(Sort::new(column, ascending, nulls_first));
    }
    let plan = (|| {
        let mut builder = LogicalPlanBuilder::new(plan).project(expressions)?;
        if distinct {
            builder = builder.distinct()?;
        }
        if !sorts.is_empty() {
            builder = builder.sort(sorts)?;
        }
        if hidden > 0 {
            builder = builder.project(outputs.iter().map(|output| output.bound().expr))?;
        }
        builder.build()
    })()
    .map_err(from_datafusion)?;
    Ok(BoundQuery { plan, outputs })
}
