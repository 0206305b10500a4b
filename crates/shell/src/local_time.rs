//! The time of day where the shell runs, for SET TIME and the date of a title.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Local time of a moment given in microseconds since 1970 UTC.
pub(crate) fn local_time(wall_us: u64) -> DateTime {
    let at = i64::try_from(wall_us).ok().and_then(|wall| Timestamp::from_microsecond(wall).ok());
    TimeZone::system().to_datetime(at.unwrap_or_default())
}

/// As `Tue Nov 24`.
pub(crate) fn date(wall_us: u64) -> String {
    local_time(wall_us).strftime("%a %b %d").to_string()
}

/// As `17:05:09`.
pub(crate) fn time(wall_us: u64) -> String {
    local_time(wall_us).strftime("%H:%M:%S").to_string()
}
