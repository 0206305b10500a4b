//! Lives of the real binary in a row on one disk.
//!
//! ```text
//!   baseline ── life 1 ──┬─ clean close ─┬─ life 2 ── … ── life 3
//!   (durable)            ├─ kill -9     ─┤   the page cache stays: what was in doubt still is
//!                        └─ power fails ─┘   a new recording: what is left is durable
//! ```
//!
//! The files after a kill decide the state in which the next life begins: the statement in flight may be there or not.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use common::sync::Arc;
use common::{Clock, Seeded, SystemClock};
use device::OsFileSystem;
use engine::instance::Instance;
use engine::startup::CreateOptions;
use sim::disk::{Image, Keep};

use crate::cells;
use crate::check::{Findings, check};
use crate::error::{Error, Result};
use crate::event::{Event, LifeEnd};
use crate::image;
use crate::trace::{Input, MIRRORED_DISK, Recorder, Stop};
use crate::walk::{Honesty, Walk};
use crate::workload::{Mirrors, Plan, Statement, Told, WorkloadKind, WorkloadState, script, setup};

/// Lives of a trial.
pub const LIVES: usize = 3;
/// A process that works longer than this hangs.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// Sizes that keep log switches, checkpoints and writes of changed blocks under way.
const LOG_BYTES: u64 = 512 << 10;
const CACHE: &str = "6M";
/// Disks of each of two groups, and their size.
const DISKS: u32 = 2;
const DISK_BYTES: &str = "20M";
/// Size of each disk of the mirrored group.
const MIRRORED_MB: u64 = 64;

/// The options of a trial.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The binary.
    pub program: PathBuf,
    pub kind: WorkloadKind,
    pub seed: u64,
    /// Transactions, definitions and loads of a life.
    pub units: usize,
}

/// One life in a recording.
#[derive(Clone, Debug)]
pub struct Life {
    /// Number of the life in its trial, from 0.
    pub number: usize,
    /// The states that it may have begun with, and then the state after each statement.
    pub states: Vec<WorkloadState>,
    /// Index of the last of the states that it may have begun with.
    pub first: usize,
    pub statements: Vec<Statement>,
    pub end: LifeEnd,
}

impl Life {
    /// Indexes of the allowed states after this output of the shell.
    #[must_use]
    pub fn allowed(&self, told: &Told) -> std::ops::RangeInclusive<usize> {
        let begun = told.begun();
        let returned = begun.saturating_sub(1).min(self.statements.len());
        let committed = self.statements[..returned].iter().rposition(|statement| statement.commits);
        let from = committed.map_or(0, |index| self.first + index + 1);
        from..=(self.first + begun).min(self.states.len() - 1)
    }
}

/// An initially durable disk, its operations, and their lives.
#[derive(Debug)]
pub struct Recording {
    pub baseline: Image,
    pub events: Vec<Event>,
    pub lives: Vec<Life>,
}

/// The lives of one seed, recorded.
#[derive(Debug)]
pub struct Trial {
    /// The directory of the database, below the directory that is recorded.
    pub data: PathBuf,
    pub recordings: Vec<Recording>,
    /// The findings between two lives.
    pub findings: Vec<(usize, Findings)>,
    /// Numbers of lives that ended in a clean close, a kill, a power failure.
    pub ends: [usize; 3],
    /// Operations of the longest life.
    pub operations: u64,
}

/// Makes the database of a workload in `root/db`: small, with its tables.
///
/// # Errors
/// Errors of making it, and of the setup's statements.
pub fn make_database(options: &Options, root: &Path) -> Result<WorkloadState> {
    let (program, kind) = (&options.program, options.kind);
    let data = root.join("db");
    fs::create_dir_all(&data).map_err(|error| Error::io(&data, &error))?;
    let parameters = [("db_cache_size", CACHE), ("undo_retention", "0"), ("job_queue_processes", "4")];
    let options = CreateOptions {
        name: "RECORDED".to_owned(),
        parameters: parameters.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        log_bytes: LOG_BYTES,
        ..CreateOptions::default()
    };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let lock = device::lock_directory(&data).map_err(|error| Error::io(&data, &error))?;
    let instance = Instance::create(Arc::new(OsFileSystem::new()), &data, clock, Some(lock), &options)?;
    instance.shutdown()?;
    drop(instance);
    let make_disks = |name: &str, disks: u32, size: &str| {
        let pattern = data.join(format!("{name}*"));
        run(
            program,
            &["disks", "--make", &disks.to_string(), "--size", size, "--pattern", &pattern.to_string_lossy()],
            "",
        )
    };
    make_disks("disk1_", DISKS, DISK_BYTES)?;
    make_disks("disk2_", DISKS, DISK_BYTES)?;
    match kind {
        WorkloadKind::Mirrors => make_disks(MIRRORED_DISK, Mirrors::DISKS, &format!("{MIRRORED_MB}M"))?,
        WorkloadKind::Cells => {
            cells::make(program, root, MIRRORED_MB << 20)?;
            String::new()
        }
        _ => String::new(),
    };
    let (statements, state) = setup();
    let text = script(statements.iter().map(String::as_str));
    let mut told = Told::default();
    told.hear(run(program, &["sql", "-S", "--data", &data.to_string_lossy()], &text)?.as_bytes());
    if let Some(failed) = told.answers().into_iter().find(|answer| !answer.succeeded()) {
        return Err(Error::Workload(format!("setup: {}", failed.text)));
    }
    if told.begun() != statements.len() + 1 {
        return Err(Error::Workload("the setup did not come to its end".to_owned()));
    }
    Ok(state)
}

