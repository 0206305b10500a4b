//! Images of files: from a directory, into one, and after an operation.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sim::disk::{FileId, Image};

use crate::error::{Error, Result};
use crate::event::Operation;

/// Bytes that are copied at once.
const PIECE: usize = 64 << 10;

/// Files below a directory with their sizes, and directories.
pub(crate) type Listing = (BTreeMap<PathBuf, u64>, BTreeSet<PathBuf>);

/// Everything below a directory.
///
/// # Errors
/// Errors of the file system.
pub(crate) fn list(root: &Path) -> Result<Listing> {
    let (mut files, mut directories) = (BTreeMap::new(), BTreeSet::from([root.to_owned()]));
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).map_err(|error| Error::io(&directory, &error))? {
            let entry = entry.map_err(|error| Error::io(&directory, &error))?;
            let metadata = entry.metadata().map_err(|error| Error::io(&entry.path(), &error))?;
            if metadata.is_dir() {
                directories.insert(entry.path());
                open.push(entry.path());
            } else {
                files.insert(entry.path(), metadata.len());
            }
        }
    }
    Ok((files, directories))
}

/// The files below a directory.
///
/// # Errors
/// Errors of the file system.
pub fn read_directory(root: &Path) -> Result<Image> {
    let (files, directories) = list(root)?;
    let mut image = Image::default();
    for directory in &directories {
        image.create_directory(directory);
    }
    for (number, (path, bytes)) in files.iter().enumerate() {
        let file = FileId(number as u32);
        image.create(path, file);
        image.set_size(file, *bytes);
        copy_in(&mut image, file, path).map_err(|error| Error::io(path, &error))?;
    }
    Ok(image)
}

fn copy_in(image: &mut Image, file: FileId, path: &Path) -> io::Result<()> {
    let mut from = File::open(path)?;
    let mut piece = vec![0; PIECE];
    let mut at = 0;
    loop {
        let read = from.read(&mut piece)?;
        if read == 0 {
            return Ok(());
        }
        image.write(file, at, &piece[..read]);
        at += read as u64;
    }
}

/// Writes the files of an image below `root` into the directory `to` in its place.
///
/// # Errors
/// Errors of the file system.
pub fn write_directory(image: &Image, root: &Path, to: &Path) -> Result<()> {
    let place = |path: &Path| path.strip_prefix(root).ok().map(|below| to.join(below));
    for directory in image.directories().filter_map(place) {
        fs::create_dir_all(&directory).map_err(|error| Error::io(&directory, &error))?;
    }
    for (path, file) in image.paths() {
        let Some(path) = place(path) else { continue };
        copy_out(image, file, &path).map_err(|error| Error::io(&path, &error))?;
    }
    Ok(())
}

fn copy_out(image: &Image, file: FileId, path: &Path) -> io::Result<()> {
    let mut to = File::create(path)?;
    let size = image.file_size(file);
    let mut piece = vec![0; PIECE];
    let mut at = 0;
    while at < size {
        let now = (size - at).min(PIECE as u64) as usize;
        image.read(file, at, &mut piece[..now])?;
        if piece[..now].iter().any(|byte| *byte != 0) {
            use std::io::{Seek, SeekFrom};
            to.seek(SeekFrom::Start(at))?;
            to.write_all(&piece[..now])?;
        }
        at += now as u64;
    }
    to.set_len(size)
}

/// The first number that no file has.
pub(crate) fn next_file(image: &Image) -> u32 {
    image.paths().map(|(_, file)| file.0 + 1).max().unwrap_or(0)
}

/// Applies an operation to an image; of a write the first `moved` bytes.
pub(crate) fn apply(image: &mut Image, operation: &Operation, moved: usize) {
    match operation {
        Operation::Write { file, offset, bytes, .. } => image.write(*file, *offset, &bytes[..moved.min(bytes.len())]),
        Operation::SetSize { file, bytes } => image.set_size(*file, *bytes),
        Operation::Create { path, file } => image.create(path, *file),
        Operation::MakeDirectory { path } => image.create_directory(path),
        Operation::Remove { path } => image.remove(path),
        Operation::Rename { from, to } => {
            image.rename(from, to);
        }
        Operation::Sync { .. } | Operation::SyncDirectory { .. } => {}
    }
}

/// The differences between two images, as text; None when each file of one is a file of the other with the same bytes.
///
/// # Errors
/// None of the images' own; reading past an end is a difference.
#[must_use]
pub fn difference(one: &Image, other: &Image) -> Option<String> {
    let names = |image: &Image| image.paths().map(|(path, _)| path.to_owned()).collect::<BTreeSet<_>>();
    let (mine, theirs) = (names(one), names(other));
    if let Some(path) = mine.symmetric_difference(&theirs).next() {
        return Some(format!("{} is in one only", path.display()));
    }
    for path in &mine {
        let (Some(a), Some(b)) = (one.file(path), other.file(path)) else { continue };
        let (size, size_there) = (one.file_size(a), other.file_size(b));
        if size != size_there {
            return Some(format!("{}: {size} bytes and {size_there}", path.display()));
        }
        let (mut left, mut right) = (vec![0; PIECE], vec![0; PIECE]);
        let mut at = 0;
        while at < size {
            let now = (size - at).min(PIECE as u64) as usize;
            let read = one.read(a, at, &mut left[..now]).is_ok() && other.read(b, at, &mut right[..now]).is_ok();
            if !read || left[..now] != right[..now] {
                let place = left.iter().zip(&right).position(|(left, right)| left != right).unwrap_or(0);
                return Some(format!("{}: byte {} differs", path.display(), at + place as u64));
            }
            at += now as u64;
        }
    }
    None
}
