//! Expressions without columns, evaluated at once: limits, and the rows of INSERT … VALUES.

use std::sync::Arc;

use common::{Error, Result};
use datafusion::arrow::datatypes::{Field, Schema};
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{ColumnarValue, Expr};
use datafusion::physical_expr::create_physical_expr;
use scalar::Datum;

use super::library::LibraryFunction;
use super::{coalesce, rows};
use crate::error::from_datafusion;

/// The value of an expression without columns.
pub(crate) fn scalar(expr: &Expr) -> Result<ScalarValue> {
    match expr {
        Expr::Literal(value, _) => return Ok(value.clone()),
        Expr::ScalarFunction(call) => {
            let inner: &dyn std::any::Any = call.func.inner().as_ref();
            if let Some(library) = inner.downcast_ref::<LibraryFunction>() {
                let arguments = call.args.iter().map(datum).collect::<Result<Vec<Datum>>>()?;
                let value = library.function.call(&*library.context, &arguments)?;
                return rows::to_scalar(&value, library.result);
            }
        }
        _ => {}
    }
    let schema = DFSchema::empty();
    let expr = coalesce::carried_out(expr.clone(), &schema).map_err(from_datafusion)?.data;
    let physical = create_physical_expr(&expr, &schema, &ExecutionProps::new(), &PhysicalPlanningContext::default())
        .map_err(from_datafusion)?;
    let options = RecordBatchOptions::new().with_row_count(Some(1));
    let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(Vec::<Field>::new())), vec![], &options)
        .map_err(|error| Error::bug(error.to_string()))?;
    match physical.evaluate(&batch).map_err(from_datafusion)? {
        ColumnarValue::Scalar(value) => Ok(value),
        ColumnarValue::Array(array) => ScalarValue::try_from_array(&array, 0).map_err(from_datafusion),
    }
}

pub(crate) fn datum(expr: &Expr) -> Result<Datum> {
    rows::from_scalar(&scalar(expr)?)
}

/// The bytes of a NUMBER; None for NULL.
pub(crate) fn number(expr: &Expr) -> Result<Option<Vec<u8>>> {
    match scalar(expr)? {
        ScalarValue::Binary(bytes) => Ok(bytes),
        value if value.is_null() => Ok(None),
        other => Err(Error::bug(format!("a NUMBER of type {}", other.data_type()))),
    }
}
