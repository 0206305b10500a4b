//! The machine's figures, from Linux's /proc; empty without it.

use report::statspack::records::OsStatistic;

/// Linux counts processor time in ticks of a hundredth of a second, whatever its own clock's rate.
const CENTISECONDS_A_TICK: f64 = 1.0;

pub(super) fn statistics() -> Vec<OsStatistic> {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let mut found = processors(&read("/proc/stat"));
    found.extend(load(&read("/proc/loadavg")));
    found.extend(memory(&read("/proc/meminfo")));
    found.into_iter().map(|(name, value)| OsStatistic { name: name.to_owned(), value }).collect()
}

/// The line `cpu user nice system idle iowait irq softirq …`, and the number of processors with a line of their own.
fn processors(stat: &str) -> Vec<(&'static str, f64)> {
    let Some(line) = stat.lines().find_map(|line| line.strip_prefix("cpu ")) else { return Vec::new() };
    let ticks: Vec<f64> = line.split_whitespace().map_while(|tick| tick.parse().ok()).collect();
    let [user, nice, system, idle, wait, irq, soft, ..] = ticks[..] else { return Vec::new() };
    let own = |line: &&str| line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let system = system + irq + soft;
    let time = |ticks: f64| ticks * CENTISECONDS_A_TICK;
    vec![
        ("NUM_CPUS", stat.lines().filter(own).count() as f64),
        ("BUSY_TIME", time(user + nice + system)),
        ("USER_TIME", time(user)),
        ("NICE_TIME", time(nice)),
        ("SYS_TIME", time(system)),
        // As in Oracle, waiting for a disk counts as idle.
        ("IDLE_TIME", time(idle + wait)),
        ("IOWAIT_TIME", time(wait)),
    ]
}

fn load(average: &str) -> Option<(&'static str, f64)> {
    Some(("LOAD", average.split_whitespace().next()?.parse().ok()?))
}

fn memory(info: &str) -> Option<(&'static str, f64)> {
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(("PHYSICAL_MEMORY_BYTES", kilobytes * 1_024.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_figures_are_read() {
        let stat =
            "cpu  100 20 30 400 50 6 4 0 0 0\ncpu0 50 10 15 200 25 3 2 0 0 0\ncpu1 50 10 15 200 25 3 2 0 0 0\nctxt 7\n";
        let found = processors(stat);
        let value = |name| found.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        assert_eq!((value("NUM_CPUS"), value("BUSY_TIME"), value("IDLE_TIME")), (Some(2.0), Some(160.0), Some(450.0)));
        assert_eq!(memory("MemFree: 3 kB\nMemTotal:   2 kB\n"), Some(("PHYSICAL_MEMORY_BYTES", 2048.0)));
        assert_eq!((load("0.52 0.1 0.2 1/2 3"), processors("").len()), (Some(("LOAD", 0.52)), 0));
    }
}
