//! Reading undo back, and the state of transactions.

use common::{BlockAddress, BlockClass, Error, ErrorKind, Number, ObjectNumber, Result, Scn, Uba, Xid};
use format::block::{self, BlockType};
use format::transaction::ITL_BYTES;
use format::undo::{self, Previous};
use waits::Statistic;

use super::UndoSegments;
use super::segment::name_of;
use crate::cache::Block;
use crate::process::Process;
use crate::process::metadata;

/// The predecessor of a record: the state of the block's ITL slot before the change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwnedPrevious {
    /// The old bytes of the ITL slot: this was the transaction's first change of the block.
    Itl([u8; ITL_BYTES]),
    /// The transaction's previous record for the same block.
    Uba(Uba),
}

/// An undo record, read back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    pub uba: Uba,
    pub xid: Xid,
    /// The transaction's previous record, which a rollback follows.
    pub chain: Uba,
    pub object: ObjectNumber,
    pub block: BlockAddress,
    pub operation: u8,
    pub itl: u8,
    /// The predecessor for the same block, which a consistent read follows.
    pub previous: OwnedPrevious,
    pub payload: Vec<u8>,
}

/// Undo blocks that are read at once where a rollback goes on: a transaction takes its blocks one after another.
const BLOCKS_BEHIND: u32 = 16;

/// A record as its block has it, and the address of the next piece of its payload.
fn owned(uba: Uba, view: &undo::RecordView<'_>) -> (Record, Option<Uba>) {
    let previous = match view.record.previous {
        Previous::Itl(itl) => OwnedPrevious::Itl(*itl),
        Previous::Uba(uba) => OwnedPrevious::Uba(uba),
    };
    let record = Record {
        uba,
        xid: view.xid,
        chain: view.chain,
        object: view.record.object,
        block: view.record.block,
        operation: view.record.operation,
        itl: view.record.itl,
        previous,
        payload: view.record.payload.to_vec(),
    };
    (record, view.more)
}

fn view(bytes: &[u8], uba: Uba, xid: Option<Xid>) -> Option<undo::RecordView<'_>> {
    if block::kind(bytes) != Some(BlockType::UndoBlock) || undo::block_header(bytes).life.get() != uba.sequence {
        return None;
    }
    undo::record(bytes, uba.record).filter(|view| xid.is_none_or(|xid| view.xid == xid))
}

/// State of a transaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransactionState {
    Active,
    /// Committed, or rolled back, at this SCN.
    Committed(Scn),
    /// Its slot has been taken again: it ended at this SCN or before.
    CommittedBefore(Scn),
}

impl UndoSegments {
    fn too_old(&self, s: &Process, segment: Option<u16>) -> Error {
        self.count_too_old(s);
        let whose =
            segment.map_or_else(|| "undo segment".to_owned(), |number| format!("undo segment {}", name_of(number)));
        Error::new(
            ErrorKind::User,
            Number::Ora(1555),
            format!("snapshot too old: {whose} no longer has the undo that is needed"),
        )
    }

    /// A block that once had undo. Its extent may have been given back since, and its file cut or dropped.
    fn undo_block(&self, s: &Process, address: BlockAddress, segment: Option<u16>) -> Result<Block> {
        let block = s.consistent(address, BlockClass::UndoBlock).map_err(|error| {
            let there = s.store().cache().file(address.file).is_ok_and(|file| file.check_block(address).is_ok());
            if there { error } else { self.too_old(s, segment) }
        })?;
        s.meter().count(Statistic::ConsistentGetsExamination, 1);
        Ok(block)
    }

    /// The record at `uba`, by a consistent get of its block (several for a long one). `xid`: the transaction to which
    /// it must belong.
    ///
    /// # Errors
    /// ORA-01555 when the block has been put to another use since; errors of the cache.
    pub fn read(&self, s: &Process, uba: Uba, xid: Option<Xid>) -> Result<Record> {
        let segment = xid.map(|xid| xid.segment);
        let (mut record, more) = {
            let bytes = self.undo_block(s, uba.block, segment)?;
            let view = view(&bytes, uba, xid).filter(|view| !view.piece).ok_or_else(|| self.too_old(s, segment))?;
            owned(uba, &view)
        };
        self.rest_of(s, &mut record, more)?;
        Ok(record)
    }

