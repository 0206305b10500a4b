//! The first rows of TPC-H's line items at scale factor 1.

use common::{DataType, Result};
use format::date::DateTime;
use tpchgen::dates::TPCHDate;
use tpchgen::decimal::TPCHDecimal;
use tpchgen::generators::{LineItemGenerator, LineItemGeneratorIterator};

use super::{Column, ROWS, Row, Rows, Shape, Value};

/// Rows at scale factor 1.
const ROWS_MAX: u64 = 6_001_215;

/// The rows.
pub struct Lineitems {
    rows: u64,
    left: u64,
    generator: LineItemGeneratorIterator<'static>,
}

impl std::fmt::Debug for Lineitems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lineitems").field("left", &self.left).finish_non_exhaustive()
    }
}

impl Lineitems {
    #[must_use]
    pub fn new(scale: f64) -> Self {
        let rows = ((ROWS * scale).round() as u64).clamp(1, ROWS_MAX);
        Self { rows, left: rows, generator: LineItemGenerator::new(1.0, 1, 1).iter() }
    }

    #[must_use]
    pub fn shape(&self) -> Shape {
        let number = |precision, scale| DataType::Number { precision: Some(precision), scale };
        let text = |bytes| DataType::Varchar2 { bytes };
        let columns = vec![
            Column::new("L_ORDERKEY", number(10, 0)),
            Column::new("L_PARTKEY", number(10, 0)),
            Column::new("L_SUPPKEY", number(10, 0)),
            Column::new("L_LINENUMBER", number(10, 0)),
            Column::new("L_QUANTITY", number(15, 2)),
            Column::new("L_EXTENDEDPRICE", number(15, 2)),
            Column::new("L_DISCOUNT", number(15, 2)),
            Column::new("L_TAX", number(15, 2)),
            Column::new("L_RETURNFLAG", text(1)),
            Column::new("L_LINESTATUS", text(1)),
            Column::new("L_SHIPDATE", DataType::Date),
            Column::new("L_COMMITDATE", DataType::Date),
            Column::new("L_RECEIPTDATE", DataType::Date),
            Column::new("L_SHIPINSTRUCT", text(25)),
            Column::new("L_SHIPMODE", text(10)),
            Column::new("L_COMMENT", text(44)),
        ];
        Shape {
            description: "the first line items of TPC-H at scale factor 1".to_owned(),
            columns,
            key: 0,
            rows: self.rows,
            published_shape: false,
            fitted: None,
        }
    }
}

fn decimal(value: TPCHDecimal) -> Value {
    Value::Decimal { coefficient: i128::from(value.into_inner()), scale: 2 }
}

fn date(value: TPCHDate) -> Result<Value> {
    Ok(Value::Date(DateTime::from_unix_seconds(i64::from(value.to_unix_epoch()) * 86_400)?))
}

impl Rows for Lineitems {
    fn next(&mut self, row: &mut Row) -> Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        let Some(item) = self.generator.next() else { return Ok(false) };
        self.left -= 1;
        let text = |value: &str| Value::Text(value.to_owned());
        row.values.clear();
        row.values.extend([
            Value::Integer(item.l_orderkey),
            Value::Integer(item.l_partkey),
            Value::Integer(item.l_suppkey),
            Value::Integer(i64::from(item.l_linenumber)),
            Value::Integer(item.l_quantity),
            decimal(item.l_extendedprice),
            decimal(item.l_discount),
            decimal(item.l_tax),
            text(item.l_returnflag),
            text(item.l_linestatus),
            date(item.l_shipdate)?,
            date(item.l_commitdate)?,
            date(item.l_receiptdate)?,
            text(item.l_shipinstruct),
            text(item.l_shipmode),
            text(item.l_comment),
        ]);
        Ok(true)
    }
}
