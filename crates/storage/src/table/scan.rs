//! The full scan of a table: blocks below the high-water mark in order, rows filtered and projected in the block.

use ::cell::Extreme;
use common::sync::Arc;
use common::{BlockAddress, BlockClass, ErrorKind, Result};
use format::heap::{self, RowAddress};
use format::transaction;
use scan::{RowSink, ScanSpec, Scanner, Stop};
use waits::{SegmentStatistic, Statistic};

use super::HeapTable;
use super::fetch::{self, Mode, Tail};
use super::is_block_of;
use super::row::Row;
use crate::cache::{Block, BlockScan, DirectScan};
use crate::segment::past_cache;
use crate::segment::smart_scan::{self, SmartScan};
use crate::snapshot::Snapshot;
use crate::txn::Worker;

/// A table of no more blocks than this percentage of the buffers of its block size is a short table: the cache keeps
/// its blocks as any others.
const SHORT_TABLE_PERCENT: u64 = 2;

/// A full scan under way.
#[derive(Debug)]
pub struct TableScan {
    worker: Arc<Worker>,
    table: Arc<HeapTable>,
    snapshot: Arc<Snapshot>,
    scanner: Scanner,
    blocks: Blocks,
    /// The block that the last call left in the middle, and the slot to go on from.
    resume: Option<(BlockAddress, u16)>,
    /// Number of shrinks of the segment when its blocks were listed.
    shrinks: u32,
}

/// Source of the blocks.
#[derive(Debug)]
enum Blocks {
    Cached(BlockScan),
    Direct(DirectScan),
    Cells(Box<SmartScan>),
}

/// What a source goes on with.
enum NextBlock {
    Block(Block),
    /// Rows that a cell has found.
    Rows(usize),
    /// A block that is to be got through the cache.
    Get(BlockAddress),
    End,
}

impl Blocks {
    /// The next block, or at most `max_rows` rows in the sink.
    fn next(&mut self, sink: &mut dyn RowSink, max_rows: usize) -> Result<NextBlock> {
        let block = match self {
            Self::Cached(scan) => scan.next_block()?,
            Self::Direct(scan) => scan.next_block()?,
            Self::Cells(scan) => {
                return Ok(match scan.next(sink, max_rows)? {
                    smart_scan::Next::Rows(rows) => NextBlock::Rows(rows),
                    smart_scan::Next::Block(block) => NextBlock::Block(block),
                    smart_scan::Next::Unread(address) => NextBlock::Get(address),
                    smart_scan::Next::End => NextBlock::End,
                });
            }
        };
        Ok(block.map_or(NextBlock::End, NextBlock::Block))
    }

    /// A block that was handed out and not scanned to its end. None when it must be got through the cache.
    fn again(&self, address: BlockAddress) -> Option<Block> {
        match self {
            Self::Cached(_) => None,
            Self::Direct(scan) => scan.again(address),
            Self::Cells(scan) => scan.again(address),
        }
    }
}

/// The rest of a block after a look at it.
enum Progress {
    Done,
    Full(u16),
}

impl TableScan {
    /// Starts a scan: reads the list of blocks from the segment header and its maps.
    ///
    /// # Errors
    /// Errors of getting blocks.
    pub fn new(worker: Arc<Worker>, table: Arc<HeapTable>, spec: ScanSpec) -> Result<Self> {
        Self::start(worker, table, spec, false)
    }

    /// As [`TableScan::new`], for a query: blocks of a large table that is not in the cache are read past it.
    ///
    /// # Errors
    /// Errors of getting blocks, and of writing the table's dirty buffers.
    pub fn for_query(worker: Arc<Worker>, table: Arc<HeapTable>, spec: ScanSpec) -> Result<Self> {
        Self::start(worker, table, spec, true)
    }

