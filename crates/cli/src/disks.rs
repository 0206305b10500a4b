//! `highwater disks`: files as the disks of a disk group, and a group of them that no database has yet.

use std::io::{self, Write};
use std::path::Path;

use common::sync::Arc;
use common::{Clock, Error, ErrorKind, Result, SystemClock};
use device::{FileSystem, OsFileSystem};
use storage::disk_group::{AuSize, DiskGroup, GroupFiles, NewDisk, NewGroup, Redundancy, make_disks};

use crate::command_line::Disks;
use crate::failure::{self, Outcome};

/// Makes them, all or none, and prints their paths.
pub(crate) fn run(arguments: &Disks) -> Result<Outcome> {
    if arguments.make == 0 {
        return Err(failure::wrong_use("--make 0 makes no disks"));
    }
    let redundancy = redundancy(&arguments.redundancy)?;
    let made = make_disks(&OsFileSystem::new(), &pattern(&arguments.pattern)?, arguments.make, arguments.size.0)?;
    if let Some(name) = &arguments.group {
        let files: Arc<dyn FileSystem> = Arc::new(OsFileSystem::new());
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let groups = GroupFiles::new(files, Path::new(""), &clock, "", None);
        let disks = made.iter().map(NewDisk::new).collect();
        let new = NewGroup { name: name.clone(), redundancy, au: AuSize::default(), disks, attributes: Vec::new() };
        DiskGroup::create_with(groups.environment(), &new)?;
    }
    let mut out = io::stdout().lock();
    let written = made.iter().try_for_each(|path| writeln!(out, "{}", path.display())).and_then(|()| out.flush());
    failure::written(written)?;
    Ok(Outcome::DONE)
}

fn redundancy(word: &str) -> Result<Redundancy> {
    match word.to_ascii_lowercase().as_str() {
        "external" => Ok(Redundancy::External),
        "normal" => Ok(Redundancy::Normal),
        "high" => Ok(Redundancy::High),
        _ => Err(failure::wrong_use(format!("--redundancy {word} is none of external, normal, high"))),
    }
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
