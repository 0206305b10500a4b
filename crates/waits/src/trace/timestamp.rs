//! Timestamps of trace files: `2010-02-10 11:45:23.123`, local time.

use std::fmt;

pub(super) struct Timestamp {
    /// Microseconds since 1970-01-01 UTC.
    pub(super) wall_us: u64,
    pub(super) utc_offset_seconds: i32,
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = (self.wall_us / 1000) % 1000;
        let seconds = (self.wall_us / 1_000_000) as i64 + i64::from(self.utc_offset_seconds);
        let (year, month, day) = civil(seconds.div_euclid(86_400));
        let second = seconds.rem_euclid(86_400);
        let (hour, minute) = (second / 3600, second / 60 % 60);
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{:02}.{millis:03}", second % 60)
    }
}

/// Year, month and day of a number of days since 1970-01-01, in the Gregorian calendar. Years are counted from March,
/// so that the leap day is the last of its year.
fn civil(days: i64) -> (i64, i64, i64) {
    const DAYS_OF_400_YEARS: i64 = 146_097;
    const FROM_YEAR_0_MARCH: i64 = 719_468;
    let days = days + FROM_YEAR_0_MARCH;
    let era = days.div_euclid(DAYS_OF_400_YEARS);
    let day_of_era = days.rem_euclid(DAYS_OF_400_YEARS);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
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

    #[test]
    fn days_follow_one_another() {
        let mut before = civil(-800_000);
        for day in -799_999..800_000 {
            let now = civil(day);
            let next_day = now == (before.0, before.1, before.2 + 1);
            let next_month = now == (before.0, before.1 + 1, 1) && before.2 >= 28;
            let next_year = now == (before.0 + 1, 1, 1) && before.1 == 12 && before.2 == 31;
            assert!(next_day || next_month || next_year, "{before:?} then {now:?}");
            before = now;
        }
    }
}
