//! Units that a date is rounded and truncated to.

use common::{Error, Result};
use format::date::{DateTime, from_julian_day, julian_day, weekday};

use super::write::iso_week;

const SECONDS_PER_DAY: i64 = 86_400;

/// A unit of time, as TRUNC and ROUND of a date name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    Century,
    Year,
    IsoYear,
    Quarter,
    Month,
    /// Seven days, from the weekday of 1 January on.
    WeekOfYear,
    /// From Monday on.
    IsoWeek,
    /// From the weekday of the first of the month on.
    WeekOfMonth,
    Day,
    /// From Sunday on.
    Week,
    Hour,
    Minute,
}

impl Unit {
    /// # Errors
    /// ORA-01821 for an unknown name.
    pub fn parse(name: &str) -> Result<Self> {
        Ok(match name.to_ascii_uppercase().as_str() {
            "CC" | "SCC" => Self::Century,
            "SYYYY" | "YYYY" | "YEAR" | "SYEAR" | "YYY" | "YY" | "Y" => Self::Year,
            "IYYY" | "IYY" | "IY" | "I" => Self::IsoYear,
            "Q" => Self::Quarter,
            "MONTH" | "MON" | "MM" | "RM" => Self::Month,
            "WW" => Self::WeekOfYear,
            "IW" => Self::IsoWeek,
            "W" => Self::WeekOfMonth,
            "DDD" | "DD" | "J" => Self::Day,
            "DAY" | "DY" | "D" => Self::Week,
            "HH" | "HH12" | "HH24" => Self::Hour,
            "MI" => Self::Minute,
            _ => return Err(Error::user(1821, format!("date format not recognized: {name}"))),
        })
    }

    /// The beginning of the unit that `at` lies in.
    ///
    /// # Errors
    /// ORA-01841 before the first year.
    pub fn truncate(self, at: &DateTime) -> Result<DateTime> {
        let day = at.julian_day();
        // The last day not behind `at` that is a whole count of weeks from `first`.
        let week = |first: i64| midnight(day - (day - first).rem_euclid(7));
        Ok(match self {
            Self::Century => return checked(DateTime::midnight(century_start(at.year), 1, 1)),
            Self::Year => DateTime::midnight(at.year, 1, 1),
            Self::IsoYear => return iso_year_start(iso_week(at).0),
            Self::Quarter => DateTime::midnight(at.year, (at.month - 1) / 3 * 3 + 1, 1),
            Self::Month => DateTime::midnight(at.year, at.month, 1),
            Self::WeekOfYear => return week(julian_day(at.year, 1, 1)),
            Self::IsoWeek => return midnight(day - i64::from((weekday(day) + 6) % 7)),
            Self::WeekOfMonth => return week(julian_day(at.year, at.month, 1)),
            Self::Day => DateTime::midnight(at.year, at.month, at.day),
            Self::Week => return midnight(day - i64::from(weekday(day))),
            Self::Hour => DateTime { minute: 0, second: 0, nanosecond: 0, ..*at },
            Self::Minute => DateTime { second: 0, nanosecond: 0, ..*at },
        })
    }

    /// The beginning of the nearest unit.
    ///
    /// # Errors
    /// ORA-01841 past the last year.
    pub fn round(self, at: &DateTime) -> Result<DateTime> {
        let start = self.truncate(at)?;
        let moved = match self {
            Self::Century => {
                let past = years_later(at.year, 50);
                if century_start(past) == start.year {
                    return Ok(start);
                }
                return checked(DateTime::midnight(years_later(start.year, 100), 1, 1));
            }
            Self::Year => {
                if at.month < 7 {
                    return Ok(start);
                }
                return checked(DateTime::midnight(years_later(at.year, 1), 1, 1));
            }
            Self::IsoYear => {
                if at.month < 7 {
                    return Ok(start);
                }
                return iso_year_start(iso_week(at).0 + 1);
            }
            Self::Quarter => {
                let second = start.month + 1;
                if (at.month, at.day) < (second, 16) {
                    return Ok(start);
                }
                return checked(month_after(&start, 3));
            }
            Self::Month => {
                if at.day < 16 {
                    return Ok(start);
                }
                return checked(month_after(&start, 1));
            }
            Self::WeekOfYear | Self::IsoWeek | Self::WeekOfMonth | Self::Week => 7 * SECONDS_PER_DAY,
            Self::Day => SECONDS_PER_DAY,
            Self::Hour => 3600,
            Self::Minute => 60,
        };
        if (at.seconds() - start.seconds()) * 2 < moved {
            return Ok(start);
        }
        DateTime::from_seconds(start.seconds() + moved)
    }
}

fn midnight(day: i64) -> Result<DateTime> {
    let (year, month, day) = from_julian_day(day)?;
    Ok(DateTime::midnight(year, month, day))
}

fn checked(at: DateTime) -> Result<DateTime> {
    at.check()?;
    Ok(at)
}

fn month_after(at: &DateTime, count: u8) -> DateTime {
    let month = at.month + count;
    let year = if month > 12 { years_later(at.year, 1) } else { at.year };
    DateTime::midnight(year, (month - 1) % 12 + 1, 1)
}

/// The calendar has no year 0: the year before 1 is -1. Counted continuously it is 0.
fn counted(year: i32) -> i32 {
    year + i32::from(year < 0)
}

fn years_later(year: i32, count: i32) -> i32 {
    let later = counted(year) + count;
    if later <= 0 { later - 1 } else { later }
}

/// The first year of a century: 1, 101 …, and -100, -200 … before the common era.
fn century_start(year: i32) -> i32 {
    years_later(year, -(counted(year) - 1).rem_euclid(100))
}

/// The Monday of the week that holds 4 January.
fn iso_year_start(year: i64) -> Result<DateTime> {
    let fourth = julian_day(year as i32, 1, 4);
    midnight(fourth - i64::from((weekday(fourth) + 6) % 7))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_before_the_common_era_have_no_year_0() {
        let year = |unit: Unit, year, month| {
            let at = DateTime::midnight(year, month, 20);
            [unit.truncate(&at), unit.round(&at)].map(|date| date.map_or(0, |date| date.year))
        };
        assert_eq!(year(Unit::Century, 1950, 1), [1901, 1901]);
        assert_eq!(year(Unit::Century, 1951, 1), [1901, 2001]);
        assert_eq!(year(Unit::Century, -1, 1), [-100, 1]);
        assert_eq!(year(Unit::Century, -51, 1), [-100, -100]);
        assert_eq!(year(Unit::Century, -101, 1), [-200, -100]);
        assert_eq!(year(Unit::Century, -4712, 1), [0, 0], "the century begins before the calendar");
        assert_eq!(year(Unit::Year, -1, 7), [-1, 1]);
        assert_eq!(year(Unit::Quarter, -1, 12), [-1, 1]);
        assert_eq!(year(Unit::Month, -1, 12), [-1, 1]);
    }
}
