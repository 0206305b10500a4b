//! `(a, b)` on the left of IN or a comparison, until the rewriting splits it.

use std::sync::Arc;

use common::Error;
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::error::to_datafusion;

#[derive(PartialEq, Eq, Hash, Debug)]
struct Tuple {
    /// The other side has at most one row.
    one_row: bool,
    signature: Signature,
}

/// Several values in place of one.
pub(crate) fn tuple(values: Vec<Expr>) -> Expr {
    call(false, values)
}

/// The values of an expression, to be compared with the only row of a subquery.
pub(crate) fn compared_with_one(expr: Expr) -> Expr {
    call(true, values(&expr))
}

fn call(one_row: bool, values: Vec<Expr>) -> Expr {
    let udf = Tuple { one_row, signature: Signature::any(values.len(), Volatility::Volatile) };
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(udf)), values))
}

fn found(expr: &Expr) -> Option<(&Tuple, &ScalarFunction)> {
    let Expr::ScalarFunction(call) = expr else { return None };
    let inner: &dyn std::any::Any = call.func.inner().as_ref();
    Some((inner.downcast_ref::<Tuple>()?, call))
}

/// The values in place of one.
pub(super) fn values(expr: &Expr) -> Vec<Expr> {
    found(expr).map_or_else(|| vec![expr.clone()], |(_, call)| call.args.clone())
}

/// True: the expression was made by [`compared_with_one`].
pub(super) fn is_compared_with_one(expr: &Expr) -> bool {
    found(expr).is_some_and(|(tuple, _)| tuple.one_row)
}

impl ScalarUDFImpl for Tuple {
    fn name(&self) -> &'static str {
        "TUPLE"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> datafusion::common::Result<ArrowType> {
        Ok(ArrowType::Null)
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> datafusion::common::Result<ColumnarValue> {
        Err(to_datafusion(Error::bug("a list of values was left in an expression")))
    }
}
