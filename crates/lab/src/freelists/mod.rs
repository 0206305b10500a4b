//! The experiment `freelists`: five jobs that insert and commit single rows into one table, under freelists and under bitmaps.
//!
//! ```text
//! plan.rs     how long, how often, in which order        work.rs    a database, a table, the procedure; one run of the jobs
//! setting.rs, factor.rs  what the arms differ in         watch.rs   the jobs' sessions from begin to end
//! published.rs, measured.rs -> judge.rs -> print.rs, JSON
//! ```
//!
//! Each repetition runs every arm once, in an order drawn anew, so that what else the machine does meets all of them; ratios are those of arms of one repetition.

pub mod factor;
pub mod judge;
pub mod measured;
pub mod plan;
mod print;
pub mod published;
pub mod setting;
mod watch;
pub(crate) mod work;

use std::io::{self, Write};

use common::Result;
use serde_json::{Map, Value, json};

use crate::clustering::{self, Tablespaces};
use crate::expectation::Expectation;
use crate::management::Management;
use crate::options::Options;
use crate::progress::Progress;
use crate::reproduction::{Figures, Heading, Reproduction};
use factor::Factor;
use measured::{Arm, Measured};
use plan::Plan;
use published::Published;
use setting::Setting;
use work::{CACHE_MB, Work};

/// Name, and what it is about.
pub(crate) const NAME: &str = "freelists";
pub(crate) const TITLE: &str =
    "Five sessions insert single rows: what freelists and bitmaps do to waits and throughput";
/// Seconds of a repetition for which the clustering factor is measured with all its rows; shorter ones have fewer.
const SECONDS_OF_ALL_ROWS: f64 = 10.0;

/// Published and measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    pub published: Published,
    pub measured: Measured,
}

impl Comparison {
    pub(crate) fn heading(&self) -> Heading<'_> {
        Heading { name: &self.published.name, title: &self.published.title, origin: &self.published.origin }
    }

    pub(crate) fn judge(&self) -> Result<Vec<Expectation>> {
        judge::judge(&self.published, &self.measured)
    }

    pub(crate) fn print_source(&self, out: &mut dyn Write) -> io::Result<()> {
        let Measured { sessions, seconds, repetitions, .. } = self.measured;
        let times = if repetitions == 1 { "once".to_owned() } else { format!("{repetitions} times") };
        let jobs = if sessions == 1 { "1 job".to_owned() } else { format!("{sessions} jobs") };
        writeln!(out, "work: {jobs} of DBMS_JOB insert and commit single rows for {seconds} s, each arm {times}")
    }

    pub(crate) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        print::print(self, out)
    }

    /// The parts of the JSON document that are this experiment's.
    pub(crate) fn json(&self) -> Map<String, Value> {
        let arm = |arm: &Arm| {
            let published = self.published.arm(arm.setting).ok();
            json!({"name": arm.setting.name(), "published": published, "measured": measured_arm(arm)})
        };
        let measured = &self.measured;
        let mut parts = Map::new();
        parts.insert(
            "work".to_owned(),
            json!({
                "sessions": measured.sessions,
                "seconds": measured.seconds,
                "repetitions": measured.repetitions,
                "seed": measured.seed,
            }),
        );
        parts.insert("arms".to_owned(), measured.arms.iter().map(arm).collect());
        parts.insert("clustering".to_owned(), json!(measured.clustering));
        parts
    }
}

/// Medians and intervals of an arm, and its runs.
pub(crate) fn measured_arm(arm: &Arm) -> Value {
    json!({
        "transactions_per_s": arm.estimate(measured::Run::transactions_per_s),
        "executes_per_s": arm.estimate(measured::Run::executes_per_s),
        "executes_per_transaction": arm.estimate(measured::Run::executes_per_transaction),
        "buffer_busy_waits": arm.estimate(|run| run.buffer_busy_waits as f64),
        "buffer_busy_s": arm.estimate(|run| run.buffer_busy_s),
        "waits_by_class": arm.waits_by_class(),
        "top": arm.events().into_iter().take(print::TOP).collect::<Vec<_>>(),
        "freelists_in_dictionary": arm.freelists_in_dictionary,
        "runs": arm.runs,
    })
}

