//! An answer to a scan, of a piece of its request: rows, counts, and blocks about which the instance has to decide.
//!
//! ```text
//!   version  address blocks  figures  part part part …          parts follow the blocks of the request
//!   address  of the piece's first block; blocks: how many it has
//!   part     1 count                            rows of which nothing is wanted
//!            2 object address count row row …   rows with their slots, of one block
//!            3 count row row …                  rows without slots, of blocks in a row
//!            4 reason address bytes             a whole block
//!            5 reason address                   a block that the instance reads itself
//!   row      slot (parts of kind 2), then for each column its length + 1, or 0 for NULL, and its bytes
//! ```

use common::{BlockAddress, ObjectNumber};
use scan::RowSink;

use crate::message::{Malformed, Reader, Result, VERSION, put_bytes, put_number};
use crate::request::{PIECE_BYTES, Piece};

const COUNT: u8 = 1;
const ROWS_OF_BLOCK: u8 = 2;
const ROWS: u8 = 3;
const BLOCK: u8 = 4;
const UNREAD: u8 = 5;

/// Why a block is not scanned by the cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// It has changes that the snapshot does not see, or of which the cell does not know whether it does.
    Undo,
    /// A row of it continues in another block.
    Chained,
    /// It is not of the segment.
    Other,
    /// It is damaged, or was being written each time it was read.
    Unsound,
    /// The cell's processors are busy, and those of the instance's machine are not.
    Processors,
    /// The cell is short of memory.
    Memory,
}

impl Reason {
    pub const ALL: [Self; 6] = [Self::Undo, Self::Chained, Self::Other, Self::Unsound, Self::Processors, Self::Memory];

    fn from_code(code: u8) -> Result<Self> {
        Self::ALL.get(usize::from(code)).copied().ok_or(Malformed("an unknown reason"))
    }
}

/// What a cell has done for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Figures {
    /// Rows looked at.
    pub examined: u64,
    /// Blocks scanned.
    pub blocks: u64,
    /// Bytes read from the disk.
    pub bytes_read: u64,
    /// Bytes read from the flash cache.
    pub bytes_flash: u64,
    /// Bytes that were not read: no row of theirs can satisfy the condition.
    pub bytes_saved: u64,
    /// Blocks with transactions that had ended by the SCN that was sent along.
    pub helped: u64,
}

/// Collects an answer.
#[derive(Debug)]
pub(crate) struct AnswerWriter {
    piece: Piece,
    parts: Vec<u8>,
    /// The part that rows go to: where its count is, and the count.
    open: Option<(usize, u32)>,
    /// A part of rows without slots, and not of one block.
    plain: bool,
    count: u64,
    pub(crate) figures: Figures,
}

/// A state to go back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    bytes: usize,
    open: Option<(usize, u32)>,
    plain: bool,
    count: u64,
}

impl AnswerWriter {
    pub(crate) fn new(piece: Piece) -> Self {
        Self { piece, parts: Vec::new(), open: None, plain: false, count: 0, figures: Figures::default() }
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { bytes: self.parts.len(), open: self.open, plain: self.plain, count: self.count }
    }

    /// Forgets everything since a mark.
    pub(crate) fn back_to(&mut self, mark: Mark) {
        self.parts.truncate(mark.bytes);
        (self.open, self.plain, self.count) = (mark.open, mark.plain, mark.count);
    }

    /// Ends the part that rows go to.
    fn close(&mut self) {
        if self.count > 0 {
            self.parts.push(COUNT);
            put_number(&mut self.parts, std::mem::take(&mut self.count));
        }
        if let Some((at, rows)) = self.open.take() {
            self.parts[at..at + 4].copy_from_slice(&rows.to_le_bytes());
        }
        self.plain = false;
    }

    fn begin(&mut self) {
        self.open = Some((self.parts.len(), 0));
        self.parts.extend([0; 4]);
    }

