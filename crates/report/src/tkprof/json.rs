//! The shape of `highwater tkprof --json`. Times are seconds; missing values are null or absent.

use serde::{Deserialize, Serialize};

use crate::profile::ProfileJson;
use crate::trace::{Header, Reading, TimeUnit};

use super::model::{Captured, Figures, Plan, Report, Statement, Totals, WaitTotals};
use super::options::Options;

/// The whole document.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ReportJson {
    pub trace: TraceJson,
    /// The statements selected by the options, in their order.
    pub statements: Vec<StatementJson>,
    pub totals: BothTotalsJson,
    /// Also counted in `totals.non_recursive`.
    pub waits_without_cursor: Vec<WaitJson>,
    pub parse_errors: Vec<ParseErrorJson>,
    pub lob_calls: Vec<LobJson>,
    pub transactions: TransactionsJson,
    /// The profile, on request: [`crate::profile::json`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub profile: Option<ProfileJson>,
}

/// The file and the quality of its reading.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TraceJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The unit of e, ela and tim in this trace.
    pub time_unit: TimeUnit,
    pub time_unit_ns: u64,
    /// Recursive calls are left in the figures of their caller.
    pub inclusive: bool,
    pub sort: String,
    pub sessions: u64,
    pub user_statements: u64,
    pub internal_statements: u64,
    pub unique_statements: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_s: Option<f64>,
    pub header: Header,
    pub reading: Reading,
}

/// One statement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StatementJson {
    pub sql_id: Option<String>,
    pub sql: Option<String>,
    pub incomplete: bool,
    pub hash_value: Option<u64>,
    pub plan_hash: Option<u64>,
    pub command: Option<u32>,
    pub user_id: Option<u32>,
    pub depth: u32,
    pub optimizer_goal: Option<String>,
    /// Number of parses in the trace.
    pub cursors: u64,
    pub parse: FiguresJson,
    pub execute: FiguresJson,
    pub fetch: FiguresJson,
    /// Beside the totals; below depth 0 it is contained in the caller's figures.
    pub close: CloseJson,
    pub row_sources: Vec<RowSourceJson>,
    pub waits: Vec<WaitJson>,
    pub errors: Vec<ErrorJson>,
}

/// Sums over calls of one kind.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct FiguresJson {
    pub count: u64,
    pub cpu_s: f64,
    pub elapsed_s: f64,
    pub disk: i64,
    pub query: i64,
    pub current: i64,
    pub rows: i64,
    pub misses: i64,
}

/// Sums over CLOSE calls.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct CloseJson {
    pub count: u64,
    pub cpu_s: f64,
    pub elapsed_s: f64,
}

/// One row source. Figures without suffix are means over the captures, as the printed report has them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RowSourceJson {
    /// From 1, one for each shape of plan that the statement had.
    pub plan: u64,
    /// Number of captures of that plan.
    pub captured: u64,
    pub id: u32,
    pub parent: Option<u32>,
    pub position: Option<u32>,
    pub level: u32,
    pub operation: String,
    pub object: Option<i64>,
    pub rows_first: Option<i64>,
    pub rows_avg: Option<i64>,
    pub rows_max: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cr: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pw: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_us: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cardinality: Option<i64>,
}

/// All waits for one event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WaitJson {
    pub event: String,
    pub count: u64,
    pub max_s: f64,
    pub total_s: f64,
}

/// The number of times an error was raised.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ErrorJson {
    pub error: u32,
    pub count: u64,
}

/// A statement that could not be parsed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ParseErrorJson {
    pub sql: String,
    pub error: u32,
    pub user_id: Option<u32>,
    pub depth: Option<u32>,
    pub count: u64,
}

/// Calls on LOBs of one kind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LobJson {
    pub operation: String,
    pub bytes: i64,
    #[serde(flatten)]
    pub figures: FiguresJson,
}

/// The user's calls, and those made on their behalf.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BothTotalsJson {
    pub non_recursive: TotalsJson,
    pub recursive: TotalsJson,
}

/// Sums over statements.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TotalsJson {
    pub parse: FiguresJson,
    pub execute: FiguresJson,
    pub fetch: FiguresJson,
    pub waits: Vec<WaitJson>,
}

/// Ends of transactions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TransactionsJson {
    pub commits: u64,
    pub rollbacks: u64,
    pub read_only: u64,
}

