//! Disk groups, their disks and their files, as V$ASM_ views. Counts and times are those of the disks since the group
//! was mounted.

use std::collections::HashMap;

use common::Result;
use format::number;
use scalar::Datum;
use storage::disk_group::{DiskStatistics, GroupRecord, HeaderStatus, MountedGroup};

use super::view::{Rows, View, ViewContext, at, date, maybe, n, number, s, text};

/// Block size of a group's metadata.
const METADATA_BLOCK: u64 = 4096;

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$ASM_DISKGROUP",
        columns: &[
            number("GROUP_NUMBER"),
            text("NAME", 30),
            number("SECTOR_SIZE"),
            number("BLOCK_SIZE"),
            number("ALLOCATION_UNIT_SIZE"),
            text("STATE", 11),
            text("TYPE", 6),
            number("TOTAL_MB"),
            number("FREE_MB"),
            number("REQUIRED_MIRROR_FREE_MB"),
            number("USABLE_FILE_MB"),
            number("OFFLINE_DISKS"),
        ],
        rows: groups,
    },
    View {
        name: "V$ASM_DISK",
        columns: &[
            number("GROUP_NUMBER"),
            number("DISK_NUMBER"),
            text("MOUNT_STATUS", 7),
            text("HEADER_STATUS", 12),
            text("MODE_STATUS", 7),
            text("STATE", 8),
            text("REDUNDANCY", 7),
            number("OS_MB"),
            number("TOTAL_MB"),
            number("FREE_MB"),
            text("NAME", 30),
            text("PATH", 256),
            number("READS"),
            number("WRITES"),
            number("READ_ERRS"),
            number("WRITE_ERRS"),
            number("READ_TIME"),
            number("WRITE_TIME"),
            number("BYTES_READ"),
            number("BYTES_WRITTEN"),
        ],
        rows: disks,
    },
    View {
        name: "V$ASM_FILE",
        columns: &[
            number("GROUP_NUMBER"),
            number("FILE_NUMBER"),
            number("COMPOUND_INDEX"),
            number("INCARNATION"),
            number("BLOCK_SIZE"),
            number("BLOCKS"),
            number("BYTES"),
            number("SPACE"),
            text("TYPE", 64),
            text("REDUNDANCY", 6),
            text("STRIPED", 6),
            date("CREATION_DATE"),
        ],
        rows: files,
    },
    View {
        name: "V$ASM_ALIAS",
        columns: &[
            text("NAME", 70),
            number("GROUP_NUMBER"),
            number("FILE_NUMBER"),
            number("FILE_INCARNATION"),
            text("ALIAS_DIRECTORY", 1),
            text("SYSTEM_CREATED", 1),
        ],
        rows: aliases,
    },
];

/// The groups of the database that are not mounted.
fn dismounted(cx: &ViewContext) -> Vec<GroupRecord> {
    let instance = cx.session.instance();
    let records = instance.control().data().disk_groups.clone();
    records.into_iter().filter(|record| instance.groups().group(&record.name).is_err()).collect()
}

fn megabytes(bytes: u64) -> Datum {
    n(bytes >> 20)
}

fn groups(cx: &ViewContext, rows: &mut Rows) -> Result<()> {
    for group in cx.session.instance().groups().mounted() {
        let figures = group.statistics();
        rows.add(&[
            n(group.number()),
            s(&figures.name),
            // The value has no effect, and the disks are not read for it.
            Datum::Null,
            n(METADATA_BLOCK),
            n(figures.au_size.bytes()),
            s("MOUNTED"),
            s("EXTERN"),
            megabytes(figures.total_bytes),
            megabytes(figures.free_bytes),
            n(0),
            megabytes(figures.free_bytes),
            n(0),
        ])?;
    }
    for record in dismounted(cx) {
        let unknown = || Datum::Null;
        rows.add(&[
            n(0),
            s(&record.name),
            unknown(),
            unknown(),
            unknown(),
            s("DISMOUNTED"),
            unknown(),
            unknown(),
            unknown(),
            unknown(),
            unknown(),
            unknown(),
        ])?;
    }
    Ok(())
}

