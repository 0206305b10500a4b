//! What a part of a plan costs.

/// Blocks of a multiblock read in costs, where DB_FILE_MULTIBLOCK_READ_COUNT is not set: so it is in Oracle, which
/// reads more of them at a time.
const BLOCKS_A_READ: f64 = 8.0;
/// Oracle's system statistics without a workload: milliseconds of a seek, and bytes a millisecond.
const SEEK_MS: f64 = 10.0;
const BYTES_A_MS: f64 = 4096.0;

/// Microseconds of work on cached blocks: chosen by us, of the order that the benchmarks of scans and of statements by
/// key show; none of them has been fitted.
const BLOCK_US: f64 = 1.3;
/// A read from a disk of today.
const READ_US: f64 = 80.0;
const ROW_US: f64 = 0.026;
const FETCH_US: f64 = 0.4;
const BUILD_US: f64 = 0.1;
const PROBE_US: f64 = 0.05;
const SORT_US: f64 = 0.02;

/// Blocks and work.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(crate) struct Cost {
    /// Reads, each as long as one of a single block.
    pub(crate) reads: f64,
    /// Microseconds of a processor.
    pub(crate) cpu_us: f64,
}

impl std::ops::Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { reads: self.reads + other.reads, cpu_us: self.cpu_us + other.cpu_us }
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(each: I) -> Self {
        each.fold(Self::default(), |sum, cost| sum + cost)
    }
}

impl Cost {
    /// Microseconds where such a share of the blocks is cached: the measure by which joins are compared.
    pub(crate) fn micros(self, cached: f64) -> f64 {
        self.reads * (BLOCK_US * cached + READ_US * (1.0 - cached)) + self.cpu_us
    }

    /// The COST of plans: in reads of a single block of 8 KB.
    pub(crate) fn shown(self) -> u64 {
        let reads = self.reads.round();
        let all = (self.reads + self.cpu_us / (single_ms(8192) * 1000.0)).round();
        all.max(reads).max(f64::from(u8::from(self.reads > 0.0))) as u64
    }

    /// A read of all blocks and rows of a table.
    pub(crate) fn of_scan(blocks: f64, rows: f64, block_bytes: usize, blocks_a_read: Option<u32>) -> Self {
        Self { reads: full_scan_reads(blocks, block_bytes, blocks_a_read), cpu_us: rows * ROW_US }
    }

    /// An index that leads to so many rows, with visits of so many blocks.
    pub(crate) fn of_index(visits: f64, rows: f64) -> Self {
        Self { reads: visits, cpu_us: rows * FETCH_US }
    }

    /// Entries of an index that have all that is wanted.
    pub(crate) fn of_entries(reads: f64, entries: f64) -> Self {
        Self { reads, cpu_us: entries * ROW_US }
    }

    /// A lookup for each of so many rows.
    pub(crate) fn of_lookups(self, rows: f64) -> Self {
        Self { reads: self.reads * rows, cpu_us: self.cpu_us * rows }
    }

    /// A hash join, beside its inputs.
    pub(crate) fn of_hash(build: f64, probe: f64, out: f64) -> Self {
        Self { reads: 0.0, cpu_us: build * BUILD_US + probe * PROBE_US + out * ROW_US }
    }

    /// Every row of one side with every row of the other.
    pub(crate) fn of_pairs(left: f64, right: f64) -> Self {
        Self { reads: 0.0, cpu_us: left * right * ROW_US }
    }

    /// A sort in memory.
    pub(crate) fn of_sort(rows: f64) -> Self {
        Self { reads: 0.0, cpu_us: rows * rows.max(2.0).log2() * SORT_US }
    }
}

fn single_ms(block_bytes: usize) -> f64 {
    SEEK_MS + block_bytes as f64 / BYTES_A_MS
}

/// The reads of a full scan: one for the segment header, and those of its multiblock reads, each as long as one of a
/// single block. `blocks_a_read`: DB_FILE_MULTIBLOCK_READ_COUNT, where it is set.
pub(crate) fn full_scan_reads(blocks: f64, block_bytes: usize, blocks_a_read: Option<u32>) -> f64 {
    let count = blocks_a_read.map_or(BLOCKS_A_READ, f64::from).max(1.0);
    let multiblock_ms = SEEK_MS + count * block_bytes as f64 / BYTES_A_MS;
    1.0 + blocks / count * multiblock_ms / single_ms(block_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_reads_make_a_scan_cheaper() {
        let by = |count| full_scan_reads(1000.0, 8192, count);
        assert!((by(None) - 1.0 - 1000.0 / 8.0 * 26.0 / 12.0).abs() < 1e-9);
        assert!(by(Some(4)) > by(None) && by(Some(128)) < by(None));
        assert!((by(Some(1)) - 1001.0).abs() < 1e-9);
    }

    /// Rows and blocks of the paper on block sizes; the table of docs/reference/plans.md.
    #[test]
    fn the_costs_that_the_reference_shows() {
        let tables = [(2048, 493_333.0), (4096, 232_603.0), (8192, 113_157.0), (16384, 55_822.0)];
        let costs = tables.map(|(bytes, blocks)| Cost::of_scan(blocks, 7_197_670.0, bytes, None).shown());
        assert_eq!(costs, [82_239, 47_594, 30_663, 20_950]);
        let page = include_str!("../../../../docs/reference/plans.md");
        for ((_, blocks), cost) in tables.iter().zip(costs) {
            let [blocks, cost] = [*blocks as u64, cost].map(|n| format!("{},{:03}", n / 1000, n % 1000));
            let row = page.lines().find(|line| line.contains(&format!("| {blocks} |")));
            assert!(row.is_some_and(|row| row.contains(&format!("| {cost} |"))), "{blocks}: {cost} in {row:?}");
        }
    }
}