    fn start(worker: Arc<Worker>, table: Arc<HeapTable>, spec: ScanSpec, query: bool) -> Result<Self> {
        worker.check_not_loaded(table.object)?;
        let snapshot = worker.snapshot();
        table.segment.check_readable(snapshot.scn())?;
        let shrinks = table.segment.shrinks();
        let ranges = table.segment.scan_ranges_at(&worker, snapshot.scn())?;
        let blocks: u64 = ranges.iter().map(|range| u64::from(range.blocks)).sum();
        let buffers = worker.store().cache().pool_of(table.segment.block_size()).capacity() as u64;
        let short = table.cache || blocks * 100 <= buffers * SHORT_TABLE_PERCENT;
        let kind = if short { Statistic::TableScansShortTables } else { Statistic::TableScansLongTables };
        worker.meter().count(kind, 1);
        worker.meter().segment(table.segment.data_object(), SegmentStatistic::SegmentScans, 1);
        table.segment.check_readable(snapshot.scn())?;
        let kept = table.cache || table.is_dictionary();
        let blocks = if query && past_cache::is_worth(&worker, &table.segment, &ranges, kept) {
            worker.meter().count(Statistic::TableScansDirectRead, 1);
            match SmartScan::new(&worker, &table.segment, &spec, snapshot.scn(), &ranges)? {
                Some(scan) => {
                    worker.meter().count(Statistic::CellScans, 1);
                    Blocks::Cells(Box::new(scan))
                }
                None => Blocks::Direct(worker.scan_directly(ranges, BlockClass::Data)?),
            }
        } else {
            Blocks::Cached(worker.scan_blocks(ranges, BlockClass::Data, !short))
        };
        Ok(Self { worker, table, snapshot, scanner: Scanner::new(spec), blocks, resume: None, shrinks })
    }

    /// The caller wants least or greatest values alone: rows that have none of these may be missing. To be called
    /// before the first row is taken.
    pub fn keep_extremes(&mut self, extremes: Vec<Extreme>) {
        if let Blocks::Cells(scan) = &mut self.blocks {
            scan.keep_extremes(extremes);
        }
    }

