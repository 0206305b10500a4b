//! Discovery of disks.

use std::path::{Path, PathBuf};

use common::Result;

use crate::environment::Environment;
use crate::error::cannot_open;
use crate::header::{Header, HeaderRead, MemberState};
use crate::patient::DiskDevice;
use crate::pattern;

/// A file or block device that may be a disk, open.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) path: PathBuf,
    pub(crate) device: DiskDevice,
    pub(crate) size: u64,
    pub(crate) found: HeaderRead,
}

/// Opens a path and reads its headers.
///
/// # Errors
/// ORA-15025.
pub(crate) fn probe(environment: &Environment, path: &Path) -> Result<Candidate> {
    let probed = environment.open_disk(path).and_then(|device| {
        let size = device.device.size()?;
        let found = Header::read(&*device.device, size)?;
        Ok(Candidate { path: path.to_owned(), device, size, found })
    });
    probed.map_err(|error| cannot_open(path, &error))
}

/// As HEADER_STATUS of V$ASM_DISK.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeaderStatus {
    /// Empty, or left by an unfinished creation: it can join a group.
    Candidate,
    /// Member of a group.
    Member,
    /// Disk of a dropped group: it can join another.
    Former,
    /// The file has other contents.
    Foreign,
    /// Its header is invalid, or cannot be read.
    Damaged,
}

impl HeaderStatus {
    /// As V$ASM_DISK shows it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Candidate => "CANDIDATE",
            Self::Member => "MEMBER",
            Self::Former => "FORMER",
            Self::Foreign => "FOREIGN",
            Self::Damaged => "UNKNOWN",
        }
    }
}

/// A file or block device that a pattern has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiscoveredDisk {
    pub path: PathBuf,
    /// 0 when it cannot be read.
    pub bytes: u64,
    pub status: HeaderStatus,
    /// Group, disk and number from the header; for members and former members.
    pub group: Option<String>,
    pub name: Option<String>,
    pub number: Option<u16>,
    /// Reason for [`HeaderStatus::Damaged`], or that only one of its two headers is whole.
    pub remark: Option<String>,
}

/// All paths that a pattern matches, of any status.
///
/// # Errors
/// ORA-15031 without a match.
pub fn discover(environment: &Environment, patterns: &str) -> Result<Vec<DiscoveredDisk>> {
    let paths = pattern::find(&*environment.files, patterns)?;
    Ok(paths.into_iter().map(|path| describe(environment, path)).collect())
}

fn describe(environment: &Environment, path: PathBuf) -> DiscoveredDisk {
    let none = DiscoveredDisk {
        path,
        bytes: 0,
        status: HeaderStatus::Damaged,
        group: None,
        name: None,
        number: None,
        remark: None,
    };
    let candidate = match probe(environment, &none.path) {
        Ok(candidate) => candidate,
        Err(error) => return DiscoveredDisk { remark: Some(error.text), ..none },
    };
    let with = DiscoveredDisk { bytes: candidate.size, ..none };
    match candidate.found {
        HeaderRead::Empty => DiscoveredDisk { status: HeaderStatus::Candidate, ..with },
        HeaderRead::Foreign => DiscoveredDisk { status: HeaderStatus::Foreign, ..with },
        HeaderRead::Damaged(why) => DiscoveredDisk { remark: Some(why), ..with },
        HeaderRead::Header { header, whole } => {
            let status = match header.state {
                MemberState::Forming => return DiscoveredDisk { status: HeaderStatus::Candidate, ..with },
                MemberState::Member => HeaderStatus::Member,
                MemberState::Former => HeaderStatus::Former,
            };
            DiscoveredDisk {
                status,
                group: Some(header.group_name),
                name: Some(header.name),
                number: Some(header.number),
                remark: (!whole).then(|| "one of its two headers is damaged".to_owned()),
                ..with
            }
        }
    }
}
