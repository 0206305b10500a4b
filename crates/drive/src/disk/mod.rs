//! A rotating disk: one arm, one queue, one memory.
//!
//! Times follow from the places of the blocks: the seek from its distance, the rotation from the angle at which the
//! head arrives, the transfer from the zone. A read that the memory holds, or that the head is reading towards, does
//! not wait for the arm; a write ends in the memory where write-back is on, and keeps the arm busy afterwards.
//!
//! The memory is looked through twice: when a read arrives, and when a read that had to wait is chosen.

mod cache;
mod geometry;
mod seek;
pub(crate) mod spec;
pub(crate) mod track;

use std::collections::BTreeMap;

use cache::{Lookup, ReadCache};
use geometry::{Geometry, Place};
use seek::SeekCurve;
pub(crate) use seek::average_seek_ms;
use spec::{AfterSpec, DiskSpec, Scheduling};

use crate::model::{ArmTimes, Kind, Model, Request, Ticket};

/// Bytes of a block.
pub(crate) const SECTOR: u64 = 512;
/// A request that has waited for so long is next, whatever is nearer: a stream at one place cannot delay it for
/// ever.
const WAIT_US_MAX: f64 = 250_000.0;

/// Something that the arm has to do.
#[derive(Clone, Copy, Debug)]
struct Job {
    /// Ticket of the waiting request; None for a write that has ended in the memory.
    ticket: Option<Ticket>,
    block: u64,
    blocks: u64,
    write: bool,
    /// When it can begin at the earliest.
    ready: f64,
    number: u64,
}

/// A write that had ended in the memory, on its way to the medium. The memory holds its data until then.
#[derive(Clone, Copy, Debug)]
struct Writing {
    block: u64,
    end: u64,
    until: f64,
}

/// A flush that waits for writes.
#[derive(Clone, Copy, Debug)]
struct Flush {
    ticket: Ticket,
    /// Jobs up to this number.
    upto: u64,
    /// The latest end of one of these jobs, at the least the flush's own begin.
    end: f64,
}

/// State of a disk.
#[derive(Debug)]
pub struct Disk {
    spec: DiskSpec,
    geometry: Geometry,
    seek: SeekCurve,
    turn: f64,
    bus_us_per_block: f64,
    write_blocks: u64,
    cache: ReadCache,
    cylinder: u32,
    surface: u32,
    inwards: bool,
    /// When the arm has nothing to do any more.
    free_at: f64,
    /// End of its last write.
    written_at: f64,
    writing: Option<Writing>,
    /// When the controller can take the next command.
    bus_at: f64,
    last_was_write: bool,
    queue: Vec<Job>,
    flushes: Vec<Flush>,
    done: BTreeMap<Ticket, f64>,
    jobs: u64,
    tickets: u64,
    busy: f64,
    arm: ArmTimes,
}

fn blocks_of(kb: f64) -> u64 {
    ((kb * 1024.0 / SECTOR as f64) as u64).max(1)
}

/// Blocks a microsecond that pass under the head while it reads on.
fn rate(place: Place, turn: f64) -> f64 {
    f64::from(place.sectors) / (turn * (1.0 + place.track_skew))
}

impl Disk {
    /// A disk at rest at its outermost cylinder.
    #[must_use]
    pub fn new(spec: &DiskSpec) -> Self {
        let seek = SeekCurve::new(&spec.seek, spec.cylinders());
        let segment_blocks = blocks_of(spec.cache.segment_kb.get());
        let read_ahead = (spec.cache.read_ahead_kb.get() * 1024.0 / SECTOR as f64) as u64;
        Self {
            geometry: Geometry::new(spec, seek.us(1)),
            turn: spec.turn_us(),
            bus_us_per_block: SECTOR as f64 / spec.bus_mb_per_s.get(),
            write_blocks: spec.cache.write_kb.map_or(segment_blocks, |kb| blocks_of(kb.get())),
            cache: ReadCache::new(spec.cache.segments.get(), segment_blocks, read_ahead),
            seek,
            cylinder: 0,
            surface: 0,
            inwards: true,
            free_at: 0.0,
            written_at: 0.0,
            writing: None,
            bus_at: 0.0,
            last_was_write: false,
            queue: Vec::new(),
            flushes: Vec::new(),
            done: BTreeMap::new(),
            jobs: 0,
            tickets: 0,
            busy: 0.0,
            arm: ArmTimes::default(),
            spec: spec.clone(),
        }
    }

