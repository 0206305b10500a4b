//! A subquery as a function of the outer columns that it refers to: it is run once for each distinct set of their
//! values.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use common::sync::atomic::{AtomicU64, Ordering};
use common::sync::{Mutex, run_aside};
use common::{Error, ErrorKind};
use datafusion::arrow::array::{ArrayRef, BooleanArray};
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::catalog::default_table_source::provider_as_source;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, ScalarValue};
use datafusion::execution::SessionState;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, LogicalPlanBuilder, Operator, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, TableScan, Volatility,
};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use engine::instance::Session;
use scalar::Datum;
use tokio::runtime::Runtime;

use super::reference::{self, scope_of_reference, with_values};
use super::shown;
use crate::cursor::child::is_keepable;
use crate::cursor::kept_plan::takes_parameters;
use crate::cursor::run::{self, Running};
use crate::error::to_datafusion;
use crate::functions::rows::{from_scalar, to_scalar};
use crate::plan::parameter::{self, Parameters};
use crate::scan::table::EngineTable;
use crate::types::of_arrow;

/// Stack of a thread that runs a subquery. Memory is committed as it is used.
const STACK_BYTES: usize = 16 << 20;
/// Answers kept; beyond that all are dropped.
const KEPT_MAX: usize = 1 << 16;

/// Plans and runs the subqueries of a statement.
pub(crate) struct Planner {
    session: Arc<Session>,
    state: SessionState,
    /// The bind variables of a plan that is kept.
    parameters: Option<Arc<Parameters>>,
}

impl fmt::Debug for Planner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Planner")
    }
}

impl Planner {
    pub(crate) fn new(session: &Arc<Session>, state: &SessionState, parameters: Option<&Arc<Parameters>>) -> Arc<Self> {
        Arc::new(Self { session: Arc::clone(session), state: state.clone(), parameters: parameters.cloned() })
    }
}

/// The question that a subquery answers.
pub(super) enum Question {
    /// The value of its single row.
    Value,
    Exists {
        negated: bool,
    },
    /// IN: these values are one of the rows.
    In {
        negated: bool,
        left: Vec<Expr>,
    },
    /// Equality of these values with the only row; `negated`: inequality.
    Row {
        negated: bool,
        left: Vec<Expr>,
    },
    /// Equality of these values with one of the rows, or with `all`; `negated`: inequality.
    Rows {
        negated: bool,
        all: bool,
        left: Vec<Expr>,
    },
    /// Comparison of a value with one of the rows, or with `all`.
    Compared {
        left: Expr,
        op: Operator,
        all: bool,
    },
}

/// The same, the values as arguments of the call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Form {
    Value,
    Exists { negated: bool },
    In { negated: bool },
    Row { negated: bool },
    Rows { negated: bool, all: bool },
    Compared { op: Operator, all: bool },
}

impl Form {
    /// The name in plans.
    fn name(self) -> &'static str {
        match self {
            Self::Value => shown::VALUE,
            Self::Exists { negated: false } => shown::EXISTS,
            Self::Exists { negated: true } => shown::NOT_EXISTS,
            Self::In { negated: false } => shown::IN,
            Self::In { negated: true } => shown::NOT_IN,
            Self::Row { negated: false } => shown::EQUAL,
            Self::Row { negated: true } => shown::UNEQUAL,
            Self::Compared { all: false, .. } | Self::Rows { all: false, .. } => shown::ANY,
            Self::Compared { all: true, .. } | Self::Rows { all: true, .. } => shown::ALL,
        }
    }
}

