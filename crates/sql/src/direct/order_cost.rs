//! What it costs to have rows in an order: by a sort, or by an index that is read as a whole.

use common::Result;
use engine::dictionary::IndexDef;
use engine::instance::Session;

use super::value::Inputs;
use crate::optimizer::cost::Cost;
use crate::scan::access::{self, Access, CostSettings};
use crate::scan::index_way::IndexWay;
use crate::scan::read_plan::{Path, ReadPlan};
use crate::scan::selectivity;

/// Costs in microseconds of the rows that are wanted.
pub(super) struct OrderCosts<'r> {
    read: &'r ReadPlan,
    predicate: Option<scan::Predicate>,
    /// The table's blocks and rows.
    size: (f64, f64),
    settings: CostSettings,
    /// The share of the table's blocks that the cache holds.
    cached: f64,
    /// The share of an index that is read for the rows that are wanted.
    share: f64,
    /// By a sort.
    pub(super) sorted: f64,
}

impl<'r> OrderCosts<'r> {
    /// `wanted`: most rows that are wanted; None for all. None where the read's conditions have no value, and where
    /// hints say how the table is read.
    ///
    /// # Errors
    /// Errors of reading the table's size.
    pub(super) fn of(
        session: &Session,
        read: &'r ReadPlan,
        inputs: &Inputs<'_>,
        wanted: Option<f64>,
    ) -> Result<Option<Self>> {
        if read.is_hinted {
            return Ok(None);
        }
        let predicate = match &read.conditions {
            None => None,
            Some(conditions) => match conditions.bound(inputs) {
                Ok(Some(predicate)) => Some(predicate),
                _ => return Ok(None),
            },
        };
        let blocks = access::blocks(session, &read.table)? as f64;
        let rows = access::estimated_rows(session, &read.table)?;
        let size = (blocks, rows);
        let settings = CostSettings::of(session);
        let cached = access::cached_share(session, std::iter::once(&read.table))?;
        let found = predicate.as_ref().map_or(1.0, |predicate| selectivity::share(&read.table, rows, predicate)) * rows;
        let now = match &read.path {
            Path::Index(index, way) => access::of_index(index, *way, predicate.as_ref(), read.only),
            _ => Some(Access::Full),
        };
        let Some(now) = now else { return Ok(None) };
        let sort = access::cost_of(&read.table, &now, predicate.as_ref(), size, settings) + Cost::of_sort(found);
        let share = wanted.map_or(1.0, |wanted| (wanted / found.max(1.0)).min(1.0));
        Ok(Some(Self { read, predicate, size, settings, cached, share, sorted: sort.micros(cached) }))
    }

    /// By an index. None where it may lack rows, or has no statistics.
    pub(super) fn of_whole(&self, index: &std::sync::Arc<IndexDef>) -> Option<f64> {
        let (table, predicate) = (&self.read.table, self.predicate.as_ref());
        index.statistics.filter(|known| known.num_rows > 0)?;
        if !access::has_all_rows(table, index, predicate) {
            return None;
        }
        let only = access::is_covered(index, &self.read.projection, predicate);
        let whole = access::of_index(index, IndexWay::Whole, predicate, only)?;
        let cost = access::cost_of(table, &whole, predicate, self.size, self.settings);
        Some(cost.micros(self.cached) * self.share)
    }
}
