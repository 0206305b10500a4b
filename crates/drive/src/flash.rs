//! Flash behind a controller: units that read in parallel, and a buffer for writes that drains at the medium's rate.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::disk::SECTOR;
use crate::model::{Kind, Model, Request, Ticket};
use crate::number::{AtMost, Count, NotNegative, Positive};
use crate::spread::{Spread, TimeSpec};

/// A flash device.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlashSpec {
    pub capacity_gb: Positive,
    /// Controller and link, for each request; requests do not wait for each other here.
    pub command: TimeSpec,
    /// A unit's read of a page.
    pub read: TimeSpec,
    /// Taking a write into the buffer.
    pub write: TimeSpec,
    /// Units that read at the same time.
    pub units: Count,
    pub page_kb: Positive,
    /// Rate of the link.
    pub link_mb_per_s: Positive,
    pub write_buffer_kb: Positive,
    /// Rate at which the buffer reaches the medium when the device has been in use for long.
    pub drain_mb_per_s: Positive,
    /// Time of a flush.
    pub flush_us: NotNegative,
    /// True: the buffer survives a loss of power, so a flush does not wait for the medium.
    pub protected: bool,
    /// The device stands still at times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<PauseSpec>,
}

/// Pauses in which nothing goes on: those of a virtual machine's disk whose host has given it its share of a period.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "PauseForm")]
pub struct PauseSpec {
    /// From the begin of a pause to that of the next, on average.
    every_ms: Positive,
    /// A pause's length, on average, and the standard deviation of its logarithm.
    for_ms: Positive,
    spread: AtMost<3>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PauseForm {
    every_ms: Positive,
    for_ms: Positive,
    #[serde(default)]
    spread: AtMost<3>,
}

impl TryFrom<PauseForm> for PauseSpec {
    type Error = String;

    fn try_from(form: PauseForm) -> Result<Self, String> {
        Self::new(form.every_ms, form.for_ms, form.spread)
    }
}

impl PauseSpec {
    /// # Errors
    /// When the device would stand still for more than 9 tenths of the time.
    pub fn new(every_ms: Positive, for_ms: Positive, spread: AtMost<3>) -> Result<Self, String> {
        if for_ms.get() > 0.9 * every_ms.get() {
            return Err(format!("a pause of {} ms every {} ms: at most 9 tenths", for_ms.get(), every_ms.get()));
        }
        Ok(Self { every_ms, for_ms, spread })
    }

    /// Share of the time that is pauses.
    pub(crate) fn share(self) -> f64 {
        self.for_ms.get() / self.every_ms.get()
    }
}

/// Translates times into the device's work and back. The device works for the same time between any two pauses.
#[derive(Debug)]
struct Pauses {
    between_us: f64,
    length: TimeSpec,
    spread: Spread,
    /// Pauses from the present on: the work before each, and its length.
    ahead: VecDeque<(f64, f64)>,
    /// Work before the last one of them.
    planned: f64,
    /// Length of all pauses that have passed.
    passed_us: f64,
}

impl Pauses {
    fn new(spec: PauseSpec) -> Self {
        let length = TimeSpec {
            mean_us: Positive::try_from(spec.for_ms.get() * 1e3).unwrap_or(spec.for_ms),
            spread: spec.spread,
            stall_share: AtMost::default(),
            stall_us: NotNegative::default(),
        };
        let between_us = (spec.every_ms.get() - spec.for_ms.get()) * 1e3;
        let (spread, ahead) = (Spread::new(2), VecDeque::new());
        Self { between_us, length, spread, ahead, planned: 0.0, passed_us: 0.0 }
    }

    /// Plans pauses until one begins behind so much work.
    fn plan(&mut self, work: f64) {
        while self.planned <= work {
            self.planned += self.between_us;
            self.ahead.push_back((self.planned, self.spread.us(&self.length)));
        }
    }

    /// The work that has been done at a time. Times must not fall.
    fn work_until(&mut self, at: f64) -> f64 {
        self.plan(at - self.passed_us);
        while let Some((work, length)) = self.ahead.front().copied() {
            let begin = work + self.passed_us;
            if at < begin + length {
                return (at - self.passed_us).min(work);
            }
            self.ahead.pop_front();
            self.passed_us += length;
            self.plan(at - self.passed_us);
        }
        at - self.passed_us
    }