/// A subquery as a call: its arguments are the values of the question, then the `references` into the enclosing scope;
/// references further out stay as they are.
pub(super) fn call(
    question: Question,
    plan: Arc<LogicalPlan>,
    references: Vec<Expr>,
    scope: u64,
    planner: &Arc<Planner>,
) -> Result<Expr> {
    let (form, left) = match question {
        Question::Value => (Form::Value, Vec::new()),
        Question::Exists { negated } => (Form::Exists { negated }, Vec::new()),
        Question::In { negated, left } => (Form::In { negated }, left),
        Question::Row { negated, left } => (Form::Row { negated }, left),
        Question::Rows { negated, all, left } => (Form::Rows { negated, all }, left),
        Question::Compared { left, op, all } => (Form::Compared { op, all }, vec![left]),
    };
    let result = match form {
        Form::Value => plan.schema().field(0).data_type().clone(),
        _ => ArrowType::Boolean,
    };
    let plan = match form {
        // One row answers the question as well as many.
        Form::Exists { .. } => Arc::new(LogicalPlanBuilder::new(LogicalPlan::clone(&plan)).limit(0, Some(1))?.build()?),
        _ => plan,
    };
    let asked = left.len();
    let mut arguments = left;
    for reference in &references {
        arguments.push(match reference {
            Expr::OuterReferenceColumn(_, column) if scope_of_reference(reference) == Some(scope) => {
                Expr::Column(column.clone())
            }
            other => other.clone(),
        });
    }
    // Volatile: it is not moved, and not evaluated for a row that other conditions have rejected.
    let signature = match arguments.len() {
        0 => Signature::nullary(Volatility::Volatile),
        count => Signature::any(count, Volatility::Volatile),
    };
    static LAST: AtomicU64 = AtomicU64::new(0);
    let function = Apply {
        // Columns are made of calls by name: each subquery needs its own.
        name: format!("{}\u{1}{}", form.name(), LAST.fetch_add(1, Ordering::Relaxed)),
        form,
        plan,
        references,
        asked,
        result,
        planner: Arc::clone(planner),
        answers: Mutex::default(),
        kept: Mutex::new(Inner::Unplanned),
        signature,
    };
    Ok(Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(function)), arguments)))
}

fn is_call(expr: &Expr) -> bool {
    let Expr::ScalarFunction(call) = expr else { return false };
    let inner: &dyn std::any::Any = call.func.inner().as_ref();
    inner.is::<Apply>()
}

/// True: the expression has a new value with each evaluation. Calls of subqueries are volatile for other reasons.
pub(crate) fn is_new_each_time(expr: &Expr) -> bool {
    expr.exists(|expr| Ok(expr.is_volatile_node() && !is_call(expr))).unwrap_or(true)
}

struct Apply {
    name: String,
    form: Form,
    plan: Arc<LogicalPlan>,
    references: Vec<Expr>,
    /// The number of arguments that are values of the question.
    asked: usize,
    result: ArrowType,
    planner: Arc<Planner>,
    answers: Mutex<Answers>,
    kept: Mutex<Inner>,
    signature: Signature,
}

/// The answers of one run of the enclosing query, by the values of its columns.
#[derive(Default)]
struct Answers {
    run: u64,
    known: HashMap<Vec<ScalarValue>, Arc<Answer>>,
}

/// The plan of the subquery.
enum Inner {
    /// It has not been run, and is planned with the values of its first run.
    Unplanned,
    /// It is planned for each run.
    Planned,
    /// It has been run: the next run plans it for all that follow.
    Again,
    Kept(Kept),
}

/// A plan that takes its outer columns as parameters.
struct Kept {
    plan: Arc<dyn ExecutionPlan>,
    parameters: Arc<Parameters>,
}

/// The kept form of a subquery's rows.
enum Answer {
    Value(ScalarValue),
    Exists(bool),
    /// Rows without a NULL, and those with one.
    Rows {
        whole: HashSet<Vec<ScalarValue>>,
        partly_null: Vec<Vec<ScalarValue>>,
    },
    /// In order of arrival.
    Few(Vec<Vec<ScalarValue>>),
    /// Sorted; and true if there are NULLs too.
    Sorted {
        values: Vec<ScalarValue>,
        nulls: bool,
    },
}

impl fmt::Debug for Apply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Apply({:?})", self.form)
    }
}

impl PartialEq for Apply {
    fn eq(&self, other: &Self) -> bool {
        self.form == other.form && Arc::ptr_eq(&self.plan, &other.plan)
    }
}

impl Eq for Apply {}

impl Hash for Apply {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.form, Arc::as_ptr(&self.plan)).hash(state);
    }
}

impl ScalarUDFImpl for Apply {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> Result<ArrowType> {
        Ok(self.result.clone())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let count = args.number_rows;
        if count == 0 {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from(&self.result)?));
        }
        let arrays = args.args.iter().map(|argument| argument.to_array(count)).collect::<Result<Vec<_>>>()?;
        let (asked, outer) = arrays.split_at(self.asked);
        let answers = self.answers_for(outer, count)?;
        let array: ArrayRef = if self.form == Form::Value {
            ScalarValue::iter_to_array(answers.iter().map(|answer| match &**answer {
                Answer::Value(value) => value.clone(),
                _ => ScalarValue::Null,
            }))?
        } else {
            let mut values = Vec::with_capacity(count);
            for (row, answer) in answers.iter().enumerate() {
                let asked = row_of(asked, row)?;
                values.push(self.truth(&asked, answer));
            }
            Arc::new(BooleanArray::from(values))
        };
        Ok(ColumnarValue::Array(array))
    }
}

