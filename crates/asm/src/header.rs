//! The header of a disk: it assigns a file or a block device to a group.
//!
//! There are two copies (`layout.rs`), each under a checksum. The second is written and synced before the first, so one
//! of them is always whole. Only the state of a header changes:
//!
//! ```text
//!   forming ──> member ──> former
//! ```
//!
//! `forming` disks belong to a group whose creation is not finished; they may be taken for another group. The group
//! exists from the moment one of its disks is a member; mounting it makes members of the rest.

use common::Result;
use device::{AlignedBuffer, Device};
use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::error::corrupt;
use crate::layout::{Areas, AuSize, BLOCK, HEADER_AT, HEADER_COPY_AT, METADATA_AT, reserved_units};
use crate::redundancy::Redundancy;

const MAGIC: [u8; 8] = *b"HWASMDSK";
const VERSION: u32 = 2;
/// The version before mirroring: the block is the same up to the failure group, which is zeros.
const UNMIRRORED: u32 = 1;
/// Bytes of a group's name at most.
pub(crate) const GROUP_NAME_BYTES: usize = 30;
const NAME_FIELD_BYTES: usize = 40;

/// A number that two groups, or two disks, do not share.
pub(crate) type Id = [u8; 16];

/// Which part a disk has in its group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemberState {
    Forming = 1,
    Member = 2,
    Former = 3,
}

/// The fields of a header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Header {
    pub(crate) state: MemberState,
    pub(crate) group_name: String,
    pub(crate) group: Id,
    pub(crate) redundancy: Redundancy,
    pub(crate) name: String,
    pub(crate) failure_group: String,
    /// The group's epoch when this header was written: a disk that was away has an older one.
    pub(crate) epoch: u64,
    pub(crate) disk: Id,
    pub(crate) number: u16,
    pub(crate) au: AuSize,
    /// Allocation units of the disk, including those at its start for metadata.
    pub(crate) units: u32,
    /// Places for copies of the metadata on this disk: none, one or two. Which of them are in use is in the metadata.
    pub(crate) copies: u16,
    pub(crate) areas: Areas,
    pub(crate) created_us: u64,
}

/// The header's bytes; the rest of the block is zero.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Bytes {
    magic: [u8; 8],
    version: U32,
    /// CRC-32C of the block with this field zero.
    checksum: U32,
    state: u8,
    redundancy: u8,
    copies: U16,
    au_bytes: U32,
    group: Id,
    disk: Id,
    number: U16,
    reserved: U16,
    units: U32,
    size: U64,
    metadata_at: U64,
    snapshot_bytes: U64,
    journal_bytes: U64,
    created_us: U64,
    group_name: [u8; NAME_FIELD_BYTES],
    name: [u8; NAME_FIELD_BYTES],
    failure_group: [u8; NAME_FIELD_BYTES],
    epoch: U64,
}

const _: () = assert!(size_of::<Bytes>() == 232);

/// Content of the locations of a disk's two headers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum HeaderRead {
    /// A header. `whole`: both copies exist and are equal.
    Header { header: Box<Header>, whole: bool },
    /// Zeros.
    Empty,
    /// A header is recognised in one or both locations, but invalid; with the reason.
    Damaged(String),
    /// Something else.
    Foreign,
}

impl Header {
    /// Allocation units at the start of the disk that no file gets.
    pub(crate) fn reserved(&self) -> u32 {
        reserved_units(u64::from(self.copies), self.areas, self.au) as u32
    }

    /// Bytes of the disk that the group uses.
    pub(crate) fn size(&self) -> u64 {
        u64::from(self.units) * self.au.bytes()
    }

    /// Locations of this disk's copies of the metadata.
    pub(crate) fn metadata(&self) -> impl Iterator<Item = u64> + use<> {
        let bytes = self.areas.bytes();
        (0..u64::from(self.copies)).map(move |copy| METADATA_AT + copy * bytes)
    }

    fn to_block(&self) -> AlignedBuffer {
        let mut bytes = Bytes {
            magic: MAGIC,
            version: VERSION.into(),
            checksum: 0.into(),
            state: self.state as u8,
            redundancy: self.redundancy as u8,
            copies: self.copies.into(),
            au_bytes: (self.au.bytes() as u32).into(),
            group: self.group,
            disk: self.disk,
            number: self.number.into(),
            reserved: 0.into(),
            units: self.units.into(),
            size: self.size().into(),
            metadata_at: METADATA_AT.into(),
            snapshot_bytes: self.areas.snapshot_bytes.into(),
            journal_bytes: self.areas.journal_bytes.into(),
            created_us: self.created_us.into(),
            group_name: [0; NAME_FIELD_BYTES],
            name: [0; NAME_FIELD_BYTES],
            failure_group: [0; NAME_FIELD_BYTES],
            epoch: self.epoch.into(),
        };
        bytes.failure_group[..self.failure_group.len()].copy_from_slice(self.failure_group.as_bytes());
        bytes.group_name[..self.group_name.len()].copy_from_slice(self.group_name.as_bytes());
        bytes.name[..self.name.len()].copy_from_slice(self.name.as_bytes());
        let mut block = AlignedBuffer::zeroed(BLOCK as usize);
        block[..size_of::<Bytes>()].copy_from_slice(bytes.as_bytes());
        bytes.checksum = crc32c::crc32c(&block).into();
        block[..size_of::<Bytes>()].copy_from_slice(bytes.as_bytes());
        block
    }

