//! The first page: who, when, how large, how much a second, what was waited for.

use std::io::{Result, Write};

use super::layout::{Column, Page, bytes, count, figure, left, number, right};
use crate::model::Report;

pub(super) fn write(page: &mut Page<'_, impl Write>) -> Result<()> {
    page.line("STATSPACK report for")?;
    page.line("")?;
    database(page)?;
    host(page)?;
    snapshots(page)?;
    caches(page)?;
    load_profile(page)?;
    efficiencies(page)?;
    top_events(page)?;
    host_cpu(page)?;
    instance_cpu(page)?;
    memory(page)
}

fn database(page: &mut Page<'_, impl Write>) -> Result<()> {
    let identity = &page.report.identity;
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let row = vec![
        text(&identity.database),
        identity.database_id.map_or(String::new(), |id| id.to_string()),
        text(&identity.instance),
        identity.instance_number.map_or(String::new(), |number| number.to_string()),
        text(&identity.startup),
        text(&identity.release),
        identity.rac.map_or("", |rac| if rac { "YES" } else { "NO" }).to_owned(),
    ];
    const COLUMNS: [Column; 7] = [
        left(&["DB Name"], 12),
        right(&["DB Id"], 11),
        left(&["Instance"], 12),
        right(&["Inst Num"], 8),
        left(&["Startup Time"], 15),
        left(&["Release"], 11),
        left(&["RAC"], 3),
    ];
    page.table(&COLUMNS, &[row])?;
    page.line("")
}

fn host(page: &mut Page<'_, impl Write>) -> Result<()> {
    let host = &page.report.host;
    let row = vec![
        host.name.clone().unwrap_or_default(),
        host.platform.clone().unwrap_or_default(),
        count(host.cpus),
        count(host.cores),
        count(host.sockets),
        number(host.memory_bytes.map(|bytes| bytes / (1024.0 * 1024.0 * 1024.0)), 2),
    ];
    if row.iter().all(String::is_empty) {
        return Ok(());
    }
    const COLUMNS: [Column; 6] = [
        left(&["Host Name"], 16),
        left(&["Platform"], 22),
        right(&["CPUs"], 5),
        right(&["Cores"], 5),
        right(&["Sockets"], 7),
        right(&["Memory (G)"], 12),
    ];
    page.table(&COLUMNS, &[row])?;
    page.line("")
}

fn snapshots(page: &mut Page<'_, impl Write>) -> Result<()> {
    let window = &page.report.window;
    page.line("Snapshot       Snap Id     Snap Time      Sessions Curs/Sess Comment")?;
    page.line("~~~~~~~~    ---------- ------------------ -------- --------- ------------------")?;
    for (label, snapshot, comment) in [
        ("Begin Snap:", &window.begin, window.comment.as_deref().unwrap_or_default()),
        ("  End Snap:", &window.end, ""),
    ] {
        page.line(&format!(
            "{label} {:>10} {:<18} {:>8} {:>9} {comment}",
            snapshot.id.map_or(String::new(), |id| id.to_string()),
            snapshot.time.as_deref().unwrap_or_default(),
            count(snapshot.sessions),
            number(snapshot.cursors_per_session, 1),
        ))?;
    }
    let minutes = |seconds: Option<f64>| number(seconds.map(|seconds| seconds / 60.0), 2);
    if window.elapsed_s.is_some() {
        page.line(&format!("   Elapsed: {:>10} (mins)", minutes(window.elapsed_s)))?;
    }
    if window.db_time_s.is_some() {
        let cpu = if window.db_cpu_s.is_some() {
            format!("      DB CPU: {:>10} (mins)", minutes(window.db_cpu_s))
        } else {
            String::new()
        };
        page.line(&format!("   DB time: {:>10} (mins){cpu}", minutes(window.db_time_s)))?;
    }
    page.line("")
}

fn caches(page: &mut Page<'_, impl Write>) -> Result<()> {
    let caches = &page.report.caches;
    let lines = [
        (
            "Buffer Cache:",
            bytes(caches.buffer_cache_bytes),
            bytes(caches.buffer_cache_end_bytes),
            "Std Block Size:",
            bytes(caches.block_bytes),
        ),
        (
            "Shared Pool:",
            bytes(caches.shared_pool_bytes),
            bytes(caches.shared_pool_end_bytes),
            "Log Buffer:",
            bytes(caches.log_buffer_bytes),
        ),
    ];
    if lines.iter().all(|(_, begin, end, _, value)| begin.is_empty() && end.is_empty() && value.is_empty()) {
        return Ok(());
    }
    page.line("Cache Sizes            Begin        End")?;
    page.line("~~~~~~~~~~~       ---------- ----------")?;
    for (label, begin, end, other, value) in lines {
        let mut text = String::new();
        if !begin.is_empty() || !end.is_empty() || !value.is_empty() {
            text = format!("{label:>16}  {begin:>10} {end:>10}");
        }
        if !value.is_empty() {
            text = format!("{text}  {other:>20} {value:>10}");
        }
        page.line(&text)?;
    }
    page.line("")
}

