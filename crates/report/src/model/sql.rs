//! Statements and segments at the top of something.

use serde::Serialize;

use crate::figure::Figure;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SqlOrder {
    #[default]
    Elapsed,
    Cpu,
    UserIo,
    Gets,
    Reads,
    UnoptimizedReads,
    Executions,
    ParseCalls,
    SharableMemory,
    VersionCount,
    ClusterWait,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct SqlSection {
    pub order: SqlOrder,
    /// "Captured SQL accounts for n % of …", as printed.
    pub captured_percent: Option<f64>,
    pub statements: Vec<SqlLine>,
}

/// A statement with what its line says; totals over the window.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct SqlLine {
    pub sql_id: Option<String>,
    pub hash_value: Option<u64>,
    pub plan_hash: Option<u64>,
    pub module: Option<String>,
    pub container: Option<String>,
    pub text: String,
    /// The text is cut.
    pub cut: bool,
    pub elapsed_s: Option<Figure>,
    pub cpu_s: Option<Figure>,
    pub user_io_s: Option<Figure>,
    pub gets: Option<f64>,
    pub reads: Option<f64>,
    pub executions: Option<f64>,
    pub rows: Option<f64>,
    pub parse_calls: Option<f64>,
    pub sharable_bytes: Option<f64>,
    pub versions: Option<f64>,
    pub percent: Option<f64>,
    pub cpu_percent: Option<f64>,
    pub io_percent: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SegmentOrder {
    #[default]
    LogicalReads,
    PhysicalReads,
    PhysicalReadRequests,
    UnoptimizedReads,
    OptimizedReads,
    DirectReads,
    PhysicalWrites,
    PhysicalWriteRequests,
    DirectWrites,
    TableScans,
    BlockChanges,
    RowLockWaits,
    ItlWaits,
    BufferBusyWaits,
    GlobalBufferBusy,
    CrBlocksReceived,
    CurrentBlocksReceived,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct SegmentSection {
    pub order: SegmentOrder,
    pub segments: Vec<Segment>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Segment {
    pub owner: String,
    pub tablespace: String,
    pub object: String,
    pub subobject: Option<String>,
    pub object_type: String,
    pub container: Option<String>,
    /// In the section's own measure.
    pub value: Option<f64>,
    /// Of all captured segments, or of the total: as printed.
    pub percent: Option<f64>,
}
