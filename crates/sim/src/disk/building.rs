//! Images from outside: files of another recorder, or of a directory.

use std::path::Path;

use super::image::Image;
use super::operation::FileId;

impl Image {
    /// A file under a name; its bytes stay if it existed.
    pub fn create(&mut self, path: &Path, file: FileId) {
        self.names.insert(path.to_owned(), file);
        self.contents.entry(file).or_default();
    }

    /// A directory and those above it.
    pub fn create_directory(&mut self, path: &Path) {
        self.directories.extend(path.ancestors().map(Path::to_owned));
    }

    /// Takes a name of a file or of a directory away.
    pub fn remove(&mut self, path: &Path) {
        self.names.remove(path);
        self.directories.remove(path);
    }

    /// Gives a file another name; False when there is no such file.
    pub fn rename(&mut self, from: &Path, to: &Path) -> bool {
        let file = self.names.remove(from);
        if let Some(file) = file {
            self.names.insert(to.to_owned(), file);
        }
        file.is_some()
    }

    /// Writes; a write behind the end extends the file.
    pub fn write(&mut self, file: FileId, offset: u64, bytes: &[u8]) {
        self.content_mut(file).write(offset, bytes);
    }

    /// Truncates a file, or extends it with zeros.
    pub fn set_size(&mut self, file: FileId, bytes: u64) {
        self.content_mut(file).resize(bytes);
    }

    /// The file of this name.
    #[must_use]
    pub fn file(&self, path: &Path) -> Option<FileId> {
        self.names.get(path).copied()
    }

    /// Bytes of a file, whatever its name.
    #[must_use]
    pub fn file_size(&self, file: FileId) -> u64 {
        self.contents.get(&file).map_or(0, |content| content.size())
    }

    /// Reads bytes of a file.
    ///
    /// # Errors
    /// When the file ends before.
    pub fn read(&self, file: FileId, offset: u64, bytes: &mut [u8]) -> std::io::Result<()> {
        match self.contents.get(&file) {
            Some(content) => content.read(offset, bytes),
            None if bytes.is_empty() => Ok(()),
            None => Err(std::io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Names of all files.
    pub fn paths(&self) -> impl Iterator<Item = (&Path, FileId)> {
        self.names.iter().map(|(path, file)| (path.as_path(), *file))
    }

    /// All directories.
    pub fn directories(&self) -> impl Iterator<Item = &Path> {
        self.directories.iter().map(AsRef::as_ref)
    }

    /// True when there is a directory of this name.
    #[must_use]
    pub fn has_directory(&self, path: &Path) -> bool {
        self.directories.contains(path)
    }
}
