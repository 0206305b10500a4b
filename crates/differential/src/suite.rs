//! Scripts of sqllogictest on Highwater: statements with the answers that other databases agreed on.
//!
//! The format is that of the original suite (a record is a few lines; answers are one value a line, or the MD5 of all
//! of them). The library for it brings more packages than this file has functions, so the file reads the few records of
//! the original suite itself.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;

use common::{Error, Result};
use md5::{Digest, Md5};
use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{BinaryOperator, Expr, visit_expressions_mut};
use sqlparser::dialect::OracleDialect;
use sqlparser::parser::Parser;

use crate::side::{Class, Ours, Way};

/// The name under which the suite's conditions know the dialect.
const LABEL: &str = "oracle";
/// Differences that are kept with their statements.
const KEPT: usize = 20;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    None,
    Rows,
    Values,
}

enum Record<'a> {
    Statement {
        sql: String,
        succeeds: bool,
    },
    Query {
        sql: String,
        types: &'a str,
        sort: Sort,
        expected: Vec<&'a str>,
    },
    Halt,
    /// Left to other databases by its conditions.
    Skipped,
}

/// The figures of a script.
#[derive(Default, Debug)]
pub struct Outcome {
    pub statements: u64,
    pub queries: u64,
    pub agreed: u64,
    /// Records that the script's conditions leave to other databases.
    pub skipped: u64,
    pub differing: u64,
    /// Answers that differ since `1 / 2` is 0 in the suite, as the other databases have it: they agree without the
    /// fractions of quotients.
    pub divided: u64,
    /// By error: the count, and the first statement.
    pub refused: BTreeMap<String, (u64, String)>,
    /// Full scans that cells have carried out.
    pub scans_by_cells: u64,
    /// Line, statement, expected and actual answer.
    pub differences: Vec<String>,
}

impl Outcome {
    pub fn add(&mut self, other: Self) {
        self.statements += other.statements;
        self.queries += other.queries;
        self.agreed += other.agreed;
        self.skipped += other.skipped;
        self.differing += other.differing;
        self.divided += other.divided;
        self.scans_by_cells += other.scans_by_cells;
        for (error, (count, first)) in other.refused {
            self.refused.entry(error).or_insert((0, first)).0 += count;
        }
        self.differences.extend(other.differences);
    }

    #[must_use]
    pub fn refusals(&self) -> u64 {
        self.refused.values().map(|(count, _)| count).sum()
    }

    fn differs(&mut self, text: String) {
        self.differing += 1;
        if self.differences.len() < KEPT {
            self.differences.push(text);
        }
    }

    fn refuse(&mut self, class: Class, why: &str, line: usize, sql: &str) {
        // Errors name their objects: the number tells them apart.
        let number = why.split_whitespace().next().unwrap_or_default().trim_end_matches(':');
        let kind = if class == Class::Unsupported { why.to_owned() } else { number.to_owned() };
        self.refused.entry(kind).or_insert_with(|| (0, format!("line {line}: {sql}: {why}"))).0 += 1;
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} queries: {} agree, {} differ, {} divide integers, {} statements of {} refused, {} records left to other databases",
            self.queries,
            self.agreed,
            self.differing,
            self.divided,
            self.refusals(),
            self.statements + self.queries,
            self.skipped
        )?;
        if self.scans_by_cells > 0 {
            write!(f, "; {} scans by cells", self.scans_by_cells)?;
        }
        Ok(())
    }
}

