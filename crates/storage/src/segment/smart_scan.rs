//! A full scan that cells carry out: each run of blocks is scanned where it is.
//!
//! ```text
//!   ranges ── places on disks ── runs within an allocation unit ── requests on their way, some for each disk
//!                                                                                        │
//!   rows <── answers, in the order of the blocks <───────────────────────────────────────┘
//! ```
//!
//! Dirty buffers of the ranges go to disk first, as for a direct scan. Blocks that a cell cannot decide come back
//! whole, and go the way of blocks that were read directly. Where a cell cannot answer, the instance reads the blocks.

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::path::{Path, PathBuf};

use ::cell::{Answer, Cell, Extreme, FlashUse, Item, Letter, Mailbox, REQUEST_BYTES, Reason, ScanRequest};
use common::sync::Arc;
use common::{BlockAddress, BlockClass, BlockRange, BlockSize, ObjectNumber, Result, Scn, interconnect};
use device::AlignedBuffer;
use scan::{RowSink, ScanSpec};
use waits::{Event, GetMode, Meter, SegmentStatistic, Statistic};

use super::Segment;
use crate::cache::{Block, check_read};
use crate::datafile::Datafile;
use crate::parameters::Parameter;
use crate::txn::Worker;

/// Requests on their way for each disk at least, so that it has the next one when it has done one.
const EACH_DISK: usize = 2;
/// Further ones are sent while those on their way are for fewer bytes.
const EACH_DISK_BYTES: u64 = 4 << 20;
/// Answers that wait for their turn have at most so many bytes before further requests are held back.
const WAITING_BYTES_MAX: usize = 64 << 20;

/// Blocks that lie in a row on one disk, in one allocation unit: what a request is for.
struct Run {
    /// Number of its disk in the scan.
    disk: usize,
    offset: u64,
    file: Arc<Datafile>,
    first: BlockAddress,
    blocks: u32,
    /// Blocks among them that are none of the scan's: first block and how many, from the run's first one on.
    gaps: Vec<(u32, u32)>,
    /// Blocks of the answers that have arrived.
    answered: u32,
    /// The cell answers no further.
    failed: bool,
    /// Answers that wait for their turn.
    answers: VecDeque<Answer>,
}

impl Run {
    /// Blocks of the scan from so many blocks after the first one on.
    fn unread(&self, from: u32) -> VecDeque<BlockAddress> {
        let is_gap = |block: u32| self.gaps.iter().any(|(first, blocks)| (*first..first + blocks).contains(&block));
        (from..self.blocks).filter(|block| !is_gap(*block)).map(|block| self.first.plus(block)).collect()
    }
}

/// A disk of a cell, and its part of the scan.
struct ScannedDisk {
    cell: Arc<dyn Cell>,
    name: String,
    /// Runs that no request was sent for yet.
    unsent: VecDeque<usize>,
    flying: usize,
    flying_bytes: u64,
}

impl ScannedDisk {
    fn takes_more(&self) -> bool {
        self.flying < EACH_DISK || self.flying_bytes < EACH_DISK_BYTES
    }
}

/// What a scan goes on with.
pub(crate) enum Next {
    /// Rows were handed over.
    Rows(usize),
    /// A block to be looked at here.
    Block(Block),
    /// A block to be read.
    Unread(BlockAddress),
    End,
}

/// A scan by cells under way.
pub(crate) struct SmartScan {
    worker: Arc<Worker>,
    object: ObjectNumber,
    block_size: BlockSize,
    spec: ScanSpec,
    snapshot: Scn,
    ended_before: Scn,
    storage_index: bool,
    /// Columns of the index, where the scan is for its entries.
    index: Option<Vec<u16>>,
    flash: FlashUse,
    extremes: Vec<Extreme>,
    /// In the order of the blocks.
    runs: Vec<Run>,
    disks: Vec<ScannedDisk>,
    mailbox: Arc<Mailbox>,
    /// The run whose turn it is, and how many of its blocks were handed over.
    at: usize,
    handed_over: u32,
    waiting_bytes: usize,
    answer: Option<Answer>,
    /// Blocks that no cell has answered for.
    unread: VecDeque<BlockAddress>,
    /// The block that was handed out last.
    last: Option<(BlockAddress, Arc<AlignedBuffer>)>,
    blocks: u64,
    /// Keeps the blocks where they are.
    _held: Vec<Arc<dyn Any + Send + Sync>>,
}

