//! A row by its rowid: from the block that it names, and from further blocks where the row has migrated or is chained.

use common::sync::Arc;
use common::{BlockClass, Error, ErrorKind, Result, Rowid};
use format::heap::row::{CONTINUES, HEAD};
use format::heap::{self, RowAddress, RowPiece};
use waits::Statistic;

use super::HeapTable;
use super::row::Row;
use super::{address_in, is_block_of};
use crate::cache::Block;
use crate::snapshot::Snapshot;
use crate::txn::Worker;

/// Most pieces of a row: a stub and a piece for each column twice. A longer chain is a circle.
const PIECES_MAX: usize = 2 * common::limits::COLUMNS_MAX + 2;

/// The kind of get that reads the blocks.
#[derive(Clone, Copy)]
pub(super) enum Mode<'a> {
    Current,
    /// Reads blocks as a snapshot sees them.
    At(&'a Snapshot),
}

fn get(s: &Worker, table: &HeapTable, address: RowAddress, mode: Mode<'_>) -> Result<Block> {
    match mode {
        Mode::Current => s.current(address.block, BlockClass::Data),
        Mode::At(snapshot) => table.segment.consistent_at(s, address.block, BlockClass::Data, snapshot),
    }
}

/// The place where a row goes on behind a piece.
#[derive(Clone, Copy)]
pub(super) struct Tail {
    /// The address that the row's rowid names.
    home: RowAddress,
    next: Option<RowAddress>,
    after_stub: bool,
    /// True: the piece's last column goes on in the next piece.
    cut: bool,
}

impl Tail {
    pub(super) fn behind(piece: RowPiece<'_>, home: RowAddress) -> Self {
        let cut = piece.flags() & CONTINUES != 0;
        Self { home, next: piece.next_address(), after_stub: piece.is_stub(), cut }
    }

    /// Reads the pieces that follow, appending their columns to `row`, until `row` has `width` whole columns. Returns
    /// the addresses of the pieces read.
    ///
    /// # Errors
    /// An error of kind Retry when a piece is missing: the row has moved since its first piece was seen, or the chain
    /// is broken. [`read_row`] tells which.
    pub(super) fn read(
        mut self,
        s: &Worker,
        table: &HeapTable,
        mode: Mode<'_>,
        width: usize,
        row: &mut Row,
    ) -> Result<Vec<RowAddress>> {
        let mut pieces = Vec::new();
        while let Some(address) = self.next {
            if row.len().saturating_sub(usize::from(self.cut)) >= width {
                break;
            }
            if pieces.len() > PIECES_MAX {
                let why = format!("the row at slot {} has no end", self.home.slot);
                return Err(Error::corrupt(self.home.block, why));
            }
            s.meter().count(Statistic::TableFetchContinuedRow, 1);
            let block = get(s, table, address, mode)?;
            let piece = self.next_piece(table, &block, address)?;
            pieces.push(address);
            row.append_piece(piece);
            self = Self::behind(piece, self.home);
        }
        Ok(pieces)
    }

    fn next_piece<'a>(&self, table: &HeapTable, block: &'a [u8], address: RowAddress) -> Result<RowPiece<'a>> {
        let belongs = |piece: &RowPiece<'_>| match self.after_stub {
            true => piece.head_address() == Some(self.home),
            false => !piece.starts_row() && !piece.is_stub(),
        };
        let piece = if is_block_of(table, block) { heap::live_row(block, address.slot).filter(belongs) } else { None };
        piece.ok_or_else(|| {
            let at = format!("block {}, slot {}", address.block, address.slot);
            Error::own(
                ErrorKind::Retry,
                42,
                format!("a row of {} moved while it was read: no piece at {at}", table.name),
            )
        })
    }
}

/// The first `width` columns of a row, and the addresses of the pieces that hold them. Starts again when the row moves
/// meanwhile.
///
/// # Errors
/// ORA-01578 when a piece is missing though the row has not moved.
pub(super) fn read_row(
    s: &Worker,
    table: &HeapTable,
    home: RowAddress,
    mode: Mode<'_>,
    width: usize,
) -> Result<Option<(Row, Vec<RowAddress>)>> {
    let mut before: Option<Vec<u8>> = None;
    loop {
        let mut row = Row::new();
        let (tail, head) = {
            let block = get(s, table, home, mode)?;
            let Some(piece) = head_piece(table, &block, home) else { return Ok(None) };
            row.append_piece(piece);
            (Tail::behind(piece, home), piece.encoded().map(<[u8]>::to_vec))
        };
        match tail.read(s, table, mode, width, &mut row) {
            Ok(mut rest) => {
                rest.insert(0, home);
                return Ok(Some((row, rest)));
            }
            // Pieces are written before a pointer to them and removed after the last one is gone (rule 2), so an
            // unchanged head must lead to them.
            Err(error) if error.kind == ErrorKind::Retry => {
                if head.is_none() || before == head {
                    return Err(Error::corrupt(
                        home.block,
                        format!("a piece of the row at slot {} is missing", home.slot),
                    ));
                }
                before = head;
                s.check_cancelled()?;
            }
            Err(error) => return Err(error),
        }
    }
}

