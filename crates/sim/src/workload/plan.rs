//! The choices that a seed makes once for a whole run.

use asm::Redundancy;
use common::{BlockSize, Seeded};
use storage::control::SpaceManagement;

/// Settings of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    pub seed: u64,
    pub sessions: usize,
    pub steps: usize,
    /// Block size and space management of each tablespace for tables and indexes.
    pub tablespaces: Vec<(BlockSize, SpaceManagement)>,
    pub log_bytes: u64,
    /// Of the cache for each block size.
    pub cache_bytes: u64,
    /// True: the database is closed at the end; false: dropped as it is.
    pub closed: bool,
    /// True: tables, indexes, files and tablespaces are made and dropped.
    pub definitions: bool,
    /// True: tables get indexes.
    pub indexes: bool,
    /// Disks of a disk group that the datafiles are in; 0: they are files of their own.
    pub disks: u16,
    /// Of that group. The disks of a mirrored one fail, leave and come back during the run.
    pub redundancy: Redundancy,
    pub failure_groups: u16,
    /// True: the group's disks are those of a cell with a flash cache and a flash log.
    pub flash: bool,
    /// True: tables are loaded past the cache, with and without images in the log.
    pub loads: bool,
    /// True: tablespaces, for tables and for undo, are made and dropped too.
    pub spaces: bool,
    /// Lives of the database, one after another on the same disk; 0: one life on a disk that was durable at first.
    pub lives: usize,
    /// Threads that work at once, beside the log writer and the database writer; 0: everything is done on one thread,
    /// in an order that the seed chooses.
    pub threads: usize,
    /// True: the creation of the database belongs to the first of several lives.
    pub creation: bool,
}

impl Plan {
    /// The plan of a seed.
    #[must_use]
    pub fn new(seed: u64, steps: usize) -> Self {
        let mut random = Seeded::at(seed, 0);
        let sizes = BlockSize::ALL;
        let managements = [SpaceManagement::Manual, SpaceManagement::Auto];
        // Seeds in a row go through all kinds.
        let first = (sizes[(seed % 5) as usize], managements[(seed / 5 % 2) as usize]);
        let second = (sizes[random.index(5)], managements[random.index(2)]);
        Self {
            seed,
            sessions: 1 + random.index(4),
            steps,
            tablespaces: if second == first { vec![first] } else { vec![first, second] },
            log_bytes: [256, 512, 1024][random.index(3)] << 10,
            cache_bytes: [2, 4][random.index(2)] << 20,
            closed: random.percent(30),
            definitions: random.percent(80),
            indexes: true,
            disks: 0,
            redundancy: Redundancy::External,
            failure_groups: 1,
            flash: false,
            loads: false,
            spaces: false,
            lives: 0,
            threads: 0,
            creation: false,
        }
    }

    /// The plan of a seed for so many lives; `steps` are those of each life that works.
    #[must_use]
    pub fn lives(seed: u64, steps: usize, lives: usize) -> Self {
        let mut random = Seeded::at(seed, 4);
        Self {
            log_bytes: [256, 512][random.index(2)] << 10,
            definitions: true,
            loads: random.percent(40),
            disks: if random.percent(8) { 1 + random.index(3) as u16 } else { 0 },
            spaces: true,
            lives,
            creation: random.percent(12),
            ..Self::new(seed, steps)
        }
        .checked()
    }

    /// The same with so many threads: each is one session.
    #[must_use]
    pub fn threads(seed: u64, steps: usize, lives: usize, threads: usize) -> Self {
        Self { threads, sessions: 1, creation: false, ..Self::lives(seed, steps, lives) }
    }

    /// The same with the datafiles in a disk group, mirrored for four seeds of five.
    #[must_use]
    pub fn in_group(self) -> Self {
        let mut random = Seeded::at(self.seed, 5);
        let redundancy = match random.below(10) {
            0..2 => Redundancy::External,
            2..7 => Redundancy::Normal,
            _ => Redundancy::High,
        };
        let disks = 3 + random.index(4) as u16;
        let fewest = u16::from(redundancy.copies());
        let failure_groups = fewest + random.index(usize::from(disks - fewest) + 1) as u16;
        let flash = Seeded::at(self.seed, 6).percent(50);
        Self { disks, redundancy, failure_groups, flash, creation: false, ..self }
    }

    /// Disk groups are made outside the recording: not by a run that begins with the creation.
    fn checked(self) -> Self {
        Self { disks: if self.creation { 0 } else { self.disks }, ..self }
    }

    /// Name of the tablespace with this place in the plan.
    #[must_use]
    pub fn tablespace(&self, number: usize) -> String {
        format!("T{number}")
    }
}
