//! Wait records.

use super::super::record::record;
use super::super::value::ColumnType::{Number, Varchar2};

record! {
    /// A wait event over all sessions, background processes included, since the instance was started.
    SystemEvent in "STATS$SYSTEM_EVENT" {
        /// The event's name.
        event: String => "EVENT" Varchar2(64),
        |
        /// The event's wait class.
        class: String => "WAIT_CLASS" Varchar2(64),
        /// Y for idle events. Oracle keeps a list of its own, STATS$IDLE_EVENT.
        idle: bool => "IDLE" Varchar2(1),
        /// Waits.
        waits: u64 => "TOTAL_WAITS" Number,
        /// Waits that ended by a timeout.
        timeouts: u64 => "TOTAL_TIMEOUTS" Number,
        /// Microseconds waited.
        micros: u64 => "TIME_WAITED_MICRO" Number,
        /// Waits of foreground processes.
        foreground_waits: u64 => "TOTAL_WAITS_FG" Number,
        /// Waits that ended by a timeout.
        foreground_timeouts: u64 => "TOTAL_TIMEOUTS_FG" Number,
        /// Microseconds that foreground processes waited.
        foreground_micros: u64 => "TIME_WAITED_MICRO_FG" Number,
    }
}

record! {
    /// A wait event over the background processes since the instance was started.
    BackgroundEvent in "STATS$BG_EVENT_SUMMARY" {
        /// The event's name.
        event: String => "EVENT" Varchar2(64),
        |
        /// Waits.
        waits: u64 => "TOTAL_WAITS" Number,
        /// Waits that ended by a timeout.
        timeouts: u64 => "TOTAL_TIMEOUTS" Number,
        /// Microseconds waited.
        micros: u64 => "TIME_WAITED_MICRO" Number,
    }
}

record! {
    /// Distribution of waits for an event, over all sessions, by duration.
    EventHistogram in "STATS$EVENT_HISTOGRAM" {
        /// The event's name.
        event: String => "EVENT" Varchar2(64),
        /// Waits of the bucket were shorter than this, and no shorter than the next smaller bound; those of the largest
        /// may be longer. Powers of two.
        below_us: u64 => "WAIT_TIME_MICRO" Number,
        |
        /// Waits.
        waits: u64 => "WAIT_COUNT" Number,
    }
}

record! {
    /// Waits for buffers of a class of blocks (V$WAITSTAT) since the instance was started.
    ClassWaits in "STATS$WAITSTAT" {
        /// `data block`, `segment header`, …
        class: String => "CLASS" Varchar2(64),
        |
        /// Waits.
        waits: u64 => "WAIT_COUNT" Number,
        /// Centiseconds waited, with a fraction.
        centiseconds: f64 => "TIME" Number,
    }
}

record! {
    /// Locks of a type (V$ENQUEUE_STATISTICS) since the instance was started.
    EnqueueStatistics in "STATS$ENQUEUE_STATISTICS" {
        /// Two letters: `TX`.
        kind: String => "EQ_TYPE" Varchar2(2),
        /// `row lock contention`; `contention` where there is only one reason.
        reason: String => "REQ_REASON" Varchar2(64),
        |
        /// `Transaction`.
        name: String => "EQ_NAME" Varchar2(64),
        /// Lock requests.
        requests: u64 => "TOTAL_REQ#" Number,
        /// Requests that waited.
        waits: u64 => "TOTAL_WAIT#" Number,
        /// Requests granted.
        gets: u64 => "SUCC_REQ#" Number,
        /// Requests not granted.
        failed: u64 => "FAILED_REQ#" Number,
        /// Milliseconds waited, with a fraction.
        milliseconds: f64 => "CUM_WAIT_TIME" Number,
    }
}

record! {
    /// A latch, its children together, since the instance was started.
    Latch in "STATS$LATCH" {
        /// The latch's name.
        name: String => "NAME" Varchar2(64),
        |
        /// Gets in willing-to-wait mode.
        gets: u64 => "GETS" Number,
        /// Gets that missed at the first try.
        misses: u64 => "MISSES" Number,
        /// Sleeps while waiting for it.
        sleeps: u64 => "SLEEPS" Number,
        /// Gets in no-wait mode that succeeded.
        immediate_gets: u64 => "IMMEDIATE_GETS" Number,
        /// Gets in no-wait mode that failed.
        immediate_misses: u64 => "IMMEDIATE_MISSES" Number,
        /// Misses that spinning ended.
        spin_gets: u64 => "SPIN_GETS" Number,
        /// Microseconds waited.
        wait_us: u64 => "WAIT_TIME" Number,
    }
}

record! {
    /// Code locations of latch misses, since the instance was started.
    LatchMisses in "STATS$LATCH_MISSES_SUMMARY" {
        /// The latch's name.
        latch: String => "PARENT_NAME" Varchar2(64),
        /// The place.
        place: String => "WHERE_IN_CODE" Varchar2(64),
        |
        /// Misses in no-wait mode.
        nowait_misses: u64 => "NWFAIL_COUNT" Number,
        /// Sleeps of sessions that missed it.
        sleeps: u64 => "SLEEP_COUNT" Number,
        /// Sleeps of others while it was held at this place.
        waiter_sleeps: u64 => "WTR_SLP_COUNT" Number,
    }
}
