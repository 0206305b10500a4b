//! Calendar strings as text.

use common::{Error, Result};

use super::{ByDay, Calendar, Frequency};

const INTERVAL_MAX: i64 = 99;

const FREQUENCIES: [(&str, Frequency); 7] = [
    ("YEARLY", Frequency::Yearly),
    ("MONTHLY", Frequency::Monthly),
    ("WEEKLY", Frequency::Weekly),
    ("DAILY", Frequency::Daily),
    ("HOURLY", Frequency::Hourly),
    ("MINUTELY", Frequency::Minutely),
    ("SECONDLY", Frequency::Secondly),
];

const MONTHS: [&str; 12] = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/// Oracle's parts that are not supported.
const REFUSED: [&str; 9] =
    ["BYYEARDAY", "BYWEEKNO", "BYDATE", "BYSETPOS", "PERIODS", "BYPERIOD", "INCLUDE", "EXCLUDE", "INTERSECT"];

/// True: a repeat interval is a calendar string, which begins with a name and an equals sign. Everything else is a
/// PL/SQL expression.
#[must_use]
pub fn is_calendar(text: &str) -> bool {
    let Some((name, _)) = text.split_once('=') else { return false };
    let name = name.trim();
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn syntax(part: &str) -> Error {
    Error::user(27418, format!("syntax error in repeat interval or calendar: {part}"))
}

fn bad_value(name: &str, value: &str) -> Error {
    Error::user(27414, format!("Invalid BY value type: {value} in the {name} clause of a repeat interval"))
}

/// Reads a calendar string.
///
/// # Errors
/// ORA-27415 it does not begin with FREQ; ORA-27412 an unknown part; ORA-27414, ORA-27416 an invalid value; ORA-27413
/// an INTERVAL above 99; ORA-27418 invalid syntax; HW-0001 an unsupported part.
pub fn parse(text: &str) -> Result<Calendar> {
    let upper = text.to_ascii_uppercase();
    let mut parts = upper.split(';').map(str::trim).collect::<Vec<_>>();
    // A semicolon may end the last part.
    if parts.last().is_some_and(|last| last.is_empty()) {
        parts.pop();
    }
    let mut calendar: Option<Calendar> = None;
    let mut given: Vec<&str> = Vec::new();
    for part in parts {
        let (name, value) = part.split_once('=').ok_or_else(|| syntax(part))?;
        let (name, value) = (name.trim(), value.trim());
        if given.contains(&name) {
            return Err(syntax(part));
        }
        given.push(name);
        match &mut calendar {
            None => calendar = Some(of_frequency(name, value)?),
            Some(calendar) => calendar.read(name, value)?,
        }
    }
    let calendar = calendar.ok_or_else(|| syntax(text))?;
    let fine = calendar.frequency > Frequency::Monthly;
    if fine && calendar.days.iter().any(|day| day.ordinal != 0) {
        return Err(Error::user(
            27416,
            "BYDAY= clause in repeat interval or calendar contains an invalid weekday: a number before it needs FREQ=YEARLY or MONTHLY",
        ));
    }
    Ok(calendar)
}

fn of_frequency(name: &str, value: &str) -> Result<Calendar> {
    if name != "FREQ" {
        return Err(Error::user(27415, "repeat interval or calendar must start with the FREQ= clause"));
    }
    let found = FREQUENCIES.iter().find(|(known, _)| *known == value);
    let (_, frequency) = found.ok_or_else(|| invalid(value))?;
    Ok(Calendar {
        frequency: *frequency,
        interval: 1,
        months: Vec::new(),
        month_days: Vec::new(),
        days: Vec::new(),
        hours: Vec::new(),
        minutes: Vec::new(),
        seconds: Vec::new(),
    })
}

fn invalid(name: &str) -> Error {
    Error::user(27412, format!("repeat interval or calendar contains invalid identifier: {name}"))
}

impl Calendar {
    fn read(&mut self, name: &str, value: &str) -> Result<()> {
        let list = || value.split(',').map(str::trim);
        match name {
            "INTERVAL" => {
                let number: i64 = value.parse().map_err(|_| syntax(&format!("INTERVAL={value}")))?;
                if number > INTERVAL_MAX {
                    return Err(Error::user(27413, format!("repeat interval is too long: {number}")));
                }
                if number < 1 {
                    return Err(syntax(&format!("INTERVAL={value}")));
                }
                self.interval = number;
            }
            "BYMONTH" => self.months = list().map(month).collect::<Result<_>>()?,
            "BYMONTHDAY" => {
                let day = |text: &str| number(name, text, 31, true).map(|day| day as i32);
                self.month_days = list().map(day).collect::<Result<_>>()?;
            }
            "BYDAY" => self.days = list().map(weekday).collect::<Result<_>>()?,
            "BYHOUR" => self.hours = times(name, value, 23)?,
            "BYMINUTE" => self.minutes = times(name, value, 59)?,
            "BYSECOND" => self.seconds = times(name, value, 59)?,
            _ if REFUSED.contains(&name) => return Err(Error::unsupported(format!("{name} in a repeat interval"))),
            _ => return Err(invalid(name)),
        }
        Ok(())
    }
}

/// A number of at most `most`; 0 only when it counts from there, below 0 only when `signed`.
fn number(name: &str, text: &str, most: i64, signed: bool) -> Result<i64> {
    let number: i64 = text.parse().map_err(|_| bad_value(name, text))?;
    let right = if signed { number != 0 && number.abs() <= most } else { (0..=most).contains(&number) };
    if right { Ok(number) } else { Err(bad_value(name, text)) }
}

fn times(name: &str, value: &str, most: i64) -> Result<Vec<u8>> {
    let mut times: Vec<u8> = value
        .split(',')
        .map(|text| number(name, text.trim(), most, false).map(|number| number as u8))
        .collect::<Result<_>>()?;
    times.sort_unstable();
    times.dedup();
    Ok(times)
}

fn month(text: &str) -> Result<u8> {
    let named = MONTHS.iter().position(|name| *name == text);
    let number = named.map(|at| at as i64 + 1).or_else(|| text.parse().ok());
    let number = number.filter(|number| (1..=12).contains(number));
    number.map(|number| number as u8).ok_or_else(|| bad_value("BYMONTH", text))
}

fn weekday(text: &str) -> Result<ByDay> {
    let bad = || {
        let text = format!("BYDAY= clause in repeat interval or calendar contains an invalid weekday: {text}");
        Error::user(27416, text)
    };
    let at = text.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(bad)?;
    let (ordinal, name) = (text[..at].trim(), &text[at..]);
    let weekday = WEEKDAYS.iter().position(|known| *known == name).ok_or_else(bad)? as u8;
    let ordinal: i32 = if ordinal.is_empty() { 0 } else { ordinal.parse().map_err(|_| bad())? };
    if ordinal.abs() > 53 || (ordinal == 0 && at > 0) {
        return Err(bad());
    }
    Ok(ByDay { ordinal, weekday })
}
