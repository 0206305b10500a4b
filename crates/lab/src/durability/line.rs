//! The lines that a process of sessions writes to its standard output. They tell the promises of the database to it.
//!
//! A line is one write to the pipe. So lines of several sessions do not mix, a line that was written outlives the
//! process, and the lines stand in the order of the events: if a session writes a line after another session's line
//! about an event, its own event came after that.

use std::fmt;
use std::str::FromStr;

use super::change::{Id, NoChange, Work};

/// One line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Line {
    /// The database is about to be opened.
    Opening,
    /// It is open; how long that took.
    Opened { open_us: u64 },
    /// The sessions begin.
    Ready,
    /// COMMIT, or a statement that commits by itself, is about to be called. Without `wait` it returns before it is
    /// durable.
    Commit { id: Id, wait: bool, work: Work },
    /// It has returned.
    Acknowledged(Id),
    /// A transaction was rolled back as a whole, because the session wanted it or because it was in a deadlock. COMMIT
    /// was not called.
    RolledBack { id: Id, deadlock: bool },
    /// A failure that should not happen.
    Failed { session: u32, text: String },
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opening => f.write_str("OPENING"),
            Self::Opened { open_us } => write!(f, "OPENED {open_us}"),
            Self::Ready => f.write_str("READY"),
            Self::Commit { id, wait, work } => {
                write!(f, "COMMIT {id} {} {work}", if *wait { "wait" } else { "nowait" })
            }
            Self::Acknowledged(id) => write!(f, "ACK {id}"),
            Self::RolledBack { id, deadlock } => {
                write!(f, "ROLLBACK {id} {}", if *deadlock { "deadlock" } else { "asked" })
            }
            Self::Failed { session, text } => write!(f, "FAILED {session} {text}"),
        }
    }
}

impl FromStr for Line {
    type Err = NoChange;

    fn from_str(line: &str) -> Result<Self, NoChange> {
        parse(line).ok_or_else(|| NoChange(line.to_owned()))
    }
}

fn parse(line: &str) -> Option<Line> {
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut words = rest.splitn(4, ' ');
    let mut word = || words.next();
    match verb {
        "OPENING" => Some(Line::Opening),
        "OPENED" => Some(Line::Opened { open_us: rest.parse().ok()? }),
        "READY" => Some(Line::Ready),
        "FAILED" => {
            let (session, text) = rest.split_once(' ')?;
            Some(Line::Failed { session: session.parse().ok()?, text: text.to_owned() })
        }
        _ => {
            let id = Id { session: word()?.parse().ok()?, number: word()?.parse().ok()? };
            match verb {
                "ACK" => Some(Line::Acknowledged(id)),
                "COMMIT" => Some(Line::Commit {
                    id,
                    wait: choice(word()?, "wait", "nowait")?,
                    work: word().unwrap_or("").parse().ok()?,
                }),
                "ROLLBACK" => Some(Line::RolledBack { id, deadlock: choice(word()?, "deadlock", "asked")? }),
                _ => None,
            }
        }
    }
}

fn choice(word: &str, yes: &str, no: &str) -> Option<bool> {
    if word == yes { Some(true) } else { (word == no).then_some(false) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back() {
        for text in [
            "OPENING",
            "OPENED 1200",
            "READY",
            "COMMIT 3 1700001 wait T1:2:5 IM5:10",
            "COMMIT 3 1700001 nowait DA5",
            "COMMIT 0 12 wait create:AM",
            "ACK 3 1700001",
            "ROLLBACK 1 12 deadlock",
            "ROLLBACK 1 12 asked",
            "FAILED 2 ORA-00600: internal error",
        ] {
            assert_eq!(text.parse::<Line>().unwrap().to_string(), text);
        }
        for text in ["", "ACK 1", "COMMIT 1 2 maybe T1:2:3", "COMMIT 1 2 wait Q", "OPENED", "NOISE 1 2"] {
            assert!(text.parse::<Line>().is_err(), "{text}");
        }
    }
}
