//! TO_DATE and TO_TIMESTAMP: text by a format.
//!
//! Oracle's rules: punctuation in the text may differ from the format's, and may be missing between digits; a month's
//! name may stand for its number and the other way round; times of day at the end may be missing. `FX` forbids all
//! that. Missing parts come from today: the year and the month, on day 1 at midnight.

use common::{Error, Result};
use format::date::{self, DateTime};

use super::format::{Element, Format, Item};
use super::names::{find_day, find_month};
use crate::context::Context;

/// The parts found so far.
#[derive(Default, Debug)]
struct ParsedParts {
    year: Option<i32>,
    before_christ: Option<bool>,
    month: Option<u8>,
    day: Option<u8>,
    day_of_year: Option<i64>,
    weekday: Option<u8>,
    julian_day: Option<i64>,
    hour: Option<u8>,
    hour12: Option<u8>,
    afternoon: Option<bool>,
    minute: Option<u8>,
    second: Option<u8>,
    second_of_day: Option<i64>,
    nanosecond: u32,
    /// The text had no decimal point where `X` stands, so no fraction either.
    no_fraction: bool,
}

struct Reader<'a> {
    text: &'a str,
    exact: bool,
}

fn not_long_enough() -> Error {
    Error::user(1840, "input value not long enough for date format")
}

fn not_numeric() -> Error {
    Error::user(1858, "a non-numeric character was found where a numeric was expected")
}

fn mismatch() -> Error {
    Error::user(1861, "literal does not match format string")
}

impl Reader<'_> {
    fn skip_blanks(&mut self) {
        if !self.exact {
            self.text = self.text.trim_start_matches(' ');
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.text = &self.text[bytes..];
    }

    fn digits_ahead(&self) -> usize {
        self.text.bytes().take_while(u8::is_ascii_digit).count()
    }

    /// Up to `width` digits.
    fn number(&mut self, width: usize) -> Result<i64> {
        let count = self.digits_ahead().min(width);
        if count == 0 {
            return Err(if self.text.is_empty() { not_long_enough() } else { not_numeric() });
        }
        if self.exact && count < width {
            return Err(Error::user(1862, "the numeric value does not match the length of the format item"));
        }
        let value = self.text[..count].bytes().fold(0i64, |value, byte| value * 10 + i64::from(byte - b'0'));
        self.advance(count);
        Ok(value)
    }

    fn ranged(&mut self, width: usize, least: i64, most: i64, error: fn() -> Error) -> Result<u8> {
        let value = self.number(width)?;
        if (least..=most).contains(&value) { Ok(value as u8) } else { Err(error()) }
    }
}

fn wrong_month() -> Error {
    Error::user(1843, "not a valid month")
}

fn wrong_day() -> Error {
    Error::user(1847, "day of month must be between 1 and the last day of the month")
}

fn wrong_hour24() -> Error {
    Error::user(1850, "hour must be between 0 and 23")
}

fn wrong_hour12() -> Error {
    Error::user(1849, "hour must be between 1 and 12")
}

fn wrong_minute() -> Error {
    Error::user(1851, "minutes must be between 0 and 59")
}

fn wrong_second() -> Error {
    Error::user(1852, "seconds must be between 0 and 59")
}

