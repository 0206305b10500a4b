//! Hash chains: the buffers that hold a block. A chain has the current buffer of a block, and consistent-read clones of
//! it beside.
//!
//! A chain is changed under its lock. A session that looks for a current buffer first reads a few words without the
//! lock; they name the current buffers of the bucket. So readers of blocks that stay in the cache write nothing here. A
//! word may be out of date when it is used, so the buffer itself decides
//! ([`Frame::try_pin`](super::frame::Frame::try_pin)); a session that does not find its block so looks again under the
//! lock.

use common::sync::atomic::{AtomicU64, Ordering};
use common::sync::{Mutex, MutexGuard};
use common::{BlockAddress, Error, Result};
use waits::{LatchName, Meter};

use super::frame::FrameRef;

/// Current buffers of a bucket that are found without its lock. There are two buckets a buffer, so more are rare.
const QUICK: usize = 3;

#[derive(Clone, Copy)]
pub(super) struct ChainEntry {
    pub(super) tag: u32,
    pub(super) clone: bool,
    pub(super) frame: FrameRef,
}

#[derive(Default)]
pub(super) struct Bucket {
    /// Packed address, and the index of its frame plus one; 0 for none.
    quick: [AtomicU64; QUICK],
    entries: Mutex<Vec<ChainEntry>>,
}

pub(super) struct Chains(Box<[Bucket]>);

impl Chains {
    /// Two buckets a buffer.
    pub(super) fn new(buffers: usize) -> Self {
        Self((0..(2 * buffers).next_power_of_two()).map(|_| Bucket::default()).collect())
    }

    pub(super) fn bucket(&self, address: BlockAddress) -> &Bucket {
        // Fibonacci hashing: neighbouring blocks go to distant buckets, so to distant latches.
        let hash = u64::from(address.pack()).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        &self.0[hash as usize & (self.0.len() - 1)]
    }
}

impl Chains {
    /// Every buffer of every chain, with its packed address and its kind: current or clone.
    pub(super) fn entries(&self) -> Vec<ChainEntry> {
        self.0.iter().flat_map(|bucket| bucket.entries.lock().clone()).collect()
    }

    /// Checks that each bucket has its own blocks' buffers, at most one current buffer of each block, and that the
    /// words read without the lock name current buffers.
    ///
    /// # Errors
    /// ORA-00600 with the invariant that does not hold.
    pub(super) fn check_invariants(&self) -> Result<()> {
        for (number, bucket) in self.0.iter().enumerate() {
            let entries = bucket.entries.lock();
            let wrong = |entry: &ChainEntry, what: &str| {
                let address = BlockAddress::unpack(entry.tag);
                Err(Error::bug(format!("hash bucket {number}: the buffer of block {address} {what}")))
            };
            for (at, entry) in entries.iter().enumerate() {
                if !std::ptr::eq(self.bucket(BlockAddress::unpack(entry.tag)), bucket) {
                    return wrong(entry, "belongs into another bucket");
                }
                if entry.frame.address().pack() != entry.tag {
                    return wrong(entry, "holds another block");
                }
                if !entry.clone && entries[..at].iter().any(|other| !other.clone && other.tag == entry.tag) {
                    return wrong(entry, "is one of two current ones");
                }
            }
            for word in bucket.quick.iter().map(|word| word.load(Ordering::Acquire)).filter(|word| *word != 0) {
                if !entries.iter().any(|entry| !entry.clone && quick_word(*entry) == word) {
                    return Err(Error::bug(format!("hash bucket {number}: a word names a buffer that is not there")));
                }
            }
        }
        Ok(())
    }
}

impl Bucket {
    /// The index of the frame that probably holds the block.
    pub(super) fn quick(&self, tag: u32) -> Option<u32> {
        self.quick.iter().map(|word| word.load(Ordering::Acquire)).find_map(|word| {
            let found = word != 0 && (word >> 32) as u32 == tag;
            found.then(|| word as u32 - 1)
        })
    }

    /// Takes the chain's latch.
    pub(super) fn lock(&self, meter: &Meter) -> Chain<'_> {
        Chain { quick: &self.quick, entries: meter.latch(LatchName::CacheBuffersChains, &self.entries) }
    }
}

