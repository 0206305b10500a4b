//! Names: of groups, of kinds of files, and of files.
//!
//! ```text
//!   +DATA/DATAFILE/USERS.256.1        what a file is called
//!   +DATA/ORCL/DATAFILE/USERS.256.1   the same with the name of the database, for which the group is mounted
//!   +DATA.256.1                       the same file by its numbers
//! ```
//!
//! A number is used again after its file is deleted; the incarnation is not, so an old name never leads to another
//! file.

use std::fmt;

use common::{Error, Result};

use crate::error::no_file;
use crate::header::GROUP_NAME_BYTES;

/// Bytes of a file's tag at most.
pub(crate) const TAG_BYTES: usize = 30;

/// The file type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FileKind {
    ControlFile = 1,
    DataFile = 2,
    OnlineLog = 3,
    ArchiveLog = 4,
    TempFile = 5,
    ParameterFile = 6,
    BackupSet = 7,
    AutoBackup = 8,
    DumpSet = 9,
    ChangeTracking = 10,
    Flashback = 11,
    Other = 12,
}

impl FileKind {
    pub const ALL: [Self; 12] = [
        Self::ControlFile,
        Self::DataFile,
        Self::OnlineLog,
        Self::ArchiveLog,
        Self::TempFile,
        Self::ParameterFile,
        Self::BackupSet,
        Self::AutoBackup,
        Self::DumpSet,
        Self::ChangeTracking,
        Self::Flashback,
        Self::Other,
    ];

    /// As in a file's name and in V$ASM_FILE.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ControlFile => "CONTROLFILE",
            Self::DataFile => "DATAFILE",
            Self::OnlineLog => "ONLINELOG",
            Self::ArchiveLog => "ARCHIVELOG",
            Self::TempFile => "TEMPFILE",
            Self::ParameterFile => "PARAMETERFILE",
            Self::BackupSet => "BACKUPSET",
            Self::AutoBackup => "AUTOBACKUP",
            Self::DumpSet => "DUMPSET",
            Self::ChangeTracking => "CHANGETRACKING",
            Self::Flashback => "FLASHBACK",
            Self::Other => "OTHER",
        }
    }

    pub(crate) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == code)
    }
}

/// A file of a group, in full.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileName {
    pub group: String,
    pub kind: FileKind,
    pub tag: String,
    pub number: u32,
    pub incarnation: u32,
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group, kind, tag, number, incarnation } = self;
        write!(f, "+{group}/{}/{tag}.{number}.{incarnation}", kind.name())
    }
}

/// The parts of a name. None: the name leaves it out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wanted {
    pub(crate) group: String,
    pub(crate) kind_and_tag: Option<(FileKind, String)>,
    pub(crate) number: u32,
    pub(crate) incarnation: u32,
}

/// A file that is to be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewFile<'n> {
    pub kind: FileKind,
    /// The middle of its name: a tablespace's, `group_1`.
    pub tag: &'n str,
    pub bytes: u64,
    /// None: the template of its kind.
    pub template: Option<&'n str>,
    /// Another name for it, with the group.
    pub alias: Option<&'n str>,
    /// A file that has the alias is deleted before.
    pub reuse: bool,
}

impl<'n> NewFile<'n> {
    #[must_use]
    pub fn new(kind: FileKind, tag: &'n str, bytes: u64) -> Self {
        Self { kind, tag, bytes, template: None, alias: None, reuse: false }
    }
}

/// Takes a name of the system apart.
///
/// # Errors
/// ORA-15012 with the name when it is none.
pub(crate) fn parse(name: &str, database: &str) -> Result<Wanted> {
    parts(name, database).ok_or_else(|| no_file(name))
}

fn parts(name: &str, database: &str) -> Option<Wanted> {
    let mut numbers = name.strip_prefix('+')?.rsplitn(3, '.');
    let incarnation = numbers.next()?.parse().ok()?;
    let number = numbers.next()?.parse().ok()?;
    let mut path = numbers.next()?.split('/');
    let group = path.next()?.to_ascii_uppercase();
    let kind_and_tag = match *path.collect::<Vec<_>>() {
        [] => None,
        [of, kind, tag] if of.eq_ignore_ascii_case(database) => Some((kind, tag)),
        [kind, tag] => Some((kind, tag)),
        _ => return None,
    };
    let kind_and_tag = match kind_and_tag {
        Some((kind, tag)) => {
            let kind = FileKind::ALL.into_iter().find(|one| one.name().eq_ignore_ascii_case(kind))?;
            Some((kind, tag.to_owned()))
        }
        None => None,
    };
    Some(Wanted { group, kind_and_tag, number, incarnation })
}

