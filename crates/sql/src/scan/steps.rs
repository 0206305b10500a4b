//! The row sources of a read: the table access, and the index under it.

use engine::instance::Session;
use scan::Predicate;

use super::access::{self, Access, CostSettings};
use super::index_way::{self, IndexWay};
use super::selectivity;
use super::source::ReadSpec;
use super::template::Template;
use crate::cursor::open::RowSource;
use crate::explain::predicate;
use crate::explain::step::{PlanObject, PlanStep};
use crate::optimizer::estimate::Estimate;
use crate::optimizer::physical::Expected;
use crate::scan::figures::{Figures, FiguresValue};

fn index_options(way: IndexWay, unique: bool, descending: bool, first_only: bool) -> &'static str {
    let whole = match way {
        IndexWay::Fast => return "FAST FULL SCAN",
        IndexWay::Skip(_) if descending => return "SKIP SCAN DESCENDING",
        IndexWay::Skip(_) => return "SKIP SCAN",
        IndexWay::Range => false,
        IndexWay::Whole => true,
    };
    match (unique, whole, first_only, descending) {
        (true, ..) => "UNIQUE SCAN",
        (false, true, true, _) => "FULL SCAN (MIN/MAX)",
        (false, false, true, _) => "RANGE SCAN (MIN/MAX)",
        (false, true, false, false) => "FULL SCAN",
        (false, true, false, true) => "FULL SCAN DESCENDING",
        (false, false, false, false) => "RANGE SCAN",
        (false, false, false, true) => "RANGE SCAN DESCENDING",
    }
}

