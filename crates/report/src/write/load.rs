//! The load on the first page: a second, a transaction, in ratios, by event, by processor.

use std::io::Result;

use crate::names::Names;
use crate::page::digits::fit;
use crate::page::{Column, Page, figure, left, name, number, right};

pub(super) fn write(page: &mut Page<'_>) -> Result<()> {
    load_profile(page)?;
    efficiencies(page)?;
    shared_pool(page)?;
    top_events(page)?;
    host_cpu(page)?;
    instance_cpu(page)?;
    memory(page)
}

/// A number that stands right in so many characters; spaces for None.
fn cell(value: Option<f64>, decimals: usize, width: usize) -> String {
    format!("{:>width$}", value.map_or(String::new(), |value| fit(value, decimals, width)))
}

fn load_profile(page: &mut Page<'_>) -> Result<()> {
    let lines = page.report.load_profile.as_deref().unwrap_or_default();
    let labels: Vec<String> = lines
        .iter()
        .map(|line| match line.name.as_str() {
            "DB time" | "DB CPU" | "Background CPU" => format!("{}(s):", line.name),
            name => format!("{name}:"),
        })
        .collect();
    // Names of later releases are longer than the column.
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0).max(17);
    page.line(&format!(
        "{:<width$} {:>18} {:>18} {:>11} {:>11}",
        "Load Profile", "Per Second", "Per Transaction", "Per Exec", "Per Call"
    ))?;
    let dashes = |count: usize| "-".repeat(count);
    page.line(&format!("{:<width$} {}  {} {} {}", "~".repeat(12), dashes(18), dashes(17), dashes(11), dashes(11)))?;
    if lines.is_empty() {
        page.nothing()?;
    }
    for (label, line) in labels.iter().zip(lines) {
        page.line(&format!(
            "{label:>width$} {} {} {} {}",
            cell(line.per_second, 2, 18),
            cell(line.per_transaction, 2, 18),
            cell(line.per_execution, 2, 11),
            cell(line.per_call, 2, 11)
        ))?;
    }
    page.line("")
}

/// The ratios in the places that Statspack has them at, two a line; with the spaces that it has in them.
const EFFICIENCIES: [(&str, &str); 10] = [
    ("Buffer Nowait %", "Buffer Nowait %"),
    ("Redo NoWait %", "Redo NoWait %"),
    ("Buffer Hit %", "Buffer  Hit   %"),
    ("Optimal W/A Exec %", "Optimal W/A Exec %"),
    ("Library Hit %", "Library Hit   %"),
    ("Soft Parse %", "Soft Parse %"),
    ("Execute to Parse %", "Execute to Parse %"),
    ("Latch Hit %", "Latch Hit %"),
    ("Parse CPU to Parse Elapsd %", "Parse CPU to Parse Elapsd %"),
    ("% Non-Parse CPU", "% Non-Parse CPU"),
];

fn efficiencies(page: &mut Page<'_>) -> Result<()> {
    let lines = page.report.efficiencies.as_deref().unwrap_or_default();
    page.line("Instance Efficiency Indicators")?;
    page.line("~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~")?;
    if lines.is_empty() {
        page.nothing()?;
        return page.line("");
    }
    let value = |name: &str| lines.iter().find(|(line, _)| line == name).map(|(_, value)| *value);
    let others = lines.iter().filter(|(name, _)| EFFICIENCIES.iter().all(|(known, _)| known != name));
    let places: Vec<(&str, Option<f64>)> = EFFICIENCIES
        .iter()
        .map(|(name, printed)| (*printed, value(name)))
        .chain(others.map(|(name, value)| (name.as_str(), Some(*value))))
        .collect();
    for pair in places.chunks(2) {
        let text = pair
            .iter()
            .zip([28, 21])
            .map(|((name, value), width)| format!("{:>width$} {}", format!("{name}:"), cell(*value, 2, 7)));
        page.line(&text.collect::<String>())?;
    }
    page.line("")
}

/// Lines of the memory statistics that stand in a block of their own.
const SHARED_POOL: [&str; 3] = ["Memory Usage %", "% SQL with executions>1", "% Memory for SQL w/exec>1"];

fn shared_pool(page: &mut Page<'_>) -> Result<()> {
    let lines = page.report.memory.iter().flatten().filter(|line| SHARED_POOL.contains(&line.name.as_str()));
    let lines: Vec<_> = lines.collect();
    if lines.is_empty() {
        return Ok(());
    }
    page.line(" Shared Pool Statistics        Begin   End")?;
    page.line("                               ------  ------")?;
    for line in lines {
        let label = format!("{}:", line.name);
        page.line(&format!("{label:>28} {}  {}", cell(line.begin, 2, 7), cell(line.end, 2, 6)))?;
    }
    page.line("")
}

