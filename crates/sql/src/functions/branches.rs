//! Deeply nested CASE.
//!
//! The planner visits the branches of a CASE twice, once for the type and once for NULL; and the executor of a CASE
//! rebuilds nested ones whenever it numbers their columns, which each of them does as well. Both double with every
//! level. So a CASE above [`PLAIN_MAX`] others is a call of its conditions and results ([`case`]), which is visited
//! once, until no rule looks into expressions any more: then `coalesce.rs` replaces it by a function that takes the
//! columns and contains the CASE ([`body`]).

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType as ArrowType, Field, Schema};
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::{Case, ScalarFunction};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{CaseExpr, Column};
use scalar::DatumType;

use super::library::label;
use crate::types::ArrowForm;

/// Levels of CASE left to the planner.
const PLAIN_MAX: usize = 3;

/// The name of the call, and of its replacement.
pub(crate) const CASE: &str = "CASE";

/// A CASE as a call: the compared value if there is one, a condition and a result a branch, and the result of ELSE.
#[derive(PartialEq, Eq, Hash, Debug)]
struct Branches {
    /// True: the first argument is compared with the conditions.
    compares: bool,
    result: DatumType,
    /// The planner's name of a long expression.
    label: Option<String>,
    signature: Signature,
}

fn branches(expr: &Expr) -> Option<(&Branches, &ScalarFunction)> {
    let Expr::ScalarFunction(call) = expr else { return None };
    let inner: &dyn std::any::Any = call.func.inner().as_ref();
    Some((inner.downcast_ref::<Branches>()?, call))
}

/// Nesting depth of CASE in an expression, counted up to `PLAIN_MAX`.
fn depth(expr: &Expr) -> usize {
    if branches(expr).is_some() {
        return PLAIN_MAX;
    }
    let mut deepest = 0;
    // The visitor below does not fail.
    let _ = expr.apply_children(|child| {
        deepest = deepest.max(depth(child));
        Ok(if deepest < PLAIN_MAX { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    });
    (deepest + usize::from(matches!(expr, Expr::Case(_)))).min(PLAIN_MAX)
}

/// `CASE [value] WHEN … THEN … ELSE otherwise END` of results of one kind.
pub(crate) fn case(value: Option<Expr>, whens: Vec<(Expr, Expr)>, otherwise: Expr, result: DatumType) -> Expr {
    let parts = whens.iter().flat_map(|(when, then)| [when, then]).chain(&value).chain([&otherwise]);
    let deep = parts.map(depth).max().unwrap_or(0) >= PLAIN_MAX;
    if !deep {
        let whens = whens.into_iter().map(|(when, then)| (Box::new(when), Box::new(then))).collect();
        return Expr::Case(Case::new(value.map(Box::new), whens, Some(Box::new(otherwise))));
    }
    let compares = value.is_some();
    let branches = whens.into_iter().flat_map(|(when, then)| [when, then]);
    let arguments: Vec<Expr> = value.into_iter().chain(branches).chain([otherwise]).collect();
    let udf = Branches {
        compares,
        result,
        label: label(CASE, &arguments),
        signature: Signature::any(arguments.len(), Volatility::Immutable),
    };
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(udf)), arguments))
}

/// True: the expression is a call made by [`case`].
pub(super) fn is_case(expr: &Expr) -> bool {
    branches(expr).is_some()
}

/// The CASE of a call made by [`case`]; None for any other expression.
pub(super) fn body(expr: &Expr) -> Option<Expr> {
    let (branches, call) = branches(expr)?;
    let (otherwise, rest) = call.args.split_last()?;
    let (value, rest) = if branches.compares { (rest.first(), rest.get(1..)?) } else { (None, rest) };
    let whens = rest.chunks_exact(2).map(|when| (Box::new(when[0].clone()), Box::new(when[1].clone())));
    let value = value.map(|value| Box::new(value.clone()));
    Some(Expr::Case(Case::new(value, whens.collect(), Some(Box::new(otherwise.clone())))))
}

impl ScalarUDFImpl for Branches {
    fn name(&self) -> &'static str {
        CASE
    }

    fn schema_name(&self, arguments: &[Expr]) -> Result<String> {
        if let Some(label) = &self.label {
            return Ok(label.clone());
        }
        let arguments: Vec<String> = arguments.iter().map(|argument| argument.schema_name().to_string()).collect();
        Ok(format!("CASE({})", arguments.join(",")))
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> Result<ArrowType> {
        Ok(self.result.arrow())
    }

    fn short_circuits(&self) -> bool {
        true
    }

    fn conditional_arguments<'a>(&self, args: &'a [Expr]) -> Option<(Vec<&'a Expr>, Vec<&'a Expr>)> {
        let always = if self.compares { 2 } else { 1 };
        Some((args[..always].iter().collect(), args[always..].iter().collect()))
    }

    /// Called on constants by the planner's simplification: if a branch fails the call stays as it is.
    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = args.args.iter().all(|argument| matches!(argument, ColumnarValue::Scalar(_)));
        let count = if constant { 1 } else { args.number_rows };
        let columns = args.args.iter().map(|argument| argument.to_array(count)).collect::<Result<Vec<_>>>()?;
        let fields = columns.iter().map(|column| Field::new("", column.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let mut parts = (0..columns.len()).map(|at| Arc::new(Column::new("", at)) as Arc<dyn PhysicalExpr>);
        let value = if self.compares { parts.next() } else { None };
        let parts: Vec<_> = parts.collect();
        let Some((otherwise, whens)) = parts.split_last() else {
            return Err(crate::error::to_datafusion(common::Error::bug("CASE without a branch")));
        };
        let whens = whens.chunks_exact(2).map(|when| (Arc::clone(&when[0]), Arc::clone(&when[1])));
        let case = CaseExpr::try_new(value, whens.collect(), Some(Arc::clone(otherwise)))?;
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        let batch = RecordBatch::try_new_with_options(schema, columns, &options)?;
        let value = case.evaluate(&batch)?.into_array(count)?;
        if constant {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&value, 0)?));
        }
        Ok(ColumnarValue::Array(value))
    }
}
