//! Wait events and wait classes.

use super::Reading;
use super::part::ReportPart;
use super::view::{Column, Line, View};
use crate::model::{Event, Scope, WaitClass};
use crate::names::{Names, whole};
use crate::value::TimeUnit;

const TOTALS: [&str; 14] = [
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
const AVERAGES: [&str; 11] = [
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
const PERCENTS: [&str; 12] = [
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
const TIMEOUTS: [&str; 5] = ["event%timeouts", "%timeouts", "%timout", "%timeout", "%timeoutstotal"];

impl Reading {
    pub(super) fn events(&mut self, part: ReportPart, view: &View<'_>) -> bool {
        let name = view.find(&["event", "eventname", "waitevent", "waiteventname"]);
        let waits = view.find(&["waits", "totalwaits", "eventwaits"]);
        let total = view.find(&TOTALS);
        if name.is_none() || (total.is_none() && waits.is_none()) {
            return false;
        }
        let average = view.find(&AVERAGES);
        let percent = view.find(&PERCENTS);
        let timeouts_percent = view.find(&TIMEOUTS);
        let timeouts = view.find(&["timeouts"]);
        let per_transaction = view.find(&["waitstxn"]);
        let class = view.find(&["waitclass", "class"]);
        let width = self.width(view.lines().map(|line| line.text(name)));
        let mut events = Vec::new();
        let instances = self.instances(view);
        let mut instance = "";
        for line in view.lines() {
            if !line.text(instances).is_empty() {
                instance = line.text(instances);
            }
            let printed = line.text(name);
            if printed.is_empty() || (instances.is_some() && instance != "*") {
                continue;
            }
            let (full, cut) = whole(Names::Events, printed, width);
            let count = line.count(waits);
            events.push(Event {
                name: full,
                cut,
                waits: count,
                timeouts_percent: line.number(timeouts_percent).or_else(|| {
                    let share = line.count(timeouts)?.over(count?)?;
                    Some(share.value * 100.0)
                }),
                total_s: line.seconds(total, TimeUnit::Seconds),
                average_ms: line.milliseconds(average),
                waits_per_transaction: line.number(per_transaction),
                percent: line.number(percent),
                class: line.owned(class).map(|class| class_name(&class)),
            });
        }
        if events.is_empty() {
            return false;
        }
        let list = match part {
            ReportPart::TopEvents => &mut self.report.top_events,
            ReportPart::ForegroundEvents => &mut self.report.foreground_events,
            ReportPart::BackgroundEvents => &mut self.report.background_events,
            _ => &mut self.report.all_events,
        };
        list.get_or_insert_default().extend(events);
        true
    }

    /// The column of instances in a cluster's report: `*` stands for all together, and is left out in the lines below
    /// it.
    fn instances(&self, view: &View<'_>) -> Option<Column> {
        if self.report.scope == Scope::Cluster { view.find(&["i#", "inst#", "instno"]) } else { None }
    }

    /// In a cluster's report the lines of all instances together; elsewhere every line.
    pub(super) fn of_all_instances(&self, view: &View<'_>, line: Line<'_>) -> bool {
        let instances = self.instances(view);
        instances.is_none() || line.text(instances) == "*"
    }

    pub(super) fn wait_classes(&mut self, part: ReportPart, view: &View<'_>) -> bool {
        let name = view.find(&["waitclass", "class"]);
        let waits = view.find(&["waits", "totalwaits"]);
        if name.is_none() || waits.is_none() {
            return false;
        }
        let classes: Vec<WaitClass> = view
            .lines()
            .filter(|line| !line.text(name).is_empty())
            .map(|line| WaitClass {
                name: line.text(name).to_owned(),
                waits: line.count(waits),
                total_s: line.seconds(view.find(&TOTALS), TimeUnit::Seconds),
                average_ms: line.milliseconds(view.find(&AVERAGES)),
                percent: line.number(view.find(&PERCENTS)),
            })
            .collect();
        if classes.is_empty() {
            return false;
        }
        let list = if part == ReportPart::WaitClasses {
            &mut self.report.wait_classes
        } else {
            &mut self.report.all_wait_classes
        };
        list.get_or_insert_default().extend(classes);
        true
    }
}

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