/// The values of outer columns as values of parameters.
fn own_values(key: &[ScalarValue]) -> Option<Vec<Datum>> {
    key.iter().map(|value| from_scalar(value).ok()).collect()
}

fn row_of(arrays: &[ArrayRef], row: usize) -> Result<Vec<ScalarValue>> {
    arrays.iter().map(|array| ScalarValue::try_from_array(array, row)).collect()
}

impl Apply {
    /// The subquery's answer for each row's outer columns. It runs on a thread of its own, since a runtime of this one
    /// drives the outer query.
    fn answers_for(&self, outer: &[ArrayRef], count: usize) -> Result<Vec<Arc<Answer>>> {
        let mut keys = Vec::with_capacity(count);
        let mut missing = Vec::new();
        let mut found: HashMap<Vec<ScalarValue>, Arc<Answer>> = HashMap::new();
        {
            let mut answers = self.answers.lock();
            let run = self.planner.parameters.as_ref().map_or(0, |parameters| parameters.run());
            if answers.known.len() > KEPT_MAX || answers.run != run {
                *answers = Answers { run, known: HashMap::new() };
            }
            for row in 0..count {
                let key = row_of(outer, row)?;
                if !found.contains_key(&key) && !missing.contains(&key) {
                    match answers.known.get(&key) {
                        Some(answer) => drop(found.insert(key.clone(), Arc::clone(answer))),
                        None => missing.push(key.clone()),
                    }
                }
                keys.push(key);
            }
        }
        if !missing.is_empty() {
            for (key, answer) in self.run_aside(missing)? {
                self.answers.lock().known.insert(key.clone(), Arc::clone(&answer));
                found.insert(key, answer);
            }
        }
        Ok(keys.iter().filter_map(|key| found.get(key).cloned()).collect())
    }

    fn run_aside(&self, keys: Vec<Vec<ScalarValue>>) -> Result<Vec<(Vec<ScalarValue>, Arc<Answer>)>> {
        let session = &self.planner.session;
        let work = || {
            let _moved = session.moved();
            let runtime = tokio::runtime::Builder::new_current_thread().build().map_err(|error| no_runtime(&error))?;
            let runtime = Arc::new(runtime);
            keys.into_iter().map(|key| self.run(&runtime, &key).map(|answer| (key, Arc::new(answer)))).collect()
        };
        run_aside("subquery", STACK_BYTES, work).map_err(|error| no_runtime(&error))?
    }

    /// Runs the subquery for these values of its outer columns.
    fn run(&self, runtime: &Arc<Runtime>, key: &[ScalarValue]) -> Result<Answer> {
        // Its rows may lead to the same subquery again, on another thread: that run has a plan of its own.
        let inner = std::mem::replace(&mut *self.kept.lock(), Inner::Planned);
        let inner = match inner {
            Inner::Again => self.planned_for_all(runtime, key)?.map_or(Inner::Planned, Inner::Kept),
            inner => inner,
        };
        let answer = self.begun(&inner, runtime, key).and_then(|plan| self.answer_of(runtime, plan));
        *self.kept.lock() = if matches!(inner, Inner::Unplanned) { Inner::Again } else { inner };
        answer
    }

    /// The plan of a run that begins.
    fn begun(&self, inner: &Inner, runtime: &Arc<Runtime>, key: &[ScalarValue]) -> Result<Arc<dyn ExecutionPlan>> {
        if let Inner::Kept(kept) = inner
            && let Some(plan) = self.begin(kept, key)?
        {
            return Ok(plan);
        }
        self.planned_once(runtime, key)
    }

    /// The plan for one run.
    fn planned_once(&self, runtime: &Arc<Runtime>, key: &[ScalarValue]) -> Result<Arc<dyn ExecutionPlan>> {
        let literal = |value: &ScalarValue| Expr::Literal(value.clone(), None);
        let mut values: Vec<_> = self.references.iter().cloned().zip(key.iter().map(literal)).collect();
        if let Some(parameters) = &self.planner.parameters {
            let bound = parameters.values();
            for placeholder in reference::parameters(&self.plan)? {
                let value = parameter::position(&placeholder).and_then(|at| bound.get(at));
                let kind = placeholder.field.as_ref().and_then(|field| of_arrow(field.data_type()));
                let (Some(value), Some(kind)) = (value, kind) else {
                    return Err(to_datafusion(Error::bug("a bind variable of a subquery without a value")));
                };
                values.push((Expr::Placeholder(placeholder), literal(&to_scalar(value, kind).map_err(to_datafusion)?)));
            }
        }
        let plan = with_values(LogicalPlan::clone(&self.plan), &values)?;
        run::plan(&self.planner.session, runtime, &self.planner.state, &plan).map_err(to_datafusion)
    }

