//! Which part of the model a section fills, by its title.

use super::view::plain;
use crate::model::{SegmentOrder, SqlOrder};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReportPart {
    LoadProfile,
    Efficiencies,
    CacheSizes,
    SharedPool,
    TopEvents,
    HeaderWaitClasses,
    WaitClasses,
    ForegroundEvents,
    BackgroundEvents,
    AllEvents,
    Histogram,
    HostCpu,
    InstanceCpu,
    Memory,
    TimeModel,
    OsStatistics,
    OsDetail,
    Sql(SqlOrder),
    SqlText,
    /// A selection of the statistics, all of which are in the full list too.
    KeyActivity,
    Activity,
    Tablespaces,
    Files,
    IoByFunction,
    IoByFunctionAndType,
    IoByFileType,
    BufferPools,
    BufferWaits,
    Enqueues,
    UndoSummary,
    UndoIntervals,
    Latches,
    LatchSleeps,
    LatchMisses,
    LibraryCache,
    FileHistogram,
    Pga,
    PgaHistogram,
    Segments(SegmentOrder),
    Parameters,
    Cluster,
    Cells,
}

impl ReportPart {
    /// The model takes certain figures of it. Of clusters and cells it takes any figures.
    pub(super) fn has_a_place(self) -> bool {
        !matches!(self, ReportPart::InstanceCpu | ReportPart::Cluster | ReportPart::Cells)
    }
}

/// None for a section without a counterpart in the model, or with several parts (an HTML report's summary).
pub(super) fn part(title: &str) -> Option<ReportPart> {
    let name = plain(title);
    let starts = |prefix: &str| name.starts_with(prefix);
    if let Some(rest) = name.strip_prefix("sqlorderedby").or_else(|| name.strip_prefix("topsqlby")) {
        return sql_order(rest).map(ReportPart::Sql);
    }
    if let Some(rest) = name
        .strip_prefix("segmentsby")
        .or_else(|| name.strip_prefix("top5segmentsby"))
        .or_else(|| name.strip_prefix("topsegmentsby"))
    {
        return segment_order(rest).map(ReportPart::Segments);
    }
    if starts("exadata")
        || starts("cell")
        || starts("smartio")
        || starts("flashlog")
        || starts("flashcache") && !starts("flashcachehit")
    {
        return Some(ReportPart::Cells);
    }
    if starts("globalcache")
        || starts("globalmessaging")
        || starts("globalcr")
        || starts("globalcurrent")
        || starts("racstatistics")
        || starts("interconnect")
        || starts("ges")
        || starts("dynamicremastering")
        || starts("clusterinterconnect")
    {
        return Some(ReportPart::Cluster);
    }
    Some(match name.as_str() {
        _ if starts("loadprofile") => ReportPart::LoadProfile,
        _ if starts("instanceefficiency") => ReportPart::Efficiencies,
        _ if starts("cachesizes") => ReportPart::CacheSizes,
        _ if starts("sharedpoolstatistics") => ReportPart::SharedPool,
        _ if starts("top") && name.contains("addm") => return None,
        _ if starts("top")
            && (name.contains("timedevents")
                || name.contains("waitevents")
                || name.contains("foregroundevents")
                || name.contains("timedforeground")) =>
        {
            ReportPart::TopEvents
        }
        _ if starts("waitclassesbytotal") || starts("waitclassestotal") => ReportPart::HeaderWaitClasses,
        _ if starts("foregroundwaitclass") => ReportPart::WaitClasses,
        _ if starts("waitclass") && !starts("waitclasses") => ReportPart::HeaderWaitClasses,
        _ if starts("foregroundwaitevents") => ReportPart::ForegroundEvents,
        _ if starts("backgroundwaitevents") => ReportPart::BackgroundEvents,
        _ if starts("waiteventhistogram") || starts("eventhistogram") => ReportPart::Histogram,
        _ if starts("waitevents") && !starts("waiteventsstatistics") => ReportPart::AllEvents,
        _ if starts("hostcpu") => ReportPart::HostCpu,
        _ if starts("instancecpu") => ReportPart::InstanceCpu,
        "memorystatistics" => ReportPart::Memory,
        _ if starts("timemodel") => ReportPart::TimeModel,
        _ if (starts("operatingsystemstatistics") || starts("osstatistics")) && name.contains("detail") => {
            ReportPart::OsDetail
        }
        _ if starts("operatingsystemstatistics") || starts("osstatistics") => ReportPart::OsStatistics,
        _ if starts("completelistofsqltext") => ReportPart::SqlText,
        _ if starts("keyinstanceactivity") => ReportPart::KeyActivity,
        _ if starts("instanceactivity") && !starts("instanceactivitystatistics") => ReportPart::Activity,
        _ if starts("otherinstanceactivity") || starts("sysstat") => ReportPart::Activity,
        _ if starts("tablespaceiostats") || starts("tablespaceio") => ReportPart::Tablespaces,
        _ if starts("fileiostats") => ReportPart::Files,
        _ if starts("iostatbyfunctionfiletype") || starts("iostatbyfunctionandfiletype") => {
            ReportPart::IoByFunctionAndType
        }
        _ if starts("iostatbyfunctiondetail") => return None,
        _ if starts("iostatbyfunction") => ReportPart::IoByFunction,
        _ if starts("iostatbyfiletype") => ReportPart::IoByFileType,
        _ if starts("bufferpoolstatistics") => ReportPart::BufferPools,
        _ if starts("bufferwaitstatistics") => ReportPart::BufferWaits,
        _ if starts("enqueueactivity") => ReportPart::Enqueues,
        _ if starts("undosegmentsummary") => ReportPart::UndoSummary,
        _ if starts("undosegmentstats") => ReportPart::UndoIntervals,
        _ if starts("latchactivity") => ReportPart::Latches,
        _ if starts("latchsleepbreakdown") => ReportPart::LatchSleeps,
        _ if starts("latchmisssources") => ReportPart::LatchMisses,
        _ if name == "librarycacheactivity" => ReportPart::LibraryCache,
        _ if starts("filereadhistogram") => ReportPart::FileHistogram,
        _ if starts("pgaaggrtargethistogram") => ReportPart::PgaHistogram,
        _ if starts("pgaaggrtarget") => ReportPart::Pga,
        _ if starts("initora")
            || starts("parametersmodified")
            || starts("multivaluedparameters")
            || name == "initializationparameters" =>
        {
            ReportPart::Parameters
        }
        _ => return None,
    })
}

