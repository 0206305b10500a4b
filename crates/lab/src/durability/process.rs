//! A process with sessions, from outside: its lines, and its end.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use common::sync::spawn;
use common::{Error, ErrorKind, Result};

use super::line::Line;
use super::worker::Work;
use crate::laboratory::io;

/// Time limit of a process for opening the database.
const PATIENCE: Duration = Duration::from_secs(300);
/// The signal that nothing can catch.
const SIGKILL: i32 = 9;

/// The words of the command line that make the program a process with sessions, behind the program's name.
fn arguments(work: &Work) -> Vec<String> {
    let mut words = vec!["durability-process".to_owned(), "--data".to_owned(), work.data.display().to_string()];
    for (name, value) in [("--seed", work.seed), ("--life", work.life), ("--sessions", work.sessions.into())] {
        words.extend([name.to_owned(), value.to_string()]);
    }
    words.extend(work.idle.then(|| "--idle".to_owned()));
    words
}

/// A running process. It is killed when this is dropped.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    said: Receiver<String>,
    lines: Vec<Line>,
    /// The file of its standard error.
    errors: std::path::PathBuf,
}

impl Process {
    /// Starts `program`; its standard error goes to a file.
    pub(super) fn start(program: &Path, work: &Work, errors: &Path) -> Result<Self> {
        let file = File::create(errors).map_err(|error| io(errors, &error))?;
        let mut child = Command::new(program)
            .args(arguments(work))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(file)
            .spawn()
            .map_err(|error| io(program, &error))?;
        let out = child.stdout.take().ok_or_else(|| Error::bug("a process without standard output"))?;
        let (sender, said) = channel();
        let read = move || {
            for line in BufReader::new(out).split(b'\n').map_while(std::result::Result::ok) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
            }
        };
        let started = spawn("lines", read);
        started.map_err(|error| Error::own(ErrorKind::OutOfResource, 5, format!("no thread to read on: {error}")))?;
        Ok(Self { child, said, lines: Vec::new(), errors: errors.to_owned() })
    }

    /// Waits until it has said a line of this kind.
    ///
    /// # Errors
    /// When it ends before, or never writes the line.
    pub(super) fn wait_for(&mut self, what: &str, mut is_it: impl FnMut(&Line) -> bool) -> Result<()> {
        loop {
            match self.said.recv_timeout(PATIENCE) {
                Ok(text) => {
                    let line = parse(&text)?;
                    let found = is_it(&line);
                    self.lines.push(line);
                    if found {
                        return Ok(());
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Error::bug(format!("{} seconds went by without {what}", PATIENCE.as_secs())));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::bug(format!("the process ended without {what}: {}", self.complaint())));
                }
            }
        }
    }

    /// Kills it, and gives all that it had said by then.
    ///
    /// # Errors
    /// When it had ended by itself.
    pub(super) fn kill(mut self) -> Result<Vec<Line>> {
        use std::os::unix::process::ExitStatusExt;
        let ended = self.child.kill().and_then(|()| self.child.wait());
        let status = ended.map_err(|error| Error::bug(format!("the process cannot be killed: {error}")))?;
        // Until the pipe is empty.
        while let Ok(text) = self.said.recv() {
            self.lines.push(parse(&text)?);
        }
        if status.signal() == Some(SIGKILL) {
            return Ok(std::mem::take(&mut self.lines));
        }
        Err(Error::bug(format!("the process ended by itself, {status}: {}", self.complaint())))
    }

    /// The end of its standard error.
    fn complaint(&self) -> String {
        let text = std::fs::read_to_string(&self.errors).unwrap_or_default();
        let lines: Vec<&str> = text.lines().rev().take(5).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join(" / ")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // One that has ended is not there to be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The last line may be cut short only where the process was killed within a write, which a pipe does not show.
fn parse(text: &str) -> Result<Line> {
    text.parse().map_err(|_| Error::bug(format!("the process said what is no line: {text}")))
}
