//! The events that are reads.

pub(crate) fn is_single(event: &str) -> bool {
    matches!(event, "db file sequential read" | "cell single block physical read")
}

pub(crate) fn is_multiblock(event: &str) -> bool {
    matches!(event, "db file scattered read")
}

pub(crate) fn is_read(event: &str) -> bool {
    is_single(event)
        || is_multiblock(event)
        || matches!(
            event,
            "db file parallel read"
                | "direct path read"
                | "direct path read (lob)"
                | "read by other session"
                | "cell multiblock physical read"
                | "cell list of blocks physical read"
                | "cell smart table scan"
                | "cell smart index scan"
        )
}
