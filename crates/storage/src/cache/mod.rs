//! The buffer cache: every block that the engine works on is here, pinned and latched during the work.
//!
//! See README.md in this folder for the structure, the numbered rules and the order of latches.

mod around;
mod block;
mod chains;
mod checking;
mod clones;
mod counts;
mod direct;
mod double_write;
mod frame;
mod mini;
#[cfg(debug_assertions)]
mod order;
mod pool;
mod read;
mod replacement;
mod scan;
mod structure;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod writer;

use crate::datafile::Datafile;
use crate::health::Health;
pub(crate) use around::{Claim, RedoKept};
pub(crate) use block::latches_any;
pub use block::{Block, BlockMut};
use checking::Checking;
pub use direct::DirectScan;
pub use double_write::DoubleWrite;
use frame::DETACHED;
pub use mini::Mini;
pub use pool::{BufferState, Pool, PoolFigures};
use pool::{Dirty, Patience};
use replacement::InsertPosition;
pub use scan::BlockScan;
pub(crate) use structure::check_read;
pub use writer::WriterWakes;

use std::fmt;
use std::time::Duration;

use common::sync::atomic::{AtomicU8, Ordering};
use std::sync::OnceLock;

use common::sync::{Arc, RwLock};
use common::{BlockAddress, BlockClass, BlockRange, BlockSize, Error, FileNumber, Result};
use waits::{GetMode, Meter, SegmentStatistic, Statistic};

use crate::parameters::{Parameter, Parameters};
use crate::redo::{Lsn, RedoLog};

const NO_POOL: u8 = u8::MAX;

/// Counts a current get of a latched block, for the session and for the block's segment.
fn counted(meter: &Meter, class: BlockClass, block: BlockMut) -> BlockMut {
    meter.get(class, GetMode::Current);
    counts::segment(meter, &block, SegmentStatistic::LogicalReads, 1);
    block
}

/// All pools, and the pool of each file.
pub struct Cache {
    pools: [Pool; 5],
    /// Pool of each file by file number; [`NO_POOL`] where no file has that number.
    pool_of_file: Box<[AtomicU8]>,
    files: RwLock<Vec<Option<Arc<Datafile>>>>,
    health: Arc<Health>,
    /// Unset until recovery has applied the redo of the last run.
    redo: OnceLock<Arc<RedoLog>>,
    double_write: OnceLock<DoubleWrite>,
    wakes: Arc<WriterWakes>,
    around: around::Around,
    /// Unset in tests of the cache alone.
    parameters: OnceLock<Arc<Parameters>>,
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").field("pools", &self.pools).finish_non_exhaustive()
    }
}

impl Cache {
    /// `bytes` of memory for each block size. 0: blocks of this size cannot be cached, so no tablespace may have it.
    #[must_use]
    pub fn new(bytes: [u64; 5], health: Arc<Health>) -> Self {
        let files = usize::from(common::limits::FILES_MAX) + 1;
        let wakes = Arc::new(WriterWakes::default());
        Self {
            pools: BlockSize::ALL.map(|size| Pool::new(size, bytes[size as usize], wakes.clone())),
            pool_of_file: (0..files).map(|_| AtomicU8::new(NO_POOL)).collect(),
            files: RwLock::new(vec![None; files]),
            health,
            redo: OnceLock::new(),
            double_write: OnceLock::new(),
            wakes,
            around: around::Around::default(),
            parameters: OnceLock::new(),
        }
    }

    /// The signal that wakes the background writer.
    pub fn wakes(&self) -> &Arc<WriterWakes> {
        &self.wakes
    }

    /// Makes a file's blocks reachable.
    ///
    /// # Errors
    /// ORA-29339 when there is no memory for its block size.
    pub fn add_file(&self, file: Arc<Datafile>) -> Result<()> {
        self.check_block_size(file.block_size())?;
        let number = usize::from(file.number().0);
        let pool = file.block_size() as u8;
        self.files.write()[number] = Some(file);
        self.pool_of_file[number].store(pool, Ordering::Release);
        Ok(())
    }

