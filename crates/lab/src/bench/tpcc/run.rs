//! Sessions that call transactions one after the other for some time, and what came of it.

use std::sync::Barrier;

use common::{Clock, Error, Result};

use super::inputs::{Inputs, Kind};
use super::procedures::NOT_VALID;
use super::side::{Answer, Session, Side, Waited};
use super::size::Size;
use crate::bench::together::together;
use crate::time::seconds;

/// Transactions that both sides carry out alone, and answer alike.
pub(super) const COMPARED: u32 = 300;
/// Runs of less only show that all works: their sessions do not warm up.
const LEAST_WARMED_US: u64 = 1_000_000;
/// Calls of the procedure that does nothing.
const EMPTY_CALLS: u32 = 2_000;
/// The seed of the transactions that are compared, and of those that warm up; runs have their own number.
const SEED_COMPARED: u64 = 1_000_003;
const SEED_WARM: u64 = 1_000_033;
const SESSIONS_WARM: u32 = 5;

/// What sessions did.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Tally {
    /// Transactions that ended, by kind; New-Orders that were rolled back for their item are among them.
    pub(super) ended: [u64; 5],
    /// Time in their calls, with those that were repeated.
    pub(super) busy_us: [u64; 5],
    pub(super) rolled_back: u64,
    /// Deadlocks; each had its transaction repeated.
    pub(super) deadlocks: u64,
    /// From the sessions' begin to the end of the last.
    pub(super) time_us: u64,
}

impl Tally {
    pub(super) fn add(&mut self, other: &Self) {
        for (sum, part) in self.ended.iter_mut().zip(other.ended) {
            *sum += part;
        }
        for (sum, part) in self.busy_us.iter_mut().zip(other.busy_us) {
            *sum += part;
        }
        self.rolled_back += other.rolled_back;
        self.deadlocks += other.deadlocks;
        self.time_us += other.time_us;
    }

    pub(super) fn new_orders_a_minute(&self) -> f64 {
        self.ended[Kind::NewOrder as usize] as f64 * 60.0 / seconds(self.time_us.max(1))
    }

    pub(super) fn transactions_a_second(&self) -> f64 {
        self.ended.iter().sum::<u64>() as f64 / seconds(self.time_us.max(1))
    }

    /// Milliseconds that a transaction of a kind took on average.
    pub(super) fn milliseconds(&self, kind: Kind) -> f64 {
        self.busy_us[kind as usize] as f64 / 1e3 / self.ended[kind as usize].max(1) as f64
    }
}

/// The sessions of one run.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// The seed of its inputs.
    pub(super) seed: u64,
    pub(super) sessions: u32,
    pub(super) length_us: u64,
}

impl Run {
    /// What is called before the first run.
    pub(super) fn warming(length_us: u64) -> Self {
        Self { seed: SEED_WARM, sessions: SESSIONS_WARM, length_us }
    }

    /// Has its sessions work, without think times.
    pub(super) fn of(self, side: &mut dyn Side, clock: &dyn Clock, size: Size) -> Result<(Tally, Vec<Waited>)> {
        side.settle()?;
        let before = side.waits()?;
        let sessions = (0..self.sessions).map(|_| side.session()).collect::<Result<Vec<_>>>()?;
        let mut tallies = vec![Tally::default(); sessions.len()];
        let items: Vec<_> = sessions.into_iter().zip(&mut tallies).collect();
        let time_us = together(clock, items, |number, (mut session, tally), begin: &Barrier| {
            let mut inputs = Inputs::new(self.seed, number, size);
            let warm = if self.length_us < LEAST_WARMED_US { Ok(()) } else { warmed(&mut *session, number, size) };
            begin.wait();
            warm?;
            let end_us = clock.monotonic_us() + self.length_us;
            loop {
                let from_us = clock.monotonic_us();
                if from_us >= end_us {
                    return Ok(());
                }
                let transaction = inputs.draw();
                let shown = loop {
                    match session.call(&transaction)? {
                        Answer::Done(shown) => break shown,
                        Answer::Deadlock => tally.deadlocks += 1,
                    }
                };
                let kind = transaction.kind() as usize;
                tally.ended[kind] += 1;
                tally.busy_us[kind] += clock.monotonic_us() - from_us;
                tally.rolled_back += u64::from(shown == NOT_VALID);
            }
        })?;
        let mut sum = Tally::default();
        tallies.iter().for_each(|tally| sum.add(tally));
        sum.time_us = time_us;
        Ok((sum, since(&before, side.waits()?)))
    }
}

/// What was waited for since then, the longest first.
fn since(before: &[Waited], after: Vec<Waited>) -> Vec<Waited> {
    let mut since: Vec<Waited> = after
        .into_iter()
        .map(|after| {
            let known = before.iter().find(|before| before.event == after.event).map_or(0, |before| before.time_us);
            Waited { time_us: after.time_us.saturating_sub(known), ..after }
        })
        .collect();
    since.sort_by_key(|waited| std::cmp::Reverse(waited.time_us));
    since
}

/// One transaction of each kind, so that statements are set up before the time begins: a session of either side sets
/// up its own.
fn warmed(session: &mut dyn Session, number: u32, size: Size) -> Result<()> {
    let mut inputs = Inputs::new(SEED_WARM, number, size);
    Kind::ALL.into_iter().try_for_each(|kind| {
        let transaction = loop {
            let drawn = inputs.draw();
            if drawn.kind() == kind {
                break drawn;
            }
        };
        while matches!(session.call(&transaction)?, Answer::Deadlock) {}
        Ok(())
    })
}

/// The answers to the first transactions of a session, which both sides must give.
///
/// # Errors
/// A call's error.
pub(super) fn answers(side: &mut dyn Side, size: Size) -> Result<Vec<String>> {
    let mut session = side.session()?;
    let mut inputs = Inputs::new(SEED_COMPARED, 0, size);
    (0..COMPARED)
        .map(|_| {
            let transaction = inputs.draw();
            match session.call(&transaction)? {
                Answer::Done(shown) => Ok(format!("{transaction:?}: {shown}")),
                Answer::Deadlock => Err(Error::bug("a deadlock of one session")),
            }
        })
        .collect()
}

/// Compares both sides' answers: a side that did something else is no peer.
///
/// # Errors
/// The first answers that differ.
pub(super) fn compare(ours: &[String], theirs: &[String]) -> Result<()> {
    match ours.iter().zip(theirs).find(|(ours, theirs)| ours != theirs) {
        None => Ok(()),
        Some((ours, theirs)) => Err(Error::bug(format!("the answers differ: here {ours}; there {theirs}"))),
    }
}

/// Microseconds of a call that does nothing.
///
/// # Errors
/// A call's error.
pub(super) fn empty_call_us(session: &mut dyn Session, clock: &dyn Clock) -> Result<f64> {
    let from_us = clock.monotonic_us();
    (0..EMPTY_CALLS).try_for_each(|_| session.nothing())?;
    Ok((clock.monotonic_us() - from_us) as f64 / f64::from(EMPTY_CALLS))
}
