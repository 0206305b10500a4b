//! The experiment `insert-gets`: the same three inserts and one index under freelists and under bitmaps.
//!
//! ```text
//! work.rs      a source of rows, and an arm      measured.rs  a statement's figures
//! paper.rs     what was published                differences.rs  what is far from it, and why
//! judge.rs, print.rs                             this file: the declaration
//! ```

pub mod differences;
pub mod judge;
pub mod measured;
pub mod paper;
mod print;
pub mod work;

use common::Result;
use serde_json::{Value, json};

use crate::experiment::declaration::{self, Declaration};
use crate::experiment::factor::Factor;
use crate::experiment::merged;
use crate::experiment::registry::Experiment;
use crate::experiment::setting::Setting;
use crate::management::MANAGEMENT;
use crate::text::grouped;
use differences::Difference;
use measured::Run;

pub use work::Work;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "insert-gets",
    title: "What INSERT ... SELECT costs under freelists and under bitmaps",
    parts: &[&DECLARATION],
    device: None,
};

pub type Comparison = declaration::Comparison<Work>;

static FACTORS: [&Factor; 1] = [&MANAGEMENT];

/// All that the experiment consists of.
pub static DECLARATION: Declaration<Work> = Declaration {
    takes: &["source"],
    tables: &print::TABLES,
    judges: &judge::JUDGES,
    qualify: judge::qualify,
    about: |comparison| {
        let source = &comparison.measured.rest.source;
        let (rows, blocks) = (grouped(source.rows), grouped(source.blocks));
        let about = ("source: ", format!("{}, {rows} rows in {blocks} blocks", source.description));
        [about].into_iter().chain(source.fitted.map(|fitted| ("fitted: ", fitted.to_owned()))).collect()
    },
    arm_json: |comparison, arm| {
        let published = published_arm(comparison, &arm.setting);
        json!({"name": arm.setting.name(), "published": published, "measured": arm.runs.first()})
    },
    members: |comparison| {
        let rest = &comparison.measured.rest;
        let differences = comparison.differences().unwrap_or_default();
        json!({"source": rest.source, "differences": differences, "clustering": rest.clustering})
    },
    ..Declaration::new("insert-gets", include_str!("../../experiments/insert-gets.toml"), &FACTORS, || arms().to_vec())
};

/// Freelists, then bitmaps.
#[must_use]
pub fn arms() -> [Setting; 2] {
    [0, 1].map(|management| Setting::new(&FACTORS).with(&MANAGEMENT, management))
}

impl Comparison {
    /// The runs of the arms, freelists and bitmaps.
    ///
    /// # Errors
    /// ORA-00600 when one was not run.
    pub fn runs(&self) -> Result<[&Run; 2]> {
        let [manual, auto] = arms().map(|arm| self.measured.arm(arm).and_then(|arm| arm.last()));
        Ok([manual?, auto?])
    }

    /// The figures that are far from the published ones.
    ///
    /// # Errors
    /// ORA-00600 when an arm was not run.
    pub fn differences(&self) -> Result<Vec<Difference>> {
        differences::find(self)
    }
}

/// The published figures of an arm, as JSON has them.
fn published_arm(comparison: &Comparison, arm: &Setting) -> Value {
    let paper = &comparison.published.paper;
    let statements = paper.statements.iter().map(|statement| {
        let rows = statement.id.ends_with("insert").then_some(paper.rows);
        merged([json!({"id": statement.id, "rows": rows}), json!(statement.figures.of(arm))])
    });
    json!({"statements": statements.collect::<Vec<_>>(), "segments": paper.segments.of(arm)})
}
