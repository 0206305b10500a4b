//! Requests for bytes of a disk, and their answers: a head, and the bytes themselves behind it.
//!
//! A cell in this process takes the bytes where they are, and only heads are made. The length of a message is that of
//! its head and its bytes.

use std::io;

use crate::message::{Malformed, Reader, Result, VERSION, put_bytes, put_number};

/// A request is for so many bytes at most; longer ones are cut.
pub const TRANSFER_BYTES: usize = 4 << 20;
/// The head of a message has so many bytes at most.
pub const HEAD_BYTES: usize = 64 << 10;

/// What is asked of a disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockRequest {
    /// So many bytes from an offset on.
    Read {
        offset: u64,
        bytes: u64,
    },
    /// So many bytes follow.
    Write {
        offset: u64,
        bytes: u64,
        durable: bool,
    },
    Sync,
    Size,
    /// The names of the cell's disks, one a line. It names no disk.
    Disks,
    /// So many bytes follow: what segments want of the flash cache. It names no disk.
    FlashRules {
        bytes: u64,
    },
    /// The state of the cell's flash. It names no disk.
    FlashState,
}

impl BlockRequest {
    /// The bytes before those that a write has.
    #[must_use]
    pub fn head(self, disk: &str) -> Vec<u8> {
        let mut to = Vec::with_capacity(32);
        to.push(VERSION);
        put_bytes(&mut to, disk.as_bytes());
        match self {
            Self::Read { offset, bytes } => {
                to.push(0);
                put_number(&mut to, offset);
                put_number(&mut to, bytes);
            }
            Self::Write { offset, bytes, durable } => {
                to.push(if durable { 2 } else { 1 });
                put_number(&mut to, offset);
                put_number(&mut to, bytes);
            }
            Self::Sync => to.push(3),
            Self::Size => to.push(4),
            Self::Disks => to.push(5),
            Self::FlashRules { bytes } => {
                to.push(6);
                put_number(&mut to, bytes);
            }
            Self::FlashState => to.push(7),
        }
        to
    }

    /// The disk, and what is asked of it.
    ///
    /// # Errors
    /// What is wrong with the head; so are requests for more than [`TRANSFER_BYTES`].
    pub fn decode(head: &[u8]) -> Result<(&str, Self)> {
        let mut from = Reader::new(head, 0);
        from.version()?;
        let disk = std::str::from_utf8(from.bytes()?).map_err(|_| Malformed("a name that is no text"))?;
        let kind = from.u8()?;
        let request = match kind {
            0..=2 => {
                let (offset, bytes) = (from.number()?, from.number()?);
                if bytes > TRANSFER_BYTES as u64 || offset.checked_add(bytes).is_none() {
                    return Err(Malformed("a request is for 4 MB at most"));
                }
                match kind {
                    0 => Self::Read { offset, bytes },
                    _ => Self::Write { offset, bytes, durable: kind == 2 },
                }
            }
            3 => Self::Sync,
            4 => Self::Size,
            5 => Self::Disks,
            6 => match from.number()? {
                bytes if bytes <= TRANSFER_BYTES as u64 => Self::FlashRules { bytes },
                _ => return Err(Malformed("a request is for 4 MB at most")),
            },
            7 => Self::FlashState,
            _ => return Err(Malformed("a request that there is not")),
        };
        from.end()?;
        Ok((disk, request))
    }

    /// Bytes that follow the head.
    #[must_use]
    pub fn follow(self) -> usize {
        if let Self::Write { bytes, .. } | Self::FlashRules { bytes } = self { bytes as usize } else { 0 }
    }

    /// Length of the request, in bytes.
    pub(crate) fn message_bytes(self, disk: &str) -> u64 {
        (self.head(disk).len() + self.follow()) as u64
    }

    /// Length of the answer to it, in bytes: the version, whether it was done, and what was asked for.
    pub(crate) fn answer_bytes(self) -> u64 {
        DONE.len() as u64
            + match self {
                Self::Read { bytes, .. } => bytes,
                Self::Size => 8,
                Self::Write { .. } | Self::Sync | Self::Disks | Self::FlashRules { .. } | Self::FlashState => 0,
            }
    }

