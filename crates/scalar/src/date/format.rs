//! Date formats, parsed once into a list of elements.

use common::{Error, Result};

/// The field of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    Year4,
    SignedYear,
    /// `Y,YYY`
    CommaYear,
    Year3,
    Year2,
    Year1,
    /// Two digits of the year, in the century that is nearest.
    Round2,
    Round4,
    YearName,
    SignedYearName,
    IsoYear(u8),
    Century,
    SignedCentury,
    Quarter,
    Month,
    MonthName,
    MonthShort,
    MonthRoman,
    WeekOfYear,
    IsoWeek,
    WeekOfMonth,
    DayOfYear,
    DayOfMonth,
    DayOfWeek,
    DayName,
    DayShort,
    JulianDay,
    Hour12,
    Hour24,
    Minute,
    Second,
    SecondOfDay,
    /// AM or PM, with dots or without.
    Meridiem {
        dots: bool,
    },
    Era {
        dots: bool,
    },
    /// FF without a digit takes the value's precision.
    Fraction(Option<u8>),
    /// `X`: the decimal character.
    Radix,
    /// Switches the padding off and on.
    FillMode,
    /// Switches exact matching on and off.
    Exact,
    /// A character of punctuation.
    Punctuation(char),
}

/// Case of an element as written, which decides the case of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Case {
    Upper,
    Initial,
    Lower,
}

/// `TH` and `SP` behind a numeric element.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Suffix {
    pub ordinal: bool,
    pub spelled: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    Element {
        element: Element,
        case: Case,
        suffix: Suffix,
    },
    /// Text in double quotes.
    Literal(String),
}

/// A date format.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Format {
    pub items: Vec<Item>,
    text: String,
}

/// Longer names stand before those they begin with.
const ELEMENTS: &[(&str, Element)] = &[
    ("SYYYY", Element::SignedYear),
    ("Y,YYY", Element::CommaYear),
    ("SYEAR", Element::SignedYearName),
    ("SSSSS", Element::SecondOfDay),
    ("MONTH", Element::MonthName),
    ("YYYY", Element::Year4),
    ("YEAR", Element::YearName),
    ("RRRR", Element::Round4),
    ("IYYY", Element::IsoYear(4)),
    ("HH24", Element::Hour24),
    ("HH12", Element::Hour12),
    ("A.M.", Element::Meridiem { dots: true }),
    ("P.M.", Element::Meridiem { dots: true }),
    ("A.D.", Element::Era { dots: true }),
    ("B.C.", Element::Era { dots: true }),
    ("YYY", Element::Year3),
    ("IYY", Element::IsoYear(3)),
    ("SCC", Element::SignedCentury),
    ("MON", Element::MonthShort),
    ("DDD", Element::DayOfYear),
    ("DAY", Element::DayName),
    ("YY", Element::Year2),
    ("RR", Element::Round2),
    ("IY", Element::IsoYear(2)),
    ("CC", Element::Century),
    ("MM", Element::Month),
    ("MI", Element::Minute),
    ("RM", Element::MonthRoman),
    ("WW", Element::WeekOfYear),
    ("IW", Element::IsoWeek),
    ("DD", Element::DayOfMonth),
    ("DY", Element::DayShort),
    ("HH", Element::Hour12),
    ("SS", Element::Second),
    ("AM", Element::Meridiem { dots: false }),
    ("PM", Element::Meridiem { dots: false }),
    ("AD", Element::Era { dots: false }),
    ("BC", Element::Era { dots: false }),
    ("FM", Element::FillMode),
    ("FX", Element::Exact),
    ("Y", Element::Year1),
    ("I", Element::IsoYear(1)),
    ("Q", Element::Quarter),
    ("W", Element::WeekOfMonth),
    ("D", Element::DayOfWeek),
    ("J", Element::JulianDay),
    ("X", Element::Radix),
];

/// Oracle's elements that are not supported: refused by name.
const UNSUPPORTED: &[&str] = &["TZH", "TZM", "TZR", "TZD", "DL", "DS", "TS", "EE", "E"];

fn unknown() -> Error {
    Error::user(1821, "date format not recognized")
}

impl Format {
    /// # Errors
    /// ORA-01821 for a text that is no element, no punctuation and not quoted.
    pub fn parse(text: &str) -> Result<Self> {
        let mut items = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if first == '"' {
                let (literal, behind) = rest[1..].split_once('"').ok_or_else(unknown)?;
                items.push(Item::Literal(literal.to_owned()));
                rest = behind;
            } else if first.is_ascii_alphabetic() {
                let (item, length) = element(rest)?;
                items.push(item);
                rest = &rest[length..];
            } else if first.is_ascii_digit() {
                return Err(unknown());
            } else {
                items.push(plain(Element::Punctuation(first)));
                rest = &rest[first.len_utf8()..];
            }
        }
        Ok(Self { items, text: text.to_owned() })
    }

    /// As it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The elements, without literals.
    pub fn elements(&self) -> impl Iterator<Item = Element> {
        self.items.iter().filter_map(|item| match item {
            Item::Element { element, .. } => Some(*element),
            Item::Literal(_) => None,
        })
    }

    /// True: it has FF, which a DATE does not have.
    #[must_use]
    pub fn has_fraction(&self) -> bool {
        self.elements().any(|element| matches!(element, Element::Fraction(_)))
    }
}

fn plain(element: Element) -> Item {
    Item::Element { element, case: Case::Upper, suffix: Suffix::default() }
}

fn starts_with(text: &str, name: &str) -> bool {
    text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name))
}

fn element(text: &str) -> Result<(Item, usize)> {
    if starts_with(text, "FF") {
        let digit = text[2..].bytes().next().filter(|byte| (b'1'..=b'9').contains(byte));
        return Ok((plain(Element::Fraction(digit.map(|byte| byte - b'0'))), 2 + usize::from(digit.is_some())));
    }
    let Some((name, element)) = ELEMENTS.iter().find(|(name, _)| starts_with(text, name)) else {
        if let Some(name) = UNSUPPORTED.iter().find(|name| starts_with(text, name)) {
            return Err(Error::unsupported(format_args!("the date format element {name}")));
        }
        return Err(unknown());
    };
    let mut length = name.len();
    let mut suffix = Suffix::default();
    while element.is_numeric() {
        let rest = &text[length..];
        if !suffix.ordinal && starts_with(rest, "TH") {
            suffix.ordinal = true;
        } else if !suffix.spelled && starts_with(rest, "SP") {
            suffix.spelled = true;
        } else {
            break;
        }
        length += 2;
    }
    // The suffix counts where the element is a single letter: `Jsp`.
    let written = &text.as_bytes()[..length];
    let case = if written[0].is_ascii_lowercase() {
        Case::Lower
    } else if written[1..].iter().find(|byte| byte.is_ascii_alphabetic()).is_some_and(u8::is_ascii_lowercase) {
        Case::Initial
    } else {
        Case::Upper
    };
    Ok((Item::Element { element: *element, case, suffix }, length))
}

impl Element {
    /// True: the element is written, or read, as digits.
    #[must_use]
    pub fn is_numeric(self) -> bool {
        !matches!(
            self,
            Self::YearName
                | Self::SignedYearName
                | Self::MonthName
                | Self::MonthShort
                | Self::MonthRoman
                | Self::DayName
                | Self::DayShort
                | Self::Meridiem { .. }
                | Self::Era { .. }
                | Self::Radix
                | Self::FillMode
                | Self::Exact
                | Self::Punctuation(_)
        )
    }
}
