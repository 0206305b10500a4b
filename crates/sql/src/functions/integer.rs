//! DataFusion's own counts (COUNT, ROW_NUMBER, RANK …) as NUMBER.

use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, BinaryBuilder, Int64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType as ArrowType, Int64Type};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use format::number;

#[derive(PartialEq, Eq, Hash, Debug)]
pub(crate) struct ToNumber {
    signature: Signature,
}

/// An Arrow integer or float as NUMBER.
pub(crate) fn to_number(expr: Expr) -> Expr {
    let udf = ToNumber { signature: Signature::any(1, Volatility::Immutable) };
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(udf)), vec![expr]))
}

/// True: the call is one of [`to_number`].
pub(crate) fn is_to_number(call: &ScalarFunction) -> bool {
    let inner: &dyn std::any::Any = call.func.inner().as_ref();
    inner.is::<ToNumber>()
}

impl ScalarUDFImpl for ToNumber {
    fn name(&self) -> &str {
        "ARROW_TO_NUMBER"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> datafusion::common::Result<ArrowType> {
        Ok(ArrowType::Binary)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> datafusion::common::Result<ColumnarValue> {
        let scalar = matches!(args.args[0], ColumnarValue::Scalar(_));
        let array = args.args[0].to_array(if scalar { 1 } else { args.number_rows })?;
        let mut builder = BinaryBuilder::with_capacity(array.len(), array.len() * 4);
        if array.data_type().is_floating() {
            let floats = cast(&array, &ArrowType::Float64)?;
            let floats = floats.as_primitive::<datafusion::arrow::datatypes::Float64Type>();
            for row in 0..floats.len() {
                let number = if floats.is_valid(row) { number::encode_f64(floats.value(row)) } else { None };
                builder.append_option(number.as_ref().map(|bytes| &bytes[..]));
            }
        } else {
            let integers = cast(&array, &ArrowType::Int64)?;
            let integers: &Int64Array = integers.as_primitive::<Int64Type>();
            for row in 0..integers.len() {
                if integers.is_valid(row) {
                    builder.append_value(&number::encode_i64(integers.value(row))[..]);
                } else {
                    builder.append_null();
                }
            }
        }
        let numbers = builder.finish();
        Ok(if scalar {
            ColumnarValue::Scalar(ScalarValue::Binary(numbers.is_valid(0).then(|| numbers.value(0).to_vec())))
        } else {
            ColumnarValue::Array(Arc::new(numbers))
        })
    }
}
