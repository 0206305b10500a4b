//! A bind variable in a plan that is executed again: a function without arguments, whose value the execution gives.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use scalar::DatumType;

use super::rows;
use crate::error::to_datafusion;
use crate::plan::parameter::{self, Parameters};
use crate::types::{ArrowForm, of_arrow};

pub(crate) struct BindVariable {
    position: usize,
    name: String,
    kind: DatumType,
    parameters: Arc<Parameters>,
    signature: Signature,
}

impl BindVariable {
    /// Its name, with the colon.
    pub(crate) fn shown(&self) -> String {
        format!(":{}", self.name)
    }
}

impl fmt::Debug for BindVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl PartialEq for BindVariable {
    fn eq(&self, other: &Self) -> bool {
        self.position == other.position && self.kind == other.kind
    }
}

impl Eq for BindVariable {}

impl Hash for BindVariable {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.position.hash(state);
    }
}

impl ScalarUDFImpl for BindVariable {
    fn name(&self) -> &'static str {
        "BIND_VARIABLE"
    }

    fn schema_name(&self, _: &[Expr]) -> Result<String> {
        Ok(self.shown())
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> Result<ArrowType> {
        Ok(self.kind.arrow())
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let values = self.parameters.values();
        let value = values.get(self.position).ok_or_else(|| {
            to_datafusion(common::Error::user(1008, format!("not all variables bound: {}", self.shown())))
        })?;
        let value: ScalarValue = rows::to_scalar(value, self.kind).map_err(to_datafusion)?;
        Ok(ColumnarValue::Scalar(value))
    }
}

/// The plan with its parameters as calls, but for those in the conditions of scans: the scans bind them.
///
/// # Errors
/// ORA-00600 for a parameter that has no type.
pub(crate) fn as_calls(plan: LogicalPlan, parameters: &Arc<Parameters>) -> Result<LogicalPlan> {
    plan.transform_up(|node| {
        if matches!(node, LogicalPlan::TableScan(_)) {
            return Ok(Transformed::no(node));
        }
        node.map_expressions(|expr| {
            expr.transform_up(|expr| {
                let Expr::Placeholder(placeholder) = &expr else { return Ok(Transformed::no(expr)) };
                let kind = placeholder.field.as_ref().and_then(|field| of_arrow(field.data_type()));
                let (Some(kind), Some(position)) = (kind, parameter::position(placeholder)) else {
                    return Err(to_datafusion(common::Error::bug("a parameter without a type")));
                };
                let variable = BindVariable {
                    position,
                    name: parameter::name(placeholder).to_owned(),
                    kind,
                    parameters: Arc::clone(parameters),
                    signature: Signature::nullary(Volatility::Volatile),
                };
                let udf = Arc::new(ScalarUDF::new_from_impl(variable));
                Ok(Transformed::yes(Expr::ScalarFunction(ScalarFunction::new_udf(udf, Vec::new()))))
            })
        })
    })
    .map(|transformed| transformed.data)
}
