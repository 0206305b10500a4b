//! The flash cache of a cell: what was read from its disks and may be read again, on a device of its own.
//!
//! The device is cut into lines of 32 KB; which part of which disk a line has is known in memory alone, so that a cell
//! that starts anew has an empty cache. Writes go to the disk first and to the cache afterwards, where it had what they
//! change. A line that is used least goes first; lines of segments that are to be kept go after all others.
//!
//! What was read while somebody wrote is not cached: a write tells the cache at its begin and at its end, and each of
//! the two spoils the fills that are under way there. Each 4 KB have a checksum in memory. What does not fit it is read
//! from the disk: a damaged flash device costs time and no data.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;

use common::interconnect;
use common::sync::unscheduled::atomic::{AtomicU64, Ordering::Relaxed};
use common::sync::{Arc, Mutex};
use device::{AlignedBuffer, Device, PendingRead, ReadInFlight};

use crate::worker::Worker;

/// Bytes of a line.
const LINE: u64 = 32 << 10;
/// What is cached begins and ends at multiples of this.
const GRAIN: u64 = 4 << 10;
/// Fills that wait for their turn, at most.
const WAITING_MAX: usize = 64;
const GRAINS: usize = (LINE / GRAIN) as usize;

/// Bytes on one of the cell's disks.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Place {
    disk: u32,
    bytes: Range<u64>,
}

impl Place {
    fn new(disk: u32, offset: u64, bytes: u64) -> Self {
        Self { disk, bytes: offset..offset.saturating_add(bytes) }
    }

    fn is_whole_grains(&self) -> bool {
        !self.bytes.is_empty() && self.bytes.start.is_multiple_of(GRAIN) && self.bytes.end.is_multiple_of(GRAIN)
    }

    fn touches(&self, other: &Self) -> bool {
        self.disk == other.disk && self.bytes.start < other.bytes.end && other.bytes.start < self.bytes.end
    }

    /// The lines that it touches, each with the first of its grains and the one behind the last.
    fn lines(&self) -> impl Iterator<Item = (u64, Range<usize>)> + use<> {
        let Range { start, end } = self.bytes.clone();
        (start / LINE..end.div_ceil(LINE)).map(move |line| {
            let from = start.saturating_sub(line * LINE) / GRAIN;
            let to = (end - line * LINE).min(LINE).div_ceil(GRAIN);
            (line * LINE, from as usize..to as usize)
        })
    }
}

/// A line of the device.
#[derive(Clone, Default, Debug)]
struct Slot {
    /// The line of a disk that it is for.
    of: (u32, u64),
    /// Checksums of the grains that it has.
    grains: [Option<u32>; GRAINS],
    keep: bool,
    used: u64,
    /// Reads and fills that use it.
    pins: u32,
}

impl Slot {
    fn is_empty(&self) -> bool {
        self.grains.iter().all(Option::is_none)
    }
}

#[derive(Default, Debug)]
struct State {
    lines: BTreeMap<(u32, u64), u32>,
    slots: Vec<Slot>,
    free: BTreeSet<u32>,
    /// Slots that have something, in the order in which they go.
    order: BTreeMap<(bool, u64), u32>,
    used: u64,
    /// Fills and writes under way, by their numbers, and whether somebody else has written there since they began.
    fills: BTreeMap<u64, (Place, bool)>,
    writes: BTreeMap<u64, (Place, bool)>,
    number: u64,
    /// The device has failed: nothing is cached any more.
    failed: bool,
}

impl State {
    fn number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    /// A slot was used, for a segment that is to be kept or not.
    fn touch(&mut self, slot: u32, keep: bool) {
        self.used += 1;
        let entry = &mut self.slots[slot as usize];
        self.order.remove(&(entry.keep, entry.used));
        (entry.keep, entry.used) = (keep, self.used);
        self.order.insert((keep, self.used), slot);
    }

    /// The slot of a line, free or taken from another one; None where all others are to be kept, or in use.
    fn slot(&mut self, of: (u32, u64), keep: bool) -> Option<u32> {
        if let Some(slot) = self.lines.get(&of) {
            return Some(*slot);
        }
        let slot = match self.free.pop_first() {
            Some(slot) => slot,
            None => {
                let mut evictable = self.order.iter().filter(|((kept, _), _)| keep || !kept);
                let (_, slot) = evictable.find(|(_, slot)| self.slots[**slot as usize].pins == 0)?;
                let slot = *slot;
                self.empty(slot);
                self.free.remove(&slot);
                slot
            }
        };
        self.slots[slot as usize] = Slot { of, ..Slot::default() };
        self.lines.insert(of, slot);
        Some(slot)
    }