    /// The plan for this run and those that follow. None where each is planned by itself.
    fn planned_for_all(&self, runtime: &Arc<Runtime>, key: &[ScalarValue]) -> Result<Option<Kept>> {
        if !is_keepable(&self.plan) {
            return Ok(None);
        }
        let Some(outer) = self.outer_parameters()? else { return Ok(None) };
        let first = outer.values().len();
        let mut values = Vec::with_capacity(self.references.len());
        for (at, reference) in self.references.iter().enumerate() {
            let Expr::OuterReferenceColumn(field, column) = reference else { return Ok(None) };
            let Some(kind) = of_arrow(field.data_type()) else { return Ok(None) };
            values.push((reference.clone(), parameter::parameter(first + at, &column.name, kind).expr));
        }
        let parameters = outer.of_subquery();
        let Some(own) = own_values(key) else { return Ok(None) };
        parameters.set_within(&outer.values(), own.into_iter());
        let plan = with_values(LogicalPlan::clone(&self.plan), &values)?;
        let plan = plan.transform_up_with_subqueries(|node| {
            let LogicalPlan::TableScan(scan) = &node else { return Ok(Transformed::no(node)) };
            let Some(table) = EngineTable::of(scan) else { return Ok(Transformed::no(node)) };
            let source = provider_as_source(table.with_parameters(&parameters));
            Ok(Transformed::yes(LogicalPlan::TableScan(TableScan { source, ..scan.clone() })))
        })?;
        let Planner { session, state, .. } = &*self.planner;
        // What is wrong with it, its run tells.
        let plan = run::plan_with(session, runtime, state, &plan.data, Some(&parameters));
        Ok(plan.ok().map(|plan| Kept { plan, parameters }))
    }

