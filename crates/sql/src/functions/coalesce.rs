//! COALESCE of values that may fail: arguments after a non-NULL value are not evaluated for the row, and each argument
//! occurs once.
//!
//! ```text
//! binder    COALESCE(a, b)      a function like any other: grouping and the planner see both arguments
//! planned   CHOICE(a, x, y)     a and the columns of b; the function has the rest:
//!             CASE WHEN $0 IS NOT NULL THEN $0 ELSE b($1, $2) END
//! ```
//!
//! CASE alone would hold its first argument twice, and nesting would double it with each level. [`carried_out`] and
//! [`in_plan`] turn the first form into the second when no rule looks into expressions any more. NULLIF of values of
//! different kinds has the second form from the beginning: both its arguments are evaluated anyway.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::Array;
use datafusion::arrow::compute::is_not_null;
use datafusion::arrow::compute::kernels::zip::zip;
use datafusion::arrow::datatypes::{DataType as ArrowType, Field, Schema, SchemaRef};
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, Result, ScalarValue};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::expr::{Case, ScalarFunction};
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ExprSchemable, LogicalPlan, Operator, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility, binary_expr,
};
use datafusion::physical_expr::{PhysicalExpr, create_physical_expr};
use scalar::DatumType;

use super::branches;
use super::library::label;
use crate::types::ArrowForm;

/// The displayed name of COALESCE in the second form.
pub(crate) const CHOICE: &str = "CHOICE";

/// The first form.
#[derive(PartialEq, Eq, Hash, Debug)]
struct Coalesce {
    /// The planner's name of a long expression.
    label: Option<String>,
    signature: Signature,
}

/// `COALESCE(value, otherwise)` of two values of one type.
pub(crate) fn coalesce(value: Expr, otherwise: Expr) -> Expr {
    let arguments = vec![value, otherwise];
    let udf = Coalesce { label: label("COALESCE", &arguments), signature: Signature::any(2, Volatility::Immutable) };
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(udf)), arguments))
}

fn is_coalesce(expr: &Expr) -> bool {
    let Expr::ScalarFunction(call) = expr else { return false };
    let inner: &dyn std::any::Any = call.func.inner().as_ref();
    inner.is::<Coalesce>()
}

/// The arguments of a call of [`coalesce`].
pub(crate) fn of_coalesce(call: &ScalarFunction) -> Option<&[Expr]> {
    let inner: &dyn std::any::Any = call.func.inner().as_ref();
    inner.is::<Coalesce>().then_some(call.args.as_slice())
}

impl ScalarUDFImpl for Coalesce {
    fn name(&self) -> &'static str {
        "COALESCE"
    }

    fn schema_name(&self, arguments: &[Expr]) -> Result<String> {
        if let Some(label) = &self.label {
            return Ok(label.clone());
        }
        let arguments: Vec<String> = arguments.iter().map(|argument| argument.schema_name().to_string()).collect();
        Ok(format!("COALESCE({})", arguments.join(",")))
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[ArrowType]) -> Result<ArrowType> {
        Ok(arguments.first().cloned().unwrap_or(ArrowType::Utf8))
    }

    fn short_circuits(&self) -> bool {
        true
    }

    fn conditional_arguments<'a>(&self, args: &'a [Expr]) -> Option<(Vec<&'a Expr>, Vec<&'a Expr>)> {
        Some((args[..1].iter().collect(), args[1..].iter().collect()))
    }

    /// Called on constants by the planner's simplification: if the second one fails the call stays as it is.
    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let value = zip(&is_not_null(&arrays[0])?, &arrays[0], &arrays[1])?;
        Ok(ColumnarValue::Array(value))
    }
}

/// The second form: an expression over the values of its arguments.
#[derive(Debug)]
struct Choice {
    function: &'static str,
    /// The planner's name of the first form.
    name: String,
    body: Arc<dyn PhysicalExpr>,
    arguments: SchemaRef,
    result: ArrowType,
    signature: Signature,
}

impl PartialEq for Choice {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.body.eq(&other.body)
    }
}

impl Eq for Choice {}

impl Hash for Choice {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.body.hash(state);
    }
}

/// The value of an argument in the expression of a [`Choice`].
pub(crate) fn argument(position: usize) -> Expr {
    Expr::Column(Column::new_unqualified(format!("\u{1}{position}")))
}

/// An expression over the values of others of these types; [`argument`] stands for each.
///
/// # Errors
/// Errors of the planner.
fn choice(function: &'static str, name: String, body: &Expr, arguments: Vec<(Expr, ArrowType)>) -> Result<Expr> {
    let volatility = if body.is_volatile() { Volatility::Volatile } else { Volatility::Immutable };
    let fields =
        arguments.iter().enumerate().map(|(at, (_, kind))| Field::new(format!("\u{1}{at}"), kind.clone(), true));
    let schema: SchemaRef = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let known = DFSchema::try_from(Arc::clone(&schema))?;
    let result = body.get_type(&known)?;
    let body = create_physical_expr(body, &known, &ExecutionProps::new(), &PhysicalPlanningContext::default())?;
    let signature = match arguments.len() {
        0 => Signature::nullary(volatility),
        count => Signature::any(count, volatility),
    };
    let udf = Choice { function, name, body, arguments: schema, result, signature };
    let arguments = arguments.into_iter().map(|(value, _)| value).collect();
    Ok(Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(udf)), arguments)))
}

