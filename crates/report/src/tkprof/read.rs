//! Reads the output of TKPROF back into the model: that of Oracle's releases from 8 on, and our own.
//!
//! ```text
//! TKPROF: Release …            head: release, trace file, sort
//! ******                       a rule parts the sections
//! count    = …                 legend
//! ******
//! SQL ID: … Plan Hash: …       from 11g on
//! its text, lines broken
//! call     count   cpu   …     one table each, then misses, optimizer goal or mode, user and depth
//! Rows  Row Source Operation   perhaps a plan, or several; Execution Plan (explain=) is passed over
//! Elapsed times include …      perhaps waits
//! ******
//! The following statement …    perhaps statements that could not be parsed
//! ******
//! OVERALL TOTALS …             twice
//! Trace file: …                the counts of the tail
//! ```
//!
//! TKPROF prints less than the trace has: times are cut to hundredths of a second, a plan's figures are means. So the
//! model holds the means as if every capture had them, times in steps of 10,000 us, and no unprinted figures. Reading
//! our own output and printing it again gives the same text.

use common::{Error, ErrorKind, Result};

use crate::trace::{KEPT_FAULTS, MisreadLine, Operation, Release};

use super::model::{
    Captured, ErrorCount, FailedParse, Figures, LobTotals, Plan, Report, RowSource, Statement, Totals, WaitTotals,
};
use super::options::SortKey;

/// Characters of a line that was not understood that are kept.
const KEPT_CHARACTERS: usize = 200;

/// TKPROF's output as a model.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Printed {
    /// Its header has the release and the line of the TKPROF that printed it; the reading of the trace is known by its
    /// lines only.
    pub report: Report,
    /// The order of the statements; empty is that of the trace.
    pub sort: Vec<SortKey>,
    /// Lines that were not understood.
    pub not_understood: u64,
    /// The first of them.
    pub misread: Vec<MisreadLine>,
    /// The file ends before the tail.
    pub cut: bool,
}

/// Reads TKPROF's output.
///
/// # Errors
///
/// HW-0801 for an empty text, HW-0803 for one without a table of calls.
pub fn read(text: &str) -> Result<Printed> {
    if text.trim().is_empty() {
        return Err(Error::own(ErrorKind::User, 801, "the file is empty"));
    }
    let mut reader = Reader::default();
    let lines: Vec<(u64, &str)> = (1..).zip(text.lines()).collect();
    let mut tables = false;
    for (first, section) in sections(&lines).into_iter().enumerate() {
        tables |= section.iter().any(|(_, line)| is_table(line));
        reader.section(first == 0, section);
    }
    if !tables {
        return Err(Error::own(ErrorKind::User, 803, "the file holds no table of TKPROF"));
    }
    reader.printed.cut = !reader.tail;
    Ok(reader.printed)
}

type Lines<'a, 't> = &'a [(u64, &'t str)];

/// The parts between rules of asterisks.
fn sections<'a, 't>(lines: Lines<'a, 't>) -> Vec<Lines<'a, 't>> {
    lines.split(|(_, line)| is_rule(line)).collect()
}

fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 40 && line.bytes().all(|b| b == b'*')
}

fn is_table(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    words.next() == Some("call") && words.next() == Some("count") && words.next() == Some("cpu")
}

/// The totals being read.
#[derive(Clone, Copy)]
enum TotalsSide {
    NonRecursive,
    Recursive,
}

#[derive(Default)]
struct Reader {
    printed: Printed,
    tail: bool,
}

impl Reader {
    fn misread(&mut self, (number, line): (u64, &str)) {
        self.printed.not_understood += 1;
        if self.printed.misread.len() < KEPT_FAULTS {
            let text = line.chars().take(KEPT_CHARACTERS).collect();
            self.printed.misread.push(MisreadLine { line: number, text });
        }
    }

    fn section(&mut self, first: bool, lines: Lines<'_, '_>) {
        let Some((_, start)) = lines.iter().find(|(_, line)| !line.trim().is_empty()) else { return };
        let start = start.trim();
        if first && !lines.iter().any(|(_, line)| is_table(line)) {
            return self.head(lines);
        }
        if start.starts_with("count ") && start.contains('=') {
            return;
        }
        if start.starts_with("The following statement") {
            return self.failures(lines);
        }
        if start.starts_with("Trace file: ") {
            return self.tail(lines);
        }
        match lines.iter().position(|(_, line)| line.starts_with("OVERALL TOTALS FOR ALL ")) {
            Some(at) => {
                self.before_totals(&lines[..at]);
                self.totals(&lines[at..]);
            }
            None if lines.iter().any(|(_, line)| is_table(line)) => self.statement(lines),
            None if start.starts_with("Not parsed: ORA-") => self.failure_of_ours(lines),
            None => lines.iter().filter(|(_, line)| !line.trim().is_empty()).for_each(|line| self.misread(*line)),
        }
    }

