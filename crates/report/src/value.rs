//! The text of a cell as a number: separators, exponents, suffixes, and the weight of the last digit.
//!
//! ```text
//! 1,234.5   1.234,5   1 234,5   1'234.5   .0   -0.31   3.51655E+08      a number in some country's form
//! 520K  1.4M  26.4G                                                   multiples of 1000 in counts, of 1024 in bytes
//! 109.72us  373.76ms  54.37 s  12cs  3m  1h                           a time with its unit
//! ####   N/A   (nothing)                                               no number
//! ```
//!
//! A report prints numbers by masks of its own and by the session's settings, so that one file may have both forms. An
//! unambiguous cell is read as it is; `1.234` and `1,234` are read as most of the other cells of the file are
//! ([`Numbers::of`]).

use crate::figure::Figure;

/// Cells that decide how numbers are written: more than any first screens have.
const VOTES: usize = 10_000;

/// The number format of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Numbers {
    decimal_comma: bool,
}

/// The suffix of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suffix {
    None,
    /// The power of 1000 or 1024: K is 1, M 2, G 3, T 4, P 5.
    Magnitude(i32),
    Time(TimeUnit),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeUnit {
    Nanoseconds,
    Microseconds,
    Milliseconds,
    Centiseconds,
    Seconds,
    Minutes,
    Hours,
}

impl TimeUnit {
    fn nanoseconds(self) -> f64 {
        match self {
            TimeUnit::Nanoseconds => 1.0,
            TimeUnit::Microseconds => 1e3,
            TimeUnit::Milliseconds => 1e6,
            TimeUnit::Centiseconds => 1e7,
            TimeUnit::Seconds => 1e9,
            TimeUnit::Minutes => 6e10,
            TimeUnit::Hours => 3.6e12,
        }
    }

    /// The unit that a column heading names: "Avg wait (ms)", "Total Wait Time (cs)", "Elapsed (mins)".
    #[must_use]
    pub fn of_heading(heading: &str) -> Option<Self> {
        let inside = heading.rsplit('(').next()?.split(')').next()?.trim();
        let is = |names: &[&str]| names.iter().any(|name| inside.eq_ignore_ascii_case(name));
        match inside.len() {
            2 if is(&["ns"]) => Some(TimeUnit::Nanoseconds),
            2 if is(&["us"]) => Some(TimeUnit::Microseconds),
            2 if is(&["ms"]) => Some(TimeUnit::Milliseconds),
            2 if is(&["cs"]) => Some(TimeUnit::Centiseconds),
            1..=7 if is(&["s", "sec", "secs", "seconds"]) => Some(TimeUnit::Seconds),
            3..=4 if is(&["min", "mins"]) => Some(TimeUnit::Minutes),
            _ => None,
        }
    }
}

/// The content of a cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cell {
    /// Nothing, or "N/A".
    Absent,
    /// "####": the figure did not fit.
    Overflow,
    Number(Number),
    /// Not a number.
    Text,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Number {
    /// The digits, without the suffix's factor.
    pub figure: Figure,
    pub suffix: Suffix,
    /// Printed without a fraction and without an exponent.
    pub whole: bool,
}

