//! A session: who works, on whose behalf, with which process number, and what it has cost so far.

use std::collections::HashMap;
use std::time::Duration;

use common::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use common::sync::{Arc, Mutex};
use common::{BlockAddress, BlockClass, Error, ErrorKind, Number, ObjectNumber, ProcessNumber, Result, Scn};
use format::redo::{self, Version};
use waits::{GetMode, Meter};

use super::entry::{ClientWork, SessionEntry};
use super::{Health, Instance};
use crate::cache::{Block, BlockMut, BlockScan, ChangeGroup, DirectScan};
use crate::catalog::{Catalog, Rights};
use crate::parameters::SessionParameters;
use crate::segment::{BlockRange, SearchHint};
use crate::txn::{Deadlock, SessionTransactions};

/// Segments whose last place of insertion a process remembers.
const SEARCH_CACHE_MAX: usize = 1024;

/// One session, with a process of its own.
#[derive(Debug)]
pub struct Session {
    instance: Arc<Instance>,
    meter: Arc<Meter>,
    entry: Arc<SessionEntry>,
    parameters: SessionParameters,
    search: Mutex<HashMap<ObjectNumber, SearchHint>>,
    /// Rollbacks that are under way, one within another.
    rolling_back: AtomicU32,
    /// The last deadlock that this session was told of, until it is taken.
    deadlock: Mutex<Option<Deadlock>>,
    transactions: SessionTransactions,
    /// While a statement of this session fills a table that it makes: the dictionary with the table in it.
    pub(crate) making: Mutex<Option<Arc<Catalog>>>,
    /// The session works for one whose DDL statement is at work, or works for one that does.
    within_ddl: bool,
    /// While a program with its owner's rights runs: that owner.
    assumed: Mutex<Option<Rights>>,
}

impl Session {
    pub(super) fn new(instance: Arc<Instance>, entry: Arc<SessionEntry>, caller: Option<&Self>) -> Self {
        let parameters = SessionParameters::of_session(instance.parameters().clone(), entry.meter.clone());
        Self {
            instance,
            meter: entry.meter.clone(),
            entry,
            parameters,
            search: Mutex::new(HashMap::new()),
            rolling_back: AtomicU32::new(0),
            deadlock: Mutex::new(None),
            transactions: SessionTransactions::default(),
            making: Mutex::default(),
            within_ddl: caller.is_some_and(Self::is_within_ddl),
            assumed: Mutex::default(),
        }
    }

    /// Whether a DDL statement is at work, as a part of which this session does what it does: the dictionary is not to be had meanwhile.
    pub(crate) fn is_within_ddl(&self) -> bool {
        self.within_ddl || self.making.lock().is_some()
    }

    #[must_use]
    pub fn instance(&self) -> &Arc<Instance> {
        &self.instance
    }

    #[must_use]
    pub fn meter(&self) -> &Arc<Meter> {
        &self.meter
    }

    pub(crate) fn transactions(&self) -> &SessionTransactions {
        &self.transactions
    }

    /// The user name, upper case.
    #[must_use]
    pub fn user(&self) -> String {
        self.entry.user().to_string()
    }

    /// Whose privileges count now: the user's, or inside a stored program those of the program's owner.
    #[must_use]
    pub fn rights(&self) -> Rights {
        self.assumed.lock().clone().unwrap_or_else(|| Rights::of_user(&self.entry.user()))
    }

    /// From now on these rights count; None: the user's own. Those that counted before are returned, to be put back.
    pub fn assume(&self, rights: Option<Rights>) -> Option<Rights> {
        std::mem::replace(&mut *self.assumed.lock(), rights)
    }

    pub fn set_user(&self, user: &str) {
        self.entry.set_user(user);
    }

    pub(super) fn entry(&self) -> &Arc<SessionEntry> {
        &self.entry
    }

    /// What the client says about its work: module, action, client info and identifier.
    #[must_use]
    pub fn work(&self) -> ClientWork {
        self.entry.work()
    }

    /// Notes what the client says about its work.
    pub fn change_work(&self, change: impl FnOnce(&mut ClientWork)) {
        self.entry.change_work(change);
    }

    /// Notes which program the client is.
    pub fn set_program(&self, program: &str) {
        self.entry.set_program(program);
    }

    #[must_use]
    pub fn process(&self) -> ProcessNumber {
        self.entry.process
    }