/// Runs the program without a trace; returns its standard output.
///
/// # Errors
/// When it cannot be started or fails.
pub fn run(program: &Path, arguments: &[&str], input: &str) -> Result<String> {
    use std::io::Write;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| Error::start(program, &error))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input reports its error.
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().map_err(|error| Error::start(program, &error))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(Error::Workload(format!("{} {}: {} {}", program.display(), arguments.join(" "), text.trim(), errors.trim())))
}

/// Runs the lives of a seed in `root`, which holds the database and nothing else. `expected` is the expected number of
/// operations of a life, if known.
///
/// # Errors
/// Errors of the recorder; a statement that fails without a fault of the disk.
pub fn run_lives(options: &Options, root: &Path, state: WorkloadState, expected: u64) -> Result<Trial> {
    let root = fs::canonicalize(root).map_err(|error| Error::io(root, &error))?;
    let data = root.join("db");
    let mut random = Seeded::at(options.seed, (1 << 50) + options.kind as u64);
    let mut trial =
        Trial { data: data.clone(), recordings: Vec::new(), findings: Vec::new(), ends: [0; 3], operations: expected };
    let mut recorder = recorder(options.kind, &root)?;
    let mut baseline = recorder.cache().clone();
    let mut begins = vec![state];
    let mut lives: Vec<Life> = Vec::new();
    for number in 0..LIVES {
        let begin = begins.last().cloned().unwrap_or_default();
        let statements = Plan::new(options.kind, options.seed, number as u64, begin).statements(options.units);
        let text = script(statements.iter().map(|statement| statement.text.as_str()));
        let stop = match random.below(100) {
            0..20 => Stop::Never,
            draw => {
                let at = 1 + random.below(trial.operations + trial.operations / 20);
                if draw % 2 == 0 { Stop::Before(at) } else { Stop::After(at) }
            }
        };
        let from = recorder.events().len();
        let data_text = data.to_string_lossy();
        let ended = recorder.run(
            &options.program,
            &["sql", "-S", "--data", &data_text],
            Input::Script(&text),
            stop,
            &[],
            PATIENCE,
        )?;
        let mut told = Told::default();
        for event in &recorder.events()[from..] {
            if let Event::Said(bytes) = event {
                told.hear(bytes);
            }
        }
        if ended.hung {
            return Err(Error::Workload(format!("life {number} hangs after {} statements", told.begun())));
        }
        let first = begins.len() - 1;
        let mut states = begins;
        states.extend(statements.iter().map(|statement| statement.state.clone()));
        let life = Life { number, states, first, statements, end: ended.end };
        if let Some(failure) = told.failure(&life.statements) {
            return Err(Error::Workload(format!("life {number}: {failure}")));
        }
        if let LifeEnd::Exited(code) = ended.end
            && (code != 0 || told.begun() != life.statements.len() + 1)
        {
            let text = ended.errors.trim();
            let finding = Findings { closed: vec![format!("exit code {code}: {text}")], ..Findings::default() };
            trial.findings.push((number, finding));
        }
        trial.operations = trial.operations.max(ended.operations);
        let allowed = life.allowed(&told);
        lives.push(life);
        // The last life's end is one of the moments.
        let power = ended.end == LifeEnd::Killed && number + 1 < LIVES && random.percent(50);
        let left = if power {
            let mut walk = Walk::new(baseline.clone(), Honesty::Honest);
            recorder.events().iter().for_each(|event| walk.pass(event));
            walk.crash(Keep::ALL[random.index(Keep::ALL.len())], &mut random)
        } else {
            recorder.cache().clone()
        };
        trial.ends[if power { 2 } else { usize::from(ended.end == LifeEnd::Killed) }] += 1;
        let states = &lives[lives.len() - 1].states;
        let (findings, place) = check(left.clone(), &data, &states[allowed.clone()]);
        let Some(place) = place else {
            trial.findings.push((number, findings));
            break;
        };
        let place = allowed.start() + place;
        begins = if power || place == *allowed.start() {
            vec![states[place].clone()]
        } else {
            vec![states[*allowed.start()].clone(), states[place].clone()]
        };
        if power {
            let events = recorder.events().to_vec();
            trial.recordings.push(Recording { baseline, events, lives: std::mem::take(&mut lives) });
            clear(&root)?;
            image::write_directory(&left, &root, &root)?;
            recorder = self::recorder(options.kind, &root)?;
            baseline = recorder.cache().clone();
        }
    }
    if !lives.is_empty() {
        trial.recordings.push(Recording { baseline, events: recorder.events().to_vec(), lives });
    }
    Ok(trial)
}

/// A recorder of the workload's processes on the present files of a directory.
pub(crate) fn recorder(kind: WorkloadKind, root: &Path) -> Result<Recorder> {
    let recorder = Recorder::new(root)?;
    Ok(if kind == WorkloadKind::Cells { recorder.beside(cells::processes(root)?) } else { recorder })
}

/// Empties a directory.
pub(crate) fn clear(root: &Path) -> Result<()> {
    for entry in fs::read_dir(root).map_err(|error| Error::io(root, &error))? {
        let path = entry.map_err(|error| Error::io(root, &error))?.path();
        let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.map_err(|error| Error::io(&path, &error))?;
    }
    Ok(())
}