/// Runs the experiment.
///
/// # Errors
/// HW-0003 for options that are out of range; those of making the database and of the statements; HW-0011 when a job fails or does not end.
pub fn run(options: &Options, progress: &mut dyn Progress) -> Result<Reproduction> {
    options.refuse(NAME, &["source", "part", "flamegraph"])?;
    let plan = Plan::new(options)?;
    let published = Published::read()?;
    progress.step("making the database");
    let mut work = Work::new(options.data.as_deref(), plan.seconds, plan.sessions, CACHE_MB)?;
    let points = Setting::ARMS.map(|setting| (setting, plan.sessions));
    let arms = run_all(&mut work, &plan, &points, progress)?;
    let [manual, auto] = [Setting::manual(1), Setting::auto(1)].map(Setting::tablespace);
    let scale = options.scale().min(f64::from(plan.seconds) / SECONDS_OF_ALL_ROWS);
    let clustering = clustering::run(work.laboratory(), Tablespaces { manual, auto }, scale, progress)?;
    progress.step("closing the database");
    work.close()?;
    progress.end();
    let measured = Measured {
        sessions: plan.sessions,
        seconds: plan.seconds,
        repetitions: plan.repetitions,
        seed: plan.seed,
        arms,
        clustering,
    };
    let notes = notes(&plan, &points);
    Reproduction::new(Figures::Freelists(Comparison { published, measured }), notes)
}

/// Runs settings with numbers of sessions, each once a repetition, in the order of the plan. The arms come back in the order of `points`.
pub(crate) fn run_all(
    work: &mut Work,
    plan: &Plan,
    points: &[(Setting, u32)],
    progress: &mut dyn Progress,
) -> Result<Vec<Arm>> {
    let mut arms: Vec<Arm> = points
        .iter()
        .map(|(setting, _)| Arm { setting: *setting, freelists_in_dictionary: None, runs: Vec::new() })
        .collect();
    let mut position = 0;
    for (repetition, order) in (1..).zip(plan.order(points.len())) {
        for at in order {
            let (setting, sessions) = points[at];
            position += 1;
            progress.step(&format!(
                "repetition {repetition} of {}: {}, sessions: {sessions}",
                plan.repetitions,
                setting.name()
            ));
            let run = work.run(setting, sessions)?;
            arms[at].runs.push(measured::Run { repetition, position, ..run });
            arms[at].freelists_in_dictionary = work.freelists()?;
        }
    }
    Ok(arms)
}

/// What a reader of the figures has to know.
pub(crate) fn notes(plan: &Plan, points: &[(Setting, u32)]) -> Vec<String> {
    let several = points.iter().any(|(_, sessions)| *sessions != points[0].1);
    let is_changed = |factor: &Factor| {
        let usual = factor.said(&Setting::manual(1));
        *factor != Factor::Freelists && points.iter().any(|(setting, _)| factor.said(setting) != usual)
    };
    let others: Vec<String> = Factor::ALL
        .into_iter()
        .filter(is_changed)
        .map(|factor| format!(", {} {}", factor.short(), factor.name()))
        .collect();
    let of = |at: usize| {
        let (setting, sessions) = points[at];
        if several { format!("{}x{sessions}", setting.short()) } else { setting.short() }
    };
    let orders: Vec<String> = plan
        .order(points.len())
        .iter()
        .map(|order| order.iter().map(|at| of(*at)).collect::<Vec<_>>().join(" "))
        .collect();
    let mut notes = vec![
        format!(
            "in random order, seed {} (M manual, A auto, then FREELISTS{}{}): {}",
            plan.seed,
            others.join(""),
            if several { ", x sessions" } else { "" },
            orders.join(" | ")
        ),
        format!(
            "buffer cache {CACHE_MB} MB; a commit inside PL/SQL is waited for at the end of the call, so log file sync is no part of the loop{}",
            if cfg!(debug_assertions) { "; A DEBUG BUILD: rates and waits mean nothing" } else { "" }
        ),
    ];
    if points.iter().any(|(setting, _)| setting.management == Management::Auto && setting.freelists > 1) {
        notes.push(
            "FREELISTS of a table in a tablespace under bitmaps is accepted and ignored: USER_TABLES shows none"
                .to_owned(),
        );
    }
    notes
}
