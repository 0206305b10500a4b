//! The hints of a statement, and the report of their use.

use std::ops::ControlFlow;
use std::sync::Arc;

use sqlparser::ast::{self, TableFactor, TableWithJoins, Visit, Visitor};

use super::display::PlanLine;
use super::format::HintReport;
use super::step::PlanStep;
use crate::cursor::open::RowSource;
use crate::plan::hints::{self, Hint, HintFate, Mark};
use crate::statement::merge::Merge;
use crate::statement::parse::Statement;

/// A hint of a statement.
#[derive(Clone, Debug)]
pub(crate) struct StatementHint {
    hint: Hint,
    /// The names of the tables in the FROM clause of its query block.
    tables: Arc<[String]>,
    place: HintedPart,
}

/// The kind of statement or block that has the hint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum HintedPart {
    Block,
    Insert,
    /// A MERGE, or an INSERT into several tables, whose hints have no effect.
    Several,
}

/// The hints of a statement, in their order. Those in the text of views are not among them.
pub(crate) fn of(statement: &Statement, text: &str) -> Arc<[StatementHint]> {
    if !text.contains("/*+") && !text.contains("--+") {
        return Arc::new([]);
    }
    let mut found = HintList::default();
    match statement {
        Statement::Query { query, .. } => {
            let _: ControlFlow<()> = query.visit(&mut found);
        }
        Statement::Insert(insert, _) => {
            let mut tables = Vec::new();
            if let ast::TableObject::TableName(name) = &insert.table {
                tables.extend(insert.table_alias.as_ref().map(|alias| folded(&alias.alias)));
                tables.extend(name.0.last().and_then(|part| part.as_ident()).map(folded));
            }
            found.add(&insert.optimizer_hints, tables, HintedPart::Insert);
            let _: ControlFlow<()> = insert.visit(&mut found);
        }
        Statement::Update(update, _) => {
            found.add(&update.optimizer_hints, names(std::slice::from_ref(&update.table)), HintedPart::Block);
            let _: ControlFlow<()> = update.visit(&mut found);
        }
        Statement::Delete(delete, _) => {
            let (ast::FromTable::WithFromKeyword(from) | ast::FromTable::WithoutKeyword(from)) = &delete.from;
            found.add(&delete.optimizer_hints, names(from), HintedPart::Block);
            let _: ControlFlow<()> = delete.visit(&mut found);
        }
        Statement::Merge(_) | Statement::MultiInsert(_) => {
            let list = leading(text).map(hints::read).unwrap_or_default();
            let tables: Arc<[String]> = Arc::new([]);
            found.list.extend(list.into_iter().map(|hint| StatementHint {
                hint,
                tables: Arc::clone(&tables),
                place: HintedPart::Several,
            }));
            match statement {
                Statement::MultiInsert(insert) => {
                    let _: ControlFlow<()> = insert.query.visit(&mut found);
                }
                Statement::Merge(merge) => found.of_merge(merge),
                _ => {}
            }
        }
        _ => {}
    }
    found.list.into()
}

/// True: the statement asks for row source statistics.
pub(crate) fn gathers(hints: &[StatementHint]) -> bool {
    hints.iter().any(|hint| hint.hint.name == "GATHER_PLAN_STATISTICS")
}

/// The text of a hint behind a statement's first word.
fn leading(text: &str) -> Option<&str> {
    let rest = text.trim_start().trim_start_matches(|c: char| c.is_alphabetic()).trim_start();
    match (rest.strip_prefix("/*+"), rest.strip_prefix("--+")) {
        (Some(hint), _) => hint.find("*/").map(|end| &hint[..end]),
        (_, Some(hint)) => hint.lines().next(),
        _ => None,
    }
}

fn folded(ident: &ast::Ident) -> String {
    if ident.quote_style.is_some() { ident.value.clone() } else { ident.value.to_uppercase() }
}