fn sql_order(name: &str) -> Option<SqlOrder> {
    let starts = |prefix: &str| name.starts_with(prefix);
    Some(match name {
        _ if starts("elapsed") => SqlOrder::Elapsed,
        _ if starts("cpu") => SqlOrder::Cpu,
        _ if starts("userio") => SqlOrder::UserIo,
        _ if starts("gets") || starts("buffergets") => SqlOrder::Gets,
        _ if name.contains("unoptimized") => SqlOrder::UnoptimizedReads,
        _ if starts("reads") || starts("physicalreads") || starts("diskreads") => SqlOrder::Reads,
        _ if starts("executions") => SqlOrder::Executions,
        _ if starts("parsecalls") => SqlOrder::ParseCalls,
        _ if starts("sharablememory") => SqlOrder::SharableMemory,
        _ if starts("version") => SqlOrder::VersionCount,
        _ if starts("cluster") => SqlOrder::ClusterWait,
        _ => return None,
    })
}

fn segment_order(name: &str) -> Option<SegmentOrder> {
    let starts = |prefix: &str| name.starts_with(prefix);
    Some(match name {
        _ if starts("logicalreads") => SegmentOrder::LogicalReads,
        _ if starts("physicalreadrequests") => SegmentOrder::PhysicalReadRequests,
        _ if starts("physicalreads") => SegmentOrder::PhysicalReads,
        _ if starts("unoptimizedreads") => SegmentOrder::UnoptimizedReads,
        _ if starts("optimizedreads") => SegmentOrder::OptimizedReads,
        _ if starts("directphysicalreads") || starts("directreads") => SegmentOrder::DirectReads,
        _ if starts("physicalwriterequests") => SegmentOrder::PhysicalWriteRequests,
        _ if starts("physicalwrites") => SegmentOrder::PhysicalWrites,
        _ if starts("directphysicalwrites") || starts("directwrites") => SegmentOrder::DirectWrites,
        _ if starts("tablescans") => SegmentOrder::TableScans,
        _ if starts("dbblockchanges") || starts("dbblockschanges") => SegmentOrder::BlockChanges,
        _ if starts("rowlockwaits") => SegmentOrder::RowLockWaits,
        _ if starts("itlwaits") => SegmentOrder::ItlWaits,
        _ if starts("bufferbusywaits") => SegmentOrder::BufferBusyWaits,
        _ if starts("globalcachebufferbusy") => SegmentOrder::GlobalBufferBusy,
        _ if starts("crblocks") => SegmentOrder::CrBlocksReceived,
        _ if starts("currentblocks") || starts("cublocks") => SegmentOrder::CurrentBlocksReceived,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{ReportPart, part};
    use crate::model::{SegmentOrder, SqlOrder};

    #[test]
    fn titles_of_all_forms() {
        for (title, expected) in [
            ("Top 5 Timed Events", Some(ReportPart::TopEvents)),
            ("Top 5 Timed Foreground Events", Some(ReportPart::TopEvents)),
            ("Top 10 Foreground Events by Total Wait Time", Some(ReportPart::TopEvents)),
            ("Top ADDM Findings by Average Active Sessions", None),
            ("Wait Events (fg and bg)", Some(ReportPart::AllEvents)),
            ("Wait Events Statistics", None),
            ("Wait Event Histogram Detail (64 msec to 2 sec)", Some(ReportPart::Histogram)),
            ("SQL ordered by Physical Reads (UnOptimized)", Some(ReportPart::Sql(SqlOrder::UnoptimizedReads))),
            ("SQL ordered by Elapsed time for DB: X Instance: Y", Some(ReportPart::Sql(SqlOrder::Elapsed))),
            ("Segments by DB Blocks Changes", Some(ReportPart::Segments(SegmentOrder::BlockChanges))),
            ("IOStat by Function/Filetype summary", Some(ReportPart::IoByFunctionAndType)),
            ("IO Stat by Function - summary", Some(ReportPart::IoByFunction)),
            ("IO Stat by Function - detail", None),
            ("Instance Activity Stats - Absolute Values", Some(ReportPart::Activity)),
            ("Instance Activity Statistics", None),
            ("OS Statistics - detail", Some(ReportPart::OsDetail)),
            ("Multi-Valued Parameters modified by this container", Some(ReportPart::Parameters)),
            ("Global CR Served Stats", Some(ReportPart::Cluster)),
            ("Exadata Server Health Report", Some(ReportPart::Cells)),
            ("Shared Servers Activity", None),
        ] {
            assert_eq!(part(title), expected, "{title}");
        }
    }
}
