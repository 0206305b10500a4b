//! The plan of a cursor, with the figures of its executions.

use engine::dictionary::TableDef;

use super::step::PlanStep;
use crate::cursor::library::SharedCursor;
use crate::cursor::open::RowSource;
use crate::scan::figures::FiguresValue;

/// A cursor's plan. The first of its row sources is the statement itself.
#[derive(Clone, Debug)]
pub(crate) struct CursorPlan {
    pub(crate) sources: Vec<RowSource>,
    /// Figures over all executions of this plan, one entry a row source.
    pub(crate) totals: Vec<FiguresValue>,
    pub(crate) executions: u64,
    /// Row source statistics were asked for.
    pub(crate) measured: bool,
    pub(crate) hash: u32,
    /// When it was last executed, microseconds since 1970.
    pub(crate) wall_us: u64,
}

impl CursorPlan {
    /// The plan of an execution, from what was below the statement itself.
    pub(crate) fn new(cursor: &SharedCursor, below: Vec<RowSource>, measured: bool) -> Self {
        let mut plan = Self::of_verb(cursor.statement.verb().0, below, measured);
        super::hints::settle(&cursor.hints, &mut plan.sources);
        plan
    }

    /// `verb`: the statement's verb, as `SELECT`.
    fn of_verb(verb: &str, below: Vec<RowSource>, measured: bool) -> Self {
        let mut root = RowSource {
            depth: 0,
            object: 0,
            step: PlanStep::new(format!("{verb} STATEMENT"), ""),
            figures: FiguresValue::default(),
        };
        root.figures.starts = 1;
        for top in below.iter().filter(|source| source.depth == 0) {
            root.figures.add_work(&top.figures);
        }
        if let Some(top) = below.first() {
            root.figures.rows = top.figures.rows;
            (root.step.rows, root.step.bytes) = (top.step.rows, top.step.bytes);
            (root.step.cost, root.step.io_cost) = (top.step.cost, top.step.io_cost);
        }
        let mut sources = vec![root];
        sources.extend(below.into_iter().map(|source| RowSource { depth: source.depth + 1, ..source }));
        let hash = hash(sources.iter().map(|source| {
            let name = source.step.object.as_ref().map_or("", |object| object.name.as_str());
            (source.depth, source.step.operation.as_str(), source.step.options.as_str(), name)
        }));
        let totals = sources.iter().map(|source| source.figures).collect();
        Self { sources, totals, executions: 1, measured, hash, wall_us: 0 }
    }

    /// The plan with the totals of earlier executions of the same cursor added.
    pub(crate) fn after(mut self, before: Option<&Self>) -> Self {
        let same = before.filter(|before| before.hash == self.hash && before.totals.len() == self.totals.len());
        if let Some(before) = same.filter(|before| before.measured == self.measured) {
            self.totals.iter_mut().zip(&before.totals).for_each(|(total, before)| total.add(before));
            self.executions += before.executions;
        }
        self
    }

    /// The index of each row source's parent; None for the first.
    pub(crate) fn parents(&self) -> Vec<Option<usize>> {
        let mut above: Vec<usize> = Vec::new();
        self.sources
            .iter()
            .enumerate()
            .map(|(at, source)| {
                above.truncate(source.depth as usize);
                let parent = above.last().copied();
                above.push(at);
                parent
            })
            .collect()
    }

    /// The number of each row source among its parent's: POSITION.
    pub(crate) fn positions(&self) -> Vec<u64> {
        let parents = self.parents();
        (0..parents.len())
            .map(|at| parents[..=at].iter().filter(|parent| **parent == parents[at]).count() as u64)
            .collect()
    }
}

/// Hash that tells plans apart: by depth, operation, options and object of their steps.
pub(crate) fn hash<'s>(steps: impl Iterator<Item = (u32, &'s str, &'s str, &'s str)>) -> u32 {
    let text: Vec<String> =
        steps.map(|(depth, operation, options, name)| format!("{depth} {operation}/{options}/{name}")).collect();
    waits::sql_hash(&text.join("\n"))
}

/// The row source of an INSERT, on top of its query's if it has one; `direct`: past the cache.
pub(crate) fn load(table: &TableDef, direct: bool, figures: FiguresValue) -> RowSource {
    let operation = if direct { "LOAD AS SELECT" } else { "LOAD TABLE CONVENTIONAL" };
    RowSource { depth: 0, object: 0, step: PlanStep::change(operation, &table.owner, &table.name), figures }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> CursorPlan {
        let source = |depth, operation: &str, rows, consistent| RowSource {
            depth,
            object: 0,
            step: PlanStep::new(operation, ""),
            figures: FiguresValue { rows, consistent, starts: 1, ..FiguresValue::default() },
        };
        CursorPlan::of_verb("SELECT", vec![source(0, "JOIN", 5, 9), source(1, "A", 3, 4), source(1, "B", 2, 5)], true)
    }

    #[test]
    fn the_statement_stands_above() {
        let plan = plan();
        assert_eq!(plan.parents(), [None, Some(0), Some(1), Some(1)]);
        assert_eq!(plan.positions(), [1, 1, 1, 2]);
        assert_eq!((plan.sources[0].figures.rows, plan.sources[0].figures.consistent), (5, 9));
    }

    #[test]
    fn executions_add_up() {
        let twice = plan().after(Some(&plan()));
        assert_eq!((twice.executions, twice.totals[1].consistent, twice.sources[1].figures.consistent), (2, 18, 9));
    }
}
