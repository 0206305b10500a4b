//! Cells in processes of their own, beside the recorded instance.
//!
//! ```text
//!   root/db/                 the instance's machine
//!   root/db/fa/cell.toml     stands for the cell fa, with its address
//!   root/cells/fa/           the cell's machine: an empty cell.toml, and disks
//!   root/keys/
//! ```
//!
//! A power failure is one of all machines. An image is looked at with the disks moved to where the database has their
//! cell, so that no process is needed: a cell in the same process reads the same disks.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use sim::disk::Image;

use crate::error::{Error, Result};
use crate::lives::run;
use crate::trace::MIRRORED_DISK;
use crate::workload::Mirrors;

const CELLS: &str = "cells";
const CELL_FILE: &str = "cell.toml";

/// Makes the cells and their disks, and the folders that stand for them.
pub(crate) fn make(program: &Path, root: &Path, disk_bytes: u64) -> Result<()> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let keys = root.join("keys");
    run(program, &["cell", "--make-keys", &text(&keys)], "")?;
    for cell in Mirrors::FAILURE_GROUPS {
        let folder = root.join(CELLS).join(cell);
        let of_folder = |error| Error::io(&folder, &error);
        fs::create_dir_all(&folder).map_err(of_folder)?;
        fs::write(folder.join(CELL_FILE), "").map_err(of_folder)?;
        for disk in (1..=u64::from(Mirrors::DISKS)).filter(|disk| Mirrors::failure_group(*disk) == cell) {
            let made = File::create_new(folder.join(format!("{MIRRORED_DISK}{disk:02}")));
            made.and_then(|made| made.set_len(disk_bytes)).map_err(of_folder)?;
        }
        // The address that it gets now it has in all lives.
        let mut serving = Command::new(program)
            .args(serve(root, cell, "127.0.0.1:0"))
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| Error::start(program, &error))?;
        let mut line = String::new();
        if let Some(out) = serving.stdout.take() {
            BufReader::new(out).read_line(&mut line).map_err(of_folder)?;
        }
        let address = line.trim_end().trim_end_matches('.').rsplit(' ').next().unwrap_or_default().to_owned();
        let out = text(&root.join("db"));
        let connected = run(program, &["cell", "--connect", &address, "--keys", &text(&keys), "--out", &out], "");
        // It may have ended by itself, with an error.
        let _ = serving.kill();
        let _ = serving.wait();
        connected?;
    }
    Ok(())
}

fn serve(root: &Path, cell: &str, address: &str) -> Vec<String> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let (disks, keys) = (root.join(CELLS).join(cell), root.join("keys"));
    let words = ["cell", "--disks", &text(&disks), "--listen", address, "--keys", &text(&keys)];
    words.map(str::to_owned).to_vec()
}

/// The arguments of each cell's process.
pub(crate) fn processes(root: &Path) -> Result<Vec<Vec<String>>> {
    let process = |cell: &&str| {
        let path = root.join("db").join(cell).join(CELL_FILE);
        let text = fs::read_to_string(&path).map_err(|error| Error::io(&path, &error))?;
        let address = text.lines().find_map(|line| line.strip_prefix("address = \"")?.strip_suffix('"'));
        let address = address.ok_or_else(|| Error::Workload(format!("{} has no address", path.display())))?;
        Ok(serve(root, cell, address))
    };
    Mirrors::FAILURE_GROUPS.iter().map(process).collect()
}

/// The image with the disks of cells in the folders that stand for the cells. The same image where there are none.
pub(crate) fn at_home(mut from: Image, data: &Path) -> Image {
    let Some(root) = data.parent() else { return from };
    for cell in Mirrors::FAILURE_GROUPS {
        let (far, near) = (root.join(CELLS).join(cell), data.join(cell));
        let paths = from.paths().filter(|(path, _)| path.parent() == Some(&far));
        for path in paths.map(|(path, _)| path.to_owned()).collect::<Vec<_>>() {
            let name = path.file_name().unwrap_or_default();
            // The empty cell.toml takes the place of the one with the address.
            from.remove(&near.join(name));
            from.rename(&path, &near.join(name));
        }
    }
    from
}

#[cfg(test)]
mod tests {
    use sim::disk::FileId;

    use super::*;
    use crate::image::next_file;

    #[test]
    fn disks_are_where_the_database_has_their_cell() {
        let mut given = Image::default();
        for folder in ["/r", "/r/db", "/r/db/fa", "/r/cells", "/r/cells/fa"] {
            given.create_directory(Path::new(folder));
        }
        for (path, bytes) in [("/r/db/fa/cell.toml", 30), ("/r/cells/fa/cell.toml", 0), ("/r/cells/fa/disk3_03", 9)] {
            let file = FileId(next_file(&given));
            given.create(Path::new(path), file);
            given.set_size(file, bytes);
        }
        let moved = at_home(given, Path::new("/r/db"));
        let sizes: Vec<_> = moved.paths().map(|(path, file)| (path.to_owned(), moved.file_size(file))).collect();
        assert_eq!(sizes, [("/r/db/fa/cell.toml".into(), 0), ("/r/db/fa/disk3_03".into(), 9)]);
    }
}
