//! A full scan that cells carry out: each run of blocks is scanned where it is.
//!
//! ```text
//!   ranges ── places on disks ── pieces of at most 1 MB within an allocation unit ── requests on their way
//!                                                                                        │
//!   rows <── answers, in the order of the blocks <───────────────────────────────────────┘
//! ```
//!
//! Dirty buffers of the ranges go to disk first, as for a direct scan. Blocks that a cell cannot decide come back
//! whole, and go the way of blocks that were read directly. Where a cell cannot answer, the instance reads the blocks.

use std::any::Any;
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::io;

use ::cell::{Answer, Cell, Item, PIECE_BYTES, PendingAnswer, Reason, ScanRequest};
use common::sync::Arc;
use common::{BlockAddress, BlockClass, BlockRange, BlockSize, ObjectNumber, Result, Scn};
use device::AlignedBuffer;
use scan::{RowSink, ScanSpec};
use waits::{Event, GetMode, Meter, SegmentStatistic, Statistic};

use super::HeapTable;
use crate::cache::Block;
use crate::datafile::Datafile;
use crate::txn::Worker;

/// Requests on their way for each disk, so that it has the next one when it has done one.
const EACH_DISK: usize = 2;
/// Requests on their way in all.
const FLYING_MAX: usize = 64;

/// A run of blocks on one disk.
struct Piece {
    cell: Arc<dyn Cell>,
    disk: String,
    offset: u64,
    file: Arc<Datafile>,
    first: BlockAddress,
    blocks: u32,
}

/// A request on its way.
struct Flight {
    piece: Piece,
    request_bytes: usize,
    answer: io::Result<PendingAnswer>,
}

/// What a scan goes on with.
pub(super) enum Next {
    /// Rows were handed over.
    Rows(usize),
    /// A block to be looked at here.
    Block(Block),
    /// A block to be read.
    Unread(BlockAddress),
    End,
}

/// A scan by cells under way.
pub(super) struct SmartScan {
    worker: Arc<Worker>,
    object: ObjectNumber,
    block_size: BlockSize,
    spec: ScanSpec,
    snapshot: Scn,
    ended_before: Scn,
    pieces: std::vec::IntoIter<Piece>,
    flying: VecDeque<Flight>,
    flying_max: usize,
    answer: Option<Answer>,
    /// Blocks that no cell has answered for.
    unread: Option<BlockRange>,
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
    /// Begins a scan of the ranges' rows as of a snapshot. None where not all of them are on cells.
    ///
    /// # Errors
    /// Errors of writing dirty buffers.
    pub(super) fn new(
        worker: &Arc<Worker>,
        table: &HeapTable,
        spec: &ScanSpec,
        snapshot: Scn,
        ranges: &[BlockRange],
    ) -> Result<Option<Self>> {
        let (mut pieces, mut held) = (Vec::new(), Vec::new());
        for range in ranges {
            if !pieces_of(worker, *range, &mut pieces, &mut held)? {
                return Ok(None);
            }
        }
        worker.write_out(ranges)?;
        let blocks = ranges.iter().map(|range| u64::from(range.blocks)).sum();
        let block_size = table.segment.block_size();
        let disks: BTreeSet<(&str, &str)> = pieces.iter().map(|piece| (piece.cell.name(), &*piece.disk)).collect();
        let flying_max = (disks.len() * EACH_DISK).min(FLYING_MAX);
        worker.meter().count(Statistic::CellScans, 1);
        let eligible = blocks * block_size.bytes() as u64;
        worker.meter().count(Statistic::CellPhysicalIoBytesEligibleForPredicateOffload, eligible);
        Ok(Some(Self {
            worker: Arc::clone(worker),
            object: table.segment.data_object(),
            block_size,
            spec: spec.clone(),
            snapshot,
            ended_before: worker.ended_before(snapshot),
            pieces: pieces.into_iter(),
            flying: VecDeque::new(),
            flying_max,
            answer: None,
            unread: None,
            last: None,
            blocks,
            _held: held,
        }))
    }

    /// Blocks of all ranges.
    pub(super) fn blocks(&self) -> u64 {
        self.blocks
    }

