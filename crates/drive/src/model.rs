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

    /// What a device with an arm has spent its time on. None: it has none.
    fn arm(&self) -> Option<ArmTimes> {
        None
    }
}

/// What an arm has spent its time on, in microseconds of the model's time.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct ArmTimes {
    /// Moving over cylinders, switching between heads, and settling.
    pub seek_us: f64,
    /// Waiting for the first block to come round.
    pub rotation_us: f64,
    /// Blocks passing under the head, with the turns between tracks.
    pub transfer_us: f64,
    /// Requests that the arm was positioned for.
    pub positioned: u64,
    /// Reads that the head was reading towards already, or that the memory held.
    pub streamed: u64,
}

impl std::ops::AddAssign for ArmTimes {
    fn add_assign(&mut self, other: Self) {
        self.seek_us += other.seek_us;
        self.rotation_us += other.rotation_us;
        self.transfer_us += other.transfer_us;
        self.positioned += other.positioned;
        self.streamed += other.streamed;
    }
}

impl std::ops::Sub for ArmTimes {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            seek_us: self.seek_us - earlier.seek_us,
            rotation_us: self.rotation_us - earlier.rotation_us,
            transfer_us: self.transfer_us - earlier.transfer_us,
            positioned: self.positioned.saturating_sub(earlier.positioned),
            streamed: self.streamed.saturating_sub(earlier.streamed),
        }
    }
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
