//! The end of a transaction that commits.

use common::{BlockAddress, BlockClass, Result, Scn, Xid};
use format::block::{self, BlockType};
use format::itl;
use waits::Statistic;

use super::CommitWrite;
use super::Worker;
use crate::cache::BlockMut;
use crate::redo::Lsn;

/// Share of the standard cache's buffers, in percent, whose blocks a commit visits to write its SCN into them.
const CLEANOUT_PERCENT: usize = 10;
/// A commit that cleans out more blocks has its redo written meanwhile.
const POST_BLOCKS: usize = 32;

#[cfg(any(test, feature = "testing"))]
common::sync::thread_local! {
    /// What a session of this thread does when its transaction has ended in the undo segment's header and snapshots do
    /// not see it yet, for tests.
    pub static ENDED: std::cell::Cell<Option<Box<dyn Fn()>>> = const { std::cell::Cell::new(None) };
}

impl Worker {
    /// Commits the transaction, if there is one: returns when its redo is durable, unless `write` says otherwise.
    ///
    /// # Errors
    /// HW-0010 when the instance has stopped: whether the transaction has committed is then not known before the next
    /// open. Those of getting the header of the undo segment; the transaction is then still there, and can be committed
    /// or rolled back.
    pub fn commit(&self, write: CommitWrite) -> Result<()> {
        let all = self.transactions();
        let ended = self.end_committed()?;
        let (Some(transaction), Some((scn, end))) = (self.take_ended(), ended) else {
            all.locks.release_tables(self.meter(), self.sid());
            return self.store().health().check();
        };
        let (xid, changed) = (transaction.undo.xid(), transaction.undo.used_records() > 0);
        let redo = self.store().redo();
        // A session that waits will write the log itself, unless it has much to do before.
        if changed && !write.batch && (write.no_wait || transaction.blocks.len() > POST_BLOCKS) {
            redo.post();
        }
        all.locks.ended(self.meter(), xid);
        all.locks.release_tables(self.meter(), self.sid());
        if let Some(at_commit) = &transaction.at_commit {
            at_commit.tell();
        }
        self.clean_out(&transaction.blocks, xid, scn)?;
        match end {
            Some(end) if changed && !write.no_wait => redo.wait_durable(self.meter(), end),
            _ => self.store().health().check(),
        }
    }

    /// Waits until all redo that there is now is durable: what was committed without waiting is then.
    ///
    /// # Errors
    /// HW-0010 when the instance has stopped.
    pub fn wait_for_redo(&self) -> Result<()> {
        let redo = self.store().redo();
        redo.wait_durable(self.meter(), redo.end())
    }

    /// The transaction, if there is one, is committed from here on: its SCN, and where its redo ends. It is still the
    /// session's.
    fn end_committed(&self) -> Result<Option<(Scn, Option<Lsn>)>> {
        let header = self.with_transaction(|transaction| transaction.undo.header_mut(self)).transpose()?;
        let end = |header, scn| {
            self.with_transaction(|transaction| {
                let (undo, begun) = (&transaction.undo, transaction.undo.start_scn());
                debug_assert!(scn > begun, "transaction {} began at {begun:?} and ends at {scn:?}", undo.xid());
                undo.commit(self, header, scn);
            })
        };
        Ok(header.map(|header| self.end_at(header, end)))
    }

    /// Transactions end one at a time, and each is seen before the next one ends: `end` writes the SCN that it is given
    /// into the undo segment's header. A session that reads it there before snapshots see it takes the transaction for
    /// one that runs ([`Worker::ended`]).
    ///
    /// That header comes latched, so that the session waits for nothing while it keeps others from ending: DDL ends a
    /// transaction with blocks latched that a checkpoint needs, and the session before it would wait for the room in
    /// the log that the checkpoint brings.
    pub(super) fn end_at<R>(&self, header: BlockMut, end: impl FnOnce(BlockMut, Scn) -> R) -> (Scn, Option<Lsn>) {
        let _committing = self.store().committing(self.meter());
        let scn = self.store().advance_scn();
        debug_assert!(scn > self.store().visible_scn(), "a transaction ends at {scn:?}, which snapshots see already");
        let mini = self.begin_mini();
        end(header, scn);
        let redo = mini.commit();
        #[cfg(any(test, feature = "testing"))]
        if let Some(work) = ENDED.take() {
            work();
        }
        self.store().show(scn);
        (scn, redo)
    }

    /// Commit cleanout: the blocks of the transaction that are still cached, and that nobody has latched, learn its
    /// SCN.
    fn clean_out(&self, blocks: &[BlockAddress], xid: Xid, scn: Scn) -> Result<()> {
        let cache = self.store().cache();
        let most = cache.pool_of(self.store().block_size()).capacity() * CLEANOUT_PERCENT / 100;
        let left = blocks.len().saturating_sub(most);
        self.meter().count(Statistic::CommitCleanoutFailuresDelayed, left as u64);
        let mut visited: Vec<_> = blocks[left..].to_vec();
        visited.sort_unstable();
        visited.dedup();
        for address in visited {
            self.meter().count(Statistic::CommitCleanouts, 1);
            let Some(mut block) = cache.try_cached_mut(self.meter(), address, BlockClass::Data)? else { continue };
            if block::kind(&block) != Some(BlockType::Data) {
                continue;
            }
            let mine: Vec<u8> = itl::slots(&block)
                .filter(|(_, slot)| slot.is_active() && slot.xid() == xid)
                .map(|(number, _)| number)
                .collect();
            if !mine.is_empty() {
                let reach = itl::commit_reach(&block, &mine);
                self.change_within(&mut block, reach.as_ref(), |bytes| {
                    for number in mine {
                        itl::commit(bytes, number, scn);
                        debug_assert_eq!(
                            itl::slot(bytes, number).and_then(itl::Itl::committed),
                            Some(scn),
                            "{address}"
                        );
                    }
                });
                self.meter().count(Statistic::CommitCleanoutsSuccessfullyCompleted, 1);
            }
        }
        Ok(())
    }
}
