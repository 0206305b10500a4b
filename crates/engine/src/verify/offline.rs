//! The files of a database that is not open.

use std::path::Path;

use common::sync::Arc;
use common::{Clock, Error, Result};
use device::FileSystem;

use crate::instance::disk_group_open::files_in;
use crate::instance::read_only;
use crate::startup::read_control;
use storage::control::ControlData;
use storage::disk_group::GroupFiles;

/// The control file of a closed database. Nothing is written.
///
/// # Errors
/// Those of [`read_control`].
pub fn read_control_only(below: &Arc<dyn FileSystem>, directory: &Path, clock: &Arc<dyn Clock>) -> Result<ControlData> {
    Ok(read_control(&read_only(Arc::clone(below)), directory, clock)?.1)
}

/// The files of a closed database, those in its disk groups included, read-only: nothing is written, and disks that an
/// instance has mounted are not claimed. Also returns the errors that keep groups from being mounted.
pub fn offline_files(
    below: &Arc<dyn FileSystem>,
    directory: &Path,
    clock: &Arc<dyn Clock>,
    data: &ControlData,
) -> (Arc<dyn FileSystem>, Vec<Error>) {
    let files = GroupFiles::new(read_only(Arc::clone(below)), directory, clock, &data.database_name, None);
    let used = data.disk_groups.iter().filter(|group| !files_in(data, &group.name).is_empty());
    let problems = used.filter_map(|group| files.mount(group, group.epoch.is_some()).err()).collect();
    (Arc::new(files), problems)
}
