//! A table of waits by some key, of bounded size.
//!
//! When the table is full, the half of its entries with the least time is added to `other`. Entries with much time
//! stay, and an entry that comes back starts anew, so figures may be too low but never too high; all of them and
//! `other` always add up to the total.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::RandomState;

use super::model::Waits;

/// Counters of an entry beside its key.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct SiteEntry {
    pub(super) waits: Waits,
    pub(super) blocks: u64,
    /// Data of the last wait for the caller.
    pub(super) last: i64,
}

#[derive(Debug)]
pub(super) struct Table<K> {
    limit: usize,
    entries: HashMap<K, SiteEntry, RandomState>,
    pub(super) other: Waits,
}

impl<K: Eq + Hash + Copy + Ord> Table<K> {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, entries: HashMap::default(), other: Waits::default() }
    }

    pub(super) fn add(&mut self, key: K, waits: Waits, blocks: u64, last: i64) {
        if self.entries.len() >= self.limit && !self.entries.contains_key(&key) {
            self.halve();
        }
        let entry = self.entries.entry(key).or_default();
        entry.waits.add(waits);
        entry.blocks = entry.blocks.saturating_add(blocks);
        entry.last = last;
    }

    fn halve(&mut self) {
        let mut totals: Vec<i64> = self.entries.values().map(|entry| entry.waits.total_ns).collect();
        let middle = totals.len() / 2;
        let (_, median, _) = totals.select_nth_unstable(middle);
        let median = *median;
        let other = &mut self.other;
        // Of the entries with just the median, as many go as are over half.
        let mut room = self.limit / 2;
        self.entries.retain(|_, entry| {
            let stays = entry.waits.total_ns > median || (entry.waits.total_ns == median && room > 0);
            if stays {
                room = room.saturating_sub(1);
            } else {
                other.add(entry.waits);
            }
            stays
        });
    }

    /// All entries, most time first, then by key.
    pub(super) fn sorted(self) -> Vec<(K, SiteEntry)> {
        let mut all: Vec<_> = self.entries.into_iter().collect();
        all.sort_unstable_by_key(|(key, entry)| (std::cmp::Reverse(entry.waits.total_ns), *key));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(total_ns: i64) -> Waits {
        Waits { count: 1, total_ns, max_ns: total_ns }
    }

    #[test]
    fn a_full_table_keeps_what_is_large_and_loses_nothing() {
        let mut table = Table::new(100);
        for round in 0..50i64 {
            table.add(-1, waits(1_000_000), 0, 0);
            (0..1000).for_each(|key| table.add(round * 1000 + key, waits(1), 1, 0));
            assert!(table.entries.len() <= 100);
        }
        let other = table.other;
        let all = table.sorted();
        assert_eq!((all[0].0, all[0].1.waits.count), (-1, 50));
        let count: u64 = all.iter().map(|(_, entry)| entry.waits.count).sum();
        assert_eq!(count + other.count, 50 * 1001);
    }
}
