//! Rounds: tables, rows, and statements on both sides, each answer compared.

use std::fmt::Write as _;

use common::{Error, Result, Seeded};
use peer::Installation;

use crate::changes;
use crate::compare::{Verdict, compare};
use crate::generate::Generator;
use crate::schema::{self, Table};
use crate::shrink;
use crate::side::{Answer, Class, Ours, Row, Side, Theirs, Way};
use crate::tally::Tally;
use crate::text::{self, Dialect};
use crate::tree::{Change, ExpressionType, Query};

/// Statements on the same tables.
const QUERIES_A_ROUND: u64 = 60;
const CHANGES_A_ROUND: u64 = 14;
/// Smaller statements that are tried for each difference.
const SHRINKS: usize = 600;

/// The size of a campaign.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    pub queries: u64,
    pub changes: u64,
    /// The first round, to repeat one.
    pub first: u64,
    /// The campaign ends after this many differences.
    pub differences: usize,
    /// How Highwater's statements are carried out.
    pub way: Way,
}

/// Both sides, and the tally.
pub struct Campaign {
    ours: Ours,
    theirs: Theirs,
    tally: Tally,
    plan: Plan,
}

impl std::fmt::Debug for Campaign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Campaign").field("plan", &self.plan).finish_non_exhaustive()
    }
}

impl Campaign {
    /// Starts both sides.
    ///
    /// # Errors
    /// When a side does not start.
    pub fn start(installation: &Installation, plan: Plan) -> Result<Self> {
        let (ours, theirs) = (Ours::start(plan.way)?, Theirs::start(installation)?);
        Ok(Self { ours, theirs, tally: Tally::default(), plan })
    }

    /// Runs the plan's rounds; `progress` is called after each.
    ///
    /// # Errors
    /// A side cannot define a table or end a transaction.
    pub fn run(mut self, mut progress: impl FnMut(u64, &Tally)) -> Result<Tally> {
        let mut round = self.plan.first;
        while (self.tally.queries < self.plan.queries || self.tally.changes < self.plan.changes)
            && self.tally.differences.len() < self.plan.differences
        {
            self.round(round)?;
            round += 1;
            self.tally.scans_by_cells = self.ours.scans_by_cells();
            progress(round, &self.tally);
        }
        Ok(self.tally)
    }

    fn both(&mut self, mut with: impl FnMut(&mut dyn Side) -> Result<()>) -> Result<()> {
        with(&mut self.ours)?;
        with(&mut self.theirs)
    }

    fn transaction(&mut self, change: &Change) -> Result<()> {
        self.both(|side| side.transaction(&text::change(side.dialect(), change)))
    }

    fn round(&mut self, round: u64) -> Result<()> {
        let mut random = Seeded::at(self.plan.seed, round);
        let tables = schema::tables(&mut random, round);
        let (weight, gathers) = [(100, false), (1, false), (10_000, true), (1, true)][(round % 4) as usize];
        self.ours.weigh_indexes(weight)?;
        for table in &tables {
            self.both(|side| table.definition(side.dialect()).iter().try_for_each(|text| side.define(text)))?;
        }
        for table in &tables {
            for _ in 0..[0, 1, 3, 5, 7][random.index(5)] {
                let row = changes::first_row(&mut random, table);
                self.change(round, &tables, &row)?;
            }
        }
        self.transaction(&Change::Commit)?;
        for table in tables.iter().filter(|_| gathers) {
            self.ours.gather(&table.name)?;
        }
        let mut savepoint = false;
        let (mut queries, mut changed) = (0, 0);
        while queries < QUERIES_A_ROUND || changed < CHANGES_A_ROUND {
            let left = (QUERIES_A_ROUND - queries) + (CHANGES_A_ROUND - changed);
            if random.below(left) < QUERIES_A_ROUND - queries {
                queries += 1;
                let query = Generator::new(&mut random, &tables).top();
                self.tally.queries += 1;
                self.query(round, &tables, &query);
            } else {
                changed += 1;
                let change = changes::change(&mut random, &tables, &mut savepoint);
                self.tally.changes += 1;
                self.change(round, &tables, &change)?;
            }
        }
        self.transaction(&Change::Rollback)?;
        for table in tables.iter().rev() {
            self.both(|side| side.define(&format!("drop table {}", table.name)))?;
        }
        Ok(())
    }

    // Queries.

    fn ask(&mut self, query: &Query) -> (Verdict, [Answer; 2]) {
        let kinds = query.kinds();
        let ours = self.ours.query(&text::query(Dialect::Ours, query), &kinds);
        let theirs = self.theirs.query(&text::query(Dialect::Theirs, query), &kinds);
        (compare(&ours, &theirs, !query.order.is_empty()), [ours, theirs])
    }

