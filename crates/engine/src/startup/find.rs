//! A database that is not open: whether there is one, and its control file.

use std::path::Path;

use common::sync::Arc;
use common::{Clock, Result};
use device::FileSystem;

use crate::instance::{Boot, read_only};
use storage::control::{ControlData, ControlFile, Existing, is_group_alone};
use storage::disk_group::{GroupFiles, is_in_group, resolve};
use storage::parameters::{ParameterFile, Parameters};

/// The control file of a database that is not open, and its files with the groups that the control file is in. Nothing
/// is written, if `files` keep writes to themselves.
///
/// # Errors
/// ORA-00205, ORA-00201 without a control file that can be read; ORA-01078 for the parameter file.
pub fn read_control(
    files: &Arc<dyn FileSystem>,
    directory: &Path,
    clock: &Arc<dyn Clock>,
) -> Result<(Arc<GroupFiles>, ControlData)> {
    let parameters = Parameters::from_file(&ParameterFile::load(&**files, directory)?)?;
    let boot = Boot::open(files, directory, clock, &parameters, None)?;
    let below = Arc::<GroupFiles>::clone(&boot.groups) as Arc<dyn FileSystem>;
    let control = ControlFile::open(below, directory, &boot.places)?;
    Ok((Arc::clone(&boot.groups), control.data().clone()))
}

/// Contents of a directory, as far as a database is concerned. Nothing is written.
#[must_use]
pub fn find(files: &Arc<dyn FileSystem>, directory: &Path, clock: &Arc<dyn Clock>) -> Existing {
    if !exists(&**files, directory) {
        return Existing::Nothing;
    }
    let below = read_only(Arc::clone(files));
    let parameters = ParameterFile::load(&*below, directory).and_then(|file| Parameters::from_file(&file));
    let Ok(boot) = parameters.and_then(|parameters| Boot::open(&below, directory, clock, &parameters, None)) else {
        return Existing::Database;
    };
    let groups = Arc::<GroupFiles>::clone(&boot.groups) as Arc<dyn FileSystem>;
    let is_there = |name: &String| groups.exists(&resolve(directory, name)).unwrap_or(true);
    if !boot.places.iter().filter(|name| !is_group_alone(name)).any(is_there) {
        // A creation that failed has removed them.
        return Existing::Nothing;
    }
    match ControlFile::open(groups, directory, &boot.places) {
        Ok(control) if control.data().is_unfinished() => Existing::Unfinished,
        _ => Existing::Database,
    }
}

/// True: the directory holds a database, finished or not, or remains of one.
#[must_use]
pub fn exists(files: &dyn FileSystem, directory: &Path) -> bool {
    let parameters = ParameterFile::load(files, directory).and_then(|file| Parameters::from_file(&file));
    let places = parameters.and_then(|parameters| ControlFile::places(&parameters));
    let usual = ControlFile::COPIES.map(str::to_owned).to_vec();
    has_copy(files, directory, &places.unwrap_or(usual))
}

/// True: one of these copies of a control file may be there. One in a group, which has a name, was made.
fn has_copy(files: &dyn FileSystem, directory: &Path, names: &[String]) -> bool {
    names.iter().any(|name| {
        if is_in_group(name) { !is_group_alone(name) } else { files.exists(&resolve(directory, name)).unwrap_or(true) }
    })
}
