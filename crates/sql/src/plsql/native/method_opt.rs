//! METHOD_OPT of DBMS_STATS: the columns that get a histogram, and of how many buckets.
//!
//! AUTO is SKEWONLY: that a column is used in conditions is not kept anywhere, so each whose values are not spread
//! evenly has a histogram.

use common::{Error, Result};
use engine::ddl::Size;
use engine::dictionary::{BUCKETS_MAX, TableDef};

/// Buckets where no SIZE is given, as Oracle documents it.
const USUAL_BUCKETS: usize = 75;
/// The greatest number that may be given; what is beyond [`BUCKETS_MAX`] has no effect.
const GIVEN_MAX: usize = 2_048;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    Size(Size),
    /// A histogram where there was one.
    Repeat,
}

/// The columns that a clause is about.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Columns {
    All,
    Indexed,
    /// There are none.
    Hidden,
    Named(Vec<(String, Asked)>),
}

/// What is asked of the columns of any table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MethodOpt {
    clauses: Vec<(Columns, Asked)>,
}

impl Default for MethodOpt {
    fn default() -> Self {
        Self { clauses: vec![(Columns::All, Asked::Size(Size::Skewed))] }
    }
}

impl MethodOpt {
    /// # Errors
    /// ORA-20000 for what is none, ORA-20001 for a size that is none.
    pub(super) fn read(given: &str) -> Result<Self> {
        let upper = given.to_uppercase().replace(',', " , ");
        let words: Vec<&str> = upper.split_whitespace().collect();
        let wrong = |why: &str| Error::user(20000, format!("METHOD_OPT {given} {why}"));
        if words.first() != Some(&"FOR") {
            return Err(wrong("does not begin with FOR"));
        }
        let mut clauses = Vec::new();
        for clause in words.split(|word| *word == "FOR").filter(|clause| !clause.is_empty()) {
            let (columns, rest) = match clause {
                ["ALL", "COLUMNS", rest @ ..] => (Columns::All, rest),
                ["ALL", "INDEXED", "COLUMNS", rest @ ..] => (Columns::Indexed, rest),
                ["ALL", "HIDDEN", "COLUMNS", rest @ ..] => (Columns::Hidden, rest),
                ["COLUMNS", rest @ ..] => {
                    clauses.push(named(rest).map_err(|why| why.unwrap_or_else(|| wrong("names no column")))?);
                    continue;
                }
                _ => return Err(wrong("has neither ALL nor COLUMNS behind FOR")),
            };
            let (size, rest) = size(rest)?;
            if !rest.is_empty() {
                return Err(wrong(&format!("has {} in the place of SIZE", rest[0])));
            }
            clauses.push((columns, size.unwrap_or(Asked::Size(Size::Buckets(USUAL_BUCKETS)))));
        }
        if clauses.is_empty() { Err(wrong("has nothing behind FOR")) } else { Ok(Self { clauses }) }
    }

    /// The names of columns in it.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let named = self.clauses.iter().filter_map(|(columns, _)| match columns {
            Columns::Named(list) => Some(list),
            _ => None,
        });
        named.flatten().map(|(name, _)| name.as_str())
    }

    /// What is asked of a table's column, by its position. The last clause about it counts.
    pub(super) fn size(&self, table: &TableDef, column: usize) -> Size {
        let indexed = || table.indexes.iter().any(|index| index.columns.iter().any(|c| usize::from(*c) == column));
        let name = table.columns.get(column).map_or("", |column| column.name.as_str());
        let asked = self.clauses.iter().rev().find_map(|(columns, size)| match columns {
            Columns::All => Some(*size),
            Columns::Indexed => indexed().then_some(*size),
            Columns::Hidden => None,
            Columns::Named(list) => list.iter().find(|(named, _)| named == name).map(|(_, size)| *size),
        });
        // Of a column that is not named the histogram stays what it was.
        match asked.unwrap_or(Asked::Repeat) {
            Asked::Size(size) => size,
            Asked::Repeat => {
                let before = table.statistics_of(column).and_then(|known| known.histogram.as_ref());
                Size::Buckets(if before.is_some() { BUCKETS_MAX } else { 1 })
            }
        }
    }
}

/// Reads a SIZE, if one stands first; the second value is what follows.
fn size<'w>(words: &'w [&'w str]) -> Result<(Option<Asked>, &'w [&'w str])> {
    let ["SIZE", size, rest @ ..] = words else { return Ok((None, words)) };
    let asked = match *size {
        "AUTO" | "SKEWONLY" => Asked::Size(Size::Skewed),
        "REPEAT" => Asked::Repeat,
        number => match number.parse::<usize>() {
            Ok(buckets) if (1..=GIVEN_MAX).contains(&buckets) => Asked::Size(Size::Buckets(buckets.min(BUCKETS_MAX))),
            _ => {
                let text =
                    format!("SIZE {number} of METHOD_OPT is neither from 1 to {GIVEN_MAX} nor AUTO, SKEWONLY, REPEAT");
                return Err(Error::user(20001, text));
            }
        },
    };
    Ok((Some(asked), rest))
}

/// Columns by name, each with a size of its own or the one that stands before them. None: there is no name.
fn named(words: &[&str]) -> std::result::Result<(Columns, Asked), Option<Error>> {
    let (common, mut rest) = size(words)?;
    let common = common.unwrap_or(Asked::Size(Size::Buckets(USUAL_BUCKETS)));
    let mut list = Vec::new();
    while let [name, after @ ..] = rest {
        if *name == "," {
            rest = after;
            continue;
        }
        let (own, after) = size(after)?;
        list.push((name.trim_matches('"').to_owned(), own.unwrap_or(common)));
        rest = after;
    }
    if list.is_empty() { Err(None) } else { Ok((Columns::Named(list), common)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_and_sizes() {
        let read = |text: &str| MethodOpt::read(text).unwrap().clauses;
        assert_eq!(MethodOpt::read("for all columns size auto").unwrap(), MethodOpt::default());
        let sized = |buckets| Asked::Size(Size::Buckets(buckets));
        assert_eq!(read("FOR ALL INDEXED COLUMNS"), [(Columns::Indexed, sized(75))]);
        let names = |list: &[(&str, Asked)]| {
            Columns::Named(list.iter().map(|(name, asked)| ((*name).to_owned(), *asked)).collect())
        };
        assert_eq!(
            read("for all columns size 1 for columns size 254 status, kind size 10, d size repeat"),
            [
                (Columns::All, sized(1)),
                (names(&[("STATUS", sized(254)), ("KIND", sized(10)), ("D", Asked::Repeat)]), sized(254))
            ]
        );
        assert_eq!(read("for columns a"), [(names(&[("A", sized(75))]), sized(75))]);
    }

    #[test]
    fn what_is_none_is_refused() {
        for (text, code) in [
            ("ALL COLUMNS", 20000),
            ("FOR", 20000),
            ("FOR ALL ROWS", 20000),
            ("FOR COLUMNS", 20000),
            ("FOR ALL COLUMNS a", 20000),
            ("FOR ALL COLUMNS SIZE 0", 20001),
            ("FOR ALL COLUMNS SIZE many", 20001),
            ("FOR COLUMNS SIZE 3000 a", 20001),
        ] {
            assert!(MethodOpt::read(text).unwrap_err().is_ora(code), "{text}");
        }
    }
}
