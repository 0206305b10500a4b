//! Applying redo to blocks: a block gets all of a batch's redo at once, and blocks that must be read are read ahead.

use std::collections::BTreeMap;

use common::sync::Arc;
use common::{BlockAddress, BlockClass, Error, ErrorKind, Number, Result};
use format::redo::{NEW, Vector, Version};
use waits::{Meter, Statistic};

use super::batch::RedoBatch;
use crate::cache::{BlockMut, Cache};
use crate::control::{ControlData, DatafileRecord};
use crate::redo::Lsn;

/// Most blocks between the current one and the last that was sent for.
const BLOCKS_AHEAD: usize = 64;
/// Most blocks in one read.
const READ_BLOCKS: u32 = 32;

/// State that all applying threads share.
pub(super) struct Target {
    pub(super) cache: Arc<Cache>,
    pub(super) meter: Arc<Meter>,
    /// Datafiles with their numbers of blocks, by file number.
    files: BTreeMap<u16, (DatafileRecord, u32)>,
    /// Start of the redo that the blocks need until they are written.
    from: Lsn,
}

impl Target {
    pub(super) fn new(cache: &Arc<Cache>, meter: &Arc<Meter>, control: &ControlData, from: Lsn) -> Result<Self> {
        let mut files = BTreeMap::new();
        for record in &control.datafiles {
            let blocks = cache.file(record.file())?.blocks();
            files.insert(record.number, (record.clone(), blocks));
        }
        Ok(Self { cache: cache.clone(), meter: meter.clone(), files, from })
    }

    /// True: the vector's block still exists. The file may be gone, another file may have its number since, or the file
    /// may have been longer once.
    fn has(&self, vector: &Vector<'_>) -> bool {
        let block = vector.address.block;
        let file = self.files.get(&vector.address.file.0);
        file.is_some_and(|(record, blocks)| block < *blocks && record.had(block, vector.after.scn))
    }
}

/// A thread that applies redo, and its figures.
pub(super) struct Applier {
    target: Arc<Target>,
    /// Blocks that could not be read, kept here until redo formats them anew. A load writes new blocks around the
    /// cache, so a crash may tear one whose earlier redo is still read: that redo is passed over.
    pub(super) torn: BTreeMap<BlockAddress, Error>,
    /// Vectors applied to blocks.
    pub(super) applied: u64,
    /// Vectors passed over: their blocks had them already, or are gone.
    pub(super) passed: u64,
}

/// A batch's redo for one block.
struct BlockRedo<'a> {
    address: BlockAddress,
    class: BlockClass,
    vectors: &'a [u64],
    /// Place of the last vector that formats the block anew: the block's earlier content is not needed.
    image: Option<usize>,
}

impl Applier {
    pub(super) fn new(target: Arc<Target>) -> Self {
        Self { target, torn: BTreeMap::new(), applied: 0, passed: 0 }
    }

