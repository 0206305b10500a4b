//! Failing calls, one at a time, under a workload of each kind.
//!
//! 1. A statement that has reported success stands, in the page cache and after a power failure.
//! 2. A statement that fails tells an error with a number. While the instance goes on, it has changed nothing; but for
//!    a DROP TABLESPACE that could not remove a file (ORA-01259), which stands.
//! 3. Once the instance has stopped, every statement gets HW-0010, queries too.
//! 4. A fault is told: by a statement, or by the process when it ends.
//! 5. A fault of one disk of a mirrored group is none of these: no statement fails and the instance goes on while the
//!    group has another copy of each extent. Statements about disks may fail.
//! 6. The next start, without faults, opens; `verify` finds nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::Seeded;
use nix::errno::Errno;
use sim::disk::{Image, Keep};

use crate::check::check;
use crate::error::{Error, Result};
use crate::event::{Event, LifeEnd};
use crate::image;
use crate::lives::{Options, PATIENCE, clear, make_database, recorder};
use crate::trace::{Ended, Fault, FaultKind, Input, MIRRORED_DISK, Recorder, Reply, Stop};
use crate::walk::{Honesty, Walk};
use crate::workload::{Answer, Plan, SETTINGS, Statement, Told, WorkloadState, fails, line, mark};

/// Statements after the failed one.
const PROBES: [&str; 4] = [
    "select n from accounts where id = 1",
    "insert into rows_auto values (1, 1, '1.1.')",
    "rollback",
    "select count(*) from rows_auto",
];
/// The error of a statement after the instance has stopped.
const STOPPED: &str = "HW-0010";

/// One injection, and the faults found after it.
#[derive(Clone, Debug)]
pub struct Injection {
    pub fault: Fault,
    /// The failed call, if any.
    pub hit: Option<String>,
    /// The failed statement, and its output.
    pub failed: Option<String>,
    pub stopped: bool,
    pub findings: Vec<String>,
}

/// A workload whose calls are made to fail.
#[derive(Debug)]
pub struct Target {
    options: Options,
    root: PathBuf,
    data: PathBuf,
    image: Image,
    state: WorkloadState,
    statements: Vec<Statement>,
}

impl Target {
    /// `root` holds a database in this state, and nothing else.
    ///
    /// # Errors
    /// Errors of reading it.
    pub fn new(options: &Options, root: &Path, state: WorkloadState) -> Result<Self> {
        let root = fs::canonicalize(root).map_err(|error| Error::io(root, &error))?;
        let image = image::read_directory(&root)?;
        let statements = Plan::new(options.kind, options.seed, 0, state.clone()).statements(options.units);
        Ok(Self { options: options.clone(), data: root.join("db"), root, image, state, statements })
    }

    /// Numbers of calls of each kind without a fault.
    ///
    /// # Errors
    /// As [`Target::inject`]; when a statement fails.
    pub fn counts(&self) -> Result<BTreeMap<FaultKind, u64>> {
        let (_, ended, told) = self.run(&[])?;
        match told.failure(&self.statements) {
            Some(failure) => Err(Error::Workload(failure)),
            None if ended.end != LifeEnd::Exited(0) => {
                Err(Error::Workload(format!("{:?} {}", ended.end, ended.errors)))
            }
            None => Ok(ended.counts),
        }
    }

    /// Runs the workload with a fault, and checks everything.
    ///
    /// # Errors
    /// Errors of the recorder.
    pub fn inject(&self, fault: Fault) -> Result<Injection> {
        let (recorder, ended, told) = self.run(&[fault])?;
        let mut injection =
            Injection { fault, hit: ended.hits.first().cloned(), failed: None, stopped: false, findings: Vec::new() };
        let answers = told.answers();
        let failed = answers.iter().position(|answer| fails(&self.statements, answer));
        self.judge(&ended, &answers, failed, &mut injection);
        let returned = match failed {
            Some(at) if answers[at].stands() => at + 1,
            Some(at) => at,
            None => told.begun().saturating_sub(1),
        };
        let returned = returned.min(self.statements.len());
        let mut states = vec![self.state.clone()];
        states.extend(self.statements.iter().map(|statement| statement.state.clone()));
        let last = match failed {
            Some(at) if injection.stopped || ended.end == LifeEnd::Killed => (at + 1).min(self.statements.len()),
            _ => returned,
        };
        let committed = self.statements[..returned].iter().rposition(|statement| statement.commits);
        let allowed = &states[committed.map_or(0, |at| at + 1)..=last];
        let mut walk = Walk::new(self.image.clone(), Honesty::Honest);
        recorder.events().iter().for_each(|event| walk.pass(event));
        let lost = walk.crash(Keep::Nothing, &mut Seeded::new(self.options.seed));
        for (image, what) in [(recorder.cache().clone(), "after it"), (lost, "after it and a power failure")] {
            if let Some(text) = check(image, &self.data, allowed).0.first() {
                injection.findings.push(format!("{what}: {text}"));
            }
        }
        Ok(injection)
    }

