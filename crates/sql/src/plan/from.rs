//! The FROM clause: tables, views, subqueries, joins of both notations, and CONNECT BY LEVEL on DUAL as a row
//! generator.

use std::collections::HashSet;
use std::sync::Arc;

use common::{DataType, Error, Result};
use datafusion::catalog::TableProvider;
use datafusion::catalog::default_table_source::provider_as_source;
use datafusion::common::Column;
use datafusion::logical_expr::{Expr, JoinType, LogicalPlan, LogicalPlanBuilder};
use scalar::DatumType;
use sqlparser::ast::{
    self, BinaryOperator, ConnectByKind, Join, JoinConstraint, JoinOperator, Spanned, TableAlias, TableFactor,
    TableWithJoins,
};

use super::binder::{Binder, Source, TableColumn, fold, owner_and_name};
use super::condition::constant;
use super::hints::{Hint, Hints, is_for, is_for_goal};
use super::query::BoundQuery;
use super::scope::{Merged, Scope, ScopeColumn, qualified};
use super::table_function;
use crate::error::from_datafusion;
use crate::functions;
use crate::scan::generator;

/// One item of a FROM clause: its plan, the planner's names of its tables, and its columns.
#[derive(Debug)]
pub(crate) struct FromItem {
    pub(crate) plan: LogicalPlan,
    pub(crate) relations: Vec<String>,
    pub(crate) columns: Vec<ScopeColumn>,
}

/// State of binding a FROM clause.
pub(crate) struct FromContext<'s> {
    pub(crate) hints: Vec<Hint>,
    pub(crate) outer: Option<&'s Scope<'s>>,
    pub(crate) used: HashSet<String>,
}

impl FromContext<'_> {
    /// The hints for a table of this name: those that name it, and those about the block's joins. The block's first
    /// table alone has its goal.
    fn hints_for(&self, table: &str) -> Vec<Hint> {
        let is_goal = |hint: &&Hint| is_for_goal(&hint.name) && self.used.is_empty();
        self.hints.iter().filter(|hint| is_for(hint, table) || is_goal(hint)).cloned().collect()
    }

    /// A planner's name for a table, unique in this FROM clause.
    fn relation(&mut self, name: &str) -> String {
        let mut relation = name.to_owned();
        let mut n = 1;
        while !self.used.insert(relation.clone()) {
            n += 1;
            relation = format!("{name}\u{1}{n}");
        }
        relation
    }
}