/// Parses `text` by `format`; None when it is empty.
///
/// # Errors
/// The ORA-018nn for the mismatch.
pub fn parse(context: &dyn Context, text: &str, format: &Format) -> Result<Option<DateTime>> {
    if text.is_empty() {
        return Ok(None);
    }
    check_input_format(format)?;
    let today = context.now();
    let mut parts = ParsedParts::default();
    let mut reader = Reader { text, exact: false };
    let mut items = format.items.iter().peekable();
    while let Some(item) = items.next() {
        match item {
            Item::Literal(literal) => {
                if reader.text.is_empty() && only_time_left(items.clone()) {
                    break;
                }
                let matches = reader.text.get(..literal.len()).is_some_and(|head| head.eq_ignore_ascii_case(literal));
                if !matches {
                    return Err(mismatch());
                }
                reader.advance(literal.len());
            }
            Item::Element { element: Element::FillMode, .. } => {}
            Item::Element { element: Element::Exact, .. } => reader.exact = !reader.exact,
            Item::Element { element: Element::Punctuation(expected), .. } => {
                punctuation(&mut reader, *expected, items.peek().copied())?;
            }
            Item::Element { element, .. } => {
                reader.skip_blanks();
                if reader.text.is_empty() {
                    if !reader.exact && is_time(*element) && only_time_left(items.clone()) {
                        break;
                    }
                    return Err(not_long_enough());
                }
                let adjacent = matches!(items.peek(), Some(Item::Element { element, .. }) if element.is_numeric());
                read(&mut reader, *element, adjacent, &today, &mut parts)?;
            }
        }
    }
    if !reader.exact {
        reader.text = reader.text.trim_end_matches(' ');
    }
    if !reader.text.is_empty() {
        return Err(Error::user(1830, "date format picture ends before converting entire input string"));
    }
    assemble(&parts, &today).map(Some)
}

fn check_input_format(format: &Format) -> Result<()> {
    let mut seen: Vec<Element> = Vec::new();
    for element in format.elements() {
        match element {
            Element::Punctuation(_) | Element::FillMode | Element::Exact | Element::Radix => continue,
            Element::YearName
            | Element::SignedYearName
            | Element::IsoYear(_)
            | Element::Century
            | Element::SignedCentury
            | Element::Quarter
            | Element::WeekOfYear
            | Element::IsoWeek
            | Element::WeekOfMonth => {
                return Err(Error::user(1820, "format code cannot appear in date input format"));
            }
            _ => {}
        }
        if seen.contains(&element) {
            return Err(Error::user(1810, "format code appears twice"));
        }
        seen.push(element);
    }
    let has_meridiem = seen.iter().any(|element| matches!(element, Element::Meridiem { .. }));
    if has_meridiem && seen.contains(&Element::Hour24) {
        return Err(Error::user(1818, "'HH24' precludes use of meridian indicator"));
    }
    if seen.contains(&Element::Hour12) && seen.contains(&Element::Hour24) {
        return Err(Error::user(1815, "hour of the day may be specified only once"));
    }
    Ok(())
}

fn is_time(element: Element) -> bool {
    matches!(
        element,
        Element::Hour12
            | Element::Hour24
            | Element::Minute
            | Element::Second
            | Element::SecondOfDay
            | Element::Meridiem { .. }
            | Element::Fraction(_)
            | Element::Radix
            | Element::Punctuation(_)
            | Element::FillMode
            | Element::Exact
    )
}

fn only_time_left<'a>(mut items: impl Iterator<Item = &'a Item>) -> bool {
    items.all(|item| match item {
        Item::Element { element, .. } => is_time(*element),
        Item::Literal(_) => true,
    })
}

fn punctuation(reader: &mut Reader<'_>, expected: char, next: Option<&Item>) -> Result<()> {
    let Some(found) = reader.text.chars().next() else { return Ok(()) };
    if reader.exact {
        if found != expected {
            return Err(mismatch());
        }
        reader.advance(found.len_utf8());
        return Ok(());
    }
    if found == expected {
        reader.advance(found.len_utf8());
        return Ok(());
    }
    if expected == ' ' {
        return Ok(());
    }
    reader.skip_blanks();
    match reader.text.chars().next() {
        None => Ok(()),
        Some(found) if found.is_alphanumeric() => match next {
            // A digit where a name follows is more than the digits before could take.
            Some(Item::Element { element, .. }) if found.is_ascii_digit() && !element.is_numeric() => Err(mismatch()),
            _ => Ok(()),
        },
        Some(found) => {
            reader.advance(found.len_utf8());
            Ok(())
        }
    }
}

