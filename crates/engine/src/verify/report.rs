//! The result of a check.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use common::{BlockAddress, FileNumber};

use storage::control::ControlData;
use storage::disk_group::resolve;

/// Problems of one object or file after which the rest is only counted.
const PROBLEMS_MAX: usize = 200;

/// A fault, or in a note: something odd but allowed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Problem {
    /// `OWNER.NAME` of a table or index.
    pub object: Option<String>,
    pub file: Option<FileNumber>,
    pub block: Option<u32>,
    /// Of the file. None where the control file has none for its number.
    pub path: Option<PathBuf>,
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(object) = &self.object {
            write!(f, "{object}: ")?;
        }
        if let Some(file) = self.file {
            write!(f, "file {}", file.0)?;
            if let Some(block) = self.block {
                write!(f, " block {block}")?;
            }
            if let Some(path) = &self.path {
                write!(f, " ({})", path.display())?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.text)
    }
}

/// The amounts checked.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Checked {
    pub files: u64,
    pub blocks: u64,
    /// Blocks that are not all zero.
    pub formatted_blocks: u64,
    pub segments: u64,
    pub extents: u64,
    pub freelist_blocks: u64,
    pub bitmap_blocks: u64,
    pub tables: u64,
    pub rows: u64,
    pub indexes: u64,
    pub index_entries: u64,
}

/// The recovery in memory of a database that had not been closed cleanly.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Recovered {
    /// Redo records, and their bytes.
    pub records: u64,
    pub bytes: u64,
    /// Torn blocks that were restored.
    pub torn: u64,
    /// Transactions that were rolled back.
    pub transactions: u32,
}

/// The outcome of a check. The data directory is in order when `problems` is empty.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Report {
    pub checked: Checked,
    /// None where the database was closed cleanly and no transaction had to be rolled back.
    pub recovered: Option<Recovered>,
    pub problems: Vec<Problem>,
    /// Odd but harmless findings: a bitmap that calls a block with much room full.
    pub notes: Vec<Problem>,
    /// Problems beyond those that are listed, by object and file.
    pub unlisted: BTreeMap<(Option<String>, Option<FileNumber>), u64>,
}

impl Report {
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// Problems, listed or not.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.problems.len() as u64 + self.unlisted.values().sum::<u64>()
    }

    pub(super) fn problem(&mut self, object: Option<&str>, address: Option<BlockAddress>, text: impl Into<String>) {
        let problem = at(object, address, text.into());
        let alike = |other: &&Problem| other.object == problem.object && other.file == problem.file;
        if self.problems.iter().filter(alike).count() >= PROBLEMS_MAX {
            *self.unlisted.entry((problem.object, problem.file)).or_default() += 1;
        } else {
            self.problems.push(problem);
        }
    }

    pub(super) fn file_problem(&mut self, file: FileNumber, text: impl Into<String>) {
        self.problems.push(Problem { object: None, file: Some(file), block: None, path: None, text: text.into() });
    }

    pub(super) fn note(&mut self, object: Option<&str>, address: Option<BlockAddress>, text: impl Into<String>) {
        if self.notes.len() < PROBLEMS_MAX {
            self.notes.push(at(object, address, text.into()));
        }
    }

    /// Fills in the path of each file that a problem or a note gives by number.
    pub(super) fn name_files(&mut self, directory: &Path, control: &ControlData) {
        let paths: BTreeMap<_, _> =
            control.datafiles.iter().map(|record| (record.file(), resolve(directory, &record.name))).collect();
        for problem in self.problems.iter_mut().chain(&mut self.notes) {
            problem.path = problem.file.and_then(|file| paths.get(&file).cloned());
        }
    }

    /// By object, file and block, each once.
    pub(super) fn sort(&mut self) {
        for list in [&mut self.problems, &mut self.notes] {
            let sorted: BTreeSet<_> = std::mem::take(list).into_iter().collect();
            *list = sorted.into_iter().collect();
        }
    }
}

fn at(object: Option<&str>, address: Option<BlockAddress>, text: String) -> Problem {
    Problem {
        object: object.map(str::to_owned),
        file: address.map(|address| address.file),
        block: address.map(|address| address.block),
        path: None,
        text,
    }
}
