//! A run of blocks: which of them the cell can decide, and their rows.

use std::io;

use common::BlockAddress;
use format::block::{self, BlockType};
use format::heap;
use format::index;
use format::itl::{self, SlotState};
use format::transaction::{self, Owner};
use scan::{ScanOutcome, Scanner, Stop, scan_leaf};

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
    let header = transaction::header(bytes);
    let owner = if request.index.is_some() { Owner::Index } else { Owner::Table };
    let is_of = block::kind(bytes) == Some(BlockType::Data)
        && header.owner == owner as u8
        && header.object_number() == request.object;
    if !is_of {
        return Err(Reason::Other);
    }
    if let Some(columns) = &request.index {
        return scan_entries(request, columns, address, bytes, answered.answer);
    }
    if !heap::is_within(bytes) {
        return Err(Reason::Unsound);
    }
    if !itl::is_visible_fast(bytes, request.snapshot) {
        let ended = ended(request, bytes)?;
        if !ended.is_empty() {
            // Rows are taken out: their places must be right. The instance gets the block as it is on the disk: what is
            // cleaned here is a copy.
            let mut copy = bytes.to_vec();
            if heap::validate(&copy).is_err() {
                return Err(Reason::Unsound);
            }
            ended.iter().for_each(|number| itl::clean(&mut copy, *number, request.snapshot, true));
            answered.answer.figures.helped += 1;
            return scan_rows(address, &copy, scanner, answered, learner);
        }
        answered.answer.figures.helped += 1;
    }
    scan_rows(address, bytes, scanner, answered, learner)
}

/// Answers the entries of a leaf.
fn scan_entries(
    request: &ScanRequest,
    columns: &[u16],
    address: BlockAddress,
    bytes: &[u8],
    answer: &mut AnswerWriter,
) -> Result<(), Reason> {
    if index::is_blank(bytes) {
        return Ok(());
    }
    if index::check(bytes, address).is_err() {
        return Err(Reason::Unsound);
    }
    if !index::is_leaf(bytes) {
        return Ok(());
    }
    if !itl::is_visible_fast(bytes, request.snapshot) {
        // An entry that an ended transaction has deleted is marked, whether its slot was cleaned or not.
        ended(request, bytes)?;
        answer.figures.helped += 1;
    }
    scan_leaf(bytes, columns, request.spec.predicate.as_ref(), &mut RowsOf { answer });
    Ok(())
}

/// The slots of transactions that have ended in time, and may have deleted rows. All others are seen as they are.
fn ended(request: &ScanRequest, bytes: &[u8]) -> Result<Vec<u8>, Reason> {
    // The last change of all in the block.
    if block::header(bytes).scn() >= request.ended_before {
        return Err(Reason::Undo);
    }
    let mut ended = Vec::new();
    for (number, slot) in itl::slots(bytes) {
        match slot.state() {
            SlotState::Unused => {}
            SlotState::Committed(scn) if scn <= request.snapshot => {}
            // A load has deleted and locked nothing.
            SlotState::Active if slot.is_loaded() => {}
            SlotState::Active => ended.push(number),
            SlotState::Committed(_) => return Err(Reason::Undo),
        }
    }
    Ok(ended)
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
