//! `highwater cell`: a cell as a process of its own, its keys, and the folder that stands for it where the database is.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cell::{CELL_FILE, Service};
use cell_link::{CellAddress, CellFileSystem, Keys, Server, connect, make_keys};
use common::sync::Arc;
use common::{Clock, Result, SystemClock};
use device::{FileSystem, OsFileSystem};
use drive::ModelledFileSystem;

use crate::command_line::Cell;
use crate::failure::{self, Outcome};

pub(crate) fn run(arguments: &Cell) -> Result<Outcome> {
    let keys = || arguments.keys.as_deref().ok_or_else(|| failure::wrong_use("--keys is missing"));
    if let Some(folder) = &arguments.make_keys {
        make_keys(folder).map_err(|error| failure::file(folder, &error))?;
        return Ok(Outcome::DONE);
    }
    if let Some(address) = &arguments.connect {
        return stand_for(address, keys()?, arguments.out.as_deref().unwrap_or(Path::new("")));
    }
    match (&arguments.disks, &arguments.listen) {
        (Some(disks), Some(listen)) => serve(disks, listen, keys()?),
        _ => Err(failure::wrong_use("--disks with --listen, --connect, or --make-keys")),
    }
}

/// Serves until the process is ended.
fn serve(disks: &Path, listen: &str, keys: &Path) -> Result<Outcome> {
    let of_folder = |error| failure::file(disks, &error);
    // A cell has the name of its folder.
    let folder = disks.canonicalize().map_err(of_folder)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    // What is wrong with cell.toml is said now, and not to the first request.
    drive::Cell::load(&OsFileSystem::new(), &folder, &clock)?;
    let files = Arc::new(ModelledFileSystem::new(Arc::new(OsFileSystem::new()), clock));
    let service = Service::new(files, &folder).map_err(of_folder)?;
    let (name, count) = (service.name().to_owned(), service.disks().map_err(of_folder)?.len());
    let keys = Keys::read(keys).map_err(|error| failure::file(keys, &error))?;
    let of_address = |error| failure::file(Path::new(listen), &error);
    let server = Server::bind(service, &keys, listen).map_err(of_address)?;
    let address = server.address().map_err(of_address)?;
    let mut out = io::stdout().lock();
    let written = writeln!(out, "Cell {name} serves {count} disks at {address}.").and_then(|()| out.flush());
    drop(out);
    failure::written(written)?;
    server.run().map_err(of_address)?;
    Ok(Outcome::DONE)
}

/// Makes the folder that stands for a cell, named after it, and prints the paths of its disks.
fn stand_for(address: &str, keys: &Path, out: &Path) -> Result<Outcome> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let (name, disks) = connect(address, keys, &clock).map_err(|error| failure::file(Path::new(address), &error))?;
    let keys = keys.canonicalize().map_err(|error| failure::file(keys, &error))?;
    let folder = out.join(&name);
    let of_folder = |error| failure::file(&folder, &error);
    let path = folder.join(CELL_FILE);
    if path.exists() {
        return Err(of_folder(io::Error::new(io::ErrorKind::AlreadyExists, "it stands for a cell already")));
    }
    let text = CellAddress::new(&name, address, &keys, disks.clone()).text();
    std::fs::create_dir_all(&folder).map_err(of_folder)?;
    OsFileSystem::new().write_whole(&path, text.as_bytes()).map_err(of_folder)?;
    let mut stdout = io::stdout().lock();
    let written = disks.iter().try_for_each(|disk| writeln!(stdout, "{}", folder.join(disk).display()));
    failure::written(written.and_then(|()| stdout.flush()))?;
    Ok(Outcome::DONE)
}

/// The files of a database, and the disks of cells elsewhere that its folders stand for.
pub(crate) fn files(below: Arc<dyn FileSystem>, directory: &Path, clock: &Arc<dyn Clock>) -> Arc<dyn FileSystem> {
    let directory: PathBuf = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    Arc::new(CellFileSystem::new(below, &directory, Arc::clone(clock)))
}
