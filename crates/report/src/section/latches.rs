//! Latches: their gets and misses, the sleeps of those that slept, and the places in the code where they were missed.

use super::Section;
use super::column::Field::{Name, Number, Text};
use super::column::{Column, Unit, column, count, number, of, worked_out};
use crate::model::{Latch, LatchMiss, Report};
use crate::names::Names;
use crate::page;

pub(crate) static LATCHES: Section<Latch> = Section::new(
    "Latch Activity",
    &[
        "->\"Get Requests\", \"Pct Get Miss\" and \"Avg Slps/Miss\" are statistics for",
        "  willing-to-wait latch get requests",
        "->\"NoWait Requests\", \"Pct NoWait Miss\" are for no-wait latch get requests",
        "->\"Pct Misses\" for both should be very close to 0.0",
    ],
    &[
        NAME.left(&["Latch"], 24),
        GETS.needed().right(&["Get", "Requests"], 14),
        column(&["pctmiss"], number(1, of!(Latch.miss_percent))).right(&["Pct", "Get", "Miss"], 6),
        column(
            &[],
            worked_out(|latch: &Latch, _| {
                let missed = latch.sleeps.zip(latch.misses).filter(|(_, misses)| *misses > 0.0);
                page::number(missed.map(|(sleeps, misses)| sleeps / misses), 1)
            }),
        )
        .right(&["Avg", "Slps", "/Miss"], 6),
        column(&[], Number(Unit::Seconds, 2, of!(Latch.wait_s))).right(&["Wait", "Time", "(s)"], 6),
        column(&[], count(of!(Latch.nowait_gets))).right(&["NoWait", "Requests"], 12),
        column(&[], number(1, of!(Latch.nowait_miss_percent))).right(&["Pct", "NoWait", "Miss"], 6),
    ],
    of!(Report.latches),
);

const NAME: Column<Latch> = column(&["latchname", "latch", "name"], Name(Names::Latches, of!(Latch.name), None)).key();
const GETS: Column<Latch> = column(&["gets"], count(of!(Latch.gets)));

/// Of the latches that were missed: their rows add to those of [`LATCHES`].
pub(crate) static LATCH_SLEEPS: Section<Latch> = Section::new(
    "Latch Sleep breakdown",
    &["-> ordered by misses desc"],
    &[
        NAME.left(&["Latch Name"], 26),
        GETS.right(&["Get", "Requests"], 15),
        column(&[], count(of!(Latch.misses))).right(&["Misses"], 12),
        column(&[], count(of!(Latch.sleeps))).needed().right(&["Sleeps"], 11),
        column(&[], count(of!(Latch.spin_gets))).right(&["Spin", "Gets"], 11),
    ],
    of!(Report.latches),
)
.before_adding(add_sleeps)
.rows_to_print(missed);

/// A row of a latch that has a line already is added to it; containers have a line each, and are summed.
fn add_sleeps(report: &mut Report, rows: &mut Vec<Latch>) {
    let latches = report.latches.get_or_insert_default();
    for row in rows.drain(..) {
        let is_same =
            |latch: &Latch| latch.name == row.name || (latch.name.len() >= 20 && row.name.starts_with(&latch.name));
        match latches.iter_mut().find(|latch| is_same(latch)) {
            Some(latch) => {
                for (sum, value) in [
                    (&mut latch.misses, row.misses),
                    (&mut latch.sleeps, row.sleeps),
                    (&mut latch.spin_gets, row.spin_gets),
                ] {
                    *sum = sum.zip(value).map(|(sum, value)| sum + value).or(*sum).or(value);
                }
            }
            None => latches.push(row),
        }
    }
}

fn missed(latches: &[Latch]) -> Vec<&Latch> {
    let has_missed = |latch: &&Latch| latch.misses.is_some() || latch.sleeps.is_some() || latch.spin_gets.is_some();
    let mut missed: Vec<&Latch> = latches.iter().filter(has_missed).collect();
    missed.sort_by(|one, other| other.misses.unwrap_or(0.0).total_cmp(&one.misses.unwrap_or(0.0)));
    missed
}

pub(crate) static LATCH_MISSES: Section<LatchMiss> = Section::new(
    "Latch Miss Sources",
    &["-> only latches with sleeps are shown", "-> ordered by name, sleeps desc"],
    &[
        column(&["latch"], Name(Names::Latches, of!(LatchMiss.latch), None)).key().left(&["Latch Name"], 24),
        column(&[], Text(of!(LatchMiss.place))).needed().left(&["Where"], 26),
        column(&[], count(of!(LatchMiss.nowait_misses))).right(&["NoWait", "Misses"], 7),
        column(&[], count(of!(LatchMiss.sleeps))).right(&["Sleeps"], 10),
        column(&[], count(of!(LatchMiss.waiter_sleeps))).right(&["Waiter", "Sleeps"], 8),
    ],
    of!(Report.latch_misses),
);
