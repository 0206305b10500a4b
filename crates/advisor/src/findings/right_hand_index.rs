//! All inserts go to the last leaf block of an index: sessions wait for its split and for the block.

use crate::analysis::Finding;
use crate::judge::prelude::*;
use crate::sums::buffer_busy::SpacePart;
use crate::sums::counted;
use crate::sums::segments::{self, MOST};
use crate::traces::buffers::{Classes, inserted, of_index, places, waited};

/// Of all leaf splits at the right-hand end: fewer, and the inserts are spread.
const FEW_SPLITS: f64 = 0.2;

pub(super) const ABOUT: About = About {
    id: "right-hand-index",
    place: Place { report: 180, trace: 70 },
    title: "All inserts go to the last leaf block of an index",
    looks_at: "`enq: TX - index contention`; the segment with most buffer busy waits, if it is an index; `leaf node \
        90-10 splits` against `leaf node splits`.",
    formula: "severity = (enq: TX - index contention + buffer busy on data blocks x the index's share of the waits) / \
        DB time",
    limits: limits![Share(MOST), Share(FEW_SPLITS)],
    thresholds: &[
        OF_DB_TIME,
        "{MOST} of the captured buffer busy waits (as printed, `MOST`) are one index's: our own choice.",
        "Fewer than {FEW_SPLITS} of the splits (`FEW_SPLITS`) at the right-hand end: a doubt is stated.",
    ],
    refuted_by: &["Leaf splits spread over the index: it is hot for another reason."],
    what_to_do: "A reverse key, hash partitions of the index, sequence values with a part for instance or session; a \
        larger cache of the sequence on a cluster.",
    experiment: experiment::FREELISTS,
    in_report,
    in_trace: InTrace::Judge {
        page: "Waits for index blocks that others were splitting, and for data blocks that an INSERT wanted of an \
            object that a plan of the trace names as an index. Both together are one finding.",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let foreground = &case.sums.foreground;
    let (split_s, _) =
        foreground.together(&["enq: TX - index contention", "gc buffer busy release - index", "enq: IS "]);
    // Before 10g the wait is one of all TX enqueues; buffers of an index say it then.
    let index = segments::busy_index(case.report);
    let busy_s = match &index {
        Some(index) => {
            case.sums.busy.seconds_of(SpacePart::Data).or(case.sums.busy.seconds).unwrap_or(0.0) * index.share
        }
        None => 0.0,
    };
    let waited = split_s + busy_s;
    let share = case.weigh("enq: TX - index contention and busy blocks of an index", foreground.measured(waited))?;
    let waits: Vec<_> =
        foreground.beginning(&["enq: TX - index contention", "buffer busy waits", "gc buffer busy"]).cloned().collect();
    let splits = counted(case.report, "leaf node 90-10 splits").zip(counted(case.report, "leaf node splits"));
    let confidence = if split_s > 0.5 * waited { Confidence::High } else { Confidence::Medium };
    let title =
        format!("Sessions wait {} for the blocks of a growing index ({} of DB time)", seconds(waited), percent(share));
    let mut found = listed(
        finding(&ABOUT, title, case.unless_starved(confidence)).weight(share, waited),
        foreground.section,
        &waits,
    )
    .evidence_if(
        section::SEGMENTS,
        index.as_ref().map(|index| {
            format!("{}: {} of the buffer busy waits captured by segment", index.name, percent(index.share))
        }),
    );
    if let Some((right, all)) = splits {
        found = found.evidence(
            section::ACTIVITY,
            format!("{} of {} leaf splits are at the right-hand end", number(right), number(all)),
        );
        if all > 0.0 && right < FEW_SPLITS * all {
            found = found.doubt("few of the splits are at the right-hand end: the inserts are spread, and the index is hot for another reason");
        }
    } else {
        found = found.doubt("leaf splits are not in the report: that the hot end is the right-hand one is not shown");
    }
    found
        .doubt_if(case.starved_doubt())
        .advise("keys that do not all grow at the same end: a reverse key, hash partitions of the index, a sequence with a part for the instance or session")
        .advise("a larger cache of the sequence on a cluster")
        .found()
}

const WAITS: Waits = Waits {
    what: "for an index block that another session was splitting",
    events: |event| event == "enq: TX - index contention",
    old_lock: None,
    confidence: Confidence::Medium,
    doubts: &[
        "any index that grows splits; that it is the right-hand end shows only where the waits are on the newest leaf",
    ],
    advice: &["a key that does not rise: a hash-partitioned or reverse-key index, a larger sequence cache"],
};

fn in_trace(view: &View<'_>) -> Verdict {
    let splits = WAITS.judged(&ABOUT, view);
    match (splits, busy_leaves(view)) {
        (Ok(splits), Some(busy)) => joined(splits, busy).found(),
        (Err(_), Some(busy)) => busy.found(),
        (splits, None) => splits,
    }
}

/// Buffers of an index that inserts waited for.
fn busy_leaves(view: &View<'_>) -> Option<Finding> {
    waited(view).ok()?;
    let classes = Classes::of(view).filter(|classes| view.matters(classes.index_s))?;
    let title =
        format!("Waited {} for index blocks that other sessions were inserting into", view.of_elapsed(classes.index_s));
    let mut found = view.finding(&ABOUT, classes.index_s, title, Confidence::Medium);
    let index = of_index(classes.profile);
    places(view, classes.profile, &|site| inserted(view, site) && index(site), &mut found);
    Some(
        found
            .doubt("that it is the index's right-hand end follows only if the key rises: a date, a sequence")
            .advise("a hash-partitioned or reverse-key index, or a larger sequence cache"),
    )
}

/// One finding of two, which are of different waits.
fn joined(mut one: Finding, other: Finding) -> Finding {
    one.severity = one.severity.zip(other.severity).map(|(one, other)| (one + other).min(1.0));
    one.seconds = one.seconds.zip(other.seconds).map(|(one, other)| one + other);
    one.title = format!("{}; {}", one.title, other.title);
    one.confidence = one.confidence.max(other.confidence);
    one.evidence.extend(other.evidence);
    one.doubts.extend(other.doubts);
    one.advice.extend(other.advice);
    one
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().waiting("enq: TX - index contention", 9_000.0, 900.0)
}
