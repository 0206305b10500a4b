//! Statements about a mirrored disk group, its disks and its tablespaces.

use super::plan::{Plan, WorkloadKind};

/// The group.
#[derive(Clone, Copy, Debug)]
pub struct Mirrors;

impl Mirrors {
    /// Its name; tablespaces in it end with it.
    const GROUP: &str = "GM";
    /// Disks that are there for it.
    pub const DISKS: u32 = 5;
    /// Errors that say that a disk is not as the statement expects it, or that too few would be left.
    pub(super) const REFUSALS: [&str; 10] = [
        "ORA-15010",
        "ORA-15020",
        "ORA-15029",
        "ORA-15033",
        "ORA-15041",
        "ORA-15054",
        "ORA-15066",
        "ORA-15067",
        "ORA-15072",
        "ORA-15084",
    ];

    /// Its failure groups, and the cells that they are.
    pub const FAILURE_GROUPS: [&str; 3] = ["fa", "fb", "fc"];

    /// The failure group that a disk is in.
    #[must_use]
    pub fn failure_group(disk: u64) -> &'static str {
        Self::FAILURE_GROUPS[(disk % 3) as usize]
    }
}

impl Plan {
    /// The disk's place, as statements have it.
    fn place_of(&self, disk: u64) -> String {
        let folder =
            if self.kind == WorkloadKind::Cells { format!("{}/", Mirrors::failure_group(disk)) } else { String::new() };
        format!("{folder}disk3_{disk:02}")
    }

    /// A statement about the mirrored group, its disks or a tablespace in it.
    pub(super) fn define_mirrored(&mut self) {
        let group = Mirrors::GROUP;
        if !self.current.groups.contains(group) {
            return self.create_mirrored();
        }
        let disk = 1 + self.random.below(u64::from(Mirrors::DISKS));
        match self.random.below(100) {
            0..26 => self.create_tablespace(group),
            26..38 => self.add_datafile(group),
            38..46 => self.drop_tablespace(),
            46..56 => self.create_table(),
            56..68 => {
                self.say(format!("alter diskgroup {group} offline disk m{disk}"));
                self.degraded = true;
            }
            68..80 => self.make_whole(),
            80..86 => {
                let force = if self.degraded { " force" } else { "" };
                let clause = self.rebalance();
                self.say(format!("alter diskgroup {group} drop disk m{disk}{force}{clause}"));
                self.degraded = true;
            }
            86..94 => {
                let (clause, failure_group) = (self.rebalance(), Mirrors::failure_group(disk));
                let place = self.place_of(disk);
                self.say(format!(
                    "alter diskgroup {group} add failgroup {failure_group} disk '{place}' name m{disk} force{clause}"
                ));
                self.degraded = true;
            }
            94..96 => self.say(format!("alter diskgroup {group} undrop disks")),
            _ => {
                let clause = self.rebalance();
                self.say(format!("alter diskgroup {group}{clause}"));
            }
        }
    }

    fn create_mirrored(&mut self) {
        let group = Mirrors::GROUP;
        let disks: Vec<String> = (1..u64::from(Mirrors::DISKS))
            .map(|disk| {
                let (failure_group, place) = (Mirrors::failure_group(disk), self.place_of(disk));
                format!("failgroup {failure_group} disk '{place}' name m{disk}")
            })
            .collect();
        let redundancy = ["normal", "high"][self.random.index(2)];
        self.current.groups.insert(group.to_owned());
        let attribute =
            if self.kind == WorkloadKind::Cells { " attribute 'cell.smart_scan_capable' = 'TRUE'" } else { "" };
        self.commit_by(format!("create diskgroup {group} {redundancy} redundancy {}{attribute}", disks.join(" ")));
        self.degraded = false;
    }

    /// All disks come back, and extents get the copies that they lack.
    fn make_whole(&mut self) {
        let group = Mirrors::GROUP;
        self.say(format!("alter diskgroup {group} online all"));
        self.say(format!("alter diskgroup {group} rebalance power 4 wait"));
        self.degraded = false;
    }

    fn rebalance(&mut self) -> String {
        let power = [0, 1, 4, 11][self.random.index(4)];
        let wait = if power > 0 && self.random.percent(50) { " wait" } else { "" };
        format!(" rebalance power {power}{wait}")
    }
}