    /// # Errors
    /// ORA-29339 when there is no memory for this block size.
    pub fn check_block_size(&self, size: BlockSize) -> Result<()> {
        if self.pools[size as usize].capacity() == 0 {
            let kilobytes = size.bytes() / 1024;
            return Err(Error::user(
                29339,
                format!(
                    "tablespace block size {size} does not match a configured cache: set db_{kilobytes}k_cache_size"
                ),
            ));
        }
        Ok(())
    }

    /// Forgets a file and drops every buffer of it, dirty or not.
    pub fn remove_file(&self, meter: &Meter, file: FileNumber) {
        // First sessions can read no more of it, then its buffers go, and last the file, which a write under way still
        // needs.
        let pool = self.pool_of_file[usize::from(file.0)].swap(NO_POOL, Ordering::AcqRel);
        if let Some(pool) = self.pools.get(usize::from(pool)) {
            pool.discard_file(self, meter, file);
        }
        self.files.write()[usize::from(file.0)] = None;
    }

    /// Every open file.
    #[must_use]
    pub fn open_files(&self) -> Vec<Arc<Datafile>> {
        self.files.read().iter().flatten().cloned().collect()
    }

    /// The open file of this number.
    ///
    /// # Errors
    /// ORA-01157 when there is none.
    pub fn file(&self, number: FileNumber) -> Result<Arc<Datafile>> {
        self.files
            .read()
            .get(usize::from(number.0))
            .and_then(Clone::clone)
            .ok_or_else(|| Error::user(1157, format!("cannot identify data file {}", number.0)))
    }

    fn pool(&self, address: BlockAddress) -> Result<&Pool> {
        let pool = self.pool_of_file.get(usize::from(address.file.0)).map_or(NO_POOL, |p| p.load(Ordering::Acquire));
        self.pools.get(usize::from(pool)).ok_or_else(|| Error::corrupt(address, "the address names no open file"))
    }

    /// The pool of a block size.
    #[must_use]
    pub fn pool_of(&self, size: BlockSize) -> &Pool {
        &self.pools[size as usize]
    }

    /// Of these blocks, which have one block size: how many have buffers, and how many of those buffers are dirty.
    pub(crate) fn presence(&self, size: BlockSize, ranges: &[BlockRange]) -> (u64, u64) {
        self.pool_of(size).presence(ranges)
    }

    /// A block to read. `mode` is the kind of get that is counted.
    ///
    /// # Errors
    /// ORA-01578 for a corrupt block, ORA-01115 when the read fails, ORA-00379 when every buffer is in use; HW-0010
    /// when the instance has stopped.
    pub fn get(&self, meter: &Meter, address: BlockAddress, class: BlockClass, mode: GetMode) -> Result<Block> {
        #[cfg(any(test, feature = "testing"))]
        testing::check_get(address)?;
        self.health.check_readable()?;
        let pool = self.pool(address)?;
        if let Some(block) = mini::take_held(address) {
            meter.get(class, mode);
            counts::segment(meter, &block, SegmentStatistic::LogicalReads, 1);
            return Ok(Block::own(block));
        }
        loop {
            let frame = pool.pin(self, meter, address, class)?;
            let block = Block::latch(self, meter, frame, address, class);
            // The buffer was discarded while this session waited for its latch.
            if frame.state() == DETACHED {
                continue;
            }
            meter.get(class, mode);
            return Ok(block);
        }
    }

    /// A block to change, in current mode.
    ///
    /// # Errors
    /// As [`Cache::get`]; HW-0010 when the instance has stopped after a failed write.
    pub fn get_mut(&self, meter: &Meter, address: BlockAddress, class: BlockClass) -> Result<BlockMut> {
        #[cfg(any(test, feature = "testing"))]
        testing::check_get(address)?;
        self.health.check()?;
        self.wait_for_redo_room(meter)?;
        let pool = self.pool(address)?;
        if let Some(block) = mini::take_held(address) {
            return Ok(counted(meter, class, block));
        }
        loop {
            let frame = pool.pin(self, meter, address, class)?;
            let block = BlockMut::latch(self, meter, frame, address, class);
            if block.is_detached() {
                continue;
            }
            if self.around.is_claimed(address) {
                drop(block);
                if !latches_any() {
                    self.wait_unclaimed(meter, address, class)?;
                    continue;
                }
                return Err(Error::bug(format!("block {address} is to be changed while it is loaded")));
            }
            return Ok(counted(meter, class, block));
        }
    }

