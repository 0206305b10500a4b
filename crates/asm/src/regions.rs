//! Regions of a file while the group is mounted: how many writes are under way in each, and whether the metadata has it
//! as dirty.
//!
//! - A **write** enters its regions first and leaves them when all copies are written. The first write to a clean
//!   region has the group note in the metadata that it is dirty (`Group::note_dirty`). After a crash the copies of
//!   dirty regions are made alike.
//! - **Moving** or copying an extent locks its region: it waits until the writes in the region have ended, and keeps
//!   new ones out.
//! - **Cleaning** takes dirty regions without writes, makes all writes durable, and notes that they are clean.

use std::collections::BTreeMap;

use common::sync::{Condvar, Mutex};

#[derive(Default, Debug)]
struct State {
    writers: u32,
    dirty: bool,
    /// Its copies differ: a write of them failed in part. It stays dirty until a mount compares them.
    torn: bool,
    locked: bool,
    /// When it was entered last, by the count of entries of the file.
    entered: u64,
}

#[derive(Default, Debug)]
struct Inner {
    regions: BTreeMap<u32, State>,
    entries: u64,
    /// Entries at the last call of [`Regions::quiet`].
    marked: u64,
}

/// The regions of a file that are dirty, in use or locked. Others are not in the table.
#[derive(Default, Debug)]
pub(crate) struct Regions {
    inner: Mutex<Inner>,
    /// Signalled when a region is left or unlocked.
    changed: Condvar,
}

impl Regions {
    /// With regions that are dirty already.
    pub(crate) fn new(dirty: impl Iterator<Item = u32>) -> Self {
        let regions = dirty.map(|region| (region, State { dirty: true, ..State::default() })).collect();
        Self { inner: Mutex::new(Inner { regions, ..Inner::default() }), changed: Condvar::new() }
    }

    /// Enters these regions for a write, in ascending order; waits for locked ones. The regions that are not dirty are
    /// returned.
    pub(crate) fn enter(&self, regions: &[u32]) -> Vec<u32> {
        let mut inner = self.inner.lock();
        let mut clean = Vec::new();
        for region in regions {
            while inner.regions.get(region).is_some_and(|state| state.locked) {
                self.changed.wait(&mut inner);
            }
            inner.entries += 1;
            let entered = inner.entries;
            let state = inner.regions.entry(*region).or_default();
            state.writers += 1;
            state.entered = entered;
            if !state.dirty {
                clean.push(*region);
            }
        }
        clean
    }

    /// Leaves regions after a write.
    pub(crate) fn leave(&self, regions: &[u32]) {
        let mut inner = self.inner.lock();
        for region in regions {
            if let Some(state) = inner.regions.get_mut(region) {
                state.writers = state.writers.saturating_sub(1);
                if state.writers == 0 && !state.dirty && !state.torn && !state.locked {
                    inner.regions.remove(region);
                }
            }
        }
        drop(inner);
        self.changed.notify_all();
    }

    /// Locks a region: no write is in it until it is unlocked.
    pub(crate) fn lock(&self, region: u32) {
        let mut inner = self.inner.lock();
        while inner.regions.get(&region).is_some_and(|state| state.locked) {
            self.changed.wait(&mut inner);
        }
        inner.regions.entry(region).or_default().locked = true;
        while inner.regions.get(&region).is_some_and(|state| state.writers > 0) {
            self.changed.wait(&mut inner);
        }
    }

    pub(crate) fn unlock(&self, region: u32) {
        let mut inner = self.inner.lock();
        if let Some(state) = inner.regions.get_mut(&region) {
            state.locked = false;
            if state.writers == 0 && !state.dirty && !state.torn {
                inner.regions.remove(&region);
            }
        }
        drop(inner);
        self.changed.notify_all();
    }

    /// True: a region is locked.
    pub(crate) fn is_locked(&self) -> bool {
        self.inner.lock().regions.values().any(|state| state.locked)
    }

    /// Waits until no region is locked.
    pub(crate) fn wait_unlocked(&self) {
        let mut inner = self.inner.lock();
        while inner.regions.values().any(|state| state.locked) {
            self.changed.wait(&mut inner);
        }
    }

