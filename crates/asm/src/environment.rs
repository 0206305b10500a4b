//! The environment of a disk group.

use std::hash::{BuildHasher, Hasher, RandomState};

use common::sync::Arc;
use common::{Clock, Random, SystemClock};
use device::FileSystem;

use crate::header::Id;

/// The disks' file system, the clock, and the source of ids.
#[derive(Clone, Debug)]
pub struct Environment {
    pub files: Arc<dyn FileSystem>,
    pub clock: Arc<dyn Clock>,
    pub random: Arc<dyn Random>,
}

impl Environment {
    /// The machine's own clock and random numbers.
    #[must_use]
    pub fn new(files: Arc<dyn FileSystem>) -> Self {
        Self { files, clock: Arc::new(SystemClock::default()), random: Arc::new(ProcessRandom) }
    }

    pub(crate) fn id(&self) -> Id {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&self.random.next_u64().to_le_bytes());
        id[8..].copy_from_slice(&self.random.next_u64().to_le_bytes());
        id
    }
}

/// Numbers for ids, from the seeds that the operating system gives to hash tables. Not for secrets.
#[derive(Debug)]
struct ProcessRandom;

impl Random for ProcessRandom {
    fn next_u64(&self) -> u64 {
        RandomState::new().build_hasher().finish()
    }
}
