//! The instance, its parameters and its counters.

use super::super::record::record;
use super::super::time::LocalTime;
use super::super::value::ColumnType::{Date, Number, Varchar2};

record! {
    /// The snapshot itself.
    Header in "STATS$SNAPSHOT" {
        |
        /// When it was taken, by the instance's clock.
        time: LocalTime => "SNAP_TIME" Date,
        /// The same in seconds since 1970 in UTC: what lies between two snapshots is reckoned from it, so that a change
        /// to summer time does not count.
        utc_s: i64 => "SNAP_TIME_UTC" Number,
        /// When the instance was started. Two snapshots make a report only where it is the same.
        startup: LocalTime => "STARTUP_TIME" Date,
        /// Level of collection.
        level: u64 => "SNAP_LEVEL" Number,
        /// Sessions connected.
        sessions: u64 => "SESSIONS" Number,
        /// Cursors open in all of them.
        cursors: u64 => "OPEN_CURSORS" Number,
        /// Number of the redo log's current part, which every switch raises by one. Oracle has it in STATS$THREAD.
        log_sequence: u64 => "SEQUENCE#" Number,
        /// The user's remark.
        comment: String => "UCOMMENT" Varchar2(160),
    }
}

record! {
    /// The database, the instance and the machine it runs on.
    Instance in "STATS$DATABASE_INSTANCE" {
        |
        /// The database's name.
        database: String => "DB_NAME" Varchar2(128),
        /// The instance's name.
        instance: String => "INSTANCE_NAME" Varchar2(128),
        /// The release: 1.0.0.0.0.
        release: String => "VERSION" Varchar2(17),
        /// The machine's name.
        host: String => "HOST_NAME" Varchar2(64),
        /// The machine's operating system and processor.
        platform: String => "PLATFORM_NAME" Varchar2(101),
    }
}

record! {
    /// An initialisation parameter.
    Parameter in "STATS$PARAMETER" {
        /// Its name.
        name: String => "NAME" Varchar2(64),
        |
        /// Its value as text.
        value: String => "VALUE" Varchar2(4000),
        /// Y for the default; the report lists the others.
        is_default: bool => "ISDEFAULT" Varchar2(9),
    }
}

record! {
    /// A part of the memory that all sessions share, in bytes.
    Sga in "STATS$SGA" {
        /// `Database Buffers` (the buffer cache), `Redo Buffers` (the log buffer), `Shared Pool`, and any other part.
        name: String => "NAME" Varchar2(64),
        |
        /// Bytes.
        bytes: u64 => "VALUE" Number,
    }
}

record! {
    /// A statistic of V$PGASTAT.
    PgaStatistic in "STATS$PGASTAT" {
        /// `total PGA allocated`, `aggregate PGA target parameter`, `bytes processed`, …
        name: String => "NAME" Varchar2(64),
        |
        /// In the statistic's own unit, mostly bytes.
        value: u64 => "VALUE" Number,
    }
}

record! {
    /// A statistic of V$OSSTAT.
    OsStatistic in "STATS$OSSTAT" {
        /// `BUSY_TIME` and other times in centiseconds since the machine was started, `LOAD`, `NUM_CPUS`,
        /// `PHYSICAL_MEMORY_BYTES`, …
        name: String => "STAT_NAME" Varchar2(64),
        |
        /// In the statistic's own unit.
        value: f64 => "VALUE" Number,
    }
}

record! {
    /// A statistic of V$SYSSTAT since the instance was started.
    SystemStatistic in "STATS$SYSSTAT" {
        /// The statistic's name.
        name: String => "NAME" Varchar2(64),
        |
        /// Counts and bytes; times in centiseconds.
        value: u64 => "VALUE" Number,
    }
}

record! {
    /// A line of V$SYS_TIME_MODEL since the instance was started.
    TimeModel in "STATS$SYS_TIME_MODEL" {
        /// `DB time`, `DB CPU`, …
        name: String => "STAT_NAME" Varchar2(64),
        |
        /// Microseconds.
        micros: u64 => "VALUE" Number,
    }
}

record! {
    /// A namespace of the library cache since the instance was started.
    LibraryCache in "STATS$LIBRARYCACHE" {
        /// `SQL AREA`, `TABLE/PROCEDURE`, …
        namespace: String => "NAMESPACE" Varchar2(64),
        |
        /// Gets of objects.
        gets: u64 => "GETS" Number,
        /// Gets that found the object.
        get_hits: u64 => "GETHITS" Number,
        /// Objects used.
        pins: u64 => "PINS" Number,
        /// Pins that found the object ready.
        pin_hits: u64 => "PINHITS" Number,
        /// Objects that had to be made again.
        reloads: u64 => "RELOADS" Number,
        /// Objects invalidated by a change of a dependency.
        invalidations: u64 => "INVALIDATIONS" Number,
    }
}