    /// Forgets what a slot has. The slot becomes free unless a read or a fill has pinned it.
    fn empty(&mut self, slot: u32) {
        let entry = &mut self.slots[slot as usize];
        entry.grains = [None; GRAINS];
        let (at, of, pins) = ((entry.keep, entry.used), entry.of, entry.pins);
        self.order.remove(&at);
        if pins == 0 {
            self.lines.remove(&of);
            self.free.insert(slot);
        }
    }

    fn unpin(&mut self, slot: u32) {
        let entry = &mut self.slots[slot as usize];
        entry.pins -= 1;
        if entry.pins == 0 && entry.is_empty() {
            self.empty(slot);
        }
    }

    /// What a place had is no longer right. True: there was something.
    fn spoil(&mut self, place: &Place) -> bool {
        for (other, spoilt) in self.fills.values_mut().chain(self.writes.values_mut()) {
            *spoilt |= other.touches(place);
        }
        let mut had = false;
        for (line, grains) in place.lines() {
            let Some(slot) = self.lines.get(&(place.disk, line)).copied() else { continue };
            let entry = &mut self.slots[slot as usize];
            for grain in &mut entry.grains[grains] {
                had |= grain.take().is_some();
            }
            if entry.is_empty() {
                self.empty(slot);
            }
        }
        had
    }

    /// True: a write there is under way.
    fn is_written(&self, place: &Place) -> bool {
        self.writes.values().any(|(write, _)| write.touches(place))
    }

    fn clear(&mut self) {
        for slot in 0..self.slots.len() as u32 {
            if !self.free.contains(&slot) {
                self.empty(slot);
            }
        }
        self.fills.values_mut().for_each(|(_, spoilt)| *spoilt = true);
    }
}

/// What the cache has done.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FlashFigures {
    /// Reads that it has answered, and their bytes.
    pub hits: u64,
    pub bytes_hit: u64,
    /// Bytes that were written to it.
    pub bytes_filled: u64,
}

/// Lines of the disks of a cell.
#[derive(Debug)]
pub(crate) struct FlashCache {
    device: Arc<dyn Device>,
    bytes: u64,
    /// The thread that fills the cache. None: the reader fills it.
    filler: Option<Worker>,
    state: Mutex<State>,
    hits: AtomicU64,
    bytes_hit: AtomicU64,
    bytes_filled: AtomicU64,
}

/// A run of bytes on the device, and the checksums of its grains.
struct Run {
    offset: u64,
    checksums: Vec<u32>,
}

impl FlashCache {
    /// An empty cache on all of a device.
    ///
    /// # Errors
    /// Those of the device.
    pub(crate) fn new(device: Arc<dyn Device>, inline: bool) -> io::Result<Self> {
        let slots = u32::try_from(device.size()? / LINE).map_err(io::Error::other)?;
        let bytes = u64::from(slots) * LINE;
        let filler = (!inline).then(|| Worker::new("flash cache"));
        let state =
            State { slots: vec![Slot::default(); slots as usize], free: (0..slots).collect(), ..State::default() };
        let (hits, bytes_hit, bytes_filled) = Default::default();
        Ok(Self { device, bytes, filler, state: Mutex::new(state), hits, bytes_hit, bytes_filled })
    }

