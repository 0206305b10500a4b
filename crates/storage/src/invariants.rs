//! Invariants: what a structure states of itself.
//!
//! A step states what it relies on and what it leaves with `debug_assert`. What is true of a whole structure stands in
//! its check, which returns the first invariant that does not hold: [`hold`] runs a check where a change ends, in debug
//! builds, and `check_invariants` of the large structures is called by tests and by the simulator.

use common::Result;

/// Leaves a check with ORA-00600 and the text, unless the invariant holds.
macro_rules! invariant {
    ($holds:expr, $($text:tt)+) => {
        if !$holds {
            return Err(common::Error::bug(format!($($text)+)));
        }
    };
}

/// Debug builds: panics with the text of the check's error. Other builds do not run the check.
#[track_caller]
pub(crate) fn hold(check: impl FnOnce() -> Result<()>) {
    if cfg!(debug_assertions) {
        let checked = check();
        assert!(checked.is_ok(), "{}", checked.err().map(|error| error.text).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(number: u32) -> Result<()> {
        invariant!(number < 10, "number {number}: it has more than one digit");
        Ok(())
    }

    #[test]
    fn an_invariant_that_holds_says_nothing() {
        hold(|| small(9));
    }

    #[test]
    #[should_panic(expected = "number 10: it has more than one digit")]
    fn a_broken_invariant_is_said() {
        hold(|| small(10));
    }
}
