//! The fuzzer's bytes as decisions.

/// Reads bytes off the front; zero when there are no more.
#[derive(Debug)]
pub struct Input<'a> {
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.bytes.split_first() else { return 0 };
        self.bytes = rest;
        *first
    }

    pub fn word(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    pub fn long(&mut self) -> u64 {
        let mut bytes = [0; 8];
        bytes.fill_with(|| self.byte());
        u64::from_le_bytes(bytes)
    }

    /// A place among `count`; 0 when there is none.
    pub fn below(&mut self, count: usize) -> usize {
        usize::from(self.word()).checked_rem(count).unwrap_or(0)
    }

    /// At most `count` bytes.
    pub fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.bytes.split_at(count.min(self.bytes.len()));
        self.bytes = rest;
        taken
    }

    pub fn rest(self) -> &'a [u8] {
        self.bytes
    }

    /// Column values: some NULL, some short, some long enough for a long length.
    pub fn columns(&mut self, most: usize) -> Vec<Option<Vec<u8>>> {
        (0..usize::from(self.byte()) % (most + 1)).map(|_| self.column()).collect()
    }

    pub fn column(&mut self) -> Option<Vec<u8>> {
        match self.byte() {
            255 => None,
            251..=254 => {
                let length = usize::from(self.word() % 700);
                Some(vec![self.byte(); length])
            }
            short @ 200..=250 => Some(vec![self.byte(); usize::from(short)]),
            short => Some(self.take(usize::from(short % 12)).to_vec()),
        }
    }
}
