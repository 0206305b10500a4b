//! Nested loops while they run: a read for each table, the outermost first. One table is a loop of one.

use std::sync::Arc;

use common::{BlockAddress, Error, ObjectNumber, Result, Rowid};
use engine::instance::Session;
use scalar::{Context, Datum};

use super::plan::{DirectQuery, LoopEstimate, LoopKind};
use super::run::Read;
use super::value::Inputs;
use crate::cursor::open::RowSource;
use crate::explain::step::PlanStep;
use crate::scan::figures::FiguresValue;
use crate::scan::read_plan::ReadPlan;
use crate::scan::selectivity::RANGE_SHARE;
use crate::scan::source::ReadSpec;

/// Least rows of the outermost table of a join that are read at a time, and rows of an inner one.
const OUTER_ROWS: usize = 64;
const INNER_ROWS: usize = 8192;

/// What has become of a row's search for partners in a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Partners {
    NotYet,
    Some,
    /// One was found, and no more are wanted.
    Enough,
    /// There are none: the table's columns are NULL.
    Absent,
}

/// Stands for a rowid that the plan does not use, and for that of a row that is not there.
const NOWHERE: Rowid = Rowid { data_object: ObjectNumber(0), block: BlockAddress::NONE, slot: 0 };

#[derive(Debug)]
pub(super) struct Loops {
    reads: Vec<Read>,
    /// One more than the position of the present row among those held, by read; 0 before the first.
    at: Vec<usize>,
    /// Rows of the tables up to each one, joined, that satisfy the conditions.
    joined: Vec<u64>,
    /// What has become of the present row of those before each table.
    partners: Vec<Partners>,
    begun: bool,
    ended: bool,
}

impl Loops {
    /// `spec`: the outermost table's.
    pub(super) fn new(session: &Arc<Session>, plan: &DirectQuery, spec: ReadSpec, measured: bool) -> Self {
        let mut reads = vec![Read::new(session, spec, measured)];
        reads.extend(plan.inner.iter().map(|read| Read::new(session, ReadSpec::nothing(read), measured)));
        let partners = vec![Partners::NotYet; reads.len()];
        Self { at: vec![0; reads.len()], joined: vec![0; reads.len()], partners, reads, begun: false, ended: false }
    }

    /// The only table's read; None of a join.
    pub(super) fn only(&mut self) -> Option<&mut Read> {
        match self.reads.as_mut_slice() {
            [one] => Some(one),
            _ => None,
        }
    }

    /// A fetch begins.
    pub(super) fn go_on(&mut self) {
        self.reads.iter_mut().for_each(Read::go_on);
    }

