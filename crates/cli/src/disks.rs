//! `highwater disks`: files as the disks of a disk group.

use std::io::{self, Write};

use common::{Error, ErrorKind, Result};
use device::OsFileSystem;
use storage::disk_group::make_disks;

use crate::command_line::Disks;
use crate::failure::{self, Outcome};

/// Makes them, all or none, and prints their paths.
pub(crate) fn run(arguments: &Disks) -> Result<Outcome> {
    if arguments.make == 0 {
        return Err(failure::wrong_use("--make 0 makes no disks"));
    }
    let made = make_disks(&OsFileSystem::new(), &pattern(&arguments.pattern)?, arguments.make, arguments.size.0)?;
    let mut out = io::stdout().lock();
    let written = made.iter().try_for_each(|path| writeln!(out, "{}", path.display())).and_then(|()| out.flush());
    failure::written(written)?;
    Ok(Outcome::DONE)
}

/// The pattern with one `*`: a number may also be written as in printf, `%d` or `%02d`; its width follows from their
/// count.
fn pattern(given: &str) -> Result<String> {
    let (directory, last) = given.rsplit_once('/').map_or((None, given), |(directory, last)| (Some(directory), last));
    let Some((before, after)) = last.split_once('%') else { return Ok(given.to_owned()) };
    if after.starts_with('n') {
        return Ok(given.to_owned());
    }
    let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
    let Some(after) = after.strip_prefix('d') else {
        let text = format!("disk specification \"{given}\" makes no disks: % is followed by neither n nor d");
        return Err(Error::new(ErrorKind::User, common::Number::Ora(15031), text));
    };
    let last = format!("{before}*{after}");
    Ok(directory.map_or(last.clone(), |directory| format!("{directory}/{last}")))
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn a_number_is_written_in_several_ways() {
        for (given, meant) in [
            ("group1_*", "group1_*"),
            ("d%nx", "d%nx"),
            ("d%dx", "d*x"),
            ("/a/d%02d", "/a/d*"),
            ("a%d/d*", "a%d/d*"),
            ("d", "d"),
        ] {
            assert_eq!(pattern(given).unwrap(), meant);
        }
        assert!(pattern("d%s").unwrap_err().is_ora(15031));
    }
}
