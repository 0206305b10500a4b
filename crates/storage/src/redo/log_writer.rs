//! The log writer: `lgwr` and its helpers, all alike.
//!
//! The thread that has the duty takes the redo in the buffer, gives it a place in the file, and writes it; then it
//! takes what came meanwhile, in one write. Where writes take long, several threads have the duty, so that several
//! writes are in flight. One thread at a time takes redo, so that places are in the order of the redo.
//!
//! A session that waits for its redo and finds the duty free writes the buffer itself, for all sessions. That saves
//! waking a thread, and being woken by it. When its own redo is durable, it leaves the rest to the threads here.

use std::time::Duration;

use common::sync::Arc;
use common::sync::atomic::Ordering;
use common::{Error, Result};
use device::AlignedBuffer;
use waits::{Event, Statistic};

use super::core::{Core, Take};
use super::files::{Member, offset};
use super::group::Rba;
use super::layout::{self, BLOCK, FIRST_BLOCK, HEADER, PAYLOAD, RECORD_HEADER, Write};

/// The log is written this often even when nobody asks.
const PERIOD: Duration = Duration::from_millis(3_000);

/// Redo that has been taken out of the buffer and has its place.
pub(super) struct PlacedRedo {
    ticket: u64,
    write: Write,
    sequence: u32,
    first: u32,
    records: Vec<u8>,
    starts: Vec<u32>,
    members: Arc<Vec<Member>>,
}

/// What each thread does until the log is closed or something fails. `first`: it is the one that is called the log
/// writer.
pub(super) fn run(core: &Core, first: bool) {
    let _watch = Watch(core);
    let writes_possible = || writes_wanted(core) && core.has_duty();
    let ready = || core.stop.load(Ordering::SeqCst) || writes_possible() || switch_possible(core);
    loop {
        let late = core.idle(PERIOD, first, ready);
        if core.stop.load(Ordering::SeqCst) {
            return;
        }
        if late {
            // Nobody asked for so long.
            core.request(core.buffer.end());
        }
        let result = if writes_possible() {
            write_all(core)
        } else if switch_possible(core) {
            super::switch::switch(core)
        } else {
            Ok(())
        };
        if let Err(error) = result {
            core.fail(&error);
            return;
        }
    }
}

fn write_all(core: &Core) -> Result<()> {
    let Some(_duty) = core.begin_duty() else { return Ok(()) };
    while writes_wanted(core) && !core.stop.load(Ordering::SeqCst) {
        write_some(core)?;
    }
    Ok(())
}

/// Makes everything before `lsn` durable, by the caller's own work where nobody else is at it.
pub(super) fn make_durable(core: &Core, lsn: u64) -> Result<()> {
    core.note_wanted(lsn);
    core.group_commit.begin_wait();
    if core.inline {
        pump(core);
        return core.wait(lsn);
    }
    let written = write_own(core, lsn);
    if writes_wanted(core) && core.has_duty() {
        core.wake_writer();
    }
    match written {
        Ok(true) => Ok(()),
        Ok(false) => core.wait(lsn),
        Err(error) => Err(error),
    }
}

/// Writes everything before `lsn` if no other thread does. True: it is durable, and the caller no longer counts as
/// waiting. False: another thread writes.
fn write_own(core: &Core, lsn: u64) -> Result<bool> {
    while core.taken.load(Ordering::SeqCst) < lsn {
        let Some(_duty) = core.begin_duty() else { break };
        let written = write_some(core).map_err(|error| core.fail(&error));
        if written.is_err() || core.durable() >= lsn {
            core.group_commit.end_wait();
            return written.map(|()| true);
        }
    }
    Ok(false)
}

/// A writer that panics stops the instance: nobody may wait for it in vain.
struct Watch<'a>(&'a Core);

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(&Error::bug("the log writer panicked"));
        }
    }
}

/// Without threads: does what a writer would find to do, on the caller's thread. What is called from here asks for a
/// writer too, and gets none.
pub(super) fn pump(core: &Core) {
    if core.pumping.swap(true, Ordering::SeqCst) {
        return;
    }
    while !core.stop.load(Ordering::SeqCst) {
        let result = if writes_wanted(core) {
            write_some(core)
        } else if switch_possible(core) {
            super::switch::switch(core)
        } else {
            break;
        };
        if let Err(error) = result {
            core.fail(&error);
        }
    }
    core.pumping.store(false, Ordering::SeqCst);
}

fn writes_wanted(core: &Core) -> bool {
    core.requested.load(Ordering::SeqCst) > core.taken.load(Ordering::SeqCst)
}

fn switch_possible(core: &Core) -> bool {
    let leave = core.leave.load(Ordering::SeqCst);
    leave != 0 && leave == core.sequence.load(Ordering::SeqCst) && !core.blocked.load(Ordering::SeqCst)
}