    fn head(&mut self, lines: Lines<'_, '_>) {
        for (_, line) in lines {
            let line = line.trim();
            let header = &mut self.printed.report.header;
            if line.starts_with("TKPROF: ") {
                header.banner = Some(line.to_owned());
                header.release = line.split_once("Release ").and_then(|(_, release)| Release::parse(release));
            } else if let Some(name) = line.strip_prefix("Trace file: ") {
                self.name(name);
            } else if let Some(sort) = line.strip_prefix("Sort options: ") {
                self.printed.sort = sort.split_ascii_whitespace().filter_map(SortKey::parse).collect();
            } else if let Some(recursive) = line.strip_prefix("Recursive calls: ") {
                self.printed.report.inclusive = recursive.contains("contained");
            }
        }
    }

    fn name(&mut self, name: &str) {
        let name = name.trim();
        if !name.is_empty() && name != "(unnamed)" {
            self.printed.report.name = Some(name.to_owned());
        }
    }

    /// Between the last rule and the totals stands nothing or, where the last rule is missing, a statement.
    fn before_totals(&mut self, lines: Lines<'_, '_>) {
        if lines.iter().any(|(_, line)| is_table(line)) {
            self.statement(lines);
        } else if lines.iter().any(|(_, line)| line.starts_with("Not parsed: ORA-")) {
            self.failure_of_ours(lines);
        } else {
            lines.iter().filter(|(_, line)| !line.trim().is_empty()).for_each(|line| self.misread(*line));
        }
    }

    fn statement(&mut self, lines: Lines<'_, '_>) {
        let at = lines.iter().position(|(_, line)| is_table(line)).unwrap_or(lines.len());
        let mut statement = Statement::default();
        let mut text = Vec::new();
        for (_, line) in &lines[..at] {
            if text.is_empty() && line.starts_with("SQL ID") {
                let (id, hash) = line.split_once("Plan Hash").unwrap_or((line, ""));
                statement.sql_id = id.split(':').nth(1).map(|id| id.trim().to_owned()).filter(|id| !id.is_empty());
                statement.plan_hash = hash.trim_start_matches(':').trim().parse().ok();
            } else if text.is_empty() && statement.plan_hash.is_none() && line.starts_with("Plan Hash:") {
                statement.plan_hash = line[10..].trim().parse().ok();
            } else if line.trim() == "(the text is not all there)" {
                statement.incomplete = true;
            } else if !(text.is_empty() && line.trim().is_empty()) {
                text.push(*line);
            }
        }
        while text.last().is_some_and(|line| line.trim().is_empty()) {
            text.pop();
        }
        let text = text.join("\n");
        if !text.is_empty() && !text.starts_with("(no text: ") {
            statement.sql = Some(text);
        }
        let mut body = Body::default();
        for line in &lines[at..] {
            if !body.take(line.1) {
                self.misread(*line);
            }
        }
        body.finish_plan();
        statement.parse = body.parse;
        statement.execute = body.execute;
        statement.fetch = body.fetch;
        statement.plans = body.plans;
        statement.waits = body.waits;
        statement.user = body.user;
        statement.depth = body.depth;
        statement.goal = body.goal;
        statement.errors = body.errors;
        self.printed.report.statements.push(statement);
    }

    fn totals(&mut self, lines: Lines<'_, '_>) {
        let mut body = Body::default();
        let mut side: Option<TotalsSide> = None;
        let mut lobs = false;
        for (at, line) in lines.iter().enumerate() {
            let text = line.1;
            if let Some(which) = text.strip_prefix("OVERALL TOTALS FOR ALL ") {
                self.end_totals(side, &mut body);
                side = Some(if which.starts_with("NON-") { TotalsSide::NonRecursive } else { TotalsSide::Recursive });
            } else if text.starts_with("CALLS ON LOBS") {
                self.end_totals(side.take(), &mut body);
                lobs = true;
            } else if lobs && self.lob(text) {
            } else if text.trim_start().starts_with("Trace file: ") {
                self.end_totals(side.take(), &mut body);
                return self.tail(&lines[at..]);
            } else if !(is_session_count(text) || body.take(text)) {
                self.misread(*line);
            }
        }
        self.end_totals(side, &mut body);
    }

