//! Headroom in this process's address space (`ulimit -v`). Beyond the limit an allocation fails, which ends the process
//! with all its sessions: so a statement that comes near it fails before, with ORA-04030. Without a limit nothing is
//! checked.

use std::sync::OnceLock;

use common::{Error, ErrorKind, Number, Result};

/// Share of the limit (an eighth) that `check` never gives out: buffers of operators, results and other sessions' calls
/// are allocated without a check.
const KEPT: u64 = 8;

/// Requests up to this size are never refused: the process may reuse memory that it has freed, though the operating
/// system still counts it.
const SMALL: u64 = 1 << 20;

/// The limit of this process in bytes; None without one. A limit set later is not seen.
fn limit() -> Option<u64> {
    static LIMIT: OnceLock<Option<u64>> = OnceLock::new();
    *LIMIT.get_or_init(|| limit_of(&std::fs::read_to_string("/proc/self/limits").ok()?))
}

/// The limit as the operating system shows it: `Max address space  2048000000  unlimited  bytes`.
fn limit_of(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The process's present address space in bytes: `VmSize:  883368 kB`.
fn taken(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// True: so many bytes more fit under the limit.
fn holds(limit: u64, taken: u64, more: u64) -> bool {
    more <= SMALL || taken.saturating_add(more).saturating_add(limit / KEPT) <= limit
}

/// Checks that the process may take so many bytes more.
///
/// # Errors
/// ORA-04030 when it may not.
pub(crate) fn check(more: u64) -> Result<()> {
    let Some(limit) = limit() else { return Ok(()) };
    let Some(taken) = std::fs::read_to_string("/proc/self/status").ok().as_deref().and_then(taken) else {
        return Ok(());
    };
    if holds(limit, taken, more) {
        return Ok(());
    }
    let text = format!("out of process memory: {more} bytes; this process has {taken} of the {limit} that it may have");
    Err(Error::new(ErrorKind::OutOfResource, Number::Ora(4030), text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operating_system_is_understood() {
        let limits = "Limit   Soft Limit   Hard Limit   Units\nMax address space         2048000000           unlimited            bytes\n";
        assert_eq!(limit_of(limits), Some(2_048_000_000));
        assert_eq!(limit_of(&limits.replace("2048000000", "unlimited")), None);
        assert_eq!(taken("Name:\thighwater\nVmSize:\t  883368 kB\n"), Some(883_368 * 1024));
        assert!(taken(&std::fs::read_to_string("/proc/self/status").unwrap()).unwrap() > 0);
    }

    #[test]
    fn a_part_is_kept() {
        let megabytes = |count: u64| count << 20;
        assert!(holds(megabytes(800), megabytes(600), megabytes(100)));
        assert!(!holds(megabytes(800), megabytes(600), megabytes(101)));
        assert!(!holds(megabytes(800), u64::MAX, megabytes(2)));
        assert!(holds(megabytes(800), megabytes(799), megabytes(1)));
    }
}
