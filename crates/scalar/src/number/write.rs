//! TO_CHAR of numbers.

use common::Result;
use format::number::{self, NumberBytes, unpack};

use super::format::{Currency, DigitPlace, Digits, NumberFormat, Point, Shape, SignPlace};
use crate::nls::Nls;

/// Most characters of L and C, filled with blanks.
const LOCAL_WIDTH: usize = 10;
const ISO_WIDTH: usize = 7;
/// Characters of RN.
const ROMAN_WIDTH: usize = 15;

/// The text of a number in a format; `#` over its whole width when it does not fit.
///
/// # Errors
/// ORA-01426 when rounding overflows.
pub fn write(nls: &Nls, value: &NumberBytes, format: &NumberFormat) -> Result<String> {
    match &format.shape {
        Shape::Roman { lower } => Ok(roman(value, *lower, format.fill)),
        Shape::Hexadecimal { digits, zeros, lower } => hexadecimal(value, *digits, *zeros, *lower, format.fill),
        Shape::Minimum { scientific: false } => Ok(value.to_string()),
        Shape::Minimum { scientific: true } => Ok(scientific(value, None)?.trim_start().to_owned()),
        Shape::Digits(digits) => write_digits(nls, value, digits, format.fill),
    }
}

/// The decimal digits of a number: those before the point, without zeros in front, and those behind.
fn split(value: &NumberBytes) -> (String, String) {
    let decimal = unpack(value);
    let mut whole = String::new();
    let mut fraction = String::new();
    for _ in decimal.exponent..-1 {
        fraction.push_str("00");
    }
    for place in 0..(decimal.length as i32).max(decimal.exponent + 1) {
        let pair = decimal.digits().get(place as usize).copied().unwrap_or(0);
        let into = if place <= decimal.exponent { &mut whole } else { &mut fraction };
        into.push((b'0' + pair / 10) as char);
        into.push((b'0' + pair % 10) as char);
    }
    if decimal.length == 0 {
        return (String::new(), String::new());
    }
    (whole.trim_start_matches('0').to_owned(), fraction)
}

/// `d.ddE+xx` of the number, with `places` digits behind the point, or as many as it has.
fn scientific(value: &NumberBytes, places: Option<usize>) -> Result<String> {
    let (mut whole, mut fraction) = split(value);
    let exponent = |whole: &str, fraction: &str| {
        if whole.is_empty() {
            -(fraction.bytes().take_while(|digit| *digit == b'0').count() as i64) - 1
        } else {
            whole.len() as i64 - 1
        }
    };
    let mut power = if value.is_zero() { 0 } else { exponent(&whole, &fraction) };
    if let Some(places) = places {
        let rounded = number::round(&value.absolute(), (places as i64 - power) as i32)?;
        (whole, fraction) = split(&rounded);
        power = if rounded.is_zero() { 0 } else { exponent(&whole, &fraction) };
    }
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    let mut tail = digits[1..].trim_end_matches('0').to_owned();
    if let Some(places) = places {
        tail.truncate(places);
        while tail.len() < places {
            tail.push('0');
        }
    }
    let sign = if value.is_negative() { "-" } else { "" };
    let point = if tail.is_empty() { "" } else { "." };
    let power_sign = if power < 0 { '-' } else { '+' };
    Ok(format!("{sign}{}{point}{tail}E{power_sign}{:02}", &digits[..1], power.abs()))
}

fn write_digits(nls: &Nls, value: &NumberBytes, digits: &Digits, fill: bool) -> Result<String> {
    let shifted = digits.point == Some(Point::Shifted);
    let mut value = *value;
    if shifted {
        let power = number::encode_i128(1, -(digits.fraction.len() as i32))?;
        value = super::arithmetic::multiply(&value, &power)?;
    }
    let places = if shifted { 0 } else { digits.fraction.len() };
    let negative = value.is_negative();
    let mut integer: Vec<DigitPlace> = digits.integer.clone();
    if shifted {
        integer.extend(digits.fraction.iter().map(|zero| if *zero { DigitPlace::Zero } else { DigitPlace::Blank }));
    }
    let currency = currency(nls, digits);
    if digits.exponent {
        let text = scientific(&value.absolute(), Some(places))?;
        let text = if text.len() > 40 { "#".repeat(places + 8) } else { text };
        return Ok(sign(&text, 0, negative, digits.sign, fill, &currency, digits.currency_behind));
    }
    let rounded = number::round(&value.absolute(), places as i32)?;
    let (whole, mut fraction) = split(&rounded);
    while fraction.len() < places {
        fraction.push('0');
    }
    fraction.truncate(places);
    let room = integer.iter().filter(|place| matches!(place, DigitPlace::Blank | DigitPlace::Zero)).count();
    if digits.blank_zero && whole.is_empty() && fraction.bytes().all(|digit| digit == b'0') {
        let width = integer.len() + usize::from(places > 0 || digits.point.is_some()) + places + 1 + currency.1;
        return Ok(if fill { " ".repeat(width) } else { String::new() });
    }
    let point = match digits.point {
        Some(Point::Dot) => Some('.'),
        Some(Point::Session) => Some(nls.decimal()),
        Some(Point::Shifted) | None => None,
    };
    if whole.len() > room {
        let extra = match digits.sign {
            SignPlace::Brackets => 2,
            _ => 1,
        };
        return Ok("#".repeat(integer.len() + usize::from(point.is_some()) + places + extra + currency.1));
    }
    let (mut text, blanks) = integer_part(nls, &integer, &whole, room, point.is_some() && places > 0);
    if let Some(point) = point {
        text.push(point);
        if !fill {
            let kept = digits.fraction.iter().rposition(|zero| *zero).map_or(0, |at| at + 1);
            while fraction.len() > kept && fraction.ends_with('0') {
                fraction.pop();
            }
        }
        text.push_str(&fraction);
    }
    Ok(sign(&text, blanks, negative, digits.sign, fill, &currency, digits.currency_behind))
}

