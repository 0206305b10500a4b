//! Scripts of several sessions, with the expected result of each statement.
//!
//! ```text
//! # a comment
//! s1> update t set v = 1          a statement of session s1, on one line
//!     UPDATE: 1 rows              what came of it, indented
//! s2> update t set v = 2
//!     blocked: enq: TX - row lock contention
//! s1> commit
//!     COMMIT
//!     s2: UPDATE: 1 rows          what came of a statement that was blocked, where it happens
//! s1> open c: select v from t     a cursor that is fetched from bit by bit: open, fetch, close
//! s1> fetch c 10
//! s1> leave                       the connection is dropped
//! wait s2                         until s2's statement has ended by itself
//! deadlock s1 s2> update t …      s2 closes a circle of waits; the one of the two whose statement ends is called
//!     victim: ORA-00060           `victim` from then on, the other `other`
//! ```
//!
//! An error shows its number. Sessions are threads on one instance and begin where they are first named. After each
//! line every session is either idle or waits for a lock, which is seen from the session's current wait and from its
//! thread, not guessed from the time passed.

mod player;
mod script;
mod watch;

pub(crate) use player::Player;
pub(crate) use script::{difference, play};
pub(crate) use watch::settle;
