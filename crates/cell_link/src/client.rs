//! The connections of an instance to a cell.
//!
//! Each request for blocks has a connection to itself until it is answered; connections are kept for the next one.
//! Scans share a connection and a thread that takes their answers.

use std::collections::BTreeMap;
use std::io;
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use cell::{Answered, Answers, BlockRequest, Link, TRANSFER_BYTES, read_answer_head};
use common::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use common::sync::{Arc, Mutex, spawn};
use common::{Clock, interconnect};
use device::{AlignedBuffer, PendingRead, ReadInFlight};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};

use crate::channel::Channel;
use crate::hello::{Hello, Purpose, Welcome};
use crate::keys::CELL_NAME;
use crate::server::{ANSWER, CANCEL, END, FAILED, SCAN, boot, read_tag, tag};

/// Connections that are kept.
const KEPT: usize = 32;
/// How long the network may take for a connection.
const CONNECT: Duration = Duration::from_secs(3);
/// Pause before a request that has lost its connection is repeated.
const PAUSE: Duration = Duration::from_millis(50);
/// A cell that could not be reached is not asked again for this long.
const RESPITE: Duration = Duration::from_millis(200);
/// How often the thread that takes answers looks whether they are late.
const LOOK: Duration = Duration::from_millis(500);

/// How long requests wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// For an answer.
    pub(crate) answer: Duration,
    /// For a cell that is not there.
    pub(crate) reconnect: Duration,
}

/// Which instance asks.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    pub(crate) name: String,
    pub(crate) incarnation: u64,
}

#[derive(Debug)]
pub(crate) struct Client {
    name: String,
    address: String,
    /// The boot of this machine.
    own_boot: u64,
    tls: Arc<ClientConfig>,
    owner: Owner,
    patience: Patience,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
    scans: Mutex<Option<Arc<ScanLine>>>,
    tags: AtomicU64,
}

#[derive(Default, Debug)]
struct State {
    epoch: u64,
    kept: Vec<Line>,
    /// The cell cannot be reached.
    lost: Option<Lost>,
    /// Of the machine, at the latest connection.
    boot: Option<u64>,
    connections: u64,
}

#[derive(Debug)]
struct Lost {
    since_us: u64,
    tried_us: u64,
    why: (io::ErrorKind, String),
}

/// A connection for blocks.
#[derive(Debug)]
struct Line {
    channel: Channel,
    epoch: u64,
    /// That of the cell's machine.
    boot: u64,
}

/// True: the connection is lost, and the cell itself has said nothing.
fn is_of_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{
        BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted, NotConnected, UnexpectedEof,
    };
    matches!(
        error.kind(),
        BrokenPipe
            | ConnectionAborted
            | ConnectionRefused
            | ConnectionReset
            | Interrupted
            | NotConnected
            | UnexpectedEof
    )
}

/// What went wrong with a request.
enum Trouble {
    /// The cell has refused it.
    Refused(io::Error),
    /// There was no answer.
    Unanswered(io::Error),
}

impl Client {
    pub(crate) fn new(
        name: String,
        address: String,
        tls: Arc<ClientConfig>,
        owner: Owner,
        patience: Patience,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let (state, scans, tags) = (Mutex::default(), Mutex::default(), AtomicU64::new(0));
        Self { name, address, own_boot: boot(), tls, owner, patience, clock, state, scans, tags }
    }

    /// The cell's name as it says it.
    pub(crate) fn greet(&self) -> io::Result<String> {
        self.open(Purpose::Blocks, 0).map(|(_, welcome)| welcome.name)
    }

    fn passed(&self, since_us: u64) -> Duration {
        Duration::from_micros(self.clock.monotonic_us().saturating_sub(since_us))
    }

