//! The SQL*Plus commands: one table of names, abbreviations and handlers.

mod accept;
mod bind;
mod breaks;
mod buffer;
mod define;
mod help;
mod instance;
mod leave;
mod oradebug;
mod script;
mod session;
mod show;
mod spool;
mod title;

use common::{Error, ErrorKind, Number, Result};

use crate::set;
use crate::settings::ServerOutput;
use crate::shell::{Flow, Shell, Timer};
use crate::words::{self, Word};

pub(crate) use leave::ExitCode;

/// A command line behind its first word.
pub(crate) struct Line<'a> {
    /// As typed, blanks at both ends taken off.
    pub(crate) rest: &'a str,
    pub(crate) words: Vec<Word>,
}

type Handler = fn(&mut Shell, &Line<'_>) -> Result<Flow>;

/// Commands in order of name. Commands of SQL*Plus that are not supported are here too, refused by name.
const COMMANDS: &[(&str, Handler)] = &[
    ("acc[ept]", accept::accept),
    ("a[ppend]", buffer::append),
    ("archive", |_, _| unsupported("ARCHIVE LOG")),
    ("attribute", |_, _| unsupported("ATTRIBUTE")),
    ("bre[ak]", breaks::breaks),
    ("bti[tle]", |shell, line| title::title(shell, "bti[tle]", line)),
    ("c[hange]", buffer::change),
    ("cl[ear]", clear),
    ("col[umn]", column),
    ("comp[ute]", breaks::compute),
    ("conn[ect]", session::connect),
    ("copy", |_, _| unsupported("COPY")),
    ("def[ine]", define::define),
    ("del", buffer::delete),
    ("desc[ribe]", session::describe),
    ("disc[onnect]", session::disconnect),
    ("ed[it]", |_, _| unsupported("EDIT; change lines with LIST, CHANGE, APPEND, INPUT and DEL")),
    ("exec[ute]", execute),
    ("exit", leave::exit),
    ("get", buffer::get),
    ("help", help::help),
    ("hist[ory]", |_, _| unsupported("HISTORY; on a terminal the arrow keys go through the lines typed")),
    ("ho[st]", |_, _| unsupported("HOST: the shell starts no other programs")),
    ("i[nput]", buffer::input),
    ("l[ist]", buffer::list),
    ("oradebug", oradebug::oradebug),
    ("passw[ord]", |_, _| unsupported("PASSWORD; use ALTER USER")),
    ("pau[se]", accept::pause),
    ("pri[nt]", bind::print),
    ("pro[mpt]", prompt),
    ("quit", leave::exit),
    ("recover", |_, _| unsupported("RECOVER")),
    ("repf[ooter]", |shell, line| title::title(shell, "repf[ooter]", line)),
    ("reph[eader]", |shell, line| title::title(shell, "reph[eader]", line)),
    ("r[un]", buffer::run),
    ("sav[e]", buffer::save),
    ("set", set_command),
    ("sho[w]", show::show),
    ("shutdown", instance::shutdown),
    ("spo[ol]", spool::spool),
    ("sta[rt]", script::start),
    ("startup", instance::startup),
    ("store", |_, _| unsupported("STORE")),
    ("timi[ng]", timing),
    ("tti[tle]", |shell, line| title::title(shell, "tti[tle]", line)),
    ("undef[ine]", define::undefine),
    ("var[iable]", bind::variable),
    ("whenever", leave::whenever),
    ("xquery", |_, _| unsupported("XQUERY")),
];

/// Runs one command line, substitution done.
pub(crate) fn run(shell: &mut Shell, line: &str) -> Result<Flow> {
    if let Some(rest) = line.strip_prefix("@@") {
        return script::nested(shell, &parsed(rest));
    }
    if let Some(rest) = line.strip_prefix('@') {
        return script::start(shell, &parsed(rest));
    }
    if line.starts_with(['!', '$']) {
        return unsupported("HOST: the shell starts no other programs");
    }
    let end = line.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len());
    let (first, rest) = line.split_at(end);
    let Some((pattern, handler)) = COMMANDS.iter().find(|(pattern, _)| words::abbreviates(first, pattern)) else {
        let shown: String = line.chars().take(30).collect();
        return Err(sp2(734, format!("neither a command nor a statement: \"{shown}\"; the line was ignored")));
    };
    if *pattern == "pro[mpt]" {
        return handler(shell, &Line { rest: rest.strip_prefix(' ').unwrap_or(rest), words: Vec::new() });
    }
    handler(shell, &parsed(rest))
}

