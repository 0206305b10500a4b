//! Direct loads: blocks above the high-water mark, filled in private memory, written around the cache in large writes.
//!
//! Until [`DirectLoad::finish`] moves the mark over the blocks and marks them as formatted, no session looks at them.
//! So a load that fails leaves the segment's rows unchanged; extents that it added stay with the segment.
//!
//! A load into a table that other sessions know ([`DirectLoad::settle`]) writes an undo record of its blocks in the
//! redo record that moves the mark.
//!
//! Blocks above the mark may have belonged to another segment, and a scan of that may still read them, and change them
//! in a cleanout. While a run is written its blocks are claimed: no session changes them, and their buffers are dropped
//! without being written. Before the load waits for room in the log, it writes the blocks so far and releases the redo
//! that is kept for the run.
//!
//! A load that is not logged writes no images. Its blocks are synced before the mark moves. A recovery that begins
//! before the load would put redo of the blocks' earlier content over them: images are not compared with the blocks on
//! disk. So the load makes a checkpoint before it writes the first block, and another one whenever it gets an extent
//! and any extent was freed since.

use std::ops::Deref;

use common::{BlockAddress, BlockClass, BlockRange, Error, ObjectNumber, Result, limits};
use device::AlignedBuffer;
use format::segment;
use waits::{Event, SegmentStatistic, Statistic};

use super::Segment;
use super::extent::{Position, Reading};
use crate::cache::{Claim, Mini, RedoKept};
use crate::redo::NoRoom;
use crate::txn::Worker;

/// Blocks of a run whose images are in the log and that are not written yet.
struct Piece {
    /// First block of the run.
    start: BlockAddress,
    /// Range of the piece, as places in the run.
    first: usize,
    end: usize,
    /// Keeps the redo of the images, and the redo that the dropped buffers of these blocks needed.
    kept: Option<RedoKept>,
}

/// A load in progress; the HW enqueue is taken only while extents are added and the mark is moved.
pub struct DirectLoad<G, S> {
    segment: G,
    worker: S,
    start: Position,
    /// The high-water mark as the load knows it.
    high: Position,
    /// The blocks handed out since the load began or was settled.
    ranges: Vec<BlockRange>,
    /// Number of extents of the tablespace freed by the last checkpoint. Set in a load that is not logged.
    unlogged: Option<u64>,
    /// The next block to hand out.
    next: Position,
    /// The first extent that the load added. An extent that joins a bitmap block in use takes the mark to its end at
    /// once.
    grown: Option<u32>,
    /// Extent of `next`, and the number of its metadata blocks.
    extent: Option<(BlockRange, u32)>,
    /// The L1 that covers `next`, and the offset in the extent at which its part ends (automatic).
    cover: Option<(BlockAddress, u32)>,
    buffer: AlignedBuffer,
    /// Address of the first block in `buffer`, and the number of filled blocks.
    run: Option<(BlockAddress, usize)>,
}

impl<G: Deref<Target = Segment>, S> std::fmt::Debug for DirectLoad<G, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DirectLoad({:?} at {:?})", &*self.segment, self.next)
    }
}

impl<G: Deref<Target = Segment>, S: Deref<Target = Worker>> DirectLoad<G, S> {
    /// Starts a direct load above the high-water mark. The caller has the object to itself: one load of a segment at a
    /// time, and no other inserts meanwhile.
    ///
    /// # Errors
    /// ORA-08103 when the segment was given up; errors of the cache; HW-0010 when the instance has stopped.
    pub fn new(segment: G, worker: S) -> Result<Self> {
        worker.store().health().check()?;
        segment.check_alive()?;
        let start = {
            let header = segment.header_block(&worker, Reading::Current)?;
            Position::from(segment::header(&header).high)
        };
        let block_bytes = segment.block_size().bytes();
        let buffer = AlignedBuffer::zeroed((limits::IO_BYTES_MAX / block_bytes).max(1) * block_bytes);
        Ok(Self {
            segment,
            worker,
            start,
            high: start,
            ranges: Vec::new(),
            unlogged: None,
            next: start,
            grown: None,
            extent: None,
            cover: None,
            buffer,
            run: None,
        })
    }

