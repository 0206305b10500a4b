//! `bench plans`: the plans of TPC-H's 22 questions. Of each: expected beside actual rows, line by line, and the time
//! by the chosen plan beside the best one that hints make of it.
//!
//! The figures are no results of TPC-H.

mod questions;
mod tables;

use std::sync::Arc;

use common::{Error, Result};
use scalar::Datum;
use sql::Connection;

use super::BenchOptions;
use super::outcome::{Case, Outcome};
use crate::generate::{self, Suite, generate};
use crate::laboratory::Laboratory;
use crate::progress::{Progress, Silent};
use crate::text::grouped;
use crate::time::seconds;
use questions::{QUESTIONS, Question};
use tables::{REFERENCES, TABLES, fields, nullable};

/// The scale factor at scale 1.
const SCALE: f64 = 0.1;
/// Of fewer suppliers the generator gives a part the same one twice.
const LEAST_SCALE: f64 = 0.01;
/// The chosen plan may take twice the time of the best one.
const ASKED: f64 = 0.5;
/// An estimate is near when it is within this many times.
const NEAR: f64 = 10.0;
/// Required share of lines with near estimates.
const NEAR_SHARE: f64 = 0.8;

/// The hints that are tried; `{}` stands for the tables.
const HINTS: [&str; 5] = [
    "/*+ ordered */",
    "/*+ no_use_nl({}) */",
    "/*+ use_nl({}) */",
    "/*+ ordered use_nl({}) */",
    "/*+ ordered no_use_nl({}) */",
];

/// A line of a plan as it was executed.
struct Line {
    title: String,
    /// None where nothing is expected.
    expected: Option<f64>,
    actual: f64,
}

impl Line {
    fn is_near(&self) -> bool {
        self.expected.is_some_and(|expected| {
            let times = expected.max(1.0) / self.actual.max(1.0);
            (1.0 / NEAR..=NEAR).contains(&times)
        })
    }
}

pub(super) fn run(options: &BenchOptions, progress: &mut dyn Progress) -> Result<Outcome> {
    let home = super::home(options)?;
    let scale = (SCALE * options.scale).max(LEAST_SCALE);
    progress.step(&format!("TPC-H at scale factor {scale}"));
    let files = home.path().join("files");
    generate(&generate::Options { suite: Suite::TpcH, scale, table: None, out: files.clone() }, &mut Silent)?;
    let parameters = [("db_cache_size", format!("{}M", options.cache_mb))];
    let laboratory = Laboratory::create(Some(&home.path().join("highwater")), options.device.as_ref(), parameters)?;
    let mut connection = laboratory.connect()?;
    let rows = loaded(&mut connection, &files.display().to_string(), progress)?;
    let (mut cases, mut notes) = (Vec::new(), Vec::new());
    let (mut near, mut all) = (0, 0);
    for question in &QUESTIONS {
        let plain = question.text.replace("{} ", "");
        progress.step(&format!("question {}", question.number));
        let lines = lines(&mut connection, &plain)?;
        let off: Vec<&Line> = lines.iter().filter(|line| !line.is_near()).collect();
        near += lines.len() - off.len();
        all += lines.len();
        if let Some(line) = off.first() {
            let expected = line.expected.map_or_else(|| "-".to_owned(), |rows| grouped(rows.round() as u64));
            let actual = grouped(line.actual.round() as u64);
            notes.push(format!(
                "question {}: {} of {} lines off; the first: {} expected {expected}, actual {actual}",
                question.number,
                off.len(),
                lines.len(),
                line.title
            ));
        }
        let (case, note) = compared(&mut connection, question, &plain, options.runs)?;
        cases.push(case);
        notes.extend(note);
    }
    drop(connection);
    progress.step("closing");
    laboratory.close()?;
    progress.end();
    let share = f64::from(near as u32) / f64::from((all as u32).max(1));
    let first = vec![
        format!(
            "TPC-H at scale factor {scale}: {} rows in {} tables, with indexes of all keys and references and \
             statistics; {} MB of buffer cache; {} runs{}",
            grouped(rows),
            TABLES.len(),
            options.cache_mb,
            options.runs,
            if cfg!(debug_assertions) { "; A DEBUG BUILD: times mean nothing" } else { "" }
        ),
        format!(
            "expected rows within {NEAR} times of the actual ones: {near} of {all} lines of plans, {:.0} %, {:.0} % asked: {}",
            share * 100.0,
            NEAR_SHARE * 100.0,
            if share >= NEAR_SHARE { "reached" } else { "MISSED" }
        ),
    ];
    let notes = first.into_iter().chain(notes).collect();
    Ok(Outcome { name: "plans".to_owned(), cases, notes, skipped: Vec::new(), device: None })
}

