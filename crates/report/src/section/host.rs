//! Statistics of the operating system.

use super::Section;
use super::column::Field::Text;
use super::column::{column, count, number, of, worked_out};
use crate::model::{OsDetail, OsStatistic, Report};
use crate::page;

pub(crate) static OS_STATISTICS: Section<OsStatistic> = Section::new(
    "OS Statistics",
    &["-> ordered by statistic type (CPU use, Virtual Memory, Hardware Config), Name"],
    &[
        column(&["statisticname"], Text(of!(OsStatistic.name))).key().left(&["Statistic"], 25),
        column(&["value", "beginvalue"], count(of!(OsStatistic.value))).needed().right(&["Total"], 22),
        // Where nothing changed there is no second column.
        column(&[], count(of!(OsStatistic.end))).if_any().right(&["End Value"], 22),
    ],
    of!(Report.host.statistics),
)
.before_adding(|report, rows| processors(report, rows));

/// The host's processors and memory stand among its statistics.
fn processors(report: &mut Report, lines: &[OsStatistic]) {
    let number = |wanted: &str| lines.iter().find(|line| line.name == wanted).and_then(|line| line.value);
    let host = &mut report.host;
    host.cpus = host.cpus.or(number("NUM_CPUS"));
    host.cores = host.cores.or(number("NUM_CPU_CORES"));
    host.sockets = host.sockets.or(number("NUM_CPU_SOCKETS"));
    // To the byte, where the header has tenths of gigabytes.
    host.memory_bytes = number("PHYSICAL_MEMORY_BYTES").or(host.memory_bytes);
}

pub(crate) static OS_DETAILS: Section<OsDetail> = Section::new(
    "OS Statistics - detail",
    &[],
    &[
        // One a snapshot, where there are as many as there are ends of the window.
        column(
            &[],
            worked_out(|_, printing| {
                let window = &printing.report.window;
                let is_one_each = printing.report.host.details.as_ref().is_some_and(|details| details.len() == 2);
                let ids = [window.begin.id, window.end.id];
                let id = ids.get(printing.at).filter(|_| is_one_each).copied().flatten();
                page::text(id.map_or(String::new(), |id| id.to_string()))
            }),
        )
        .right(&["Snap", "Id"], 6),
        column(&["snaptime"], Text(of!(OsDetail.time))).ending(&["daytime"]).key().left(&["Snapshot", "Day Time"], 15),
        column(&[], number(1, of!(OsDetail.load))).needed().right(&["Load"], 6),
        column(&[], number(1, of!(OsDetail.busy_percent))).right(&["%Busy"], 6),
        column(&[], number(1, of!(OsDetail.user_percent))).right(&["%User"], 6),
        column(&["%sys"], number(1, of!(OsDetail.system_percent))).right(&["%System"], 7),
        // Statspack does not print the idle share.
        column(&["%idle"], number(1, of!(OsDetail.idle_percent))),
        column(&["%iowait"], number(1, of!(OsDetail.io_wait_percent))).right(&["%WIO"], 6),
        // The engine does not know the time waited for a CPU.
        column(&[], worked_out(|_, _| page::text(""))).right(&["%WCPU"], 6),
    ],
    of!(Report.host.details),
);
