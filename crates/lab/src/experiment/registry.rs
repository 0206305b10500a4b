//! An experiment by its name: its parts, chosen, run and swept by what was asked for.

use std::fmt::Debug;

use common::Result;

use super::declaration::Declaration;
use super::factor::{Factor, Role};
use super::options::{Options, Take, not_taken, wrong_use};
use super::reproduction::{Report, Reproduction};
use super::sweep::AnySweep;
use super::workload::Workload;
use crate::progress::Progress;

/// An experiment that can be run.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    pub name: &'static str,
    pub title: &'static str,
    /// One without a name, or several with names.
    pub parts: &'static [&'static dyn Part],
}

/// A declaration, whatever its workload.
pub trait Part: Sync + Debug {
    fn name(&self) -> Option<&'static str>;
    fn takes(&self) -> &'static [Take];
    fn factors(&self) -> &'static [&'static Factor];
    fn has_sweeps(&self) -> bool;
    /// Looks whether the options can be, before anything is made.
    ///
    /// # Errors
    /// HW-0003 when they cannot.
    fn check(&self, options: &Options) -> Result<()>;
    /// The same for a sweep.
    ///
    /// # Errors
    /// HW-0003 when they cannot.
    fn check_sweep(&self, options: &Options) -> Result<()>;
    /// Runs it; and what is to be said of the run.
    ///
    /// # Errors
    /// Those of the workload.
    fn run(&'static self, options: &Options, progress: &mut dyn Progress) -> Result<(Box<dyn Report>, Vec<String>)>;
    /// Runs a sweep.
    ///
    /// # Errors
    /// Those of the workload.
    fn sweep(&'static self, options: &Options, progress: &mut dyn Progress) -> Result<Box<dyn AnySweep>>;
}

impl<W: Workload> Part for Declaration<W> {
    fn name(&self) -> Option<&'static str> {
        self.part
    }

    fn takes(&self) -> &'static [Take] {
        self.takes
    }

    fn factors(&self) -> &'static [&'static Factor] {
        self.factors
    }

    fn has_sweeps(&self) -> bool {
        self.sweep.is_some()
    }

    fn check(&self, options: &Options) -> Result<()> {
        self.plan(options).map(drop)
    }

    fn check_sweep(&self, options: &Options) -> Result<()> {
        self.sweep_plan(options).map(drop)
    }

    fn run(&'static self, options: &Options, progress: &mut dyn Progress) -> Result<(Box<dyn Report>, Vec<String>)> {
        let (comparison, notes) = Self::run(self, options, progress)?;
        Ok((Box::new(comparison), notes))
    }

    fn sweep(&'static self, options: &Options, progress: &mut dyn Progress) -> Result<Box<dyn AnySweep>> {
        Ok(Box::new(self.run_sweep(options, progress)?))
    }
}

impl Experiment {
    /// Several values of a crossed factor, or any of another one, make a sweep.
    #[must_use]
    pub fn is_sweep(&self, options: &Options) -> bool {
        options.factors.iter().any(|(option, values)| {
            let factor = self.parts.iter().find_map(|part| factor(*part, option));
            values.len() > 1 || factor.is_none_or(|factor| factor.role != Role::Crossed)
        })
    }

    /// Runs the arms, and sets what they measure beside what was published.
    ///
    /// # Errors
    /// HW-0003 for what the experiment does not take, and for values out of range; those of the workload.
    pub fn reproduce(&self, options: &Options, progress: &mut dyn Progress) -> Result<Reproduction> {
        let parts = self.chosen(options)?;
        let takes: Vec<Take> = parts.iter().flat_map(|part| part.takes()).copied().collect();
        options.refuse(self.name, &takes)?;
        self.refuse_factors(options, &parts)?;
        parts.iter().try_for_each(|part| part.check(options))?;
        let (mut reports, mut notes) = (Vec::new(), Vec::new());
        for part in parts {
            let (report, of_part) = part.run(options, progress)?;
            // What is said of two parts alike is said once.
            notes.extend(of_part.into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>());
            reports.push(report);
        }
        progress.end();
        Reproduction::new(self.name, reports, notes)
    }

    /// The part whose factors are swept, with options that can be.
    ///
    /// # Errors
    /// HW-0003 for what the experiment does not take, and for values out of range.
    fn swept(&self, options: &Options) -> Result<&'static dyn Part> {
        let mut parts = self.parts.iter().filter(|part| part.has_sweeps());
        let Some(part) = parts.next() else {
            return Err(wrong_use(format!("the experiment {} has no sweeps", self.name)));
        };
        let takes: Vec<Take> = part.takes().iter().copied().filter(|take| *take != Take::Flamegraph).collect();
        options.refuse(self.name, &takes)?;
        if options.part.is_some() {
            return Err(not_taken(self.name, "part"));
        }
        self.refuse_factors(options, &[*part])?;
        part.check_sweep(options)?;
        Ok(*part)
    }

    /// Looks whether a sweep can be run, before anything is made for it.
    ///
    /// # Errors
    /// HW-0003 for what the experiment does not take, and for values out of range.
    pub fn check_sweep(&self, options: &Options) -> Result<()> {
        self.swept(options).map(drop)
    }

    /// Runs a sweep.
    ///
    /// # Errors
    /// HW-0003 for what the experiment does not take, and for values out of range; those of the workload.
    pub fn sweep(&self, options: &Options, progress: &mut dyn Progress) -> Result<Box<dyn AnySweep>> {
        self.swept(options)?.sweep(options, progress)
    }

    /// The parts that are asked for: all, or the one of that name.
    fn chosen(&self, options: &Options) -> Result<Vec<&'static dyn Part>> {
        let Some(asked) = options.part.as_deref() else { return Ok(self.parts.to_vec()) };
        let names: Vec<&str> = self.parts.iter().filter_map(|part| part.name()).collect();
        if names.is_empty() {
            return Err(not_taken(self.name, "part"));
        }
        let found: Vec<&'static dyn Part> =
            self.parts.iter().copied().filter(|part| part.name() == Some(asked)).collect();
        if found.is_empty() {
            let text = format!("{} has no part '{asked}'; there is: {}", self.name, names.join(", "));
            return Err(wrong_use(text));
        }
        Ok(found)
    }

    /// Refuses factors that no part has.
    fn refuse_factors(&self, options: &Options, parts: &[&'static dyn Part]) -> Result<()> {
        let mut options = options.factors.keys();
        match options.find(|option| !parts.iter().any(|part| factor(*part, option).is_some())) {
            Some(option) => Err(not_taken(self.name, option)),
            None => Ok(()),
        }
    }
}

/// The factor behind an option of the command line.
fn factor(part: &dyn Part, option: &str) -> Option<&'static Factor> {
    part.factors()
        .iter()
        .copied()
        .find(|factor| factor.option() == option && matches!(factor.role, Role::Swept | Role::Crossed))
}
