//! The printed tables of the scans.

use std::io::{self, Write};

use super::work::Work;
use super::{BLOCK_BYTES, Comparison, measured};
use crate::experiment::table::{self, Row, Table};
use crate::grid::Grid;
use crate::text::{grouped, number};

type Column = table::Column<Work>;

/// Sizes of reads that are listed of each table.
const LARGEST: usize = 4;
const MB: f64 = 1_048_576.0;

pub(super) static TABLES: [Table<Work>; 4] = [
    Table::Own(|comparison, out| {
        let (flat, paper) = (&comparison.measured.rest.flat, &comparison.published.paper);
        writeln!(
            out,
            "web_returns of TPC-DS at scale factor {}: {} rows, {} bytes (published {} rows, {} bytes); medians of {}\n",
            flat.scale_factor,
            grouped(flat.rows),
            grouped(flat.bytes),
            grouped(paper.rows),
            grouped(paper.flat_file_bytes),
            comparison.measured.plan.repetitions
        )
    }),
    Table::Arms(&[
        Column::Name("segment"),
        Column::Known("published MB", 0, |known| Some(known.segment_mb as f64)),
        Column::Cell("measured MB", |row| number(table_of(row).segment_bytes as f64 / MB, 1)),
        Column::Cell("load s", |row| number(table_of(row).load_s, 2)),
        Column::Cell("rows/s", |row| {
            let rows = row.comparison.measured.rest.flat.rows as f64;
            grouped((rows / table_of(row).load_s.max(1e-6)) as u64)
        }),
        Column::Cell("scan MB/s", |row| {
            let block_mb = f64::from(row.arm.setting.number(&BLOCK_BYTES)) / MB;
            let rate = row.arm.last().ok().zip(row.arm.median(|scan| scan.elapsed_s));
            rate.map_or_else(
                || "-".to_owned(),
                |(scan, seconds)| format!("{:.0}", scan.physical_reads as f64 * block_mb / seconds.max(1e-6)),
            )
        }),
        Column::Cell("reads cut", |row| {
            let cut = row.arm.last().map(|scan| (grouped(scan.group_reads_cut), grouped(scan.group_reads)));
            cut.map_or_else(|_| "-".to_owned(), |(cut, all)| format!("{cut} of {all}"))
        }),
    ]),
    Table::Own(profiles),
    Table::Own(reads),
];

fn table_of(row: &Row<'_, Work>) -> measured::Table {
    row.comparison.measured.rest.table(row.arm.setting)
}

fn profiles(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let head = ["tkprof, all calls", "", "fetches", "cpu s", "elapsed s", "disk", "query", "rows"];
    let (mut grid, paper) = (Grid::new(&head, 2), &comparison.published.paper);
    for arm in &comparison.measured.arms {
        let (Ok(scan), Some(known)) = (arm.last(), comparison.known(arm.setting)) else { continue };
        grid.row([
            arm.setting.name(),
            "published".to_owned(),
            grouped(paper.fetches),
            format!("{:.2}", known.cpu_s),
            format!("{:.2}", known.elapsed_s),
            grouped(known.physical_reads),
            grouped(known.consistent_gets),
            grouped(paper.rows),
        ]);
        let found = &scan.tkprof;
        grid.row([
            String::new(),
            "measured".to_owned(),
            grouped(found.fetches),
            format!("{:.2}", found.cpu_s),
            format!("{:.2}", found.elapsed_s),
            grouped(found.disk),
            grouped(found.query),
            grouped(found.rows),
        ]);
    }
    grid.print(out)
}

fn reads(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let head = ["direct path read", "published reads", "reads", "of blocks", "times", "% of the blocks"];
    let mut grid = Grid::new(&head, 1);
    for arm in &comparison.measured.arms {
        let (Ok(scan), Some(known)) = (arm.last(), comparison.known(arm.setting)) else { continue };
        let theirs = grouped(known.direct_path_reads);
        let mut first = Some((arm.setting.name(), theirs, grouped(scan.direct_requests())));
        let mut sizes: Vec<_> = scan.direct_reads.iter().collect();
        sizes.sort_by_key(|(blocks, count)| std::cmp::Reverse(*blocks * *count));
        for (blocks, count) in sizes.iter().take(LARGEST) {
            let (name, theirs, mine) = first.take().unwrap_or_default();
            let share = scan.share_of(**blocks) * 100.0;
            grid.row([name, theirs, mine, grouped(**blocks), grouped(**count), format!("{share:.1}")]);
        }
    }
    grid.print(out)
}
