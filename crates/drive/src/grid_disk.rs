//! A grid disk as a part of its device, for pictures of what lies where.

use std::path::Path;

use common::sync::Arc;
use common::{Clock, Result};
use device::FileSystem;

use crate::catalogue;
use crate::cell::{CELL_FILE, Cell};
use crate::disk::track::Tracks;
use crate::error::invalid;
use crate::file::{DeviceSpec, ModelFile};

/// A grid disk.
#[derive(Clone, Debug)]
pub struct GridDisk {
    pub cell: String,
    pub model: String,
    /// Number of its device in the cell, from 0.
    pub device: usize,
    /// Where on the device it begins, and its bytes.
    pub offset: u64,
    pub bytes: u64,
    /// None: the device has no tracks.
    pub tracks: Option<Tracks>,
}

impl GridDisk {
    /// The grid disk at a path; None for any other file.
    ///
    /// # Errors
    /// HW-0080 when `cell.toml` in its folder or its model are wrong; errors of the file system.
    pub fn find(files: &dyn FileSystem, path: &Path, clock: &Arc<dyn Clock>) -> Result<Option<Self>> {
        let directory = path.parent().unwrap_or(Path::new(""));
        let Some(cell) = Cell::load(files, directory, clock)? else { return Ok(None) };
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let Some((spindle, offset, bytes)) = cell.place(&name) else { return Ok(None) };
        let device = cell.spindles.iter().position(|other| Arc::ptr_eq(other, &spindle)).unwrap_or(0);
        let tracks = match model(files, directory, &cell.file.model)?.spec {
            DeviceSpec::Disk(disk) => Some(Tracks::new(&disk)),
            DeviceSpec::Flash(_) | DeviceSpec::Volume(_) => None,
        };
        Ok(Some(Self { cell: cell.name, model: cell.file.model, device, offset, bytes, tracks }))
    }
}

/// The model that a cell names: of the catalogue, or a file's path from its folder on.
fn model(files: &dyn FileSystem, directory: &Path, name: &str) -> Result<ModelFile> {
    if let Some(model) = catalogue::find(name)? {
        return Ok(model);
    }
    let path = directory.join(name);
    let failed = |error: &dyn std::fmt::Display| invalid(format!("{CELL_FILE}: {}: {error}", path.display()));
    let bytes = files.read_whole(&path).map_err(|error| failed(&error))?;
    ModelFile::parse(&path.display().to_string(), &String::from_utf8(bytes).map_err(|error| failed(&error))?)
}