/// Digits and separators from the first that is shown on, and how many blanks stand in front of it.
fn integer_part(nls: &Nls, places: &[DigitPlace], whole: &str, room: usize, has_fraction: bool) -> (String, usize) {
    let mut text = String::new();
    let mut blanks = 0;
    let mut started = false;
    let mut seen = 0usize;
    let unused = room - whole.len();
    for place in places {
        match place {
            DigitPlace::Comma if started => text.push(','),
            DigitPlace::Group if started => text.push(nls.group()),
            DigitPlace::Comma | DigitPlace::Group => blanks += 1,
            DigitPlace::Blank | DigitPlace::Zero => {
                let digit = seen.checked_sub(unused).and_then(|at| whole.as_bytes().get(at)).copied();
                seen += 1;
                // Zero is shown as 0 in the last place, unless a fraction follows.
                let last_zero = whole.is_empty() && seen == room && !has_fraction;
                match digit {
                    Some(digit) => {
                        started = true;
                        text.push(digit as char);
                    }
                    None if *place == DigitPlace::Zero || started || last_zero => {
                        started = true;
                        text.push('0');
                    }
                    None => blanks += 1,
                }
            }
        }
    }
    (text, blanks)
}

/// The currency's text and the width it takes.
fn currency(nls: &Nls, digits: &Digits) -> (String, usize) {
    match digits.currency {
        None => (String::new(), 0),
        Some(Currency::Dollar) => ("$".to_owned(), 1),
        Some(Currency::Local) => (nls.currency.clone(), LOCAL_WIDTH),
        Some(Currency::Iso) => (nls.iso_currency.clone(), ISO_WIDTH),
    }
}

fn sign(
    text: &str,
    blanks: usize,
    negative: bool,
    place: SignPlace,
    fill: bool,
    (currency, width): &(String, usize),
    currency_behind: bool,
) -> String {
    let text = if currency_behind { format!("{text}{currency}") } else { format!("{currency}{text}") };
    let blanks = blanks + width - currency.chars().count().min(*width);
    let (before, behind) = match (place, negative) {
        (SignPlace::Default, true) => ("-", ""),
        (SignPlace::Default, false) => (" ", ""),
        (SignPlace::Leading, true) => ("-", ""),
        (SignPlace::Leading, false) => ("+", ""),
        (SignPlace::Trailing, true) => ("", "-"),
        (SignPlace::Trailing, false) => ("", "+"),
        (SignPlace::TrailingMinus, true) => ("", "-"),
        (SignPlace::TrailingMinus, false) => ("", " "),
        (SignPlace::Brackets, true) => ("<", ">"),
        (SignPlace::Brackets, false) => (" ", " "),
    };
    if fill {
        format!("{}{before}{text}{behind}", " ".repeat(blanks))
    } else {
        format!("{}{text}{}", before.trim(), behind.trim())
    }
}

fn roman(value: &NumberBytes, lower: bool, fill: bool) -> String {
    const NUMERALS: [(i64, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let rounded = number::round(value, 0).ok().and_then(|whole| number::decode_i64(&whole));
    let Some(mut left) = rounded.filter(|whole| (1..4000).contains(whole)) else { return "#".repeat(ROMAN_WIDTH) };
    let mut text = String::new();
    for (weight, numeral) in NUMERALS {
        while left >= weight {
            text.push_str(numeral);
            left -= weight;
        }
    }
    if lower {
        text.make_ascii_lowercase();
    }
    if fill { format!("{text:>ROMAN_WIDTH$}") } else { text }
}

fn hexadecimal(value: &NumberBytes, digits: usize, zeros: bool, lower: bool, fill: bool) -> Result<String> {
    let whole = number::round(value, 0)?;
    let text = number::decode_i128(&whole, 0)
        .filter(|whole| *whole >= 0)
        .map(|whole| if lower { format!("{whole:x}") } else { format!("{whole:X}") })
        .filter(|text| text.len() <= digits);
    let Some(text) = text else { return Ok("#".repeat(digits + 1)) };
    let text = if zeros { format!("{text:0>digits$}") } else { text };
    Ok(if fill { format!("{text:>width$}", width = digits + 1) } else { text })
}
