//! Comparing the copies of an extent and making them alike: at the mount after a crash those of regions that were being
//! written, in a check of the group all.
//!
//! Copies that differ after a crash are of before and after a write that was not acknowledged, so any of them is right,
//! but for one that is damaged: by a torn write, or by the disk. The judge knows blocks and tells which copy is
//! damaged. Without a judge the first copy that can be read counts.

use std::ops::Range;

use common::Result;
use common::sync::Arc;
use device::AlignedBuffer;

use crate::availability::COPY_BYTES;
use crate::directory::{DiskMode, FileEntry, Pointer, Region};
use crate::disk::Disk;
use crate::error;
use crate::group::{Group, GroupState};
use crate::judge::JudgedFile;
use crate::shape::Shape;

/// A part that cannot be read is read again in blocks of this size, to find what can.
const BLOCK: usize = 4096;

/// An extent whose copies are compared.
pub(crate) struct Subject {
    pub(crate) file: JudgedFile,
    shape: Shape,
    pub(crate) extent: u64,
    /// Bytes of the extent before the file's end; what is behind may be anything.
    bytes: u64,
    /// The copies on disks that are online.
    copies: Vec<(Arc<Disk>, Pointer)>,
    /// There are copies that are not good.
    pub(crate) short: bool,
}

/// The copies of a part of an extent, compared.
pub(crate) struct Compared {
    /// Offset in the extent.
    pub(crate) at: u64,
    /// What all copies should have.
    wanted: AlignedBuffer,
    /// For each copy that has something else: the ranges of this part.
    pub(crate) wrong: Vec<Wrong>,
    /// Ranges of this part that no copy has.
    pub(crate) lost: Vec<Range<usize>>,
    /// Ranges that all copies have damaged, where that was asked for.
    pub(crate) unsound: Vec<Range<usize>>,
}

impl Compared {
    /// Bytes that were compared.
    pub(crate) fn bytes(&self) -> u64 {
        self.wanted.len() as u64
    }
}

/// A copy that is not as it should be.
pub(crate) struct Wrong {
    pub(crate) disk: Arc<Disk>,
    /// Offset of the part on the disk.
    at: u64,
    pub(crate) ranges: Vec<Range<usize>>,
    /// It could not be read in some of them.
    pub(crate) unreadable: bool,
}

impl Wrong {
    pub(crate) fn bytes(&self) -> u64 {
        self.ranges.iter().map(|range| range.len() as u64).sum()
    }

    /// Writes what it should have. The caller keeps other writes out.
    ///
    /// # Errors
    /// ORA-15080.
    pub(crate) fn mend(&self, compared: &Compared) -> std::io::Result<()> {
        self.ranges.iter().try_for_each(|range| {
            // Whole blocks, because a device may be able to write no less.
            let (from, to) =
                (range.start / BLOCK * BLOCK, range.end.next_multiple_of(BLOCK).min(compared.wanted.len()));
            self.disk.write(self.at + from as u64, &[&compared.wanted[from..to]]).map(|_| ())
        })
    }
}

/// A copy of a part, as far as it can be read.
struct PartCopy {
    bytes: AlignedBuffer,
    /// Blocks that cannot be read.
    bad: Vec<bool>,
}

impl PartCopy {
    fn read(disk: &Disk, at: u64, bytes: usize) -> Self {
        let mut buffer = AlignedBuffer::zeroed(bytes);
        let mut bad = vec![false; bytes.div_ceil(BLOCK)];
        if disk.read(at, &mut [&mut buffer]).is_err() {
            for (number, block) in buffer.chunks_mut(BLOCK).enumerate() {
                bad[number] = disk.read(at + (number * BLOCK) as u64, &mut [block]).is_err();
            }
        }
        Self { bytes: buffer, bad }
    }

    fn has(&self, range: &Range<usize>) -> bool {
        self.bad[range.start / BLOCK..range.end.div_ceil(BLOCK)].iter().all(|bad| !bad)
    }
}

impl Subject {
    /// The names of the disks of its copies.
    pub(crate) fn disks(&self) -> impl Iterator<Item = String> + '_ {
        self.copies.iter().map(|(disk, _)| format!("\"{}\"", disk.name))
    }
}

impl Group {
    /// The extents of a region, as they are now.
    pub(crate) fn subjects(&self, state: &GroupState, region: Region) -> Vec<Subject> {
        let Some(file) = state.directory.files.get(&region.file()) else { return Vec::new() };
        let (first, pointers) = state.directory.pointers_of(region);
        let online = |pointer: &Pointer| {
            let disk = self.disk(pointer.disk()).filter(|disk| disk.mode() == DiskMode::Online)?;
            (!pointer.is_none() && state.directory.is_good(*pointer)).then_some((disk, *pointer))
        };
        let shape = state.directory.shape(file);
        let subject = |(number, of_extent): (usize, &[Pointer])| {
            let copies: Vec<_> = of_extent.iter().filter_map(online).collect();
            let extent = (first / file.copies() + number) as u64;
            let all = u64::from(shape.units_of(extent)) * self.unit_bytes();
            Subject {
                file: JudgedFile { name: self.file_name(file), alias: self.alias_of(state, file.number) },
                shape,
                extent,
                bytes: if shape.is_fine() { all } else { all.min(file.size.saturating_sub(shape.bytes_of(extent))) },
                short: copies.len() < file.copies(),
                copies,
            }
        };
        pointers.chunks(file.copies()).enumerate().map(subject).collect()
    }

