//! The redo log's groups and files, and the redo that recovery would need.

use storage::redo::{BLOCK, LogGroupState};

use super::view::{View, at, date, maybe, n, number, s, text};

/// Upper SCN of a group whose last SCN is not known yet: the highest of Oracle's 48 bits.
const HIGHEST_SCN: u64 = (1 << 48) - 1;

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$LOG",
        columns: &[
            number("GROUP#"),
            number("THREAD#"),
            number("SEQUENCE#"),
            number("BYTES"),
            number("BLOCKSIZE"),
            number("MEMBERS"),
            text("ARCHIVED", 3),
            text("STATUS", 16),
            number("FIRST_CHANGE#"),
            date("FIRST_TIME"),
            number("NEXT_CHANGE#"),
            date("NEXT_TIME"),
        ],
        rows: |cx, rows| {
            let mut groups = cx.session.instance().redo().groups();
            groups.sort_by_key(|group| group.record.number);
            for group in &groups {
                let record = &group.record;
                // A sequence ends when the next one begins; that one may be gone.
                let next =
                    groups.iter().find(|other| record.sequence > 0 && other.record.sequence == record.sequence + 1);
                let next_scn = match record.state {
                    LogGroupState::Unused => 0,
                    LogGroupState::Current => HIGHEST_SCN,
                    LogGroupState::Active | LogGroupState::Inactive => record.next_scn.unwrap_or(HIGHEST_SCN),
                };
                rows.add(&[
                    n(record.number),
                    n(1),
                    n(record.sequence),
                    n(record.bytes),
                    n(BLOCK as u64),
                    n(record.members.len() as u64),
                    s("NO"),
                    s(record.state.name()),
                    n(record.first_scn),
                    at(record.first_us)?,
                    n(next_scn),
                    at(next.map_or(0, |next| next.record.first_us))?,
                ])?;
            }
            Ok(())
        },
    },
    View {
        name: "V$LOGFILE",
        columns: &[
            number("GROUP#"),
            text("STATUS", 7),
            text("TYPE", 7),
            text("MEMBER", 513),
            text("IS_RECOVERY_DEST_FILE", 3),
        ],
        rows: |cx, rows| {
            let instance = cx.session.instance();
            let mut groups = instance.redo().groups();
            groups.sort_by_key(|group| group.record.number);
            for group in &groups {
                for (name, invalid) in &group.members {
                    rows.add(&[
                        n(group.record.number),
                        maybe(invalid.then_some("INVALID"), s),
                        s("ONLINE"),
                        s(instance.resolve(name).to_string_lossy()),
                        s("NO"),
                    ])?;
                }
            }
            Ok(())
        },
    },
    View {
        name: "V$INSTANCE_RECOVERY",
        columns: &[
            number("RECOVERY_ESTIMATED_IOS"),
            number("ACTUAL_REDO_BLKS"),
            number("TARGET_REDO_BLKS"),
            number("LOG_FILE_SIZE_REDO_BLKS"),
        ],
        rows: |cx, rows| {
            let instance = cx.session.instance();
            let redo = instance.redo();
            let needed = instance.cache().oldest_redo()?;
            let blocks = |bytes: u64| bytes.div_ceil(BLOCK as u64);
            // The database writer keeps the needed redo below half of the log.
            let room: u64 = redo.groups().iter().map(|group| group.record.bytes).sum();
            let target = blocks(room / 2);
            rows.add(&[
                n(instance.cache().buffers().iter().filter(|buffer| buffer.dirty).count() as u64),
                n(blocks(redo.end().0.saturating_sub(needed.0))),
                n(target),
                n(target),
            ])
        },
    },
];
