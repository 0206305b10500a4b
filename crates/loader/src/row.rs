//! A row: bytes, and the range of each value in them. Reused.

/// A value is NULL when its place ends before it starts.
const NULL: (u32, u32) = (1, 0);

/// The stored columns of one row.
#[derive(Clone, Default, Debug)]
pub struct RowBytes {
    bytes: Vec<u8>,
    places: Vec<(u32, u32)>,
}

impl RowBytes {
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    /// The buffer for the next value's bytes. Bytes behind the last value belong to none until [`Self::value`] is
    /// called.
    pub(crate) fn room(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// A value of the bytes from `start` to the end.
    pub(crate) fn value(&mut self, start: usize) {
        self.places.push((start as u32, self.bytes.len() as u32));
    }

    pub(crate) fn null(&mut self) {
        self.places.push(NULL);
    }

    /// Bytes of all its columns.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a row has columns, whatever they hold")]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn all_null(&self) -> bool {
        self.places.iter().all(|place| *place == NULL)
    }

    /// Columns of the row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.places.len()
    }

    /// The stored bytes of a column; None for NULL.
    #[must_use]
    pub fn column(&self, at: usize) -> Option<&[u8]> {
        let (start, end) = *self.places.get(at)?;
        self.bytes.get(start as usize..end as usize)
    }
}
