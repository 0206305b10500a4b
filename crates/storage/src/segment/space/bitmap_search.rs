//! The search for a block through three levels of bitmaps.

use common::{BlockAddress, BlockClass, Error, Result};
use format::bitmap::{self, BlockState};
use format::block::{self, BlockType};
use format::{itl, transaction};
use waits::Statistic;

use super::bitmap::{Bitmaps, FORMAT_BATCH};
use crate::cache::BlockMut;
use crate::parameters::Parameter;
use crate::process::metadata;
use crate::segment::{RowRoom, Segment};
use crate::txn::Worker;

/// Most refusals by half-full blocks before the search takes an empty block.
const REFUSALS_MAX: usize = 5;

/// Most blocks in use by other sessions that a search passes over before it accepts one of them. Without a limit, one
/// long transaction that has touched many half-full blocks would cost every insert of other sessions a probe of each.
const PASSED_MAX: usize = 32;

/// Result of a look at a block.
enum Probed {
    Taken(BlockMut),
    /// The block does not serve.
    Refused,
    /// The block may serve, but another session is at work in it.
    InUse,
}

/// A step of the search among the blocks of an L1.
#[derive(Clone, Copy)]
enum Step {
    Probe(BlockAddress, BlockState),
    /// Formats a batch with unformatted blocks: its index in the L1, and the address of its first block.
    Format(usize, BlockAddress),
}

/// State of a search for a block.
struct Search {
    want: Want,
    /// Blocks that refused the row.
    refusals: usize,
    /// Blocks passed over because another session is at work in them.
    passed: usize,
    /// True: search as the releases with bug 6918210 did, see [`Parameter::LegacySpaceSearch`].
    legacy: bool,
    /// True: the segment cannot grow, so the search makes one last pass over all blocks that may serve before it
    /// reports that.
    last: bool,
}

impl Search {
    /// True: half-full blocks have refused often enough.
    fn is_sure(&self) -> bool {
        self.refusals >= REFUSALS_MAX && !self.legacy && !self.last
    }

    /// True: a block in which another session is at work will do.
    fn is_patient(&self) -> bool {
        self.last || self.passed >= PASSED_MAX
    }

    /// True: the search has left out blocks that may serve.
    fn has_left_out(&self) -> bool {
        self.passed > 0 || self.is_sure()
    }
}

/// The places of a batch of `length` blocks in the order in which a process looks at them. Processes with neighbouring
/// numbers begin five places apart.
pub(super) fn in_batch(process: usize, length: usize) -> impl Iterator<Item = usize> {
    let start = process * 5 % length.max(1);
    (0..length).map(move |n| (start + n) % length)
}

/// True: the error says that a segment could not grow, because its tablespace is full, or the file system in which a
/// file would grow.
fn is_out_of_space(error: &Error) -> bool {
    [1653, 1654, 1237].into_iter().any(|number| error.is_ora(number))
}

/// The target of a search.
#[derive(Clone, Copy)]
pub(super) enum Want {
    /// A block in which a row fits.
    Row(RowRoom),
    /// An index block without content.
    Empty,
}

impl Want {
    /// True: a block of this state may serve. `sure`: only a state that certainly has room counts.
    fn may_serve(self, state: BlockState, segment: &Segment, sure: bool) -> bool {
        match self {
            Self::Empty => state == BlockState::Free100,
            Self::Row(_) if sure => state == BlockState::Free100,
            Self::Row(row) => {
                let block_bytes = segment.block_size().bytes();
                let reserve = block_bytes * usize::from(segment.spec.pctfree) / 100;
                state == BlockState::Free100 || state.free_most(block_bytes) >= row.bytes + reserve
            }
        }
    }

    /// The states that may serve, as a mask for L2 entries. Unformatted blocks always serve.
    fn mask(self, segment: &Segment, sure: bool) -> u8 {
        BlockState::DATA
            .into_iter()
            .filter(|state| *state == BlockState::Unformatted || self.may_serve(*state, segment, sure))
            .fold(0, |mask, state| mask | state.bit())
    }
}