    fn from_block(block: &[u8]) -> Result<Self, HeaderRead> {
        let damaged = |why: &str| HeaderRead::Damaged(why.to_owned());
        let Ok((bytes, _)) = Bytes::read_from_prefix(block) else { return Err(HeaderRead::Foreign) };
        if bytes.magic != MAGIC {
            return Err(if block.iter().all(|byte| *byte == 0) { HeaderRead::Empty } else { HeaderRead::Foreign });
        }
        let sum = crc32c::crc32c(&block[..12]);
        let sum = crc32c::crc32c_append(sum, &[0; 4]);
        if crc32c::crc32c_append(sum, &block[16..]) != bytes.checksum.get() {
            return Err(damaged("its checksum does not match"));
        }
        let version = bytes.version.get();
        if ![UNMIRRORED, VERSION].contains(&version) {
            let text = format!("its format is version {version}, not {UNMIRRORED} or {VERSION}");
            return Err(HeaderRead::Damaged(text));
        }
        let Some(redundancy) = Redundancy::from_code(bytes.redundancy) else {
            return Err(damaged("its redundancy is unknown"));
        };
        let state = match bytes.state {
            1 => MemberState::Forming,
            2 => MemberState::Member,
            3 => MemberState::Former,
            _ => return Err(damaged("its state is unknown")),
        };
        let name = |field: &[u8; NAME_FIELD_BYTES]| {
            let end = field.iter().position(|byte| *byte == 0)?;
            std::str::from_utf8(&field[..end]).ok().filter(|name| !name.is_empty()).map(str::to_owned)
        };
        let (Some(group_name), Some(disk_name)) = (name(&bytes.group_name), name(&bytes.name)) else {
            return Err(damaged("a name in it is none"));
        };
        let failure_group = match version {
            UNMIRRORED => Some(disk_name.clone()),
            _ => name(&bytes.failure_group),
        };
        let Some(failure_group) = failure_group else { return Err(damaged("a name in it is none")) };
        let areas = Areas { snapshot_bytes: bytes.snapshot_bytes.get(), journal_bytes: bytes.journal_bytes.get() };
        let area = |area: u64| area.is_multiple_of(BLOCK) && (BLOCK..=1 << 40).contains(&area);
        let header = Self {
            state,
            group_name,
            group: bytes.group,
            redundancy,
            name: disk_name,
            failure_group,
            epoch: bytes.epoch.get(),
            disk: bytes.disk,
            number: bytes.number.get(),
            au: AuSize::new(u64::from(bytes.au_bytes.get())).map_err(|error| HeaderRead::Damaged(error.text))?,
            units: bytes.units.get(),
            copies: bytes.copies.get(),
            areas,
            created_us: bytes.created_us.get(),
        };
        let fits = area(areas.snapshot_bytes) && area(areas.journal_bytes) && header.copies <= 2;
        if !fits || header.size() != bytes.size.get() || bytes.metadata_at.get() != METADATA_AT {
            return Err(damaged("its sizes contradict each other"));
        }
        Ok(header)
    }

    /// Reads a disk's headers.
    ///
    /// # Errors
    /// When neither location can be read; a disk that is too short for them is [`HeaderRead::Empty`] or
    /// [`HeaderRead::Foreign`].
    pub(crate) fn read(device: &dyn Device, size: u64) -> std::io::Result<HeaderRead> {
        let read = |at: u64| {
            let mut block = AlignedBuffer::zeroed(BLOCK as usize);
            if at + BLOCK > size {
                return Ok(Err(HeaderRead::Empty));
            }
            device.read_at(at, &mut [&mut block])?;
            Ok(Self::from_block(&block))
        };
        let (first, second) = (read(HEADER_AT), read(HEADER_COPY_AT));
        Ok(match (first, second) {
            (Err(error), Err(_)) => return Err(error),
            (Ok(Ok(header)), second) => {
                let whole = matches!(&second, Ok(Ok(copy)) if *copy == header);
                HeaderRead::Header { header: Box::new(header), whole }
            }
            (_, Ok(Ok(header))) => HeaderRead::Header { header: Box::new(header), whole: false },
            (Ok(Err(HeaderRead::Damaged(why))), _) | (_, Ok(Err(HeaderRead::Damaged(why)))) => HeaderRead::Damaged(why),
            // Only the first location decides whether a disk is empty: files that become disks hold anything at the
            // second.
            (Ok(Err(found)), _) => found,
            (Err(error), _) => return Err(error),
        })
    }