/// Makes the tables from their files; returns the number of rows.
fn loaded(connection: &mut Connection, files: &str, progress: &mut dyn Progress) -> Result<u64> {
    connection.run(&format!("create directory tpch_files as '{files}'"))?;
    let mut rows = 0;
    for table in &TABLES {
        let name = table.name;
        progress.step(&format!("loading {name}"));
        for text in [
            format!(
                "create table x_{name} ({}) organization external (type oracle_loader default directory tpch_files \
                 access parameters (records delimited by newline fields terminated by '|' ({})) \
                 location ('{name}.tbl'))",
                nullable(table),
                fields(table)
            ),
            format!("create table {name} ({})", table.columns.join(", ")),
        ] {
            connection.run(&text)?;
        }
        rows += connection.run(&format!("insert into {name} select * from x_{name}"))?.rows.unwrap_or(0);
        for text in [
            "commit".to_owned(),
            format!("drop table x_{name}"),
            format!("alter table {name} add constraint {name}_pk primary key ({})", table.key),
        ] {
            connection.run(&text)?;
        }
    }
    for (number, (table, columns)) in REFERENCES.iter().enumerate() {
        connection.run(&format!("create index {table}_{number} on {table} ({columns})"))?;
    }
    for table in &TABLES {
        let name = table.name.to_uppercase();
        connection.run(&format!("begin dbms_stats.gather_table_stats(user, '{name}'); end;"))?;
    }
    connection.run("alter session set statistics_level = all")?;
    Ok(rows)
}

/// Executes a query and reads the lines of its plan, without that of the statement itself.
fn lines(connection: &mut Connection, text: &str) -> Result<Vec<Line>> {
    let (_, id) = timed(connection, text)?;
    let figures = format!(
        "select p.operation || ' ' || p.options || ' ' || p.object_name, p.cardinality, p.last_starts, \
         p.last_output_rows from v$sql_plan_statistics_all p where p.sql_id = '{id}' and p.id > 0 order by p.id"
    );
    let mut found = Vec::new();
    for row in connection.query(&figures)? {
        let number = |at: usize| match row.get(at) {
            Some(Datum::Number(bytes)) => Some(format::number::decode_f64(bytes)),
            _ => None,
        };
        let title = match row.first() {
            Some(Datum::Varchar2(text)) => text.trim().to_owned(),
            _ => String::new(),
        };
        let (starts, actual) = (number(2).unwrap_or(0.0), number(3).unwrap_or(0.0));
        // An operation that was not begun has no rows to compare.
        if starts == 0.0 {
            continue;
        }
        // Of a table that is looked up each time, what is expected is of one time.
        let times = if title.contains("INDEX") { starts } else { 1.0 };
        found.push(Line { title, expected: number(1).map(|rows| rows * times), actual });
    }
    if found.is_empty() { Err(Error::bug(format!("no plan of {text}"))) } else { Ok(found) }
}

/// Executes a query; returns its time in seconds and its SQL_ID.
fn timed(connection: &mut Connection, text: &str) -> Result<(f64, String)> {
    let clock = Arc::clone(connection.session().meter().clock());
    let from_us = clock.monotonic_us();
    connection.query(text)?;
    let time_s = seconds((clock.monotonic_us() - from_us).max(1));
    Ok((time_s, waits::sql_id(text)))
}

/// The chosen plan beside the fastest one of those that hints make, in queries a second. The second value: a note,
/// where no hint changes the plan and there is nothing to compare with.
fn compared(
    connection: &mut Connection,
    question: &Question,
    plain: &str,
    runs: u32,
) -> Result<(Case, Option<String>)> {
    let chosen_plan = plan(connection, plain)?;
    let mut others = Vec::new();
    for hint in HINTS {
        let text = question.text.replace("{} ", &format!("{} ", hint.replace("{}", question.tables)));
        timed(connection, &text)?;
        if plan(connection, &text)? != chosen_plan {
            others.push((hint, text, Vec::new()));
        }
    }
    let mut chosen = Vec::new();
    for _ in 0..runs {
        chosen.push(1.0 / timed(connection, plain)?.0);
        for (_, text, rates) in &mut others {
            rates.push(1.0 / timed(connection, text)?.0);
        }
    }
    let name = format!("question {}", question.number);
    let median = |rates: &Vec<f64>| crate::interval::median(rates).unwrap_or(0.0);
    let best = others.into_iter().max_by(|one, other| median(&one.2).total_cmp(&median(&other.2)));
    Ok(match best {
        Some((hint, _, rates)) => {
            let peer = hint.replace("({})", "");
            let peer = peer.trim_start_matches("/*+ ").trim_end_matches(" */");
            (Case::new(&name, "queries/s", peer, Some(ASKED), chosen, rates), None)
        }
        None => {
            let note = format!("{name}: none of the hints makes another plan");
            (Case::new(&name, "queries/s", "-", None, chosen, Vec::new()), Some(note))
        }
    })
}

/// The hash value of the plan by which a text was executed last.
fn plan(connection: &mut Connection, text: &str) -> Result<Vec<Vec<Datum>>> {
    let id = waits::sql_id(text);
    connection.query(&format!("select distinct plan_hash_value from v$sql_plan where sql_id = '{id}'"))
}
