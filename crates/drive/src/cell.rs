//! A cell: a folder of grid disks that are cut out of modelled devices.
//!
//! `cell.toml` in the folder says which model the devices have, how many there are, and which part of each device a
//! grid disk takes. A grid disk is a file of its own, named after grid, device and cell: `DATA_CD_00_cell01`.

use std::path::{Path, PathBuf};

use common::sync::Arc;
use common::{Clock, Result};
use device::FileSystem;
use serde::{Deserialize, Serialize};

use crate::catalogue;
use crate::error::invalid;
use crate::lateness::Lateness;
use crate::number::Positive;
use crate::spindle::Spindle;

/// Name of the file that makes a folder a cell.
pub const CELL_FILE: &str = "cell.toml";
/// Name of the file of a cell's flash cache.
pub(crate) const FLASH_CACHE_FILE: &str = "flash_cache";
/// Name of the file of a cell's flash log.
pub(crate) const FLASH_LOG_FILE: &str = "flash_log";
/// Bytes of a megabyte in sizes.
const MB: u64 = 1 << 20;

/// The content of `cell.toml`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellFile {
    /// The cell's own name, in the names of its grid disks.
    pub name: String,
    /// A model of the catalogue, or a file's path, from the folder on.
    pub model: String,
    /// Devices.
    pub disks: u16,
    /// So many times slower than the model says.
    #[serde(default = "one")]
    pub dilate: Positive,
    pub grid: Vec<GridSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flash: Option<CellFlash>,
}

/// A flash device, and what the cell does with it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellFlash {
    /// A model of the catalogue, or a file's path, from the folder on.
    pub model: String,
    /// Size of the cache; 0: there is none.
    pub cache_mb: u64,
    /// Size of the log; 0: there is none.
    pub log_mb: u64,
}

impl CellFlash {
    /// Its files, with where on the device each begins, and its bytes.
    pub(crate) fn files(&self) -> impl Iterator<Item = (&'static str, u64, u64)> + use<> {
        let (cache, log) = (self.cache_mb.saturating_mul(MB), self.log_mb.saturating_mul(MB));
        let files = [(FLASH_CACHE_FILE, 0, cache), (FLASH_LOG_FILE, cache, log)];
        files.into_iter().filter(|(_, _, bytes)| *bytes > 0)
    }

    fn end(&self) -> u64 {
        self.cache_mb.saturating_add(self.log_mb).saturating_mul(MB)
    }
}

fn one() -> Positive {
    Positive::ONE
}

/// The same part of each device.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridSpec {
    pub name: String,
    pub size_mb: u64,
    /// From the outermost track on.
    pub offset_mb: u64,
}

impl GridSpec {
    /// Bytes of a grid disk.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.size_mb.saturating_mul(MB)
    }

    fn end(&self) -> u64 {
        self.offset_mb.saturating_add(self.size_mb).saturating_mul(MB)
    }
}

/// True: a file of a cell's folder that is no grid disk.
pub(crate) fn is_own_file(path: &Path) -> bool {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    [CELL_FILE, FLASH_CACHE_FILE, FLASH_LOG_FILE].contains(&&*name)
}

/// Name of a grid disk's file.
#[must_use]
pub fn disk_name(grid: &str, disk: u16, cell: &str) -> String {
    format!("{grid}_CD_{disk:02}_{cell}")
}

/// A cell whose devices are at work.
#[derive(Debug)]
pub struct Cell {
    pub name: String,
    pub file: CellFile,
    pub spindles: Vec<Arc<Spindle>>,
    pub flash: Option<Arc<Spindle>>,
}

impl Cell {
    /// The cell of a folder; None for a folder that is none, or whose `cell.toml` is empty: its disks have no model.
    ///
    /// # Errors
    /// HW-0080 when `cell.toml` or its model are wrong; errors of the file system.
    pub fn load(files: &dyn FileSystem, directory: &Path, clock: &Arc<dyn Clock>) -> Result<Option<Self>> {
        let path = directory.join(CELL_FILE);
        let text = match read(files, &path)? {
            // A cell whose disks are files as they are.
            Some(text) if text.trim().is_empty() => return Ok(None),
            Some(text) => text,
            None => return Ok(None),
        };
        let shown = path.display().to_string();
        let file: CellFile = toml::from_str(&text).map_err(|error| crate::error::of_toml(&shown, &text, &error))?;
        let name = file.name.clone();
        let model = |name: &str| match catalogue::find(name)? {
            Some(model) => Ok(model),
            None => {
                let path: PathBuf = directory.join(name);
                let text = read(files, &path)?.ok_or_else(|| {
                    let known = catalogue::names().collect::<Vec<_>>().join(", ");
                    invalid(format!("{shown}: no model {name} in the catalogue ({known}) and no such file"))
                })?;
                crate::file::ModelFile::parse(&path.display().to_string(), &text)
            }
        };
        let dilate = file.dilate.get();
        let flash = match &file.flash {
            None => None,
            Some(spec) => {
                let model = model(&spec.model)?.start();
                spec.check(&shown, model.bytes())?;
                Some(Arc::new(Spindle::new(model, Arc::clone(clock), dilate)))
            }
        };
        let model = model(&file.model)?;
        let bytes = model.start().bytes();
        file.check(&shown, bytes)?;
        let spindles = (0..file.disks).map(|_| Arc::new(Spindle::new(model.start(), Arc::clone(clock), dilate)));
        let spindles = spindles.collect();
        Ok(Some(Self { name, file, spindles, flash }))
    }

