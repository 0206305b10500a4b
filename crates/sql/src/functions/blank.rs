//! Values without their trailing blanks, as a blank-padded comparison uses them.
//!
//! Two padded values are equal exactly when they are equal without trailing blanks; order differs only where a value
//! goes on, after the end of the other, with a control character.

use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, LargeStringBuilder};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::plan::bound::Bound;

#[derive(PartialEq, Eq, Hash, Debug)]
pub(crate) struct BlankTrim {
    signature: Signature,
}

/// A CHAR value without its trailing blanks; a literal is trimmed at once.
pub(crate) fn trim(value: Bound) -> Expr {
    if let Expr::Literal(ScalarValue::LargeUtf8(Some(text)), _) = &value.expr {
        return Expr::Literal(ScalarValue::LargeUtf8(Some(text.trim_end_matches(' ').to_owned())), None);
    }
    let udf = BlankTrim { signature: Signature::any(1, Volatility::Immutable) };
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(udf)), vec![value.expr]))
}

impl ScalarUDFImpl for BlankTrim {
    fn name(&self) -> &str {
        "BLANK_TRIM"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> datafusion::common::Result<ArrowType> {
        Ok(ArrowType::LargeUtf8)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> datafusion::common::Result<ColumnarValue> {
        match &args.args[0] {
            ColumnarValue::Scalar(ScalarValue::LargeUtf8(text)) => Ok(ColumnarValue::Scalar(ScalarValue::LargeUtf8(
                text.as_ref().map(|text| text.trim_end_matches(' ').to_owned()),
            ))),
            other => {
                let array = cast(&other.to_array(args.number_rows)?, &ArrowType::LargeUtf8)?;
                let texts = array.as_string::<i64>();
                let mut builder = LargeStringBuilder::with_capacity(texts.len(), texts.value_data().len());
                for row in 0..texts.len() {
                    builder.append_option(texts.is_valid(row).then(|| texts.value(row).trim_end_matches(' ')));
                }
                Ok(ColumnarValue::Array(Arc::new(builder.finish())))
            }
        }
    }
}
