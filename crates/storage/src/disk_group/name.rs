//! Names of files, of the file system and of disk groups.
//!
//! ```text
//! users01.dbf, /data/users01.dbf           a file of the file system, relative to the data directory or not
//! +GROUP1                                  a disk group: the name of a file that is to be made
//! +GROUP1/ORCL/DATAFILE/users.256.1        a file named by the group: database, kind, tablespace, number,
//!                                          incarnation
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

/// The group that a new file is to be in.
///
/// # Errors
/// HW-0001 when the name has more than the group; ORA-15001 when it is empty behind the `+`.
pub fn group_of_new(name: &str) -> Result<String> {
    let group = name.strip_prefix('+').unwrap_or(name);
    if group.contains(['/', '.']) {
        return Err(Error::unsupported(format!(
            "a name of its own for a file of a disk group ('{name}'): '+GROUP' has the group choose one"
        )));
    }
    if group.is_empty() {
        return Err(Error::user(15001, format!("'{name}' names no diskgroup")));
    }
    Ok(group.to_ascii_uppercase())
}

/// A group, and a file's name within it.
#[derive(Debug)]
pub struct InGroup {
    pub group: String,
    pub name: String,
}

/// Splits a path in a group; None for a path of the file system.
pub(super) fn in_group(path: &Path, database: &str) -> Option<InGroup> {
    let name = path.to_str().filter(|name| is_in_group(name))?;
    let rest = &name[1..];
    let group = rest.split(['/', '.']).next().unwrap_or(rest).to_ascii_uppercase();
    // The database's name is between the group's and the kind: the group has no place for it.
    let own = rest.split_once('/').and_then(|(group, rest)| {
        let (other, rest) = rest.split_once('/')?;
        (rest.contains('/') && other.eq_ignore_ascii_case(database)).then(|| format!("+{group}/{rest}"))
    });
    Some(InGroup { group, name: own.unwrap_or_else(|| name.to_owned()) })
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
    fn paths_in_groups_are_taken_apart() {
        let parts = |path: &str| in_group(Path::new(path), "ORCL").map(|found| (found.group, found.name));
        let of = |group: &str, name: &str| Some((group.to_owned(), name.to_owned()));
        assert_eq!(parts("+DATA/ORCL/DATAFILE/users.256.1"), of("DATA", "+DATA/DATAFILE/users.256.1"));
        assert_eq!(parts("+data/orcl/datafile/users.256.1"), of("DATA", "+data/datafile/users.256.1"));
        assert_eq!(parts("+DATA.256.1"), of("DATA", "+DATA.256.1"));
        assert_eq!(parts("+DATA/OTHER/DATAFILE/users.256.1"), of("DATA", "+DATA/OTHER/DATAFILE/users.256.1"));
        assert_eq!(parts("/data/users01.dbf"), None);
        assert_eq!(parts("users+1.dbf"), None);
    }

    #[test]
    fn a_new_file_is_given_the_group_and_nothing_more() {
        assert_eq!(group_of_new("+group1").unwrap(), "GROUP1");
        assert!(group_of_new("+group1/a.dbf").unwrap_err().is_own(1));
        assert!(group_of_new("+").unwrap_err().is_ora(15001));
    }

    #[test]
    fn tablespaces_of_any_name_have_a_tag() {
        assert_eq!(tag_of("TPCDS_2K"), "tpcds_2k");
        assert_eq!(tag_of("My Ä.Space"), "my___space");
        assert_eq!(tag_of(&"A".repeat(31)).len(), 30);
    }
}
