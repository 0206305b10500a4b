//! Steps of a run that are about the disks of its group: faults, one disk at a time, and statements.

use std::path::{Path, PathBuf};

use asm::{DiskMode, DiskStatistics, Redundancy};
use common::sync::Arc;
use common::{Error, Result};
use device::FileSystem;
use engine::ddl::DiskGroupChange;
use engine::instance::{DiskSpec, DisksOf, RebalanceClause};
use storage::disk_group::{MountedGroup, make_disks};

use super::record::{DISK_BYTES, GROUP};
use super::run::Run;
use super::{Plan, engine as statements};
use crate::DIRECTORY;
use crate::disk::{FileFault, Image, Note};
use crate::mirrors::is_sound;

/// Where disks are that have gone missing.
pub(super) const AWAY: &str = "/away";
/// Disks of a group at most.
const DISKS_MAX: usize = 8;
/// Units of a fault: bytes that a bad place has, and places of a bad disk at most.
const BAD_BYTES: u64 = 4096;
const BAD_PLACES: u64 = 40;

/// The disks in an image, of the group or not.
pub(crate) fn disks_of(image: &Image, directory: &str) -> Vec<PathBuf> {
    let is_disk = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path.parent() == Some(Path::new(directory)) && name.starts_with("disk")
    };
    image.names().map(|(path, _)| path.to_owned()).filter(|path| is_disk(path)).collect()
}

/// An error that says no: nothing has happened.
fn is_refusal(error: &Error) -> bool {
    [15033, 15041, 15066, 15067, 15072, 15084].iter().any(|number| error.is_ora(*number))
}

impl Plan {
    /// A disk of the group can be lost.
    pub(super) fn is_mirrored(&self) -> bool {
        self.disks > 0 && self.redundancy != Redundancy::External
    }
}

impl Run {
    fn group(&self) -> Result<Arc<MountedGroup>> {
        self.instance.groups().group(GROUP)
    }

    /// Each extent has all its copies, on disks that are online.
    fn is_redundant(&self) -> bool {
        self.plan.is_mirrored()
            && self.group().is_ok_and(|group| is_sound(group.group(), usize::from(self.plan.redundancy.copies())))
    }

    /// Notes whether a disk may be lost now.
    pub(super) fn note_redundancy(&mut self) {
        if self.plan.is_mirrored() && self.part == 0 {
            self.files.note(Note::Redundant(self.is_redundant()));
        }
    }

    /// Before the close: a disk that fails in it is not told in a note.
    pub(super) fn before_close(&mut self) {
        if self.files.is_broken() {
            self.files.note(Note::Redundant(false));
        }
    }

    /// Counts what the files and the group have met in this life.
    pub(super) fn count_disks(&mut self) {
        if self.plan.is_mirrored() && self.part == 0 {
            self.tally.add_met(&self.files.faults_met());
            self.tally.repairs += self.group().map_or(0, |group| group.statistics().repairs);
        }
    }

    /// A step about disks.
    pub(super) fn disk_step(&mut self) -> Result<()> {
        let sound = self.is_redundant() && !self.files.is_broken();
        let fault = self.random.below(100);
        if sound && fault < 50 {
            return match fault {
                0..6 => self.lose_disk(),
                6..10 => self.hang_disk(),
                10..22 => self.fail_once(),
                22..30 => self.spoil(),
                30..42 => self.flip(),
                _ => self.take_offline(),
            };
        }
        match self.random.below(100) {
            0..40 => self.bring_back(),
            40..50 => self.drop_lost(),
            50..60 => self.add_disk(),
            60..70 => self.drop_disk(),
            70..72 => self.change_disks(&DiskGroupChange::UndropDisks).map(drop),
            72..78 => self.instance.groups().tidy().1,
            _ => self.rebalance(),
        }
    }

    fn some_disk(&mut self, wanted: impl Fn(&DiskStatistics) -> bool) -> Result<Option<DiskStatistics>> {
        let disks: Vec<_> = self.group()?.statistics().disks.into_iter().filter(|disk| wanted(disk)).collect();
        Ok(self.random.pick(&disks).cloned())
    }