/// A group's name in its stored form.
///
/// # Errors
/// ORA-15100 for an invalid name.
pub(crate) fn group_name(name: &str) -> Result<String> {
    let first = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let rest = name.chars().all(|c| c.is_ascii_alphanumeric() || "_$#".contains(c));
    if first && rest && name.len() <= GROUP_NAME_BYTES {
        return Ok(name.to_ascii_uppercase());
    }
    let text = format!(
        "invalid or missing diskgroup name: \"{name}\" is not a letter and up to {} letters, digits, _, $ or #",
        GROUP_NAME_BYTES - 1
    );
    Err(Error::user(15100, text))
}

/// A disk's or a failure group's name in its stored form.
///
/// # Errors
/// ORA-15000 for an invalid name.
pub(crate) fn disk_name(name: &str) -> Result<String> {
    group_name(name).map_err(|_| {
        let text = format!(
            "\"{name}\" is no name of a disk or a failure group: it is a letter and up to {} letters, digits, _, $ or #",
            GROUP_NAME_BYTES - 1
        );
        Error::user(15000, text)
    })
}

/// Checks the part of a file's name that its creator chooses.
///
/// # Errors
/// ORA-15124 when it has other characters than letters, digits, `_`, `$` and `#`, or is empty; ORA-15126 when it is too
/// long.
pub(crate) fn check_tag(tag: &str) -> Result<()> {
    if tag.len() > TAG_BYTES {
        let text = format!("component within ASM file name \"{tag}\" exceeds maximum length of {TAG_BYTES} bytes");
        return Err(Error::user(15126, text));
    }
    if tag.is_empty() || !tag.chars().all(|c| c.is_ascii_alphanumeric() || "_$#".contains(c)) {
        return Err(Error::user(15124, format!("ASM file name \"{tag}\" contains an invalid alias name")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_by_either_form_of_its_name() {
        let name = FileName {
            group: "DATA".into(),
            kind: FileKind::DataFile,
            tag: "USERS".into(),
            number: 256,
            incarnation: 1,
        };
        assert_eq!(name.to_string(), "+DATA/DATAFILE/USERS.256.1");
        let full = parse("+data/datafile/USERS.256.1", "").unwrap();
        assert_eq!(full.kind_and_tag, Some((FileKind::DataFile, "USERS".into())));
        assert_eq!(parse("+DATA/orcl/DATAFILE/USERS.256.1", "ORCL").unwrap(), full);
        let short = parse("+DATA.256.1", "ORCL").unwrap();
        assert_eq!((full.group, full.number, full.incarnation), (short.group, short.number, short.incarnation));
        for wrong in [
            "",
            "+",
            "DATA.256.1",
            "+DATA.256",
            "+DATA.x.1",
            "+DATA/USERS.256.1",
            "+DATA/DATAFILE/A/B.256.1",
            "+DATA/FILE/A.256.1",
            "+DATA/OTHER/DATAFILE/A.256.1",
            "+DATA.99999999999.1",
        ] {
            assert!(parse(wrong, "ORCL").unwrap_err().is_ora(15012), "{wrong}");
        }
    }

    #[test]
    fn names_that_are_none_are_refused() {
        assert_eq!(group_name("data_1").unwrap(), "DATA_1");
        for wrong in ["", "1DATA", "DA TA", "+DATA", "DÄTA", "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDE"] {
            assert!(group_name(wrong).unwrap_err().is_ora(15100), "{wrong}");
        }
        check_tag("USERS_01").unwrap();
        assert!(check_tag("").unwrap_err().is_ora(15124));
        assert!(check_tag("A.B").unwrap_err().is_ora(15124));
        assert!(check_tag(&"A".repeat(31)).unwrap_err().is_ora(15126));
    }

    #[test]
    fn kinds_have_codes_and_names_of_their_own() {
        for kind in FileKind::ALL {
            assert_eq!(FileKind::from_code(kind as u8), Some(kind));
        }
        assert_eq!(FileKind::from_code(0), None);
    }
}
