//! Which allocation units are free, and which of them a file gets next.
//!
//! Disks take turns, each in proportion to its free space: a chosen disk waits for a time that grows as its free space
//! shrinks, and the disk with the earliest time is next. Disks of one size and one filling take turns strictly, so that
//! consecutive units of a file are on consecutive disks; a disk twice as large gets two of three units; all disks
//! become full together. On a disk the first free units are taken.
//!
//! Primary copies and mirrors have turns of their own: otherwise two disks would have all primaries on the one and all
//! mirrors on the other, and reads would use one of them only. A mirror is on a partner of the primary's disk, in a
//! failure group without another copy.

use std::collections::BTreeSet;

use common::Result;

use crate::directory::Pointer;
use crate::error::corrupt;
use crate::redundancy::partners;

/// Waiting time of a disk with one free unit.
const TURN: u64 = 1 << 32;

/// A disk as the allocation table is given it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SpaceOfDisk {
    pub(crate) number: u16,
    pub(crate) units: u32,
    /// Units at its start that no file gets.
    pub(crate) reserved: u32,
    pub(crate) failure_group: String,
    /// New extents may lie on it.
    pub(crate) takes_extents: bool,
}

#[derive(Default, Debug)]
struct DiskSpace {
    /// A bit for each unit: set when it is free.
    free: Vec<u64>,
    /// Words before this one have no free unit.
    first: usize,
    free_units: u32,
    units: u32,
    failure_group: String,
    takes_extents: bool,
    /// Numbers of its partners.
    partners: Vec<u16>,
    /// When its turn is: for primary copies, and for mirrors.
    turns: [u64; 2],
    /// While the disk is to become shorter: its new end, and the free units behind it, which are withheld from files.
    limit: Option<u32>,
    withheld: BTreeSet<u32>,
}

impl DiskSpace {
    fn new(units: u32, reserved: u32) -> Self {
        let mut space = Self::default();
        space.resize(units, reserved);
        space
    }

    /// Adds the units up to `units`, or takes those behind away; they are free.
    fn resize(&mut self, units: u32, reserved: u32) {
        self.end_limit();
        self.free.resize(units.div_ceil(64) as usize, 0);
        for unit in self.units.max(reserved)..units {
            self.give_back(unit);
        }
        for unit in units..self.units.min(units.next_multiple_of(64)) {
            self.free[(unit / 64) as usize] &= !(1 << (unit % 64));
        }
        self.units = units;
        self.free_units = self.free.iter().map(|word| word.count_ones()).sum();
        self.first = self.first.min(self.free.len());
    }

    fn is_free(&self, unit: u32) -> bool {
        self.free.get((unit / 64) as usize).is_some_and(|word| word >> (unit % 64) & 1 == 1)
    }

    fn take(&mut self, unit: u32) {
        self.free[(unit / 64) as usize] &= !(1 << (unit % 64));
        self.free_units -= 1;
    }

    /// The first free unit of `count` in a row, the first at a multiple of `count`; a power of two.
    fn find(&mut self, count: u32) -> Option<u32> {
        while *self.free.get(self.first)? == 0 {
            self.first += 1;
        }
        self.find_run(count)
    }

    /// As [`find`](Self::find).
    fn find_run(&self, count: u32) -> Option<u32> {
        let first = self.free.iter().skip(self.first).position(|word| *word != 0)? + self.first;
        if count == 1 {
            return Some(first as u32 * 64 + self.free[first].trailing_zeros());
        }
        let mask = (1_u64 << count) - 1;
        let in_word = |(word, free): (usize, &u64)| {
            (0..64).step_by(count as usize).find(|at| free >> at & mask == mask).map(|at| word as u32 * 64 + at)
        };
        self.free.iter().enumerate().skip(first).find_map(in_word)
    }

    fn take_run(&mut self, count: u32) -> Option<u32> {
        let unit = self.find(count)?;
        (unit..unit + count).for_each(|one| self.take(one));
        Some(unit)
    }

    /// Withholds the units from this one on from files.
    fn begin_limit(&mut self, unit: u32) {
        self.end_limit();
        self.limit = Some(unit);
        for one in unit..self.units {
            if self.is_free(one) {
                self.take(one);
                self.withheld.insert(one);
            }
        }
    }

    fn end_limit(&mut self) {
        self.limit = None;
        for one in std::mem::take(&mut self.withheld) {
            self.give_back(one);
        }
    }

