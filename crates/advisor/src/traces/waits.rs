//! Events that are the finding by themselves: whoever waits for them waits for that.

use crate::analysis::{Confidence, Finding};

use super::view::View;
use super::{Verdict, evidence, finding, milliseconds, number, percent, seconds};

/// An id, and the events that it is about.
struct Rule {
    id: &'static str,
    /// What was waited for, as a title says it.
    what: &'static str,
    events: fn(&str) -> bool,
    confidence: Confidence,
    doubts: &'static [&'static str],
    advice: &'static [&'static str],
}

const RULES: [Rule; 10] = [
    Rule {
        id: "commit-wait",
        what: "for the redo of a commit to be on disk",
        events: |event| event == "log file sync",
        confidence: Confidence::High,
        doubts: &[
            "a wait for log file sync is made of the redo write, the wait for a write under way, and the log writer's and the session's turn on a CPU: \
             the trace does not tell which",
        ],
        advice: &[
            "commit less often where the work allows: once a unit of work, not once a row",
            "compare with log file parallel write in a Statspack or AWR report of the same time before anything is moved",
        ],
    },
    Rule {
        id: "log-switch",
        what: "for a switch of redo logs",
        events: |event| event.starts_with("log file switch") || event == "checkpoint completed",
        confidence: Confidence::High,
        doubts: &[],
        advice: &[
            "larger redo logs, or more groups, so that a checkpoint or an archive copy ends before a group comes round again",
        ],
    },
    Rule {
        id: "log-buffer",
        what: "for room in the log buffer",
        events: |event| event == "log buffer space",
        confidence: Confidence::High,
        doubts: &["a log writer that writes slowly fills any buffer"],
        advice: &["a larger log buffer; if the log writer is behind, what delays its writes comes first"],
    },
    Rule {
        id: "row-lock",
        what: "for rows or tables that another session had locked",
        events: |event| matches!(event, "enq: TX - row lock contention" | "enq: TM - contention"),
        confidence: Confidence::High,
        doubts: &[],
        advice: &[
            "find the session that held the lock, and what it did before it committed: the trace of the one that waited does not name it",
        ],
    },
    Rule {
        id: "itl-wait",
        what: "for a free entry in a block's transaction list",
        events: |event| event == "enq: TX - allocate ITL entry",
        confidence: Confidence::High,
        doubts: &[],
        advice: &[
            "a larger INITRANS, or a larger PCTFREE, for the segment, and rebuild it: existing blocks keep theirs",
        ],
    },
    Rule {
        id: "hw-enqueue",
        what: "to move a segment's high-water mark",
        events: |event| event == "enq: HW - contention",
        confidence: Confidence::High,
        doubts: &[],
        advice: &["larger or uniform extents, or extents allocated ahead of the load; partition the segment"],
    },
    Rule {
        id: "right-hand-index",
        what: "for an index block that another session was splitting",
        events: |event| event == "enq: TX - index contention",
        confidence: Confidence::Medium,
        doubts: &[
            "any index that grows splits; that it is the right-hand end shows only where the waits are on the newest leaf",
        ],
        advice: &["a key that does not rise: a hash-partitioned or reverse-key index, a larger sequence cache"],
    },
    Rule {
        id: "buffer-pool",
        what: "for a free buffer, or for one being written",
        events: |event| {
            matches!(event, "free buffer waits" | "write complete waits" | "latch: cache buffers lru chain")
        },
        confidence: Confidence::Medium,
        doubts: &["a writer that is too slow and a cache that is too small look the same from a session"],
        advice: &["faster writing of the datafiles or more writers; then a larger buffer cache"],
    },
    Rule {
        id: "library-cache",
        what: "for the library cache",
        events: |event| {
            event.starts_with("library cache")
                || event.starts_with("cursor: ")
                || event.starts_with("latch: library cache")
                || event.starts_with("row cache")
                || matches!(event, "latch: shared pool" | "latch: row cache objects")
        },
        confidence: Confidence::Medium,
        doubts: &[],
        advice: &[
            "bind variables instead of literals, and cursors kept open; no DDL or statistics gathering on what is in use",
        ],
    },
    Rule {
        id: "poor-offload",
        what: "for full scans that storage cells did not filter",
        events: |event| event == "cell multiblock physical read",
        confidence: Confidence::Low,
        doubts: &["what was eligible for offload, and what came back, is in a report, not in a trace"],
        advice: &[
            "see why the scan was not a direct path read: a small or cached segment, an update in progress, a clustered table",
        ],
    },
];

/// Locks to 9i were one event, told apart by the first parameter.
const OLD_LOCKS: [(&str, &str, u32); 3] = [("row-lock", "TX", 6), ("itl-wait", "TX", 4), ("hw-enqueue", "HW", 6)];

pub(super) fn judge(view: &View<'_>, out: &mut Vec<Verdict>) {
    for rule in &RULES {
        out.push(one(view, rule));
    }
    // How long the log writer waits for its device, and what it does beside that, is not in a session's trace.
    if view.event("log file parallel write").is_none() {
        let missing = match view.event("log file sync") {
            Some(sync) if sync.count > 0.0 => {
                "log file parallel write: the trace shows how long commits waited, not how long redo writes took"
            }
            _ => "log file parallel write: a session's trace does not have it",
        };
        out.extend(["redo-device-latency", "redo-writer-not-device"].map(|id| Verdict::CannotTell(id, missing.into())));
    } else {
        let missing = "redo writes and redo write time: a trace has no statistics";
        out.extend(["redo-device-latency", "redo-writer-not-device"].map(|id| Verdict::CannotTell(id, missing.into())));
    }
}

