//! The statements at the top, with the time of PL/SQL blocks told from that of the statements they call.

use report::model::{Report, SqlLine, SqlOrder};

use super::possible;

/// A statement of the list by elapsed time.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// The SQL id, or the hash value of old releases.
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) elapsed_s: f64,
    pub(crate) cpu_s: Option<f64>,
    pub(crate) executions: Option<f64>,
    /// A PL/SQL block: its time holds that of the statements it calls.
    pub(crate) block: bool,
}

impl Statement {
    /// The first word, in capitals.
    pub(crate) fn verb(&self) -> String {
        let text = without_comments(&self.text);
        text.split(|letter: char| !letter.is_ascii_alphabetic())
            .find(|word| !word.is_empty())
            .unwrap_or("")
            .to_ascii_uppercase()
    }
}

/// All statements of all lists that print elapsed time, each once, most time first. None when the report has no list of
/// this kind.
pub(crate) fn by_elapsed(report: &Report) -> Option<Vec<Statement>> {
    let sections = report.sql.as_ref()?;
    let mut statements: Vec<Statement> = Vec::new();
    let ordered = sections
        .iter()
        .filter(|section| section.order == SqlOrder::Elapsed)
        .chain(sections.iter().filter(|section| section.order != SqlOrder::Elapsed));
    for line in ordered.flat_map(|section| &section.statements) {
        let (Some(elapsed), Some(id)) = (line.elapsed_s.filter(|time| possible(time.value)), identity(line)) else {
            continue;
        };
        if let Some(known) = statements.iter_mut().find(|known| known.id == id) {
            // The list by CPU has the time that the list by elapsed time gives as a percentage only.
            known.cpu_s = known.cpu_s.or(line.cpu_s.map(|cpu| cpu.value).filter(|cpu| possible(*cpu)));
            continue;
        }
        let mut statement = Statement {
            id,
            text: line.text.clone(),
            elapsed_s: elapsed.value,
            cpu_s: line.cpu_s.map(|cpu| cpu.value).filter(|cpu| possible(*cpu)),
            executions: line.executions,
            block: false,
        };
        statement.block = matches!(statement.verb().as_str(), "BEGIN" | "DECLARE" | "CALL");
        statements.push(statement);
    }
    if statements.is_empty() {
        return None;
    }
    statements.sort_by(|one, other| other.elapsed_s.total_cmp(&one.elapsed_s));
    Some(statements)
}

fn identity(line: &SqlLine) -> Option<String> {
    line.sql_id.clone().filter(|id| !id.is_empty()).or_else(|| line.hash_value.map(|hash| hash.to_string()))
}

fn without_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(after) = rest.strip_prefix("/*") {
        match after.find("*/") {
            Some(end) => rest = after[end + 2..].trim_start(),
            None => return rest,
        }
    }
    rest
}
