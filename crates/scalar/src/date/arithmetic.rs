//! Dates with numbers of days and months.

use common::{Error, Result};
use format::date::{self, DateTime};
use format::number::{self, NumberBytes};

use crate::number::arithmetic::{add, divide, multiply};

const SECONDS_PER_DAY: i64 = 86_400;

/// Timestamp differences are intervals, a type that does not exist here.
#[must_use]
pub fn interval() -> Error {
    Error::unsupported("INTERVAL values: the difference of timestamps")
}

/// A DATE `days` later, to the nearest second. A timestamp's fraction of a second is dropped.
///
/// # Errors
/// ORA-01841 outside of the calendar.
pub fn add_days(at: &DateTime, days: &NumberBytes) -> Result<DateTime> {
    let seconds = match number::decode_i64(days) {
        Some(whole) => whole.checked_mul(SECONDS_PER_DAY),
        None => number::decode_i64(&number::round(&multiply(days, &number::encode_i64(SECONDS_PER_DAY))?, 0)?),
    };
    let outside = || Error::user(1841, "year must be between -4712 and 9999 and not be 0");
    let sum = seconds.and_then(|seconds| at.seconds().checked_add(seconds)).ok_or_else(outside)?;
    DateTime::from_seconds(sum)
}

/// `a - b` in days, with the fraction that the times of day make.
///
/// # Errors
/// None in practice.
pub fn days_between(a: &DateTime, b: &DateTime) -> Result<NumberBytes> {
    let seconds = a.seconds() - b.seconds();
    if seconds % SECONDS_PER_DAY == 0 {
        return Ok(number::encode_i64(seconds / SECONDS_PER_DAY));
    }
    divide(&number::encode_i64(seconds), &number::encode_i64(SECONDS_PER_DAY))
}

/// ADD_MONTHS: the last day of a month stays the last day, and a day missing in the new month becomes its last.
///
/// # Errors
/// ORA-01841 outside of the calendar.
pub fn add_months(at: &DateTime, months: i64) -> Result<DateTime> {
    let outside = || Error::user(1841, "year must be between -4712 and 9999 and not be 0");
    let count = (i64::from(at.year) * 12 + i64::from(at.month) - 1).checked_add(months).ok_or_else(outside)?;
    let year = i32::try_from(count.div_euclid(12)).map_err(|_| outside())?;
    if year == 0 || !(date::YEAR_MIN..=date::YEAR_MAX).contains(&year) {
        return Err(outside());
    }
    let month = count.rem_euclid(12) as u8 + 1;
    let last = date::last_day(year, month);
    let day = if at.day == date::last_day(at.year, at.month) { last } else { at.day.min(last) };
    Ok(DateTime { year, month, day, nanosecond: 0, ..*at })
}

/// MONTHS_BETWEEN: whole months when both are the same day of the month or both the last, else with a fraction of
/// 31-day months.
///
/// # Errors
/// None in practice.
pub fn months_between(a: &DateTime, b: &DateTime) -> Result<NumberBytes> {
    let months = i64::from(a.year - b.year) * 12 + i64::from(a.month) - i64::from(b.month);
    let is_last = |at: &DateTime| at.day == date::last_day(at.year, at.month);
    if a.day == b.day || (is_last(a) && is_last(b)) {
        return Ok(number::encode_i64(months));
    }
    let seconds = (i64::from(a.day) - i64::from(b.day)) * SECONDS_PER_DAY + a.second_of_day() - b.second_of_day();
    let fraction = divide(&number::encode_i64(seconds), &number::encode_i64(31 * SECONDS_PER_DAY))?;
    add(&number::encode_i64(months), &fraction)
}

/// LAST_DAY: the time of day stays.
#[must_use]
pub fn last_day(at: &DateTime) -> DateTime {
    DateTime { day: date::last_day(at.year, at.month), nanosecond: 0, ..*at }
}

/// NEXT_DAY: the first `weekday` (0 for Sunday) after this day; the time of day stays.
///
/// # Errors
/// ORA-01841 past the last year.
pub fn next_day(at: &DateTime, weekday: u8) -> Result<DateTime> {
    let today = i64::from(date::weekday(at.julian_day()));
    let ahead = (i64::from(weekday) - today + 6).rem_euclid(7) + 1;
    DateTime::from_seconds(at.seconds() + ahead * SECONDS_PER_DAY)
}
