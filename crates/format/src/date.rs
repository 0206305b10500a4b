//! DATE and TIMESTAMP as bytes, and the calendar they count by.
//!
//! ```text
//! byte  0        1            2      3    4         5           6           7..11 (TIMESTAMP)
//!       century  year of it   month  day  hour + 1  minute + 1  second + 1  nanoseconds, big-endian
//!       + 100    + 100
//! ```
//!
//! A TIMESTAMP without a fraction is stored in 7 bytes. Dates after the year 1 sort by their bytes, and so do
//! timestamps.
//!
//! Years run from -4712 to 9999 without a year 0. Up to 4 October 1582 the calendar is the Julian one, from 15 October
//! 1582 on the Gregorian; the ten days between do not exist.

use common::{Error, Result};

pub const DATE_BYTES: usize = 7;
pub const TIMESTAMP_BYTES: usize = 11;
pub const YEAR_MIN: i32 = -4712;
pub const YEAR_MAX: i32 = 9999;

const SECONDS_PER_DAY: i64 = 86_400;
/// Julian day number of 1970-01-01.
const UNIX_EPOCH_DAY: i64 = 2_440_588;
/// Julian day number of 15 October 1582.
const GREGORIAN_START: i64 = 2_299_161;

/// A point in time by its parts; `nanosecond` is 0 in a DATE.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DateTime {
    /// Never 0; negative before the common era.
    pub year: i32,
    pub month: u8,
    pub day: u8,
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
    pub nanosecond: u32,
}

impl DateTime {
    /// Midnight of a day; the parts are not checked.
    #[must_use]
    pub const fn midnight(year: i32, month: u8, day: u8) -> Self {
        Self { year, month, day, hour: 0, minute: 0, second: 0, nanosecond: 0 }
    }

    /// # Errors
    /// The number of the first part that is out of range: ORA-01841 year, 01843 month, 01847 day, 01839 day in this
    /// month, 01850 hour, 01851 minute, 01852 second.
    pub fn check(&self) -> Result<()> {
        if self.year == 0 || !(YEAR_MIN..=YEAR_MAX).contains(&self.year) {
            return Err(Error::user(1841, "year must be between -4712 and 9999 and not be 0"));
        }
        if !(1..=12).contains(&self.month) {
            return Err(Error::user(1843, "not a valid month"));
        }
        if !(1..=31).contains(&self.day) {
            return Err(Error::user(1847, "day of month must be between 1 and the last day of the month"));
        }
        if self.day > last_day(self.year, self.month) {
            return Err(Error::user(1839, "the month has no such day"));
        }
        if self.hour > 23 {
            return Err(Error::user(1850, "hour must be between 0 and 23"));
        }
        if self.minute > 59 {
            return Err(Error::user(1851, "minutes must be between 0 and 59"));
        }
        if self.second > 59 {
            return Err(Error::user(1852, "seconds must be between 0 and 59"));
        }
        Ok(())
    }

    #[must_use]
    pub fn julian_day(&self) -> i64 {
        julian_day(self.year, self.month, self.day)
    }

    /// Seconds since midnight.
    #[must_use]
    pub fn second_of_day(&self) -> i64 {
        i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second)
    }

    /// Seconds since the Julian day 0, at midnight.
    #[must_use]
    pub fn seconds(&self) -> i64 {
        self.julian_day() * SECONDS_PER_DAY + self.second_of_day()
    }

    /// # Errors
    /// ORA-01841 outside of the years -4712 to 9999.
    pub fn from_seconds(seconds: i64) -> Result<Self> {
        let (year, month, day) = from_julian_day(seconds.div_euclid(SECONDS_PER_DAY))?;
        let rest = seconds.rem_euclid(SECONDS_PER_DAY);
        Ok(Self {
            year,
            month,
            day,
            hour: (rest / 3600) as u8,
            minute: (rest / 60 % 60) as u8,
            second: (rest % 60) as u8,
            nanosecond: 0,
        })
    }

    /// Seconds since 1970-01-01 00:00:00, without any time zone.
    #[must_use]
    pub fn unix_seconds(&self) -> i64 {
        self.seconds() - UNIX_EPOCH_DAY * SECONDS_PER_DAY
    }

    /// # Errors
    /// ORA-01841 outside of the years -4712 to 9999.
    pub fn from_unix_seconds(seconds: i64) -> Result<Self> {
        Self::from_seconds(seconds.saturating_add(UNIX_EPOCH_DAY * SECONDS_PER_DAY))
    }

    /// Microseconds since 1970-01-01 00:00:00.
    ///
    /// # Errors
    /// ORA-01841 outside of the years -4712 to 9999.
    pub fn from_unix_micros(micros: i64) -> Result<Self> {
        let mut date = Self::from_unix_seconds(micros.div_euclid(1_000_000))?;
        date.nanosecond = micros.rem_euclid(1_000_000) as u32 * 1000;
        Ok(date)
    }

    /// The DATE bytes: the fraction is dropped.
    #[must_use]
    pub fn date(&self) -> [u8; DATE_BYTES] {
        [
            (100 + self.year / 100) as u8,
            (100 + self.year % 100) as u8,
            self.month,
            self.day,
            self.hour + 1,
            self.minute + 1,
            self.second + 1,
        ]
    }

    /// The TIMESTAMP bytes at full length; [`stored`] is what a column holds.
    #[must_use]
    pub fn timestamp(&self) -> [u8; TIMESTAMP_BYTES] {
        let mut bytes = [0; TIMESTAMP_BYTES];
        bytes[..DATE_BYTES].copy_from_slice(&self.date());
        bytes[DATE_BYTES..].copy_from_slice(&self.nanosecond.to_be_bytes());
        bytes
    }
}

