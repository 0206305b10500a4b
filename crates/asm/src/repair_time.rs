//! How long a disk may be offline: disk_repair_time, or the time that a statement gives it. Then it is dropped by
//! force.
//!
//! Only the time is counted for which the group is mounted. What is left is noted now and then, so a crash gives a disk
//! at most [`NOTED_US`] more.

use common::Result;

use crate::attribute::time_us;
use crate::directory::{Change, DiskMode};
use crate::group::{Group, GroupState};

/// Time that is counted before it is noted.
const NOTED_US: u64 = 60_000_000;

/// The time of DROP AFTER, in microseconds: a number with `m` for minutes or `h` for hours.
#[must_use]
pub fn repair_time_us(text: &str) -> Option<u64> {
    time_us(text)
}

impl Group {
    /// Time since it was counted last.
    fn uncounted_us(&self, state: &GroupState) -> u64 {
        self.environment.clock.monotonic_us().saturating_sub(state.repair_counted_us)
    }

    /// A disk goes offline: its time counts from now on. Beside others it begins when theirs was noted.
    pub(crate) fn begin_repair_times(&self, state: &mut GroupState) {
        if state.directory.repair.is_empty() {
            state.repair_counted_us = self.environment.clock.monotonic_us();
        }
    }

    /// What is left of a disk's time.
    pub(crate) fn repair_left_us(&self, state: &GroupState, number: u16) -> Option<u64> {
        let left = state.directory.repair.get(&number)?;
        Some(left.saturating_sub(self.uncounted_us(state)))
    }

    /// Notes what is left of the disks' times.
    ///
    /// # Errors
    /// HW-0070.
    pub(crate) fn note_repair_times(&self, state: &mut GroupState) -> Result<()> {
        let passed = self.uncounted_us(state);
        state.repair_counted_us += passed;
        for (number, left_us) in state.directory.repair.clone() {
            // The time of a disk that is being synchronised stands still: it is offline again if that fails.
            let syncing = state.directory.disks.get(&number).is_some_and(|disk| disk.mode == DiskMode::Syncing);
            if left_us > 0 && !syncing {
                let left_us = left_us.saturating_sub(passed);
                self.commit_in(state, &Change::RepairTime { number, left_us })?;
            }
        }
        Ok(())
    }

    /// Gives a disk that is offline so much time.
    ///
    /// # Errors
    /// ORA-15054 without such a disk; HW-0070; ORA-15001.
    pub(crate) fn set_repair_time(&self, name: &str, left_us: u64) -> Result<()> {
        let mut state = self.state()?;
        let number = self.find_disk(&state, name)?;
        self.note_repair_times(&mut state)?;
        if state.directory.disks.get(&number).is_some_and(|disk| disk.mode == DiskMode::Offline) {
            self.commit_in(&mut state, &Change::RepairTime { number, left_us })?;
        }
        Ok(())
    }

    /// Counts the time of disks that are offline, and drops those whose time is over, if their data allows it. Returns
    /// the names of the dropped ones.
    ///
    /// # Errors
    /// HW-0070; ORA-15001.
    pub(crate) fn drop_unrepaired(&self) -> Result<Vec<String>> {
        let mut state = self.state()?;
        if state.directory.repair.is_empty() || self.check_taking(&state).is_err() {
            return Ok(Vec::new());
        }
        let passed = self.uncounted_us(&state);
        let is_offline =
            |number: &u16| state.directory.disks.get(number).is_some_and(|disk| disk.mode == DiskMode::Offline);
        let running = state.directory.repair.iter().filter(|(number, left_us)| **left_us > 0 && is_offline(number));
        let due: Vec<u16> = running.filter(|(_, left_us)| **left_us <= passed).map(|(number, _)| *number).collect();
        if !due.is_empty() || passed >= NOTED_US {
            self.note_repair_times(&mut state)?;
        }
        let offline = |number: &u16| state.directory.disks.get(number).filter(|disk| disk.mode == DiskMode::Offline);
        let due: Vec<String> = due.iter().filter_map(offline).map(|disk| disk.name.clone()).collect();
        let mut dropped = Vec::new();
        for name in due {
            match self.drop_disks_in(&mut state, std::slice::from_ref(&name), true) {
                Ok(()) => {
                    self.note(format!("disk \"{name}\" was offline for too long, and is dropped"));
                    dropped.push(name);
                }
                Err(error) if error.is_own(70) => return Err(error),
                Err(error) => self.note(format!("disk \"{name}\" was offline for too long, and stays: {error}")),
            }
        }
        Ok(dropped)
    }
}
