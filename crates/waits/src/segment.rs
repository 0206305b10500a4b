//! What was done with each segment, by data object number.
//!
//! ```text
//! session    slot of the object -> counters of its own: one addition to memory that nobody else writes
//!            no slot near its place is free -> the system's table, under its lock
//! system     that table, which also has what sessions that ended had counted
//! ```
//!
//! A session's table never moves an object to another slot, so that others may count with it and read it without a lock. Its size is bounded: a session
//! that works with very many segments counts those that came late under the system's lock.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use common::ObjectNumber;
use common::sync::atomic::{AtomicU64, Ordering::Relaxed};

include!(concat!(env!("OUT_DIR"), "/segment_statistic.rs"));

impl SegmentStatistic {
    /// As V$SEGMENT_STATISTICS shows it.
    #[must_use]
    pub fn name(self) -> &'static str {
        SEGMENT_STATISTICS[self as usize].0
    }

    /// What is counted, in a sentence.
    #[must_use]
    pub fn about(self) -> &'static str {
        SEGMENT_STATISTICS[self as usize].1
    }

    /// The `statistic#`: its position in segment_stats.toml.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }
}

impl fmt::Display for SegmentStatistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The statistics of one segment.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SegmentTotals([u64; SegmentStatistic::COUNT]);

impl SegmentTotals {
    #[must_use]
    pub fn value(&self, statistic: SegmentStatistic) -> u64 {
        self.0[statistic as usize]
    }

    fn is_zero(&self) -> bool {
        self.0.iter().all(|value| *value == 0)
    }
}

/// Totals by data object number.
#[derive(Default, Debug)]
pub(crate) struct SegmentSums(BTreeMap<ObjectNumber, SegmentTotals>);

impl SegmentSums {
    pub(crate) fn count(&mut self, object: ObjectNumber, statistic: SegmentStatistic, n: u64) {
        self.0.entry(object).or_default().0[statistic as usize] += n;
    }

    pub(crate) fn add(&mut self, table: &SegmentTable) {
        for slot in table.slots() {
            let totals = slot.totals();
            if !totals.is_zero() {
                let sum = self.0.entry(slot.object).or_default();
                sum.0.iter_mut().zip(totals.0).for_each(|(sum, value)| *sum += value);
            }
        }
    }

    pub(crate) fn forget(&mut self, object: ObjectNumber) {
        self.0.remove(&object);
    }

    pub(crate) fn get(&self, object: ObjectNumber) -> SegmentTotals {
        self.0.get(&object).copied().unwrap_or_default()
    }

    pub(crate) fn rows(&self) -> Vec<(ObjectNumber, SegmentTotals)> {
        self.0.iter().map(|(object, totals)| (*object, *totals)).collect()
    }
}

impl Clone for SegmentSums {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

#[derive(Debug)]
struct Slot {
    object: ObjectNumber,
    values: [AtomicU64; SegmentStatistic::COUNT],
}

impl Slot {
    fn totals(&self) -> SegmentTotals {
        SegmentTotals(self.values.each_ref().map(|value| value.load(Relaxed)))
    }
}

/// Slots of a session.
const SLOTS: usize = 256;
/// Slots that are looked at for an object, from its place on.
const PROBES: usize = 8;

/// A session's own counts.
#[derive(Debug)]
pub(crate) struct SegmentTable(Box<[OnceLock<Box<Slot>>]>);

impl SegmentTable {
    pub(crate) fn new() -> Self {
        Self((0..SLOTS).map(|_| OnceLock::new()).collect())
    }

    /// Counts; false when there is no slot for the object.
    #[inline]
    pub(crate) fn count(&self, object: ObjectNumber, statistic: SegmentStatistic, n: u64) -> bool {
        let place = object.0.wrapping_mul(0x9E37_79B9) >> 24;
        for probe in 0..PROBES {
            let slot = self.0[(place as usize + probe) % SLOTS].get_or_init(|| {
                Box::new(Slot { object, values: [const { AtomicU64::new(0) }; SegmentStatistic::COUNT] })
            });
            if slot.object == object {
                slot.values[statistic as usize].fetch_add(n, Relaxed);
                return true;
            }
        }
        false
    }

    /// What was counted of an object so far is no longer of interest.
    pub(crate) fn forget(&self, object: ObjectNumber) {
        for slot in self.slots().filter(|slot| slot.object == object) {
            slot.values.iter().for_each(|value| value.store(0, Relaxed));
        }
    }

    fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.0.iter().filter_map(|slot| slot.get().map(|slot| &**slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_object_has_its_own_counts_and_too_many_are_refused() {
        let table = SegmentTable::new();
        let mut counted = Vec::new();
        for number in 0..2_000 {
            if table.count(ObjectNumber(number), SegmentStatistic::LogicalReads, u64::from(number) + 1) {
                counted.push(number);
            }
        }
        assert!(counted.len() > SLOTS / 2 && counted.len() <= SLOTS, "{}", counted.len());
        for number in &counted {
            assert!(table.count(ObjectNumber(*number), SegmentStatistic::DbBlockChanges, 2));
        }
        let mut sums = SegmentSums::default();
        sums.count(ObjectNumber(counted[0]), SegmentStatistic::LogicalReads, 1_000);
        sums.add(&table);
        assert_eq!(sums.rows().len(), counted.len());
        for (object, totals) in sums.rows() {
            let late = if object.0 == counted[0] { 1_000 } else { 0 };
            assert_eq!(totals.value(SegmentStatistic::LogicalReads), u64::from(object.0) + 1 + late);
            assert_eq!(totals.value(SegmentStatistic::DbBlockChanges), 2);
        }
        table.forget(ObjectNumber(counted[1]));
        let mut sums = SegmentSums::default();
        sums.add(&table);
        assert_eq!(sums.get(ObjectNumber(counted[1])), SegmentTotals::default());
        assert_eq!(sums.rows().len(), counted.len() - 1);
    }

    #[test]
    fn numbers_are_positions() {
        for (position, statistic) in SegmentStatistic::ALL.into_iter().enumerate() {
            assert_eq!(statistic.number() as usize, position);
            assert!(statistic.about().ends_with('.'), "{statistic}");
        }
    }
}
