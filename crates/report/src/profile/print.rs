//! The profile as text, printed behind the TKPROF report on request.

use std::io::{self, Write};

use super::model::{Component, EventProfile, Line, Phase, Profile, Waits};
use super::order::{ProfileOptions, StatementKey};
use super::{Histogram, block_class};

const RULE: &str = "********************************************************************************";

/// Characters of a statement that are shown.
const SQL_WIDTH: usize = 60;

/// Prints the sections of the profile.
///
/// # Errors
///
/// Errors of `out`.
pub fn print(profile: &Profile, options: &ProfileOptions, out: &mut dyn Write) -> io::Result<()> {
    response_time(profile, out)?;
    statements(profile, options, out)?;
    let names = profile.object_names();
    let object = |number: Option<i64>| match number {
        None => "-".to_owned(),
        Some(number) => match names.get(&number) {
            Some(known) => format!("{number} {}", known.name),
            None => number.to_string(),
        },
    };
    let rows = |list: Vec<((usize, String), Waits, u64)>| list;
    let by_object =
        profile.by_object().into_iter().map(|((event, at), waits, blocks)| ((event, object(at)), waits, blocks));
    table(profile, options, "WAITS BY OBJECT", "object", rows(by_object.collect()), out)?;
    let number = |number: Option<u32>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let by_file =
        profile.by_file().into_iter().map(|((event, at), waits, blocks)| ((event, number(at)), waits, blocks));
    table(profile, options, "WAITS BY FILE", "file", rows(by_file.collect()), out)?;
    let class = |at: Option<u32>| match at {
        None => "-".to_owned(),
        Some(at) => block_class(at).map_or_else(|| at.to_string(), |name| format!("{at} {name}")),
    };
    let by_class =
        profile.by_class().into_iter().map(|((event, at), waits, blocks)| ((event, class(at)), waits, blocks));
    table(profile, options, "WAITS BY BLOCK CLASS", "class", rows(by_class.collect()), out)?;
    let by_block = profile
        .blocks
        .iter()
        .map(|block| ((block.event, format!("{}/{} {}", block.file, block.block, class(block.class))), block.waits, 0));
    table(profile, options, "WAITS BY BLOCK", "file/block, class", by_block.collect(), out)?;
    if profile.other_blocks.count > 0 {
        let (count, total) = (profile.other_blocks.count, seconds(profile.other_blocks.total_ns));
        writeln!(
            out,
            "More blocks than the table holds: {count} waits of {total} s are left out, so figures may be too low.\n"
        )?;
    }
    histograms(profile, options, out)
}

/// Nanoseconds as seconds with microseconds.
fn seconds(nanoseconds: i64) -> String {
    format!("{:.6}", nanoseconds as f64 / 1e9)
}

fn milliseconds(nanoseconds: f64) -> String {
    format!("{:.3}", nanoseconds / 1e6)
}

fn percent(part: i64, whole: i64) -> String {
    if whole == 0 { "-".into() } else { format!("{:.1}", part as f64 * 100.0 / whole as f64) }
}

fn response_time(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{RULE}\n\nWHERE THE TIME WENT\n")?;
    let sessions = profile.sessions.len();
    write!(
        out,
        "Wall clock: {} s of {sessions} session{}",
        seconds(profile.elapsed_ns),
        if sessions == 1 { "" } else { "s" }
    )?;
    match (&profile.began, &profile.ended) {
        (Some(began), Some(ended)) if began != ended => writeln!(out, ", {began} to {ended}")?,
        (Some(began), _) => writeln!(out, ", from {began}")?,
        _ => writeln!(out)?,
    }
    // The line of the first call stands behind its time: only a large part is worth a note.
    if profile.before_first_line_ns > profile.elapsed_ns / 100 {
        writeln!(
            out,
            "{} s of it passed before the first line: the trace began within a call, which tells only how long it was.",
            seconds(profile.before_first_line_ns)
        )?;
    }
    if profile.summary.header.unit_assumed() {
        writeln!(out, "No header names the release: times are taken for microseconds.")?;
    }
    if profile.unit_ns == 1024 {
        writeln!(
            out,
            "This release counts times in units of 1,024 ns: from here on times are real, 1.024 times those above."
        )?;
    }
    writeln!(
        out,
        "\ncall          time went to                                  seconds      %      count   average ms       max ms"
    )?;
    let rule = "------------- ---------------------------------------- ------------ ------ ---------- ------------ ------------";
    writeln!(out, "{rule}")?;
    for line in &profile.lines {
        let what = match line.component {
            Component::Cpu => "CPU",
            Component::Wait(event) => &profile.events[event].name,
            Component::Unaccounted => "(unaccounted for)",
        };
        write!(out, "{:<13} {what:<40} ", line.phase.name())?;
        write!(out, "{:>12} {:>6}", seconds(line.total_ns), percent(line.total_ns, profile.elapsed_ns))?;
        if line.count > 0 {
            let average = milliseconds(line.total_ns as f64 / line.count as f64);
            writeln!(out, " {:>10} {average:>12} {:>12}", line.count, milliseconds(line.max_ns as f64))?;
        } else {
            writeln!(out)?;
        }
    }
    writeln!(out, "{rule}")?;
    let total = profile.lines.iter().fold(0i64, |sum, line| sum.saturating_add(line.total_ns));
    writeln!(out, "{:<54} {:>12} {:>6}\n", "total", seconds(total), percent(total, profile.elapsed_ns))?;
    let any = |wanted: fn(&Line) -> bool| {
        profile.lines.iter().any(|line| line.component == Component::Unaccounted && wanted(line))
    };
    if any(|line| line.phase != Phase::Between) {
        writeln!(
            out,
            "Unaccounted for within calls: waiting for a CPU, paging, code that counts no wait; below zero where CPU is counted in"
        )?;
        writeln!(out, "coarser steps than elapsed time.")?;
    }
    if any(|line| line.phase == Phase::Between) {
        writeln!(
            out,
            "Unaccounted for between calls: the trace shows neither a call nor a wait, as where the caller is PL/SQL that is not in it."
        )?;
    }
    writeln!(out)
}

