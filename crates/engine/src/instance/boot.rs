//! What is there before the control file can be read: parameters, and the disk groups that hold a copy of it.
//!
//! The other groups are in the control file. These are found by ASM_DISKSTRING, and mounted by force where the file
//! [`GroupEpochs`] has their epoch, so that disks which were away are not taken for the group.

use std::path::Path;
use std::sync::{OnceLock, Weak};
use std::time::Duration;

use common::sync::{Arc, Mutex};
use common::{Clock, Error, Number, Result, Seeded};
use device::FileSystem;

use super::{Background, record_of};
use storage::control::{ControlFile, is_group_alone};
use storage::disk_group::{
    GroupEpochs, GroupFiles, GroupRecord, GroupStage, MountedGroup, Redundancy, group_name_of, is_in_group,
};
use storage::health::Health;
use storage::parameters::{Parameter, Parameters};

/// Receives the epochs of groups and keeps them: in the control file, or beside it.
#[derive(Debug)]
struct Keeper {
    /// Groups with a copy of the control file, whose epochs it cannot keep.
    apart: Vec<String>,
    epochs: GroupEpochs,
    control: OnceLock<Weak<Mutex<ControlFile>>>,
    health: OnceLock<Arc<Health>>,
    /// An epoch that could not be kept before there was an instance to stop.
    failed: Mutex<Option<Error>>,
}

/// The files of a database, with the groups that its control file is in.
#[derive(Debug)]
pub(crate) struct Boot {
    pub(crate) groups: Arc<GroupFiles>,
    /// The names of CONTROL_FILES.
    pub(crate) places: Vec<String>,
    keeper: Arc<Keeper>,
}

/// Parameters with places of files that the database names.
const DESTINATIONS: [Parameter; 6] = [
    Parameter::DbCreateFileDest,
    Parameter::DbCreateOnlineLogDest1,
    Parameter::DbCreateOnlineLogDest2,
    Parameter::DbCreateOnlineLogDest3,
    Parameter::DbCreateOnlineLogDest4,
    Parameter::DbCreateOnlineLogDest5,
];

/// Patterns and names are separated by commas.
fn list(parameters: &Parameters, parameter: Parameter) -> Vec<String> {
    let text = parameters.text(parameter);
    let words = text.split(',').map(|word| word.trim().trim_matches(['"', '\'']).to_owned());
    words.filter(|word| !word.is_empty()).collect()
}

/// The groups that places of files name, without repetition.
fn groups_of<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut groups: Vec<String> = names.filter(|name| is_in_group(name)).map(group_name_of).collect();
    groups.sort();
    groups.dedup();
    groups
}

impl Boot {
    /// Mounts the groups of the control file. `background`: of the instance; None for a look.
    ///
    /// # Errors
    /// ORA-00205 with the group, its disks and the file when a group cannot be mounted; HW-0074 for a damaged file of
    /// epochs; those of [`ControlFile::places`].
    pub(crate) fn open(
        files: &Arc<dyn FileSystem>,
        directory: &Path,
        clock: &Arc<dyn Clock>,
        parameters: &Parameters,
        background: Option<Background>,
    ) -> Result<Self> {
        let places = ControlFile::places(parameters)?;
        let epochs = if places.iter().any(|name| is_in_group(name)) {
            GroupEpochs::load(Arc::clone(files), directory)?
        } else {
            GroupEpochs::new(Arc::clone(files), directory)
        };
        let boot = Self::new(files, directory, clock, parameters, background, places, epochs);
        for group in boot.keeper.apart.clone() {
            boot.mount(parameters, &group).map_err(|error| {
                let file = boot.places.iter().find(|name| is_in_group(name) && group_name_of(name) == group);
                let text = format!(
                    "error in identifying control file '{}', which is in diskgroup \"{group}\": {error}",
                    file.map_or("", String::as_str)
                );
                Error { number: Number::Ora(205), text, ..error }
            })?;
        }
        Ok(boot)
    }

    /// For a new database: mounts all groups that the parameters name for its files. None of them needs to have an
    /// epoch that is known.
    ///
    /// # Errors
    /// ORA-15001 without ASM_DISKSTRING; those of a mount.
    pub(crate) fn create(
        files: &Arc<dyn FileSystem>,
        directory: &Path,
        clock: &Arc<dyn Clock>,
        parameters: &Parameters,
        background: Background,
    ) -> Result<Self> {
        let places = ControlFile::places(parameters)?.into_iter();
        // The groups name the new files.
        let new = |name: String| if is_in_group(&name) { format!("+{}", group_name_of(&name)) } else { name };
        let places = places.map(new).collect();
        let epochs = GroupEpochs::new(Arc::clone(files), directory);
        let boot = Self::new(files, directory, clock, parameters, Some(background), places, epochs);
        let mut wanted = boot.keeper.apart.clone();
        let destinations: Vec<_> = DESTINATIONS.iter().map(|place| parameters.text(*place)).collect();
        wanted.extend(groups_of(destinations.iter().map(|text| &**text)));
        wanted.extend(list(parameters, Parameter::AsmDiskgroups).iter().map(|name| name.to_ascii_uppercase()));
        wanted.sort();
        wanted.dedup();
        wanted.iter().try_for_each(|group| boot.mount(parameters, group))?;
        Ok(boot)
    }