    /// Makes the load one whose blocks have no images in the log. Only before the first block was asked for. Within a
    /// mini-transaction the log has the images all the same, because the blocks are latched and go with its record.
    ///
    /// # Errors
    /// Errors of a checkpoint.
    pub(crate) fn unlogged(mut self) -> Result<Self> {
        if !Mini::is_open() {
            self.leave_redo_behind()?;
        }
        Ok(self)
    }

    /// Makes the present redo of the blocks' earlier content unnecessary, by a checkpoint.
    fn leave_redo_behind(&mut self) -> Result<()> {
        let freed = self.segment.tablespace().times_freed();
        if self.unlogged != Some(freed) {
            self.worker.store().checkpoint_past(self.worker.meter())?;
            self.unlogged = Some(freed);
        }
        Ok(())
    }

    /// Runs of blocks handed out since the load began or was [settled](DirectLoad::settle).
    pub(crate) fn runs(&self) -> usize {
        self.ranges.len()
    }

    /// The address that [`DirectLoad::next_block`] will hand out.
    ///
    /// # Errors
    /// ORA-01653, ORA-01654 when the segment cannot grow.
    pub fn peek_address(&mut self) -> Result<BlockAddress> {
        loop {
            if let Some((range, metadata)) = self.extent {
                if self.next.block < metadata {
                    self.next.block = metadata;
                }
                debug_assert!(self.next.block <= range.blocks, "{self:?}: beyond {range:?}");
                if self.next.block < range.blocks {
                    return Ok(range.start.plus(self.next.block));
                }
            }
            // A load that finds no room keeps its place: the caller can still finish it with the blocks that it has.
            let wanted = if self.extent.is_some() { self.next.extent + 1 } else { self.next.extent };
            let (entry, blocks) = {
                let header = self.segment.header_block(&self.worker, Reading::Current)?;
                let fields = *segment::header(&header);
                let entry = (wanted < fields.extents.get())
                    .then(|| self.segment.extent_entry(&self.worker, &header, wanted))
                    .transpose()?;
                (entry, fields.blocks.get())
            };
            match entry {
                Some(entry) => {
                    let range = BlockRange { start: entry.address(), blocks: entry.blocks.get() };
                    if self.extent.is_some() {
                        self.next = Position { extent: wanted, block: 0 };
                        self.cover = None;
                    }
                    self.extent = Some((range, entry.metadata.get()));
                }
                None => {
                    {
                        let _growing = self.segment.growing(&self.worker);
                        self.segment.grow(&self.worker, blocks)?;
                    }
                    self.grown.get_or_insert(wanted);
                    if self.unlogged.is_some() {
                        self.leave_redo_behind()?;
                    }
                }
            }
        }
    }

    /// The next block to fill, formatted for the segment.
    ///
    /// # Errors
    /// ORA-01653, ORA-01654 when the segment cannot grow; HW-0010 when a write fails.
    pub fn next_block(&mut self) -> Result<(BlockAddress, &mut [u8])> {
        self.worker.check_cancelled()?;
        let address = self.peek_address()?;
        let block_bytes = self.segment.block_size().bytes();
        let full = self.run.is_some_and(|(start, filled)| {
            start.file != address.file
                || start.block + filled as u32 != address.block
                || (filled + 1) * block_bytes > self.buffer.len()
        });
        if full {
            self.write_run()?;
        }
        let bitmap = self.covering(address)?;
        let (start, filled) = self.run.unwrap_or((address, 0));
        debug_assert_eq!(start.plus(filled as u32), address, "{self:?}: a run of blocks has a hole");
        self.run = Some((start, filled + 1));
        match self.ranges.last_mut() {
            Some(last) if last.start.file == address.file && last.start.block + last.blocks == address.block => {
                last.blocks += 1;
            }
            _ => self.ranges.push(BlockRange { start: address, blocks: 1 }),
        }
        debug_assert!(self.next >= self.start, "{self:?}: before the load's start at {:?}", self.start);
        self.next.block += 1;
        let block = &mut self.buffer[filled * block_bytes..][..block_bytes];
        self.segment.format_block(block, address, bitmap);
        Ok((address, block))
    }

