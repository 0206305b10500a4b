//! Consistent-read clones: blocks as they were at an SCN, kept beside their current buffers.
//!
//! ```text
//! chain     current buffer ── clone seen from SCN 120 to 131 ── clone seen from 90 to 104
//! ```
//!
//! The first reader that needs a clone makes it; every reader whose snapshot lies between the two SCNs uses it: the
//! last commit that the clone shows, and the SCN up to which nothing else can have been committed in the block. It
//! shows nothing of a transaction that had not ended, so a reader that sees changes of its own transaction in the block
//! makes its own version.
//!
//! Clones are never changed and never written. They enter the replacement list at its cold end, and are dropped when
//! the block is formatted, discarded, or read again. A leaf that has been split since stands for fewer keys than its
//! clones do: the next reader drops those clones.

use common::{BlockAddress, BlockClass, Scn};
use format::index::{self, Leaf};
use format::transaction::{self, Owner};
use waits::{Meter, Statistic};

use super::chains::ChainEntry;
use super::frame::{CLONE, DETACHED, FrameRef};
use super::pool::{Pool, now_s};
use super::{Block, Cache, replacement};

/// Most clones kept of a block: Oracle's `_db_block_max_cr_dba`. Without a limit, readers of a block that changes all
/// the time would fill the cache with its clones.
const CLONES_MAX: usize = 6;

impl Cache {
    /// A clone of `current` that shows what a snapshot at `scn` sees. The caller has `current` latched, so no session
    /// splits it meanwhile.
    pub(crate) fn clone_for(&self, meter: &Meter, current: &Block, scn: Scn) -> Option<Block> {
        let address = current.address();
        let pool = self.pool(address).ok()?;
        let frame = pool.find_clone(meter, address, scn)?;
        frame.touch(now_s(meter));
        let clone = Block::clone_in(frame, address);
        if stands_for(&clone, current) {
            return Some(clone);
        }
        drop(clone);
        pool.drop_clones(meter, address);
        None
    }

    /// Keeps a version of a block, seen by snapshots whose SCN lies between the two of `seen`. Where no buffer is free
    /// the version remains the caller's alone: other readers can make it again.
    pub(crate) fn keep_clone(&self, meter: &Meter, address: BlockAddress, bytes: Vec<u8>, seen: [Scn; 2]) -> Block {
        match self.pool(address).ok().and_then(|pool| pool.keep_clone(meter, address, &bytes, seen)) {
            Some(frame) => Block::clone_in(frame, address),
            None => Block::copy(address, bytes),
        }
    }
}

impl Pool {
    /// A clone that a snapshot at `scn` sees, pinned.
    fn find_clone(&self, meter: &Meter, address: BlockAddress, scn: Scn) -> Option<FrameRef> {
        let chain = self.chains.bucket(address).lock(meter);
        let frame = chain.clones(address.pack()).find(|frame| {
            let [from, until] = frame.seen();
            (from..=until).contains(&scn)
        })?;
        frame.pin();
        Some(frame)
    }

    fn keep_clone(&self, meter: &Meter, address: BlockAddress, bytes: &[u8], seen: [Scn; 2]) -> Option<FrameRef> {
        meter.count(Statistic::FreeBufferRequested, 1);
        let frame = self.take_now(meter)?;
        frame.latch.write().copy_from_slice(bytes);
        frame.set_address(address);
        frame.class.store(BlockClass::Data as u8, std::sync::atomic::Ordering::Relaxed);
        frame.reset(0, now_s(meter));
        frame.set_seen(seen);
        let tag = address.pack();
        let mut chain = self.chains.bucket(address).lock(meter);
        // Another reader may have kept the same version meanwhile.
        let kept = chain.clones(tag).any(|other| other.seen() == seen);
        let full = chain.clones(tag).count() >= CLONES_MAX;
        let oldest = chain.clones(tag).find(|clone| !clone.is_pinned());
        if kept || (full && oldest.is_none()) {
            drop(chain);
            self.give_back(meter, frame);
            return None;
        }
        let oldest = oldest.filter(|_| full);
        if let Some(oldest) = oldest {
            chain.remove(tag, oldest);
            oldest.set_state(DETACHED);
        }
        frame.set_state(CLONE);
        chain.add(ChainEntry { tag, clone: true, frame });
        debug_assert!(chain.clones(tag).count() <= CLONES_MAX, "block {address} has too many clones");
        drop(chain);
        self.list(meter).insert(frame.index(), replacement::InsertPosition::Tail);
        if let Some(oldest) = oldest {
            self.release_idle(meter, oldest);
        }
        Some(frame)
    }

    /// Takes the clones of a block out of its chain. A session that has one pinned keeps it.
    pub(super) fn drop_clones(&self, meter: &Meter, address: BlockAddress) {
        let tag = address.pack();
        let mut chain = self.chains.bucket(address).lock(meter);
        let clones: Vec<_> = chain.clones(tag).collect();
        for clone in &clones {
            chain.remove(tag, clone);
            clone.set_state(DETACHED);
        }
        drop(chain);
        for clone in clones {
            self.release_idle(meter, clone);
        }
    }
}

/// True: the clone and the current block are versions of the same thing, that is of one segment, and in an index of the
/// same range of keys. A leaf gives keys away only to a new leaf at its right, which its link then names; leaves never
/// leave their chain, so no link comes back.
fn stands_for(clone: &[u8], current: &[u8]) -> bool {
    let (was, is) = (transaction::header(clone), transaction::header(current));
    if (was.owner, was.object) != (is.owner, is.object) {
        return false;
    }
    is.owner != Owner::Index as u8
        || (index::is_leaf(clone) && index::is_leaf(current) && Leaf::of(clone).next() == Leaf::of(current).next())
}