fn load_profile(page: &mut Page<'_, impl Write>) -> Result<()> {
    let Some(lines) = page.report.load_profile.as_deref().filter(|lines| !lines.is_empty()) else { return Ok(()) };
    let labels: Vec<String> = lines
        .iter()
        .map(|line| match line.name.as_str() {
            "DB time" | "DB CPU" | "Background CPU" => format!("{}(s):", line.name),
            name => format!("{name}:"),
        })
        .collect();
    let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0).max(17);
    page.line(&format!(
        "{:<width$} {:>18} {:>18} {:>11} {:>11}",
        "Load Profile", "Per Second", "Per Transaction", "Per Exec", "Per Call"
    ))?;
    let dashes = |count: usize| "-".repeat(count);
    page.line(&format!("{:<width$} {} {} {} {}", "~".repeat(12), dashes(18), dashes(18), dashes(11), dashes(11)))?;
    for (label, line) in labels.iter().zip(lines) {
        page.line(&format!(
            "{label:>width$} {:>18} {:>18} {:>11} {:>11}",
            number(line.per_second, 2),
            number(line.per_transaction, 2),
            number(line.per_execution, 2),
            number(line.per_call, 2)
        ))?;
    }
    page.line("")
}

fn efficiencies(page: &mut Page<'_, impl Write>) -> Result<()> {
    let Some(lines) = page.report.efficiencies.as_deref().filter(|lines| !lines.is_empty()) else { return Ok(()) };
    page.line("Instance Efficiency Indicators")?;
    page.line("~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~")?;
    for pair in lines.chunks(2) {
        let text: Vec<String> = pair
            .iter()
            .map(|(name, value)| format!("{:>26} {:>7}", format!("{name}:"), number(Some(*value), 2)))
            .collect();
        page.line(&text.join("  "))?;
    }
    page.line("")
}

fn top_events(page: &mut Page<'_, impl Write>) -> Result<()> {
    let Some(events) = page.report.top_events.as_deref().filter(|events| !events.is_empty()) else { return Ok(()) };
    let title = format!("Top {} Timed Events", events.len());
    page.line(&title)?;
    page.line(&"~".repeat(title.len()))?;
    const COLUMNS: [Column; 5] = [
        left(&["Event"], 41),
        right(&["Waits"], 12),
        right(&["Time (s)"], 11),
        right(&["Avg", "wait", "(ms)"], 6),
        right(&["%Total", "Call", "Time"], 6),
    ];
    let rows: Vec<Vec<String>> = events
        .iter()
        .map(|event| {
            vec![
                event.name.clone(),
                figure(event.waits, 0),
                figure(event.total_s, 2),
                figure(event.average_ms, 3),
                number(event.percent, 1),
            ]
        })
        .collect();
    page.table(&COLUMNS, &rows)?;
    page.end()
}

fn host_cpu(page: &mut Page<'_, impl Write>) -> Result<()> {
    let host = &page.report.host;
    if host.user_percent.is_none() && host.load_begin.is_none() {
        return Ok(());
    }
    page.line(&format!(
        "Host CPU  (CPUs: {}  Cores: {}  Sockets: {})",
        count(host.cpus),
        count(host.cores),
        count(host.sockets)
    ))?;
    page.line("~~~~~~~~              Load Average")?;
    page.line("                      Begin     End      User  System    Idle     WIO     WCPU")?;
    page.line("                    ------- -------   ------- ------- ------- ------- --------")?;
    page.line(&format!(
        "                    {:>7} {:>7}   {:>7} {:>7} {:>7} {:>7}",
        number(host.load_begin, 2),
        number(host.load_end, 2),
        number(host.user_percent, 2),
        number(host.system_percent, 2),
        number(host.idle_percent, 2),
        number(host.io_wait_percent, 2)
    ))?;
    page.line("")
}

/// What the time model says of the instance's processors; the model keeps it there.
fn instance_cpu(page: &mut Page<'_, impl Write>) -> Result<()> {
    let report: &Report = page.report;
    let Some(foreground) = report.time_model_s("DB CPU") else { return Ok(()) };
    let total = foreground + report.time_model_s("background cpu time").unwrap_or(0.0);
    page.line("Instance CPU")?;
    page.line("~~~~~~~~~~~~                                       % Time (seconds)")?;
    page.line("                                            -------- --------------")?;
    page.line(&format!("             Instance: Total CPU time (s):          {:>14}", number(Some(total), 1)))?;
    if let Some(db_time) = report.window.db_time_s {
        page.line(&format!("        Instance: Total Database time (s):          {:>14}", number(Some(db_time), 1)))?;
    }
    page.line("")
}

fn memory(page: &mut Page<'_, impl Write>) -> Result<()> {
    let Some(lines) = page.report.memory.as_deref().filter(|lines| !lines.is_empty()) else { return Ok(()) };
    page.line("Memory Statistics                       Begin          End")?;
    page.line("~~~~~~~~~~~~~~~~~                ------------ ------------")?;
    for line in lines {
        page.line(&format!(
            "{:>32} {:>12} {:>12}",
            format!("{}:", line.name),
            number(line.begin, 2),
            number(line.end, 2)
        ))?;
    }
    page.end()
}