    /// The block that [`DirectLoad::next_block`] handed out last. It is not written before the caller asks for the next
    /// one, so the caller can fill in a link to that one's address.
    #[must_use]
    pub fn last_block(&mut self) -> Option<&mut [u8]> {
        let block_bytes = self.segment.block_size().bytes();
        let (_, filled) = self.run?;
        self.buffer[..filled * block_bytes].chunks_exact_mut(block_bytes).last()
    }

    /// Address of the block that was handed out last.
    #[must_use]
    pub fn last_address(&self) -> BlockAddress {
        self.run.map_or(BlockAddress::NONE, |(start, filled)| start.plus((filled as u32).saturating_sub(1)))
    }

    fn covering(&mut self, address: BlockAddress) -> Result<Option<BlockAddress>> {
        if let Some((l1, until)) = self.cover
            && self.next.block < until
        {
            return Ok(Some(l1));
        }
        let found = self.segment.space.covering(&self.segment, &self.worker, address, self.next.extent)?;
        self.cover = found.map(|(l1, blocks)| (l1, self.next.block + blocks));
        Ok(found.map(|(l1, _)| l1))
    }

    /// Writes the filled blocks. The caller must not change the last one any more.
    ///
    /// # Errors
    /// HW-0010 when a write fails.
    pub(crate) fn write_run(&mut self) -> Result<()> {
        let Some((start, filled)) = self.run.take() else {
            return Ok(());
        };
        let s = &*self.worker;
        let block_bytes = self.segment.block_size().bytes();
        let bytes = filled * block_bytes;
        if Mini::is_open() {
            // The blocks may still be in use if the mini-transaction is dropped (TRUNCATE): they go with its record,
            // through the cache.
            for (n, block) in (0..).zip(self.buffer[..bytes].chunks_exact(block_bytes)) {
                let mut target = s.new_block(start.plus(n), BlockClass::Data)?;
                s.change(&mut target, |bytes| bytes.copy_from_slice(block));
            }
            return Ok(());
        }
        let cache = s.store().cache();
        let blocks = BlockRange { start, blocks: filled as u32 };
        let claim = cache.claim(blocks);
        let mut piece = Piece { start, first: 0, end: 0, kept: None };
        for n in 0..filled {
            let address = start.plus(n as u32);
            // A session that still changes the block may be waiting for room in the log, and the log must not wait for
            // this load then.
            if !claim.settle(s.meter(), address, false)? {
                self.write_piece(&claim, &mut piece)?;
                claim.settle(s.meter(), address, true)?;
            }
            let block = &mut self.buffer[n * block_bytes..][..block_bytes];
            let mut record = None;
            if self.unlogged.is_some() {
                s.stamp_new(block);
            } else {
                record = Some(s.image_record(block));
            }
            format::block::seal(block);
            // The end of a log file is for sessions that hold latches: a load that filled it would leave no room for
            // the record that publishes a load's blocks, of which a checkpoint needs one.
            let record_bytes = record.as_ref().map_or(0, |record| record.len() as u64);
            let redo = s.store().redo();
            if record_bytes > 0 && !redo.has_room_for(record_bytes) {
                self.write_piece(&claim, &mut piece)?;
                redo.wait_room_for(s.meter(), record_bytes)?;
            }
            // A checkpoint meanwhile must not pass over the image: the block is in no buffer.
            while let Some(no_room) = self.log_image(&mut piece, record.as_deref())? {
                // The checkpoint that frees a log file must not wait for redo that this load keeps, so the load writes
                // the blocks so far first.
                if !no_room.is_in_buffer() {
                    self.write_piece(&claim, &mut piece)?;
                }
                redo.wait_for_space(s.meter(), no_room)?;
            }
            if let Some(kept) = &piece.kept {
                claim.drop_buffer(s.meter(), address, kept)?;
            }
            piece.end = n + 1;
        }
        self.write_piece(&claim, &mut piece)
    }

    /// Puts the image of a piece's next block into the log. Returns the room to wait for, where there is none.
    fn log_image(&self, piece: &mut Piece, record: Option<&[u8]>) -> Result<Option<NoRoom>> {
        let s = &*self.worker;
        if piece.kept.is_none() {
            piece.kept = Some(s.store().cache().keep_redo()?);
        }
        match record {
            Some(record) => Ok(s.store().redo().try_append(s.meter(), record)?.err()),
            None => Ok(None),
        }
    }

