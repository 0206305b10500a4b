//! The shell's output to its client.
//!
//! A line with the number of the next statement precedes each statement's output, and the shell flushes its output
//! before it reads on. So when the line of statement n is there, n may have begun, and all before it have returned.

use super::plan::Statement;

/// Before a statement's number.
const MARK: &str = "##";

/// Settings sent to the shell before all statements.
pub const SETTINGS: &str = "set pagesize 0\nset linesize 200\n";

/// A statement as the shell's input, with the line before it.
#[must_use]
pub fn line(number: usize, text: &str) -> String {
    format!("prompt {MARK}{number}\n{text}{}\n", end(text))
}

/// The line behind the last statement: its number shows that the one before has returned.
#[must_use]
pub fn mark(number: usize) -> String {
    format!("prompt {MARK}{number}\n")
}

/// The script of the statements, numbered from 1.
#[must_use]
pub fn script<'a>(statements: impl IntoIterator<Item = &'a str>) -> String {
    let mut script = String::from(SETTINGS);
    let mut last = 0;
    for (index, text) in statements.into_iter().enumerate() {
        last = index + 1;
        script.push_str(&line(last, text));
    }
    script.push_str(&mark(last + 1));
    script.push_str("exit\n");
    script
}

/// The end of a statement: a block has its slash, and a command of the shell its line.
fn end(text: &str) -> &'static str {
    if text.ends_with('/') || text.starts_with("exec ") { "" } else { ";" }
}

/// A statement's answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// Number of the statement in its script, from 1.
    pub number: usize,
    pub text: String,
}

impl Answer {
    /// The lines that begin with the number of an error.
    #[must_use]
    pub fn errors(&self) -> Vec<&str> {
        self.text.lines().filter(|line| is_error(line)).collect()
    }

    /// True: the output has no error.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.errors().is_empty()
    }

    /// True: the statement was executed. ORA-01259 reports this of a DROP TABLESPACE that leaves a file behind.
    #[must_use]
    pub fn stands(&self) -> bool {
        self.errors().iter().all(|error| error.starts_with("ORA-01259"))
    }
}

/// True: the answer to one of these statements, or to another one behind them, has an error.
#[must_use]
pub fn fails(statements: &[Statement], answer: &Answer) -> bool {
    let statement = answer.number.checked_sub(1).and_then(|at| statements.get(at));
    statement.map_or(!answer.succeeded(), |statement| statement.failed(answer))
}

/// True for a line such as `ORA-01653: …` or `HW-0010: …`.
fn is_error(line: &str) -> bool {
    let Some((start, rest)) = line.split_once('-') else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    ["ORA", "HW", "PLS", "SP2", "DRG"].contains(&start.trim_start()) && digits >= 4
}

/// Assembles the output as it comes.
#[derive(Clone, Default, Debug)]
pub struct Told {
    text: String,
}

impl Told {
    /// More output.
    pub fn hear(&mut self, bytes: &[u8]) {
        self.text.push_str(&String::from_utf8_lossy(bytes));
    }

    /// Number of the last statement that may have begun; 0 when there is none.
    #[must_use]
    pub fn begun(&self) -> usize {
        self.marks().last().map_or(0, |(number, _)| number)
    }

    fn marks(&self) -> impl Iterator<Item = (usize, usize)> {
        let mut at = 0;
        self.text.split_inclusive('\n').filter_map(move |line| {
            let here = at;
            at += line.len();
            let number = line.strip_prefix(MARK)?.trim_end().parse().ok()?;
            line.ends_with('\n').then_some((number, here + line.len()))
        })
    }

    /// The output of each statement that has begun; that of the last one may be incomplete.
    #[must_use]
    pub fn answers(&self) -> Vec<Answer> {
        let marks: Vec<(usize, usize)> = self.marks().collect();
        let mut answers = Vec::new();
        for (index, &(number, from)) in marks.iter().enumerate() {
            let rest = &self.text[from..];
            let to = rest.find(MARK).filter(|_| index + 1 < marks.len()).unwrap_or(rest.len());
            answers.push(Answer { number, text: rest[..to].trim().to_owned() });
        }
        answers
    }

    /// The first statement that has returned with an error.
    #[must_use]
    pub fn failure(&self, statements: &[Statement]) -> Option<String> {
        let failed = self.answers().into_iter().find(|answer| fails(statements, answer))?;
        let text = statements.get(failed.number - 1).map_or("", |statement| statement.text.as_str());
        Some(format!("statement {}: {text}\n{}", failed.number, failed.text))
    }
}
