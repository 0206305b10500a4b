//! Beginning, end and kind of a statement.
//!
//! A SQL statement ends with `;` at the end of a line, outside quotes and comments (only blanks and comments may follow
//! it), with `/` alone on a line, or, unrun, with `.` alone or an empty line. A PL/SQL block ends with `/` or `.` alone
//! on a line and nothing else. `;`, `/` and `.` count inside an open quote too, as in SQL*Plus: a forgotten quote must
//! not swallow the rest of a script, and a text whose line ends with `;` has to be written otherwise, as with `||`.

use common::Error;

/// The scanner's state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Inside {
    Code,
    /// `'…'`; a doubled quote leaves and comes back at once.
    Text,
    /// `q'[…]'`, with the character that closes it.
    QuotedText(char),
    /// `"…"`
    Name,
    /// `/* … */`
    Comment,
}

/// The effect of a line on its statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineEnd {
    /// The statement goes on.
    Open,
    /// `;` at this byte of the line ends a SQL statement.
    Terminated(usize),
    /// The same inside a quote: the statement is not whole.
    TerminatedInQuote(usize),
}

/// Follows quotes and comments over the lines of one statement.
#[derive(Clone, Debug)]
pub(crate) struct Scanner {
    inside: Inside,
}

impl Default for Scanner {
    fn default() -> Self {
        Self { inside: Inside::Code }
    }
}

impl Scanner {
    /// Takes the next line, and returns the position of a `;` with only comments behind it.
    pub(crate) fn line(&mut self, line: &str) -> LineEnd {
        let mut terminator = None;
        let mut chars = line.char_indices().peekable();
        let mut previous = ' ';
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            match self.inside {
                Inside::Code => {
                    match c {
                        '-' if next == Some('-') => break,
                        '/' if next == Some('*') => {
                            chars.next();
                            self.inside = Inside::Comment;
                            continue;
                        }
                        '\'' => {
                            self.inside = Inside::Text;
                            if matches!(previous, 'q' | 'Q')
                                && starts_quote(&line[..at])
                                && let Some((_, open)) = chars.next()
                            {
                                self.inside = Inside::QuotedText(closing(open));
                            }
                        }
                        '"' => self.inside = Inside::Name,
                        _ => {}
                    }
                    if c == ';' {
                        terminator.get_or_insert(at);
                    } else if !c.is_whitespace() {
                        terminator = None;
                    }
                }
                Inside::Text if c == '\'' => self.inside = Inside::Code,
                Inside::QuotedText(close) if c == close && next == Some('\'') => {
                    chars.next();
                    self.inside = Inside::Code;
                }
                Inside::Name if c == '"' => self.inside = Inside::Code,
                Inside::Comment if c == '*' && next == Some('/') => {
                    chars.next();
                    self.inside = Inside::Code;
                }
                _ => {}
            }
            previous = c;
        }
        match terminator {
            Some(at) if self.inside == Inside::Code => LineEnd::Terminated(at),
            _ if self.in_quote() => line
                .trim_end()
                .strip_suffix(';')
                .map_or(LineEnd::Open, |before| LineEnd::TerminatedInQuote(before.len())),
            _ => LineEnd::Open,
        }
    }

    /// True: a quote is open after the lines so far.
    pub(crate) fn in_quote(&self) -> bool {
        matches!(self.inside, Inside::Text | Inside::QuotedText(_) | Inside::Name)
    }

    /// The error of a statement that ends here; None when no quote is open.
    pub(crate) fn open_quote(&self) -> Option<Error> {
        match self.inside {
            Inside::Code | Inside::Comment => None,
            Inside::Text | Inside::QuotedText(_) => {
                Some(Error::user(1756, "a quoted text is not closed; the statement was not run"))
            }
            Inside::Name => Some(Error::user(1740, "a name in double quotes is not closed; the statement was not run")),
        }
    }

    pub(crate) fn in_comment(&self) -> bool {
        self.inside == Inside::Comment
    }
}

/// True: the `q` at the end of `before` begins `q'…'` or `nq'…'`, and is not the end of a word.
fn starts_quote(before: &str) -> bool {
    let mut back = before.chars().rev().skip(1);
    match back.next() {
        Some('n' | 'N') => !back.next().is_some_and(is_word),
        Some(c) => !is_word(c),
        None => true,
    }
}

fn closing(open: char) -> char {
    match open {
        '[' => ']',
        '{' => '}',
        '(' => ')',
        '<' => '>',
        other => other,
    }
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#')
}

