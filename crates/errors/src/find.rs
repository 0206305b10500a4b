//! Looking an entry up by the user's text: `ORA-00942`, `ora-942`, `ORA 942`, `942`, `SP2-0310`.

use std::fmt;

use crate::{Code, ENTRIES, Entry, Family};

/// Neighbouring numbers named for a number without an entry.
const NEAREST: usize = 5;
/// Numbers that programs raise by RAISE_APPLICATION_ERROR.
const OF_PROGRAMS: std::ops::RangeInclusive<u32> = 20_000..=20_999;

/// The reason why no entry is found; its text is one line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The text is no number of an error.
    NoNumber(String),
    /// Highwater raises no such number; the nearest ones, sorted.
    NotRaised(Code, Vec<Code>),
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNumber(text) => write!(f, "\"{text}\" is not the number of an error"),
            Self::NotRaised(code, _) if code.family == Family::Ora && OF_PROGRAMS.contains(&code.number) => {
                write!(f, "{code} comes from a program, by RAISE_APPLICATION_ERROR: its author knows what it means")
            }
            Self::NotRaised(code, nearest) => {
                let nearest: Vec<String> = nearest.iter().map(Code::to_string).collect();
                write!(f, "Highwater does not raise {code}; the nearest numbers are {}", nearest.join(", "))
            }
        }
    }
}

impl std::error::Error for Unknown {}

/// The entry of a number. Without a family the families are tried in their order, ORA first.
///
/// # Errors
/// Reports a text that is no number, or a number that Highwater does not raise.
pub fn find(text: &str) -> Result<&'static Entry, Unknown> {
    let (family, number) = parse(text).ok_or_else(|| Unknown::NoNumber(text.trim().to_owned()))?;
    let entry = |family| {
        let at = ENTRIES.binary_search_by_key(&Code { family, number }, |entry| entry.code).ok()?;
        Some(&ENTRIES[at])
    };
    let found = match family {
        Some(family) => entry(family),
        None => Family::ALL.into_iter().find_map(entry),
    };
    found.ok_or_else(|| {
        let code = Code { family: family.unwrap_or(Family::Ora), number };
        Unknown::NotRaised(code, nearest(code))
    })
}

fn parse(text: &str) -> Option<(Option<Family>, u32)> {
    // A number copied from a message brings its colon with it.
    let text = text.trim().trim_end_matches(':').to_ascii_uppercase();
    let named = Family::ALL.into_iter().find_map(|family| Some((family, text.strip_prefix(family.prefix())?)));
    let (family, digits) = match named {
        Some((family, rest)) => (Some(family), rest.trim_start_matches(['-', ' '])),
        None => (None, text.as_str()),
    };
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    Some((family, digits.parse().ok().filter(|_| is_number)?))
}

/// The entries of the family whose numbers are nearest, sorted.
fn nearest(code: Code) -> Vec<Code> {
    let mut codes: Vec<Code> =
        ENTRIES.iter().map(|entry| entry.code).filter(|other| other.family == code.family).collect();
    codes.sort_by_key(|other| other.number.abs_diff(code.number));
    codes.truncate(NEAREST);
    codes.sort();
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_however_it_is_written() {
        for (text, code) in [
            ("ORA-00942", "ORA-00942"),
            ("ora-942", "ORA-00942"),
            ("ORA 942", "ORA-00942"),
            (" ORA00942: ", "ORA-00942"),
            ("942", "ORA-00942"),
            ("00001", "ORA-00001"),
            ("0", "ORA-00000"),
            ("HW-0001", "HW-0001"),
            ("hw1", "HW-0001"),
            ("SP2-0310", "SP2-0310"),
            ("sp2 310", "SP2-0310"),
            ("pls-201", "PLS-00201"),
            ("KUP-04040", "KUP-04040"),
            // No number of ORA, but one of HW.
            ("815", "HW-0815"),
        ] {
            assert_eq!(find(text).unwrap().code.to_string(), code, "{text}");
        }
    }

    #[test]
    fn an_unknown_number_names_its_neighbours() {
        for text in ["", "ORA", "ORA-", "nosuch", "ORA-9x", "-942", "+942", "ORA-99999999999", "SP2"] {
            assert_eq!(find(text), Err(Unknown::NoNumber(text.to_owned())), "{text}");
        }
        let unknown = find("ora-943").unwrap_err();
        let said = unknown.to_string();
        assert!(said.contains("ORA-00943") && said.contains("ORA-00942") && said.contains("ORA-00947"), "{said}");
        let Unknown::NotRaised(code, near) = unknown else { panic!("{said}") };
        assert_eq!((code.to_string().as_str(), near.len()), ("ORA-00943", NEAREST));
        assert!(near.is_sorted());
        assert!(find("hw-999").unwrap_err().to_string().contains("HW-0832"));
        assert!(find("ORA-20555").unwrap_err().to_string().contains("RAISE_APPLICATION_ERROR"));
    }
}
