//! The epochs of mirrored groups that hold a copy of the control file.
//!
//! The control file keeps the epochs of the other groups. Those of these groups must be known before it can be read,
//! and must be written while a group that it is in is locked. So they are in a file of the data directory,
//! `groups.asm`:
//!
//! ```text
//! HIGHWATER EPOCHS 1 <CRC-32C of the rest>
//! DATA 7
//! ```
//!
//! It is replaced as a whole, before a write that depends on the new epoch is acknowledged. Without the file a group is
//! mounted only with all disks that its own records have online.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use common::sync::{Arc, Mutex};
use common::{Error, ErrorKind, Number, Result};
use device::FileSystem;

const HEADER: &str = "HIGHWATER EPOCHS 1";

/// The epochs, by the groups' names.
#[derive(Debug)]
pub struct GroupEpochs {
    files: Arc<dyn FileSystem>,
    path: PathBuf,
    known: Mutex<BTreeMap<String, u64>>,
}

impl GroupEpochs {
    /// The file's name in the data directory.
    pub const NAME: &str = "groups.asm";

    /// No epochs: for a new database.
    #[must_use]
    pub fn new(files: Arc<dyn FileSystem>, directory: &Path) -> Self {
        Self { files, path: directory.join(Self::NAME), known: Mutex::default() }
    }

    /// Reads the file; one that is missing knows no epoch.
    ///
    /// # Errors
    /// ORA-27072 when it cannot be read; HW-0074 when it is damaged.
    pub fn load(files: Arc<dyn FileSystem>, directory: &Path) -> Result<Self> {
        let epochs = Self::new(files, directory);
        match epochs.files.read_whole(&epochs.path) {
            Ok(bytes) => *epochs.known.lock() = parse(&bytes).ok_or_else(|| epochs.damaged())?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                let text = format!("cannot read '{}': {error}", epochs.path.display());
                return Err(Error::new(ErrorKind::Io, Number::Ora(27072), text));
            }
        }
        Ok(epochs)
    }

    fn damaged(&self) -> Error {
        let text = format!(
            "'{}' is damaged: it has the epochs of the disk groups with control files. Once it is removed, such a \
             group is mounted with all of its disks",
            self.path.display()
        );
        Error::own(ErrorKind::Corrupt, 74, text)
    }

    /// The epoch of a group, where it is known.
    pub fn of(&self, group: &str) -> Option<u64> {
        self.known.lock().get(group).copied()
    }

    /// Keeps an epoch, durably.
    ///
    /// # Errors
    /// ORA-27072.
    pub fn keep(&self, group: &str, epoch: u64) -> Result<()> {
        let mut known = self.known.lock();
        known.insert(group.to_owned(), epoch);
        let mut body = String::new();
        for (group, epoch) in &*known {
            let _ = writeln!(body, "{group} {epoch}");
        }
        let text = format!("{HEADER} {:08x}\n{body}", crc32c::crc32c(body.as_bytes()));
        self.files.write_whole(&self.path, text.as_bytes()).map_err(|error| {
            Error::new(ErrorKind::Io, Number::Ora(27072), format!("cannot write '{}': {error}", self.path.display()))
        })
    }
}

fn parse(bytes: &[u8]) -> Option<BTreeMap<String, u64>> {
    let (head, body) = std::str::from_utf8(bytes).ok()?.split_once('\n')?;
    let sum = u32::from_str_radix(head.strip_prefix(HEADER)?.trim(), 16).ok()?;
    if sum != crc32c::crc32c(body.as_bytes()) {
        return None;
    }
    let entry =
        |line: &str| line.split_once(' ').and_then(|(group, epoch)| Some((group.to_owned(), epoch.parse().ok()?)));
    body.lines().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use device::MemoryFileSystem;

    use super::*;

    #[test]
    fn epochs_are_read_again_and_damage_is_seen() {
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
        let load = || GroupEpochs::load(Arc::clone(&files), Path::new("/d"));
        assert_eq!(load().unwrap().of("DATA"), None);
        let epochs = load().unwrap();
        epochs.keep("DATA", 3).unwrap();
        epochs.keep("RECO", 1).unwrap();
        epochs.keep("DATA", 4).unwrap();
        let again = load().unwrap();
        assert_eq!((again.of("DATA"), again.of("RECO"), again.of("OTHER")), (Some(4), Some(1), None));
        let path = Path::new("/d").join(GroupEpochs::NAME);
        let text = String::from_utf8(files.read_whole(&path).unwrap()).unwrap().replace("DATA 4", "DATA 2");
        files.write_whole(&path, text.as_bytes()).unwrap();
        assert!(load().unwrap_err().is_own(74));
    }
}
