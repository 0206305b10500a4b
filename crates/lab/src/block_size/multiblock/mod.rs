//! One table in blocks of four sizes, each read from the first row to the last with nothing cached.
//!
//! ```text
//! table.rs     flat file -> external table -> a table of each block size, in a disk group
//! work.rs      the scans      requests.rs  what the trace says of them
//! measured.rs -> judge.rs -> print.rs, JSON
//! ```

pub mod judge;
pub mod measured;
pub(super) mod print;
mod requests;
pub(crate) mod table;
mod work;

use common::Result;

use crate::laboratory::Laboratory;
use crate::options::{Options, wrong_use};
use crate::progress::Progress;
use crate::text::grouped;
use measured::{Arm, Measured};

/// The block sizes.
pub(crate) const BLOCK_BYTES: [u32; 4] = [2048, 4096, 8192, 16384];
/// TPC-DS's scale factor at scale 1, and the scale that is used when none is given.
pub(crate) const SCALE_FACTOR: f64 = 100.0;
const SCALE: f64 = 0.1;
const SCALE_LEAST: f64 = 0.000_1;
/// Megabytes of cache of each block size, and sessions: for each of these there must be 1 MB, or reads are smaller.
const CACHE_MB: u32 = 32;
const SESSIONS: u32 = 30;

/// Runs the part; what is to be said of it goes to `notes`.
///
/// # Errors
/// HW-0003 for options out of range; those of making the flat file, the disks, the database, and of the statements.
pub(super) fn run(options: &Options, notes: &mut Vec<String>, progress: &mut dyn Progress) -> Result<Measured> {
    let repetitions = super::pctfree::repetitions(options)?;
    let scale = options.scale.unwrap_or(SCALE);
    if !(SCALE_LEAST..=1_000.0).contains(&scale) {
        return Err(wrong_use(format!("{}: scale is from {SCALE_LEAST} to 1000, not {scale}", super::MULTIBLOCK)));
    }
    progress.step("making the database");
    let caches = BLOCK_BYTES.map(|bytes| (super::cache_parameter(bytes), format!("{CACHE_MB}M")));
    let sessions = ("sessions".to_owned(), SESSIONS.to_string());
    let parameters: Vec<_> = caches.into_iter().chain([sessions]).collect();
    let parameters: Vec<_> = parameters.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let data = options.data.as_ref().map(|data| data.join(super::MULTIBLOCK));
    let laboratory = Laboratory::create(data.as_deref(), &parameters)?;
    let flat = table::make_flat_file(laboratory.directory(), scale * SCALE_FACTOR, progress)?;
    let mut connection = laboratory.connect()?;
    table::make_group(&laboratory, &mut connection, scale, progress)?;
    let mut arms = Vec::new();
    for bytes in BLOCK_BYTES {
        progress.step(&format!("loading {} rows into blocks of {bytes} bytes", grouped(flat.rows)));
        let (load_s, segment_bytes) = table::make(&mut connection, bytes)?;
        arms.push(Arm { block_bytes: bytes, segment_bytes, load_s, runs: Vec::new() });
    }
    drop(connection);
    for repetition in 1..=repetitions {
        for arm in &mut arms {
            progress.step(&format!(
                "repetition {repetition} of {repetitions}: reading blocks of {} bytes",
                arm.block_bytes
            ));
            arm.runs.push(work::scan(&laboratory, arm.block_bytes, None, repetition)?);
        }
    }
    let mut counts = Vec::new();
    for count in [0, 1, 16] {
        progress.step(&format!("db_file_multiblock_read_count = {count}"));
        counts.push((count, work::scan(&laboratory, work::COUNTED_BYTES, Some(count), 0)?));
    }
    progress.step("closing the database");
    laboratory.close()?;
    notes.push(format!(
        "{}: {CACHE_MB} MB of cache of each block size, not used by these direct path reads and flushed before each; {SESSIONS} sessions",
        super::MULTIBLOCK
    ));
    Ok(Measured { flat, arms, counts })
}