    fn end_totals(&mut self, side: Option<TotalsSide>, body: &mut Body) {
        let Body { parse, execute, fetch, waits, .. } = std::mem::take(body);
        let totals = Totals { parse, execute, fetch, waits };
        match side {
            Some(TotalsSide::NonRecursive) => self.printed.report.non_recursive = totals,
            Some(TotalsSide::Recursive) => self.printed.report.recursive = totals,
            None => {}
        }
    }

    /// A line of our table of calls on LOBs.
    fn lob(&mut self, line: &str) -> bool {
        let words: Vec<_> = line.split_ascii_whitespace().collect();
        let [operation, count, cpu, elapsed, disk, query, current, bytes] = words[..] else { return false };
        let figures = || {
            Some(Figures {
                count: count.parse().ok()?,
                cpu: time(cpu)?,
                elapsed: time(elapsed)?,
                disk: disk.parse().ok()?,
                query: query.parse().ok()?,
                current: current.parse().ok()?,
                ..Figures::default()
            })
        };
        let Some((figures, bytes)) = figures().zip(bytes.parse().ok()) else { return false };
        self.printed.report.lob_calls.push(LobTotals { operation: operation.to_owned(), bytes, figures });
        true
    }

    /// Oracle's list of statements that could not be parsed: text, then `Error encountered: ORA-nnnnn`, dashes between
    /// them.
    fn failures(&mut self, lines: Lines<'_, '_>) {
        let mut text: Vec<&str> = Vec::new();
        for (_, line) in lines {
            let trimmed = line.trim();
            if trimmed.starts_with("The following statement") || is_dashes(trimmed) {
                text.clear();
            } else if let Some(error) = trimmed.strip_prefix("Error encountered: ORA-") {
                self.failure(&text, error.trim().parse().ok(), 1);
                text.clear();
            } else if !(trimmed.is_empty() && text.is_empty()) {
                text.push(line);
            }
        }
    }

    /// Ours: `Not parsed: ORA-nnnnn (times)`, then the text.
    fn failure_of_ours(&mut self, lines: Lines<'_, '_>) {
        let Some(at) = lines.iter().position(|(_, line)| line.starts_with("Not parsed: ORA-")) else { return };
        let head = &lines[at].1["Not parsed: ORA-".len()..];
        let (error, count) = head.split_once(' ').unwrap_or((head, ""));
        let count = count.trim_matches(['(', ')', ' ']).parse().unwrap_or(1);
        let text: Vec<_> =
            lines[at + 1..].iter().map(|(_, line)| *line).skip_while(|line| line.trim().is_empty()).collect();
        self.failure(&text, error.parse().ok(), count);
    }

    fn failure(&mut self, text: &[&str], error: Option<u32>, count: u64) {
        let sql = text.join("\n");
        self.printed.report.parse_errors.push(FailedParse {
            sql: sql.trim_end().to_owned(),
            error: error.unwrap_or_default(),
            user: None,
            depth: None,
            count,
        });
    }

    fn tail(&mut self, lines: Lines<'_, '_>) {
        self.tail = true;
        let report = &mut self.printed.report;
        for (_, line) in lines {
            let line = line.trim();
            if let Some(release) = line.strip_prefix("Written by release: ") {
                report.header.release = Release::parse(release);
                continue;
            }
            // Lines of our own output about the reading of the trace follow: not part of the model.
            if line.starts_with("The trace is not whole") || line.ends_with("were not understood. The first:") {
                break;
            }
            let Some((count, what)) = line.split_once(char::is_whitespace) else { continue };
            let Ok(count) = count.parse::<u64>() else { continue };
            let what: Vec<_> = what.split_ascii_whitespace().collect();
            match what.join(" ").as_str() {
                "session in tracefile." | "sessions in tracefile." | "session(s) in the trace." => {
                    report.sessions = count
                }
                "user SQL statements in trace file." | "user SQL statements." => report.user_statements = count,
                "internal SQL statements in trace file." | "internal SQL statements." => {
                    report.internal_statements = count
                }
                "lines in trace file." | "lines in the trace file." => report.reading.lines = count,
                "elapsed seconds in trace file." | "seconds from the first call to the last." => {
                    report.elapsed = i64::try_from(count).ok().and_then(|seconds| seconds.checked_mul(1_000_000));
                }
                "commits." => report.transactions.commits = count,
                "rollbacks." => report.transactions.rollbacks = count,
                _ => {}
            }
        }
    }
}

fn is_dashes(line: &str) -> bool {
    line.len() >= 3 && line.bytes().all(|b| b == b'-' || b == b' ')
}