impl Binder<'_> {
    pub(crate) fn bind_from_item(&self, item: &TableWithJoins, cx: &mut FromContext<'_>) -> Result<FromItem> {
        let place = |error: Error, factor: &TableFactor| self.at(error, factor.span());
        let mut left = self.table_factor(&item.relation, cx).map_err(|error| place(error, &item.relation))?;
        for join in &item.joins {
            left = self.join(left, join, cx).map_err(|error| place(error, &join.relation))?;
        }
        Ok(left)
    }

    fn table_factor(&self, factor: &TableFactor, cx: &mut FromContext<'_>) -> Result<FromItem> {
        match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                with_hints,
                version: None,
                with_ordinality: false,
                partitions,
                json_path: None,
                sample: None,
                index_hints,
            } if with_hints.is_empty() && partitions.is_empty() && index_hints.is_empty() => {
                self.table(name, alias.as_ref(), cx)
            }
            TableFactor::TableFunction { expr, alias } => self.table_function(expr, alias.as_ref(), cx),
            TableFactor::Table {
                name,
                alias,
                args: Some(ast::TableFunctionArgs { args, settings: None }),
                with_hints,
                version: None,
                with_ordinality: false,
                partitions,
                json_path: None,
                sample: None,
                index_hints,
            } if with_hints.is_empty() && partitions.is_empty() && index_hints.is_empty() => {
                self.table_function(&ast::Expr::Function(table_function::called(name, args)), alias.as_ref(), cx)
            }
            TableFactor::Derived { lateral: false, subquery, alias, sample: None } => {
                let query = self.query(subquery, None, &[])?;
                self.derived(query, alias.as_ref(), cx)
            }
            TableFactor::NestedJoin { table_with_joins, alias: None } => self.bind_from_item(table_with_joins, cx),
            other => Err(Error::unsupported(format!("in FROM: {other}"))),
        }
    }

    fn table(&self, name: &ast::ObjectName, alias: Option<&TableAlias>, cx: &mut FromContext<'_>) -> Result<FromItem> {
        let (owner, table) = owner_and_name(name)?;
        if owner.is_none() {
            let named = self.named.borrow().iter().rev().find(|named| named.name == table).map(|n| n.query.clone());
            if let Some(query) = named {
                let shown = alias_name(alias)?.unwrap_or(table);
                return self.derived_as(query, Some(shown), cx);
            }
            let (recursive, columns) =
                self.defining.borrow().last().map_or((false, false), |(name, columns)| (*name == table, *columns));
            if recursive && columns {
                return Err(Error::unsupported("recursive WITH"));
            }
            if recursive {
                return Err(Error::user(32039, "recursive WITH clause must have a list of column names"));
            }
        }
        let shown = alias_name(alias)?;
        let known = shown.clone().unwrap_or_else(|| table.clone());
        let span = name.0.last().and_then(|part| part.as_ident()).map(|ident| ident.span);
        let hints =
            Hints { table: Some(known.clone()), place: cx.used.len(), list: cx.hints_for(&known), ..Hints::default() };
        let relation = self.cx.tables.relation(owner.as_deref(), &table, &hints)?.ok_or_else(|| {
            let error = Error::user(942, format!("table or view does not exist: {name}"));
            match span {
                Some(span) => self.at(error, span),
                None => error,
            }
        })?;
        let provider = match relation.source {
            Source::Provider(provider) => provider,
            Source::Query(query) => {
                let mut item = self.derived_as(*query, Some(known), cx)?;
                if shown.is_none() {
                    item.columns.iter_mut().for_each(|column| column.owner = Some(relation.owner.clone()));
                }
                return Ok(item);
            }
        };
        let owner = shown.is_none().then_some(relation.owner);
        provided(provider, (known, owner), &relation.columns, cx)
    }

    fn derived(&self, query: BoundQuery, alias: Option<&TableAlias>, cx: &mut FromContext<'_>) -> Result<FromItem> {
        self.derived_as(query, alias_name(alias)?, cx)
    }

    fn derived_as(&self, query: BoundQuery, alias: Option<String>, cx: &mut FromContext<'_>) -> Result<FromItem> {
        let planner_name = match &alias {
            Some(alias) => cx.relation(alias),
            None => self.unique_name("VIEW"),
        };
        let columns = query
            .outputs
            .iter()
            .map(|output| ScopeColumn {
                table: alias.clone(),
                owner: None,
                name: output.name.clone(),
                column: qualified(&planner_name, &output.field),
                kind: output.kind,
                declared: output.declared,
                exact: output.exact,
                nullable: output.nullable,
                pseudo: false,
                merged: Merged::No,
            })
            .collect();
        let plan = LogicalPlanBuilder::new(query.plan)
            .alias(datafusion::common::TableReference::bare(planner_name.as_str()))
            .and_then(LogicalPlanBuilder::build)
            .map_err(from_datafusion)?;
        Ok(FromItem { plan, relations: vec![planner_name], columns })
    }

    fn join(&self, left: FromItem, join: &Join, cx: &mut FromContext<'_>) -> Result<FromItem> {
        let Join { relation, global, join_operator } = join;
        if *global {
            return Err(Error::unsupported("GLOBAL JOIN"));
        }
        let right = self.table_factor(relation, cx)?;
        let (join_type, constraint) = match join_operator {
            JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => (JoinType::Inner, constraint),
            JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => (JoinType::Left, constraint),
            JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => (JoinType::Right, constraint),
            JoinOperator::FullOuter(constraint) => (JoinType::Full, constraint),
            JoinOperator::CrossJoin(JoinConstraint::None) => return cross(left, right),
            _ => return Err(Error::unsupported(format!("join {join}"))),
        };
        let mut scope = Scope::under(cx.outer);
        scope.columns.extend(left.columns.iter().cloned());
        scope.columns.extend(right.columns.iter().cloned());
        let shared: Vec<String> = match constraint {
            JoinConstraint::On(written) => {
                self.rownum_allowed.set(true);
                let condition = self.condition(written, &scope)?;
                self.rownum_allowed.set(false);
                if self.rownum_used.replace(false) {
                    return Err(Error::unsupported(format!("ROWNUM in the condition of a join: {written}")));
                }
                return joined(left, right, join_type, vec![condition], scope.columns);
            }
            JoinConstraint::Using(names) => {
                names.iter().map(|name| Ok(owner_and_name(name)?.1)).collect::<Result<_>>()?
            }
            JoinConstraint::Natural => left
                .columns
                .iter()
                .filter(|l| {
                    let alike = |r: &ScopeColumn| !r.pseudo && r.merged == Merged::No && r.name == l.name;
                    !l.pseudo && l.merged == Merged::No && right.columns.iter().any(alike)
                })
                .map(|column| column.name.clone())
                .collect(),
            JoinConstraint::None => {
                return Err(Error::user(905, "missing keyword: a join needs ON or USING"));
            }
        };
        let merging = if matches!(constraint, JoinConstraint::Natural) { Merged::Natural } else { Merged::Using };
        let mut conditions = Vec::new();
        let mut merged = Vec::new();
        let mut either = Vec::new();
        let mut columns = scope.columns;
        for name in &shared {
            let find = |side: &[ScopeColumn]| {
                side.iter()
                    .find(|column| column.name == *name && !column.pseudo && column.merged == Merged::No)
                    .cloned()
                    .ok_or_else(|| Error::user(904, format!("\"{name}\": invalid identifier")))
            };
            let (l, r) = (find(&left.columns)?, find(&right.columns)?);
            conditions.push(self.compare(l.bound(), datafusion::logical_expr::Operator::Eq, r.bound())?);
            // A merged column of an earlier join of the chain is one of these two.
            columns.retain(|column| {
                let merged_before = column.table.is_none() && column.merged == Merged::No;
                !(merged_before && (column.column == l.column || column.column == r.column))
            });
            for column in columns.iter_mut().filter(|column| column.column == l.column || column.column == r.column) {
                column.merged = merging;
            }
            // The column of the preserved side stands for both; in a full join, the one that is not NULL.
            let one = match join_type {
                JoinType::Full => {
                    let name = self.unique_name("USING");
                    let value = self.first_not_null("COALESCE", vec![l.bound(), r.bound()])?;
                    let exact = l.exact && r.exact && l.declared == r.declared;
                    let declared = if exact { l.declared } else { value.data_type() };
                    either.push(value.expr.alias(&name));
                    let column = Column::new_unqualified(name);
                    ScopeColumn { column, kind: value.kind, declared, exact, nullable: true, ..l }
                }
                JoinType::Right => r,
                _ => l,
            };
            merged.push(ScopeColumn { table: None, owner: None, ..one });
        }
        merged.extend(columns);
        let item = joined(left, right, join_type, conditions, merged)?;
        if either.is_empty() {
            return Ok(item);
        }
        let all = item.plan.schema().columns().into_iter().map(Expr::Column).chain(either).collect::<Vec<_>>();
        let plan = LogicalPlanBuilder::new(item.plan)
            .project(all)
            .and_then(LogicalPlanBuilder::build)
            .map_err(from_datafusion)?;
        Ok(FromItem { plan, ..item })
    }

    /// Joins the items of a FROM list. `outer` holds the conditions with `(+)`, by the marked table.
    pub(crate) fn join_list(&self, items: Vec<FromItem>, outer: Vec<(String, Expr)>) -> Result<LogicalPlan> {
        let mut waiting = items;
        let mut joined_relations: HashSet<String> = HashSet::new();
        let mut plan: Option<LogicalPlan> = None;
        while !waiting.is_empty() {
            let ready = |item: &FromItem| {
                outer.iter().filter(|(table, _)| item.relations.contains(table)).all(|(table, condition)| {
                    condition.column_refs().iter().all(|column| {
                        column.relation.as_ref().is_none_or(|relation| {
                            relation.table() == table || joined_relations.contains(relation.table())
                        })
                    })
                })
            };
            let Some(at) = waiting.iter().position(ready) else {
                return Err(Error::user(1416, "two tables cannot be outer-joined to each other"));
            };
            let item = waiting.remove(at);
            joined_relations.extend(item.relations.iter().cloned());
            let conditions: Vec<Expr> = outer
                .iter()
                .filter(|(table, _)| item.relations.contains(table))
                .map(|(_, condition)| condition.clone())
                .collect();
            plan = Some(match plan {
                None if conditions.is_empty() => item.plan,
                // Outer-joined to literals alone: beside one row.
                None => LogicalPlanBuilder::empty(true)
                    .join_on(item.plan, JoinType::Left, conditions)
                    .and_then(LogicalPlanBuilder::build)
                    .map_err(from_datafusion)?,
                Some(plan) if conditions.is_empty() => LogicalPlanBuilder::new(plan)
                    .cross_join(item.plan)
                    .and_then(LogicalPlanBuilder::build)
                    .map_err(from_datafusion)?,
                Some(plan) => LogicalPlanBuilder::new(plan)
                    .join_on(item.plan, JoinType::Left, conditions)
                    .and_then(LogicalPlanBuilder::build)
                    .map_err(from_datafusion)?,
            });
        }
        plan.ok_or_else(|| Error::user(923, "FROM keyword not found where expected"))
    }

    /// `FROM DUAL CONNECT BY LEVEL <= n`: a table of n rows with a column LEVEL. All other forms of CONNECT BY are
    /// refused.
    pub(crate) fn row_generator(&self, select: &ast::Select, outer: Option<&Scope<'_>>) -> Result<FromItem> {
        let refused = || Error::unsupported("CONNECT BY other than CONNECT BY LEVEL <= n on DUAL");
        let [ConnectByKind::ConnectBy { connect_token: _, nocycle: _, relationships }] = select.connect_by.as_slice()
        else {
            return Err(refused());
        };
        let [condition] = relationships.as_slice() else { return Err(refused()) };
        let [TableWithJoins { relation: TableFactor::Table { name, alias, .. }, joins }] = select.from.as_slice()
        else {
            return Err(refused());
        };
        if !joins.is_empty() || owner_and_name(name)?.1 != "DUAL" {
            return Err(refused());
        }
        let ast::Expr::BinaryOp { left, op, right } = condition else { return Err(refused()) };
        let counts = |e: &ast::Expr| {
            matches!(e, ast::Expr::Identifier(ident) if ident.quote_style.is_none()
                && (ident.value.eq_ignore_ascii_case("LEVEL") || ident.value.eq_ignore_ascii_case("ROWNUM")))
        };
        let (bound, strict) = match (counts(left), op, counts(right)) {
            (true, BinaryOperator::LtEq, false) => (right, false),
            (true, BinaryOperator::Lt, false) => (right, true),
            (false, BinaryOperator::GtEq, true) => (left, false),
            (false, BinaryOperator::Gt, true) => (left, true),
            _ => return Err(refused()),
        };
        let bound = self.value(bound, &Scope::under(outer))?;
        let bound = self.convert(bound, DatumType::Number)?;
        let limit = functions::evaluate::number(&bound.expr)?;
        let rows = limit.map_or(0, |bytes| {
            let whole = format::number::truncate(&bytes, 0);
            let n = format::number::decode_i64(&whole).unwrap_or(0);
            if strict && whole[..] == *bytes { n - 1 } else { n }
        });
        // The first row is the root: it exists whatever the condition says.
        let provider = generator::RowGenerator::new(u64::try_from(rows).unwrap_or(0).max(1));
        let shown = alias_name(alias.as_ref())?.unwrap_or_else(|| "DUAL".to_owned());
        let column = |name: &str, kind: DatumType, declared: DataType, pseudo: bool| ScopeColumn {
            table: Some(shown.clone()),
            owner: None,
            name: name.to_owned(),
            column: qualified(&shown, name),
            kind,
            declared,
            exact: true,
            nullable: true,
            pseudo,
            merged: Merged::No,
        };
        let columns = vec![
            column("DUMMY", DatumType::Varchar2, DataType::Varchar2 { bytes: 1 }, false),
            column("LEVEL", DatumType::Number, DataType::Number { precision: None, scale: 0 }, true),
        ];
        let plan = LogicalPlanBuilder::scan(
            datafusion::common::TableReference::bare(shown.as_str()),
            provider_as_source(provider),
            None,
        )
        .and_then(LogicalPlanBuilder::build)
        .map_err(from_datafusion)?;
        Ok(FromItem { plan, relations: vec![shown], columns })
    }
}