    /// Goes to the next joined row; false at the end. `rows`: how many are wanted of one table.
    ///
    /// # Errors
    /// Errors of the engine, and of the values that are looked up.
    pub(super) fn next(
        &mut self,
        plan: &DirectQuery,
        (context, parameters): (&dyn Context, &[Datum]),
        rows: usize,
    ) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let last = self.reads.len() - 1;
        let mut level = if self.begun { last } else { 0 };
        self.begun = true;
        loop {
            let kind = level.checked_sub(1).map_or(LoopKind::Inner, |inner| plan.kinds[inner]);
            let found = match self.partners[level] {
                // One partner was all that was wanted, or there is none.
                Partners::Enough | Partners::Absent => false,
                Partners::NotYet | Partners::Some => {
                    self.advance(level, if last == 0 { rows } else { rows.max(OUTER_ROWS) })?
                }
            };
            if !found {
                let alone =
                    matches!(kind, LoopKind::Outer | LoopKind::Anti) && self.partners[level] == Partners::NotYet;
                if !alone {
                    if level == 0 {
                        self.ended = true;
                        return Ok(false);
                    }
                    level -= 1;
                    continue;
                }
                self.partners[level] = Partners::Absent;
            }
            if last == 0 {
                self.joined[level] += 1;
                return Ok(true);
            }
            let tests = |above: bool| plan.tests.iter().any(|test| test.level == level && test.above == above);
            let (own, above) = (found && tests(false), tests(true));
            let (mut columns, mut rowids) = (Vec::new(), Vec::new());
            if level < last || own || above {
                self.row(level, &mut columns, &mut rowids);
            }
            let inputs = Inputs { context, parameters, columns: &columns, rowids: &rowids, computed: &[] };
            if own && !plan.accepts(level, false, &inputs)? {
                continue;
            }
            let goes_on = !(found && kind == LoopKind::Anti) && (!above || plan.accepts(level, true, &inputs)?);
            let spec = if goes_on && level < last { Some(inner_spec(&plan.inner[level], &inputs)?) } else { None };
            if found {
                let once = matches!(kind, LoopKind::Semi | LoopKind::Anti);
                self.partners[level] = if once { Partners::Enough } else { Partners::Some };
            }
            if !goes_on {
                continue;
            }
            self.joined[level] += 1;
            let Some(spec) = spec else { return Ok(true) };
            level += 1;
            self.at[level] = 0;
            self.partners[level] = Partners::NotYet;
            self.reads[level].restart(spec);
        }
    }

    /// Goes to the next row of a table; false when there is none. `rows`: how many of the outermost are read at a time.
    fn advance(&mut self, level: usize, rows: usize) -> Result<bool> {
        let read = &mut self.reads[level];
        if self.at[level] >= read.rows.len() {
            self.at[level] = 0;
            if !read.next(if level == 0 { rows } else { INNER_ROWS })? {
                return Ok(false);
            }
        }
        self.at[level] += 1;
        Ok(true)
    }

    /// The present row's columns and rowids, of the tables up to number `level`.
    pub(super) fn row<'r>(&'r self, level: usize, columns: &mut Vec<Option<&'r [u8]>>, rowids: &mut Vec<Rowid>) {
        columns.clear();
        rowids.clear();
        for (number, (read, at)) in self.reads.iter().zip(&self.at).take(level + 1).enumerate() {
            if self.partners[number] == Partners::Absent {
                columns.extend((0..read.columns()).map(|_| None));
                rowids.push(NOWHERE);
                continue;
            }
            let row = at.saturating_sub(1);
            read.rows.append_columns(row, columns);
            rowids.push(read.rows.rowid(row).unwrap_or(NOWHERE));
        }
    }

    /// The present row of all tables.
    pub(super) fn whole_row<'r>(&'r self, columns: &mut Vec<Option<&'r [u8]>>, rowids: &mut Vec<Rowid>) {
        self.row(self.reads.len() - 1, columns, rowids);
    }

    /// The row sources of the reads, and of the loops above them. `limit`: most rows of a single table.
    pub(super) fn row_sources(&self, plan: &DirectQuery, depth: u32, limit: Option<usize>) -> Vec<RowSource> {
        let inner = self.reads.len() as u32 - 1;
        let mut sources = Vec::new();
        // The outermost loop joins the last table.
        for number in (1..self.reads.len()).rev() {
            let mut figures = FiguresValue { starts: 1, rows: self.joined[number], ..FiguresValue::default() };
            for read in &self.reads[..=number] {
                figures.add_work(&read.figures());
            }
            let above = depth + inner - number as u32;
            let options = match plan.kinds[number - 1] {
                LoopKind::Inner => "",
                LoopKind::Outer => "OUTER",
                LoopKind::Semi => "SEMI",
                LoopKind::Anti => "ANTI",
            };
            let mut step = PlanStep::new("NESTED LOOPS", options);
            let known = self.reads[..=number].iter().all(Read::has_statistics);
            if let Some(LoopEstimate { rows, bytes, cost }) = plan.joined.get(number - 1).filter(|_| known) {
                step.expect(*rows, *bytes, *cost);
            }
            sources.push(RowSource { depth: above, object: 0, step, figures });
        }
        let several = inner > 0;
        for (number, read) in self.reads.iter().enumerate() {
            let below = if number == 0 { inner } else { inner + 1 - number as u32 };
            let at = sources.len();
            sources.extend(read.row_sources(depth + below, several, limit.filter(|_| !several)));
            // Conditions that no scan evaluates are the last table's that they name.
            let tests = plan.tests.iter().filter(|test| several && test.level == number);
            let tests: Vec<String> = tests.map(|test| plan.test_shown(&test.test)).collect();
            if !tests.is_empty() {
                let access = sources[at..].iter_mut().find(|source| source.step.operation != "INLIST ITERATOR");
                if let Some(source) = access {
                    let step = &mut source.step;
                    step.filter = Some(
                        step.filter.iter().cloned().chain(tests.iter().cloned()).collect::<Vec<_>>().join(" AND "),
                    );
                    let share = RANGE_SHARE.powi(tests.len() as i32);
                    let left = |all: u64| ((all as f64 * share).round() as u64).max(1);
                    (step.rows, step.bytes) = (step.rows.map(left), step.bytes.map(left));
                    if matches!(number.checked_sub(1).map(|inner| plan.kinds[inner]), None | Some(LoopKind::Inner)) {
                        source.figures.rows = self.joined[number];
                    }
                }
            }
        }
        sources
    }
}

/// The read of an inner table for an outer row.
fn inner_spec(read: &Arc<ReadPlan>, inputs: &Inputs<'_>) -> Result<ReadSpec> {
    if let Some(spec) = read.spec(inputs) {
        return Ok(spec);
    }
    // The error of the value, if that is why.
    read.conditions.as_ref().map(|conditions| conditions.bound(inputs)).transpose()?;
    Err(Error::bug("an outer row has a value that the inner table's index does not take"))
}
