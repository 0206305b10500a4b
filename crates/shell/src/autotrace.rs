//! SET AUTOTRACE: plan and statistics of a query or DML, shown behind its result.

use common::{Error, ErrorKind, Number};

use crate::execute::Finish;
use crate::settings::Autotrace;
use crate::shell::Shell;

/// The statistics in the order of their output; the rows follow.
const STATISTICS: [&str; 10] = [
    "recursive calls",
    "db block gets",
    "consistent gets",
    "physical reads",
    "redo size",
    "bytes sent via SQL*Net to client",
    "bytes received via SQL*Net from client",
    "SQL*Net roundtrips to/from client",
    "sorts (memory)",
    "sorts (disk)",
];
const RULE: &str = "----------------------------------------------------------";

/// Values of the statistics.
pub(crate) type Values = Vec<u64>;

/// True: a statement with this verb is traced.
pub(crate) fn is_traced(verb: &str) -> bool {
    is_query(verb) || matches!(verb, "INSERT" | "UPDATE" | "DELETE" | "MERGE")
}

pub(crate) fn is_query(verb: &str) -> bool {
    matches!(verb, "SELECT" | "WITH" | "(")
}

impl Shell {
    /// The statistics before a statement; None, with a message, when they are not available.
    pub(crate) fn traced_statistics(&mut self) -> Option<Values> {
        match self.server.statistics(&STATISTICS) {
            Ok(values) => Some(values),
            Err(error) => {
                self.say_error(&report_error("STATISTICS", &error));
                None
            }
        }
    }

    /// Shows plan and statistics of a successful statement.
    pub(crate) fn autotrace(&mut self, text: &str, trace: Autotrace, before: Option<Values>, rows: u64) -> Finish {
        // Read before any other request to the session.
        let after = if before.is_some() { self.traced_statistics() } else { None };
        if trace.explain {
            match self.server.explain(text, &self.binds) {
                Ok(lines) => {
                    self.out.line(&format!("\nExecution Plan\n{RULE}"));
                    for line in lines {
                        self.out.line(&line);
                    }
                    self.out.line("");
                }
                // For a query that was not executed, this is the statement's own error.
                Err(error) if trace.only && !trace.statistics => {
                    self.say_statement_error(text, &error);
                    return Finish::Failed(error);
                }
                Err(error) => self.say_error(&report_error("EXPLAIN", &error)),
            }
        }
        if let (Some(before), Some(after)) = (before, after) {
            self.out.line(&format!("\nStatistics\n{RULE}"));
            for ((name, before), after) in STATISTICS.iter().zip(before).zip(after) {
                self.out.line(&format!("{:>11}  {name}", after.saturating_sub(before)));
            }
            self.out.line(&format!("{rows:>11}  rows processed\n"));
        }
        Finish::Done(rows)
    }
}

fn report_error(report: &str, error: &Error) -> Error {
    Error::new(ErrorKind::User, Number::Sp2(612), format!("error generating AUTOTRACE {report} report: {error}"))
}
