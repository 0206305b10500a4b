//! Editing of the SQL buffer: LIST, RUN, APPEND, CHANGE, DEL, INPUT, GET, SAVE.

use common::{Error, ErrorKind, Number, Result};

use crate::command::{Line, sp2};
use crate::console::Input;
use crate::shell::{Flow, Shell};
use crate::words::Word;

fn empty() -> Error {
    sp2(223, "the buffer holds no lines")
}

impl Shell {
    /// A line number alone makes that line the current one.
    pub(crate) fn go_to_line(&mut self, number: usize) -> Result<Flow> {
        if number == 0 || number > self.buffer.len() {
            return Err(sp2(226, format!("the buffer has no line {number}")));
        }
        self.current_line = number;
        self.list_lines(number, number);
        Ok(Flow::Next)
    }

    fn list_lines(&mut self, first: usize, last: usize) {
        for number in first..=last {
            let mark = if number == self.current_line { '*' } else { ' ' };
            let line = &self.buffer[number - 1];
            let line = format!("{number:>3}{mark} {line}");
            self.out.line(line.trim_end());
        }
    }

    /// `n`, `*`, `LAST`, or two of them.
    fn range(&self, words: &[Word], all: (usize, usize)) -> Result<(usize, usize)> {
        if self.buffer.is_empty() {
            return Err(empty());
        }
        let one = |word: &Word| {
            let number = if word.text == "*" {
                Some(self.current_line)
            } else if word.is("last") {
                Some(self.buffer.len())
            } else {
                word.text.parse::<usize>().ok()
            };
            let wrong = || sp2(226, format!("the buffer has no line {}", word.text));
            number.filter(|n| (1..=self.buffer.len()).contains(n)).ok_or_else(wrong)
        };
        let (first, last) = match words {
            [] => all,
            [first] => (one(first)?, one(first)?),
            [first, last] => (one(first)?, one(last)?),
            _ => return Err(sp2(158, "a first and a last line at most")),
        };
        if first > last { Err(sp2(226, "the first line is behind the last")) } else { Ok((first, last)) }
    }
}

pub(crate) fn list(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let (first, last) = shell.range(&line.words, (1, shell.buffer.len()))?;
    shell.current_line = last;
    shell.list_lines(first, last);
    Ok(Flow::Next)
}

/// RUN: LIST, then `/`.
pub(crate) fn run(shell: &mut Shell, _line: &Line<'_>) -> Result<Flow> {
    if !shell.buffer.is_empty() {
        shell.current_line = shell.buffer.len();
        shell.list_lines(1, shell.buffer.len());
    }
    shell.run_buffer()
}

pub(crate) fn append(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let at = shell.current_line;
    let current = at.checked_sub(1).and_then(|at| shell.buffer.get_mut(at)).ok_or_else(empty)?;
    current.push_str(line.rest);
    shell.list_lines(at, at);
    Ok(Flow::Next)
}

/// `CHANGE /old/new/`: the first `old` of the current line.
pub(crate) fn change(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let separator = line.rest.chars().next().ok_or_else(|| sp2(23, "CHANGE takes /old/new/"))?;
    let mut parts = line.rest[separator.len_utf8()..].split(separator);
    let old = parts.next().unwrap_or("");
    let new = parts.next().unwrap_or("");
    let at = shell.current_line;
    let current = at.checked_sub(1).and_then(|at| shell.buffer.get_mut(at)).ok_or_else(empty)?;
    if old.is_empty() || !current.contains(old) {
        return Err(sp2(23, format!("the current line does not hold \"{old}\"")));
    }
    *current = current.replacen(old, new, 1);
    shell.list_lines(at, at);
    Ok(Flow::Next)
}

pub(crate) fn delete(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let (first, last) = shell.range(&line.words, (shell.current_line, shell.current_line))?;
    shell.buffer.drain(first - 1..last);
    shell.current_line = shell.buffer.len().min(first);
    Ok(Flow::Next)
}

/// INPUT: the text, or lines up to an empty one, behind the current line.
pub(crate) fn input(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let mut new = Vec::new();
    if line.rest.is_empty() {
        while let Input::Line(line) = shell.read(&format!("{:>3}  ", shell.current_line + new.len() + 1))? {
            if line.trim().is_empty() || line.trim() == "." {
                break;
            }
            new.push(line);
        }
    } else {
        new.push(line.rest.to_owned());
    }
    for line in new {
        shell.buffer.insert(shell.current_line, line);
        shell.current_line += 1;
    }
    Ok(Flow::Next)
}

/// `GET file`: the file as the buffer, a terminator at its end taken off.
pub(crate) fn get(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let name = line.words.first().ok_or_else(|| sp2(158, "GET takes the name of a file"))?;
    let path = shell.suffixed(&name.text);
    let text = std::fs::read_to_string(&path).map_err(|error| file_error(310, &path, &error))?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    while lines.last().is_some_and(|line| line.trim().is_empty() || line.trim() == "/") {
        lines.pop();
    }
    shell.keep(lines);
    if !shell.buffer.is_empty() {
        shell.list_lines(1, shell.buffer.len());
    }
    Ok(Flow::Next)
}

/// `SAVE file [CREATE|REPLACE|APPEND]`
pub(crate) fn save(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let (name, mode) = match line.words.as_slice() {
        [name] => (name, "create"),
        [name, mode] if mode.is("cre[ate]") => (name, "create"),
        [name, mode] if mode.is("rep[lace]") => (name, "replace"),
        [name, mode] if mode.is("app[end]") => (name, "append"),
        _ => return Err(sp2(158, "SAVE takes a file name, then CREATE, REPLACE or APPEND")),
    };
    if shell.buffer.is_empty() {
        return Err(empty());
    }
    let path = shell.suffixed(&name.text);
    let mut options = std::fs::OpenOptions::new();
    match mode {
        "create" => options.write(true).create_new(true),
        "replace" => options.write(true).create(true).truncate(true),
        _ => options.append(true).create(true),
    };
    let text = format!("{}\n/\n", shell.buffer.join("\n"));
    let mut file = options.open(&path).map_err(|error| file_error(540, &path, &error))?;
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(|error| file_error(540, &path, &error))?;
    shell.out.line(&format!("Wrote file {path}"));
    Ok(Flow::Next)
}

fn file_error(number: u32, path: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Io, Number::Sp2(number), format!("{path}: {error}"))
}