    /// Writes the blocks of a piece of the run, and releases the redo that was kept for them. The next piece begins
    /// behind it.
    fn write_piece(&self, claim: &Claim, piece: &mut Piece) -> Result<()> {
        let s = &*self.worker;
        let kept = piece.kept.take();
        let first = std::mem::replace(&mut piece.first, piece.end);
        let Some(kept) = kept.filter(|_| first < piece.end) else { return Ok(()) };
        let (start, count) = (piece.start.plus(first as u32), piece.end - first);
        let block_bytes = self.segment.block_size().bytes();
        let bytes = &self.buffer[first * block_bytes..piece.end * block_bytes];
        // The log is flushed before the blocks are written: the redo that gave up their earlier content may not be
        // durable yet.
        let redo = s.store().redo();
        redo.flush(redo.end())?;
        let file = s.store().cache().file(start.file)?;
        let at = [u64::from(start.file.0), u64::from(start.block), count as u64];
        let object = self.segment.data_object();
        let write = || file.write_blocks(start, bytes);
        let (written, micros) = s.meter().timed_wait(Event::DirectPathWrite, at, i64::from(object.0), write);
        written.map_err(|error| s.store().health().stop(&error))?;
        file.count_write_time(micros);
        // A scan of the earlier segment may have read the blocks again meanwhile. No session has changed them, so the
        // buffers can be dropped.
        for n in 0..count {
            claim.drop_buffer(s.meter(), start.plus(n as u32), &kept)?;
        }
        drop(kept);
        s.meter().count(Statistic::PhysicalWrites, count as u64);
        s.meter().count(Statistic::PhysicalWritesDirect, count as u64);
        s.meter().count(Statistic::PhysicalWriteIoRequests, 1);
        s.meter().count(Statistic::PhysicalWriteTotalMultiBlockRequests, u64::from(count > 1));
        s.meter().count(Statistic::PhysicalWritesNonCheckpoint, count as u64);
        s.meter().count(Statistic::PhysicalWriteBytes, bytes.len() as u64);
        s.meter().segment(object, SegmentStatistic::PhysicalWrites, count as u64);
        s.meter().segment(object, SegmentStatistic::PhysicalWritesDirect, count as u64);
        s.meter().segment(object, SegmentStatistic::PhysicalWriteRequests, 1);
        Ok(())
    }

    /// Writes the last blocks and moves the high-water mark over all blocks handed out.
    ///
    /// # Errors
    /// HW-0010 when a write fails; errors of the cache.
    pub fn finish(mut self) -> Result<()> {
        self.settle(None)
    }

    /// As [`DirectLoad::finish`], but the load can go on. `table`: the blocks belong to a transaction's load of this
    /// table, and an undo record names them.
    ///
    /// # Errors
    /// As [`DirectLoad::finish`]; errors of undo.
    pub(crate) fn settle(&mut self, table: Option<ObjectNumber>) -> Result<()> {
        self.write_run()?;
        if self.next == self.start {
            return Ok(());
        }
        let s = &*self.worker;
        if self.unlogged.is_some() {
            let mut files: Vec<_> = self.ranges.iter().map(|range| range.start.file).collect();
            files.dedup();
            for file in files {
                let synced = s.store().cache().file(file)?.sync_if_written(s.meter());
                synced.map_err(|error| s.store().health().stop(&error))?;
            }
        }
        if table.is_some() {
            s.prepare_load(&self.ranges)?;
        }
        let _growing = self.segment.growing(s);
        let header = self.segment.header_block(s, Reading::Current)?;
        let high = Position::from(segment::header(&header).high);
        if high != self.high && self.grown.is_none_or(|first| high.extent < first) {
            return Err(Error::bug("the high-water mark moved under a direct load"));
        }
        drop(header);
        let object = self.segment.data_object();
        let mut note = || table.map_or(Ok(()), |table| s.note_load(table, object, &self.ranges));
        self.segment.space.loaded(&self.segment, s, self.start, self.next, &mut note)?;
        let header = self.segment.header_block(s, Reading::Current)?;
        self.high = Position::from(segment::header(&header).high);
        drop(header);
        debug_assert!(self.high >= self.next, "{self:?}: loaded blocks are above the mark at {:?}", self.high);
        self.start = self.next;
        self.ranges.clear();
        self.grown = None;
        Ok(())
    }
}
