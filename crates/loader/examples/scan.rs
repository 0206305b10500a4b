//! Speed of reading a file of one table of TPC-DS or TPC-H: `scan FILE COLUMNS`, all columns NUMBER(38,2).

use std::path::PathBuf;
use std::sync::Arc;

use common::{Clock, DataType, Result, SystemClock};
use loader::{Column, Input, Layout, Outputs, Scan, Setup};
use scalar::context::FixedContext;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = PathBuf::from(arguments.next().unwrap_or_default());
    let columns: usize = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(1);
    let access = loader::access::parse("fields terminated by '|' missing field values are null")?;
    let data_type = DataType::Number { precision: Some(38), scale: 2 };
    let setup = Setup {
        table: "T".to_owned(),
        columns: (0..columns).map(|at| Column { name: format!("C{at}"), data_type, required: false }).collect(),
        layout: Layout::Loader(Box::new(access)),
        inputs: vec![Input { name: path.display().to_string(), path, directory: String::new() }],
        outputs: Outputs::default(),
        reject_limit: Some(0),
        progress: None,
        rejected: None,
    };
    let clock = SystemClock::default();
    let start_us = clock.monotonic_us();
    let mut scan = Scan::new(setup, Arc::new(FixedContext::default()))?;
    let (mut rows, mut values) = (0u64, 0u64);
    while let Some(row) = scan.next_row()? {
        rows += 1;
        values += (0..row.width()).filter(|at| row.column(*at).is_some()).count() as u64;
    }
    let seconds = (clock.monotonic_us() - start_us) as f64 / 1e6;
    #[expect(clippy::print_stdout, reason = "what the example is for")]
    {
        println!("{rows} rows, {values} values in {seconds:.2} s: {:.0} rows/s", rows as f64 / seconds);
    }
    Ok(())
}