    /// The block that was handed out last, by another get. None for any other address.
    pub(super) fn again(&self, address: BlockAddress) -> Option<Block> {
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
    pub(super) fn next(&mut self, sink: &mut dyn RowSink, max_rows: usize) -> Result<Next> {
        loop {
            if let Some(range) = self.unread {
                let left = range.blocks - 1;
                self.unread = (left > 0).then(|| BlockRange { start: range.start.plus(1), blocks: left });
                return Ok(Next::Unread(range.start));
            }
            if let Some(answer) = &mut self.answer {
                match answer.next(sink, max_rows) {
                    Ok(Item::Rows(0)) => continue,
                    Ok(Item::Rows(rows)) => return Ok(Next::Rows(rows)),
                    Ok(Item::Block { reason, address, bytes }) => {
                        count_returned(self.worker.meter(), reason);
                        // Zeros may be what a disk has lost: the cache looks at other copies.
                        let is_block = |bytes: &&[u8]| {
                            bytes.len() == self.block_size.bytes() && !format::block::is_unformatted(bytes)
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
            self.worker.check_cancelled()?;
            self.send()?;
            let Some(flight) = self.flying.pop_front() else { return Ok(Next::End) };
            self.land(flight)?;
        }
    }

    /// Sends requests until enough are on their way.
    fn send(&mut self) -> Result<()> {
        while self.flying.len() < self.flying_max {
            let Some(piece) = self.pieces.next() else { return Ok(()) };
            self.worker.store().health().check_readable()?;
            let request = ScanRequest {
                disk: piece.disk.clone(),
                offset: piece.offset,
                block_size: self.block_size,
                first: piece.first,
                blocks: piece.blocks,
                object: self.object,
                snapshot: self.snapshot,
                ended_before: self.ended_before,
                spec: self.spec.clone(),
            };
            let message = request.encode();
            let request_bytes = message.len();
            let answer = piece.cell.submit_scan(message);
            self.flying.push_back(Flight { piece, request_bytes, answer });
        }
        Ok(())
    }

    /// Waits for an answer, and makes it the current one.
    fn land(&mut self, flight: Flight) -> Result<()> {
        let Flight { piece, request_bytes, answer } = flight;
        let meter = Arc::clone(self.worker.meter());
        let wait = || answer.and_then(PendingAnswer::wait);
        let object = i64::from(self.object.0);
        let (message, micros) = meter.timed_wait(Event::CellSmartTableScan, [0; 3], object, wait);
        let columns = self.spec.projection.len();
        let answer = message.and_then(|message| Ok(Answer::new(message, columns)?));
        let Ok(answer) = answer else {
            // Other copies are looked for, or the error is told, where the blocks are read one by one.
            meter.count(Statistic::CellScanRequestsFailed, 1);
            self.unread = Some(BlockRange { start: piece.first, blocks: piece.blocks });
            return self.send();
        };
        let (blocks, bytes) = (u64::from(piece.blocks), u64::from(piece.blocks) * self.block_size.bytes() as u64);
        let figures = answer.figures();
        meter.count(Statistic::TableScanRowsGotten, figures.examined);
        meter.count(Statistic::TableScanBlocksGotten, blocks);
        meter.count(Statistic::PhysicalReads, blocks);
        meter.count(Statistic::PhysicalReadsDirect, blocks);
        meter.count(Statistic::PhysicalReadIoRequests, 1);
        meter.count(Statistic::PhysicalReadTotalMultiBlockRequests, u64::from(blocks > 1));
        meter.count(Statistic::PhysicalReadBytes, bytes);
        meter.segment(self.object, SegmentStatistic::PhysicalReads, blocks);
        meter.segment(self.object, SegmentStatistic::PhysicalReadsDirect, blocks);
        meter.segment(self.object, SegmentStatistic::PhysicalReadRequests, 1);
        meter.count(Statistic::CellScanRequests, 1);
        meter.count(Statistic::CellBlocksHelpedByMinscnOptimization, figures.helped);
        let answered = answer.message_bytes() as u64;
        meter.count(Statistic::CellPhysicalIoInterconnectBytes, request_bytes as u64 + answered);
        meter.count(Statistic::CellPhysicalIoInterconnectBytesReturnedBySmartScan, answered);
        piece.file.count_read(blocks);
        piece.file.count_read_time(blocks, micros);
        self.answer = Some(answer);
        // The next requests are on their way while the caller takes these rows.
        self.send()
    }
}

impl HeapTable {
    /// True: cells can carry out its full scans.
    #[must_use]
    pub fn is_on_cells(&self, worker: &Worker) -> bool {
        let files = self.segment.tablespace().files();
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
fn count_returned(meter: &Meter, reason: Reason) {
    match reason {
        Reason::Undo => meter.count(Statistic::CellBlocksReturnedForUndo, 1),
        Reason::Chained => meter.count(Statistic::CellBlocksReturnedForChainedRows, 1),
        Reason::Other => meter.count(Statistic::CellBlocksReturnedOfOtherSegments, 1),
        Reason::Unsound => meter.count(Statistic::CellBlocksNotReadWhole, 1),
    }
}

/// Cuts a range where disks, allocation units and megabytes of a disk end. False where a part of it is on no cell.
fn pieces_of(
    worker: &Worker,
    range: BlockRange,
    pieces: &mut Vec<Piece>,
    held: &mut Vec<Arc<dyn Any + Send + Sync>>,
) -> Result<bool> {
    let file = worker.store().cache().file(range.start.file)?;
    file.check_block(range.start.plus(range.blocks - 1))?;
    let Some(places) = file.places(range.start, range.blocks)? else { return Ok(false) };
    let block_bytes = file.block_size().bytes() as u64;
    let mut first = range.start;
    for run in &places.runs {
        let Some((cell, disk)) = worker.store().cells().of(&run.disk) else { return Ok(false) };
        if !run.bytes.is_multiple_of(block_bytes) {
            return Ok(false);
        }
        let (mut offset, end) = (run.offset, run.offset + run.bytes);
        while offset < end {
            let piece_end = (offset + 1).next_multiple_of(PIECE_BYTES as u64).min(end);
            // Blocks lie across the megabytes of a disk where its units do not begin at one.
            let bytes = ((piece_end - offset) / block_bytes * block_bytes).max(block_bytes);
            let blocks = (bytes / block_bytes) as u32;
            let (cell, disk, file) = (Arc::clone(&cell), disk.clone(), Arc::clone(&file));
            pieces.push(Piece { cell, disk, offset, file, first, blocks });
            first = first.plus(blocks);
            offset += bytes;
        }
    }
    held.push(places.held());
    Ok(true)
}