    fn judge(&self, ended: &Ended, answers: &[Answer], failed: Option<usize>, injection: &mut Injection) {
        let findings = &mut injection.findings;
        if ended.hung {
            findings.push(format!("the process hangs after statement {}", answers.len()));
        }
        let text = |number: usize| {
            let probe = failed.and_then(|at| number.checked_sub(at + 2)).and_then(|probe| PROBES.get(probe));
            let own = self.statements.get(number - 1).map(|statement| statement.text.as_str());
            probe.copied().or(own).unwrap_or("the end").to_owned()
        };
        // The last mark is behind all statements.
        for answer in answers.iter().take(answers.len().saturating_sub(1)).filter(|answer| answer.text.is_empty()) {
            findings.push(format!("no answer to: {}", text(answer.number)));
        }
        if let Some(at) = failed {
            let answer = &answers[at];
            injection.failed = Some(format!("{}: {}", text(answer.number), answer.errors().join(" ")));
            if answer.errors().iter().any(|error| error.contains("ORA-00600")) {
                findings.push(format!("an internal error: {}", answer.errors().join(" ")));
            }
        }
        let stop = answers.iter().position(|answer| answer.text.contains(STOPPED));
        injection.stopped = stop.is_some();
        if let Some(stop) = stop {
            let after = answers[stop..].iter().take_while(|answer| !answer.text.is_empty());
            for answer in after.filter(|answer| !answer.text.contains(STOPPED)) {
                findings.push(format!("answered after the stop: {}: {}", text(answer.number), answer.text));
            }
        } else if let Some(at) = failed {
            for answer in answers[at + 1..].iter().filter(|answer| !answer.succeeded()) {
                findings.push(format!("fails too, without a stop: {}: {}", text(answer.number), answer.text));
            }
        }
        let on_mirror = injection.hit.as_ref().is_some_and(|hit| hit.contains(MIRRORED_DISK));
        if on_mirror {
            // A write that fails after the statement that a failure is told by comes from the background.
            let statement = failed.and_then(|at| self.statements.get(answers[at].number - 1));
            let good_copy = statement.is_none_or(|statement| !statement.about_disks && !statement.degraded);
            if good_copy && let Some(text) = injection.failed.as_ref().or(ended_badly(ended).as_ref()) {
                injection.findings.push(format!("a good copy is there, and yet: {text}"));
            }
            return;
        }
        let silent = failed.is_none() && ended.end == LifeEnd::Exited(0) && ended.errors.trim().is_empty();
        if let (true, Some(hit)) = (silent, &injection.hit) {
            findings.push(format!("nobody was told of {hit}"));
        }
    }

    /// Runs the workload; after the first failure only probes are sent.
    fn run(&self, faults: &[Fault]) -> Result<(Recorder, Ended, Told)> {
        clear(&self.root)?;
        image::write_directory(&self.image, &self.root, &self.root)?;
        let mut recorder = recorder(self.options.kind, &self.root)?;
        let mut client = Script { statements: &self.statements, told: Told::default(), sent: 0, probes: None };
        let data = self.data.to_string_lossy();
        let mut ask = |bytes: &[u8]| client.hear(bytes);
        let arguments = ["sql", "-S", "--data", &data];
        let ended =
            recorder.run(&self.options.program, &arguments, Input::Dialog(&mut ask), Stop::Never, faults, PATIENCE)?;
        let mut told = Told::default();
        for event in recorder.events() {
            if let Event::Said(bytes) = event {
                told.hear(bytes);
            }
        }
        Ok((recorder, ended, told))
    }
}

/// What a process has told when it did not end well.
fn ended_badly(ended: &Ended) -> Option<String> {
    (ended.end != LifeEnd::Exited(0)).then(|| format!("{:?} {}", ended.end, ended.errors.trim()))
}

/// The client: sends a statement when the one before has been answered.
struct Script<'a> {
    statements: &'a [Statement],
    told: Told,
    sent: usize,
    /// Probes that were sent, once a statement has failed.
    probes: Option<usize>,
}

impl Script<'_> {
    fn hear(&mut self, bytes: &[u8]) -> Reply {
        self.told.hear(bytes);
        if self.sent == 0 && bytes.is_empty() {
            return Reply::Say(format!("{SETTINGS}{}", mark(1)));
        }
        // The mark behind a sent statement is the end of its answer.
        if self.told.begun() != self.sent + 1 {
            return Reply::Wait;
        }
        let answers = self.told.answers();
        let failed = answers.iter().any(|answer| fails(self.statements, answer));
        let text = match (&mut self.probes, failed) {
            (None, false) => self.statements.get(self.sent).map(|statement| statement.text.as_str()),
            (probes, _) => {
                let probe = probes.get_or_insert(0);
                *probe += 1;
                PROBES.get(*probe - 1).copied()
            }
        };
        let Some(text) = text else { return Reply::End };
        self.sent += 1;
        // Its own mark is there already.
        let line = line(self.sent, text);
        let statement = line.split_once('\n').map_or("", |(_, statement)| statement);
        Reply::Say(format!("{statement}{}", mark(self.sent + 1)))
    }
}

/// Makes calls of a workload fail in a new database, each in a run of its own: at most `most` of each kind, spread over
/// all.
///
/// # Errors
/// As [`Target::counts`] and [`Target::inject`].
pub fn inject_all(options: &Options, most: u64, mut each: impl FnMut(&Injection)) -> Result<BTreeMap<FaultKind, u64>> {
    let root = tempfile::tempdir().map_err(|error| Error::Io(format!("a temporary directory: {error}")))?;
    let state = make_database(options, root.path())?;
    let target = Target::new(options, root.path(), state)?;
    let counts = target.counts()?;
    for fault in spread(&counts, most) {
        each(&target.inject(fault)?);
    }
    Ok(counts)
}

/// Faults of all kinds: every `step`-th call of each.
#[must_use]
pub fn spread(counts: &BTreeMap<FaultKind, u64>, most: u64) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (kind, count) in counts {
        let step = count.div_ceil(most.max(1)).max(1);
        for number in (1..=*count).step_by(step as usize) {
            let room = matches!(kind, FaultKind::Write | FaultKind::Truncate) && number / step % 2 == 0;
            let errno = if room { Errno::ENOSPC } else { Errno::EIO };
            faults.push(Fault { kind: *kind, number, errno, lasting: false });
        }
    }
    faults
}
