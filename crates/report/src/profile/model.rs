//! The profile of a trace. Times are nanoseconds of real time: units of 1,024 ns are counted as such.

use crate::tkprof;

use super::Histogram;

/// A place in [`Profile::events`].
pub type EventIndex = usize;

/// A place in [`Profile::statements`] and in the summary's statements.
pub type StatementIndex = usize;

/// The profile of a trace.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Profile {
    /// The same trace as TKPROF sums it up; its times are nominal ([`crate::trace::TimeUnit`]).
    pub summary: tkprof::Report,
    /// Nanoseconds of one unit of e, ela and tim in the trace.
    pub unit_ns: u64,
    /// The first and the last time of day that the trace prints.
    pub began: Option<String>,
    pub ended: Option<String>,
    /// The wall clock of all sessions, added up.
    pub elapsed_ns: i64,
    /// The part of it before the first line: the trace was begun within a call, whose line gives its duration.
    pub before_first_line_ns: i64,
    /// In the order of their first lines.
    pub sessions: Vec<SessionProfile>,
    /// Adds up to `elapsed_ns`. By phase, and within a phase CPU, then the waits with the most time first, then what is
    /// unaccounted for.
    pub lines: Vec<Line>,
    /// In the order of their first waits.
    pub events: Vec<EventProfile>,
    /// Most time first.
    pub sites: Vec<Site>,
    /// Waits at sites for which the table had no room.
    pub other_sites: Waits,
    /// Most time first; only of events that name a file and a block.
    pub blocks: Vec<BlockWaits>,
    /// Blocks that the table had no room for. If it is not empty, a block's figures may be too low.
    pub other_blocks: Waits,
    /// Beside the statements of `summary`.
    pub statements: Vec<StatementProfile>,
}

/// One session's wall clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SessionProfile {
    /// `None` where the trace does not name it.
    pub session: Option<(u32, u32)>,
    pub elapsed_ns: i64,
}

/// Several waits together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Waits {
    pub count: u64,
    pub total_ns: i64,
    pub max_ns: i64,
}

impl Waits {
    pub(super) fn add(&mut self, other: Self) {
        self.count += other.count;
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Mean length in milliseconds; `None` without waits.
    #[must_use]
    pub fn average_ms(&self) -> Option<f64> {
        (self.count > 0).then(|| self.total_ns as f64 / self.count as f64 / 1e6)
    }
}

/// The session's activity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    Parse,
    Execute,
    Fetch,
    Close,
    /// UNMAP and SORT UNMAP.
    Unmap,
    /// A call on a LOB that no cursor made.
    Lob,
    /// In no call.
    Between,
}

impl Phase {
    pub const ALL: [Self; 7] =
        [Self::Parse, Self::Execute, Self::Fetch, Self::Close, Self::Unmap, Self::Lob, Self::Between];

    /// As the profile prints it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Parse => "parse",
            Self::Execute => "execute",
            Self::Fetch => "fetch",
            Self::Close => "close",
            Self::Unmap => "unmap",
            Self::Lob => "lob",
            Self::Between => "between calls",
        }
    }
}

/// The meaning of a line's time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Component {
    Cpu,
    Wait(EventIndex),
    /// Neither CPU nor a wait that the trace shows.
    Unaccounted,
}

/// One line of the profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    pub phase: Phase,
    pub component: Component,
    /// Calls, or waits; 0 for what is unaccounted for.
    pub count: u64,
    /// Recursive calls have lines of their own and are not contained. May be negative.
    pub total_ns: i64,
    pub max_ns: i64,
}

/// All waits for one event.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EventProfile {
    pub name: String,
    /// The wait class; "Other" where the event is not known.
    pub class: &'static str,
    /// An idle wait: no user waits for the database.
    pub idle: bool,
    pub waits: Waits,
    pub histogram: Histogram,
    /// Blocks that the waits were for, where the event's parameters tell.
    pub blocks: Option<u64>,
    /// The most that one wait was for.
    pub blocks_max: u64,
    /// Waits for locks by lock and mode.
    pub enqueues: Vec<Enqueue>,
}

