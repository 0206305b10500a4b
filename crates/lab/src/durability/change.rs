//! The work of a transaction, written as a text and read from one. The text stands in the journal's row of the
//! transaction, and in the line that its session writes before it commits.

use std::fmt;
use std::str::FromStr;

/// A transaction: the session's number, from 0, and a number that no other transaction of the session has in this
/// database.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Id {
    pub session: u32,
    pub number: u64,
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.session, self.number)
    }
}

/// A table with rows that belong to one session each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Table {
    /// Under freelists; its keys grow.
    Manual,
    /// Under bitmaps; its keys are scattered.
    Auto,
    /// The session's own table, that comes and goes.
    Side,
}

impl Table {
    fn letter(self) -> char {
        match self {
            Self::Manual => 'M',
            Self::Auto => 'A',
            Self::Side => 'S',
        }
    }

    fn of(letter: char) -> Option<Self> {
        [Self::Manual, Self::Auto, Self::Side].into_iter().find(|table| table.letter() == letter)
    }
}

/// One change of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// Money from one account to another.
    Transfer {
        from: u32,
        to: u32,
        amount: i64,
    },
    /// A row whose filler has this many characters.
    Insert {
        table: Table,
        key: i64,
        length: u32,
    },
    /// Rows with keys in a row, in one statement.
    InsertMany {
        table: Table,
        key: i64,
        rows: u32,
        length: u32,
    },
    /// A row gets a filler of another length, and moves where that does not fit.
    Update {
        table: Table,
        key: i64,
        length: u32,
    },
    Delete {
        table: Table,
        key: i64,
    },
    /// All rows of the session that a transaction was the last to change.
    DeleteOf {
        table: Table,
        number: u64,
    },
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Transfer { from, to, amount } => write!(f, "T{from}:{to}:{amount}"),
            Self::Insert { table, key, length } => write!(f, "I{}{key}:{length}", table.letter()),
            Self::InsertMany { table, key, rows, length } => write!(f, "B{}{key}:{rows}:{length}", table.letter()),
            Self::Update { table, key, length } => write!(f, "U{}{key}:{length}", table.letter()),
            Self::Delete { table, key } => write!(f, "D{}{key}", table.letter()),
            Self::DeleteOf { table, number } => write!(f, "X{}{number}", table.letter()),
        }
    }
}

/// Not a text of this module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct NoChange(pub(super) String);

impl FromStr for Change {
    type Err = NoChange;

    fn from_str(text: &str) -> Result<Self, NoChange> {
        parse(text).ok_or_else(|| NoChange(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Change> {
    let mut letters = text.chars();
    let verb = letters.next()?;
    if verb == 'T' {
        let mut figures = letters.as_str().split(':');
        let (from, to) = (figures.next()?.parse().ok()?, figures.next()?.parse().ok()?);
        let amount = figures.next()?.parse().ok()?;
        return figures.next().is_none().then_some(Change::Transfer { from, to, amount });
    }
    let table = Table::of(letters.next()?)?;
    let figures: Vec<i64> = letters.as_str().split(':').map(|figure| figure.parse().ok()).collect::<Option<_>>()?;
    let small = |figure: i64| u32::try_from(figure).ok();
    match (verb, &figures[..]) {
        ('I', &[key, length]) => Some(Change::Insert { table, key, length: small(length)? }),
        ('B', &[key, rows, length]) => {
            Some(Change::InsertMany { table, key, rows: small(rows)?, length: small(length)? })
        }
        ('U', &[key, length]) => Some(Change::Update { table, key, length: small(length)? }),
        ('D', &[key]) => Some(Change::Delete { table, key }),
        ('X', &[number]) => Some(Change::DeleteOf { table, number: u64::try_from(number).ok()? }),
        _ => None,
    }
}

/// A change of the session's side table; each is a transaction of its own, without a row in the journal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Definition {
    /// CREATE TABLE AS SELECT of the session's rows of a table. The new table's name has the transaction's number.
    Create {
        from: Table,
        place: Table,
    },
    Index,
    Truncate,
    Drop,
}

impl fmt::Display for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Create { from, place } => write!(f, "create:{}{}", from.letter(), place.letter()),
            Self::Index => f.write_str("index"),
            Self::Truncate => f.write_str("truncate"),
            Self::Drop => f.write_str("drop"),
        }
    }
}

impl FromStr for Definition {
    type Err = NoChange;

    fn from_str(text: &str) -> Result<Self, NoChange> {
        let create = || {
            let mut letters = text.strip_prefix("create:")?.chars();
            Some(Self::Create { from: Table::of(letters.next()?)?, place: Table::of(letters.next()?)? })
        };
        match text {
            "index" => Ok(Self::Index),
            "truncate" => Ok(Self::Truncate),
            "drop" => Ok(Self::Drop),
            _ => create().ok_or_else(|| NoChange(text.to_owned())),
        }
    }
}

/// The work of a transaction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Work {
    Changes(Vec<Change>),
    Definition(Definition),
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Definition(definition) => write!(f, "{definition}"),
            Self::Changes(changes) => {
                for (index, change) in changes.iter().enumerate() {
                    write!(f, "{}{change}", if index == 0 { "" } else { " " })?;
                }
                Ok(())
            }
        }
    }
}

impl FromStr for Work {
    type Err = NoChange;

    fn from_str(text: &str) -> Result<Self, NoChange> {
        if text.starts_with(|first: char| first.is_ascii_lowercase()) {
            return text.parse().map(Self::Definition);
        }
        text.split_whitespace().map(str::parse).collect::<Result<_, _>>().map(Self::Changes)
    }
}

/// The money that a transaction moves; the journal's row has it beside the text.
#[must_use]
pub(super) fn amount(changes: &[Change]) -> i64 {
    let moved = |change: &Change| if let Change::Transfer { amount, .. } = change { *amount } else { 0 };
    changes.iter().map(moved).sum()
}

/// The filler of a row, made from its key and length alone.
#[must_use]
pub(super) fn filler(key: i64, length: u32) -> String {
    format!("{key}.").chars().cycle().take(length as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back() {
        for text in
            ["T3:5:20 IM1600:12 BA64:30:100 UM-7:900 DS5 XA17", "", "create:MA", "index", "truncate", "drop", "T0:1:0"]
        {
            assert_eq!(text.parse::<Work>().unwrap().to_string(), text);
        }
        for text in ["T3:5", "T3:5:1:1", "IX5:1", "IM5", "create:M", "created", "Q", "DM", "IM1:-1"] {
            assert!(text.parse::<Work>().is_err(), "{text}");
        }
        assert_eq!(
            amount(&[Change::Transfer { from: 1, to: 2, amount: 7 }, Change::Delete { table: Table::Auto, key: 1 }]),
            7
        );
    }

    #[test]
    fn a_filler_repeats_its_key() {
        assert_eq!(filler(12, 7), "12.12.1");
        assert_eq!(filler(12, 0), "");
    }
}
