//! A connection: frames over TLS.
//!
//! A frame is the lengths of a head and of a body, four bytes each, and the two. A thread may send while another one
//! receives: the socket is written to and read from without the lock of the TLS state, so that two full sockets never
//! wait for each other.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use cell::{HEAD_BYTES, TRANSFER_BYTES};
use common::sync::Mutex;
use rustix::net::RecvFlags;
use rustix::net::sockopt;
use rustls::Connection;

/// Bytes that are encrypted before they are sent.
const CHUNK: usize = 128 << 10;
/// Bytes of a frame's head and body at most.
pub(crate) const HEAD_MAX: usize = HEAD_BYTES + 64;
pub(crate) const BODY_MAX: usize = TRANSFER_BYTES;

#[derive(Debug)]
pub(crate) struct Channel {
    socket: TcpStream,
    tls: Mutex<Connection>,
    /// Bytes that have come and are not decrypted.
    incoming: Mutex<Incoming>,
    /// Encrypted bytes that go out.
    outgoing: Mutex<Vec<u8>>,
}

#[derive(Debug)]
struct Incoming {
    bytes: Vec<u8>,
    from: usize,
    to: usize,
}

/// The peer has not answered in time: the socket's own timeouts have the error of sockets that do not block.
fn timed(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock => io::Error::new(io::ErrorKind::TimedOut, "no answer in time"),
        _ => error,
    }
}

fn of_tls(error: rustls::Error) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, format!("TLS: {error}"))
}

impl Channel {
    /// Shakes hands. `patience`: how long the peer may take for each message of it.
    ///
    /// # Errors
    /// [`io::ErrorKind::PermissionDenied`] when the peer's certificate is not accepted, or ours by the peer.
    pub(crate) fn new(mut socket: TcpStream, tls: impl Into<Connection>, patience: Duration) -> io::Result<Self> {
        let mut tls = tls.into();
        socket.set_nodelay(true)?;
        sockopt::set_socket_keepalive(&socket, true)?;
        sockopt::set_tcp_keepidle(&socket, Duration::from_secs(20))?;
        sockopt::set_tcp_keepintvl(&socket, Duration::from_secs(5))?;
        sockopt::set_tcp_keepcnt(&socket, 3)?;
        socket.set_read_timeout(Some(patience))?;
        socket.set_write_timeout(Some(patience))?;
        while tls.is_handshaking() {
            let Err(error) = tls.complete_io(&mut socket) else { continue };
            match error.get_ref().and_then(|inner| inner.downcast_ref()) {
                Some(error) => return Err(of_tls(rustls::Error::clone(error))),
                None if error.kind() == io::ErrorKind::Interrupted => {}
                None => return Err(timed(error)),
            }
        }
        // What is written goes out in chunks.
        tls.set_buffer_limit(None);
        let incoming = Mutex::new(Incoming { bytes: vec![0; CHUNK], from: 0, to: 0 });
        Ok(Self { socket, tls: Mutex::new(tls), incoming, outgoing: Mutex::default() })
    }

    /// The certificate of the peer.
    pub(crate) fn peer(&self) -> Vec<u8> {
        let tls = self.tls.lock();
        tls.peer_certificates().and_then(<[_]>::first).map(|first| first.to_vec()).unwrap_or_default()
    }

    /// How long a receive may take at most; None: for ever.
    pub(crate) fn set_patience(&self, patience: Option<Duration>) -> io::Result<()> {
        // Zero has another meaning for the socket.
        self.socket.set_read_timeout(patience.map(|patience| patience.max(Duration::from_millis(1))))
    }

    /// Nothing more is sent or received.
    pub(crate) fn close(&self) {
        // It may be closed already.
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    /// Sends a frame.
    pub(crate) fn send(&self, head: &[u8], body: &[&[u8]]) -> io::Result<()> {
        let bytes = body.iter().map(|part| part.len()).sum::<usize>();
        if head.len() > HEAD_MAX || bytes > BODY_MAX {
            let text = format!("a message of {} and {bytes} bytes is too long", head.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let lengths = [(head.len() as u32).to_le_bytes(), (bytes as u32).to_le_bytes()].concat();
        let mut outgoing = self.outgoing.lock();
        let mut room = CHUNK;
        for part in [&lengths, head].into_iter().chain(body.iter().copied()) {
            let mut rest = part;
            while !rest.is_empty() {
                let now = rest.len().min(room);
                self.tls.lock().writer().write_all(&rest[..now])?;
                (rest, room) = (&rest[now..], room - now);
                if room == 0 {
                    self.flush(&mut outgoing)?;
                    room = CHUNK;
                }
            }
        }
        self.flush(&mut outgoing)
    }

    fn flush(&self, outgoing: &mut Vec<u8>) -> io::Result<()> {
        outgoing.clear();
        {
            let mut tls = self.tls.lock();
            while tls.wants_write() {
                tls.write_tls(outgoing)?;
            }
        }
        (&self.socket).write_all(outgoing).map_err(timed)
    }

    /// Receives the head of a frame; returns the length of its body, which is to be received next.
    pub(crate) fn receive_head(&self, head: &mut Vec<u8>) -> io::Result<usize> {
        let mut lengths = [0; 8];
        self.receive(&mut lengths)?;
        let [a, b, c, d, e, f, g, h] = lengths;
        let (length, body) = (u32::from_le_bytes([a, b, c, d]) as usize, u32::from_le_bytes([e, f, g, h]) as usize);
        if length > HEAD_MAX || body > BODY_MAX {
            let text = format!("a message of {length} and {body} bytes was announced");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        head.clear();
        head.resize(length, 0);
        self.receive(head)?;
        Ok(body)
    }

    /// Receives so many bytes.
    pub(crate) fn receive(&self, mut to: &mut [u8]) -> io::Result<()> {
        let mut incoming = self.incoming.lock();
        let incoming = &mut *incoming;
        while !to.is_empty() {
            let mut tls = self.tls.lock();
            match tls.reader().read(to) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(bytes) => {
                    to = &mut to[bytes..];
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            if incoming.from < incoming.to {
                let mut rest = &incoming.bytes[incoming.from..incoming.to];
                incoming.from += tls.read_tls(&mut rest)?;
                tls.process_new_packets().map_err(of_tls)?;
                continue;
            }
            drop(tls);
            let bytes = match (&self.socket).read(&mut incoming.bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map_err(timed)?,
            };
            if bytes == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            (incoming.from, incoming.to) = (0, bytes);
        }
        Ok(())
    }

    /// Waits for bytes as long as the patience is; false: none have come. A peer that has gone has news, too.
    pub(crate) fn wait_for_news(&self) -> io::Result<bool> {
        match self.socket.peek(&mut [0]) {
            Ok(_) => Ok(true),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// True: bytes have come that were not received yet.
    pub(crate) fn has_more(&self) -> bool {
        let incoming = self.incoming.lock();
        incoming.from < incoming.to
            || self.tls.lock().process_new_packets().is_ok_and(|state| state.plaintext_bytes_to_read() > 0)
    }

    /// True: something has come, or the peer has gone.
    pub(crate) fn has_news(&self) -> bool {
        let mut byte = [0];
        let peeked = rustix::net::recv(&self.socket, &mut byte, RecvFlags::PEEK | RecvFlags::DONTWAIT);
        !matches!(peeked, Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR))
    }
}
