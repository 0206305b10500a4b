//! Disk groups, their disks and their files, as V$ASM_ views. Counts and times are those of the disks since the group
//! was mounted.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use common::Result;
use format::number;
use scalar::Datum;
use storage::disk_group::{
    DiscoveredDisk, DiskMode, DiskStatistics, FileInfo, GroupRecord, GroupStatistics, HeaderStatus, MountedGroup,
    NameInfo, Operation, Template,
};
use storage::redo::BLOCK;

use super::view::{
    Column, Each, Table, View, ViewContext, checked_number, date, maybe, n, number, s, text, unless_zero,
};

/// Block size of a group's metadata.
const METADATA_BLOCK: u64 = 4096;

fn megabytes(bytes: u64) -> Datum {
    n(bytes >> 20)
}

/// Microseconds as seconds.
fn seconds(micros: u64) -> Result<Datum> {
    number::encode_i128(i128::from(micros), 6).map(Datum::Number)
}

/// A group of the database.
enum Group {
    Mounted(u32, GroupStatistics),
    Dismounted(GroupRecord),
}

impl Group {
    /// A figure of a mounted group.
    fn figure(&self, figure: fn(&GroupStatistics) -> Datum) -> Datum {
        match self {
            Self::Mounted(_, figures) => figure(figures),
            Self::Dismounted(_) => Datum::Null,
        }
    }
}

const GROUPS: &[Column<Group>] = &[
    number("GROUP_NUMBER", |group| match group {
        Group::Mounted(number, _) => n(*number),
        Group::Dismounted(_) => n(0),
    }),
    text("NAME", 30, |group| match group {
        Group::Mounted(_, figures) => s(&figures.name),
        Group::Dismounted(record) => s(&record.name),
    }),
    // The value has no effect, and the disks are not read for it.
    number("SECTOR_SIZE", |_| Datum::Null),
    number("BLOCK_SIZE", |group| group.figure(|_| n(METADATA_BLOCK))),
    number("ALLOCATION_UNIT_SIZE", |group| group.figure(|figures| n(figures.au_size.bytes()))),
    text("STATE", 11, |group| match group {
        Group::Mounted(..) => s("MOUNTED"),
        Group::Dismounted(_) => s("DISMOUNTED"),
    }),
    text("TYPE", 6, |group| group.figure(|figures| s(figures.redundancy.name()))),
    number("TOTAL_MB", |group| group.figure(|figures| megabytes(figures.total_bytes))),
    number("FREE_MB", |group| group.figure(|figures| megabytes(figures.free_bytes))),
    number("REQUIRED_MIRROR_FREE_MB", |group| group.figure(|figures| megabytes(figures.required_mirror_free_bytes()))),
    number("USABLE_FILE_MB", |group| group.figure(|figures| n(figures.usable_file_bytes() >> 20))),
    number("OFFLINE_DISKS", |group| {
        group.figure(|figures| n(figures.disks.iter().filter(|disk| disk.mode != DiskMode::Online).count() as u64))
    }),
];

/// A disk: of a mounted group, with the group's number; or one that was found for a group that is not mounted.
enum DiskSource {
    Mounted(u32, DiskStatistics),
    Found(DiscoveredDisk),
}

struct Disk {
    /// None: it is not to be found.
    path: Option<String>,
    source: DiskSource,
}

impl Disk {
    /// A figure of a disk of a mounted group.
    fn figure(&self, figure: fn(&DiskStatistics) -> Datum) -> Datum {
        self.or(figure, |_| Datum::Null)
    }

    fn or(&self, mounted: fn(&DiskStatistics) -> Datum, found: fn(&DiscoveredDisk) -> Datum) -> Datum {
        match &self.source {
            DiskSource::Mounted(_, disk) => mounted(disk),
            DiskSource::Found(disk) => found(disk),
        }
    }

    fn seconds(&self, micros: fn(&DiskStatistics) -> u64) -> Result<Datum> {
        match &self.source {
            DiskSource::Mounted(_, disk) => seconds(micros(disk)),
            DiskSource::Found(_) => Ok(Datum::Null),
        }
    }
}

