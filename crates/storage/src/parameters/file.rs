//! The parameter file: lines of `name = value`, in the data directory. Administrators edit it too: ALTER SYSTEM keeps
//! comments, blank lines and the order of lines when it changes a value.
//!
//! The file is always written whole: to a temporary name, synced, then renamed over the old one. A crash leaves the old
//! file or the new one.

use std::io;
use std::path::Path;

use common::{Error, ErrorKind, Number, Result};
use device::FileSystem;

use super::Value;

/// The file's name in the data directory.
pub const PARAMETER_FILE: &str = "highwater.ora";

/// The text of a parameter file, line by line.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ParameterFile {
    lines: Vec<String>,
}

/// One `name = value` of the file; the value may still have its quotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Setting<'a> {
    /// Line number, from 1.
    pub(super) line: usize,
    pub(super) name: &'a str,
    pub(super) value: &'a str,
}

impl ParameterFile {
    /// Parses the text of a file.
    ///
    /// # Errors
    /// ORA-01078 with the first line that is neither a comment nor `name = value`.
    pub fn parse(text: &str) -> Result<Self> {
        let file = Self { lines: text.lines().map(|line| line.trim_end_matches('\r').to_owned()).collect() };
        for (at, line) in file.lines.iter().enumerate() {
            if !is_comment(line) && setting(at, line).is_none() {
                return Err(Error::user(1078, format!("parameter file, line {}: expected name = value", at + 1)));
            }
        }
        Ok(file)
    }

    /// Reads the file in `directory`. A missing file counts as empty.
    ///
    /// # Errors
    /// ORA-01078 when it cannot be read, and as [`ParameterFile::parse`].
    pub fn load(files: &dyn FileSystem, directory: &Path) -> Result<Self> {
        let path = directory.join(PARAMETER_FILE);
        match files.read_whole(&path) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes)
                    .map_err(|_| Error::user(1078, format!("parameter file {} is not UTF-8 text", path.display())))?;
                Self::parse(&text)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Error::new(
                ErrorKind::Io,
                Number::Ora(1078),
                format!("cannot read parameter file {}: {error}", path.display()),
            )),
        }
    }

    /// Writes the file in `directory`, whole and durably.
    ///
    /// # Errors
    /// ORA-27072 when the operating system refuses; the old file then remains.
    pub fn save(&self, files: &dyn FileSystem, directory: &Path) -> Result<()> {
        let path = directory.join(PARAMETER_FILE);
        files.write_whole(&path, self.text().as_bytes()).map_err(|error| {
            Error::new(
                ErrorKind::Io,
                Number::Ora(27072),
                format!("cannot write parameter file {}: {error}", path.display()),
            )
        })
    }

    /// The settings in the order of the file. Of two with the same name the later one counts.
    pub(super) fn settings(&self) -> impl Iterator<Item = Setting<'_>> {
        self.lines.iter().enumerate().filter_map(|(at, line)| setting(at, line))
    }

    /// The settings, with their values as they are written.
    #[must_use]
    pub fn pairs(&self) -> Vec<(String, String)> {
        self.settings().map(|setting| (setting.name.to_owned(), setting.value.to_owned())).collect()
    }

    /// Sets `name`: in its line where the file has one, else in a new line at the end.
    pub fn set(&mut self, name: &str, value: &Value) {
        let quoted = match value {
            Value::Text(text) => format!("'{text}'"),
            other => other.to_string(),
        };
        let line = format!("{} = {quoted}", name.to_ascii_lowercase());
        let last =
            self.settings().filter(|setting| setting.name.eq_ignore_ascii_case(name)).map(|setting| setting.line);
        match last.last() {
            Some(number) => {
                let comment =
                    comment_of(&self.lines[number - 1]).map_or(String::new(), |comment| format!("  {comment}"));
                self.lines[number - 1] = line + &comment;
            }
            None => self.lines.push(line),
        }
    }

    /// Takes out every line that sets `name`. True when there was one.
    pub fn reset(&mut self, name: &str) -> bool {
        let before = self.lines.len();
        let mut at = 0;
        self.lines.retain(|line| {
            at += 1;
            setting(at - 1, line).is_none_or(|setting| !setting.name.eq_ignore_ascii_case(name))
        });
        self.lines.len() < before
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect()
    }
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

/// Start of a line's comment: the first `#` outside quotes.
fn comment_start(line: &str) -> Option<usize> {
    let mut quote = None;
    for (at, letter) in line.char_indices() {
        match (quote, letter) {
            (None, '#') => return Some(at),
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            _ => {}
        }
    }
    None
}

fn comment_of(line: &str) -> Option<&str> {
    comment_start(line).map(|at| &line[at..])
}

fn setting(at: usize, line: &str) -> Option<Setting<'_>> {
    if is_comment(line) {
        return None;
    }
    let body = comment_start(line).map_or(line, |start| &line[..start]);
    let (name, value) = body.split_once('=')?;
    let name = name.trim();
    let name = name.strip_prefix("*.").unwrap_or(name);
    let legal = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    legal.then_some(Setting { line: at + 1, name, value: value.trim() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "# the block size stays\ndb_block_size = 8192\n\n*.nls_date_format='DD-MON-RR' # ours\nprocesses=20\n";

    #[test]
    fn a_change_touches_its_own_line_only() {
        let mut file = ParameterFile::parse(TEXT).unwrap();
        assert_eq!(file.text(), TEXT);
        file.set("NLS_DATE_FORMAT", &Value::Text("YYYY".into()));
        file.set("timed_statistics", &Value::Boolean(false));
        assert_eq!(
            file.text(),
            "# the block size stays\ndb_block_size = 8192\n\nnls_date_format = 'YYYY'  # ours\nprocesses=20\ntimed_statistics = FALSE\n"
        );
        assert!(file.reset("processes") && !file.reset("processes"));
        assert!(ParameterFile::parse(&file.text()).unwrap() == file);
    }

    #[test]
    fn blank_lines_stay_even_alone() {
        for text in ["", "\n", "\n\n# x\n"] {
            assert_eq!(ParameterFile::parse(text).unwrap().text(), text);
        }
        assert_eq!(ParameterFile::parse("processes = 20\r\n\r").unwrap().text(), "processes = 20\n\n");
    }

    #[test]
    fn quotes_protect_the_comment_sign() {
        let file = ParameterFile::parse("tracefile_identifier = 'a#b' # c").unwrap();
        assert_eq!(file.settings().next().unwrap().value, "'a#b'");
    }

    #[test]
    fn a_line_that_says_nothing_is_an_error() {
        for text in ["processes 20", "= 20", "pro cesses = 20"] {
            assert!(ParameterFile::parse(text).unwrap_err().is_ora(1078), "{text}");
        }
    }

    #[test]
    fn of_two_lines_with_one_name_the_later_counts() {
        let mut file = ParameterFile::parse("processes=20\nprocesses=30").unwrap();
        assert_eq!(file.settings().last().unwrap().value, "30");
        file.set("processes", &Value::Integer(40));
        assert_eq!(file.text(), "processes=20\nprocesses = 40\n");
    }
}
