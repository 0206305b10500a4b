//! ORA-01427, raised by the row whose subquery gives several rows.

use common::Error;
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use std::sync::Arc;

use crate::error::to_datafusion;

#[derive(PartialEq, Eq, Hash, Debug)]
pub(crate) struct SeveralRows {
    signature: Signature,
}

/// An expression of the type of `like` that fails when evaluated for a row.
pub(crate) fn call(like: &Expr) -> Expr {
    let udf = SeveralRows { signature: Signature::any(1, Volatility::Volatile) };
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(udf)), vec![like.clone()]))
}

impl ScalarUDFImpl for SeveralRows {
    fn name(&self) -> &str {
        "SEVERAL_ROWS"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, arguments: &[ArrowType]) -> datafusion::common::Result<ArrowType> {
        Ok(arguments.first().cloned().unwrap_or(ArrowType::Utf8))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> datafusion::common::Result<ColumnarValue> {
        if args.number_rows == 0 {
            return Ok(args.args[0].clone());
        }
        Err(to_datafusion(Error::user(1427, "single-row subquery returns more than one row")))
    }
}
