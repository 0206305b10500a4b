//! Reading redo back, from a place on to its end.
//!
//! | what is met | in a sequence that has ended (`end_block` is known) | in the last sequence |
//! | --- | --- | --- |
//! | a valid write | its records | its records |
//! | `end_block` | the next sequence, or the end | |
//! | a block that is not what it must be, in every member that can be read | damage: ORA-00353 | the end, unless what is behind it says that it was durable: ORA-00353 |
//! | a block that can be read in no member | ORA-00353: it may have been acknowledged | ORA-00353 |
//!
//! The last sequence is synced before it is read: what a process that was killed has written may be there to be read
//! and not be on the disk yet, and nothing may be made of redo that a crash can still take away.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use common::sync::Arc;
use common::{Error, ErrorKind, Number, Result};
use device::FileSystem;
use waits::Meter;

use super::files::{self, Member};
use super::group::{LogGroupRecord, Lsn, Rba, no_member};
use super::layout::{self, BLOCK, FIRST_BLOCK, HEADER, LogBlockKind, PAYLOAD, RECORD_HEADER, WRITE_HEADER, Write};
use super::member_reader::{MemberReader, Reading};
use super::one_copy::OneCopy;
use crate::disk_group::resolve;

/// Behind a hole this many blocks are searched for a write that knows the hole as durable. Writes that can be in flight
/// together are far shorter.
const SEARCH_BLOCKS: u32 = if cfg!(test) { 256 } else { 32_768 };
/// Behind those every so manieth is looked at: a block of the sequence so far behind the hole was not written while the
/// hole still was.
const PROBE_BLOCKS: u32 = if cfg!(test) { 16 } else { 512 };
/// Behind a hole so many blocks that cannot be read end the search.
const UNREADABLE_MAX: u32 = 8;

/// Why reading ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndReason {
    /// The log was closed here.
    Closed,
    /// The file is full, and there is no later sequence.
    FileEnd,
    /// The next block is not of this sequence, or not whole: what followed was never acknowledged.
    NoMoreBlocks,
}

/// Where the redo ends: the first block that is not part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadEnd {
    pub sequence: u32,
    pub block: u32,
    pub lsn: Lsn,
    pub blocks_read: u64,
    pub why: EndReason,
}

impl ReadEnd {
    /// The end as a place; also where reading may begin when nothing before it is needed any more.
    #[must_use]
    pub fn rba(&self) -> Rba {
        Rba { sequence: self.sequence, block: self.block, offset: HEADER as u16 }
    }
}

/// Reads record after record.
pub struct RedoReader {
    files: Arc<dyn FileSystem>,
    directory: PathBuf,
    database: u64,
    groups: Vec<LogGroupRecord>,
    meter: Option<Arc<Meter>>,
    group: LogGroupRecord,
    members: Vec<MemberReader>,
    /// The next write starts here, in the file and in the redo.
    block: u32,
    lsn: u64,
    /// The write that is being given out.
    records: Vec<u8>,
    first: u32,
    at: usize,
    blocks_read: u64,
    end: Option<ReadEnd>,
}

impl fmt::Debug for RedoReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedoReader(sequence {}, block {}, lsn {})", self.group.sequence, self.block, self.lsn)
    }
}

impl RedoReader {
    /// Begins at `from`, which is the start of a write or the end of a sequence.
    ///
    /// # Errors
    /// ORA-00313 when no member of the group holds the sequence, or none can be synced; ORA-00353 when `from` is no
    /// such place.
    pub fn open(
        files: Arc<dyn FileSystem>,
        directory: &Path,
        database: u64,
        groups: &[LogGroupRecord],
        from: Rba,
        meter: Option<Arc<Meter>>,
    ) -> Result<Self> {
        let group = groups.iter().find(|group| group.sequence == from.sequence && from.sequence > 0).cloned();
        let group = group.ok_or_else(|| missing(from.sequence))?;
        let members = open_members(&*files, directory, &group, database)?;
        let mut reader = Self {
            files,
            directory: directory.to_owned(),
            database,
            groups: groups.to_vec(),
            meter,
            members,
            block: from.block.max(FIRST_BLOCK),
            lsn: group.first_lsn,
            group,
            records: Vec::new(),
            first: 0,
            at: 0,
            blocks_read: 0,
            end: None,
        };
        reader.lsn = reader.lsn_of(reader.block)?;
        Ok(reader)
    }

