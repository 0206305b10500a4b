//! A cell's process: connections of instances, a thread each.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, DefaultHasher, Hash as _, Hasher as _, RandomState};
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::time::Duration;

use cell::{Answers, BlockRequest, Service, answer_head, ensure};
use common::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use common::sync::{Arc, Condvar, Mutex, spawn};
use device::AlignedBuffer;
use rustls::{ServerConfig, ServerConnection};

use crate::channel::Channel;
use crate::hello::{Hello, Purpose, Welcome};
use crate::keys::Keys;

/// Connections at most.
const CONNECTIONS_MAX: usize = 1000;
/// How long an instance may take for its greeting, and for taking an answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Scans under way on a connection at most.
const SCANS_MAX: usize = 4096;

/// Instances by the certificates that they show and the names that they give.
type Owners = BTreeMap<(Vec<u8>, String), Arc<Mutex<Owner>>>;

/// A cell that listens.
#[derive(Debug)]
pub struct Server {
    service: Arc<Service>,
    boot: u64,
    tls: Arc<ServerConfig>,
    listener: TcpListener,
    owners: Mutex<Owners>,
    connections: Arc<AtomicUsize>,
}

/// An instance, and its connections for blocks.
#[derive(Default, Debug)]
struct Owner {
    incarnation: u64,
    epoch: u64,
    /// Incarnations that another one has followed.
    gone: Vec<u64>,
    lines: Vec<Arc<Line>>,
}

/// A connection for requests of blocks.
#[derive(Debug)]
struct Line {
    channel: Channel,
    state: Mutex<LineState>,
    idle: Condvar,
}

#[derive(Default, Debug)]
struct LineState {
    /// Nothing more is carried out.
    retired: bool,
    busy: bool,
}

impl Line {
    /// Nothing more is carried out for this connection, once this has returned.
    fn retire(&self) {
        let mut state = self.state.lock();
        state.retired = true;
        self.channel.close();
        while state.busy {
            self.idle.wait(&mut state);
        }
    }

    /// False: it is retired.
    fn begin(&self) -> bool {
        let mut state = self.state.lock();
        state.busy = !state.retired;
        state.busy
    }

    fn end(&self) {
        self.state.lock().busy = false;
        self.idle.notify_all();
    }
}

impl Owner {
    /// Lets a connection in; what older ones have asked for has ended then.
    fn admit(&mut self, hello: &Hello, line: Option<&Arc<Line>>) -> io::Result<()> {
        let is_old = (hello.incarnation == self.incarnation && hello.epoch < self.epoch)
            || self.gone.contains(&hello.incarnation);
        if is_old {
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "a later connection of this instance is here"));
        }
        let Some(line) = line else { return Ok(()) };
        if (hello.incarnation, hello.epoch) != (self.incarnation, self.epoch) {
            self.lines.drain(..).for_each(|line| line.retire());
            if hello.incarnation != self.incarnation {
                self.gone.push(self.incarnation);
            }
            (self.incarnation, self.epoch) = (hello.incarnation, hello.epoch);
        }
        self.lines.push(Arc::clone(line));
        Ok(())
    }
}

impl Server {
    /// Listens at an address.
    ///
    /// # Errors
    /// Those of the keys and of the network.
    pub fn bind(service: Service, keys: &Keys, address: impl ToSocketAddrs) -> io::Result<Self> {
        let (service, tls, listener) = (Arc::new(service), keys.of_cell()?, TcpListener::bind(address)?);
        Ok(Self { service, boot: boot(), tls, listener, owners: Mutex::default(), connections: Arc::default() })
    }

    /// Says that the machine has this boot instead of its own.
    #[must_use]
    pub fn with_boot(self, boot: u64) -> Self {
        Self { boot, ..self }
    }

