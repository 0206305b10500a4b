//! The first page: identity, time, sizes. `load.rs` has the load.

use std::io::Result;

use crate::page::digits::{bytes, fit};
use crate::page::{Column, Page, count, left, number, right, text};

pub(super) fn write(page: &mut Page<'_>) -> Result<()> {
    page.line("STATSPACK report for")?;
    page.line("")?;
    database(page)?;
    host(page)?;
    snapshots(page)?;
    caches(page)?;
    super::load::write(page)
}

fn cut(text: &str, width: usize) -> String {
    text.chars().take(width).collect()
}

fn database(page: &mut Page<'_>) -> Result<()> {
    let identity = &page.report.identity;
    let text = |text: &Option<String>, width: usize| cut(text.as_deref().unwrap_or_default(), width);
    // The name of the database stands in the titles alone.
    let row = format!(
        "{:8} {:>11} {:12} {:>8} {:15} {:11} {}",
        "",
        identity.database_id.map_or(String::new(), |id| id.to_string()),
        text(&identity.instance, 12),
        identity.instance_number.map_or(String::new(), |number| number.to_string()),
        text(&identity.startup, 15),
        text(&identity.release, 11),
        identity.rac.map_or("", |rac| if rac { "YES" } else { "NO" }),
    );
    page.line("Database    DB Id    Instance     Inst Num  Startup Time   Release     RAC")?;
    page.line("~~~~~~~~ ----------- ------------ -------- --------------- ----------- ---")?;
    page.line(&row)?;
    page.line("")
}

fn host(page: &mut Page<'_>) -> Result<()> {
    let host = &page.report.host;
    let row = vec![
        text(""),
        text(cut(host.name.as_deref().unwrap_or_default(), 16)),
        text(cut(host.platform.as_deref().unwrap_or_default(), 22)),
        count(host.cpus),
        count(host.cores),
        count(host.sockets),
        number(host.memory_bytes.map(|bytes| bytes / (1024.0 * 1024.0 * 1024.0)), 2),
    ];
    if row.iter().all(crate::page::Cell::is_empty) {
        return Ok(());
    }
    const COLUMNS: [Column; 7] =
        [left(&[], 4), left(&[], 16), left(&[], 22), right(&[], 5), right(&[], 5), right(&[], 7), right(&[], 12)];
    page.line("Host Name             Platform                CPUs Cores Sockets   Memory (G)")?;
    page.line("~~~~ ---------------- ---------------------- ----- ----- ------- ------------")?;
    page.lines(&crate::page::row_lines(&COLUMNS, &row))?;
    page.line("")
}

fn snapshots(page: &mut Page<'_>) -> Result<()> {
    let window = &page.report.window;
    page.line("Snapshot       Snap Id     Snap Time      Sessions Curs/Sess Comment")?;
    page.line("~~~~~~~~    ---------- ------------------ -------- --------- ------------------")?;
    let optional =
        |value: Option<f64>, decimals, width| value.map_or(String::new(), |value| fit(value, decimals, width));
    for (label, snapshot) in [("Begin Snap:", &window.begin), ("  End Snap:", &window.end)] {
        page.line(&format!(
            "{label} {:>10} {:<18} {:>8} {:>9} {}",
            snapshot.id.map_or(String::new(), |id| id.to_string()),
            snapshot.time.as_deref().unwrap_or_default(),
            optional(snapshot.sessions, 0, 8),
            optional(snapshot.cursors_per_session, 1, 9),
            cut(snapshot.comment.as_deref().unwrap_or_default(), 18),
        ))?;
    }
    let minutes = |seconds: Option<f64>| optional(seconds.map(|seconds| seconds / 60.0), 2, 10);
    if let Some(elapsed_s) = window.elapsed_s {
        let active = window.db_time_s.filter(|_| elapsed_s > 0.0).map(|db_time_s| db_time_s / elapsed_s);
        let active = active.map_or(String::new(), |active| format!(" Av Act Sess: {:>9}", fit(active, 1, 9)));
        page.line(&format!("   Elapsed: {:>10} (mins){active}", minutes(window.elapsed_s)))?;
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

fn caches(page: &mut Page<'_>) -> Result<()> {
    let caches = &page.report.caches;
    let bytes = |value| bytes(value, 10);
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
    page.line("Cache Sizes            Begin        End")?;
    page.line("~~~~~~~~~~~       ---------- ----------")?;
    if lines.iter().all(|(_, begin, end, _, value)| begin.is_empty() && end.is_empty() && value.is_empty()) {
        page.nothing()?;
    } else {
        for (label, begin, end, other, value) in lines {
            page.line(&format!("{label:>17} {begin:>10} {end:>10} {other:>17} {value:>10}"))?;
        }
    }
    page.line("")
}
