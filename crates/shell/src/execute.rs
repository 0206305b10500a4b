//! Runs the statement in the SQL buffer: substitution, execution, feedback, errors with their position.

use common::{Error, Number, Result};

use crate::autotrace;
use crate::feedback;
use crate::interrupt::Running;
use crate::layout::at_blanks;
use crate::server::{Done, Outcome};
use crate::settings::{Autotrace, ServerOutput, SqlCase};
use crate::shell::{Flow, Shell};
use crate::statement;

/// The outcome of a query or a statement.
pub(crate) enum Finish {
    /// Number of rows fetched or changed.
    Done(u64),
    Failed(Error),
}

impl Shell {
    /// Runs the SQL buffer.
    pub(crate) fn run_buffer(&mut self) -> Result<Flow> {
        if self.buffer.is_empty() {
            return Err(Error::new(
                common::ErrorKind::User,
                Number::Sp2(103),
                "there is no statement in the buffer to run",
            ));
        }
        let mut lines = self.buffer.clone();
        for (at, line) in lines.iter_mut().enumerate() {
            if let Some(new) = self.substituted(line)? {
                if self.settings.verify {
                    let number = at + 1;
                    self.out.line(&format!("old {number:>3}: {line}"));
                    self.out.line(&format!("new {number:>3}: {new}"));
                }
                *line = new;
            }
        }
        let text = lines.join("\n");
        let text = match self.settings.sqlcase {
            SqlCase::Mixed => text,
            SqlCase::Lower => text.to_lowercase(),
            SqlCase::Upper => text.to_uppercase(),
        };
        Ok(self.execute(text.trim_end()))
    }

    /// Runs one statement and shows its outcome.
    pub(crate) fn execute(&mut self, text: &str) -> Flow {
        if !self.connected {
            self.out.line("SP2-0640: not connected");
            return Flow::Next;
        }
        let start_us = self.clock.monotonic_us();
        let verb = statement::verb(text);
        let trace = if autotrace::is_traced(&verb) { self.settings.autotrace } else { Autotrace::default() };
        let before = if trace.statistics { self.traced_statistics() } else { None };
        let running = Running::begin(self.server.cancel_handle());
        let unexecuted = trace.only && !trace.statistics && autotrace::is_query(&verb);
        let outcome =
            if unexecuted { Ok(Outcome::Done(Done::default())) } else { self.server.execute(text, &mut self.binds) };
        let finish = match outcome {
            Ok(_) if unexecuted => {
                drop(running);
                Finish::Done(0)
            }
            Ok(Outcome::Query(columns)) => {
                let finish = self.query(text, &columns);
                self.server.close();
                drop(running);
                self.server_output();
                finish
            }
            Ok(Outcome::Done(done)) => {
                drop(running);
                self.server_output();
                self.say_done(&verb, &done);
                Finish::Done(done.rows.unwrap_or(0))
            }
            Err(error) => {
                drop(running);
                self.server_output();
                self.say_statement_error(text, &error);
                Finish::Failed(error)
            }
        };
        if self.settings.timing {
            let elapsed = self.clock.monotonic_us().saturating_sub(start_us);
            self.out.line(&feedback::elapsed(elapsed));
        }
        let finish = match finish {
            Finish::Done(rows) if trace.is_on() => self.autotrace(text, trace, before, rows),
            finish => finish,
        };
        match finish {
            Finish::Done(_) => {
                self.sqlcode = 0;
                self.after_success(&verb, text)
            }
            Finish::Failed(error) => {
                self.sqlcode = match error.number {
                    Number::Ora(number) | Number::Hw(number) | Number::Sp2(number) => number,
                };
                self.whenever(&self.sql_error.clone(), &error)
            }
        }
    }

    /// AUTOCOMMIT and AUTOPRINT.
    fn after_success(&mut self, verb: &str, text: &str) -> Flow {
        if self.settings.autocommit && matches!(verb, "INSERT" | "UPDATE" | "DELETE" | "MERGE" | "PL/SQL") {
            return self.execute("commit");
        }
        if self.settings.autoprint && verb == "PL/SQL" {
            let lower = text.to_ascii_lowercase();
            let names: Vec<String> = self
                .binds
                .iter()
                .map(|bind| bind.name.clone())
                .filter(|name| lower.contains(&format!(":{}", name.to_ascii_lowercase())))
                .collect();
            for name in names {
                self.print_bind(&name);
            }
        }
        Flow::Next
    }

    fn say_done(&mut self, verb: &str, done: &Done) {
        if self.settings.feedback == 0 {
            return;
        }
        let verb = if done.verb.is_empty() { verb } else { done.verb.as_str() };
        let sentence = feedback::sentence(verb, done);
        self.out.line(&format!("\n{sentence}\n"));
        for notice in &done.notices {
            self.out.line(&format!("Notice: {notice}"));
        }
        if !done.notices.is_empty() {
            self.out.line("");
        }
    }

    /// The lines of DBMS_OUTPUT.
    fn server_output(&mut self) {
        let format = self.settings.serveroutput;
        if format == ServerOutput::Off {
            return;
        }
        let width = self.settings.linesize;
        for text in self.server.take_server_output() {
            for line in text.split('\n') {
                match format {
                    ServerOutput::Truncated => self.out.line(&line.chars().take(width).collect::<String>()),
                    ServerOutput::WordWrapped => {
                        for part in at_blanks(line.trim_start(), width) {
                            self.out.line(&part);
                        }
                    }
                    ServerOutput::Wrapped | ServerOutput::Off => {
                        let chars: Vec<char> = line.chars().collect();
                        if chars.is_empty() {
                            self.out.line("");
                        }
                        for part in chars.chunks(width) {
                            self.out.line(&part.iter().collect::<String>());
                        }
                    }
                }
            }
        }
    }

    /// The line of the statement with the error, a `*` below its position, and the error.
    pub(crate) fn say_statement_error(&mut self, text: &str, error: &Error) {
        let (number, line, column) = place(text, error.position.unwrap_or(0));
        self.out.line(line);
        self.out.line(&format!("{}*", " ".repeat(column)));
        self.out.line(&format!("ERROR at line {number}:"));
        self.out.line(&format!("{error}\n\n"));
    }
}

/// Line number from 1, the line, and the characters before `position` in it.
fn place(text: &str, position: usize) -> (usize, &str, usize) {
    let mut start = 0;
    let mut number = 0;
    for line in text.split('\n') {
        number += 1;
        let end = start + line.len();
        if position <= end {
            let column = line.char_indices().take_while(|(at, _)| start + at < position).count();
            return (number, line, column);
        }
        start = end + 1;
    }
    (number.max(1), text.rsplit('\n').next().unwrap_or(""), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let text = "select é,\n  x\nfrom t";
        assert_eq!(place(text, 0), (1, "select é,", 0));
        assert_eq!(place(text, text.find('x').unwrap()), (2, "  x", 2));
        assert_eq!(place(text, text.find(',').unwrap()), (1, "select é,", 8));
        assert_eq!(place(text, text.len()), (3, "from t", 6));
        assert_eq!(place(text, 999), (3, "from t", 0));
    }
}
