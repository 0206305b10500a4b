//! A process: one thread of work on the blocks of an instance, below transactions.
//!
//! See README.md in this folder.

pub mod metadata;
mod store;

pub use store::Store;

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use common::sync::atomic::{AtomicU32, Ordering};
use common::sync::{Arc, Mutex};
use common::{BlockAddress, BlockClass, BlockRange, Error, ObjectNumber, ProcessNumber, Result, Scn};
use format::redo::{self, Reach, Version};
use waits::{GetMode, Meter};

use crate::cache::{Block, BlockMut, BlockScan, DirectScan, Mini};
use crate::health::Health;
use crate::parameters::SessionParameters;

/// Segments whose last place of insertion a process remembers.
const SEARCH_CACHE_MAX: usize = 1024;

/// The party that a process works for: a session, or a background task.
pub trait Client: fmt::Debug + Send + Sync {
    /// Ok when the work may go on. `tidying`: a rollback is under way, which is completed even for a client that has
    /// gone.
    ///
    /// # Errors
    /// ORA-01013 when the user has cancelled, ORA-01089 when the instance is being closed; each is reported once.
    /// ORA-00028, each time unless `tidying`, when the session has been killed. HW-0010 when the instance has stopped.
    fn check(&self, tidying: bool) -> Result<()>;

    /// The user's name, upper case.
    fn user(&self) -> Arc<str>;

    /// The text of the statement at work.
    fn statement(&self) -> Option<Arc<str>>;
}

/// The place where a process last found room in a segment.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct SearchHint {
    /// The block, while it has room.
    pub block: Option<BlockAddress>,
    /// Its first-level bitmap block (automatic).
    pub first_level: Option<BlockAddress>,
    /// Number of shrinks of the segment at that time. After another shrink the block may belong to another segment.
    pub shrinks: u32,
}

/// One thread of work.
#[derive(Debug)]
pub struct Process {
    store: Arc<Store>,
    meter: Arc<Meter>,
    number: ProcessNumber,
    parameters: SessionParameters,
    client: Arc<dyn Client>,
    search: Mutex<HashMap<ObjectNumber, SearchHint>>,
    /// Depth of nested rollbacks under way.
    rolling_back: AtomicU32,
}

impl Process {
    pub fn new(store: Arc<Store>, meter: Arc<Meter>, number: ProcessNumber, client: Arc<dyn Client>) -> Self {
        let parameters = SessionParameters::of_session(store.parameters().clone(), meter.clone());
        Self { store, meter, number, parameters, client, search: Mutex::default(), rolling_back: AtomicU32::new(0) }
    }

    /// The storage that the process shares with the others of its instance.
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    #[must_use]
    pub fn meter(&self) -> &Arc<Meter> {
        &self.meter
    }

    #[must_use]
    pub fn process(&self) -> ProcessNumber {
        self.number
    }

    #[must_use]
    pub fn sid(&self) -> u32 {
        self.meter.sid()
    }

    #[must_use]
    pub fn parameters(&self) -> &SessionParameters {
        &self.parameters
    }

    /// The party that the process works for.
    pub(crate) fn client(&self) -> &Arc<dyn Client> {
        &self.client
    }

    /// Ok when the work may go on.
    ///
    /// # Errors
    /// Errors of [`Client::check`].
    pub fn check_cancelled(&self) -> Result<()> {
        self.client.check(self.rolling_back.load(Ordering::Relaxed) > 0)
    }