    /// The path of a disk as the simulated files have it.
    fn path_of(disk: &DiskStatistics) -> PathBuf {
        Path::new(DIRECTORY).join(disk.path.as_deref().unwrap_or(Path::new("")))
    }

    fn break_disk(&mut self, fault: FileFault) -> Result<()> {
        if let Some(disk) = self.some_disk(|disk| disk.mode == DiskMode::Online)? {
            self.files.break_file(&Self::path_of(&disk), fault);
        }
        Ok(())
    }

    fn lose_disk(&mut self) -> Result<()> {
        self.tally.gone += 1;
        self.break_disk(FileFault::Gone)
    }

    fn hang_disk(&mut self) -> Result<()> {
        self.tally.hanging += 1;
        self.break_disk(FileFault::Hanging)
    }

    fn fail_once(&mut self) -> Result<()> {
        let nth = 1 + self.random.below(6);
        let fault = [FileFault::Read(nth), FileFault::Write(nth), FileFault::Sync(nth)][self.random.index(3)].clone();
        self.break_disk(fault)?;
        if self.random.percent(50) { self.look() } else { Ok(()) }
    }

    /// Some places of one disk are bad.
    fn break_places(&mut self, fault: impl Fn(u64) -> FileFault) -> Result<()> {
        let group = self.group()?;
        let Some(disk) = self.some_disk(|disk| disk.mode == DiskMode::Online)? else { return Ok(()) };
        let mut places = Vec::new();
        for file in group.files()? {
            places
                .extend(group.group().extents(file.name.number)?.into_iter().filter(|place| place.disk == disk.number));
        }
        for _ in 0..=self.random.below(BAD_PLACES) {
            let Some(place) = self.random.pick(&places) else { break };
            // Most blocks in use are at the begin of a file.
            let within = if self.random.percent(50) { place.bytes } else { place.bytes / 8 };
            let at = place.offset + self.random.below(within);
            self.files.break_file(&Self::path_of(&disk), fault(at));
        }
        self.look()
    }

    fn spoil(&mut self) -> Result<()> {
        self.instance.cache().flush(self.sessions[0].meter())?;
        self.break_places(|at| {
            let from = at / BAD_BYTES * BAD_BYTES;
            FileFault::Unreadable(from..from + BAD_BYTES)
        })
    }

    fn flip(&mut self) -> Result<()> {
        // A rebalance copies bytes as they are.
        if self.group()?.group().wanted_rebalance().is_some() {
            return self.rebalance();
        }
        self.instance.cache().flush(self.sessions[0].meter())?;
        self.break_places(FileFault::Flipped)
    }

    /// Reads everything from the disks: it must be what it is.
    fn look(&mut self) -> Result<()> {
        self.commit_all()?;
        self.instance.cache().flush(self.sessions[0].meter())?;
        let found = statements::read_part(&self.sessions[0], self.part, self.plan.threads)?;
        let difference = found.difference(&self.live);
        if difference.is_empty() { Ok(()) } else { Err(Error::bug(format!("a bad disk is read: {difference:?}"))) }
    }

    /// A statement about the group. False when it was refused.
    fn change_disks(&mut self, change: &DiskGroupChange) -> Result<bool> {
        let mut done = true;
        self.definition_of(self.live.clone(), |s| match s.alter_disk_group(GROUP, change) {
            Err(error) if is_refusal(&error) => {
                done = false;
                Ok(())
            }
            result => result,
        })?;
        self.tally.refused += u64::from(!done);
        Ok(done)
    }

    fn take_offline(&mut self) -> Result<()> {
        let Some(disk) = self.some_disk(|disk| disk.mode == DiskMode::Online)? else { return Ok(()) };
        self.tally.offline += 1;
        self.change_disks(&DiskGroupChange::Offline(DisksOf::Named(vec![disk.name]), None)).map(drop)
    }

