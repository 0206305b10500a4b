//! I/O by tablespace and file; buffer pools. A row of files takes two lines: the names, and below them the figures.

use super::Section;
use super::column::Field::{Number, Optional, Text};
use super::column::{Column, Unit, column, count, figure, milliseconds, number, of, worked_out};
use crate::model::{BufferPool, FileHistogram, FileIo, Report};
use crate::page::text;

const READS: Column<FileIo> = column(&[], figure(0, of!(FileIo.reads))).needed().right(&["Reads"], 14);
const READS_A_SECOND: Column<FileIo> =
    column(&["avrdss", "readsavgs", "avgreadss"], number(2, of!(FileIo.reads_per_s))).right(&["Av", "Reads/s"], 7);
const READ_TIME: Column<FileIo> =
    column(&["avgrdms", "avreadms"], milliseconds(3, of!(FileIo.read_ms))).right(&["Av", "Rd(ms)"], 6);
const BLOCKS_A_READ: Column<FileIo> =
    column(&["avgblksrd"], number(1, of!(FileIo.blocks_per_read))).right(&["Av", "Blks/Rd"], 7);
const WRITES: Column<FileIo> = column(&[], figure(0, of!(FileIo.writes))).right(&["Writes"], 12);
const WRITES_A_SECOND: Column<FileIo> =
    column(&["writesavgs", "avgwritess"], number(2, of!(FileIo.writes_per_s))).right(&["Av", "Writes/s"], 8);
const BUFFER_WAITS: Column<FileIo> =
    column(&["bufwaits"], count(of!(FileIo.buffer_waits))).right(&["Buffer", "Waits"], 10);
const BUFFER_WAIT_TIME: Column<FileIo> =
    column(&["avgbufwtms", "avgbufwaitms"], Number(Unit::Milliseconds, 1, of!(FileIo.buffer_wait_ms)))
        .right(&["Av Buf", "Wt(ms)"], 6);
/// One-block reads, where the release tells them apart; Statspack does not.
const SINGLE_READS_A_SECOND: Column<FileIo> =
    column(&["1bkrdss", "1bkreadss", "av1bkrdss"], number(0, of!(FileIo.single_reads_per_s)));
const SINGLE_READ_TIME: Column<FileIo> =
    column(&["av1bkrdms", "av1bkreadms"], milliseconds(0, of!(FileIo.single_read_ms)));
/// Statspack prints no time of a write.
const WRITE_TIME: Column<FileIo> = column(&["avwtms", "avwritems", "avgwrms"], milliseconds(0, of!(FileIo.write_ms)));

pub(crate) static TABLESPACES: Section<FileIo> = Section::new(
    "Tablespace IO Stats",
    &["->ordered by IOs (Reads + Writes) desc"],
    &[
        column(&["tablespacename"], Text(of!(FileIo.tablespace))).key().left(&["Tablespace"], 30),
        READS,
        READS_A_SECOND,
        READ_TIME,
        BLOCKS_A_READ,
        SINGLE_READS_A_SECOND,
        SINGLE_READ_TIME,
        WRITES,
        WRITES_A_SECOND,
        WRITE_TIME,
        BUFFER_WAITS,
        BUFFER_WAIT_TIME,
    ],
    of!(Report.tablespaces),
)
.two_lines(1, false);

/// The second file of a tablespace may leave its name out.
pub(crate) static FILES: Section<FileIo> = Section::new(
    "File IO Stats",
    &["->Mx Rd Bkt: Max bucket time for single block read", "->ordered by Tablespace, File"],
    &[
        column(&["tablespacename"], Text(of!(FileIo.tablespace))).or_above(&[]).left(&["Tablespace"], 24),
        column(&["file"], Optional(of!(FileIo.file))).needed().left(&["Filename"], 52),
        READS,
        READS_A_SECOND,
        READ_TIME.right(&["Av", "Rd", "(ms)"], 5),
        SLOWEST_READS,
        BLOCKS_A_READ,
        SINGLE_READS_A_SECOND,
        SINGLE_READ_TIME,
        WRITES,
        WRITES_A_SECOND,
        WRITE_TIME,
        BUFFER_WAITS,
        BUFFER_WAIT_TIME.right(&["Av", "BufWt", "(ms)"], 6),
    ],
    of!(Report.files),
)
.two_lines(2, true);