const DISKS: &[Column<Disk>] = &[
    number("GROUP_NUMBER", |disk| match disk.source {
        DiskSource::Mounted(group, _) => n(group),
        DiskSource::Found(_) => n(0),
    }),
    number("DISK_NUMBER", |disk| disk.or(|disk| n(disk.number), |disk| maybe(disk.number, n))),
    text("MOUNT_STATUS", 7, |disk| {
        disk.or(|disk| s(if disk.path.is_some() { "CACHED" } else { "MISSING" }), |_| s("CLOSED"))
    }),
    text("HEADER_STATUS", 12, |disk| {
        disk.or(
            |disk| s(if disk.path.is_some() { HeaderStatus::Member } else { HeaderStatus::Damaged }.name()),
            |disk| s(disk.status.name()),
        )
    }),
    text("MODE_STATUS", 7, |disk| disk.or(|disk| s(disk.mode.name()), |_| s("ONLINE"))),
    text("STATE", 8, |disk| disk.or(|disk| s(if disk.dropping { "DROPPING" } else { "NORMAL" }), |_| s("NORMAL"))),
    text("REDUNDANCY", 7, |_| s("UNKNOWN")),
    number("OS_MB", |disk| disk.or(|disk| megabytes(disk.os_bytes), |disk| megabytes(disk.bytes))),
    number("TOTAL_MB", |disk| disk.or(|disk| megabytes(disk.total_bytes), |_| n(0))),
    number("FREE_MB", |disk| disk.or(|disk| megabytes(disk.free_bytes), |_| n(0))),
    text("NAME", 30, |disk| disk.or(|disk| s(&disk.name), |disk| maybe(disk.name.as_ref(), s))),
    text("FAILGROUP", 30, |disk| disk.figure(|disk| s(&disk.failure_group))),
    // Seconds; 0 of a disk that is online.
    number("REPAIR_TIMER", |disk| disk.or(|disk| n(disk.repair_left_us.unwrap_or(0) / 1_000_000), |_| n(0))),
    text("PATH", 256, |disk| maybe(disk.path.as_ref(), s)),
];

/// Counts and times of a disk, in V$ASM_DISK and in V$ASM_DISK_IOSTAT.
const REQUESTS: &[Column<Disk>] = &[
    number("READS", |disk| disk.figure(|disk| n(disk.reads))),
    number("WRITES", |disk| disk.figure(|disk| n(disk.writes))),
    number("READ_ERRS", |disk| disk.figure(|disk| n(disk.read_errors))),
    number("WRITE_ERRS", |disk| disk.figure(|disk| n(disk.write_errors))),
    checked_number("READ_TIME", |disk| disk.seconds(|disk| disk.read_us)),
    checked_number("WRITE_TIME", |disk| disk.seconds(|disk| disk.write_us)),
    number("BYTES_READ", |disk| disk.figure(|disk| n(disk.bytes_read))),
    number("BYTES_WRITTEN", |disk| disk.figure(|disk| n(disk.bytes_written))),
];

/// A file of a mounted group. The database's own files have block sizes; for files that a crash has left none is known.
struct File {
    group: u32,
    file: FileInfo,
    block_bytes: Option<u64>,
}

const FILES: &[Column<File>] = &[
    number("GROUP_NUMBER", |row| n(row.group)),
    number("FILE_NUMBER", |row| n(row.file.name.number)),
    number("COMPOUND_INDEX", |row| n(u64::from(row.group) << 24 | u64::from(row.file.name.number))),
    number("INCARNATION", |row| n(row.file.name.incarnation)),
    number("BLOCK_SIZE", |row| maybe(row.block_bytes, n)),
    number("BLOCKS", |row| maybe(row.block_bytes.map(|block| row.file.bytes / block), n)),
    number("BYTES", |row| n(row.file.bytes)),
    number("SPACE", |row| n(row.file.space)),
    text("TYPE", 64, |row| s(row.file.name.kind.name())),
    text("REDUNDANCY", 6, |row| {
        s(match row.file.copies {
            1 => "UNPROT",
            2 => "MIRROR",
            _ => "HIGH",
        })
    }),
    text("STRIPED", 6, |row| s(row.file.striping.name())),
    date("CREATION_DATE", |row| unless_zero(row.file.created_us)),
];

/// A name in a mounted group.
struct Alias {
    group: u32,
    name: NameInfo,
}

/// File number and incarnation of a directory.
const NO_FILE: u32 = u32::MAX;
/// The part of REFERENCE_INDEX that says that a name is a file's.
const NO_DIRECTORY: u32 = (1 << 24) - 1;

impl Alias {
    /// A directory's number as the views have it: the group's is in the upper eight bits.
    fn directory(&self, number: u32) -> Datum {
        n(u64::from(self.group) << 24 | u64::from(number))
    }
}

