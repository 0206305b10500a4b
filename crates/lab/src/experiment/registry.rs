//! An experiment by its name: its parts, chosen, run and swept as the options say.

use std::fmt::Debug;

use common::Result;
use drive::Positive;

use super::declaration::Declaration;
use super::factor::{Factor, Role};
use super::options::{Options, not_taken, wrong_use};
use super::reproduction::{Report, Reproduction};
use super::sweep::Swept;
use super::workload::Workload;
use crate::modelled_run::ModelledRun;
use crate::progress::Progress;

/// An experiment that can be run.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    pub name: &'static str,
    pub title: &'static str,
    /// One without a name, or several with names.
    pub parts: &'static [&'static dyn Part],
    /// The model of its devices and how much slower they are, where it has modelled ones in any case. None: it has
    /// those of `--device`, for its whole database.
    pub device: Option<(&'static str, f64)>,
}

/// A declaration, whatever its workload.
pub trait Part: Sync + Debug {
    fn name(&self) -> Option<&'static str>;
    /// Options that it takes, beside those that all take.
    fn takes(&self) -> Vec<String>;
    fn factors(&self) -> &'static [&'static Factor];
    fn has_sweeps(&self) -> bool;
    /// Checks the options of a run or of a sweep before anything is made.
    ///
    /// # Errors
    /// HW-0003 for wrong options, and for a sweep of a part without sweeps.
    fn check(&'static self, options: &Options, is_sweep: bool) -> Result<()>;
    /// Runs it.
    ///
    /// # Errors
    /// Those of the workload.
    fn run(&'static self, options: &Options, progress: &mut dyn Progress) -> Result<Report>;
    /// Runs a sweep.
    ///
    /// # Errors
    /// Those of the workload.
    fn sweep(&'static self, options: &Options, progress: &mut dyn Progress) -> Result<Swept>;
}

impl<W: Workload> Part for Declaration<W> {
    fn name(&self) -> Option<&'static str> {
        self.part
    }

    fn takes(&self) -> Vec<String> {
        let follow = [
            ("minutes", self.limits.seconds.is_some()),
            ("repetitions", self.limits.repetitions > 1),
            ("seed", self.shuffled),
            ("part", self.part.is_some()),
        ];
        let follow = follow.into_iter().filter(|(_, takes)| *takes).map(|(name, _)| name.to_owned());
        let factors = self.factors.iter().filter(|factor| matches!(factor.role, Role::Swept | Role::Crossed));
        let own = self.takes.iter().map(|name| (*name).to_owned());
        follow.chain(own).chain(factors.map(|factor| factor.option())).collect()
    }

    fn factors(&self) -> &'static [&'static Factor] {
        self.factors
    }

    fn has_sweeps(&self) -> bool {
        self.sweep.is_some()
    }

    fn check(&'static self, options: &Options, is_sweep: bool) -> Result<()> {
        if is_sweep { self.plan_sweep(options).map(drop) } else { self.plan(options).map(drop) }
    }

    fn run(&'static self, options: &Options, progress: &mut dyn Progress) -> Result<Report> {
        let (comparison, notes) = Self::run(self, options, progress)?;
        comparison.report(notes)
    }

    fn sweep(&'static self, options: &Options, progress: &mut dyn Progress) -> Result<Swept> {
        self.run_sweep(options, progress)?.report()
    }
}

impl Experiment {
    /// Several values of a crossed factor, or any of another one, make a sweep.
    #[must_use]
    pub fn is_sweep(&self, options: &Options) -> bool {
        options.factors.iter().any(|(option, values)| {
            let mut factors = self.parts.iter().flat_map(|part| part.factors());
            let factor = factors.find(|factor| factor.option() == *option);
            values.len() > 1 || factor.is_none_or(|factor| factor.role != Role::Crossed)
        })
    }

