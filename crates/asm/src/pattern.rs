//! Patterns of disks' paths: to find disks by, and to make files by.
//!
//! In a part of a path `*` stands for any characters, `?` for one, and `%n` for a number; to make files by, in the last
//! part only. Several patterns are separated by commas.

use std::io;
use std::path::{Path, PathBuf};

use common::{Error, ErrorKind, Result};
use device::FileSystem;

/// Splits a pattern into its directory and its last part.
fn split(pattern: &str) -> Result<(PathBuf, &str)> {
    let (directory, last) = match pattern.rsplit_once('/') {
        Some(("", last)) => (Path::new("/"), last),
        Some((directory, last)) => (Path::new(directory), last),
        None => (Path::new(""), pattern),
    };
    if last.is_empty() {
        return Err(Error::user(
            15031,
            format!("disk specification \"{pattern}\" matches no disks: it has no file name"),
        ));
    }
    Ok((directory.to_owned(), last))
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?']) || text.contains("%n")
}

/// True: a file's name matches the pattern.
fn matches(pattern: &str, name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    // The lengths of the name's beginnings that the pattern's beginning so far matches: the time is that of pattern
    // times name, whatever the stars.
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    let mut rest = pattern;
    while let Some(wanted) = rest.chars().next() {
        let mut next = vec![false; name.len() + 1];
        if let Some(after) = rest.strip_prefix("%n") {
            rest = after;
            for (at, c) in name.iter().enumerate().filter(|(_, c)| c.is_ascii_digit()) {
                let within = at > 0 && next[at] && name[at - 1].is_ascii_digit();
                next[at + 1] = c.is_ascii_digit() && (reached[at] || within);
            }
        } else {
            rest = &rest[wanted.len_utf8()..];
            if wanted == '*' {
                let mut before = false;
                for (next, reached) in next.iter_mut().zip(&reached) {
                    before |= reached;
                    *next = before;
                }
            } else {
                for (at, c) in name.iter().enumerate() {
                    next[at + 1] = reached[at] && (wanted == '?' || wanted == *c);
                }
            }
        }
        reached = next;
    }
    reached[name.len()]
}

/// Of the content of a directory what matches a part of a pattern. A directory that is not there has no content.
fn matching(directory: &Path, part: &str, content: io::Result<Vec<PathBuf>>) -> Result<Vec<PathBuf>> {
    let is_match =
        |path: &PathBuf| path.file_name().and_then(|name| name.to_str()).is_some_and(|name| matches(part, name));
    match content {
        Ok(paths) => Ok(paths.into_iter().filter(is_match).collect()),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(Vec::new()),
        Err(error) => Err(crate::error::cannot_open(directory, &error)),
    }
}

/// The directories that a pattern's directory stands for.
fn directories(files: &dyn FileSystem, pattern: &Path) -> Result<Vec<PathBuf>> {
    if !has_wildcard(&pattern.to_string_lossy()) {
        return Ok(vec![pattern.to_owned()]);
    }
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        let part = part.as_os_str();
        let text = part.to_string_lossy();
        let mut next = Vec::new();
        for directory in found {
            if has_wildcard(&text) {
                next.extend(matching(&directory, &text, files.directories(&directory))?);
            } else {
                next.push(directory.join(part));
            }
        }
        found = next;
    }
    Ok(found)
}

