//! Which database, which window, which machine.

use serde::Serialize;

/// The database and instance. Texts as printed.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Identity {
    pub database: Option<String>,
    pub database_id: Option<u64>,
    pub unique_name: Option<String>,
    pub role: Option<String>,
    pub edition: Option<String>,
    pub instance: Option<String>,
    pub instance_number: Option<u32>,
    /// Of several instances: all of them.
    pub instances: Vec<String>,
    pub container: Option<String>,
    /// "19.0.0.0.0".
    pub release: Option<String>,
    pub rac: Option<bool>,
    pub cdb: Option<bool>,
    /// As printed: "23-Apr-14 16:33".
    pub startup: Option<String>,
}

impl Identity {
    /// The release's first number: 12 of "12.2.0.1.0".
    #[must_use]
    pub fn major_release(&self) -> Option<u32> {
        self.release.as_deref()?.split('.').next()?.trim().parse().ok()
    }
}

/// One end of the window.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Snapshot {
    pub id: Option<u64>,
    /// As printed: "23-Apr-14 18:30:40".
    pub time: Option<String>,
    /// The same in seconds since 1970, as if it were UTC; for order and distance only.
    pub time_s: Option<i64>,
    pub sessions: Option<f64>,
    pub cursors_per_session: Option<f64>,
    /// The user's remark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// From snapshot to snapshot.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Window {
    pub begin: Snapshot,
    pub end: Snapshot,
    /// From the snapshots' times where both are there (to the second), else from the printed minutes.
    pub elapsed_s: Option<f64>,
    /// From the time model where it is there, else from the printed minutes.
    pub db_time_s: Option<f64>,
    pub db_cpu_s: Option<f64>,
}

/// The machine. Percentages as printed.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Host {
    pub name: Option<String>,
    pub platform: Option<String>,
    pub cpus: Option<f64>,
    pub cores: Option<f64>,
    pub sockets: Option<f64>,
    pub memory_bytes: Option<f64>,
    pub load_begin: Option<f64>,
    pub load_end: Option<f64>,
    pub user_percent: Option<f64>,
    pub system_percent: Option<f64>,
    pub idle_percent: Option<f64>,
    pub io_wait_percent: Option<f64>,
    /// Operating system statistics, in their own units: times in centiseconds, memory in bytes.
    pub statistics: Option<Vec<OsStatistic>>,
    /// Samples within the window.
    pub details: Option<Vec<OsDetail>>,
}

impl Host {
    /// An operating system statistic at the window's begin (or its difference, for times).
    #[must_use]
    pub fn statistic(&self, name: &str) -> Option<&OsStatistic> {
        self.statistics.as_ref()?.iter().find(|line| line.name == name)
    }
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct OsStatistic {
    pub name: String,
    pub value: Option<f64>,
    /// Printed only where it differs.
    pub end: Option<f64>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct OsDetail {
    pub time: String,
    pub load: Option<f64>,
    pub busy_percent: Option<f64>,
    pub user_percent: Option<f64>,
    pub system_percent: Option<f64>,
    pub idle_percent: Option<f64>,
    pub io_wait_percent: Option<f64>,
}
