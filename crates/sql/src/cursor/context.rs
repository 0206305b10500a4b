//! The session's context for functions: the statement's time, the user, NLS settings.

use std::sync::{Arc, OnceLock};

use common::sync::atomic::{AtomicU64, Ordering};
use engine::instance::Session;
use format::date::DateTime;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use scalar::{Context, Nls};

/// One statement's view of its session.
#[derive(Debug)]
pub(crate) struct StatementContext {
    pub(crate) nls: Arc<Nls>,
    pub(crate) now: DateTime,
    pub(crate) user: String,
    pub(crate) user_id: u32,
    pub(crate) schema: String,
    pub(crate) session: Arc<Session>,
    pub(crate) random: Arc<AtomicU64>,
}

/// The context of a statement that hardly needs one: made when a function asks for the session or the time.
#[derive(Debug)]
pub(crate) struct LazyContext {
    nls: Arc<Nls>,
    session: Arc<Session>,
    random: Arc<AtomicU64>,
    schema: String,
    /// When the statement began.
    wall_us: u64,
    made: OnceLock<StatementContext>,
}

impl LazyContext {
    /// Of a statement that begins now.
    pub(crate) fn new(session: Arc<Session>, nls: Arc<Nls>, random: Arc<AtomicU64>, schema: String) -> Self {
        let wall_us = session.meter().clock().wall_us();
        Self { nls, session, random, schema, wall_us, made: OnceLock::new() }
    }

    fn made(&self) -> &StatementContext {
        self.made.get_or_init(|| {
            let user = self.session.user();
            StatementContext {
                nls: Arc::clone(&self.nls),
                // The clock of a running instance is within the range of dates.
                now: local_time(self.wall_us).unwrap_or_else(|_| DateTime::midnight(1970, 1, 1)),
                user_id: self.session.catalog().user(&user).map_or(0, |user| user.number.0),
                user,
                schema: self.schema.clone(),
                session: Arc::clone(&self.session),
                random: Arc::clone(&self.random),
            }
        })
    }
}

impl Context for LazyContext {
    fn nls(&self) -> &Nls {
        &self.nls
    }

    fn now(&self) -> DateTime {
        self.made().now
    }

    fn user(&self) -> &str {
        &self.made().user
    }

    fn user_id(&self) -> u32 {
        self.made().user_id
    }

    fn environment(&self, namespace: &str, parameter: &str) -> Option<String> {
        self.made().environment(namespace, parameter)
    }

    fn random(&self) -> u64 {
        self.made().random()
    }
}

/// The context of a plan that is executed again: all but the time is the same for all executions.
#[derive(Debug)]
pub(crate) struct KeptContext {
    statement: StatementContext,
    /// When the present execution began.
    wall_us: AtomicU64,
}

impl KeptContext {
    pub(crate) fn new(statement: StatementContext) -> Self {
        let wall_us = AtomicU64::new(statement.session.meter().clock().wall_us());
        Self { statement, wall_us }
    }

    /// An execution begins at this moment.
    pub(crate) fn begin(&self, wall_us: u64) {
        self.wall_us.store(wall_us, Ordering::Relaxed);
    }
}

impl Context for KeptContext {
    fn nls(&self) -> &Nls {
        self.statement.nls()
    }

    fn now(&self) -> DateTime {
        local_time(self.wall_us.load(Ordering::Relaxed)).unwrap_or(self.statement.now)
    }

    fn user(&self) -> &str {
        self.statement.user()
    }

    fn user_id(&self) -> u32 {
        self.statement.user_id()
    }

    fn environment(&self, namespace: &str, parameter: &str) -> Option<String> {
        self.statement.environment(namespace, parameter)
    }

    fn random(&self) -> u64 {
        self.statement.random()
    }
}

/// Local time of a moment given in microseconds since 1970 UTC.
pub(crate) fn local_time(wall_us: u64) -> common::Result<DateTime> {
    let wall = i64::try_from(wall_us).unwrap_or(i64::MAX);
    DateTime::from_unix_micros(wall + i64::from(utc_offset_seconds(wall_us)) * 1_000_000)
}

/// Local time minus UTC.
pub(crate) fn utc_offset_seconds(wall_us: u64) -> i32 {
    let wall = i64::try_from(wall_us).unwrap_or(i64::MAX);
    Timestamp::from_microsecond(wall).map_or(0, |at| TimeZone::system().to_offset(at).seconds())
}

/// The moment, in microseconds since 1970 UTC, at which the clock of `zone` shows a local time. If it shows the time
/// twice (clocks put back), the first moment after `after_us`; if it skips the time (clocks put forward), as much later
/// as is skipped. None before 1970.
pub(crate) fn moment_of(zone: &TimeZone, local: &DateTime, after_us: u64) -> Option<u64> {
    let micros = |at: Timestamp| u64::try_from(at.as_microsecond()).ok();
    let local_us = local.unix_seconds() * 1_000_000 + i64::from(local.nanosecond / 1000);
    // Outside the range of time zones: UTC.
    let Ok(civil) = Timestamp::from_microsecond(local_us).map(|at| TimeZone::UTC.to_datetime(at)) else {
        return u64::try_from(local_us).ok();
    };
    let shown = zone.to_ambiguous_timestamp(civil);
    let (Ok(usual), Ok(later)) = (shown.compatible(), shown.later()) else {
        return u64::try_from(local_us).ok();
    };
    micros(usual).filter(|at| *at > after_us || usual == later).or_else(|| micros(later))
}

impl Context for StatementContext {
    fn nls(&self) -> &Nls {
        &self.nls
    }

    fn now(&self) -> DateTime {
        self.now
    }

    fn user(&self) -> &str {
        &self.user
    }

    fn user_id(&self) -> u32 {
        self.user_id
    }

    fn environment(&self, namespace: &str, parameter: &str) -> Option<String> {
        if namespace != "USERENV" {
            return None;
        }
        Some(match parameter {
            "SESSION_USER" | "USER" => self.user.clone(),
            "CURRENT_USER" => self.session.rights().to_string(),
            "CURRENT_SCHEMA" => self.schema.clone(),
            "SESSION_USERID" | "CURRENT_USERID" => self.user_id.to_string(),
            "SID" => self.session.sid().to_string(),
            "SESSIONID" => self.session.meter().serial().to_string(),
            "DB_NAME" | "INSTANCE_NAME" | "DB_UNIQUE_NAME" | "SERVICE_NAME" => self.session.instance().database_name(),
            "INSTANCE" => "1".to_owned(),
            "LANG" => "US".to_owned(),
            "LANGUAGE" => "AMERICAN_AMERICA.AL32UTF8".to_owned(),
            "NLS_DATE_FORMAT" => {
                self.session.parameters().text(storage::parameters::Parameter::NlsDateFormat).to_string()
            }
            _ => return None,
        })
    }

    fn random(&self) -> u64 {
        // splitmix64
        let mut z = self.random.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}
