//! Bytes in memory at an address that direct I/O accepts.
//!
//! The storage is a vector of pages, so the allocator aligns it and no `unsafe` is needed. A buffer's length need not
//! be a multiple of a page; its memory always is.

use std::fmt;
use std::ops::{Deref, DerefMut};

use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout};

/// Every [`AlignedBuffer`] begins at a multiple of this many bytes.
pub const ALIGNMENT: usize = 4096;

#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Clone)]
#[repr(C, align(4096))]
struct Page([u8; ALIGNMENT]);

/// A run of bytes that begins at a page boundary.
pub struct AlignedBuffer {
    pages: Vec<Page>,
    bytes: usize,
}

impl AlignedBuffer {
    /// A buffer of `bytes` zeros.
    ///
    /// # Panics
    /// When memory is exhausted, as a vector does.
    #[must_use]
    pub fn zeroed(bytes: usize) -> Self {
        let count = bytes.div_ceil(ALIGNMENT);
        let pages = Page::new_vec_zeroed(count).unwrap_or_else(|_| vec![Page::new_zeroed(); count]);
        Self { pages, bytes }
    }

    /// A copy of `bytes` in aligned memory.
    #[must_use]
    pub fn copy_of(bytes: &[u8]) -> Self {
        let mut buffer = Self::zeroed(bytes.len());
        buffer.copy_from_slice(bytes);
        buffer
    }
}

impl Deref for AlignedBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.pages.as_slice().as_bytes()[..self.bytes]
    }
}

impl DerefMut for AlignedBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.pages.as_mut_slice().as_mut_bytes()[..self.bytes]
    }
}

impl Clone for AlignedBuffer {
    fn clone(&self) -> Self {
        Self { pages: self.pages.clone(), bytes: self.bytes }
    }
}

impl fmt::Debug for AlignedBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AlignedBuffer({} bytes)", self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_at_a_page_and_has_the_length_asked_for() {
        for bytes in [0, 1, 512, 2048, 4096, 4097, 1 << 20] {
            let mut buffer = AlignedBuffer::zeroed(bytes);
            assert_eq!(buffer.len(), bytes);
            assert_eq!(buffer.as_ptr() as usize % ALIGNMENT, 0);
            assert!(buffer.iter().all(|b| *b == 0));
            buffer.fill(7);
            assert_eq!(&*buffer.clone(), &*buffer);
        }
        assert_eq!(&*AlignedBuffer::copy_of(b"abc"), b"abc");
    }
}
