//! Lines typed into the shell: statements are found, commands carried out, and the session ends.

#![no_main]

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Once};

use common::{Clock, DataType, Error, Result};
use highwater_fuzz::Input as Bytes;
use libfuzzer_sys::fuzz_target;
use shell::{Binds, Cell, ColumnInfo, CompilationError, Console, Done, Input, Outcome, Server};

/// What means something to the shell, so that random lines reach its corners.
const PIECES: &[&str] = &[
    "select * from emp",
    "select",
    "begin",
    "end",
    "declare",
    "create or replace",
    "procedure p",
    ";",
    "/",
    ".",
    "-",
    "--",
    "/*",
    "*/",
    "'",
    "''",
    "q'[",
    "]'",
    "\"",
    "&",
    "&&",
    "&x",
    "&&y.",
    "&1",
    ":n",
    "(",
    ")",
    "=",
    "set",
    "define",
    "undefine",
    "column",
    "format",
    "a10",
    "999.99",
    "heading",
    "noprint",
    "clear",
    "accept",
    "prompt",
    "describe",
    "whenever sqlerror",
    "exit",
    "continue",
    "variable",
    "number",
    "varchar2(10)",
    "print",
    "list",
    "run",
    "change",
    "/a/b/",
    "del",
    "last",
    "*",
    "append",
    "input",
    "timing",
    "start",
    "stop",
    "pagesize",
    "linesize",
    "0",
    "1",
    "80",
    "100000",
    "-1",
    "on",
    "off",
    "escape",
    "sqlprompt",
    "concat",
    "echo",
    "feedback",
    "colsep",
    "null",
    "underline",
    "recsep",
    "newpage",
    "none",
    "markup csv on",
    "numwidth",
    "numformat",
    "long",
    "arraysize",
    "serveroutput",
    "connect",
    "disconnect",
    "help",
    "rem",
    "execute",
    "wrap",
    "word_wrapped",
    "termout",
    "trimspool",
    "verify",
    "\t",
    "é",
    "\u{1F600}",
    "x",
    "y",
];

#[derive(Debug, Default)]
struct Steps(AtomicU64);

impl Clock for Steps {
    fn monotonic_us(&self) -> u64 {
        self.0.fetch_add(10_000, Ordering::Relaxed)
    }

    fn wall_us(&self) -> u64 {
        0
    }

    fn thread_cpu_us(&self) -> u64 {
        0
    }
}

struct Typed {
    lines: std::vec::IntoIter<String>,
    written: Rc<RefCell<usize>>,
}

impl Console for Typed {
    fn read(&mut self, _prompt: &str) -> io::Result<Input> {
        Ok(self.lines.next().map_or(Input::End, Input::Line))
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        *self.written.borrow_mut() += text.len();
        Ok(())
    }
}

/// Answers every query with a few rows of each kind of value.
struct Answers {
    left: usize,
}

impl Server for Answers {
    fn execute(&mut self, statement: &str, _binds: &mut Binds) -> Result<Outcome> {
        if statement.len() % 7 == 3 {
            return Err(Error::user(942, "no such table").at(statement.len() / 2));
        }
        if !statement.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select")) {
            return Ok(Outcome::Done(Done { rows: Some(statement.len() as u64), ..Done::default() }));
        }
        self.left = 3;
        Ok(Outcome::Query(vec![
            ColumnInfo::new("x", DataType::Number { precision: None, scale: 0 }),
            ColumnInfo::new("Y", DataType::Varchar2 { bytes: 20 }),
            ColumnInfo::new("HIREDATE", DataType::Date),
        ]))
    }

    fn fetch(&mut self, rows: usize) -> Result<Vec<Vec<Cell>>> {
        let count = rows.min(self.left);
        self.left -= count;
        let row = vec![Cell::Number("-1234.5678".to_owned()), Cell::Text("two\nlines é".to_owned()), Cell::Null];
        Ok(vec![row; count])
    }

    fn close(&mut self) {
        self.left = 0;
    }

    fn describe(&mut self, object: &str) -> Result<Vec<ColumnInfo>> {
        Ok(vec![ColumnInfo::new(object, DataType::Date)])
    }

    fn connect(&mut self, _user: &str, password: Option<&str>) -> Result<()> {
        if password == Some("x") { Err(Error::user(1017, "wrong password")) } else { Ok(()) }
    }

    fn disconnect(&mut self) -> Result<()> {
        Ok(())
    }

    fn user(&self) -> String {
        "SYSTEM".to_owned()
    }

    fn parameters(&mut self, _like: &str) -> Result<Vec<(String, String, String)>> {
        Ok(vec![("db_block_size".to_owned(), "integer".to_owned(), "8192".to_owned())])
    }

    fn errors(&mut self, _object: Option<(&str, &str)>) -> Result<Vec<CompilationError>> {
        Ok(Vec::new())
    }

    fn cancel_handle(&self) -> Arc<AtomicBool> {
        Arc::default()
    }

    fn set_server_output(&mut self, _on: bool) {}

    fn take_server_output(&mut self) -> Vec<String> {
        Vec::new()
    }

    fn version(&self) -> String {
        "none".to_owned()
    }

    fn home_script(&self, path: &str) -> Option<String> {
        (path == "x").then(|| "prompt &1\nselect 1\n  from dual;\n".to_owned())
    }
}

/// What SPOOL and SAVE write goes to an empty directory, and lines that name them or another directory are left out.
fn allowed(line: &str) -> bool {
    let lower = line.to_lowercase();
    !["spo", "sav"].iter().any(|word| lower.contains(word))
}

static DIRECTORY: Once = Once::new();

fn leave_directory() {
    DIRECTORY.call_once(|| {
        let directory = std::env::temp_dir().join(format!("highwater-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&directory).and_then(|()| std::env::set_current_dir(&directory)).expect("a directory");
    });
}

fn from_pieces(mut input: Bytes<'_>) -> String {
    let mut text = String::new();
    while !input.is_empty() {
        let choice = usize::from(input.byte());
        match PIECES.get(choice) {
            Some(piece) => text.push_str(piece),
            None => text.push(if choice % 3 == 0 { '\n' } else { ' ' }),
        }
    }
    text
}

fuzz_target!(|data: &[u8]| {
    leave_directory();
    let mut input = Bytes::new(data);
    let text = if data.first().is_some_and(|first| (0x80..0xC0).contains(first)) {
        input.byte();
        from_pieces(input)
    } else {
        String::from_utf8_lossy(input.rest()).into_owned()
    };
    let lines: Vec<String> = text.lines().filter(|line| allowed(line)).map(str::to_owned).collect();
    let written = Rc::new(RefCell::new(0));
    let console = Typed { lines: lines.into_iter(), written: Rc::clone(&written) };
    let options = shell::Options::default();
    let code = shell::run(Box::new(Answers { left: 0 }), Box::new(console), Arc::new(Steps::default()), options);
    let _ = code;
    assert!(*written.borrow() > 0);
});
