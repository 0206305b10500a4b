//! The plan of a run: scale, length, repetitions and order of the arms.

use common::{Result, Seeded};

use super::factor::Factor;
use super::options::{Options, wrong_use};
use super::setting::Setting;

/// A repetition takes from a second to a day.
const SECONDS_MAX: f64 = 86_400.0;
const REPETITIONS_MAX: u32 = 1_000;
const SEED: u64 = 1;

/// Defaults of an experiment, and the allowed scales.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// The scale, and the range that it has to be in.
    pub scale: f64,
    pub scale_range: (f64, f64),
    /// Length of a repetition in seconds, multiplied by the scale; None: it ends when its work is done.
    pub seconds: Option<f64>,
    pub repetitions: u32,
}

impl Limits {
    /// Scale 1, once.
    pub const USUAL: Self = Self { scale: 1.0, scale_range: (0.0, f64::MAX), seconds: None, repetitions: 1 };
}

/// The plan of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plan {
    pub scale: f64,
    /// Length of a repetition: whole seconds, because SYSDATE has no parts of them. 0 where it has none.
    pub seconds: u32,
    pub repetitions: u32,
    pub seed: u64,
    /// Arms, or points of a sweep: each runs once in a repetition.
    pub points: Vec<Setting>,
    /// The options as given.
    pub options: Options,
}

/// The place of a run among all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Turn {
    /// From 1.
    pub repetition: u32,
    /// Of all runs, from 1.
    pub position: u32,
}

impl Plan {
    /// A plan from the options.
    ///
    /// # Errors
    /// HW-0003 when it is out of range.
    pub fn new(limits: &Limits, points: Vec<Setting>, options: &Options) -> Result<Self> {
        let scale = options.scale.unwrap_or(limits.scale);
        let (least, most) = limits.scale_range;
        if !(scale > 0.0 && (least..=most).contains(&scale)) {
            let range =
                if most == f64::MAX { "a number above 0".to_owned() } else { format!("from {least} to {most}") };
            return Err(wrong_use(format!("a scale is {range}, not {scale}")));
        }
        let seconds = limits.seconds.map_or(Ok(0), |usual| seconds(usual, scale, options.minutes))?;
        let repetitions = options.repetitions.unwrap_or(limits.repetitions);
        if !(1..=REPETITIONS_MAX).contains(&repetitions) {
            return Err(wrong_use(format!("repetitions are 1 to {REPETITIONS_MAX}, not {repetitions}")));
        }
        let seed = options.seed.unwrap_or(SEED);
        Ok(Self { scale, seconds, repetitions, seed, points, options: options.clone() })
    }

    /// `5 repetitions of 10 s`.
    #[must_use]
    pub fn words(&self) -> String {
        let times =
            if self.repetitions == 1 { "1 repetition".to_owned() } else { format!("{} repetitions", self.repetitions) };
        if self.seconds == 0 { times } else { format!("{times} of {} s", self.seconds) }
    }

    /// The greatest value of a factor at any point.
    #[must_use]
    pub fn most(&self, factor: &Factor) -> u32 {
        self.points.iter().map(|point| point.number(factor)).max().unwrap_or(0)
    }

    /// The order of the points in each repetition: all of them once, shuffled anew each time.
    #[must_use]
    pub fn shuffled(&self) -> Vec<Vec<usize>> {
        let mut numbers = Seeded::new(self.seed);
        let count = self.points.len();
        let shuffled = |_| {
            let mut order: Vec<usize> = (0..count).collect();
            for last in (1..count).rev() {
                order.swap(last, numbers.index(last + 1));
            }
            order
        };
        (0..self.repetitions).map(shuffled).collect()
    }
}

fn seconds(usual: f64, scale: f64, minutes: Option<f64>) -> Result<u32> {
    let minutes = minutes.unwrap_or(usual / 60.0);
    let seconds = (minutes * 60.0 * scale).round();
    if !(1.0..=SECONDS_MAX).contains(&seconds) {
        let times = if scale == 1.0 { String::new() } else { format!(" times {scale}") };
        return Err(wrong_use(format!("a repetition takes from one second to a day, not {minutes} minutes{times}")));
    }
    Ok(seconds as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { seconds: Some(10.0), repetitions: 5, ..Limits::USUAL };

    fn plan(options: Options) -> Result<Plan> {
        Plan::new(&LIMITS, vec![Setting::new(&[]); 4], &options)
    }

    #[test]
    fn every_repetition_has_every_arm_once_in_an_order_of_the_seed() {
        let plan = plan(Options::default()).unwrap();
        assert_eq!((plan.seconds, plan.repetitions), (10, 5));
        let orders = plan.shuffled();
        assert_eq!(orders.len(), 5);
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
        }
        assert!(orders.iter().any(|order| *order != orders[0]), "{orders:?}");
        assert_eq!(plan.shuffled(), orders);
        assert_ne!(Plan { seed: 2, ..plan }.shuffled(), orders);
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        for minutes in [0.0, -1.0, 0.001, f64::NAN, f64::INFINITY, 2_000.0] {
            let error = plan(Options { minutes: Some(minutes), ..Options::default() }).unwrap_err();
            assert_eq!(error.number, common::Number::Hw(3), "{minutes}: {error}");
        }
        for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(plan(Options { scale: Some(scale), ..Options::default() }).is_err(), "{scale}");
        }
        assert_eq!(plan(Options { minutes: Some(5.0), ..Options::default() }).unwrap().seconds, 300);
        assert_eq!(plan(Options { scale: Some(0.1), ..Options::default() }).unwrap().seconds, 1);
        assert!(plan(Options { repetitions: Some(0), ..Options::default() }).is_err());
    }
}
