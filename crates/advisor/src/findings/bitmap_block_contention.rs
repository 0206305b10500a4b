//! Sessions that insert stand in each other's way at the bitmap blocks of automatic space management.

use super::verdict::{Build, Case, Verdict, finding, listed, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{percent, seconds};
use crate::sums::buffer_busy::Kind;

pub(super) const ID: &str = "bitmap-block-contention";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let (busy, foreground) = (&case.sums.busy, &case.sums.foreground);
    let (format_s, _) = foreground.together(&["enq: FB - contention"]);
    let all = busy.seconds.map(|time| time + format_s);
    if let Err(verdict) = case.weigh("buffer busy waits and enq: FB - contention", all) {
        return verdict;
    }
    if !busy.by_class && format_s == 0.0 {
        return Verdict::CannotTell("buffer waits by class (Buffer Wait Statistics)".to_owned());
    }
    let waited = busy.seconds_of(Kind::Bitmap).unwrap_or(0.0) + format_s;
    let share = match case.weigh("waits for bitmap blocks", Some(waited)) {
        Ok(share) => share,
        Err(verdict) => {
            let most = busy.range_of(Kind::Bitmap).map_or(0.0, |(_, most)| most) + format_s;
            return match (case.weigh("waits for bitmap blocks, at most", Some(most)), busy.background_doubt()) {
                (Ok(_), Some(doubt)) => Verdict::CannotTell(format!("{} at most, but {doubt}", seconds(most))),
                _ => verdict,
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
    listed(finding(ID, title, case.unless_starved(Confidence::Medium)).weight(share, waited), foreground.section, &waits)
        .evidence(section::BUFFER_WAITS, busy.described())
        .doubt("the class table is of all segments together: whose bitmaps they are is in the segment lists at best")
        .doubt_if(case.starved_doubt())
        .advise("partition the table by what the sessions differ in, so that each has a first-level bitmap block of its own to look in")
        .advise("larger extents: a first-level bitmap block then maps fewer sessions' blocks at a time; look for mass deletes that leave bitmaps to be searched in vain")
        .shown_by(experiment::FREELISTS)
        .found()
}
