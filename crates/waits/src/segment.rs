//! What was done with each segment, by data object number.
//!
//! ```text
//! session    slot of the object -> counters of its own: one addition to memory that nobody else writes
//!            no slot near its place is free -> the same in a larger table
//! system     what sessions that ended had counted
//! ```
//!
//! A session's table never moves an object to another slot, so that it is counted and read without a lock. The slot of
//! a dropped segment is reused, so there are as many as segments that the session used at once. In a meter with several
//! counting threads, which only background processes have, a thread that counts for a segment under drop may count for
//! the next one in its slot.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

use common::ObjectNumber;
use common::sync::unscheduled::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use common::sync::unscheduled::atomic::{AtomicU32, AtomicU64};

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
#[derive(Clone, Default, Debug)]
pub(crate) struct SegmentSums(BTreeMap<ObjectNumber, SegmentTotals>);

impl SegmentSums {
    pub(crate) fn add(&mut self, table: &SegmentTable) {
        table.each(&mut |object, totals| {
            if !totals.is_zero() {
                let sum = self.0.entry(object).or_default();
                sum.0.iter_mut().zip(totals.0).for_each(|(sum, value)| *sum += value);
            }
        });
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

#[derive(Debug)]
struct Slot {
    /// The data object that the values are of, [`NOBODYS`] or [`CHANGING`].
    object: AtomicU32,
    values: [AtomicU64; SegmentStatistic::COUNT],
}

/// The segment was dropped: the slot is free for the next one. No segment has this number.
const NOBODYS: u32 = 0;
/// The slot is changing to its next segment. No segment has this number.
const CHANGING: u32 = u32::MAX;

impl Slot {
    fn new(object: ObjectNumber) -> Self {
        Self { object: AtomicU32::new(object.0), values: [const { AtomicU64::new(0) }; SegmentStatistic::COUNT] }
    }

    fn is_of(&self, object: ObjectNumber) -> bool {
        self.object.load(Acquire) == object.0
    }

    /// Takes a free slot for this segment.
    fn take_over(&self, object: ObjectNumber) -> bool {
        let taken = self.object.compare_exchange(NOBODYS, CHANGING, AcqRel, Relaxed).is_ok();
        if taken {
            self.values.iter().for_each(|value| value.store(0, Relaxed));
            self.object.store(object.0, Release);
        }
        taken
    }

    /// The slot's segment, and its counts; None for a free slot.
    fn totals(&self) -> Option<(ObjectNumber, SegmentTotals)> {
        let object = self.object.load(Acquire);
        let totals = SegmentTotals(self.values.each_ref().map(|value| value.load(Acquire)));
        let settled = !matches!(object, NOBODYS | CHANGING) && self.object.load(Acquire) == object;
        settled.then_some((ObjectNumber(object), totals))
    }
}

/// Initial number of slots: a power of two, as is the growth.
const SLOTS: usize = 256;
/// Growth factor of each further table.
const GROWTH: usize = 16;
/// Slots probed for an object.
const PROBES: usize = 8;

/// A session's own counts. When there is no room for an object near its place, a larger table is added.
#[derive(Debug)]
pub(crate) struct SegmentTable {
    slots: Box<[OnceLock<Box<Slot>>]>,
    more: OnceLock<Box<SegmentTable>>,
}

impl SegmentTable {
    pub(crate) fn new() -> Self {
        Self::with_slots(SLOTS)
    }

    fn with_slots(count: usize) -> Self {
        Self { slots: (0..count).map(|_| OnceLock::new()).collect(), more: OnceLock::new() }
    }

    /// Counts for an object.
    #[inline]
    pub(crate) fn count(&self, object: ObjectNumber, statistic: SegmentStatistic, n: u64) {
        self.slot(object).values[statistic as usize].fetch_add(n, Relaxed);
    }

    /// The slots where an object may be.
    #[inline]
    fn places(&self, object: ObjectNumber) -> impl Iterator<Item = &OnceLock<Box<Slot>>> {
        // The upper bits depend on all of the number.
        let place = (object.0.wrapping_mul(0x9E37_79B9) >> (u32::BITS - self.slots.len().trailing_zeros())) as usize;
        (0..PROBES).map(move |probe| &self.slots[(place + probe) & (self.slots.len() - 1)])
    }

    #[inline]
    fn slot(&self, object: ObjectNumber) -> &Slot {
        // Slots are filled in this order, and a filled one is never empty again.
        let found = self.places(object).map_while(OnceLock::get).find(|slot| slot.is_of(object));
        match found {
            Some(slot) => slot,
            None => self.further_slot(object),
        }
    }

    #[cold]
    fn further_slot(&self, object: ObjectNumber) -> &Slot {
        for place in self.places(object) {
            let slot = place.get_or_init(|| Box::new(Slot::new(object)));
            if slot.is_of(object) || slot.take_over(object) {
                return slot;
            }
        }
        self.more.get_or_init(|| Box::new(Self::with_slots(self.slots.len() * GROWTH))).slot(object)
    }

    /// What was counted of an object so far is no longer of interest.
    pub(crate) fn forget(&self, object: ObjectNumber) {
        for slot in self.slots() {
            let _ = slot.object.compare_exchange(object.0, NOBODYS, AcqRel, Relaxed);
        }
        if let Some(more) = self.more.get() {
            more.forget(object);
        }
    }

    /// One statistic of all objects.
    pub(crate) fn sum(&self, statistic: SegmentStatistic) -> u64 {
        let mut sum = 0;
        self.each(&mut |_, totals| sum += totals.value(statistic));
        sum
    }

    fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter().filter_map(|slot| slot.get().map(|slot| &**slot))
    }

    /// Calls `see` with the counts of each object; an object may come more than once.
    fn each(&self, see: &mut impl FnMut(ObjectNumber, SegmentTotals)) {
        self.slots().filter_map(Slot::totals).for_each(|(object, totals)| see(object, totals));
        if let Some(more) = self.more.get() {
            more.each(see);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(table: &SegmentTable) -> SegmentSums {
        let mut sums = SegmentSums::default();
        sums.add(table);
        sums
    }

    #[test]
    fn each_object_has_its_own_counts_however_many_there_are() {
        let table = SegmentTable::new();
        let numbers = 1..=20 * SLOTS as u32;
        for number in numbers.clone() {
            table.count(ObjectNumber(number), SegmentStatistic::LogicalReads, u64::from(number));
        }
        assert!(table.more.get().is_some());
        for number in numbers.clone() {
            table.count(ObjectNumber(number), SegmentStatistic::DbBlockChanges, 2);
        }
        let all = sums(&table);
        assert_eq!(all.rows().len(), numbers.clone().count());
        let sum: u64 = numbers.map(u64::from).sum();
        assert_eq!(table.sum(SegmentStatistic::LogicalReads), sum);
        for (object, totals) in all.rows() {
            assert_eq!(totals.value(SegmentStatistic::LogicalReads), u64::from(object.0));
            assert_eq!(totals.value(SegmentStatistic::DbBlockChanges), 2);
        }
    }

    #[test]
    fn segments_that_come_and_go_leave_nothing() {
        let table = SegmentTable::new();
        table.count(ObjectNumber(1), SegmentStatistic::LogicalReads, 7);
        for number in 2..100 * SLOTS as u32 {
            let object = ObjectNumber(number);
            table.count(object, SegmentStatistic::LogicalReads, 3);
            assert_eq!(sums(&table).get(object).value(SegmentStatistic::LogicalReads), 3);
            table.forget(object);
            assert_eq!(sums(&table).get(object), SegmentTotals::default());
        }
        assert!(table.more.get().is_none() && table.slots().count() <= SLOTS);
        assert_eq!(sums(&table).rows().len(), 1);
        assert_eq!(sums(&table).get(ObjectNumber(1)).value(SegmentStatistic::LogicalReads), 7);
    }

    #[test]
    fn numbers_are_positions() {
        for (position, statistic) in SegmentStatistic::ALL.into_iter().enumerate() {
            assert_eq!(statistic.number() as usize, position);
            assert!(statistic.about().ends_with('.'), "{statistic}");
        }
    }
}
