//! Least and greatest values alone are wanted: a cell sends the rows of a piece that have them, and no others.

use common::{BlockAddress, ObjectNumber};
use scan::RowSink;

/// A column of which the least or the greatest value is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extreme {
    /// Its place among the columns of the request.
    pub place: u16,
    pub greatest: bool,
}

type Row = Vec<Option<Box<[u8]>>>;

/// For each extreme the row that has it so far.
#[derive(Clone, Debug)]
pub(crate) struct Extremes {
    found: Vec<(Extreme, Option<Row>)>,
}

impl Extremes {
    pub(crate) fn new(wanted: &[Extreme]) -> Self {
        Self { found: wanted.iter().map(|extreme| (*extreme, None)).collect() }
    }

    /// Hands the rows over, each once.
    pub(crate) fn hand_over(self, sink: &mut impl RowSink) {
        let mut rows: Vec<Row> = Vec::new();
        for row in self.found.into_iter().filter_map(|(_, row)| row) {
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        for row in rows {
            let columns: Vec<Option<&[u8]>> = row.iter().map(Option::as_deref).collect();
            sink.row(0, &columns);
        }
    }
}

impl RowSink for Extremes {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, columns: &[Option<&[u8]>]) {
        for (extreme, found) in &mut self.found {
            let place = usize::from(extreme.place);
            let Some(value) = columns.get(place).copied().flatten() else { continue };
            let best = found.as_ref().and_then(|row| row.get(place)?.as_deref());
            let is_better = best.is_none_or(|best| if extreme.greatest { value > best } else { value < best });
            if is_better {
                *found = Some(columns.iter().map(|column| column.map(Into::into)).collect());
            }
        }
    }
}
