//! Statistics of the instance, and its time model.

use super::Section;
use super::column::Field::Name;
use super::column::{Column, column, count, number, of, seconds, worked_out};
use crate::model::{Report, Statistic, TimeModelLine};
use crate::names::{Names, run};
use crate::page;

pub(crate) static TIME_MODEL: Section<TimeModelLine> = Section::new(
    "Time Model System Stats",
    &["-> Ordered by % of DB time desc, Statistic name"],
    &[
        column(&["statisticname"], Name(Names::TimeModel, of!(TimeModelLine.name), None))
            .key()
            .left(&["Statistic"], 35),
        column(&["timesec", "totals"], seconds(2, of!(TimeModelLine.seconds))).needed().right(&["Time (s)"], 20),
        column(&["%ofdbtime", "%totaldbtime"], number(1, of!(TimeModelLine.percent))).right(&["% DB time"], 9),
    ],
    of!(Report.time_model),
)
.together();

/// Statspack prints differences, absolute values and rates an hour under one title; their columns tell them apart.
const TITLE: &str = "Instance Activity Stats";

const STATISTIC: Column<Statistic> =
    column(&["statisticname", "name"], Name(Names::Statistics, of!(Statistic.name), Some(of!(Statistic.cut))))
        .key()
        .left(&["Statistic"], 33);
const TOTAL: Column<Statistic> =
    column(&["total", "totalvalue", "endvalue", "value"], count(of!(Statistic.total))).needed();
const PER_SECOND: Column<Statistic> = column(&["persecond", "persec"], number(2, of!(Statistic.per_second)));
const PER_TRANSACTION: Column<Statistic> =
    column(&["pertrans", "pertransaction", "pertxn"], number(2, of!(Statistic.per_transaction)));

/// Differences over the window.
pub(crate) static STATISTICS: Section<Statistic> = Section::new(
    TITLE,
    &[],
    &[
        STATISTIC,
        TOTAL.right(&["Total"], 18),
        PER_SECOND.right(&["per Second"], 14),
        PER_TRANSACTION.right(&["per Trans"], 12),
    ],
    of!(Report.statistics),
)
.together()
.complete(complete_runs);

/// Values at begin and end.
pub(crate) static ABSOLUTE_STATISTICS: Section<Statistic> = Section::new(
    TITLE,
    &["-> Statistics with absolute values (should not be diffed)"],
    &[
        STATISTIC,
        column(&[], count(of!(Statistic.begin))).needed().right(&["Begin Value"], 15),
        TOTAL.right(&["End Value"], 15),
        PER_SECOND,
        PER_TRANSACTION,
    ],
    of!(Report.absolute_statistics),
)
.together()
.complete(complete_runs);

/// Of the thread's redo logs.
pub(crate) static THREAD_ACTIVITY: Section<Statistic> = Section::new(
    TITLE,
    &["-> Statistics identified by '(derived)' come from sources other than SYSSTAT"],
    &[
        STATISTIC,
        TOTAL.right(&["Total"], 18),
        // The rate an hour is what tells this table from the first.
        column(
            &[],
            worked_out(|line: &Statistic, printing| {
                let window = &printing.report.window;
                let hours = window.elapsed_s.filter(|seconds| *seconds > 0.0).map(|seconds| seconds / 3600.0);
                page::number(line.total.zip(hours).map(|(total, hours)| total / hours), 2)
            }),
        )
        .needed()
        .right(&["per Hour"], 9),
        PER_SECOND,
        PER_TRANSACTION,
    ],
    of!(Report.thread_activity),
)
.together()
.complete(complete_runs);

/// Names that are cut to the same letters stand next to each other, because the list is in the order of names.
fn complete_runs(statistics: &mut [Statistic]) {
    for group in statistics.chunk_by_mut(|one, other| one.cut && other.cut && one.name == other.name) {
        let Some(names) =
            group.first().filter(|first| first.cut).and_then(|first| run(Names::Statistics, &first.name, group.len()))
        else {
            continue;
        };
        for (statistic, name) in group.iter_mut().zip(names) {
            (*name).clone_into(&mut statistic.name);
            statistic.cut = false;
        }
    }
}
