//! ALTER DISKGROUP … CHECK: headers, copies of the metadata, allocation, and the copies of all extents, while files are
//! in use. A repair writes again what has a good copy.

use common::Result;
use common::sync::Arc;

use crate::directory::{DiskMode, Region};
use crate::disk::Disk;
use crate::error;
use crate::group::{Group, GroupState};
use crate::header::{Header, HeaderRead};
use crate::level::{Compared, Subject};

/// Problems that are described; further ones are counted.
const DESCRIBED: usize = 100;

/// Something that a check has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub text: String,
    /// It is no more.
    pub mended: bool,
}

/// What a check has found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CheckReport {
    /// The first 100 problems.
    pub problems: Vec<Problem>,
    pub found: u64,
    /// Of those, the ones that were mended.
    pub mended: u64,
    pub extents: u64,
    pub bytes: u64,
    /// Extents with fewer copies than their file is to have; a rebalance makes the others.
    pub short: u64,
}

impl CheckReport {
    /// Problems that are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.found - self.mended
    }

    fn add(&mut self, text: String, mended: bool) {
        self.found += 1;
        self.mended += u64::from(mended);
        if self.problems.len() < DESCRIBED {
            self.problems.push(Problem { text, mended });
        }
    }
}

impl Group {
    /// Checks the group; with `repair` mends what can be mended.
    ///
    /// # Errors
    /// HW-0070; ORA-15001. A disk that cannot be read or written is a problem, and no error.
    pub(crate) fn check(&self, repair: bool) -> Result<CheckReport> {
        let mut report = CheckReport::default();
        let regions: Vec<Region> = {
            let mut state = self.state()?;
            self.check_taking(&state)?;
            self.check_headers(&mut state, repair, &mut report)?;
            self.check_metadata(&mut state, repair, &mut report)?;
            if let Err(error) = Self::space_of(&state.headers, &state.directory) {
                report.add(error.text, false);
            }
            state.directory.files.values().flat_map(|file| Region::all_of(file, state.directory.au)).collect()
        };
        for region in regions {
            self.check_region(region, repair, &mut report)?;
        }
        if report.short > 0 {
            self.note(format!("{} extents have fewer copies than their files are to have", report.short));
        }
        for problem in &report.problems {
            let mended = if problem.mended { "; mended" } else { "" };
            self.note(format!("check: {}{mended}", problem.text));
        }
        Ok(report)
    }

    fn check_headers(&self, state: &mut GroupState, repair: bool, report: &mut CheckReport) -> Result<()> {
        for disk in self.online_disks() {
            let Some(header) = state.headers.get(&disk.number) else { continue };
            let wanted = header.clone();
            let problem = match Header::read(&*disk.device, disk.os_bytes()) {
                Ok(HeaderRead::Header { header, whole: true }) if *header == wanted => continue,
                Ok(HeaderRead::Header { header, .. }) if *header == wanted => {
                    "one of the two headers is damaged".into()
                }
                Ok(HeaderRead::Header { header, .. }) => {
                    format!("the header says that it is \"{}\" of diskgroup \"{}\"", header.name, header.group_name)
                }
                Ok(HeaderRead::Damaged(why)) => format!("the header cannot be used: {why}"),
                Ok(HeaderRead::Empty | HeaderRead::Foreign) => "the header is gone".into(),
                Err(error) => format!("the header cannot be read: {error}"),
            };
            let mut mended = false;
            if repair {
                match wanted.write(&*disk.device) {
                    Ok(()) => mended = true,
                    Err(error) => self.exclude(state, &disk, disk.error("write", &error), report),
                }
            }
            report.add(format!("disk \"{}\": {problem}", disk.name), mended);
        }
        Ok(())
    }

    fn check_metadata(&self, state: &mut GroupState, repair: bool, report: &mut CheckReport) -> Result<()> {
        let problems = state.metadata.check(&state.directory);
        let mended = repair && !problems.is_empty();
        if mended {
            // Both areas of a copy are used in turn; two new generations leave nothing of what was damaged.
            self.checkpoint_in(state)?;
            self.checkpoint_in(state)?;
        }
        problems.into_iter().for_each(|problem| report.add(problem, mended));
        Ok(())
    }

    /// Takes a disk offline whose repair has failed. If it may not go, the failure is the problem.
    fn exclude(&self, state: &mut GroupState, disk: &Arc<Disk>, why: common::Error, report: &mut CheckReport) {
        let outcome = if self.mirrored() { self.offline_in(state, disk, why) } else { Err(why) };
        if let Err(error) = outcome {
            report.add(error.to_string(), false);
        }
    }

    fn check_region(&self, region: Region, repair: bool, report: &mut CheckReport) -> Result<()> {
        let regions = {
            let mut state = self.state()?;
            if !state.directory.files.contains_key(&region.file()) {
                return Ok(());
            }
            state.regions_of(region.file())
        };
        regions.lock(region.index());
        let mut mended = false;
        let subjects = self.state().map(|mut state| {
            // The file may have been deleted meanwhile, and its number be another one's.
            let same = state.directory.files.contains_key(&region.file())
                && Arc::ptr_eq(&state.regions_of(region.file()), &regions);
            if same { self.subjects(&state, region) } else { Vec::new() }
        });
        let outcome = subjects.map(|subjects| {
            for subject in &subjects {
                report.extents += 1;
                report.short += u64::from(subject.short);
                for compared in self.compare(subject, true) {
                    report.bytes += compared.bytes();
                    mended |= self.check_part(subject, &compared, repair, report);
                }
            }
        });
        regions.unlock(region.index());
        outcome?;
        if mended { self.sync_all(&mut *self.state()?) } else { Ok(()) }
    }

    /// Describes the problems of a part of an extent. True: something was written.
    fn check_part(&self, subject: &Subject, compared: &Compared, repair: bool, report: &mut CheckReport) -> bool {
        let place = |at: usize| {
            let (extent, offset) = (subject.extent, compared.at + at as u64);
            format!("extent {extent} of file {}, offset {offset} of the extent", subject.file.name)
        };
        let disks = || subject.disks().collect::<Vec<_>>().join(", ");
        for range in &compared.lost {
            report.add(format!("{}: no copy can be read (disks {})", place(range.start), disks()), false);
        }
        for range in &compared.unsound {
            report
                .add(format!("{}: the block is damaged in all copies (disks {})", place(range.start), disks()), false);
        }
        let mut written = false;
        for wrong in &compared.wrong {
            let outcome = repair.then(|| wrong.mend(compared));
            let mended = matches!(outcome, Some(Ok(())));
            written |= mended;
            let first = wrong.ranges.first().map_or(0, |range| range.start);
            let what = if wrong.unreadable { "cannot be read" } else { "differs from the good copy" };
            let bytes = wrong.bytes();
            report.add(
                format!("{}: the copy on disk \"{}\" {what} ({bytes} bytes)", place(first), wrong.disk.name),
                mended,
            );
            if let Some(Err(error)) = outcome {
                match self.state() {
                    Ok(mut state) => self.exclude(&mut state, &wrong.disk, error::from_io(error), report),
                    Err(error) => report.add(error.to_string(), false),
                }
            }
        }
        written
    }

    fn online_disks(&self) -> Vec<Arc<Disk>> {
        self.all_disks().into_iter().filter(|disk| disk.mode() == DiskMode::Online).collect()
    }
}
