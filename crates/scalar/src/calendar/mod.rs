//! Calendar strings of DBMS_SCHEDULER: `FREQ=WEEKLY; INTERVAL=2; BYDAY=MON,FRI; BYHOUR=18`.
//!
//! `FREQ` and `INTERVAL` choose periods, counted from the start date; the `BY` parts choose dates in them:
//!
//! ```text
//!             day                                               time of day
//! YEARLY      BYMONTH, BYMONTHDAY, BYDAY, else the start's      BYHOUR, BYMINUTE, BYSECOND, else the start's
//! MONTHLY     BYMONTHDAY, BYDAY, else the start's               as above
//! WEEKLY      BYDAY, else the start's weekday                   as above
//! DAILY       every day                                         as above
//! HOURLY …    every day                                         every hour (minute, second); what is finer as above
//! ```
//!
//! `BY` parts that are not needed to choose among the days or times of a period filter: `FREQ=DAILY; BYDAY=MON,TUE`.
//! Not supported: BYYEARDAY, BYWEEKNO, BYDATE, BYSETPOS, PERIODS, BYPERIOD, INCLUDE, EXCLUDE, INTERSECT and named
//! schedules; each is refused by its name.

mod parse;
mod search;

pub use parse::{is_calendar, parse};

/// Length of a period; the longest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Frequency {
    Yearly,
    Monthly,
    Weekly,
    Daily,
    Hourly,
    Minutely,
    Secondly,
}

/// A weekday, 0 for Sunday; its number within its month or year, from the end when it is below 0; 0 for every one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ByDay {
    pub(crate) ordinal: i32,
    pub(crate) weekday: u8,
}

/// A parsed calendar string. An empty list was not given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Calendar {
    pub(crate) frequency: Frequency,
    /// Every so many periods, 1 to 99.
    pub(crate) interval: i64,
    pub(crate) months: Vec<u8>,
    /// Below 0: from the end of the month.
    pub(crate) month_days: Vec<i32>,
    pub(crate) days: Vec<ByDay>,
    pub(crate) hours: Vec<u8>,
    pub(crate) minutes: Vec<u8>,
    pub(crate) seconds: Vec<u8>,
}

impl Calendar {
    /// True: several of its dates may fall on one day, at any hour.
    #[must_use]
    pub fn is_within_days(&self) -> bool {
        matches!(self.frequency, Frequency::Hourly | Frequency::Minutely | Frequency::Secondly) && self.hours.is_empty()
    }
}