    fn said(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("cell {} at {}: {error}", self.name, self.address))
    }

    fn open(&self, purpose: Purpose, epoch: u64) -> io::Result<(Channel, Welcome)> {
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the address leads nowhere");
        let mut socket = None;
        for address in self.address.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, CONNECT) {
                Ok(connected) => {
                    socket = Some(connected);
                    break;
                }
                Err(error) => last = error,
            }
        }
        let socket = socket.ok_or(last)?;
        let name = ServerName::try_from(CELL_NAME).map_err(io::Error::other)?;
        let tls = ClientConnection::new(Arc::clone(&self.tls), name).map_err(io::Error::other)?;
        let channel = Channel::new(socket, tls, CONNECT)?;
        let hello = Hello { purpose, incarnation: self.owner.incarnation, epoch, owner: self.owner.name.clone() };
        channel.send(&hello.encode(), &[])?;
        // The cell ends first what older connections have asked for.
        channel.set_patience(Some(self.patience.answer))?;
        let mut head = Vec::new();
        let body = channel.receive_head(&mut head)?;
        let mut welcome = vec![0; body];
        channel.receive(&mut welcome)?;
        read_answer_head(&head)?;
        let welcome = Welcome::decode(&welcome)?;
        if !self.name.is_empty() && welcome.name != self.name {
            let text = format!("the cell there is {}", welcome.name);
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        let mut state = self.state.lock();
        state.boot = Some(welcome.boot);
        state.connections += 1;
        drop(state);
        Ok((channel, welcome))
    }

    /// A connection, kept or new.
    fn line(&self) -> io::Result<Line> {
        let epoch = {
            let mut state = self.state.lock();
            if let Some(line) = state.kept.pop() {
                return Ok(line);
            }
            if let Some(lost) = &state.lost
                && self.clock.monotonic_us().saturating_sub(lost.tried_us) < RESPITE.as_micros() as u64
            {
                return Err(io::Error::new(lost.why.0, lost.why.1.clone()));
            }
            state.epoch
        };
        let opened = self.open(Purpose::Blocks, epoch);
        let mut state = self.state.lock();
        match opened {
            Ok((channel, welcome)) => {
                state.lost = None;
                Ok(Line { channel, epoch, boot: welcome.boot })
            }
            Err(error) => {
                let (tried_us, why) = (self.clock.monotonic_us(), (error.kind(), error.to_string()));
                let since_us = state.lost.as_ref().map_or(tried_us, |lost| lost.since_us);
                state.lost = Some(Lost { since_us, tried_us, why });
                Err(error)
            }
        }
    }

    fn keep(&self, line: Line) {
        let mut state = self.state.lock();
        if line.epoch == state.epoch && state.kept.len() < KEPT {
            state.kept.push(line);
        }
    }

    /// A request without an answer: connections of its time serve no more, where it may still be carried out.
    fn lose(&self, line: &Line, changes: bool) {
        line.channel.close();
        let mut state = self.state.lock();
        if line.epoch == state.epoch {
            state.kept.clear();
            state.epoch += u64::from(changes);
        }
    }

    /// One attempt.
    fn attempt(
        &self,
        line: &Line,
        head: &[u8],
        bytes: &[&[u8]],
        left: Duration,
        into: &mut [&mut [u8]],
    ) -> Result<Vec<u8>, Trouble> {
        let sent = line.channel.set_patience(Some(left)).and_then(|()| line.channel.send(head, bytes));
        sent.map_err(Trouble::Unanswered)?;
        receive(&line.channel, into)
    }

    /// Repeats a request until it is answered, or its time is over.
    fn repeat(
        &self,
        disk: &str,
        request: BlockRequest,
        bytes: &[&[u8]],
        into: &mut [&mut [u8]],
        since_us: u64,
    ) -> io::Result<Answered> {
        let head = request.head(disk);
        loop {
            let left = self.patience.answer.saturating_sub(self.passed(since_us));
            let failed = match self.line() {
                Ok(line) => match self.attempt(&line, &head, bytes, left, into) {
                    Ok(bytes) => {
                        let boot = line.boot;
                        self.keep(line);
                        return Ok(Answered { bytes, boot });
                    }
                    Err(Trouble::Refused(error)) => {
                        self.keep(line);
                        return Err(self.said(&error));
                    }
                    Err(Trouble::Unanswered(error)) => {
                        self.lose(&line, request.changes());
                        error
                    }
                },
                Err(error) => {
                    let lost_us = self.state.lock().lost.as_ref().map_or(0, |lost| lost.since_us);
                    let is_over = self.passed(lost_us) >= self.patience.reconnect;
                    if is_over || !(is_of_connection(&error) || is_late(&error)) {
                        return Err(self.said(&error));
                    }
                    error
                }
            };
            if self.passed(since_us) >= self.patience.answer {
                let text = format!("no answer in {:.1} s ({failed})", self.patience.answer.as_secs_f64());
                return Err(self.said(&io::Error::new(io::ErrorKind::TimedOut, text)));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// The connection for scans.
    fn scan_line(self: &Arc<Self>) -> io::Result<Arc<ScanLine>> {
        let mut scans = self.scans.lock();
        if let Some(line) = scans.as_ref().filter(|line| !line.broken.load(Ordering::Relaxed)) {
            return Ok(Arc::clone(line));
        }
        let epoch = self.state.lock().epoch;
        let (channel, _) = self.open(Purpose::Scans, epoch)?;
        channel.set_patience(Some(LOOK))?;
        let heard_us = AtomicU64::new(self.clock.monotonic_us());
        let line = Arc::new(ScanLine { channel, open: Mutex::default(), broken: AtomicBool::new(false), heard_us });
        let (taker, client) = (Arc::clone(&line), Arc::clone(self));
        spawn("cell answers", move || client.take_answers(&taker))?;
        *scans = Some(Arc::clone(&line));
        Ok(line)
    }

    fn take_answers(&self, line: &ScanLine) {
        let why = loop {
            if let Err(error) = self.take_answer(line) {
                break error;
            }
        };
        line.broken.store(true, Ordering::Relaxed);
        line.channel.close();
        for (_, reply) in std::mem::take(&mut *line.open.lock()) {
            reply.fail(self.said(&why));
        }
    }

    fn take_answer(&self, line: &ScanLine) -> io::Result<()> {
        // Looks before it receives: a message must not be cut by the end of the patience.
        while !line.channel.has_more() && !line.channel.wait_for_news()? {
            let quiet_us = self.clock.monotonic_us().saturating_sub(line.heard_us.load(Ordering::Relaxed));
            let is_waited_for = !line.open.lock().is_empty();
            if is_waited_for && quiet_us > self.patience.answer.as_micros() as u64 {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "a scan is not answered"));
            }
        }
        line.channel.set_patience(Some(self.patience.answer))?;
        let mut head = Vec::new();
        let body = line.channel.receive_head(&mut head)?;
        let mut answer = vec![0; body];
        line.channel.receive(&mut answer)?;
        line.channel.set_patience(Some(LOOK))?;
        line.heard_us.store(self.clock.monotonic_us(), Ordering::Relaxed);
        let (number, kind) = read_tag(&head)?;
        let mut open = line.open.lock();
        match kind {
            ANSWER => match open.get(&number) {
                Some(reply) if reply.is_wanted() => reply.send(answer),
                Some(_) => {
                    drop(open);
                    line.channel.send(&tag(number, CANCEL), &[])?;
                }
                None => {}
            },
            END | FAILED => {
                let reply = open.remove(&number);
                drop(open);
                match (reply, kind) {
                    (Some(reply), END) => reply.end(),
                    (Some(reply), _) => {
                        let error =
                            read_answer_head(&answer).err().unwrap_or_else(|| io::ErrorKind::InvalidData.into());
                        reply.fail(self.said(&error));
                    }
                    (None, _) => {}
                }
            }
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
        Ok(())
    }
}

/// True: the peer was too slow.
fn is_late(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::TimedOut
}

fn receive(channel: &Channel, into: &mut [&mut [u8]]) -> Result<Vec<u8>, Trouble> {
    let mut head = Vec::new();
    let body = channel.receive_head(&mut head).map_err(Trouble::Unanswered)?;
    let from_flash = match read_answer_head(&head) {
        Ok(from_flash) => from_flash,
        // The connection goes on: an error has no body.
        Err(error) if body == 0 => return Err(Trouble::Refused(error)),
        Err(error) => return Err(Trouble::Unanswered(error)),
    };
    let wanted = into.iter().map(|part| part.len()).sum::<usize>();
    if wanted > 0 && wanted != body {
        let text = format!("{body} bytes instead of {wanted}");
        return Err(Trouble::Unanswered(io::Error::new(io::ErrorKind::InvalidData, text)));
    }
    if wanted == 0 {
        let mut answer = vec![0; body.min(TRANSFER_BYTES)];
        channel.receive(&mut answer).map_err(Trouble::Unanswered)?;
        return Ok(answer);
    }
    into.iter_mut().try_for_each(|part| channel.receive(part)).map_err(Trouble::Unanswered)?;
    if from_flash {
        interconnect::note_flash(wanted as u64);
    }
    Ok(Vec::new())
}

/// The connection for scans.
#[derive(Debug)]
struct ScanLine {
    channel: Channel,
    open: Mutex<Open>,
    broken: AtomicBool,
    /// When the last answer came, or the first request went.
    heard_us: AtomicU64,
}

type Open = BTreeMap<u64, Box<dyn Answers>>;

impl Link for Client {
    fn name(&self) -> &str {
        &self.name
    }

    fn address(&self) -> &str {
        &self.address
    }

    fn boot(&self) -> Option<u64> {
        self.state.lock().boot
    }

    fn is_on_this_machine(&self) -> bool {
        self.state.lock().boot == Some(self.own_boot)
    }

    fn connections(&self) -> u64 {
        self.state.lock().connections
    }

    fn call(&self, disk: &str, request: BlockRequest, bytes: &[&[u8]], into: &mut [&mut [u8]]) -> io::Result<Answered> {
        self.repeat(disk, request, bytes, into, self.clock.monotonic_us())
    }

    fn submit_read(
        self: Arc<Self>,
        disk: &str,
        request: BlockRequest,
        buffers: Vec<AlignedBuffer>,
    ) -> io::Result<PendingRead> {
        let since_us = self.clock.monotonic_us();
        let line = self.line().and_then(|line| {
            let patient = line.channel.set_patience(Some(self.patience.answer));
            let sent = patient.and_then(|()| line.channel.send(&request.head(disk), &[]));
            if sent.is_err() {
                self.lose(&line, false);
            }
            sent.map(|()| line)
        });
        // Without a connection the wait tries again.
        let line = line.ok();
        Ok(PendingRead::new(Read { client: self, disk: disk.to_owned(), request, buffers, line, since_us }))
    }

    fn scan(self: Arc<Self>, request: Vec<u8>, reply: Box<dyn Answers>) {
        let number = self.tags.fetch_add(1, Ordering::Relaxed);
        let line = match self.scan_line() {
            Ok(line) => line,
            Err(error) => return reply.fail(self.said(&error)),
        };
        let mut open = line.open.lock();
        if open.is_empty() {
            line.heard_us.store(self.clock.monotonic_us(), Ordering::Relaxed);
        }
        open.insert(number, reply);
        drop(open);
        let sent = line.channel.send(&tag(number, SCAN), &[&request]);
        // The thread that takes answers may have given up before the request was entered: the request fails here then.
        if (sent.is_err() || line.broken.load(Ordering::Relaxed))
            && let Some(reply) = line.open.lock().remove(&number)
        {
            let error = sent.err().unwrap_or_else(|| io::ErrorKind::ConnectionReset.into());
            reply.fail(self.said(&error));
        }
    }
}

/// A read on its way.
struct Read {
    client: Arc<Client>,
    disk: String,
    request: BlockRequest,
    buffers: Vec<AlignedBuffer>,
    line: Option<Line>,
    since_us: u64,
}

impl ReadInFlight for Read {
    fn is_done(&mut self) -> bool {
        self.line.as_ref().is_none_or(|line| line.channel.has_news())
    }

    fn wait(mut self: Box<Self>) -> io::Result<Vec<AlignedBuffer>> {
        let mut into: Vec<&mut [u8]> = self.buffers.iter_mut().map(|buffer| &mut **buffer).collect();
        if let Some(line) = self.line.take() {
            match receive(&line.channel, &mut into) {
                Ok(_) => {
                    self.client.keep(line);
                    return Ok(self.buffers);
                }
                Err(Trouble::Refused(error)) => {
                    let error = self.client.said(&error);
                    self.client.keep(line);
                    return Err(error);
                }
                Err(Trouble::Unanswered(_)) => self.client.lose(&line, false),
            }
        }
        self.client.repeat(&self.disk, self.request, &[], &mut into, self.since_us)?;
        Ok(self.buffers)
    }
}