fn top_events(page: &mut Page<'_>) -> Result<()> {
    let events = page.report.top_events.as_deref().unwrap_or_default();
    const COLUMNS: [Column; 5] = [left(&[], 41), right(&[], 12), right(&[], 11), right(&[], 6), right(&[], 6)];
    let title = format!("Top {} Timed Events", events.len().max(5));
    page.line(&format!("{title:<69} Avg %Total"))?;
    page.line(&format!("{:<68} wait   Call", "~".repeat(title.len())))?;
    page.line("Event                                            Waits    Time (s)   (ms)   Time")?;
    page.line("----------------------------------------- ------------ ----------- ------ ------")?;
    if events.is_empty() {
        page.nothing()?;
    }
    for event in events {
        let row = [
            name(Names::Events, &event.name),
            figure(event.waits, 0),
            figure(event.total_s, 2),
            figure(event.average_ms, 3),
            number(event.percent, 1),
        ];
        page.lines(&crate::page::row_lines(&COLUMNS, &row))?;
    }
    page.end()
}

fn host_cpu(page: &mut Page<'_>) -> Result<()> {
    let host = &page.report.host;
    let count = |value: Option<f64>| value.map_or(String::new(), |value| fit(value, 0, 9));
    page.line(&format!(
        "Host CPU  (CPUs: {}  Cores: {}  Sockets: {})",
        count(host.cpus),
        count(host.cores),
        count(host.sockets)
    ))?;
    page.line("~~~~~~~~              Load Average")?;
    page.line("                      Begin     End      User  System    Idle     WIO     WCPU")?;
    page.line("                    ------- -------   ------- ------- ------- ------- --------")?;
    if host.user_percent.is_none() && host.load_begin.is_none() {
        page.nothing()?;
    } else {
        page.line(&format!(
            "                    {} {}   {} {} {} {}",
            cell(host.load_begin, 2, 7),
            cell(host.load_end, 2, 7),
            cell(host.user_percent, 2, 7),
            cell(host.system_percent, 2, 7),
            cell(host.idle_percent, 2, 7),
            cell(host.io_wait_percent, 2, 7)
        ))?;
    }
    page.line("")
}

/// The instance's share of the processors, by the time model and the host's statistics.
fn instance_cpu(page: &mut Page<'_>) -> Result<()> {
    let report = page.report;
    let ticks = |name: &str| report.host.statistic(name).and_then(|line| line.value).map(|ticks| ticks / 100.0);
    let busy = ticks("BUSY_TIME");
    let total = busy.zip(ticks("IDLE_TIME")).map(|(busy, idle)| busy + idle);
    let both = |foreground: &str, background: &str| {
        Some(report.time_model_s(foreground)? + report.time_model_s(background).unwrap_or(0.0))
    };
    let cpu = both("DB CPU", "background cpu time");
    let db_time = both("DB time", "background elapsed time");
    let share = |part: Option<f64>, whole: Option<f64>| {
        part.zip(whole).filter(|(_, whole)| *whole > 0.0).map(|(part, whole)| 100.0 * part / whole)
    };
    page.line("Instance CPU")?;
    page.line("~~~~~~~~~~~~                                       % Time (seconds)")?;
    page.line("                                            -------- --------------")?;
    let lines = [
        ("Host: Total time (s)", None, total),
        ("Host: Busy CPU time (s)", None, busy),
        ("% of time Host is Busy", share(busy, total), None),
        ("Instance: Total CPU time (s)", None, cpu),
        ("% of Busy CPU used for Instance", share(cpu, busy), None),
        ("Instance: Total Database time (s)", None, db_time),
    ];
    if lines.iter().all(|(_, percent, seconds)| percent.is_none() && seconds.is_none()) {
        page.nothing()?;
    }
    for (label, percent, seconds) in lines {
        if percent.is_some() || seconds.is_some() {
            let label = format!("{label}:");
            page.line(&format!("{label:>42}  {} {}", cell(percent, 1, 8), cell(seconds, 1, 14)))?;
        }
    }
    cpu_time_missed(page, total)?;
    page.line("")
}

/// A note where the processors of the host were busy and idle for more or less time than elapsed: some were switched
/// off or taken away, or their number is not the one that the instance sees.
fn cpu_time_missed(page: &mut Page<'_>, counted_s: Option<f64>) -> Result<()> {
    /// Percent.
    const MOST: f64 = 5.0;
    let report = page.report;
    let there_was = report.window.elapsed_s.zip(report.host.cpus).map(|(elapsed_s, cpus)| elapsed_s * cpus);
    let Some((counted_s, there_was)) = counted_s.zip(there_was).filter(|(_, there_was)| *there_was > 0.0) else {
        return Ok(());
    };
    let percent = 100.0 * (counted_s - there_was) / there_was;
    if percent.abs() <= MOST {
        return Ok(());
    }
    let than = if percent > 0.0 { "more" } else { "less" };
    page.line(&format!(
        "-> Note: the host counted {}% {than} CPU time than its CPUs had",
        fit(percent.abs(), 1, 8).trim_start()
    ))
}

fn memory(page: &mut Page<'_>) -> Result<()> {
    let lines = page.report.memory.iter().flatten().filter(|line| !SHARED_POOL.contains(&line.name.as_str()));
    let lines: Vec<_> = lines.collect();
    page.line("Memory Statistics                       Begin          End")?;
    page.line("~~~~~~~~~~~~~~~~~                ------------ ------------")?;
    if lines.is_empty() {
        page.nothing()?;
    }
    for line in lines {
        let label = format!("{}:", line.name);
        page.line(&format!("{label:>32} {} {}", cell(line.begin, 2, 12), cell(line.end, 2, 12)))?;
    }
    page.end()
}