    /// The redo before a place that begins a write, from the write before it.
    fn lsn_of(&mut self, block: u32) -> Result<u64> {
        if block == FIRST_BLOCK {
            return Ok(self.group.first_lsn);
        }
        if let (Some(end), Some(lsn)) = (self.group.end_block, self.group.end_lsn)
            && end == block
        {
            return Ok(lsn);
        }
        if let Some(write) = self.first_block(block)? {
            return Ok(write.lsn);
        }
        let mut before = block;
        while before > FIRST_BLOCK {
            before -= 1;
            if let Some(write) = self.first_block(before)? {
                if before + write.blocks() == block {
                    return Ok(write.lsn + u64::from(write.bytes));
                }
                break;
            }
        }
        Err(self.damage(block, "no write of redo begins there"))
    }

    /// The next record and its place.
    ///
    /// # Errors
    /// ORA-00353 damaged redo; ORA-00313 no member of a group that is needed can be used. The reader then stays where
    /// it is.
    #[expect(clippy::should_implement_trait, reason = "it lends the record out")]
    pub fn next(&mut self) -> Result<Option<(Rba, &[u8])>> {
        while self.at == self.records.len() {
            let mut records = std::mem::take(&mut self.records);
            records.clear();
            self.at = 0;
            let more = self.read_write(&mut records);
            self.records = records;
            if !more? {
                return Ok(None);
            }
        }
        let rest = &self.records[self.at..];
        let length = rest.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize);
        if length < RECORD_HEADER || length > rest.len() {
            return Err(self.damage(self.first, "a record does not end with its write"));
        }
        let place = WRITE_HEADER + self.at;
        let rba = Rba {
            sequence: self.group.sequence,
            block: self.first + (place / PAYLOAD) as u32,
            offset: (HEADER + place % PAYLOAD) as u16,
        };
        let start = self.at;
        self.at += length;
        debug_assert!(usize::from(rba.offset) < BLOCK, "a record begins in its block: {rba:?}");
        Ok(Some((rba, &self.records[start..start + length])))
    }

    /// Appends the records of the next writes to `out`, whole writes until there are `bytes` or more. False at the end.
    /// Not to be mixed with [`next`](Self::next).
    ///
    /// # Errors
    /// As [`next`](Self::next); what was appended before stands.
    pub fn next_writes(&mut self, out: &mut Vec<u8>, bytes: usize) -> Result<bool> {
        while out.len() < bytes {
            if !self.read_write(out)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Where the record that [`next`](Self::next) gave last ends.
    #[must_use]
    pub fn lsn(&self) -> Lsn {
        Lsn(self.lsn - (self.records.len() - self.at) as u64)
    }

    /// Where the redo ends, once `next` has given None.
    #[must_use]
    pub fn end(&self) -> Option<ReadEnd> {
        self.end
    }

    /// Appends the records of the next write to `out`. False at the end.
    fn read_write(&mut self, out: &mut Vec<u8>) -> Result<bool> {
        if self.end.is_some() {
            return Ok(false);
        }
        while self.group.end_block.is_some_and(|end| self.block >= end) {
            if !self.next_sequence()? {
                return Ok(false);
            }
        }
        if self.block >= self.group.blocks() {
            self.finish(EndReason::FileEnd);
            return Ok(false);
        }
        let Some(write) = self.first_block(self.block)? else { return self.hole(self.block) };
        if write.lsn != self.lsn {
            let why = format!("the write there is of position {} and should be of {}", write.lsn, self.lsn);
            return Err(self.damage(self.block, &why));
        }
        self.first = self.block;
        let start = out.len();
        let end = start + write.bytes as usize;
        out.reserve(write.bytes as usize);
        for index in 0..write.blocks() {
            let number = self.block + index;
            let kind = if index == 0 { LogBlockKind::First } else { LogBlockKind::More };
            let from = if index == 0 { HEADER + WRITE_HEADER } else { HEADER };
            match valid(&mut self.members, &self.group, self.meter.as_deref(), number, kind) {
                Ok(Some(block)) => {
                    let part = &block[from..];
                    let left = end - out.len();
                    out.extend_from_slice(&part[..left.min(part.len())]);
                }
                Ok(None) => {
                    out.truncate(start);
                    return self.hole(number);
                }
                Err(error) => {
                    out.truncate(start);
                    return Err(self.unreadable(number, &error));
                }
            }
        }
        debug_assert_eq!(out.len(), end, "a write gives as many bytes as it tells");
        debug_assert!(
            self.block + write.blocks() <= self.group.end_block.unwrap_or(self.group.blocks()),
            "a write goes on behind the end of its sequence"
        );
        self.block += write.blocks();
        self.lsn += u64::from(write.bytes);
        self.blocks_read += u64::from(write.blocks());
        Ok(true)
    }

    /// The write that begins with a block; None when the block is readable and begins none.
    fn first_block(&mut self, number: u32) -> Result<Option<Write>> {
        let end = self.group.end_block.unwrap_or(self.group.blocks());
        let Some(room) = end.checked_sub(number).filter(|room| *room > 0) else { return Ok(None) };
        match valid(&mut self.members, &self.group, self.meter.as_deref(), number, LogBlockKind::First) {
            Ok(block) => Ok(block.and_then(|block| layout::write_of(block, room))),
            Err(error) => Err(self.unreadable(number, &error)),
        }
    }

    /// Block `number` of the write at `self.block` is not there.
    fn hole(&mut self, number: u32) -> Result<bool> {
        if self.group.end_block.is_some() {
            return Err(self.damage(number, "a block is missing inside a log sequence that has ended"));
        }
        let last = self.group.blocks().min(number.saturating_add(SEARCH_BLOCKS));
        let mut unreadable = 0;
        for later in number + 1..last {
            match self.first_block(later) {
                Ok(Some(write)) if write.durable > self.lsn => {
                    let why = format!("a block is missing, but block {later} was written when it was durable");
                    return Err(self.damage(number, &why));
                }
                Ok(_) => {}
                // What cannot be read here belongs behind the hole and says nothing about it. A device that has gone
                // would be asked for ever.
                Err(_) => unreadable += 1,
            }
            if unreadable == UNREADABLE_MAX {
                break;
            }
        }
        for later in (last..self.group.blocks()).step_by(PROBE_BLOCKS as usize) {
            if self.is_of_sequence(later) {
                let why = format!("a block is missing, but block {later}, which is written long after it, is there");
                return Err(self.damage(number, &why));
            }
        }
        self.finish(EndReason::NoMoreBlocks);
        Ok(false)
    }

    /// Whether a member has a whole block of the sequence in this place. The block is read by itself.
    fn is_of_sequence(&self, number: u32) -> bool {
        let reading =
            Reading { meter: self.meter.as_deref(), sequence: self.group.sequence, blocks: self.group.blocks() };
        self.members.iter().any(|member| {
            let is = |kind, block: &[u8]| layout::is_valid(block, kind, number, self.group.sequence);
            member
                .one(number, reading)
                .is_ok_and(|block| is(LogBlockKind::First, &block) || is(LogBlockKind::More, &block))
        })
    }

    fn next_sequence(&mut self) -> Result<bool> {
        let wanted = self.group.sequence + 1;
        let Some(group) = self.groups.iter().find(|group| group.sequence == wanted).cloned() else {
            if self.groups.iter().any(|group| group.sequence > wanted) {
                return Err(missing(wanted));
            }
            self.finish(EndReason::Closed);
            return Ok(false);
        };
        if group.first_lsn != self.lsn {
            let why = format!("the sequence ends at position {}, and the next begins at {}", self.lsn, group.first_lsn);
            return Err(self.damage(self.block, &why));
        }
        debug_assert!(self.at == self.records.len(), "a sequence is left with records of it to be given out");
        self.members = open_members(&*self.files, &self.directory, &group, self.database)?;
        self.group = group;
        self.block = FIRST_BLOCK;
        Ok(true)
    }

    fn finish(&mut self, why: EndReason) {
        debug_assert!(self.end.is_none(), "the redo ends once");
        debug_assert!(self.block >= FIRST_BLOCK && self.lsn >= self.group.first_lsn, "{self:?}");
        self.end = Some(ReadEnd {
            sequence: self.group.sequence,
            block: self.block,
            lsn: Lsn(self.lsn),
            blocks_read: self.blocks_read,
            why,
        });
    }

    /// No member gives a block that may have been acknowledged.
    fn unreadable(&self, block: u32, error: &io::Error) -> Error {
        self.damage(block, &format!("it cannot be read ({error})"))
    }

    fn damage(&self, block: u32, why: &str) -> Error {
        let mut text = format!("log corruption near block {block} of log sequence {}: {why}", self.group.sequence);
        for name in &self.group.members {
            let path = resolve(&self.directory, name);
            text += &format!("; ORA-00312: online log {} thread 1: '{}'", self.group.number, path.display());
        }
        Error::new(ErrorKind::Corrupt, Number::Ora(353), text)
    }
}

/// The block from whichever member has it whole; None when none has. A member that cannot be read counts as one that is
/// not there: the others have what was acknowledged.
///
/// # Errors
/// When no member can be read.
fn valid<'a>(
    members: &'a mut [MemberReader],
    group: &LogGroupRecord,
    meter: Option<&Meter>,
    number: u32,
    kind: LogBlockKind,
) -> io::Result<Option<&'a [u8]>> {
    let reading = Reading { meter, sequence: group.sequence, blocks: group.blocks() };
    let (mut read, mut failed) = (false, None);
    for member in members {
        match member.block(number, reading) {
            Ok(block) if layout::is_valid(block, kind, number, group.sequence) => return Ok(Some(block)),
            Ok(_) => read = true,
            Err(error) => failed = Some(error),
        }
    }
    match failed {
        Some(error) if !read => Err(error),
        _ => Ok(None),
    }
}

