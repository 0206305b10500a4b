//! The steps of a compiled query above its read, as plans show them: in the words of `explain::predicate`.

use scalar::Datum;
use scan::Truth;

use super::plan::{DirectQuery, Stage};
use super::value::{Test, Value};
use crate::explain::predicate;
use crate::explain::step::PlanStep;
use crate::functions::coalesce::CHOICE;
use crate::scan::read_plan::ReadPlan;

impl DirectQuery {
    /// The steps above the read, outermost first.
    pub(crate) fn steps(&self) -> Vec<PlanStep> {
        let mut steps = Vec::new();
        if self.skip > 0 || self.fetch.is_some() {
            let mut step = PlanStep::new("COUNT", "STOPKEY");
            if self.totals.is_some() {
                step.rows = Some(1);
            }
            steps.push(step);
        }
        if self.totals.is_some() {
            steps.push(PlanStep { rows: Some(1), ..PlanStep::new("SORT", "AGGREGATE") });
        }
        if self.read.first_only {
            steps.push(PlanStep { rows: Some(1), ..PlanStep::new("FIRST ROW", "") });
        }
        // Those of a join stand at its tables.
        for test in self.tests.iter().rev().filter(|_| self.inner.is_empty()) {
            steps.push(PlanStep { filter: Some(self.test_shown(&test.test)), ..PlanStep::new("FILTER", "") });
        }
        steps
    }

    /// A condition as plans show it.
    pub(super) fn test_shown(&self, test: &Test) -> String {
        self.names().test(test)
    }

    /// The name in the statement of the table that a column is of, and the column's.
    pub(crate) fn column(&self, at: usize) -> Option<(String, String)> {
        let mut left = at;
        for read in std::iter::once(&self.read).chain(&self.inner) {
            if let Some(position) = read.projection.get(left) {
                let name = &read.table.columns.get(usize::from(*position))?.name;
                return Some((read.alias.clone(), name.clone()));
            }
            left -= read.projection.len();
        }
        None
    }

    /// The names of its columns.
    fn names(&self) -> Names<'_> {
        let reads = std::iter::once(&*self.read).chain(self.inner.iter().map(|read| &**read)).collect::<Vec<_>>();
        Names { several: reads.len() > 1, reads }
    }
}

impl Stage {
    /// The names of its columns, for a plan with more tables.
    pub(super) fn names(&self) -> Names<'_> {
        Names { several: true, reads: std::iter::once(&self.read).chain(&self.inner).collect() }
    }
}

/// The tables of a plan, for the names of columns; with the tables' where there are several.
pub(super) struct Names<'p> {
    reads: Vec<&'p ReadPlan>,
    several: bool,
}

impl Names<'_> {
    fn column(&self, at: usize) -> String {
        let mut left = at;
        for read in &self.reads {
            if let Some(position) = read.projection.get(left) {
                let name = read.table.columns.get(usize::from(*position)).map_or("?", |column| column.name.as_str());
                return predicate::column(self.several.then_some(read.alias.as_str()), name);
            }
            left -= read.projection.len();
        }
        predicate::column(None, "?")
    }

    pub(super) fn value(&self, value: &Value) -> String {
        let each = |values: &[Value]| values.iter().map(|value| self.value(value)).collect::<Vec<_>>();
        match value {
            Value::Constant(value) => predicate::literal(value),
            Value::Parameter(_, name) => format!(":{name}"),
            Value::Column(at, _) => self.column(*at),
            Value::Rowid(number) => {
                let alias = self.reads.get(*number).map(|read| read.alias.as_str()).filter(|_| self.several);
                predicate::column(alias, crate::scan::table::ROWID)
            }
            Value::Computed(_) => "?".to_owned(),
            Value::Convert(conversion, value) => {
                format!("{}({})", conversion.shown(), self.value(value))
            }
            Value::As(_, value) | Value::Trimmed(value) => self.value(value),
            Value::Case(..) => "CASE … END".to_owned(),
            Value::First(name, values) => match (*name, each(values).as_slice()) {
                (CHOICE, [value, ..]) => format!("COALESCE({value},…)"),
                (name, values) => format!("{name}({})", values.join(",")),
            },
            Value::NullIf(a, b) => format!("NULLIF({},{})", self.value(a), self.value(b)),
            Value::Call(function, arguments, _) => match (function.name, each(arguments).as_slice()) {
                (name @ ("+" | "-" | "*" | "/" | "||"), [left, right]) => format!("{left}{name}{right}"),
                (name, arguments) => format!("{name}({})", arguments.join(",")),
            },
        }
    }

    fn test(&self, test: &Test) -> String {
        match test {
            Test::Compare(comparison, left, right) => {
                format!("{}{}{}", self.value(left), predicate::sign(*comparison), self.value(right))
            }
            Test::IsNull(value) => format!("{} IS NULL", self.value(value)),
            Test::Within(value, list) => self.list(value, "IN", list),
            Test::Condition(condition, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.value(argument)).collect();
                match (condition.name, arguments.as_slice()) {
                    ("LIKE", [text, pattern]) => format!("{text} LIKE {pattern}"),
                    ("LIKE", [text, pattern, escape]) => format!("{text} LIKE {pattern} ESCAPE {escape}"),
                    (name, arguments) => format!("{name}({})", arguments.join(",")),
                }
            }
            Test::And(left, right) => format!("{} AND {}", self.test(left), self.test(right)),
            Test::Or(..) => {
                let mut parts = Vec::new();
                self.alternatives(test, &mut parts);
                format!("({})", parts.join(" OR "))
            }
            Test::Not(inner) => match &**inner {
                Test::IsNull(value) => format!("{} IS NOT NULL", self.value(value)),
                Test::Within(value, list) => self.list(value, "NOT IN", list),
                inner => format!("NOT ({})", self.test(inner)),
            },
            Test::Constant(Truth::True) => "TRUE".to_owned(),
            Test::Constant(Truth::False) => "FALSE".to_owned(),
            Test::Constant(Truth::Unknown) => predicate::literal(&Datum::Null),
        }
    }

    fn list(&self, value: &Value, word: &str, list: &[Value]) -> String {
        let list: Vec<String> = list.iter().map(|item| self.value(item)).collect();
        format!("{} {word} ({})", self.value(value), list.join(", "))
    }

    /// The parts of a chain of ORs.
    fn alternatives(&self, test: &Test, into: &mut Vec<String>) {
        match test {
            Test::Or(left, right) => {
                self.alternatives(left, into);
                self.alternatives(right, into);
            }
            other => into.push(self.test(other)),
        }
    }
}