    /// Applies one part of a batch. Batches come in the order of the log.
    ///
    /// # Errors
    /// ORA-00600 for a block that lacks redo from before the checkpoint, ORA-00353, errors of the cache.
    pub(super) fn apply(&mut self, batch: &RedoBatch, part: usize) -> Result<()> {
        let mut keys = batch.sorted(part);
        let before = keys.len();
        let mut damaged = None;
        keys.retain(|key| match batch.vector(*key) {
            Ok(vector) => self.target.has(&vector),
            Err(error) => {
                damaged.get_or_insert(error);
                false
            }
        });
        if let Some(error) = damaged {
            return Err(error);
        }
        self.passed += (before - keys.len()) as u64;
        let mut work = Vec::new();
        for vectors in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
            work.push(work_of(batch, vectors)?);
        }
        let mut sent = 0;
        for (at, one) in work.iter().enumerate() {
            while sent < work.len() && sent <= at + BLOCKS_AHEAD {
                sent += self.send_for(&work[sent..])?;
            }
            self.work(batch, one)?;
        }
        Ok(())
    }

    /// Sends one read for the first of these blocks and its neighbours. Returns the number of blocks that need no
    /// further read.
    fn send_for(&self, work: &[BlockRedo<'_>]) -> Result<usize> {
        let first = &work[0];
        if !self.must_be_known(first) {
            return Ok(1);
        }
        let run = (0..).zip(work).take(READ_BLOCKS as usize);
        let run = run.take_while(|(n, next)| {
            next.address == first.address.plus(*n) && next.class == first.class && self.must_be_known(next)
        });
        let count = run.count() as u32;
        let Target { cache, meter, .. } = &*self.target;
        let sent = cache.read_ahead(meter, first.address, count, first.class)?;
        Ok(sent.max(1) as usize)
    }

    fn must_be_known(&self, work: &BlockRedo<'_>) -> bool {
        work.image.is_none() && !self.torn.contains_key(&work.address)
    }

    fn work(&mut self, batch: &RedoBatch, work: &BlockRedo<'_>) -> Result<()> {
        let (address, class) = (work.address, work.class);
        debug_assert!(work.vectors.is_sorted(), "{address}: redo is out of the log's order");
        let done = self.applied + self.passed;
        let Target { cache, meter, from, .. } = &*self.target;
        meter.count(Statistic::RecoveryBlockGetsFromCache, 1);
        let mut vectors = work.vectors;
        let mut block = match work.image {
            Some(image) => {
                self.torn.remove(&address);
                self.passed += image as u64;
                vectors = &vectors[image + 1..];
                let mut block = cache.get_new(meter, address, class)?;
                block.recover(&batch.vector(work.vectors[image])?, *from)?;
                self.applied += 1;
                block
            }
            None if self.torn.contains_key(&address) => {
                self.passed += vectors.len() as u64;
                return Ok(());
            }
            None => match cache.get_mut(meter, address, class) {
                Err(error) if error.is_ora(1578) => {
                    self.torn.insert(address, error);
                    self.passed += vectors.len() as u64;
                    return Ok(());
                }
                block => block?,
            },
        };
        for key in vectors {
            let applied = put(&mut block, &batch.vector(*key)?, *from)?;
            self.applied += u64::from(applied);
            self.passed += u64::from(!applied);
        }
        debug_assert_eq!(self.applied + self.passed, done + work.vectors.len() as u64, "{address}: redo is counted");
        Ok(())
    }
}

fn work_of<'a>(batch: &RedoBatch, vectors: &'a [u64]) -> Result<BlockRedo<'a>> {
    let mut work: Option<BlockRedo<'_>> = None;
    for (at, key) in vectors.iter().enumerate() {
        let vector = batch.vector(*key)?;
        let work = work.get_or_insert_with(|| {
            let class = BlockClass::ALL.into_iter().find(|class| *class as u16 == vector.class);
            BlockRedo { address: vector.address, class: class.unwrap_or(BlockClass::Data), vectors, image: None }
        });
        if vector.code == NEW {
            work.image = Some(at);
        }
    }
    work.ok_or_else(|| Error::bug("redo of no block"))
}

/// Applies a vector to a block. False when the block has it already.
fn put(block: &mut BlockMut, vector: &Vector<'_>, from: Lsn) -> Result<bool> {
    let version = Version::of(block);
    if version >= vector.after {
        return Ok(false);
    }
    if version != vector.before {
        return Err(Error::new(
            ErrorKind::Corrupt,
            Number::Ora(600),
            format!(
                "block {} is at SCN {} seq {}, redo goes on from SCN {} seq {}: redo is missing",
                vector.address, version.scn, version.seq, vector.before.scn, vector.before.seq
            ),
        ));
    }
    block.recover(vector, from)?;
    debug_assert_eq!(Version::of(block), vector.after, "{}: it has redo that is not in it", vector.address);
    Ok(true)
}