impl Numbers {
    /// Decides by the unambiguous cells, the first ten thousand of them.
    #[must_use]
    pub fn of<'a>(cells: impl Iterator<Item = &'a str>) -> Self {
        let mut points = 0_usize;
        let mut commas = 0_usize;
        for cell in cells {
            match vote(cell.trim()) {
                Some(Decimal::Point) => points += 1,
                Some(Decimal::Comma) => commas += 1,
                None => {}
            }
            if points + commas == VOTES {
                break;
            }
        }
        Self { decimal_comma: commas > points }
    }

    #[must_use]
    pub const fn decimal_comma(self) -> bool {
        self.decimal_comma
    }

    #[must_use]
    pub fn read(self, text: &str) -> Cell {
        let text = text.trim();
        match self.plain(text.as_bytes()) {
            Some(number) => Cell::Number(number),
            None => self.read_any(text),
        }
    }

    /// The form that nearly all cells have: digits, commas between groups of three, up to two decimals. Others are left
    /// to [`Self::read_any`], which reads these the same.
    fn plain(self, text: &[u8]) -> Option<Number> {
        // Integers of fifteen digits are exact, and so is where one is divided by ten or a hundred.
        if text.is_empty() || text.len() > 15 {
            return None;
        }
        let (mut value, mut commas, mut since_comma, mut decimals) = (0_u64, 0, 0, None);
        for &byte in text {
            match (byte, decimals) {
                (b'0'..=b'9', _) => {
                    value = value * 10 + u64::from(byte - b'0');
                    match &mut decimals {
                        None => since_comma += 1,
                        Some(count) => *count += 1,
                    }
                }
                (b',', None) if (commas == 0 && (1..=3).contains(&since_comma)) || since_comma == 3 => {
                    commas += 1;
                    since_comma = 0;
                }
                (b'.', None) if since_comma > 0 => decimals = Some(0),
                _ => return None,
            }
        }
        // One comma alone may be a decimal sign.
        let doubtful = commas == 1 && decimals.is_none() && self.decimal_comma;
        if commas > 0 && (since_comma != 3 || text[0] == b'0' || doubtful) {
            return None;
        }
        let (figure, whole) = match decimals {
            None => (Figure::new(value as f64, 1.0), true),
            Some(1) => (Figure::new(value as f64 / 10.0, 0.1), false),
            Some(2) => (Figure::new(value as f64 / 100.0, 0.01), false),
            Some(_) => return None,
        };
        Some(Number { figure, suffix: Suffix::None, whole })
    }

    fn read_any(self, text: &str) -> Cell {
        if text.is_empty() || text.eq_ignore_ascii_case("n/a") || text == "-" {
            return Cell::Absent;
        }
        if text.bytes().all(|byte| byte == b'#') {
            return Cell::Overflow;
        }
        let Some((digits, suffix)) = split_suffix(text) else { return Cell::Text };
        let Some((figure, whole)) = self.digits(digits) else { return Cell::Text };
        Cell::Number(Number { figure, suffix, whole })
    }

    /// A count: suffixes are multiples of 1000; printed in full it is exact.
    #[must_use]
    pub fn count(self, text: &str) -> Option<Figure> {
        let Cell::Number(number) = self.read(text) else { return None };
        match number.suffix {
            Suffix::None if number.whole => Some(Figure::exact(number.figure.value)),
            Suffix::None => Some(number.figure),
            Suffix::Magnitude(power) => Some(magnified(number.figure, 1000_f64.powi(power))),
            Suffix::Time(_) => None,
        }
    }

    /// Bytes: suffixes are multiples of 1024.
    #[must_use]
    pub fn bytes(self, text: &str) -> Option<Figure> {
        let Cell::Number(number) = self.read(text) else { return None };
        match number.suffix {
            Suffix::None if number.whole => Some(Figure::exact(number.figure.value)),
            Suffix::None => Some(number.figure),
            Suffix::Magnitude(power) => Some(number.figure.scaled(1024_f64.powi(power))),
            Suffix::Time(_) => None,
        }
    }

    /// A number without a precision: a rate, a percentage. Magnitudes are multiples of 1000.
    #[must_use]
    pub fn number(self, text: &str) -> Option<f64> {
        self.count(text).map(|figure| figure.value)
    }

    /// A time in seconds. `unit` is the heading's, and holds where the cell names none; magnitudes (26.4K seconds) are
    /// multiples of 1000.
    #[must_use]
    pub fn seconds(self, text: &str, unit: TimeUnit) -> Option<Figure> {
        self.time(text, unit, TimeUnit::Seconds)
    }

    /// A time in the unit `wanted`, without rounding by conversions over other units.
    #[must_use]
    pub fn time(self, text: &str, unit: TimeUnit, wanted: TimeUnit) -> Option<Figure> {
        let Cell::Number(number) = self.read(text) else { return None };
        let figure = match number.suffix {
            Suffix::Magnitude(power) => magnified(number.figure, 1000_f64.powi(power)),
            Suffix::None | Suffix::Time(_) => number.figure,
        };
        let from = if let Suffix::Time(own) = number.suffix { own } else { unit };
        let (from, to) = (from.nanoseconds(), wanted.nanoseconds());
        Some(if from >= to {
            figure.scaled(from / to)
        } else {
            Figure::new(figure.value / (to / from), figure.step / (to / from))
        })
    }

    /// A mantissa with an optional exponent; and whether it is a whole number printed in full.
    fn digits(self, text: &str) -> Option<(Figure, bool)> {
        let (mantissa, exponent) = match text.find(['E', 'e']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
            None => (text, 0),
        };
        let mut plain = [0_u8; 40];
        let mut length = 0;
        let mut push = |byte: u8| {
            if length < plain.len() {
                plain[length] = byte;
                length += 1;
            }
        };
        let (sign, mantissa) = match mantissa.strip_prefix('-') {
            Some(rest) => (-1.0, rest),
            None => (1.0, mantissa.strip_prefix('+').unwrap_or(mantissa)),
        };
        if mantissa.len() > 36 {
            return None;
        }
        let decimal = match shape(mantissa)? {
            Shape::Whole => None,
            Shape::Decimal(at) => Some(at),
            Shape::Either(at) => {
                let comma = mantissa.as_bytes().get(at) == Some(&b',');
                (comma == self.decimal_comma).then_some(at)
            }
        };
        let mut fraction = 0_i32;
        for (at, byte) in mantissa.bytes().enumerate() {
            if byte.is_ascii_digit() {
                push(byte);
                if decimal.is_some_and(|decimal| at > decimal) {
                    fraction += 1;
                }
            } else if decimal == Some(at) {
                push(b'.');
            }
        }
        let digits = std::str::from_utf8(plain.get(..length)?).ok()?;
        let value: f64 = digits.parse().ok()?;
        if exponent.unsigned_abs() > 300 {
            return None;
        }
        let step = 10_f64.powi(exponent - fraction);
        // Not times a power of ten: 1.3497E+07 is a whole number.
        let value = if exponent == 0 { value } else { format!("{digits}e{exponent}").parse().ok()? };
        Some((Figure::new(sign * value, step), decimal.is_none() && exponent == 0))
    }
}

