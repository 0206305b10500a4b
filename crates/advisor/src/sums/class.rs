//! The wait class of an event, for reports that print none beside it.

/// Beginnings of event names and their class; the first that fits counts, so that special ones stand before general ones.
const CLASSES: &[(&str, &str)] = &[
    ("db file parallel write", "System I/O"),
    ("db file async I/O submit", "System I/O"),
    ("db file single write", "User I/O"),
    ("db file ", "User I/O"),
    ("direct path ", "User I/O"),
    ("read by other session", "User I/O"),
    ("local write wait", "User I/O"),
    ("BFILE ", "User I/O"),
    ("cell single block", "User I/O"),
    ("cell multiblock", "User I/O"),
    ("cell list of blocks", "User I/O"),
    ("cell smart table", "User I/O"),
    ("cell smart index", "User I/O"),
    ("cell statistics gather", "User I/O"),
    ("cell ", "System I/O"),
    ("Disk file ", "User I/O"),
    ("Datapump dump file I/O", "User I/O"),
    ("dbms_file_transfer", "User I/O"),
    ("ASM IO for non-blocking poll", "User I/O"),
    ("ASM Fixed Package I/O", "User I/O"),
    ("utl_file I/O", "User I/O"),
    ("securefile direct-", "User I/O"),
    ("Parameter File I/O", "User I/O"),
    ("log file sync", "Commit"),
    ("log file switch", "Configuration"),
    ("log buffer space", "Configuration"),
    ("free buffer waits", "Configuration"),
    ("write complete waits", "Configuration"),
    ("undo segment", "Configuration"),
    ("enq: HW ", "Configuration"),
    ("enq: TX - allocate ITL", "Configuration"),
    ("enq: SQ ", "Configuration"),
    ("enq: SS ", "Configuration"),
    ("enq: ST ", "Configuration"),
    ("log file ", "System I/O"),
    ("control file ", "System I/O"),
    ("Log archive I/O", "System I/O"),
    ("RMAN backup", "System I/O"),
    ("io done", "System I/O"),
    ("recovery area", "System I/O"),
    ("enq: TX - index contention", "Concurrency"),
    ("enq: TX ", "Application"),
    ("enq: TM ", "Application"),
    ("enq: UL ", "Application"),
    ("enq: KO ", "Application"),
    ("enq: RO ", "Application"),
    ("enq: RC ", "Application"),
    ("SQL*Net break/reset", "Application"),
    ("Wait for Table Lock", "Application"),
    ("enq: ", "Other"),
    ("buffer busy", "Concurrency"),
    ("buffer deadlock", "Other"),
    ("latch: cache buffers chains", "Concurrency"),
    ("latch: In memory undo", "Concurrency"),
    ("latch: library cache", "Concurrency"),
    ("latch: row cache", "Concurrency"),
    ("latch: shared pool", "Concurrency"),
    ("latch: Undo Hint", "Concurrency"),
    ("latch: redo allocation", "Other"),
    ("latch: redo ", "Configuration"),
    ("latch", "Other"),
    ("library cache", "Concurrency"),
    ("row cache", "Concurrency"),
    ("cursor: ", "Concurrency"),
    ("os thread startup", "Concurrency"),
    ("logout restrictor", "Concurrency"),
    ("pipe put", "Concurrency"),
    ("resmgr:internal", "Concurrency"),
    ("resmgr:cpu quantum", "Scheduler"),
    ("resmgr:", "Scheduler"),
    ("SQL*Net ", "Network"),
    ("ARCH wait", "Network"),
    ("LNS wait", "Network"),
    ("LGWR-LNS", "Network"),
    ("TCP Socket", "Network"),
    ("gc ", "Cluster"),
    ("switch logfile command", "Administrative"),
    ("JS kgl get object wait", "Administrative"),
    ("Backup: ", "Administrative"),
];

/// The class of an event by its name; "Other" when the name is not known.
pub(crate) fn class_of(name: &str) -> &'static str {
    CLASSES.iter().find(|(beginning, _)| name.starts_with(beginning)).map_or("Other", |(_, class)| class)
}

/// The class as printed, in one spelling: AWR cuts "Configuration" to "Configurat".
pub(crate) fn full(printed: &str) -> Option<&'static str> {
    const ALL: &[&str] = &[
        "Administrative",
        "Application",
        "Cluster",
        "Commit",
        "Concurrency",
        "Configuration",
        "Idle",
        "Network",
        "Other",
        "Queueing",
        "Scheduler",
        "System I/O",
        "User I/O",
    ];
    let printed = printed.trim();
    // "Concurcy" stands in the service tables; nothing else is shortened from within.
    let printed = if printed.starts_with("Concur") { "Concurrency" } else { printed };
    if printed.len() < 4 {
        return None;
    }
    ALL.iter().find(|class| class.starts_with(printed)).copied()
}