/// The bytes of a DATE.
///
/// # Errors
/// Errors of [`DateTime::check`].
pub fn encode(year: i32, month: u8, day: u8, hour: u8, minute: u8, second: u8) -> Result<[u8; DATE_BYTES]> {
    let date = DateTime { year, month, day, hour, minute, second, nanosecond: 0 };
    date.check()?;
    Ok(date.date())
}

/// Decodes a DATE (7 bytes) or TIMESTAMP (7 or 11 bytes); other lengths give the parts that are there. Bytes from disk
/// must have passed [`is_valid`].
#[must_use]
pub fn decode(bytes: &[u8]) -> DateTime {
    let at = |i: usize| bytes.get(i).copied().unwrap_or(1);
    let nanosecond = match bytes.get(DATE_BYTES..TIMESTAMP_BYTES) {
        Some(&[a, b, c, d]) => u32::from_be_bytes([a, b, c, d]),
        _ => 0,
    };
    DateTime {
        year: (i32::from(at(0)) - 100) * 100 + i32::from(at(1)) - 100,
        month: at(2),
        day: at(3),
        hour: at(4).wrapping_sub(1),
        minute: at(5).wrapping_sub(1),
        second: at(6).wrapping_sub(1),
        nanosecond,
    }
}

/// True: these bytes are a DATE (7) or a TIMESTAMP (7, or 11 with a fraction that is not zero).
#[must_use]
pub fn is_valid(bytes: &[u8]) -> bool {
    if bytes.len() != DATE_BYTES && bytes.len() != TIMESTAMP_BYTES {
        return false;
    }
    let date = decode(bytes);
    let fraction = bytes.len() == DATE_BYTES || (1..1_000_000_000).contains(&date.nanosecond);
    // Encoding again finds a century and a year of different signs.
    fraction && date.check().is_ok() && date.date() == bytes[..DATE_BYTES]
}

/// The stored form of a TIMESTAMP: 7 bytes when the fraction is zero, else all 11.
#[must_use]
pub fn stored(timestamp: &[u8; TIMESTAMP_BYTES]) -> &[u8] {
    if timestamp[DATE_BYTES..] == [0; 4] { &timestamp[..DATE_BYTES] } else { timestamp }
}

/// The full 11 bytes of a stored TIMESTAMP (or of a DATE).
#[must_use]
pub fn widen(bytes: &[u8]) -> [u8; TIMESTAMP_BYTES] {
    let mut wide = [0; TIMESTAMP_BYTES];
    let length = bytes.len().min(TIMESTAMP_BYTES);
    wide[..length].copy_from_slice(&bytes[..length]);
    wide
}

fn is_leap(year: i32) -> bool {
    let year = astronomical(year);
    year % 4 == 0 && (year <= 1582 || year % 100 != 0 || year % 400 == 0)
}

/// The year before 1 is 0 here, the one before that -1.
fn astronomical(year: i32) -> i32 {
    if year < 0 { year + 1 } else { year }
}

