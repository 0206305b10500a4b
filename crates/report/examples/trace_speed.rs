//! Speed and memory of reading a trace: `cargo run --release -p report --example trace_speed [MEGABYTES | FILE]`.
//!
//! Without a file it writes a made-up trace of that many megabytes (1,000 unless told) to a temporary file first:
//! single-row statements with binds and reads, recursive calls, row sources, a few thousand different statements, waits
//! for half a million different blocks. Then it reads the file record by record, sums it up as TKPROF, and makes the
//! profile, and prints megabytes a second of CPU time of one core, and the peak of resident memory.

#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used, reason = "a benchmark")]

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use report::{profile, tkprof, trace};

/// A generator of numbers that are random enough (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Writes at least `bytes` of a trace in the layout of 19c.
fn generate(out: &mut impl Write, bytes: u64) -> io::Result<()> {
    const STATEMENTS: u64 = 4000;
    const CURSORS: u64 = 50;
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut time: u64 = 4_000_000_000;
    let mut written = 0;
    writeln!(out, "Trace file /u01/trace/toy_ora_4711.trc")?;
    writeln!(out, "Oracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production\nVersion 19.22.0.0.0")?;
    writeln!(out, "Instance name: toy\n\n*** SESSION ID:(12.345) 2024-01-01T00:00:00.000000+00:00\n")?;
    let mut parsed = vec![false; CURSORS as usize];
    let mut line = Vec::new();
    while written < bytes {
        line.clear();
        let slot = numbers.below(CURSORS);
        let cursor = 140_489_000_000_000 + slot * 1640;
        if !parsed[slot as usize] || numbers.below(200) == 0 {
            parsed[slot as usize] = true;
            let number = numbers.below(STATEMENTS);
            let text =
                format!("select a, b, c from t{number} where id = :1 and state = 'open' and changed > :2 order by a");
            let length = text.len();
            writeln!(line, "=====================")?;
            writeln!(
                line,
                "PARSING IN CURSOR #{cursor} len={length} dep=0 uid=110 oct=3 lid=110 tim={time} hv=4144812{number} ad='78724{number}' sqlid='8akhaf{number}'"
            )?;
            writeln!(line, "{text}\nEND OF STMT")?;
            time += 90;
            writeln!(
                line,
                "PARSE #{cursor}:c=80,e=90,p=0,cr=0,cu=0,mis=1,r=0,dep=0,og=1,plh=3811210{number},tim={time}"
            )?;
        }
        if numbers.below(4) == 0 {
            writeln!(line, "BINDS #{cursor}:\n Bind#0\n  oacdty=02 mxl=22(22) mxlc=00 mal=00 scl=00 pre=00")?;
            writeln!(
                line,
                "  oacflg=03 fl2=1000000 frm=00 csi=00 siz=24 off=0\n  kxsbbbfp=7f66fbf5e2a0  bln=22  avl=03  flg=05\n  value={}",
                numbers.below(100_000)
            )?;
        }
        if numbers.below(20) == 0 {
            time += 40;
            let inner = 140_489_900_000_000u64;
            writeln!(
                line,
                "EXEC #{inner}:c=20,e=40,p=0,cr=2,cu=0,mis=0,r=0,dep=1,og=4,plh=17,tim={time}\nCLOSE #{inner}:c=1,e=1,dep=1,type=3,tim={time}"
            )?;
        }
        time += 60;
        writeln!(line, "EXEC #{cursor}:c=55,e=60,p=0,cr=0,cu=0,mis=0,r=0,dep=0,og=1,plh=3811210,tim={time}")?;
        let mut elapsed = 30;
        let reads = numbers.below(4);
        for _ in 0..reads {
            let waited = 100 + numbers.below(9_000);
            time += waited;
            elapsed += waited;
            let (file, block, object) = (4 + numbers.below(6), numbers.below(80_000), 90_000 + numbers.below(40));
            writeln!(
                line,
                "WAIT #{cursor}: nam='db file sequential read' ela= {waited} file#={file} block#={block} blocks=1 obj#={object} tim={time}"
            )?;
        }
        time += 30;
        writeln!(
            line,
            "FETCH #{cursor}:c=25,e={elapsed},p={reads},cr=4,cu=0,mis=0,r=1,dep=0,og=1,plh=3811210,tim={time}"
        )?;
        writeln!(
            line,
            "WAIT #{cursor}: nam='SQL*Net message to client' ela= 1 driver id=1650815232 #bytes=1 p3=0 obj#=-1 tim={time}"
        )?;
        let thought = 200 + numbers.below(500);
        time += thought;
        writeln!(
            line,
            "WAIT #{cursor}: nam='SQL*Net message from client' ela= {thought} driver id=1650815232 #bytes=1 p3=0 obj#=-1 tim={time}"
        )?;
        if numbers.below(50) == 0 {
            writeln!(
                line,
                "STAT #{cursor} id=1 cnt=1 pid=0 pos=1 obj=0 op='SORT ORDER BY (cr=4 pr=0 pw=0 str=1 time=48 us cost=15 size=685 card=5)'"
            )?;
            writeln!(
                line,
                "STAT #{cursor} id=2 cnt=1 pid=1 pos=1 obj=90001 op='TABLE ACCESS BY INDEX ROWID BATCHED T (cr=4 pr=0 pw=0 str=1 time=22 us cost=4 size=135 card=5)'"
            )?;
            writeln!(line, "CLOSE #{cursor}:c=10,e=10,dep=0,type=1,tim={time}\nXCTEND rlbk=0, rd_only=1, tim={time}")?;
        }
        out.write_all(&line)?;
        written += line.len() as u64;
    }
    Ok(())
}

