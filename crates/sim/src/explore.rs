//! Crashes at many places of a recorded run.

use std::path::Path;

use std::fmt;

use common::Seeded;

use storage::cells::FLASH_LOG_FILE;

use crate::DIRECTORY;
use crate::check::{Allowed, Depth, Findings, Recovery, check};
use crate::disk::{Fault, Image, Keep, Note, Operation, Walk, can_lose_disk};
use crate::faulty::{check_faulty, choose};
use crate::workload::{DiskTally, Recording, disks_of};

/// Which crashes to try.
#[derive(Clone, Copy, Debug)]
pub struct Crashes {
    pub seed: u64,
    /// Number of places, spread by the seed; all of them when there are fewer. Each of several lives has its share.
    pub places: usize,
    /// Ways in which unsynced writes are kept, for each place.
    pub ways: usize,
    /// Every so manieth crash is looked at block by block.
    pub blocks_every: usize,
    /// After every so manieth crash, crash in the recovery too, at this many places of it; 0: never.
    pub again_every: usize,
    pub again_places: usize,
    /// After every so manieth crash, the recovery is repeated so many times with different failures of reads, writes or
    /// syncs; 0: never.
    pub faults_every: usize,
    pub faults_times: usize,
}

/// A crash after which something was wrong.
#[derive(Clone, Debug)]
pub struct Failure {
    pub place: usize,
    /// The life that the crash fell into.
    pub life: Option<String>,
    pub keep: Keep,
    /// The place of a second crash in the recovery.
    pub again: Option<(usize, Keep)>,
    /// The faults of the recovery; the operation is then the last.
    pub faults: Vec<Fault>,
    pub findings: Findings,
    /// The disk after the crash; for a second one, after the first.
    pub image: Image,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.life {
            Some(life) => write!(f, "crash in operation {} ({life}; {:?} kept)", self.place, self.keep)?,
            None => write!(f, "crash in operation {} ({:?} kept)", self.place, self.keep)?,
        }
        if !self.faults.is_empty() {
            write!(f, ", a recovery in which {:?} failed", self.faults)?;
        }
        if let Some((place, keep)) = self.again {
            write!(f, ", and in operation {place} of its recovery ({keep:?} kept)")?;
        }
        let Findings { lost, phantom, broken } = &self.findings;
        for (what, texts) in [("lost", lost), ("phantom", phantom), ("broken", broken)] {
            for text in texts.iter().take(2) {
                write!(f, "; {what}: {text}")?;
            }
            if texts.len() > 2 {
                write!(f, "; {} more {what}", texts.len() - 2)?;
            }
        }
        Ok(())
    }
}

/// The results of many crashes.
#[derive(Clone, Default, Debug)]
pub struct Outcome {
    pub crashes: usize,
    /// Of these, crashes of the run with several writes of one log file in flight.
    pub in_flight: usize,
    /// Of all, crashes in a recovery.
    pub second: usize,
    /// Recoveries with a fault, and how many of these ended with an error.
    pub faulty: usize,
    pub refused: usize,
    pub verified: usize,
    pub lost: usize,
    pub phantom: usize,
    pub broken: usize,
    /// Lives that could not go on.
    pub ended: usize,
    /// Crashes after which a disk of a mirrored group was missing, and after which one had old content.
    pub without_disk: usize,
    pub old_disk: usize,
    /// What has happened to disks in the runs.
    pub disks: DiskTally,
    pub failures: Vec<Failure>,
}

/// Failures that are kept.
const FAILURES_MAX: usize = 20;

