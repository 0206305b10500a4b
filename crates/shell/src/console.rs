//! Input and output: a terminal with line editing and history, or a pipe.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::interrupt;

/// The user's input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    Line(String),
    /// Ctrl-C instead of a line.
    Interrupted,
    /// End of input.
    End,
}

/// A screen and a keyboard.
pub trait Console {
    /// Reads a line. The prompt is shown on a terminal only; on anything else the shell has written it already.
    ///
    /// # Errors
    /// When the input cannot be read.
    fn read(&mut self, prompt: &str) -> io::Result<Input>;

    /// Reads a line without showing it.
    ///
    /// # Errors
    /// When the input cannot be read.
    fn read_hidden(&mut self, prompt: &str) -> io::Result<Input> {
        self.read(prompt)
    }

    /// # Errors
    /// When the output cannot be written.
    fn write(&mut self, text: &str) -> io::Result<()>;

    /// # Errors
    /// When the output cannot be written.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// True: interactive; then `read` shows the prompt.
    fn interactive(&self) -> bool {
        false
    }
}

/// Standard output with a large buffer: a report is written in few writes. Readers flush it first.
#[derive(Debug)]
struct Screen(BufWriter<File>);

impl Screen {
    const BUFFER_BYTES: usize = 64 << 10;

    fn new() -> io::Result<Self> {
        let stdout = rustix::stdio::stdout().try_clone_to_owned()?;
        Ok(Self(BufWriter::with_capacity(Self::BUFFER_BYTES, File::from(stdout))))
    }
}

/// A terminal: rustyline edits the line and keeps the history.
pub struct Terminal {
    screen: Screen,
    editor: DefaultEditor,
    history: Option<PathBuf>,
}

impl std::fmt::Debug for Terminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terminal").field("history", &self.history).finish_non_exhaustive()
    }
}

impl Terminal {
    /// `history`: the file of typed lines; errors of reading or writing it are ignored.
    ///
    /// # Errors
    /// When the terminal cannot be driven.
    pub fn new(history: Option<PathBuf>) -> io::Result<Self> {
        let mut editor = DefaultEditor::new().map_err(io::Error::other)?;
        if let Some(path) = &history {
            // A first session has no history yet.
            let _ = editor.load_history(path);
        }
        Ok(Self { screen: Screen::new()?, editor, history })
    }
}

impl Console for Terminal {
    fn read(&mut self, prompt: &str) -> io::Result<Input> {
        match self.editor.readline(prompt) {
            Ok(line) => {
                if !line.trim().is_empty() {
                    let _ = self.editor.add_history_entry(&line);
                }
                Ok(Input::Line(line))
            }
            Err(ReadlineError::Interrupted) => Ok(Input::Interrupted),
            Err(ReadlineError::Eof) => Ok(Input::End),
            Err(ReadlineError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    fn read_hidden(&mut self, prompt: &str) -> io::Result<Input> {
        self.write(prompt)?;
        self.flush()?;
        let stdin = io::stdin();
        let shown = rustix::termios::tcgetattr(&stdin)?;
        let mut hidden = shown.clone();
        hidden.local_modes.remove(rustix::termios::LocalModes::ECHO);
        rustix::termios::tcsetattr(&stdin, rustix::termios::OptionalActions::Now, &hidden)?;
        let mut line = String::new();
        let read = stdin.read_line(&mut line);
        rustix::termios::tcsetattr(&stdin, rustix::termios::OptionalActions::Now, &shown)?;
        self.write("\n")?;
        Ok(if read? == 0 { Input::End } else { Input::Line(line.trim_end_matches(['\n', '\r']).to_owned()) })
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.screen.0.write_all(text.as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.screen.0.flush()
    }

    fn interactive(&self) -> bool {
        true
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(path) = &self.history {
            // Losing the history is not worth a word at the end of a session.
            let _ = self.editor.save_history(path);
        }
    }
}

/// Standard input and output that are not a terminal.
///
/// Input is waited for with a timeout, so that Ctrl-C ends the wait; a blocking read would be resumed.
#[derive(Debug)]
pub struct Pipe {
    screen: Screen,
    pending: Vec<u8>,
    ended: bool,
}

impl Pipe {
    /// # Errors
    /// When there is no standard output.
    pub fn new() -> io::Result<Self> {
        Ok(Self { screen: Screen::new()?, pending: Vec::new(), ended: false })
    }

    const WAIT: rustix::time::Timespec = rustix::time::Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
}

impl Console for Pipe {
    fn read(&mut self, _prompt: &str) -> io::Result<Input> {
        let mut searched = 0;
        loop {
            if let Some(at) = self.pending[searched..].iter().position(|b| *b == b'\n') {
                let line: Vec<u8> = self.pending.drain(..=searched + at).collect();
                return Ok(Input::Line(text(&line)));
            }
            searched = self.pending.len();
            if self.ended {
                let line = std::mem::take(&mut self.pending);
                return Ok(if line.is_empty() { Input::End } else { Input::Line(text(&line)) });
            }
            if interrupt::leaving() {
                return Ok(Input::Interrupted);
            }
            let stdin = rustix::stdio::stdin();
            let mut ready = [rustix::event::PollFd::new(&stdin, rustix::event::PollFlags::IN)];
            match rustix::event::poll(&mut ready, Some(&Self::WAIT)) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            let mut buffer = [0u8; 8192];
            match rustix::io::read(stdin, &mut buffer) {
                Ok(0) => self.ended = true,
                Ok(n) => self.pending.extend_from_slice(&buffer[..n]),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.screen.0.write_all(text.as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.screen.0.flush()
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end_matches(['\n', '\r']).to_owned()
}
