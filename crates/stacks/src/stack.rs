//! One stack.

use std::sync::OnceLock;
use std::time::Duration;

use common::Result;
use common::sync::{Arc, Mutex, ThreadId};

use crate::signal;
use crate::symbol::Symbols;
use crate::unwind::Unwinding;

/// The frames below it are a thread's start, the same in all of them.
const THREAD_BEGINS: &str = "__rust_begin_short_backtrace";
/// The frames above it are a thread's asking for its own stack.
const OWN_ASKING: &str = "stacks::signal::send";

/// The functions that a thread was in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stack {
    /// The innermost first.
    pub functions: Vec<Arc<str>>,
}

impl Stack {
    /// `f()<-g()<-h()`, the innermost first, as ORADEBUG SHORT_STACK prints it.
    #[must_use]
    pub fn line(&self) -> String {
        self.functions.iter().map(|name| format!("{name}()")).collect::<Vec<_>>().join("<-")
    }
}

/// From addresses to names; it remembers both.
pub(crate) struct Reader {
    unwinding: Unwinding,
    symbols: Symbols,
}

static READER: OnceLock<Result<Mutex<Reader>>> = OnceLock::new();

/// The process's one reader.
///
/// # Errors
/// HW-0002 when the operating system does not say what is loaded.
pub(crate) fn reader() -> Result<&'static Mutex<Reader>> {
    let made = || Ok(Mutex::new(Reader { unwinding: Unwinding::new()?, symbols: Symbols::default() }));
    READER.get_or_init(made).as_ref().map_err(Clone::clone)
}

impl Reader {
    /// Addresses in the functions of a copied stack, the innermost first.
    pub(crate) fn addresses(&mut self, copied: &signal::Copied) -> Vec<u64> {
        self.unwinding.addresses(copied)
    }

    pub(crate) fn stack(&mut self, addresses: &[u64]) -> Stack {
        let names: Vec<_> = addresses.iter().flat_map(|address| self.symbols.names(*address).to_vec()).collect();
        Stack { functions: trimmed(names) }
    }
}

/// Without the frames of the thread's start, and of asking for its own stack.
fn trimmed(mut names: Vec<Arc<str>>) -> Vec<Arc<str>> {
    if let Some(last) = names.iter().position(|name| name.contains(THREAD_BEGINS)) {
        names.truncate(last);
    }
    if names.iter().any(|name| **name == *OWN_ASKING)
        && let Some(asking) = names.iter().rposition(|name| name.starts_with("stacks::"))
    {
        names.drain(..=asking);
    }
    names
}

/// The stack of a thread of this process, the calling one's too.
///
/// # Errors
/// ORA-00072 when there is no such thread; HW-0008 when it has not answered in `most`; HW-0002 when the operating
/// system refuses a part of it.
pub fn take(thread: ThreadId, most: Duration) -> Result<Stack> {
    // Before the copy, because it takes longest the first time.
    let reader = reader()?;
    let copied = signal::copy(thread, most)?;
    let mut reader = reader.lock();
    let addresses = reader.addresses(&copied);
    Ok(reader.stack(&addresses))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<Arc<str>> {
        names.iter().map(|name| Arc::from(*name)).collect()
    }

    #[test]
    fn the_beginning_of_the_thread_is_cut_off() {
        let all = names(&["f", "g", "std::sys::backtrace::__rust_begin_short_backtrace", "clone3"]);
        assert_eq!(trimmed(all), names(&["f", "g"]));
        assert_eq!(trimmed(names(&["f", "main"])), names(&["f", "main"]));
    }

    #[test]
    fn asking_is_cut_off_where_a_thread_asks_for_its_own() {
        let all = names(&["syscall", OWN_ASKING, "stacks::signal::copy", "stacks::stack::take", "f", "g"]);
        assert_eq!(trimmed(all), names(&["f", "g"]));
        // The thread is taking another thread's stack: that is its work.
        let asks = names(&["nanosleep", "stacks::signal::copy", "f"]);
        assert_eq!(trimmed(asks.clone()), asks);
    }

    #[test]
    fn one_line() {
        assert_eq!(Stack { functions: names(&["f", "<A as B>::g"]) }.line(), "f()<-<A as B>::g()");
    }
}
