//! Row sources of `STAT` lines joined into plans.
//!
//! A plan's lines stand together, ids rising. They are gathered until another record, another cursor or a lower id
//! follows, and then added to the statement's plan of the same shape.

use crate::trace::Stat;

use super::model::{Plan, RowSource};

/// Row sources of one plan that are kept: no real plan has as many.
const LARGEST_PLAN: usize = 10_000;

/// The plan being read.
#[derive(Default, Debug)]
pub(super) struct Gathering {
    cursor: u64,
    lines: Vec<RowSource>,
}

impl Gathering {
    /// True: `stat` continues the current plan.
    pub(super) fn continues(&self, stat: &Stat<'_>) -> bool {
        self.lines.last().is_some_and(|last| self.cursor == stat.cursor && last.id < stat.id)
    }

    pub(super) fn add(&mut self, stat: &Stat<'_>) {
        self.cursor = stat.cursor;
        if self.lines.len() == LARGEST_PLAN {
            return;
        }
        let figures = stat.operation.figures;
        let mut line = RowSource {
            id: stat.id,
            parent: stat.parent,
            position: stat.position,
            level: 0,
            operation: stat.operation.name.to_owned(),
            object: stat.object,
            cost: figures.cost,
            size: figures.size,
            cardinality: figures.cardinality,
            ..RowSource::default()
        };
        line.rows.add(stat.rows);
        line.query.add(figures.query);
        line.reads.add(figures.reads);
        line.writes.add(figures.writes);
        line.elapsed.add(figures.elapsed);
        line.starts.add(figures.starts);
        // The parent has a lower id, so it is here already.
        let parent = stat.parent.filter(|parent| *parent > 0);
        if let Some(at) = parent.and_then(|id| self.lines.binary_search_by_key(&id, |line| line.id).ok()) {
            line.level = self.lines[at].level + 1;
        }
        self.lines.push(line);
    }

    /// The cursor and the lines of a finished plan, if there is one.
    pub(super) fn finish(&mut self) -> Option<(u64, Vec<RowSource>)> {
        (!self.lines.is_empty()).then(|| (self.cursor, std::mem::take(&mut self.lines)))
    }
}

/// Adds one capture to a statement's plans, of which at most `limit` different ones are kept.
pub(super) fn add_capture(plans: &mut Vec<Plan>, capture: Vec<RowSource>, limit: usize) {
    let Some(plan) = plans.iter_mut().find(|plan| same_shape(&plan.row_sources, &capture)) else {
        if plans.len() < limit {
            plans.push(Plan { captured: 1, row_sources: capture });
        }
        return;
    };
    plan.captured += 1;
    for (sum, line) in plan.row_sources.iter_mut().zip(&capture) {
        sum.rows.add(line.rows.first);
        sum.query.add(line.query.first);
        sum.reads.add(line.reads.first);
        sum.writes.add(line.writes.first);
        sum.elapsed.add(line.elapsed.first);
        sum.starts.add(line.starts.first);
    }
}

fn same_shape(one: &[RowSource], other: &[RowSource]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(a, b)| a.id == b.id && a.parent == b.parent && a.operation == b.operation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Operation, RowSourceFigures};

    fn stat(cursor: u64, id: u32, parent: u32, rows: i64, name: &str) -> Stat<'_> {
        let figures = RowSourceFigures { query: Some(rows * 2), ..RowSourceFigures::default() };
        let operation = Operation { name, figures };
        Stat { cursor, id, rows: Some(rows), parent: Some(parent), position: Some(1), object: Some(0), operation }
    }

    fn capture(stats: &[Stat<'_>]) -> Vec<RowSource> {
        let mut gathering = Gathering::default();
        for stat in stats {
            assert!(gathering.lines.is_empty() || gathering.continues(stat));
            gathering.add(stat);
        }
        gathering.finish().unwrap().1
    }

    #[test]
    fn captures_of_one_shape_add_up() {
        let mut plans = Vec::new();
        add_capture(
            &mut plans,
            capture(&[stat(1, 1, 0, 4, "JOIN"), stat(1, 2, 1, 1, "SCAN A"), stat(1, 3, 1, 7, "SCAN B")]),
            9,
        );
        add_capture(
            &mut plans,
            capture(&[stat(1, 1, 0, 6, "JOIN"), stat(1, 2, 1, 3, "SCAN A"), stat(1, 3, 1, 1, "SCAN B")]),
            9,
        );
        add_capture(&mut plans, capture(&[stat(1, 1, 0, 9, "SCAN A")]), 9);
        add_capture(&mut plans, capture(&[stat(1, 1, 0, 9, "SCAN C")]), 2);
        assert_eq!(plans.iter().map(|plan| plan.captured).collect::<Vec<_>>(), [2, 1]);
        let scan = &plans[0].row_sources[2];
        assert_eq!((scan.level, scan.rows.first, scan.rows.average(), scan.rows.max), (1, Some(7), Some(4), Some(7)));
        assert_eq!(scan.query.average(), Some(8));
    }

    #[test]
    fn a_lower_id_or_another_cursor_starts_anew() {
        let mut gathering = Gathering::default();
        assert!(!gathering.continues(&stat(1, 1, 0, 0, "A")));
        gathering.add(&stat(1, 1, 0, 0, "A"));
        assert!(gathering.continues(&stat(1, 2, 1, 0, "B")));
        assert!(!gathering.continues(&stat(1, 1, 0, 0, "A")));
        assert!(!gathering.continues(&stat(2, 2, 1, 0, "B")));
    }
}
