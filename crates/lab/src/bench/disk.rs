//! What the disk itself reads: `fio`, sequential reads of 1 MB past the page cache.

use std::path::Path;
use std::process::Command;

use common::{Error, ErrorKind, Result};
use serde_json::Value;

const MB: f64 = 1_048_576.0;
/// A datafile begins with a head of this size; reads begin behind it, where extents are.
const HEAD_BYTES: u64 = 1 << 20;

/// Whether there is a `fio`.
pub(super) fn present() -> bool {
    Command::new("fio").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Reads `bytes` of a file; megabytes a second.
pub(super) fn read(file: &Path, bytes: u64) -> Result<f64> {
    let failure = |why: String| Error::own(ErrorKind::Io, 2, format!("fio: {why}"));
    let output = Command::new("fio")
        .args([
            "--name=scan",
            "--rw=read",
            "--bs=1M",
            "--direct=1",
            "--ioengine=psync",
            "--readonly",
            "--output-format=json",
        ])
        .arg(format!("--filename={}", file.display()))
        .arg(format!("--offset={HEAD_BYTES}"))
        .arg(format!("--size={}", bytes.max(HEAD_BYTES)))
        .output()
        .map_err(|error| failure(error.to_string()))?;
    if !output.status.success() {
        return Err(failure(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    // Notes may stand before the document.
    let document = text.find('{').map_or("", |at| &text[at..]);
    let document: Value = serde_json::from_str(document).map_err(|error| failure(error.to_string()))?;
    document["jobs"][0]["read"]["bw_bytes"]
        .as_f64()
        .filter(|rate| *rate > 0.0)
        .map(|rate| rate / MB)
        .ok_or_else(|| failure("no rate in its report".to_owned()))
}
