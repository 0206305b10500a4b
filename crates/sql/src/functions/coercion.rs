//! Conversions between kinds: implicit ones, and CAST.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use common::{DataType, Error, Result};
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use scalar::coerce::coerce;
use scalar::{Context, Datum, DatumType, load, store};

use super::rows;
use crate::error::to_datafusion;
use crate::types::ArrowForm;

/// The name of the call.
const NAME: &str = "CONVERT";

/// Target of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Target {
    Type(DatumType),
    /// CAST: a value of a column of this type.
    Column(DataType),
}

#[derive(Clone)]
pub(crate) struct Conversion {
    target: Target,
    result: DatumType,
    context: Arc<dyn Context>,
    signature: Signature,
}

impl fmt::Debug for Conversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "convert to {:?}", self.target)
    }
}

impl PartialEq for Conversion {
    fn eq(&self, other: &Self) -> bool {
        self.target == other.target
    }
}

impl Eq for Conversion {}

impl Hash for Conversion {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.target.hash(state);
    }
}

fn build(expr: Expr, target: Target, result: DatumType, context: &Arc<dyn Context>) -> Expr {
    let conversion = Conversion {
        target,
        result,
        context: Arc::clone(context),
        signature: Signature::any(1, Volatility::Immutable),
    };
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(conversion)), vec![expr]))
}

/// `expr` as `to`. A literal is converted at once; if that fails, the error waits until a row needs the value.
pub(crate) fn call(expr: Expr, to: DatumType, context: &Arc<dyn Context>) -> Expr {
    if let Expr::Literal(value, _) = &expr
        && let Ok(converted) = convert_scalar(value, to, context)
    {
        return Expr::Literal(converted, None);
    }
    build(expr, Target::Type(to), to, context)
}

fn convert_scalar(
    value: &datafusion::common::ScalarValue,
    to: DatumType,
    context: &Arc<dyn Context>,
) -> Result<datafusion::common::ScalarValue> {
    let converted = coerce(&**context, &rows::from_scalar(value)?, to)?;
    rows::to_scalar(&converted, to)
}

/// CAST to a declared type.
pub(crate) fn cast(expr: Expr, target: DataType, context: &Arc<dyn Context>) -> Expr {
    build(expr, Target::Column(target), DatumType::from(target), context)
}

impl ScalarUDFImpl for Conversion {
    fn name(&self) -> &str {
        NAME
    }

    fn schema_name(&self, args: &[Expr]) -> datafusion::common::Result<String> {
        Ok(format!("{self:?}({})", args.first().map(|e| e.schema_name().to_string()).unwrap_or_default()))
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> datafusion::common::Result<ArrowType> {
        Ok(self.result.arrow())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> datafusion::common::Result<ColumnarValue> {
        rows::map(&args.args, args.number_rows, self.result, |values| self.convert(&values[0])).map_err(to_datafusion)
    }
}

impl Conversion {
    /// Its name in plans.
    pub(crate) fn shown(&self) -> &'static str {
        NAME
    }

    /// The type of its result.
    pub(crate) fn result(&self) -> DatumType {
        self.result
    }

    fn convert(&self, value: &Datum) -> Result<Datum> {
        self.convert_in(&*self.context, value)
    }

    /// The converted value, in another statement's context.
    pub(crate) fn convert_in(&self, context: &dyn Context, value: &Datum) -> Result<Datum> {
        match self.target {
            Target::Type(kind) => coerce(context, value, kind),
            Target::Column(data_type) => {
                let mut bytes = Vec::new();
                let shortened;
                let value = match (value, data_type) {
                    // CAST to a shorter character type truncates.
                    (
                        Datum::Varchar2(text) | Datum::Char(text),
                        DataType::Varchar2 { bytes } | DataType::Char { bytes },
                    ) if text.len() > usize::from(bytes) => {
                        let mut end = usize::from(bytes);
                        while !text.is_char_boundary(end) {
                            end -= 1;
                        }
                        shortened = Datum::varchar2(&text[..end]);
                        &shortened
                    }
                    (value, _) => value,
                };
                let stored = store(context, value, data_type, "CAST", &mut bytes)?;
                load(stored.then_some(bytes.as_slice()), data_type).map_err(|error| Error::bug(error.text))
            }
        }
    }
}