fn write_some(core: &Core) -> Result<()> {
    if !core.inline && core.in_flight_max() == 1 {
        core.group_commit.gather(core.average_write_us(), || core.meter.clock().monotonic_us());
    }
    let batch = {
        let mut take = core.take.lock();
        if !writes_wanted(core) {
            return Ok(());
        }
        next(core, &mut take)?
    };
    if writes_wanted(core) && core.has_duty() {
        core.wake_writer();
    }
    batch.map_or(Ok(()), |batch| write(core, batch))
}

/// Takes whole records out of the buffer, as many as one write may have. None when there is nothing.
pub(super) fn next(core: &Core, take: &mut Take) -> Result<Option<PlacedRedo>> {
    let start = take.taken;
    debug_assert!(core.buffer.end() >= start, "more is taken than there is");
    let mut end = core.buffer.end().min(start + core.write_bytes);
    if end == start {
        return Ok(None);
    }
    wait_copied(core, end);
    let mut records = Vec::with_capacity((end - start) as usize);
    core.buffer.copy_out(&core.meter, start, end, &mut records);
    let mut starts = Vec::new();
    let (mut at, mut promised) = (0, 0);
    while at + RECORD_HEADER <= records.len() {
        let length = length_of(&records[at..]);
        if length < RECORD_HEADER {
            return Err(Error::bug(format!("a redo record of {length} bytes at {}", start + at as u64)));
        }
        if at + length > records.len() {
            if at > 0 {
                break;
            }
            // A record longer than a write usually is goes alone.
            let rest = start + length as u64;
            wait_copied(core, rest);
            core.buffer.copy_out(&core.meter, end, rest, &mut records);
            end = rest;
        }
        starts.push(at as u32);
        promised += Write::blocks_of(length as u64);
        at += length;
    }
    if at == 0 {
        return Err(Error::bug(format!("a redo record ends after {} bytes", records.len())));
    }
    records.truncate(at);
    debug_assert_eq!(records.len(), at, "a write has whole records");
    let write = Write { lsn: start, durable: core.durable(), bytes: at as u32 };
    let blocks = write.blocks();
    debug_assert!(write.durable <= start, "redo to be written is durable: {write:?}");
    debug_assert!(u64::from(blocks) <= promised, "{blocks} blocks for {} records", starts.len());
    debug_assert!(take.next_block >= FIRST_BLOCK, "redo in the header of a log file");
    if u64::from(take.next_block) + u64::from(blocks) > u64::from(take.blocks) {
        return Err(Error::bug(format!("{blocks} blocks of redo from {} on do not fit into the log", take.next_block)));
    }
    let first = take.next_block;
    take.next_block += blocks;
    take.taken = start + at as u64;
    take.tickets += 1;
    let place = |block| Rba { sequence: take.sequence, block, offset: HEADER as u16 };
    core.placed(start, place(first), take.taken, place(take.next_block));
    core.taken.store(take.taken, Ordering::SeqCst);
    core.buffer.release(&core.meter, take.taken, promised, u64::from(blocks));
    let (ticket, sequence, members) = (take.tickets, take.sequence, take.members.clone());
    Ok(Some(PlacedRedo { ticket, write, sequence, first, records, starts, members }))
}

fn length_of(record: &[u8]) -> usize {
    match record.first_chunk() {
        Some(bytes) => u32::from_le_bytes(*bytes) as usize,
        None => 0,
    }
}

fn wait_copied(core: &Core, end: u64) {
    let since = core.meter.clock().monotonic_us();
    if core.buffer.wait_copied(end) {
        let micros = core.meter.clock().monotonic_us().saturating_sub(since);
        core.meter.waited(Event::LgwrWaitForRedoCopy, [0; 3], -1, micros);
    }
}

/// Writes a batch to all members and makes it known.
pub(super) fn write(core: &Core, batch: PlacedRedo) -> Result<()> {
    let PlacedRedo { ticket, write, sequence, first, records, starts, members } = batch;
    let blocks = u64::from(write.blocks());
    let mut bytes = AlignedBuffer::zeroed(blocks as usize * BLOCK);
    layout::fill(&mut bytes, write, sequence, first, &records, &starts);
    let meter = &core.meter;
    let files = members.len() as u64;
    debug_assert!(files > 0, "a write to no file is not durable");
    let since = meter.clock().monotonic_us();
    let to_members = || core.members.write(&members, offset(first), bytes);
    let result = meter.wait(Event::LogFileParallelWrite, [files, blocks, files], -1, to_members);
    let micros = meter.clock().monotonic_us().saturating_sub(since);
    result?;
    core.took(micros);
    meter.count(Statistic::RedoWrites, 1);
    meter.count(Statistic::RedoBlocksWritten, blocks);
    meter.count(Statistic::RedoWriteTime, micros);
    meter.count(Statistic::RedoWastage, blocks * PAYLOAD as u64 - u64::from(write.bytes));
    core.completed(ticket, write.lsn + u64::from(write.bytes));
    Ok(())
}
