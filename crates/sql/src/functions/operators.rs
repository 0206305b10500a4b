//! A chain of operators as one call: `a + b - c …`, evaluated from the left.
//!
//! As nested calls, a chain of n operators is a tree of n levels. The planner asks every level for the name and the
//! type of each level below it, in quadratic time. The operands of one call are on one level.

use std::sync::Arc;

use common::Result;
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use scalar::{Context, DatumType, Function};

use super::library::{LibraryFunction, digest, operator};
use crate::error::to_datafusion;
use crate::types::ArrowForm;

/// The name of the call.
const NAME: &str = "OPERATORS";

/// A chain of operators under construction.
pub(crate) struct Row<'c> {
    context: &'c Arc<dyn Context>,
    /// Each takes the result of those before it, and its own operand.
    operators: Vec<LibraryFunction>,
    operands: Vec<Expr>,
    kind: DatumType,
}

impl<'c> Row<'c> {
    pub(crate) fn new(first: Expr, kind: DatumType, context: &'c Arc<dyn Context>) -> Self {
        Self { context, operators: Vec::new(), operands: vec![first], kind }
    }

    /// The kind of the result so far.
    pub(crate) fn kind(&self) -> DatumType {
        self.kind
    }

    /// Adds an operator and its right operand.
    ///
    /// # Errors
    /// When the operator does not take values of these kinds.
    pub(crate) fn push(&mut self, name: &str, operand: Expr, kind: DatumType) -> Result<()> {
        let next = operator(name, [self.kind, kind], self.context)?;
        self.kind = next.result;
        self.operators.push(next);
        self.operands.push(operand);
        Ok(())
    }

    /// The chain as one call.
    pub(crate) fn call(self) -> Expr {
        let mut text = String::new();
        for operator in &self.operators {
            text.push_str(operator.function.name);
        }
        for operand in &self.operands {
            text.push(' ');
            text.push_str(&operand.schema_name().to_string());
        }
        let udf = Operators {
            label: digest(NAME, &text),
            signature: Signature::any(self.operands.len(), Volatility::Immutable),
            operators: self.operators,
            result: self.kind,
        };
        Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::new_from_impl(udf)), self.operands))
    }
}

/// The function of a chain.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(crate) struct Operators {
    operators: Vec<LibraryFunction>,
    result: DatumType,
    /// The planner's name of the chain.
    label: String,
    signature: Signature,
}

impl Operators {
    /// Its operators with the types of their results, from the left.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&'static Function, DatumType)> + '_ {
        self.operators.iter().map(|operator| (operator.function, operator.result))
    }

    /// The chain as text, from its operands' texts.
    pub(crate) fn shown(&self, operands: &[String]) -> String {
        let mut operands = operands.iter();
        let mut text = operands.next().cloned().unwrap_or_default();
        for (operator, operand) in self.operators.iter().zip(operands) {
            text.push_str(operator.function.name);
            text.push_str(operand);
        }
        text
    }
}

impl ScalarUDFImpl for Operators {
    fn name(&self) -> &'static str {
        NAME
    }

    fn schema_name(&self, _: &[Expr]) -> datafusion::common::Result<String> {
        Ok(self.label.clone())
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> datafusion::common::Result<ArrowType> {
        Ok(self.result.arrow())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> datafusion::common::Result<ColumnarValue> {
        let mut operands = args.args.into_iter();
        let Some(mut value) = operands.next() else {
            return Err(to_datafusion(common::Error::bug("a row of operators without an operand")));
        };
        for (operator, operand) in self.operators.iter().zip(operands) {
            value = operator.evaluate(&[value, operand], args.number_rows).map_err(to_datafusion)?;
        }
        Ok(value)
    }
}