    fn query(&mut self, round: u64, tables: &[Table], query: &Query) {
        let (verdict, mut answers) = self.ask(query);
        self.tally.add(&verdict, &text::query(Dialect::Ours, query));
        if !verdict.is_wrong() {
            return;
        }
        let mut smallest = query.clone();
        let mut tries = 0;
        'smaller: loop {
            for less in shrink::query(&smallest) {
                tries += 1;
                if tries > SHRINKS {
                    break 'smaller;
                }
                let (found, given) = self.ask(&less);
                if found.shows_the_same(&verdict) {
                    (smallest, answers) = (less, given);
                    continue 'smaller;
                }
            }
            break;
        }
        let texts = [text::query(Dialect::Ours, &smallest), text::query(Dialect::Theirs, &smallest)];
        self.found(round, tables, &texts, &answers);
    }

    // Changes.

    /// Compares each table's rows on both sides, sorted. Some: the two answers that differ.
    fn contents(&mut self, tables: &[Table]) -> Result<Option<[Answer; 2]>> {
        for table in tables {
            let columns: Vec<&str> = table.kinds().map(|column| column.name.as_str()).collect();
            let kinds: Vec<ExpressionType> = table.kinds().map(|column| column.kind).collect();
            let text = format!("select {} from {}", columns.join(", "), table.name);
            let (ours, theirs) = (self.ours.query(&text, &kinds), self.theirs.query(&text, &kinds));
            match compare(&ours, &theirs, false) {
                Verdict::Same { .. } => {}
                Verdict::Different => return Ok(Some([ours, theirs])),
                other => return Err(Error::bug(format!("{text}: {other:?}"))),
            }
        }
        Ok(None)
    }

    fn alter(&mut self, change: &Change, tables: &[Table]) -> Result<(Verdict, [Answer; 2])> {
        let ours = self.ours.change(&text::change(Dialect::Ours, change));
        let theirs = self.theirs.change(&text::change(Dialect::Theirs, change));
        let verdict = compare(&ours, &theirs, false);
        if matches!(verdict, Verdict::Same { .. } | Verdict::BothRefuse)
            && let Some(contents) = self.contents(tables)?
        {
            return Ok((Verdict::Different, contents));
        }
        Ok((verdict, [ours, theirs]))
    }

    fn change(&mut self, round: u64, tables: &[Table], change: &Change) -> Result<()> {
        if matches!(change, Change::Savepoint | Change::RollbackToSavepoint | Change::Rollback | Change::Commit) {
            self.transaction(change)?;
            if let Some(contents) = self.contents(tables)? {
                let text = text::change(Dialect::Ours, change);
                self.found(round, tables, &[text.clone(), text], &contents);
            }
            return Ok(());
        }
        let mark = |campaign: &mut Self| campaign.both(|side| side.transaction("savepoint before_the_change"));
        let back =
            |campaign: &mut Self| campaign.both(|side| side.transaction("rollback to savepoint before_the_change"));
        mark(self)?;
        let (verdict, mut answers) = self.alter(change, tables)?;
        self.tally.add(&verdict, &text::change(Dialect::Ours, change));
        if matches!(verdict, Verdict::Same { .. } | Verdict::BothRefuse) {
            return Ok(());
        }
        // The two must go on from the same rows.
        back(self)?;
        if !verdict.is_wrong() {
            return Ok(());
        }
        let mut smallest = change.clone();
        let mut tries = 0;
        'smaller: loop {
            for less in shrink::change(&smallest) {
                tries += 1;
                if tries > SHRINKS {
                    break 'smaller;
                }
                let (found, given) = self.alter(&less, tables)?;
                back(self)?;
                if found.shows_the_same(&verdict) {
                    (smallest, answers) = (less, given);
                    continue 'smaller;
                }
            }
            break;
        }
        let texts = [text::change(Dialect::Ours, &smallest), text::change(Dialect::Theirs, &smallest)];
        self.found(round, tables, &texts, &answers);
        Ok(())
    }

    // The report of a difference.

    fn found(&mut self, round: u64, tables: &[Table], texts: &[String; 2], answers: &[Answer; 2]) {
        let mut told = format!("-- seed {}, round {round}\n", self.plan.seed);
        for table in tables.iter().filter(|table| texts[0].contains(&table.name)) {
            for statement in table.definition(Dialect::Ours) {
                let _ = writeln!(told, "{statement};");
            }
            let kinds: Vec<ExpressionType> = table.kinds().map(|column| column.kind).collect();
            if let Answer::Rows(rows) = self.ours.query(&format!("select * from {}", table.name), &kinds) {
                for row in rows {
                    let _ = writeln!(told, "insert into {} values ({});", table.name, literals(&row, &kinds));
                }
            }
        }
        let _ = writeln!(told, "{};", texts[0]);
        if texts[0] != texts[1] {
            let _ = writeln!(told, "-- the peer: {};", texts[1]);
        }
        let _ = writeln!(told, "-- Highwater: {}", shown(&answers[0]));
        let _ = writeln!(told, "-- the peer:  {}", shown(&answers[1]));
        self.tally.differences.push(told);
    }
}

fn literals(row: &Row, kinds: &[ExpressionType]) -> String {
    let values = row.iter().zip(kinds).map(|(value, kind)| match (value, kind) {
        (None, _) => "null".to_owned(),
        (Some(value), ExpressionType::Number) => value.clone(),
        (Some(value), ExpressionType::Text) => format!("'{value}'"),
        (Some(value), ExpressionType::Date) => format!("to_date('{value}', 'YYYY-MM-DD HH24:MI:SS')"),
    });
    values.collect::<Vec<_>>().join(", ")
}

fn shown(answer: &Answer) -> String {
    match answer {
        Answer::Changed(rows) => format!("{rows} rows changed"),
        Answer::Refused(Class::Other, why) => why.clone(),
        Answer::Refused(class, why) => format!("{why} ({class:?})"),
        Answer::Rows(rows) => {
            let mut rows: Vec<String> = rows
                .iter()
                .map(|row| row.iter().map(|value| value.as_deref().unwrap_or("-")).collect::<Vec<_>>().join(" | "))
                .collect();
            let more = rows.len().saturating_sub(12);
            rows.truncate(12);
            let more = if more > 0 { format!(" … and {more} more") } else { String::new() };
            format!("{} rows: {}{more}", rows.len(), rows.join(" / "))
        }
    }
}