    /// As [`Cache::get_mut`], but None at once when the block is latched by another session.
    ///
    /// # Errors
    /// As [`Cache::get_mut`].
    pub fn try_get_mut(&self, meter: &Meter, address: BlockAddress, class: BlockClass) -> Result<Option<BlockMut>> {
        #[cfg(any(test, feature = "testing"))]
        testing::check_get(address)?;
        self.health.check()?;
        self.wait_for_redo_room(meter)?;
        let pool = self.pool(address)?;
        if let Some(block) = mini::take_held(address) {
            return Ok(Some(counted(meter, class, block)));
        }
        let frame = pool.pin(self, meter, address, class)?;
        Ok(self.if_current(BlockMut::try_latch(frame, address)).map(|block| counted(meter, class, block)))
    }

    /// Passes on a block that was latched without waiting. None when it was discarded meanwhile or a load is about to
    /// write it.
    fn if_current(&self, block: Option<BlockMut>) -> Option<BlockMut> {
        block.filter(|block| !block.is_detached() && !self.around.is_claimed(block.address()))
    }

    /// As [`Cache::try_get_mut`], but waits a moment for a block that another session has latched. For a session that
    /// must not wait without a limit: the holder may be waiting for what this session holds.
    ///
    /// # Errors
    /// As [`Cache::get_mut`].
    pub fn get_mut_within(
        &self,
        meter: &Meter,
        address: BlockAddress,
        class: BlockClass,
        most: Duration,
    ) -> Result<Option<BlockMut>> {
        self.health.check()?;
        let pool = self.pool(address)?;
        if let Some(block) = mini::take_held(address) {
            return Ok(Some(counted(meter, class, block)));
        }
        let frame = pool.pin(self, meter, address, class)?;
        let block = BlockMut::latch_within(self, meter, frame, address, class, most);
        Ok(self.if_current(block).map(|block| counted(meter, class, block)))
    }

    /// As [`Cache::try_get_mut`], for a change that this session can leave to others. None also when the block is not
    /// in the cache, and while the log has little room: the rest of it is for changes that must be made.
    ///
    /// # Errors
    /// As [`Cache::get_mut`].
    pub fn try_cached_mut(&self, meter: &Meter, address: BlockAddress, class: BlockClass) -> Result<Option<BlockMut>> {
        self.health.check()?;
        let pool = self.pool(address)?;
        if self.redo.get().is_some_and(|redo| !redo.has_room()) {
            return Ok(None);
        }
        let Some(frame) = pool.find_valid(meter, address) else { return Ok(None) };
        Ok(self.if_current(BlockMut::try_latch(frame, address)).map(|block| counted(meter, class, block)))
    }

    /// A block to format: nothing is read, and its bytes are zero.
    ///
    /// # Errors
    /// ORA-00379 when every buffer is in use; HW-0010 when the instance has stopped.
    pub fn get_new(&self, meter: &Meter, address: BlockAddress, class: BlockClass) -> Result<BlockMut> {
        #[cfg(any(test, feature = "testing"))]
        testing::check_get(address)?;
        self.health.check()?;
        self.wait_for_redo_room(meter)?;
        let pool = self.pool(address)?;
        pool.drop_clones(meter, address);
        if let Some(mut block) = mini::take_held(address) {
            meter.get(class, GetMode::Current);
            if let Some(frame) = block.frame() {
                mini::save_before(frame, address, Some(&block));
            }
            block.clear();
            return Ok(block);
        }
        loop {
            let (frame, taken) = pool.pin_new(self, meter, address, class)?;
            let mut block = BlockMut::latch(self, meter, frame, address, class);
            if block.is_detached() {
                continue;
            }
            meter.get(class, GetMode::Current);
            mini::save_before(frame, address, if taken { None } else { Some(&block) });
            block.clear();
            return Ok(block);
        }
    }

