//! What is worked out once for a shared cursor and executed with bind variables: a child cursor for each environment.
//!
//! A child is good for one version of the dictionary (statistics and privileges are part of it), one set of NLS
//! settings, the rights of one user, and one type for each bind variable. A NULL may stand for a value of any type.

use std::sync::Arc;

use common::Result;
use common::sync::atomic::{AtomicBool, Ordering};
use datafusion::catalog::default_table_source::source_as_provider;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan};
use engine::dictionary::Rights;
use scalar::{Context, Datum, DatumType, Nls};
use sqlparser::ast;
use storage::parameters::Parameter;

use super::connection::{Connection, bind_value, describe};
use super::context::LazyContext;
use super::library::SharedCursor;
use super::open::{ColumnDescription, Cursor, RowSource};
use super::run;
use crate::direct::change::DirectChange;
use crate::direct::lock::DirectLock;
use crate::direct::plan::{Compiled, DirectQuery, counts_distinct_joined, engine_table, may_be_direct};
use crate::direct::run::DirectRun;
use crate::direct::value::{Inputs, Value};
use crate::functions::program::ProgramFunction;
use crate::plan::binder::BindValue;
use crate::plan::parameter::parameter;
use crate::plan::query::BoundQuery;
use crate::scan::rows::RowsTable;
use crate::statement::parse::Statement;
use crate::subquery;
use crate::transaction::for_update::ForUpdate;

/// The planner evaluates calls of constants, such as the conversion of a time of day, which takes the present month: so
/// a child is good for a quarter of an hour, the least by which time zones differ.
const AGE_US: u64 = 15 * 60 * 1_000_000;

/// What a child has.
#[derive(Debug)]
pub(crate) enum Work {
    /// Each execution is planned by itself.
    Planned,
    /// The same, and the next execution tries again: the size of the table is not known.
    Unknown,
    /// A session keeps the planner's plans: see `kept_plan.rs`.
    Kept,
    Query(Arc<DirectQuery>),
    Lock(DirectLock),
    Change(DirectChange),
}

/// Children of one cursor; beyond that the oldest goes.
const CHILDREN_MAX: usize = 64;

/// Why the children that were there before did not do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mismatch {
    /// It is the first.
    None,
    BindTypes,
    Language,
    Rights,
    Age,
}

/// A child cursor.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) number: u32,
    pub(crate) mismatch: Mismatch,
    catalog_version: u64,
    nls: Arc<Nls>,
    rights: Rights,
    /// The quarter of an hour in which it was made.
    age: u64,
    /// The bind variables, with their types.
    parameters: Vec<(String, DatumType)>,
    pub(crate) columns: Vec<ColumnDescription>,
    pub(crate) work: Work,
    /// It has been executed before.
    executed: AtomicBool,
    /// No plan can be kept after all.
    planned: AtomicBool,
}

/// The environment of an execution.
struct Environment {
    catalog_version: u64,
    nls: Arc<Nls>,
    rights: Rights,
    age: u64,
}

impl Child {
    fn is_of(&self, environment: &Environment) -> bool {
        self.catalog_version == environment.catalog_version
            && self.age == environment.age
            && (Arc::ptr_eq(&self.nls, &environment.nls) || self.nls == environment.nls)
            && self.rights == environment.rights
    }

    /// False at the first call.
    pub(crate) fn is_executed_again(&self) -> bool {
        self.executed.swap(true, Ordering::Relaxed)
    }

    /// Has each execution planned by itself from now on: a plan that was to be kept cannot be.
    pub(crate) fn keep_none(&self) {
        self.planned.store(true, Ordering::Relaxed);
    }

    /// True: the planner's plan may be kept, as far as is known.
    pub(crate) fn is_kept(&self) -> bool {
        matches!(self.work, Work::Kept) && !self.planned.load(Ordering::Relaxed)
    }

    /// The bind variables as parameters of this child's plan.
    ///
    /// # Errors
    /// ORA-00600 for a NULL that is none.
    pub(crate) fn variables(&self, binds: &[(String, Datum)]) -> Result<Vec<BindValue>> {
        variables(self.parameters.iter().map(|(name, kind)| (name, *kind)), binds)
    }

    fn takes(&self, binds: &[(String, Datum)]) -> bool {
        self.parameters.len() == binds.len()
            && self
                .parameters
                .iter()
                .zip(binds)
                .all(|((name, kind), (bound, value))| name == bound && (value.datum_type() == *kind || value.is_null()))
    }
}

/// Bind variables of these types as parameters. NULL has no type: it is the value itself.
fn variables<'b>(
    kinds: impl Iterator<Item = (&'b String, DatumType)>,
    binds: &[(String, Datum)],
) -> Result<Vec<BindValue>> {
    let variable = |(at, (name, kind)): (usize, (&String, DatumType))| match kind {
        DatumType::Null => bind_value(&binds[at]),
        kind => Ok((name.clone(), parameter(at, name, kind))),
    };
    kinds.enumerate().map(variable).collect()
}

