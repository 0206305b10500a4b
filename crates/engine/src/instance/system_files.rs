//! Files that the database names itself: in disk groups, and in the directories of DB_CREATE_FILE_DEST and
//! DB_CREATE_ONLINE_LOG_DEST_n.
//!
//! ```text
//! +GROUP                                               the group names the file
//! dest/ORCL/datafile/o1_mf_users_4k2jz81x_.dbf         tablespace and eight letters and digits that no other file has
//! dest/ORCL/onlinelog/o1_mf_4_4k2k07qp_.log            log group
//! ```
//!
//! A file of such a name is the database's to delete, as with Oracle: with its tablespace or its log group.

use std::path::Path;

use common::{Error, ErrorKind, Number, Result, Seeded};

use super::Instance;
use storage::disk_group::{is_in_group, is_named_by_group, resolve, tag_of};
use storage::parameters::{Parameter, SessionParameters};

/// The destinations of log files, in their order.
const LOG_DESTINATIONS: [Parameter; 5] = [
    Parameter::DbCreateOnlineLogDest1,
    Parameter::DbCreateOnlineLogDest2,
    Parameter::DbCreateOnlineLogDest3,
    Parameter::DbCreateOnlineLogDest4,
    Parameter::DbCreateOnlineLogDest5,
];

const PREFIX: &str = "o1_mf_";
/// Letters and digits of a name's unique part, and how many there are of them.
const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const UNIQUE: usize = 8;

/// A kind of file that may have no name of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SystemFile {
    Datafile,
    OnlineLog,
}

impl SystemFile {
    /// The directory below the database's, and the ending of names.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Datafile => ("datafile", "_.dbf"),
            Self::OnlineLog => ("onlinelog", "_.log"),
        }
    }
}

/// True: the database has named the file, and deletes it with what it is part of.
#[must_use]
pub fn is_system_named(name: &str) -> bool {
    let ends = [SystemFile::Datafile, SystemFile::OnlineLog].map(|kind| kind.names().1);
    let file = Path::new(name).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    is_named_by_group(name) || (file.starts_with(PREFIX) && ends.iter().any(|end| file.ends_with(end)))
}

fn set(parameters: &SessionParameters, parameter: Parameter) -> Option<(Parameter, String)> {
    let text = parameters.text(parameter);
    (!text.is_empty()).then(|| (parameter, text.to_string()))
}

impl Instance {
    /// Where a datafile without a name is made; None: it needs a name.
    pub(crate) fn datafile_destination(&self, parameters: &SessionParameters) -> Option<(Parameter, String)> {
        set(parameters, Parameter::DbCreateFileDest)
    }

    /// Where the members of a log group without names are made; none: it has a usual name.
    pub(crate) fn log_destinations(&self, parameters: &SessionParameters) -> Vec<(Parameter, String)> {
        let logs: Vec<_> = LOG_DESTINATIONS.into_iter().filter_map(|place| set(parameters, place)).collect();
        if logs.is_empty() { self.datafile_destination(parameters).into_iter().collect() } else { logs }
    }

    /// A name for a new file: that of a disk group, or of a file that does not exist, whose directory is made.
    ///
    /// # Errors
    /// ORA-01262 without such a directory, and when a directory in it cannot be made.
    pub(super) fn system_name(&self, place: &(Parameter, String), kind: SystemFile, tag: &str) -> Result<String> {
        let (parameter, destination) = place;
        if is_in_group(destination) {
            return Ok(destination.clone());
        }
        let failed = |error: &dyn std::fmt::Display| {
            let text = format!("{parameter}: the directory '{destination}' cannot be used: {error}");
            Error::new(ErrorKind::Io, Number::Ora(1262), text)
        };
        let root = resolve(self.directory(), destination);
        if !self.files().exists(&root).map_err(|error| failed(&error))? {
            return Err(Error::user(1262, format!("{parameter}: there is no directory '{destination}'")));
        }
        let (below, end) = kind.names();
        let place = format!("{}/{}/{below}", destination.trim_end_matches('/'), self.database_name().to_uppercase());
        let directory = resolve(self.directory(), &place);
        self.files().create_directory(&directory).map_err(|error| failed(&error))?;
        let seed = self.database_id() ^ self.clock().wall_us();
        let mut random = Seeded::at(seed, self.control().data().sequence);
        loop {
            let unique: String = (0..UNIQUE).map(|_| char::from(DIGITS[random.index(DIGITS.len())])).collect();
            let name = format!("{place}/{PREFIX}{}_{unique}{end}", tag_of(tag));
            if !self.files().exists(&resolve(self.directory(), &name)).map_err(|error| failed(&error))? {
                return Ok(name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_system_named;

    #[test]
    fn the_names_that_the_database_gives_are_told_from_others() {
        for own in ["+DATA/ORCL/DATAFILE/users.256.1", "d/ORCL/datafile/o1_mf_t_00000000_.dbf", "/d/o1_mf_1_x_.log"] {
            assert!(is_system_named(own), "{own}");
        }
        for other in ["users01.dbf", "o1_mf_t_x.dbf", "/o1_mf_x/t_.dbf", "xo1_mf_t_x_.dbf", "o1_mf_t_x_.ctl"] {
            assert!(!is_system_named(other), "{other}");
        }
    }
}
