//! Sessions that insert stand in each other's way at the lists of free blocks.
//!
//! Asks for proof: waits on the class of the lists themselves, or on data blocks together with an INSERT that several
//! sessions run at once. Waits on data blocks alone are as well of an UPDATE of the same rows.

use report::model::SegmentOrder;
use report::profile::block_class;

use crate::judge::prelude::*;
use crate::sums::buffer_busy::SpacePart;
use crate::sums::segments;
use crate::sums::statements;
use crate::traces::buffers::{
    Classes, FREE_LIST, NO_CLASSES, SEGMENT_HEADER, inserted, is_buffer_busy, is_insert, places, waited,
};

pub(super) const ABOUT: About = About {
    id: "freelist-contention",
    place: Place { report: 160, trace: 130 },
    title: "Inserting sessions stand in each other's way at the lists of free blocks",
    looks_at: "`buffer busy waits` (on a cluster also `gc buffer busy …`); the table of buffer waits by class; \
        statements by elapsed time.",
    formula: "\
        data block' = data block of the class table - read by other session (waits and time), which the table holds \
        too\n\
        lists       = segment header + free list\n\
        seconds     = the event's time in proportion to the classes\n\
        severity    = seconds of lists (with data block' where an INSERT is named) / DB time\n\
        \n\
        Background processes that waited in the same event are told as in [undo-pressure](undo-pressure.md). More read \
        by other session than waits on data blocks: the table does not hold them all, and the note says so.",
    limits: &[],
    thresholds: &[
        OF_DB_TIME,
        "Proof is asked for: the segment header or free list class; or data blocks together with an INSERT that more \
            than one session is in at a time on average (elapsed time of the statement / length of the window).",
        "High confidence with both, medium with the class alone, low with data blocks and INSERT alone.",
    ],
    refuted_by: &[
        "Bitmap classes (`1st level bmb` …): space is managed automatically. See \
            [bitmap-block-contention](bitmap-block-contention.md).",
        "Data blocks and an UPDATE: sessions change the same rows or blocks. That is no freelist problem.",
        "An index that has most of the buffer busy waits: its part of the data blocks is \
            [right-hand-index](right-hand-index.md)'s.",
    ],
    what_to_do: "Automatic segment space management; or FREELISTS (FREELIST GROUPS on a cluster) as many as sessions \
        insert at once.",
    experiment: experiment::FREELISTS,
    in_report,
    in_trace: InTrace::Judge {
        page: "Waits for free lists, and for segment headers where no bitmap block is waited for. Data blocks that an \
            INSERT wanted count with low confidence, where the trace does not name their object as an index. Without \
            block classes (TKPROF, traces to 9i) only an UPDATE or another statement can rule it out.",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let busy = &case.sums.busy;
    case.weigh("buffer busy waits", busy.seconds)?;
    if !busy.by_class {
        return cannot_tell(
            "buffer waits by class (Buffer Wait Statistics): of what blocks sessions waited for is not known",
        );
    }
    let (lists, data) =
        (busy.seconds_of(SpacePart::FreeList).unwrap_or(0.0), busy.seconds_of(SpacePart::Data).unwrap_or(0.0));
    let (bitmaps, total) = (busy.seconds_of(SpacePart::Bitmap).unwrap_or(0.0), busy.seconds.unwrap_or(0.0));
    if bitmaps > 0.0 && bitmaps >= lists {
        return ruled_out(format!(
            "bitmap blocks are waited for: space is managed automatically; {}",
            busy.described()
        ));
    }
    let insert = concurrent_insert(case);
    // Blocks of an index are no blocks that a free list hands out: right-hand-index has these.
    let data = data * (1.0 - segments::busy_index(case.report).map_or(0.0, |index| index.share));
    let by_lists = case.sums.db_time.share(lists).filter(|share| *share >= NOTABLE);
    let by_data = insert.as_ref().and_then(|_| case.sums.db_time.share(lists + data)).filter(|share| *share >= NOTABLE);
    let (share, waited, confidence) = match (by_lists, by_data) {
        (Some(_), Some(share)) => (share, lists + data, Confidence::High),
        (Some(share), None) => (share, lists, Confidence::Medium),
        (None, Some(share)) => (share, lists + data, Confidence::Low),
        (None, None) => {
            let most =
                [SpacePart::FreeList, SpacePart::Data].map(|kind| busy.range_of(kind).map_or(0.0, |(_, most)| most));
            let most = most[0] + if insert.is_some() { most[1] } else { 0.0 };
            if case.sums.db_time.share(most).is_some_and(|share| share >= NOTABLE)
                && let Some(doubt) = busy.background_doubt()
            {
                return cannot_tell(format!("{} at most, but {doubt}", seconds(most)));
            }
            return ruled_out(format!(
                "no wait for free lists or segment headers, and no INSERT that several sessions run at once; {}",
                busy.described()
            ));
        }
    };
    let waits: Vec<_> = case.sums.foreground.beginning(&["buffer busy waits", "gc buffer busy"]).cloned().collect();
    let title = format!(
        "Inserting sessions wait {} for each other at free lists ({} of DB time)",
        seconds(waited),
        percent(share)
    );
    let mut found = listed(
        finding(&ABOUT, title, case.unless_starved(confidence)).weight(share, waited),
        case.sums.foreground.section,
        &waits,
    )
    .evidence(section::BUFFER_WAITS, busy.described())
    .evidence_if(
        section::SEGMENTS,
        segments::leader(case.report, SegmentOrder::BufferBusyWaits, None).map(|leader| {
            format!("{}: {} of the buffer busy waits captured by segment", leader.name, percent(leader.share))
        }),
    )
    .evidence_if(
        section::BUFFER_WAITS,
        (busy.read_by_other_s > 0.0)
            .then(|| format!("read by other session ({}) is taken out", seconds(busy.read_by_other_s))),
    );
    if let Some((id, sessions)) = insert {
        found = found
            .evidence(section::SQL, format!("INSERT {id}: {} sessions in it at a time on average", number(sessions)));
    } else {
        found = found.doubt("no INSERT stands at the top of the statements: other changes of the segment header (a scan that starts, an extent) are possible");
    }
    if lists < 0.5 * total {
        found = found.doubt("most of the waits are for data blocks: an index whose right-hand end is hot, or rows that all change, look the same");
    }
    found
        .doubt_if(case.report.identity.major_release().filter(|release| *release < 10).map(|_| {
            "before 10g the event counts waits for reads that others have begun, too, and they cannot be taken out".to_owned()
        }))
        .doubt_if(busy.background_doubt())
        .doubt_if(case.starved_doubt())
        .advise("automatic segment space management, or FREELISTS (and FREELIST GROUPS on a cluster) as many as sessions insert at once")
        .found()
}

/// Foreground seconds on data blocks that this finding has claimed: hot-segment does not claim them again.
pub(super) fn claimed_data_s(case: &Case<'_>) -> f64 {
    match in_report(case) {
        Ok(found) => {
            let lists = case.sums.busy.seconds_of(SpacePart::FreeList).unwrap_or_default();
            found.seconds.map_or(0.0, |claimed| (claimed - lists).max(0.0))
        }
        Err(_) => 0.0,
    }
}

/// The INSERT that most sessions are in at a time, if that is more than one on average: id and sessions.
pub(super) fn concurrent_insert(case: &Case<'_>) -> Option<(String, f64)> {
    let elapsed = case.sums.db_time.elapsed_s?;
    let statements = statements::by_elapsed(case.report)?;
    let insert = statements.iter().find(|statement| statement.verb() == "INSERT")?;
    let sessions = insert.elapsed_s / elapsed;
    // INSERT INTO … SELECT of one session is at most one at a time.
    (sessions > 1.0 && insert.executions.is_none_or(|count| count >= 2.0)).then(|| (insert.id.clone(), sessions))
}

fn in_trace(view: &View<'_>) -> Verdict {
    let (_, total) = waited(view)?;
    let Some(classes) = Classes::of(view) else { return without_classes(view, total) };
    let (profile, lists_s) = (classes.profile, classes.lists_s());
    let advice = "automatic segment space management; or more free lists and free list groups for the segment";
    if view.matters(lists_s) {
        let title = format!("Waited {} for blocks that hold free lists", view.of_elapsed(lists_s));
        let sure = classes.free_list_s * 2.0 >= lists_s;
        let confidence = if sure { Confidence::High } else { Confidence::Medium };
        let mut found = view.finding(&ABOUT, lists_s, title, confidence);
        places(view, profile, &|site| matches!(site.class, Some(SEGMENT_HEADER | FREE_LIST)), &mut found);
        if !sure {
            found = found.doubt("a segment header is also waited for while extents are allocated, and by scans that read its extent map");
        }
        return found.advise(advice).found();
    }
    let table_inserts_s = classes.insert_s - classes.index_s;
    if view.matters(table_inserts_s) && classes.bitmap_s <= 0.0 {
        let title = format!(
            "Waited {} for data blocks that other sessions were inserting into",
            view.of_elapsed(table_inserts_s)
        );
        let mut found = view.finding(&ABOUT, table_inserts_s, title, Confidence::Low);
        places(view, profile, &|site| inserted(view, site), &mut found);
        return found
            .doubt("the waits are on data blocks, as are those of an index: if the object is one, its right-hand end is what is contended, and free lists are not")
            .advise("look the object up by its number")
            .advise(advice)
            .found();
    }
    let busiest =
        profile.by(|site| is_buffer_busy(&profile.events[site.event].name), |site| (site.class, site.statement));
    ruled_out(match busiest.first() {
        Some(((class, statement), waits, _)) => format!(
            "most waits for a buffer were for a {} by {}: {} of {}; for free lists and segment headers {}",
            class.and_then(block_class).unwrap_or("blocks of no class"),
            statement.map_or_else(|| "no statement".to_owned(), |statement| view.statement(statement)),
            seconds(waits.total_ns as f64 / 1e9),
            seconds(total),
            seconds(lists_s),
        ),
        None => "no wait for a free list or a segment header".to_owned(),
    })
}

/// TKPROF's tables, and traces to 9i, have no block classes.
fn without_classes(view: &View<'_>, total: f64) -> Verdict {
    let statements = view.waiting_statements(&is_buffer_busy);
    let inserts: f64 = statements.iter().filter(|(index, _)| is_insert(view, *index)).map(|(_, waited)| waited).sum();
    if inserts * 2.0 >= total {
        return cannot_tell(NO_CLASSES);
    }
    ruled_out(match statements.first() {
        Some((index, waited)) => format!(
            "{} waited most for buffers ({}): it is no INSERT, and takes a block from a free list only where rows migrate or an index grows",
            view.statement(*index),
            seconds(*waited)
        ),
        None => "no INSERT waited for a buffer".to_owned(),
    })
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, busy, plain};

    plain().waiting("buffer busy waits", 90_000.0, 900.0).with(|report| {
        report.buffer_waits = Some(vec![busy("segment header", 80_000.0, 800.0), busy("data block", 10_000.0, 100.0)]);
    })
}