    /// Marks a rollback as under way until the guard is dropped. It is completed even if the session is killed.
    pub(crate) fn rolling_back(&self) -> RollingBack<'_> {
        self.rolling_back.fetch_add(1, Ordering::Relaxed);
        RollingBack(&self.rolling_back)
    }

    /// A block in current mode, to read.
    ///
    /// # Errors
    /// Errors of [`crate::cache::Cache::get`].
    pub fn current(&self, address: BlockAddress, class: BlockClass) -> Result<Block> {
        self.store.cache().get(&self.meter, address, class, GetMode::Current)
    }

    /// A block in current mode, to change.
    ///
    /// # Errors
    /// Errors of [`crate::cache::Cache::get_mut`].
    pub fn current_mut(&self, address: BlockAddress, class: BlockClass) -> Result<BlockMut> {
        self.store.cache().get_mut(&self.meter, address, class)
    }

    /// As [`Process::current_mut`], but None at once when another session has the block latched.
    ///
    /// # Errors
    /// Errors of [`crate::cache::Cache::get_mut`].
    pub fn try_current_mut(&self, address: BlockAddress, class: BlockClass) -> Result<Option<BlockMut>> {
        self.store.cache().try_get_mut(&self.meter, address, class)
    }

    /// As [`Process::try_current_mut`], but waits a moment for the block.
    ///
    /// # Errors
    /// Errors of [`crate::cache::Cache::get_mut_within`].
    pub(crate) fn current_mut_within(
        &self,
        address: BlockAddress,
        class: BlockClass,
        most: Duration,
    ) -> Result<Option<BlockMut>> {
        self.store.cache().get_mut_within(&self.meter, address, class, most)
    }

    /// A block in consistent mode, in its current form: metadata, undo, and the block from which a consistent read
    /// makes a snapshot's version.
    ///
    /// # Errors
    /// Errors of [`crate::cache::Cache::get`].
    pub fn consistent(&self, address: BlockAddress, class: BlockClass) -> Result<Block> {
        self.store.cache().get(&self.meter, address, class, GetMode::Consistent)
    }

    /// A block that the caller formats: it is not read, and its bytes are zero.
    ///
    /// # Errors
    /// Errors of [`crate::cache::Cache::get_new`].
    pub fn new_block(&self, address: BlockAddress, class: BlockClass) -> Result<BlockMut> {
        // Everything that the block was before, on disk or in the log, is older than this SCN.
        self.store.advance_scn();
        self.store.cache().get_new(&self.meter, address, class)
    }

    /// Changes a block. The change counts for this process and is stamped with the current SCN.
    ///
    /// A panic in `change` stops the instance: the block may be half changed, and must not reach the disk as if it were
    /// whole.
    pub fn change<R>(&self, block: &mut BlockMut, change: impl FnOnce(&mut [u8]) -> R) -> R {
        self.change_within(block, None, change)
    }

    /// As [`Process::change`], for a change with a declared reach: only that part of the block is kept and compared.
    /// Debug builds check that the change keeps to it. None: the whole block.
    pub(crate) fn change_within<R>(
        &self,
        block: &mut BlockMut,
        reach: Option<&Reach>,
        change: impl FnOnce(&mut [u8]) -> R,
    ) -> R {
        let _whole = WholeChange(self.store.health(), block.address());
        block.change(self.store.redo(), &self.meter, reach, |version| self.store.version_after(version), change)
    }

    /// Stamps a block that is written around the cache with a version that it has never had.
    pub(crate) fn stamp_new(&self, block: &mut [u8]) -> Version {
        let version = self.store.version_after(Version { scn: self.store.advance_scn().0, seq: 0 });
        version.stamp(block);
        version
    }

    /// Stamps a block that is written around the cache. Returns the redo record with its image.
    pub(crate) fn image_record(&self, block: &mut [u8]) -> Vec<u8> {
        let version = self.stamp_new(block);
        let mut record = Vec::with_capacity(block.len() + 64);
        redo::begin(&mut record);
        let address = format::block::header(block).address();
        redo::image(&mut record, BlockClass::Data as u16, address, block, version);
        redo::finish(&mut record, 1, Scn(version.scn), self.sid());
        record
    }

    /// Begins a mini-transaction: until it is committed its changes are one redo record, and the changed blocks stay
    /// latched. Dropped without a commit, it puts back what it has changed.
    pub fn begin_mini(&self) -> Mini<'_> {
        Mini::begin(self.store.cache(), self.store.redo(), &self.meter)
    }

    /// Runs `work` in a mini-transaction, and commits it unless `work` fails.
    ///
    /// # Errors
    /// Errors of `work`: the blocks are then as they were.
    pub(crate) fn mini<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        let mini = self.begin_mini();
        let result = work()?;
        mini.commit();
        Ok(result)
    }

    /// Reads block ranges in order, by consistent gets, with multiblock reads. `cold`: the blocks do not push others
    /// out of the cache.
    #[must_use]
    pub fn scan_blocks(&self, ranges: Vec<BlockRange>, class: BlockClass, cold: bool) -> BlockScan {
        let size =
            ranges.first().and_then(|range| self.store.cache().file(range.start.file).ok()).map(|f| f.block_size());
        let read_blocks = size.map_or(1, |size| {
            let buffers = self.store.cache().pool_of(size).capacity() as u64;
            self.parameters.multiblock_read_count(size.bytes(), buffers)
        });
        BlockScan::new(self.store.cache().clone(), self.meter.clone(), ranges, class, cold, read_blocks)
    }

    /// Reads block ranges in order past the cache, by consistent gets. The dirty buffers of the ranges are written
    /// first.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn scan_directly(&self, ranges: Vec<BlockRange>, class: BlockClass) -> Result<DirectScan> {
        let cache = self.store.cache();
        let read_blocks = match ranges.first() {
            Some(range) => {
                let size = cache.file(range.start.file)?.block_size();
                let buffers = cache.pool_of(size).capacity() as u64;
                self.parameters.multiblock_read_count(size.bytes(), buffers)
            }
            None => 1,
        };
        DirectScan::new(cache.clone(), self.meter.clone(), ranges, class, read_blocks)
    }

    /// Writes the dirty buffers of these ranges, for a caller that has them read from disk.
    ///
    /// # Errors
    /// Errors of writing.
    pub(crate) fn write_out(&self, ranges: &[BlockRange]) -> Result<()> {
        self.store.cache().write_out(&self.meter, ranges)
    }

    /// The place where this process last found room in a segment.
    pub(crate) fn search_hint(&self, object: ObjectNumber) -> SearchHint {
        self.search.lock().get(&object).copied().unwrap_or_default()
    }

    pub(crate) fn remember(&self, object: ObjectNumber, hint: SearchHint) {
        let mut search = self.search.lock();
        if search.len() >= SEARCH_CACHE_MAX && !search.contains_key(&object) {
            search.clear();
        }
        search.insert(object, hint);
    }
}

/// Marks a rollback as under way, until it is dropped.
pub(crate) struct RollingBack<'a>(&'a AtomicU32);

impl Drop for RollingBack<'_> {
    fn drop(&mut self) {
        let before = self.0.fetch_sub(1, Ordering::Relaxed);
        debug_assert!(before > 0, "a rollback ends that has not begun");
    }
}

/// Stops the instance when a panic drops it.
struct WholeChange<'a>(&'a Health, BlockAddress);

impl Drop for WholeChange<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop(&Error::bug(format!("a change of block {} was cut short by a panic", self.1)));
        }
    }
}