impl fmt::Debug for SmartScan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SmartScan({} blocks)", self.blocks)
    }
}

impl SmartScan {
    /// Begins a scan of the ranges' rows as of a snapshot. None where not all of them are on cells, or the session's
    /// parameters say that it reads by itself.
    ///
    /// # Errors
    /// Errors of writing dirty buffers.
    pub(crate) fn new(
        worker: &Arc<Worker>,
        segment: &Segment,
        spec: &ScanSpec,
        snapshot: Scn,
        ranges: &[BlockRange],
    ) -> Result<Option<Self>> {
        if !worker.parameters().boolean(Parameter::CellOffloadProcessing) {
            return Ok(None);
        }
        let Some(Runs { runs, disks, held, .. }) = runs_of(worker, ranges)? else { return Ok(None) };
        worker.write_out(ranges)?;
        let blocks = ranges.iter().map(|range| u64::from(range.blocks)).sum();
        let block_size = segment.block_size();
        let eligible = blocks * block_size.bytes() as u64;
        worker.meter().count(Statistic::CellPhysicalIoBytesEligibleForPredicateOffload, eligible);
        Ok(Some(Self {
            worker: Arc::clone(worker),
            object: segment.data_object(),
            block_size,
            spec: spec.clone(),
            snapshot,
            ended_before: worker.ended_before(snapshot),
            storage_index: !worker.parameters().boolean(Parameter::KcfisStorageidxDisabled),
            index: None,
            extremes: Vec::new(),
            flash: worker.store().cells().flash_rules().of(segment.data_object()),
            runs,
            disks,
            mailbox: Arc::default(),
            at: 0,
            handed_over: 0,
            waiting_bytes: 0,
            answer: None,
            unread: VecDeque::new(),
            last: None,
            blocks,
            _held: held,
        }))
    }

    /// Cells may leave out rows that have none of these. Before the first row is taken.
    pub(crate) fn keep_extremes(&mut self, extremes: Vec<Extreme>) {
        self.extremes = extremes;
    }

    /// The ranges are those of an index with these columns, whose entries come as [`scan::scan_leaf`] gives them.
    pub(crate) fn of_index(self, columns: &[u16]) -> Self {
        Self { index: Some(columns.to_vec()), storage_index: false, ..self }
    }

    /// Blocks of all ranges.
    pub(crate) fn blocks(&self) -> u64 {
        self.blocks
    }

    /// The block that was handed out last, by another get. None for any other address.
    pub(crate) fn again(&self, address: BlockAddress) -> Option<Block> {
        let (_, bytes) = self.last.as_ref().filter(|(last, _)| *last == address)?;
        Some(self.got(address, bytes))
    }

    fn got(&self, address: BlockAddress, bytes: &Arc<AlignedBuffer>) -> Block {
        self.worker.meter().get(BlockClass::Data, GetMode::Consistent);
        self.worker.meter().count(Statistic::ConsistentGetsDirect, 1);
        self.worker.meter().segment(self.object, SegmentStatistic::LogicalReads, 1);
        Block::past(address, bytes)
    }

