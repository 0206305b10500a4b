//! How busy a machine is, as its kernel tells it.

use std::path::Path;

use common::sync::{Arc, Mutex};
use device::FileSystem;

/// Ticks of each processor between two looks: half a second where there are a hundred a second.
const TICKS: u64 = 50;
/// Percent of the processors' time from which on a cell is busy.
const BUSY: u8 = 90;
/// An instance whose machine is busy by so many percent less takes the work back.
const LESS: u8 = 30;
/// Percent of the memory that must be available.
const AVAILABLE: u64 = 5;

/// The processors' use of one machine. Where the kernel tells nothing, nothing is known.
#[derive(Debug)]
pub(crate) struct Machine {
    files: Arc<dyn FileSystem>,
    last: Mutex<Look>,
}

#[derive(Clone, Copy, Default, Debug)]
struct Look {
    /// Ticks of all processors since the machine was started.
    all: u64,
    idle: u64,
    /// Between the last two looks.
    busy_percent: Option<u8>,
}

/// Why a cell leaves the work to the instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shortage {
    /// Its processors are busy, and those of the instance's machine are not.
    Processors,
    Memory,
}

/// Ticks of all processors, those of them that were idle, and the number of processors.
fn ticks(stat: &str) -> Option<(u64, u64, u64)> {
    let mut lines = stat.lines();
    let mut words = lines.next()?.strip_prefix("cpu ")?.split_whitespace();
    let mut of = [0; 8];
    for tick in &mut of {
        *tick = words.next()?.parse().ok()?;
    }
    let [_, _, _, idle, waiting, ..] = of;
    let processors = lines.take_while(|line| line.starts_with("cpu")).count() as u64;
    Some((of.iter().sum(), idle + waiting, processors.max(1)))
}

/// True: less than a twentieth of the memory is available.
fn is_short(meminfo: &str) -> bool {
    let of = |name: &str| -> Option<u64> {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    of("MemTotal:").zip(of("MemAvailable:")).is_some_and(|(all, available)| available * 100 < all * AVAILABLE)
}

impl Machine {
    /// The machine that the files are on.
    pub(crate) fn new(files: Arc<dyn FileSystem>) -> Self {
        Self { files, last: Mutex::default() }
    }

    fn read(&self, path: &str) -> Option<String> {
        String::from_utf8(self.files.read_whole(Path::new(path)).ok()?).ok()
    }

    /// Percent of the processors' time that was used between the last two looks, which are half a second to two seconds
    /// apart. None before there are two.
    pub(crate) fn busy_percent(&self) -> Option<u8> {
        let (all, idle, processors) = ticks(&self.read("/proc/stat")?)?;
        let mut last = self.last.lock();
        let (passed, unused) = (all.saturating_sub(last.all), idle.saturating_sub(last.idle));
        // After a pause the mean would be that of the pause.
        if last.all == 0 || passed > 4 * TICKS * processors {
            *last = Look { all, idle, busy_percent: None };
        } else if passed >= TICKS * processors {
            let percent = 100 * (passed - unused.min(passed)) / passed;
            *last = Look { all, idle, busy_percent: Some(percent as u8) };
        }
        last.busy_percent
    }

    /// What the machine of a cell is short of, for an instance whose own machine is busy by so many percent.
    pub(crate) fn shortage(&self, instance_percent: Option<u8>) -> Option<Shortage> {
        if is_short(&self.read("/proc/meminfo").unwrap_or_default()) {
            return Some(Shortage::Memory);
        }
        let (own, instance) = self.busy_percent().zip(instance_percent)?;
        (own >= BUSY && instance.saturating_add(LESS) <= own).then_some(Shortage::Processors)
    }
}

#[cfg(test)]
mod tests {
    use device::MemoryFileSystem;

    use super::*;

    fn machine() -> (Arc<dyn FileSystem>, Machine) {
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
        files.create_directory(Path::new("/proc")).unwrap();
        (Arc::clone(&files), Machine::new(files))
    }

    /// Two processors, so many ticks since the start of the machine, so many of them idle.
    fn set(files: &dyn FileSystem, all: u64, idle: u64) {
        let text = format!("cpu  {} 0 0 {idle} 0 0 0 0 0 0\ncpu0 1 2 3\ncpu1 1 2 3\nintr 7\n", all - idle);
        files.write_whole(Path::new("/proc/stat"), text.as_bytes()).unwrap();
    }

    #[test]
    fn the_share_is_that_since_the_look_before() {
        let (files, machine) = machine();
        assert_eq!(machine.busy_percent(), None);
        set(&*files, 1_000, 900);
        assert_eq!(machine.busy_percent(), None);
        set(&*files, 1_050, 900);
        assert_eq!(machine.busy_percent(), None, "half a second has not passed");
        set(&*files, 1_200, 950);
        assert_eq!(machine.busy_percent(), Some(75));
        set(&*files, 1_400, 1_150);
        assert_eq!(machine.busy_percent(), Some(0));
        set(&*files, 9_000, 1_150);
        assert_eq!(machine.busy_percent(), None, "nobody has looked for long");
        set(&*files, 9_200, 1_150);
        assert_eq!(machine.busy_percent(), Some(100));
    }

    #[test]
    fn a_busy_cell_leaves_the_work_to_an_instance_that_is_less_busy() {
        let (files, machine) = machine();
        set(&*files, 1_000, 900);
        assert_eq!(machine.shortage(Some(10)), None);
        set(&*files, 1_200, 905);
        assert_eq!(machine.shortage(Some(10)), Some(Shortage::Processors));
        assert_eq!(machine.shortage(Some(80)), None);
        assert_eq!(machine.shortage(None), None);
        set(&*files, 1_400, 1_100);
        assert_eq!(machine.shortage(Some(0)), None);
    }

    #[test]
    fn memory_is_short_when_little_is_available() {
        let (files, machine) = machine();
        let set = |available: u32| {
            let text = format!("MemTotal:  1000 kB\nMemFree:  1 kB\nMemAvailable:  {available} kB\n");
            files.write_whole(Path::new("/proc/meminfo"), text.as_bytes()).unwrap();
        };
        set(50);
        assert_eq!(machine.shortage(None), None);
        set(49);
        assert_eq!(machine.shortage(None), Some(Shortage::Memory));
    }
}
