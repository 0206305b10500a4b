//! Clusters and storage cells.

use serde::Serialize;

use crate::figure::Figure;

/// A figure of the cluster sections, under the name that is printed: "Avg global cache cr block receive time (ms)".
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct RacFigure {
    /// The section or table it stands in.
    pub group: String,
    pub name: String,
    pub value: Option<f64>,
    pub per_second: Option<f64>,
    pub per_transaction: Option<f64>,
}

/// Messages between the instance and a storage cell, of our own reports.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct StorageCell {
    /// Its name.
    pub cell: String,
    /// Requests for blocks.
    pub reads: Option<f64>,
    /// Requests that bring blocks.
    pub writes: Option<f64>,
    /// Requests for scans.
    pub scans: Option<f64>,
    /// MB of all requests.
    pub sent_mb: Option<Figure>,
    /// MB of all answers.
    pub received_mb: Option<Figure>,
}

/// A figure of the Exadata sections.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct CellFigure {
    pub group: String,
    pub cell: Option<String>,
    pub name: String,
    pub value: Option<f64>,
}