    /// Hands at most `max_rows` rows over, or the next block that is to be looked at.
    ///
    /// # Errors
    /// ORA-01013; HW-0010 when the instance has stopped.
    pub(crate) fn next(&mut self, sink: &mut dyn RowSink, max_rows: usize) -> Result<Next> {
        loop {
            if let Some(address) = self.unread.pop_front() {
                return Ok(Next::Unread(address));
            }
            if let Some(answer) = &mut self.answer {
                match answer.next(sink, max_rows) {
                    Ok(Item::Rows(0)) => continue,
                    Ok(Item::Rows(rows)) => return Ok(Next::Rows(rows)),
                    Ok(Item::Block { reason, address, bytes }) => {
                        count_returned(self.worker.meter(), reason, self.block_size);
                        // Zeros may be what a disk has lost: the cache looks at other copies.
                        let is_block = |bytes: &&[u8]| {
                            bytes.len() == self.block_size.bytes()
                                && !format::block::is_unformatted(bytes)
                                && check_read(bytes, address).is_ok()
                        };
                        let Some(bytes) = bytes.filter(is_block) else {
                            return Ok(Next::Unread(address));
                        };
                        let bytes = Arc::new(AlignedBuffer::copy_of(bytes));
                        let block = self.got(address, &bytes);
                        self.last = Some((address, bytes));
                        return Ok(Next::Block(block));
                    }
                    Ok(Item::End) => self.answer = None,
                    Err(error) => {
                        return Err(common::Error::bug(format!("an answer of a cell: {error}")));
                    }
                }
                continue;
            }
            let Some(run) = self.runs.get_mut(self.at) else { return Ok(Next::End) };
            if let Some(answer) = run.answers.pop_front() {
                self.handed_over += answer.blocks().1;
                self.waiting_bytes -= answer.message_bytes();
                self.answer = Some(answer);
                // The next requests are on their way while the caller takes these rows.
                self.send()?;
                continue;
            }
            let left = run.blocks - self.handed_over;
            if run.failed || left == 0 {
                // Other copies are looked for, or the error is told, where the blocks are read one by one.
                self.unread = run.unread(self.handed_over);
                (self.at, self.handed_over) = (self.at + 1, 0);
                continue;
            }
            self.worker.check_cancelled()?;
            self.send()?;
            self.receive()?;
        }
    }

    /// Sends requests until enough are on their way: those of the first blocks first.
    fn send(&mut self) -> Result<()> {
        loop {
            let ready = self.disks.iter_mut().filter(|disk| disk.takes_more());
            let next = ready.filter_map(|disk| Some((*disk.unsent.front()?, disk))).min_by_key(|(run, _)| *run);
            let Some((number, disk)) = next else { return Ok(()) };
            if self.waiting_bytes > WAITING_BYTES_MAX && number != self.at {
                return Ok(());
            }
            self.worker.store().health().check_readable()?;
            let run = &self.runs[number];
            let cells = disk.cell.has_own_processors().then(|| self.worker.store().cells());
            let busy_percent = cells.and_then(|cells| cells.busy_percent());
            let request = ScanRequest {
                disk: disk.name.clone(),
                offset: run.offset,
                block_size: self.block_size,
                first: run.first,
                blocks: run.blocks,
                gaps: run.gaps.clone(),
                object: self.object,
                snapshot: self.snapshot,
                ended_before: self.ended_before,
                storage_index: self.storage_index,
                index: self.index.clone(),
                flash: self.flash,
                extremes: self.extremes.clone(),
                busy_percent,
                spec: self.spec.clone(),
            };
            disk.unsent.pop_front();
            disk.flying += 1;
            disk.flying_bytes += u64::from(run.blocks) * self.block_size.bytes() as u64;
            let message = request.encode();
            let meter = self.worker.meter();
            interconnect::set_session(meter.sid());
            meter.count(Statistic::CellScanRequests, 1);
            meter.count(Statistic::CellPhysicalIoInterconnectBytes, message.len() as u64);
            disk.cell.submit_scan(message, Box::new(self.mailbox.reply(number as u64)));
        }
    }

