//! Signals. Ctrl-C cancels the running statement; without one it stops the scripts, and the shell when it is not
//! interactive. SIGTERM and SIGHUP end the process at any time, but not before the database is closed.
//!
//! On a terminal the line editor takes Ctrl-C at the prompt as a key, so the signal always means that the shell is busy
//! or reads from a pipe.

use std::sync::OnceLock;

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, Mutex};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Closes all open files; the process ends when it returns.
type Closing = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Signals {
    /// The handle of the running statement.
    running: Mutex<Option<Arc<AtomicBool>>>,
    leave: AtomicBool,
    ending: Mutex<Ending>,
}

#[derive(Default)]
struct Ending {
    closing: Option<Closing>,
    /// A signal that came before there was anything to close.
    early: Option<i32>,
    /// A signal ends the process: its thread is closing, and decides the exit code.
    under_way: bool,
}

static STATE: OnceLock<Signals> = OnceLock::new();

fn state() -> &'static Signals {
    STATE.get_or_init(Signals::default)
}

/// Takes over the signals of this process; the command line does so before it opens a database.
///
/// # Errors
/// When the operating system refuses.
pub fn install() -> std::io::Result<()> {
    let taken = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !ignored(*signal));
    let mut signals = signal_hook::iterator::Signals::new(taken)?;
    // The line editor changes the terminal's mode; a process that ends at its prompt puts it back.
    let terminal = rustix::termios::tcgetattr(rustix::stdio::stdin()).ok();
    common::sync::spawn("signals", move || {
        for signal in signals.forever() {
            if signal == SIGINT {
                interrupt();
                continue;
            }
            let closing = {
                let mut ending = state().ending.lock();
                if ending.closing.is_none() {
                    ending.early = Some(signal);
                }
                let closing = ending.closing.take();
                ending.under_way |= closing.is_some();
                closing
            };
            let Some(closing) = closing else { continue };
            if let Some(terminal) = &terminal {
                // A failure leaves nothing to do.
                let _ =
                    rustix::termios::tcsetattr(rustix::stdio::stdin(), rustix::termios::OptionalActions::Now, terminal);
            }
            closing();
            end(signal);
        }
    })?;
    Ok(())
}

/// True: the process was started with the signal ignored, as `nohup` does: then it goes on ignoring it.
fn ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

/// Exits with the code of a process that a signal has ended.
fn end(signal: i32) -> ! {
    std::process::exit(128 + signal)
}

/// To be called before the process ends by itself: if a signal is ending it, its close goes on and the exit code is the
/// signal's. Otherwise the statement that the close has cut short would win the race.
pub fn let_termination_end() {
    while state().ending.lock().under_way {
        std::thread::park();
    }
}

/// Sets the action of SIGTERM and SIGHUP before the process ends. A signal that came already ends it here.
pub fn on_termination(closing: impl FnOnce() + Send + 'static) {
    let early = {
        let mut ending = state().ending.lock();
        if ending.early.is_none() {
            ending.closing = Some(Box::new(closing));
            return;
        }
        ending.early
    };
    closing();
    end(early.unwrap_or(SIGTERM));
}

fn interrupt() {
    let state = state();
    match &*state.running.lock() {
        // A second one while the statement has not noticed the first: leave when it does.
        Some(cancel) if cancel.swap(true, Ordering::SeqCst) => state.leave.store(true, Ordering::SeqCst),
        Some(_) => {}
        None => state.leave.store(true, Ordering::SeqCst),
    }
}

/// While it lives, a signal cancels the statement through its handle.
#[derive(Debug)]
pub struct Running;

impl Running {
    #[must_use]
    pub fn begin(cancel: Arc<AtomicBool>) -> Self {
        cancel.store(false, Ordering::SeqCst);
        *state().running.lock() = Some(cancel);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        *state().running.lock() = None;
    }
}

/// True: a signal came that no statement took.
pub(crate) fn leaving() -> bool {
    state().leave.load(Ordering::SeqCst)
}

/// Forgets such a signal: the scripts have been stopped.
pub(crate) fn forget() {
    state().leave.store(false, Ordering::SeqCst);
}
