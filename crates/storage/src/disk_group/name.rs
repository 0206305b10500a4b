//! Names of files, of the file system and of disk groups.
//!
//! ```text
//! users01.dbf, /data/users01.dbf           a file of the file system, relative to the data directory or not
//! +GROUP1                                  a disk group: the name of a file that is to be made
//! +GROUP1/ORCL/DATAFILE/users.256.1        a file named by the group: database, kind, tablespace, number,
//!                                          incarnation
//! +GROUP1/mine/users.dbf                   an alias of such a file
//! ```

use std::path::{Path, PathBuf};

use asm::FileName;
use common::{Error, Result};

/// Most bytes of the tablespace's name in a file's name.
const TAG_BYTES: usize = 30;

/// True: the name is a disk group or a file of one.
#[must_use]
pub fn is_in_group(name: &str) -> bool {
    name.starts_with('+')
}

/// A file's path: relative names are relative to the data directory; names in disk groups are paths as they are.
#[must_use]
pub fn resolve(directory: &Path, name: &str) -> PathBuf {
    let path = Path::new(name);
    if path.is_absolute() || is_in_group(name) { path.to_owned() } else { directory.join(path) }
}

/// True: the two names mean one file. Names in groups are compared without regard to case.
pub fn same_file(directory: &Path, one: &str, other: &str) -> bool {
    if is_in_group(one) || is_in_group(other) {
        return one.eq_ignore_ascii_case(other);
    }
    resolve(directory, one) == resolve(directory, other)
}

/// True: the name was made by a disk group, and goes with its file.
#[must_use]
pub fn is_named_by_group(name: &str) -> bool {
    is_in_group(name) && asm::is_system_name(name)
}

/// The name of a file that is to be made in a group, taken apart.
///
/// ```text
/// +GROUP1                  the group names the file
/// +GROUP1(mine)            as the template says
/// +GROUP1/dir/users.dbf    an alias
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewName {
    /// In capitals.
    pub group: String,
    pub template: Option<String>,
    /// With the group, as it was given.
    pub alias: Option<String>,
}

impl NewName {
    /// Takes a name apart.
    ///
    /// # Errors
    /// ORA-15001 without a group; ORA-15125 for no template in the parentheses; ORA-15046 for a name that only groups
    /// make.
    pub fn parse(name: &str) -> Result<Self> {
        let (own, template) = match name.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) {
            Some((_, "")) => {
                let text = format!("ASM file name '{name}' contains an invalid template name");
                return Err(Error::user(15125, text));
            }
            Some((own, template)) => (own, Some(template.to_owned())),
            None => (name, None),
        };
        if asm::is_system_name(own) {
            let text = format!("ASM file name '{name}' is not in single-file creation form");
            return Err(Error::user(15046, text));
        }
        let rest = own.strip_prefix('+').unwrap_or(own);
        let (group, path) = rest.split_once('/').map_or((rest, None), |(group, path)| (group, Some(path)));
        if group.is_empty() {
            return Err(Error::user(15001, format!("'{name}' names no diskgroup")));
        }
        Ok(Self { group: group.to_ascii_uppercase(), template, alias: path.map(|_| own.to_owned()) })
    }
}

/// The group that a new file is to be in, where it has no name of its own.
///
/// # Errors
/// HW-0001 when the name has more than the group; those of [`NewName::parse`].
pub fn group_of_new(name: &str) -> Result<String> {
    match NewName::parse(name)? {
        NewName { group, template: None, alias: None } => Ok(group),
        _ => Err(Error::unsupported(format!(
            "a name of its own for such a file of a disk group ('{name}'): '+GROUP' has the group choose one"
        ))),
    }
}

/// The group of a name that begins with `+`, in capitals.
#[must_use]
pub fn group_name_of(name: &str) -> String {
    let rest = name.strip_prefix('+').unwrap_or(name);
    rest.split(['/', '.']).next().unwrap_or(rest).to_ascii_uppercase()
}

/// A group, and a file's name within it.
#[derive(Debug)]
pub struct InGroup {
    pub group: String,
    pub name: String,
}

/// Finds the group of a path; None for a path of the file system.
pub(super) fn in_group(path: &Path) -> Option<InGroup> {
    let name = path.to_str().filter(|name| is_in_group(name))?;
    let group = group_name_of(name);
    Some(InGroup { group, name: name.to_owned() })
}

/// A file's name as the control file and the views have it.
pub(super) fn full_name(name: &FileName, database: &str) -> String {
    let FileName { group, kind, tag, number, incarnation } = name;
    format!("+{group}/{}/{}/{tag}.{number}.{incarnation}", database.to_ascii_uppercase(), kind.name())
}

/// The tablespace's part of a file's name: in small letters, with characters replaced that names of files may not have.
#[must_use]
pub fn tag_of(tablespace: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || "_$#".contains(c) { c.to_ascii_lowercase() } else { '_' };
    tablespace.chars().take(TAG_BYTES).map(fit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_groups_are_told_from_others() {
        let parts = |path: &str| in_group(Path::new(path)).map(|found| (found.group, found.name));
        for name in ["+data/orcl/datafile/users.256.1", "+DATA.256.1", "+DATA/mine/users.dbf"] {
            assert_eq!(parts(name), Some(("DATA".to_owned(), name.to_owned())));
        }
        assert_eq!(parts("/data/users01.dbf"), None);
        assert_eq!(parts("users+1.dbf"), None);
    }

    #[test]
    fn a_new_file_is_given_a_group_a_template_and_an_alias() {
        let parts = |name: &str| {
            let NewName { group, template, alias } = NewName::parse(name).unwrap();
            (group, template.unwrap_or_default(), alias.unwrap_or_default())
        };
        let of = |group: &str, template: &str, alias: &str| (group.to_owned(), template.to_owned(), alias.to_owned());
        assert_eq!(parts("+group1"), of("GROUP1", "", ""));
        assert_eq!(parts("+group1(Mine)"), of("GROUP1", "Mine", ""));
        assert_eq!(parts("+g/a/b.dbf"), of("G", "", "+g/a/b.dbf"));
        assert_eq!(parts("+g/a/b.dbf(fine)"), of("G", "fine", "+g/a/b.dbf"));
        for (wrong, number) in [("+", 15001), ("+(t)", 15001), ("+g()", 15125), ("+g/ORCL/DATAFILE/a.256.1", 15046)] {
            assert!(NewName::parse(wrong).unwrap_err().is_ora(number), "{wrong}");
        }
        assert_eq!(group_of_new("+group1").unwrap(), "GROUP1");
        assert!(group_of_new("+group1/a.dbf").unwrap_err().is_own(1));
        assert!(group_of_new("+group1(t)").unwrap_err().is_own(1));
        assert!(is_named_by_group("+G/ORCL/DATAFILE/a.256.1") && !is_named_by_group("+G/a.dbf"));
        assert!(!is_named_by_group("a.256.1"));
    }

    #[test]
    fn tablespaces_of_any_name_have_a_tag() {
        assert_eq!(tag_of("TPCDS_2K"), "tpcds_2k");
        assert_eq!(tag_of("My Ä.Space"), "my___space");
        assert_eq!(tag_of(&"A".repeat(31)).len(), 30);
    }
}