/// Seconds of CPU time, in user and system mode, and the peak of resident memory in MiB.
fn usage() -> (f64, f64) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks: f64 = after.split_ascii_whitespace().skip(11).take(2).filter_map(|word| word.parse::<f64>().ok()).sum();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.split_ascii_whitespace().next()?.parse::<f64>().ok());
    (ticks / 100.0, peak.unwrap_or_default() / 1024.0)
}

fn measure(name: &str, path: &Path, work: impl FnOnce(File) -> String) {
    let file = File::open(path).unwrap();
    let megabytes = file.metadata().unwrap().len() as f64 / 1e6;
    let ((cpu, _), start) = (usage(), Instant::now());
    let result = work(file);
    let (elapsed, (cpu_after, peak)) = (start.elapsed().as_secs_f64(), usage());
    let used = cpu_after - cpu;
    println!(
        "{name:<10} {megabytes:>8.1} MB {elapsed:>7.2} s {used:>7.2} s CPU {:>7.0} MB/s a core  peak {peak:>6.1} MiB  {result}",
        megabytes / used.max(0.001)
    );
}

fn main() {
    let argument = std::env::args().nth(1).unwrap_or_else(|| "1000".into());
    let mut temporary = None;
    let path = match argument.parse::<u64>() {
        Err(_) => PathBuf::from(argument),
        Ok(megabytes) => {
            let file = tempfile::NamedTempFile::new().unwrap();
            let mut out = BufWriter::with_capacity(1 << 20, file.as_file());
            generate(&mut out, megabytes * 1_000_000).unwrap();
            out.flush().unwrap();
            drop(out);
            let path = file.path().to_owned();
            temporary = Some(file);
            path
        }
    };
    measure("records", &path, |file| {
        let mut records = 0u64;
        trace::read(file, &mut |_| {
            records += 1;
            Ok(())
        })
        .unwrap();
        format!("{records} records")
    });
    measure("tkprof", &path, |file| {
        let summary = tkprof::summarise(file, &tkprof::Options::default()).unwrap();
        format!("{} statements", summary.statements.len())
    });
    measure("profile", &path, |file| {
        let profile = profile::read(file, &tkprof::Options::default()).unwrap();
        let sum: i64 = profile.lines.iter().map(|line| line.total_ns).sum();
        assert_eq!(sum, profile.elapsed_ns, "the profile adds up");
        if std::env::var_os("PRINT").is_some() {
            profile::print(&profile, &profile::ProfileOptions::default(), &mut io::stdout()).unwrap();
        }
        format!(
            "{:.1} s of wall clock, {} not understood",
            profile.elapsed_ns as f64 / 1e9,
            profile.summary.reading.not_understood
        )
    });
    drop(temporary);
}
