//! Wait events and wait classes.

use super::Section;
use super::column::Field::{Name, Text};
use super::column::{Column, column, figure, milliseconds, number, of, read_by, seconds};
use crate::model::{Event, Report, WaitClass};
use crate::names::Names;

const TOTALS: &[&str] = &[
    "waittimetotals",
    "totalwaittimes",
    "totalwaittimesec",
    "totalwaittime",
    "totwaittimes",
    "times",
    "timesec",
    "waittimes",
    "waittimesec",
    "totaltimes",
    "totals",
    "totalwaittimecs",
    "waittimecs",
    "timecs",
];
const AVERAGES: &[&str] = &[
    "waittimeavgwait",
    "waittimeavgms",
    "avgwaitms",
    "avgwait",
    "avgwaittime",
    "avgwaittimems",
    "avgtimems",
    "avgms",
    "avgtime",
    "avgwaitus",
    "waitavgms",
];
/// Of DB time, call time or background time.
const PERCENTS: &[&str] = &[
    "waittime%dbtime",
    "%dbtime",
    "%totaldbtime",
    "%ofdbtime",
    "%bgtime",
    "%totalcalltime",
    "%calltime",
    "%totalelatime",
    "%totalwttime",
    "%totaltime",
    "%total",
    "%ofbgtime",
];

const EVENT: &[Column<Event>] = &[
    column(&["eventname", "waitevent", "waiteventname"], Name(Names::Events, of!(Event.name), Some(of!(Event.cut))))
        .key()
        .left(&["Event"], 28),
    column(&["totalwaits", "eventwaits"], figure(0, of!(Event.waits))).one_of().right(&["Waits"], 12),
    column(&["event%timeouts", "%timeouts", "%timeout", "%timeoutstotal"], number(0, of!(Event.timeouts_percent)))
        .right(&["%Tim", "out"], 4),
    // Their number, in old releases.
    column(
        &["timeouts"],
        read_by(|event: &mut Event, line, timeouts| {
            if event.timeouts_percent.is_none() {
                let share = || line.count(Some(timeouts))?.over(event.waits?);
                event.timeouts_percent = share().map(|share| share.value * 100.0);
            }
        }),
    ),
    column(TOTALS, seconds(2, of!(Event.total_s))).one_of().right(&["Total Wait", "Time (s)"], 10),
    column(AVERAGES, milliseconds(3, of!(Event.average_ms))).right(&["Avg", "wait", "(ms)"], 6),
    column(&[], number(1, of!(Event.waits_per_transaction))).right(&["Waits", "/txn"], 8),
    column(PERCENTS, number(1, of!(Event.percent))).right(&["%Total", "Call", "Time"], 6),
    column(
        &["waitclass", "class"],
        read_by(|event: &mut Event, line, class| {
            event.class = line.owned(Some(class)).map(|class| class_name(&class));
        }),
    ),
];

const NOTES: &[&str] = &[
    "-> Only events with Total Wait Time (s) >= .001 are shown",
    "-> ordered by Total Wait Time desc, Waits desc (idle events last)",
];

/// The first page prints them, in a layout of its own.
pub(crate) static TOP_EVENTS: Section<Event> =
    Section::new("Top Timed Events", &[], EVENT, of!(Report.top_events)).together();
pub(crate) static FOREGROUND_EVENTS: Section<Event> =
    Section::new("Foreground Wait Events", NOTES, EVENT, of!(Report.foreground_events)).together();
pub(crate) static BACKGROUND_EVENTS: Section<Event> =
    Section::new("Background Wait Events", NOTES, EVENT, of!(Report.background_events)).together();
pub(crate) static ALL_EVENTS: Section<Event> =
    Section::new("Wait Events (fg and bg)", NOTES, EVENT, of!(Report.all_events)).together();

/// Statspack has no wait classes.
const WAIT_CLASS: &[Column<WaitClass>] = &[
    column(&["waitclass", "class"], Text(of!(WaitClass.name))).key(),
    column(&["waits", "totalwaits"], figure(0, of!(WaitClass.waits))).needed(),
    column(TOTALS, seconds(0, of!(WaitClass.total_s))),
    column(AVERAGES, milliseconds(0, of!(WaitClass.average_ms))),
    column(PERCENTS, number(0, of!(WaitClass.percent))),
];

/// Waits of foreground sessions only.
pub(crate) static WAIT_CLASSES: Section<WaitClass> =
    Section::new("Foreground Wait Class", &[], WAIT_CLASS, of!(Report.wait_classes));
/// Waits of foreground and background.
pub(crate) static ALL_WAIT_CLASSES: Section<WaitClass> =
    Section::new("Wait Classes by Total Wait Time", &[], WAIT_CLASS, of!(Report.all_wait_classes));

/// Text cuts the classes of its top events at eight or ten letters.
fn class_name(printed: &str) -> String {
    const CLASSES: [&str; 13] = [
        "Administrative",
        "Application",
        "Cluster",
        "Commit",
        "Concurrency",
        "Configuration",
        "Idle",
        "Network",
        "Other",
        "Queueing",
        "Scheduler",
        "System I/O",
        "User I/O",
    ];
    let whole = CLASSES.iter().find(|class| printed.len() >= 6 && class.starts_with(printed));
    whole.map_or(printed, |class| *class).to_owned()
}