    fn overhead(&self, kind: AfterSpec) -> f64 {
        1e3 * if self.last_was_write { kind.after_write.get() } else { kind.after_read.get() }
    }

    fn ticket(&mut self) -> Ticket {
        self.tickets += 1;
        Ticket(self.tickets)
    }

    fn enqueue(&mut self, ticket: Option<Ticket>, request: Request, ready: f64) {
        self.jobs += 1;
        let (block, blocks, write) = (request.block, request.blocks, request.kind != Kind::Read);
        if write
            && ticket.is_none()
            && let Some(last) =
                self.queue.iter_mut().find(|job| job.ticket.is_none() && job.block + job.blocks == block)
        {
            // A flush that waits for the earlier part waits for both.
            last.blocks += blocks;
            last.ready = last.ready.max(ready);
            return;
        }
        self.queue.push(Job { ticket, block, blocks, write, ready, number: self.jobs });
    }

    /// Times from a begin of the arm's work until it is at the block, and from then on until the block is under the
    /// head.
    fn positioning(&self, place: Place, write: bool, start: f64) -> (f64, f64) {
        let seek = self.seek.us(place.cylinder.abs_diff(self.cylinder));
        let switch = if place.surface == self.surface { 0.0 } else { self.spec.head_switch_us() };
        let moved = seek.max(switch);
        let settle = if write && moved > 0.0 { self.spec.write_settle_ms.get() * 1e3 } else { 0.0 };
        let moved = moved + settle;
        let angle = ((start + moved) / self.turn).fract();
        (moved, (place.angle - angle).rem_euclid(1.0) * self.turn)
    }

    /// Time that the medium needs for blocks from a place on, and where the head is then.
    fn transfer(&self, block: u64, blocks: u64) -> (f64, Place) {
        let (mut block, mut rest, mut us) = (block, blocks, 0.0);
        loop {
            let place = self.geometry.place(block);
            let here = rest.min(u64::from(place.left)).max(1);
            us += here as f64 / f64::from(place.sectors) * self.turn;
            rest = rest.saturating_sub(here);
            if rest == 0 || block + here >= self.geometry.blocks() {
                return (us, place);
            }
            let last = place.surface + 1 == self.geometry.surfaces();
            us += self.turn * if last { place.cylinder_skew } else { place.track_skew };
            block += here;
        }
    }

    /// Notes that a stream goes on being read from memory.
    fn stream_goes_on(&mut self, end: u64, at: f64) {
        let (geometry, turn) = (&self.geometry, self.turn);
        self.cache.was_used(end, at, |block| rate(geometry.place(block), turn));
    }

    /// The job that is next, of those that can begin at `start`.
    fn choose(&self, start: f64) -> usize {
        let ready = || self.queue.iter().enumerate().filter(|(_, job)| job.ready <= start);
        let oldest = ready().min_by(|(_, a), (_, b)| a.ready.total_cmp(&b.ready).then(a.number.cmp(&b.number)));
        if let Some((number, job)) = oldest
            && start - job.ready > WAIT_US_MAX
        {
            return number;
        }
        // Requests that somebody waits for come first, unless the memory is nearly full or a flush waits.
        let waiting: u64 = self.queue.iter().filter(|job| job.ticket.is_none()).map(|job| job.blocks).sum();
        let urgent = !self.flushes.is_empty() || waiting > self.write_blocks / 4 * 3;
        let foreground = !urgent && ready().any(|(_, job)| job.ticket.is_some());
        let candidates = ready().filter(|(_, job)| !foreground || job.ticket.is_some());
        let place = |job: &Job| self.geometry.place(job.block);
        let chosen = match self.spec.scheduling {
            Scheduling::Fcfs => candidates.min_by_key(|(_, job)| job.number),
            Scheduling::Look => candidates.min_by_key(|(_, job)| {
                let cylinder = place(job).cylinder;
                let ahead = if self.inwards { cylinder >= self.cylinder } else { cylinder <= self.cylinder };
                (!ahead, cylinder.abs_diff(self.cylinder), job.number)
            }),
            Scheduling::Satf => candidates.min_by(|(_, a), (_, b)| {
                let time = |job: &Job| {
                    let (moved, turned) = self.positioning(place(job), job.write, start);
                    moved + turned
                };
                time(a).total_cmp(&time(b)).then(a.number.cmp(&b.number))
            }),
        };
        chosen.map_or(0, |(number, _)| number)
    }

