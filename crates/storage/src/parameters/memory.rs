//! The memory that this process may take.

use rustix::process::{Resource, getrlimit};

/// Bytes that the process may take: the least of the machine's memory, the control group's limit, and the limit of the
/// address space.
pub(super) fn available() -> u64 {
    let machine = rustix::system::sysinfo();
    let unit = u64::from(machine.mem_unit.max(1));
    #[allow(clippy::useless_conversion, reason = "its type differs between platforms")]
    let physical = u64::try_from(machine.totalram).unwrap_or(u64::MAX).saturating_mul(unit);
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| group_limit(&text));
    let address_space = getrlimit(Resource::As).current;
    [group, address_space].into_iter().flatten().fold(physical, u64::min)
}

/// A control group's limit as its file gives it: a number, or `max`.
fn group_limit(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_without_a_limit_says_max() {
        assert_eq!(group_limit("max\n"), None);
        assert_eq!(group_limit("1073741824\n"), Some(1 << 30));
        assert!(available() > 1 << 20);
    }
}
