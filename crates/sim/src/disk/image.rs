//! All files at one moment.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use common::sync::Arc;

use super::content::Content;
use super::crash::rename;
use super::operation::{FileId, Operation};

/// Names, directories and contents. A copy costs little.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Image {
    pub(super) names: BTreeMap<PathBuf, FileId>,
    pub(super) directories: BTreeSet<PathBuf>,
    pub(super) contents: BTreeMap<FileId, Arc<Content>>,
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image of {} files", self.names.len())
    }
}

impl Image {
    pub(super) fn content_mut(&mut self, file: FileId) -> &mut Content {
        Arc::make_mut(self.contents.entry(file).or_default())
    }

    /// The files as reads see them after this operation: a killed process leaves them to the next one.
    pub fn pass(&mut self, operation: &Operation) {
        match operation.begun() {
            Operation::Write { file, offset, bytes, .. } => self.content_mut(*file).write(*offset, bytes),
            Operation::SetSize { file, bytes } => self.content_mut(*file).resize(*bytes),
            Operation::PutBack { path, earlier, .. } => {
                self.replace(path, earlier);
            }
            name => rename(self, name),
        }
    }

    /// Names of all files.
    pub fn names(&self) -> impl Iterator<Item = (&Path, FileId)> {
        self.names.iter().map(|(path, file)| (path.as_path(), *file))
    }

    /// Bytes of the file of this name.
    #[must_use]
    pub fn size(&self, path: &Path) -> Option<u64> {
        self.contents.get(self.names.get(path)?).map(|content| content.size())
    }

    /// Gives a file the content that it had in an earlier image, as when a disk is put back from a copy. False when it
    /// was not there.
    pub fn replace(&mut self, path: &Path, earlier: &Self) -> bool {
        let old = earlier.names.get(path).and_then(|file| earlier.contents.get(file));
        match (self.names.get(path), old) {
            (Some(file), Some(old)) => {
                self.contents.insert(*file, Arc::clone(old));
                true
            }
            _ => false,
        }
    }

    /// Changes one byte of a file, like bit rot.
    pub fn flip(&mut self, path: &Path, offset: u64) {
        if let Some(file) = self.names.get(path).copied() {
            let content = self.content_mut(file);
            let mut byte = [0];
            if content.read(offset, &mut byte).is_ok() {
                content.write(offset, &[!byte[0]]);
            }
        }
    }

    /// Writes the files into a directory of the operating system, where they have their names and no folders.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn save(&self, directory: &Path) -> io::Result<()> {
        fs::create_dir_all(directory)?;
        for (path, file) in &self.names {
            let to = fs::File::create(directory.join(path.file_name().unwrap_or_default()))?;
            let Some(content) = self.contents.get(file) else { continue };
            to.set_len(content.size())?;
            let mut page = vec![0; 4096];
            for at in (0..content.size()).step_by(page.len()) {
                let now = (content.size() - at).min(page.len() as u64) as usize;
                content.read(at, &mut page[..now])?;
                // Zero pages take no room.
                if page[..now].iter().any(|byte| *byte != 0) {
                    to.write_all_at(&page[..now], at)?;
                }
            }
        }
        Ok(())
    }

    /// A figure that differs when a name or a byte of a named file differs.
    #[must_use]
    pub fn sum(&self) -> u32 {
        let mut sum = 0;
        for (path, file) in &self.names {
            sum = crc32c::crc32c_append(sum, path.as_os_str().as_encoded_bytes());
            let Some(content) = self.contents.get(file) else { continue };
            sum = crc32c::crc32c_append(sum, &content.size().to_le_bytes());
            let mut buffer = vec![0; 64 << 10];
            let mut at = 0;
            while at < content.size() {
                let now = (content.size() - at).min(buffer.len() as u64) as usize;
                if content.read(at, &mut buffer[..now]).is_ok() {
                    sum = crc32c::crc32c_append(sum, &buffer[..now]);
                }
                at += now as u64;
            }
        }
        sum
    }
}