/// Runs a script on a new database.
///
/// # Errors
/// When the script cannot be read, is not of this format, or no database can be made.
pub fn run(script: &Path, way: Way) -> Result<Outcome> {
    let text = std::fs::read_to_string(script).map_err(|error| Error::bug(format!("{}: {error}", script.display())))?;
    let mut ours = Ours::start(way)?;
    let (mut outcome, mut tables) = (Outcome::default(), Vec::new());
    for record in records(&text) {
        let (line, record) = record?;
        match record {
            Record::Halt => break,
            Record::Skipped => outcome.skipped += 1,
            Record::Statement { sql, succeeds } => {
                outcome.statements += 1;
                let sql = ours_of(&sql, &mut tables);
                match (ours.execute(&sql), succeeds) {
                    (Ok(()), true) | (Err(_), false) => {}
                    (Ok(()), false) => outcome.differs(format!("line {line}: {sql}\n  is to be refused")),
                    (Err((class, why)), true) => outcome.refuse(class, &why, line, &sql),
                }
            }
            Record::Query { sql, types, sort, expected } => {
                outcome.queries += 1;
                let sql = ours_of(&sql, &mut tables);
                match ours.values(&sql) {
                    Ok(rows) => {
                        let found = printed(rows, types, sort);
                        match difference(&found, &expected) {
                            None => outcome.agreed += 1,
                            Some(_) if agrees_in_whole_numbers(&mut ours, &sql, types, sort, &expected) => {
                                outcome.divided += 1;
                            }
                            Some(why) => outcome.differs(format!("line {line}: {sql}\n  {why}")),
                        }
                    }
                    Err((class, why)) => outcome.refuse(class, &why, line, &sql),
                }
            }
        }
    }
    outcome.scans_by_cells = ours.scans_by_cells();
    Ok(outcome)
}

fn records(text: &str) -> impl Iterator<Item = Result<(usize, Record<'_>)>> {
    let mut lines = text.lines().zip(1..).peekable();
    std::iter::from_fn(move || {
        loop {
            let (mut line, mut number) = lines.find(|(line, _)| !line.trim().is_empty() && !line.starts_with('#'))?;
            let mut ours = true;
            while let Some((word, label)) =
                line.split_once(' ').filter(|(word, _)| matches!(*word, "skipif" | "onlyif"))
            {
                let label = label.split_whitespace().next().unwrap_or_default();
                ours &= (label == LABEL) == (word == "onlyif");
                (line, number) = lines.find(|(line, _)| !line.starts_with('#'))?;
            }
            let mut words = line.split_whitespace();
            let mut body = || {
                let mut body = Vec::new();
                while let Some((line, _)) = lines.next_if(|(line, _)| !line.trim().is_empty()) {
                    body.push(line);
                }
                body
            };
            let record = match words.next() {
                Some("hash-threshold") => continue,
                Some("halt") => Record::Halt,
                Some("statement") => Record::Statement { sql: body().join("\n"), succeeds: words.next() == Some("ok") },
                Some("query") => {
                    let types = words.next().unwrap_or_default();
                    let sort = match words.next() {
                        Some("rowsort") => Sort::Rows,
                        Some("valuesort") => Sort::Values,
                        _ => Sort::None,
                    };
                    let body = body();
                    let end = body.iter().position(|line| *line == "----").unwrap_or(body.len());
                    let expected = body.get(end + 1..).unwrap_or_default().to_vec();
                    Record::Query { sql: body[..end].join("\n"), types, sort, expected }
                }
                _ => return Some(Err(Error::bug(format!("line {number}: no record of this format: {line}")))),
            };
            return Some(Ok((number, if ours { record } else { Record::Skipped })));
        }
    })
}

/// A statement in the dialect: TEXT is replaced by a type of the dialect, and AS before a table's alias is dropped.
/// `tables`: those made so far.
fn ours_of(sql: &str, tables: &mut Vec<String>) -> String {
    let sql = sql.trim().trim_end_matches(';');
    let is_create = sql.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("create "));
    let mut words: Vec<&str> = sql.split(' ').collect();
    if is_create
        && let Some(at) =
            words.iter().position(|word| word.eq_ignore_ascii_case("table") || word.eq_ignore_ascii_case("view"))
        && let Some(name) = words.get(at + 1)
    {
        tables.push(name.split('(').next().unwrap_or_default().to_lowercase());
        let types: Vec<String> = words.iter().map(|word| typed(word)).collect();
        return types.join(" ");
    }
    let is_table =
        |word: &str| tables.iter().any(|table| table.eq_ignore_ascii_case(word.trim_start_matches(['(', ','])));
    let mut at = 1;
    while at + 1 < words.len() {
        if words[at].eq_ignore_ascii_case("as") && is_table(words[at - 1]) {
            words.remove(at);
        }
        at += 1;
    }
    words.join(" ")
}

