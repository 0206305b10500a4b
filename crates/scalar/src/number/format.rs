//! Number formats, parsed once: `FM$999G990D00MI` and the like.

use common::{Error, Result};

/// Position of the sign.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SignPlace {
    /// A minus or a blank before the first digit.
    #[default]
    Default,
    /// `S…`: always a sign, before the first digit.
    Leading,
    /// `…S`
    Trailing,
    /// `…MI`: a minus or a blank behind.
    TrailingMinus,
    /// `…PR`: angle brackets.
    Brackets,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Currency {
    /// `$`
    Dollar,
    /// `L`
    Local,
    /// `C`
    Iso,
}

/// A place of the integer part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DigitPlace {
    /// `9`: a digit, or a blank in front of the number.
    Blank,
    /// `0`: always a digit.
    Zero,
    /// `,`
    Comma,
    /// `G`: the session's group separator.
    Group,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    /// `.`
    Dot,
    /// `D`: the session's decimal character.
    Session,
    /// `V`: not shown; the digits behind it multiply the number.
    Shifted,
}

/// Digits with their signs and separators.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Digits {
    pub integer: Vec<DigitPlace>,
    pub point: Option<Point>,
    /// Places behind the point: true for `0`, which FM does not drop.
    pub fraction: Vec<bool>,
    pub sign: SignPlace,
    pub currency: Option<Currency>,
    /// The currency stands behind the number.
    pub currency_behind: bool,
    pub exponent: bool,
    /// `B`: zero is blank.
    pub blank_zero: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    Digits(Digits),
    /// `RN`, in small letters when `lower`.
    Roman {
        lower: bool,
    },
    /// `XXXX`: the count of digits and whether zeros fill.
    Hexadecimal {
        digits: usize,
        zeros: bool,
        lower: bool,
    },
    /// `TM` and `TM9`; `TME` is scientific.
    Minimum {
        scientific: bool,
    },
}

/// A number format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NumberFormat {
    pub shape: Shape,
    /// `FM`: no blanks, no zeros at the end.
    pub fill: bool,
}

fn invalid() -> Error {
    Error::user(1481, "invalid number format model")
}

fn take<'a>(rest: &'a str, name: &str) -> Option<&'a str> {
    rest.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name)).map(|_| &rest[name.len()..])
}

impl NumberFormat {
    /// # Errors
    /// ORA-01481.
    pub fn parse(text: &str) -> Result<Self> {
        let (mut rest, mut fill) = (text, true);
        if let Some(behind) = take(rest, "FM") {
            (rest, fill) = (behind, false);
        }
        Ok(Self { shape: shape(rest)?, fill })
    }
}

fn shape(text: &str) -> Result<Shape> {
    if text.eq_ignore_ascii_case("RN") {
        return Ok(Shape::Roman { lower: text.starts_with('r') });
    }
    if let Some(behind) = take(text, "TM") {
        return match behind {
            "" | "9" => Ok(Shape::Minimum { scientific: false }),
            "e" | "E" => Ok(Shape::Minimum { scientific: true }),
            _ => Err(invalid()),
        };
    }
    let zeros = text.bytes().take_while(|byte| *byte == b'0').count();
    if text.len() > zeros && text.bytes().skip(zeros).all(|byte| matches!(byte, b'x' | b'X')) {
        let lower = text.as_bytes()[zeros] == b'x';
        return Ok(Shape::Hexadecimal { digits: text.len(), zeros: zeros > 0, lower });
    }
    digits(text).map(Shape::Digits)
}

fn digits(text: &str) -> Result<Digits> {
    let mut digits = Digits::default();
    let mut rest = text;
    let mut ended = false;
    let mut signed = false;
    let mut sign = |digits: &mut Digits, place: SignPlace| {
        if signed {
            return Err(invalid());
        }
        signed = true;
        digits.sign = place;
        Ok(())
    };
    while let Some(first) = rest.chars().next() {
        let nothing_yet = digits.integer.is_empty() && digits.point.is_none();
        // Behind a sign at the end, or an exponent, only signs and currencies may come.
        let number_over = ended || digits.exponent;
        if let Some(behind) = take(rest, "EEEE") {
            if number_over || nothing_yet || digits.integer.contains(&DigitPlace::Comma) {
                return Err(invalid());
            }
            digits.exponent = true;
            rest = behind;
            continue;
        }
        if let Some(behind) = take(rest, "MI") {
            sign(&mut digits, SignPlace::TrailingMinus)?;
            (rest, ended) = (behind, true);
            continue;
        }
        if let Some(behind) = take(rest, "PR") {
            sign(&mut digits, SignPlace::Brackets)?;
            (rest, ended) = (behind, true);
            continue;
        }
        match first.to_ascii_uppercase() {
            'S' => {
                let leading = nothing_yet && digits.currency.is_none();
                sign(&mut digits, if leading { SignPlace::Leading } else { SignPlace::Trailing })?;
                ended = !leading;
            }
            'B' => digits.blank_zero = true,
            '$' if digits.currency.is_none() => digits.currency = Some(Currency::Dollar),
            letter @ ('L' | 'C' | 'U') if digits.currency.is_none() => {
                digits.currency = Some(if letter == 'C' { Currency::Iso } else { Currency::Local });
                digits.currency_behind = !nothing_yet;
                ended = digits.currency_behind;
            }
            _ if number_over => return Err(invalid()),
            '9' | '0' if digits.point.is_some() => digits.fraction.push(first == '0'),
            '9' => digits.integer.push(DigitPlace::Blank),
            '0' => digits.integer.push(DigitPlace::Zero),
            ',' if digits.point.is_none() && !nothing_yet => digits.integer.push(DigitPlace::Comma),
            'G' if digits.point.is_none() && !nothing_yet => digits.integer.push(DigitPlace::Group),
            '.' if digits.point.is_none() => digits.point = Some(Point::Dot),
            'D' if digits.point.is_none() => digits.point = Some(Point::Session),
            'V' if digits.point.is_none() => digits.point = Some(Point::Shifted),
            _ => return Err(invalid()),
        }
        rest = &rest[first.len_utf8()..];
    }
    let has_digit =
        !digits.fraction.is_empty() || digits.integer.iter().any(|p| matches!(p, DigitPlace::Blank | DigitPlace::Zero));
    if !has_digit {
        return Err(invalid());
    }
    Ok(digits)
}
