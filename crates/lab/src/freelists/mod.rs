//! The experiment `freelists`: five jobs that insert and commit single rows into one table, under freelists and under
//! bitmaps.
//!
//! ```text
//! setting.rs  factors and arms           work.rs  a database, a table, the procedure; one run of the jobs
//! measured.rs a run, and its figures     watch.rs the jobs' sessions from begin to end
//! judge.rs, print.rs                     this file: the declaration
//! ```
//!
//! Each repetition runs every arm once, in an order drawn anew; ratios are those of arms of one repetition.

pub mod judge;
pub mod measured;
mod print;
pub mod setting;
mod watch;
pub(crate) mod work;

use common::BlockClass;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::experiment::declaration::{self, Declaration};
use crate::experiment::figure::{self, Cells};
use crate::experiment::plan::Limits;
use crate::experiment::registry::Experiment;
use crate::experiment::sweep::SweepTexts;
use crate::text::number;
use measured::{Arm, CPU_TIME, Run};
use setting::{FACTORS, FREELISTS, SESSIONS};

pub use work::Work;

/// Default length of a repetition, and default number of repetitions.
const SECONDS: f64 = 10.0;
const REPETITIONS: u32 = 5;
/// Block classes that the page of a sweep names.
const CLASSES: usize = 3;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "freelists",
    title: "Five sessions insert single rows: what freelists and bitmaps do to waits and throughput",
    parts: &[&DECLARATION],
    device: None,
};

/// A line of the published Top 5 Timed Events.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct KnownEvent {
    pub event: String,
    /// None for CPU time.
    pub waits: Option<u64>,
    pub time_s: f64,
}

/// The published figures of an arm.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Known {
    pub executes_per_s: f64,
    pub executes_per_transaction: f64,
    pub transactions_per_s: f64,
    pub top: Vec<KnownEvent>,
}

impl Known {
    /// A line of the published five by its event.
    #[must_use]
    pub fn event(&self, name: &str) -> Option<&KnownEvent> {
        self.top.iter().find(|line| line.event == name)
    }
}

/// The published figures that no arm has.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Paper {
    pub sessions: u32,
    /// Running time of each arm.
    pub minutes: f64,
}

pub type Comparison = declaration::Comparison<Work>;
type Figure = figure::Figure<Run>;

/// All that the experiment consists of.
pub static DECLARATION: Declaration<Work> = Declaration {
    shuffled: true,
    limits: Limits { seconds: Some(SECONDS), repetitions: REPETITIONS, ..Limits::USUAL },
    figures: &FIGURES,
    tables: &print::TABLES,
    judges: &judge::JUDGES,
    qualify: judge::qualify,
    about: |comparison| {
        let plan = &comparison.measured.plan;
        let times = if plan.repetitions == 1 { "once".to_owned() } else { format!("{} times", plan.repetitions) };
        let jobs = match plan.most(&SESSIONS) {
            1 => "1 job".to_owned(),
            sessions => format!("{sessions} jobs"),
        };
        let seconds = plan.seconds;
        vec![("work: ", format!("{jobs} of DBMS_JOB insert and commit single rows for {seconds} s, each arm {times}"))]
    },
    more: |arm| {
        let top: Vec<_> = arm.events().into_iter().take(print::TOP).collect();
        json!({
            "waits_by_class": arm.waits_by_class(),
            "top": top,
            "freelists_in_dictionary": arm.freelists_in_dictionary(),
        })
    },
    members: |comparison| {
        let (plan, clustering) = (&comparison.measured.plan, &comparison.measured.rest);
        json!({
            "work": {
                "sessions": plan.most(&SESSIONS),
                "seconds": plan.seconds,
                "repetitions": plan.repetitions,
                "seed": plan.seed,
            },
            "clustering": clustering,
        })
    },
    sweep: Some(SweepTexts {
        title: "Freelists, bitmaps and sessions",
        about: |_| "Jobs insert and commit single rows into one table.".to_owned(),
        usual: Some((&FREELISTS, &[1, 5])),
        work: |plan| json!({"seconds": plan.seconds, "repetitions": plan.repetitions, "seed": plan.seed}),
        remark: Some(("most waits by block class", most_waits)),
        columns: |run| {
            let of_class = |class: BlockClass| (format!("waits: {}", class.name()), run.waits_of(class).0);
            let position = ("position".to_owned(), f64::from(run.position));
            [position].into_iter().chain(BlockClass::ALL.into_iter().map(of_class)).collect()
        },
    }),
    ..Declaration::new("freelists", include_str!("../../experiments/freelists.toml"), &FACTORS, setting::arms)
};

static FIGURES: [Figure; 11] = [
    Figure::listed("transactions_per_s", "transactions/s", 0, Cells::Interval, |run, _| run.transactions_per_s())
        .drawn("Transactions a second", "transactions/s"),
    Figure::listed("waits_per_thousand", "busy waits of 1,000", 2, Cells::Interval, |run, _| run.waits_per_thousand())
        .drawn("Buffer busy waits of 1,000 transactions", "waits"),
    Figure::listed("busy_percent", "% of sessions' time", 2, Cells::Page, |run, _| run.share_of_time())
        .drawn("Time waited for busy buffers, of all sessions' time", "% of sessions' time"),
    Figure::plain("executes_per_s", |run, _| run.executes_per_s()),
    Figure::plain("executes_per_transaction", |run, _| run.executes_per_transaction()),
    Figure::plain("buffer_busy_waits", |run, _| run.buffer_busy_waits as f64),
    Figure::plain("buffer_busy_s", |run, _| run.buffer_busy_s),
    Figure::plain("elapsed_s", |run, _| run.elapsed_s),
    Figure::plain("transactions", |run, _| run.transactions as f64),
    Figure::plain("executes", |run, _| run.executes as f64),
    Figure::plain("cpu_s", |run, _| run.event(CPU_TIME).map_or(0.0, |line| line.time_s)),
];

/// The classes with most waits, in words.
fn most_waits(arm: &Arm) -> String {
    let mut classes = arm.waits_by_class();
    classes.sort_by(|a, b| b.waits.total_cmp(&a.waits));
    let words: Vec<String> =
        classes.iter().take(CLASSES).map(|waits| format!("{} {}", waits.class, number(waits.waits, 0))).collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}
