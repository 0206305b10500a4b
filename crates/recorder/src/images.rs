//! Images of recorded lives, tried one after the other.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::Seeded;
use sim::disk::{Image, Keep};

use crate::cells::at_home;
use crate::check::{Findings, check};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::image;
use crate::lives::{Life, Options, Recording, Trial, make_database, run, run_lives};
use crate::summary::{Finding, Summary};
use crate::walk::{Honesty, Walk};
use crate::workload::{Told, WorkloadKind};

/// Choice of images.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    pub kind: WorkloadKind,
    pub seed: u64,
    /// Images of a trial.
    pub images: usize,
    /// Every so many images the real binary opens one too; 0 for none.
    pub binary_every: usize,
    pub honesty: Honesty,
    /// Directory for faulty images.
    pub keep: Option<PathBuf>,
}

/// A moment of a power failure, and the part kept of the changes in doubt.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Moment {
    recording: usize,
    event: usize,
    keep: usize,
}

/// Records the lives of a seed in a new database, and tries images of them. `operations` is the expected number of
/// operations of a life, if known.
///
/// # Errors
/// As [`run_lives`] and [`try_images`].
pub fn record_and_try(
    options: &Options,
    choice: &Choice,
    operations: &mut u64,
    summary: &mut Summary,
) -> Result<Trial> {
    let root = tempfile::tempdir().map_err(|error| Error::Io(format!("a temporary directory: {error}")))?;
    let state = make_database(options, root.path())?;
    let trial = run_lives(options, root.path(), state, *operations)?;
    *operations = trial.operations;
    summary.begin(choice.kind, choice.seed, &trial);
    try_images(&trial, &options.program, choice, summary)?;
    Ok(trial)
}

/// Tries images of a trial, the moments spread evenly over the lives.
///
/// # Errors
/// Errors of starting the binary and of writing images out.
pub fn try_images(trial: &Trial, program: &Path, choice: &Choice, summary: &mut Summary) -> Result<()> {
    let mut random = Seeded::at(choice.seed, (1 << 51) + choice.kind as u64);
    let mut moments = choose(trial, choice.images, &mut random);
    moments.sort_unstable();
    for (index, recording) in trial.recordings.iter().enumerate() {
        let moments: Vec<Moment> = moments.iter().filter(|moment| moment.recording == index).copied().collect();
        follow(trial, recording, &moments, program, choice, &mut random, summary)?;
    }
    Ok(())
}

fn choose(trial: &Trial, images: usize, random: &mut Seeded) -> Vec<Moment> {
    let mut spans = Vec::new();
    for (recording, recorded) in trial.recordings.iter().enumerate() {
        let begins: Vec<usize> =
            (0..recorded.events.len()).filter(|at| recorded.events[*at] == Event::LifeBegun).collect();
        for (n, from) in begins.iter().enumerate() {
            let to = begins.get(n + 1).copied().unwrap_or(recorded.events.len());
            spans.push((recording, *from, to));
        }
    }
    let mut moments = Vec::new();
    for n in 0..images {
        let Some(&(recording, from, to)) = spans.get(n % spans.len().max(1)) else { break };
        let event = from + 1 + random.index(to - from);
        moments.push(Moment { recording, event, keep: random.index(Keep::ALL.len()) });
    }
    moments
}

