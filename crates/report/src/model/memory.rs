//! Caches, SGA and PGA.

use serde::Serialize;

/// Cache sizes in bytes; `end` only where it differs.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct CacheSizes {
    pub buffer_cache_bytes: Option<f64>,
    pub buffer_cache_end_bytes: Option<f64>,
    pub shared_pool_bytes: Option<f64>,
    pub shared_pool_end_bytes: Option<f64>,
    pub block_bytes: Option<f64>,
    pub log_buffer_bytes: Option<f64>,
}

/// A line of the memory statistics, as printed: "SGA use (MB)".
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct MemoryStatistic {
    pub name: String,
    pub begin: Option<f64>,
    pub end: Option<f64>,
}

/// The PGA at one end of the window; megabytes.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct PgaTarget {
    /// "B" or "E".
    pub which: String,
    pub target_mb: Option<f64>,
    pub automatic_target_mb: Option<f64>,
    pub allocated_mb: Option<f64>,
    pub work_areas_mb: Option<f64>,
    /// Share of the allocated memory that work areas have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_areas_percent: Option<f64>,
    /// Share of the work areas' memory that is sized automatically, and by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub automatic_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manual_percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global_bound_kb: Option<f64>,
}

/// Activity of work areas over the window.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct PgaWork {
    /// Share of the work that needed no temporary segment.
    pub cache_hit_percent: Option<f64>,
    pub processed_mb: Option<f64>,
    pub extra_mb: Option<f64>,
}

/// Work areas of one range of sizes.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct PgaHistogramLine {
    pub low_bytes: Option<f64>,
    pub high_bytes: Option<f64>,
    pub executions: Option<f64>,
    pub optimal: Option<f64>,
    pub one_pass: Option<f64>,
    pub multi_pass: Option<f64>,
}
