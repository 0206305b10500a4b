//! The shell itself: reads lines from the keyboard or from scripts, gathers them into statements and commands, runs
//! them.

use std::collections::VecDeque;
use std::path::PathBuf;

use common::sync::Arc;
use common::{Clock, Error, ErrorKind, Number, Result};

use crate::bind::Binds;
use crate::breaks::Breaks;
use crate::column::Columns;
use crate::command;
use crate::compute::Computes;
use crate::console::{Console, Input};
use crate::define::{Defines, nobody_answers, substitute};
use crate::interrupt;
use crate::local_time;
use crate::logon::Logon;
use crate::output::Output;
use crate::server::Server;
use crate::settings::Settings;
use crate::statement::{LineEnd, Scanner, StatementKind, begins_statement, skip_comments};
use crate::title::Titles;
use crate::words;

/// Start options of a session.
#[derive(Clone, Default, Debug)]
pub struct Options {
    /// No banner, no prompts.
    pub silent: bool,
    /// The first log-on; the shell is not connected before it.
    pub logon: Logon,
    /// A script to run first, with its arguments; the name in the form behind `@`.
    pub script: Option<(String, Vec<String>)>,
}

/// Effect of a line on the session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    Next,
    /// The scripts being run end, the session goes on.
    Stop,
    /// The session ends with this exit code.
    Exit(u8),
}

/// WHENEVER SQLERROR or OSERROR.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Whenever {
    Continue(Ending),
    Exit(command::ExitCode, Ending),
}

/// End of open work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    None,
    Commit,
    Rollback,
}

/// A script being run.
pub(crate) struct Script {
    pub(crate) path: PathBuf,
    pub(crate) lines: VecDeque<String>,
}

pub(crate) struct Timer {
    pub(crate) name: String,
    pub(crate) start_us: u64,
}

/// Exit code of a successful session.
pub const DONE: u8 = 0;
/// Exit code of a failed session.
pub const FAILED: u8 = 1;

/// Scripts that may be open inside each other.
pub(crate) const SCRIPTS_MAX: usize = 20;

/// A session of the shell.
pub struct Shell {
    pub(crate) server: Box<dyn Server>,
    pub(crate) connected: bool,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) out: Output,
    pub(crate) silent: bool,
    pub(crate) settings: Settings,
    pub(crate) defines: Defines,
    pub(crate) columns: Columns,
    pub(crate) breaks: Breaks,
    pub(crate) computes: Computes,
    pub(crate) titles: Titles,
    pub(crate) binds: Binds,
    /// The SQL buffer: the last statement as it was typed, without its terminator.
    pub(crate) buffer: Vec<String>,
    /// Line of the buffer that APPEND, CHANGE and DEL work on, from 1.
    pub(crate) current_line: usize,
    /// Scripts being run, the innermost last.
    pub(crate) scripts: Vec<Script>,
    pub(crate) sql_error: Whenever,
    pub(crate) os_error: Whenever,
    pub(crate) timers: Vec<Timer>,
    /// Number of the last statement's error; 0 after success.
    pub(crate) sqlcode: u32,
    /// The end of open work given by EXIT, in place of EXITCOMMIT.
    pub(crate) exit_ending: Option<Ending>,
}

impl std::fmt::Debug for Shell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shell").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// Runs a session to its end and returns its exit code.
#[must_use]
pub fn run(server: Box<dyn Server>, console: Box<dyn Console>, clock: Arc<dyn Clock>, options: Options) -> u8 {
    let mut shell = Shell::new(server, console, clock, options.silent);
    shell.session(options)
}

impl Shell {
    fn new(server: Box<dyn Server>, console: Box<dyn Console>, clock: Arc<dyn Clock>, silent: bool) -> Self {
        let mut shell = Self {
            server,
            connected: false,
            clock,
            out: Output::new(console),
            silent,
            settings: Settings::default(),
            defines: Defines::default(),
            columns: Columns::default(),
            breaks: Breaks::default(),
            computes: Computes::default(),
            titles: Titles::default(),
            binds: Binds::default(),
            buffer: Vec::new(),
            current_line: 0,
            scripts: Vec::new(),
            sql_error: Whenever::Continue(Ending::None),
            os_error: Whenever::Continue(Ending::None),
            timers: Vec::new(),
            sqlcode: 0,
            exit_ending: None,
        };
        shell.predefine();
        shell
    }