/// The paths that match, sorted, each once.
///
/// # Errors
/// ORA-15031 when there is none; ORA-15025 when a directory cannot be read.
pub(crate) fn find(files: &dyn FileSystem, patterns: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for pattern in patterns.split(',').map(str::trim).filter(|pattern| !pattern.is_empty()) {
        let (directory, last) = split(pattern)?;
        for directory in directories(files, &directory)? {
            if has_wildcard(last) {
                found.extend(matching(&directory, last, files.list(&directory))?);
                continue;
            }
            let path = directory.join(last);
            if files.exists(&path).map_err(|error| crate::error::cannot_open(&path, &error))? {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        return Err(Error::user(15031, format!("disk specification \"{patterns}\" matches no disks")));
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Makes `count` files of `bytes` zeros as disks, and returns their paths. The `*` or `%n` in the last part of the
/// pattern becomes a number from 1 on, with the same count of digits in all of them, at least two, so that they sort.
///
/// # Errors
/// ORA-15031 when the pattern has no `*` and no `%n`, or more than one, or a `?`; ORA-15037 for disks too small for any
/// group; HW-0072 when one of the files exists or cannot be made. After an error none of the files has been made.
pub fn make_disks(files: &dyn FileSystem, pattern: &str, count: u16, bytes: u64) -> Result<Vec<PathBuf>> {
    let (directory, last) = split(pattern)?;
    let marks = last.matches('*').count() + last.matches("%n").count();
    if marks != 1 || last.contains(['?', ',']) || count == 0 {
        let text =
            format!("disk specification \"{pattern}\" makes no disks: it has one * or %n in it, and no ? or comma");
        return Err(Error::user(15031, text));
    }
    crate::create::check_size(pattern, bytes)?;
    if has_wildcard(&directory.to_string_lossy()) {
        return Err(Error::unsupported(format!("a wildcard in the directory of \"{pattern}\", to make disks by")));
    }
    let digits = count.to_string().len().max(2);
    let mark = if last.contains('*') { "*" } else { "%n" };
    let paths: Vec<_> =
        (1..=count).map(|number| directory.join(last.replace(mark, &format!("{number:0digits$}")))).collect();
    let refused = |path: &Path, why: &dyn std::fmt::Display| {
        Error::own(ErrorKind::User, 72, format!("disk \"{}\" is not made: {why}", path.display()))
    };
    for path in &paths {
        if files.exists(path).map_err(|error| refused(path, &error))? {
            return Err(refused(path, &"there is a file of this name"));
        }
    }
    for (number, path) in paths.iter().enumerate() {
        let made = files.create(path, bytes).and_then(|device| device.sync());
        if let Err(error) = made {
            // A file that appeared meanwhile is not ours; one whose sync failed is.
            let ours = if error.kind() == io::ErrorKind::AlreadyExists { number } else { number + 1 };
            for path in &paths[..ours] {
                let _ = files.remove(path);
            }
            return Err(refused(path, &error));
        }
    }
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { &directory };
    files.sync_directory(directory).map_err(|error| refused(directory, &error))?;
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use common::sync::Arc;
    use device::{Fault, FaultyFileSystem, MemoryFileSystem};

    use super::*;
    use crate::layout::MB;

    #[test]
    fn a_star_is_anything_a_question_mark_one_character_and_n_a_number() {
        for (pattern, name) in [
            ("disk*", "disk"),
            ("disk*", "disk01"),
            ("d?sk*.img", "disk1.img"),
            ("*", "x"),
            ("d%n", "d12"),
            ("d%n2", "d122"),
            ("**a*", "bab"),
            ("%n*", "1é"),
            ("?", "é"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("disk*", "Disk1"), ("disk?", "disk"), ("d%n", "d"), ("d%n", "d1x"), ("*.img", "img"), ("", "x")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn disks_are_made_and_found_by_the_same_pattern() {
        let files = MemoryFileSystem::new();
        let made = make_disks(&files, "/d/asm%n.img", 12, 4 * MB).unwrap();
        assert_eq!((made[0].to_str(), made[11].to_str()), (Some("/d/asm01.img"), Some("/d/asm12.img")));
        assert_eq!(find(&files, "/d/asm%n.img").unwrap(), made);
        assert_eq!(find(&files, "/d/*, /d/asm01.img").unwrap(), made);
        assert_eq!(files.open(&made[3]).unwrap().size().unwrap(), 4 * MB);
        assert_eq!(make_disks(&files, "x*", 1, 4 * MB).unwrap(), [PathBuf::from("x01")]);
        for none in ["/d/x*", "/d/none", "/e/*", "", "/d/"] {
            assert!(find(&files, none).unwrap_err().is_ora(15031), "{none}");
        }
        files.create_directory(Path::new("/c/cell1")).unwrap();
        files.create_directory(Path::new("/c/cell2")).unwrap();
        files.create_directory(Path::new("/c/other")).unwrap();
        for path in ["/c/cell1/DATA_1", "/c/cell2/DATA_2", "/c/cell2/RECO_2", "/c/other/DATA_3"] {
            files.create(Path::new(path), 1).unwrap();
        }
        let both = [PathBuf::from("/c/cell1/DATA_1"), PathBuf::from("/c/cell2/DATA_2")];
        assert_eq!(find(&files, "/c/cell*/DATA_*").unwrap(), both);
        assert_eq!(find(&files, "/c/cell%n/DATA_?").unwrap(), both);
        assert_eq!(find(&files, "/c/*/RECO_2").unwrap(), [PathBuf::from("/c/cell2/RECO_2")]);
        assert!(find(&files, "/c/none*/DATA_1").unwrap_err().is_ora(15031));
        assert!(make_disks(&files, "/*/x*", 1, 4 * MB).unwrap_err().is_own(1));
    }

    #[test]
    fn no_file_is_overwritten_and_none_is_left_behind() {
        let inner = Arc::new(MemoryFileSystem::new());
        let files = FaultyFileSystem::new(inner.clone());
        files.create(Path::new("/d/3"), 5).unwrap();
        files.rename(Path::new("/d/3"), Path::new("/d/disk03")).unwrap();
        let error = make_disks(&files, "/d/disk*", 4, 4 * MB).unwrap_err();
        assert_eq!(error.to_string(), "HW-0072: disk \"/d/disk03\" is not made: there is a file of this name");
        assert_eq!(find(&files, "/d/*").unwrap(), [PathBuf::from("/d/disk03")]);
        for (nth, fault) in [(2, Fault::Growth), (2, Fault::Sync)] {
            files.fail(nth, fault);
            assert!(make_disks(&files, "/e/disk*", 3, 4 * MB).unwrap_err().is_own(72));
            assert!(find(&files, "/e/*").is_err(), "{fault:?}");
        }
        for wrong in ["/d/disk", "/d/*%n", "/d/**", "/d/?*", "/d/*,x"] {
            assert!(make_disks(&files, wrong, 1, 4 * MB).unwrap_err().is_ora(15031), "{wrong}");
        }
        assert!(make_disks(&files, "/d/new*", 0, 4 * MB).unwrap_err().is_ora(15031));
        assert!(make_disks(&files, "/d/new*", 1, MB).unwrap_err().is_ora(15037));
    }
}
