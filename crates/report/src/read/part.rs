//! Which part of the model a section fills, by its title.

use super::view::plain;
use crate::model::{SegmentOrder, SqlOrder};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
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
    /// A selection of the statistics, all of which stand in the full list too.
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

impl Part {
    /// The model takes certain figures of it. Of clusters and cells it takes whatever figures there are.
    pub(super) fn has_a_place(self) -> bool {
        !matches!(self, Part::InstanceCpu | Part::Cluster | Part::Cells)
    }
}

/// None for a section that the model has no place for, or that holds several parts (an HTML report's summary).
pub(super) fn part(title: &str) -> Option<Part> {
    let name = plain(title);
    let starts = |prefix: &str| name.starts_with(prefix);
    if let Some(rest) = name.strip_prefix("sqlorderedby").or_else(|| name.strip_prefix("topsqlby")) {
        return sql_order(rest).map(Part::Sql);
    }
    if let Some(rest) = name
        .strip_prefix("segmentsby")
        .or_else(|| name.strip_prefix("top5segmentsby"))
        .or_else(|| name.strip_prefix("topsegmentsby"))
    {
        return segment_order(rest).map(Part::Segments);
    }
    if starts("exadata")
        || starts("cell")
        || starts("smartio")
        || starts("flashlog")
        || starts("flashcache") && !starts("flashcachehit")
    {
        return Some(Part::Cells);
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
        return Some(Part::Cluster);
    }
    Some(match name.as_str() {
        _ if starts("loadprofile") => Part::LoadProfile,
        _ if starts("instanceefficiency") => Part::Efficiencies,
        _ if starts("cachesizes") => Part::CacheSizes,
        _ if starts("sharedpoolstatistics") => Part::SharedPool,
        _ if starts("top") && name.contains("addm") => return None,
        _ if starts("top")
            && (name.contains("timedevents")
                || name.contains("waitevents")
                || name.contains("foregroundevents")
                || name.contains("timedforeground")) =>
        {
            Part::TopEvents
        }
        _ if starts("waitclassesbytotal") || starts("waitclassestotal") => Part::HeaderWaitClasses,
        _ if starts("foregroundwaitclass") => Part::WaitClasses,
        _ if starts("waitclass") && !starts("waitclasses") => Part::HeaderWaitClasses,
        _ if starts("foregroundwaitevents") => Part::ForegroundEvents,
        _ if starts("backgroundwaitevents") => Part::BackgroundEvents,
        _ if starts("waiteventhistogram") || starts("eventhistogram") => Part::Histogram,
        _ if starts("waitevents") && !starts("waiteventsstatistics") => Part::AllEvents,
        _ if starts("hostcpu") => Part::HostCpu,
        _ if starts("instancecpu") => Part::InstanceCpu,
        "memorystatistics" => Part::Memory,
        _ if starts("timemodel") => Part::TimeModel,
        _ if (starts("operatingsystemstatistics") || starts("osstatistics")) && name.contains("detail") => {
            Part::OsDetail
        }
        _ if starts("operatingsystemstatistics") || starts("osstatistics") => Part::OsStatistics,
        _ if starts("completelistofsqltext") => Part::SqlText,
        _ if starts("keyinstanceactivity") => Part::KeyActivity,
        _ if starts("instanceactivity") && !starts("instanceactivitystatistics") => Part::Activity,
        _ if starts("otherinstanceactivity") || starts("sysstat") => Part::Activity,
        _ if starts("tablespaceiostats") || starts("tablespaceio") => Part::Tablespaces,
        _ if starts("fileiostats") => Part::Files,
        _ if starts("iostatbyfunctionfiletype") || starts("iostatbyfunctionandfiletype") => Part::IoByFunctionAndType,
        _ if starts("iostatbyfunctiondetail") => return None,
        _ if starts("iostatbyfunction") => Part::IoByFunction,
        _ if starts("iostatbyfiletype") => Part::IoByFileType,
        _ if starts("bufferpoolstatistics") => Part::BufferPools,
        _ if starts("bufferwaitstatistics") => Part::BufferWaits,
        _ if starts("enqueueactivity") => Part::Enqueues,
        _ if starts("undosegmentsummary") => Part::UndoSummary,
        _ if starts("undosegmentstats") => Part::UndoIntervals,
        _ if starts("latchactivity") => Part::Latches,
        _ if starts("latchsleepbreakdown") => Part::LatchSleeps,
        _ if starts("latchmisssources") => Part::LatchMisses,
        _ if name == "librarycacheactivity" => Part::LibraryCache,
        _ if starts("filereadhistogram") => Part::FileHistogram,
        _ if starts("pgaaggrtargethistogram") => Part::PgaHistogram,
        _ if starts("pgaaggrtarget") => Part::Pga,
        _ if starts("initora")
            || starts("parametersmodified")
            || starts("multivaluedparameters")
            || name == "initializationparameters" =>
        {
            Part::Parameters
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
    use super::{Part, part};
    use crate::model::{SegmentOrder, SqlOrder};

    #[test]
    fn titles_of_all_forms() {
        for (title, expected) in [
            ("Top 5 Timed Events", Some(Part::TopEvents)),
            ("Top 5 Timed Foreground Events", Some(Part::TopEvents)),
            ("Top 10 Foreground Events by Total Wait Time", Some(Part::TopEvents)),
            ("Top ADDM Findings by Average Active Sessions", None),
            ("Wait Events (fg and bg)", Some(Part::AllEvents)),
            ("Wait Events Statistics", None),
            ("Wait Event Histogram Detail (64 msec to 2 sec)", Some(Part::Histogram)),
            ("SQL ordered by Physical Reads (UnOptimized)", Some(Part::Sql(SqlOrder::UnoptimizedReads))),
            ("SQL ordered by Elapsed time for DB: X Instance: Y", Some(Part::Sql(SqlOrder::Elapsed))),
            ("Segments by DB Blocks Changes", Some(Part::Segments(SegmentOrder::BlockChanges))),
            ("IOStat by Function/Filetype summary", Some(Part::IoByFunctionAndType)),
            ("IO Stat by Function - summary", Some(Part::IoByFunction)),
            ("IO Stat by Function - detail", None),
            ("Instance Activity Stats - Absolute Values", Some(Part::Activity)),
            ("Instance Activity Statistics", None),
            ("OS Statistics - detail", Some(Part::OsDetail)),
            ("Multi-Valued Parameters modified by this container", Some(Part::Parameters)),
            ("Global CR Served Stats", Some(Part::Cluster)),
            ("Exadata Server Health Report", Some(Part::Cells)),
            ("Shared Servers Activity", None),
        ] {
            assert_eq!(part(title), expected, "{title}");
        }
    }
}
