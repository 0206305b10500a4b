//! The messages between an instance and its cells, written to a file as they are counted.
//!
//! The file is a `pcap` capture of link type 147 (reserved for users), so that the usual tools list it. A packet is
//!
//! ```text
//!   version u8 (1), kind u8, session u32, bytes of the cell's name u8, the cell's name, the message
//! ```
//!
//! with little-endian numbers. The bytes of blocks in requests for blocks and their answers are left out, and so is
//! what a packet has beyond 256 KB; the packet's original length counts them. The session is the one for which
//! the thread last waited, by its SID; background processes have one, too. 0 stands for a thread that has not waited.

use std::fmt;
use std::io::{self, Write};

use common::Clock;
use common::sync::{Arc, Mutex};

/// First bytes of the file: numbers are little-endian and times have microseconds.
const MAGIC: u32 = 0xa1b2_c3d4;
/// A link type that the format leaves to its users.
const LINK_TYPE: u32 = 147;
const PACKET_VERSION: u8 = 1;
/// Bytes of a packet at most: the usual tools read no longer ones.
const PACKET_BYTES: usize = 262_144;

/// What a packet of a capture is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    BlockRequest = 0,
    BlockAnswer = 1,
    ScanRequest = 2,
    ScanAnswer = 3,
    /// No message: text that says what the session does next.
    Mark = 4,
}

/// A message, as far as it is written.
pub(crate) struct Message<'m> {
    kind: Kind,
    bytes: &'m [u8],
    /// Bytes of the message behind these.
    left_out: u64,
}

impl<'m> Message<'m> {
    pub(crate) fn whole(kind: Kind, bytes: &'m [u8]) -> Self {
        Self { kind, bytes, left_out: 0 }
    }

    /// The first bytes of a message of so many.
    pub(crate) fn beginning(kind: Kind, bytes: &'m [u8], all: u64) -> Self {
        Self { kind, bytes, left_out: all.saturating_sub(bytes.len() as u64) }
    }
}

/// Where messages are written.
pub struct Capture {
    clock: Arc<dyn Clock>,
    out: Mutex<Out>,
}

struct Out {
    to: Box<dyn Write + Send>,
    failed: Option<io::Error>,
}

impl fmt::Debug for Capture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Capture")
    }
}

impl Capture {
    /// Begins the file.
    ///
    /// # Errors
    /// Those of writing it.
    pub fn new(mut to: Box<dyn Write + Send>, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let mut head = MAGIC.to_le_bytes().to_vec();
        // Version 2.4, UTC.
        head.extend([2, 0, 4, 0]);
        [0, 0, PACKET_BYTES as u32, LINK_TYPE].iter().for_each(|number| head.extend(number.to_le_bytes()));
        to.write_all(&head)?;
        Ok(Self { clock, out: Mutex::new(Out { to, failed: None }) })
    }

    /// Notes what a session does next.
    pub fn mark(&self, session: u32, text: &str) {
        self.packets(session, "", &[Message::whole(Kind::Mark, text.as_bytes())]);
    }

    /// Messages that follow each other in the file.
    pub(crate) fn packets(&self, session: u32, cell: &str, messages: &[Message<'_>]) {
        let mut out = self.out.lock();
        for message in messages {
            if out.failed.is_none() {
                out.failed = out.write(self.clock.wall_us(), session, cell, message).err();
            }
        }
    }

    /// Ends the file.
    ///
    /// # Errors
    /// The first error of writing it; what came after it is not in the file.
    pub fn finish(&self) -> io::Result<()> {
        let mut out = self.out.lock();
        match out.failed.take() {
            Some(error) => Err(error),
            None => out.to.flush(),
        }
    }
}

impl Out {
    fn write(&mut self, now_us: u64, session: u32, cell: &str, message: &Message<'_>) -> io::Result<()> {
        let &Message { kind, bytes, left_out } = message;
        let cell = &cell.as_bytes()[..cell.len().min(usize::from(u8::MAX))];
        let mut packet = vec![PACKET_VERSION, kind as u8];
        packet.extend(session.to_le_bytes());
        packet.push(cell.len() as u8);
        packet.extend(cell);
        let all = (packet.len() + bytes.len()) as u64 + left_out;
        let bytes = &bytes[..bytes.len().min(PACKET_BYTES - packet.len())];
        let kept = (packet.len() + bytes.len()) as u64;
        let mut head = Vec::with_capacity(16);
        for number in [now_us / 1_000_000, now_us % 1_000_000, kept, all] {
            head.extend((number as u32).to_le_bytes());
        }
        [&*head, &*packet, bytes].into_iter().try_for_each(|part| self.to.write_all(part))
    }
}

#[cfg(test)]
mod tests {
    use common::SystemClock;

    use super::*;

    /// A file that keeps what is written, and is full after so many bytes.
    struct Small(Arc<Mutex<Vec<u8>>>, usize);

    impl Write for Small {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut kept = self.0.lock();
            if kept.len() + bytes.len() > self.1 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            kept.extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn packets_have_the_lengths_of_their_messages() {
        let kept = Arc::new(Mutex::default());
        let capture = Capture::new(Box::new(Small(Arc::clone(&kept), 1000)), Arc::new(SystemClock::default())).unwrap();
        capture.packets(7, "c1", &[Message::beginning(Kind::BlockAnswer, &[1, 1], 8194)]);
        capture.finish().unwrap();
        let bytes = kept.lock().clone();
        assert_eq!(bytes.len(), 24 + 16 + 9 + 2);
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!((number(0), number(20), number(32), number(36)), (MAGIC, 147, 11, 8203));
        assert_eq!(bytes[40..], [1, 1, 7, 0, 0, 0, 2, b'c', b'1', 1, 1]);
    }

    #[test]
    fn a_file_that_is_full_is_told_at_the_end() {
        let capture = Capture::new(Box::new(Small(Arc::default(), 60)), Arc::new(SystemClock::default())).unwrap();
        capture.mark(1, "select 1 from dual");
        capture.mark(1, "select 2 from dual");
        assert_eq!(capture.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