pub(super) fn alias_name(alias: Option<&TableAlias>) -> Result<Option<String>> {
    match alias {
        None => Ok(None),
        Some(TableAlias { explicit: false, name, columns, at: None }) if columns.is_empty() => Ok(Some(fold(name))),
        Some(TableAlias { explicit: true, name, .. }) => {
            Err(Error::user(933, format!("SQL command not properly ended: AS before the table alias {name}")))
        }
        Some(other) => Err(Error::unsupported(format!("table alias {other}"))),
    }
}

fn cross(left: FromItem, right: FromItem) -> Result<FromItem> {
    let mut columns = left.columns;
    columns.extend(right.columns);
    let mut relations = left.relations;
    relations.extend(right.relations);
    let plan = LogicalPlanBuilder::new(left.plan)
        .cross_join(right.plan)
        .and_then(LogicalPlanBuilder::build)
        .map_err(from_datafusion)?;
    Ok(FromItem { plan, relations, columns })
}

/// The columns of tables that an outer join may fill with NULL, also those declared NOT NULL.
pub(super) fn may_be_missing(columns: &mut [ScopeColumn], relations: &[String]) {
    let of_one = |column: &&mut ScopeColumn| {
        column.column.relation.as_ref().is_some_and(|of| relations.iter().any(|relation| of.table() == relation))
    };
    columns.iter_mut().filter(of_one).for_each(|column| column.nullable = true);
}

