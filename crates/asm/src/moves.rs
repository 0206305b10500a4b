//! Moves whose new copies are made, on their way into the metadata. One worker enters all that are waiting with one
//! change: a change is a durable write to several disks, and the group is locked meanwhile.

use std::collections::BTreeMap;

use common::Result;

use crate::directory::{Change, Move, Pointer};
use crate::group::Group;
use crate::rebalance::Planned;

/// A move whose new copy is durable. Its region is locked until it has been entered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copied {
    pub(crate) planned: Planned,
    pub(crate) to: Pointer,
    /// The write of the copy.
    pub(crate) write: u64,
}

/// Moves that are to be entered, and the outcomes that their workers have not taken yet, each by its number.
#[derive(Default, Debug)]
pub(crate) struct Moves {
    last: u64,
    waiting: BTreeMap<u64, Copied>,
    entered: BTreeMap<u64, Result<u16>>,
}

impl Group {
    /// Enters a move in the metadata, with all others that are waiting. Returns the units that were moved: 0 when the
    /// file or the disk is gone meanwhile.
    pub(crate) fn enter_move(&self, copied: Copied) -> Result<u16> {
        let number = {
            let mut moves = self.moves.lock();
            moves.last += 1;
            let number = moves.last;
            moves.waiting.insert(number, copied);
            number
        };
        // Meanwhile another worker may have entered it.
        let state = self.state();
        let waiting = {
            let mut moves = self.moves.lock();
            if let Some(outcome) = moves.entered.remove(&number) {
                return outcome;
            }
            if let Err(error) = state {
                moves.waiting.remove(&number);
                return Err(error);
            }
            std::mem::take(&mut moves.waiting)
        };
        let mut state = state?;
        let takes = |one: &Copied| {
            one.planned.is_current(&state.directory)
                && state.directory.disks.get(&one.planned.to).is_some_and(|disk| disk.takes_extents())
        };
        let (good, late): (BTreeMap<_, _>, BTreeMap<_, _>) = waiting.into_iter().partition(|(_, one)| takes(one));
        let given_back: Vec<_> = late.values().map(|one| one.to).collect();
        state.space.give_back(&given_back);
        let changes: Vec<_> =
            good.values().map(|one| Move::new(one.planned.file, one.planned.position as u32, one.to)).collect();
        let committed = if changes.is_empty() { Ok(()) } else { self.commit_in(&mut state, &Change::Moves(changes)) };
        if committed.is_ok() {
            let mut of_files: BTreeMap<u32, Vec<Copied>> = BTreeMap::new();
            for one in good.values() {
                of_files.entry(one.planned.file).or_default().push(*one);
            }
            for (number, moved) in of_files {
                let left: Vec<_> =
                    moved.iter().map(|one| one.planned.from).filter(|pointer| !pointer.is_none()).collect();
                match state.open_file(number) {
                    Some(file) => {
                        moved.iter().for_each(|one| file.note_write(one.to.disk(), one.write));
                        file.move_pointers(moved.iter().map(|one| (one.planned.position, one.to)));
                        state.leave(file.readers(), left);
                    }
                    None => state.space.give_back(&left),
                }
            }
        }
        let mut moves = self.moves.lock();
        let outcome = |one: &Copied| committed.clone().map(|()| one.to.units());
        moves.entered.extend(late.into_keys().map(|number| (number, Ok(0))));
        moves.entered.extend(good.iter().map(|(number, one)| (*number, outcome(one))));
        moves.entered.remove(&number).unwrap_or(Ok(0))
    }
}