/// Waits for locks of one name in one mode.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Enqueue {
    /// Two letters: TX, TM, HW, …
    pub name: String,
    /// 4 shared, 6 exclusive.
    pub mode: u32,
    pub waits: Waits,
}

/// Waits for one event on one object, file and block class; where sessions may block each other, by statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    pub event: EventIndex,
    /// Data object number; `None` where no object was meant, or the trace does not say (to 9i).
    pub object: Option<i64>,
    pub file: Option<u32>,
    /// Block class number: 1 data block, 4 segment header, …
    pub class: Option<u32>,
    /// `None`: of no cursor, of a parse whose statement was not known yet, or for an event that names neither a block
    /// class nor a lock.
    pub statement: Option<StatementIndex>,
    pub waits: Waits,
    pub blocks: u64,
}

/// Waits for one event on one block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockWaits {
    pub event: EventIndex,
    pub file: u32,
    pub block: u64,
    pub class: Option<u32>,
    /// That of the last wait.
    pub object: Option<i64>,
    pub waits: Waits,
}

/// The time of one statement, recursive calls not contained.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StatementProfile {
    /// All calls, CLOSE included.
    pub calls: u64,
    pub elapsed_ns: i64,
    /// The longest call.
    pub max_ns: i64,
    pub cpu_ns: i64,
    /// Waits within its calls, by event.
    pub waits: Vec<(EventIndex, Waits)>,
    /// Waits between calls that the trace gives to it: mostly for the client's next request.
    pub between: Vec<(EventIndex, Waits)>,
}

impl StatementProfile {
    /// Waits within its calls, in nanoseconds.
    #[must_use]
    pub fn waited_ns(&self) -> i64 {
        self.waits.iter().fold(0, |sum, (_, waits)| sum.saturating_add(waits.total_ns))
    }

    /// The time that is neither CPU nor a wait.
    #[must_use]
    pub fn unaccounted_ns(&self) -> i64 {
        self.elapsed_ns.saturating_sub(self.cpu_ns).saturating_sub(self.waited_ns())
    }

    /// Waits between its calls, in nanoseconds.
    #[must_use]
    pub fn between_ns(&self) -> i64 {
        self.between.iter().fold(0, |sum, (_, waits)| sum.saturating_add(waits.total_ns))
    }
}

impl Profile {
    /// The total of all lines with this component, in nanoseconds.
    #[must_use]
    pub fn total_ns(&self, wanted: impl Fn(&Line) -> bool) -> i64 {
        self.lines.iter().filter(|line| wanted(line)).fold(0, |sum, line| sum.saturating_add(line.total_ns))
    }

    /// CPU of all calls.
    #[must_use]
    pub fn cpu_ns(&self) -> i64 {
        self.total_ns(|line| line.component == Component::Cpu)
    }

    /// Waits that are idle.
    #[must_use]
    pub fn idle_ns(&self) -> i64 {
        self.events.iter().filter(|event| event.idle).fold(0, |sum, event| sum.saturating_add(event.waits.total_ns))
    }

    /// Time within calls that is neither CPU nor a wait.
    #[must_use]
    pub fn unaccounted_in_calls_ns(&self) -> i64 {
        self.total_ns(|line| line.component == Component::Unaccounted && line.phase != Phase::Between)
    }

    /// Time in which the trace shows neither call nor wait.
    #[must_use]
    pub fn unaccounted_between_calls_ns(&self) -> i64 {
        self.total_ns(|line| line.component == Component::Unaccounted && line.phase == Phase::Between)
    }

    /// The event of that name.
    #[must_use]
    pub fn event(&self, name: &str) -> Option<&EventProfile> {
        self.events.iter().find(|event| event.name == name)
    }
}