    /// The variables that the shell itself defines, after each change of user.
    pub(crate) fn predefine(&mut self) {
        let user = if self.connected { self.server.user() } else { String::new() };
        self.defines.set("_USER", user);
        self.defines.set("_CONNECT_IDENTIFIER", "highwater");
        self.defines.set("_SQLPLUS_RELEASE", release());
        self.defines.set("_O_VERSION", self.server.version());
        self.defines.set("_O_RELEASE", release());
    }

    fn session(&mut self, options: Options) -> u8 {
        if !self.silent {
            self.out.line(&format!("\nHighwater {}\n", env!("CARGO_PKG_VERSION")));
        }
        if let Err(error) = self.with_password(options.logon).and_then(|logon| self.connect(&logon)) {
            self.say_error(&error);
            self.out.flush();
            return FAILED;
        }
        if !self.silent {
            let version = self.server.version();
            self.out.line(&format!("Connected to:\n{version}\n"));
        }
        let mut code = DONE;
        let mut flow = Flow::Next;
        if let Some((name, arguments)) = options.script {
            match self.run_script(&name, None, arguments) {
                Ok(done) => flow = done,
                Err(error) => {
                    code = FAILED;
                    flow = self.failed(&error);
                }
            }
        }
        if let Flow::Exit(asked) = flow {
            return self.leave(asked);
        }
        match self.lines() {
            Flow::Exit(asked) => self.leave(asked),
            Flow::Next | Flow::Stop => self.leave(code),
        }
    }

    /// Ends the session: open work as EXITCOMMIT has it, then the connection.
    fn leave(&mut self, code: u8) -> u8 {
        let mut code = code;
        if let Err(error) = self.out.spool_off() {
            self.say_error(&error);
            code = code.max(FAILED);
        }
        if self.connected {
            let usual = if self.settings.exitcommit { Ending::Commit } else { Ending::Rollback };
            let ended = self.end_work(self.exit_ending.unwrap_or(usual));
            if let Err(error) = ended.and_then(|()| self.server.disconnect()) {
                self.say_error(&error);
                code = code.max(FAILED);
            }
            if !self.silent {
                let version = self.server.version();
                self.out.line(&format!("Disconnected from {version}"));
            }
        }
        self.out.flush();
        if self.out.broken() { code.max(FAILED) } else { code }
    }

    pub(crate) fn end_work(&mut self, ending: Ending) -> Result<()> {
        let statement = match ending {
            Ending::None => return Ok(()),
            Ending::Commit => "commit",
            Ending::Rollback => "rollback",
        };
        self.server.execute(statement, &mut self.binds).map(|_| ())
    }

    /// Runs the lines of the innermost script, or of the console when there is none, to their end.
    pub(crate) fn lines(&mut self) -> Flow {
        let mut interrupts = 0;
        loop {
            self.out.flush();
            if self.out.broken() {
                return Flow::Exit(FAILED);
            }
            if interrupt::leaving() {
                if !self.scripts.is_empty() {
                    return Flow::Stop;
                }
                if !self.out.interactive() {
                    return Flow::Exit(FAILED);
                }
                interrupt::forget();
            }
            let prompt = self.prompt();
            let line = match self.read(&prompt) {
                Ok(Input::Line(line)) => line,
                Ok(Input::End) => return Flow::Next,
                Ok(Input::Interrupted) if interrupts > 0 || !self.out.interactive() => return Flow::Exit(FAILED),
                Ok(Input::Interrupted) => {
                    interrupts += 1;
                    self.out.line("Ctrl-C once more, or exit, leaves.");
                    continue;
                }
                Err(error) => {
                    self.say_error(&error);
                    return Flow::Exit(FAILED);
                }
            };
            interrupts = 0;
            let flow = match self.line(line) {
                Ok(flow) => flow,
                Err(error) => self.failed(&error),
            };
            match flow {
                Flow::Next => {}
                Flow::Stop if self.scripts.is_empty() => {}
                other => return other,
            }
        }
    }

    /// The prompt, with the variables whose names stand in it replaced.
    fn prompt(&self) -> String {
        let mut prompt = self.settings.sqlprompt.clone();
        for define in self.defines.iter().filter(|define| define.name.starts_with('_')) {
            for name in [&define.name, &define.name.to_ascii_lowercase()] {
                prompt = prompt.replace(name.as_str(), &define.value);
            }
        }
        if self.settings.time {
            prompt.insert_str(0, &format!("{} ", local_time::time(self.clock.wall_us())));
        }
        prompt
    }

