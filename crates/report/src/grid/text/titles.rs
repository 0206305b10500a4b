//! Lines of an AWR page without tags that are titles: the sections that the model reads, and the names of all others.

use crate::read;

/// The longest title, in bytes.
const LONGEST: usize = 90;

/// Sections, and headings over several of them, that the model does not have. A remark in brackets or behind a dash may
/// follow.
const OTHERS: [&str; 155] = [
    "Active Session History (ASH) Report",
    "Activity Over Time",
    "ADDM Reports",
    "ADDM Task",
    "Advanced Queue CPU/IO Usage",
    "Advanced Queuing",
    "Advisory Statistics",
    "Application Continuity Statistics",
    "ASM Diskgroup Statistics",
    "Automatic Maintenance Tasks",
    "Buffer Pool Advisory",
    "Buffered Queue Subscribers",
    "Buffered Queues",
    "Cell Server IOPS Statistics",
    "Checkpoint Activity",
    "Child Latch Statistics",
    "Cluster Interconnect",
    "Database Instances Included In Report",
    "Database Summary",
    "Dictionary Cache Statistics",
    "Dictionary Cache Stats",
    "Dynamic Remastering Statistics",
    "Dynamic Remastering Stats",
    "Exadata Alerts Summary",
    "Exadata ASM",
    "Exadata Configuration and Statistics",
    "Exadata Flash Cache",
    "Exadata IO Reasons",
    "Exadata OS IO Statistics",
    "Exadata OS IO Statistics - Outlier Cells",
    "Exadata OS IO Statistics - Outlier Disks",
    "Exadata Outlier Summary",
    "Exadata Server Configuration",
    "Exadata Smart IO",
    "Exadata Smart Statistics",
    "Exadata Statistics",
    "Exadata Storage Information",
    "Exadata Top Consumers",
    "Global Cache and Enqueue Services - Messaging Statistics",
    "Global Cache and Enqueue Services - Workload Characteristics",
    "Global Cache Efficiency Percentages",
    "Global Cache Load Profile",
    "Global Cache Times",
    "Global Cache Transfer",
    "Global Cache Transfer Statistics",
    "Global Cache Transfer Stats",
    "Global Cache Transfer Times",
    "Global CR Served Stats",
    "Global CR Server Statistics",
    "Global CURRENT Served Stats",
    "Global Current Server Statistics",
    "Global Enqueue Statistics",
    "Global Messaging Statistics",
    "GoldenGate Apply Coordinator",
    "GoldenGate Apply Coordinator Rate",
    "GoldenGate Apply Reader",
    "GoldenGate Apply Reader and Server Rate",
    "GoldenGate Apply Server",
    "GoldenGate Capture",
    "GoldenGate Capture Rate",
    "Host Configuration Comparison",
    "In-Memory Segments by DB Block Changes",
    "In-Memory Segments by Populate CUs",
    "In-Memory Segments by Repopulate CUs",
    "In-Memory Segments by Scans",
    "Initialization Parameters",
    "Instance Activity Statistics",
    "Instance CPU",
    "Instance Recovery Stats",
    "Interconnect Device Statistics",
    "Interconnect Ping Latency Statistics",
    "Interconnect Stats",
    "Interconnect Throughput by Client",
    "IO Profile",
    "IO Stat by Function - detail",
    "IO Stats",
    "Java Pool Advisory",
    "Latch Miss Sources",
    "Latch Statistics",
    "Library Cache Activity",
    "Library Cache Statistics",
    "Main Report",
    "Memory Dynamic Components",
    "Memory Resize Operations Summary",
    "Memory Resize Ops",
    "Memory Target Advisory",
    "More RAC Statistics",
    "MTTR Advisory",
    "Mutex Sleep Summary",
    "Mutex Statistics",
    "Parent Latch Statistics",
    "Persistent Queue Rate",
    "Persistent Queue Subscribers",
    "Persistent Queues",
    "Persistent Queues Rate",
    "PGA Aggr Summary",
    "PGA Aggr Target Stats by Instance",
    "PGA Memory Advisory",
    "Process Memory Summary",
    "RAC Report Summary",
    "RAC Statistics",
    "Redo Generation Statistics",
    "Replication Large Transaction Statistics",
    "Replication Long Running Transaction Statistics",
    "Replication SGA Usage",
    "Replication Statistics (GoldenGate, XStream)",
    "Replication System Resource Usage",
    "Report Summary",
    "Resource Limit Statistics",
    "Resource Limit Stats",
    "Rule Set",
    "Segment Statistics",
    "Segments by Global Cache Remote Grants",
    "Service Statistics",
    "Service Wait Class Stats",
    "SGA breakdown difference",
    "SGA breakdown difference by Pool and Name",
    "SGA Memory Summary",
    "SGA Target Advisory",
    "Shared Pool Advisory",
    "Shared Server Statistics",
    "Shared Servers",
    "Shared Servers Activity",
    "Shared Servers Common Queue",
    "Shared Servers Dispatchers",
    "Shared Servers Rates",
    "Shared Servers Utilization",
    "SQL Statistics",
    "Streams Apply",
    "Streams Apply Rate",
    "Streams Capture",
    "Streams Capture Rate",
    "Streams CPU/IO Usage",
    "Streams Pool Advisory",
    "Streams Statistics",
    "System Statistics",
    "Table Statistics by Conflict Resolutions",
    "Table Statistics by DML Operations",
    "Top 10 Channel Waits",
    "Top ADDM Findings by Average Active Sessions",
    "Top Blocking Sessions",
    "Top DB Objects",
    "Top Event P1/P2/P3 Values",
    "Top Events",
    "Top PL/SQL Procedures",
    "Top Process Types by CPU Used",
    "Top Process Types by Wait Class",
    "Top Sessions",
    "Top SQL with Top Events",
    "Top SQL with Top Row Sources",
    "Undo Statistics",
    "Wait Events Statistics",
    "Wait Statistics",
    "XStream Apply",
    "XStream Capture",
];

