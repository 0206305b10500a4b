//! `highwater cells`: folders of grid disks that are cut out of modelled devices.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use common::{Error, Result};
use device::OsFileSystem;
use drive::{CellFile, CellFlash, GridSpec, make_cells};

use crate::command_line::Cells;
use crate::device::{dilate, model};
use crate::failure::{self, Outcome};
use crate::size::Size;

const MB: u64 = 1 << 20;

/// Makes them, all or none, and prints the paths of their grid disks.
pub(crate) fn run(arguments: &Cells) -> Result<Outcome> {
    let model_file = model(&arguments.model)?;
    let out = arguments.out.clone().unwrap_or_default();
    let mut offset_mb = 0;
    let mut grid = Vec::new();
    for one in &arguments.grid {
        let size_mb = one.size.0.div_ceil(MB);
        grid.push(GridSpec { name: one.name.clone(), size_mb, offset_mb });
        offset_mb += size_mb;
    }
    let dilate = dilate(arguments.dilate)?;
    let megabytes = |size: &Option<Size>| size.as_ref().map_or(0, |size| size.0.div_ceil(MB));
    let flash = CellFlash {
        model: model_name(&arguments.flash_model)?,
        cache_mb: megabytes(&arguments.flash_cache),
        log_mb: megabytes(&arguments.flash_log),
    };
    let flash = (flash.cache_mb + flash.log_mb > 0).then_some(flash);
    if let Some(flash) = &flash {
        flash.check("the cells", model(&arguments.flash_model)?.start().bytes())?;
    }
    let (name, model) = (String::new(), model_name(&arguments.model)?);
    let file = CellFile { name, model, disks: arguments.disks, dilate, grid, flash };
    let bytes = model_file.start().bytes();
    let made = make_cells(&OsFileSystem::new(), &out, arguments.make, &file, bytes)?;
    let mut stdout = io::stdout().lock();
    let written = made.iter().try_for_each(|path| writeln!(stdout, "{}", path.display())).and_then(|()| stdout.flush());
    failure::written(written)?;
    Ok(Outcome::DONE)
}

/// The model as a cell's file has it: a name of the catalogue, or a path from anywhere.
fn model_name(path: &Path) -> Result<String> {
    let text = path.to_str().ok_or_else(|| failure::wrong_use("--model: the path is no text"))?;
    if drive::names().any(|name| name == text) {
        return Ok(text.to_owned());
    }
    let absolute: PathBuf = std::path::absolute(path).map_err(|error| failure::file(path, &error))?;
    absolute.into_os_string().into_string().map_err(|_| Error::bug("a path of text is no text"))
}