    fn give_back(&mut self, unit: u32) {
        if self.limit.is_some_and(|limit| unit >= limit) {
            self.withheld.insert(unit);
            return;
        }
        let word = (unit / 64) as usize;
        self.free[word] |= 1 << (unit % 64);
        self.first = self.first.min(word);
        self.free_units += 1;
    }
}

/// What a file wants of the allocation table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Wish {
    pub(crate) copies: usize,
    /// Fewer copies will do where too few failure groups take extents.
    pub(crate) or_fewer: bool,
}

/// The allocation table of a group.
#[derive(Debug)]
pub(crate) struct Space {
    /// By disk number; a number without a disk has no units.
    disks: Vec<DiskSpace>,
    /// The turns of the disks that were chosen last.
    now: [u64; 2],
}

impl Space {
    /// All free.
    pub(crate) fn new(disks: &[SpaceOfDisk]) -> Self {
        let mut space = Self { disks: Vec::new(), now: [0; 2] };
        space.set_disks(disks);
        space
    }

    /// Takes note of the group's disks, as they are now. Units of disks that were there before stay as they are.
    pub(crate) fn set_disks(&mut self, disks: &[SpaceOfDisk]) {
        let numbers = disks.iter().map(|disk| usize::from(disk.number) + 1).max().unwrap_or(0);
        self.disks.resize_with(numbers.max(self.disks.len()), DiskSpace::default);
        for (number, space) in self.disks.iter_mut().enumerate() {
            space.takes_extents = false;
            space.partners.clear();
            if !disks.iter().any(|disk| usize::from(disk.number) == number) {
                *space = DiskSpace::default();
            }
        }
        for disk in disks {
            let space = &mut self.disks[usize::from(disk.number)];
            if space.units == 0 {
                *space = DiskSpace::new(disk.units, disk.reserved);
            } else {
                space.resize(disk.units, disk.reserved);
            }
            space.failure_group.clone_from(&disk.failure_group);
            space.takes_extents = disk.takes_extents;
        }
        let taking: Vec<_> = disks.iter().filter(|disk| disk.takes_extents).collect();
        let groups: Vec<_> = taking.iter().map(|disk| disk.failure_group.as_str()).collect();
        for (disk, partners) in taking.iter().zip(partners(&groups)) {
            let numbers = partners.into_iter().map(|partner| taking[partner].number).collect();
            self.disks[usize::from(disk.number)].partners = numbers;
        }
    }

    /// Free units of a disk.
    pub(crate) fn free(&self, disk: u16) -> u32 {
        self.disks.get(usize::from(disk)).map_or(0, |disk| disk.free_units)
    }

    /// Units of a disk that files have.
    pub(crate) fn used(&self, disk: u16, reserved: u32) -> u32 {
        self.disks.get(usize::from(disk)).map_or(0, |disk| disk.units.saturating_sub(reserved + disk.free_units))
    }

    /// Free units of all disks.
    pub(crate) fn free_in_all(&self) -> u64 {
        self.disks.iter().map(|disk| u64::from(disk.free_units)).sum()
    }

    /// Lets no file get a unit from this one on, None: any: the disk is to become so small. It ends with the next
    /// [`set_disks`](Self::set_disks).
    pub(crate) fn limit(&mut self, disk: u16, unit: Option<u32>) {
        if let Some(disk) = self.disks.get_mut(usize::from(disk)) {
            match unit {
                Some(unit) => disk.begin_limit(unit),
                None => disk.end_limit(),
            }
        }
    }

    /// True: all units from this one on are free or withheld.
    pub(crate) fn is_unused_from(&self, disk: u16, unit: u32) -> bool {
        let unused = |disk: &DiskSpace| (unit..disk.units).all(|one| disk.is_free(one) || disk.withheld.contains(&one));
        self.disks.get(usize::from(disk)).is_none_or(unused)
    }

    /// Claims the units of a file's extent.
    ///
    /// # Errors
    /// ORA-15196 when a unit does not exist, is not for files, or belongs to another extent already.
    pub(crate) fn claim(&mut self, pointer: Pointer) -> Result<()> {
        if pointer.is_none() {
            return Ok(());
        }
        let number = pointer.disk();
        for unit in (0..u32::from(pointer.units())).map(|unit| pointer.unit().saturating_add(unit)) {
            match self.disks.get_mut(usize::from(number)) {
                Some(disk) if disk.is_free(unit) => disk.take(unit),
                Some(disk) if unit < disk.units => {
                    let text = format!("allocation unit {unit} of disk {number} belongs to two extents, or to no file");
                    return Err(corrupt(text));
                }
                _ => return Err(corrupt(format!("there is no allocation unit {unit} of disk {number}"))),
            }
        }
        Ok(())
    }

