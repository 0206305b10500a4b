//! The runs of a sweep as CSV: a line each, with the same columns whatever was measured.

use common::{Error, Result};

use super::sweep::Sweep;
use super::workload::Workload;

/// From this size on a number without a fraction is written as one that has one.
const WHOLE_MAX: f64 = 1e15;

/// Columns: the repetition, the factors (empty where they mean nothing), the figures by their names.
pub(super) fn csv<W: Workload>(sweep: &Sweep<W>) -> Result<Vec<u8>> {
    let failed = |error: &dyn std::fmt::Display| Error::bug(format!("CSV: {error}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    let (factors, figures) = (sweep.declaration.factors, sweep.declaration.figures);
    for (at, point) in sweep.points.iter().enumerate() {
        for (number, run) in point.runs.iter().enumerate() {
            let more = (sweep.texts.columns)(run);
            if (at, number) == (0, 0) {
                let head = factors.iter().map(|factor| factor.key).chain(figures.iter().map(|figure| figure.key));
                let head = ["repetition"].into_iter().chain(head).chain(more.iter().map(|(name, _)| name.as_str()));
                writer.write_record(head).map_err(|error| failed(&error))?;
            }
            let mut cells = vec![(number + 1).to_string()];
            cells.extend(factors.iter().map(|factor| match factor.json(point.setting.counted(factor)) {
                serde_json::Value::Null => String::new(),
                serde_json::Value::String(word) => word,
                value => value.to_string(),
            }));
            let values = figures.iter().map(|figure| (figure.of)(run, &point.setting));
            cells.extend(values.chain(more.iter().map(|(_, value)| *value)).map(cell));
            writer.write_record(cells).map_err(|error| failed(&error))?;
        }
    }
    writer.into_inner().map_err(|error| failed(&error))
}

/// Whole numbers as they are, others with six digits; empty for none.
fn cell(value: f64) -> String {
    if value.is_nan() {
        String::new()
    } else if value.fract() == 0.0 && value.abs() < WHOLE_MAX {
        format!("{value:.0}")
    } else {
        format!("{value:.6}")
    }
}