/// Tells a PL/SQL block or the creation of a stored program, which only `/` ends, by its first words; they may stand on
/// several lines.
#[derive(Clone, Default, Debug)]
pub(crate) struct StatementKind {
    /// The lines so far, until the kind is known.
    head: String,
    plsql: Option<bool>,
}

impl StatementKind {
    /// Takes in the next line.
    pub(crate) fn line(&mut self, line: &str) {
        if self.plsql.is_some() {
            return;
        }
        self.head.push_str(line);
        self.head.push('\n');
        let (words, rest) = first_words(&self.head, WORDS_THAT_TELL);
        if starts_plsql(&words, rest) {
            self.plsql = Some(true);
        } else if words.len() == WORDS_THAT_TELL || !rest.is_empty() {
            self.plsql = Some(false);
        }
    }

    pub(crate) fn plsql(&self) -> bool {
        self.plsql == Some(true)
    }
}

/// CREATE OR REPLACE NONEDITIONABLE PACKAGE.
const WORDS_THAT_TELL: usize = 5;

fn starts_plsql(words: &[String], rest: &str) -> bool {
    if words.is_empty() {
        return rest.starts_with("<<");
    }
    let mut words = words.iter().map(String::as_str);
    match words.next() {
        Some("DECLARE" | "BEGIN") => true,
        Some("WITH") => matches!(words.next(), Some("FUNCTION" | "PROCEDURE")),
        Some("CREATE") => {
            let mut object = words.next();
            while matches!(object, Some("OR" | "REPLACE" | "EDITIONABLE" | "NONEDITIONABLE")) {
                object = words.next();
            }
            matches!(object, Some("PROCEDURE" | "FUNCTION" | "PACKAGE" | "TRIGGER" | "TYPE" | "LIBRARY"))
        }
        _ => false,
    }
}

/// The text from its first character that is neither blank nor part of a comment.
pub(crate) fn skip_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        if let Some(comment) = rest.strip_prefix("--") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, rest)| rest).trim_start();
        } else {
            return rest;
        }
    }
}

/// The first words of a statement in upper case, comments left out, up to `most` of them or anything that is not a
/// word.
pub(crate) fn leading_words(text: &str, most: usize) -> Vec<String> {
    first_words(text, most).0
}

/// The first words, and the text behind them.
fn first_words(text: &str, most: usize) -> (Vec<String>, &str) {
    let mut words = Vec::new();
    let mut rest = skip_comments(text);
    while words.len() < most {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if end == 0 {
            break;
        }
        words.push(rest[..end].to_ascii_uppercase());
        rest = skip_comments(&rest[end..]);
    }
    (words, rest)
}

/// True: the line can begin a SQL statement or a PL/SQL block.
pub(crate) fn begins_statement(line: &str) -> bool {
    const FIRST: &[&str] = &[
        "ADMINISTER",
        "ALTER",
        "ANALYZE",
        "ASSOCIATE",
        "AUDIT",
        "BEGIN",
        "CALL",
        "COMMENT",
        "COMMIT",
        "CREATE",
        "DECLARE",
        "DELETE",
        "DISASSOCIATE",
        "DROP",
        "EXPLAIN",
        "FLASHBACK",
        "GRANT",
        "INSERT",
        "LOCK",
        "MERGE",
        "NOAUDIT",
        "PURGE",
        "RENAME",
        "REVOKE",
        "ROLLBACK",
        "SAVEPOINT",
        "SELECT",
        "TRUNCATE",
        "UPDATE",
        "WITH",
    ];
    let body = skip_comments(line);
    if body.starts_with('(') || body.starts_with("<<") {
        return true;
    }
    let words = leading_words(line, 2);
    match words.first().map(String::as_str) {
        Some("SET") => {
            matches!(words.get(1).map(String::as_str), Some("TRANSACTION" | "ROLE" | "CONSTRAINT" | "CONSTRAINTS"))
        }
        Some(first) => FIRST.contains(&first),
        None => false,
    }
}