    /// Takes units for a file's extents, given the units of each, in their order, for each copy; None when there are
    /// not enough.
    pub(crate) fn take(&mut self, extents: impl Iterator<Item = u16>, wish: Wish) -> Option<Vec<Pointer>> {
        let mut taken = Vec::with_capacity(extents.size_hint().0.min(1 << 20) * wish.copies);
        for units in extents {
            if self.take_extent(units, wish, &mut taken).is_none() {
                self.give_back(&taken);
                return None;
            }
        }
        Some(taken)
    }

    /// Disks with a turn, the next one first.
    fn by_turn(&self, kind: usize, among: impl Iterator<Item = u16>) -> Vec<u16> {
        // A disk that was full does not make up for missed turns.
        let turn = |number: u16| self.disks[usize::from(number)].turns[kind].max(self.now[kind]);
        let mut numbers: Vec<_> = among.filter(|number| self.disks[usize::from(*number)].free_units > 0).collect();
        numbers.sort_by_key(|number| (turn(*number), *number));
        numbers
    }

    fn taking(&self) -> impl Iterator<Item = u16> {
        self.disks.iter().enumerate().filter(|(_, disk)| disk.takes_extents).map(|(number, _)| number as u16)
    }

    /// Takes a run of units of a disk, whose turn this was.
    fn take_on(&mut self, number: u16, units: u16, kind: usize) -> Option<Pointer> {
        let disk = &mut self.disks[usize::from(number)];
        let now = disk.turns[kind].max(self.now[kind]);
        let free = disk.free_units;
        let unit = disk.take_run(u32::from(units))?;
        disk.turns[kind] = now + TURN / u64::from(free) * u64::from(units);
        self.now[kind] = now;
        Some(Pointer::new(number, unit, units))
    }

    fn take_extent(&mut self, units: u16, wish: Wish, taken: &mut Vec<Pointer>) -> Option<()> {
        if wish.copies == 1 {
            // The common case, without a list of candidates.
            let has_run = |disk: &DiskSpace| disk.takes_extents && disk.find_run(u32::from(units)).is_some();
            let turn = |disk: &DiskSpace| disk.turns[0].max(self.now[0]);
            let candidates = self.disks.iter().enumerate().filter(|(_, disk)| has_run(disk));
            let (next, _) = candidates.min_by_key(|(_, disk)| turn(disk))?;
            taken.push(self.take_on(next as u16, units, 0)?);
            return Some(());
        }
        let primaries = self.by_turn(0, self.taking());
        for primary in primaries {
            let mut disks = vec![primary];
            while disks.len() < wish.copies {
                match self.mirror_for(&disks, units) {
                    Some(mirror) => disks.push(mirror),
                    None => break,
                }
            }
            if disks.len() < wish.copies && !self.fewer_will_do(&disks, wish) {
                continue;
            }
            let before = taken.len();
            for (copy, disk) in disks.iter().enumerate() {
                match self.take_on(*disk, units, usize::from(copy > 0)) {
                    Some(pointer) => taken.push(pointer),
                    None => break,
                }
            }
            if taken.len() - before == disks.len() {
                taken.resize(before + wish.copies, Pointer::NONE);
                return Some(());
            }
            let given = taken.split_off(before);
            self.give_back(&given);
        }
        None
    }

    /// True: every failure group that takes extents has one of the copies already.
    fn fewer_will_do(&self, disks: &[u16], wish: Wish) -> bool {
        let has = |group: &str| disks.iter().any(|disk| self.disks[usize::from(*disk)].failure_group == group);
        wish.or_fewer && self.taking().all(|number| has(&self.disks[usize::from(number)].failure_group))
    }

    /// The disk for another copy of an extent: a partner of the first one if it can be, in another failure group than
    /// all of them.
    pub(crate) fn mirror_for(&self, copies: &[u16], units: u16) -> Option<u16> {
        let groups: Vec<_> = copies.iter().map(|disk| self.disks[usize::from(*disk)].failure_group.as_str()).collect();
        let fits = |number: &u16| {
            let disk = &self.disks[usize::from(*number)];
            disk.takes_extents
                && !groups.contains(&disk.failure_group.as_str())
                && disk.find_run(u32::from(units)).is_some()
        };
        let partners = copies.first().map_or(&[][..], |first| &self.disks[usize::from(*first)].partners);
        let of_partners = self.by_turn(1, partners.iter().copied().filter(fits));
        of_partners.first().copied().or_else(|| self.by_turn(1, self.taking().filter(fits)).first().copied())
    }