/// True: the plan reads tables of the engine and DUAL alone, and calls no program, which belongs to a statement.
pub(crate) fn is_keepable(plan: &LogicalPlan) -> bool {
    let mut other = false;
    let looked = plan.apply_with_subqueries(|node| {
        let foreign = match node {
            LogicalPlan::TableScan(scan) => {
                let rows = source_as_provider(&scan.source).ok();
                let rows = rows.as_deref().map(|rows| rows as &dyn std::any::Any);
                let constant =
                    rows.and_then(|rows| rows.downcast_ref::<RowsTable>()).is_some_and(RowsTable::is_constant);
                engine_table(scan).is_none() && !constant
            }
            _ => false,
        };
        let mut calls = false;
        node.apply_expressions(|expr| {
            calls |= expr.exists(|expr| {
                let Expr::ScalarFunction(call) = expr else { return Ok(false) };
                let function: &dyn std::any::Any = call.func.inner().as_ref();
                Ok(function.is::<ProgramFunction>())
            })?;
            Ok(TreeNodeRecursion::Continue)
        })?;
        other |= foreign || calls;
        Ok(if other { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    looked.is_ok() && !other
}

/// The number of a new child among the others, and why it is made.
fn place(children: &[Arc<Child>], new: &Child) -> (u32, Mismatch) {
    let Some(last) = children.last() else { return (0, Mismatch::None) };
    let all = |same: fn(&Child, &Child) -> bool| !children.iter().any(|child| same(child, new));
    let mismatch = if all(|one, other| one.age == other.age && one.catalog_version == other.catalog_version) {
        Mismatch::Age
    } else if all(|one, other| one.rights == other.rights) {
        Mismatch::Rights
    } else if all(|one, other| one.nls == other.nls) {
        Mismatch::Language
    } else {
        Mismatch::BindTypes
    };
    (last.number + 1, mismatch)
}

impl Connection {
    fn environment(&self) -> Environment {
        Environment {
            catalog_version: self.session.catalog().version(),
            nls: Arc::clone(&self.shared.nls.lock()),
            rights: self.session.rights(),
            age: self.session.meter().clock().wall_us() / AGE_US,
        }
    }

    /// The columns of a query that has been executed in this environment; None when none has.
    pub(crate) fn known_columns(&self, statement: &SharedCursor) -> Option<Vec<ColumnDescription>> {
        let environment = self.environment();
        let children = statement.children.lock();
        let known = children.iter().find(|child| !child.columns.is_empty() && child.is_of(&environment));
        known.map(|child| child.columns.clone())
    }

    /// The child cursor for this execution, made if there is none.
    fn child(&self, cursor: &mut Cursor) -> Result<Arc<Child>> {
        // A cancel between two calls is one of the second, which may have nothing else to look for it.
        self.session.check_cancelled()?;
        let environment = self.environment();
        let fits = |child: &&Arc<Child>| child.is_of(&environment) && child.takes(&cursor.binds);
        if let Some(child) = cursor.child.as_ref().filter(fits) {
            return Ok(Arc::clone(child));
        }
        if let Some(child) = cursor.shared.children.lock().iter().find(fits) {
            let child = Arc::clone(child);
            cursor.child = Some(Arc::clone(&child));
            return Ok(child);
        }
        // It was made for another environment.
        cursor.child = None;
        let mut child = self.new_child(cursor, environment)?;
        if matches!(child.work, Work::Unknown) {
            return Ok(Arc::new(child));
        }
        let mut children = cursor.shared.children.lock();
        (child.number, child.mismatch) = place(&children, &child);
        children.retain(|known| known.catalog_version == child.catalog_version && known.age == child.age);
        if children.len() >= CHILDREN_MAX {
            children.remove(0);
        }
        let child = Arc::new(child);
        children.push(Arc::clone(&child));
        drop(children);
        cursor.child = Some(Arc::clone(&child));
        Ok(child)
    }

    fn new_child(&self, cursor: &Cursor, environment: Environment) -> Result<Child> {
        let kinds = cursor.binds.iter().map(|(name, value)| (name, value.datum_type()));
        let variables = variables(kinds, &cursor.binds)?;
        let context = self.lazy_context();
        let parameters: Vec<Datum> = cursor.binds.iter().map(|(_, value)| value.clone()).collect();
        let inputs = Inputs::of_statement(&context, &parameters);
        let changed = |change: Compiled<DirectChange>| match change {
            Ok(change) => (Vec::new(), Work::Change(change)),
            Err(Work::Unknown) => (Vec::new(), Work::Unknown),
            Err(_) => (Vec::new(), Work::Kept),
        };
        let (columns, work) = match &cursor.shared.statement {
            Statement::Query { query, headings, lock: None } => {
                self.query_child(cursor, query, headings, &variables, &inputs)?
            }
            Statement::Query { query, headings, lock: Some(lock) } => {
                self.lock_child(cursor, (query, headings, lock), &variables, &inputs)?
            }
            Statement::Update(update, returning) => {
                changed(self.direct_update(update, returning.as_ref(), cursor, &variables, &inputs)?)
            }
            Statement::Delete(delete, returning) => {
                changed(self.direct_delete(delete, returning.as_ref(), cursor, &variables, &inputs)?)
            }
            Statement::Merge(merge) => changed(self.direct_merge(merge, cursor, &variables, &inputs)?),
            Statement::Insert(..) => (Vec::new(), Work::Kept),
            _ => (Vec::new(), Work::Planned),
        };
        let parameters = cursor.binds.iter().map(|(name, value)| (name.clone(), value.datum_type())).collect();
        let Environment { catalog_version, nls, rights, age } = environment;
        let (number, mismatch) = (0, Mismatch::None);
        let (executed, planned) = (AtomicBool::new(false), AtomicBool::new(false));
        Ok(Child { number, mismatch, catalog_version, nls, rights, age, parameters, columns, work, executed, planned })
    }

    fn query_child(
        &self,
        cursor: &Cursor,
        query: &ast::Query,
        headings: &[String],
        variables: &[BindValue],
        inputs: &Inputs<'_>,
    ) -> Result<(Vec<ColumnDescription>, Work)> {
        let planned = || Ok((Vec::new(), Work::Planned));
        let bound;
        let bound = match &cursor.prepared {
            // Bound at the parse a moment ago.
            Some(prepared) if variables.is_empty() && self.is_fresh(prepared) => &prepared.query,
            _ => {
                let binder = self.tables()?;
                let query = binder
                    .with_variables(&cursor.shared.text, variables, |binder| binder.statement_query(query, headings));
                // A bind variable's value is needed now, or the statement is wrong: the long way tells.
                let Ok(query) = query else { return planned() };
                bound = query;
                &bound
            }
        };
        let direct = match self.direct_query(bound, inputs)? {
            Ok(direct) => direct,
            Err(Work::Unknown) => return Ok((Vec::new(), Work::Unknown)),
            Err(_) => {
                let keeps = is_keepable(&bound.plan);
                return if keeps { Ok((describe(&bound.outputs), Work::Kept)) } else { planned() };
            }
        };
        Ok((describe(&bound.outputs), Work::Query(Arc::new(direct))))
    }

    fn lock_child(
        &self,
        cursor: &Cursor,
        (query, headings, lock): (&ast::Query, &[String], &ForUpdate),
        variables: &[BindValue],
        inputs: &Inputs<'_>,
    ) -> Result<(Vec<ColumnDescription>, Work)> {
        let planned = || Ok((Vec::new(), Work::Planned));
        let bound = self
            .tables()?
            .with_variables(&cursor.shared.text, variables, |binder| binder.locking_query(query, headings, lock));
        let Ok(locking) = bound else { return planned() };
        let Ok([table]) = self.tables_of(&locking).map(<[_; 1]>::try_from).unwrap_or(Err(Vec::new())) else {
            return planned();
        };
        let direct = match self.direct_query(&locking.query, inputs)? {
            Ok(direct) => direct,
            Err(work) => return Ok((Vec::new(), work)),
        };
        if !direct.inner.is_empty()
            || !matches!(direct.outputs.last(), Some(Value::Rowid(_)))
            || !Arc::ptr_eq(&direct.read.table, &table)
        {
            return planned();
        }
        let columns = describe(&locking.query.outputs[..locking.visible]);
        Ok((columns, Work::Lock(DirectLock { query: Arc::new(direct), table, wait: lock.wait })))
    }

    /// The query compiled, where it can be carried out row by row; else how it is worked off.
    ///
    /// # Errors
    /// Errors of the engine.
    pub(crate) fn direct_query(&self, bound: &BoundQuery, inputs: &Inputs<'_>) -> Result<Compiled<DirectQuery>> {
        if !may_be_direct(&bound.plan) || subquery::holds_subquery(&bound.plan).unwrap_or(true) {
            return Ok(Err(Work::Planned));
        }
        // An error shows the long way.
        let without: &[&str] = if counts_distinct_joined(&bound.plan) {
            &["single_distinct_aggregation_to_group_by", "eliminate_join"]
        } else {
            &[]
        };
        let Ok(optimized) = run::optimized(&self.session, &self.state, &bound.plan, without, inputs) else {
            return Ok(Err(Work::Planned));
        };
        DirectQuery::of(&self.session, &optimized, bound, inputs)
    }

    /// Executes the cursor's query with FOR UPDATE row by row. False when it goes the long way.
    ///
    /// # Errors
    /// Those of the query and of the locks; the caller takes the locks back.
    pub(crate) fn lock_directly(&self, cursor: &mut Cursor) -> Result<bool> {
        if cursor.explaining || !self.takes_direct_ways() {
            return Ok(false);
        }
        let child = self.child(cursor)?;
        let Work::Lock(lock) = &child.work else { return Ok(false) };
        if !lock.query.is_still_small() {
            return Ok(false);
        }
        let context: Arc<dyn Context> = Arc::new(self.lazy_context());
        let parameters: Vec<Datum> = cursor.binds.iter().map(|(_, value)| value.clone()).collect();
        if cursor.columns != child.columns {
            cursor.columns.clone_from(&child.columns);
        }
        lock.execute(self, cursor, &context, &parameters)
    }

    /// A context of the statement that begins now, made when it is asked for.
    pub(crate) fn lazy_context(&self) -> LazyContext {
        LazyContext::new(
            Arc::clone(&self.session),
            Arc::clone(&self.shared.nls.lock()),
            Arc::clone(&self.shared.random),
            self.schema.clone(),
        )
    }

    /// Begins the cursor's query row by row. False when it goes the long way.
    ///
    /// # Errors
    /// Errors of the engine.
    pub(crate) fn query_directly(&self, cursor: &mut Cursor) -> Result<bool> {
        if cursor.explaining || !self.takes_direct_ways() {
            return Ok(false);
        }
        let child = self.child(cursor)?;
        let Work::Query(plan) = &child.work else { return Ok(false) };
        if !plan.is_still_small() {
            return Ok(false);
        }
        let context: Arc<dyn Context> = Arc::new(self.lazy_context());
        let parameters = cursor.binds.iter().map(|(_, value)| value.clone()).collect();
        let Some(run) = DirectRun::start(&self.session, plan, context, parameters, cursor.measured) else {
            return Ok(false);
        };
        if cursor.columns != child.columns {
            cursor.columns.clone_from(&child.columns);
        }
        cursor.running = Some(super::open::Query::Direct(Box::new(run)));
        Ok(true)
    }

    /// The row sources of the cursor's statement where it is carried out row by row; nothing is executed.
    ///
    /// # Errors
    /// Errors of the engine.
    pub(crate) fn direct_row_sources(&self, cursor: &mut Cursor) -> Result<Option<Vec<RowSource>>> {
        if !self.takes_direct_ways() {
            return Ok(None);
        }
        let child = self.child(cursor)?;
        let context = self.lazy_context();
        let parameters: Vec<Datum> = cursor.binds.iter().map(|(_, value)| value.clone()).collect();
        let inputs = Inputs::of_statement(&context, &parameters);
        match &child.work {
            Work::Planned | Work::Unknown | Work::Kept => Ok(None),
            Work::Query(plan) if !plan.is_still_small() => Ok(None),
            Work::Lock(lock) if !lock.query.is_still_small() => Ok(None),
            Work::Query(plan) => Ok(plan.explained(&self.session, &inputs, 0)),
            Work::Lock(lock) => Ok(lock.query.explained(&self.session, &inputs, 0)),
            Work::Change(change) => Ok(change.explained(&self.session, &inputs)),
        }
    }

    /// Carries out the cursor's UPDATE, DELETE or MERGE row by row. None when it goes the long way.
    ///
    /// # Errors
    /// Any error of the statement; the caller takes its changes back.
    pub(crate) fn change_directly(&self, cursor: &mut Cursor) -> Result<Option<u64>> {
        if cursor.explaining || !self.takes_direct_ways() {
            return Ok(None);
        }
        let child = self.child(cursor)?;
        let Work::Change(change) = &child.work else { return Ok(None) };
        let context = self.lazy_context();
        let parameters: Vec<Datum> = cursor.binds.iter().map(|(_, value)| value.clone()).collect();
        change.carry_out(self, cursor, &context, &parameters)
    }

    /// The child cursor of a statement that changes rows and is executed again. None where its queries are planned for
    /// each execution.
    ///
    /// # Errors
    /// Errors of the engine.
    pub(crate) fn child_of_change(&self, cursor: &mut Cursor) -> Result<Option<Arc<Child>>> {
        if cursor.explaining || !self.takes_direct_ways() {
            return Ok(None);
        }
        let child = self.child(cursor)?;
        if !child.is_kept() {
            return Ok(None);
        }
        let again = child.is_executed_again();
        Ok(again.then_some(child))
    }

    /// False where `_direct_execution` says so, and while a trigger is at work, whose statements the planner checks for
    /// its table.
    pub(crate) fn takes_direct_ways(&self) -> bool {
        self.session.parameters().boolean(Parameter::DirectExecution) && self.shared.mutating().is_empty()
    }
}
