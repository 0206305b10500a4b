//! Waits by kind: buffers by block class, enqueues, latches.

use serde::Serialize;

use crate::figure::Figure;

/// Waits for buffers of one block class. They include `read by other session`.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct BufferWait {
    pub class: String,
    pub waits: Option<f64>,
    pub total_s: Option<Figure>,
    pub average_ms: Option<Figure>,
}

/// A line of the enqueue activity.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Enqueue {
    /// "TX-Transaction (row lock contention)".
    pub name: String,
    pub requests: Option<f64>,
    pub gets: Option<f64>,
    pub failed: Option<f64>,
    pub waits: Option<f64>,
    pub total_s: Option<Figure>,
    pub average_ms: Option<Figure>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Latch {
    pub name: String,
    pub gets: Option<f64>,
    pub miss_percent: Option<f64>,
    pub misses: Option<f64>,
    pub sleeps: Option<f64>,
    pub spin_gets: Option<f64>,
    pub wait_s: Option<f64>,
    /// Requests in no-wait mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nowait_gets: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nowait_miss_percent: Option<f64>,
}

/// Code location of a latch miss.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct LatchMiss {
    pub latch: String,
    pub place: String,
    pub nowait_misses: Option<f64>,
    pub sleeps: Option<f64>,
    pub waiter_sleeps: Option<f64>,
}
