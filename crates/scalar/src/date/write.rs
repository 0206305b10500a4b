//! TO_CHAR of dates and timestamps.

use common::{Error, Result};
use format::date::{DateTime, julian_day, weekday};

use super::format::{Case, Element, Format, Item, Suffix};
use super::names::{DAYS, MONTHS, spell, spell_ordinal};
use crate::nls::Nls;

const ROMAN: [&str; 12] = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"];

/// The text of a point in time in a format.
///
/// # Errors
/// None for a checked date; ORA-01801 when the text gets too long.
pub fn write(nls: &Nls, at: &DateTime, format: &Format) -> Result<String> {
    let mut text = String::with_capacity(format.text().len() + 8);
    let mut fill = true;
    for item in &format.items {
        match item {
            Item::Literal(literal) => text.push_str(literal),
            Item::Element { element: Element::FillMode, .. } => fill = !fill,
            Item::Element { element: Element::Exact, .. } => {}
            Item::Element { element: Element::Punctuation(character), .. } => text.push(*character),
            Item::Element { element: Element::Radix, .. } => text.push(nls.decimal()),
            Item::Element { element: Element::Fraction(digits), .. } => {
                // Without a digit: as many as a timestamp has by default.
                let digits = usize::from(digits.unwrap_or(6));
                text.push_str(&format!("{:09}", at.nanosecond)[..digits]);
            }
            Item::Element { element, case, suffix } => match number(at, *element) {
                Some((value, width)) => write_number(&mut text, value, if fill { width } else { 0 }, *case, *suffix),
                None => write_name(&mut text, at, *element, *case, fill)?,
            },
        }
    }
    if text.len() > common::limits::VARCHAR2_BYTES_MAX {
        return Err(Error::user(1801, "date format is too long for the internal buffer"));
    }
    Ok(text)
}

/// Value and width of a numeric element.
fn number(at: &DateTime, element: Element) -> Option<(i64, usize)> {
    let year = i64::from(at.year.abs());
    let hour12 = i64::from(if at.hour.is_multiple_of(12) { 12 } else { at.hour % 12 });
    let day_of_year = || julian_day(at.year, at.month, at.day) - julian_day(at.year, 1, 1) + 1;
    let power = |digits: u8| 10i64.pow(u32::from(digits));
    Some(match element {
        Element::Year4 | Element::Round4 => (year, 4),
        Element::Year3 => (year % 1000, 3),
        Element::Year2 | Element::Round2 => (year % 100, 2),
        Element::Year1 => (year % 10, 1),
        // Without a sign, as all years here but SYYYY; 0 is the year before 1.
        Element::IsoYear(digits) => (iso_week(at).0.abs().max(1) % power(digits), usize::from(digits)),
        Element::Century => ((year + 99) / 100, 2),
        Element::Quarter => ((i64::from(at.month) + 2) / 3, 1),
        Element::Month => (i64::from(at.month), 2),
        Element::WeekOfYear => ((day_of_year() + 6) / 7, 2),
        Element::IsoWeek => (iso_week(at).1, 2),
        Element::WeekOfMonth => ((i64::from(at.day) + 6) / 7, 1),
        Element::DayOfYear => (day_of_year(), 3),
        Element::DayOfMonth => (i64::from(at.day), 2),
        Element::DayOfWeek => (i64::from(weekday(at.julian_day())) + 1, 1),
        Element::JulianDay => (at.julian_day(), 7),
        Element::Hour12 => (hour12, 2),
        Element::Hour24 => (i64::from(at.hour), 2),
        Element::Minute => (i64::from(at.minute), 2),
        Element::Second => (i64::from(at.second), 2),
        Element::SecondOfDay => (at.second_of_day(), 5),
        _ => return None,
    })
}

/// Year and week by ISO 8601: weeks begin on Monday, and the first holds the year's first Thursday.
#[must_use]
pub fn iso_week(at: &DateTime) -> (i64, i64) {
    let day = at.julian_day();
    let thursday = day - i64::from((weekday(day) + 6) % 7) + 3;
    let year = [at.year + 1, at.year, at.year - 1]
        .into_iter()
        .find(|year| julian_day(*year, 1, 1) <= thursday)
        .unwrap_or(at.year);
    (i64::from(year), (thursday - julian_day(year, 1, 1)) / 7 + 1)
}