    /// Sends one read for up to `count` blocks from `start` on that the caller will want soon. The caller does not
    /// wait; where no buffer is free nothing is sent. Returns the number of blocks, from the first on, that are cached
    /// or on their way.
    ///
    /// # Errors
    /// As [`Cache::get`], but for errors of the read: the session that gets the block meets those.
    pub fn read_ahead(&self, meter: &Meter, start: BlockAddress, count: u32, class: BlockClass) -> Result<u32> {
        let pool = self.pool(start)?;
        if pool.holds(meter, start) {
            return Ok(1);
        }
        let file = self.file(start.file)?;
        let read =
            pool.start_read(self, meter, &file, start, count, class, InsertPosition::Midpoint, Patience::Never)?;
        Ok(read.map_or(1, |read| read.blocks().max(1)))
    }

    /// Sends one read for a block and up to `count` blocks before it, which will be wanted soon. The caller does not
    /// wait; where a read is not possible nothing is sent.
    pub(crate) fn read_behind(&self, meter: &Meter, last: BlockAddress, count: u32, class: BlockClass) {
        let (Ok(pool), Ok(file)) = (self.pool(last), self.file(last.file)) else { return };
        let address = |before: u32| last.block.checked_sub(before).map(|block| BlockAddress::new(last.file, block));
        let run =
            (0..count).map_while(address).take_while(|at| file.check_block(*at).is_ok() && !pool.holds(meter, *at));
        if let Some((blocks, start)) = (1..).zip(run).last() {
            // The session that gets the block meets an error of the read.
            let _ =
                pool.start_read(self, meter, &file, start, blocks, class, InsertPosition::Midpoint, Patience::Never);
        }
    }

    /// Drops the buffers of blocks whose contents no longer matter. Dirty buffers are written first: redo that is no
    /// longer read must not be missed by redo that still is. Waits for sessions that change one of the blocks.
    ///
    /// # Errors
    /// HW-0010, and the instance is stopped, when a write fails.
    pub fn discard(&self, meter: &Meter, range: BlockRange) -> Result<()> {
        if let Ok(pool) = self.pool(range.start) {
            writer::write_range(self, pool, meter, range)?;
            for n in 0..range.blocks {
                pool.discard(self, meter, range.start.plus(n), Dirty::Write)?;
            }
        }
        Ok(())
    }

    /// The redo log, which takes the redo of every change.
    ///
    /// # Errors
    /// Before the instance has opened it.
    pub fn redo(&self) -> Result<&Arc<RedoLog>> {
        self.redo.get().ok_or_else(|| Error::bug("the redo log is not open yet"))
    }

    /// Gives the cache the log. Changes are possible from now on.
    pub fn set_redo(&self, redo: Arc<RedoLog>) {
        let _ = self.redo.set(redo);
    }

    /// Waits while the log has little room. Only for sessions that latch no block: the checkpoint that will make room
    /// must not meet latches whose holder waits for it.
    fn wait_for_redo_room(&self, meter: &Meter) -> Result<()> {
        match self.redo.get() {
            Some(redo) if !latches_any() => redo.wait_room(meter),
            _ => Ok(()),
        }
    }

    fn flush_redo(&self, end: Lsn) -> Result<()> {
        match self.redo.get() {
            Some(redo) => redo.flush(end),
            None => Ok(()),
        }
    }

    /// The double-write area; None for a cache of tests.
    pub fn double_write(&self) -> Option<&DoubleWrite> {
        self.double_write.get()
    }

    /// Gives the cache the instance's parameters, which decide from now on.
    pub fn govern(&self, parameters: &Arc<Parameters>) {
        let _ = self.parameters.set(parameters.clone());
    }

    /// The level of checks of a block before it is written.
    fn checking(&self) -> Checking {
        self.parameters
            .get()
            .map_or(Checking::Off, |parameters| Checking::of(&parameters.text(Parameter::DbBlockChecking)))
    }

    pub fn set_double_write(&self, area: DoubleWrite) {
        let _ = self.double_write.set(area);
    }

