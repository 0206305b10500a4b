//! Lists of numbers on the command line: `1,2,5`, `1..8`, `1..4,8`.

use std::str::FromStr;

/// Values of a list, as they were given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Numbers(pub(crate) Vec<u32>);

/// A longer list is a mistake.
const MOST: usize = 1_000;

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text, 1).map(Self)
    }
}

/// Percentages of a list: as [`Numbers`], and 0 is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Percentages(pub(crate) Vec<u32>);

impl FromStr for Percentages {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text, 0).map(Self)
    }
}

fn parse(text: &str, least: u32) -> Result<Vec<u32>, String> {
    let mut values = Vec::new();
    for part in text.split(',') {
        let (from, to) = match part.split_once("..") {
            // 1..8 and 1..=8 are the same: both ends belong to it.
            Some((from, to)) => (number(from, least)?, number(to.strip_prefix('=').unwrap_or(to), least)?),
            None => (number(part, least)?, number(part, least)?),
        };
        if from > to {
            return Err(format!("{part}: a range goes upwards"));
        }
        if (to - from) as usize >= MOST - values.len().min(MOST) {
            return Err(format!("more than {MOST} numbers"));
        }
        values.extend(from..=to);
    }
    Ok(values)
}

fn number(text: &str, least: u32) -> Result<u32, String> {
    match text.trim().parse() {
        Ok(number) if number < least => Err(format!("the least number is {least}")),
        Ok(number) => Ok(number),
        Err(_) => Err(format!("'{}' is not a whole number; a list is 1,2,5 or 1..8", text.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::Numbers;

    #[test]
    fn lists_and_ranges_are_read() {
        let numbers = |text: &str| text.parse::<Numbers>().map(|numbers| numbers.0);
        assert_eq!(numbers("5"), Ok(vec![5]));
        assert_eq!(numbers("1, 2,8"), Ok(vec![1, 2, 8]));
        assert_eq!(numbers("1..4"), Ok(vec![1, 2, 3, 4]));
        assert_eq!(numbers("1..=2,7"), Ok(vec![1, 2, 7]));
        for wrong in ["", "0", "0..3", "4..1", "x", "1,", "-1", "1.5", "1..4000000000", "1..600,1..600"] {
            assert!(numbers(wrong).is_err(), "{wrong}");
        }
    }
}
