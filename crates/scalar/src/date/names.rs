//! Names of months and days, in American English.

pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// From Sunday, the first day of the week in the territory AMERICA.
pub const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// A month by its full name or its first three letters, with its length in bytes of `text`.
#[must_use]
pub fn find_month(text: &str) -> Option<(u8, usize)> {
    find(&MONTHS, text).map(|(at, length)| (at as u8 + 1, length))
}

/// A day of the week, 0 for Sunday, by its full name or its first three letters, with its length in bytes of `text`.
#[must_use]
pub fn find_day(text: &str) -> Option<(u8, usize)> {
    find(&DAYS, text).map(|(at, length)| (at as u8, length))
}

fn find(names: &[&str], text: &str) -> Option<(usize, usize)> {
    let starts = |name: &str| text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
    let whole = names.iter().position(|name| starts(name)).map(|at| (at, names[at].len()));
    whole.or_else(|| names.iter().position(|name| starts(&name[..3])).map(|at| (at, 3)))
}

const SMALL: [&str; 20] = [
    "Zero",
    "One",
    "Two",
    "Three",
    "Four",
    "Five",
    "Six",
    "Seven",
    "Eight",
    "Nine",
    "Ten",
    "Eleven",
    "Twelve",
    "Thirteen",
    "Fourteen",
    "Fifteen",
    "Sixteen",
    "Seventeen",
    "Eighteen",
    "Nineteen",
];
const TENS: [&str; 10] = ["", "", "Twenty", "Thirty", "Forty", "Fifty", "Sixty", "Seventy", "Eighty", "Ninety"];

/// A number below a thousand millions in words, each with a capital (format suffix SP).
#[must_use]
pub fn spell(value: i64) -> String {
    let named = |unit: i64, name: &str| {
        let head = format!("{} {name}", spell(value / unit));
        if value % unit == 0 { head } else { format!("{head} {}", spell(value % unit)) }
    };
    match value {
        ..0 => format!("Minus {}", spell(value.saturating_neg())),
        0..20 => SMALL[value as usize].to_owned(),
        20..100 if value % 10 == 0 => TENS[value as usize / 10].to_owned(),
        20..100 => format!("{}-{}", TENS[value as usize / 10], SMALL[value as usize % 10]),
        100..1000 => named(100, "Hundred"),
        1000..1_000_000 => named(1000, "Thousand"),
        _ => named(1_000_000, "Million"),
    }
}

/// An ordinal in words (format suffix SPTH).
#[must_use]
pub fn spell_ordinal(value: i64) -> String {
    let words = spell(value);
    let start = words.rfind([' ', '-']).map_or(0, |at| at + 1);
    let (head, last) = words.split_at(start);
    let last = match last {
        "One" => "First".to_owned(),
        "Two" => "Second".to_owned(),
        "Three" => "Third".to_owned(),
        "Five" => "Fifth".to_owned(),
        "Eight" => "Eighth".to_owned(),
        "Nine" => "Ninth".to_owned(),
        "Twelve" => "Twelfth".to_owned(),
        tens if tens.ends_with('y') => format!("{}ieth", &tens[..tens.len() - 1]),
        other => format!("{other}th"),
    };
    format!("{head}{last}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_is_spelled() {
        assert_eq!(spell(2_460_370), "Two Million Four Hundred Sixty Thousand Three Hundred Seventy");
        assert_eq!(spell_ordinal(40), "Fortieth");
        assert_eq!(spell(-4712), "Minus Four Thousand Seven Hundred Twelve");
        assert!(spell(i64::MIN).starts_with("Minus "));
    }
}