/// The document for a report.
#[must_use]
pub fn json(report: &Report, options: &Options) -> ReportJson {
    let header = &report.header;
    let unit = header.time_unit();
    ReportJson {
        trace: TraceJson {
            name: report.name.clone().or_else(|| header.trace_file.clone()),
            time_unit: unit,
            time_unit_ns: unit.elapsed_nanoseconds(),
            inclusive: report.inclusive,
            sort: options.sort_text(),
            sessions: report.sessions,
            user_statements: report.user_statements,
            internal_statements: report.internal_statements,
            unique_statements: report.statements.len() as u64,
            elapsed_s: report.elapsed.map(seconds),
            header: header.clone(),
            reading: report.reading.clone(),
        },
        statements: options.listed(&report.statements).into_iter().map(|s| statement(s, options)).collect(),
        totals: BothTotalsJson {
            non_recursive: totals(&report.non_recursive, options),
            recursive: totals(&report.recursive, options),
        },
        waits_without_cursor: waits(&report.waits_without_cursor, options),
        parse_errors: report
            .parse_errors
            .iter()
            .map(|e| ParseErrorJson {
                sql: e.sql.clone(),
                error: e.error,
                user_id: e.user,
                depth: e.depth,
                count: e.count,
            })
            .collect(),
        lob_calls: report
            .lob_calls
            .iter()
            .map(|l| LobJson { operation: l.operation.clone(), bytes: l.bytes, figures: figures(&l.figures) })
            .collect(),
        transactions: TransactionsJson {
            commits: report.transactions.commits,
            rollbacks: report.transactions.rollbacks,
            read_only: report.transactions.read_only,
        },
        profile: None,
    }
}

fn statement(statement: &Statement, options: &Options) -> StatementJson {
    StatementJson {
        sql_id: statement.sql_id.clone(),
        sql: statement.sql.clone(),
        incomplete: statement.incomplete,
        hash_value: statement.hash_value,
        plan_hash: statement.plan_hash,
        command: statement.command,
        user_id: statement.user,
        depth: statement.depth,
        optimizer_goal: statement.goal.map(goal),
        cursors: statement.cursors,
        parse: figures(&statement.parse),
        execute: figures(&statement.execute),
        fetch: figures(&statement.fetch),
        close: CloseJson {
            count: statement.close.count,
            cpu_s: seconds(statement.close.cpu),
            elapsed_s: seconds(statement.close.elapsed),
        },
        row_sources: (1..).zip(&statement.plans).flat_map(|(number, plan)| row_sources(number, plan)).collect(),
        waits: waits(&statement.waits, options),
        errors: statement.errors.iter().map(|e| ErrorJson { error: e.error, count: e.count }).collect(),
    }
}

fn row_sources(number: u64, plan: &Plan) -> impl Iterator<Item = RowSourceJson> {
    plan.row_sources.iter().map(move |line| RowSourceJson {
        plan: number,
        captured: plan.captured,
        id: line.id,
        parent: line.parent,
        position: line.position,
        level: line.level,
        operation: line.operation.clone(),
        object: line.object,
        rows_first: line.rows.first,
        rows_avg: line.rows.average(),
        rows_max: line.rows.max,
        cr: Captured::average(&line.query),
        pr: line.reads.average(),
        pw: line.writes.average(),
        time_us: line.elapsed.average(),
        starts: line.starts.average(),
        cost: line.cost,
        size: line.size,
        cardinality: line.cardinality,
    })
}

fn totals(totals: &Totals, options: &Options) -> TotalsJson {
    TotalsJson {
        parse: figures(&totals.parse),
        execute: figures(&totals.execute),
        fetch: figures(&totals.fetch),
        waits: waits(&totals.waits, options),
    }
}

fn figures(figures: &Figures) -> FiguresJson {
    FiguresJson {
        count: figures.count,
        cpu_s: seconds(figures.cpu),
        elapsed_s: seconds(figures.elapsed),
        disk: figures.disk,
        query: figures.query,
        current: figures.current,
        rows: figures.rows,
        misses: figures.misses,
    }
}

fn waits(waits: &[WaitTotals], options: &Options) -> Vec<WaitJson> {
    let waits = if options.waits { waits } else { &[] };
    let one = |wait: &WaitTotals| WaitJson {
        event: wait.event.clone(),
        count: wait.count,
        max_s: seconds(wait.max),
        total_s: seconds(wait.total),
    };
    waits.iter().map(one).collect()
}

fn seconds(microseconds: i64) -> f64 {
    microseconds as f64 / 1e6
}

/// The name of an optimizer goal.
pub(super) fn goal(number: u32) -> String {
    match number {
        1 => "ALL_ROWS".into(),
        2 => "FIRST_ROWS".into(),
        3 => "RULE".into(),
        4 => "CHOOSE".into(),
        other => other.to_string(),
    }
}
