//! Which allocation units are free, and which of them a file gets next.
//!
//! Disks take turns, each in proportion to its free space: a chosen disk waits for a time that grows as its free space
//! shrinks, and the disk with the earliest time is next. Disks of one size and one filling take turns strictly, so that
//! consecutive units of a file are on consecutive disks; a disk twice as large gets two of three units; all disks
//! become full together. On a disk the first free unit is taken.

use common::Result;

use crate::directory::Pointer;
use crate::error::corrupt;

/// Waiting time of a disk with one free unit.
const TURN: u64 = 1 << 32;

#[derive(Debug)]
struct DiskSpace {
    /// A bit for each unit: set when it is free.
    free: Vec<u64>,
    /// Words before this one have no free unit.
    first: usize,
    free_units: u32,
    units: u32,
    /// When its turn is.
    turn: u64,
}

impl DiskSpace {
    fn new(units: u32, reserved: u32) -> Self {
        let mut space = Self {
            free: vec![0; units.div_ceil(64) as usize],
            first: 0,
            free_units: units.saturating_sub(reserved),
            units,
            turn: 0,
        };
        for unit in reserved..units {
            space.free[(unit / 64) as usize] |= 1 << (unit % 64);
        }
        space
    }

    fn is_free(&self, unit: u32) -> bool {
        self.free.get((unit / 64) as usize).is_some_and(|word| word >> (unit % 64) & 1 == 1)
    }

    fn take(&mut self, unit: u32) {
        self.free[(unit / 64) as usize] &= !(1 << (unit % 64));
        self.free_units -= 1;
    }

    fn take_first(&mut self) -> Option<u32> {
        while *self.free.get(self.first)? == 0 {
            self.first += 1;
        }
        let unit = self.first as u32 * 64 + self.free[self.first].trailing_zeros();
        self.take(unit);
        Some(unit)
    }

    fn give_back(&mut self, unit: u32) {
        let word = (unit / 64) as usize;
        self.free[word] |= 1 << (unit % 64);
        self.first = self.first.min(word);
        self.free_units += 1;
    }
}

/// The allocation table of a group.
#[derive(Debug)]
pub(crate) struct Space {
    disks: Vec<DiskSpace>,
    /// The turn of the disk that was chosen last.
    now: u64,
}

impl Space {
    /// All free: units and reserved units of each disk.
    pub(crate) fn new(disks: impl Iterator<Item = (u32, u32)>) -> Self {
        Self { disks: disks.map(|(units, reserved)| DiskSpace::new(units, reserved)).collect(), now: 0 }
    }

    /// Free units of a disk.
    pub(crate) fn free(&self, disk: usize) -> u32 {
        self.disks.get(disk).map_or(0, |disk| disk.free_units)
    }

    /// Free units of all disks.
    pub(crate) fn free_in_all(&self) -> u64 {
        self.disks.iter().map(|disk| u64::from(disk.free_units)).sum()
    }

    /// Claims a unit for a file's extent.
    ///
    /// # Errors
    /// ORA-15196 when the unit does not exist, is not for files, or belongs to another extent already.
    pub(crate) fn claim(&mut self, pointer: Pointer) -> Result<()> {
        let (number, unit) = (pointer.disk(), pointer.unit());
        match self.disks.get_mut(number) {
            Some(disk) if disk.is_free(unit) => {
                disk.take(unit);
                Ok(())
            }
            Some(disk) if unit < disk.units => {
                Err(corrupt(format!("allocation unit {unit} of disk {number} belongs to two extents, or to no file")))
            }
            _ => Err(corrupt(format!("there is no allocation unit {unit} of disk {number}"))),
        }
    }

    /// Takes so many units for a file, in the order of its extents; None when there are not enough.
    pub(crate) fn take(&mut self, units: u64) -> Option<Vec<Pointer>> {
        if units > self.free_in_all() {
            return None;
        }
        let mut taken = Vec::with_capacity(units as usize);
        for _ in 0..units {
            taken.push(self.take_one()?);
        }
        Some(taken)
    }