/// The last range of the file's histogram that has a read.
const SLOWEST_READS: Column<FileIo> = column(
    &[],
    worked_out(|line: &FileIo, printing| {
        let mut files = printing.report.file_histograms.iter().flatten();
        let file = files.find(|file| file.tablespace == line.tablespace && Some(&file.file) == line.file.as_ref());
        let last = file.and_then(|file| file.reads.iter().rposition(|reads| reads.is_some_and(|reads| reads > 0.0)));
        text(last.map_or("", |at| ["2", "4", "8", "16", "32", "32+"][at]))
    }),
)
.right(&["Mx", "Rd", "Bkt"], 3);

/// One-block reads of files by how long they took.
pub(crate) static FILE_HISTOGRAMS: Section<FileHistogram> = Section::new(
    "File Read Histogram Stats",
    &["->Number of single block reads in each time range", "->ordered by Tablespace, File"],
    &[
        column(&[], Text(of!(FileHistogram.tablespace))).needed().left(&["Tablespace"], 24),
        column(&[], Text(of!(FileHistogram.file))).key().left(&["Filename"], 52),
        column(&[], count(of!(FileHistogram.reads[0]))).needed().right(&["0 - 2 ms"], 12),
        column(&[], count(of!(FileHistogram.reads[1]))).needed().right(&["2 - 4 ms"], 12),
        column(&[], count(of!(FileHistogram.reads[2]))).needed().right(&["4 - 8 ms"], 12),
        column(&[], count(of!(FileHistogram.reads[3]))).needed().right(&["8 - 16 ms"], 12),
        column(&[], count(of!(FileHistogram.reads[4]))).needed().right(&["16 - 32 ms"], 12),
        column(&[], count(of!(FileHistogram.reads[5]))).needed().right(&["32+ ms"], 12),
    ],
    of!(Report.file_histograms),
)
.two_lines(2, true)
.left_out_without_data();

pub(crate) static BUFFER_POOLS: Section<BufferPool> = Section::new(
    "Buffer Pool Statistics",
    &[
        "-> Standard block size Pools  D: default,  K: keep,  R: recycle",
        "-> Default Pools for other block sizes: 2k, 4k, 8k, 16k, 32k",
        "-> Buffers: the number of buffers.  Units of K, M, G are divided by 1000",
    ],
    &[
        column(&["pool", "name"], Text(of!(BufferPool.name))).key().left(&["P"], 3),
        column(&["numberofbuffers"], count(of!(BufferPool.buffers))).right(&["Buffers"], 7),
        column(&["cachehit%", "hit%"], number(1, of!(BufferPool.hit_percent))).right(&["Pool", "Hit%"], 4),
        column(&["gets"], count(of!(BufferPool.gets))).needed().right(&["Buffer", "Gets"], 14),
        column(&["physreads"], count(of!(BufferPool.reads))).right(&["Physical", "Reads"], 12),
        column(&["physwrites"], count(of!(BufferPool.writes))).right(&["Physical", "Writes"], 11),
        column(&["freebuffwait", "freebuffwaits", "freebufferwait"], count(of!(BufferPool.free_buffer_waits)))
            .right(&["Free", "Buffer", "Waits"], 7),
        column(
            &["writcompwaits", "writecompletewaits", "writecompletewait", "writecompwaits"],
            count(of!(BufferPool.write_complete_waits)),
        )
        .right(&["Writ", "Comp", "Wait"], 4),
        column(&["busywaits"], count(of!(BufferPool.buffer_busy_waits))).right(&["Buffer", "Busy", "Waits"], 10),
    ],
    of!(Report.buffer_pools),
);