    /// Number of blocks that the scan covers.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        match &self.blocks {
            Blocks::Cached(scan) => scan.blocks(),
            Blocks::Direct(scan) => scan.blocks(),
            Blocks::Cells(scan) => scan.blocks(),
        }
    }

    /// Hands over at most `max_rows` rows. False at the end of the scan.
    ///
    /// No block stays pinned from one call to the next, so a call that goes on in the middle of a block gets it once
    /// more.
    ///
    /// # Errors
    /// ORA-01013 when the user has cancelled; ORA-08103 when the segment was given up, or its rows have been moved;
    /// errors of getting blocks.
    pub fn next(&mut self, sink: &mut dyn RowSink, max_rows: usize) -> Result<bool> {
        self.table.segment.check_there(self.snapshot.scn())?;
        let mut left = max_rows;
        while left > 0 {
            let (block, slot) = match self.resume.take() {
                Some((address, slot)) => match self.blocks.again(address) {
                    Some(block) => (self.table.segment.as_seen(&self.worker, block, &self.snapshot)?, slot),
                    None => {
                        let segment = &self.table.segment;
                        (segment.consistent_at(&self.worker, address, BlockClass::Data, &self.snapshot)?, slot)
                    }
                },
                None => {
                    self.worker.check_cancelled()?;
                    let segment = &self.table.segment;
                    let next = self.blocks.next(sink, left);
                    let next = next.map_err(|error| segment.explained(&self.worker, self.snapshot.scn(), error))?;
                    match next {
                        NextBlock::End => return Ok(false),
                        NextBlock::Rows(rows) => {
                            left -= rows;
                            continue;
                        }
                        NextBlock::Get(address) => {
                            (segment.consistent_at(&self.worker, address, BlockClass::Data, &self.snapshot)?, 0)
                        }
                        NextBlock::Block(block) => {
                            // Cells have counted theirs.
                            let counted = !matches!(self.blocks, Blocks::Cells(_));
                            self.worker.meter().count(Statistic::TableScanBlocksGotten, u64::from(counted));
                            (segment.as_seen(&self.worker, block, &self.snapshot)?, 0)
                        }
                    }
                }
            };
            let address = block.address();
            if let Progress::Full(slot) = self.scan_block(block, slot, &mut left, sink)? {
                self.resume = Some((address, slot));
            }
        }
        Ok(true)
    }

    fn scan_block(&mut self, block: Block, slot: u16, left: &mut usize, sink: &mut dyn RowSink) -> Result<Progress> {
        // All blocks that the scan reads were formatted for the table when it began.
        if !is_block_of(&self.table, &block) {
            self.table.segment.check_there(self.snapshot.scn())?;
            // A shrink has given the segment's end back since. It had no row that the snapshot sees, else the segment
            // would refuse the snapshot.
            let shrunk = self.table.segment.shrinks() != self.shrinks;
            return if shrunk { Ok(Progress::Done) } else { Err(self.table.segment.gone()) };
        }
        let outcome = self.scanner.scan_block(&block, slot, *left, sink);
        self.worker.meter().count(Statistic::TableScanRowsGotten, outcome.examined as u64);
        debug_assert!(outcome.accepted <= *left, "{} rows of {left} were taken", outcome.accepted);
        *left -= outcome.accepted;
        match outcome.stop {
            Stop::BlockEnd => Ok(Progress::Done),
            Stop::Full { next_slot } => Ok(Progress::Full(next_slot)),
            Stop::Continued { slot } => {
                // Only one data block may be latched (rule 1): the rest of this one is read from a copy of it.
                let copy = block.to_vec();
                drop(block);
                self.scan_copy(&copy, slot, left, sink)
            }
        }
    }

    /// Goes on with a copy of a block in which a row begins that ends in another block.
    fn scan_copy(&mut self, bytes: &[u8], slot: u16, left: &mut usize, sink: &mut dyn RowSink) -> Result<Progress> {
        let mut continued = slot;
        loop {
            if *left == 0 {
                return Ok(Progress::Full(continued));
            }
            self.worker.meter().count(Statistic::TableScanRowsGotten, 1);
            *left -= usize::from(self.offer_continued(bytes, continued, sink)?);
            let outcome = self.scanner.scan_block(bytes, continued + 1, *left, sink);
            self.worker.meter().count(Statistic::TableScanRowsGotten, outcome.examined as u64);
            *left -= outcome.accepted;
            match outcome.stop {
                Stop::BlockEnd => return Ok(Progress::Done),
                Stop::Full { next_slot } => return Ok(Progress::Full(next_slot)),
                Stop::Continued { slot } => continued = slot,
            }
        }
    }

    /// Fetches the other pieces of a chained row and hands the whole row over.
    fn offer_continued(&mut self, bytes: &[u8], slot: u16, sink: &mut dyn RowSink) -> Result<bool> {
        let Some(piece) = heap::live_row(bytes, slot) else { return Ok(false) };
        let here = RowAddress::new(format::block::header(bytes).address(), slot);
        let home = piece.head_address().unwrap_or(here);
        let mut row = Row::new();
        row.append_piece(piece);
        let width = self.width();
        let (s, table) = (&self.worker, &self.table);
        match Tail::behind(piece, home).read(s, table, Mode::At(&self.snapshot), width, &mut row) {
            Ok(_) => {}
            // The row has moved since this block was copied.
            Err(error) if error.kind == ErrorKind::Retry => {
                match fetch::read_row(s, table, home, Mode::At(&self.snapshot), width)? {
                    Some((now, _)) => row = now,
                    None => return Ok(false),
                }
            }
            Err(error) => return Err(error),
        }
        let object = transaction::header(bytes).object_number();
        Ok(self.scanner.offer(object, home, &row.columns(), sink))
    }

    /// Number of columns, from the first on, that the scan looks at.
    fn width(&self) -> usize {
        let spec = self.scanner.spec();
        let mut width = spec.projection.iter().map(|position| usize::from(*position) + 1).max().unwrap_or(0);
        if let Some(predicate) = &spec.predicate {
            predicate.for_each_column(&mut |column| width = width.max(usize::from(column) + 1));
        }
        width
    }
}