    fn take_one(&mut self) -> Option<Pointer> {
        // A disk that was full does not make up for missed turns.
        let turn = |disk: &DiskSpace| disk.turn.max(self.now);
        let (number, _) =
            self.disks.iter().enumerate().filter(|(_, disk)| disk.free_units > 0).min_by_key(|(_, disk)| turn(disk))?;
        let disk = &mut self.disks[number];
        self.now = disk.turn.max(self.now);
        disk.turn = self.now + TURN / u64::from(disk.free_units);
        Some(Pointer::new(number as u16, disk.take_first()?))
    }

    /// Frees units that [`take`](Self::take) or [`claim`](Self::claim) has taken.
    pub(crate) fn give_back(&mut self, pointers: &[Pointer]) {
        for pointer in pointers {
            self.disks[pointer.disk()].give_back(pointer.unit());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disks_of(space: &mut Space, units: u64) -> Vec<usize> {
        space.take(units).unwrap().into_iter().map(Pointer::disk).collect()
    }

    #[test]
    fn equal_disks_take_turns_however_the_units_are_asked_for() {
        let mut space = Space::new([(100, 4); 4].into_iter());
        assert_eq!(disks_of(&mut space, 10), [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]);
        let one_by_one: Vec<_> = (0..6).flat_map(|_| disks_of(&mut space, 1)).collect();
        assert_eq!(one_by_one, [2, 3, 0, 1, 2, 3]);
        assert_eq!(space.free_in_all(), 4 * 96 - 16);
    }

    #[test]
    fn units_are_spread_in_proportion_to_free_space_and_disks_become_full_together() {
        let mut space = Space::new([(300, 0), (100, 0), (200, 0)].into_iter());
        let mut count = [0_i32; 3];
        for taken in 1..=540 {
            count[disks_of(&mut space, 1)[0]] += 1;
            for (disk, share) in [3, 1, 2].into_iter().enumerate() {
                let fair = f64::from(taken * share) / 6.0;
                assert!((f64::from(count[disk]) - fair).abs() < 4.0, "{count:?} of {taken}");
            }
        }
        assert_eq!(space.take(61), None);
        assert_eq!(space.take(60).unwrap().len(), 60);
        assert_eq!(space.take(1), None);
        assert_eq!(space.take(0), Some(vec![]));
    }

    #[test]
    fn a_unit_has_one_owner_and_comes_back() {
        let mut space = Space::new([(70, 3), (70, 3)].into_iter());
        space.claim(Pointer::new(1, 69)).unwrap();
        for (disk, unit) in [(1, 69), (0, 2), (0, 70), (0, 1000), (2, 5), (1, u32::MAX)] {
            assert!(space.claim(Pointer::new(disk, unit)).unwrap_err().is_ora(15196), "{disk} {unit}");
        }
        let taken = space.take(133).unwrap();
        assert!(taken.iter().all(|one| one.unit() >= 3 && *one != Pointer::new(1, 69)));
        assert_eq!(taken.iter().collect::<std::collections::BTreeSet<_>>().len(), 133);
        assert_eq!(space.free_in_all(), 0);
        space.give_back(&taken[..5]);
        let mut again = space.take(5).unwrap();
        again.sort();
        let mut given = taken[..5].to_vec();
        given.sort();
        assert_eq!(again, given);
    }

    #[test]
    fn a_disk_that_was_full_does_not_catch_up() {
        let mut space = Space::new([(10, 0), (1000, 0)].into_iter());
        let taken = space.take(500).unwrap();
        let small: Vec<_> = taken.iter().copied().filter(|one| one.disk() == 0).collect();
        space.give_back(&small);
        let turns = disks_of(&mut space, 20);
        assert!(turns.iter().filter(|disk| **disk == 0).count() < 3, "{turns:?}");
    }
}
