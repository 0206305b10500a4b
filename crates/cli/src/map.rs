//! `highwater map`: the blocks of a table or an index, in the terminal and as a page.

use std::io::{self, Write};

use advisor::screen::Terminal;
use common::sync::Arc;
use common::{Clock, Error, ErrorKind, Result, SystemClock};
use device::{FileSystem, OsFileSystem};
use lab::segment_map::{SegmentMap, page, text};

use crate::command_line::Map;
use crate::failure::{self, Outcome};
use crate::offline::Offline;
use crate::sql::locked;

pub(crate) fn run(arguments: &Map) -> Result<Outcome> {
    // Opened first without the lock, which leaves a file in the directory.
    Offline::open(&arguments.data)?;
    let _lock = device::lock_directory(&arguments.data).map_err(|error| locked(&arguments.data, &error))?;
    let files: Arc<dyn FileSystem> = Arc::new(OsFileSystem::new());
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let session = engine::verify::look(files, &arguments.data, &clock)?;
    let maps = arguments.segments.iter().map(|name| SegmentMap::of(&session, name)).collect::<Result<Vec<_>>>();
    let instance = Arc::clone(session.instance());
    drop(session);
    instance.shutdown()?;
    let maps = maps?;
    match &arguments.html {
        Some(path) => std::fs::write(path, page(&maps)).map_err(|error| {
            Error::own(ErrorKind::Io, 2, format!("the page cannot be written to {}: {error}", path.display()))
        })?,
        None => failure::written(print(&maps))?,
    }
    Ok(Outcome::DONE)
}

fn print(maps: &[SegmentMap]) -> io::Result<()> {
    let terminal = Terminal::standard_output();
    let mut out = io::stdout().lock();
    for map in maps {
        writeln!(out, "{}", text(map, terminal.width, terminal.colour))?;
    }
    out.flush()
}
