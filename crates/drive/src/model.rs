//! What all models have in common: requests arrive at times of their own, and end when the model says.

use std::fmt::Debug;

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    Read,
    Write,
    /// A write that ends when it is durable.
    WriteThrough,
}

/// A request for blocks of 512 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    pub kind: Kind,
    pub block: u64,
    pub blocks: u64,
}

/// A request that was submitted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Ticket(pub(crate) u64);

/// A device in the model's time, microseconds since it came to rest. Times that are passed in must not fall.
pub trait Model: Send + Debug {
    /// A request arrives.
    fn submit(&mut self, at: f64, request: Request) -> Ticket;

    /// Writes that have ended before are to become durable.
    fn flush(&mut self, at: f64) -> Ticket;

    /// Carries out what begins until `now`. Which request comes next is decided when the device is free, so the end of
    /// a request may be unknown before. A device that decides at the arrival has nothing to do here.
    fn advance(&mut self, _now: f64) {}

    /// The end of a request, once it has been decided; it may lie in the future. The ticket is spent then.
    fn take_end(&mut self, ticket: Ticket) -> Option<f64>;

    /// When the next waiting request begins; None where no request waits for a decision.
    fn next_begin(&self) -> Option<f64> {
        None
    }

    /// Bytes of its address space.
    fn bytes(&self) -> u64;

    /// Time that the device, or all of its parts together, were at work.
    fn busy_us(&self) -> f64;
}

/// The end of a request for a caller without a clock: time goes on until it has been decided.
pub fn end_of(model: &mut dyn Model, ticket: Ticket) -> f64 {
    loop {
        if let Some(end) = model.take_end(ticket) {
            return end;
        }
        match model.next_begin() {
            Some(next) => model.advance(next),
            None => return f64::INFINITY,
        }
    }
}