    #[must_use]
    pub fn sid(&self) -> u32 {
        self.meter.sid()
    }

    /// SID and SERIAL#.
    #[must_use]
    pub fn identity(&self) -> (u32, u32) {
        (self.meter.sid(), self.meter.serial())
    }

    /// When the session began, microseconds since 1970.
    #[must_use]
    pub fn logon_us(&self) -> u64 {
        self.entry.logon_us
    }

    /// The text of the statement at work, as far as who runs it has said.
    #[must_use]
    pub fn statement(&self) -> Option<Arc<str>> {
        self.entry.statement()
    }

    /// Says which statement is at work from now on; the one before is returned.
    pub fn set_statement(&self, text: Option<Arc<str>>) -> Option<Arc<str>> {
        self.entry.set_statement(text)
    }

    pub(crate) fn note_deadlock(&self, deadlock: Deadlock) {
        *self.deadlock.lock() = Some(deadlock);
    }

    /// The deadlock because of which a statement of this session has failed with ORA-00060 since it was asked last.
    #[must_use]
    pub fn take_deadlock(&self) -> Option<Deadlock> {
        self.deadlock.lock().take()
    }

    #[must_use]
    pub fn parameters(&self) -> &SessionParameters {
        &self.parameters
    }

    /// Set it to cancel the statement that runs.
    #[must_use]
    pub fn cancel_handle(&self) -> Arc<AtomicBool> {
        self.entry.cancelled.clone()
    }

    /// # Errors
    /// ORA-01013 when the user has cancelled, ORA-01089 when the instance is being closed; the request is then served. ORA-00028, each time but in a
    /// rollback, when the session has been killed.
    pub fn check_cancelled(&self) -> Result<()> {
        if self.entry.is_killed() {
            let tidying = self.rolling_back.load(Ordering::Relaxed) > 0;
            return if tidying { Ok(()) } else { Err(self.entry.calls.death_in_call()) };
        }
        self.instance.health.check_stopped()?;
        if self.entry.is_orphaned() && self.rolling_back.load(Ordering::Relaxed) == 0 {
            return Err(super::kill::killed());
        }
        if !self.entry.cancelled.load(Ordering::Relaxed) {
            return self.instance.calls.check(&self.entry.calls);
        }
        self.entry.cancelled.store(false, Ordering::Release);
        Err(cancelled())
    }

