//! The machine: how busy, how many want to run, how much memory is left.

use report::model::Report;

use super::ledger::{Ledger, input};
use crate::screen::number::{bytes, number, percent, seconds};

#[derive(Debug, Default)]
pub(crate) struct Host {
    pub(crate) cpus: Option<f64>,
    pub(crate) cores: Option<f64>,
    /// Processors of the larger machine that this one may use, if it is a part of one.
    pub(crate) virtual_cpus: Option<f64>,
    /// Idle CPU time with a read or write of the system under way, over all CPU time.
    pub(crate) io_wait_share: Option<f64>,
    /// Busy CPU over all CPU time, 0 to 1.
    pub(crate) busy: Option<f64>,
    /// The larger of the loads at both ends.
    pub(crate) load_max: Option<f64>,
    pub(crate) load_text: Option<String>,
    pub(crate) memory_bytes: Option<f64>,
    /// The smaller of both ends.
    pub(crate) free_memory_bytes: Option<f64>,
    pub(crate) free_swap_bytes: Option<f64>,
    pub(crate) paged_out_bytes: Option<f64>,
    /// Time that processes stood in the run queue, where the system counts it.
    pub(crate) cpu_queue_s: Option<f64>,
    pub(crate) system_share: Option<f64>,
    pub(crate) user_share: Option<f64>,
    /// SGA and PGA at the window's end over physical memory.
    pub(crate) oracle_memory_share: Option<f64>,
    /// Any of it is known.
    pub(crate) known: bool,
}

impl Host {
    pub(crate) fn of(report: &Report, ledger: &mut Ledger) -> Self {
        let host = &report.host;
        let line = |name: &str| host.statistic(name);
        let value = |name: &str| line(name).and_then(|line| line.value);
        let least = |name: &str| {
            let line = line(name)?;
            match (line.value, line.end) {
                (Some(begin), Some(end)) => Some(begin.min(end)),
                (begin, end) => begin.or(end),
            }
        };
        let cpus = host.cpus.or_else(|| value("NUM_CPUS")).filter(|cpus| *cpus > 0.0);
        let section = "Operating System Statistics";
        let busy = match (value("BUSY_TIME"), value("IDLE_TIME")) {
            (Some(busy), Some(idle)) if busy + idle > 0.0 => {
                let inputs = vec![input("BUSY_TIME", busy, "cs", section), input("IDLE_TIME", idle, "cs", section)];
                ledger.enter("host_busy_share", busy / (busy + idle), "BUSY_TIME / (BUSY_TIME + IDLE_TIME)", inputs);
                Some(busy / (busy + idle))
            }
            _ => host.idle_percent.map(|idle| (1.0 - idle / 100.0).clamp(0.0, 1.0)),
        };
        let total_cs =
            value("BUSY_TIME").zip(value("IDLE_TIME")).map(|(busy, idle)| busy + idle).filter(|total| *total > 0.0);
        let share = |name: &str, printed: Option<f64>| {
            value(name)
                .zip(total_cs)
                .map(|(part, total)| part / total)
                .or_else(|| printed.map(|percent| percent / 100.0))
        };
        let (begin, end) = (
            host.load_begin.or_else(|| value("LOAD")),
            host.load_end.or_else(|| line("LOAD").and_then(|line| line.end)),
        );
        let load_max = most_load(begin, end, host.details.iter().flatten().filter_map(|sample| sample.load));
        let load_text = match (begin, end) {
            (Some(begin), Some(end)) => {
                Some(format!("load {} at the begin, {} at the end", number(begin), number(end)))
            }
            _ => load_max.map(|load| format!("load {}", number(load))),
        };
        let memory_bytes = host.memory_bytes.or_else(|| value("PHYSICAL_MEMORY_BYTES")).filter(|memory| *memory > 0.0);
        let used = report
            .memory
            .iter()
            .flatten()
            .filter(|line| line.name.starts_with("SGA use") || line.name.starts_with("PGA use"))
            .filter_map(|line| line.end.or(line.begin))
            .fold(None, |sum: Option<f64>, megabytes| Some(sum.unwrap_or(0.0) + megabytes * 1024.0 * 1024.0));
        ledger.figure("host_load_max", load_max);
        ledger.figure("host_cpus", cpus);
        Self {
            known: cpus.is_some() && (busy.is_some() || load_max.is_some()),
            cpus,
            cores: host.cores.or_else(|| value("NUM_CPU_CORES")).filter(|cores| *cores > 0.0),
            virtual_cpus: value("NUM_VCPUS").filter(|cpus| *cpus > 0.0),
            io_wait_share: share("IOWAIT_TIME", host.io_wait_percent).filter(|share| (0.0..=1.0).contains(share)),
            busy,
            load_max,
            load_text,
            memory_bytes,
            free_memory_bytes: least("FREE_MEMORY_BYTES"),
            free_swap_bytes: least("SWAP_FREE_BYTES"),
            paged_out_bytes: value("VM_OUT_BYTES"),
            cpu_queue_s: value("OS_CPU_WAIT_TIME").map(|centiseconds| centiseconds / 100.0),
            system_share: share("SYS_TIME", host.system_percent),
            user_share: share("USER_TIME", host.user_percent),
            oracle_memory_share: used.zip(memory_bytes).map(|(used, memory)| used / memory),
        }
    }

    /// The known figures on one line.
    pub(crate) fn described(&self) -> String {
        let mut parts = Vec::new();
        if let Some(cpus) = self.cpus {
            let cores = self.cores.filter(|cores| *cores != cpus).map(|cores| format!("{} cores", number(cores)));
            let own = self.virtual_cpus.filter(|own| *own != cpus);
            let own = own.map(|own| format!("{} virtual processors", number(own)));
            let of: Vec<String> = [cores, own].into_iter().flatten().collect();
            let of = if of.is_empty() { String::new() } else { format!(" ({})", of.join(", ")) };
            parts.push(format!("{} CPUs{of}", number(cpus)));
        }
        if let Some(busy) = self.busy {
            parts.push(format!("{} busy", percent(busy)));
        }
        if let Some(share) = self.io_wait_share.filter(|share| *share >= 0.001) {
            parts.push(format!("{} idle with I/O under way (IOWAIT)", percent(share)));
        }
        if let Some(text) = &self.load_text {
            parts.push(text.clone());
        }
        if let Some(swap) = self.free_swap_bytes {
            parts.push(format!("{} of swap free", bytes(swap)));
        }
        if let Some(queue) = self.cpu_queue_s {
            parts.push(format!("{} in the run queue", seconds(queue)));
        }
        parts.join(", ")
    }
}

/// The most load that is known. Samples have one decimal: one that is more than both ends by its rounding alone says
/// nothing that they do not.
pub(crate) fn most_load(begin: Option<f64>, end: Option<f64>, samples: impl Iterator<Item = f64>) -> Option<f64> {
    let ends = [begin, end].into_iter().flatten().reduce(f64::max);
    let most = samples.reduce(f64::max);
    match (ends, most) {
        (Some(ends), Some(most)) if most <= ends + ROUNDING => Some(ends),
        (ends, most) => [ends, most].into_iter().flatten().reduce(f64::max),
    }
}

/// Half of the last digit of a sampled load, and of that of an end.
const ROUNDING: f64 = 0.055;
