//! Making cells: folders with `cell.toml` and the files of their grid disks.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use common::Result;
use device::FileSystem;

use crate::cell::{CELL_FILE, CellFile, CellFlash, disk_name, is_own_file};
use crate::error::invalid;

fn refused(path: &Path, why: &dyn std::fmt::Display) -> common::Error {
    invalid(format!("\"{}\" is not made: {why}", path.display()))
}

/// Makes so many cells in a directory, each named after its folder: `cell01`, `cell02` and so on. All of them or none:
/// after a failure the files and folders that were made are removed, the directory too. Nothing is written over.
/// Returns the paths of the grid disks. `device_bytes`: size of one device of the model.
///
/// # Errors
/// HW-0080 when the grids do not fit the devices, a folder is there already, the file system has too little room, or
/// refuses.
pub fn make_cells(
    files: &dyn FileSystem,
    directory: &Path,
    cells: u16,
    cell: &CellFile,
    device_bytes: u64,
) -> Result<Vec<PathBuf>> {
    cell.check("the cells", device_bytes)?;
    if cells == 0 {
        return Err(invalid("no cells are asked for"));
    }
    let digits = cells.to_string().len().max(2);
    let folders: Vec<_> = (1..=cells).map(|number| directory.join(format!("cell{number:0digits$}"))).collect();
    for folder in &folders {
        if files.exists(folder).map_err(|error| refused(folder, &error))? {
            return Err(refused(folder, &"it is there already"));
        }
    }
    let of_cell = cell.grid.iter().map(|grid| grid.bytes()).fold(0, u64::saturating_add);
    let of_flash = cell.flash.iter().flat_map(CellFlash::files).map(|(_, _, bytes)| bytes).sum();
    let of_cell = of_cell.saturating_mul(u64::from(cell.disks)).saturating_add(of_flash);
    let wanted = of_cell.saturating_mul(u64::from(cells));
    let mut made = Made { files, paths: Vec::new(), folders: Vec::new() };
    // The working directory has no name here.
    if !directory.as_os_str().is_empty() {
        made.folder(directory).map_err(|(path, error)| refused(&path, &error))?;
    }
    if let Some(free) = files.free_bytes(directory).map_err(|error| refused(directory, &error))?
        && free < wanted
    {
        let disks = u64::from(cells) * u64::from(cell.disks) * cell.grid.len() as u64;
        let why = format!(
            "{disks} grid disks take {} MB, and its file system has {} MB free",
            wanted.div_ceil(1 << 20),
            free >> 20
        );
        return Err(refused(directory, &why));
    }
    fill(&mut made, &folders, cell).map_err(|(path, error)| refused(&path, &error))?;
    let paths = made.keep();
    Ok(paths.into_iter().filter(|path| !is_own_file(path)).collect())
}

/// What a call has made so far, in its order. A drop removes it again.
struct Made<'a> {
    files: &'a dyn FileSystem,
    paths: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Made<'_> {
    /// Makes a folder and those above it.
    fn folder(&mut self, folder: &Path) -> std::result::Result<(), (PathBuf, io::Error)> {
        let named = folder.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        let missing: Vec<_> = named.take_while(|folder| !self.files.exists(folder).unwrap_or(true)).collect();
        self.folders.extend(missing.into_iter().rev().map(Path::to_owned));
        self.files.create_directory(folder).map_err(at(folder))
    }

    /// Makes a file of zeros.
    fn file(&mut self, path: PathBuf, bytes: u64) -> std::result::Result<(), (PathBuf, io::Error)> {
        let device = self.files.create(&path, bytes).map_err(at(&path))?;
        self.paths.push(path.clone());
        device.sync().map_err(at(&path))
    }

    /// Everything stays; returns the paths of the files.
    fn keep(mut self) -> Vec<PathBuf> {
        self.folders.clear();
        std::mem::take(&mut self.paths)
    }
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        // There is an earlier error to report: what cannot be removed stays.
        for path in &self.paths {
            let _ = self.files.remove(path);
        }
        for folder in self.folders.iter().rev() {
            remove_folder(self.files, folder);
        }
    }
}

/// Removes a folder if it is empty. A [`FileSystem`] has no such operation, so the machine's own does it, and only for
/// a folder of the machine: one in memory has no identity.
fn remove_folder(files: &dyn FileSystem, folder: &Path) {
    let Ok(Some(identity)) = files.identity(folder) else { return };
    let is_same = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino()) == (identity.device, identity.inode);
    if std::fs::symlink_metadata(folder).is_ok_and(is_same) {
        let _ = std::fs::remove_dir(folder);
    }
}

/// The path at which an operation failed.
fn at(path: &Path) -> impl FnOnce(io::Error) -> (PathBuf, io::Error) + use<> {
    let path = path.to_owned();
    move |error| (path, error)
}

/// Makes the files of all folders, the one that makes a folder a cell last.
fn fill(made: &mut Made<'_>, folders: &[PathBuf], cell: &CellFile) -> std::result::Result<(), (PathBuf, io::Error)> {
    let files = made.files;
    for folder in folders {
        made.folder(folder)?;
        let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let named = CellFile { name: name.clone(), ..cell.clone() };
        let text = toml::to_string(&named).map_err(|error| (PathBuf::from(CELL_FILE), io::Error::other(error)))?;
        for grid in &cell.grid {
            for disk in 0..cell.disks {
                made.file(folder.join(disk_name(&grid.name, disk, &name)), grid.bytes())?;
            }
        }
        for (file, _, bytes) in cell.flash.iter().flat_map(CellFlash::files) {
            made.file(folder.join(file), bytes)?;
        }
        let path = folder.join(CELL_FILE);
        files.write_whole(&path, text.as_bytes()).map_err(at(&path))?;
        made.paths.push(path);
        files.sync_directory(folder).map_err(at(folder))?;
    }
    Ok(())
}
