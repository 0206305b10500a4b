//! Blocks in plain memory, for tests of the tree. They are latched as in the cache, gets are counted, and a test can
//! make them run out.

use common::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use common::sync::{Arc, ArcRwLockReadGuard, ArcRwLockWriteGuard, Mutex, RawRwLock, RwLock};
use common::{BlockAddress, BlockSize, Error, ErrorKind, FileNumber, ObjectNumber, Result, Uba, Xid};
use format::block::BlockType;
use format::index::header::KeyShape;
use format::index::{Leaf, leaf};
use format::itl;
use format::redo::Reach;
use format::transaction::{self, BlockOwner, Owner};
use waits::{Event, Statistic};

use super::blocks::Blocks;
use super::tree::Tree;
use crate::txn::{Interest, RowLock};

pub(super) const OBJECT: ObjectNumber = ObjectNumber(1234);
const FIRST: u32 = 128;
/// The one transaction, which makes all changes and never ends.
const XID: Xid = Xid { segment: 1, slot: 2, sequence: 3 };

type Frame = Arc<RwLock<Vec<u8>>>;

#[derive(Debug)]
pub(super) struct Memory {
    size: BlockSize,
    automatic: bool,
    frames: RwLock<Vec<Frame>>,
    released: Mutex<Vec<BlockAddress>>,
    pub(super) statistics: Vec<AtomicU64>,
    pub(super) consistent_gets: AtomicU64,
    pub(super) current_gets: AtomicU64,
    pub(super) changes: AtomicU64,
    /// Number of new blocks that can still be handed out.
    pub(super) blocks_left: AtomicI64,
}

pub(super) struct Exclusive {
    guard: ArcRwLockWriteGuard<RawRwLock, Vec<u8>>,
    address: BlockAddress,
}

impl std::ops::Deref for Exclusive {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.guard
    }
}

pub(super) struct Shared(ArcRwLockReadGuard<RawRwLock, Vec<u8>>);

impl std::ops::Deref for Shared {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Memory {
    /// An index with one empty leaf as its root.
    pub(super) fn new(size: BlockSize, automatic: bool, shape: KeyShape) -> Self {
        let memory = Self {
            size,
            automatic,
            frames: RwLock::new(Vec::new()),
            released: Mutex::new(Vec::new()),
            statistics: (0..Statistic::COUNT).map(|_| AtomicU64::new(0)).collect(),
            consistent_gets: AtomicU64::new(0),
            current_gets: AtomicU64::new(0),
            changes: AtomicU64::new(0),
            blocks_left: AtomicI64::new(i64::MAX),
        };
        let mut root = memory.empty_block().unwrap();
        memory.change(&mut root, |block| leaf::init(block, shape, BlockAddress::NONE, BlockAddress::NONE));
        memory
    }

    pub(super) fn tree(&self, shape: KeyShape) -> Tree<'_, Self> {
        Tree {
            blocks: self,
            root: BlockAddress::new(FileNumber(5), FIRST),
            shape,
            data_object: OBJECT,
            block_size: self.size,
            name: &"T.I",
        }
    }

    pub(super) fn value(&self, statistic: Statistic) -> u64 {
        self.statistics[statistic.number() as usize].load(Ordering::Relaxed)
    }

    pub(super) fn released(&self) -> usize {
        self.released.lock().len()
    }

    /// Blocks in use.
    pub(super) fn used(&self) -> usize {
        self.frames.read().len() - self.released()
    }

    fn frame(&self, address: BlockAddress) -> Result<Frame> {
        let frames = self.frames.read();
        let at = address.block.checked_sub(FIRST).filter(|_| address.file == FileNumber(5));
        at.and_then(|at| frames.get(at as usize).cloned()).ok_or_else(|| Error::bug(format!("no block {address}")))
    }

    /// Damages a block, for the tests of `verify`.
    pub(super) fn damage(&self, address: BlockAddress, harm: impl FnOnce(&mut [u8])) {
        harm(&mut self.frame(address).unwrap().write());
    }
}