    /// Takes from both ends of a range what waits in the memory to be written. Blocks that wait in its midst stay: the
    /// head passes them anyway.
    fn outside_writes(&self, block: u64, blocks: u64, at: f64) -> (u64, u64) {
        let waiting =
            self.queue.iter().filter(|job| job.ticket.is_none()).map(|job| (job.block, job.block + job.blocks));
        let writing = self.writing.filter(|writing| at < writing.until).map(|writing| (writing.block, writing.end));
        let held: Vec<_> = waiting.chain(writing).collect();
        let (mut from, mut to) = (block, block + blocks);
        while let Some((_, end)) = held.iter().find(|(begin, end)| from < to && *begin <= from && from < *end) {
            from = *end;
        }
        while let Some((begin, _)) = held.iter().find(|(begin, end)| from < to && *begin < to && to <= *end) {
            to = *begin;
        }
        (from, to.saturating_sub(from))
    }

    /// Looks for a read's blocks in the memory. Returns the range that its written data do not answer, empty where they
    /// answer all of it, and what its read data answer of that range.
    fn look_up(&mut self, block: u64, blocks: u64, at: f64) -> (u64, u64, Lookup) {
        let (block, blocks) = self.outside_writes(block, blocks, at);
        let found = if blocks == 0 { Lookup::Hit } else { self.cache.look_up(block, blocks, at) };
        if blocks > 0 && matches!(found, Lookup::Hit) {
            self.arm.streamed += 1;
            self.stream_goes_on(block + blocks, at);
        }
        (block, blocks, found)
    }

    /// A read waits for the head, which reads on, until it has passed the read's end at `there`. The arm waits with it.
    fn wait_for_head(&mut self, end: u64, at: f64, there: f64) {
        self.stream_goes_on(end, at);
        let waited = (there - at.max(self.free_at)).max(0.0);
        self.busy += waited;
        self.arm.transfer_us += waited;
        self.arm.streamed += 1;
        self.free_at = self.free_at.max(there);
    }

    /// Carries out a read that was chosen. What was read and written while it waited may answer it.
    fn read(&mut self, job: Job, start: f64) {
        let bus = self.bus_us_per_block;
        let (block, blocks, found) = self.look_up(job.block, job.blocks, start);
        let from_memory = start + job.blocks as f64 * bus;
        let end = match found {
            Lookup::Hit => from_memory,
            Lookup::Coming(there) => {
                self.wait_for_head(block + blocks, start, there);
                from_memory.max(there + bus)
            }
            Lookup::Part(there) => return self.run(Job { block: there, blocks: block + blocks - there, ..job }, start),
            Lookup::Miss => return self.run(Job { block, blocks, ..job }, start),
        };
        if let Some(ticket) = job.ticket {
            self.done.insert(ticket, end);
        }
    }

    fn run(&mut self, job: Job, start: f64) {
        let place = self.geometry.place(job.block);
        if let Some(block) = self.cache.head_at(start) {
            let reading = self.geometry.place(block);
            (self.cylinder, self.surface) = (reading.cylinder, reading.surface);
        }
        self.cache.head_leaves(start);
        let (moved, turned) = self.positioning(place, job.write, start);
        let begin = start + (moved + turned);
        let (transfer, last) = self.transfer(job.block, job.blocks);
        self.arm += ArmTimes { seek_us: moved, rotation_us: turned, transfer_us: transfer, positioned: 1, streamed: 0 };
        let medium = begin + transfer;
        if place.cylinder != self.cylinder {
            self.inwards = place.cylinder > self.cylinder;
        }
        (self.cylinder, self.surface) = (last.cylinder, last.surface);
        self.busy += medium - start;
        self.free_at = medium;
        if !job.write {
            self.cache.was_read(job.block, job.blocks, medium, rate(last, self.turn));
        } else {
            self.written_at = medium;
            if job.ticket.is_none() {
                self.writing = Some(Writing { block: job.block, end: job.block + job.blocks, until: medium });
            }
        }
        if let Some(ticket) = job.ticket {
            // Data cross the bus as they come from the medium, the last block at the end.
            let bus = self.bus_us_per_block;
            let end = if job.write { medium } else { (medium + bus).max(begin + job.blocks as f64 * bus) };
            self.done.insert(ticket, end);
        }
        for flush in &mut self.flushes {
            if job.write && job.number <= flush.upto {
                flush.end = flush.end.max(medium);
            }
        }
        self.end_flushes();
    }

