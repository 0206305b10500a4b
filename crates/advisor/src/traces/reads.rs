//! Reads: slow, many, smaller than they could be, uneven over files; and temp.

use report::profile::Waits;

use crate::analysis::{Confidence, Saving};

use crate::findings::Options;

use super::view::{EventView, View};
use super::waits::describe;
use super::{Verdict, evidence, finding, milliseconds, number, percent, seconds};

/// A single-block read takes a disk of spinning platters 5 to 10 ms with nobody else on it; beyond that there is a queue, or a fault.
const SLOW_MS: f64 = 10.0;

/// Reads of a file, or for an event, without which an average says nothing.
const ENOUGH_READS: f64 = 100.0;

/// A file is uneven when its reads take so many times those of the others.
const UNEVEN: f64 = 3.0;

/// Below it a file's reads are not slow, however fast the others': they come from a cache.
const UNEVEN_MS: f64 = 2.0;

/// Share of the time above which what is unaccounted for makes the upper bound of a saving unknown.
const UNKNOWN: f64 = 0.1;

fn is_single(event: &str) -> bool {
    matches!(event, "db file sequential read" | "cell single block physical read")
}

fn is_multiblock(event: &str) -> bool {
    matches!(event, "db file scattered read")
}

fn is_read(event: &str) -> bool {
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

fn is_temp(event: &str) -> bool {
    matches!(event, "direct path read temp" | "direct path write temp")
}

pub(super) fn judge(view: &View<'_>, out: &mut Vec<Verdict>) {
    if !view.has_waits() {
        let ids = ["slow-reads", "many-reads", "small-multiblock-reads", "file-skew", "temp-spill"];
        out.extend(ids.map(|id| Verdict::CannotTell(id, "waits: the trace has none (level 8 writes them)".into())));
        return;
    }
    // The more special one first, where both have the same seconds.
    out.push(multiblock(view));
    out.extend(speed(view));
    out.push(files(view));
    out.push(temp(view));
}

/// Slow reads and many reads: the same seconds are never told twice.
fn speed(view: &View<'_>) -> Vec<Verdict> {
    let (single, single_s) = view.waited(&is_single);
    let (all, all_s) = view.waited(&is_read);
    let average = (single > 0.0).then(|| single_s / single * 1e3);
    let slow = average.is_some_and(|average| average >= SLOW_MS) && single >= ENOUGH_READS;
    let average_text = average.map_or_else(
        || "no single-block read".into(),
        |average| format!("{} single-block reads of {}", number(single), milliseconds(average)),
    );
    let slow_verdict = if slow && view.matters(single_s) {
        let title = format!("Waited {} for slow reads: {average_text}", view.of_elapsed(single_s));
        let mut found = finding(view, "slow-reads", single_s, title, Confidence::High);
        describe(view, &is_single, &mut found);
        spread(view, &mut found.evidence);
        found.doubts.push(
            "the average of one session in one stretch of time: a report over the same time tells whether all suffer"
                .into(),
        );
        found.advice.push(
            "find what queues on the device: other load, a degraded array, a full cache of the array; then fewer reads"
                .into(),
        );
        Verdict::Found(Box::new(found))
    } else {
        Verdict::RuledOut("slow-reads", format!("{average_text}; slow is {SLOW_MS:.0} ms and more"))
    };
    let (rest, rest_s) = if slow { (all - single, all_s - single_s) } else { (all, all_s) };
    let many_verdict = if view.matters(rest_s) {
        let title = format!(
            "Waited {} for reads: {} of {}",
            view.of_elapsed(rest_s),
            number(rest),
            milliseconds(rest_s / rest.max(1.0) * 1e3)
        );
        let mut found = finding(view, "many-reads", rest_s, title, Confidence::Medium);
        let wanted = |event: &str| is_read(event) && !(slow && is_single(event));
        describe(view, &wanted, &mut found);
        found.doubts.push(
            "the reads are not slow, so that the statement's plan and the size of the cache decide, not the storage"
                .into(),
        );
        found.advice.push("look at the plan of the statement that reads most: an index that is missing, or one that should not be used".into());
        Verdict::Found(Box::new(found))
    } else {
        Verdict::RuledOut("many-reads", format!("{} reads: {}", number(all), view.of_elapsed(all_s)))
    };
    vec![slow_verdict, many_verdict]
}

/// How the single-block reads are spread: a mean of 12 ms may be 2 ms and a second.
fn spread(view: &View<'_>, into: &mut Vec<crate::analysis::Evidence>) {
    let Some(event) = view.profile.and_then(|profile| profile.event("db file sequential read")) else { return };
    let below = |share: f64| event.histogram.percentile_us(share).map(|us| milliseconds(us as f64 / 1e3));
    if let (Some(half), Some(most)) = (below(0.5), below(0.99)) {
        into.push(evidence(
            "Waits by length",
            format!("half of the reads took less than {half}, 99 of 100 less than {most}"),
        ));
    }
}

fn multiblock(view: &View<'_>) -> Verdict {
    const ID: &str = "small-multiblock-reads";
    let event = view.events.iter().find(|event| is_multiblock(&event.name));
    let Some((event, (blocks, most))) = event.and_then(|event| Some((event, event.blocks?))) else {
        return if view.profile.is_some() {
            Verdict::RuledOut(ID, "no multiblock read".into())
        } else {
            Verdict::CannotTell(ID, "blocks a read: TKPROF does not print them".into())
        };
    };
    let average = blocks / event.count.max(1.0);
    let text =
        format!("{} multiblock reads of {} blocks, {} at most", number(event.count), number(average), number(most));
    if event.count < ENOUGH_READS || average * 2.0 >= most || !view.matters(event.total_s) {
        return Verdict::RuledOut(ID, text);
    }
    // As many blocks in requests of the largest size: the requests that are saved, at no less than half the length of one.
    let fewer = 1.0 - average / most;
    let title = format!("Waited {} for small reads: {text}", view.of_elapsed(event.total_s));
    let mut found = finding(view, ID, event.total_s, title, Confidence::Medium);
    describe(view, &is_multiblock, &mut found);
    found.evidence.push(evidence("Waits by length", text));
    found.doubts.push("the largest read stands for the configured count, which a trace does not have".into());
    found.doubts.push("blocks that are cached already, ends of extents and chained rows cut reads short".into());
    found.saving = Some(Saving {
        low_s: 0.0,
        high_s: bounded(view, event.total_s * fewer),
        assumption: format!(
            "the same blocks in reads of {}: {} fewer requests, each as long as now",
            number(most),
            percent(fewer)
        ),
    });
    found
        .advice
        .push("extents that are a multiple of the read size, and larger; see what is cached of the table".into());
    Verdict::Found(Box::new(found))
}

/// The upper bound of a saving, or `None` where too much of the time is unaccounted for.
fn bounded(view: &View<'_>, high: f64) -> Option<f64> {
    (view.busy_share(view.unaccounted_s.max(0.0)) <= UNKNOWN).then_some(high.max(0.0))
}

fn files(view: &View<'_>) -> Verdict {
    const ID: &str = "file-skew";
    let Some(profile) = view.profile else {
        return Verdict::CannotTell(ID, "reads by file: TKPROF does not print them".into());
    };
    let name = |event: usize| profile.events.get(event).map_or("", |event| &event.name);
    let files = profile.by(|site| site.file.is_some() && is_single(name(site.event)), |site| site.file);
    let read: Vec<(u32, Waits)> = files.into_iter().filter_map(|(file, waits, _)| Some((file?, waits))).collect();
    let average = |waits: &Waits| waits.total_ns as f64 / waits.count.max(1) as f64;
    let enough = |waits: &Waits| waits.count as f64 >= ENOUGH_READS;
    if read.iter().filter(|(_, waits)| enough(waits)).count() < 2 {
        let reason = format!("fewer than two files have {} single-block reads to compare", number(ENOUGH_READS));
        return Verdict::RuledOut(ID, reason);
    }
    let all = read
        .iter()
        .fold((0.0, 0.0), |(count, total), (_, waits)| (count + waits.count as f64, total + waits.total_ns as f64));
    // What the file's reads took more than they would have taken at the average of all other files.
    let excess = |waits: &Waits| {
        let others = (all.1 - waits.total_ns as f64) / (all.0 - waits.count as f64).max(1.0);
        (average(waits) >= UNEVEN * others && average(waits) >= UNEVEN_MS * 1e6)
            .then(|| (waits.total_ns as f64 - others * waits.count as f64) / 1e9)
    };
    let worst = read
        .iter()
        .filter(|(_, waits)| enough(waits))
        .filter_map(|(file, waits)| Some((*file, *waits, excess(waits)?)))
        .max_by(|a, b| a.2.total_cmp(&b.2));
    let Some((file, waits, excess_s)) = worst.filter(|(_, _, excess)| view.matters(*excess)) else {
        return Verdict::RuledOut(ID, format!("no file's reads take {UNEVEN} times those of the others and matter"));
    };
    let title = format!(
        "Waited {} more than at the speed of the other files: {} reads of file {file} took {} each",
        view.of_elapsed(excess_s),
        waits.count,
        milliseconds(average(&waits) / 1e6)
    );
    let mut found = finding(view, ID, excess_s, title, Confidence::Medium);
    for (file, waits) in read.iter().take(5) {
        found.evidence.push(evidence(
            "Waits by file",
            format!("file {file}: {} single-block reads of {}", waits.count, milliseconds(average(waits) / 1e6)),
        ));
    }
    found.doubts.push("other files may be read from a cache of the storage or the host, this one not".into());
    found.advice.push("see on which device the file lies and what else is on it".into());
    Verdict::Found(Box::new(found))
}

fn temp(view: &View<'_>) -> Verdict {
    const ID: &str = "temp-spill";
    let (count, total) = view.waited(&is_temp);
    // To 9i temp has no events of its own.
    let old = ["direct path read", "direct path write"].iter().all(|event| view.event(event).is_some());
    if count == 0.0 && old && view.summary.header.release.as_ref().is_some_and(|release| release.0.first() <= Some(&9))
    {
        return Verdict::CannotTell(ID, "to 9i, direct path reads of temp and of tables are one event".into());
    }
    if !view.matters(total) {
        return Verdict::RuledOut(ID, format!("{} waits for temp: {}", number(count), view.of_elapsed(total)));
    }
    let title = format!(
        "Waited {} for sorts, joins and groupings that went to temp: {} waits",
        view.of_elapsed(total),
        number(count)
    );
    let mut found = finding(view, ID, total, title, Confidence::High);
    describe(view, &is_temp, &mut found);
    for event in view.events.iter().filter(|event| is_temp(&event.name)) {
        if let Some((blocks, _)) = event.blocks {
            found.evidence.push(evidence("Waits by length", format!("{}: {} blocks", event.name, number(blocks))));
        }
    }
    found.doubts.push("direct path waits do not measure I/O time: requests run while the session works, and only what is left is waited for".into());
    let storage_ms = Options::default().storage_ms;
    found.saving = Some(Saving {
        low_s: 0.0,
        high_s: bounded(view, saved(&view.events, storage_ms)),
        assumption: format!(
            "temp on storage that answers in {}: from nothing, where bytes a second are the limit, to every wait cut to that",
            milliseconds(storage_ms)
        ),
    });
    found.advice.push("a larger work area, so that the sort or hash fits; or a statement that sorts less".into());
    found.advice.push(format!("temp on faster storage saves at most the {} that were waited", seconds(total)));
    Verdict::Found(Box::new(found))
}

/// Seconds saved if the waits for temp took `latency_ms` each on average.
fn saved(events: &[EventView], latency_ms: f64) -> f64 {
    let temp = events.iter().filter(|event| is_temp(&event.name));
    temp.map(|event| (event.total_s - event.count * latency_ms / 1e3).max(0.0)).sum()
}
