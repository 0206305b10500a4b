//! Sleeping and clocks.

use std::time::Duration;

use common::{Error, Result};
use scalar::Datum;
use waits::Event;

use super::number;
use crate::cursor::connection::Connection;

/// Poll interval of a sleep; the user may cancel in between.
const LOOK: Duration = Duration::from_millis(20);
const US: f64 = 1e6;

/// DBMS_LOCK.SLEEP: waits for `PL/SQL lock timer`.
pub(super) fn sleep(connection: &Connection, arguments: &[Datum]) -> Result<Datum> {
    let seconds = number(arguments, 0).filter(|seconds| *seconds >= 0.0);
    let seconds = seconds.ok_or_else(|| Error::user(29280, "invalid time to sleep"))?;
    let session = &connection.session;
    let meter = session.meter();
    let end_us = meter.clock().monotonic_us() + (seconds * US) as u64;
    meter.wait(Event::PlSqlLockTimer, [(seconds * 100.0) as u64, 0, 0], -1, || {
        loop {
            session.check_cancelled()?;
            let left = end_us.saturating_sub(meter.clock().monotonic_us());
            if left == 0 {
                return Ok(Datum::Null);
            }
            std::thread::sleep(Duration::from_micros(left).min(LOOK));
        }
    })
}

/// Hundredths of a second of a clock with an arbitrary start.
pub(super) fn get_time(connection: &Connection) -> Datum {
    Datum::integer((connection.session.meter().clock().monotonic_us() / 10_000) as i64)
}

/// Hundredths of a second of processor time of this session's thread.
pub(super) fn get_cpu_time(connection: &Connection) -> Datum {
    Datum::integer((connection.session.meter().clock().thread_cpu_us() / 10_000) as i64)
}
