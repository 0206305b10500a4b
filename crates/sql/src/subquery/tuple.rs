//! `(a, b)` on the left of IN, until the rewriting takes it apart.

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
    signature: Signature,
}

/// Several values in the place of one.
pub(crate) fn tuple(values: Vec<Expr>) -> Expr {
    let udf = Tuple { signature: Signature::any(values.len(), Volatility::Volatile) };
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(udf)), values))
}

/// The values that stand in the place of one.
pub(super) fn values(expr: &Expr) -> Vec<Expr> {
    if let Expr::ScalarFunction(call) = expr {
        let inner: &dyn std::any::Any = call.func.inner().as_ref();
        if inner.is::<Tuple>() {
            return call.args.clone();
        }
    }
    vec![expr.clone()]
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