    /// The parameters of the enclosing query.
    fn outer_parameters(&self) -> Result<Option<Arc<Parameters>>> {
        if let Some(parameters) = &self.planner.parameters {
            return Ok(Some(Arc::clone(parameters)));
        }
        let mut found = None;
        self.plan.apply_with_subqueries(|node| {
            if let LogicalPlan::TableScan(scan) = node
                && let Some(table) = EngineTable::of(scan)
            {
                found = Some(Arc::clone(table.parameters()));
                return Ok(TreeNodeRecursion::Stop);
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(found)
    }

    /// The kept plan for these values. None where it does not take them.
    fn begin(&self, kept: &Kept, key: &[ScalarValue]) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let Some(own) = own_values(key) else { return Ok(None) };
        let outer = self.outer_parameters()?.map(|outer| outer.values()).unwrap_or_default();
        kept.parameters.set_within(&outer, own.into_iter());
        if !takes_parameters(&kept.plan) {
            return Ok(None);
        }
        reset_plan_states(Arc::clone(&kept.plan)).map(Some)
    }

    fn answer_of(&self, runtime: &Arc<Runtime>, plan: Arc<dyn ExecutionPlan>) -> Result<Answer> {
        let Planner { session, state, .. } = &*self.planner;
        let mut running = Running::start(session, runtime, state, plan, Arc::default()).map_err(to_datafusion)?;
        let mut rows: Vec<Vec<ScalarValue>> = Vec::new();
        while let Some(batch) = running.next_batch().map_err(to_datafusion)? {
            let one = matches!(self.form, Form::Value | Form::Row { .. });
            if one && rows.len() + batch.num_rows() > 1 {
                return Err(to_datafusion(Error::user(1427, "single-row subquery returns more than one row")));
            }
            for row in 0..batch.num_rows() {
                rows.push(row_of(batch.columns(), row)?);
            }
        }
        Ok(self.answer(rows))
    }

    fn answer(&self, rows: Vec<Vec<ScalarValue>>) -> Answer {
        match self.form {
            Form::Value => {
                let value = rows.into_iter().next().and_then(|row| row.into_iter().next());
                Answer::Value(value.unwrap_or_else(|| ScalarValue::try_from(&self.result).unwrap_or(ScalarValue::Null)))
            }
            Form::Exists { .. } => Answer::Exists(!rows.is_empty()),
            Form::In { .. } => {
                let (partly_null, whole): (Vec<_>, Vec<_>) =
                    rows.into_iter().partition(|row| row.iter().any(ScalarValue::is_null));
                Answer::Rows { whole: whole.into_iter().collect(), partly_null }
            }
            Form::Row { .. } | Form::Rows { .. } => Answer::Few(rows),
            Form::Compared { .. } => {
                let (nulls, mut values): (Vec<_>, Vec<_>) = rows.into_iter().flatten().partition(ScalarValue::is_null);
                values.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
                Answer::Sorted { values, nulls: !nulls.is_empty() }
            }
        }
    }

    /// True, false or unknown.
    fn truth(&self, asked: &[ScalarValue], answer: &Answer) -> Option<bool> {
        match (self.form, answer) {
            (Form::Exists { negated }, Answer::Exists(exists)) => Some(*exists != negated),
            (Form::In { negated }, Answer::Rows { whole, partly_null }) => {
                is_member(asked, whole, partly_null).map(|member| member != negated)
            }
            (Form::Row { negated }, Answer::Few(rows)) => {
                rows.first().and_then(|row| are_equal(asked, row)).map(|equal| equal != negated)
            }
            (Form::Rows { negated, all }, Answer::Few(rows)) => {
                let mut unknown = false;
                for row in rows {
                    match are_equal(asked, row) {
                        // One row decides.
                        Some(equal) if (equal != negated) != all => return Some(!all),
                        Some(_) => {}
                        None => unknown = true,
                    }
                }
                (!unknown).then_some(all)
            }
            (Form::Compared { op, all }, Answer::Sorted { values, nulls }) => {
                compared(&asked[0], op, all, values, *nulls)
            }
            _ => None,
        }
    }
}

/// Equality of two rows; unknown where a NULL decides it.
fn are_equal(left: &[ScalarValue], right: &[ScalarValue]) -> Option<bool> {
    let mut known = true;
    for (a, b) in left.iter().zip(right) {
        if a.is_null() || b.is_null() {
            known = false;
        } else if a != b {
            return Some(false);
        }
    }
    known.then_some(true)
}

/// Membership of a row; unknown where a NULL decides it.
fn is_member(
    asked: &[ScalarValue],
    whole: &HashSet<Vec<ScalarValue>>,
    partly_null: &[Vec<ScalarValue>],
) -> Option<bool> {
    // Unless two values differ, the rows may be equal.
    let may_be = |row: &Vec<ScalarValue>| row.iter().zip(asked).all(|(a, b)| a.is_null() || b.is_null() || a == b);
    if asked.iter().any(ScalarValue::is_null) {
        return if whole.iter().chain(partly_null).any(may_be) { None } else { Some(false) };
    }
    if whole.contains(asked) {
        return Some(true);
    }
    if partly_null.iter().any(may_be) { None } else { Some(false) }
}

/// Comparison of a value with one of the sorted values, or with all of them.
fn compared(asked: &ScalarValue, op: Operator, all: bool, values: &[ScalarValue], nulls: bool) -> Option<bool> {
    if values.is_empty() && !nulls {
        return Some(all);
    }
    if asked.is_null() {
        return None;
    }
    let holds = |value: &ScalarValue| {
        let Some(order) = asked.partial_cmp(value) else { return false };
        match op {
            Operator::Eq => order.is_eq(),
            Operator::NotEq => order.is_ne(),
            Operator::Lt => order.is_lt(),
            Operator::LtEq => order.is_le(),
            Operator::Gt => order.is_gt(),
            _ => order.is_ge(),
        }
    };
    // Except for equality with one of many, the smallest and the largest value decide.
    let mut ends = values.first().into_iter().chain(values.last());
    let decided = if all {
        if op == Operator::NotEq { !is_in(asked, values) } else { ends.all(holds) }
    } else if op == Operator::Eq {
        is_in(asked, values)
    } else {
        ends.any(holds)
    };
    // A NULL makes the result unknown unless another value has decided it.
    if nulls && decided == all { None } else { Some(decided) }
}

fn is_in(asked: &ScalarValue, values: &[ScalarValue]) -> bool {
    values.binary_search_by(|value| value.partial_cmp(asked).unwrap_or(std::cmp::Ordering::Less)).is_ok()
}

fn no_runtime(error: &std::io::Error) -> datafusion::common::DataFusionError {
    to_datafusion(Error::own(ErrorKind::OutOfResource, 2, format!("no thread for a subquery: {error}")))
}