    /// Where it listens.
    ///
    /// # Errors
    /// Those of the network.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves connections, as long as the process lives.
    ///
    /// # Errors
    /// When the listening socket fails.
    pub fn run(self) -> io::Result<()> {
        let server = Arc::new(self);
        loop {
            let socket = match server.listener.accept() {
                Ok((socket, _)) => socket,
                Err(error) if is_passing(&error) => {
                    std::thread::sleep(Duration::from_millis(20));
                    continue;
                }
                Err(error) => return Err(error),
            };
            if server.connections.load(Ordering::Relaxed) >= CONNECTIONS_MAX {
                // The instance sees it close, and tries again.
                continue;
            }
            let counted = Counted::new(&server.connections);
            let this = Arc::clone(&server);
            // Without a thread the socket closes, too.
            let _ = spawn("cell connection", move || {
                let _counted = counted;
                // An instance that has gone, or was refused: it knows.
                let _ = this.serve(socket);
            });
        }
    }

    fn serve(&self, socket: TcpStream) -> io::Result<()> {
        let tls = ServerConnection::new(Arc::clone(&self.tls)).map_err(io::Error::other)?;
        let channel = Channel::new(socket, tls, PATIENCE)?;
        let mut head = Vec::new();
        if channel.receive_head(&mut head)? != 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let hello = match Hello::decode(&head) {
            Ok(hello) => hello,
            Err(error) => return channel.send(&answer_head(&Err(error)), &[]),
        };
        let key = (channel.peer(), hello.owner.clone());
        let owner = Arc::clone(self.owners.lock().entry(key).or_default());
        match hello.purpose {
            Purpose::Blocks => {
                let line = Arc::new(Line { channel, state: Mutex::default(), idle: Condvar::default() });
                if let Err(error) = owner.lock().admit(&hello, Some(&line)) {
                    return line.channel.send(&answer_head(&Err(error)), &[]);
                }
                let served = self.serve_blocks(&line);
                owner.lock().lines.retain(|other| !Arc::ptr_eq(other, &line));
                served
            }
            Purpose::Scans => {
                if let Err(error) = owner.lock().admit(&hello, None) {
                    return channel.send(&answer_head(&Err(error)), &[]);
                }
                self.serve_scans(channel)
            }
        }
    }

    fn welcome(&self) -> Vec<u8> {
        Welcome { boot: self.boot, name: self.service.name().to_owned() }.encode()
    }

    fn serve_blocks(&self, line: &Line) -> io::Result<()> {
        let channel = &line.channel;
        channel.send(&answer_head(&Ok(())), &[&self.welcome()])?;
        channel.set_patience(None)?;
        let (mut head, mut buffer) = (Vec::new(), AlignedBuffer::zeroed(0));
        loop {
            let body = channel.receive_head(&mut head)?;
            let announced = BlockRequest::decode(&head).map_or(0, |(_, request)| request.follow());
            if body != announced {
                return Err(io::ErrorKind::InvalidData.into());
            }
            if body > 0 {
                // What was announced comes soon.
                channel.set_patience(Some(PATIENCE))?;
                ensure(&mut buffer, body);
                channel.receive(&mut buffer[..body])?;
                channel.set_patience(None)?;
            }
            if !line.begin() {
                return Ok(());
            }
            let busy = Busy(line);
            let (answer, bytes) = self.service.answer(&head, &mut buffer);
            drop(busy);
            channel.send(&answer, &[&buffer[..bytes]])?;
        }
    }

    fn serve_scans(&self, channel: Channel) -> io::Result<()> {
        channel.send(&answer_head(&Ok(())), &[&self.welcome()])?;
        channel.set_patience(None)?;
        let line = Arc::new(ScanLine { channel, open: Mutex::default(), broken: AtomicBool::new(false) });
        let served = self.take_scans(&line);
        line.give_up();
        served
    }