    /// Waits for an answer, and puts it where its turn comes.
    fn receive(&mut self) -> Result<()> {
        let meter = Arc::clone(self.worker.meter());
        let object = i64::from(self.object.0);
        let (runs, disks) = (&self.runs, &self.disks);
        let of = |letter: &Letter| runs.get(letter.tag as usize).map(|run| disks[run.disk].cell.name());
        let (letter, micros) = meter.described_wait(
            if self.index.is_some() { Event::CellSmartIndexScan } else { Event::CellSmartTableScan },
            [0; 3],
            object,
            || self.mailbox.wait(),
            |letter| ([of(letter).map_or(0, |name| u64::from(::cell::hash(name))), 0, 0], object),
        );
        let Some(run) = self.runs.get_mut(letter.tag as usize) else {
            return Err(common::Error::bug("an answer to no request"));
        };
        let columns = if self.index.is_some() { 1 } else { self.spec.projection.len() };
        let answer = letter.answer.and_then(|message| Ok(Answer::new(message, columns)?));
        // Answers of a run follow each other; a cell that leaves blocks out, or adds some, is not believed.
        let expected = (run.first.plus(run.answered), run.blocks - run.answered);
        let answer = answer.ok().filter(|answer| {
            let (first, blocks) = answer.blocks();
            !run.failed && first == expected.0 && (1..=expected.1).contains(&blocks)
        });
        if let Some(answer) = answer {
            let blocks = answer.blocks().1;
            run.answered += blocks;
            self.waiting_bytes += answer.message_bytes();
            count_answer(&meter, self.object, u64::from(blocks), self.block_size, &answer);
            if self.index.is_none() {
                meter.count(Statistic::TableScanRowsGotten, answer.figures().examined);
                meter.count(Statistic::TableScanBlocksGotten, answer.figures().blocks);
            }
            if answer.figures().bytes_saved == 0 {
                run.file.count_read(u64::from(blocks));
                run.file.count_read_time(u64::from(blocks), micros);
            }
            run.answers.push_back(answer);
        } else if !run.failed {
            meter.count(Statistic::CellScanRequestsFailed, 1);
            run.failed = true;
        } else {
            return Ok(());
        }
        if run.failed || run.answered == run.blocks {
            let disk = &mut self.disks[run.disk];
            disk.flying -= 1;
            disk.flying_bytes -= u64::from(run.blocks) * self.block_size.bytes() as u64;
        }
        Ok(())
    }
}

/// Counts what a cell has done for an answer.
fn count_answer(meter: &Meter, object: ObjectNumber, blocks: u64, size: BlockSize, answer: &Answer) {
    let figures = answer.figures();
    meter.count(Statistic::CellPhysicalIoBytesSavedByStorageIndex, figures.bytes_saved);
    if figures.bytes_flash > 0 {
        meter.count(Statistic::CellFlashCacheReadHits, 1);
    }
    if figures.bytes_saved + figures.bytes_flash > 0 {
        meter.count(Statistic::PhysicalReadRequestsOptimized, 1);
        meter.count(Statistic::PhysicalReadTotalBytesOptimized, figures.bytes_saved + figures.bytes_flash);
    }
    if figures.bytes_saved == 0 {
        meter.count(Statistic::PhysicalReads, blocks);
        meter.count(Statistic::PhysicalReadsDirect, blocks);
        meter.count(Statistic::PhysicalReadIoRequests, 1);
        meter.count(Statistic::PhysicalReadTotalMultiBlockRequests, u64::from(blocks > 1));
        meter.count(Statistic::PhysicalReadBytes, blocks * size.bytes() as u64);
        meter.segment(object, SegmentStatistic::PhysicalReads, blocks);
        meter.segment(object, SegmentStatistic::PhysicalReadsDirect, blocks);
        meter.segment(object, SegmentStatistic::PhysicalReadRequests, 1);
    }
    meter.count(Statistic::CellBlocksHelpedByMinscnOptimization, figures.helped);
    let answered = answer.message_bytes() as u64;
    meter.count(Statistic::CellPhysicalIoInterconnectBytes, answered);
    meter.count(Statistic::CellPhysicalIoInterconnectBytesReturnedBySmartScan, answered);
}

