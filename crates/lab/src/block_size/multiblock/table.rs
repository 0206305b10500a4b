//! The published table: `web_returns` of TPC-DS as a flat file, an external table over it, and a copy in blocks of each
//! size in a disk group.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{Error, Result};
use sql::Connection;

use super::SIZES;
use super::measured::FlatFile;
use crate::generate::{self, Suite, generate};
use crate::laboratory::{Laboratory, numbers};
use crate::progress::Progress;
use crate::time::seconds;

pub(crate) const TABLE: &str = "web_returns";
/// The folder of the flat file in the database's.
const FOLDER: &str = "flat";
/// The published script's tablespaces, at scale 1.
const TABLESPACE_MB: f64 = 1_500.0;
const TABLESPACE_MB_LEAST: f64 = 16.0;
/// Disks of the group, and megabytes that each has more than its share of the tablespaces: for the group's own blocks
/// and the last allocation units.
const DISKS: u16 = 4;
const DISK_MORE_MB: f64 = 64.0;

/// The columns of the published external table: 15 keys and counts, nine amounts.
const COLUMNS: &str = "wr_returned_date_sk number(38), wr_returned_time_sk number(38), wr_item_sk number(38), \
     wr_refunded_customer_sk number(38), wr_refunded_cdemo_sk number(38), wr_refunded_hdemo_sk number(38), \
     wr_refunded_addr_sk number(38), wr_returning_customer_sk number(38), wr_returning_cdemo_sk number(38), \
     wr_returning_hdemo_sk number(38), wr_returning_addr_sk number(38), wr_web_page_sk number(38), \
     wr_reason_sk number(38), wr_order_number number(38), wr_return_quantity number(38), \
     wr_return_amt number(7,2), wr_return_tax number(7,2), wr_return_amt_inc_tax number(7,2), wr_fee number(7,2), \
     wr_return_ship_cost number(7,2), wr_refunded_cash number(7,2), wr_reversed_charge number(7,2), \
     wr_account_credit number(7,2), wr_net_loss number(7,2)";

/// The name of the table in blocks of this size.
pub(crate) fn name_of(block_bytes: u32) -> String {
    format!("{TABLE}_{}k", block_bytes / 1024)
}

/// Writes the flat file into a folder of the database's directory.
pub(crate) fn make_flat_file(directory: &Path, scale_factor: f64, progress: &mut dyn Progress) -> Result<FlatFile> {
    let options = generate::Options {
        suite: Suite::TpcDs,
        scale: scale_factor,
        table: Some(TABLE.to_owned()),
        out: directory.join(FOLDER),
    };
    let made = generate(&options, progress)?;
    let file = made.first().ok_or_else(|| Error::bug("no flat file was made"))?;
    Ok(FlatFile { scale_factor, rows: file.rows, bytes: file.bytes })
}

/// Makes the disks, the group, the tablespaces, and the external table; gives back the disks.
pub(crate) fn make_group(
    laboratory: &Laboratory,
    connection: &mut Connection,
    scale: f64,
    progress: &mut dyn Progress,
) -> Result<Vec<PathBuf>> {
    progress.step("making the disk group");
    let directory = laboratory.directory();
    let megabytes = (TABLESPACE_MB * scale).max(TABLESPACE_MB_LEAST).ceil();
    let disk_mb = megabytes * SIZES.len() as f64 / f64::from(DISKS) + DISK_MORE_MB;
    let pattern = quoted(&directory.join("group1_*"))?;
    let files = laboratory.database().instance().files();
    let disks = storage::disk_group::make_disks(&**files, &pattern, DISKS, (disk_mb as u64) << 20)?;
    connection
        .run(&format!("create diskgroup group1 external redundancy disk '{pattern}' attribute 'au_size' = '1M'"))?;
    for bytes in SIZES {
        let kilobytes = bytes / 1024;
        connection.run(&format!(
            "create tablespace tpcds_{kilobytes}k datafile '+GROUP1' size {megabytes}m blocksize {kilobytes}k"
        ))?;
    }
    let folder = quoted(&directory.join(FOLDER))?;
    connection.run(&format!("create directory {TABLE}_dir as '{folder}'"))?;
    connection.run(&format!(
        "create table {TABLE}_et ({COLUMNS}) organization external (type oracle_loader default directory {TABLE}_dir \
         access parameters (records delimited by newline fields terminated by '|' missing field values are null) \
         location ('{TABLE}.dat'))"
    ))?;
    Ok(disks)
}

/// Path of the flat file.
pub(crate) fn flat_file(directory: &Path) -> PathBuf {
    directory.join(FOLDER).join(format!("{TABLE}.dat"))
}

/// The columns' names.
pub(crate) fn columns() -> impl Iterator<Item = &'static str> {
    COLUMNS.split(", ").filter_map(|column| column.split(' ').next())
}

/// A path in a literal of SQL.
fn quoted(path: &Path) -> Result<String> {
    let text = path.to_str().filter(|text| !text.contains(['\'', ',', '*', '?', '%']) || text.ends_with('*'));
    let text = text.map(str::to_owned);
    text.ok_or_else(|| {
        crate::experiment::options::wrong_use(format!("{}: not a path for a disk group", path.display()))
    })
}

/// Makes and fills the table of a block size: seconds that took, and the segment's bytes.
pub(crate) fn make(connection: &mut Connection, block_bytes: u32) -> Result<(f64, u64)> {
    let (name, clock) = (name_of(block_bytes), Arc::clone(connection.session().meter().clock()));
    let began = clock.monotonic_us();
    connection
        .run(&format!("create table {name} tablespace tpcds_{}k as select * from {TABLE}_et", block_bytes / 1024))?;
    let load_s = seconds(clock.monotonic_us() - began);
    let upper = name.to_uppercase();
    let found = numbers(connection, &format!("select bytes from user_segments where segment_name = '{upper}'"))?;
    Ok((load_s, found.first().copied().unwrap_or(0)))
}
