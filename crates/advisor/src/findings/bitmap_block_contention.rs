//! Sessions that insert stand in each other's way at the bitmap blocks of automatic space management.

use crate::judge::prelude::*;
use crate::sums::buffer_busy::SpacePart;
use crate::traces::buffers::{BITMAPS, Classes, NO_CLASSES, SEGMENT_HEADER, places, waited};

pub(super) const ABOUT: About = About {
    id: "bitmap-block-contention",
    place: Place { report: 170, trace: 140 },
    title: "Inserting sessions stand in each other's way at bitmap blocks",
    looks_at: "Buffer busy waits of the classes `1st level bmb`, `2nd level bmb`, `3rd level bmb`, bitmap blocks; \
        `enq: FB - contention` (formatting of blocks).",
    formula: "severity = (buffer busy seconds of bitmap classes + enq: FB - contention) / DB time",
    limits: &[],
    thresholds: &[OF_DB_TIME],
    refuted_by: &[
        "The class table is of all segments together, and of background processes too (see \
            [undo-pressure](undo-pressure.md)).",
        STARVED,
    ],
    what_to_do: "Partitions, so that sessions fill different segments; larger extents; a look at mass deletes, which \
        leave bitmaps that are searched in vain.",
    experiment: experiment::FREELISTS,
    in_report,
    in_trace: InTrace::Judge { page: "Waits for bitmap blocks, and for segment headers beside them.", judge: in_trace },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let (busy, foreground) = (&case.sums.busy, &case.sums.foreground);
    let (format_s, _) = foreground.together(&["enq: FB - contention"]);
    let all = busy.seconds.map(|time| time + format_s);
    case.weigh("buffer busy waits and enq: FB - contention", all)?;
    if !busy.by_class && format_s == 0.0 {
        return cannot_tell("buffer waits by class (Buffer Wait Statistics)");
    }
    let waited = busy.seconds_of(SpacePart::Bitmap).unwrap_or(0.0) + format_s;
    let share = match case.weigh("waits for bitmap blocks", Some(waited)) {
        Ok(share) => share,
        Err(verdict) => {
            let most = busy.range_of(SpacePart::Bitmap).map_or(0.0, |(_, most)| most) + format_s;
            return match (case.weigh("waits for bitmap blocks, at most", Some(most)), busy.background_doubt()) {
                (Ok(_), Some(doubt)) => cannot_tell(format!("{} at most, but {doubt}", seconds(most))),
                _ => Err(verdict),
            };
        }
    };
    let waits: Vec<_> =
        foreground.beginning(&["buffer busy waits", "gc buffer busy", "enq: FB - contention"]).cloned().collect();
    let title = format!(
        "Sessions wait {} for bitmap blocks of space management ({} of DB time)",
        seconds(waited),
        percent(share)
    );
    listed(finding(&ABOUT, title, case.unless_starved(Confidence::Medium)).weight(share, waited), foreground.section, &waits)
        .evidence(section::BUFFER_WAITS, busy.described())
        .doubt("the class table is of all segments together: whose bitmaps they are is in the segment lists at best")
        .doubt_if(case.starved_doubt())
        .advise("partition the table by what the sessions differ in, so that each has a first-level bitmap block of its own to look in")
        .advise("larger extents: a first-level bitmap block then maps fewer sessions' blocks at a time; look for mass deletes that leave bitmaps to be searched in vain")
        .found()
}

fn in_trace(view: &View<'_>) -> Verdict {
    waited(view)?;
    let Some(classes) = Classes::of(view) else { return cannot_tell(NO_CLASSES) };
    let bitmaps_s = classes.bitmaps_s();
    if !view.matters(bitmaps_s) {
        return ruled_out(format!("waits for bitmap blocks: {}", view.of_elapsed(bitmaps_s)));
    }
    let title =
        format!("Waited {} for the blocks in which the segment keeps its free space", view.of_elapsed(bitmaps_s));
    let mut found = view.finding(&ABOUT, bitmaps_s, title, Confidence::High);
    places(
        view,
        classes.profile,
        &|site| site.class.is_some_and(|class| BITMAPS.contains(&class) || class == SEGMENT_HEADER),
        &mut found,
    );
    found
        .advise("partition the segment, so that sessions work in different parts of it; larger extents have more bitmap blocks to share")
        .found()
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, busy, plain};

    plain().waiting("buffer busy waits", 90_000.0, 900.0).with(|report| {
        report.buffer_waits = Some(vec![busy("1st level bmb", 80_000.0, 800.0), busy("data block", 10_000.0, 100.0)]);
    })
}