impl Outcome {
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.failed() == 0
    }

    /// Crashes after which something was wrong, and lives that could not go on.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.lost + self.phantom + self.broken + self.ended
    }

    pub fn add(&mut self, other: Self) {
        self.crashes += other.crashes;
        self.in_flight += other.in_flight;
        self.second += other.second;
        self.faulty += other.faulty;
        self.refused += other.refused;
        self.verified += other.verified;
        self.lost += other.lost;
        self.phantom += other.phantom;
        self.broken += other.broken;
        self.ended += other.ended;
        self.without_disk += other.without_disk;
        self.old_disk += other.old_disk;
        self.disks.add(&other.disks);
        self.failures.extend(other.failures);
        self.failures.truncate(FAILURES_MAX);
    }

    fn note(&mut self, at: &At, findings: Findings) {
        let At { place, life, keep, again, faults, image } = at.clone();
        self.crashes += 1;
        self.second += usize::from(again.is_some());
        self.lost += usize::from(!findings.lost.is_empty());
        self.phantom += usize::from(!findings.phantom.is_empty());
        self.broken += usize::from(!findings.broken.is_empty());
        if !findings.is_empty() && self.failures.len() < FAILURES_MAX {
            self.failures.push(Failure { place, life, keep, again, faults, findings, image });
        }
    }
}

/// Place of a crash.
#[derive(Clone)]
struct At {
    place: usize,
    life: Option<String>,
    keep: Keep,
    again: Option<(usize, Keep)>,
    faults: Vec<Fault>,
    image: Image,
}

/// Operations that change the state after a crash: others give the same as their neighbours.
fn matters(operation: &Operation) -> bool {
    !matches!(operation, Operation::Note(Note::Begun(_) | Note::PartBegun { .. } | Note::Redundant(_)))
}

/// The places to crash a run at.
fn places(recording: &Recording, wanted: usize, random: &mut Seeded) -> Vec<usize> {
    let begins: Vec<usize> = recording.lives.iter().map(|life| life.begins).filter(|begins| *begins > 0).collect();
    let (mut places, mut from) = (Vec::new(), 0);
    let wanted = if wanted == usize::MAX { wanted } else { wanted.div_ceil(begins.len() + 1) };
    for until in begins.into_iter().chain([recording.operations.len()]) {
        let all: Vec<usize> = (from..until).filter(|n| matters(&recording.operations[*n])).collect();
        let chosen = |_: &usize| wanted >= all.len() || random.index(all.len()) < wanted;
        places.extend(all.iter().copied().filter(chosen));
        from = until;
    }
    // Half as many again where several writes of one log file are in flight: the others seldom are.
    let several = several_in_flight(recording);
    let more = places.len().div_ceil(2);
    places.extend(several.iter().copied().filter(|_| random.index(several.len()) < more));
    // After the last operation too.
    places.push(recording.operations.len());
    places.sort_unstable();
    places.dedup();
    places
}

/// The operations in which several writes of one log file are in flight: in a run with threads.
fn several_in_flight(recording: &Recording) -> Vec<usize> {
    if !recording.operations.iter().any(|operation| matches!(operation, Operation::Begun { .. })) {
        return Vec::new();
    }
    let mut walk = Walk::new(recording.base.clone());
    let mut several = Vec::new();
    for (number, operation) in recording.operations.iter().enumerate() {
        if matters(operation) && walk.in_flight(Some(operation)) > 1 {
            several.push(number);
        }
        walk.pass(operation);
    }
    several
}