/// `    2  user  SQL statements in session.`, which the tail says again.
fn is_session_count(line: &str) -> bool {
    let line = line.trim_end();
    line.ends_with("in session.") || line.ends_with("EXPLAINed in this session.")
}

/// The part of a body that the lines belong to.
#[derive(Clone, Copy, Default, PartialEq)]
enum BodyPart {
    #[default]
    Figures,
    Plan,
    /// `Execution Plan`: the plan of EXPLAIN PLAN, not the executed one.
    Explained,
    Waits,
}

/// A row source that has others below it.
struct Above {
    level: u32,
    id: u32,
    children: u32,
}

/// The lines behind a statement's text, or behind the heading of the totals.
#[derive(Default)]
struct Body {
    part: BodyPart,
    parse: Figures,
    execute: Figures,
    fetch: Figures,
    plans: Vec<Plan>,
    plan: Plan,
    /// The row sources of the plan that the next one may be below.
    above: Vec<Above>,
    /// Row sources at its top.
    roots: u32,
    /// Columns before a row source's operation: rows, or first, mean and most.
    columns: usize,
    captured: u64,
    waits: Vec<WaitTotals>,
    user: Option<u32>,
    depth: u32,
    goal: Option<u32>,
    errors: Vec<ErrorCount>,
}