fn one(view: &View<'_>, rule: &Rule) -> Verdict {
    let old = OLD_LOCKS.iter().find(|(id, _, _)| *id == rule.id).map(|(_, lock, mode)| old_lock(view, lock, *mode));
    let (old_count, old_s) = old.unwrap_or_default();
    let (count, total) = view.waited(&rule.events);
    let (count, total) = (count + old_count, total + old_s);
    if !view.has_waits() {
        return Verdict::CannotTell(rule.id, "waits: the trace has none (level 8 writes them)".into());
    }
    if count == 0.0 {
        let commits = view.summary.transactions.commits as f64;
        // That many commits wait for none is what PL/SQL does, and worth a word.
        let beside = if rule.id == "commit-wait" && commits > 0.0 {
            format!(", at {} commits", number(commits))
        } else {
            String::new()
        };
        return Verdict::RuledOut(rule.id, format!("nothing waited {}{beside}", rule.what));
    }
    if !view.matters(total) {
        let reason = format!("{} waits {}: {}", number(count), rule.what, view.of_elapsed(total));
        return Verdict::RuledOut(rule.id, reason);
    }
    let title = format!(
        "Waited {} {}: {} waits of {}",
        view.of_elapsed(total),
        rule.what,
        number(count),
        milliseconds(total / count * 1e3)
    );
    let mut found = finding(view, rule.id, total, title, rule.confidence);
    describe(view, &rule.events, &mut found);
    if old_count > 0.0 {
        found
            .evidence
            .push(evidence(view.section, format!("enqueue: {} waits, {}", number(old_count), seconds(old_s))));
        found
            .doubts
            .push("to 9i all locks are one event; the lock and its mode are read from its first parameter".into());
    }
    locks(view, &rule.events, &mut found);
    found.doubts.extend(rule.doubts.iter().map(|doubt| (*doubt).to_owned()));
    found.advice.extend(rule.advice.iter().map(|advice| (*advice).to_owned()));
    Verdict::Found(Box::new(found))
}

/// Evidence of the events that `wanted` lets through: each by count and length, the statements that waited, the objects.
pub(super) fn describe(view: &View<'_>, wanted: &dyn Fn(&str) -> bool, found: &mut Finding) {
    for event in view.events.iter().filter(|event| wanted(&event.name)) {
        let average = event.average_ms().map_or_else(String::new, |average| format!(" of {}", milliseconds(average)));
        let text = format!(
            "{}: {} waits{average}, {} at most, {} together",
            event.name,
            number(event.count),
            milliseconds(event.max_s * 1e3),
            seconds(event.total_s)
        );
        found.evidence.push(evidence(view.section, text));
    }
    let whole: f64 = view.waited(wanted).1;
    for (index, waited) in view.waiting_statements(wanted).into_iter().take(3) {
        let share = if whole > 0.0 { waited / whole } else { 0.0 };
        let text = format!("{} waited {}, {} of it", view.statement(index), seconds(waited), percent(share));
        found.evidence.push(evidence("Statements", text));
    }
    let Some(profile) = view.profile else { return };
    let name = |event: usize| profile.events.get(event).map_or("", |event| &event.name);
    let objects =
        profile.by(|site| site.object.is_some_and(|object| object > 0) && wanted(name(site.event)), |site| site.object);
    for (object, waits, _) in objects.into_iter().take(2) {
        let total = waits.total_ns as f64 / 1e9;
        let share = if whole > 0.0 { total / whole } else { 0.0 };
        let text = format!(
            "{}: {} waits, {}, {} of it",
            view.object(object.unwrap_or_default()),
            number(waits.count as f64),
            seconds(total),
            percent(share)
        );
        found.evidence.push(evidence("Waits by object", text));
    }
}

/// Lock modes, which tell a row's lock from a unique key's.
fn locks(view: &View<'_>, wanted: &dyn Fn(&str) -> bool, found: &mut Finding) {
    let Some(profile) = view.profile else { return };
    for event in profile.events.iter().filter(|event| wanted(&event.name)) {
        for lock in &event.enqueues {
            let total = lock.waits.total_ns as f64 / 1e9;
            let text = format!(
                "{} in mode {}: {} waits, {}",
                lock.name,
                lock.mode,
                number(lock.waits.count as f64),
                seconds(total)
            );
            found.evidence.push(evidence("Waits by length", text));
            if found.id == "row-lock" && lock.name == "TX" && lock.mode == 4 {
                found.doubts.push(
                    "TX in mode 4 is no row: a key that another session has inserted and not committed, a bitmap index, or a foreign key without an index"
                        .into(),
                );
            }
        }
    }
}

/// Count and seconds of the event `enqueue` with this lock and mode.
fn old_lock(view: &View<'_>, lock: &str, mode: u32) -> (f64, f64) {
    let Some(profile) = view.profile else { return (0.0, 0.0) };
    let Some(event) = profile.event("enqueue") else { return (0.0, 0.0) };
    let waits = event.enqueues.iter().filter(|found| found.name == lock && found.mode == mode).map(|found| found.waits);
    waits.fold((0.0, 0.0), |(count, total), waits| (count + waits.count as f64, total + waits.total_ns as f64 / 1e9))
}
