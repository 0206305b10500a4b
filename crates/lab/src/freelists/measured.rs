//! The figures of a run, before any comparison.

use common::BlockClass;
use serde::Serialize;
use waits::{Event, GetMode, MeterSnapshot, Statistic, WaitClass};

use super::watch::Ended;
use crate::experiment::measured;
use crate::experiment::plan::Turn;
use crate::interval::median;
use crate::time::seconds;

/// The line of processor time among timed events.
pub const CPU_TIME: &str = "CPU time";

/// Waits for buffers of a block class, as V$WAITSTAT counts them.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ClassWaits {
    pub class: String,
    pub waits: f64,
    pub time_s: f64,
}

/// Waits for an event, or the time of the processor.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TimedEvent {
    pub event: String,
    /// None for CPU time.
    pub waits: Option<f64>,
    pub time_s: f64,
}

/// The sessions of the jobs, once: from the first job's begin to the last one's end.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Run {
    pub repetition: u32,
    /// The run's number among all, from 1.
    pub position: u32,
    pub elapsed_s: f64,
    /// `user commits` of the jobs' sessions.
    pub transactions: u64,
    /// `execute count` of the jobs' sessions.
    pub executes: u64,
    /// The event `buffer busy waits`, of all sessions.
    pub buffer_busy_waits: u64,
    pub buffer_busy_s: f64,
    /// Classes with at least one wait.
    pub waits_by_class: Vec<ClassWaits>,
    /// Every event that is not idle, of all sessions, and CPU time; most time first.
    pub events: Vec<TimedEvent>,
    /// Gets of bitmap blocks by the jobs' sessions.
    pub bitmap_gets: u64,
    /// Gets of freelist group blocks by the jobs' sessions.
    pub freelist_gets: u64,
    /// Data blocks below the high-water mark.
    pub blocks: u64,
    /// Process numbers of the jobs' sessions: modulo FREELISTS they say which list a session has.
    pub processes: Vec<u32>,
    /// FREELISTS as USER_TABLES has it; None where it is empty.
    #[serde(skip)]
    pub freelists_in_dictionary: Option<u64>,
}

impl Run {
    /// From the counters of the jobs' sessions, and those of all sessions meanwhile.
    pub(super) fn new(turn: Turn, ended: &Ended, system: &MeterSnapshot, blocks: u64) -> Self {
        let jobs = &ended.counted;
        let busy = system.event(Event::BufferBusyWaits);
        let bitmaps = [BlockClass::FirstLevelBitmap, BlockClass::SecondLevelBitmap, BlockClass::ThirdLevelBitmap];
        Self {
            repetition: turn.repetition,
            position: turn.position,
            elapsed_s: seconds(ended.elapsed_us),
            transactions: jobs.value(Statistic::UserCommits),
            executes: jobs.value(Statistic::ExecuteCount),
            buffer_busy_waits: busy.waits,
            buffer_busy_s: seconds(busy.micros),
            waits_by_class: by_class(system),
            events: timed_events(system),
            bitmap_gets: bitmaps.into_iter().map(|class| gets(jobs, class)).sum(),
            freelist_gets: gets(jobs, BlockClass::FreeList),
            blocks,
            processes: ended.processes.clone(),
            freelists_in_dictionary: None,
        }
    }

    #[must_use]
    pub fn transactions_per_s(&self) -> f64 {
        self.transactions as f64 / self.elapsed_s.max(1e-6)
    }

    #[must_use]
    pub fn executes_per_s(&self) -> f64 {
        self.executes as f64 / self.elapsed_s.max(1e-6)
    }

    /// Not a number without transactions.
    #[must_use]
    pub fn executes_per_transaction(&self) -> f64 {
        self.executes as f64 / self.transactions as f64
    }

    /// Buffer busy waits of a thousand transactions; not a number without transactions.
    #[must_use]
    pub fn waits_per_thousand(&self) -> f64 {
        self.buffer_busy_waits as f64 * 1_000.0 / self.transactions as f64
    }

    /// Percent of the jobs' time that was waited for busy buffers; each session of a run counts for its whole length.
    #[must_use]
    pub fn share_of_time(&self) -> f64 {
        self.buffer_busy_s / (self.elapsed_s.max(1e-6) * self.processes.len().max(1) as f64) * 100.0
    }