    /// All faults are over, and disks that are offline come online.
    fn bring_back(&mut self) -> Result<()> {
        self.files.heal();
        for path in disks_of(&self.files.image(), AWAY) {
            let to = Path::new(DIRECTORY).join(path.file_name().unwrap_or_default());
            let failed = |error: std::io::Error| Error::bug(format!("a disk does not come back: {error}"));
            self.files
                .rename(&path, &to)
                .and_then(|()| self.files.sync_directory(Path::new(DIRECTORY)))
                .map_err(failed)?;
        }
        let offline = self.group()?.statistics().disks.into_iter().filter(|disk| disk.mode == DiskMode::Offline);
        let names: Vec<String> = offline.map(|disk| disk.name).collect();
        if names.is_empty() {
            return Ok(());
        }
        self.tally.online += names.len() as u64;
        self.change_disks(&DiskGroupChange::Online(DisksOf::Named(names))).map(drop)
    }

    /// A disk that is lost is dropped by force, and perhaps another one added.
    fn drop_lost(&mut self) -> Result<()> {
        let Some(disk) = self.some_disk(|disk| disk.mode == DiskMode::Offline)? else {
            return self.take_offline_soundly();
        };
        self.files.heal();
        let change = self.dropping(disk.name, true);
        if self.change_disks(&change)? {
            self.tally.forced += 1;
        }
        if self.random.percent(60) { self.add_disk() } else { Ok(()) }
    }

    fn take_offline_soundly(&mut self) -> Result<()> {
        if self.is_redundant() && !self.files.is_broken() { self.take_offline() } else { Ok(()) }
    }

    fn dropping(&mut self, name: String, force: bool) -> DiskGroupChange {
        DiskGroupChange::DropDisks { disks: DisksOf::Named(vec![name]), force, rebalance: self.clause() }
    }

    fn clause(&mut self) -> RebalanceClause {
        let power = [None, Some(0), Some(1), Some(4)][self.random.index(4)];
        RebalanceClause { power, wait: false }
    }

    fn add_disk(&mut self) -> Result<()> {
        let members = self.group()?.statistics().disks;
        if members.len() >= DISKS_MAX {
            return Ok(());
        }
        self.files.heal();
        let own: Vec<PathBuf> = members.iter().map(Self::path_of).collect();
        let former: Vec<PathBuf> =
            disks_of(&self.files.image(), DIRECTORY).into_iter().filter(|path| !own.contains(path)).collect();
        let path = match self.random.pick(&former) {
            // One that has been a member, and may say that it still is.
            Some(path) if self.random.percent(50) => path.clone(),
            _ => {
                let pattern = format!("{DIRECTORY}/disk{}_*", self.new_name("a"));
                make_disks(&self.files, &pattern, 1, DISK_BYTES)?.pop().unwrap_or_default()
            }
        };
        let group = self.random.pick(&members).map(|disk| disk.failure_group.clone());
        let disk = DiskSpec {
            failure_group: group.filter(|_| self.random.percent(50)),
            force: true,
            ..DiskSpec::new(path.to_string_lossy())
        };
        let change = DiskGroupChange::AddDisks(vec![disk], self.clause());
        self.tally.added += u64::from(self.change_disks(&change)?);
        Ok(())
    }

    fn drop_disk(&mut self) -> Result<()> {
        self.files.heal();
        let Some(disk) = self.some_disk(|disk| disk.mode == DiskMode::Online && !disk.dropping)? else { return Ok(()) };
        let change = self.dropping(disk.name, false);
        self.tally.dropped += u64::from(self.change_disks(&change)?);
        Ok(())
    }

    /// A rebalance, to its end or not.
    fn rebalance(&mut self) -> Result<()> {
        self.files.heal();
        if self.plan.threads > 0 || self.random.percent(30) {
            let change = DiskGroupChange::Rebalance(self.clause());
            return self.change_disks(&change).map(drop);
        }
        let group = self.group()?;
        group.group().want_rebalance(1)?;
        for _ in 0..=self.random.below(12) {
            match group.group().rebalance_step() {
                Ok(asm::Step::Moved) => {}
                Ok(_) => return Ok(()),
                Err(error) if is_refusal(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        self.tally.rebalances += 1;
        Ok(())
    }
}