fn write_number(text: &mut String, value: i64, width: usize, case: Case, suffix: Suffix) {
    if suffix.spelled {
        let words = if suffix.ordinal { spell_ordinal(value) } else { spell(value) };
        push_cased(text, &words, case);
        return;
    }
    text.push_str(&format!("{value:0width$}"));
    if suffix.ordinal {
        let letters = match (value % 10, value / 10 % 10) {
            (_, 1) => "th",
            (1, _) => "st",
            (2, _) => "nd",
            (3, _) => "rd",
            _ => "th",
        };
        push_cased(text, letters, if case == Case::Initial { Case::Lower } else { case });
    }
}

fn push_cased(text: &mut String, words: &str, case: Case) {
    match case {
        Case::Upper => text.push_str(&words.to_uppercase()),
        Case::Lower => text.push_str(&words.to_lowercase()),
        Case::Initial => text.push_str(words),
    }
}

fn write_name(text: &mut String, at: &DateTime, element: Element, case: Case, fill: bool) -> Result<()> {
    let month = usize::from(at.month.clamp(1, 12)) - 1;
    let sign = if at.year < 0 { "-" } else { " " };
    let sign = if fill || at.year < 0 { sign } else { "" };
    let year = at.year.abs();
    let padded = |name: &str, width: usize| if fill { format!("{name:width$}") } else { name.to_owned() };
    match element {
        Element::SignedYear => text.push_str(&if fill { format!("{sign}{year:04}") } else { format!("{sign}{year}") }),
        Element::CommaYear => text.push_str(&format!("{},{:03}", year / 1000, year % 1000)),
        Element::SignedCentury => text.push_str(&format!("{sign}{:02}", (year + 99) / 100)),
        Element::YearName => push_cased(text, &spell_year(year), case),
        Element::SignedYearName => push_cased(text, &format!("{sign}{}", spell_year(year)), case),
        Element::MonthName => push_cased(text, &padded(MONTHS[month], 9), case),
        Element::MonthShort => push_cased(text, &MONTHS[month][..3], case),
        Element::MonthRoman => push_cased(text, &padded(ROMAN[month], 4), case),
        Element::DayName => push_cased(text, &padded(DAYS[usize::from(weekday(at.julian_day()))], 9), case),
        Element::DayShort => push_cased(text, &DAYS[usize::from(weekday(at.julian_day()))][..3], case),
        Element::Meridiem { dots } => {
            let name = match (at.hour < 12, dots) {
                (true, false) => "AM",
                (false, false) => "PM",
                (true, true) => "A.M.",
                (false, true) => "P.M.",
            };
            push_cased(text, name, if case == Case::Initial { Case::Upper } else { case });
        }
        Element::Era { dots } => {
            let name = match (at.year > 0, dots) {
                (true, false) => "AD",
                (false, false) => "BC",
                (true, true) => "A.D.",
                (false, true) => "B.C.",
            };
            push_cased(text, name, if case == Case::Initial { Case::Upper } else { case });
        }
        other => return Err(Error::bug(format!("{other:?} is not a name"))),
    }
    Ok(())
}

/// A year in words, by its halves.
fn spell_year(year: i32) -> String {
    let (century, rest) = (i64::from(year / 100), i64::from(year % 100));
    match (century, rest) {
        (0, _) => spell(rest),
        (century, 0) if century % 10 == 0 => format!("{} Thousand", spell(century / 10)),
        (century, 0) => format!("{} Hundred", spell(century)),
        (century, 1..10) => format!("{} Oh-{}", spell(century), spell(rest)),
        _ => format!("{} {}", spell(century), spell(rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_of_weeks_before_the_common_era_have_no_sign() {
        let text = |year, format| {
            write(&Nls::default(), &DateTime::midnight(year, 6, 15), &Format::parse(format).unwrap()).unwrap()
        };
        assert_eq!(text(-44, "IYYY IY"), "0044 44");
        assert_eq!(text(-1, "IYYY"), "0001");
        assert_eq!(text(-44, "IYYYSP"), "FORTY-FOUR");
    }
}
