//! Requests of a file, cut at the boundaries of allocation units.

use crate::directory::Pointer;

/// A part of a request that lies in one unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RequestPiece {
    pub(crate) disk: usize,
    /// Byte offset on the disk.
    pub(crate) at: u64,
    pub(crate) bytes: usize,
}

/// The pieces of `bytes` bytes from `offset` on in a file with these extents, as far as the last extent goes.
pub(crate) fn cut(extents: &[Pointer], unit_bytes: u64, offset: u64, bytes: u64) -> Vec<RequestPiece> {
    let mut pieces = Vec::with_capacity(1);
    let (mut at, end) = (offset, offset.saturating_add(bytes));
    while at < end {
        let Some(pointer) = usize::try_from(at / unit_bytes).ok().and_then(|extent| extents.get(extent)) else { break };
        let within = at % unit_bytes;
        let here = (unit_bytes - within).min(end - at);
        let disk_at = u64::from(pointer.unit()) * unit_bytes + within;
        pieces.push(RequestPiece { disk: pointer.disk(), at: disk_at, bytes: here as usize });
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

    #[test]
    fn a_request_is_cut_where_a_unit_ends_and_nowhere_else() {
        let extents = [Pointer::new(0, 5), Pointer::new(1, 7), Pointer::new(0, 6)];
        let piece = |disk, at, bytes| RequestPiece { disk, at, bytes };
        assert_eq!(cut(&extents, 100, 0, 100), [piece(0, 500, 100)]);
        assert_eq!(cut(&extents, 100, 99, 2), [piece(0, 599, 1), piece(1, 700, 1)]);
        assert_eq!(cut(&extents, 100, 50, 250), [piece(0, 550, 50), piece(1, 700, 100), piece(0, 600, 100)]);
        assert_eq!(cut(&extents, 100, 250, 100), [piece(0, 650, 50)]);
        assert_eq!(cut(&extents, 100, 300, 1), []);
        assert_eq!(cut(&extents, 100, 10, 0), []);
        assert_eq!(cut(&extents, 100, u64::MAX, 10), []);
    }

    #[test]
    fn buffers_are_divided_as_the_pieces_are() {
        let pieces = [3, 5].map(|bytes| RequestPiece { disk: 0, at: 0, bytes });
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
