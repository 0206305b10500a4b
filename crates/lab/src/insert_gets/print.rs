//! The printed tables of the experiment.

use std::io::{self, Write};

use super::Comparison;
use super::differences;
use super::measured::Run;
use super::paper::Figures;
use super::work::Work;
use crate::experiment::table::Table;
use crate::grid::Grid;
use crate::index::IndexFigures;
use crate::text::{grouped, ratio, signed};

const HEAD: [&str; 8] = ["", "", "published manual", "auto", "auto/manual", "measured manual", "auto", "auto/manual"];

pub(super) static TABLES: [Table<Work>; 5] = [
    Table::Own(statements),
    Table::Own(segments),
    Table::Own(gets),
    Table::Own(differences::print),
    Table::Own(|comparison, out| comparison.measured.rest.clustering.grid().print(out)),
];

/// The runs of both arms; a report is not printed before both have run.
fn runs(comparison: &Comparison) -> io::Result<[&Run; 2]> {
    comparison.runs().map_err(io::Error::other)
}

/// One figure of a statement in both arms.
fn pair(count: Option<(u64, u64)>) -> [String; 3] {
    match count {
        None => ["-".to_owned(), "-".to_owned(), String::new()],
        Some((0, 0)) => ["0".to_owned(), "0".to_owned(), "-".to_owned()],
        Some((manual, auto)) => [grouped(manual), grouped(auto), ratio(auto as f64, manual as f64)],
    }
}

fn pair_s(times: Option<(f64, f64)>) -> [String; 3] {
    times.map_or_else(
        || pair(None),
        |(manual, auto)| [format!("{manual:.2}"), format!("{auto:.2}"), ratio(auto, manual)],
    )
}

fn statements(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let mut grid = Grid::new(&HEAD, 2);
    let published = &comparison.published.paper;
    let [manual, auto] = runs(comparison)?;
    if let (Ok(m), Ok(a)) = (manual.statement("source_scan"), auto.statement("source_scan")) {
        let known = pair(Some((published.source_blocks_read, published.source_blocks_read)));
        grid.row(row("scan of the source", "query", known, pair(Some((m.figures.query, a.figures.query)))));
    }
    for statement in &published.statements {
        let (Ok(m), Ok(a)) = (manual.statement(&statement.id), auto.statement(&statement.id)) else { continue };
        let known = &statement.figures;
        let mut name = statement.name.as_str();
        let mut count = |grid: &mut Grid, figure: &str, of: fn(&Figures) -> u64| {
            let before = pair(Some((of(&known.manual), of(&known.auto))));
            grid.row(row(std::mem::take(&mut name), figure, before, pair(Some((of(&m.figures), of(&a.figures))))));
        };
        count(&mut grid, "query", |figures| figures.query);
        count(&mut grid, "current", |figures| figures.current);
        count(&mut grid, "disk", |figures| figures.disk);
        let mut time = |figure: &str, of: fn(&Figures) -> f64| {
            let before = pair_s(Some((of(&known.manual), of(&known.auto))));
            grid.row(row("", figure, before, pair_s(Some((of(&m.figures), of(&a.figures))))));
        };
        time("cpu s", |figures| figures.cpu_s);
        time("elapsed s", |figures| figures.elapsed_s);
        if statement.id.ends_with("insert") {
            let before = pair(Some((published.rows, published.rows)));
            grid.row(row("", "rows", before, pair(Some((m.rows, a.rows)))));
        }
    }
    grid.print(out)
}

fn row(name: &str, figure: &str, before: [String; 3], after: [String; 3]) -> Vec<String> {
    [name.to_owned(), figure.to_owned()].into_iter().chain(before).chain(after).collect()
}

fn segments(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let mut head = HEAD;
    head[0] = "segments";
    let mut grid = Grid::new(&head, 2);
    let known = &comparison.published.paper.segments;
    let [manual, auto] = runs(comparison)?;
    let found = [manual.segments, auto.segments];
    grid.row(row(
        "table",
        "blocks",
        pair(Some((known.manual.table, known.auto.table))),
        pair(Some((found[0].table, found[1].table))),
    ));
    grid.row(row(
        "index",
        "blocks",
        pair(Some((known.manual.index, known.auto.index))),
        pair(Some((found[0].index, found[1].index))),
    ));
    let mut index = |figure: &str, of: fn(&IndexFigures) -> u64| {
        grid.row(row("", figure, pair(None), pair(Some((of(&manual.index), of(&auto.index))))));
    };
    index("blevel", |index| index.blevel);
    index("leaf blocks", |index| index.leaf_blocks);
    index("distinct keys", |index| index.distinct_keys);
    index("clustering factor", |index| index.clustering_factor);
    grid.print(out)
}

fn gets(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let head = ["gets by class", "", "query manual", "auto", "excess", "current manual", "auto", "excess"];
    let mut grid = Grid::new(&head, 2);
    let [manual, auto] = runs(comparison)?;
    for m in &manual.statements {
        let Ok(a) = auto.statement(&m.id) else { continue };
        let mut classes: Vec<&str> = m.gets.iter().map(|gets| gets.class.as_str()).collect();
        for gets in &a.gets {
            if !classes.contains(&gets.class.as_str()) {
                classes.push(&gets.class);
            }
        }
        let known = comparison.published.paper.statement(&m.id);
        let mut name = known.map_or_else(|_| m.id.replace('_', " "), |statement| statement.name.clone());
        for class in classes {
            let (before, after) = (m.gets_of(class), a.gets_of(class));
            grid.row([
                std::mem::take(&mut name),
                class.to_owned(),
                grouped(before.query),
                grouped(after.query),
                signed(after.query as i64 - before.query as i64),
                grouped(before.current),
                grouped(after.current),
                signed(after.current as i64 - before.current as i64),
            ]);
        }
    }
    grid.print(out)
}