    /// Its size.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn figures(&self) -> FlashFigures {
        FlashFigures {
            hits: self.hits.load(Relaxed),
            bytes_hit: self.bytes_hit.load(Relaxed),
            bytes_filled: self.bytes_filled.load(Relaxed),
        }
    }

    /// What it has of a disk is of another one.
    pub(crate) fn forget(&self, disk: u32) {
        let mut state = self.state.lock();
        let State { fills, writes, .. } = &mut *state;
        for (other, spoilt) in fills.values_mut().chain(writes.values_mut()) {
            *spoilt |= other.disk == disk;
        }
        let slots: Vec<u32> = state.lines.range((disk, 0)..=(disk, u64::MAX)).map(|(_, slot)| *slot).collect();
        slots.into_iter().for_each(|slot| state.empty(slot));
    }

    fn fail(&self) {
        let mut state = self.state.lock();
        state.failed = true;
        state.clear();
    }

    /// Starts a read of what it has all of, into these buffers. The disk is read where the cache turns out to be wrong.
    pub(crate) fn submit_read(
        self: &Arc<Self>,
        disk: (u32, &Arc<dyn Device>),
        offset: u64,
        buffers: Vec<AlignedBuffer>,
    ) -> Result<PendingRead, Vec<AlignedBuffer>> {
        let place = Place::new(disk.0, offset, buffers.iter().map(|buffer| buffer.len() as u64).sum());
        let Some(found) = self.find(&place) else { return Err(buffers) };
        let submit = |run: Run| {
            let bytes = run.checksums.len() * GRAIN as usize;
            let read = self.device.submit_read(run.offset, vec![AlignedBuffer::zeroed(bytes)]);
            (run.checksums, read)
        };
        let reads = found.runs.into_iter().map(submit).collect();
        Ok(PendingRead::new(FlashRead { pins: found.pins, reads, buffers, below: Arc::clone(disk.1), offset }))
    }

    fn find(self: &Arc<Self>, place: &Place) -> Option<Found> {
        if !place.is_whole_grains() {
            return None;
        }
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let mut runs: Vec<Run> = Vec::new();
        let mut slots = Vec::new();
        for (line, grains) in place.lines() {
            let slot = *state.lines.get(&(place.disk, line))?;
            let entry = &state.slots[slot as usize];
            let checksums: Option<Vec<u32>> = entry.grains[grains.clone()].iter().copied().collect();
            let (offset, checksums) = (u64::from(slot) * LINE + grains.start as u64 * GRAIN, checksums?);
            match runs.last_mut().filter(|last| last.offset + last.checksums.len() as u64 * GRAIN == offset) {
                Some(last) => last.checksums.extend(checksums),
                None => runs.push(Run { offset, checksums }),
            }
            slots.push(slot);
        }
        for slot in &slots {
            let keep = state.slots[*slot as usize].keep;
            state.touch(*slot, keep);
            state.slots[*slot as usize].pins += 1;
        }
        Some(Found { runs, pins: Pins { cache: Arc::clone(self), slots } })
    }

    /// Begins a read of the disk whose bytes may be cached. None: they may not, because somebody writes there.
    pub(crate) fn begin_fill(self: &Arc<Self>, disk: u32, offset: u64, bytes: u64) -> Option<Fill> {
        let place = Place::new(disk, offset, bytes);
        let mut state = self.state.lock();
        if !place.is_whole_grains() || state.failed || state.is_written(&place) {
            return None;
        }
        let number = state.number();
        state.fills.insert(number, (place.clone(), false));
        Some(Fill { cache: Arc::clone(self), number, place })
    }

    /// Begins a write to a disk.
    pub(crate) fn begin_write(self: &Arc<Self>, disk: u32, offset: u64, bytes: u64) -> Writing {
        let place = Place::new(disk, offset, bytes);
        let mut state = self.state.lock();
        let number = state.number();
        let spoilt = state.is_written(&place);
        let had = state.spoil(&place);
        state.writes.insert(number, (place, spoilt));
        Writing { cache: Arc::clone(self), number, had }
    }

    fn is_spoilt(state: &State, number: u64) -> bool {
        state.fills.get(&number).is_none_or(|(_, spoilt)| *spoilt)
    }

    fn fill(self: &Arc<Self>, number: u64, place: &Place, bytes: &[u8], keep: bool) {
        debug_assert_eq!(bytes.len() as u64, place.bytes.end - place.bytes.start, "as many as were read");
        let mut targets: Vec<(u32, Range<usize>, Range<usize>)> = Vec::new();
        let mut pins = Pins { cache: Arc::clone(self), slots: Vec::new() };
        {
            let mut state = self.state.lock();
            if Self::is_spoilt(&state, number) {
                return;
            }
            let mut from = 0;
            for (line, grains) in place.lines() {
                let Some(slot) = state.slot((place.disk, line), keep) else { break };
                state.slots[slot as usize].pins += 1;
                pins.slots.push(slot);
                let to = from + grains.len() * GRAIN as usize;
                targets.push((slot, grains, from..to));
                from = to;
            }
        }
        let Some((_, _, last)) = targets.last() else { return };
        let filled = &bytes[..last.end];
        let at = |(slot, grains, _): &(u32, Range<usize>, Range<usize>)| {
            let begin = u64::from(*slot) * LINE;
            begin + grains.start as u64 * GRAIN..begin + grains.end as u64 * GRAIN
        };
        // Lines one behind another on the device are one write.
        let mut written = Ok(());
        for run in targets.chunk_by(|one, next| at(one).end == at(next).start) {
            if let (Some(first), Some(last)) = (run.first(), run.last()) {
                let part = &filled[first.2.start..last.2.end];
                written = written.and_then(|()| self.device.write_at(at(first).start, &[part]));
            }
        }
        if written.is_err() {
            self.fail();
            return;
        }
        self.bytes_filled.fetch_add(filled.len() as u64, Relaxed);
        let sums: Vec<u32> = filled.chunks_exact(GRAIN as usize).map(crc32c::crc32c).collect();
        let mut state = self.state.lock();
        if state.failed || Self::is_spoilt(&state, number) {
            return;
        }
        for (slot, grains, part) in targets {
            state.touch(slot, keep);
            let sums = &sums[part.start / GRAIN as usize..];
            for (grain, sum) in state.slots[slot as usize].grains[grains].iter_mut().zip(sums) {
                *grain = Some(*sum);
            }
        }
    }
}