    /// Reads the next line of the innermost script or of the console, and echoes it where that is wanted.
    pub(crate) fn read(&mut self, prompt: &str) -> Result<Input> {
        if let Some(script) = self.scripts.last_mut() {
            let Some(line) = script.lines.pop_front() else { return Ok(Input::End) };
            if self.settings.echo {
                self.out.line(&format!("{prompt}{line}"));
            }
            return Ok(Input::Line(line));
        }
        self.out.mute(false);
        let prompt = if self.silent { "" } else { prompt };
        if !self.out.interactive() {
            self.out.screen(prompt);
        }
        self.out.flush();
        let input = self.out.console().read(prompt).map_err(|error| read_error(&error))?;
        if let Input::Line(line) = &input {
            self.out.typed(&format!("{prompt}{line}\n"));
        }
        Ok(input)
    }

    /// Asks the user at the console, in the middle of a script too.
    pub(crate) fn ask(out: &mut Output, prompt: &str, name: &str, hidden: bool) -> Result<String> {
        if !out.interactive() {
            out.prompt(prompt);
        }
        out.flush();
        let console = out.console();
        let input = if hidden { console.read_hidden(prompt) } else { console.read(prompt) };
        match input.map_err(|error| read_error(&error))? {
            Input::Line(line) => {
                out.typed(&format!("{prompt}{}\n", if hidden { "" } else { &line }));
                Ok(line)
            }
            Input::Interrupted | Input::End => Err(nobody_answers(name)),
        }
    }

    /// Substitution in one line of a command or statement; None when nothing changes.
    pub(crate) fn substituted(&mut self, line: &str) -> Result<Option<String>> {
        let out = &mut self.out;
        let mut ask = |name: &str| Self::ask(out, &format!("Enter value for {}: ", name.to_lowercase()), name, false);
        substitute(line, &self.settings, &mut self.defines, &mut ask)
    }

    /// One line at the prompt, with the lines that it needs behind it.
    fn line(&mut self, line: String) -> Result<Flow> {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with("--") {
            return Ok(Flow::Next);
        }
        if trimmed == "/" {
            return self.run_buffer();
        }
        if trimmed.starts_with("/*") {
            return self.comment(line);
        }
        if begins_statement(trimmed) {
            return self.statement(vec![line]);
        }
        if let Ok(number) = trimmed.parse::<usize>() {
            return self.go_to_line(number);
        }
        self.command(line)
    }

    /// A line that begins with `/*`: the text behind the comment on its last line may be a statement.
    fn comment(&mut self, first: String) -> Result<Flow> {
        let mut lines = vec![first];
        let mut scanner = Scanner::default();
        scanner.line(&lines[0]);
        while scanner.in_comment() {
            let Input::Line(line) = self.read("DOC> ")? else {
                self.out.line("SP2-0312: the input ended inside a comment");
                return Ok(Flow::Next);
            };
            scanner.line(&line);
            lines.push(line);
        }
        let text = lines.join("\n");
        let rest = skip_comments(&text);
        if rest.is_empty() {
            return Ok(Flow::Next);
        }
        if begins_statement(rest) {
            return self.statement(lines);
        }
        let rest = rest.to_owned();
        self.command(rest)
    }

    /// A SQL*Plus command; a hyphen at the end of a line continues it.
    fn command(&mut self, first: String) -> Result<Flow> {
        let mut line = first;
        let remark = words::split(&line).first().is_some_and(|word| word.is("rem[ark]"));
        while !remark && line.trim_end().ends_with('-') && !line.trim_end().ends_with("--") {
            let kept = line.trim_end().trim_end_matches('-').len();
            line.truncate(kept);
            match self.read("> ")? {
                Input::Line(more) => line.push_str(&more),
                Input::Interrupted => return Ok(Flow::Next),
                Input::End => break,
            }
        }
        if remark {
            return Ok(Flow::Next);
        }
        let line = self.substituted(&line)?.unwrap_or(line);
        command::run(self, line.trim())
    }