impl Blocks for Memory {
    type Shared = Shared;
    type Exclusive = Exclusive;

    fn consistent(&self, address: BlockAddress) -> Result<Shared> {
        self.consistent_gets.fetch_add(1, Ordering::Relaxed);
        Ok(Shared(RwLock::read_arc(&self.frame(address)?)))
    }

    fn current_mut(&self, address: BlockAddress) -> Result<Exclusive> {
        self.current_gets.fetch_add(1, Ordering::Relaxed);
        Ok(Exclusive { guard: RwLock::write_arc(&self.frame(address)?), address })
    }

    fn address(block: &Exclusive) -> BlockAddress {
        block.address
    }

    fn change<R>(&self, block: &mut Exclusive, change: impl FnOnce(&mut [u8]) -> R) -> R {
        self.changes.fetch_add(1, Ordering::Relaxed);
        change(&mut block.guard)
    }

    fn mini<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        work()
    }

    fn empty_block(&self) -> Result<Exclusive> {
        if self.blocks_left.fetch_sub(1, Ordering::Relaxed) <= 0 {
            return Err(Error::new(ErrorKind::OutOfResource, common::Number::Ora(1654), "unable to extend index"));
        }
        let address = match self.released.lock().pop() {
            Some(address) => address,
            None => {
                let mut frames = self.frames.write();
                frames.push(Arc::new(RwLock::new(vec![0; self.size.bytes()])));
                BlockAddress::new(FileNumber(5), FIRST + frames.len() as u32 - 1)
            }
        };
        let mut guard = RwLock::write_arc(&self.frame(address)?);
        let bitmap = self.automatic.then(|| BlockAddress::new(FileNumber(5), 8));
        format::block::format(&mut guard, BlockType::Data, address);
        transaction::init(&mut guard, BlockOwner { owner: Owner::Index, object: OBJECT, itl_slots: 2, bitmap });
        Ok(Exclusive { guard, address })
    }

    fn note_split(&self) {}

    fn release_block(&self, block: Exclusive) -> Result<()> {
        self.released.lock().push(block.address);
        Ok(())
    }

    fn count(&self, statistic: Statistic, n: u64) {
        self.statistics[statistic.number() as usize].fetch_add(n, Ordering::Relaxed);
    }

    fn check_cancelled(&self) -> Result<()> {
        Ok(())
    }

    fn prepare(&self, _: usize) -> Result<()> {
        Ok(())
    }

    fn is_prepared(&self, _: usize) -> bool {
        true
    }

    fn interest(&self, block: &mut Exclusive) -> Result<Interest> {
        Ok(match itl::find(block, XID) {
            Some(number) => Interest::Slot { number, fresh: false },
            None => Interest::Slot { number: 2, fresh: true },
        })
    }

    fn holder(&self, _: &mut Exclusive, _: u8) -> Result<RowLock> {
        Ok(RowLock::Mine)
    }

    fn transact<R>(
        &self,
        block: &mut Exclusive,
        (number, fresh): (u8, bool),
        _: u8,
        _: Option<Reach>,
        change: impl FnOnce(&mut [u8], u8) -> Option<(R, Vec<u8>)>,
    ) -> Result<Option<R>> {
        let done = self.change(block, |bytes| {
            if fresh {
                assert!(itl::take(bytes, number, XID, Uba::NONE));
            }
            change(bytes, number)
        });
        Ok(done.map(|(result, _)| result))
    }

    fn purge(&self, block: &mut Exclusive) -> Result<usize> {
        if Leaf::of(block).deleted() == 0 {
            return Ok(0);
        }
        Ok(self.change(block, leaf::purge))
    }

    fn wait_for(&self, xid: Xid, _: Event) -> Result<()> {
        Err(Error::bug(format!("no transaction {xid} to wait for")))
    }

    fn as_seen(&self, block: Shared) -> Result<Shared> {
        Ok(block)
    }

    fn explained(&self, error: Error) -> Error {
        error
    }
}
