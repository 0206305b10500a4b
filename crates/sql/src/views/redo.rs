//! The redo log's groups and files, the redo that recovery would need, and the copies of the control file.

use scalar::Datum;
use storage::redo::{BLOCK, LogGroupRecord, LogGroupState, LogGroupStatus};

use super::view::{Column, Table, View, ViewContext, date, maybe, n, number, s, text, unless_zero};

/// Upper SCN of a group whose last SCN is not known yet: the highest of Oracle's 48 bits.
const HIGHEST_SCN: u64 = (1 << 48) - 1;

/// A group, and when the next sequence began: where this one ended. That group may be gone.
struct LogGroup {
    record: LogGroupRecord,
    next_us: Option<u64>,
}

impl LogGroup {
    fn next_scn(&self) -> u64 {
        match self.record.state {
            LogGroupState::Unused => 0,
            LogGroupState::Current => HIGHEST_SCN,
            LogGroupState::Active | LogGroupState::Inactive => self.record.next_scn.unwrap_or(HIGHEST_SCN),
        }
    }
}

const GROUPS: &[Column<LogGroup>] = &[
    number("GROUP#", |group| n(group.record.number)),
    number("THREAD#", |_| n(1)),
    number("SEQUENCE#", |group| n(group.record.sequence)),
    number("BYTES", |group| n(group.record.bytes)),
    number("BLOCKSIZE", |_| n(BLOCK as u64)),
    number("MEMBERS", |group| n(group.record.members.len())),
    text("ARCHIVED", 3, |_| s("NO")),
    text("STATUS", 16, |group| s(group.record.state.name())),
    number("FIRST_CHANGE#", |group| n(group.record.first_scn)),
    date("FIRST_TIME", |group| unless_zero(group.record.first_us)),
    number("NEXT_CHANGE#", |group| n(group.next_scn())),
    date("NEXT_TIME", |group| group.next_us.and_then(unless_zero)),
];

/// A member of a group.
struct LogFile {
    group: u32,
    invalid: bool,
    path: String,
}

const FILES: &[Column<LogFile>] = &[
    number("GROUP#", |file| n(file.group)),
    text("STATUS", 7, |file| maybe(file.invalid.then_some("INVALID"), s)),
    text("TYPE", 7, |_| s("ONLINE")),
    text("MEMBER", 513, |file| s(&file.path)),
    text("IS_RECOVERY_DEST_FILE", 3, |_| s("NO")),
];

/// A copy of the control file.
struct ControlCopy {
    path: String,
}

const CONTROL_FILES: &[Column<ControlCopy>] = &[
    text("STATUS", 7, |_| Datum::Null),
    text("NAME", 513, |copy| s(&copy.path)),
    text("IS_RECOVERY_DEST_FILE", 3, |_| s("NO")),
];

/// The work of a recovery after a crash now.
struct Recovery {
    dirty_buffers: usize,
    redo_blocks: u64,
    target_blocks: u64,
}

const RECOVERY: &[Column<Recovery>] = &[
    number("RECOVERY_ESTIMATED_IOS", |row| n(row.dirty_buffers)),
    number("ACTUAL_REDO_BLKS", |row| n(row.redo_blocks)),
    number("TARGET_REDO_BLKS", |row| n(row.target_blocks)),
    number("LOG_FILE_SIZE_REDO_BLKS", |row| n(row.target_blocks)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$LOG", &[GROUPS], |cx, each| {
        let groups = groups(cx);
        for group in &groups {
            let record = &group.record;
            let next = groups.iter().find(|other| record.sequence > 0 && other.record.sequence == record.sequence + 1);
            each(LogGroup { record: record.clone(), next_us: next.map(|next| next.record.first_us) })?;
        }
        Ok(())
    }),
    &Table::new("V$LOGFILE", &[FILES], |cx, each| {
        let instance = cx.session.instance();
        for group in groups(cx) {
            for (name, invalid) in group.members {
                let path = instance.resolve(&name).to_string_lossy().into_owned();
                each(LogFile { group: group.record.number, invalid, path })?;
            }
        }
        Ok(())
    }),
    &Table::new("V$CONTROLFILE", &[CONTROL_FILES], |cx, each| {
        let instance = cx.session.instance();
        let names: Vec<String> = instance.control().names().map(str::to_owned).collect();
        names
            .iter()
            .try_for_each(|name| each(ControlCopy { path: instance.resolve(name).to_string_lossy().into_owned() }))
    }),
    &Table::new("V$INSTANCE_RECOVERY", &[RECOVERY], |cx, each| {
        let instance = cx.session.instance();
        let redo = instance.redo();
        let needed = instance.cache().oldest_redo()?;
        let blocks = |bytes: u64| bytes.div_ceil(BLOCK as u64);
        // The database writer keeps the needed redo below half of the log.
        let room: u64 = redo.groups().iter().map(|group| group.record.bytes).sum();
        each(Recovery {
            dirty_buffers: instance.cache().buffers().iter().filter(|buffer| buffer.dirty).count(),
            redo_blocks: blocks(redo.end().0.saturating_sub(needed.0)),
            target_blocks: blocks(room / 2),
        })
    }),
];

/// The groups by number.
fn groups(cx: &ViewContext) -> Vec<LogGroupStatus> {
    let mut groups = cx.session.instance().redo().groups();
    groups.sort_by_key(|group| group.record.number);
    groups
}