impl Bitmaps {
    /// Finds a block that serves, latched. Raises the high-water mark where there is none.
    pub(super) fn search(segment: &Segment, s: &Worker, want: Want) -> Result<BlockMut> {
        let hint = segment.hint(s);
        let migrates = matches!(want, Want::Row(row) if row.own_slot);
        let legacy = migrates && s.parameters().boolean(Parameter::LegacySpaceSearch);
        let mut search = Search { want, refusals: 0, passed: 0, legacy, last: false };
        if let (Some(address), Want::Row(row)) = (hint.block.filter(|_| !legacy), want)
            && let Some(block) = Self::probe_last(segment, s, address, row, &mut search)?
        {
            return Ok(block);
        }
        if let Some(l1) = hint.first_level.filter(|_| !legacy)
            && let Some(block) = Self::search_first_level(segment, s, l1, &mut search, true)?
        {
            return Ok(block);
        }
        loop {
            s.check_cancelled()?;
            for l2 in Self::second_levels(segment, s)? {
                let mask = want.mask(segment, search.is_sure());
                let candidates: Vec<_> = {
                    let block = metadata::current(s, l2, BlockClass::SecondLevelBitmap)?;
                    (0..bitmap::upper(&block).entries.get() as usize)
                        .map(|n| *bitmap::second_level_entry(&block, n))
                        .filter(|entry| entry.states & mask != 0)
                        .map(|entry| BlockAddress::unpack(entry.first_level.get()))
                        .collect()
                };
                let start = s.process().0 as usize % candidates.len().max(1);
                for n in 0..candidates.len() {
                    let l1 = candidates[(start + n) % candidates.len()];
                    if let Some(block) = Self::search_first_level(segment, s, l1, &mut search, false)? {
                        return Ok(block);
                    }
                }
            }
            match Self::raise_high_water(segment, s) {
                // A block in use is better than none, and so is a further probe of blocks that may refuse.
                Err(error) if is_out_of_space(&error) && search.has_left_out() && !search.last => search.last = true,
                raised => raised?,
            }
        }
    }

    /// Looks for a block among those that an L1 covers. An L1 that was only remembered may belong to another segment by
    /// now.
    fn search_first_level(
        segment: &Segment,
        s: &Worker,
        l1: BlockAddress,
        search: &mut Search,
        hinted: bool,
    ) -> Result<Option<BlockMut>> {
        let steps = {
            let block = s.current(l1, BlockClass::FirstLevelBitmap)?;
            let header = bitmap::first_level(&block);
            if block::kind(&block) != Some(BlockType::FirstLevelBitmap)
                || header.object.get() != segment.data_object().0
            {
                if hinted {
                    return Ok(None);
                }
                return Err(Error::corrupt(l1, format!("it is no bitmap block of {}", segment.name())));
            }
            Self::steps(segment, s, &block, search)
        };
        for step in steps {
            let batch = match step {
                // Half-full blocks have refused often enough: skip another one.
                Step::Probe(_, state)
                    if search.is_sure() && search.refusals > REFUSALS_MAX && state != BlockState::Free100 =>
                {
                    continue;
                }
                Step::Probe(address, _) => vec![address],
                Step::Format(batch, first) => Self::format_batch(segment, s, l1, (batch, first))?,
            };
            for address in batch {
                match Self::probe(segment, s, address, search)? {
                    Probed::Taken(block) => {
                        Self::remember(segment, s, address, l1);
                        return Ok(Some(block));
                    }
                    Probed::Refused => {}
                    Probed::InUse => search.passed += 1,
                }
            }
        }
        Ok(None)
    }

