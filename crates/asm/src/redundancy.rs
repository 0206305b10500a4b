//! Copies of extents: how many, and on which disks.
//!
//! Each disk has partners in other failure groups: the disks that may hold the other copies of its extents. The fewer
//! partners, the fewer pairs of disks whose loss together loses data; the more, the more disks share the work of a lost
//! one.

use common::{Error, Result};

/// Partners of a disk at most.
const PARTNERS: usize = 8;
/// Failure groups among them at most.
const PARTNER_GROUPS: usize = 4;

/// The redundancy of a group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub enum Redundancy {
    /// One copy.
    #[default]
    External = 1,
    /// Two copies in two failure groups.
    Normal = 2,
    /// Three copies in three failure groups.
    High = 3,
}

impl Redundancy {
    pub const ALL: [Self; 3] = [Self::External, Self::Normal, Self::High];

    /// Copies of an extent, and failure groups that a group needs at least.
    #[must_use]
    pub fn copies(self) -> u8 {
        self as u8
    }

    /// As TYPE of V$ASM_DISKGROUP.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::External => "EXTERN",
            Self::Normal => "NORMAL",
            Self::High => "HIGH",
        }
    }

    pub(crate) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|one| *one as u8 == code)
    }

    /// Checks the number of failure groups.
    ///
    /// # Errors
    /// ORA-15072 when there are too few.
    pub(crate) fn check(self, group: &str, failure_groups: usize) -> Result<()> {
        let least = usize::from(self.copies());
        if failure_groups >= least {
            return Ok(());
        }
        let text = format!(
            "command requires at least {least} failure groups for diskgroup \"{group}\" of {} redundancy, discovered \
             only {failure_groups}",
            self.name()
        );
        Err(Error::user(15072, text))
    }
}

/// The partners of each disk, given the disks' failure groups; by position. Partnership is mutual.
pub(crate) fn partners(failure_groups: &[&str]) -> Vec<Vec<usize>> {
    let count = failure_groups.len();
    let mut partners: Vec<Vec<usize>> = vec![Vec::new(); count];
    // Disks of different groups take turns on a ring, so that neighbours are in different groups where they can be.
    let mut ring: Vec<usize> = (0..count).collect();
    let rank = |disk: usize| failure_groups[..disk].iter().filter(|group| **group == failure_groups[disk]).count();
    ring.sort_by_key(|disk| (rank(*disk), *disk));
    let has_room = |partners: &[Vec<usize>], disk: usize, other: usize| {
        let of_disk = &partners[disk];
        let mut groups: Vec<&str> = of_disk.iter().map(|one| failure_groups[*one]).collect();
        groups.sort_unstable();
        groups.dedup();
        let known = groups.contains(&failure_groups[other]);
        of_disk.len() < PARTNERS && (known || groups.len() < PARTNER_GROUPS)
    };
    for distance in 1..=count / 2 {
        for at in 0..count {
            let (one, other) = (ring[at], ring[(at + distance) % count]);
            let apart = failure_groups[one] != failure_groups[other] && !partners[one].contains(&other);
            if apart && has_room(&partners, one, other) && has_room(&partners, other, one) {
                partners[one].push(other);
                partners[other].push(one);
            }
        }
    }
    // A disk that the limits have left alone shares the partners of others: a copy elsewhere is worth more than a
    // limit.
    for disk in 0..count {
        if partners[disk].is_empty() {
            let others: Vec<_> = (0..count).filter(|one| failure_groups[*one] != failure_groups[disk]).collect();
            for other in others {
                partners[disk].push(other);
                partners[other].push(disk);
            }
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(groups: &[&str]) -> Vec<Vec<usize>> {
        let partners = partners(groups);
        for (disk, of_disk) in partners.iter().enumerate() {
            for other in of_disk {
                assert!(groups[disk] != groups[*other], "{disk} and {other} are in one failure group");
                assert!(partners[*other].contains(&disk), "{disk} and {other} are not each other's partners");
            }
        }
        partners
    }

    #[test]
    fn each_disk_has_partners_in_other_failure_groups() {
        assert_eq!(check(&["a", "b"]), [vec![1], vec![0]]);
        let own: Vec<String> = (0..36).map(|disk| format!("f{disk}")).collect();
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        assert!(check(&own).iter().all(|of_disk| (2..=4).contains(&of_disk.len())));
        let cells: Vec<String> = (0..36).map(|disk| format!("cell{}", disk / 12)).collect();
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        assert!(check(&cells).iter().all(|of_disk| (6..=8).contains(&of_disk.len())));
    }

    #[test]
    fn a_disk_beside_a_large_failure_group_serves_all_of_it() {
        let mut groups = vec!["large"; 12];
        groups.push("small");
        assert!(check(&groups).iter().all(|of_disk| !of_disk.is_empty()));
        assert!(check(&["a", "a"]).iter().all(Vec::is_empty));
    }

    #[test]
    fn too_few_failure_groups_are_refused() {
        Redundancy::External.check("G", 1).unwrap();
        Redundancy::High.check("G", 3).unwrap();
        assert!(Redundancy::Normal.check("G", 1).unwrap_err().is_ora(15072));
    }
}
