//! Events that nobody suffers from: a process that has nothing to do waits in them.
//!
//! The list is our own, because reports differ in theirs: Statspack's top five of a 12.1 instance is led by an idle group of redo writers, and a 19c
//! report counts `PX Deq: reap credit` of one background process as thousands of active sessions.
//!
//! `SQL*Net message from client` is idle here although it may hold the application's own thinking time: DB time does not contain it.

use report::model::Event;

/// Idle events by full name.
const NAMES: &[&str] = &[
    "AQPC idle",
    "AQ: 12c message cache init wait",
    "ASM background timer",
    "ASM cluster membership changes",
    "ASM mount: wait for heartbeat",
    "BRDG: idle wait",
    "DBRM Logical Idle Wait",
    "DIAG idle wait",
    "Data Guard: Gap Manager",
    "Data Guard: Timer",
    "Data Guard: controlfile update",
    "Emon coordinator main loop",
    "Emon slave main loop",
    "FBDA timer",
    "GCR sleep",
    "Global Transaction Manager: wait for work",
    "HS message to agent",
    "IORM Scheduler Slave Idle Wait",
    "JOX Jit Process Sleep",
    "JS external job",
    "KSV master wait",
    "LGWR real time apply sync",
    "LGWR worker group idle",
    "LMS CR slave timer",
    "LNS ASYNC archive log",
    "LNS ASYNC dest activation",
    "LNS ASYNC end of log",
    "LTTNG: idle wait",
    "LogMiner builder: idle",
    "LogMiner client: transaction",
    "LogMiner preparer: idle",
    "LogMiner reader: log (idle)",
    "LogMiner: activate",
    "LogMiner: find session",
    "LogMiner: internal",
    "LogMiner: reset",
    "MRP redo arrival",
    "Null event",
    "OFS idle",
    "PING",
    "PL/SQL lock timer",
    "PX Deq Credit: need buffer",
    "PX Deq Credit: send blkd",
    "PX Deq: Execute Reply",
    "PX Deq: Execution Msg",
    "PX Deq: Index Merge Close",
    "PX Deq: Index Merge Execute",
    "PX Deq: Index Merge Reply",
    "PX Deq: Join ACK",
    "PX Deq: Metadata Update",
    "PX Deq: Msg Fragment",
    "PX Deq: Parse Reply",
    "PX Deq: Par Recov Change Vector",
    "PX Deq: Par Recov Execute",
    "PX Deq: Par Recov Reply",
    "PX Deq: Table Q Normal",
    "PX Deq: Table Q Sample",
    "PX Deq: Txn Recovery Start",
    "PX Deq: Txn Recovery Reply",
    "PX Deq: kdcph_mai",
    "PX Deq: kdcphc_ack",
    "PX Deq: reap credit",
    "PX Deque wait",
    "PX Idle Wait",
    "PX Nsq: PQ descriptor query",
    "PX Nsq: PQ load info query",
    "REPL Apply: txns",
    "REPL Capture/Apply: RAC AQ qmn coordinator",
    "REPL Capture/Apply: messages",
    "REPL Capture: archive log",
    "RMA: IPC0 completion sync",
    "Recovery Server waiting for work",
    "Replication Dequeue",
    "SCM slave idle",
    "SGA: MMAN sleep for component shrink",
    "SQL*Net message from client",
    "SQL*Net message from dblink idle",
    "Space Manager: slave idle wait",
    "Streams AQ: RAC qmn coordinator idle wait",
    "Streams AQ: deallocate messages from Streams Pool",
    "Streams AQ: delete acknowledged messages",
    "Streams AQ: emn coordinator idle wait",
    "Streams AQ: load balancer idle",
    "Streams AQ: qmn coordinator idle wait",
    "Streams AQ: qmn slave idle wait",
    "Streams AQ: waiting for messages in the queue",
    "Streams AQ: waiting for time management or cleanup tasks",
    "Streams apply: waiting for dependency",
    "Streams capture: waiting for archive log",
    "Streams fetch slave: waiting for txns",
    "VKRM Idle",
    "VKTM Init Wait for GSGA",
    "VKTM Logical Idle Wait",
    "WCR: replay clock",
    "auto-sqltune: wait graph update",
    "class slave wait",
    "client message",
    "cmon timer",
    "dispatcher listen timer",
    "dispatcher timer",
    "fbar timer",
    "gcs for action",
    "gcs log flush sync",
    "gcs remote message",
    "gcs yield cpu",
    "ges remote message",
    "heartbeat monitor sleep",
    "heartbeat redo informer",
    "i/o slave wait",
    "job queue coordinator slave wait",
    "job scheduler coordinator slave wait",
    "jobq slave TJ process wait",
    "jobq slave shutdown wait",
    "jobq slave wait",
    "lock manager wait for remote message",
    "lreg timer",
    "master wait",
    "null event",
    "offload coordinator timer",
    "pipe get",
    "pman timer",
    "pmon timer",
    "process in prespawned state",
    "queue messages",
    "rdbms ipc message",
    "rdbms ipc reply idle",
    "recovery instance recovery completion",
    "shared server idle wait",
    "simulated log write delay",
    "single-task message",
    "slave wait",
    "smon timer",
    "virtual circuit next request",
    "virtual circuit status",
    "virtual circuit wait",
    "wait for activate message",
    "wait for transaction",
    "wait for unread message on broadcast channel",
    "wait for unread message on multiple broadcast channels",
    "wakeup event for builder",
    "wakeup event for preparer",
    "wakeup event for reader",
    "wakeup time manager",
    "watchdog main loop",
];

/// Beginnings that only idle events have.
const BEGINNINGS: &[&str] =
    &["Streams AQ: qmn", "LogMiner ", "LNS ASYNC", "EMON ", "Emon ", "VKTM ", "parallel recovery slave idle"];

/// True when the event measures a process without work. A name that was cut counts as every idle event it could be.
pub(crate) fn is_idle(event: &Event) -> bool {
    if event.class.as_deref().is_some_and(|class| class.eq_ignore_ascii_case("idle")) {
        return true;
    }
    let name = event.name.as_str();
    NAMES.contains(&name)
        || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
        || (name.len() >= 10 && event.cut && NAMES.iter().any(|idle| idle.starts_with(name)))
}

#[cfg(test)]
mod tests {
    use report::model::Event;

    use super::is_idle;

    fn event(name: &str, cut: bool) -> Event {
        Event { name: name.to_owned(), cut, ..Event::default() }
    }

    #[test]
    fn an_idle_group_of_redo_writers_is_idle() {
        assert!(is_idle(&event("LGWR worker group idle", false)));
        assert!(!is_idle(&event("LGWR any worker group", false)));
    }

    #[test]
    fn a_cut_name_is_known_by_its_beginning() {
        assert!(is_idle(&event("SQL*Net message from clien", true)));
        assert!(!is_idle(&event("SQL*Net message to client", false)));
        assert!(!is_idle(&event("log file switch (checkpoin", true)));
    }
}
