//! What a seed chooses once for a whole run.

use common::{BlockSize, Seeded};
use engine::instance::SpaceManagement;

/// How a run is set up.
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
    /// Whether the database is closed at the end, or dropped as it is.
    pub closed: bool,
    /// Whether tables, indexes, files and tablespaces come and go.
    pub definitions: bool,
    /// Whether tables get indexes.
    pub indexes: bool,
    /// Disks of a disk group that the datafiles are in; 0: they are files of their own.
    pub disks: u16,
    /// Whether tables are loaded past the cache, with and without images in the log.
    pub loads: bool,
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
            loads: false,
        }
    }

    /// Name of the tablespace with this place in the plan.
    #[must_use]
    pub fn tablespace(&self, number: usize) -> String {
        format!("T{number}")
    }
}
