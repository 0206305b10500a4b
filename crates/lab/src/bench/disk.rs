//! Rates of the disk itself, by `fio`: sequential reads of 1 MB past the page cache, and small writes that are on the
//! disk when they return.

use std::path::Path;
use std::process::Command;

use common::{Error, ErrorKind, Result};
use serde_json::Value;

const MB: f64 = 1_048_576.0;
/// A datafile begins with a head of this size; reads begin behind it, where extents are.
const HEAD_BYTES: u64 = 1 << 20;

/// The file that writes go to, and the part of it that each writer has.
const SYNC_FILE_MB: u64 = 64;
const WRITER_MB: u64 = 16;
/// A rate is taken over so many seconds, at scale 1.
const SYNC_S: f64 = 5.0;

/// True: the machine has a `fio`.
pub(super) fn present() -> bool {
    Command::new("fio").arg("--version").output().is_ok_and(|output| output.status.success())
}

fn failure(why: impl std::fmt::Display) -> Error {
    Error::own(ErrorKind::Io, 2, format!("fio: {why}"))
}

/// Runs `fio` and gives its report.
fn fio(arguments: &[String]) -> Result<Value> {
    let output = Command::new("fio").args(arguments).arg("--output-format=json").output().map_err(failure)?;
    if !output.status.success() {
        return Err(failure(String::from_utf8_lossy(&output.stderr).trim()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    // Notes may stand before the document.
    let document = text.find('{').map_or("", |at| &text[at..]);
    serde_json::from_str(document).map_err(failure)
}

/// Reads `bytes` of a file; megabytes a second.
pub(super) fn read(file: &Path, bytes: u64) -> Result<f64> {
    let mut arguments: Vec<String> =
        ["--name=scan", "--rw=read", "--bs=1M", "--direct=1", "--ioengine=psync", "--readonly"]
            .map(str::to_owned)
            .into();
    arguments.push(format!("--filename={}", file.display()));
    arguments.push(format!("--offset={HEAD_BYTES}"));
    arguments.push(format!("--size={}", bytes.max(HEAD_BYTES)));
    let document = fio(&arguments)?;
    document["jobs"][0]["read"]["bw_bytes"]
        .as_f64()
        .filter(|rate| *rate > 0.0)
        .map(|rate| rate / MB)
        .ok_or_else(|| failure("no rate in its report"))
}

/// Rate of synced writes of one size.
#[derive(Clone, Debug)]
pub(super) struct SyncRate {
    pub(super) bytes: u64,
    /// Writers, each with one write under way.
    pub(super) in_flight: u64,
    /// Writes a second, or the reason why there are none: not every disk takes 512 bytes.
    pub(super) writes_s: Result<f64, String>,
}

/// Writes of 512 and 4,096 bytes, O_DIRECT and O_DSYNC, one and four in flight, into a file that has been written
/// before.
pub(super) fn sync_rates(directory: &Path, scale: f64) -> Result<Vec<SyncRate>> {
    let path = directory.join("sync.fio");
    let filename = format!("--filename={}", path.display());
    let laid: Vec<String> =
        ["--name=lay", "--rw=write", "--bs=1M", "--ioengine=psync", "--end_fsync=1"].map(str::to_owned).into();
    fio(&[laid, vec![filename.clone(), format!("--size={SYNC_FILE_MB}M")]].concat())?;
    let runtime_s = (SYNC_S * scale).round().clamp(1.0, 30.0);
    let mut rates = Vec::new();
    for bytes in [512, 4_096] {
        for in_flight in [1, 4] {
            let fixed: Vec<String> = [
                "--name=sync",
                "--rw=write",
                "--direct=1",
                "--sync=dsync",
                "--ioengine=psync",
                "--overwrite=1",
                "--time_based",
                "--group_reporting",
            ]
            .map(str::to_owned)
            .into();
            let own = vec![
                filename.clone(),
                format!("--bs={bytes}"),
                format!("--numjobs={in_flight}"),
                format!("--size={WRITER_MB}M"),
                format!("--offset_increment={WRITER_MB}M"),
                format!("--runtime={runtime_s}"),
            ];
            let measured = fio(&[fixed, own].concat()).and_then(|document| {
                let rate = document["jobs"][0]["write"]["iops"].as_f64().filter(|rate| *rate > 0.0);
                rate.ok_or_else(|| failure("no rate in its report"))
            });
            rates.push(SyncRate { bytes, in_flight, writes_s: measured.map_err(|error| error.text) });
        }
    }
    let _ = std::fs::remove_file(&path);
    Ok(rates)
}
