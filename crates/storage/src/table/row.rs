//! A row taken out of its blocks: encoded columns in memory of their own.

use format::heap::RowPiece;
use format::heap::row::CONTINUED;

/// A row's encoded columns, in order. Columns beyond the last stored one are NULL.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Row {
    data: Vec<u8>,
    /// End of each column in `data`; true for NULL.
    columns: Vec<(u32, bool)>,
}

impl Row {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn from_columns(columns: &[Option<&[u8]>]) -> Self {
        let bytes = columns.iter().flatten().map(|column| column.len()).sum();
        let mut row = Self { data: Vec::with_capacity(bytes), columns: Vec::with_capacity(columns.len()) };
        for column in columns {
            row.push(*column);
        }
        row
    }

    /// Replaces the row by these columns, in the same memory.
    pub(super) fn set(&mut self, columns: &[Option<&[u8]>]) {
        self.clear();
        columns.iter().for_each(|column| self.push(*column));
    }

    /// The encoded value of a column; None for NULL.
    #[must_use]
    pub fn column(&self, position: usize) -> Option<&[u8]> {
        let (end, null) = *self.columns.get(position)?;
        let start = if position == 0 { 0 } else { self.columns[position - 1].0 };
        if null { None } else { self.data.get(start as usize..end as usize) }
    }

    /// Number of columns held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Bytes of all values.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.data.len()
    }

    /// All columns held.
    #[must_use]
    pub fn columns(&self) -> Vec<Option<&[u8]>> {
        (0..self.len()).map(|position| self.column(position)).collect()
    }

    /// Puts all columns held into a vector that the caller uses again.
    pub(super) fn put_columns<'a>(&'a self, columns: &mut Vec<Option<&'a [u8]>>) {
        columns.clear();
        let mut start = 0;
        columns.extend(self.columns.iter().map(|(end, null)| {
            let from = std::mem::replace(&mut start, *end);
            if *null { None } else { self.data.get(from as usize..*end as usize) }
        }));
    }

    pub fn push(&mut self, column: Option<&[u8]>) {
        self.data.extend_from_slice(column.unwrap_or_default());
        debug_assert!(self.data.len() <= u32::MAX as usize, "a row of {} bytes", self.data.len());
        self.columns.push((self.data.len() as u32, column.is_none()));
    }

    pub fn clear(&mut self) {
        self.data.clear();
        self.columns.clear();
    }

    /// Appends the columns of a row piece. When the last column held was cut, the first of the piece continues it.
    pub(super) fn append_piece(&mut self, piece: RowPiece<'_>) {
        for (number, column) in piece.columns().enumerate() {
            if number == 0
                && piece.flags() & CONTINUED != 0
                && let (Some(rest), Some(last)) = (column, self.columns.last_mut())
            {
                self.data.extend_from_slice(rest);
                last.0 = self.data.len() as u32;
                debug_assert!(!last.1, "a NULL is not cut");
                continue;
            }
            self.push(column);
        }
    }

    /// The columns at `positions`, in that order.
    pub(super) fn project(&self, positions: &[usize]) -> Self {
        let mut row = Self::new();
        for position in positions {
            row.push(self.column(*position));
        }
        row
    }
}
