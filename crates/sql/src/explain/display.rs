//! A plan as lines, in the layout of DBMS_XPLAN.

use super::format::Format;
use super::hints;
use super::plan;
use super::step::PlanStep;
use crate::scan::figures::FiguresValue;

/// Characters of a line of the statement's text.
const TEXT_WIDTH: usize = 80;
/// Bytes of PLAN_TABLE_OUTPUT.
pub(crate) const LINE_BYTES: usize = 300;

/// One displayed operation of a plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlanLine {
    pub(crate) id: u64,
    pub(crate) depth: u32,
    pub(crate) step: PlanStep,
    /// Its figures, where they were asked for.
    pub(crate) figures: Option<FiguresValue>,
}

/// A column of the box: its heading, and the cell of each line, padded.
struct Column {
    heading: String,
    cells: Vec<String>,
}

impl Column {
    /// A right-aligned column: numbers and times.
    fn right(heading: &str, width: usize, lines: &[PlanLine], cell: impl Fn(&PlanLine) -> Option<String>) -> Self {
        let cells = lines.iter().map(|line| format!(" {:>width$} ", cell(line).unwrap_or_default())).collect();
        Self { heading: format!(" {heading:<width$} "), cells }
    }
}

/// The plan, its predicates and its notes.
pub(crate) fn lines(plan: &[PlanLine], format: &Format, notes: &[String]) -> Vec<String> {
    let hash = plan::hash(plan.iter().map(|line| {
        let name = line.step.object.as_ref().map_or("", |object| object.name.as_str());
        (line.depth, line.step.operation.as_str(), line.step.options.as_str(), name)
    }));
    let mut out = vec![format!("Plan hash value: {hash}"), String::new()];
    out.extend(boxed(&columns(plan, format)));
    if format.alias {
        let aliases: Vec<String> = plan
            .iter()
            .filter_map(|line| Some((line.id, line.step.object.as_ref()?.alias.as_ref()?)))
            .map(|(id, alias)| format!("{id:>4} - {alias}"))
            .collect();
        section("Object Alias (identified by operation id):", &aliases, &mut out);
    }
    if format.predicate {
        let mut predicates = Vec::new();
        for line in plan {
            let kind = if line.step.in_storage { "storage" } else { "access" };
            let access = line.step.access.as_ref().map(|text| format!("{kind}({text})"));
            let filter = line.step.filter.as_ref().map(|text| format!("filter({text})"));
            for (at, text) in access.into_iter().chain(filter).enumerate() {
                let front = if at == 0 { format!("{:>4} - ", line.id) } else { " ".repeat(7) };
                predicates.extend(pieces(&format!("{front}{text}")));
            }
        }
        section("Predicate Information (identified by operation id):", &predicates, &mut out);
    }
    out.extend(hints::report(plan, format.hints).iter().flat_map(|line| pieces(line)));
    let statistics = hints::note_on_statistics(plan);
    if format.note && !(notes.is_empty() && statistics.is_empty()) {
        out.extend([String::new(), "Note".to_owned(), "-----".to_owned()]);
        out.extend(statistics);
        out.extend_from_slice(notes);
    }
    out
}

/// The text of a statement, wrapped.
pub(crate) fn statement(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for line in text.lines() {
        let chars: Vec<char> = line.chars().collect();
        if chars.is_empty() {
            out.push(String::new());
        }
        out.extend(chars.chunks(TEXT_WIDTH).map(|part| part.iter().collect::<String>()));
    }
    out
}

fn section(title: &str, lines: &[String], out: &mut Vec<String>) {
    if lines.is_empty() {
        return;
    }
    out.extend([String::new(), title.to_owned(), "-".repeat(title.chars().count()), String::new()]);
    out.extend_from_slice(lines);
}

/// A line cut to the width of PLAN_TABLE_OUTPUT.
fn pieces(line: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = line;
    let mut front = "";
    while front.len() + rest.len() > LINE_BYTES {
        let mut end = LINE_BYTES - front.len();
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        out.push(format!("{front}{}", &rest[..end]));
        rest = &rest[end..];
        front = "              ";
    }
    out.push(format!("{front}{rest}"));
    out
}

