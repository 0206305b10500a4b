//! Where the extents of a segment are on the disks of its disk group: by track on modelled disks, by offset on others.
//!
//! ```text
//!   extent of the segment -> bytes of a datafile -> extents of the group's file -> parts of disks -> tracks of a model
//! ```
//!
//! A slot is what a cell of the picture shows at the least: a track where the disk is modelled and has tracks, else an
//! allocation unit.

mod page;
mod place;
mod text;

use std::ops::Range;

use common::sync::Arc;
use common::{Clock, Error, Result};
use device::FileSystem;
use drive::{GridDisk, Track};
use engine::instance::{Instance, Session};
use storage::control::DatafileRecord;
use storage::disk_group::MountedGroup;

use super::SegmentMap;
use crate::experiment::options::wrong_use;
pub use page::page;
use place::{Place, parts};
pub use text::text;

/// A segment's extents on the disks.
#[derive(Debug)]
pub struct DiskMap {
    name: String,
    /// One line about the segment.
    about: String,
    groups: Vec<GroupMap>,
}

/// The disks of a group on which the segment has extents, and the others.
#[derive(Debug)]
struct GroupMap {
    name: String,
    unit_bytes: u64,
    disks: Vec<MappedDisk>,
}

/// A disk.
#[derive(Debug)]
struct MappedDisk {
    number: u16,
    name: String,
    /// As the group knows it; None for a disk that is not there.
    path: Option<String>,
    bytes: u64,
    unit_bytes: u64,
    /// None: the disk is not modelled.
    grid: Option<GridDisk>,
    /// By offset.
    parts: Vec<DiskPart>,
}

/// A part of a disk that holds bytes of an extent of the segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct DiskPart {
    /// Of the segment, from 0.
    extent: usize,
    /// 0 is the primary copy.
    copy: u8,
    offset: u64,
    bytes: u64,
}

/// A cell of the picture: the extents in its slots, each once, with their copies.
type Shown = Vec<(usize, u8)>;

impl DiskMap {
    /// Where a table or an index is; `name` is `OWNER.NAME`, or `NAME` of SYSTEM's. `files`: where the disks are.
    ///
    /// # Errors
    /// ORA-00942 for an unknown table or index; HW-0003 for one with extents outside of disk groups; HW-0080 where the
    /// model of a disk is wrong; those of reading its blocks.
    pub fn of(session: &Session, files: &dyn FileSystem, clock: &Arc<dyn Clock>, name: &str) -> Result<Self> {
        let map = SegmentMap::of(session, name)?;
        let instance = session.instance();
        let datafiles = instance.control().data().datafiles.clone();
        let mut groups: Vec<GroupMap> = Vec::new();
        for (extent, blocks) in map.map.extents.iter().enumerate() {
            let Some(first) = blocks.first() else { continue };
            let datafile = datafiles.iter().find(|file| file.number == first.address.file.0);
            let datafile = datafile.ok_or_else(|| Error::bug("an extent in a file that the control file lacks"))?;
            let (group, file) = in_group(instance, datafile).ok_or_else(|| {
                wrong_use(format!(
                    "{}: extent {extent} is in {}, which is in no disk group: --disks is for segments in disk groups",
                    map.name, datafile.name
                ))
            })?;
            let at = match groups.iter().position(|known| known.name == group.name()) {
                Some(at) => at,
                None => {
                    groups.push(GroupMap::of(&group, instance, files, clock)?);
                    groups.len() - 1
                }
            };
            let block_bytes = map.block_bytes as u64;
            let begin = u64::from(first.address.block) * block_bytes;
            let bytes = begin..begin + blocks.len() as u64 * block_bytes;
            let places = group.group().extents(file.name.number)?;
            let places = places.iter().map(|place| Place {
                file_offset: place.file_offset,
                copy: place.copy,
                disk: place.disk,
                offset: place.offset,
                bytes: place.bytes,
            });
            let places: Vec<Place> = places.collect();
            for (disk, part) in parts(&places, file.striping == storage::disk_group::Striping::Fine, bytes, extent) {
                groups[at].add(disk, part);
            }
        }
        groups.iter_mut().flat_map(|group| &mut group.disks).for_each(MappedDisk::join);
        Ok(Self { name: map.name.clone(), about: map.about(), groups })
    }
}