fn read(
    reader: &mut Reader<'_>,
    element: Element,
    adjacent: bool,
    today: &DateTime,
    parts: &mut ParsedParts,
) -> Result<()> {
    // Two digits of a year may be written as four where no other digits follow.
    let full_year = !adjacent && !reader.exact && reader.digits_ahead() > 2;
    match element {
        Element::Year4 => parts.year = Some(reader.number(4)? as i32),
        Element::SignedYear => {
            let negative = reader.text.starts_with('-');
            if negative || reader.text.starts_with('+') {
                reader.advance(1);
            }
            let year = reader.number(4)? as i32;
            parts.year = Some(if negative { -year } else { year });
        }
        Element::CommaYear => {
            let thousands = reader.number(1)? as i32;
            if !reader.text.starts_with(',') {
                return Err(mismatch());
            }
            reader.advance(1);
            parts.year = Some(thousands * 1000 + reader.number(3)? as i32);
        }
        Element::Year2 | Element::Round2 | Element::Round4 if full_year => parts.year = Some(reader.number(4)? as i32),
        Element::Year3 => parts.year = Some(today.year / 1000 * 1000 + reader.number(3)? as i32),
        Element::Year2 => parts.year = Some(today.year / 100 * 100 + reader.number(2)? as i32),
        Element::Year1 => parts.year = Some(today.year / 10 * 10 + reader.number(1)? as i32),
        Element::Round4 if adjacent && reader.digits_ahead() >= 4 => parts.year = Some(reader.number(4)? as i32),
        Element::Round2 | Element::Round4 => parts.year = Some(round_year(reader.number(2)? as i32, today.year)),
        Element::Month | Element::MonthName | Element::MonthShort => parts.month = Some(month(reader, element)?),
        Element::MonthRoman => parts.month = Some(roman_month(reader)?),
        Element::DayOfMonth => parts.day = Some(reader.ranged(2, 1, 31, wrong_day)?),
        Element::DayOfYear => {
            let day = reader.number(3)?;
            if !(1..=366).contains(&day) {
                return Err(Error::user(1848, "day of year must be between 1 and 365 (366 for leap year)"));
            }
            parts.day_of_year = Some(day);
        }
        Element::DayOfWeek => {
            let wrong = || Error::user(1846, "not a valid day of the week");
            parts.weekday = Some(reader.ranged(1, 1, 7, wrong)? - 1);
        }
        Element::DayName | Element::DayShort => {
            let (day, length) =
                find_day(reader.text).ok_or_else(|| Error::user(1846, "not a valid day of the week"))?;
            reader.advance(length);
            parts.weekday = Some(day);
        }
        Element::JulianDay => {
            let day = reader.number(7)?;
            if !(1..=5_373_484).contains(&day) {
                return Err(Error::user(1854, "julian date must be between 1 and 5373484"));
            }
            parts.julian_day = Some(day);
        }
        Element::Hour12 => parts.hour12 = Some(reader.ranged(2, 1, 12, wrong_hour12)?),
        Element::Hour24 => parts.hour = Some(reader.ranged(2, 0, 23, wrong_hour24)?),
        Element::Minute => parts.minute = Some(reader.ranged(2, 0, 59, wrong_minute)?),
        Element::Second => parts.second = Some(reader.ranged(2, 0, 59, wrong_second)?),
        Element::SecondOfDay => {
            let second = reader.number(5)?;
            if second > 86_399 {
                return Err(Error::user(1853, "seconds in day must be between 0 and 86399"));
            }
            parts.second_of_day = Some(second);
        }
        Element::Meridiem { .. } => parts.afternoon = Some(meridiem(reader)?),
        Element::Era { .. } => parts.before_christ = Some(era(reader)?),
        Element::Fraction(_) if parts.no_fraction => {}
        Element::Fraction(digits) => {
            let count = reader.digits_ahead().min(usize::from(digits.unwrap_or(9)));
            let value = reader.number(count.max(1))?;
            parts.nanosecond = value as u32 * 10u32.pow(9 - count as u32);
        }
        Element::Radix if reader.text.starts_with('.') => reader.advance(1),
        Element::Radix => parts.no_fraction = true,
        other => return Err(Error::bug(format!("{other:?} was not refused"))),
    }
    Ok(())
}

