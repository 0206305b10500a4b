//! One block at a time: find the rows, filter, project, pass on.

use common::{BlockAddress, ObjectNumber};
use format::heap::row::{self, RowAddress};
use format::heap::{self, RowPiece};
use format::{block, transaction};

use crate::predicate::{Columns, Predicate};

/// The request of a scan: plain data.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ScanSpec {
    /// Columns to return, as positions in the table, in this order.
    pub projection: Vec<u16>,
    pub predicate: Option<Predicate>,
    /// Are the rows' addresses wanted?
    pub rowids: bool,
}

/// Takes the rows that a scan finds.
pub trait RowSink {
    /// The following rows are of this block. Called only when rowids are wanted; a migrated row comes under the block
    /// of its rowid.
    fn block(&mut self, object: ObjectNumber, address: BlockAddress);

    /// A row's projected columns. `slot` counts only when rowids are wanted.
    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]);

    /// `count` rows without columns or rowids.
    fn rows(&mut self, count: usize) {
        for _ in 0..count {
            self.row(0, &[]);
        }
    }
}

/// Why [`Scanner::scan_block`] returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The block has no more rows.
    BlockEnd,
    /// `max_rows` rows were returned; the block has slots left from this one on.
    Full { next_slot: u16 },
    /// The row at `slot` continues elsewhere: fetch it, [`Scanner::offer`] it, and go on at `slot + 1`.
    Continued { slot: u16 },
}

/// The result of one call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScanOutcome {
    pub stop: Stop,
    /// Rows looked at: `table scan rows gotten`.
    pub examined: usize,
    /// Rows returned.
    pub accepted: usize,
}

/// A [`ScanSpec`] in use. It keeps its scratch memory from block to block.
#[derive(Debug)]
pub struct Scanner {
    spec: ScanSpec,
    /// Positions of the columns of the current row.
    spans: Vec<Span>,
    /// The block under which rows come; a damaged row may say that it has any.
    announced: Option<BlockAddress>,
}

/// A column's bytes, from the row's first column on; `start` is [`NULL_SPAN`] for NULL.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    length: u32,
}

const NULL_SPAN: u32 = u32::MAX;

/// The columns of a row piece, located on demand.
struct PieceColumns<'a, 'b> {
    bytes: &'a [u8],
    count: usize,
    at: usize,
    spans: &'b mut Vec<Span>,
}

impl<'a, 'b> PieceColumns<'a, 'b> {
    #[inline]
    fn new(piece: RowPiece<'a>, spans: &'b mut Vec<Span>) -> Self {
        spans.clear();
        Self { bytes: piece.column_data(), count: piece.column_count(), at: 0, spans }
    }
}

impl<'a> Columns<'a> for PieceColumns<'a, '_> {
    #[inline]
    fn column(&mut self, position: u16) -> Option<&'a [u8]> {
        let position = usize::from(position);
        if position >= self.count {
            return None;
        }
        while self.spans.len() <= position {
            let (column, next) = row::column_at(self.bytes, self.at)?;
            let span = match column {
                Some(data) => Span { start: (next - data.len()) as u32, length: data.len() as u32 },
                None => Span { start: NULL_SPAN, length: 0 },
            };
            self.spans.push(span);
            self.at = next;
        }
        let Span { start, length } = self.spans[position];
        if start == NULL_SPAN { None } else { self.bytes.get(start as usize..(start + length) as usize) }
    }
}

impl Scanner {
    #[must_use]
    pub fn new(spec: ScanSpec) -> Self {
        Self { spec, spans: Vec::new(), announced: None }
    }

    #[must_use]
    pub fn spec(&self) -> &ScanSpec {
        &self.spec
    }