/// Microseconds as seconds.
fn seconds(micros: u64) -> Result<Datum> {
    number::encode_i128(i128::from(micros), 6).map(Datum::Number)
}

fn disks(cx: &ViewContext, rows: &mut Rows) -> Result<()> {
    let instance = cx.session.instance();
    for group in instance.groups().mounted() {
        group.statistics().disks.iter().try_for_each(|disk| mounted_disk(cx, rows, &group, disk))?;
    }
    for record in dismounted(cx) {
        // A missing disk has no row.
        let found = instance.groups().discover(&record.patterns.join(",")).unwrap_or_default();
        for disk in found {
            let known = matches!(disk.status, HeaderStatus::Member | HeaderStatus::Former);
            if known && disk.group.as_ref() != Some(&record.name) {
                continue;
            }
            let nothing = || Datum::Null;
            rows.add(&[
                n(0),
                maybe(disk.number, n),
                s("CLOSED"),
                s(disk.status.name()),
                s("ONLINE"),
                s("NORMAL"),
                s("UNKNOWN"),
                megabytes(disk.bytes),
                n(0),
                n(0),
                maybe(disk.name.as_ref(), s),
                s(instance.resolve(&disk.path.to_string_lossy()).to_string_lossy()),
                nothing(),
                nothing(),
                nothing(),
                nothing(),
                nothing(),
                nothing(),
                nothing(),
                nothing(),
            ])?;
        }
    }
    Ok(())
}

fn mounted_disk(cx: &ViewContext, rows: &mut Rows, group: &MountedGroup, disk: &DiskStatistics) -> Result<()> {
    rows.add(&[
        n(group.number()),
        n(disk.number),
        s("CACHED"),
        s(HeaderStatus::Member.name()),
        s("ONLINE"),
        s("NORMAL"),
        s("UNKNOWN"),
        megabytes(disk.os_bytes),
        megabytes(disk.total_bytes),
        megabytes(disk.free_bytes),
        s(&disk.name),
        s(cx.session.instance().resolve(&disk.path.to_string_lossy()).to_string_lossy()),
        n(disk.reads),
        n(disk.writes),
        n(disk.read_errors),
        n(disk.write_errors),
        seconds(disk.read_us)?,
        seconds(disk.write_us)?,
        n(disk.bytes_read),
        n(disk.bytes_written),
    ])
}

fn files(cx: &ViewContext, rows: &mut Rows) -> Result<()> {
    let instance = cx.session.instance();
    let control = instance.control().data().clone();
    // The database's own files have block sizes; files that a crash has left have none known.
    let block_bytes: HashMap<String, u64> = (control.datafiles.iter())
        .filter_map(|file| {
            let tablespace = control.tablespaces.iter().find(|tablespace| tablespace.number == file.tablespace)?;
            Some((file.name.clone(), tablespace.block_bytes))
        })
        .collect();
    for group in instance.groups().mounted() {
        // A group that is being dismounted has none to show.
        for file in group.files().unwrap_or_default() {
            let block = block_bytes.get(&instance.groups().full_name(&file.name)).copied();
            rows.add(&[
                n(group.number()),
                n(file.name.number),
                n(u64::from(group.number()) << 24 | u64::from(file.name.number)),
                n(file.name.incarnation),
                maybe(block, n),
                maybe(block.map(|block| file.bytes / block), n),
                n(file.bytes),
                n(file.space),
                s(file.name.kind.name()),
                s("UNPROT"),
                s("COARSE"),
                at(file.created_us)?,
            ])?;
        }
    }
    Ok(())
}

fn aliases(cx: &ViewContext, rows: &mut Rows) -> Result<()> {
    let instance = cx.session.instance();
    for group in instance.groups().mounted() {
        for file in group.files().unwrap_or_default() {
            let name = instance.groups().full_name(&file.name);
            rows.add(&[
                s(name.rsplit('/').next().unwrap_or(&name)),
                n(group.number()),
                n(file.name.number),
                n(file.name.incarnation),
                s("N"),
                s("Y"),
            ])?;
        }
    }
    Ok(())
}