    /// Waits for buffers of a class.
    #[must_use]
    pub fn waits_of(&self, class: BlockClass) -> (f64, f64) {
        let found = self.waits_by_class.iter().find(|waits| waits.class == class.name());
        found.map_or((0.0, 0.0), |waits| (waits.waits, waits.time_s))
    }

    /// An event, or CPU time.
    #[must_use]
    pub fn event(&self, name: &str) -> Option<&TimedEvent> {
        self.events.iter().find(|line| line.event == name)
    }
}

fn gets(counted: &MeterSnapshot, class: BlockClass) -> u64 {
    counted.gets(class, GetMode::Current) + counted.gets(class, GetMode::Consistent)
}

fn by_class(counted: &MeterSnapshot) -> Vec<ClassWaits> {
    let of = |class: BlockClass| {
        let waits = counted.buffer_waits(class);
        ClassWaits { class: class.name().to_owned(), waits: waits.waits as f64, time_s: seconds(waits.micros) }
    };
    BlockClass::ALL.into_iter().map(of).filter(|waits| waits.waits > 0.0).collect()
}

/// In Statspack's order: by time, then by waits.
fn timed_events(counted: &MeterSnapshot) -> Vec<TimedEvent> {
    let of = |event: Event| {
        let totals = counted.event(event);
        let (waits, time_s) = (Some(totals.waits as f64), seconds(totals.micros));
        (totals.waits > 0).then(|| TimedEvent { event: event.name().to_owned(), waits, time_s })
    };
    let mut events: Vec<TimedEvent> =
        Event::ALL.into_iter().filter(|event| event.class() != WaitClass::Idle).filter_map(of).collect();
    let time_s = seconds(counted.value(Statistic::CpuUsedByThisSession));
    events.push(TimedEvent { event: CPU_TIME.to_owned(), waits: None, time_s });
    events
        .sort_by(|a, b| b.time_s.total_cmp(&a.time_s).then(b.waits.unwrap_or(0.0).total_cmp(&a.waits.unwrap_or(0.0))));
    events
}

pub type Arm = measured::Arm<Run>;

impl Arm {
    /// FREELISTS as USER_TABLES had it after the last run; None where it is empty.
    #[must_use]
    pub fn freelists_in_dictionary(&self) -> Option<u64> {
        self.runs.last()?.freelists_in_dictionary
    }

    /// Medians of waits and seconds of each class that a run has waited for.
    #[must_use]
    pub fn waits_by_class(&self) -> Vec<ClassWaits> {
        let of = |class: BlockClass| {
            let found: Vec<(f64, f64)> = self.runs.iter().map(|run| run.waits_of(class)).collect();
            let any = found.iter().any(|(waits, _)| *waits > 0.0);
            let (waits, times): (Vec<f64>, Vec<f64>) = found.into_iter().unzip();
            any.then(|| ClassWaits {
                class: class.name().to_owned(),
                waits: median(&waits).unwrap_or(0.0),
                time_s: median(&times).unwrap_or(0.0),
            })
        };
        BlockClass::ALL.into_iter().filter_map(of).collect()
    }

    /// Medians of each event's waits and seconds; most time first.
    #[must_use]
    pub fn events(&self) -> Vec<TimedEvent> {
        let mut names: Vec<&str> =
            self.runs.iter().flat_map(|run| &run.events).map(|line| line.event.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let of = |name: &str| {
            let lines: Vec<Option<&TimedEvent>> = self.runs.iter().map(|run| run.event(name)).collect();
            let times: Vec<f64> = lines.iter().map(|line| line.map_or(0.0, |line| line.time_s)).collect();
            let waits: Vec<f64> = lines.iter().map(|line| line.and_then(|line| line.waits).unwrap_or(0.0)).collect();
            TimedEvent {
                event: name.to_owned(),
                waits: if name == CPU_TIME { None } else { median(&waits) },
                time_s: median(&times).unwrap_or(0.0),
            }
        };
        let mut events: Vec<TimedEvent> = names.into_iter().map(of).collect();
        events.sort_by(|a, b| b.time_s.total_cmp(&a.time_s));
        events
    }
}