fn joined(
    left: FromItem,
    right: FromItem,
    join_type: JoinType,
    mut conditions: Vec<Expr>,
    mut columns: Vec<ScopeColumn>,
) -> Result<FromItem> {
    if conditions.is_empty() {
        conditions.push(constant(true));
    }
    if matches!(join_type, JoinType::Left | JoinType::Full) {
        may_be_missing(&mut columns, &right.relations);
    }
    if matches!(join_type, JoinType::Right | JoinType::Full) {
        may_be_missing(&mut columns, &left.relations);
    }
    let mut relations = left.relations;
    relations.extend(right.relations);
    let plan = LogicalPlanBuilder::new(left.plan)
        .join_on(right.plan, join_type, conditions)
        .and_then(LogicalPlanBuilder::build)
        .map_err(from_datafusion)?;
    Ok(FromItem { plan, relations, columns })
}

/// A table whose rows come from a provider. `named`: its name in the block, and its owner, where that may qualify
/// columns.
pub(super) fn provided(
    provider: Arc<dyn TableProvider>,
    (known, owner): (String, Option<String>),
    columns: &[TableColumn],
    cx: &mut FromContext<'_>,
) -> Result<FromItem> {
    let planner_name = cx.relation(&known);
    let columns = columns
        .iter()
        .map(|column| ScopeColumn {
            table: Some(known.clone()),
            owner: owner.clone(),
            name: column.name.clone(),
            column: qualified(&planner_name, &column.name),
            kind: if column.pseudo { DatumType::Rowid } else { DatumType::from(column.data_type) },
            declared: column.data_type,
            exact: true,
            nullable: column.nullable,
            pseudo: column.pseudo,
            merged: Merged::No,
        })
        .collect();
    let plan = LogicalPlanBuilder::scan(
        datafusion::common::TableReference::bare(planner_name.as_str()),
        provider_as_source(provider),
        None,
    )
    .and_then(LogicalPlanBuilder::build)
    .map_err(from_datafusion)?;
    Ok(FromItem { plan, relations: vec![planner_name], columns })
}