impl Segment {
    /// True: cells can carry out its full scans, and the session's parameters let them.
    #[must_use]
    pub fn is_offloaded(&self, worker: &Worker) -> bool {
        if !worker.parameters().boolean(Parameter::CellOffloadProcessing) {
            return false;
        }
        let files = self.tablespace().files();
        let is_on_cells = |number| -> Result<bool> {
            let file = worker.store().cache().file(number)?;
            let places = file.places(BlockAddress::new(number, 1), 1)?;
            let disks = places.map_or_else(Vec::new, |places| places.runs);
            Ok(!disks.is_empty() && disks.iter().all(|run| worker.store().cells().of(&run.disk).is_some()))
        };
        !files.is_empty() && files.into_iter().all(|number| is_on_cells(number).unwrap_or(false))
    }
}

/// Counts a block that a cell has not scanned.
fn count_returned(meter: &Meter, reason: Reason, size: BlockSize) {
    match reason {
        Reason::Undo => meter.count(Statistic::CellBlocksReturnedForUndo, 1),
        Reason::Chained => meter.count(Statistic::CellBlocksReturnedForChainedRows, 1),
        Reason::Other => meter.count(Statistic::CellBlocksReturnedOfOtherSegments, 1),
        Reason::Unsound => meter.count(Statistic::CellBlocksNotReadWhole, 1),
        Reason::Processors => {
            let bytes = size.bytes() as u64;
            meter.count(Statistic::CellPhysicalIoBytesPushedBackDueToExcessiveCpuOnCell, bytes);
        }
        Reason::Memory => meter.count(Statistic::CellBlocksReturnedForMemory, 1),
    }
}

/// Runs of a scan as they are collected.
#[derive(Default)]
struct Runs {
    runs: Vec<Run>,
    disks: Vec<ScannedDisk>,
    /// Numbers of the disks by their paths.
    numbers: BTreeMap<PathBuf, usize>,
    held: Vec<Arc<dyn Any + Send + Sync>>,
}

/// Blocks between two ranges that are read with them: those that manage an extent's space, at its begin.
const GAP_BLOCKS_MAX: u32 = 16;

/// Blocks in a row of a file, and those among them that are left out.
#[derive(PartialEq, Debug)]
struct Joined {
    range: BlockRange,
    gaps: Vec<BlockRange>,
}

/// The ranges with those joined that follow each other in a file, over short gaps, too: an extent's end is no end of a
/// run.
fn joined(ranges: &[BlockRange]) -> Vec<Joined> {
    let mut joined: Vec<Joined> = Vec::new();
    for range in ranges {
        if let Some(last) = joined.last_mut()
            && last.range.start.file == range.start.file
            && let end = last.range.start.plus(last.range.blocks)
            && let Some(between) = range.start.block.checked_sub(end.block)
            && between <= GAP_BLOCKS_MAX
        {
            if between > 0 {
                last.gaps.push(BlockRange { start: end, blocks: between });
            }
            last.range.blocks += between + range.blocks;
        } else {
            joined.push(Joined { range: *range, gaps: Vec::new() });
        }
    }
    joined
}

/// What a scan wants of some blocks.
#[derive(PartialEq, Eq, Debug)]
struct Trimmed {
    first: u32,
    blocks: u32,
    /// From the first block on.
    gaps: Vec<(u32, u32)>,
}

/// The part of some blocks that a scan wants: without the gaps at both ends, and with those in its midst, from its
/// first block on. None: it wants none of them.
fn trimmed(first: u32, blocks: u32, gaps: &[BlockRange]) -> Option<Trimmed> {
    let (mut from, mut end) = (first, first + blocks);
    let within = || gaps.iter().map(|gap| (gap.start.block, gap.start.block + gap.blocks));
    for (begins, ends) in within() {
        if begins <= from && from < ends {
            from = ends.min(end);
        }
    }
    for (begins, ends) in within() {
        if begins < end && end <= ends {
            end = begins.max(from);
        }
    }
    let inside = within().filter(|(begins, ends)| from < *begins && *ends < end);
    let inside = inside.map(|(begins, ends)| (begins - from, ends - begins)).collect();
    (from < end).then_some(Trimmed { first: from, blocks: end - from, gaps: inside })
}