    fn end_flushes(&mut self) {
        let queue = &self.queue;
        let done = &mut self.done;
        self.flushes.retain(|flush| {
            let waits = queue.iter().any(|job| job.write && job.number <= flush.upto);
            if !waits {
                done.insert(flush.ticket, flush.end);
            }
            waits
        });
    }
}

impl Model for Disk {
    fn submit(&mut self, at: f64, request: Request) -> Ticket {
        self.advance(at);
        let ticket = self.ticket();
        let command = at.max(self.bus_at);
        let bus = request.blocks as f64 * self.bus_us_per_block;
        let overheads = self.spec.overhead_ms;
        match request.kind {
            Kind::Read => {
                let arm_is_free = self.queue.is_empty();
                let (block, blocks, found) = self.look_up(request.block, request.blocks, command);
                let hit = command + self.overhead(overheads.read_hit) + bus;
                let ready = command + self.overhead(overheads.read_miss);
                match found {
                    Lookup::Hit => {
                        self.bus_at = hit;
                        self.done.insert(ticket, hit);
                    }
                    Lookup::Coming(there) if arm_is_free => {
                        self.wait_for_head(block + blocks, command, there);
                        self.done.insert(ticket, hit.max(there + self.bus_us_per_block));
                    }
                    Lookup::Part(there) => {
                        let blocks = block + blocks - there;
                        self.enqueue(Some(ticket), Request { block: there, blocks, ..request }, ready);
                    }
                    Lookup::Coming(_) | Lookup::Miss => {
                        self.enqueue(Some(ticket), Request { block, blocks, ..request }, ready);
                    }
                }
            }
            Kind::Write => {
                self.cache.was_written(request.block, request.blocks);
                let waiting: u64 = self.queue.iter().filter(|job| job.write).map(|job| job.blocks).sum();
                if self.spec.cache.write_back && waiting + request.blocks <= self.write_blocks {
                    let end = command + self.overhead(overheads.write_hit) + bus;
                    self.bus_at = end;
                    self.done.insert(ticket, end);
                    self.enqueue(None, request, end);
                } else {
                    self.enqueue(Some(ticket), request, command + self.overhead(overheads.write_miss));
                }
            }
            Kind::WriteThrough => {
                self.cache.was_written(request.block, request.blocks);
                self.enqueue(Some(ticket), request, command + self.overhead(overheads.write_miss));
            }
        }
        self.last_was_write = request.kind != Kind::Read;
        self.advance(at);
        ticket
    }

    fn flush(&mut self, at: f64) -> Ticket {
        self.advance(at);
        let ticket = self.ticket();
        // A write of the arm that is under way ends before the flush does.
        let end = at.max(self.written_at);
        self.flushes.push(Flush { ticket, upto: self.jobs, end });
        self.end_flushes();
        ticket
    }

    fn advance(&mut self, now: f64) {
        while let Some(ready) = self.next_begin() {
            // An arm without work takes the one request that is there as soon as it arrives: nothing else can be next.
            let alone = self.queue.len() == 1 && self.free_at <= now;
            if ready > now && !alone {
                break;
            }
            let job = self.queue.remove(self.choose(ready));
            if job.write {
                self.run(job, ready);
            } else {
                self.read(job, ready);
            }
        }
    }

    fn take_end(&mut self, ticket: Ticket) -> Option<f64> {
        self.done.remove(&ticket)
    }

    fn next_begin(&self) -> Option<f64> {
        let earliest = self.queue.iter().map(|job| job.ready).min_by(f64::total_cmp)?;
        Some(earliest.max(self.free_at))
    }

    fn bytes(&self) -> u64 {
        self.geometry.blocks() * SECTOR
    }

    fn busy_us(&self) -> f64 {
        self.busy
    }

    fn arm(&self) -> Option<ArmTimes> {
        Some(self.arm)
    }
}