    /// How late requests of all its devices ended, in a sentence; None when there were no requests.
    #[must_use]
    pub fn lateness(&self) -> Option<String> {
        let all = Lateness::default();
        self.spindles.iter().chain(&self.flash).for_each(|spindle| all.add(spindle.lateness()));
        let summary = all.summary();
        if summary.requests == 0 {
            return None;
        }
        let verdict = if summary.judges() { "" } else { ": too late to judge by these times" };
        Some(format!(
            "Cell {} ({}): {} requests, late by {:.0} microseconds in the median, {:.0} at the 99th percentile, {:.1} % \
             of the modelled time{verdict}.",
            self.name,
            self.file.model,
            summary.requests,
            summary.median_us,
            summary.p99_us,
            summary.share * 100.0
        ))
    }

    /// The device of a grid disk or of the flash, where on it the file begins, and its bytes.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<(Arc<Spindle>, u64, u64)> {
        if let (Some(spec), Some(spindle)) = (&self.file.flash, &self.flash)
            && let Some((_, offset, bytes)) = spec.files().find(|(file, _, _)| *file == name)
        {
            return Some((Arc::clone(spindle), offset, bytes));
        }
        let grids = self.file.grid.iter().flat_map(|grid| (0..self.file.disks).map(move |disk| (grid, disk)));
        let mut found = grids.filter(|(grid, disk)| disk_name(&grid.name, *disk, &self.name) == name);
        let (grid, disk) = found.next()?;
        Some((Arc::clone(self.spindles.get(usize::from(disk))?), grid.offset_mb * MB, grid.bytes()))
    }
}

impl CellFlash {
    /// What cannot be right with it, on a device of so many bytes.
    ///
    /// # Errors
    /// HW-0080.
    pub fn check(&self, shown: &str, bytes: u64) -> Result<()> {
        if self.end() == 0 || self.end() > bytes {
            return Err(invalid(format!(
                "{shown}: the flash takes {} MB, and a device of the model has {} MB",
                self.end() / MB,
                bytes / MB
            )));
        }
        Ok(())
    }
}

impl CellFile {
    /// What cannot be right with the grids, on devices of so many bytes.
    ///
    /// # Errors
    /// HW-0080.
    pub fn check(&self, shown: &str, bytes: u64) -> Result<()> {
        if self.disks == 0 {
            return Err(invalid(format!("{shown}: a cell without disks")));
        }
        for (number, grid) in self.grid.iter().enumerate() {
            let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if grid.name.is_empty() || !grid.name.chars().all(letters) {
                return Err(invalid(format!("{shown}: \"{}\" is no name of a grid: letters, digits and _", grid.name)));
            }
            if grid.size_mb == 0 || grid.end() > bytes {
                return Err(invalid(format!(
                    "{shown}: grid {} takes {} MB from {} MB on, and a device of the model has {} MB",
                    grid.name,
                    grid.size_mb,
                    grid.offset_mb,
                    bytes / MB
                )));
            }
            let overlaps = |other: &&GridSpec| grid.offset_mb * MB < other.end() && other.offset_mb * MB < grid.end();
            if let Some(other) = self.grid[..number].iter().find(overlaps) {
                return Err(invalid(format!("{shown}: grids {} and {} overlap", other.name, grid.name)));
            }
            if self.grid[..number].iter().any(|other| other.name == grid.name) {
                return Err(invalid(format!("{shown}: two grids {}", grid.name)));
            }
        }
        Ok(())
    }
}

fn read(files: &dyn FileSystem, path: &Path) -> Result<Option<String>> {
    let shown = path.display();
    match files.read_whole(path) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| invalid(format!("{shown} is no text"))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(invalid(format!("{shown}: {error}"))),
    }
}
