//! One file answers much more slowly than others that do the same kind of work.

use report::profile::Waits;

use crate::judge::prelude::*;
use crate::sums::files::{self, ALIKE, FILES, READS};
use crate::traces::reads::is_single;

use super::slow_reads::ENOUGH;

/// Times slower than the others.
const TIMES: f64 = 3.0;
/// And slower than this: three times as slow as memory is no disk.
const SLOW_MS: f64 = 2.0;

pub(super) const ABOUT: About = About {
    id: "file-skew",
    place: Place { report: 250, trace: 200 },
    title: "One file answers much more slowly than others that do the same work",
    looks_at: "Reads and average read time by file.",
    formula: "\
        others   = read-weighted average of the other files with reads of a similar size (within {ALIKE} times)\n\
        excess   = reads x (the file's average - others), never above the foreground's read waits\n\
        severity = excess / DB time",
    limits: limits![Count(TIMES), Ms(SLOW_MS), Whole(FILES), Count(READS), Count(ALIKE), Count(ENOUGH)],
    thresholds: &[
        OF_DB_TIME,
        "{TIMES} times the others (`TIMES`) and at least {SLOW_MS} (`SLOW_MS`); at least {FILES} files of {READS} \
            reads: our own choice.",
    ],
    refuted_by: &[
        "Reads of background processes are in a file's figures. Files that are read in pieces of another size are not \
            compared.",
    ],
    what_to_do: "See what else its disks carry; spread its extents or move it.",
    experiment: experiment::AU_SIZE,
    in_report,
    in_trace: InTrace::Judge {
        page: "Single-block reads by file: at least two files of {ENOUGH} reads, by the same times and milliseconds. \
            TKPROF does not print files.",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    if case.report.files.is_none() {
        return cannot_tell("reads by file (File IO Stats)");
    }
    let total = case.sums.db_time.total_s.or_missing("DB time")?;
    let Some(skew) = files::skew(case.report) else {
        return ruled_out("fewer than three files are read enough to be compared");
    };
    let figure = format!(
        "{}: {} reads of {}, the others' {}",
        skew.file,
        number(skew.reads),
        milliseconds(skew.read_ms),
        milliseconds(skew.others_ms)
    );
    case.not_idle(&figure)?;
    if skew.read_ms < TIMES * skew.others_ms || skew.read_ms < SLOW_MS {
        return ruled_out(figure);
    }
    // Files are read by background processes too: never more than the foreground waited for reads.
    let excess = case.sums.reads.seconds.map_or(skew.excess_s, |reads| skew.excess_s.min(reads));
    let Some(share) = case.sums.db_time.share(excess) else {
        return cannot_tell(format!("figures that agree: {} for one file is more than DB time", seconds(excess)));
    };
    if share < NOTABLE {
        return ruled_out(format!(
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
    finding(&ABOUT, title, Confidence::Medium)
        .weight(share, excess)
        .evidence(section::FILES, figure)
        .doubt("reads of background processes are in the file's figures, and how many is not known")
        .advise("see what disks the file lies on and what else they carry; spread its extents or move it")
        .found()
}

fn in_trace(view: &View<'_>) -> Verdict {
    view.need_waits()?;
    let profile = view.profile.or_missing("reads by file: TKPROF does not print them")?;
    let name = |event: usize| profile.events.get(event).map_or("", |event| &event.name);
    let files = profile.by(|site| site.file.is_some() && is_single(name(site.event)), |site| site.file);
    let read: Vec<(u32, Waits)> = files.into_iter().filter_map(|(file, waits, _)| Some((file?, waits))).collect();
    let average = |waits: &Waits| waits.total_ns as f64 / waits.count.max(1) as f64;
    let enough = |waits: &Waits| waits.count as f64 >= ENOUGH;
    if read.iter().filter(|(_, waits)| enough(waits)).count() < 2 {
        return ruled_out(format!("fewer than two files have {} single-block reads to compare", number(ENOUGH)));
    }
    let all = read
        .iter()
        .fold((0.0, 0.0), |(count, total), (_, waits)| (count + waits.count as f64, total + waits.total_ns as f64));
    // The time of the file's reads beyond the average of all other files.
    let excess = |waits: &Waits| {
        let others = (all.1 - waits.total_ns as f64) / (all.0 - waits.count as f64).max(1.0);
        (average(waits) >= TIMES * others && average(waits) >= SLOW_MS * 1e6)
            .then(|| (waits.total_ns as f64 - others * waits.count as f64) / 1e9)
    };
    let worst = read
        .iter()
        .filter(|(_, waits)| enough(waits))
        .filter_map(|(file, waits)| Some((*file, *waits, excess(waits)?)))
        .max_by(|a, b| a.2.total_cmp(&b.2));
    let Some((file, waits, excess_s)) = worst.filter(|(_, _, excess)| view.matters(*excess)) else {
        return ruled_out(format!("no file's reads take {TIMES} times those of the others and matter"));
    };
    let title = format!(
        "Waited {} more than at the speed of the other files: {} reads of file {file} took {} each",
        view.of_elapsed(excess_s),
        waits.count,
        milliseconds(average(&waits) / 1e6)
    );
    let mut found = view.finding(&ABOUT, excess_s, title, Confidence::Medium);
    for (file, waits) in read.iter().take(5) {
        let each = milliseconds(average(waits) / 1e6);
        found = found.evidence("Waits by file", format!("file {file}: {} single-block reads of {each}", waits.count));
    }
    found
        .doubt("other files may be read from a cache of the storage or the host, this one not")
        .advise("see on which device the file lies and what else is on it")
        .found()
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, file, plain};

    plain().waiting("db file sequential read", 800_000.0, 1_400.0).with(|report| {
        report.files =
            Some(vec![file("a.dbf", 100_000.0, 9.0), file("b.dbf", 300_000.0, 0.5), file("c.dbf", 400_000.0, 0.5)]);
    })
}