/// `NULLIF(a, b)` of an `a` of this kind; `left` is the form of [`argument`] 0 that is compared with `b`.
///
/// # Errors
/// Errors of the planner.
pub(crate) fn null_if(a: Expr, kind: DatumType, left: Expr, b: Expr) -> Result<Expr> {
    let arguments = [a.clone(), b.clone()];
    let name = label("NULLIF", &arguments).unwrap_or_else(|| format!("NULLIF({a},{b})"));
    let known = DFSchema::try_from(Schema::new(vec![Field::new("\u{1}0", kind.arrow(), true)]))?;
    let compared = left.get_type(&known)?;
    let equal = binary_expr(left, Operator::Eq, argument(1));
    let branches = vec![(Box::new(equal), Box::new(Expr::Literal(kind.null(), None)))];
    let body = Expr::Case(Case::new(None, branches, Some(Box::new(argument(0)))));
    choice("NULLIF", name, &body, vec![(a, kind.arrow()), (b, compared)])
}

impl ScalarUDFImpl for Choice {
    fn name(&self) -> &str {
        self.function
    }

    fn schema_name(&self, _: &[Expr]) -> Result<String> {
        Ok(self.name.clone())
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> Result<ArrowType> {
        Ok(self.result.clone())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        // A volatile expression has a value a row, also without columns.
        let constant = self.signature.volatility != Volatility::Volatile
            && args.args.iter().all(|argument| matches!(argument, ColumnarValue::Scalar(_)));
        let count = if constant { 1 } else { args.number_rows };
        let columns = args.args.iter().map(|argument| argument.to_array(count)).collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.arguments), columns, &options)?;
        let value = self.body.evaluate(&batch)?.into_array(count)?;
        if constant && !value.is_empty() {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&value, 0)?));
        }
        Ok(ColumnarValue::Array(value))
    }
}

/// Moves the columns of an expression behind the given arguments, and returns the expression over them.
fn over_arguments(body: Expr, mut arguments: Vec<Expr>) -> Result<(Expr, Vec<Expr>)> {
    let first = arguments.len();
    let body = body.transform_down(|node| {
        if !matches!(node, Expr::Column(_) | Expr::OuterReferenceColumn(..) | Expr::ScalarSubquery(_)) {
            return Ok(Transformed::no(node));
        }
        let known = arguments[first..].iter().position(|argument| *argument == node);
        let at = known.map_or(arguments.len(), |at| first + at);
        if known.is_none() {
            arguments.push(node);
        }
        Ok(Transformed::new(argument(at), true, TreeNodeRecursion::Jump))
    })?;
    Ok((body.data, arguments))
}

/// The expression with every COALESCE in its second form, and every deep CASE (`branches.rs`) as well; `schema` has the
/// columns that it names.
///
/// # Errors
/// Errors of the planner.
pub(crate) fn carried_out(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let chosen = |function, name, body: &Expr, arguments: Vec<Expr>| {
        let typed = arguments.into_iter().map(|value| {
            let kind = value.get_type(schema)?;
            Ok((value, kind))
        });
        choice(function, name, body, typed.collect::<Result<_>>()?).map(Transformed::yes)
    };
    expr.transform_up(|expr| {
        if let Some(body) = branches::body(&expr) {
            let name = expr.schema_name().to_string();
            let (body, arguments) = over_arguments(body, Vec::new())?;
            return chosen(branches::CASE, name, &body, arguments);
        }
        if !is_coalesce(&expr) {
            return Ok(Transformed::no(expr));
        }
        let name = expr.schema_name().to_string();
        let Expr::ScalarFunction(mut call) = expr else { return Ok(Transformed::no(expr)) };
        let (Some(otherwise), Some(value)) = (call.args.pop(), call.args.pop()) else {
            return Ok(Transformed::no(Expr::ScalarFunction(call)));
        };
        // The first argument is the value that may be NULL, not one of the columns.
        let (otherwise, arguments) = over_arguments(otherwise, vec![value])?;
        let given = Expr::IsNotNull(Box::new(argument(0)));
        let branches = vec![(Box::new(given), Box::new(argument(0)))];
        let body = Expr::Case(Case::new(None, branches, Some(Box::new(otherwise))));
        chosen(CHOICE, name, &body, arguments)
    })
}

/// A plan that the planner has optimised, with every COALESCE and every deep CASE in its second form.
///
/// # Errors
/// Errors of the planner.
pub(crate) fn in_plan(plan: LogicalPlan) -> Result<LogicalPlan> {
    let mut found = false;
    plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expr| {
            found |= expr.exists(|expr| Ok(is_coalesce(expr) || branches::is_case(expr)))?;
            Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
        })
    })?;
    if !found {
        return Ok(plan);
    }
    plan.transform_up_with_subqueries(|node| {
        let schema = match &node {
            LogicalPlan::TableScan(scan) => DFSchema::clone(&scan.projected_schema),
            other => merge_schema(&other.inputs()),
        };
        node.map_expressions(|expr| carried_out(expr, &schema))
    })
    .map(|transformed| transformed.data)
}