fn columns(plan: &[PlanLine], format: &Format) -> Vec<Column> {
    let marked = |line: &PlanLine| format.predicate && (line.step.access.is_some() || line.step.filter.is_some());
    let ids = plan.iter().map(|line| format!("{}{:>3} ", if marked(line) { '*' } else { ' ' }, line.id));
    let mut columns = vec![Column { heading: " Id  ".to_owned(), cells: ids.collect() }];
    let operations: Vec<String> =
        plan.iter().map(|line| format!("{}{}", " ".repeat(line.depth as usize), line.step.title())).collect();
    let width = operations.iter().map(|text| text.chars().count()).max().unwrap_or(0).max("Operation".len());
    columns.push(Column {
        heading: format!(" {:<width$}", "Operation"),
        cells: operations.iter().map(|text| format!(" {text:<width$}")).collect(),
    });
    let name = |line: &PlanLine| line.step.object.as_ref().map_or_else(String::new, |object| object.name.clone());
    let width = plan.iter().map(|line| name(line).chars().count()).max().unwrap_or(0).max("Name".len());
    columns.push(Column {
        heading: format!(" {:<width$} ", "Name"),
        cells: plan.iter().map(|line| format!(" {:<width$} ", name(line))).collect(),
    });
    let figures = format.statistics && plan.iter().any(|line| line.figures.is_some());
    let mut add = |heading: &str, width: usize, cell: &dyn Fn(&PlanLine) -> Option<String>| {
        columns.push(Column::right(heading, width, plan, cell));
    };
    let did = |value: fn(&FiguresValue) -> u64| move |line: &PlanLine| line.figures.as_ref().map(|f| short(value(f)));
    if figures {
        add("Starts", 6, &did(|f| f.starts));
    }
    if format.rows {
        let rows = |line: &PlanLine| line.step.rows.map(short);
        if format.statistics { add("E-Rows", 6, &rows) } else { add("Rows ", 5, &rows) }
    }
    if format.bytes {
        let bytes = |line: &PlanLine| line.step.bytes.map(short);
        if format.statistics { add("E-Bytes", 7, &bytes) } else { add("Bytes", 5, &bytes) }
    }
    if format.cost && plan.iter().any(|line| line.step.cost.is_some()) {
        let cost = |line: &PlanLine| {
            let cost = line.step.cost?;
            // The share of work, rounded up as the cost is.
            let work = cost.saturating_sub(line.step.io_cost.unwrap_or(cost));
            Some(format!("{:>5} {:>5}", short(cost), format!("({})", (work * 100).div_ceil(cost.max(1)))))
        };
        add("Cost (%CPU)", 11, &cost);
    }
    if figures {
        add("A-Rows", 6, &did(|f| f.rows));
        columns.push(Column {
            heading: "   A-Time   ".to_owned(),
            cells: plan
                .iter()
                .map(|line| format!("{:>11} ", line.figures.map_or_else(String::new, |f| time(f.micros))))
                .collect(),
        });
        let mut add = |heading: &str, width: usize, cell: &dyn Fn(&PlanLine) -> Option<String>| {
            columns.push(Column::right(heading, width, plan, cell));
        };
        add("Buffers", 7, &did(FiguresValue::buffers));
        let any = |value: fn(&FiguresValue) -> u64| plan.iter().any(|line| line.figures.is_some_and(|f| value(&f) > 0));
        if any(|f| f.reads) {
            add("Reads ", 6, &did(|f| f.reads));
        }
        if any(|f| f.writes) {
            add("Writes", 6, &did(|f| f.writes));
        }
    }
    columns
}

fn boxed(columns: &[Column]) -> Vec<String> {
    let join = |cells: Vec<&str>| format!("|{}|", cells.join("|"));
    let heading = join(columns.iter().map(|column| column.heading.as_str()).collect());
    let rule = "-".repeat(heading.chars().count());
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let mut out = vec![rule.clone(), heading, rule.clone()];
    out.extend((0..rows).map(|row| join(columns.iter().map(|column| column.cells[row].as_str()).collect())));
    out.push(rule);
    out
}

/// A number in five characters: thousands, millions … with their letter.
fn short(number: u64) -> String {
    let mut value = number;
    for letter in ["", "K", "M", "G", "T", "P"] {
        if value < if letter.is_empty() { 100_000 } else { 10_000 } {
            return format!("{value}{letter}");
        }
        value = (value + 500) / 1000;
    }
    format!("{value}E")
}

/// Hours, minutes, seconds and hundredths.
fn time(micros: u64) -> String {
    let hundredths = micros.div_ceil(10_000);
    let seconds = hundredths / 100;
    format!("{:02}:{:02}:{:02}.{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times() {
        for (number, text) in [(0, "0"), (99_999, "99999"), (100_000, "100K"), (9_999_600, "10M"), (12_345_678, "12M")]
        {
            assert_eq!(short(number), text);
        }
        assert_eq!(
            (time(0), time(1), time(3_723_450_000)),
            ("00:00:00.00".into(), "00:00:00.01".into(), "01:02:03.45".into())
        );
    }

    #[test]
    fn boxes_are_straight() {
        let figures = FiguresValue { starts: 1, rows: 1_234_567, reads: 3, micros: 4_000, ..FiguresValue::default() };
        let plan = [PlanLine { id: 0, depth: 0, step: PlanStep::change("UPDATE", "U", "T"), figures: Some(figures) }];
        let format = Format { statistics: true, last: true, ..Format::usual() };
        let shown = lines(&plan, &format, &[]);
        assert_eq!(
            shown[3],
            "| Id  | Operation| Name | Starts | E-Rows | E-Bytes | A-Rows |   A-Time   | Buffers | Reads  |"
        );
        assert_eq!(
            shown[5],
            "|   0 | UPDATE   | T    |      1 |        |         |  1235K |00:00:00.01 |       0 |      3 |"
        );
        assert!(shown[2..=6].iter().all(|line| line.len() == shown[2].len()), "{shown:?}");
    }

    #[test]
    fn long_conditions_are_cut() {
        let parts = pieces(&"é".repeat(400));
        assert!(parts.len() == 3 && parts.iter().all(|part| part.len() <= LINE_BYTES), "{parts:?}");
        assert_eq!(statement("select 1\n\nfrom dual"), ["select 1", "", "from dual"]);
    }
}