const ALIASES: &[Column<Alias>] = &[
    text("NAME", 70, |row| s(&row.name.name)),
    number("GROUP_NUMBER", |row| n(row.group)),
    number("FILE_NUMBER", |row| n(row.name.file.map_or(NO_FILE, |(number, _)| number))),
    number("FILE_INCARNATION", |row| n(row.name.file.map_or(NO_FILE, |(_, incarnation)| incarnation))),
    number("ALIAS_INDEX", |row| n(row.name.index)),
    number("PARENT_INDEX", |row| row.directory(row.name.parent)),
    number("REFERENCE_INDEX", |row| row.directory(row.name.directory.unwrap_or(NO_DIRECTORY))),
    text("ALIAS_DIRECTORY", 1, |row| s(if row.name.directory.is_some() { "Y" } else { "N" })),
    text("SYSTEM_CREATED", 1, |row| s(if row.name.system { "Y" } else { "N" })),
];

/// A template of a mounted group, and its number.
struct TemplateRow {
    group: u32,
    entry: u32,
    template: Template,
}

const TEMPLATES: &[Column<TemplateRow>] = &[
    number("GROUP_NUMBER", |row| n(row.group)),
    number("ENTRY_NUMBER", |row| n(row.entry)),
    text("REDUNDANCY", 6, |row| s(row.template.protection.name())),
    text("STRIPE", 6, |row| s(row.template.striping.name())),
    text("SYSTEM", 1, |row| s(if row.template.system { "Y" } else { "N" })),
    text("NAME", 30, |row| s(&row.template.name)),
];

/// An attribute of a mounted group, and its number.
struct Attribute {
    group: u32,
    index: u32,
    name: String,
    value: String,
}

const ATTRIBUTES: &[Column<Attribute>] = &[
    text("NAME", 256, |row| s(&row.name)),
    text("VALUE", 256, |row| s(&row.value)),
    number("GROUP_NUMBER", |row| n(row.group)),
    number("ATTRIBUTE_INDEX", |row| n(row.index)),
    text("READ_ONLY", 7, |row| s(if row.name == "au_size" { "Y" } else { "N" })),
    text("SYSTEM_CREATED", 7, |_| s("Y")),
];

/// The database as the user of a group, with the group's release.
struct Client {
    group: u32,
    database: String,
    compatible: String,
}

const CLIENTS: &[Column<Client>] = &[
    number("GROUP_NUMBER", |row| n(row.group)),
    text("INSTANCE_NAME", 64, |_| s("highwater")),
    text("DB_NAME", 8, |row| s(&row.database)),
    text("STATUS", 12, |_| s("CONNECTED")),
    text("SOFTWARE_VERSION", 60, |_| s(env!("CARGO_PKG_VERSION"))),
    text("COMPATIBLE_VERSION", 60, |row| s(&row.compatible)),
];

/// A rebalance that is wanted, of a mounted group.
struct Rebalance {
    group: u32,
    operation: Operation,
}

const OPERATIONS: &[Column<Rebalance>] = &[
    number("GROUP_NUMBER", |row| n(row.group)),
    text("OPERATION", 5, |_| s("REBAL")),
    text("STATE", 4, |row| {
        s(match &row.operation {
            Operation { error: Some(_), .. } => "ERRS",
            Operation { workers: 0, .. } => "WAIT",
            Operation { .. } => "RUN",
        })
    }),
    text("PASS", 9, |row| s(if row.operation.compacting { "COMPACT" } else { "REBALANCE" })),
    number("POWER", |row| n(row.operation.power)),
    number("ACTUAL", |row| n(row.operation.workers)),
    number("SOFAR", |row| n(row.operation.moved)),
    number("EST_WORK", |row| n(row.operation.work)),
    number("EST_RATE", |row| n(row.operation.units_each_minute)),
    number("EST_MINUTES", |row| maybe(row.operation.minutes, n)),
    text("ERROR_CODE", 44, |row| maybe(row.operation.error.as_ref(), |error| s(error.number.to_string()))),
];