/// Two digits in the half-century nearest to today's: 00 to 49 and 50 to 99 by turns.
fn round_year(year: i32, today: i32) -> i32 {
    let century = today / 100 * 100;
    match (year < 50, today % 100 < 50) {
        (true, true) | (false, false) => century + year,
        (true, false) => century + 100 + year,
        (false, true) => century - 100 + year,
    }
}

fn month(reader: &mut Reader<'_>, element: Element) -> Result<u8> {
    let starts_with_letter = reader.text.starts_with(|first: char| first.is_alphabetic());
    if element == Element::Month && (reader.exact || !starts_with_letter) {
        return reader.ranged(2, 1, 12, wrong_month);
    }
    match find_month(reader.text) {
        Some((month, length)) => {
            reader.advance(length);
            Ok(month)
        }
        None => Err(wrong_month()),
    }
}

fn roman_month(reader: &mut Reader<'_>) -> Result<u8> {
    let length = reader.text.bytes().take_while(|byte| b"IVXivx".contains(byte)).count();
    let numeral = reader.text[..length].to_ascii_uppercase();
    let numerals = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];
    let month = numerals.iter().position(|known| *known == numeral).ok_or_else(wrong_month)?;
    reader.advance(length);
    Ok(month as u8 + 1)
}

fn meridiem(reader: &mut Reader<'_>) -> Result<bool> {
    for (name, afternoon) in [("A.M.", false), ("P.M.", true), ("AM", false), ("PM", true)] {
        if reader.text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name)) {
            reader.advance(name.len());
            return Ok(afternoon);
        }
    }
    Err(Error::user(1855, "AM/A.M. or PM/P.M. required"))
}

fn era(reader: &mut Reader<'_>) -> Result<bool> {
    for (name, before) in [("A.D.", false), ("B.C.", true), ("AD", false), ("BC", true)] {
        if reader.text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name)) {
            reader.advance(name.len());
            return Ok(before);
        }
    }
    Err(Error::user(1856, "BC/B.C. or AD/A.D. required"))
}

fn assemble(parts: &ParsedParts, today: &DateTime) -> Result<DateTime> {
    let mut at = DateTime { nanosecond: parts.nanosecond, ..DateTime::midnight(today.year, today.month, 1) };
    if let Some(year) = parts.year {
        at.year = if parts.before_christ == Some(true) { -year } else { year };
    }
    if let Some(day) = parts.julian_day {
        (at.year, at.month, at.day) = date::from_julian_day(day)?;
    } else if let Some(day) = parts.day_of_year {
        DateTime::midnight(at.year, 1, 1).check()?;
        let (year, month, day) = date::from_julian_day(date::julian_day(at.year, 1, 1) + day - 1)?;
        if year != at.year {
            return Err(Error::user(1848, "day of year must be between 1 and 365 (366 for leap year)"));
        }
        if parts.month.is_some_and(|given| given != month) {
            return Err(Error::user(1833, "month conflicts with Julian date"));
        }
        (at.month, at.day) = (month, day);
    } else {
        at.month = parts.month.unwrap_or(at.month);
        at.day = parts.day.unwrap_or(1);
    }
    if let Some(second) = parts.second_of_day {
        (at.hour, at.minute, at.second) = ((second / 3600) as u8, (second / 60 % 60) as u8, (second % 60) as u8);
    }
    if let Some(hour) = parts.hour {
        at.hour = hour;
    }
    if let Some(hour) = parts.hour12 {
        at.hour = hour % 12 + if parts.afternoon == Some(true) { 12 } else { 0 };
    }
    at.minute = parts.minute.unwrap_or(at.minute);
    at.second = parts.second.unwrap_or(at.second);
    at.check()?;
    if parts.weekday.is_some_and(|day| day != date::weekday(at.julian_day())) {
        return Err(Error::user(1835, "day of week conflicts with Julian date"));
    }
    Ok(at)
}
