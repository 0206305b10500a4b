//! A volume over a network, with limits of requests and bytes a second; and memory behind a link, which is one without
//! limits.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::disk::SECTOR;
use crate::model::{Kind, Model, Request, Ticket};
use crate::number::{NotNegative, Positive};
use crate::spread::{Spread, TimeSpec};

/// A volume.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VolumeSpec {
    pub capacity_gb: Positive,
    pub read: TimeSpec,
    pub write: TimeSpec,
    #[serde(default)]
    pub flush_us: NotNegative,
    pub mb_per_s: Positive,
    /// Requests a second. None: no limit.
    pub iops: Option<Positive>,
    /// A larger request counts as several.
    #[serde(default = "io_kb")]
    pub io_kb: Positive,
    /// Requests a second while credits last, and credits at the start and at the most.
    pub burst: Option<BurstSpec>,
}

fn io_kb() -> Positive {
    Positive::try_from(256.0).unwrap_or(Positive::ONE)
}

/// Credits of a volume.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BurstSpec {
    pub iops: Positive,
    pub credits: Positive,
}

/// State of a volume.
#[derive(Debug)]
pub struct Volume {
    spec: VolumeSpec,
    /// When the next request may pass, by the rate of requests and by that of bytes.
    requests_at: f64,
    bytes_at: f64,
    credits: f64,
    counted_at: f64,
    spread: Spread,
    done: BTreeMap<Ticket, f64>,
    tickets: u64,
    busy: f64,
}

impl Volume {
    /// An idle volume with all of its credits.
    #[must_use]
    pub fn new(spec: &VolumeSpec) -> Self {
        Self {
            requests_at: 0.0,
            bytes_at: 0.0,
            credits: spec.burst.map_or(0.0, |burst| burst.credits.get()),
            counted_at: 0.0,
            spread: Spread::new(1),
            done: BTreeMap::new(),
            tickets: 0,
            busy: 0.0,
            spec: spec.clone(),
        }
    }

    /// When a request passes the limit of requests a second. Each request takes a credit; they are earned at the base
    /// rate, and pass at the rate of bursts as long as there are some.
    fn passes(&mut self, at: f64, count: f64) -> f64 {
        let Some(base) = self.spec.iops.map(|iops| iops.get() / 1e6) else { return at };
        let mut begin = at.max(self.requests_at);
        let Some(burst) = self.spec.burst else {
            self.requests_at = begin + count / base;
            return begin;
        };
        let earned = |credits: f64, us: f64| (credits + us.max(0.0) * base).min(burst.credits.get());
        let credits = earned(self.credits, begin - self.counted_at);
        let wanting = (count - credits).max(0.0) / base;
        begin = begin.max(self.counted_at) + wanting;
        self.credits = (credits + wanting * base - count).max(0.0);
        self.counted_at = begin;
        self.requests_at = begin + count / burst.iops.get() * 1e6;
        begin
    }

    fn ended(&mut self, end: f64) -> Ticket {
        self.tickets += 1;
        self.done.insert(Ticket(self.tickets), end);
        Ticket(self.tickets)
    }
}

impl Model for Volume {
    fn submit(&mut self, at: f64, request: Request) -> Ticket {
        let bytes = (request.blocks * SECTOR) as f64;
        let begin = self.passes(at, (bytes / (self.spec.io_kb.get() * 1024.0)).ceil().max(1.0));
        let time = if request.kind == Kind::Read { self.spec.read } else { self.spec.write };
        let us = self.spread.us(&time);
        self.bytes_at = self.bytes_at.max(begin) + bytes / self.spec.mb_per_s.get();
        self.busy += us;
        self.ended((begin + us).max(self.bytes_at))
    }

    fn flush(&mut self, at: f64) -> Ticket {
        self.ended(at + self.spec.flush_us.get())
    }

    fn take_end(&mut self, ticket: Ticket) -> Option<f64> {
        self.done.remove(&ticket)
    }

    fn bytes(&self) -> u64 {
        (self.spec.capacity_gb.get() * 1e9) as u64 / SECTOR * SECTOR
    }

    fn busy_us(&self) -> f64 {
        self.busy
    }
}
