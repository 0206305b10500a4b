//! The printed tables of the experiment.

use std::io::{self, Write};

use super::Comparison;
use super::measured::Run;
use super::split::{self, Split};
use super::work::Work;
use crate::experiment::table::{self, Table};
use crate::grid::Grid;
use crate::interval::cells;
use crate::text::number;

type Column = table::Column<Work>;

pub(super) static TABLES: [Table<Work>; 5] = [
    Table::Arms(&[
        Column::Name("time of the query, s"),
        Column::Known("published", 2, |known| Some(known.query_s)),
        Column::Estimate(["measured median", "from", "to"], 3, |run| run.elapsed_s),
        Column::Median("MB/s", 0, Run::mb_per_s),
    ]),
    Table::Own(splits),
    Table::Arms(&[
        Column::Name("bytes"),
        Column::Known("eligible", 0, |known| known.eligible_bytes.map(|bytes| bytes as f64)),
        Column::Median("measured", 0, |run| run.eligible_bytes as f64),
        Column::Known("interconnect", 0, |known| known.interconnect_bytes.map(|bytes| bytes as f64)),
        Column::Median("measured", 0, |run| run.interconnect_bytes as f64),
        Column::Known("% saved", 2, |known| known.pct_saved),
        Column::Median("measured", 2, Run::pct_saved),
    ]),
    Table::Arms(&[
        Column::Name("where the time went, s of all disks"),
        Column::Median("seek", 2, |run| run.seek_s),
        Column::Median("rotation", 2, |run| run.rotation_s),
        Column::Median("transfer", 2, |run| run.transfer_s),
        Column::Median("idle", 2, |run| run.idle_s),
        Column::Median("requests", 0, |run| run.scan_requests as f64),
        Column::Median("reads", 0, |run| run.reads as f64),
        Column::Median("positioned", 0, |run| run.positioned as f64),
    ]),
    Table::Arms(&[
        Column::Name("CPU, s of the machine"),
        Column::Known("published session", 2, |known| known.cpu_cs.map(|centis| centis / 100.0)),
        Column::Median("session", 3, |run| run.session_cpu_s),
        Column::Median("cell and models", 3, |run| run.cell_cpu_s),
        Column::Median("query", 3, |run| run.real_s),
    ]),
];

fn splits(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let head = ["s more than 4 MB outside", "published", "measured", "from", "to"];
    let mut grid = Grid::new(&head, 1);
    for split in split::all(comparison) {
        let Split { au_mb, published, gap_s, place_s, unit_s, published_share, share } = split;
        let lines = [
            (format!("{au_mb} MB, first round: the gap"), published.map(|all| all[0]), gap_s),
            ("  of the place".to_owned(), published.map(|all| all[1]), place_s),
            ("  of the unit".to_owned(), published.map(|all| all[2]), unit_s),
        ];
        for (name, known, found) in lines {
            let known = known.map_or_else(|| "-".to_owned(), |value| number(value, 2));
            let [median, low, high] = cells(found, |value| number(value, 3));
            grid.row([name, known, median, low, high]);
        }
        let known = published_share.map_or_else(|| "-".to_owned(), |value| number(value, 0));
        let [median, low, high] = cells(share, |value| number(value, 0));
        grid.row(["  of the place, % of the gap".to_owned(), known, median, low, high]);
    }
    let rest = &comparison.measured.rest;
    let alone = "a disk of the model alone, in order, MB/s: outside, inside, ratio".to_owned();
    let [outer, inner, ratio] =
        [number(rest.outer_mb_per_s, 0), number(rest.inner_mb_per_s, 0), number(rest.ratio(), 2)];
    grid.row([alone, "-".to_owned(), outer, inner, ratio]);
    grid.print(out)
}
