//! A failure on real files: the operations as text, and the disk that could not be opened, for `highwater verify`,
//! `dump` and `sql --data`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{FileId, Operation};
use crate::explore::Failure;
use crate::workload::Recording;

/// Writes the operations of a recording, and the disks of its failures, into a directory of its own.
///
/// # Errors
/// When the files cannot be written.
pub fn dump(recording: &Recording, failures: &[Failure], directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let mut text = String::new();
    for failure in failures {
        let _ = writeln!(text, "{failure}");
    }
    if let Some(why) = &recording.ended_by {
        let _ = writeln!(text, "ended by {why}");
    }
    let mut names: BTreeMap<FileId, PathBuf> =
        recording.base.names().map(|(path, file)| (file, path.to_owned())).collect();
    for (number, operation) in recording.operations.iter().enumerate() {
        for life in recording.lives.iter().filter(|life| life.begins == number) {
            let _ = writeln!(text, "---- a life that ends: {:?}", life.ending);
        }
        if let Operation::Create { path, file } = operation {
            names.insert(*file, path.clone());
        }
        let _ = writeln!(text, "{number:6} {}", line(operation, &names));
    }
    fs::write(directory.join("operations.txt"), text)?;
    for (number, failure) in failures.iter().enumerate() {
        failure.image.save(&directory.join(format!("crash{number}")))?;
    }
    Ok(())
}

fn line(operation: &Operation, names: &BTreeMap<FileId, PathBuf>) -> String {
    let name = |file: &FileId| {
        let name = names.get(file).and_then(|path| path.file_name()).unwrap_or_default();
        format!("{} ({})", name.to_string_lossy(), file.0)
    };
    match operation {
        Operation::Write { file, offset, bytes, durable } => {
            let sum = crc32c::crc32c(bytes);
            let durable = if *durable { " durable" } else { "" };
            format!("write {} {offset} +{}{durable} sum {sum:08x}", name(file), bytes.len())
        }
        Operation::SetSize { file, bytes } => format!("size {} {bytes}", name(file)),
        Operation::Sync { file, failed } => format!("sync {}{}", name(file), if *failed { " failed" } else { "" }),
        Operation::Create { path, file } => format!("create {} ({})", path.display(), file.0),
        Operation::Remove { path } => format!("remove {}", path.display()),
        Operation::Rename { from, to } => format!("rename {} {}", from.display(), to.display()),
        Operation::SyncDirectory { path } => format!("sync directory {}", path.display()),
        Operation::PutBack { path, .. } => format!("old content of {}", path.display()),
        Operation::Begun { call, operation } => format!("[{call} {}", line(operation, names)),
        Operation::Ended { call } => format!("{call}]"),
        Operation::Note(note) => format!("{note:?}"),
    }
}