/// Crashes the run at many places, and checks each result.
#[must_use]
pub fn explore(recording: &Recording, crashes: &Crashes) -> Outcome {
    let mut outcome = Outcome {
        ended: usize::from(!recording.lives.is_empty() && recording.ended_by.is_some()),
        disks: recording.disks,
        ..Outcome::default()
    };
    let mut random = Seeded::at(crashes.seed, 2);
    let mut walk = Walk::new(recording.base.clone());
    // The start decides which ways are tried first, and where recoveries are crashed: with few crashes a run, each seed
    // tries others.
    let (mut passed, mut number) = (0, if recording.lives.is_empty() { 0 } else { random.index(1000) });
    let places = places(recording, crashes.places, &mut random);
    for place in places {
        for operation in &recording.operations[passed..place] {
            walk.pass(operation);
        }
        passed = place;
        let allowed = Allowed::new(recording, place);
        let operation = recording.operations.get(place);
        let ways = if walk.waiting() == 0 && operation.is_none_or(|o| !matches!(o.begun(), Operation::Write { .. })) {
            1
        } else {
            crashes.ways
        };
        let several = walk.in_flight(operation) > 1;
        for way in 0..ways {
            // Half of these crashes decide for each write in flight by itself.
            let each = several && random.percent(50);
            let keep = if each { Keep::Writes } else { Keep::ALL[(number + way) % Keep::ALL.len()] };
            outcome.in_flight += usize::from(several);
            let mut image = walk.crash(operation, keep, &mut random);
            if can_lose_disk(&recording.operations, place) {
                change_disk(&mut outcome, &mut image, recording, place, &mut random);
            }
            number += 1;
            let depth = match number % crashes.blocks_every.max(1) {
                0 if recording.lives.is_empty() || random.percent(60) => Depth::Blocks,
                0 => Depth::Idle,
                _ => Depth::Rows,
            };
            outcome.verified += usize::from(depth != Depth::Rows);
            let (findings, recovery) = check(image.clone(), &allowed, depth);
            let at = At {
                place,
                life: recording.life_at(place),
                keep,
                again: None,
                faults: Vec::new(),
                image: image.clone(),
            };
            outcome.note(&at, findings);
            if crashes.again_every > 0 && number % crashes.again_every == 0 {
                let again = Walk::new(image.clone());
                again_crash(&mut outcome, again, &recovery.operations, &allowed, crashes, &at, &mut random);
            }
            if crashes.faults_every > 0 && number % crashes.faults_every == 0 && allowed.database.created {
                for _ in 0..crashes.faults_times {
                    fail(&mut outcome, image.clone(), &recovery, &allowed, &at, &mut random);
                }
            }
        }
    }
    outcome
}

/// Half of the crashes of a mirrored group that can do without a disk lose one, or put back an old copy of one.
fn change_disk(outcome: &mut Outcome, image: &mut Image, recording: &Recording, place: usize, random: &mut Seeded) {
    let Some(path) = random.pick(&disks_of(image, DIRECTORY)).cloned() else { return };
    match random.below(10) {
        0..3 => {
            image.remove(&path);
            outcome.without_disk += 1;
        }
        // The file stays the same, and a flash log would go on with it.
        3..5 if image.file(&Path::new(DIRECTORY).join(FLASH_LOG_FILE)).is_none() => {
            // The first life's is of the same mount as what is there now.
            let life = recording.life_number(place).unwrap_or(0);
            let old = random.pick(recording.disks_before.get(1..=life).unwrap_or_default());
            outcome.old_disk += usize::from(old.is_some_and(|old| image.replace(&path, old)));
        }
        _ => {}
    }
}

/// Crashes a recovery.
fn again_crash(
    outcome: &mut Outcome,
    mut walk: Walk,
    recovery: &[Operation],
    allowed: &Allowed,
    crashes: &Crashes,
    at: &At,
    random: &mut Seeded,
) {
    for (n, operation) in recovery.iter().enumerate() {
        if recovery.len() <= crashes.again_places || random.index(recovery.len()) < crashes.again_places {
            let second = Keep::ALL[random.index(Keep::ALL.len())];
            let image = walk.crash(Some(operation), second, random);
            let depth = if random.index(crashes.blocks_every.max(1)) == 0 { Depth::Blocks } else { Depth::Rows };
            outcome.verified += usize::from(depth == Depth::Blocks);
            let (findings, _) = check(image, allowed, depth);
            outcome.note(&At { again: Some((n, second)), ..at.clone() }, findings);
        }
        walk.pass(operation);
    }
}

/// Recovers while something fails, crashes at the end of that, and recovers once more.
fn fail(outcome: &mut Outcome, image: Image, recovery: &Recovery, allowed: &Allowed, at: &At, random: &mut Seeded) {
    let faults = choose(recovery.counts, random);
    let mut walk = Walk::new(image.clone());
    let (mut findings, faulty) = check_faulty(image, allowed, &faults);
    faulty.operations.iter().for_each(|operation| walk.pass(operation));
    let second = Keep::ALL[random.index(Keep::ALL.len())];
    let (later, _) = check(walk.crash(None, second, random), allowed, Depth::Blocks);
    findings.add(later);
    outcome.faulty += usize::from(faulty.happened);
    outcome.refused += usize::from(faulty.refused);
    outcome.verified += 1;
    outcome.note(&At { again: Some((faulty.operations.len(), second)), faults, ..at.clone() }, findings);
}