/// Decimal magnitudes without binary rounding: 521.8K is 521,800.
fn magnified(figure: Figure, factor: f64) -> Figure {
    let scaled = figure.scaled(factor);
    if scaled.step >= 0.5 { Figure::new(scaled.value.round(), scaled.step.round()) } else { scaled }
}

/// The number and what follows it. None when the text does not begin as a number, or goes on with something else.
fn split_suffix(text: &str) -> Option<(&str, Suffix)> {
    let first = text.bytes().next()?;
    if !(first.is_ascii_digit() || matches!(first, b'.' | b',' | b'-' | b'+')) {
        return None;
    }
    let end = text.trim_end_matches(|character: char| character.is_ascii_alphabetic() || character == '%');
    // "1.0E+02" ends in a digit and keeps its exponent.
    let suffix = match &text[end.len()..] {
        "" | "%" => Suffix::None,
        "K" | "k" | "KB" => Suffix::Magnitude(1),
        "M" | "MB" => Suffix::Magnitude(2),
        "G" | "GB" => Suffix::Magnitude(3),
        "T" | "TB" => Suffix::Magnitude(4),
        "P" | "PB" => Suffix::Magnitude(5),
        "ns" => Suffix::Time(TimeUnit::Nanoseconds),
        "us" => Suffix::Time(TimeUnit::Microseconds),
        "ms" => Suffix::Time(TimeUnit::Milliseconds),
        "cs" => Suffix::Time(TimeUnit::Centiseconds),
        "s" | "sec" => Suffix::Time(TimeUnit::Seconds),
        "m" | "min" | "mins" => Suffix::Time(TimeUnit::Minutes),
        "h" => Suffix::Time(TimeUnit::Hours),
        _ => return None,
    };
    Some((end.trim_end(), suffix))
}

enum Shape {
    Whole,
    /// The decimal sign stands at this byte.
    Decimal(usize),
    /// One separator with three digits behind it.
    Either(usize),
}

#[derive(PartialEq, Eq)]
enum Decimal {
    Point,
    Comma,
}

