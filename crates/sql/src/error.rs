//! Conversion of errors into DataFusion's and back.

use common::{Error, ErrorKind, Number};
use datafusion::common::DataFusionError;

/// True: the planner failed on a subquery that it could turn into neither a join nor a value.
pub(crate) fn is_about_subquery(error: &DataFusionError) -> bool {
    let (DataFusionError::NotImplemented(text) | DataFusionError::Plan(text) | DataFusionError::Internal(text)) =
        error.find_root()
    else {
        return false;
    };
    [
        "ScalarSubquery",
        "InSubquery",
        "Exists",
        "SetComparison",
        "OuterReferenceColumn",
        "outer_ref",
        "orrelated",
        "null_aware",
    ]
    .iter()
    .any(|sign| text.contains(sign))
}

/// Wraps an error in DataFusion's.
pub(crate) fn to_datafusion(error: Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// Unwraps an error from DataFusion's; DataFusion's own errors become HW-0061.
pub(crate) fn from_datafusion(error: DataFusionError) -> Error {
    let root = error.find_root();
    if let DataFusionError::External(inner) = root
        && let Some(ours) = inner.downcast_ref::<Error>()
    {
        return ours.clone();
    }
    match root {
        DataFusionError::ResourcesExhausted(text) => {
            Error::new(ErrorKind::OutOfResource, Number::Ora(4030), format!("out of process memory: {text}"))
        }
        DataFusionError::NotImplemented(text) => Error::unsupported(text),
        DataFusionError::ArrowError(inner, _) => match &**inner {
            datafusion::arrow::error::ArrowError::ExternalError(inner) => inner
                .downcast_ref::<Error>()
                .cloned()
                .unwrap_or_else(|| Error::own(ErrorKind::Bug, 61, format!("query engine: {inner}"))),
            other => Error::own(ErrorKind::Bug, 61, format!("query engine: {other}")),
        },
        DataFusionError::Execution(text) if text.contains("one row") || text.contains("more than one") => {
            Error::user(1427, "single-row subquery returns more than one row")
        }
        other => {
            let text = other.strip_backtrace();
            let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            Error::own(ErrorKind::Bug, 61, format!("query engine: {}", lines.join(" ")))
        }
    }
}
