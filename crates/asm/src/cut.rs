//! Requests of a file, cut at the boundaries of extents.

use crate::directory::Pointer;
use crate::shape::Shape;

/// A part of a request that lies in one extent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RequestPiece {
    /// Which extent of the file.
    pub(crate) extent: usize,
    /// Byte offset in the extent.
    pub(crate) within: u64,
    pub(crate) bytes: usize,
}

impl RequestPiece {
    /// Byte offset on the disk of a copy.
    pub(crate) fn at(&self, copy: Pointer, unit_bytes: u64) -> u64 {
        u64::from(copy.unit()) * unit_bytes + self.within
    }
}

/// The pieces of `bytes` bytes from `offset` on in a file of this shape.
pub(crate) fn cut(shape: Shape, offset: u64, bytes: u64) -> Vec<RequestPiece> {
    let mut pieces: Vec<RequestPiece> = Vec::with_capacity(1);
    let (mut at, end) = (offset, offset.saturating_add(bytes));
    while at < end {
        let place = shape.place(at);
        let here = place.bytes.min(end - at);
        pieces.push(RequestPiece { extent: place.extent, within: place.within, bytes: here as usize });
        at += here;
    }
    pieces
}

/// Divides buffers among the pieces, in order.
pub(crate) fn divide<'a>(buffers: &[&'a [u8]], pieces: &[RequestPiece]) -> Vec<Vec<&'a [u8]>> {
    let mut buffers = buffers.iter().copied();
    let mut rest: &[u8] = &[];
    let mut divided = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let (mut parts, mut wanted) = (Vec::new(), piece.bytes);
        while wanted > 0 {
            if rest.is_empty() {
                let Some(next) = buffers.next() else { break };
                rest = next;
                continue;
            }
            let (now, later) = rest.split_at(rest.len().min(wanted));
            wanted -= now.len();
            parts.push(now);
            rest = later;
        }
        divided.push(parts);
    }
    divided
}

/// As [`divide`], for buffers to read into.
pub(crate) fn divide_mut<'a>(buffers: &'a mut [&mut [u8]], pieces: &[RequestPiece]) -> Vec<Vec<&'a mut [u8]>> {
    let mut buffers = buffers.iter_mut();
    let mut rest: &mut [u8] = &mut [];
    let mut divided = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let (mut parts, mut wanted) = (Vec::new(), piece.bytes);
        while wanted > 0 {
            if rest.is_empty() {
                let Some(next) = buffers.next() else { break };
                rest = next;
                continue;
            }
            let here = rest.len().min(wanted);
            let (now, later) = std::mem::take(&mut rest).split_at_mut(here);
            wanted -= here;
            parts.push(now);
            rest = later;
        }
        divided.push(parts);
    }
    divided
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{AuSize, MB};
    use crate::shape::{ExtentGrowth, Striping};

    #[test]
    fn a_request_is_cut_where_an_extent_ends_and_nowhere_else() {
        let shape = Shape::new(AuSize::default(), Striping::Coarse, false, ExtentGrowth::default());
        let piece = |extent, within, bytes: u64| RequestPiece { extent, within, bytes: bytes as usize };
        assert_eq!(cut(shape, 0, MB), [piece(0, 0, MB)]);
        assert_eq!(cut(shape, MB - 1, 2), [piece(0, MB - 1, 1), piece(1, 0, 1)]);
        assert_eq!(cut(shape, MB / 2, 2 * MB), [piece(0, MB / 2, MB / 2), piece(1, 0, MB), piece(2, 0, MB / 2)]);
        assert_eq!(cut(shape, 10, 0), []);
        assert_eq!(piece(1, 100, 1).at(Pointer::new(0, 7, 1), MB), 7 * MB + 100);
    }

    #[test]
    fn buffers_are_divided_as_the_pieces_are() {
        let pieces = [3, 5].map(|bytes| RequestPiece { extent: 0, within: 0, bytes });
        let divided = divide(&[b"ab", b"", b"cdef", b"gh"], &pieces);
        assert_eq!(divided, [vec![&b"ab"[..], b"c"], vec![b"def", b"gh"]]);
        let (mut one, mut two) = ([0; 2], [0; 6]);
        for (parts, byte) in divide_mut(&mut [&mut one, &mut [], &mut two], &pieces).into_iter().zip(1..) {
            for part in parts {
                part.fill(byte);
            }
        }
        assert_eq!((one, two), ([1, 1], [1, 2, 2, 2, 2, 2]));
    }
}
