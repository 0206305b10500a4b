//! Conditions of the scalar library (LIKE, REGEXP_LIKE) as DataFusion functions that give a boolean.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use common::{Error, Result};
use datafusion::arrow::array::BooleanArray;
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use scalar::conditions::{self, Condition};
use scalar::{Context, Datum};

use super::rows::Argument;
use crate::error::to_datafusion;

pub(crate) struct LibraryCondition {
    condition: &'static Condition,
    context: Arc<dyn Context>,
    signature: Signature,
}

impl fmt::Debug for LibraryCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.condition.name)
    }
}

impl PartialEq for LibraryCondition {
    fn eq(&self, other: &Self) -> bool {
        self.condition.name == other.condition.name
    }
}

impl Eq for LibraryCondition {}

impl Hash for LibraryCondition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.condition.name.hash(state);
    }
}

/// The condition of this name over these arguments; None when the library has none.
pub(crate) fn call(name: &str, arguments: Vec<Expr>, context: &Arc<dyn Context>) -> Result<Option<Expr>> {
    let Some(condition) = conditions::lookup(name) else { return Ok(None) };
    if arguments.len() < condition.minimum_arguments {
        return Err(Error::user(938, format!("not enough arguments for {name}")));
    }
    if arguments.len() > condition.maximum_arguments {
        return Err(Error::user(939, format!("too many arguments for {name}")));
    }
    let signature = Signature::any(arguments.len(), Volatility::Immutable);
    let udf = LibraryCondition { condition, context: Arc::clone(context), signature };
    Ok(Some(Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(udf)), arguments))))
}

impl ScalarUDFImpl for LibraryCondition {
    fn name(&self) -> &str {
        self.condition.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> datafusion::common::Result<ArrowType> {
        Ok(ArrowType::Boolean)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> datafusion::common::Result<ColumnarValue> {
        self.evaluate(&args.args, args.number_rows).map_err(to_datafusion)
    }
}

impl LibraryCondition {
    /// The library's condition.
    pub(crate) fn condition(&self) -> &'static Condition {
        self.condition
    }

    fn evaluate(&self, arguments: &[ColumnarValue], rows: usize) -> Result<ColumnarValue> {
        let arguments = arguments.iter().map(Argument::new).collect::<Result<Vec<_>>>()?;
        let constant = arguments.iter().all(|argument| matches!(argument, Argument::Constant(_)));
        let count = if constant { 1 } else { rows };
        let mut values = vec![Datum::Null; arguments.len()];
        let mut results = Vec::with_capacity(count);
        for row in 0..count {
            for (value, argument) in values.iter_mut().zip(&arguments) {
                if row == 0 || !matches!(argument, Argument::Constant(_)) {
                    *value = argument.datum(row)?;
                }
            }
            results.push((self.condition.call)(&*self.context, &values)?);
        }
        Ok(if constant {
            ColumnarValue::Scalar(ScalarValue::Boolean(results[0]))
        } else {
            ColumnarValue::Array(Arc::new(BooleanArray::from(results)))
        })
    }
}
