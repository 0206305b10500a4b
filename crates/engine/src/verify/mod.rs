//! The offline check of a data directory: every block by itself, then the structures across blocks.
//!
//! README.md in this folder lists the checks, their order, and what is not checked.

mod bitmaps;
mod freelists;
mod image;
mod offline;
mod recover;
mod report;
mod rows;
mod segments;
mod space;
mod undo;

#[cfg(test)]
mod tests;

pub use offline::{offline_files, read_control_only};
pub use report::{Checked, Problem, Recovered, Report};
use storage::control::{Shutdown, TablespaceKind};

use std::path::Path;

use common::sync::Arc;
use common::{Clock, Result};
use device::{DirectoryLock, FileSystem};

use crate::instance::{Session, read_only};
use crate::startup::read_control;
use image::Image;
use segments::Expected;
use space::Claims;

/// Checks the database in `directory`, and changes nothing in it: one that was not closed cleanly is recovered in
/// memory, and the result is checked. `lock` keeps other processes out meanwhile.
///
/// # Errors
/// ORA-00205 when there is no valid control file; the report has all other faults.
pub fn verify(
    files: Arc<dyn FileSystem>,
    directory: &Path,
    clock: Arc<dyn Clock>,
    lock: Option<DirectoryLock>,
) -> Result<Report> {
    let _lock = lock;
    let below = files;
    let files = read_only(below.clone());
    let mut report = Report::default();
    let (_, before) = read_control(&files, directory, &clock)?;
    let clean = before.shutdown == Shutdown::Clean;
    match recover::open(&files, directory, &clock, &mut report) {
        Ok(session) => {
            let control = session.instance().control().data().clone();
            // With the disk groups that it has mounted.
            let files = session.instance().files();
            let mut as_it_is = None;
            let image = if clean {
                // Opening restores a file header from the double-write area: the report is about the files before that.
                let (below, _) = offline_files(&below, directory, &clock, &before);
                as_it_is = Some(Image::read(&*below, directory, &before, &mut report));
                Image::read(&**files, directory, &control, &mut Report::default())
            } else {
                Image::read(&**files, directory, &control, &mut report)
            };
            let (claims, complete) = check_structure(&image, &session, &mut report);
            let is_unused = |address| complete && claims.is_unused(address);
            as_it_is.as_ref().unwrap_or(&image).report_corrupt(is_unused, &mut report);
            report.name_files(directory, &control);
            session.instance().shutdown()?;
        }
        Err(error) => {
            // Writes of a failed recovery are not in the files.
            let (files, _) = offline_files(&below, directory, &clock, &before);
            Image::read(&*files, directory, &before, &mut report).report_corrupt(|_| false, &mut report);
            let what = if clean { "opened" } else { "recovered" };
            let text = format!("the database cannot be {what}, so only single blocks were checked: {error}");
            report.problem(None, None, text);
            report.name_files(directory, &before);
        }
    }
    report.sort();
    Ok(report)
}

/// A read-only session of the database in `directory`: after a crash it is recovered in memory, and nothing is written
/// to the files. The caller keeps other processes out meanwhile.
///
/// # Errors
/// ORA-00205 when there is no valid control file; those of opening and recovering the database.
pub fn look(files: Arc<dyn FileSystem>, directory: &Path, clock: &Arc<dyn Clock>) -> Result<Arc<Session>> {
    let files = read_only(files);
    recover::open(&files, directory, clock, &mut Report::default())
}

/// Returns the claims of space, and true when every segment's extents could be read.
fn check_structure(image: &Image, session: &Arc<Session>, report: &mut Report) -> (Claims, bool) {
    let catalog = session.catalog();
    let mut claims = Claims::new(image, report);
    let tables = catalog.tables().map(|table| &table.segment);
    let mut complete = true;
    for segment in tables.chain(catalog.indexes().map(|index| &index.segment)) {
        complete &= segments::check(image, &Expected::of(segment), &mut claims, report);
    }
    for (name, error) in catalog.unusable() {
        complete = false;
        report.problem(Some(name), None, format!("cannot be used: {error}"));
    }
    for tablespace in session.instance().tablespaces().all() {
        if tablespace.kind() == TablespaceKind::Undo {
            complete &= undo::check(image, &tablespace, &mut claims, report);
        }
    }
    claims.compare(image, complete, report);
    for table in catalog.tables() {
        rows::check(session, table, report);
    }
    (claims, complete)
}