/// Position of the decimal sign, as far as the digits determine it. None when this is no number.
fn shape(text: &str) -> Option<Shape> {
    let mut decimals: [Option<usize>; 2] = [None; 2];
    let mut counts = [0_usize; 2];
    let mut last = None;
    let mut digits = 0;
    let mut grouped = false;
    for (at, character) in text.char_indices() {
        match character {
            '0'..='9' => digits += 1,
            '.' | ',' => {
                let which = usize::from(character == ',');
                counts[which] += 1;
                decimals[which] = Some(at);
                last = Some((at, which));
            }
            ' ' | '\'' | '\u{a0}' | '\u{202f}' | '\u{2019}' => grouped = true,
            _ => return None,
        }
    }
    if digits == 0 {
        return None;
    }
    let Some((at, which)) = last else {
        return (!grouped || groups_of_three(text)).then_some(Shape::Whole);
    };
    let behind = text.len() - at - 1;
    if !text[at + 1..].bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let head = &text[..at];
    if counts[which] > 1 {
        // 1,234,567: the other sign may not stand in it as well.
        return (counts[1 - which] == 0 && groups_of_three(text)).then_some(Shape::Whole);
    }
    if counts[1 - which] > 0 || grouped {
        return groups_of_three(head).then_some(Shape::Decimal(at));
    }
    if behind != 3 || head.is_empty() || head.len() > 3 || head.starts_with('0') {
        return Some(Shape::Decimal(at));
    }
    Some(Shape::Either(at))
}

/// 1,234,567 and 1 234: one to three digits, then groups of three.
fn groups_of_three(text: &str) -> bool {
    let mut groups = text.split([',', '.', ' ', '\'', '\u{a0}', '\u{202f}', '\u{2019}']);
    let all_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && all_digits(first) && groups.all(|group| group.len() == 3 && all_digits(group))
}

