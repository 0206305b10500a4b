//! Sessions that insert stand in each other's way at the lists of free blocks.
//!
//! Asks for proof: waits on the class of the lists themselves, or on data blocks together with an INSERT that several sessions run at once. Waits on data
//! blocks alone are as well of an UPDATE of the same rows.

use report::model::SegmentOrder;

use super::verdict::{Build, Case, Verdict, finding, listed, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{number, percent, seconds};
use crate::sums::buffer_busy::Kind;
use crate::sums::segments;
use crate::sums::statements;

pub(super) const ID: &str = "freelist-contention";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let busy = &case.sums.busy;
    if let Err(verdict) = case.weigh("buffer busy waits", busy.seconds) {
        return verdict;
    }
    if !busy.by_class {
        return Verdict::CannotTell(
            "buffer waits by class (Buffer Wait Statistics): of what blocks sessions waited for is not known"
                .to_owned(),
        );
    }
    let (lists, data) = (busy.seconds_of(Kind::FreeList).unwrap_or(0.0), busy.seconds_of(Kind::Data).unwrap_or(0.0));
    let (bitmaps, total) = (busy.seconds_of(Kind::Bitmap).unwrap_or(0.0), busy.seconds.unwrap_or(0.0));
    if bitmaps > 0.0 && bitmaps >= lists {
        return Verdict::RuledOut(format!(
            "bitmap blocks are waited for: space is managed automatically; {}",
            busy.described()
        ));
    }
    let insert = concurrent_insert(case);
    // Blocks of an index are no blocks that a free list hands out: right-hand-index has these.
    let data = data * (1.0 - segments::busy_index(case.report).map_or(0.0, |index| index.share));
    let by_lists = case.sums.db_time.share(lists).filter(|share| *share >= super::verdict::NOTABLE);
    let by_data = insert
        .as_ref()
        .and_then(|_| case.sums.db_time.share(lists + data))
        .filter(|share| *share >= super::verdict::NOTABLE);
    let (share, waited, confidence) = match (by_lists, by_data) {
        (Some(_), Some(share)) => (share, lists + data, Confidence::High),
        (Some(share), None) => (share, lists, Confidence::Medium),
        (None, Some(share)) => (share, lists + data, Confidence::Low),
        (None, None) => {
            let most = [Kind::FreeList, Kind::Data].map(|kind| busy.range_of(kind).map_or(0.0, |(_, most)| most));
            let most = most[0] + if insert.is_some() { most[1] } else { 0.0 };
            if case.sums.db_time.share(most).is_some_and(|share| share >= super::verdict::NOTABLE)
                && let Some(doubt) = busy.background_doubt()
            {
                return Verdict::CannotTell(format!("{} at most, but {doubt}", seconds(most)));
            }
            return Verdict::RuledOut(format!(
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
        finding(ID, title, case.unless_starved(confidence)).weight(share, waited),
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
        .shown_by(experiment::FREELISTS)
        .found()
}

/// Foreground seconds on data blocks that this finding has claimed: hot-segment does not claim them again.
pub(super) fn claimed_data_s(case: &Case<'_>) -> f64 {
    match judge(case) {
        Verdict::Found(found) => {
            let lists = case.sums.busy.seconds_of(Kind::FreeList).unwrap_or_default();
            found.seconds.map_or(0.0, |claimed| (claimed - lists).max(0.0))
        }
        Verdict::RuledOut(_) | Verdict::CannotTell(_) => 0.0,
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
