//! Timestamps of trace files: `2010-02-10 11:45:23.123`, local time.

use std::fmt;

use jiff::tz::Offset;

pub(super) struct Timestamp {
    /// Microseconds since 1970-01-01 UTC.
    pub(super) wall_us: u64,
    pub(super) utc_offset_seconds: i32,
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = Offset::from_seconds(self.utc_offset_seconds).unwrap_or(Offset::UTC);
        let time = jiff::Timestamp::from_microsecond(self.wall_us as i64).map(|time| offset.to_datetime(time));
        write!(f, "{}", time.unwrap_or_default().strftime("%Y-%m-%d %H:%M:%S.%3f"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(wall_us: u64, utc_offset_seconds: i32) -> String {
        Timestamp { wall_us, utc_offset_seconds }.to_string()
    }

    #[test]
    fn known_moments() {
        assert_eq!(text(0, 0), "1970-01-01 00:00:00.000");
        assert_eq!(text(951_782_400_123_456, 0), "2000-02-29 00:00:00.123");
        assert_eq!(text(1_735_689_599_999_999, 0), "2024-12-31 23:59:59.999");
        assert_eq!(text(1_735_689_599_999_999, 3600), "2025-01-01 00:59:59.999");
        assert_eq!(text(0, -3600), "1969-12-31 23:00:00.000");
    }
}
