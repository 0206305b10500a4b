//! Clusters and storage cells.

use serde::Serialize;

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

/// A figure of the Exadata sections.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct CellFigure {
    pub group: String,
    pub cell: Option<String>,
    pub name: String,
    pub value: Option<f64>,
}