fn statements(profile: &Profile, options: &ProfileOptions, out: &mut dyn Write) -> io::Result<()> {
    let order = profile.ordered(&options.sort);
    writeln!(out, "STATEMENTS BY {}\n", options.sort.meaning().to_uppercase())?;
    writeln!(
        out,
        "     seconds      %          CPU        waits  unaccounted    between      calls       max ms  statement"
    )?;
    writeln!(
        out,
        "------------ ------ ------------ ------------ ------------ ---------- ---------- ------------  ---------"
    )?;
    let event = match &options.sort {
        StatementKey::Event(name) => profile.events.iter().position(|event| event.name == *name),
        _ => None,
    };
    for index in order.iter().take(options.rows) {
        let statement = &profile.statements[*index];
        let known = profile.summary.statements.get(*index);
        let text = known.and_then(|known| known.sql.as_deref()).unwrap_or("(no text)");
        let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SQL_WIDTH).collect();
        let id = known.and_then(|known| known.sql_id.as_deref()).map_or_else(String::new, |id| format!("{id} "));
        writeln!(
            out,
            "{:>12} {:>6} {:>12} {:>12} {:>12} {:>10.3} {:>10} {:>12}  {id}{text}",
            seconds(statement.elapsed_ns),
            percent(statement.elapsed_ns, profile.elapsed_ns),
            seconds(statement.cpu_ns),
            seconds(statement.waited_ns()),
            seconds(statement.unaccounted_ns()),
            statement.between_ns() as f64 / 1e9,
            statement.calls,
            milliseconds(statement.max_ns as f64),
        )?;
        let mut waits: Vec<_> = statement.waits.iter().collect();
        waits.sort_by_key(|(found, waits)| (Some(*found) != event, std::cmp::Reverse(waits.total_ns)));
        for (found, waits) in waits.into_iter().take(3) {
            writeln!(
                out,
                "{:>12} {:>6}   in {} waits for {}",
                seconds(waits.total_ns),
                percent(waits.total_ns, profile.elapsed_ns),
                waits.count,
                profile.events[*found].name
            )?;
        }
    }
    more(order.len(), options, out)
}

fn more(all: usize, options: &ProfileOptions, out: &mut dyn Write) -> io::Result<()> {
    if all > options.rows {
        writeln!(out, "({} more)", all - options.rows)?;
    }
    writeln!(out)
}

/// One table of waits; nothing without rows.
fn table(
    profile: &Profile,
    options: &ProfileOptions,
    title: &str,
    column: &str,
    rows: Vec<((usize, String), Waits, u64)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "{title}\n\n{column:<30} event                                         seconds      %      count   average ms       max ms"
    )?;
    writeln!(
        out,
        "------------------------------ ---------------------------------------- ------------ ------ ---------- ------------ ------------"
    )?;
    for ((event, place), waits, _) in rows.iter().take(options.rows) {
        writeln!(
            out,
            "{place:<30} {:<40} {:>12} {:>6} {:>10} {:>12} {:>12}",
            profile.events[*event].name,
            seconds(waits.total_ns),
            percent(waits.total_ns, profile.elapsed_ns),
            waits.count,
            milliseconds(waits.total_ns as f64 / waits.count.max(1) as f64),
            milliseconds(waits.max_ns as f64)
        )?;
    }
    more(rows.len(), options, out)
}

fn histograms(profile: &Profile, options: &ProfileOptions, out: &mut dyn Write) -> io::Result<()> {
    let mut events: Vec<&EventProfile> = profile.events.iter().collect();
    events.sort_by_key(|event| std::cmp::Reverse(event.waits.total_ns));
    if !events.is_empty() {
        writeln!(out, "WAITS BY LENGTH")?;
    }
    for event in events.iter().take(options.rows) {
        write!(out, "\n{}: {} waits, {} s", event.name, event.waits.count, seconds(event.waits.total_ns))?;
        if let Some(blocks) = event.blocks {
            write!(out, ", {blocks} blocks, {} at most", event.blocks_max)?;
        }
        writeln!(out, "\n      below us      waits      %      seconds      %")?;
        for (bucket, count, total) in event.histogram.used() {
            let below = Histogram::below_us(bucket).map_or_else(|| "longer".to_owned(), |below| below.to_string());
            let share =
                percent(i64::try_from(count).unwrap_or(i64::MAX), i64::try_from(event.waits.count).unwrap_or(i64::MAX));
            writeln!(
                out,
                "  {below:>12} {count:>10} {share:>6} {:>12} {:>6}",
                seconds(total),
                percent(total, event.waits.total_ns)
            )?;
        }
        for lock in &event.enqueues {
            writeln!(
                out,
                "  lock {} in mode {}: {} waits, {} s",
                lock.name,
                lock.mode,
                lock.waits.count,
                seconds(lock.waits.total_ns)
            )?;
        }
    }
    more(events.len(), options, out)
}
