//! The time of the update that searches for space in the legacy way. A run of its own takes the stack of the session's
//! thread many times a second during the UPDATE, and makes a flame graph of the stacks.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use common::{Error, Result};
use serde_json::{Value, json};
use stacks::{FunctionShare, Profile, Sampler};

use super::{setting, work};
use crate::experiment::setting::Setting;
use crate::grid::Grid;
use crate::laboratory::{Laboratory, io as failed};
use crate::text::grouped;

/// The arm of the flame graph.
#[must_use]
pub fn arm() -> Setting {
    setting::legacy(16384)
}

/// Stacks a second. A prime, so that they fall in step with nothing.
const FREQUENCY: u32 = 499;
/// Functions and stacks that are shown.
const FUNCTIONS: usize = 8;
const STACKS: usize = 5;
/// Functions of the heaviest path that are shown: its last.
const PATH: usize = 14;

/// The crates whose functions are told from those of libraries.
pub const CRATES: [&str; 11] =
    ["asm", "common", "device", "engine", "format", "plsql", "scalar", "scan", "sql", "storage", "waits"];

/// The file that the picture goes to: made before the work, with `.part` behind its name, and named as it is to be when
/// it is whole.
#[derive(Debug)]
pub(super) struct Picture {
    path: PathBuf,
    part: PathBuf,
    file: File,
}

/// The result.
#[derive(Clone, PartialEq, Debug)]
pub struct Flame {
    /// Path of the picture.
    pub path: PathBuf,
    pub profile: Profile,
}

impl Picture {
    /// # Errors
    /// HW-0002 when the file cannot be made.
    pub(super) fn create(path: &Path) -> Result<Self> {
        if path.is_dir() {
            return Err(failed(path, &io::ErrorKind::IsADirectory.into()));
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&part);
        let file = file.map_err(|error| failed(&part, &error))?;
        Ok(Self { path: path.to_owned(), part, file })
    }

    /// Runs the arm, and draws.
    ///
    /// # Errors
    /// Those of the statements; HW-0002 when stacks cannot be taken or the file cannot be written.
    pub(super) fn draw(mut self, laboratory: &Laboratory, rows: u64) -> Result<Flame> {
        let mut profile = Err(Error::bug("the update was not looked at"));
        work::run_watched(laboratory, arm(), rows, |session, update| {
            let theirs = session.clone();
            let sampler = Sampler::start(move || theirs.thread(), FREQUENCY)?;
            update()?;
            profile = sampler.stop();
            Ok(())
        })?;
        let profile = profile?;
        let title = format!("UPDATE of {} rows, {}", grouped(rows), arm().name());
        let svg = profile.svg(&title, &CRATES);
        let written = self.file.write_all(svg.as_bytes()).and_then(|()| self.file.sync_all());
        written.and_then(|()| std::fs::rename(&self.part, &self.path)).map_err(|error| failed(&self.path, &error))?;
        Ok(Flame { path: self.path.clone(), profile })
    }
}

impl Drop for Picture {
    fn drop(&mut self) {
        // A whole picture has been renamed by now.
        let _ = std::fs::remove_file(&self.part);
    }
}

impl Flame {
    /// The functions that most of the time was spent in.
    pub(crate) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let ticks = self.profile.ticks();
        let share = |part: u64| format!("{:.1} %", part as f64 * 100.0 / ticks.max(1) as f64);
        for (head, functions) in
            [("where the time went: functions", self.functions()), ("the way there: callers first", self.path())]
        {
            let mut grid = Grid::new(&[head, "self", "with callees"], 1);
            for function in functions {
                grid.row([function.name.to_string(), share(function.own), share(function.total)]);
            }
            grid.print(out)?;
        }
        let seconds = self.profile.seconds(ticks);
        writeln!(
            out,
            "{} stacks of the UPDATE, {}, {FREQUENCY} a second: {seconds:.2} s by the clock, waits included; libraries count for their callers",
            grouped(ticks),
            arm().name()
        )?;
        writeln!(out, "{}\n", self.path.display())
    }

    /// Those with the most time of their own.
    fn functions(&self) -> Vec<FunctionShare> {
        self.profile.functions(&CRATES).into_iter().take(FUNCTIONS).collect()
    }

    /// The end of the path that most of the time was spent on.
    fn path(&self) -> Vec<FunctionShare> {
        let mut path = self.profile.heaviest_path(&CRATES);
        path.split_off(path.len().saturating_sub(PATH))
    }

    /// The functions and stacks that most of the time was spent in.
    pub(crate) fn json(&self) -> Value {
        let function = |share: &FunctionShare| json!({"name": *share.name, "self": share.own, "total": share.total});
        let stack = |(stack, ticks): &(String, u64)| json!({"stack": stack, "ticks": ticks});
        json!({
            "arm": arm().name(),
            "ticks": self.profile.ticks(),
            "ticks_a_second": self.profile.frequency,
            "functions": self.functions().iter().map(function).collect::<Vec<_>>(),
            "path": self.path().iter().map(function).collect::<Vec<_>>(),
            "stacks": self.profile.hottest_stacks(STACKS).iter().map(stack).collect::<Vec<_>>(),
            "flamegraph": self.path.display().to_string(),
        })
    }
}
