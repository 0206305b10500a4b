//! Making cells: folders with `cell.toml` and the files of their grid disks.

use std::io;
use std::path::{Path, PathBuf};

use common::Result;
use device::FileSystem;

use crate::cell::{CELL_FILE, CellFile, disk_name};
use crate::error::invalid;

fn refused(path: &Path, why: &dyn std::fmt::Display) -> common::Error {
    invalid(format!("\"{}\" is not made: {why}", path.display()))
}

/// Makes so many cells in a directory, each named after its folder: `cell01`, `cell02` and so on. All of them or none;
/// nothing is written over. Returns the paths of the grid disks. `device_bytes`: size of one device of the model.
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
    let wanted = of_cell.saturating_mul(u64::from(cell.disks)).saturating_mul(u64::from(cells));
    // The working directory has no name here.
    if !directory.as_os_str().is_empty() {
        files.create_directory(directory).map_err(|error| refused(directory, &error))?;
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
    let mut made = Vec::new();
    match fill(files, &folders, cell, &mut made) {
        Ok(()) => Ok(made.into_iter().filter(|path| path.file_name().is_none_or(|name| name != CELL_FILE)).collect()),
        Err((path, error)) => {
            // The first error is the one to report; empty folders stay.
            for path in &made {
                let _ = files.remove(path);
            }
            Err(refused(&path, &error))
        }
    }
}

/// The path at which an operation failed.
fn at(path: &Path) -> impl FnOnce(io::Error) -> (PathBuf, io::Error) + use<> {
    let path = path.to_owned();
    move |error| (path, error)
}

/// Makes the files of all folders, the one that makes a folder a cell last.
fn fill(
    files: &dyn FileSystem,
    folders: &[PathBuf],
    cell: &CellFile,
    made: &mut Vec<PathBuf>,
) -> std::result::Result<(), (PathBuf, io::Error)> {
    for folder in folders {
        files.create_directory(folder).map_err(at(folder))?;
        let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let named = CellFile { name: name.clone(), ..cell.clone() };
        let text = toml::to_string(&named).map_err(|error| (PathBuf::from(CELL_FILE), io::Error::other(error)))?;
        for grid in &cell.grid {
            for disk in 0..cell.disks {
                let path = folder.join(disk_name(&grid.name, disk, &name));
                let device = files.create(&path, grid.bytes()).map_err(at(&path))?;
                made.push(path.clone());
                device.sync().map_err(at(&path))?;
            }
        }
        let path = folder.join(CELL_FILE);
        files.write_whole(&path, text.as_bytes()).map_err(at(&path))?;
        made.push(path);
        files.sync_directory(folder).map_err(at(folder))?;
    }
    Ok(())
}