/// A locked chain.
pub(super) struct Chain<'a> {
    quick: &'a [AtomicU64; QUICK],
    entries: MutexGuard<'a, Vec<ChainEntry>>,
}

impl Chain<'_> {
    /// The current buffer of a block.
    pub(super) fn current(&self, tag: u32) -> Option<FrameRef> {
        self.entries.iter().find(|entry| entry.tag == tag && !entry.clone).map(|entry| entry.frame)
    }

    #[cfg(any(test, feature = "testing"))]
    pub(super) fn count(&self, tag: u32) -> usize {
        self.entries.iter().filter(|entry| entry.tag == tag && !entry.clone).count()
    }

    /// The clones of a block, oldest first.
    pub(super) fn clones(&self, tag: u32) -> impl Iterator<Item = FrameRef> {
        self.entries.iter().filter(move |entry| entry.tag == tag && entry.clone).map(|entry| entry.frame)
    }

    pub(super) fn add(&mut self, entry: ChainEntry) {
        debug_assert!(entry.clone || self.current(entry.tag).is_none(), "a block has one current buffer");
        debug_assert!(
            self.entries.iter().all(|other| !std::ptr::eq(other.frame, entry.frame)),
            "a buffer is chained once"
        );
        if !entry.clone
            && let Some(word) = self.quick.iter().find(|word| word.load(Ordering::Relaxed) == 0)
        {
            word.store(quick_word(entry), Ordering::Release);
        }
        self.entries.push(entry);
    }

    /// Takes a frame out; false when it is not in the chain.
    pub(super) fn remove(&mut self, tag: u32, frame: FrameRef) -> bool {
        let is_it = |entry: &ChainEntry| entry.tag == tag && std::ptr::eq(entry.frame, frame);
        let Some(at) = self.entries.iter().position(is_it) else { return false };
        let gone = self.entries.remove(at);
        if gone.clone {
            return true;
        }
        if let Some(word) = self.quick.iter().find(|word| word.load(Ordering::Relaxed) == quick_word(gone)) {
            // Another current buffer may have found no word free; it takes this one.
            let has_word =
                |entry: &ChainEntry| self.quick.iter().any(|w| w.load(Ordering::Relaxed) == quick_word(*entry));
            let other = self.entries.iter().find(|entry| !entry.clone && !has_word(entry));
            word.store(other.map_or(0, |entry| quick_word(*entry)), Ordering::Release);
        }
        debug_assert!(self.entries.iter().all(|other| !std::ptr::eq(other.frame, frame)), "a buffer is chained once");
        true
    }
}

fn quick_word(entry: ChainEntry) -> u64 {
    u64::from(entry.tag) << 32 | u64::from(entry.frame.index() + 1)
}

#[cfg(test)]
mod tests {
    use common::SystemClock;
    use common::sync::Arc;

    use super::super::frame;
    use super::*;

    #[test]
    fn the_words_say_where_current_buffers_are() {
        let meter = Meter::new(&waits::SystemMeter::new(), Arc::new(SystemClock::default()), 1, 1);
        let bucket = Bucket::default();
        let entry = |n: u32, clone| ChainEntry { tag: 100 + n, clone, frame: frame::take(n, 0) };
        let entries: Vec<_> = (0..5).map(|n| entry(n, false)).collect();
        for entry in &entries {
            bucket.lock(&meter).add(*entry);
        }
        bucket.lock(&meter).add(entry(9, true));
        let quick = || (0..5).filter(|n| bucket.quick(100 + n) == Some(*n)).count();
        assert_eq!((quick(), bucket.quick(109)), (QUICK, None));
        // The buffer without a word takes the one that has become free.
        assert!(bucket.lock(&meter).remove(100, entries[0].frame));
        assert!(!bucket.lock(&meter).remove(100, entries[0].frame));
        assert_eq!((quick(), bucket.quick(100)), (QUICK, None));
        assert!(bucket.lock(&meter).remove(101, entries[1].frame) && bucket.lock(&meter).remove(102, entries[2].frame));
        assert_eq!((quick(), bucket.quick(103), bucket.quick(104)), (2, Some(3), Some(4)));
        let chain = bucket.lock(&meter);
        assert!(chain.current(109).is_none() && chain.clones(109).count() == 1 && chain.current(103).is_some());
        entries.iter().for_each(|entry| frame::give_up(entry.frame));
    }
}
