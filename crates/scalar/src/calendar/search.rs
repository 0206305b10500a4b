//! The next date of a calendar: day after day, then the times of the day.

use common::{Error, Result};
use format::date::{DateTime, from_julian_day, julian_day, last_day, weekday};

use super::{Calendar, Frequency};

/// Days that are looked at: the calendar repeats itself after 400 years, and periods are up to 99 years apart.
const DAYS_MAX: i64 = 400 * 366;
const HOURS: i64 = 24;
const MINUTES: i64 = 60;

/// A day of the search.
struct Day {
    number: i64,
    year: i32,
    month: u8,
    day: u8,
}

impl Calendar {
    /// The first date after `after` that is not before `start`, from which periods are counted and missing parts are
    /// taken. Fractions of seconds are ignored.
    ///
    /// # Errors
    /// ORA-27419 when there is none.
    pub fn next(&self, start: &DateTime, after: &DateTime) -> Result<DateTime> {
        let none = || Error::user(27419, "unable to determine valid execution date from repeat interval");
        let start = DateTime { nanosecond: 0, ..*start };
        let first = if *after < start { start } else { next_second(after).map_err(|_| none())? };
        let begin = first.julian_day();
        for number in begin..begin + DAYS_MAX {
            let (year, month, day) = from_julian_day(number).map_err(|_| none())?;
            let day = Day { number, year, month, day };
            if !self.has_day(&day, &start) {
                continue;
            }
            let from = if number == begin { (first.hour, first.minute, first.second) } else { (0, 0, 0) };
            if let Some((hour, minute, second)) = self.time(number, from, &start) {
                return Ok(DateTime { hour, minute, second, ..DateTime::midnight(year, month, day.day) });
            }
        }
        Err(none())
    }

    fn has_day(&self, at: &Day, start: &DateTime) -> bool {
        let first_day = start.julian_day();
        let years = i64::from(at.year) - i64::from(start.year);
        let months = years * 12 + i64::from(at.month) - i64::from(start.month);
        let monday = |day: i64| day - i64::from((weekday(day) + 6) % 7);
        let periods = match self.frequency {
            Frequency::Yearly => years,
            Frequency::Monthly => months,
            Frequency::Weekly => (monday(at.number) - monday(first_day)) / 7,
            Frequency::Daily => at.number - first_day,
            Frequency::Hourly | Frequency::Minutely | Frequency::Secondly => 0,
        };
        if periods % self.interval != 0 || (!self.months.is_empty() && !self.months.contains(&at.month)) {
            return false;
        }
        let last = last_day(at.year, at.month);
        let backwards = i32::from(at.day) - i32::from(last) - 1;
        let day_of_month = |day: &i32| *day == i32::from(at.day) || *day == backwards;
        if !self.month_days.is_empty() && !self.month_days.iter().any(day_of_month) {
            return false;
        }
        if !self.days.is_empty() {
            return self.has_weekday(at, last);
        }
        if !self.month_days.is_empty() {
            return true;
        }
        match self.frequency {
            Frequency::Yearly => at.day == start.day && (!self.months.is_empty() || at.month == start.month),
            Frequency::Monthly => at.day == start.day,
            Frequency::Weekly => weekday(at.number) == weekday(first_day),
            _ => true,
        }
    }

    fn has_weekday(&self, at: &Day, last_of_month: u8) -> bool {
        // In a year the numbers count within the named months, or else within the year.
        let of_year = self.frequency == Frequency::Yearly && self.months.is_empty();
        let (place, length) = if of_year {
            let january = julian_day(at.year, 1, 1);
            (at.number - january, julian_day(at.year, 12, 31) - january + 1)
        } else {
            (i64::from(at.day) - 1, i64::from(last_of_month))
        };
        let (from_front, from_back) = ((place / 7 + 1) as i32, -((length - 1 - place) / 7 + 1) as i32);
        let weekday = weekday(at.number);
        self.days.iter().any(|day| {
            day.weekday == weekday && (day.ordinal == 0 || day.ordinal == from_front || day.ordinal == from_back)
        })
    }