    pub(crate) fn block(&mut self, reason: Reason, address: BlockAddress, bytes: &[u8]) {
        self.close();
        let kind = if reason == Reason::Unsound { UNREAD } else { BLOCK };
        self.parts.extend([kind, reason as u8]);
        self.parts.extend(address.pack().to_le_bytes());
        if kind == BLOCK {
            put_bytes(&mut self.parts, bytes);
        }
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.close();
        let Figures { examined, blocks, bytes_read, bytes_flash, bytes_saved, helped } = self.figures;
        let mut message = Vec::with_capacity(self.parts.len() + 32);
        message.push(VERSION);
        message.extend(self.piece.first.pack().to_le_bytes());
        put_number(&mut message, u64::from(self.piece.blocks));
        [examined, blocks, bytes_read, bytes_flash, bytes_saved, helped]
            .into_iter()
            .for_each(|number| put_number(&mut message, number));
        message.append(&mut self.parts);
        message
    }
}

/// The rows of a block, as a scanner gives them.
pub(crate) struct RowsOf<'a> {
    pub(crate) answer: &'a mut AnswerWriter,
}

impl RowSink for RowsOf<'_> {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        let answer = &mut *self.answer;
        answer.close();
        answer.parts.push(ROWS_OF_BLOCK);
        answer.parts.extend(object.0.to_le_bytes());
        answer.parts.extend(address.pack().to_le_bytes());
        answer.begin();
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        let answer = &mut *self.answer;
        if answer.open.is_none() {
            answer.close();
            answer.parts.push(ROWS);
            answer.begin();
            answer.plain = true;
        }
        if let Some((_, rows)) = &mut answer.open {
            *rows += 1;
        }
        if !answer.plain {
            answer.parts.extend(slot.to_le_bytes());
        }
        for column in columns {
            match column {
                None => answer.parts.push(0),
                Some(value) => {
                    put_number(&mut answer.parts, value.len() as u64 + 1);
                    answer.parts.extend_from_slice(value);
                }
            }
        }
    }

    fn rows(&mut self, count: usize) {
        self.answer.count += count as u64;
    }
}

/// What an answer goes on with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item<'m> {
    /// So many rows were handed to the sink.
    Rows(usize),
    /// A block to be decided about; without bytes it is to be read.
    Block {
        reason: Reason,
        address: BlockAddress,
        bytes: Option<&'m [u8]>,
    },
    End,
}

/// A part of which rows are left.
#[derive(Clone, Copy, Debug)]
enum Open {
    None,
    Count(u64),
    Rows { left: u32, of: Option<(ObjectNumber, BlockAddress)> },
}

/// An answer that is being read.
#[derive(Debug)]
pub struct Answer {
    message: Vec<u8>,
    first: BlockAddress,
    blocks: u32,
    at: usize,
    open: Open,
    /// Columns of a row.
    columns: usize,
    /// Rows of which nothing was wanted, so far.
    counted: u64,
    figures: Figures,
}

impl Answer {
    /// The answer to a request for so many columns.
    ///
    /// # Errors
    /// What is wrong with the message.
    pub fn new(message: Vec<u8>, columns: usize) -> Result<Self> {
        let mut from = Reader::new(&message, 0);
        from.version()?;
        let (first, blocks) = (BlockAddress::unpack(from.u32()?), from.number()?);
        let blocks = u32::try_from(blocks).map_err(|_| Malformed("too many blocks"))?;
        let figures = Figures {
            examined: from.number()?,
            blocks: from.number()?,
            bytes_read: from.number()?,
            bytes_flash: from.number()?,
            bytes_saved: from.number()?,
            helped: from.number()?,
        };
        let at = from.at;
        Ok(Self { message, first, blocks, at, open: Open::None, columns, counted: 0, figures })
    }

    /// The piece that it is about: its first block, and how many it has.
    #[must_use]
    pub fn blocks(&self) -> (BlockAddress, u32) {
        (self.first, self.blocks)
    }

