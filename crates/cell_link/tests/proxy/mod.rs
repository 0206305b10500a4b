//! A proxy whose connections can be cut, held up and let go.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

use common::sync::{Arc, Condvar, Mutex, spawn};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Pass,
    /// Nothing passes, on old connections and new ones.
    Hold,
    /// What was held stays held, and new connections pass.
    PassNew,
}

struct State {
    /// Where new connections lead.
    to: String,
    mode: Mode,
    /// Connections up to this one are held up in [`Mode::PassNew`].
    held_up_to: u64,
    last: u64,
    sockets: Vec<TcpStream>,
}

pub(crate) struct Proxy {
    address: String,
    state: Mutex<State>,
    changed: Condvar,
}

impl Proxy {
    pub(crate) fn start(to: String) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let state = State { to, mode: Mode::Pass, held_up_to: 0, last: 0, sockets: Vec::new() };
        let proxy = Arc::new(Self {
            address: listener.local_addr().unwrap().to_string(),
            state: Mutex::new(state),
            changed: Condvar::default(),
        });
        let this = Arc::clone(&proxy);
        spawn("proxy", move || {
            for from in listener.incoming() {
                let address = this.state.lock().to.clone();
                let (from, to) = (from.unwrap(), TcpStream::connect(&*address).unwrap());
                from.set_nodelay(true).unwrap();
                to.set_nodelay(true).unwrap();
                let number = {
                    let mut state = this.state.lock();
                    state.last += 1;
                    state.sockets.push(from.try_clone().unwrap());
                    state.sockets.push(to.try_clone().unwrap());
                    state.last
                };
                let back = (to.try_clone().unwrap(), from.try_clone().unwrap());
                for (from, to) in [(from, to), back] {
                    let this = Arc::clone(&this);
                    spawn("proxy connection", move || this.carry(number, from, to)).unwrap();
                }
            }
        })
        .unwrap();
        proxy
    }

    /// Cuts all connections; new ones lead elsewhere.
    pub(crate) fn lead(&self, to: String) {
        self.state.lock().to = to;
        self.cut();
    }

    pub(crate) fn address(&self) -> String {
        self.address.clone()
    }

    fn carry(&self, number: u64, mut from: TcpStream, mut to: TcpStream) {
        let mut bytes = vec![0; 64 << 10];
        while let Ok(count) = from.read(&mut bytes) {
            let mut state = self.state.lock();
            while state.mode == Mode::Hold || (state.mode == Mode::PassNew && number <= state.held_up_to) {
                self.changed.wait(&mut state);
            }
            drop(state);
            if count == 0 || to.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
        let _ = from.shutdown(Shutdown::Both);
    }

    fn set(&self, mode: Mode) {
        let mut state = self.state.lock();
        if mode == Mode::PassNew {
            state.held_up_to = state.last;
        }
        state.mode = mode;
        self.changed.notify_all();
    }

    /// Cuts all connections.
    pub(crate) fn cut(&self) {
        let mut state = self.state.lock();
        state.mode = Mode::Pass;
        for socket in state.sockets.drain(..) {
            let _ = socket.shutdown(Shutdown::Both);
        }
        self.changed.notify_all();
        drop(state);
        std::thread::sleep(Duration::from_millis(5));
    }

    pub(crate) fn hold(&self) {
        self.set(Mode::Hold);
    }

    pub(crate) fn pass_new(&self) {
        self.set(Mode::PassNew);
    }

    pub(crate) fn release(&self) {
        self.set(Mode::Pass);
    }
}