/// The members that hold the redo of the group's sequence. Those of a sequence that goes on are synced first; what
/// cannot be synced is not read.
fn open_members(
    files: &dyn FileSystem,
    directory: &Path,
    group: &LogGroupRecord,
    database: u64,
) -> Result<Vec<MemberReader>> {
    let mut members = files::open_written(files, directory, group, database)?;
    if group.end_block.is_none() {
        let mut problems = Vec::new();
        members.retain(|member| match member.device.sync() {
            Ok(()) => true,
            Err(error) => {
                problems.push((member.path.clone(), format!("it cannot be synced: {error}")));
                false
            }
        });
        if members.is_empty() {
            return Err(no_member(group, &problems));
        }
    }
    // Each copy of a mirrored one is read as a member.
    let copies = |member: Member| -> Vec<Member> {
        match member.device.copies() {
            0 | 1 => vec![member],
            copies => (0..copies)
                .map(|copy| Member {
                    path: member.path.clone(),
                    device: Arc::new(OneCopy::new(Arc::clone(&member.device), copy)),
                })
                .collect(),
        }
    };
    Ok(members.into_iter().flat_map(copies).map(MemberReader::new).collect())
}

fn missing(sequence: u32) -> Error {
    let text = format!("log sequence {sequence} is needed for recovery and is in no log group");
    Error::new(ErrorKind::Corrupt, Number::Ora(313), text)
}
