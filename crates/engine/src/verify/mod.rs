//! The offline check of a data directory: every block by itself, then everything that must agree between blocks.
//!
//! See README.md in this folder for what is checked, in which order, and what is not.

mod bitmaps;
mod freelists;
mod image;
mod readonly;
mod report;
mod rows;
mod segments;
mod space;
mod undo;

#[cfg(test)]
mod tests;

pub use report::{Checked, Problem, Report};

use std::path::Path;

use common::sync::Arc;
use common::{Clock, Result};
use device::{DirectoryLock, FileSystem};

use crate::instance::{ControlFile, Instance, Session, Shutdown, TablespaceKind};
use image::Image;
use readonly::ReadOnly;
use segments::Expected;
use space::Claims;

/// Checks the database in `directory`. Nothing in it is changed. `lock` keeps other processes out meanwhile.
///
/// # Errors
/// ORA-00205 when there is no valid control file; all else that is wrong is in the report.
pub fn verify(
    files: Arc<dyn FileSystem>,
    directory: &Path,
    clock: Arc<dyn Clock>,
    lock: Option<DirectoryLock>,
) -> Result<Report> {
    let files: Arc<dyn FileSystem> = Arc::new(ReadOnly::new(files));
    let mut report = Report::default();
    let control = ControlFile::open(files.clone(), directory)?.data().clone();
    let image = Image::read(&*files, directory, &control, &mut report);
    if control.shutdown == Shutdown::Clean {
        match Instance::open(files, directory, clock, lock).and_then(|instance| instance.connect("SYS")) {
            Ok(session) => {
                check_structure(&image, &session, &mut report);
                session.instance().shutdown()?;
            }
            Err(error) => {
                let text = format!("the database cannot be opened, so only single blocks were checked: {error}");
                report.problem(None, None, text);
            }
        }
    } else {
        let text = "the database was not shut down cleanly, so only single blocks were checked";
        report.problem(None, None, text);
    }
    report.sort();
    Ok(report)
}

fn check_structure(image: &Image, session: &Arc<Session>, report: &mut Report) {
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
}