    /// When so much work has been done; not before the time that was asked for last.
    fn time_of(&mut self, work: f64) -> f64 {
        self.plan(work);
        let before = self.ahead.iter().take_while(|(begin, _)| *begin <= work);
        work + self.passed_us + before.map(|(_, length)| length).sum::<f64>()
    }
}

/// State of a flash device.
#[derive(Debug)]
pub struct Flash {
    spec: FlashSpec,
    page_blocks: u64,
    units: Vec<f64>,
    link_at: f64,
    /// Bytes in the write buffer at `drained_at`.
    buffered: f64,
    drained_at: f64,
    spread: Spread,
    done: BTreeMap<Ticket, f64>,
    tickets: u64,
    busy: f64,
    pauses: Option<Pauses>,
}

/// Scatters pages over units, so that no stride meets one unit alone.
fn scattered(page: u64) -> u64 {
    let mut x = page.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 32;
    x.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 16
}

impl Flash {
    /// An idle device with an empty buffer.
    #[must_use]
    pub fn new(spec: &FlashSpec) -> Self {
        Self {
            page_blocks: ((spec.page_kb.get() * 1024.0 / SECTOR as f64) as u64).max(1),
            units: vec![0.0; spec.units.get() as usize],
            link_at: 0.0,
            buffered: 0.0,
            drained_at: 0.0,
            spread: Spread::new(1),
            done: BTreeMap::new(),
            tickets: 0,
            busy: 0.0,
            pauses: spec.pause.map(Pauses::new),
            spec: spec.clone(),
        }
    }

    /// `end` in the device's work.
    fn ended(&mut self, end: f64) -> Ticket {
        let end = self.pauses.as_mut().map_or(end, |pauses| pauses.time_of(end));
        self.tickets += 1;
        self.done.insert(Ticket(self.tickets), end);
        Ticket(self.tickets)
    }

    /// The device's work until a time. All other times here are counted in it: pauses leave them as they are.
    fn work_until(&mut self, at: f64) -> f64 {
        self.pauses.as_mut().map_or(at, |pauses| pauses.work_until(at))
    }

    /// Passes bytes over the link when they are ready. The link is a rate: a request that waits for a unit or for the
    /// buffer does not occupy it.
    fn linked(&mut self, at: f64, ready: f64, bytes: f64) -> f64 {
        let us = bytes / self.spec.link_mb_per_s.get();
        self.link_at = self.link_at.max(at) + us;
        (ready + us).max(self.link_at)
    }

    fn drain(&mut self, at: f64) {
        let drained = (at - self.drained_at).max(0.0) * self.spec.drain_mb_per_s.get();
        self.buffered = (self.buffered - drained).max(0.0);
        self.drained_at = self.drained_at.max(at);
    }

    fn read(&mut self, at: f64, request: Request) -> f64 {
        let command = at + self.spread.us(&self.spec.command);
        let last = (request.block + request.blocks.max(1) - 1) / self.page_blocks;
        let mut read = command;
        for page in request.block / self.page_blocks..=last {
            let unit = (scattered(page) % self.units.len() as u64) as usize;
            let us = self.spread.us(&self.spec.read);
            let end = command.max(self.units[unit]) + us;
            self.units[unit] = end;
            self.busy += us;
            read = read.max(end);
        }
        self.linked(at, read, (request.blocks * SECTOR) as f64)
    }

    fn write(&mut self, at: f64, request: Request) -> f64 {
        let bytes = (request.blocks * SECTOR) as f64;
        self.drain(at);
        let over = self.buffered + bytes - self.spec.write_buffer_kb.get() * 1024.0;
        let room = at + (over / self.spec.drain_mb_per_s.get()).max(0.0);
        self.buffered += bytes;
        let command = self.spread.us(&self.spec.command);
        let taken = self.linked(at, room + command, bytes);
        taken + self.spread.us(&self.spec.write)
    }

    /// When all that is in the buffer has reached the medium.
    fn empty_at(&self) -> f64 {
        self.drained_at + self.buffered / self.spec.drain_mb_per_s.get()
    }
}

impl Model for Flash {
    fn submit(&mut self, at: f64, request: Request) -> Ticket {
        let at = self.work_until(at);
        let end = match request.kind {
            Kind::Read => self.read(at, request),
            Kind::Write => self.write(at, request),
            Kind::WriteThrough => {
                let taken = self.write(at, request);
                if self.spec.protected { taken } else { taken.max(self.empty_at()) + self.spec.flush_us.get() }
            }
        };
        self.ended(end)
    }

    fn flush(&mut self, at: f64) -> Ticket {
        let at = self.work_until(at);
        self.drain(at);
        let from = if self.spec.protected { at } else { at.max(self.empty_at()) };
        self.ended(from + self.spec.flush_us.get())
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