    /// The first time of a day that is not before `from`.
    fn time(&self, day: i64, from: (u8, u8, u8), start: &DateTime) -> Option<(u8, u8, u8)> {
        let frequency = self.frequency;
        let hours = choices(&self.hours, (frequency < Frequency::Hourly).then_some(start.hour), 24);
        let minutes = choices(&self.minutes, (frequency < Frequency::Minutely).then_some(start.minute), 60);
        let seconds = choices(&self.seconds, (frequency < Frequency::Secondly).then_some(start.second), 60);
        // Periods since the start, down to hours, minutes, seconds.
        let days = day - start.julian_day();
        let counted = |periods: i64, at: Frequency| frequency != at || periods % self.interval == 0;
        for &hour in hours.iter().filter(|hour| **hour >= from.0) {
            let since = days * HOURS + i64::from(hour) - i64::from(start.hour);
            if !counted(since, Frequency::Hourly) {
                continue;
            }
            let same = hour == from.0;
            for &minute in minutes.iter().filter(|minute| !same || **minute >= from.1) {
                let since = since * MINUTES + i64::from(minute) - i64::from(start.minute);
                if !counted(since, Frequency::Minutely) {
                    continue;
                }
                let same = same && minute == from.1;
                let mut right = seconds.iter().filter(|second| !same || **second >= from.2);
                let found = right.find(|second| {
                    counted(since * MINUTES + i64::from(**second) - i64::from(start.second), Frequency::Secondly)
                });
                if let Some(second) = found {
                    return Some((hour, minute, *second));
                }
            }
        }
        None
    }
}

/// The given values, or the start's, or all.
fn choices(given: &[u8], usual: Option<u8>, count: u8) -> Vec<u8> {
    match (given, usual) {
        ([], Some(one)) => vec![one],
        ([], None) => (0..count).collect(),
        (given, _) => given.to_vec(),
    }
}

fn next_second(at: &DateTime) -> Result<DateTime> {
    DateTime::from_seconds(at.seconds() + 1)
}

#[cfg(test)]
mod tests {
    use super::super::{is_calendar, parse};
    use super::*;

    fn at(text: &str) -> DateTime {
        let parts: Vec<i32> = text.split(['-', ' ', ':']).map(|part| part.parse().unwrap()).collect();
        DateTime {
            hour: parts[3] as u8,
            minute: parts[4] as u8,
            second: parts[5] as u8,
            ..DateTime::midnight(parts[0], parts[1] as u8, parts[2] as u8)
        }
    }

    fn shown(at: &DateTime) -> String {
        let DateTime { year, month, day, hour, minute, second, .. } = at;
        format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
    }