    /// True: after an error without an answer it may have been carried out.
    #[must_use]
    pub fn changes(self) -> bool {
        matches!(self, Self::Write { .. })
    }
}

/// The head of an answer to what was done.
const DONE: [u8; 2] = [VERSION, 1];

/// The head of the answer to a request that was carried out, or was not.
#[must_use]
pub fn answer_head(done: &io::Result<()>) -> Vec<u8> {
    match done {
        Ok(()) => DONE.to_vec(),
        Err(error) => {
            let mut to = vec![VERSION, 0];
            to.push(KINDS.iter().position(|kind| *kind == error.kind()).unwrap_or(0) as u8);
            let text = error.to_string();
            let mut end = text.len().min(1000);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            put_bytes(&mut to, &text.as_bytes()[..end]);
            to
        }
    }
}

/// The head of the answer to a read that the flash cache has answered.
#[must_use]
pub fn flash_answer_head() -> Vec<u8> {
    vec![VERSION, 2]
}

/// Whether the request was carried out. True: by the flash cache.
///
/// # Errors
/// The cell's own error; [`io::ErrorKind::InvalidInput`] for a head that cannot be read.
pub fn read_answer_head(head: &[u8]) -> io::Result<bool> {
    let mut from = Reader::new(head, 0);
    from.version()?;
    match from.u8()? {
        0 => {}
        done @ (1 | 2) => {
            from.end()?;
            return Ok(done == 2);
        }
        _ => return Err(Malformed("an answer that is neither done nor refused").into()),
    }
    let kind = KINDS.get(usize::from(from.u8()?)).copied().unwrap_or(io::ErrorKind::Other);
    let text = String::from_utf8_lossy(from.bytes()?).into_owned();
    from.end()?;
    Err(io::Error::new(kind, text))
}

/// Kinds of errors by their numbers in messages.
const KINDS: [io::ErrorKind; 9] = [
    io::ErrorKind::Other,
    io::ErrorKind::NotFound,
    io::ErrorKind::UnexpectedEof,
    io::ErrorKind::InvalidInput,
    io::ErrorKind::StorageFull,
    io::ErrorKind::PermissionDenied,
    io::ErrorKind::TimedOut,
    io::ErrorKind::Unsupported,
    io::ErrorKind::WouldBlock,
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn requests() -> impl Strategy<Value = BlockRequest> {
        let range = || (0..u64::MAX >> 2, 0..=TRANSFER_BYTES as u64);
        prop_oneof![
            range().prop_map(|(offset, bytes)| BlockRequest::Read { offset, bytes }),
            (range(), any::<bool>()).prop_map(|((offset, bytes), durable)| BlockRequest::Write {
                offset,
                bytes,
                durable
            }),
            Just(BlockRequest::Sync),
            Just(BlockRequest::Size),
            Just(BlockRequest::Disks),
            (0..=TRANSFER_BYTES as u64).prop_map(|bytes| BlockRequest::FlashRules { bytes }),
            Just(BlockRequest::FlashState),
        ]
    }

    proptest! {
        #[test]
        fn heads_come_back(request in requests(), disk in "[a-zA-Z0-9_]{0,40}") {
            let head = request.head(&disk);
            prop_assert_eq!(BlockRequest::decode(&head), Ok((&*disk, request)));
            for end in 0..head.len() {
                prop_assert!(BlockRequest::decode(&head[..end]).is_err());
            }
        }

        #[test]
        fn made_up_heads_are_errors_at_most(head in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = BlockRequest::decode(&head);
            let _ = read_answer_head(&head);
        }
    }

    #[test]
    fn errors_come_back_with_their_kinds() {
        for kind in KINDS {
            let head = answer_head(&Err(io::Error::new(kind, "no room")));
            let error = read_answer_head(&head).unwrap_err();
            assert_eq!((error.kind(), error.to_string()), (kind, "no room".to_owned()));
        }
        assert!(!read_answer_head(&answer_head(&Ok(()))).unwrap());
        assert!(read_answer_head(&flash_answer_head()).unwrap());
        let long = read_answer_head(&answer_head(&Err(io::Error::other("ö".repeat(5000))))).unwrap_err();
        assert_eq!(long.to_string().len(), 1000);
    }
}