/// True: a line of its own is a section's title.
pub(super) fn is_title(line: &str) -> bool {
    let prose = line.ends_with(['.', ';', ',', ':']) || line.contains(['"', '=', '\'', '\t']) || line.contains(". ");
    if prose || line.len() > LONGEST || !line.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return false;
    }
    read::has_place(line) || OTHERS.iter().any(|title| begins(line, title))
}

/// True: the line is the title, with or without a remark.
fn begins(line: &str, title: &str) -> bool {
    line.get(..title.len()).is_some_and(|start| start.eq_ignore_ascii_case(title)) && {
        let rest = &line[title.len()..];
        rest.is_empty() || rest.starts_with(" (") || rest.starts_with(" - ")
    }
}

#[cfg(test)]
mod tests {
    use super::is_title;

    #[test]
    fn titles_are_told_from_notes() {
        for title in [
            "Time Model Statistics",
            "Top 10 Foreground Events by Total Wait Time",
            "Instance Efficiency Percentages (Target 100%)",
            "Host CPU (CPUs: 8 Cores: 4 Sockets: 1)",
            "SGA Memory Summary",
            "Dictionary Cache Stats (RAC)",
            "top sessions",
        ] {
            assert!(is_title(title), "{title}");
        }
        for note in [
            "DB Time represents total time in user calls",
            "Ordered by Event (idle events last)",
            "Wait Class info for services in the Service Statistics section.",
            "Wait class \"Concurrency\" was not consuming significant time",
            "Top Events by DB Time",
            "s - second, ms - millisecond, us - microsecond, ns - nanosecond",
            "%Total - Buffer Gets as a percentage of Total Buffer Gets",
            "Total Disk Reads: 382,323",
            "Top SQL statements by DB Time along with the top events by DB Time for those SQLs.",
        ] {
            assert!(!is_title(note), "{note}");
        }
    }
}
