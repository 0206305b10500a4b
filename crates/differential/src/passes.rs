//! The pass list of sqllogictest: how many queries of each script agree. The list is kept in the project, the scripts
//! are not.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use common::{Error, Result};

use crate::suite::Outcome;

/// Queries of a script, how many of them agree, and how many answers differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pass {
    queries: u64,
    agreed: u64,
    differing: u64,
}

/// The pass list in a file. A line is `agreed queries differing script`, the script from the suite's folder `test` on.
#[derive(Debug)]
pub struct Passes {
    path: PathBuf,
    list: BTreeMap<String, Pass>,
}

impl Passes {
    /// Reads the list; a missing file is an empty list.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is not of a pass list.
    pub fn read(path: &Path) -> Result<Self> {
        let failed = |why: &dyn std::fmt::Display| Error::bug(format!("{}: {why}", path.display()));
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => read.map_err(|error| failed(&error))?,
        };
        let list = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).map(|line| {
            let mut words = line.splitn(4, ' ');
            let mut number = || words.next().and_then(|word| word.parse().ok());
            match (number(), number(), number(), words.next()) {
                (Some(agreed), Some(queries), Some(differing), Some(script)) => {
                    Ok((script.to_owned(), Pass { queries, agreed, differing }))
                }
                _ => Err(failed(&format!("no line of a pass list: {line}"))),
            }
        });
        Ok(Self { path: path.to_owned(), list: list.collect::<Result<_>>()? })
    }

    /// Compares a script's outcome with the list, and adds new or better ones. The text names a regression.
    pub fn judge(&mut self, script: &Path, outcome: &Outcome) -> Option<String> {
        let name = name(script);
        let now = Pass { queries: outcome.queries, agreed: outcome.agreed, differing: outcome.differing };
        let before = self.list.get(&name).copied();
        let agreed = before.map_or(0, |before| before.agreed);
        // Differences are listed by hand, once they are explained.
        let differing = before.map_or(0, |before| before.differing);
        if now.agreed < agreed || now.differing > differing {
            let Pass { agreed: now, differing: differ, .. } = now;
            return Some(format!("{now} queries agree and {differ} differ, {agreed} and {differing} are listed"));
        }
        self.list.insert(name, now);
        None
    }

    /// Writes the list back.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self) -> Result<()> {
        let mut text = "# Queries of sqllogictest that agree, of how many, and answers that differ, by script: \
                        `differential --suite … --passes` reads and writes it.\n"
            .to_owned();
        for (script, Pass { queries, agreed, differing }) in &self.list {
            let _ = writeln!(text, "{agreed} {queries} {differing} {script}");
        }
        std::fs::write(&self.path, text).map_err(|error| Error::bug(format!("{}: {error}", self.path.display())))
    }
}

/// A script's name from the suite's folder on, wherever that is.
fn name(script: &Path) -> String {
    let parts: Vec<_> = script.iter().map(|part| part.to_string_lossy()).collect();
    let from = parts.iter().rposition(|part| part == "test").map_or(0, |at| at + 1);
    parts[from..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_worse_is_said_and_the_rest_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("passes.txt");
        let script = Path::new("/somewhere/test/index/in/10/a.test");
        let outcome = |agreed| Outcome { queries: 9, agreed, ..Outcome::default() };
        let mut passes = Passes::read(&path).unwrap();
        assert_eq!(passes.judge(script, &outcome(7)), None);
        passes.write().unwrap();

        let mut passes = Passes::read(&path).unwrap();
        assert_eq!(passes.judge(script, &outcome(6)).unwrap(), "6 queries agree and 0 differ, 7 and 0 are listed");
        assert_eq!(passes.judge(script, &outcome(8)), None);
        passes.write().unwrap();
        assert!(std::fs::read_to_string(&path).unwrap().ends_with("\n8 9 0 index/in/10/a.test\n"));

        let differs = Outcome { differing: 1, ..outcome(9) };
        assert!(Passes::read(&path).unwrap().judge(script, &differs).is_some());
        assert!(Passes::read(&path).unwrap().judge(Path::new("new.test"), &differs).is_some());

        std::fs::write(&path, "8 9 x index").unwrap();
        assert!(Passes::read(&path).is_err());
    }
}