/// Goes along a recording, and stops at the moments.
fn follow(
    trial: &Trial,
    recording: &Recording,
    moments: &[Moment],
    program: &Path,
    choice: &Choice,
    random: &mut Seeded,
    summary: &mut Summary,
) -> Result<()> {
    let mut walk = Walk::new(recording.baseline.clone(), choice.honesty);
    let (mut life, mut told) = (0, Told::default());
    let mut passed = 0;
    for moment in moments {
        for event in &recording.events[passed..moment.event.min(recording.events.len())] {
            walk.pass(event);
            match event {
                Event::LifeEnded(_) => (life, told) = (life + 1, Told::default()),
                Event::Said(bytes) => told.hear(bytes),
                _ => {}
            }
        }
        passed = moment.event.min(recording.events.len());
        let keep = Keep::ALL[moment.keep];
        let image = walk.crash(keep, random);
        // After the end of the last life its whole output counts.
        let (at, heard) = match recording.lives.get(life) {
            Some(at) => (at, told.clone()),
            None => (&recording.lives[life - 1], all_told(recording)),
        };
        let allowed = at.allowed(&heard);
        let (mut findings, _) = check(image.clone(), &trial.data, &at.states[allowed.clone()]);
        let mut by_binary = false;
        if choice.binary_every > 0 && summary.images().is_multiple_of(choice.binary_every) {
            by_binary = true;
            let found = open_by_binary(program, trial, &image, &at.states[allowed.clone()])?;
            if findings.is_empty() {
                findings = found;
            }
        }
        let place = format!(
            "{} seed {} life {} event {} of {} keep {keep:?}, after statement {}",
            choice.kind.name(),
            choice.seed,
            at.number + 1,
            moment.event,
            recording.events.len(),
            heard.begun().saturating_sub(1)
        );
        summary.add(choice.kind, at.number, by_binary, walk.waiting(), &findings, || place.clone());
        if !findings.is_empty()
            && let Some(directory) = &choice.keep
        {
            save(directory, trial, &image, at, &heard, &Finding { place, findings })?;
        }
    }
    Ok(())
}

/// The output of the last life of a recording.
fn all_told(recording: &Recording) -> Told {
    let mut told = Told::default();
    for event in &recording.events {
        match event {
            Event::LifeBegun => told = Told::default(),
            Event::Said(bytes) => told.hear(bytes),
            _ => {}
        }
    }
    told
}

/// Has the real binary open, close, open again and verify an image in a directory of its own.
fn open_by_binary(
    program: &Path,
    trial: &Trial,
    image: &Image,
    allowed: &[crate::workload::WorkloadState],
) -> Result<Findings> {
    let place = tempfile::tempdir().map_err(|error| Error::Io(format!("a temporary directory: {error}")))?;
    let root = trial.data.parent().unwrap_or(&trial.data);
    image::write_directory(&at_home(image.clone(), &trial.data), root, place.path())?;
    let data = place.path().join("db");
    let data_text = data.to_string_lossy();
    let mut findings = Findings::default();
    for arguments in [["sql", "-S", "--data", &data_text], ["sql", "-S", "--data", &data_text]] {
        if let Err(Error::Workload(text)) = run(program, &arguments, "select count(*) from accounts;\nexit\n") {
            findings.closed.push(text);
            return Ok(findings);
        }
    }
    if let Err(Error::Workload(text)) = run(program, &["verify", "--data", &data_text], "") {
        findings.problems.push(text);
        return Ok(findings);
    }
    Ok(check(image::read_directory(place.path())?, &data, allowed).0)
}

fn save(directory: &Path, trial: &Trial, image: &Image, life: &Life, told: &Told, finding: &Finding) -> Result<()> {
    let name: String =
        finding.place.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    let to = directory.join(name);
    fs::create_dir_all(&to).map_err(|error| Error::io(&to, &error))?;
    let root = trial.data.parent().unwrap_or(&trial.data);
    image::write_directory(image, root, &to)?;
    let mut text = format!("{}\n{:#?}\n\n", finding.place, finding.findings);
    for (index, statement) in life.statements.iter().take(told.begun()).enumerate() {
        text.push_str(&format!("{}: {}\n", index + 1, statement.text));
    }
    let path = to.join("finding.txt");
    fs::write(&path, text).map_err(|error| Error::io(&path, &error))
}

/// Images by their faults, for the end of the summary.
#[must_use]
pub fn by_text(findings: &[Finding]) -> BTreeMap<String, usize> {
    let mut sums = BTreeMap::new();
    for finding in findings {
        let text: String = finding.findings.first().unwrap_or_default();
        let text: String = text.chars().map(|letter| if letter.is_ascii_digit() { '#' } else { letter }).collect();
        *sums.entry(text).or_default() += 1;
    }
    sums
}
