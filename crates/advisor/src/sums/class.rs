//! The wait class of an event as reports print it.

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
    // "Concurcy" stands in the service tables; no other name is shortened from within.
    let printed = if printed.starts_with("Concur") { "Concurrency" } else { printed };
    if printed.len() < 4 {
        return None;
    }
    ALL.iter().find(|class| class.starts_with(printed)).copied()
}