    /// Runs the arms, and sets their measured figures beside the published ones.
    ///
    /// # Errors
    /// HW-0003 for options that the experiment does not take, and for values out of range; those of the workload.
    pub fn reproduce(&self, options: &Options, progress: &mut dyn Progress) -> Result<Reproduction> {
        let parts = self.chosen(options)?;
        let takes: Vec<String> = parts.iter().flat_map(|part| part.takes()).collect();
        self.refuse(options, &takes)?;
        let options = &self.with_device(options)?;
        parts.iter().try_for_each(|part| part.check(options, false))?;
        let reports = parts.into_iter().map(|part| part.run(options, progress)).collect::<Result<_>>()?;
        progress.end();
        let reproduction = Reproduction::new(reports);
        Ok(match &options.device {
            Some(device) => reproduction.on(device.report()),
            None => reproduction,
        })
    }

    /// Checks the options of a sweep before anything is made for it.
    ///
    /// # Errors
    /// HW-0003 for options that the experiment does not take, and for values out of range.
    pub fn check_sweep(&self, options: &Options) -> Result<()> {
        let part = self.swept(options)?;
        let takes: Vec<String> = part.takes().into_iter().filter(|name| name != "flamegraph").collect();
        self.refuse(options, &takes)?;
        part.check(options, true)
    }

    /// Runs a sweep.
    ///
    /// # Errors
    /// HW-0003 for options that the experiment does not take, and for values out of range; those of the workload.
    pub fn sweep(&self, options: &Options, progress: &mut dyn Progress) -> Result<Swept> {
        self.check_sweep(options)?;
        let options = &self.with_device(options)?;
        self.swept(options)?.sweep(options, progress)
    }

    /// The options with the experiment's own model, where it has one and none is given.
    fn with_device(&self, options: &Options) -> Result<Options> {
        let mut options = options.clone();
        let Some((name, dilate)) = self.device else {
            return match options.dilate {
                Some(_) if options.device.is_none() => {
                    Err(wrong_use("--dilate needs --device, whose times it stretches"))
                }
                _ => Ok(options),
            };
        };
        if let Some(device) = options.device.as_mut().filter(|_| options.dilate.is_none()) {
            *device = device.dilated(Positive::try_from(dilate).map_err(common::Error::bug)?);
        }
        if options.device.is_none() {
            let model = drive::find(name)?.ok_or_else(|| common::Error::bug("the catalogue lacks a model"))?;
            let dilate = match options.dilate {
                Some(dilate) => dilate,
                None => Positive::try_from(dilate).map_err(common::Error::bug)?,
            };
            options.device = Some(ModelledRun::new(name, model, dilate, false));
        }
        Ok(options)
    }

    /// The part of a sweep: the named one; else the first that has sweeps and takes all factors that are given.
    fn swept(&self, options: &Options) -> Result<&'static dyn Part> {
        let parts = self.chosen(options)?;
        let takes_all = |part: &&'static dyn Part| {
            let takes = part.takes();
            part.has_sweeps() && options.factors.keys().all(|given| takes.contains(given))
        };
        // Where none fits, the first one says what it does not take.
        Ok(parts.iter().copied().find(takes_all).unwrap_or(parts[0]))
    }

    /// The parts that are asked for: all, or the one of that name.
    fn chosen(&self, options: &Options) -> Result<Vec<&'static dyn Part>> {
        let Some(asked) = options.part.as_deref() else { return Ok(self.parts.to_vec()) };
        let names: Vec<&str> = self.parts.iter().filter_map(|part| part.name()).collect();
        match self.parts.iter().find(|part| part.name() == Some(asked)) {
            Some(part) => Ok(vec![*part]),
            None if names.is_empty() => Err(not_taken(self.name, "part")),
            None => Err(wrong_use(format!("{} has no part '{asked}'; there is: {}", self.name, names.join(", ")))),
        }
    }

    /// Refuses options that the experiment does not take.
    fn refuse(&self, options: &Options, takes: &[String]) -> Result<()> {
        let mut given = options.given();
        let Some(unknown) = given.find(|name| !takes.iter().any(|take| take == name)) else { return Ok(()) };
        let part = options.part.as_ref().filter(|_| unknown != "part");
        let part = part.map_or(String::new(), |part| format!(" --part {part}"));
        Err(not_taken(&format!("{}{part}", self.name), unknown))
    }
}
