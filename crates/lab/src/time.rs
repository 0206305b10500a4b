//! Times: counted in microseconds, shown in seconds.

/// Microseconds as seconds.
#[must_use]
pub(crate) fn seconds(us: u64) -> f64 {
    us as f64 / 1e6
}
