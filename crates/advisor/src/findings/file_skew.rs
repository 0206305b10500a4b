//! One file answers much more slowly than others that do the same kind of work.

use super::verdict::{Build, Case, NOTABLE, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{milliseconds, number, percent, seconds};
use crate::sums::files;

pub(super) const ID: &str = "file-skew";

/// Times slower than the others.
const TIMES: f64 = 3.0;
/// And slower than this: three times as slow as memory is no disk.
const SLOW_MS: f64 = 2.0;

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    if case.report.files.is_none() {
        return Verdict::CannotTell("reads by file (File IO Stats)".to_owned());
    }
    let Some(total) = case.sums.db_time.total_s else {
        return Verdict::CannotTell("DB time".to_owned());
    };
    let Some(skew) = files::skew(case.report) else {
        return Verdict::RuledOut("fewer than three files are read enough to be compared".to_owned());
    };
    let figure = format!(
        "{}: {} reads of {}, the others' {}",
        skew.file,
        number(skew.reads),
        milliseconds(skew.read_ms),
        milliseconds(skew.others_ms)
    );
    if let Some(idle) = case.idle() {
        return Verdict::RuledOut(format!("{figure}; {idle}"));
    }
    if skew.read_ms < TIMES * skew.others_ms || skew.read_ms < SLOW_MS {
        return Verdict::RuledOut(figure);
    }
    // Files are read by background processes too: never more than the foreground waited for reads.
    let excess = case.sums.reads.seconds.map_or(skew.excess_s, |reads| skew.excess_s.min(reads));
    let Some(share) = case.sums.db_time.share(excess) else {
        return Verdict::CannotTell(format!(
            "figures that agree: {} for one file is more than DB time",
            seconds(excess)
        ));
    };
    if share < NOTABLE {
        return Verdict::RuledOut(format!(
            "{figure}: {} of {} DB time more than at the others' speed",
            seconds(excess),
            seconds(total)
        ));
    }
    let title = format!(
        "{} answers {} times more slowly than the other files: {} ({} of DB time)",
        skew.file,
        number(skew.read_ms / skew.others_ms),
        seconds(excess),
        percent(share)
    );
    finding(ID, title, Confidence::Medium)
        .weight(share, excess)
        .evidence(section::FILES, figure)
        .doubt("reads of background processes are in the file's figures, and how many is not known")
        .advise("see what disks the file lies on and what else they carry; spread its extents or move it")
        .shown_by(experiment::AU_SIZE)
        .found()
}
