//! Activity of the instance: load profile, time model, statistics, undo, parameters.

use serde::Serialize;

use crate::figure::Figure;

/// A line of the load profile, under one name for all releases: "Redo size" (bytes), "Logical reads", "Physical reads"
/// (blocks), …
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct LoadLine {
    pub name: String,
    pub per_second: Option<f64>,
    pub per_transaction: Option<f64>,
    pub per_execution: Option<f64>,
    pub per_call: Option<f64>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct TimeModelLine {
    pub name: String,
    pub seconds: Option<Figure>,
    pub percent: Option<f64>,
}

/// A statistic of V$SYSSTAT in its own unit.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Statistic {
    /// The full name where the printed one was cut and only one known statistic fits.
    pub name: String,
    pub cut: bool,
    /// Difference over the window. None when it was printed as `####` and cannot be had from the rate.
    pub total: Option<f64>,
    pub begin: Option<f64>,
    pub per_second: Option<f64>,
    pub per_transaction: Option<f64>,
}

/// The window's undo, all undo tablespaces together.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct UndoSummary {
    /// Where it is of one tablespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tablespace_number: Option<f64>,
    pub blocks: Option<f64>,
    pub transactions: Option<f64>,
    pub longest_query_s: Option<f64>,
    pub concurrent_transactions_max: Option<f64>,
    pub retention_min_s: Option<f64>,
    pub retention_max_s: Option<f64>,
    pub snapshot_too_old: Option<f64>,
    pub out_of_space: Option<f64>,
    pub unexpired_stolen: Option<f64>,
    pub unexpired_released: Option<f64>,
    pub unexpired_reused: Option<f64>,
    pub expired_stolen: Option<f64>,
    pub expired_released: Option<f64>,
    pub expired_reused: Option<f64>,
}

/// Ten minutes of it.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct UndoInterval {
    pub end: String,
    pub figures: UndoSummary,
}

/// A namespace of the library cache.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct LibraryCacheLine {
    pub namespace: String,
    pub gets: Option<f64>,
    pub get_miss_percent: Option<f64>,
    pub pins: Option<f64>,
    pub pin_miss_percent: Option<f64>,
    pub reloads: Option<f64>,
    pub invalidations: Option<f64>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Parameter {
    pub name: String,
    pub value: String,
    /// Printed only where it differs.
    pub end: Option<String>,
    pub container: Option<String>,
}
