//! `highwater map`: the blocks of a table or an index, or where it is on disks; in the terminal and as a page.

use std::io::{self, Write};

use advisor::screen::Terminal;
use common::sync::Arc;
use common::{Clock, Error, ErrorKind, Result, SystemClock};
use device::{FileSystem, OsFileSystem};
use engine::instance::Session;
use lab::segment_map::disks::DiskMap;
use lab::segment_map::{SegmentMap, disks, page, text};

use crate::command_line::Map;
use crate::failure::{self, Outcome};
use crate::offline::Offline;
use crate::sql::locked;

pub(crate) fn run(arguments: &Map) -> Result<Outcome> {
    // Opened first without the lock, which leaves a file in the directory.
    Offline::open(&arguments.data)?;
    let _lock = device::lock_directory(&arguments.data).map_err(|error| locked(&arguments.data, &error))?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let files = crate::cell::files(Arc::new(OsFileSystem::new()), &arguments.data, &clock);
    let session = engine::verify::look(Arc::clone(&files), &arguments.data, &clock)?;
    let maps = Maps::of(arguments, &session, &*files, &clock);
    let instance = Arc::clone(session.instance());
    drop(session);
    instance.shutdown()?;
    let maps = maps?;
    match &arguments.html {
        Some(path) => std::fs::write(path, maps.page()).map_err(|error| {
            Error::own(ErrorKind::Io, 2, format!("the page cannot be written to {}: {error}", path.display()))
        })?,
        None => failure::written(maps.print())?,
    }
    Ok(Outcome::DONE)
}

/// What is shown of the segments.
enum Maps {
    Blocks(Vec<SegmentMap>),
    Disks(Vec<DiskMap>),
}

impl Maps {
    fn of(arguments: &Map, session: &Session, files: &dyn FileSystem, clock: &Arc<dyn Clock>) -> Result<Self> {
        let names = arguments.segments.iter();
        if arguments.disks {
            let of = |name: &String| DiskMap::of(session, files, clock, name);
            return names.map(of).collect::<Result<_>>().map(Self::Disks);
        }
        names.map(|name| SegmentMap::of(session, name)).collect::<Result<_>>().map(Self::Blocks)
    }

    fn page(&self) -> String {
        match self {
            Self::Blocks(maps) => page(maps),
            Self::Disks(maps) => disks::page(maps),
        }
    }

    fn print(&self) -> io::Result<()> {
        let terminal = Terminal::standard_output();
        let texts: Vec<String> = match self {
            Self::Blocks(maps) => maps.iter().map(|map| text(map, terminal.width, terminal.colour)).collect(),
            Self::Disks(maps) => maps.iter().map(|map| disks::text(map, terminal.width)).collect(),
        };
        let mut out = io::stdout().lock();
        texts.iter().try_for_each(|text| writeln!(out, "{text}"))?;
        out.flush()
    }
}
