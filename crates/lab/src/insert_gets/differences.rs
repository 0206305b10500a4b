//! Figures that are far from the published ones, with the explanation of ours by the counters and known facts about
//! theirs.
//!
//! The figures of ours are of the run; the words beside them stand in the data file.

use std::io::{self, Write};

use common::Result;
use serde::Serialize;

use super::Comparison;
use super::measured::Statement;
use super::paper::{Figure, Pair};
use crate::text::grouped;

/// By how much a figure may be larger or smaller than the published one before it is far from it.
const FAR: f64 = 1.5;

/// A figure of a statement that is far from the published one in an arm.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Difference {
    pub statement: String,
    #[serde(skip)]
    name: String,
    pub figure: Figure,
    pub published: Pair<u64>,
    pub measured: Pair<u64>,
    /// Ours by class, most gets first, in words.
    pub by_class: Pair<String>,
    /// None: the difference has not been examined.
    pub ours: Option<String>,
    pub theirs: Option<String>,
}

/// The figures that are far apart. Only the published number of rows can be compared.
pub(super) fn find(of: &Comparison) -> Result<Vec<Difference>> {
    let (paper, [manual, auto]) = (&of.published.paper, of.runs()?);
    let mut found = Vec::new();
    if of.measured.rest.source.rows != paper.rows {
        return Ok(found);
    }
    for known in &paper.statements {
        let (manual, auto) = (manual.statement(&known.id)?, auto.statement(&known.id)?);
        for figure in Figure::ALL {
            let theirs = Pair { manual: figure.of(&known.figures.manual), auto: figure.of(&known.figures.auto) };
            let ours = Pair { manual: figure.of(&manual.figures), auto: figure.of(&auto.figures) };
            if !is_far(theirs.manual, ours.manual) && !is_far(theirs.auto, ours.auto) {
                continue;
            }
            let reason = paper
                .differences
                .iter()
                .find(|reason| reason.figure == figure && reason.statements.contains(&known.id));
            found.push(Difference {
                statement: known.id.clone(),
                name: known.name.clone(),
                figure,
                published: theirs,
                measured: ours,
                by_class: Pair { manual: by_class(manual, figure), auto: by_class(auto, figure) },
                ours: reason.map(|reason| reason.ours.clone()),
                theirs: reason.map(|reason| reason.theirs.clone()),
            });
        }
    }
    Ok(found)
}

fn is_far(theirs: u64, ours: u64) -> bool {
    let (theirs, ours) = (theirs as f64, ours as f64);
    theirs > ours * FAR || ours > theirs * FAR
}

fn by_class(statement: &Statement, figure: Figure) -> String {
    let mut classes: Vec<(u64, &str)> = statement
        .gets
        .iter()
        .map(|gets| {
            let count = match figure {
                Figure::Query => gets.query,
                Figure::Current => gets.current,
            };
            (count, gets.class.as_str())
        })
        .filter(|(count, _)| *count > 0)
        .collect();
    classes.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let mut words: Vec<String> = classes.iter().map(|(count, class)| format!("{} {class}", grouped(*count))).collect();
    if figure == Figure::Query && statement.scanned_blocks > 0 {
        words.push(format!("full scans {}", grouped(statement.scanned_blocks)));
    }
    words.join(", ")
}

pub(super) fn print(of: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let differences = find(of).unwrap_or_default();
    if differences.is_empty() {
        return Ok(());
    }
    writeln!(out, " far from what was published (by more than half)")?;
    writeln!(out, "{}", "-".repeat(49))?;
    let mut last: Option<&Difference> = None;
    for difference in &differences {
        let Difference { name, figure, published, measured, by_class, .. } = difference;
        let head = format!(" {name}, {}: ", figure.name());
        let figures = format!(
            "published {} and {}, measured {} ({}) and {} ({})",
            grouped(published.manual),
            grouped(published.auto),
            grouped(measured.manual),
            by_class.manual,
            grouped(measured.auto),
            by_class.auto
        );
        crate::experiment::print::lines(out, &head, &figures)?;
        let same = last.is_some_and(|last| last.ours == difference.ours && last.theirs == difference.theirs);
        match (&difference.ours, &difference.theirs) {
            (Some(_), Some(_)) if same => writeln!(out, "   ours, theirs: as above")?,
            (Some(ours), Some(theirs)) => {
                crate::experiment::print::lines(out, "   ours: ", ours)?;
                crate::experiment::print::lines(out, "   theirs: ", theirs)?;
            }
            _ => writeln!(out, "   nobody has looked into why")?,
        }
        last = Some(difference);
    }
    writeln!(out)
}
