//! Functions that queries call: the scalar library as DataFusion functions, and aggregates over NUMBER.

pub(crate) mod aggregate;
pub(crate) mod blank;
pub(crate) mod branches;
pub(crate) mod coalesce;
pub(crate) mod coercion;
pub(crate) mod condition;
pub(crate) mod evaluate;
pub(crate) mod integer;
pub(crate) mod library;
pub(crate) mod listagg;
pub(crate) mod moments;
pub(crate) mod not_null;
pub(crate) mod operators;
pub(crate) mod or_null;
pub(crate) mod packed;
pub(crate) mod parameter;
pub(crate) mod program;
#[cfg(test)]
mod reference;
pub(crate) mod rows;
pub(crate) mod sequence;
pub(crate) mod several_rows;
pub(crate) mod sum;

/// The planner's name of GROUPING and GROUPING_ID.
pub(crate) const GROUPING: &str = "grouping";
