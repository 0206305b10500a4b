//! Going on to the next log file.

use common::sync::atomic::Ordering;
use common::{Error, Result};
use waits::Event;

use super::core::{Core, Groups, Take};
use super::files::{self, redo_blocks};
use super::group::{LogGroupRecord, LogGroupState, Lsn, check_groups, no_member};
use super::layout::{FIRST_BLOCK, LogHeader, room_of};
use super::log_writer;
use crate::invariants::hold;

/// Leaves the current file if that is still wanted. When no other is free, asks for a checkpoint and comes back once
/// there was one.
pub(super) fn switch(core: &Core) -> Result<()> {
    let mut take = core.take.lock();
    if core.leave.load(Ordering::SeqCst) != take.sequence {
        return Ok(());
    }
    {
        let groups = core.groups.lock();
        if candidate(&groups.records).is_none() {
            // Under the lock that a checkpoint's end needs to make a group free.
            core.blocked.store(true, Ordering::SeqCst);
            drop(groups);
            let end = take.taken;
            drop(take);
            core.instance.checkpoint_wanted(Lsn(end), true);
            return Ok(());
        }
    }
    // From here on nobody waits for anything but this thread and writes under way.
    core.buffer.close();
    while let Some(batch) = log_writer::next(core, &mut take)? {
        log_writer::write(core, batch)?;
    }
    core.drain(take.tickets)?;
    debug_assert_eq!(take.taken, core.buffer.end(), "somebody has appended during a switch");
    debug_assert_eq!(core.durable(), take.taken, "the sequence is left before it is written");
    begin(core, &mut take)?;
    let end = take.taken;
    drop(take);
    core.instance.checkpoint_wanted(Lsn(end), false);
    Ok(())
}

/// The group to write next: the one whose redo is the oldest, if it is not needed.
fn candidate(records: &[LogGroupRecord]) -> Option<usize> {
    let free = |record: &LogGroupRecord| matches!(record.state, LogGroupState::Unused | LogGroupState::Inactive);
    let best =
        records.iter().enumerate().filter(|(_, record)| free(record)).min_by_key(|(_, r)| (r.sequence, r.number));
    best.map(|(index, _)| index)
}

/// To be called whenever groups have changed: whether there is one to go on to, and the longest record that fits into
/// each.
pub(super) fn note_free(core: &Core, groups: &Groups) {
    let free = candidate(&groups.records).is_some();
    core.next_free.store(free, Ordering::SeqCst);
    if free {
        core.blocked.store(false, Ordering::SeqCst);
    }
    let blocks = groups.records.iter().map(|record| redo_blocks(record.blocks())).min().unwrap_or(0);
    core.record_bytes.store(room_of(blocks), Ordering::SeqCst);
}

/// Begins a new sequence in the next free group, after everything before it has been written: header first, then the
/// control file, then redo.
pub(super) fn begin(core: &Core, take: &mut Take) -> Result<()> {
    let mut guard = core.groups.lock();
    let groups = &mut *guard;
    let Some(next) = candidate(&groups.records) else { return Err(super::not_complete()) };
    let (scn, now) = (core.instance.scn(), core.meter.clock().wall_us());
    let mut records = groups.records.clone();
    if let Some(old) = records.iter_mut().find(|record| record.state == LogGroupState::Current) {
        end_sequence(old, take.next_block, take.taken, scn);
        old.state = LogGroupState::Active;
    }
    let sequence = records.iter().map(|record| record.sequence).max().unwrap_or(0) + 1;
    debug_assert!(sequence > take.sequence, "sequence {sequence} begins after {}", take.sequence);
    let record = &mut records[next];
    record.sequence = sequence;
    record.state = LogGroupState::Current;
    (record.first_lsn, record.first_scn, record.first_us) = (take.taken, scn, now);
    (record.end_block, record.end_lsn, record.next_scn) = (None, None, None);
    let header = LogHeader {
        database: core.database,
        group: record.number,
        blocks: record.blocks(),
        sequence,
        first_lsn: take.taken,
        first_scn: scn,
        first_us: now,
    };
    let opened = files::open(&*core.files, &core.directory, record);
    if opened.members.is_empty() {
        return Err(no_member(record, &opened.problems));
    }
    let parameters = [u64::from(record.number), 1, 1];
    core.meter.wait(Event::LogFileSingleWrite, parameters, -1, || files::write_header(&opened.members, header))?;
    (take.group, take.blocks) = (record.number, record.blocks());
    note_invalid(groups, record, &opened);
    hold(|| check_groups(&records));
    core.instance.store(&records)?;
    groups.records = records;
    note_free(core, groups);
    if !core.inline {
        core.members.need((opened.members.len() - 1) * super::WRITERS)?;
    }
    take.sequence = sequence;
    take.next_block = FIRST_BLOCK;
    take.members = opened.members.into();
    core.sequence.store(sequence, Ordering::SeqCst);
    core.blocked.store(false, Ordering::SeqCst);
    core.begun(sequence);
    core.buffer.open(redo_blocks(take.blocks));
    Ok(())
}

/// Notes in the record of the current group that its sequence goes no further.
pub(super) fn end_sequence(record: &mut LogGroupRecord, block: u32, lsn: u64, scn: u64) {
    if record.end_block.is_none() {
        debug_assert!((FIRST_BLOCK..=record.blocks()).contains(&block), "block {block} ends {record:?}");
        debug_assert!(lsn >= record.first_lsn, "position {lsn} ends {record:?}");
        record.end_block = Some(block);
        record.end_lsn = Some(lsn);
        record.next_scn = Some(scn);
    }
}

fn note_invalid(groups: &mut Groups, record: &LogGroupRecord, opened: &files::Opened) {
    for name in &record.members {
        groups.invalid.retain(|invalid| invalid != name);
        if opened.problems.iter().any(|(path, _)| path.ends_with(name)) {
            groups.invalid.push(name.clone());
        }
    }
}

/// Ends the current sequence for good: the log is closed and everything is written.
pub(super) fn finish(core: &Core, take: &Take) -> Result<()> {
    let mut groups = core.groups.lock();
    let mut records = groups.records.clone();
    let current = records.iter_mut().find(|record| record.state == LogGroupState::Current);
    let current = current.ok_or_else(|| Error::bug("no current log group"))?;
    end_sequence(current, take.next_block, take.taken, core.instance.scn());
    hold(|| check_groups(&records));
    core.instance.store(&records)?;
    groups.records = records;
    Ok(())
}
