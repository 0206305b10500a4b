//! Top statements. Each section's lines hold the figures that it prints.

use std::collections::{HashMap, HashSet};

use super::super::records::{SqlStatement, SqlText};
use super::{Pair, descending, percent, some};
use crate::figure::Figure;
use crate::model::{Report, SqlLine, SqlOrder, SqlSection};

/// A statement is listed when it has more than this share of the total.
const LEAST_PERCENT: f64 = 1.0;

/// Statements of a section at most.
const MOST: usize = 65;

/// Oracle's number of the command that is a PL/SQL block.
const PLSQL_BLOCK: u64 = 47;

/// Figures of a statement within the window.
struct StatementWork<'a> {
    statement: &'a SqlStatement,
    executions: f64,
    parse_calls: f64,
    gets: f64,
    reads: f64,
    rows: f64,
    cpu_s: f64,
    elapsed_s: f64,
}

impl<'a> StatementWork<'a> {
    /// A statement that left the cursor cache and came back counts anew: if a counter fell, all of them belong to the
    /// window.
    fn of(now: &'a SqlStatement, before: Option<&SqlStatement>) -> Self {
        let counters = |statement: &SqlStatement| {
            [
                statement.executions,
                statement.parse_calls,
                statement.gets,
                statement.reads,
                statement.rows,
                statement.cpu_us,
                statement.elapsed_us,
            ]
        };
        let last = counters(now);
        let first = before.map_or([0; 7], counters);
        let anew = last.iter().zip(&first).any(|(last, first)| last < first);
        let mut since = [0.0; 7];
        for (at, value) in since.iter_mut().enumerate() {
            *value = (last[at] - if anew { 0 } else { first[at] }) as f64;
        }
        let [executions, parse_calls, gets, reads, rows, cpu_us, elapsed_us] = since;
        let (cpu_s, elapsed_s) = (cpu_us / 1e6, elapsed_us / 1e6);
        Self { statement: now, executions, parse_calls, gets, reads, rows, cpu_s, elapsed_s }
    }

    fn measure(&self, order: SqlOrder) -> f64 {
        match order {
            SqlOrder::Cpu => self.cpu_s,
            SqlOrder::Elapsed => self.elapsed_s,
            SqlOrder::Gets => self.gets,
            SqlOrder::Reads => self.reads,
            SqlOrder::Executions => self.executions,
            SqlOrder::ParseCalls => self.parse_calls,
            _ => 0.0,
        }
    }
}

impl Pair<'_> {
    pub(super) fn sql(&self, report: &mut Report) {
        let before: HashMap<&str, &SqlStatement> =
            self.begin.sql.iter().map(|statement| (statement.sql_id.as_str(), statement)).collect();
        let works: Vec<StatementWork<'_>> = self
            .end
            .sql
            .iter()
            .map(|statement| StatementWork::of(statement, before.get(statement.sql_id.as_str()).copied()))
            .collect();
        let orders = [
            SqlOrder::Elapsed,
            SqlOrder::Cpu,
            SqlOrder::Gets,
            SqlOrder::Reads,
            SqlOrder::Executions,
            SqlOrder::ParseCalls,
        ];
        let mut sections: Vec<SqlSection> =
            orders.into_iter().filter_map(|order| self.sql_section(order, &works)).collect();
        self.fill_texts(&mut sections);
        report.sql = some(sections);
    }

    /// Puts the text of each listed statement in its lines, with single spaces.
    fn fill_texts(&self, sections: &mut [SqlSection]) {
        let lines = || sections.iter().flat_map(|section| &section.statements);
        let listed: HashSet<&str> = lines().filter_map(|line| line.sql_id.as_deref()).collect();
        let mut pieces: HashMap<&str, Vec<&SqlText>> = HashMap::new();
        for piece in self.end.sql_texts.iter().filter(|piece| listed.contains(piece.sql_id.as_str())) {
            pieces.entry(&piece.sql_id).or_default().push(piece);
        }
        let whole = |mut pieces: Vec<&SqlText>| {
            pieces.sort_by_key(|piece| piece.piece);
            let text: String = pieces.into_iter().map(|piece| piece.text.as_str()).collect();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let texts: HashMap<String, String> =
            pieces.into_iter().map(|(id, pieces)| (id.to_owned(), whole(pieces))).collect();
        for line in sections.iter_mut().flat_map(|section| &mut section.statements) {
            if let Some(text) = line.sql_id.as_ref().and_then(|id| texts.get(id)) {
                line.text.clone_from(text);
            }
        }
    }

    /// The total of which a section's shares are parts.
    fn sql_total(&self, order: SqlOrder) -> Option<f64> {
        match order {
            SqlOrder::Cpu => self.time_model_us("DB CPU").map(|micros| micros / 1e6),
            SqlOrder::Elapsed => self.time_model_us("DB time").map(|micros| micros / 1e6),
            SqlOrder::Gets => self.statistic("session logical reads"),
            SqlOrder::Reads => self.statistic("physical reads"),
            SqlOrder::Executions => self.statistic("execute count"),
            SqlOrder::ParseCalls => self.statistic("parse count (total)"),
            _ => None,
        }
    }

    fn sql_section(&self, order: SqlOrder, works: &[StatementWork<'_>]) -> Option<SqlSection> {
        let total = self.sql_total(order);
        let share = |work: &StatementWork<'_>| percent(work.measure(order), total?);
        let listed = |work: &&StatementWork<'_>| {
            work.measure(order) > 0.0 && share(work).is_none_or(|share| share > LEAST_PERCENT)
        };
        let mut top: Vec<&StatementWork<'_>> = works.iter().filter(listed).collect();
        descending(&mut top, |work| work.measure(order), |_| 0.0, |work| &work.statement.sql_id);
        top.truncate(MOST);
        // A block's figures include the gets and reads of its statements.
        let without_blocks = matches!(order, SqlOrder::Gets | SqlOrder::Reads);
        let captured: f64 = works
            .iter()
            .filter(|work| !without_blocks || work.statement.command != PLSQL_BLOCK)
            .map(|work| work.measure(order))
            .sum();
        let statements: Vec<SqlLine> = top.into_iter().map(|work| self.sql_line(order, work, share(work))).collect();
        (!statements.is_empty()).then(|| SqlSection {
            order,
            captured_percent: total.and_then(|total| percent(captured, total)),
            statements,
        })
    }

    fn sql_line(&self, order: SqlOrder, work: &StatementWork<'_>, percent: Option<f64>) -> SqlLine {
        let id = &work.statement.sql_id;
        let is = |orders: &[SqlOrder]| orders.contains(&order);
        let timed = !is(&[SqlOrder::ParseCalls]);
        SqlLine {
            sql_id: Some(id.clone()),
            module: Some(work.statement.module.clone()).filter(|module| !module.is_empty()),
            elapsed_s: timed.then_some(Figure::exact(work.elapsed_s)),
            cpu_s: timed.then_some(Figure::exact(work.cpu_s)),
            gets: is(&[SqlOrder::Cpu, SqlOrder::Gets]).then_some(work.gets),
            reads: is(&[SqlOrder::Elapsed, SqlOrder::Reads]).then_some(work.reads),
            executions: Some(work.executions),
            rows: is(&[SqlOrder::Executions]).then_some(work.rows),
            parse_calls: is(&[SqlOrder::ParseCalls]).then_some(work.parse_calls),
            // Statspack prints no share of executions.
            percent: percent.filter(|_| order != SqlOrder::Executions),
            ..SqlLine::default()
        }
    }
}