    /// The steps of this process among the blocks that may serve: first the blocks of its own batch, which it formats,
    /// then those of the other batches; other batches are formatted last.
    fn steps(segment: &Segment, s: &Worker, l1: &[u8], search: &Search) -> Vec<Step> {
        let covered = usize::from(bitmap::first_level(l1).covered.get());
        let sure = search.is_sure();
        let (batches, process) = (covered.div_ceil(FORMAT_BATCH).max(1), s.process().0 as usize);
        let (mut steps, mut unformatted) = (Vec::new(), Vec::new());
        for n in 0..batches {
            let batch = (process + n) % batches * FORMAT_BATCH;
            let length = FORMAT_BATCH.min(covered.saturating_sub(batch));
            for index in in_batch(process, length).map(|place| batch + place) {
                let state = bitmap::state(l1, index);
                if let Some(address) =
                    bitmap::address_of(l1, index).filter(|_| search.want.may_serve(state, segment, sure))
                {
                    steps.push(Step::Probe(address, state));
                }
            }
            if let Some(first) = bitmap::address_of(l1, batch)
                && !Self::unformatted(l1, batch).is_empty()
            {
                let format = Step::Format(batch, first);
                if n == 0 { steps.push(format) } else { unformatted.push(format) }
            }
        }
        steps.extend(unformatted);
        steps
    }

    fn remember(segment: &Segment, s: &Worker, block: BlockAddress, l1: BlockAddress) {
        segment.remember(s, Some(block), Some(l1));
    }

    /// The block that took the process's last row, unless another session is at work in it by now.
    fn probe_last(
        segment: &Segment,
        s: &Worker,
        address: BlockAddress,
        row: RowRoom,
        search: &mut Search,
    ) -> Result<Option<BlockMut>> {
        let block = s.current_mut(address, BlockClass::Data)?;
        match Self::ask(segment, s, block, row, search)? {
            Probed::Taken(block) => Ok(Some(block)),
            Probed::Refused => Ok(None),
            Probed::InUse => {
                search.passed += 1;
                Ok(None)
            }
        }
    }

    /// Latches a block and asks it for room.
    fn probe(segment: &Segment, s: &Worker, address: BlockAddress, search: &mut Search) -> Result<Probed> {
        match search.want {
            Want::Row(row) if search.is_patient() => {
                let block = s.current_mut(address, BlockClass::Data)?;
                Self::ask(segment, s, block, row, search)
            }
            Want::Row(row) => match s.try_current_mut(address, BlockClass::Data)? {
                Some(block) => Self::ask(segment, s, block, row, search),
                None => Ok(Probed::InUse),
            },
            Want::Empty => {
                // The caller has blocks of the index latched: a wait for one more, which may have got into the tree
                // meanwhile, could be for ever.
                let Some(mut block) = s.try_current_mut(address, BlockClass::Data)? else { return Ok(Probed::Refused) };
                // The flag says that no session has taken the block since its state was read.
                if !segment.owns(&block) || !transaction::header(&block).on_freelist() {
                    return Ok(Probed::Refused);
                }
                s.change(&mut block, |bytes| transaction::header_mut(bytes).set_freelist(false, BlockAddress::NONE));
                Ok(Probed::Taken(block))
            }
        }
    }

    /// Asks a latched block whether it takes a row.
    fn ask(segment: &Segment, s: &Worker, mut block: BlockMut, row: RowRoom, search: &mut Search) -> Result<Probed> {
        if !segment.owns(&block) {
            return Ok(Probed::Refused);
        }
        if segment.takes(s, &mut block, row)? {
            let in_use = !search.is_patient() && Self::is_in_use(s, &mut block)?;
            return Ok(if in_use { Probed::InUse } else { Probed::Taken(block) });
        }
        search.refusals += 1;
        s.meter().count(Statistic::SpaceBlocksRejected, 1);
        if Self::is_used_up(segment, &block) || !search.legacy && segment.lacks_slot(&block, row) {
            Self::set_state(segment, s, &mut block, BlockState::Full)?;
        }
        Ok(Probed::Refused)
    }

    /// True: another session has a transaction in the block.
    fn is_in_use(s: &Worker, block: &mut BlockMut) -> Result<bool> {
        let own = s.xid();
        let others = |block: &[u8]| itl::slots(block).any(|(_, slot)| slot.is_active() && Some(slot.xid()) != own);
        if !others(block) {
            return Ok(false);
        }
        s.clean_current(block)?;
        Ok(others(block))
    }
}