/// Cuts ranges where disks and allocation units end. None where a part of them is on no cell.
fn runs_of(worker: &Worker, ranges: &[BlockRange]) -> Result<Option<Runs>> {
    let mut runs = Runs::default();
    for joined in joined(ranges) {
        if !runs.add(worker, &joined)? {
            return Ok(None);
        }
    }
    Ok(Some(runs))
}

impl Runs {
    fn add(&mut self, worker: &Worker, joined: &Joined) -> Result<bool> {
        let range = joined.range;
        let file = worker.store().cache().file(range.start.file)?;
        file.check_block(range.start.plus(range.blocks - 1))?;
        let Some(places) = file.places(range.start, range.blocks)? else { return Ok(false) };
        let block_bytes = file.block_size().bytes() as u64;
        let mut at = range.start.block;
        for run in &places.runs {
            if !run.bytes.is_multiple_of(block_bytes) {
                return Ok(false);
            }
            let Some(disk) = self.disk(worker, &run.disk) else { return Ok(false) };
            let (mut offset, end) = (run.offset, run.offset + run.bytes);
            while offset < end {
                let bytes = (end - offset).min(REQUEST_BYTES as u64);
                let blocks = (bytes / block_bytes) as u32;
                if let Some(Trimmed { first, blocks, gaps }) = trimmed(at, blocks, &joined.gaps) {
                    self.disks[disk].unsent.push_back(self.runs.len());
                    self.runs.push(Run {
                        disk,
                        offset: offset + u64::from(first - at) * block_bytes,
                        file: Arc::clone(&file),
                        first: BlockAddress::new(range.start.file, first),
                        blocks,
                        gaps,
                        answered: 0,
                        failed: false,
                        answers: VecDeque::new(),
                    });
                }
                at += blocks;
                offset += bytes;
            }
        }
        self.held.push(places.held());
        Ok(true)
    }

    /// Number of a disk in the scan; None for one that is in no cell.
    fn disk(&mut self, worker: &Worker, path: &Path) -> Option<usize> {
        if let Some(number) = self.numbers.get(path) {
            return Some(*number);
        }
        let (cell, name) = worker.store().cells().of(path)?;
        let number = self.disks.len();
        self.disks.push(ScannedDisk { cell, name, unsent: VecDeque::new(), flying: 0, flying_bytes: 0 });
        self.numbers.insert(path.to_owned(), number);
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use common::FileNumber;

    use super::*;

    fn range(file: u16, block: u32, blocks: u32) -> BlockRange {
        BlockRange { start: BlockAddress::new(FileNumber(file), block), blocks }
    }

    #[test]
    fn ranges_that_follow_each_other_are_one() {
        let given = [range(1, 128, 8), range(1, 136, 8), range(1, 148, 8), range(1, 173, 8), range(2, 181, 8)];
        let expected = [
            Joined { range: range(1, 128, 28), gaps: vec![range(1, 144, 4)] },
            Joined { range: range(1, 173, 8), gaps: vec![] },
            Joined { range: range(2, 181, 8), gaps: vec![] },
        ];
        assert_eq!(joined(&given), expected);
    }

    #[test]
    fn gaps_at_the_ends_are_cut_off() {
        let gaps = [range(1, 100, 4), range(1, 120, 4), range(1, 140, 4)];
        let wanted = |first, blocks, gaps| Some(Trimmed { first, blocks, gaps });
        assert_eq!(trimmed(90, 60, &gaps), wanted(90, 60, vec![(10, 4), (30, 4), (50, 4)]));
        assert_eq!(trimmed(102, 20, &gaps), wanted(104, 16, vec![]));
        assert_eq!(trimmed(104, 16, &gaps), wanted(104, 16, vec![]));
        assert_eq!(trimmed(101, 2, &gaps), None);
        assert_eq!(trimmed(100, 44, &gaps), wanted(104, 36, vec![(16, 4)]));
    }
}
