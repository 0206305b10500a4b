//! A run of blocks: which of them the cell can decide, and their rows.

use std::io;

use common::BlockAddress;
use format::block::{self, BlockType};
use format::heap;
use format::itl::{self, SlotState};
use format::transaction::{self, Owner};
use scan::{ScanOutcome, Scanner, Stop};

use crate::answer::{AnswerWriter, Reason, RowsOf};
use crate::extremes::Extremes;
use crate::request::{Piece, ScanRequest};
use crate::storage_index::Learner;

/// Reads of a block that was being written each time.
const READS: u32 = 3;

/// Scans the blocks of a piece, which have been read. `reread` reads bytes of the disk again.
///
/// # Errors
/// Errors of `reread`.
pub(crate) fn scan_piece(
    request: &ScanRequest,
    piece: Piece,
    blocks: &mut [u8],
    answer: &mut AnswerWriter,
    learner: &mut Option<Learner>,
    mut reread: impl FnMut(u64, &mut [u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut scanner = Scanner::new(request.spec.clone());
    let mut extremes = (!request.extremes.is_empty()).then(|| Extremes::new(&request.extremes));
    for (number, bytes) in (0..piece.blocks).zip(blocks.chunks_exact_mut(request.block_size.bytes())) {
        let address = piece.first.plus(number);
        if request.is_gap(address.block - request.first.block) {
            continue;
        }
        answer.figures.blocks += 1;
        let mut sound = block::check(bytes, address).is_ok();
        for _ in 1..READS {
            if !sound {
                answer.figures.bytes_read += bytes.len() as u64;
                reread(piece.offset + u64::from(number) * bytes.len() as u64, bytes)?;
                sound = block::check(bytes, address).is_ok();
            }
        }
        if !sound {
            answer.block(Reason::Unsound, address, bytes);
            *learner = None;
        } else if let Err(reason) = scan_block(
            request,
            address,
            bytes,
            &mut scanner,
            &mut Answered { answer, extremes: &mut extremes },
            learner,
        ) {
            answer.block(reason, address, bytes);
            // The instance may find other rows there.
            *learner = None;
        }
    }
    if let Some(extremes) = extremes {
        extremes.hand_over(&mut RowsOf { answer });
    }
    Ok(())
}

/// Where the rows of a piece go.
struct Answered<'a> {
    answer: &'a mut AnswerWriter,
    extremes: &'a mut Option<Extremes>,
}

/// Answers the blocks of a piece as they are.
pub(crate) fn pass_through(request: &ScanRequest, piece: Piece, blocks: &[u8], answer: &mut AnswerWriter, why: Reason) {
    for (number, bytes) in (0..piece.blocks).zip(blocks.chunks_exact(request.block_size.bytes())) {
        let address = piece.first.plus(number);
        if request.is_gap(address.block - request.first.block) {
            continue;
        }
        answer.figures.blocks += 1;
        // One that is being written is left to the instance.
        let why = if block::check(bytes, address).is_ok() { why } else { Reason::Unsound };
        answer.block(why, address, bytes);
    }
}

/// Scans a block that passes its checks, or says why not.
fn scan_block(
    request: &ScanRequest,
    address: BlockAddress,
    bytes: &mut [u8],
    scanner: &mut Scanner,
    answered: &mut Answered<'_>,
    learner: &mut Option<Learner>,
) -> Result<(), Reason> {
    let owner = transaction::header(bytes);
    let is_of = block::kind(bytes) == Some(BlockType::Data)
        && owner.owner == Owner::Table as u8
        && owner.object_number() == request.object;
    if !is_of {
        return Err(Reason::Other);
    }
    if !heap::is_within(bytes) {
        return Err(Reason::Unsound);
    }
    if !itl::is_visible_fast(bytes, request.snapshot) {
        // The instance gets the block as it is on the disk: what is cleaned here is a copy.
        let mut copy = bytes.to_vec();
        clean_ended(request, &mut copy)?;
        answered.answer.figures.helped += 1;
        return scan_rows(address, &copy, scanner, answered, learner);
    }
    scan_rows(address, bytes, scanner, answered, learner)
}

/// Cleans the slots of transactions that have ended in time.
fn clean_ended(request: &ScanRequest, bytes: &mut [u8]) -> Result<(), Reason> {
    // The last change of all in the block.
    if block::header(bytes).scn() >= request.ended_before {
        return Err(Reason::Undo);
    }
    // Rows are taken out: their places must be right.
    if heap::validate(bytes).is_err() {
        return Err(Reason::Unsound);
    }
    let slots: Vec<(u8, itl::Itl)> = itl::slots(bytes).map(|(number, slot)| (number, *slot)).collect();
    for (number, slot) in slots {
        match slot.state() {
            SlotState::Unused => {}
            SlotState::Committed(scn) if scn <= request.snapshot => {}
            // A load has deleted and locked nothing.
            SlotState::Active if slot.is_loaded() => {}
            SlotState::Active => itl::clean(bytes, number, request.snapshot, true),
            SlotState::Committed(_) => return Err(Reason::Undo),
        }
    }
    Ok(())
}

fn scan_rows(
    address: BlockAddress,
    bytes: &[u8],
    scanner: &mut Scanner,
    Answered { answer, extremes }: &mut Answered<'_>,
    learner: &mut Option<Learner>,
) -> Result<(), Reason> {
    debug_assert_eq!(block::header(bytes).address(), address, "a block that is not where it says");
    let (mark, before) = (answer.mark(), extremes.clone());
    let ScanOutcome { stop, examined, .. } = match extremes {
        Some(extremes) => scanner.scan_block(bytes, 0, usize::MAX, extremes),
        None => scanner.scan_block(bytes, 0, usize::MAX, &mut RowsOf { answer }),
    };
    match stop {
        Stop::BlockEnd => {
            answer.figures.examined += examined as u64;
            if let Some(learner) = learner {
                learner.block(bytes);
            }
            Ok(())
        }
        Stop::Full { .. } | Stop::Continued { .. } => {
            answer.back_to(mark);
            **extremes = before;
            Err(Reason::Chained)
        }
    }
}
