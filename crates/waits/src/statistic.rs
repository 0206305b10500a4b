//! Statistics.

use std::fmt;

/// What a statistic's figure is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unit {
    Count,
    Bytes,
    /// Counted in microseconds; views show centiseconds.
    Time,
}

struct StatisticData {
    name: &'static str,
    class: u32,
    unit: Unit,
    about: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/statistic.rs"));

impl Statistic {
    /// As the views and reports show it.
    #[must_use]
    pub fn name(self) -> &'static str {
        STATISTICS[self as usize].name
    }

    /// 1 user, 2 redo, 4 enqueue, 8 cache, 16 os, 32 rac, 64 sql, 128 debug.
    #[must_use]
    pub fn class_number(self) -> u32 {
        STATISTICS[self as usize].class
    }

    #[inline]
    #[must_use]
    pub fn unit(self) -> Unit {
        STATISTICS[self as usize].unit
    }

    /// What is counted, in a sentence.
    #[must_use]
    pub fn about(self) -> &'static str {
        STATISTICS[self as usize].about
    }

    /// The position in stats.toml.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The statistic of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|statistic| statistic.name() == name)
    }

    /// A counted value as the views show it: times in centiseconds.
    #[must_use]
    pub fn shown(self, value: u64) -> u64 {
        match self.unit() {
            Unit::Count | Unit::Bytes => value,
            Unit::Time => value / 10_000,
        }
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_positions_and_names_lead_back() {
        for (position, statistic) in Statistic::ALL.into_iter().enumerate() {
            assert_eq!(statistic.number() as usize, position);
            assert_eq!(Statistic::from_name(statistic.name()), Some(statistic));
            assert!(statistic.class_number().is_power_of_two(), "{statistic}");
            assert!(statistic.about().ends_with('.'), "{statistic}");
        }
    }

    #[test]
    fn times_are_shown_in_centiseconds() {
        assert_eq!(Statistic::CpuUsedByThisSession.shown(1_234_567), 123);
        assert_eq!(Statistic::RedoSize.shown(1_234_567), 1_234_567);
    }
}