/// The names of the tables in a FROM clause.
fn names(from: &[TableWithJoins]) -> Vec<String> {
    fn add(factor: &TableFactor, into: &mut Vec<String>) {
        match factor {
            TableFactor::Table { alias: Some(alias), .. } | TableFactor::Derived { alias: Some(alias), .. } => {
                into.push(folded(&alias.name));
            }
            TableFactor::Table { name, .. } => into.extend(name.0.last().and_then(|part| part.as_ident()).map(folded)),
            TableFactor::NestedJoin { table_with_joins, .. } => {
                into.extend(names(std::slice::from_ref(table_with_joins)))
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for item in from {
        add(&item.relation, &mut found);
        item.joins.iter().for_each(|join| add(&join.relation, &mut found));
    }
    found
}

#[derive(Default)]
struct HintList {
    list: Vec<StatementHint>,
}

impl HintList {
    fn add(&mut self, hints: &[ast::OptimizerHint], tables: Vec<String>, place: HintedPart) {
        if !hints.is_empty() {
            let tables: Arc<[String]> = tables.into();
            let hints = hints::parse(hints).into_iter();
            self.list.extend(hints.map(|hint| StatementHint { hint, tables: Arc::clone(&tables), place }));
        }
    }
}

impl HintList {
    /// The hints of a MERGE's subqueries.
    fn of_merge(&mut self, merge: &Merge) {
        let _: ControlFlow<()> = merge.source.visit(self);
        let _: ControlFlow<()> = merge.on.visit(self);
        let updates = merge.update.iter().flat_map(|update| {
            let values = update.assignments.iter().filter_map(|(.., value)| value.as_ref());
            values.chain(&update.condition).chain(&update.delete)
        });
        let inserts = merge.insert.iter().flat_map(|insert| insert.values.iter().flatten().chain(&insert.condition));
        for part in updates.chain(inserts) {
            let _: ControlFlow<()> = part.visit(self);
        }
    }
}

impl Visitor for HintList {
    type Break = ();

    fn pre_visit_select(&mut self, select: &ast::Select) -> ControlFlow<()> {
        if !select.optimizer_hints.is_empty() {
            self.add(&select.optimizer_hints, names(&select.from), HintedPart::Block);
        }
        ControlFlow::Continue(())
    }
}

/// Gives the fates of the hints that no other row source reports to the statement, the first of its row sources.
pub(crate) fn settle(hints: &[StatementHint], sources: &mut [RowSource]) {
    let mut settled: Vec<HintFate> = sources.iter().flat_map(|source| source.step.hints.iter().cloned()).collect();
    let loads = sources.iter().any(|source| source.step.operation == "LOAD AS SELECT");
    let mut rest = Vec::new();
    for hint in hints {
        // The same hint may stand in a view that the statement reads.
        let resolved = hints::is_for_block(&hint.hint.name)
            || hints::is_for_goal(&hint.hint.name)
            || hint.hint.arguments.iter().any(|table| hint.tables.contains(table));
        match settled.iter().position(|fate| resolved && fate.is_of(&hint.hint)) {
            Some(at) => drop(settled.swap_remove(at)),
            None => rest.push(fate(hint, loads)),
        }
    }
    if let Some(statement) = sources.first_mut() {
        statement.step.hints = rest;
    }
}

fn fate(StatementHint { hint, tables, place }: &StatementHint, loads: bool) -> HintFate {
    let not = |mark, why: &str| HintFate::not(mark, hint, why);
    match hint.name.as_str() {
        "GATHER_PLAN_STATISTICS" => HintFate::used(hint),
        "APPEND" if loads && *place == HintedPart::Insert => HintFate::used(hint),
        "APPEND" if *place == HintedPart::Insert => not(Mark::Unused, "the rows cannot be loaded"),
        "APPEND" => not(Mark::Unused, "the statement is no INSERT into one table"),
        name if hints::is_for_goal(name) => not(Mark::Unused, "the first item of its FROM clause is no table"),
        name if hints::is_for_block(name) => not(Mark::Unused, "its query block has no joins to order"),
        name if hints::is_for_tables(name) => match hint.arguments.first() {
            None => not(Mark::Error, "it names no table"),
            Some(table) if table.contains('@') => not(Mark::Unused, "query blocks have no names here"),
            _ if *place == HintedPart::Several => not(Mark::Unused, "not carried out in this statement"),
            Some(_) if !hint.arguments.iter().any(|table| tables.contains(table)) => {
                not(Mark::Unresolved, "its query block has no table of this name")
            }
            Some(_) if hints::is_for_joins(&hint.name) => {
                not(Mark::Unused, "its query block has no inner join to which it applies")
            }
            Some(_) => not(
                Mark::Unused,
                "no operation of the plan reads it; a subquery that is planned when it is run is not shown",
            ),
        },
        name if hints::is_foreign(name) => not(Mark::Unused, "not carried out here"),
        _ => not(Mark::Error, "there is no such hint"),
    }
}

/// The lines of the hint report; empty when there is none.
pub(crate) fn report(plan: &[PlanLine], shown: HintReport) -> Vec<String> {
    let all: Vec<&HintFate> = plan.iter().flat_map(|line| &line.step.hints).collect();
    let open = all.iter().filter(|fate| fate.mark != Mark::Used).count();
    if shown == HintReport::None || all.is_empty() || (shown == HintReport::Unused && open == 0) {
        return Vec::new();
    }
    let count = |mark: Mark, what: &str| {
        let count = all.iter().filter(|fate| fate.mark == mark).count();
        (count > 0).then(|| format!("{} - {what} ({count})", mark.letter()))
    };
    let counts: Vec<String> =
        [count(Mark::Unused, "Unused"), count(Mark::Unresolved, "Unresolved"), count(Mark::Error, "Syntax error")]
            .into_iter()
            .flatten()
            .collect();
    let counts = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
    let total = format!("Total hints for statement: {}{counts}", all.len());
    let title = "Hint Report (identified by operation id / Object Alias):".to_owned();
    let rule = "-".repeat(total.chars().count().max(title.len()));
    let mut out = vec![String::new(), title, total, rule, String::new()];
    for line in plan {
        let fates: Vec<&HintFate> =
            line.step.hints.iter().filter(|fate| shown == HintReport::All || fate.mark != Mark::Used).collect();
        if fates.is_empty() {
            continue;
        }
        let alias = line.step.object.as_ref().and_then(|object| object.alias.as_deref());
        out.push(format!("{:>4} - {}", line.id, alias.unwrap_or("STATEMENT")));
        for fate in fates {
            let mark = if fate.mark == Mark::Used { "   -".to_owned() } else { format!(" {} -", fate.mark.letter()) };
            out.push(format!("        {mark}  {}", fate.text));
        }
    }
    out
}

/// Prefix of a line of REMARKS with a hint's fate.
const REMARK: &str = "hint ";

/// The line of REMARKS of a table that has no statistics.
const UNANALYZED: &str = "no statistics";

/// The fates of a row source's hints as a plan table's REMARKS has them: one a line, with its letter. Then whether its
/// table had no statistics.
pub(crate) fn remarks(step: &PlanStep) -> Option<String> {
    let hints = step.hints.iter().map(|fate| format!("{REMARK}{} {}", fate.mark.letter(), fate.text));
    let lines: Vec<String> = hints.chain(step.unanalyzed.then(|| UNANALYZED.to_owned())).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// True: [`remarks`] say that the table had no statistics.
pub(crate) fn is_unanalyzed(remarks: &str) -> bool {
    remarks.lines().any(|line| line == UNANALYZED)
}

/// The note on tables whose statistics are missing; empty where there are none.
pub(crate) fn note_on_statistics(plan: &[PlanLine]) -> Vec<String> {
    let mut tables: Vec<&str> = Vec::new();
    for line in plan.iter().filter(|line| line.step.unanalyzed) {
        let object = line.step.object.as_ref();
        let name = object.map(|object| object.alias.as_deref().unwrap_or(&object.name));
        tables.extend(name.filter(|name| !tables.contains(name)));
    }
    if tables.is_empty() {
        return Vec::new();
    }
    let front = format!("   - no statistics of {}: the way to the rows was chosen", tables.join(", "));
    vec![front, "     by the blocks of the table and by default values".to_owned()]
}

/// Reads [`remarks`]. Other text in the column is no fate.
pub(crate) fn of_remarks(text: &str) -> Vec<HintFate> {
    let marks = [Mark::Used, Mark::Unused, Mark::Unresolved, Mark::Error];
    text.lines()
        .filter_map(|line| {
            let (letter, text) = line.strip_prefix(REMARK)?.split_once(' ')?;
            let mark = marks.into_iter().find(|mark| letter == mark.letter().to_string())?;
            Some(HintFate { mark, text: text.to_owned() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::parse::parse;

    fn shown(text: &str) -> Vec<String> {
        let statement = parse(text).unwrap();
        of(&statement, text).iter().map(|hint| format!("{} of {}", hint.hint, hint.tables.join(" "))).collect()
    }

    #[test]
    fn hints_of_all_blocks() {
        assert_eq!(
            shown(
                "select /*+ full(a) */ * from t a, (u join v on u.x = v.x) where x in (select --+ index(w i)
                 x from w) union all select /*+ ordered */ 1 from \"q\""
            ),
            ["FULL(A) of A U V", "INDEX(W I) of W", "ORDERED of q"]
        );
        assert_eq!(
            shown("insert /*+ append */ into t select /*+ full(u) */ * from u"),
            ["APPEND of T", "FULL(U) of U"]
        );
        assert_eq!(shown("delete /*+ full(x) */ from t x where a = 1"), ["FULL(X) of X"]);
        assert_eq!(shown("update /*+ full(t) */ t set a = 1"), ["FULL(T) of T"]);
        let merge = "merge /*+ full(t) */ into t using u on (t.a = u.a) when matched then update set b = 1";
        assert_eq!(shown(merge), ["FULL(T) of "]);
        let merge = "merge /*+ full(t) */ into t using (select /*+ full(nope) bogus */ * from u v) s on (t.a = s.a)
             when matched then update set b = (select /*+ full(w) */ max(b) from w)
             where exists (select /*+ ordered */ 1 from x) delete where b in (select /*+ full(y) */ 1 from y)
             when not matched then insert (a) values ((select /*+ full(z) */ 1 from z)) where s.a > 1";
        assert_eq!(
            shown(merge),
            [
                "FULL(T) of ",
                "FULL(NOPE) of V",
                "BOGUS of V",
                "FULL(W) of W",
                "ORDERED of X",
                "FULL(Y) of Y",
                "FULL(Z) of Z"
            ]
        );
    }

    #[test]
    fn remarks_are_read_back() {
        let hint = Hint { name: "FULL".into(), arguments: vec!["T".into()] };
        let fates = vec![HintFate::used(&hint), HintFate::not(Mark::Unresolved, &hint, "why")];
        let step = PlanStep { hints: fates.clone(), unanalyzed: true, ..PlanStep::default() };
        let text = remarks(&step).unwrap();
        assert_eq!((of_remarks(&text), is_unanalyzed(&text)), (fates, true));
        let other = "a remark\n\nU x\n- checked\nhint \nhint X y";
        assert_eq!((of_remarks(other), is_unanalyzed(other), remarks(&PlanStep::default())), (vec![], false, None));
    }
}
