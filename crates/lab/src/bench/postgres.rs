//! PostgreSQL as a side of the benchmarks.

use std::io::Write as _;

use common::{Clock, DataType, Result};
use peer::{Postgres, failure, refusal};

use super::insert::{FILTER, SOURCE, Side, TARGET};
use crate::progress::Progress;
use crate::source::{Row, Rows, Shape};
use crate::time::seconds;

/// Bytes of rows sent at a time.
const COPY_BYTES: usize = 1 << 20;

fn type_name(data_type: DataType) -> String {
    match data_type {
        // The cheapest type that holds the values.
        DataType::Number { .. } => "bigint".to_owned(),
        DataType::Varchar2 { bytes } => format!("varchar({bytes})"),
        DataType::Char { bytes } => format!("char({bytes})"),
        DataType::Date => "timestamp(0)".to_owned(),
        DataType::Timestamp { precision } => format!("timestamp({})", precision.min(6)),
        DataType::Raw { .. } => "bytea".to_owned(),
    }
}

impl Side for Postgres {
    fn load(&mut self, shape: &Shape, rows: &mut dyn Rows, progress: &mut dyn Progress) -> Result<()> {
        let columns: Vec<String> =
            shape.columns.iter().map(|column| format!("{} {}", column.name, type_name(column.data_type))).collect();
        self.run(&format!("create table {SOURCE} ({})", columns.join(", ")))?;
        let mut writer =
            self.client()?.copy_in(&format!("copy {SOURCE} from stdin")).map_err(|error| refusal("copy", &error))?;
        let (mut row, mut text, mut done) = (Row::default(), String::new(), 0_u64);
        loop {
            let more = rows.next(&mut row)?;
            if more {
                row.copy_line(&mut text);
                done += 1;
            }
            if !more || text.len() > COPY_BYTES {
                writer.write_all(text.as_bytes()).map_err(|error| failure("copy", error))?;
                text.clear();
                progress.at(done, shape.rows);
            }
            if !more {
                break;
            }
        }
        writer.finish().map_err(|error| refusal("copy", &error))?;
        self.run(&format!("vacuum (freeze, analyze) {SOURCE}"))?;
        self.run(&format!("select count(*) from {SOURCE}"))?;
        self.checkpoint().map(drop)
    }

    fn fresh_target(&mut self) -> Result<()> {
        self.run(&format!("drop table if exists {TARGET}"))?;
        self.run(&format!("create table {TARGET} as select * from {SOURCE} where false"))?;
        self.checkpoint().map(drop)
    }

    fn insert_select(&mut self) -> Result<f64> {
        self.timed(&format!("insert into {TARGET} select * from {SOURCE}"))
    }

    fn create_index(&mut self, key: &str) -> Result<f64> {
        self.timed(&format!("create index {TARGET}_ndx on {TARGET}({key})"))
    }

    fn checkpoint(&mut self) -> Result<f64> {
        self.timed("checkpoint")
    }

    fn filtered_scan(&mut self) -> Result<(f64, u64)> {
        let text = format!("select count(*) from {TARGET} where {FILTER}");
        let from_us = self.clock().monotonic_us();
        let row = self.client()?.query_one(&text, &[]).map_err(|error| refusal(&text, &error))?;
        let count: i64 = row.get(0);
        Ok((seconds(self.clock().monotonic_us() - from_us), count as u64))
    }
}
