//! Ctrl-C: it cancels the running statement; without one it stops the scripts, and the shell where nobody types.
//!
//! On a terminal the line editor takes Ctrl-C at the prompt as a key, so a signal always means that the shell is busy or reads from a pipe.

use std::sync::OnceLock;

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, Mutex};

struct State {
    /// The handle of the running statement.
    running: Mutex<Option<Arc<AtomicBool>>>,
    leave: AtomicBool,
}

static STATE: OnceLock<State> = OnceLock::new();

fn state() -> &'static State {
    STATE.get_or_init(|| State { running: Mutex::new(None), leave: AtomicBool::new(false) })
}

/// Takes over the signals of this process; the command line does so before it starts the shell.
///
/// # Errors
/// When something else in the process has a handler already.
pub fn install() -> std::io::Result<()> {
    ctrlc::set_handler(|| {
        let state = state();
        match &*state.running.lock() {
            // A second one while the statement has not noticed the first: leave when it does.
            Some(cancel) if cancel.swap(true, Ordering::SeqCst) => state.leave.store(true, Ordering::SeqCst),
            Some(_) => {}
            None => state.leave.store(true, Ordering::SeqCst),
        }
    })
    .map_err(std::io::Error::other)
}

/// While it lives, a signal cancels the statement through its handle.
pub(crate) struct Running;

impl Running {
    pub(crate) fn begin(cancel: Arc<AtomicBool>) -> Self {
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

/// Whether a signal came that no statement took.
pub(crate) fn leaving() -> bool {
    state().leave.load(Ordering::SeqCst)
}

/// Forgets such a signal: the scripts have been stopped.
pub(crate) fn forget() {
    state().leave.store(false, Ordering::SeqCst);
}
