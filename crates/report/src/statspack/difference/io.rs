//! Tablespaces, files, buffer pools, storage cells.

use std::collections::BTreeMap;

use super::super::records::{BufferPool as Pool, FileStatistics};
use super::first_page::block_bytes;
use super::{Pair, descending, over, percent, since, some};
use crate::figure::Figure;
use crate::model::{BufferPool, FileHistogram, FileIo, Report, StorageCell};

/// I/O of a file, or of all files of a tablespace, within the window.
#[derive(Clone, Copy, Default)]
struct FileWork {
    reads: f64,
    writes: f64,
    read_centiseconds: f64,
    blocks_read: f64,
    buffer_waits: f64,
    buffer_wait_centiseconds: f64,
}

impl FileWork {
    fn of(now: &FileStatistics, before: &FileStatistics) -> Self {
        Self {
            reads: since(now.reads, before.reads),
            writes: since(now.writes, before.writes),
            read_centiseconds: now.read_centiseconds - before.read_centiseconds,
            blocks_read: since(now.blocks_read, before.blocks_read),
            buffer_waits: since(now.buffer_waits, before.buffer_waits),
            buffer_wait_centiseconds: now.buffer_wait_centiseconds - before.buffer_wait_centiseconds,
        }
    }

    fn add(&mut self, other: Self) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.read_centiseconds += other.read_centiseconds;
        self.blocks_read += other.blocks_read;
        self.buffer_waits += other.buffer_waits;
        self.buffer_wait_centiseconds += other.buffer_wait_centiseconds;
    }
}

impl Pair<'_> {
    pub(super) fn io(&self, report: &mut Report) {
        let mut files = Vec::new();
        let mut tablespaces: BTreeMap<&str, FileWork> = BTreeMap::new();
        for file in &self.end.files {
            let mut earlier = self.begin.files.iter();
            let before = earlier.find(|before| before.tablespace == file.tablespace && before.file == file.file);
            let work = FileWork::of(file, &before.cloned().unwrap_or_default());
            if work.reads + work.writes == 0.0 {
                continue;
            }
            files.push(self.file_io(&file.tablespace, Some(&file.file), work));
            tablespaces.entry(&file.tablespace).or_default().add(work);
        }
        files.sort_by(|one, other| (&one.tablespace, &one.file).cmp(&(&other.tablespace, &other.file)));
        let mut lines: Vec<FileIo> =
            tablespaces.into_iter().map(|(name, work)| self.file_io(name, None, work)).collect();
        let count = |figure: Option<Figure>| figure.map_or(0.0, |figure| figure.value);
        descending(&mut lines, |line| count(line.reads) + count(line.writes), |_| 0.0, |line| &line.tablespace);
        report.tablespaces = some(lines);
        report.files = some(files);
        report.file_histograms = some(self.file_histograms());
        report.buffer_pools = some(self.buffer_pools());
        report.storage_cells = some(self.storage_cells());
    }

    fn storage_cells(&self) -> Vec<StorageCell> {
        let mut lines = Vec::new();
        for cell in &self.end.cells {
            let before = self.begin.cells.iter().find(|before| before.cell == cell.cell).cloned().unwrap_or_default();
            let mb = |now: u64, before: u64| Some(Figure::exact(since(now, before) / f64::from(1 << 20)));
            let requests =
                [since(cell.reads, before.reads), since(cell.writes, before.writes), since(cell.scans, before.scans)];
            if requests == [0.0; 3] {
                continue;
            }
            let [reads, writes, scans] = requests.map(Some);
            let (sent_mb, received_mb) =
                (mb(cell.bytes_sent, before.bytes_sent), mb(cell.bytes_received, before.bytes_received));
            lines.push(StorageCell { cell: cell.cell.clone(), reads, writes, scans, sent_mb, received_mb });
        }
        descending(&mut lines, |line| line.received_mb.map_or(0.0, |mb| mb.value), |_| 0.0, |line| &line.cell);
        lines
    }

    fn file_io(&self, tablespace: &str, file: Option<&String>, work: FileWork) -> FileIo {
        FileIo {
            tablespace: tablespace.to_owned(),
            file: file.cloned(),
            reads: Some(Figure::exact(work.reads)),
            reads_per_s: self.per_second(work.reads),
            read_ms: over(10.0 * work.read_centiseconds, work.reads).map(Figure::exact),
            blocks_per_read: over(work.blocks_read, work.reads),
            writes: Some(Figure::exact(work.writes)),
            writes_per_s: self.per_second(work.writes),
            buffer_waits: Some(work.buffer_waits),
            buffer_wait_ms: over(10.0 * work.buffer_wait_centiseconds, work.buffer_waits),
            ..FileIo::default()
        }
    }

    fn file_histograms(&self) -> Vec<FileHistogram> {
        let mut files: BTreeMap<(&str, &str), [f64; 6]> = BTreeMap::new();
        for bucket in &self.end.file_histograms {
            let mut earlier = self.begin.file_histograms.iter();
            let before = earlier.find(|before| {
                (&before.tablespace, &before.file, before.below_ms)
                    == (&bucket.tablespace, &bucket.file, bucket.below_ms)
            });
            let reads = since(bucket.reads, before.map_or(0, |before| before.reads));
            let at = [2, 4, 8, 16, 32].partition_point(|bound| *bound < bucket.below_ms);
            files.entry((&bucket.tablespace, &bucket.file)).or_default()[at] += reads;
        }
        files
            .into_iter()
            .filter(|(_, reads)| reads.iter().any(|reads| *reads > 0.0))
            .map(|((tablespace, file), reads)| FileHistogram {
                tablespace: tablespace.to_owned(),
                file: file.to_owned(),
                reads: reads.map(Some),
            })
            .collect()
    }

    fn buffer_pools(&self) -> Vec<BufferPool> {
        let standard = block_bytes(self.end);
        let name = |pool: &Pool| match pool.name.as_str() {
            "KEEP" => "K".to_owned(),
            "RECYCLE" => "R".to_owned(),
            _ if standard.is_none_or(|bytes| bytes == pool.block_size as f64) => "D".to_owned(),
            _ => format!("{}k", pool.block_size / 1024),
        };
        let line = |pool: &Pool| {
            let mut earlier = self.begin.buffer_pools.iter();
            let before = earlier.find(|before| before.name == pool.name && before.block_size == pool.block_size);
            let before = before.cloned().unwrap_or_default();
            let gets =
                since(pool.current_gets, before.current_gets) + since(pool.consistent_gets, before.consistent_gets);
            let reads = since(pool.reads, before.reads);
            BufferPool {
                name: name(pool),
                buffers: Some(pool.buffers as f64),
                hit_percent: percent(gets - reads, gets),
                gets: Some(gets),
                reads: Some(reads),
                writes: Some(since(pool.writes, before.writes)),
                free_buffer_waits: Some(since(pool.free_buffer_waits, before.free_buffer_waits)),
                write_complete_waits: Some(since(pool.write_complete_waits, before.write_complete_waits)),
                buffer_busy_waits: Some(since(pool.buffer_busy_waits, before.buffer_busy_waits)),
            }
        };
        self.end.buffer_pools.iter().map(line).collect()
    }
}
