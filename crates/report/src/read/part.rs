//! Which part of the model a section fills, by its title.

use crate::grid::view::plain;
use crate::model::{SegmentOrder, SqlOrder};
use crate::section;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReportPart {
    Section(&'static dyn section::AnySection),
    /// The first of these that a table's columns fit.
    OneOf(&'static [&'static dyn section::AnySection]),
    LoadProfile,
    Efficiencies,
    CacheSizes,
    SharedPool,
    Histogram,
    HostCpu,
    InstanceCpu,
    Memory,
    Sql(SqlOrder),
    SqlText,
    /// A selection of the statistics, all of which are in the full list too.
    KeyActivity,
    IoByFunction,
    IoByFunctionAndType,
    IoByFileType,
    UndoSummary,
    Pga,
    Segments(SegmentOrder),
    Cluster,
    Cells,
}

impl ReportPart {
    /// The model takes certain figures of it. Of clusters and cells it takes any figures.
    pub(super) fn has_a_place(self) -> bool {
        !matches!(self, ReportPart::InstanceCpu | ReportPart::Cluster | ReportPart::Cells)
    }
}

/// The first whose columns a table has. The last fits them all, so the order matters.
pub(super) const STATISTICS: &[&dyn section::AnySection] =
    &[&section::ABSOLUTE_STATISTICS, &section::THREAD_ACTIVITY, &section::STATISTICS];
/// Some releases print the samples under the same title.
const OS_STATISTICS: &[&dyn section::AnySection] = &[&section::OS_STATISTICS, &section::OS_DETAILS];
/// Files stand first: the columns of tablespaces fit their tables, too.
const FILES: &[&dyn section::AnySection] = &[&section::FILES, &section::TABLESPACES];

/// None for a section without a counterpart in the model, or with several parts (an HTML report's summary).
pub(super) fn part(title: &str) -> Option<ReportPart> {
    use ReportPart::{OneOf, Section};
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
            Section(&section::TOP_EVENTS)
        }
        _ if starts("waitclassesbytotal") || starts("waitclassestotal") => Section(&section::ALL_WAIT_CLASSES),
        _ if starts("foregroundwaitclass") => Section(&section::WAIT_CLASSES),
        _ if starts("waitclass") && !starts("waitclasses") => Section(&section::ALL_WAIT_CLASSES),
        _ if starts("foregroundwaitevents") => Section(&section::FOREGROUND_EVENTS),
        _ if starts("backgroundwaitevents") => Section(&section::BACKGROUND_EVENTS),
        _ if starts("waiteventhistogram") || starts("eventhistogram") => ReportPart::Histogram,
        _ if starts("waitevents") && !starts("waiteventsstatistics") => Section(&section::ALL_EVENTS),
        _ if starts("hostcpu") => ReportPart::HostCpu,
        _ if starts("instancecpu") => ReportPart::InstanceCpu,
        "memorystatistics" => ReportPart::Memory,
        _ if starts("timemodel") => Section(&section::TIME_MODEL),
        _ if (starts("operatingsystemstatistics") || starts("osstatistics")) && name.contains("detail") => {
            Section(&section::OS_DETAILS)
        }
        _ if starts("operatingsystemstatistics") || starts("osstatistics") => OneOf(OS_STATISTICS),
        _ if starts("completelistofsqltext") => ReportPart::SqlText,
        _ if starts("keyinstanceactivity") => ReportPart::KeyActivity,
        _ if starts("instanceactivity") && !starts("instanceactivitystatistics") => OneOf(STATISTICS),
        _ if starts("otherinstanceactivity") || starts("sysstat") => OneOf(STATISTICS),
        _ if starts("tablespaceio") || starts("fileiostats") => OneOf(FILES),
        _ if starts("iostatbyfunctionfiletype") || starts("iostatbyfunctionandfiletype") => {
            ReportPart::IoByFunctionAndType
        }
        _ if starts("iostatbyfunctiondetail") => return None,
        _ if starts("iostatbyfunction") => ReportPart::IoByFunction,
        _ if starts("iostatbyfiletype") => ReportPart::IoByFileType,
        _ if starts("bufferpoolstatistics") => Section(&section::BUFFER_POOLS),
        _ if starts("bufferwaitstatistics") => Section(&section::BUFFER_WAITS),
        _ if starts("enqueueactivity") => Section(&section::ENQUEUES),
        _ if starts("undosegmentsummary") => ReportPart::UndoSummary,
        _ if starts("undosegmentstats") => Section(&section::UNDO_INTERVALS),
        _ if starts("latchactivity") => Section(&section::LATCHES),
        _ if starts("latchsleepbreakdown") => Section(&section::LATCH_SLEEPS),
        _ if starts("latchmisssources") => Section(&section::LATCH_MISSES),
        _ if name == "storagecellmessages" => Section(&section::STORAGE_CELLS),
        _ if name == "librarycacheactivity" => Section(&section::LIBRARY_CACHE),
        _ if starts("filereadhistogram") => Section(&section::FILE_HISTOGRAMS),
        _ if starts("pgaaggrtarget") => ReportPart::Pga,
        _ if starts("initora")
            || starts("parametersmodified")
            || starts("multivaluedparameters")
            || name == "initializationparameters" =>
        {
            Section(&section::PARAMETERS)
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
    use super::ReportPart::{self, OneOf, Section};
    use super::{STATISTICS, part};
    use crate::model::{SegmentOrder, SqlOrder};
    use crate::section;

    #[test]
    fn titles_of_all_forms() {
        for (title, expected) in [
            ("Top 5 Timed Events", Some(Section(&section::TOP_EVENTS))),
            ("Top 5 Timed Foreground Events", Some(Section(&section::TOP_EVENTS))),
            ("Top 10 Foreground Events by Total Wait Time", Some(Section(&section::TOP_EVENTS))),
            ("Top ADDM Findings by Average Active Sessions", None),
            ("Wait Events (fg and bg)", Some(Section(&section::ALL_EVENTS))),
            ("Wait Events Statistics", None),
            ("Wait Event Histogram Detail (64 msec to 2 sec)", Some(ReportPart::Histogram)),
            ("SQL ordered by Physical Reads (UnOptimized)", Some(ReportPart::Sql(SqlOrder::UnoptimizedReads))),
            ("SQL ordered by Elapsed time for DB: X Instance: Y", Some(ReportPart::Sql(SqlOrder::Elapsed))),
            ("Segments by DB Blocks Changes", Some(ReportPart::Segments(SegmentOrder::BlockChanges))),
            ("IOStat by Function/Filetype summary", Some(ReportPart::IoByFunctionAndType)),
            ("IO Stat by Function - summary", Some(ReportPart::IoByFunction)),
            ("IO Stat by Function - detail", None),
            ("Instance Activity Stats - Absolute Values", Some(OneOf(STATISTICS))),
            ("Instance Activity Statistics", None),
            ("OS Statistics - detail", Some(Section(&section::OS_DETAILS))),
            ("Multi-Valued Parameters modified by this container", Some(Section(&section::PARAMETERS))),
            ("Global CR Served Stats", Some(ReportPart::Cluster)),
            ("Exadata Server Health Report", Some(ReportPart::Cells)),
            ("Shared Servers Activity", None),
        ] {
            assert_eq!(part(title), expected, "{title}");
        }
    }
}
