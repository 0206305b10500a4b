//! The typed report: the content of Statspack and AWR in one set of units, whatever the release and the form.
//!
//! Units: seconds, milliseconds and bytes where a name says so, counts without a suffix. `None` stands for a missing
//! value, or a section without data; a zero is a printed zero. Percentages are kept as printed and are for comparison
//! only: sums recompute them.

mod activity;
mod event;
mod identity;
mod io;
mod memory;
mod rac;
mod sql;
mod wait;

pub use activity::{LibraryCacheLine, LoadLine, Parameter, Statistic, TimeModelLine, UndoInterval, UndoSummary};
pub use event::{Bucket, Event, EventHistogram, WaitClass};
pub use identity::{Host, Identity, OsDetail, OsStatistic, Snapshot, Window};
pub use io::{BufferPool, FileHistogram, FileIo, IoByFile, IoByFunction};
pub use memory::{CacheSizes, MemoryStatistic, PgaHistogramLine, PgaTarget, PgaWork};
pub use rac::{CellFigure, RacFigure, StorageCell};
pub use sql::{Segment, SegmentOrder, SegmentSection, SqlLine, SqlOrder, SqlSection};
pub use wait::{BufferWait, Enqueue, Latch, LatchMiss};

use serde::Serialize;

/// Origin of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Statspack,
    AwrText,
    AwrHtml,
}

/// The scope of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    #[default]
    Instance,
    /// Several instances of a cluster in one report.
    Cluster,
    /// One pluggable database.
    Container,
}

/// A section of the file, whether or not any figure was taken from it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SectionSeen {
    pub title: String,
    pub line: usize,
    pub state: SectionState,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SectionState {
    /// Taken into the model.
    Read,
    /// The report states that there is no data.
    Empty,
    /// The model has no counterpart.
    Unused,
    /// The model has a counterpart, but the section could not be read.
    NotUnderstood,
}

/// One Statspack or AWR report. A `Vec` of a section is `None` when the file has no such section, or states that it has
/// no data.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    pub kind: Kind,
    pub scope: Scope,
    pub identity: Identity,
    pub window: Window,
    pub host: Host,
    pub caches: CacheSizes,
    pub load_profile: Option<Vec<LoadLine>>,
    /// Name as printed without the colon, per cent.
    pub efficiencies: Option<Vec<(String, f64)>>,
    pub time_model: Option<Vec<TimeModelLine>>,
    pub wait_classes: Option<Vec<WaitClass>>,
    /// Foreground and background together: "Wait Class" of 10g, "Wait Classes by Total Wait Time" of 12c and later.
    pub all_wait_classes: Option<Vec<WaitClass>>,
    /// The first screen's list; "CPU time" and "DB CPU" are rows of it, without waits.
    pub top_events: Option<Vec<Event>>,
    pub foreground_events: Option<Vec<Event>>,
    pub background_events: Option<Vec<Event>>,
    /// Foreground and background together, as older Statspack reports have it.
    pub all_events: Option<Vec<Event>>,
    pub histograms: Option<Vec<EventHistogram>>,
    pub sql: Option<Vec<SqlSection>>,
    /// Instance activity: differences over the window.
    pub statistics: Option<Vec<Statistic>>,
    /// Instance activity, absolute values: `total` is the end value, `begin` the begin value.
    pub absolute_statistics: Option<Vec<Statistic>>,
    /// "log switches (derived)" and its like.
    pub thread_activity: Option<Vec<Statistic>>,
    pub tablespaces: Option<Vec<FileIo>>,
    pub files: Option<Vec<FileIo>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_histograms: Option<Vec<FileHistogram>>,
    pub io_by_function: Option<Vec<IoByFunction>>,
    pub io_by_file_type: Option<Vec<IoByFile>>,
    pub buffer_pools: Option<Vec<BufferPool>>,
    pub buffer_waits: Option<Vec<BufferWait>>,
    pub enqueues: Option<Vec<Enqueue>>,
    pub undo: Option<UndoSummary>,
    pub undo_intervals: Option<Vec<UndoInterval>>,
    pub latches: Option<Vec<Latch>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latch_misses: Option<Vec<LatchMiss>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library_cache: Option<Vec<LibraryCacheLine>>,
    pub memory: Option<Vec<MemoryStatistic>>,
    pub pga_targets: Option<Vec<PgaTarget>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pga_work: Option<PgaWork>,
    pub pga_histogram: Option<Vec<PgaHistogramLine>>,
    pub segments: Option<Vec<SegmentSection>>,
    pub parameters: Option<Vec<Parameter>>,
    pub rac: Option<Vec<RacFigure>>,
    pub cells: Option<Vec<CellFigure>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage_cells: Option<Vec<StorageCell>>,
    pub sections: Vec<SectionSeen>,
    /// Unread parts, each with its line; and a note when the report is cut.
    pub warnings: Vec<String>,
    pub cut: bool,
}

impl Report {
    /// An empty report.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            scope: Scope::default(),
            identity: Identity::default(),
            window: Window::default(),
            host: Host::default(),
            caches: CacheSizes::default(),
            load_profile: None,
            efficiencies: None,
            time_model: None,
            wait_classes: None,
            all_wait_classes: None,
            top_events: None,
            foreground_events: None,
            background_events: None,
            all_events: None,
            histograms: None,
            sql: None,
            statistics: None,
            absolute_statistics: None,
            thread_activity: None,
            tablespaces: None,
            files: None,
            file_histograms: None,
            io_by_function: None,
            io_by_file_type: None,
            buffer_pools: None,
            buffer_waits: None,
            enqueues: None,
            undo: None,
            undo_intervals: None,
            latches: None,
            latch_misses: None,
            library_cache: None,
            memory: None,
            pga_targets: None,
            pga_work: None,
            pga_histogram: None,
            segments: None,
            parameters: None,
            rac: None,
            cells: None,
            storage_cells: None,
            sections: Vec::new(),
            warnings: Vec::new(),
            cut: false,
        }
    }

    /// The difference of a statistic of V$SYSSTAT over the window.
    #[must_use]
    pub fn statistic(&self, name: &str) -> Option<f64> {
        self.statistics.as_ref()?.iter().find(|line| line.name == name)?.total
    }

    /// Seconds of a line of the time model.
    #[must_use]
    pub fn time_model_s(&self, name: &str) -> Option<f64> {
        Some(self.time_model.as_ref()?.iter().find(|line| line.name.eq_ignore_ascii_case(name))?.seconds?.value)
    }

    /// A foreground event. None where a report does not separate foreground from background.
    #[must_use]
    pub fn foreground_event(&self, name: &str) -> Option<&Event> {
        self.foreground_events.as_ref()?.iter().find(|event| event.name == name)
    }

    #[must_use]
    pub fn background_event(&self, name: &str) -> Option<&Event> {
        self.background_events.as_ref()?.iter().find(|event| event.name == name)
    }

    /// The event wherever it stands: background, foreground, both together, the first screen.
    #[must_use]
    pub fn event(&self, name: &str) -> Option<&Event> {
        let lists = [&self.background_events, &self.foreground_events, &self.all_events, &self.top_events];
        lists.into_iter().flatten().flat_map(|list| list.iter()).find(|event| event.name == name)
    }

    /// An initialisation parameter's value at the window's begin.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&str> {
        Some(self.parameters.as_ref()?.iter().find(|parameter| parameter.name == name)?.value.as_str())
    }
}