    /// Of these regions, those that are still not dirty.
    pub(crate) fn still_clean(&self, regions: &[u32]) -> Vec<u32> {
        let inner = self.inner.lock();
        let dirty = |region: &u32| inner.regions.get(region).is_some_and(|state| state.dirty);
        regions.iter().copied().filter(|region| !dirty(region)).collect()
    }

    /// Marks regions as dirty.
    pub(crate) fn set_dirty(&self, regions: &[u32]) {
        let mut inner = self.inner.lock();
        for region in regions {
            inner.regions.entry(*region).or_default().dirty = true;
        }
    }

    /// Keeps a region from being cleaned.
    pub(crate) fn set_torn(&self, region: u32) {
        self.inner.lock().regions.entry(region).or_default().torn = true;
    }

    /// Dirty regions without writes under way and without a lock, and when each was entered last.
    pub(crate) fn idle(&self) -> Vec<(u64, u32)> {
        let inner = self.inner.lock();
        let idle = |(region, state): (&u32, &State)| {
            (state.dirty && !state.torn && state.writers == 0 && !state.locked).then_some((state.entered, *region))
        };
        inner.regions.iter().filter_map(idle).collect()
    }

    /// Dirty regions that were not entered since the call before this one.
    pub(crate) fn quiet(&self) -> Vec<u32> {
        let idle = self.idle();
        let mut inner = self.inner.lock();
        let (before, now) = (inner.marked, inner.entries);
        inner.marked = now;
        idle.into_iter().filter(|(entered, _)| *entered <= before).map(|(_, region)| region).collect()
    }

    /// Marks a region as clean, if no write is under way in it. The caller holds the group's lock until the metadata
    /// has it as clean, so a later write, which has it noted as dirty again, waits for that.
    pub(crate) fn set_clean(&self, region: u32) -> bool {
        let mut inner = self.inner.lock();
        match inner.regions.get(&region) {
            Some(state) if state.dirty && !state.torn && state.writers == 0 && !state.locked => {
                inner.regions.remove(&region);
                true
            }
            _ => false,
        }
    }

    /// Forgets the regions from this one on: the file has become shorter.
    pub(crate) fn forget_from(&self, region: u32) {
        let mut inner = self.inner.lock();
        inner.regions.retain(|number, state| *number < region || state.writers > 0 || state.locked);
        for (number, state) in &mut inner.regions {
            state.dirty &= *number < region;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use common::sync::Arc;

    use super::*;

    #[test]
    fn a_region_is_clean_until_it_is_noted_and_cleaned_only_without_writers() {
        let regions = Regions::new([7].into_iter());
        assert_eq!(regions.enter(&[6, 7]), [6]);
        assert_eq!(regions.still_clean(&[6, 7]), [6]);
        regions.set_dirty(&[6]);
        assert!(regions.idle().is_empty() && !regions.set_clean(6));
        regions.leave(&[6, 7]);
        assert_eq!(regions.idle(), [(1, 6), (2, 7)]);
        assert!(regions.set_clean(6) && !regions.set_clean(6));
        assert_eq!(regions.enter(&[6, 7]), [6]);
        regions.set_dirty(&[6]);
        regions.leave(&[6, 7]);
        assert!(regions.quiet().is_empty());
        assert_eq!(regions.quiet(), [6, 7]);
        regions.forget_from(7);
        assert_eq!(regions.idle(), [(3, 6)]);
        assert!(regions.set_clean(6));
        assert!(regions.idle().is_empty());
    }

    #[test]
    fn a_locked_region_keeps_writes_out_and_waits_for_those_within() {
        let regions = Arc::new(Regions::default());
        regions.enter(&[1]);
        let (locking, writing) = (Arc::clone(&regions), Arc::clone(&regions));
        let locker = common::sync::spawn("locker", move || locking.lock(1)).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        assert!(!locker.is_finished());
        regions.leave(&[1]);
        locker.join().unwrap();
        let writer = common::sync::spawn("writer", move || writing.enter(&[1])).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        assert!(!writer.is_finished());
        regions.unlock(1);
        assert_eq!(writer.join().unwrap(), [1]);
    }
}