/// A command may end with a semicolon.
fn parsed(rest: &str) -> Line<'_> {
    let rest = rest.trim();
    let rest = rest.strip_suffix(';').unwrap_or(rest).trim_end();
    Line { rest, words: words::split(rest) }
}

pub(crate) fn sp2(number: u32, text: impl Into<String>) -> Error {
    Error::new(ErrorKind::User, Number::Sp2(number), text)
}

fn unsupported(what: &str) -> Result<Flow> {
    Err(Error::unsupported(what))
}

fn prompt(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    shell.out.line(line.rest);
    Ok(Flow::Next)
}

fn set_command(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let before = shell.settings.serveroutput;
    let mut said = Vec::new();
    let result = set::set(&mut shell.settings, &line.words, &mut said);
    for text in said {
        shell.out.line(&text);
    }
    let after = shell.settings.serveroutput;
    if before != after && shell.connected {
        shell.server.set_server_output(after != ServerOutput::Off);
    }
    shell.mute_scripts();
    result.map(|()| Flow::Next)
}

fn execute(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    if line.rest.is_empty() {
        return Err(sp2(1460, "EXECUTE: the PL/SQL statement is missing"));
    }
    Ok(shell.execute(&format!("BEGIN {}; END;", line.rest)))
}

fn column(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let lines: Vec<String> = match line.words.as_slice() {
        [] => shell.columns.iter().flat_map(|column| [column.shown(), vec![String::new()]].concat()).collect(),
        [name] => shell
            .columns
            .get(&name.text)
            .ok_or_else(|| sp2(46, format!("COLUMN: nothing is set for {}", name.text)))?
            .shown(),
        [name, options @ ..] => {
            shell.columns.command(&name.text, options)?;
            Vec::new()
        }
    };
    for line in lines {
        shell.out.line(&line);
    }
    Ok(Flow::Next)
}

fn clear(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let what = line
        .words
        .first()
        .ok_or_else(|| sp2(158, "CLEAR what? BREAKS, BUFFER, COLUMNS, COMPUTES, SCREEN, SQL or TIMING"))?;
    let said = if what.is("col[umns]") {
        shell.columns.clear();
        "columns cleared"
    } else if what.is("buff[er]") || what.is("sql") {
        shell.keep(Vec::new());
        if what.is("sql") { "sql cleared" } else { "buffer cleared" }
    } else if what.is("timi[ng]") {
        shell.timers.clear();
        "timing cleared"
    } else if what.is("scr[een]") {
        if shell.out.interactive() {
            shell.out.screen("\u{1b}[2J\u{1b}[H");
        }
        return Ok(Flow::Next);
    } else if what.is("bre[aks]") {
        shell.breaks.clear();
        "breaks cleared"
    } else if what.is("comp[utes]") {
        shell.computes.clear();
        "computes cleared"
    } else {
        return Err(sp2(158, format!("CLEAR does not know \"{}\"", what.text)));
    };
    shell.out.line(said);
    Ok(Flow::Next)
}

/// TIMING START, SHOW, STOP: timers inside each other.
fn timing(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let now = shell.clock.monotonic_us();
    let Some(action) = line.words.first() else {
        let count = shell.timers.len();
        shell.out.line(&format!("{count} timing {} in use", if count == 1 { "element" } else { "elements" }));
        return Ok(Flow::Next);
    };
    if action.is("start") {
        let name = line.words.get(1).map_or(String::new(), |word| word.text.clone());
        shell.timers.push(Timer { name, start_us: now });
        return Ok(Flow::Next);
    }
    let stop = action.is("stop");
    if !stop && !action.is("show") {
        return Err(sp2(158, format!("TIMING takes START, SHOW or STOP, not \"{}\"", action.text)));
    }
    let timer = if stop {
        shell.timers.pop()
    } else {
        shell.timers.last().map(|t| Timer { name: t.name.clone(), start_us: t.start_us })
    };
    let timer = timer.ok_or_else(|| sp2(325, "TIMING: none is started"))?;
    if !timer.name.is_empty() {
        shell.out.line(&format!("timing for: {}", timer.name));
    }
    shell.out.line(&crate::feedback::elapsed(now.saturating_sub(timer.start_us)));
    Ok(Flow::Next)
}
