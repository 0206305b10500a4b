//! The value of a subquery that may return no row.
//!
//! DataFusion takes a subquery's value for not nullable when its column is not, and simplifies accordingly: `(select 1
//! from t where …) is null` would be false even where the subquery returns no row.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

#[derive(PartialEq, Eq, Hash, Debug)]
struct OrNull {
    signature: Signature,
}

/// The value, as a nullable column.
pub(crate) fn call(value: Expr) -> Expr {
    // Volatile, so that it is not folded into a constant, which would be not nullable again.
    let udf = OrNull { signature: Signature::any(1, Volatility::Volatile) };
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(udf)), vec![value]))
}

impl ScalarUDFImpl for OrNull {
    fn name(&self) -> &str {
        "OR_NULL"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[ArrowType]) -> Result<ArrowType> {
        Ok(arguments.first().cloned().unwrap_or(ArrowType::Null))
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match args.args.pop() {
            Some(value) => Ok(value),
            None => internal_err!("OR_NULL without a value"),
        }
    }
}
