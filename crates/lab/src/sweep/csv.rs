//! The runs of a sweep as CSV: a line each, with the same columns whatever was waited for.

use common::{BlockClass, Error, Result};

use super::Sweep;
use crate::freelists::factor::Factor;
use crate::freelists::measured::{CPU_TIME, Run};

/// Columns before those of the factors.
const BEFORE: [&str; 3] = ["repetition", "position", "management"];
/// Columns behind those of the factors.
const BEHIND: [&str; 8] = [
    "sessions",
    "elapsed_s",
    "transactions",
    "transactions_per_s",
    "executes",
    "buffer_busy_waits",
    "buffer_busy_s",
    "cpu_s",
];

pub(super) fn csv(sweep: &Sweep) -> Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut put = |cells: Vec<String>| writer.write_record(cells).map_err(|error| Error::bug(format!("CSV: {error}")));
    let classes = BlockClass::ALL;
    let of_classes = classes.map(|class| format!("waits: {}", class.name()));
    let of_factors = Factor::ALL.map(Factor::key);
    let head = BEFORE.into_iter().map(str::to_owned).chain(of_factors).chain(BEHIND.into_iter().map(str::to_owned));
    put(head.chain(of_classes).collect())?;
    for point in &sweep.points {
        for run in &point.arm.runs {
            let Run { repetition, position, transactions, executes, buffer_busy_waits, .. } = run;
            let cpu_s = run.event(CPU_TIME).map_or(0.0, |line| line.time_s);
            let mut cells =
                vec![repetition.to_string(), position.to_string(), point.arm.setting.management.as_str().to_owned()];
            cells.extend(
                Factor::ALL
                    .map(|factor| factor.of(&point.arm.setting).map_or(String::new(), |value| value.to_string())),
            );
            cells.extend([
                point.sessions.to_string(),
                format!("{:.6}", run.elapsed_s),
                transactions.to_string(),
                format!("{:.2}", run.transactions_per_s()),
                executes.to_string(),
                buffer_busy_waits.to_string(),
                format!("{:.6}", run.buffer_busy_s),
                format!("{cpu_s:.6}"),
            ]);
            cells.extend(classes.map(|class| run.waits_of(class).0.to_string()));
            put(cells)?;
        }
    }
    writer.into_inner().map_err(|error| Error::bug(format!("CSV: {error}")))
}