fn vote(text: &str) -> Option<Decimal> {
    if text.len() < 2 || text.len() > 30 {
        return None;
    }
    let (digits, _) = split_suffix(text)?;
    let digits = digits.trim_start_matches(['-', '+']);
    match shape(digits)? {
        Shape::Decimal(at) => {
            Some(if digits.as_bytes().get(at) == Some(&b',') { Decimal::Comma } else { Decimal::Point })
        }
        Shape::Whole if digits.contains(',') => Some(Decimal::Point),
        Shape::Whole if digits.contains('.') => Some(Decimal::Comma),
        Shape::Whole | Shape::Either(_) => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::float_cmp, reason = "tests compare printed digits")]

    use super::{Cell, Numbers, TimeUnit};
    use crate::figure::Figure;

    fn english() -> Numbers {
        Numbers::of(["1,234.5", "0.1"].into_iter())
    }

    fn german() -> Numbers {
        Numbers::of(["1.234,5", "0,1"].into_iter())
    }

    proptest::proptest! {
        #[test]
        fn the_short_way_reads_as_the_long_way(text in "[0-9]{0,4}([,.]?[0-9]{1,3}){0,4}[,.]?[0-9]{0,3}") {
            for numbers in [english(), german()] {
                if let Some(number) = numbers.plain(text.as_bytes()) {
                    proptest::prop_assert_eq!(Cell::Number(number), numbers.read_any(&text), "{}", text);
                }
            }
        }
    }

    #[test]
    fn the_short_way_is_taken() {
        for text in ["0", "1,234", "12,345,678", "999999999999999", "0.5", "1234.25", "1,234.5"] {
            assert!(english().plain(text.as_bytes()).is_some(), "{text}");
        }
        for text in [
            "",
            ",1",
            "1,23",
            "1,23.4",
            "0,123",
            "1.234",
            ".5",
            "-1",
            "1e5",
            "1K",
            "1234567890123456",
            "1,,234",
            "1,234,",
        ] {
            assert!(english().plain(text.as_bytes()).is_none(), "{text}");
        }
        assert!(german().plain(b"1,234").is_none());
    }

    #[test]
    fn a_cell_that_can_be_read_in_one_way_is_read_so_in_any_file() {
        for numbers in [english(), german()] {
            for (text, value) in [
                ("1,234.5", 1234.5),
                ("1.234,5", 1234.5),
                ("1 234,5", 1234.5),
                ("1\u{a0}234,5", 1234.5),
                ("1'234.5", 1234.5),
                ("12,345,678", 12_345_678.0),
                ("12.345.678", 12_345_678.0),
                (".0", 0.0),
                (".59", 0.59),
                (",59", 0.59),
                ("-0.31", -0.31),
                ("-.5", -0.5),
                ("0.123", 0.123),
                ("0,123", 0.123),
                ("1234.567", 1234.567),
                ("3.51655E+08", 351_655_000.0),
                ("1.3497E+07", 13_497_000.0),
                ("9.2233720368547758E+18", 9.223_372_036_854_776e18),
                ("100", 100.0),
                ("12.5%", 12.5),
            ] {
                assert_eq!(numbers.number(text), Some(value), "{text}");
            }
        }
    }

    #[test]
    fn three_digits_behind_one_sign_are_read_as_the_rest_of_the_file() {
        assert_eq!(english().number("1,234"), Some(1234.0));
        assert_eq!(english().number("1.234"), Some(1.234));
        assert_eq!(german().number("1,234"), Some(1.234));
        assert_eq!(german().number("1.234"), Some(1234.0));
    }

    #[test]
    fn dates_versions_pairs_and_words_are_no_numbers_and_no_evidence() {
        for text in [
            "11.2.0.3.0",
            "23.04.14",
            "24.2/39.8",
            "0/0",
            "23-Apr-14",
            "B",
            "1 2",
            "1,23,4",
            "169.254.3.189",
            "12.5x",
            "E+18",
            "--",
        ] {
            assert_eq!(english().read(text), Cell::Text, "{text}");
            assert!(super::vote(text).is_none(), "{text}");
        }
    }

    #[test]
    fn nothing_and_not_available_are_absent_and_hashes_an_overflow() {
        assert_eq!(english().read(""), Cell::Absent);
        assert_eq!(english().read("N/A"), Cell::Absent);
        assert_eq!(english().read("####"), Cell::Overflow);
        assert_eq!(english().count("####"), None);
    }

    #[test]
    fn suffixes_count_in_1000_and_bytes_in_1024() {
        assert_eq!(english().count("520K"), Some(Figure::new(520_000.0, 1000.0)));
        assert_eq!(english().count("25.2K").unwrap().value, 25_200.0);
        assert!((english().count("25.2K").unwrap().step - 100.0).abs() < 1e-9);
        assert_eq!(english().bytes("7,992K"), Some(Figure::new(7992.0 * 1024.0, 1024.0)));
        assert_eq!(english().bytes("8K").unwrap().value, 8192.0);
        assert_eq!(german().bytes("2,6G").unwrap().value, 2.6 * 1024.0 * 1024.0 * 1024.0);
    }

    #[test]
    fn a_count_in_full_is_exact_and_a_time_is_known_to_its_last_digit() {
        assert_eq!(english().count("178,406"), Some(Figure::exact(178_406.0)));
        assert_eq!(english().seconds("4,567", TimeUnit::Seconds), Some(Figure::new(4567.0, 1.0)));
        assert_eq!(english().seconds("9", TimeUnit::Milliseconds), Some(Figure::new(0.009, 0.001)));
    }

    #[test]
    fn a_time_keeps_its_own_unit() {
        let read = |text| english().seconds(text, TimeUnit::Milliseconds).unwrap().value;
        assert!((read("109.72us") - 109.72e-6).abs() < 1e-12);
        assert!((read("373.76ms") - 0.37376).abs() < 1e-12);
        assert!((read("54.37 s") - 54.37).abs() < 1e-12);
        assert!((read("850ns") - 850e-9).abs() < 1e-15);
        assert!((read("12cs") - 0.12).abs() < 1e-12);
        assert!((read("3m") - 180.0).abs() < 1e-12);
        assert!((english().seconds("26.4K", TimeUnit::Seconds).unwrap().value - 26_400.0).abs() < 1e-9);
    }

    #[test]
    fn headings_name_units() {
        assert_eq!(TimeUnit::of_heading("Avg wait (ms)"), Some(TimeUnit::Milliseconds));
        assert_eq!(TimeUnit::of_heading("Total Wait Time (cs)"), Some(TimeUnit::Centiseconds));
        assert_eq!(TimeUnit::of_heading("Time(s)"), Some(TimeUnit::Seconds));
        assert_eq!(TimeUnit::of_heading("Total Wait Time (sec)"), Some(TimeUnit::Seconds));
        assert_eq!(TimeUnit::of_heading("Avg wait"), None);
    }

    #[test]
    fn the_larger_number_of_cells_decides() {
        let mixed = Numbers::of(["1,234,567", "12,5", "0,5", "4,53108", "17"].into_iter());
        assert!(mixed.decimal_comma());
        assert!(!Numbers::of(["1,234,567", "17"].into_iter()).decimal_comma());
    }
}