    /// A rollback is under way until the guard is dropped: it is carried through even if the session is killed.
    pub(crate) fn rolling_back(&self) -> RollingBack<'_> {
        self.rolling_back.fetch_add(1, Ordering::Relaxed);
        RollingBack(&self.rolling_back)
    }

    /// A block in current mode, to read.
    ///
    /// # Errors
    /// Those of [`crate::cache::Cache::get`].
    pub fn current(&self, address: BlockAddress, class: BlockClass) -> Result<Block> {
        self.instance.cache().get(&self.meter, address, class, GetMode::Current)
    }

    /// A block in current mode, to change.
    ///
    /// # Errors
    /// Those of [`crate::cache::Cache::get_mut`].
    pub fn current_mut(&self, address: BlockAddress, class: BlockClass) -> Result<BlockMut> {
        self.instance.cache().get_mut(&self.meter, address, class)
    }

    /// As [`Session::current_mut`], but None at once when another session has the block latched.
    ///
    /// # Errors
    /// Those of [`crate::cache::Cache::get_mut`].
    pub fn try_current_mut(&self, address: BlockAddress, class: BlockClass) -> Result<Option<BlockMut>> {
        self.instance.cache().try_get_mut(&self.meter, address, class)
    }

    /// As [`Session::try_current_mut`], but waits for it for a moment.
    ///
    /// # Errors
    /// Those of [`crate::cache::Cache::get_mut_within`].
    pub(crate) fn current_mut_within(
        &self,
        address: BlockAddress,
        class: BlockClass,
        most: Duration,
    ) -> Result<Option<BlockMut>> {
        self.instance.cache().get_mut_within(&self.meter, address, class, most)
    }

    /// A block in consistent mode, as it is now: metadata, undo, and what [`Session::consistent_at`] makes a snapshot's version of.
    ///
    /// # Errors
    /// Those of [`crate::cache::Cache::get`].
    pub fn consistent(&self, address: BlockAddress, class: BlockClass) -> Result<Block> {
        self.instance.cache().get(&self.meter, address, class, GetMode::Consistent)
    }

    /// A block that the caller formats; it is not read, its bytes are zero.
    ///
    /// # Errors
    /// Those of [`crate::cache::Cache::get_new`].
    pub fn new_block(&self, address: BlockAddress, class: BlockClass) -> Result<BlockMut> {
        // What the block was before, on disk or in the log, is older than this.
        self.instance.advance_scn();
        self.instance.cache().get_new(&self.meter, address, class)
    }

    /// Changes a block; the change is counted to this session and stamped with the current SCN.
    ///
    /// A panic in `change` stops the instance: the block may be half changed, and must not reach the disk as if it were whole.
    pub fn change<R>(&self, block: &mut BlockMut, change: impl FnOnce(&mut [u8]) -> R) -> R {
        let _whole = WholeChange(self.instance.health(), block.address());
        block.change(self.instance.redo(), &self.meter, |version| self.instance.version_after(version), change)
    }

    /// Gives a block that is written around the cache a version that it has never had.
    pub(crate) fn stamp_new(&self, block: &mut [u8]) -> Version {
        let version = self.instance.version_after(Version { scn: self.instance.advance_scn().0, seq: 0 });
        version.stamp(block);
        version
    }

    /// Stamps a block that is written around the cache; the redo record with its image.
    pub(crate) fn image_record(&self, block: &mut [u8]) -> Vec<u8> {
        let version = self.stamp_new(block);
        let mut record = Vec::with_capacity(block.len() + 64);
        redo::begin(&mut record);
        let address = format::block::header(block).address();
        redo::image(&mut record, BlockClass::Data as u16, address, block, version);
        redo::finish(&mut record, 1, Scn(version.scn), self.sid());
        record
    }

    /// Begins a group of changes: until it is dropped they are one redo record, and the changed blocks stay latched.
    pub fn group(&self) -> ChangeGroup<'_> {
        ChangeGroup::begin(self.instance.redo(), &self.meter)
    }

    /// Begins a group of changes of which nothing has happened unless it is [finished](ChangeGroup::finish): dropped
    /// before, it puts back what it has changed.
    pub(crate) fn revocable_group(&self) -> ChangeGroup<'_> {
        ChangeGroup::begin_revocable(self.instance.cache(), self.instance.redo(), &self.meter)
    }

    /// Reads block ranges in order, by consistent gets, with multiblock reads. `cold`: do not let the blocks push others out of the cache.
    #[must_use]
    pub fn scan_blocks(&self, ranges: Vec<BlockRange>, class: BlockClass, cold: bool) -> BlockScan {
        let size =
            ranges.first().and_then(|range| self.instance.cache().file(range.start.file).ok()).map(|f| f.block_size());
        let read_blocks = size.map_or(1, |size| {
            let buffers = self.instance.cache().pool_of(size).capacity() as u64;
            self.parameters.multiblock_read_count(size.bytes(), buffers)
        });
        BlockScan::new(self.instance.cache().clone(), self.meter.clone(), ranges, class, cold, read_blocks)
    }

    /// Reads block ranges in order past the cache, by consistent gets, once what the cache has changed of them is on disk.
    ///
    /// # Errors
    /// Those of writing.
    pub fn scan_directly(&self, ranges: Vec<BlockRange>, class: BlockClass) -> Result<DirectScan> {
        let cache = self.instance.cache();
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

    /// Where this process last found room in a segment.
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

pub(crate) fn cancelled() -> Error {
    Error::new(ErrorKind::Cancelled, Number::Ora(1013), "user requested cancel of current operation")
}

/// A rollback under way.
pub(crate) struct RollingBack<'a>(&'a AtomicU32);

impl Drop for RollingBack<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Stops the instance when it is dropped by a panic.
struct WholeChange<'a>(&'a Health, BlockAddress);

impl Drop for WholeChange<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop(&Error::bug(format!("a change of block {} was cut short by a panic", self.1)));
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The close waits for calls, and for nothing else. What it does not let in, or fails, is rolled back at the next open.
        if self.in_transaction()
            && self.instance.health().check().is_ok()
            && let Ok(_call) = self.instance.calls.enter(&self.entry)
        {
            let _ = self.rollback();
        }
        if self.entry.caller_sid().is_some() {
            self.instance.locks().acts_no_more(self.sid());
        }
        self.instance.sessions.leave(&self.entry);
        // Who waits for it because it was killed need not wait any longer.
        self.entry.calls.set_tidy();
    }
}