/// The group of a datafile, and the file as the group has it.
fn in_group(
    instance: &Instance,
    datafile: &DatafileRecord,
) -> Option<(Arc<MountedGroup>, storage::disk_group::FileInfo)> {
    let groups = instance.groups();
    let name = groups.without_alias(datafile.name.clone().into());
    let name = name.to_string_lossy();
    groups.mounted().into_iter().find_map(|group| {
        let files = group.files().ok()?;
        let is_it = |file: &storage::disk_group::FileInfo| groups.full_name(&file.name).eq_ignore_ascii_case(&name);
        let file = files.into_iter().find(is_it)?;
        Some((group, file))
    })
}

impl GroupMap {
    fn of(group: &MountedGroup, instance: &Instance, files: &dyn FileSystem, clock: &Arc<dyn Clock>) -> Result<Self> {
        let statistics = group.statistics();
        let unit_bytes = statistics.au_size.bytes();
        let mut disks = Vec::new();
        for disk in statistics.disks {
            let path = disk.path.map(|path| path.to_string_lossy().into_owned());
            let grid = match &path {
                Some(path) => GridDisk::find(files, &instance.resolve(path), clock)?,
                None => None,
            };
            let bytes = disk.total_bytes;
            let (number, name) = (disk.number, disk.name);
            disks.push(MappedDisk { number, name, path, bytes, unit_bytes, grid, parts: Vec::new() });
        }
        Ok(Self { name: group.name().to_owned(), unit_bytes, disks })
    }

    fn add(&mut self, number: u16, part: DiskPart) {
        if let Some(disk) = self.disks.iter_mut().find(|disk| disk.number == number) {
            disk.parts.push(part);
        }
    }

    /// True: some of the extents have several copies.
    fn is_mirrored(&self) -> bool {
        self.disks.iter().flat_map(|disk| &disk.parts).any(|part| part.copy > 0)
    }
}

impl MappedDisk {
    /// Orders the parts by offset, and makes one of those that touch.
    fn join(&mut self) {
        self.parts.sort_by_key(|part| part.offset);
        self.parts.dedup_by(|part, before| {
            let joins =
                (part.extent, part.copy) == (before.extent, before.copy) && part.offset == before.offset + before.bytes;
            if joins {
                before.bytes += part.bytes;
            }
            joins
        });
    }

    /// The track of a byte of the disk; None where there are no tracks.
    fn track(&self, offset: u64) -> Option<Track> {
        let grid = self.grid.as_ref()?;
        Some(grid.tracks.as_ref()?.of(grid.offset + offset))
    }

    /// The slot of a byte: its track's number on the device, or the number of its allocation unit.
    fn slot(&self, offset: u64) -> u64 {
        self.track(offset).map_or(offset / self.unit_bytes, |track| track.number)
    }

    /// The slots of the whole disk.
    fn slots(&self) -> Range<u64> {
        self.slot(0)..self.slot(self.bytes.saturating_sub(1)) + 1
    }

    /// The slots of a part of it.
    fn slots_of(&self, part: &DiskPart) -> Range<u64> {
        self.slot(part.offset)..self.slot(part.offset + part.bytes - 1) + 1
    }

    /// At most `most` cells for all slots: how many slots a cell has, and what is in each cell.
    fn cells(&self, most: u64) -> (u64, Vec<Shown>) {
        let all = self.slots();
        let step = (all.end - all.start).div_ceil(most.max(1)).max(1);
        let mut cells: Vec<Shown> = vec![Vec::new(); (all.end - all.start).div_ceil(step) as usize];
        for part in &self.parts {
            let slots = self.slots_of(part);
            for cell in (slots.start - all.start) / step..=(slots.end - 1 - all.start) / step {
                let shown = (part.extent, part.copy);
                // A disk that has become shorter than its parts has no cell for them.
                if let Some(cell) = cells.get_mut(cell as usize).filter(|cell| !cell.contains(&shown)) {
                    cell.push(shown);
                }
            }
        }
        (step, cells)
    }