    /// Start of the redo that the cache's unwritten blocks need; the log's end where no block needs any.
    ///
    /// # Errors
    /// When the log is not open.
    pub fn oldest_redo(&self) -> Result<Lsn> {
        let end = self.redo()?.end().0;
        Ok(Lsn(self.pools.iter().map(Pool::redo_needed_from).min().unwrap_or(end).min(end)))
    }

    /// Start of the redo that is still needed: the blocks of all redo before it are on disk. Syncs the files that were
    /// written to first. A block that is changed meanwhile has its redo behind that place.
    ///
    /// # Errors
    /// HW-0010, and the instance is stopped, when a sync fails.
    pub(crate) fn redo_needed_from(&self, meter: &Meter) -> Result<Lsn> {
        let end = self.redo()?.end().0;
        // The pools first: a load notes a buffer's redo in `around` before it takes the buffer, unwritten, out of its
        // pool.
        let cached = self.pools.iter().map(Pool::redo_needed_from).min().unwrap_or(end);
        let around = self.around.needed_from().map_or(end, |from| from.0);
        let least = cached.min(around);
        self.sync(meter)?;
        Ok(Lsn(least.min(end)))
    }

    /// Writes every dirty buffer and syncs every file that was written to.
    ///
    /// # Errors
    /// HW-0010, and the instance is stopped, when a write or a sync fails.
    pub fn checkpoint(&self, meter: &Meter) -> Result<()> {
        meter.count(Statistic::DbwrCheckpoints, 1);
        meter.count(Statistic::BackgroundCheckpointsStarted, 1);
        for pool in &self.pools {
            writer::write_all(self, pool, meter)?;
        }
        self.sync(meter)?;
        meter.count(Statistic::BackgroundCheckpointsCompleted, 1);
        Ok(())
    }

    fn sync(&self, meter: &Meter) -> Result<()> {
        let files: Vec<_> = self.files.read().iter().flatten().cloned().collect();
        for file in files {
            file.sync_if_written(meter).map_err(|e| self.health.stop(&e))?;
        }
        Ok(())
    }

    /// Writes every dirty buffer, then empties the cache of every buffer that is not in use.
    ///
    /// # Errors
    /// As [`Cache::checkpoint`].
    pub fn flush(&self, meter: &Meter) -> Result<()> {
        self.checkpoint(meter)?;
        for pool in &self.pools {
            pool.evict_all(meter);
        }
        Ok(())
    }

    /// One round of the background writer over every pool.
    ///
    /// # Errors
    /// HW-0010, and the instance is stopped, when a write fails.
    pub fn write_round(&self, meter: &Meter) -> Result<()> {
        for pool in &self.pools {
            writer::write_cold(self, pool, meter)?;
        }
        Ok(())
    }

    /// Writes the buffers that need redo from before `lsn`.
    ///
    /// # Errors
    /// HW-0010, and the instance is stopped, when a write fails.
    pub fn write_older(&self, meter: &Meter, lsn: Lsn) -> Result<()> {
        for pool in &self.pools {
            writer::write_older(self, pool, meter, lsn)?;
        }
        Ok(())
    }

    /// Checks the invariants of the cache while no process is at work: for tests and the simulator.
    ///
    /// # Errors
    /// ORA-00600 with the invariant that does not hold.
    pub fn check_invariants(&self) -> Result<()> {
        if latches_any() || Mini::is_open() {
            return Err(Error::bug("a block is latched, or a mini-transaction is open, while no process is at work"));
        }
        self.pools.iter().try_for_each(Pool::check_invariants)
    }

    pub(crate) fn health(&self) -> &Arc<Health> {
        &self.health
    }

    /// Every buffer in use, for V$BH.
    #[must_use]
    pub fn buffers(&self) -> Vec<BufferState> {
        self.pools.iter().flat_map(Pool::buffers).collect()
    }

    /// Figures of each pool that has memory.
    #[must_use]
    pub fn figures(&self) -> Vec<PoolFigures> {
        self.pools.iter().filter(|pool| pool.capacity() > 0).map(Pool::figures).collect()
    }
}
