//! Where answers arrive: a session that asks several cells waits here for the first one that answers.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::sync::Weak;

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, Condvar, Mutex};

/// An answer, with the number that the asker has given to the request.
#[derive(Debug)]
pub struct Letter {
    pub tag: u64,
    pub answer: io::Result<Vec<u8>>,
}

/// Where the answers to a scan go, in their order.
pub trait Answers: fmt::Debug + Send + Sync {
    /// False: the asker has gone, or the last answer was sent.
    fn is_wanted(&self) -> bool;

    /// Sends the next answer.
    fn send(&self, answer: Vec<u8>);

    /// Sends an error instead of the rest.
    fn fail(&self, error: io::Error);

    /// Nothing more comes.
    fn end(&self);
}

/// Answers that have arrived. Once the mailbox is dropped, cells stop working for it.
#[derive(Default, Debug)]
pub struct Mailbox {
    letters: Mutex<VecDeque<Letter>>,
    arrived: Condvar,
}

impl Mailbox {
    /// The way for answers to a request.
    #[must_use]
    pub fn reply(self: &Arc<Self>, tag: u64) -> Reply {
        Reply { to: Arc::downgrade(self), tag, ended: AtomicBool::new(false) }
    }

    /// Blocks until there is a letter.
    #[must_use]
    pub fn wait(&self) -> Letter {
        let mut letters = self.letters.lock();
        loop {
            match letters.pop_front() {
                Some(letter) => return letter,
                None => self.arrived.wait(&mut letters),
            }
        }
    }

    /// A letter that is there.
    #[must_use]
    pub fn take(&self) -> Option<Letter> {
        self.letters.lock().pop_front()
    }
}

/// The way for the answers to a request, of which there may be several. A reply that is dropped before its end sends an
/// error, so that the session does not wait for a cell that has gone.
pub struct Reply {
    to: Weak<Mailbox>,
    tag: u64,
    ended: AtomicBool,
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reply({})", self.tag)
    }
}

impl Answers for Reply {
    fn is_wanted(&self) -> bool {
        !self.ended.load(Ordering::Relaxed) && self.to.strong_count() > 0
    }

    fn send(&self, answer: Vec<u8>) {
        self.deliver(Ok(answer));
    }

    fn fail(&self, error: io::Error) {
        if !self.ended.swap(true, Ordering::Relaxed) {
            self.deliver(Err(error));
        }
    }

    fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

impl Reply {
    fn deliver(&self, answer: io::Result<Vec<u8>>) {
        if let Some(mailbox) = self.to.upgrade() {
            mailbox.letters.lock().push_back(Letter { tag: self.tag, answer });
            mailbox.arrived.notify_one();
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.fail(io::Error::new(io::ErrorKind::BrokenPipe, "the cell has given the request up"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_their_order_and_an_end_that_is_missed_is_an_error() {
        let mailbox = Arc::new(Mailbox::default());
        let (first, second) = (mailbox.reply(1), mailbox.reply(2));
        first.send(vec![7]);
        second.send(vec![8]);
        first.end();
        drop((first, second));
        let letters: Vec<_> = std::iter::from_fn(|| mailbox.take()).map(|letter| (letter.tag, letter.answer)).collect();
        assert!(matches!(&letters[..2], [(1, Ok(a)), (2, Ok(b))] if a == &[7] && b == &[8]));
        assert!(matches!(&letters[2..], [(2, Err(error))] if error.kind() == io::ErrorKind::BrokenPipe));
    }

    #[test]
    fn nobody_waits_for_what_a_dropped_mailbox_gets() {
        let mailbox = Arc::new(Mailbox::default());
        let reply = mailbox.reply(1);
        assert!(reply.is_wanted());
        drop(mailbox);
        assert!(!reply.is_wanted());
        reply.send(vec![1]);
    }
}