fn typed(word: &str) -> String {
    let bare = word.trim_end_matches([',', ')', '\n']);
    if bare.eq_ignore_ascii_case("text") { format!("VARCHAR2(4000){}", &word[bare.len()..]) } else { word.to_owned() }
}

/// True: the query's answer is the expected one once its quotients have no fractions.
fn agrees_in_whole_numbers(ours: &mut Ours, sql: &str, types: &str, sort: Sort, expected: &[&str]) -> bool {
    with_whole_quotients(sql)
        .and_then(|whole| ours.values(&whole).ok())
        .is_some_and(|rows| difference(&printed(rows, types, sort), expected).is_none())
}

/// The query with `trunc(a / b)` for each `a / b`. None: it has no division, or cannot be read.
fn with_whole_quotients(sql: &str) -> Option<String> {
    let mut statements = Parser::parse_sql(&OracleDialect {}, sql).ok()?;
    let mut divides = false;
    let result = visit_expressions_mut(&mut statements, |expr| {
        match expr {
            Expr::BinaryOp { op: BinaryOperator::Divide, .. } => {
                divides = true;
                let Ok(whole) = Parser::new(&OracleDialect {})
                    .try_with_sql(&format!("trunc({expr})"))
                    .and_then(|mut parser| parser.parse_expr())
                else {
                    return ControlFlow::Break(());
                };
                *expr = whole;
            }
            // Two signs in a row would begin a comment.
            Expr::UnaryOp { expr: inner, .. } if matches!(&**inner, Expr::UnaryOp { .. }) => {
                let signed = std::mem::replace(&mut **inner, Expr::Wildcard(AttachedToken::empty()));
                **inner = Expr::Nested(Box::new(signed));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    });
    (divides && result.is_continue()).then(|| statements.first().map(ToString::to_string)).flatten()
}

/// Values as the suite prints them, one after another: `types` has a letter for each column.
fn printed(rows: Vec<Vec<Option<String>>>, types: &str, sort: Sort) -> Vec<String> {
    let types: Vec<char> = types.chars().collect();
    let value = |at: usize, value: Option<String>| match (value, types.get(at)) {
        (None, _) => "NULL".to_owned(),
        (Some(text), Some('I')) => integer(&text),
        (Some(text), Some('R')) => format!("{:.3}", text.parse::<f64>().unwrap_or(0.0)),
        (Some(text), _) if text.is_empty() => "(empty)".to_owned(),
        (Some(text), _) => text.chars().map(|c| if (' '..='~').contains(&c) { c } else { '@' }).collect(),
    };
    let mut rows: Vec<Vec<String>> =
        rows.into_iter().map(|row| row.into_iter().enumerate().map(|(at, text)| value(at, text)).collect()).collect();
    if sort == Sort::Rows {
        rows.sort();
    }
    let mut values: Vec<String> = rows.into_iter().flatten().collect();
    if sort == Sort::Values {
        values.sort();
    }
    values
}

/// The suite prints a number in a column of integers without its fraction, and a text that is no number as 0.
fn integer(text: &str) -> String {
    if text.parse::<f64>().is_err() {
        return "0".to_owned();
    }
    let whole = text.split('.').next().unwrap_or_default();
    match whole {
        "" | "-" => "0".to_owned(),
        _ if text.contains(['E', 'e']) => {
            text.parse::<f64>().map_or_else(|_| text.to_owned(), |number| format!("{:.0}", number.trunc()))
        }
        "-0" => "0".to_owned(),
        _ => whole.to_owned(),
    }
}

fn difference(found: &[String], expected: &[&str]) -> Option<String> {
    if let [hash] = expected
        && let Some((count, hash)) = hash.split_once(" values hashing to ")
    {
        let mut digest = Md5::new();
        for value in found {
            digest.update(value);
            digest.update("\n");
        }
        let ours: String = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let same = count.parse() == Ok(found.len()) && hash == ours;
        return (!same)
            .then(|| format!("expected {count} values of MD5 {hash}, found {}: {:?}", found.len(), first(found)));
    }
    let same = found.len() == expected.len() && found.iter().zip(expected).all(|(found, expected)| found == expected);
    (!same).then(|| format!("expected {:?}, found {:?}", expected.iter().take(12).collect::<Vec<_>>(), first(found)))
}

fn first(values: &[String]) -> Vec<&String> {
    values.iter().take(12).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_read_record_by_record() {
        let text = "hash-threshold 8\n\n# a comment\nstatement ok\nCREATE TABLE t1(a INTEGER,\nb TEXT)\n\nskipif oracle\nstatement ok\nDROP TABLE t1\n\n\
            onlyif mysql\n# a comment\nquery I rowsort label-1\nSELECT 1 DIV 2\n----\n0\n\nonlyif oracle\nquery IT valuesort\nSELECT a, b FROM t1 AS x\n----\n1\nNULL\n\nhalt\n";
        let found: Vec<_> = records(text).map(|record| record.unwrap()).collect();
        let mut tables = Vec::new();
        assert!(matches!(&found[0], (4, Record::Statement { sql, succeeds: true })
            if ours_of(sql, &mut tables) == "CREATE TABLE t1(a INTEGER,\nb VARCHAR2(4000))"));
        assert!(matches!(&found[1], (9, Record::Skipped)) && matches!(&found[2], (14, Record::Skipped)));
        assert!(matches!(&found[3], (20, Record::Query { sql, types: "IT", sort: Sort::Values, expected })
            if ours_of(sql, &mut tables) == "SELECT a, b FROM t1 x" && *expected == ["1", "NULL"]));
        assert!(matches!(&found[4], (_, Record::Halt)) && found.len() == 5);
    }

    #[test]
    fn quotients_lose_their_fractions() {
        let whole = |sql| with_whole_quotients(sql).unwrap();
        assert_eq!(whole("select - - a / 2 / b from t"), "SELECT trunc(trunc(-(-a) / 2) / b) FROM t");
        assert_eq!(with_whole_quotients("select '/' from t"), None);
        assert_eq!(with_whole_quotients("select from /"), None);
    }

    #[test]
    fn values_are_printed_as_the_suite_does() {
        let row = |values: &[&str]| values.iter().map(|value| Some((*value).to_owned())).collect::<Vec<_>>();
        let rows = vec![row(&["-.5", "2.5", "b\t"]), vec![Some("12.7".to_owned()), Some(".25".to_owned()), None]];
        assert_eq!(printed(rows, "IRT", Sort::None), ["0", "2.500", "b@", "12", "0.250", "NULL"]);
        assert_eq!(printed(vec![row(&["abc", "abc", "abc"])], "IRT", Sort::None), ["0", "0.000", "abc"]);
        let rows = vec![row(&["2"]), row(&["10"]), row(&["1"])];
        assert_eq!(printed(rows, "I", Sort::Rows), ["1", "10", "2"]);
        assert_eq!(difference(&["1".to_owned()], &["1 values hashing to b026324c6904b2a9cb4b88d6d61c81d1"]), None);
        assert!(difference(&["2".to_owned()], &["1 values hashing to b026324c6904b2a9cb4b88d6d61c81d1"]).is_some());
    }
}
