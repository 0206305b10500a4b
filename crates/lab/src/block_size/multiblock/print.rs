//! The printed tables of the scans.

use std::io::{self, Write};

use super::super::published::Multiblock;
use super::measured::Measured;
use crate::grid::Grid;
use crate::text::grouped;

pub(crate) fn print(published: &Multiblock, measured: &Measured, out: &mut dyn Write) -> io::Result<()> {
    let flat = &measured.flat;
    let runs = measured.arms.first().map_or(0, |arm| arm.runs.len());
    writeln!(
        out,
        "web_returns of TPC-DS at scale factor {}: {} rows, {} bytes (published {} rows, {} bytes); medians of {runs}\n",
        flat.scale_factor,
        grouped(flat.rows),
        grouped(flat.bytes),
        grouped(published.rows),
        grouped(published.flat_file_bytes)
    )?;
    let mut sizes =
        Grid::new(&["segment", "published MB", "measured MB", "load s", "rows/s", "scan MB/s", "reads cut"], 1);
    let mut profile =
        Grid::new(&["tkprof, all calls", "", "fetches", "cpu s", "elapsed s", "disk", "query", "rows"], 2);
    let mut reads =
        Grid::new(&["direct path read", "published reads", "reads", "of blocks", "times", "% of the blocks"], 1);
    for arm in &measured.arms {
        let (Some(scan), Ok(known)) = (arm.last(), published.arm(arm.block_bytes)) else { continue };
        let name = format!("{} KB", arm.block_bytes / 1024);
        let megabytes = arm.segment_bytes as f64 / f64::from(1 << 20);
        let read_mb = scan.physical_reads as f64 * f64::from(arm.block_bytes) / f64::from(1 << 20);
        sizes.row([
            name.clone(),
            grouped(known.segment_mb),
            format!("{megabytes:.1}"),
            format!("{:.2}", arm.load_s),
            grouped((flat.rows as f64 / arm.load_s.max(1e-6)) as u64),
            arm.elapsed_s().map_or_else(|| "-".to_owned(), |seconds| format!("{:.0}", read_mb / seconds.max(1e-6))),
            format!("{} of {}", grouped(scan.group_reads_cut), grouped(scan.group_reads)),
        ]);
        profile.row([
            name.clone(),
            "published".to_owned(),
            grouped(published.fetches),
            format!("{:.2}", known.cpu_s),
            format!("{:.2}", known.elapsed_s),
            grouped(known.physical_reads),
            grouped(known.consistent_gets),
            grouped(published.rows),
        ]);
        let found = &scan.tkprof;
        profile.row([
            String::new(),
            "measured".to_owned(),
            grouped(found.fetches),
            format!("{:.2}", found.cpu_s),
            format!("{:.2}", found.elapsed_s),
            grouped(found.disk),
            grouped(found.query),
            grouped(found.rows),
        ]);
        let mut first = Some((name, grouped(known.direct_path_reads), grouped(scan.direct_requests())));
        let mut sizes_of: Vec<_> = scan.direct_reads.iter().collect();
        sizes_of.sort_by_key(|(blocks, count)| std::cmp::Reverse(*blocks * *count));
        for (blocks, count) in sizes_of.iter().take(LARGEST) {
            let (name, theirs, mine) = first.take().unwrap_or_default();
            let share = scan.share_of(**blocks) * 100.0;
            reads.row([name, theirs, mine, grouped(**blocks), grouped(**count), format!("{share:.1}")]);
        }
    }
    sizes.print(out)?;
    profile.print(out)?;
    reads.print(out)
}

/// Sizes of reads that are listed of each table.
const LARGEST: usize = 4;