/// The last day of a month, 28 to 31.
#[must_use]
pub fn last_day(year: i32, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// The Julian day number of a day; days of the gap in October 1582 count on from the 4th.
#[must_use]
pub fn julian_day(year: i32, month: u8, day: u8) -> i64 {
    // Years begin in March here, so that the leap day comes last.
    let month = i64::from(month);
    let shift = (14 - month) / 12;
    let y = i64::from(astronomical(year)) + 4800 - shift;
    let m = month + 12 * shift - 3;
    let days = i64::from(day) + (153 * m + 2) / 5 + 365 * y + y.div_euclid(4);
    let gregorian = days - y.div_euclid(100) + y.div_euclid(400) - 32_045;
    if gregorian >= GREGORIAN_START { gregorian } else { days - 32_083 }
}

/// Year, month and day of a Julian day number.
///
/// # Errors
/// ORA-01841 outside of the years -4712 to 9999.
pub fn from_julian_day(day: i64) -> Result<(i32, u8, u8)> {
    let outside = || Error::user(1841, "year must be between -4712 and 9999 and not be 0");
    if !(0..=5_373_484).contains(&day) {
        return Err(outside());
    }
    let (century_years, rest) = if day >= GREGORIAN_START {
        let a = day + 32_044;
        let centuries = (4 * a + 3) / 146_097;
        (100 * centuries, a - 146_097 * centuries / 4)
    } else {
        (0, day + 32_082)
    };
    let years = (4 * rest + 3) / 1461;
    let of_year = rest - 1461 * years / 4;
    let m = (5 * of_year + 2) / 153;
    let astronomical = century_years + years - 4800 + m / 10;
    let year = if astronomical <= 0 { astronomical - 1 } else { astronomical } as i32;
    if !(YEAR_MIN..=YEAR_MAX).contains(&year) {
        return Err(outside());
    }
    Ok((year, (m + 3 - 12 * (m / 10)) as u8, (of_year - (153 * m + 2) / 5 + 1) as u8))
}

/// The day of the week, 0 for Sunday to 6 for Saturday.
#[must_use]
pub fn weekday(julian_day: i64) -> u8 {
    (julian_day + 1).rem_euclid(7) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_bytes() {
        assert_eq!(encode(2003, 9, 17, 0, 0, 0).unwrap(), [0x78, 0x67, 0x09, 0x11, 1, 1, 1]);
        assert_eq!(encode(1999, 12, 31, 23, 59, 58).unwrap(), [119, 199, 12, 31, 24, 60, 59]);
        let midnight = DateTime::midnight(2020, 2, 29);
        assert_eq!(stored(&midnight.timestamp()), midnight.date());
        let later = DateTime { nanosecond: 500_000_000, ..midnight };
        assert_eq!(stored(&later.timestamp()).len(), 11);
        assert_eq!(decode(&later.timestamp()), later);
        assert!(midnight.date()[..] < later.timestamp()[..]);
    }

    #[test]
    fn known_days() {
        assert_eq!(julian_day(2000, 1, 1), 2_451_545);
        assert_eq!(julian_day(1970, 1, 1), UNIX_EPOCH_DAY);
        assert_eq!(julian_day(1, 1, 1), 1_721_424);
        assert_eq!(julian_day(1582, 10, 15), julian_day(1582, 10, 4) + 1);
        assert_eq!(weekday(julian_day(2024, 2, 29)), 4, "a Thursday");
        assert_eq!(last_day(1900, 2), 28);
        assert_eq!(last_day(1500, 2), 29, "Julian");
        assert_eq!(DateTime::from_unix_seconds(0).unwrap(), DateTime::midnight(1970, 1, 1));
        assert_eq!(from_julian_day(julian_day(-1, 12, 31) + 1).unwrap(), (1, 1, 1));
    }

    #[test]
    fn wrong_parts_have_their_numbers() {
        let number = |y, mo, d, h, mi, s| match encode(y, mo, d, h, mi, s).unwrap_err().number {
            common::Number::Ora(n) => n,
            other => panic!("{other}"),
        };
        assert_eq!(number(0, 1, 1, 0, 0, 0), 1841);
        assert_eq!(number(10_000, 1, 1, 0, 0, 0), 1841);
        assert_eq!(number(2000, 13, 1, 0, 0, 0), 1843);
        assert_eq!(number(2000, 1, 32, 0, 0, 0), 1847);
        assert_eq!(number(2001, 2, 29, 0, 0, 0), 1839);
        assert_eq!(number(2001, 2, 2, 24, 0, 0), 1850);
        assert_eq!(number(2001, 2, 2, 0, 60, 0), 1851);
        assert_eq!(number(2001, 2, 2, 0, 0, 60), 1852);
    }

    fn any_date() -> impl Strategy<Value = DateTime> {
        (366i64..5_373_484, 0i64..86_400, 0u32..1_000_000_000).prop_map(|(day, second, nanosecond)| DateTime {
            nanosecond,
            ..DateTime::from_seconds(day * 86_400 + second).unwrap()
        })
    }

    proptest! {
        #[test]
        fn days_round_trip(day in 366i64..5_373_484) {
            let (y, m, d) = from_julian_day(day).unwrap();
            prop_assert_eq!(julian_day(y, m, d), day);
            prop_assert!(DateTime::midnight(y, m, d).check().is_ok());
        }

        #[test]
        fn bytes_round_trip(date in any_date()) {
            prop_assert_eq!(decode(&date.timestamp()), date);
            prop_assert!(is_valid(&date.date()));
            prop_assert!(is_valid(stored(&date.timestamp())));
            prop_assert_eq!(widen(stored(&date.timestamp())), date.timestamp());
        }

        #[test]
        fn bytes_sort(a in any_date(), b in any_date()) {
            prop_assume!(a.year > 0 && b.year > 0);
            prop_assert_eq!(a.cmp(&b), a.timestamp().cmp(&b.timestamp()));
            prop_assert_eq!(a.cmp(&b), stored(&a.timestamp()).cmp(stored(&b.timestamp())));
        }

        #[test]
        fn any_bytes_are_judged_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..13)) {
            if is_valid(&bytes) {
                let date = decode(&bytes);
                prop_assert_eq!(&date.timestamp()[..bytes.len()], &bytes[..]);
            }
            let _ = decode(&bytes);
        }
    }
}