/// True: there can be a row at this address. A rowid that a user wrote may name a block that no file of the tablespace
/// has.
pub(super) fn can_exist(s: &Worker, table: &HeapTable, home: RowAddress) -> bool {
    s.store()
        .cache()
        .file(home.block.file)
        .is_ok_and(|file| file.tablespace() == table.segment.tablespace().number() && home.block.block < file.blocks())
}

/// The piece that a rowid may name.
pub(super) fn head_piece<'a>(table: &HeapTable, block: &'a [u8], home: RowAddress) -> Option<RowPiece<'a>> {
    if !is_block_of(table, block) {
        return None;
    }
    heap::live_row(block, home.slot).filter(|piece| piece.flags() & HEAD != 0)
}

/// Fetches rows of one table by rowid.
///
/// Neighbouring rowids of the same block cost one get: the block stays pinned from one [`Fetcher::fetch`] to the next,
/// until [`Fetcher::release`].
pub struct Fetcher {
    worker: Arc<Worker>,
    table: Arc<HeapTable>,
    snapshot: Arc<Snapshot>,
    projection: Vec<usize>,
    /// Most columns to read: one more than the position of the last wanted one.
    width: usize,
    block: Option<Block>,
}

impl std::fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fetcher").field("table", &self.table.name).field("block", &self.block).finish_non_exhaustive()
    }
}

impl Fetcher {
    /// `projection`: positions of the wanted columns in the table.
    #[must_use]
    pub fn new(worker: Arc<Worker>, table: Arc<HeapTable>, projection: Vec<usize>) -> Self {
        let width = projection.iter().max().map_or(0, |last| last + 1);
        let snapshot = worker.snapshot();
        Self { worker, table, snapshot, projection, width, block: None }
    }

    /// Reads the projected columns of a row into `row`. False when there is no such row.
    ///
    /// # Errors
    /// ORA-01410 for a rowid of another segment; ORA-08103 when the table's segment was given up; ORA-12838; errors of
    /// getting blocks.
    pub fn fetch(&mut self, rowid: Rowid, row: &mut Row) -> Result<bool> {
        row.clear();
        let home = address_in(&self.table, rowid)?;
        if self.block.as_ref().is_none_or(|block| block.address() != home.block) {
            self.worker.check_not_loaded(self.table.object)?;
            // One data block at a time (rule 1).
            self.block = None;
            if !can_exist(&self.worker, &self.table, home) {
                self.table.segment.check_there(self.snapshot.scn())?;
                return Ok(false);
            }
            self.block = Some(get(&self.worker, &self.table, home, Mode::At(&self.snapshot))?);
        }
        let Some(block) = &self.block else { return Ok(false) };
        let Some(piece) = head_piece(&self.table, block, home) else {
            // A block that is not the table's is not kept latched: this session may wait for a statement that formats
            // it.
            self.block = None;
            return Ok(false);
        };
        self.worker.meter().count(Statistic::TableFetchByRowid, 1);
        if !piece.continues() {
            project_piece(piece, &self.projection, self.width, row);
            return Ok(true);
        }
        let mut whole = Row::new();
        whole.append_piece(piece);
        let tail = Tail::behind(piece, home);
        self.block = None;
        let (s, table) = (&self.worker, &self.table);
        match tail.read(s, table, Mode::At(&self.snapshot), self.width, &mut whole) {
            Ok(_) => {}
            Err(error) if error.kind == ErrorKind::Retry => {
                match read_row(s, table, home, Mode::At(&self.snapshot), self.width)? {
                    Some((row, _)) => whole = row,
                    None => return Ok(false),
                }
            }
            Err(error) => return Err(error),
        }
        *row = whole.project(&self.projection);
        Ok(true)
    }

    /// Releases the block. To be called at the end of each call by the user.
    pub fn release(&mut self) {
        self.block = None;
    }
}

/// Some columns of a row that lies in one piece.
fn project_piece(piece: RowPiece<'_>, projection: &[usize], width: usize, row: &mut Row) {
    let columns: Vec<Option<&[u8]>> = piece.columns().take(width).collect();
    for position in projection {
        row.push(columns.get(*position).copied().flatten());
    }
}

/// The columns of one row at `projection`'s positions; None when there is no such row.
///
/// # Errors
/// ORA-01410 for a rowid of another segment; errors of getting blocks.
pub fn fetch(s: &Arc<Worker>, table: &Arc<HeapTable>, rowid: Rowid, projection: &[usize]) -> Result<Option<Row>> {
    let mut row = Row::new();
    let found = Fetcher::new(s.clone(), table.clone(), projection.to_vec()).fetch(rowid, &mut row)?;
    Ok(found.then_some(row))
}

/// All columns of one row.
///
/// # Errors
/// As [`fetch`].
pub fn fetch_row(s: &Arc<Worker>, table: &Arc<HeapTable>, rowid: Rowid) -> Result<Option<Row>> {
    fetch(s, table, rowid, &(0..table.columns.len()).collect::<Vec<_>>())
}