impl ReadSpec {
    /// The access path's name in traces and plans.
    pub(super) fn options(&self) -> &'static str {
        match &self.access {
            Access::Full => "FULL",
            Access::Rowids(_) => "BY USER ROWID",
            Access::Index { only: true, .. } => "BY INDEX",
            Access::Index { .. } => "BY INDEX ROWID",
        }
    }

    /// What is expected of it: by the table's statistics, or by its size as far as that is known without a get.
    /// `fields`: the columns that are wanted, None for ROWID.
    pub(crate) fn expected(
        &self,
        session: &Session,
        fields: impl Iterator<Item = Option<u16>>,
        limit: Option<usize>,
    ) -> Expected {
        let table = &self.plan.table;
        let blocks = match table.statistics {
            Some(statistics) => statistics.blocks as f64,
            None => table.segment.known_blocks().map_or(0.0, f64::from),
        };
        let rows = access::rows_of(table, blocks);
        let mut estimate = Estimate::of_table(table, rows, self.predicate.as_ref(), fields);
        if let Some(rows) = self.plan.cardinality {
            estimate.rows = rows;
        }
        let rowids = match &self.access {
            Access::Rowids(rowids) => Some(rowids.len()),
            _ => None,
        };
        if let Some(most) = rowids.into_iter().chain(limit).min() {
            estimate = estimate.limited_to(most as f64);
        }
        let settings = CostSettings::of(session);
        let cost = access::cost_of(table, &self.access, self.predicate.as_ref(), (blocks, rows), settings);
        Expected { estimate, cost }
    }

    /// The row sources, without figures. `several`: the plan reads several tables, so columns are qualified. `limit`:
    /// most rows that are wanted.
    pub(crate) fn row_sources(
        &self,
        session: &Session,
        depth: u32,
        several: bool,
        limit: Option<usize>,
    ) -> Vec<RowSource> {
        let Self { plan, predicate, access, .. } = self;
        let (table, alias, conditions) = (&plan.table, &plan.alias, &plan.conditions);
        let shown = several.then_some(alias.as_str());
        let text = |parts: &[&Template]| {
            let parts: Vec<String> = parts.iter().map(|part| predicate::of_scan(part, table, shown)).collect();
            (!parts.is_empty()).then(|| parts.join(" AND "))
        };
        let object = |owner: &str, name: &str, kind| PlanObject {
            owner: owner.to_owned(),
            name: name.to_owned(),
            alias: Some(alias.clone()),
            kind,
        };
        let mut step = PlanStep::new("TABLE ACCESS", self.options());
        step.hints.clone_from(&self.hints);
        step.object = Some(object(&table.owner, &table.name, "TABLE"));
        let by_key = matches!(access, Access::Rowids(_) | Access::Index { unique: true, .. });
        step.unanalyzed = !by_key && table.statistics.is_none() && !table.is_dictionary();
        let mut filters: Vec<&Template> = Vec::new();
        let mut values: Vec<&Predicate> = Vec::new();
        if let (Some(conditions), Some(predicate)) = (conditions, predicate) {
            conditions.flatten(&mut filters);
            access::flatten(predicate, &mut values);
        }
        let Expected { estimate, cost } = self.expected(session, std::iter::empty(), limit);
        let mut under = None;
        let mut listed = false;
        match access {
            Access::Full => {}
            Access::Rowids(rowids) => {
                step.access = Some(match self.rowids_shown() {
                    Some(text) => text,
                    None => predicate::of_rowids(rowids, shown),
                });
            }
            Access::Index { index, way, ranges, unique, descending, .. } => {
                listed = ranges.len() > 1;
                let used = access::used(index, *way, &values);
                let mut below = PlanStep::new("INDEX", index_options(*way, *unique, *descending, self.first_only));
                below.object =
                    Some(object(&index.owner, &index.name, if index.unique { "INDEX (UNIQUE)" } else { "INDEX" }));
                let looked: Vec<&Template> = used.iter().map(|at| filters[*at]).collect();
                below.access = text(&looked);
                below.rows =
                    if *unique { Some(ranges.len() as u64) } else { access::expected(table, index, *way, &values) };
                let open = |at: &usize| !used.contains(at);
                let is_own = |at: &usize| index_way::is_of_entry(index, values[*at]);
                let own: Vec<usize> = (0..filters.len()).filter(open).filter(is_own).collect();
                below.filter = text(&own.iter().map(|at| filters[*at]).collect::<Vec<_>>());
                if self.is_index_offloaded(session) {
                    below.options = "STORAGE FAST FULL SCAN".to_owned();
                    (below.access, below.in_storage) = (below.filter.clone(), true);
                }
                if let (Some(rows), false) = (below.rows, own.is_empty()) {
                    let all = access::rows_of(table, 0.0);
                    let share: f64 = own.iter().map(|at| selectivity::share(table, all, values[*at])).product();
                    below.rows = Some((rows as f64 * share).ceil() as u64);
                }
                let rest = (0..filters.len()).filter(|at| open(at) && !own.contains(at));
                filters = rest.map(|at| filters[at]).collect();
                let figures = FiguresValue::default();
                under = Some(RowSource { depth: depth + 1, object: index.object.0, step: below, figures });
            }
        }
        step.filter = text(&filters);
        if self.is_offloaded(session) {
            step.options = "STORAGE FULL".to_owned();
            (step.access, step.in_storage) = (step.filter.clone(), true);
        }
        if estimate.known || matches!(access, Access::Rowids(_)) {
            step.expect(estimate.rows, estimate.bytes, cost);
        }
        let found = under.as_ref().and_then(|below| below.step.rows);
        // A lookup by a whole key finds one row, whatever else is known.
        if matches!(access, Access::Index { unique: true, .. }) {
            step.rows = found;
        }
        let figures = FiguresValue::default();
        let mut sources = Vec::with_capacity(3);
        if listed {
            let PlanStep { rows, bytes, cost, io_cost, .. } = step;
            let step = PlanStep { rows, bytes, cost, io_cost, ..PlanStep::new("INLIST ITERATOR", "") };
            sources.push(RowSource { depth, object: 0, step, figures });
        }
        match under {
            Some(mut index) if matches!(access, Access::Index { only: true, .. }) => {
                let PlanStep { rows, bytes, cost, io_cost, .. } = step;
                let (hints, unanalyzed) = (step.hints, step.unanalyzed);
                index.step = PlanStep { rows, bytes, cost, io_cost, hints, unanalyzed, ..index.step };
                index.depth = depth;
                sources.push(index);
            }
            under => {
                sources.push(RowSource { depth, object: table.object.0, step, figures });
                sources.extend(under);
            }
        }
        sources.iter_mut().skip(1).filter(|_| listed).for_each(|source| source.depth += 1);
        sources
    }

    /// True: cells can carry the read out.
    pub(super) fn is_offloaded(&self, session: &Session) -> bool {
        matches!(self.access, Access::Full) && self.table.segment.is_offloaded(session.worker())
    }

    /// True: cells can read the entries of the index.
    fn is_index_offloaded(&self, session: &Session) -> bool {
        matches!(&self.access, Access::Index { way: IndexWay::Fast, index, .. }
            if index.segment.is_offloaded(session.worker()))
    }

    /// The row sources with their figures: of the table access, and of the index under it.
    pub(crate) fn measured(&self, mut sources: Vec<RowSource>, table: &Figures, index: &Figures) -> Vec<RowSource> {
        let above = matches!(&self.access, Access::Index { ranges, .. } if ranges.len() > 1);
        let figures = [table, table, index];
        let figures = if above { &figures[..] } else { &figures[1..] };
        sources.iter_mut().zip(figures).for_each(|(source, figures)| source.figures = figures.value());
        if above {
            sources[0].figures.starts = 1;
        }
        sources
    }
}
