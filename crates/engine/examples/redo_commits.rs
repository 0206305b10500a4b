//! Commits a second of the redo log in a directory of a real file system, beside the raw rate of single durable blocks.
//!
//! ```text
//! cargo run --release -p engine --example redo_commits -- <directory> [seconds]
//! ```

#![expect(clippy::print_stdout, reason = "a measurement to look at")]

use std::path::Path;

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, spawn};
use common::{Clock, Error, Result, SystemClock};
use device::{AlignedBuffer, FileSystem, OsFileSystem};
use engine::redo::{LogGroupRecord, LogGroupSpec, LogHost, LogOptions, Lsn, RedoLog};
use waits::{Event, Meter, Statistic, SystemMeter};

/// A control file in memory: switches cost a write of the log file's header alone.
struct Control;

impl LogHost for Control {
    fn store(&self, _groups: &[LogGroupRecord]) -> Result<()> {
        Ok(())
    }

    fn scn(&self) -> u64 {
        1
    }

    fn checkpoint_wanted(&self, _before: Lsn, _urgent: bool) {}
}

fn io(error: std::io::Error) -> Error {
    Error::bug(error.to_string())
}

fn raw(files: &Arc<dyn FileSystem>, path: &Path, clock: &SystemClock, micros: u64) -> Result<f64> {
    let device = files.create(path, 8 << 20).map_err(io)?;
    let zeros = AlignedBuffer::zeroed(8 << 20);
    device.write_at(0, &[&zeros]).and_then(|()| device.sync()).map_err(io)?;
    let block = AlignedBuffer::zeroed(512);
    let (since, mut writes) = (clock.monotonic_us(), 0_u64);
    while clock.monotonic_us() - since < micros {
        device.write_durable(writes % 16_384 * 512, &[&block]).map_err(io)?;
        writes += 1;
    }
    files.remove(path).map_err(io)?;
    Ok(writes as f64 * 1e6 / (clock.monotonic_us() - since) as f64)
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or_else(|| Error::user(1, "which directory?"))?;
    let directory = Path::new(&directory).join("redo_commits");
    let micros = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(3_u64) * 1_000_000;
    let files: Arc<dyn FileSystem> = Arc::new(OsFileSystem::new());
    let clock = Arc::new(SystemClock::default());
    files.create_directory(&directory).map_err(io)?;
    println!("raw 512-byte durable writes: {:.0}/s", raw(&files, &directory.join("raw"), &clock, micros)?);
    let specs = [LogGroupSpec::usual(1, 1, 256 << 20), LogGroupSpec::usual(2, 1, 256 << 20)];
    let groups = RedoLog::create(&files, &directory, &specs)?;
    for threads in [1, 4, 16] {
        let system = SystemMeter::new();
        let lgwr = Meter::new(&system, clock.clone(), 3, 1);
        let host = Arc::new(Control);
        let options = LogOptions { database: 1, buffer_bytes: 8 << 20, checkpoint: None, recovered: None };
        let health = Arc::default();
        let log = RedoLog::open(files.clone(), &directory, groups.clone(), host, health, lgwr.clone(), &options)?;
        let stop = Arc::new(AtomicBool::new(false));
        let since = clock.monotonic_us();
        let mut sessions = Vec::new();
        for _ in 0..threads {
            let (log, stop, meter) = (log.clone(), stop.clone(), Meter::new(&system, clock.clone(), 9, 1));
            let run = move || -> Result<u64> {
                let mut record = vec![1; 500];
                record[..4].copy_from_slice(&500_u32.to_le_bytes());
                let mut commits = 0;
                while !stop.load(Ordering::Relaxed) {
                    let (_, end) = log.append(&meter, &record)?;
                    log.wait_durable(&meter, end)?;
                    commits += 1;
                }
                Ok(commits)
            };
            sessions.push(spawn("session", run).map_err(io)?);
        }
        std::thread::sleep(std::time::Duration::from_micros(micros));
        stop.store(true, Ordering::Relaxed);
        let mut commits = 0;
        for session in sessions {
            commits += session.join().map_err(|_| Error::bug("a session panicked"))??;
        }
        let seconds = (clock.monotonic_us() - since) as f64 / 1e6;
        let writes = lgwr.value(Statistic::RedoWrites);
        let (write, sync) = (lgwr.event(Event::LogFileParallelWrite), system.snapshot().event(Event::LogFileSync));
        println!(
            "{threads:2} sessions: {:.0} commits/s, {:.0} writes/s, log file parallel write {:.0} us, log file sync {:.0} us",
            commits as f64 / seconds,
            writes as f64 / seconds,
            write.micros as f64 / write.waits.max(1) as f64,
            sync.micros as f64 / sync.waits.max(1) as f64,
        );
    }
    for name in groups.iter().flat_map(|group| &group.members) {
        files.remove(&directory.join(name)).map_err(io)?;
    }
    Ok(())
}