    /// `GROUP1_0000, cell01/DATA_CD_00_cell01: device 0 of cell01 (disk-15k-600gb), tracks 0 to 16 of 400,000`.
    fn about(&self, unit: &str) -> String {
        let path = self.path.as_deref().unwrap_or("not there");
        let slots = self.slots();
        let range = format!("{unit}s {} to {}", slots.start, slots.end - 1);
        let on = match &self.grid {
            Some(grid) => {
                let of = grid.tracks.as_ref().map_or(String::new(), |tracks| format!(" of {}", tracks.count()));
                format!("device {} of {} ({}), {range}{of}", grid.device, grid.cell, grid.model)
            }
            None => range,
        };
        let used: u64 = self.parts.iter().map(|part| part.bytes).sum();
        format!("{}, {path}: {on}; {} KB of the segment", self.name, used / 1024)
    }

    /// The word for a slot.
    fn unit(&self) -> &'static str {
        if self.track(0).is_some() { "track" } else { "allocation unit" }
    }
}

/// `12 (cylinder 3, head 0)` of a track, the number alone of an allocation unit.
fn slot_name(disk: &MappedDisk, offset: u64) -> String {
    match disk.track(offset) {
        Some(track) => format!("{} (cylinder {}, head {})", track.number, track.cylinder, track.surface),
        None => disk.slot(offset).to_string(),
    }
}

/// Rows of a table of the parts: extent, copy where there are several, first and last slot, offset and size.
fn rows(group: &GroupMap, disk: &MappedDisk) -> Vec<Vec<String>> {
    let row = |part: &DiskPart| {
        let mut row = vec![part.extent.to_string()];
        if group.is_mirrored() {
            row.push(if part.copy == 0 { "primary".to_owned() } else { format!("mirror {}", part.copy) });
        }
        row.push(slot_name(disk, part.offset));
        row.push(slot_name(disk, part.offset + part.bytes - 1));
        row.extend([part.offset / 1024, part.bytes.div_ceil(1024)].map(crate::text::grouped));
        row
    };
    disk.parts.iter().map(row).collect()
}

/// The heads of [`rows`].
fn heads(group: &GroupMap, disk: &MappedDisk) -> Vec<String> {
    let mut heads = vec!["extent".to_owned()];
    if group.is_mirrored() {
        heads.push("copy".to_owned());
    }
    let unit = disk.unit();
    heads.extend([format!("from {unit}"), format!("to {unit}"), "offset KB".to_owned(), "KB".to_owned()]);
    heads
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;

    fn disk(parts: Vec<DiskPart>) -> MappedDisk {
        let mut disk = MappedDisk {
            number: 0,
            name: "D_0000".into(),
            path: Some("d_01".into()),
            bytes: 8 * MB,
            unit_bytes: MB,
            grid: None,
            parts,
        };
        disk.join();
        disk
    }

    fn part(extent: usize, offset: u64, bytes: u64) -> DiskPart {
        DiskPart { extent, copy: 0, offset, bytes }
    }

    #[test]
    fn parts_that_touch_are_one_and_cells_have_all_extents_in_them() {
        let disk = disk(vec![part(1, 5 * MB, 100), part(0, 2 * MB, MB), part(0, 3 * MB, MB / 2), part(2, 7 * MB, 8)]);
        assert_eq!(disk.parts, [part(0, 2 * MB, 3 * MB / 2), part(1, 5 * MB, 100), part(2, 7 * MB, 8)]);
        let (step, cells) = disk.cells(100);
        assert_eq!((step, cells.len()), (1, 8));
        assert_eq!(cells[2..4], [[(0, 0)], [(0, 0)]]);
        assert!(cells[4].is_empty() && cells[5] == [(1, 0)]);
        let (step, cells) = disk.cells(3);
        assert_eq!((step, cells), (3, vec![vec![(0, 0)], vec![(0, 0), (1, 0)], vec![(2, 0)]]));
        assert_eq!(disk.about("allocation unit"), "D_0000, d_01: allocation units 0 to 7; 1536 KB of the segment");
    }
}