    /// As [`UndoSegments::read`], with the records before it in the chain of a rollback that are in the same block, the
    /// newest first. Ends before the record `to`. Makes one get, and sends for the block where the chain goes on.
    ///
    /// # Errors
    /// As [`UndoSegments::read`].
    pub(crate) fn read_back(&self, s: &Process, uba: Uba, to: Uba, xid: Xid) -> Result<Vec<Record>> {
        let segment = Some(xid.segment);
        let (mut found, mut pieces) = (Vec::new(), Vec::new());
        let mut at = uba;
        {
            let bytes = self.undo_block(s, uba.block, segment)?;
            while at.block == uba.block && at != to && !at.is_none() {
                let view =
                    view(&bytes, at, Some(xid)).filter(|view| !view.piece).ok_or_else(|| self.too_old(s, segment))?;
                let (record, more) = owned(at, &view);
                at = record.chain;
                if more.is_some() {
                    pieces.push((found.len(), more));
                }
                found.push(record);
            }
        }
        if at != to && !at.is_none() {
            s.store().cache().read_behind(s.meter(), at.block, BLOCKS_BEHIND, BlockClass::UndoBlock);
        }
        for (number, more) in pieces {
            self.rest_of(s, &mut found[number], more)?;
        }
        Ok(found)
    }

    /// Reads the pieces of a payload for which its record's block had no room.
    fn rest_of(&self, s: &Process, record: &mut Record, mut more: Option<Uba>) -> Result<()> {
        while let Some(next) = more {
            let bytes = self.undo_block(s, next.block, Some(record.xid.segment))?;
            let piece = view(&bytes, next, Some(record.xid)).filter(|view| view.piece);
            let piece = piece.ok_or_else(|| self.too_old(s, Some(record.xid.segment)))?;
            record.payload.extend_from_slice(piece.record.payload);
            more = piece.more;
        }
        Ok(())
    }

    /// Address of the transaction's record before the one at `uba`.
    pub(super) fn chain(&self, s: &Process, uba: Uba, xid: Xid) -> Result<Uba> {
        let bytes = self.undo_block(s, uba.block, Some(xid.segment))?;
        view(&bytes, uba, Some(xid)).map(|view| view.chain).ok_or_else(|| self.too_old(s, Some(xid.segment)))
    }

    /// The state of a transaction, by a consistent get of its undo segment's header.
    ///
    /// # Errors
    /// ORA-01578 when there has never been such a transaction; errors of the cache.
    pub fn state(&self, s: &Process, xid: Xid) -> Result<TransactionState> {
        let Some(segment) = self.segment(xid.segment) else {
            // Its undo tablespace has been dropped since, which is possible only after its transactions have ended.
            return Ok(TransactionState::CommittedBefore(self.gone(xid.segment)));
        };
        let bytes = segment.got(s, || metadata::consistent(s, segment.header, BlockClass::UndoHeader))?;
        let slot = (xid.slot < undo::slots_of(bytes.len())).then(|| undo::slot(&bytes, xid.slot));
        let Some(slot) = slot.filter(|slot| !xid.is_none() && slot.sequence.get() >= xid.sequence) else {
            return Err(Error::corrupt(segment.header, format!("there has been no transaction {xid}")));
        };
        Ok(match slot.sequence.get() - xid.sequence {
            0 if slot.is_active() => TransactionState::Active,
            0 => TransactionState::Committed(Scn(slot.scn.get())),
            1 => TransactionState::Committed(Scn(slot.previous_scn.get())),
            _ => TransactionState::CommittedBefore(Scn(slot.previous_scn.get())),
        })
    }
}