struct Found {
    runs: Vec<Run>,
    pins: Pins,
}

/// Slots that are not given to other lines.
struct Pins {
    cache: Arc<FlashCache>,
    slots: Vec<u32>,
}

impl Drop for Pins {
    fn drop(&mut self) {
        let mut state = self.cache.state.lock();
        self.slots.drain(..).for_each(|slot| state.unpin(slot));
    }
}

/// A read of the device under way.
struct FlashRead {
    pins: Pins,
    reads: Vec<(Vec<u32>, io::Result<PendingRead>)>,
    buffers: Vec<AlignedBuffer>,
    below: Arc<dyn Device>,
    offset: u64,
}

/// Copies a run into what is left of the buffers.
fn copy(mut run: &[u8], rest: &mut Vec<&mut [u8]>) {
    while !run.is_empty() {
        let Some(buffer) = rest.pop() else { return };
        let (now, later) = run.split_at(run.len().min(buffer.len()));
        let (full, left) = buffer.split_at_mut(now.len());
        full.copy_from_slice(now);
        run = later;
        if !left.is_empty() {
            rest.push(left);
        }
    }
}

impl FlashRead {
    /// False: the cache has not what it should have.
    fn take(reads: Vec<(Vec<u32>, io::Result<PendingRead>)>, buffers: &mut [AlignedBuffer]) -> io::Result<bool> {
        let mut rest: Vec<&mut [u8]> = buffers.iter_mut().rev().map(|buffer| &mut **buffer).collect();
        for (checksums, read) in reads {
            for part in read?.wait()? {
                let sums = part.chunks_exact(GRAIN as usize).map(crc32c::crc32c);
                if !sums.eq(checksums.iter().copied()) {
                    return Ok(false);
                }
                copy(&part, &mut rest);
            }
        }
        Ok(true)
    }
}

impl ReadInFlight for FlashRead {
    fn is_done(&mut self) -> bool {
        self.reads.iter_mut().all(|(_, read)| read.as_mut().map_or(true, PendingRead::is_done))
    }

    fn wait(self: Box<Self>) -> io::Result<Vec<AlignedBuffer>> {
        let Self { pins, reads, mut buffers, below, offset } = *self;
        let taken = Self::take(reads, &mut buffers);
        if matches!(taken, Ok(true)) {
            let bytes = buffers.iter().map(|buffer| buffer.len() as u64).sum();
            pins.cache.hits.fetch_add(1, Relaxed);
            pins.cache.bytes_hit.fetch_add(bytes, Relaxed);
            interconnect::note_flash(bytes);
            return Ok(buffers);
        }
        if taken.is_err() {
            pins.cache.fail();
        }
        let mut parts: Vec<&mut [u8]> = buffers.iter_mut().map(|buffer| &mut **buffer).collect();
        below.read_at(offset, &mut parts)?;
        Ok(buffers)
    }
}

/// A read of the disk under way whose bytes may be cached.
pub(crate) struct Fill {
    cache: Arc<FlashCache>,
    number: u64,
    place: Place,
}

impl Fill {
    /// Hands the bytes to the thread that fills the cache, or drops them while that thread has too much to do.
    pub(crate) fn finish(self, parts: &[&[u8]], keep: bool) {
        let cache = Arc::clone(&self.cache);
        let filler = cache.filler.as_ref();
        if filler.is_some_and(|filler| filler.waiting() >= WAITING_MAX) {
            return;
        }
        let bytes = match parts {
            [part] => AlignedBuffer::copy_of(part),
            parts => AlignedBuffer::copy_of(&parts.concat()),
        };
        let fill = move || self.cache.fill(self.number, &self.place, &bytes, keep);
        match filler {
            Some(filler) => filler.give(fill),
            None => fill(),
        }
    }
}

impl Drop for Fill {
    fn drop(&mut self) {
        self.cache.state.lock().fills.remove(&self.number);
    }
}

/// A write of the disk under way.
pub(crate) struct Writing {
    cache: Arc<FlashCache>,
    number: u64,
    /// The cache had something there.
    had: bool,
}

impl Writing {
    /// The write has ended: what the cache had of its place it has again, unless somebody else has written there
    /// meanwhile.
    pub(crate) fn done(self, parts: &[&[u8]], keep: bool) {
        let fill = {
            let mut state = self.cache.state.lock();
            let Some((place, spoilt)) = state.writes.remove(&self.number) else { return };
            if !self.had || spoilt || state.failed || !place.is_whole_grains() {
                return;
            }
            state.fills.insert(self.number, (place.clone(), false));
            Fill { cache: Arc::clone(&self.cache), number: self.number, place }
        };
        fill.finish(parts, keep);
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.cache.state.lock().writes.remove(&self.number);
    }
}