    /// Compares the copies of an extent, a part at a time. With `judged` the judge is asked about all blocks, and not
    /// only about those whose copies differ.
    pub(crate) fn compare<'s>(&'s self, subject: &'s Subject, judged: bool) -> impl Iterator<Item = Compared> + 's {
        let bytes = if subject.copies.is_empty() { 0 } else { subject.bytes };
        (0..bytes)
            .step_by(COPY_BYTES)
            .map(move |at| self.compare_part(subject, at, COPY_BYTES.min((bytes - at) as usize), judged))
    }

    fn compare_part(&self, subject: &Subject, at: u64, bytes: usize, judged: bool) -> Compared {
        let place = |pointer: &Pointer| u64::from(pointer.unit()) * self.unit_bytes() + at;
        let copies: Vec<PartCopy> =
            subject.copies.iter().map(|(disk, pointer)| PartCopy::read(disk, place(pointer), bytes)).collect();
        let known = self.environment.judge.as_ref().and_then(|judge| Some((judge, judge.block_bytes(&subject.file)?)));
        let block_bytes = known.map_or(BLOCK, |(_, bytes)| bytes as usize).max(512);
        let mut wanted = AlignedBuffer::zeroed(bytes);
        let mut ranges: Vec<Vec<Range<usize>>> = vec![Vec::new(); copies.len()];
        let (mut lost, mut unsound) = (Vec::new(), Vec::new());
        for from in (0..bytes).step_by(block_bytes) {
            let range = from..bytes.min(from + block_bytes);
            let readable = || copies.iter().filter(|copy| copy.has(&range));
            let offset = subject.shape.offset_of(subject.extent, at + from as u64);
            let differ = |copy: &PartCopy, other: &PartCopy| copy.bytes[range.clone()] != other.bytes[range.clone()];
            let Some(first) = readable().next() else {
                lost.push(range);
                continue;
            };
            let mut source = first;
            if judged || readable().any(|copy| differ(copy, first)) {
                let sound = |copy: &&PartCopy| {
                    known.is_none_or(|(judge, _)| judge.is_sound(&subject.file, offset, &copy.bytes[range.clone()]))
                };
                let version = |copy: &&PartCopy| {
                    let block = &copy.bytes[range.clone()];
                    known.map_or(0, |(judge, _)| judge.version(&subject.file, offset, block))
                };
                // Of equal ones the first.
                match readable().filter(sound).rev().max_by_key(version) {
                    Some(copy) => source = copy,
                    None => unsound.push(range.clone()),
                }
            }
            wanted[range.clone()].copy_from_slice(&source.bytes[range.clone()]);
            for (copy, ranges) in copies.iter().zip(&mut ranges) {
                if !copy.has(&range) || differ(copy, source) {
                    ranges.push(range.clone());
                }
            }
        }
        let wrong = (subject.copies.iter().zip(&copies).zip(ranges))
            .filter(|(_, ranges)| !ranges.is_empty())
            .map(|(((disk, pointer), copy), ranges)| Wrong {
                disk: Arc::clone(disk),
                at: place(pointer),
                unreadable: ranges.iter().any(|range| !copy.has(range)),
                ranges,
            })
            .collect();
        Compared { at, wanted, wrong, lost, unsound }
    }

    /// Makes the copies of dirty regions alike: a crash may have come between the writes of two copies.
    pub(crate) fn level_dirty_regions(&self, state: &mut GroupState) -> Result<Option<String>> {
        let dirty: Vec<Region> = state.directory.dirty.iter().copied().collect();
        let mut levelled = Vec::with_capacity(dirty.len());
        let mut written = 0;
        for region in &dirty {
            let mirrored = state.directory.files.get(&region.file()).map_or(1, FileEntry::copies) > 1;
            let mut readable = true;
            let is_read_whole = |subject: &&Subject| {
                self.environment.judge.as_ref().is_some_and(|judge| judge.is_read_whole(&subject.file))
            };
            let subjects = self.subjects(state, *region);
            for subject in subjects.iter().filter(|subject| mirrored && !is_read_whole(subject)) {
                for compared in self.compare(subject, false) {
                    readable &= compared.lost.is_empty();
                    for wrong in &compared.wrong {
                        match wrong.mend(&compared) {
                            Ok(()) => written += wrong.bytes(),
                            Err(error) => self.offline_in(state, &wrong.disk, error::from_io(error))?,
                        }
                    }
                }
            }
            if readable {
                levelled.push(*region);
            }
        }
        self.sync_all(state)?;
        self.note_clean(state, &levelled)?;
        let left = dirty.len() - levelled.len();
        let text =
            format!("copies of {} regions were compared, and {written} bytes of them written again", dirty.len());
        let text = if left > 0 { format!("{text}; {left} of them have extents without a readable copy") } else { text };
        Ok((written > 0 || left > 0).then_some(text))
    }
}