    /// Takes units of one disk, for a copy that moves there.
    pub(crate) fn take_of(&mut self, disk: u16, units: u16) -> Option<Pointer> {
        let unit = self.disks.get_mut(usize::from(disk))?.take_run(u32::from(units))?;
        Some(Pointer::new(disk, unit, units))
    }

    /// Partners of a disk.
    pub(crate) fn partners(&self, disk: u16) -> &[u16] {
        self.disks.get(usize::from(disk)).map_or(&[], |disk| &disk.partners)
    }

    /// Frees units that [`take`](Self::take) or [`claim`](Self::claim) has taken.
    pub(crate) fn give_back(&mut self, pointers: &[Pointer]) {
        for pointer in pointers.iter().filter(|pointer| !pointer.is_none()) {
            // The disk may have left the group meanwhile.
            if let Some(disk) = self.disks.get_mut(usize::from(pointer.disk())) {
                for unit in pointer.unit()..pointer.unit() + u32::from(pointer.units()) {
                    if unit < disk.units && !disk.is_free(unit) && !disk.withheld.contains(&unit) {
                        disk.give_back(unit);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Wish = Wish { copies: 1, or_fewer: false };
    const TWO: Wish = Wish { copies: 2, or_fewer: false };

    fn space_of(disks: &[(u32, u32)]) -> Space {
        Space::new(&disks_with(disks, |number| number.to_string()))
    }

    fn disks_with(disks: &[(u32, u32)], group: impl Fn(usize) -> String) -> Vec<SpaceOfDisk> {
        let disk = |(number, (units, reserved)): (usize, &(u32, u32))| SpaceOfDisk {
            number: number as u16,
            units: *units,
            reserved: *reserved,
            failure_group: group(number),
            takes_extents: true,
        };
        disks.iter().enumerate().map(disk).collect()
    }

    fn take(space: &mut Space, units: usize) -> Option<Vec<Pointer>> {
        space.take(std::iter::repeat_n(1, units), ONE)
    }

    fn disks_of(space: &mut Space, units: usize) -> Vec<usize> {
        take(space, units).unwrap().into_iter().map(|one| usize::from(one.disk())).collect()
    }

    #[test]
    fn equal_disks_take_turns_however_the_units_are_asked_for() {
        let mut space = space_of(&[(100, 4); 4]);
        assert_eq!(disks_of(&mut space, 10), [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]);
        let one_by_one: Vec<_> = (0..6).flat_map(|_| disks_of(&mut space, 1)).collect();
        assert_eq!(one_by_one, [2, 3, 0, 1, 2, 3]);
        assert_eq!(space.free_in_all(), 4 * 96 - 16);
    }

    #[test]
    fn units_are_spread_in_proportion_to_free_space_and_disks_become_full_together() {
        let mut space = space_of(&[(300, 0), (100, 0), (200, 0)]);
        let mut count = [0_i32; 3];
        for taken in 1..=540 {
            count[disks_of(&mut space, 1)[0]] += 1;
            for (disk, share) in [3, 1, 2].into_iter().enumerate() {
                let fair = f64::from(taken * share) / 6.0;
                assert!((f64::from(count[disk]) - fair).abs() < 4.0, "{count:?} of {taken}");
            }
        }
        assert_eq!(take(&mut space, 61), None);
        assert_eq!(take(&mut space, 60).unwrap().len(), 60);
        assert_eq!(take(&mut space, 1), None);
        assert_eq!(take(&mut space, 0), Some(vec![]));
    }

    #[test]
    fn a_unit_has_one_owner_and_comes_back() {
        let mut space = space_of(&[(70, 3), (70, 3)]);
        space.claim(Pointer::new(1, 69, 1)).unwrap();
        for (disk, unit) in [(1, 69), (0, 2), (0, 70), (0, 1000), (2, 5), (1, u32::MAX)] {
            assert!(space.claim(Pointer::new(disk, unit, 1)).unwrap_err().is_ora(15196), "{disk} {unit}");
        }
        let taken = take(&mut space, 133).unwrap();
        assert!(taken.iter().all(|one| one.unit() >= 3 && *one != Pointer::new(1, 69, 1)));
        assert_eq!(taken.iter().collect::<BTreeSet<_>>().len(), 133);
        assert_eq!(space.free_in_all(), 0);
        space.give_back(&taken[..5]);
        let mut again = take(&mut space, 5).unwrap();
        again.sort();
        let mut given = taken[..5].to_vec();
        given.sort();
        assert_eq!(again, given);
    }

    #[test]
    fn a_disk_that_was_full_does_not_catch_up() {
        let mut space = space_of(&[(10, 0), (1000, 0)]);
        let taken = take(&mut space, 500).unwrap();
        let small: Vec<_> = taken.iter().copied().filter(|one| one.disk() == 0).collect();
        space.give_back(&small);
        let turns = disks_of(&mut space, 20);
        assert!(turns.iter().filter(|disk| **disk == 0).count() < 3, "{turns:?}");
    }

    #[test]
    fn copies_are_in_different_failure_groups_and_both_kinds_are_spread_evenly() {
        let cell = |number: usize| format!("CELL{}", number / 4);
        let mut space = Space::new(&disks_with(&[(100, 4); 12], cell));
        let taken = space.take(std::iter::repeat_n(1, 480), TWO).unwrap();
        let mut counts = [[0; 12]; 2];
        for copies in taken.chunks(2) {
            assert!(cell(copies[0].disk().into()) != cell(copies[1].disk().into()), "{copies:?}");
            assert!(space.partners(copies[0].disk()).contains(&copies[1].disk()));
            counts[0][usize::from(copies[0].disk())] += 1;
            counts[1][usize::from(copies[1].disk())] += 1;
        }
        for kind in counts {
            assert!(kind.iter().all(|count| (36..=44).contains(count)), "{counts:?}");
        }
        let mut two = Space::new(&disks_with(&[(100, 4); 2], cell_of_its_own));
        let primaries: Vec<_> =
            two.take([1; 6].into_iter(), TWO).unwrap().iter().step_by(2).map(|p| p.disk()).collect();
        assert_eq!(primaries, [0, 1, 0, 1, 0, 1]);
    }

    fn cell_of_its_own(number: usize) -> String {
        number.to_string()
    }

    #[test]
    fn without_a_second_failure_group_there_is_no_mirror_or_no_space() {
        let mut disks = disks_with(&[(10, 0); 2], cell_of_its_own);
        disks[1].takes_extents = false;
        let mut space = Space::new(&disks);
        assert_eq!(space.take([1].into_iter(), TWO), None);
        let fewer = Wish { or_fewer: true, ..TWO };
        assert_eq!(space.take([1].into_iter(), fewer), Some(vec![Pointer::new(0, 0, 1), Pointer::NONE]));
        // A full failure group is no missing one.
        disks[1].takes_extents = true;
        disks[1].units = 1;
        let mut space = Space::new(&disks);
        assert!(space.take([1].into_iter(), fewer).is_some());
        assert_eq!(space.take([1].into_iter(), fewer), None);
        assert_eq!(space.free_in_all(), 9);
    }

    #[test]
    fn large_extents_have_units_in_a_row() {
        let mut space = space_of(&[(100, 3)]);
        let taken = space.take([1, 4, 16, 4].into_iter(), ONE).unwrap();
        let units: Vec<_> = taken.iter().map(|one| (one.unit(), one.units())).collect();
        assert_eq!(units, [(3, 1), (4, 4), (16, 16), (8, 4)]);
        assert_eq!(space.free(0), 97 - 25);
        space.give_back(&taken);
        assert_eq!(space.free(0), 97);
        space.limit(0, Some(10));
        assert_eq!(space.free(0), 7);
        let low = space.take_of(0, 1).unwrap();
        space.claim(Pointer::new(0, 20, 1)).unwrap_err();
        assert!(low.unit() < 10 && space.is_unused_from(0, 10));
        space.limit(0, None);
        assert_eq!(space.free(0), 96);
    }

    #[test]
    fn disks_come_go_and_change_their_sizes() {
        let mut disks = disks_with(&[(70, 3), (70, 3), (70, 3)], cell_of_its_own);
        let mut space = Space::new(&disks[..2]);
        take(&mut space, 100).unwrap();
        space.set_disks(&disks);
        assert_eq!((space.free_in_all(), space.free(2)), (34 + 67, 67));
        disks[2].units = 200;
        space.set_disks(&disks);
        assert_eq!(space.free(2), 197);
        disks[2].units = 10;
        space.set_disks(&disks);
        assert_eq!(space.free(2), 7);
        assert!(space.claim(Pointer::new(2, 10, 1)).is_err());
        space.set_disks(&disks[..2]);
        assert_eq!((space.free(2), space.free_in_all()), (0, 34));
    }
}