/// The verb by which the outcome of a statement is reported: `INSERT`, `CREATE TABLE`, `PL/SQL`.
pub(crate) fn verb(text: &str) -> String {
    let words = leading_words(text, 8);
    let mut words = words.iter().map(String::as_str);
    let Some(first) = words.next() else { return String::new() };
    match first {
        "BEGIN" | "DECLARE" => "PL/SQL".to_owned(),
        "CREATE" | "ALTER" | "DROP" | "TRUNCATE" | "LOCK" | "ANALYZE" | "SET" => {
            const ADJECTIVES: &[&str] = &[
                "OR",
                "REPLACE",
                "UNIQUE",
                "BITMAP",
                "GLOBAL",
                "PRIVATE",
                "TEMPORARY",
                "PUBLIC",
                "BIGFILE",
                "SMALLFILE",
                "UNDO",
                "EDITIONABLE",
                "NONEDITIONABLE",
                "FORCE",
                "NO",
                "NOFORCE",
                "SHARED",
                "IMMUTABLE",
                "BLOCKCHAIN",
            ];
            let mut object = words.next();
            while object.is_some_and(|word| ADJECTIVES.contains(&word)) {
                object = words.next();
            }
            match (object, words.next()) {
                (Some("MATERIALIZED"), Some("VIEW")) => format!("{first} MATERIALIZED VIEW"),
                (Some("DATABASE"), Some("LINK")) => format!("{first} DATABASE LINK"),
                (Some(object @ ("PACKAGE" | "TYPE")), Some("BODY")) => format!("{first} {object} BODY"),
                (Some(object), _) => format!("{first} {object}"),
                (None, _) => first.to_owned(),
            }
        }
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(lines: &[&str]) -> Vec<Option<usize>> {
        let mut scanner = Scanner::default();
        lines
            .iter()
            .map(|line| match scanner.line(line) {
                LineEnd::Open => None,
                LineEnd::Terminated(at) => Some(at),
                LineEnd::TerminatedInQuote(at) => panic!("an open quote at {at}"),
            })
            .collect()
    }

    #[test]
    fn a_semicolon_at_the_end_of_a_line_ends_an_open_quote() {
        for line in ["select 'it''s;", "select q'[it's;", "select \"a ;  ", "select 'a' || 'b;"] {
            let at = line.find(';').unwrap();
            assert_eq!(Scanner::default().line(line), LineEnd::TerminatedInQuote(at), "{line}");
        }
        for line in ["select 'a;b", "select /* 'a;", "select 1 -- 'a;"] {
            assert_eq!(Scanner::default().line(line), LineEnd::Open, "{line}");
        }
    }

    #[test]
    fn a_semicolon_counts_at_the_end_of_code_only() {
        assert_eq!(ends(&["select 1 from dual;"]), [Some(18)]);
        assert_eq!(ends(&["commit ;  -- done; really"]), [Some(7)]);
        assert_eq!(ends(&["commit; /* a", "b */ ;"]), [None, Some(5)]);
        assert_eq!(ends(&["select ';' from dual", ";"]), [None, Some(0)]);
        assert_eq!(ends(&["select 'it''s; a", "';"]), [None, Some(1)]);
        assert_eq!(ends(&["select \"a; b", "\" from t;"]), [None, Some(8)]);
        assert_eq!(ends(&["select q'[it's; a", "];]' from dual;"]), [None, Some(14)]);
        assert_eq!(ends(&["select nq'!a';!' x;"]), [Some(18)]);
        assert_eq!(ends(&["select seq'a;' x;"]), [Some(16)]);
        assert_eq!(ends(&["-- only; a comment;"]), [None]);
        assert_eq!(ends(&["select 1; select 2;"]), [Some(18)]);
    }

    fn is_plsql(text: &str) -> bool {
        let mut kind = StatementKind::default();
        for line in text.lines() {
            kind.line(line);
        }
        kind.plsql()
    }

    #[test]
    fn stored_programs_and_blocks_are_plsql() {
        for text in [
            "begin null; end;",
            "/* c */ declare x int;",
            "<<outer>>\nbegin",
            "create procedure p as",
            "create or replace\n  -- why\n  package body x",
            "create or replace editionable trigger t",
            "create type t as object (a number);",
        ] {
            assert!(is_plsql(text), "{text}");
        }
        for text in [
            "create table procedure_t (a int)",
            "select 1",
            "create or replace view v",
            "create",
            "with x as (select 1)",
        ] {
            assert!(!is_plsql(text), "{text}");
        }
    }

    #[test]
    fn verbs_name_the_object() {
        for (text, expected) in [
            ("create or replace public synonym s for t", "CREATE SYNONYM"),
            ("create unique index i on t(a)", "CREATE INDEX"),
            ("/* x */ insert into t values (1)", "INSERT"),
            ("create global temporary table t (a int)", "CREATE TABLE"),
            ("alter package body p compile", "ALTER PACKAGE BODY"),
            ("declare x int; begin null; end;", "PL/SQL"),
        ] {
            assert_eq!(verb(text), expected);
        }
    }
}