    /// The dates that follow, started on Wednesday, 31 January 2024, 10:20:30.
    fn dates(calendar: &str, count: usize) -> Vec<String> {
        let calendar = parse(calendar).unwrap();
        let start = at("2024-01-31 10:20:30");
        let mut last = at("2024-01-01 00:00:00");
        let next = || {
            last = calendar.next(&start, &last).unwrap();
            shown(&last)
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    #[test]
    fn the_start_says_what_the_string_does_not() {
        for (text, expected) in [
            ("FREQ=YEARLY", ["2024-01-31 10:20:30", "2025-01-31 10:20:30"]),
            ("freq=monthly", ["2024-01-31 10:20:30", "2024-03-31 10:20:30"]),
            ("FREQ=WEEKLY;", ["2024-01-31 10:20:30", "2024-02-07 10:20:30"]),
            ("FREQ = DAILY ; INTERVAL = 2", ["2024-01-31 10:20:30", "2024-02-02 10:20:30"]),
            ("FREQ=HOURLY", ["2024-01-31 10:20:30", "2024-01-31 11:20:30"]),
            ("FREQ=HOURLY;INTERVAL=5", ["2024-01-31 10:20:30", "2024-01-31 15:20:30"]),
            ("FREQ=MINUTELY", ["2024-01-31 10:20:30", "2024-01-31 10:21:30"]),
            ("FREQ=MINUTELY;INTERVAL=45", ["2024-01-31 10:20:30", "2024-01-31 11:05:30"]),
            ("FREQ=SECONDLY;INTERVAL=45", ["2024-01-31 10:20:30", "2024-01-31 10:21:15"]),
        ] {
            assert_eq!(dates(text, 2), expected, "{text}");
        }
    }

    #[test]
    fn dates_of_a_calendar_string() {
        for (text, expected) in [
            ("FREQ=DAILY;BYHOUR=18,6;BYMINUTE=0;BYSECOND=0", ["2024-01-31 18:00:00", "2024-02-01 06:00:00"]),
            ("FREQ=WEEKLY;BYDAY=MON,FRI;BYHOUR=0", ["2024-02-02 00:20:30", "2024-02-05 00:20:30"]),
            ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MON", ["2024-02-12 10:20:30", "2024-02-26 10:20:30"]),
            ("FREQ=MONTHLY;BYMONTHDAY=-1", ["2024-01-31 10:20:30", "2024-02-29 10:20:30"]),
            ("FREQ=MONTHLY;BYDAY=2 TUE,-1FRI", ["2024-02-13 10:20:30", "2024-02-23 10:20:30"]),
            ("FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FRI", ["2024-09-13 10:20:30", "2024-12-13 10:20:30"]),
            ("FREQ=YEARLY;BYMONTH=MAR,6;BYMONTHDAY=15", ["2024-03-15 10:20:30", "2024-06-15 10:20:30"]),
            ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", ["2024-02-29 10:20:30", "2028-02-29 10:20:30"]),
            ("FREQ=YEARLY;BYDAY=-1SUN", ["2024-12-29 10:20:30", "2025-12-28 10:20:30"]),
            ("FREQ=HOURLY;BYMINUTE=0,30;BYSECOND=0", ["2024-01-31 10:30:00", "2024-01-31 11:00:00"]),
            ("FREQ=MINUTELY;BYHOUR=3;BYSECOND=0", ["2024-02-01 03:00:00", "2024-02-01 03:01:00"]),
            ("FREQ=SECONDLY;BYMONTH=DEC;BYHOUR=23;BYMINUTE=59", ["2024-12-01 23:59:00", "2024-12-01 23:59:01"]),
        ] {
            assert_eq!(dates(text, 2), expected, "{text}");
        }
    }

    #[test]
    fn faulty_calendar_strings_are_refused() {
        for (text, number) in [
            ("INTERVAL=2;FREQ=DAILY", 27415),
            ("FREQ=SOMETIMES", 27412),
            ("FREQ=DAILY;BYFOO=1", 27412),
            ("FREQ=DAILY;BYHOUR=24", 27414),
            ("FREQ=DAILY;BYMONTHDAY=0", 27414),
            ("FREQ=DAILY;BYMONTH=FOO", 27414),
            ("FREQ=WEEKLY;BYDAY=MOO", 27416),
            ("FREQ=WEEKLY;BYDAY=1MON", 27416),
            ("FREQ=MONTHLY;BYDAY=0MON", 27416),
            ("FREQ=DAILY;INTERVAL=100", 27413),
            ("FREQ=DAILY;INTERVAL=0", 27418),
            ("FREQ=DAILY;;BYHOUR=1", 27418),
            ("FREQ=DAILY;BYHOUR=1;BYHOUR=2", 27418),
            ("FREQ=", 27412),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.is_ora(number), "{text}: {error}");
        }
        let error = parse("FREQ=MONTHLY;BYSETPOS=-1").unwrap_err();
        assert!(error.is_own(1) && error.text.contains("BYSETPOS"), "{error}");
        let never = parse("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30").unwrap();
        let start = at("2024-01-31 10:20:30");
        assert!(never.next(&start, &start).unwrap_err().is_ora(27419));
    }

    #[test]
    fn a_calendar_string_begins_with_a_name() {
        assert!(is_calendar("freq = daily"));
        assert!(is_calendar("byday=mon;freq=daily"));
        assert!(!is_calendar("sysdate + 1/24"));
        assert!(!is_calendar("case when 1=1 then sysdate + 1 end"));
    }
}
