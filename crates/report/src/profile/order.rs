//! The statements in order of a key; and the number of rows shown.

use common::{Error, ErrorKind, Result};

use crate::tkprof::SortKey;

use super::model::{Profile, StatementIndex};

/// Rows of a table by default.
const ROWS: usize = 20;

/// The parts of a profile that are shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProfileOptions {
    /// Statements go in descending order of this.
    pub sort: StatementKey,
    /// Rows of each table at most; the profile by call and event is always whole.
    pub rows: usize,
}

impl Default for ProfileOptions {
    fn default() -> Self {
        Self { sort: StatementKey::Elapsed, rows: ROWS }
    }
}

/// The order of statements, most first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StatementKey {
    /// Time within calls, recursive calls not contained.
    Elapsed,
    Cpu,
    /// Waits within calls.
    Waits,
    /// Neither CPU nor waits.
    Unaccounted,
    /// Waits between calls.
    Between,
    /// The longest call.
    Longest,
    Calls,
    /// Waits for one event.
    Event(String),
    /// A sort key of TKPROF.
    Tkprof(SortKey),
}

impl StatementKey {
    /// Reads `elapsed`, `cpu`, `waits`, `unaccounted`, `between`, `longest`, `calls`, `wait:EVENT`, or a sort key of
    /// TKPROF.
    ///
    /// # Errors
    ///
    /// HW-0805 for anything else.
    pub fn parse(text: &str) -> Result<Self> {
        if let Some(event) = text.strip_prefix("wait:") {
            return Ok(Self::Event(event.trim().to_owned()));
        }
        Ok(match text.to_ascii_lowercase().as_str() {
            "elapsed" => Self::Elapsed,
            "cpu" => Self::Cpu,
            "waits" => Self::Waits,
            "unaccounted" => Self::Unaccounted,
            "between" => Self::Between,
            "longest" => Self::Longest,
            "calls" => Self::Calls,
            _ => Self::Tkprof(SortKey::parse(text).ok_or_else(|| {
                Error::own(ErrorKind::User, 805, format!("tkprof: a profile is not sorted by \"{text}\""))
            })?),
        })
    }

    /// In words, for a heading.
    #[must_use]
    pub fn meaning(&self) -> String {
        match self {
            Self::Elapsed => "elapsed time".into(),
            Self::Cpu => "CPU time".into(),
            Self::Waits => "time waited".into(),
            Self::Unaccounted => "time unaccounted for".into(),
            Self::Between => "time waited between calls".into(),
            Self::Longest => "longest call".into(),
            Self::Calls => "calls".into(),
            Self::Event(event) => format!("waits for {event}"),
            Self::Tkprof(key) => key.meaning().into(),
        }
    }
}

impl Profile {
    /// The statements in descending order of `key`, without those where it is zero.
    #[must_use]
    pub fn ordered(&self, key: &StatementKey) -> Vec<StatementIndex> {
        let event = match key {
            StatementKey::Event(name) => self.events.iter().position(|event| event.name == *name),
            _ => None,
        };
        let figure = |index: StatementIndex| -> i64 {
            let statement = &self.statements[index];
            match key {
                StatementKey::Elapsed => statement.elapsed_ns,
                StatementKey::Cpu => statement.cpu_ns,
                StatementKey::Waits => statement.waited_ns(),
                StatementKey::Unaccounted => statement.unaccounted_ns(),
                StatementKey::Between => statement.between_ns(),
                StatementKey::Longest => statement.max_ns,
                StatementKey::Calls => i64::try_from(statement.calls).unwrap_or(i64::MAX),
                StatementKey::Event(_) => {
                    let both = statement.waits.iter().chain(&statement.between);
                    both.filter(|(found, _)| Some(*found) == event).map(|(_, waits)| waits.total_ns).sum()
                }
                StatementKey::Tkprof(key) => self.summary.statements.get(index).map_or(0, |s| key.of(s)),
            }
        };
        let mut order: Vec<_> =
            (0..self.statements.len()).map(|index| (figure(index), index)).filter(|(figure, _)| *figure != 0).collect();
        order.sort_by_key(|(figure, _)| std::cmp::Reverse(*figure));
        order.into_iter().map(|(_, index)| index).collect()
    }
}