    /// Scans the rows of a heap block from `resume_slot` on and returns at most `max_rows`.
    ///
    /// The block must have been checked; a damaged row piece counts as NULL from the damage on.
    pub fn scan_block(
        &mut self,
        bytes: &[u8],
        resume_slot: u16,
        max_rows: usize,
        sink: &mut (impl RowSink + ?Sized),
    ) -> ScanOutcome {
        // A new call may be to a new sink.
        self.announced = None;
        if self.spec.projection.is_empty() && !self.spec.rowids {
            return self.count_block(bytes, resume_slot, max_rows, sink);
        }
        let address = block::header(bytes).address();
        let mut columns: Vec<Option<&[u8]>> = Vec::with_capacity(self.spec.projection.len());
        let mut outcome = ScanOutcome { stop: Stop::BlockEnd, examined: 0, accepted: 0 };
        for (slot, piece) in heap::live_rows(bytes, resume_slot) {
            if !piece.starts_row() {
                continue;
            }
            if outcome.accepted == max_rows {
                outcome.stop = Stop::Full { next_slot: slot };
                break;
            }
            if piece.continues() {
                outcome.stop = Stop::Continued { slot };
                break;
            }
            outcome.examined += 1;
            let mut row = PieceColumns::new(piece, &mut self.spans);
            if self.spec.predicate.as_ref().is_some_and(|predicate| !predicate.accepts(&mut row)) {
                continue;
            }
            columns.clear();
            columns.extend(self.spec.projection.iter().map(|position| row.column(*position)));
            if self.spec.rowids {
                let home = piece.head_address().unwrap_or(RowAddress::new(address, slot));
                if self.announced != Some(home.block) {
                    self.announced = Some(home.block);
                    sink.block(transaction::header(bytes).object_number(), home.block);
                }
                sink.row(home.slot, &columns);
            } else {
                sink.row(slot, &columns);
            }
            outcome.accepted += 1;
        }
        outcome
    }

    /// Nothing of the rows is wanted but their number.
    fn count_block(
        &mut self,
        bytes: &[u8],
        resume_slot: u16,
        max_rows: usize,
        sink: &mut (impl RowSink + ?Sized),
    ) -> ScanOutcome {
        let mut outcome = ScanOutcome { stop: Stop::BlockEnd, examined: 0, accepted: 0 };
        for (slot, piece) in heap::live_rows(bytes, resume_slot) {
            if !piece.starts_row() {
                continue;
            }
            if outcome.accepted == max_rows {
                outcome.stop = Stop::Full { next_slot: slot };
                break;
            }
            if let Some(predicate) = &self.spec.predicate {
                if piece.continues() {
                    outcome.stop = Stop::Continued { slot };
                    break;
                }
                outcome.examined += 1;
                outcome.accepted += usize::from(predicate.accepts(&mut PieceColumns::new(piece, &mut self.spans)));
            } else {
                // A count ignores the row's continuation.
                outcome.examined += 1;
                outcome.accepted += 1;
            }
        }
        sink.rows(outcome.accepted);
        outcome
    }

    /// A whole row that was fetched piece by piece: filters, projects and returns it. True when it was accepted.
    pub fn offer(
        &mut self,
        object: ObjectNumber,
        home: RowAddress,
        row: &[Option<&[u8]>],
        sink: &mut (impl RowSink + ?Sized),
    ) -> bool {
        let mut source = row;
        if self.spec.predicate.as_ref().is_some_and(|predicate| !predicate.accepts(&mut source)) {
            return false;
        }
        if self.spec.projection.is_empty() && !self.spec.rowids {
            sink.rows(1);
            return true;
        }
        let columns: Vec<Option<&[u8]>> =
            self.spec.projection.iter().map(|position| source.column(*position)).collect();
        if self.spec.rowids {
            sink.block(object, home.block);
        }
        sink.row(home.slot, &columns);
        true
    }
}

/// Scans one block with a scanner of its own; see [`Scanner::scan_block`].
pub fn scan_block(
    bytes: &[u8],
    spec: &ScanSpec,
    resume_slot: u16,
    max_rows: usize,
    sink: &mut (impl RowSink + ?Sized),
) -> ScanOutcome {
    Scanner::new(spec.clone()).scan_block(bytes, resume_slot, max_rows, sink)
}
