//! A load on a model in its own time: so many requests are always under way.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use common::Seeded;

use crate::disk::SECTOR;
use crate::model::{Kind, Model, Request, Ticket};

/// Where requests go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Places {
    /// Anywhere within the range.
    Random,
    /// One behind the other from the range's begin, and from there again at its end.
    Sequential,
}

/// A load.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Load {
    pub kind: Kind,
    pub bytes: u64,
    pub places: Places,
    /// Requests under way at any time.
    pub depth: u32,
    pub requests: u32,
    /// The range of the address space, in bytes.
    pub from: u64,
    pub to: u64,
    pub seed: u64,
}

/// What a load found.
#[derive(Clone, PartialEq, Debug)]
pub struct LoadResult {
    /// Service times in microseconds, ascending.
    pub times_us: Vec<f64>,
    pub elapsed_us: f64,
    pub bytes: u64,
}

impl LoadResult {
    #[must_use]
    pub fn mean_us(&self) -> f64 {
        self.times_us.iter().sum::<f64>() / self.times_us.len().max(1) as f64
    }

    /// The time that this share of the requests did not exceed.
    #[must_use]
    pub fn at_us(&self, share: f64) -> f64 {
        let number = (self.times_us.len() as f64 * share).ceil() as usize;
        self.times_us.get(number.saturating_sub(1)).copied().unwrap_or(0.0)
    }

    #[must_use]
    pub fn per_second(&self) -> f64 {
        self.times_us.len() as f64 / self.elapsed_us * 1e6
    }

    #[must_use]
    pub fn mb_per_s(&self) -> f64 {
        self.bytes as f64 / self.elapsed_us
    }
}

/// Runs a load on a model at rest.
pub fn run(model: &mut dyn Model, load: &Load) -> LoadResult {
    let mut random = Seeded::new(load.seed);
    let blocks = (load.bytes / SECTOR).max(1);
    let places = ((load.to - load.from) / load.bytes.max(SECTOR)).max(1);
    let mut next = 0;
    let mut request = || {
        let place = match load.places {
            Places::Random => random.below(places),
            Places::Sequential => next % places,
        };
        next += 1;
        Request { kind: load.kind, block: load.from / SECTOR + place * blocks, blocks }
    };
    // Those that have been submitted and are undecided, and those whose end is known.
    let mut undecided: Vec<(Ticket, f64)> = Vec::new();
    let mut ends: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let mut begins = Vec::new();
    let (mut submitted, mut now, mut last) = (0, 0.0, 0.0_f64);
    let mut times_us = Vec::with_capacity(load.requests as usize);
    while times_us.len() < load.requests as usize {
        while submitted < load.requests && undecided.len() + ends.len() < load.depth as usize {
            undecided.push((model.submit(now, request()), now));
            submitted += 1;
        }
        undecided.retain(|(ticket, begin)| match model.take_end(*ticket) {
            Some(end) => {
                // The bits of times, which are not negative, order as they do.
                ends.push(Reverse((end.to_bits(), begins.len())));
                begins.push(*begin);
                false
            }
            None => true,
        });
        let first = ends.peek().map(|Reverse((end, _))| f64::from_bits(*end));
        let decision = model.next_begin().filter(|_| !undecided.is_empty());
        match (first, decision) {
            // Nothing that is still undecided can end before it begins.
            (Some(end), decision) if decision.is_none_or(|decision| end <= decision) => {
                if let Some(Reverse((_, number))) = ends.pop() {
                    times_us.push(end - begins[number]);
                    now = end;
                    last = last.max(end);
                }
            }
            (_, Some(decision)) => {
                now = decision.max(now);
                model.advance(now);
            }
            _ => break,
        }
    }
    times_us.sort_by(f64::total_cmp);
    LoadResult { bytes: times_us.len() as u64 * load.bytes, times_us, elapsed_us: last }
}
