//! The tables of TPC-H.

use std::io;

use tpchgen::generators::{
    CustomerGenerator, LineItemGenerator, NationGenerator, OrderGenerator, PartGenerator, PartSuppGenerator,
    RegionGenerator, SupplierGenerator,
};

use super::file::Rows;
use super::tpcds::each;
use crate::Progress;

pub(super) const TABLES: [&str; 8] =
    ["region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"];

/// Writes a table's rows.
pub(super) fn write(name: &str, scale: f64, out: &mut Rows, progress: &mut dyn Progress) -> io::Result<()> {
    let rows = |rows: i64| u64::try_from(rows).unwrap_or(0);
    let (supplier, customer) =
        (SupplierGenerator::calculate_row_count(scale, 1, 1), CustomerGenerator::calculate_row_count(scale, 1, 1));
    let (part, orders) =
        (PartGenerator::calculate_row_count(scale, 1, 1), OrderGenerator::calculate_row_count(scale, 1, 1));
    match name {
        "region" => each(RegionGenerator::new(scale, 1, 1).iter(), 5, out, progress),
        "nation" => each(NationGenerator::new(scale, 1, 1).iter(), 25, out, progress),
        "supplier" => each(SupplierGenerator::new(scale, 1, 1).iter(), rows(supplier), out, progress),
        "customer" => each(CustomerGenerator::new(scale, 1, 1).iter(), rows(customer), out, progress),
        "part" => each(PartGenerator::new(scale, 1, 1).iter(), rows(part), out, progress),
        "partsupp" => each(PartSuppGenerator::new(scale, 1, 1).iter(), rows(part) * 4, out, progress),
        "orders" => each(OrderGenerator::new(scale, 1, 1).iter(), rows(orders), out, progress),
        "lineitem" => each(LineItemGenerator::new(scale, 1, 1).iter(), rows(orders) * 4, out, progress),
        other => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("no table {other}"))),
    }
}