    #[must_use]
    pub fn figures(&self) -> Figures {
        self.figures
    }

    /// Bytes of the message.
    #[must_use]
    pub fn message_bytes(&self) -> usize {
        self.message.len()
    }

    /// Hands at most `max_rows` rows over, or returns the next block.
    ///
    /// # Errors
    /// What is wrong with the message.
    pub fn next(&mut self, sink: &mut (impl RowSink + ?Sized), max_rows: usize) -> Result<Item<'_>> {
        loop {
            match self.open {
                Open::None => {}
                Open::Count(left) => {
                    let count = left.min(max_rows as u64);
                    self.open = if count == left { Open::None } else { Open::Count(left - count) };
                    sink.rows(count as usize);
                    return Ok(Item::Rows(count as usize));
                }
                Open::Rows { left, of } => return self.rows(left, of, sink, max_rows).map(Item::Rows),
            }
            let mut from = Reader::new(&self.message, self.at);
            if from.left() == 0 {
                return Ok(Item::End);
            }
            match from.u8()? {
                COUNT => {
                    let count = from.number()?;
                    self.counted = self.counted.saturating_add(count);
                    // A row has a byte at least.
                    if self.counted > PIECE_BYTES as u64 {
                        return Err(Malformed("it counts more rows than a piece has bytes"));
                    }
                    self.open = Open::Count(count);
                }
                ROWS_OF_BLOCK => {
                    let of = (ObjectNumber(from.u32()?), BlockAddress::unpack(from.u32()?));
                    self.open = self.open(&mut from, Some(of))?;
                }
                ROWS => self.open = self.open(&mut from, None)?,
                kind @ (BLOCK | UNREAD) => {
                    let (reason, address) = (Reason::from_code(from.u8()?)?, BlockAddress::unpack(from.u32()?));
                    let place = if kind == BLOCK {
                        let bytes = from.bytes()?.len();
                        Some(from.at - bytes..from.at)
                    } else {
                        None
                    };
                    self.at = from.at;
                    let bytes = place.map(|place| &self.message[place]);
                    return Ok(Item::Block { reason, address, bytes });
                }
                _ => return Err(Malformed("an unknown part of an answer")),
            }
            self.at = from.at;
        }
    }

    /// Opens a part of rows, where the message has bytes for them.
    fn open(&self, from: &mut Reader<'_>, of: Option<(ObjectNumber, BlockAddress)>) -> Result<Open> {
        let left = from.u32()?;
        let least = self.columns + if of.is_some() { 2 } else { 0 };
        if least == 0 || left as usize > from.left() / least {
            return Err(Malformed("it has more rows than bytes for them"));
        }
        Ok(Open::Rows { left, of })
    }

    fn rows(
        &mut self,
        left: u32,
        of: Option<(ObjectNumber, BlockAddress)>,
        sink: &mut (impl RowSink + ?Sized),
        max_rows: usize,
    ) -> Result<usize> {
        let mut from = Reader::new(&self.message, self.at);
        let count = (left as usize).min(max_rows);
        if count > 0
            && let Some((object, address)) = of
        {
            sink.block(object, address);
        }
        let mut columns: Vec<Option<&[u8]>> = Vec::with_capacity(self.columns.min(from.left()));
        for _ in 0..count {
            let slot = if of.is_some() { from.u16()? } else { 0 };
            columns.clear();
            for _ in 0..self.columns {
                let column = match from.number()? {
                    0 => None,
                    length => Some(from.take(usize::try_from(length - 1).map_err(|_| Malformed("a long column"))?)?),
                };
                columns.push(column);
            }
            sink.row(slot, &columns);
        }
        self.at = from.at;
        let left = left - count as u32;
        self.open = if left == 0 { Open::None } else { Open::Rows { left, of } };
        Ok(count)
    }
}
