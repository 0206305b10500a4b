//! What the files of a group must hold.
//!
//! A file is cut into sectors. Each write of a sector has a number of its own, and fills the sector with it; 0 is what
//! a sector has that was never written. After a crash a sector may hold the last write that was made durable, or any
//! later one.

use std::collections::BTreeMap;

/// Bytes of a sector; the disk loses whole ones.
pub(super) const SECTOR: u64 = 512;

/// What a sector may hold.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Sector {
    pub(super) durable: u32,
    /// Later writes, in their order.
    pub(super) later: Vec<u32>,
}

impl Sector {
    /// What a read finds while nothing has crashed.
    pub(super) fn now(&self) -> u32 {
        self.later.last().copied().unwrap_or(self.durable)
    }

    fn allows(&self, found: u32) -> bool {
        self.durable == found || self.later.contains(&found)
    }
}

/// A file: its size, and the sectors that were written.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct FileModel {
    pub(super) size: u64,
    sectors: BTreeMap<u64, Sector>,
}

impl FileModel {
    pub(super) fn new(size: u64) -> Self {
        Self { size, sectors: BTreeMap::new() }
    }

    pub(super) fn now(&self, sector: u64) -> u32 {
        self.sectors.get(&sector).map_or(0, Sector::now)
    }

    pub(super) fn write(&mut self, first: u64, count: u64, number: u32, durable: bool) {
        for sector in first..first + count {
            let sector = self.sectors.entry(sector).or_default();
            if durable {
                *sector = Sector { durable: number, later: Vec::new() };
            } else {
                sector.later.push(number);
            }
        }
    }

    /// All writes so far are durable.
    pub(super) fn sync(&mut self) {
        for sector in self.sectors.values_mut() {
            *sector = Sector { durable: sector.now(), later: Vec::new() };
        }
    }

    pub(super) fn resize(&mut self, size: u64) {
        self.size = size;
        let keep = size.div_ceil(SECTOR);
        self.sectors.retain(|sector, _| *sector < keep);
    }

    /// What was found after a crash is what counts from now on.
    pub(super) fn settle(&mut self, sector: u64, found: u32) {
        self.sectors.insert(sector, Sector { durable: found, later: Vec::new() });
    }

    /// The sectors that were written, and so are not zeros.
    pub(super) fn written(&self) -> impl Iterator<Item = u64> {
        self.sectors.keys().copied()
    }
}

/// The files of a group by name.
pub(super) type Files = BTreeMap<String, FileModel>;

/// The state before a step and the one after it: a crash within the step leaves something between the two.
#[derive(Clone, Debug)]
pub(super) struct Between<'s> {
    pub(super) before: &'s Files,
    pub(super) after: &'s Files,
}

impl Between<'_> {
    /// Files that must be there, and those that may be.
    pub(super) fn allows_files<'n>(
        &self,
        mut found: impl Iterator<Item = (&'n str, u64)> + Clone,
    ) -> Result<(), String> {
        for name in self.before.keys().filter(|name| self.after.contains_key(*name)) {
            if !found.clone().any(|(there, _)| there == name) {
                return Err(format!("{name} is lost"));
            }
        }
        found.try_for_each(|(name, size)| {
            let sizes: Vec<u64> = [self.before, self.after]
                .into_iter()
                .filter_map(|files| files.get(name))
                .map(|file| file.size)
                .collect();
            if sizes.contains(&size) {
                return Ok(());
            }
            Err(format!("{name} has {size} bytes, and not one of {sizes:?}"))
        })
    }

    /// What a sector may hold.
    pub(super) fn allows(&self, name: &str, sector: u64, found: u32) -> Result<(), String> {
        let of = |files: &Files| files.get(name).map(|file| file.sectors.get(&sector).cloned().unwrap_or_default());
        let allowed: Vec<Sector> = [self.before, self.after].into_iter().filter_map(of).collect();
        if allowed.iter().any(|sector| sector.allows(found)) {
            return Ok(());
        }
        Err(format!("{name}, sector {sector}: {found} is none of {allowed:?}"))
    }
}