const IOSTAT: &[Column<Disk>] = &[
    text("INSTNAME", 64, |_| s("highwater")),
    text("DBNAME", 8, |_| Datum::Null),
    number("GROUP_NUMBER", |disk| match disk.source {
        DiskSource::Mounted(group, _) => n(group),
        DiskSource::Found(_) => n(0),
    }),
    number("DISK_NUMBER", |disk| disk.figure(|disk| n(disk.number))),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$ASM_DISKGROUP", &[GROUPS], |cx, each| {
        for group in cx.session.instance().groups().mounted() {
            each(Group::Mounted(group.number(), group.statistics()))?;
        }
        dismounted(cx).into_iter().map(Group::Dismounted).try_for_each(each)
    }),
    &Table::new("V$ASM_DISK", &[DISKS, REQUESTS], disks),
    &Table::new("V$ASM_DISK_STAT", &[DISKS, REQUESTS], mounted_disks),
    &Table::new("V$ASM_DISK_IOSTAT", &[IOSTAT, REQUESTS], mounted_disks),
    &Table::new("V$ASM_OPERATION", &[OPERATIONS], |cx, each| {
        for group in cx.session.instance().groups().mounted() {
            if let Some(operation) = group.group().operation() {
                each(Rebalance { group: group.number(), operation })?;
            }
        }
        Ok(())
    }),
    &Table::new("V$ASM_FILE", &[FILES], files),
    &Table::new("V$ASM_ALIAS", &[ALIASES], |cx, each| {
        for group in cx.session.instance().groups().mounted() {
            let names = group.group().names().unwrap_or_default();
            names.into_iter().map(|name| Alias { group: group.number(), name }).try_for_each(&mut *each)?;
        }
        Ok(())
    }),
    &Table::new("V$ASM_TEMPLATE", &[TEMPLATES], |cx, each| {
        for group in cx.session.instance().groups().mounted() {
            let templates = group.group().templates().unwrap_or_default();
            let row = |(entry, template)| TemplateRow { group: group.number(), entry, template };
            (0..).zip(templates).map(row).try_for_each(&mut *each)?;
        }
        Ok(())
    }),
    &Table::new("V$ASM_ATTRIBUTE", &[ATTRIBUTES], |cx, each| {
        for group in cx.session.instance().groups().mounted() {
            let attributes = group.group().attributes().unwrap_or_default();
            let row = |(index, (name, value))| Attribute { group: group.number(), index, name, value };
            (0..).zip(attributes).map(row).try_for_each(&mut *each)?;
        }
        Ok(())
    }),
    &Table::new("V$ASM_CLIENT", &[CLIENTS], |cx, each| {
        let instance = cx.session.instance();
        for group in instance.groups().mounted() {
            let attributes = group.group().attributes().unwrap_or_default();
            let compatible = attributes.into_iter().find(|(name, _)| name == "compatible.rdbms");
            let compatible = compatible.map_or_else(String::new, |(_, value)| value);
            each(Client { group: group.number(), database: instance.database_name().to_uppercase(), compatible })?;
        }
        Ok(())
    }),
];

/// The groups of the database that are not mounted.
fn dismounted(cx: &ViewContext) -> Vec<GroupRecord> {
    let instance = cx.session.instance();
    let records = instance.control().data().disk_groups.clone();
    records.into_iter().filter(|record| instance.groups().group(&record.name).is_err()).collect()
}

/// The disks of mounted groups; no file is looked for.
fn mounted_disks(cx: &ViewContext, each: Each<'_, Disk>) -> Result<()> {
    let instance = cx.session.instance();
    let path = |path: &std::path::Path| instance.resolve(&path.to_string_lossy()).to_string_lossy().into_owned();
    for group in instance.groups().mounted() {
        for disk in group.statistics().disks {
            let path = disk.path.as_deref().map(path);
            each(Disk { path, source: DiskSource::Mounted(group.number(), disk) })?;
        }
    }
    Ok(())
}

fn disks(cx: &ViewContext, each: Each<'_, Disk>) -> Result<()> {
    let instance = cx.session.instance();
    let path = |path: &std::path::Path| instance.resolve(&path.to_string_lossy()).to_string_lossy().into_owned();
    mounted_disks(cx, each)?;
    for record in dismounted(cx) {
        // A missing disk has no row.
        let found = instance.groups().discover(&record.patterns.join(",")).unwrap_or_default();
        for disk in found {
            let known = matches!(disk.status, HeaderStatus::Member | HeaderStatus::Former);
            if !known || disk.group.as_ref() == Some(&record.name) {
                each(Disk { path: Some(path(&disk.path)), source: DiskSource::Found(disk) })?;
            }
        }
    }
    Ok(())
}

fn files(cx: &ViewContext, each: Each<'_, File>) -> Result<()> {
    let instance = cx.session.instance();
    let control = instance.control().data().clone();
    let datafiles = control.datafiles.iter().filter_map(|file| {
        let tablespace = control.tablespaces.iter().find(|tablespace| tablespace.number == file.tablespace)?;
        let path = instance.groups().without_alias(PathBuf::from(&file.name));
        Some((path.to_string_lossy().into_owned(), tablespace.block_bytes))
    });
    let logs = control.log_groups.iter().flat_map(|group| &group.members).map(|name| (name.clone(), BLOCK as u64));
    let block_bytes: HashMap<String, u64> = datafiles.chain(logs).collect();
    let groups: Vec<Arc<MountedGroup>> = instance.groups().mounted();
    for group in groups {
        // A group that is being dismounted has none to show.
        for file in group.files().unwrap_or_default() {
            let name = instance.groups().full_name(&file.name);
            let block_bytes = block_bytes.get(&name).copied();
            each(File { group: group.number(), file, block_bytes })?;
        }
    }
    Ok(())
}