impl Body {
    /// Takes a line; false when it is not understood.
    fn take(&mut self, line: &str) -> bool {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            if self.part == BodyPart::Plan && !self.plan.row_sources.is_empty() {
                self.finish_plan();
                self.part = BodyPart::Figures;
            } else if self.part == BodyPart::Explained {
                self.part = BodyPart::Figures;
            }
            return true;
        }
        if is_dashes(trimmed) || is_table(line) || self.heading(trimmed) {
            return true;
        }
        match self.part {
            BodyPart::Plan => self.row_source(line).is_some(),
            BodyPart::Explained => true,
            BodyPart::Waits => self.wait(trimmed).is_some(),
            BodyPart::Figures => self.row(trimmed).is_some(),
        }
    }

    /// A heading, or a line by itself.
    fn heading(&mut self, line: &str) -> bool {
        let number = |text: &str| text.trim().parse::<i64>().ok();
        if let Some(count) = line.strip_prefix("Misses in library cache during parse:").and_then(number) {
            self.parse.misses = count;
        } else if let Some(count) = line.strip_prefix("Misses in library cache during execute:").and_then(number) {
            self.execute.misses = count;
        } else if let Some(count) = line.strip_prefix("Misses in library cache during fetch:").and_then(number) {
            self.fetch.misses = count;
        } else if let Some(goal) = line.strip_prefix("Optimizer mode:").or_else(|| line.strip_prefix("Optimizer goal:"))
        {
            self.goal = match goal.trim() {
                "ALL_ROWS" => Some(1),
                "FIRST_ROWS" => Some(2),
                "RULE" => Some(3),
                "CHOOSE" => Some(4),
                other => other.parse().ok(),
            };
        } else if let Some(user) = line.strip_prefix("Parsing user id:") {
            let name = user.split_ascii_whitespace().next().unwrap_or_default();
            self.user = if name == "SYS" { Some(0) } else { name.parse().ok() };
            let depth = user.split_once("recursive depth:").map(|(_, depth)| depth.trim().trim_end_matches(')'));
            self.depth = depth.and_then(|depth| depth.parse().ok()).unwrap_or_default();
        } else if let Some(error) = line.strip_prefix("Errors raised: ORA-") {
            let (number, count) = error.split_once(' ').unwrap_or((error, ""));
            let count = count.trim_matches(['(', ')']).parse().unwrap_or(1);
            let Ok(error) = number.parse() else { return false };
            self.errors.push(ErrorCount { error, count });
        } else if let Some(count) = line.strip_prefix("Number of plan statistics captured:") {
            self.finish_plan();
            self.captured = count.trim().parse().unwrap_or(1);
        } else if line.starts_with("Rows") && line.ends_with("Row Source Operation") {
            if !self.plan.row_sources.is_empty() {
                self.finish_plan();
            }
            self.columns = if line.contains("(1st)") { 3 } else { 1 };
            self.part = BodyPart::Plan;
        } else if line.starts_with("Rows") && line.ends_with("Execution Plan") {
            self.finish_plan();
            self.part = BodyPart::Explained;
        } else if line.starts_with("Elapsed times include waiting on") || line.starts_with("Waits during these calls") {
            self.finish_plan();
            self.part = BodyPart::Waits;
        } else {
            let ours = line.strip_prefix("Plan ").is_some_and(|rest| rest.contains(" of "));
            return ours || line.starts_with("Event waited on") || line.starts_with("-----");
        }
        true
    }

    /// A row of the table of calls.
    fn row(&mut self, line: &str) -> Option<()> {
        let words: Vec<_> = line.split_ascii_whitespace().collect();
        let [call, count, cpu, elapsed, disk, query, current, rows] = words[..] else { return None };
        let figures = Figures {
            count: count.parse().ok()?,
            cpu: time(cpu)?,
            elapsed: time(elapsed)?,
            disk: disk.parse().ok()?,
            query: query.parse().ok()?,
            current: current.parse().ok()?,
            rows: rows.parse().ok()?,
            misses: 0,
        };
        match call {
            "Parse" => self.parse = figures,
            "Execute" => self.execute = figures,
            "Fetch" => self.fetch = figures,
            "total" => {}
            _ => return None,
        }
        Some(())
    }

    fn wait(&mut self, line: &str) -> Option<()> {
        let words: Vec<_> = line.split_ascii_whitespace().collect();
        let (event, figures) = words.split_at(words.len().checked_sub(3)?);
        let [count, max, total] = figures else { return None };
        if event.is_empty() {
            return None;
        }
        // Names hold single blanks only, so that joining gives the name.
        self.waits.push(WaitTotals {
            event: event.join(" "),
            count: count.parse().ok()?,
            max: time(max)?,
            total: time(total)?,
        });
        Some(())
    }

    fn row_source(&mut self, line: &str) -> Option<()> {
        let mut rest = line;
        let mut rows = Vec::with_capacity(3);
        for _ in 0..self.columns {
            rest = rest.trim_start();
            let end = rest.find(' ')?;
            let word = &rest[..end];
            rows.push(if word == "-" { None } else { Some(word.parse::<i64>().ok()?) });
            rest = &rest[end..];
        }
        let operation = rest.trim_start();
        // Two blanks part the figures from the operation of the root; each level has one more.
        let level = u32::try_from((rest.len() - operation.len()).saturating_sub(2)).ok()?;
        let (operation, object) = match operation.rsplit_once("(object id ") {
            Some((before, id)) => (before, id.trim_end().trim_end_matches(')').parse().ok()),
            None => (operation, None),
        };
        let operation = Operation::parse(operation);
        let captured = self.captured.max(1);
        let figures = operation.figures;
        let mean = |value: Option<i64>| mean(value, captured);
        let mut source = RowSource {
            id: u32::try_from(self.plan.row_sources.len() + 1).ok()?,
            parent: None,
            position: None,
            level,
            operation: operation.name.to_owned(),
            object,
            rows: mean(rows[rows.len() / 2]),
            query: mean(figures.query),
            reads: mean(figures.reads),
            writes: mean(figures.writes),
            elapsed: mean(figures.elapsed),
            starts: mean(figures.starts),
            cost: figures.cost,
            size: figures.size,
            cardinality: figures.cardinality,
        };
        source.rows.first = rows[0];
        source.rows.max = rows[rows.len() - 1];
        while self.above.last().is_some_and(|above| above.level >= level) {
            self.above.pop();
        }
        let children = match self.above.last_mut() {
            Some(above) => &mut above.children,
            None => &mut self.roots,
        };
        *children += 1;
        source.position = Some(*children);
        source.parent = Some(self.above.last().map_or(0, |above| above.id));
        self.above.push(Above { level, id: source.id, children: 0 });
        self.plan.row_sources.push(source);
        Some(())
    }

    fn finish_plan(&mut self) {
        if !self.plan.row_sources.is_empty() {
            let mut plan = std::mem::take(&mut self.plan);
            plan.captured = self.captured.max(1);
            self.plans.push(plan);
            self.captured = 0;
            self.above.clear();
            self.roots = 0;
        }
    }
}

/// A printed mean, as if every capture had just that.
fn mean(value: Option<i64>, captured: u64) -> Captured {
    let Some(value) = value else { return Captured::default() };
    let sum = i64::try_from(captured).map_or(i64::MAX, |captured| value.saturating_mul(captured));
    Captured { first: Some(value), max: Some(value), sum, count: captured }
}

/// `12.34` as microseconds; a decimal comma is as good.
fn time(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once(['.', ',']).unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if part.len() > 6 || !digits(part) || !digits(whole.trim_start_matches('-')) || whole.is_empty() {
        return None;
    }
    let part: i64 = format!("{part:0<6}").parse().ok()?;
    let whole = whole.parse::<i64>().ok()?.checked_mul(1_000_000)?;
    whole.checked_add(if text.starts_with('-') { -part } else { part })
}
