//! How often, how long and in which order the arms are run.

use common::{Result, Seeded};

use crate::options::{Options, wrong_use};

/// Length of a repetition where nobody says it.
const SECONDS: f64 = 10.0;
const SECONDS_MAX: f64 = 86_400.0;
const SESSIONS: u32 = 5;
/// As many jobs may run at once: the greatest value of JOB_QUEUE_PROCESSES.
pub const SESSIONS_MAX: u32 = 1_000;
const REPETITIONS: u32 = 5;
const REPETITIONS_MAX: u32 = 1_000;
const SEED: u64 = 1;

/// What a run consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Length of a repetition: whole seconds, because SYSDATE has no parts of them.
    pub seconds: u32,
    pub sessions: u32,
    pub repetitions: u32,
    pub seed: u64,
}

impl Plan {
    /// From what was asked for.
    ///
    /// # Errors
    /// HW-0003 when it is out of range.
    pub fn new(options: &Options) -> Result<Self> {
        let minutes = options.minutes.unwrap_or(SECONDS / 60.0);
        let seconds = (minutes * 60.0 * options.scale()).round();
        if !(1.0..=SECONDS_MAX).contains(&seconds) {
            return Err(wrong_use(format!(
                "a repetition takes from one second to a day, not {minutes} minutes{}",
                if options.scale() == 1.0 { String::new() } else { format!(" times {}", options.scale()) }
            )));
        }
        let sessions = options.sessions.unwrap_or(SESSIONS);
        check_sessions(sessions)?;
        let repetitions = options.repetitions.unwrap_or(REPETITIONS);
        if !(1..=REPETITIONS_MAX).contains(&repetitions) {
            return Err(wrong_use(format!("repetitions are 1 to {REPETITIONS_MAX}, not {repetitions}")));
        }
        Ok(Self { seconds: seconds as u32, sessions, repetitions, seed: options.seed.unwrap_or(SEED) })
    }

    /// `5 repetitions of 10 s`.
    #[must_use]
    pub fn words(&self) -> String {
        let times =
            if self.repetitions == 1 { "1 repetition".to_owned() } else { format!("{} repetitions", self.repetitions) };
        format!("{times} of {} s", self.seconds)
    }

    /// The order in which `count` things are done in each repetition: all of them once, shuffled anew each time.
    #[must_use]
    pub fn order(&self, count: usize) -> Vec<Vec<usize>> {
        let mut numbers = Seeded::new(self.seed);
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

/// # Errors
/// HW-0003 when so many sessions cannot be had.
pub fn check_sessions(sessions: u32) -> Result<()> {
    if (1..=SESSIONS_MAX).contains(&sessions) {
        return Ok(());
    }
    Err(wrong_use(format!("sessions are 1 to {SESSIONS_MAX}, not {sessions}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_repetition_has_every_arm_once_in_an_order_of_the_seed() {
        let plan = Plan::new(&Options::default()).unwrap();
        assert_eq!((plan.seconds, plan.sessions, plan.repetitions), (10, 5, 5));
        let orders = plan.order(4);
        assert_eq!(orders.len(), 5);
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
        }
        assert!(orders.iter().any(|order| *order != orders[0]), "{orders:?}");
        assert_eq!(plan.order(4), orders);
        assert_ne!(Plan { seed: 2, ..plan }.order(4), orders);
    }

    #[test]
    fn what_is_out_of_range_is_refused() {
        let plan = |options: Options| Plan::new(&options);
        for minutes in [0.0, -1.0, 0.001, f64::NAN, f64::INFINITY, 2_000.0] {
            let error = plan(Options { minutes: Some(minutes), ..Options::default() }).unwrap_err();
            assert_eq!(error.number, common::Number::Hw(3), "{minutes}: {error}");
        }
        assert!(plan(Options { scale: Some(0.0), ..Options::default() }).is_err());
        assert_eq!(plan(Options { minutes: Some(5.0), ..Options::default() }).unwrap().seconds, 300);
        assert_eq!(plan(Options { scale: Some(0.1), ..Options::default() }).unwrap().seconds, 1);
        for sessions in [0, SESSIONS_MAX + 1] {
            assert!(plan(Options { sessions: Some(sessions), ..Options::default() }).is_err());
        }
        assert!(plan(Options { repetitions: Some(0), ..Options::default() }).is_err());
    }
}