    /// Gathers a statement from its first lines on, and runs it.
    fn statement(&mut self, first: Vec<String>) -> Result<Flow> {
        let mut lines: Vec<String> = Vec::new();
        let mut scanner = Scanner::default();
        let mut kind = StatementKind::default();
        let mut waiting: VecDeque<String> = first.into();
        loop {
            let line = match waiting.pop_front() {
                Some(line) => line,
                None => match self.read(&format!("{:>3}  ", lines.len() + 1))? {
                    Input::Line(line) => line,
                    Input::Interrupted => return Ok(Flow::Next),
                    Input::End => return self.unfinished(lines, &scanner),
                },
            };
            let trimmed = line.trim();
            if !lines.is_empty() {
                if trimmed == "/" && !scanner.in_comment() {
                    self.keep(lines);
                    return self.run_buffer();
                }
                if trimmed == "." && !scanner.in_comment() {
                    self.keep(lines);
                    return Ok(Flow::Next);
                }
                if trimmed.is_empty() && !kind.plsql() && !self.settings.sqlblanklines && !scanner.in_comment() {
                    return self.kept(lines, &scanner);
                }
            }
            let end = scanner.line(&line);
            kind.line(&line);
            let mut line = line;
            // As in a command, a hyphen at the end continues the statement: it is no minus.
            if !kind.plsql() && !scanner.in_quote() && !scanner.in_comment() && continues(&line) {
                line.truncate(line.trim_end().len() - 1);
            }
            lines.push(line);
            if let LineEnd::Terminated(at) | LineEnd::TerminatedInQuote(at) = end
                && !kind.plsql()
            {
                if let Some(last) = lines.last_mut() {
                    last.truncate(at);
                }
                if lines.last().is_some_and(|last| last.trim().is_empty()) {
                    lines.pop();
                }
                if scanner.in_quote() {
                    return self.kept(lines, &scanner);
                }
                self.keep(lines);
                return self.run_buffer();
            }
        }
    }

    /// Puts a statement into the SQL buffer.
    pub(crate) fn keep(&mut self, lines: Vec<String>) {
        self.current_line = lines.len();
        self.buffer = lines;
    }

    /// A statement has ended that is kept and not run, as in SQL*Plus: at an empty line, or inside a quote, which is
    /// reported.
    fn kept(&mut self, lines: Vec<String>, scanner: &Scanner) -> Result<Flow> {
        self.keep(lines);
        Ok(scanner.open_quote().map_or(Flow::Next, |error| self.not_run(&error)))
    }

    fn unfinished(&mut self, lines: Vec<String>, scanner: &Scanner) -> Result<Flow> {
        let first = lines.first().map_or("", |line| line.trim()).to_owned();
        self.keep(lines);
        let why = if scanner.in_quote() { "inside a quoted text" } else { "before the end of a statement" };
        let text = format!("the input ended {why}, which was not run: {first}");
        Ok(self.not_run(&Error::new(ErrorKind::User, Number::Sp2(42), text)))
    }

    /// A statement that could not be run counts as one that failed.
    fn not_run(&mut self, error: &Error) -> Flow {
        self.say_error(error);
        self.whenever(&self.sql_error.clone(), error)
    }

    /// Reports an error of a command or a file, and applies WHENEVER.
    pub(crate) fn failed(&mut self, error: &Error) -> Flow {
        self.say_error(error);
        match error.kind {
            ErrorKind::Io => self.whenever(&self.os_error.clone(), error),
            _ if is_disconnection(error) => self.whenever(&self.sql_error.clone(), error),
            _ => Flow::Next,
        }
    }

    pub(crate) fn say_error(&mut self, error: &Error) {
        self.out.line(&error.to_string());
    }

    /// The effect of WHENEVER on an error.
    pub(crate) fn whenever(&mut self, whenever: &Whenever, error: &Error) -> Flow {
        let (ending, exit) = match whenever {
            Whenever::Continue(ending) => (*ending, None),
            Whenever::Exit(code, ending) => (*ending, Some(code)),
        };
        if is_disconnection(error) {
            // Open work cannot be ended any more, and no later statement could run.
            self.connected = false;
            return Flow::Exit(exit.map_or(FAILED, |code| code.after(self, error)));
        }
        if let Err(error) = self.end_work(ending) {
            self.say_error(&error);
        }
        match exit {
            None => Flow::Next,
            Some(code) => Flow::Exit(code.after(self, error)),
        }
    }
}

/// True: the server has ended the session with this error: the instance is being closed, or it is closed.
fn is_disconnection(error: &Error) -> bool {
    matches!(error.number, Number::Ora(1089 | 1092))
}

/// The version in the ten digits that scripts compare.
fn release() -> String {
    let mut parts = env!("CARGO_PKG_VERSION").split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    format!("{:02}{:02}{:02}0000", next(), next(), next())
}

fn read_error(error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Io, Number::Hw(2), format!("standard input: {error}"))
}

/// True: the line ends in a hyphen outside of a comment.
fn continues(line: &str) -> bool {
    line.trim_end().ends_with('-') && !line.contains("--")
}