    /// Writes both headers, durably, the copy first.
    ///
    /// # Errors
    /// The device's; then at least one location holds a whole header, the old or the new one.
    pub(crate) fn write(&self, device: &dyn Device) -> std::io::Result<()> {
        let block = self.to_block();
        device.write_durable(HEADER_COPY_AT, &[&block])?;
        device.write_durable(HEADER_AT, &[&block])
    }

    /// True: the disk belongs to the same group, and both headers agree about it.
    ///
    /// # Errors
    /// ORA-15196 when they are of one group and disagree.
    pub(crate) fn agrees(&self, other: &Self) -> Result<()> {
        let same = |header: &Self| (header.au, header.areas, header.redundancy);
        if same(self) == same(other) && self.group_name == other.group_name {
            return Ok(());
        }
        Err(corrupt(format!("disks \"{}\" and \"{}\" disagree about their group", self.name, other.name)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use device::{FileSystem, MemoryFileSystem};

    use super::*;
    use crate::layout::MB;

    fn header(state: MemberState) -> Header {
        Header {
            state,
            group_name: "DATA".into(),
            group: [7; 16],
            redundancy: Redundancy::Normal,
            name: "DATA_0003".into(),
            failure_group: "CELL1".into(),
            epoch: 12,
            disk: [9; 16],
            number: 3,
            au: AuSize::new(4 * MB).unwrap(),
            units: 100,
            copies: 1,
            areas: Areas::for_units(400),
            created_us: 12_345,
        }
    }

    #[test]
    fn a_header_is_read_as_it_was_written_from_either_place() {
        let device = MemoryFileSystem::new().create(Path::new("d"), 4 * MB).unwrap();
        let size = device.size().unwrap();
        assert_eq!(Header::read(&*device, size).unwrap(), HeaderRead::Empty);
        let written = header(MemberState::Member);
        written.write(&*device).unwrap();
        let whole = HeaderRead::Header { header: Box::new(written.clone()), whole: true };
        assert_eq!(Header::read(&*device, size).unwrap(), whole);
        for place in [HEADER_AT, HEADER_COPY_AT] {
            let half = HeaderRead::Header { header: Box::new(written.clone()), whole: false };
            for at in [0, 8, 12, 16, 20, 24, 60, 150, 4000] {
                let mut byte = [0];
                device.read_at(place + at, &mut [&mut byte]).unwrap();
                device.write_at(place + at, &[&[!byte[0]]]).unwrap();
                assert_eq!(Header::read(&*device, size).unwrap(), half, "byte {at} at {place}");
                device.write_at(place + at, &[&byte]).unwrap();
            }
        }
        device.write_at(100, &[&[1]]).unwrap();
        device.write_at(HEADER_COPY_AT + 100, &[&[1]]).unwrap();
        assert!(matches!(Header::read(&*device, size).unwrap(), HeaderRead::Damaged(_)));
        device.write_at(0, &[&[1; 4096]]).unwrap();
        device.write_at(HEADER_COPY_AT, &[&[1; 4096]]).unwrap();
        assert_eq!(Header::read(&*device, size).unwrap(), HeaderRead::Foreign);
    }

    /// A header of version 1 has zeros where version 2 has the failure group and the epoch.
    #[test]
    fn headers_from_before_mirroring_are_read() {
        let mut block = Header { redundancy: Redundancy::External, ..header(MemberState::Member) }.to_block();
        block[8] = 1;
        block[184..232].fill(0);
        block[12..16].fill(0);
        let sum = crc32c::crc32c(&block);
        block[12..16].copy_from_slice(&sum.to_le_bytes());
        let read = Header::from_block(&block).unwrap();
        let found = (read.redundancy, read.failure_group.as_str(), read.epoch);
        assert_eq!(found, (Redundancy::External, "DATA_0003", 0));
    }

    #[test]
    fn bytes_that_have_a_checksum_are_still_checked() {
        for (offset, byte, why) in [
            (8, 3, "version 3"),
            (16, 9, "state"),
            (17, 4, "redundancy"),
            (18, 3, "sizes"),
            (20, 1, "au_size"),
            (68, 1, "sizes"),
            (104, 0, "name"),
            (184, 0, "name"),
        ] {
            let mut block = header(MemberState::Member).to_block();
            block[offset] = byte;
            block[12..16].fill(0);
            let sum = crc32c::crc32c(&block);
            block[12..16].copy_from_slice(&sum.to_le_bytes());
            match Header::from_block(&block) {
                Err(HeaderRead::Damaged(found)) => assert!(found.contains(why), "{offset}: {found}"),
                other => panic!("{offset}: {other:?}"),
            }
        }
    }
}