    fn new(
        files: &Arc<dyn FileSystem>,
        directory: &Path,
        clock: &Arc<dyn Clock>,
        parameters: &Parameters,
        background: Option<Background>,
        places: Vec<String>,
        epochs: GroupEpochs,
    ) -> Self {
        let database = parameters.text(Parameter::DbName);
        let ids = (background == Some(Background::Inline)).then(|| Seeded::new(clock.wall_us()));
        let mut groups = GroupFiles::new(Arc::clone(files), directory, clock, &database, ids);
        let patience = Duration::from_secs(parameters.unsigned(Parameter::AsmHbeatiowait));
        if background == Some(Background::Threads) && !patience.is_zero() {
            groups = groups.with_patience(patience);
        }
        let groups = Arc::new(groups);
        let apart = groups_of(places.iter().map(String::as_str));
        let keeper = Arc::new(Keeper {
            apart,
            epochs,
            control: OnceLock::new(),
            health: OnceLock::new(),
            failed: Mutex::default(),
        });
        let told = Arc::clone(&keeper);
        groups.on_epoch(move |group, epoch| told.keep(group, epoch));
        Self { groups, places, keeper }
    }

    fn mount(&self, parameters: &Parameters, group: &str) -> Result<()> {
        let patterns = list(parameters, Parameter::AsmDiskstring);
        if patterns.is_empty() {
            let text = format!("diskgroup \"{group}\" cannot be looked for: ASM_DISKSTRING is not set");
            return Err(Error::user(15001, text));
        }
        let epoch = self.keeper.epochs.of(group);
        let record = GroupRecord {
            name: group.to_owned(),
            patterns,
            id: None,
            disks: Vec::new(),
            mounted: true,
            epoch,
            stage: GroupStage::There,
        };
        self.groups.mount(&record, epoch.is_some())?;
        self.keeper.check()
    }

    /// Makes a copy of the control file in each group that CONTROL_FILES names without a file. Returns the names of all
    /// copies, and those of the new ones.
    ///
    /// # Errors
    /// ORA-15041 and its kin.
    pub(crate) fn make_copies(&self) -> Result<(Vec<String>, Vec<String>)> {
        let (mut names, mut made) = (self.places.clone(), Vec::new());
        for name in names.iter_mut().filter(|name| is_group_alone(name)) {
            *name = self.groups.create_control(&group_name_of(name), ControlFile::GROUP_BYTES)?;
            made.push(name.clone());
        }
        Ok((names, made))
    }

    /// The records of the mounted groups, for the control file of a new database.
    ///
    /// # Errors
    /// ORA-15001.
    pub(crate) fn records(&self, parameters: &Parameters) -> Result<Vec<GroupRecord>> {
        let record = |mounted: Arc<MountedGroup>| {
            let statistics = mounted.statistics();
            let is_kept = statistics.redundancy != Redundancy::External && !self.keeper.is_apart(mounted.name());
            Ok(GroupRecord {
                name: mounted.name().to_owned(),
                patterns: list(parameters, Parameter::AsmDiskstring),
                id: Some(GroupRecord::id_text(mounted.group().id())),
                disks: statistics.disks.into_iter().map(|disk| disk.name).collect(),
                mounted: true,
                epoch: is_kept.then(|| mounted.group().epoch()).transpose()?,
                stage: GroupStage::There,
            })
        };
        self.groups.mounted().into_iter().map(record).collect()
    }

    /// The groups with a copy of the control file.
    pub(crate) fn apart(&self) -> Vec<String> {
        self.keeper.apart.clone()
    }

    /// Has the control file keep the epochs of the other mirrored groups. One that cannot be kept stops the instance.
    ///
    /// # Errors
    /// Those of an epoch that could not be kept before.
    pub(crate) fn keep_epochs(&self, control: &Arc<Mutex<ControlFile>>, health: &Arc<Health>) -> Result<()> {
        let control = self.keeper.control.set(Arc::downgrade(control)).is_ok();
        let health = self.keeper.health.set(Arc::clone(health)).is_ok();
        debug_assert!(control && health, "a second control file");
        self.keeper.check()
    }
}

impl Keeper {
    fn is_apart(&self, group: &str) -> bool {
        self.apart.iter().any(|name| name == group)
    }

    /// Called with the group locked. A group with a control file is not written to from here.
    fn keep(&self, group: &str, epoch: u64) {
        let kept = if self.is_apart(group) {
            self.epochs.keep(group, epoch)
        } else if let Some(control) = self.control.get().and_then(Weak::upgrade) {
            control.lock().update(|data| {
                if let Some(record) = record_of(data, group) {
                    record.epoch = Some(epoch);
                }
            })
        } else {
            Ok(())
        };
        // A disk that is away from now on would pass for a current one.
        if let Err(error) = kept {
            match self.health.get() {
                Some(health) => drop(health.stop(&error)),
                None => *self.failed.lock() = Some(error),
            }
        }
    }

    fn check(&self) -> Result<()> {
        self.failed.lock().take().map_or(Ok(()), Err)
    }
}