    fn take_scans(&self, line: &Arc<ScanLine>) -> io::Result<()> {
        let mut head = Vec::new();
        loop {
            let body = line.channel.receive_head(&mut head)?;
            let (tag, kind) = read_tag(&head)?;
            let mut request = vec![0; body];
            line.channel.receive(&mut request)?;
            match kind {
                SCAN => {
                    let wanted = Arc::new(AtomicBool::new(true));
                    let mut open = line.open.lock();
                    if open.len() >= SCANS_MAX || open.contains_key(&tag) {
                        return Err(io::ErrorKind::InvalidData.into());
                    }
                    open.insert(tag, Arc::clone(&wanted));
                    drop(open);
                    let line = Arc::clone(line);
                    let answers = ScanAnswers { line, tag, wanted, ended: AtomicBool::new(false) };
                    self.service.scan(request, Box::new(answers));
                }
                CANCEL => {
                    if let Some(wanted) = line.open.lock().get(&tag) {
                        wanted.store(false, Ordering::Relaxed);
                    }
                }
                _ => return Err(io::ErrorKind::InvalidData.into()),
            }
        }
    }
}

/// A number of the machine's boot. Where the system does not tell it, each process counts as one: then a restart of the
/// cell alone makes the next sync fail, too.
pub(crate) fn boot() -> u64 {
    let mut hasher = DefaultHasher::new();
    match std::fs::read("/proc/sys/kernel/random/boot_id") {
        Ok(id) => id.hash(&mut hasher),
        Err(_) => return RandomState::new().hash_one(std::process::id()),
    }
    hasher.finish()
}

/// Errors of an accept that the next one need not have.
fn is_passing(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let passing = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM, Errno::INTR, Errno::CONNABORTED];
    Errno::from_io_error(error).is_some_and(|errno| passing.contains(&errno))
}

/// A connection that counts.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(connections: &Arc<AtomicUsize>) -> Self {
        connections.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(connections))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request under way, also when it panics.
struct Busy<'l>(&'l Line);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Kinds of messages about scans: requests, and answers.
pub(crate) const SCAN: u8 = 0;
pub(crate) const CANCEL: u8 = 1;
pub(crate) const ANSWER: u8 = 2;
pub(crate) const END: u8 = 3;
pub(crate) const FAILED: u8 = 4;

/// The head of a message about a scan.
pub(crate) fn tag(tag: u64, kind: u8) -> [u8; 9] {
    let mut head = [kind; 9];
    head[..8].copy_from_slice(&tag.to_le_bytes());
    head
}

pub(crate) fn read_tag(head: &[u8]) -> io::Result<(u64, u8)> {
    match head {
        [a, b, c, d, e, f, g, h, kind] => Ok((u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]), *kind)),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// A connection for scans.
#[derive(Debug)]
struct ScanLine {
    channel: Channel,
    /// Scans under way, and whether they are wanted.
    open: Mutex<BTreeMap<u64, Arc<AtomicBool>>>,
    broken: AtomicBool,
}

impl ScanLine {
    fn send(&self, head: [u8; 9], body: &[u8]) {
        if !self.broken.load(Ordering::Relaxed) && self.channel.send(&head, &[body]).is_err() {
            self.give_up();
        }
    }

    /// The instance gets no more answers by this connection.
    fn give_up(&self) {
        self.broken.store(true, Ordering::Relaxed);
        self.channel.close();
    }
}

/// The way back for the answers to a scan.
#[derive(Debug)]
struct ScanAnswers {
    line: Arc<ScanLine>,
    tag: u64,
    wanted: Arc<AtomicBool>,
    ended: AtomicBool,
}

impl ScanAnswers {
    fn finish(&self, kind: u8, body: &[u8]) {
        if !self.ended.swap(true, Ordering::Relaxed) {
            self.line.open.lock().remove(&self.tag);
            self.line.send(tag(self.tag, kind), body);
        }
    }
}

impl Answers for ScanAnswers {
    fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed)
            && !self.ended.load(Ordering::Relaxed)
            && !self.line.broken.load(Ordering::Relaxed)
    }

    fn send(&self, answer: Vec<u8>) {
        self.line.send(tag(self.tag, ANSWER), &answer);
    }

    fn fail(&self, error: io::Error) {
        self.finish(FAILED, &answer_head(&Err(error)));
    }

    fn end(&self) {
        self.finish(END, &[]);
    }
}

impl Drop for ScanAnswers {
    fn drop(&mut self) {
        self.fail(io::Error::new(io::ErrorKind::BrokenPipe, "the cell has given the request up"));
    }
}
