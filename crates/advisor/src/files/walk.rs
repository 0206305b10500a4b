//! Folders: the files in them, and in the folders in them, in the order of their names.

use std::fs;
use std::path::{Path, PathBuf};

/// Largest depth of nested folders that is followed.
const DEEPEST: usize = 16;

/// The files of a path on the command line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct FoundFiles {
    pub(super) files: Vec<PathBuf>,
    pub(super) folder: bool,
    /// The folder itself could be read.
    pub(super) readable: bool,
}

/// The file itself, or all files of a folder. Links to folders are not followed; names that begin with a dot are passed
/// over.
pub(super) fn files(path: &Path, say: &mut dyn FnMut(&str)) -> FoundFiles {
    if !path.is_dir() {
        return FoundFiles { files: vec![path.to_owned()], folder: false, readable: true };
    }
    let mut files = Vec::new();
    let readable = gather(path, 0, &mut files, say);
    FoundFiles { files, folder: true, readable }
}

fn gather(folder: &Path, depth: usize, files: &mut Vec<PathBuf>, say: &mut dyn FnMut(&str)) -> bool {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            say(&format!("HW-0002: {}: {error}", folder.display()));
            return false;
        }
    };
    let mut paths: Vec<(PathBuf, fs::FileType)> = Vec::new();
    for entry in entries {
        match entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))) {
            Ok(found) => paths.push(found),
            Err(error) => say(&format!("HW-0002: {}: {error}", folder.display())),
        }
    }
    paths.sort_by(|a, b| a.0.cmp(&b.0));
    for (path, kind) in paths {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        if kind.is_dir() {
            if depth < DEEPEST {
                gather(&path, depth + 1, files, say);
            } else {
                say(&format!("{}: too deep, passed over", path.display()));
            }
        } else if path.is_file() {
            files.push(path);
        }
    }
    true
}
