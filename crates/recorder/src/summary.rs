//! The results of all images.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::check::Findings;
use crate::lives::{LIVES, Trial};
use crate::workload::WorkloadKind;

/// An image in which something is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Which image: repeats the choice, though not the threads of the run.
    pub place: String,
    pub findings: Findings,
}

/// Figures of the images so far.
#[derive(Clone, Default, Debug)]
pub struct Summary {
    images: BTreeMap<(WorkloadKind, usize), usize>,
    by_binary: usize,
    in_doubt: usize,
    not_opened: usize,
    lost: usize,
    half: usize,
    problems: usize,
    findings: Vec<Finding>,
    trials: usize,
    /// Clean closes, kills, power failures.
    ends: [usize; 3],
}

impl Summary {
    /// Images that were tried.
    #[must_use]
    pub fn images(&self) -> usize {
        self.images.values().sum()
    }

    /// The findings.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Begins the images of a trial; reports the faults found between its lives.
    pub fn begin(&mut self, kind: WorkloadKind, seed: u64, trial: &Trial) {
        self.trials += 1;
        for (sum, ends) in self.ends.iter_mut().zip(trial.ends) {
            *sum += ends;
        }
        for (life, findings) in &trial.findings {
            let place = format!("{} seed {seed}, what life {} has left", kind.name(), life + 1);
            self.count(findings, || place);
        }
    }

    /// An image.
    pub fn add(
        &mut self,
        kind: WorkloadKind,
        life: usize,
        by_binary: bool,
        waiting: usize,
        findings: &Findings,
        place: impl FnOnce() -> String,
    ) {
        *self.images.entry((kind, life)).or_default() += 1;
        self.by_binary += usize::from(by_binary);
        self.in_doubt += usize::from(waiting > 0);
        self.count(findings, place);
    }

    fn count(&mut self, findings: &Findings, place: impl FnOnce() -> String) {
        self.not_opened += usize::from(!findings.closed.is_empty());
        self.lost += usize::from(!findings.lost.is_empty());
        self.half += usize::from(!findings.half.is_empty());
        self.problems += usize::from(!findings.problems.is_empty());
        if !findings.is_empty() {
            self.findings.push(Finding { place: place(), findings: findings.clone() });
        }
    }

    /// Prints the figures.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        for kind in WorkloadKind::ALL {
            let lives: Vec<usize> =
                (0..LIVES).map(|life| self.images.get(&(kind, life)).copied().unwrap_or(0)).collect();
            let sum: usize = lives.iter().sum();
            if sum > 0 {
                let lives: Vec<String> = lives.iter().map(ToString::to_string).collect();
                writeln!(out, "{:<12} {sum:>6} images, by life {}", kind.name(), lives.join(" "))?;
            }
        }
        let [closed, killed, power] = self.ends;
        writeln!(
            out,
            "{} trials; lives that ended in a close {closed}, a kill {killed}, a power failure {power}",
            self.trials
        )?;
        writeln!(
            out,
            "{} images ({} with something in doubt, {} opened by the binary as well): {} not opened, {} lost, {} half, {} with problems",
            self.images(),
            self.in_doubt,
            self.by_binary,
            self.not_opened,
            self.lost,
            self.half,
            self.problems
        )
    }
}
