//! The cell, its grid disks, and the groups on them with a copy of the table each.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use common::{Error, Result};
use device::FileSystem as _;
use drive::{CellFile, GridSpec, Kind, ModelFile, ModelledFileSystem, Positive, Request, Spindle, end_of, make_cells};
use sql::Connection;

use super::BLOCKS;
use super::setting::{AU_MB, EXTENT_MB, PLACE, ROUND};
use crate::experiment::options::wrong_use;
use crate::experiment::plan::Plan;
use crate::experiment::setting::Setting;
use crate::laboratory::{Laboratory, formatted_blocks, io};
use crate::modelled_run::ModelledRun;
use crate::progress::Progress;
use crate::text::grouped;

/// Disks of the cell, as published systems have them.
pub(super) const DISKS: u16 = 12;
const CELL: &str = "cell01";
/// Folder of the cell, in the database's.
const FOLDER: &str = "cells";
const MB: u64 = 1 << 20;
const BLOCK_BYTES: u64 = 8192;
/// Bytes of rows, and of their places in the row directory, that a load puts into a block of 8 KB with PCTFREE 10.
const FILLED_BYTES: f64 = 7250.0;
/// A block of so many manages the others' space.
const BITMAP_EACH: f64 = 64.0;
/// Megabytes of a grid disk beside its share of the table: the group's own blocks, the datafile's last growth.
const MORE_MB: u64 = 24;
/// Owners of the table's rows: one of them has 0.66 % of the rows.
pub(super) const OWNERS: u32 = 151;
/// Bytes of a read of the model alone.
const READ_BYTES: u64 = MB;

/// A part of each disk.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Slot {
    Outer,
    Inner,
    /// Beside the inner one, for the group that lies there in the first round.
    InnerToo,
}

impl Slot {
    const ALL: [Self; 3] = [Self::Outer, Self::Inner, Self::InnerToo];

    fn of(setting: Setting) -> Self {
        match (setting.number(&PLACE), setting.number(&ROUND), setting.number(&AU_MB)) {
            (0, ..) => Self::Outer,
            (_, 0, 8) => Self::InnerToo,
            _ => Self::Inner,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Outer => "OUTER",
            Self::Inner => "INNER",
            Self::InnerToo => "INNER2",
        }
    }
}

/// What a table is made of: other factors do not change it.
fn made_of(setting: Setting) -> (u32, u32, Slot, u32) {
    (setting.number(&AU_MB), setting.number(&EXTENT_MB), Slot::of(setting), setting.number(&ROUND))
}

/// The groups that are there.
#[derive(Debug)]
pub(super) struct Groups {
    run: ModelledRun,
    files: Arc<ModelledFileSystem>,
    directory: PathBuf,
    blocks: u64,
    /// Megabytes of the table on a disk.
    table_mb: u64,
    /// Megabytes of a grid disk.
    slot_mb: u64,
    device_mb: u64,
    /// All slots are there at once; else one after another.
    pub(super) side_by_side: bool,
    there: BTreeMap<Slot, Setting>,
}

/// Rows of a table of so many blocks. The numbers in the rows become longer, and the rows with them.
fn rows_of(blocks: u64) -> u64 {
    let mut left = blocks as f64 * (1.0 - 1.0 / BITMAP_EACH) * FILLED_BYTES;
    let (mut rows, mut digits) = (0.0, 1);
    loop {
        // Place, head of the row, number, name of the owner, name of the object, filling, date.
        let bytes = f64::from(2 + 3 + (2 + (digits + 1) / 2) + (8 + digits) + 81 + 8) + 8.6;
        let numbers = 9.0 * 10.0_f64.powi(digits - 1);
        if numbers * bytes >= left {
            return (rows + left / bytes).max(1.0) as u64;
        }
        (rows, left, digits) = (rows + numbers, left - numbers * bytes, digits + 1);
    }
}

/// Name of a table, its tablespace and its group.
fn name(slot: Slot) -> String {
    format!("myobj_{}", slot.name().to_lowercase())
}

impl Groups {
    /// Makes the cell where all groups have room at once.
    ///
    /// # Errors
    /// HW-0003 where not even one of them has room, with what it needs.
    pub(super) fn new(
        laboratory: &Laboratory,
        run: &ModelledRun,
        files: &Arc<ModelledFileSystem>,
        plan: &Plan,
    ) -> Result<Self> {
        let blocks = (BLOCKS * plan.scale).round().max(1.0) as u64;
        let table_mb = (blocks * BLOCK_BYTES).div_ceil(MB * u64::from(DISKS)) * 102 / 100;
        // A file's last unit on each disk, and the group's own; an extent that is begun.
        let ends_mb = u64::from(2 * plan.most(&AU_MB) + plan.most(&EXTENT_MB) / 4);
        let slot_mb = table_mb + MORE_MB + ends_mb;
        let device_mb = run.model().start().bytes() / MB;
        let directory = laboratory.directory().join(FOLDER);
        let free = files.free_bytes(laboratory.directory()).map_err(|error| io(laboratory.directory(), &error))?;
        let needed = slot_mb * MB * u64::from(DISKS);
        let has_room = |slots: u64| free.is_none_or(|free| free > needed * slots + needed / 20);
        if slot_mb * 3 > device_mb {
            return Err(wrong_use(format!(
                "three groups take {} MB of each disk, and a disk of the model has {}; a smaller --scale",
                grouped(slot_mb * 3),
                grouped(device_mb)
            )));
        }
        if !has_room(1) {
            return Err(wrong_use(format!(
                "a group takes {} MB, and {} has {} MB free; a smaller --scale, or another --data",
                grouped(needed / MB),
                laboratory.directory().display(),
                grouped(free.unwrap_or(0) / MB)
            )));
        }
        let side_by_side = run.is_in_memory() || has_room(3);
        let mut groups = Self {
            run: run.clone(),
            files: Arc::clone(files),
            directory,
            blocks,
            table_mb,
            slot_mb,
            device_mb,
            side_by_side,
            there: BTreeMap::new(),
        };
        if side_by_side {
            groups.make_cell(&Slot::ALL)?;
        }
        Ok(groups)
    }

    fn offset_mb(&self, slot: Slot) -> u64 {
        match slot {
            Slot::Outer => 0,
            Slot::Inner => self.device_mb - self.slot_mb,
            Slot::InnerToo => self.device_mb - 2 * self.slot_mb,
        }
    }

    fn make_cell(&mut self, slots: &[Slot]) -> Result<()> {
        let grid = |slot: &Slot| GridSpec {
            name: slot.name().to_owned(),
            size_mb: self.slot_mb,
            offset_mb: self.offset_mb(*slot),
        };
        let cell = CellFile {
            name: CELL.to_owned(),
            model: self.model_path()?,
            disks: DISKS,
            dilate: self.run.dilate(),
            grid: slots.iter().map(grid).collect(),
            flash: None,
        };
        make_cells(&*self.files, &self.directory, 1, &cell, self.device_mb * MB)?;
        Ok(())
    }

    /// The model as the cell's file names it: one of the catalogue, or a path from anywhere.
    fn model_path(&self) -> Result<String> {
        let name = self.run.name();
        if drive::find(name)?.is_some() {
            return Ok(name.to_owned());
        }
        let path = std::path::absolute(name).map_err(|error| io(std::path::Path::new(name), &error))?;
        Ok(path.display().to_string())
    }

    /// The disks of the cell, at work.
    pub(super) fn spindles(&self) -> Vec<Arc<Spindle>> {
        self.files.cells().iter().flat_map(|cell| cell.spindles.clone()).collect()
    }

    /// Makes the group of an arm and its table, unless they are there. Returns the table's name.
    pub(super) fn prepare(
        &mut self,
        connection: &mut Connection,
        setting: Setting,
        progress: &mut dyn Progress,
    ) -> Result<String> {
        let slot = Slot::of(setting);
        let table = name(slot);
        if self.there.get(&slot).is_some_and(|there| made_of(*there) == made_of(setting)) {
            return Ok(table);
        }
        let old: Vec<Slot> = match self.side_by_side {
            true => self.there.keys().copied().filter(|there| *there == slot).collect(),
            false => self.there.keys().copied().collect(),
        };
        for slot in old {
            progress.step(&format!("dropping the group on {}", slot.name()));
            self.drop_group(connection, slot)?;
        }
        if !self.side_by_side {
            if self.directory.exists() {
                std::fs::remove_dir_all(&self.directory).map_err(|error| io(&self.directory, &error))?;
            }
            self.make_cell(&[slot])?;
        }
        let (au_mb, extent_mb) = (setting.number(&AU_MB), setting.number(&EXTENT_MB));
        let disks = format!("{FOLDER}/{CELL}/{}_CD_*", slot.name());
        let rows = rows_of(self.blocks);
        progress.step(&format!("{}: loading {} rows", setting.name(), grouped(rows)));
        connection.run(&format!(
            "create diskgroup {table} external redundancy disk '{disks}' attribute 'au_size' = '{au_mb}M', \
             'cell.smart_scan_capable' = 'TRUE'"
        ))?;
        let spindles = self.spindles();
        self.run.add_devices(&spindles);
        // What is measured is the scans: the devices take no time for the load.
        spindles.iter().for_each(|spindle| spindle.set_untimed(true));
        let extents = match extent_mb {
            0 => "autoallocate".to_owned(),
            megabytes => format!("uniform size {megabytes}m"),
        };
        connection.run(&format!(
            "create tablespace {table} datafile '+{table}' size 64m autoextend on next 64m extent management local \
             {extents}"
        ))?;
        connection.run(&format!(
            "create table {table} tablespace {table} as select level object_id, 'OWNER' || mod(level, {OWNERS}) owner, \
             'OBJECT_' || level object_name, rpad('x', 80, 'x') pad, sysdate - mod(level, 3650) created \
             from dual connect by level <= {rows}"
        ))?;
        connection.run("alter system checkpoint")?;
        spindles.iter().for_each(|spindle| spindle.set_untimed(false));
        self.there.insert(slot, setting);
        Ok(table)
    }

    fn drop_group(&mut self, connection: &mut Connection, slot: Slot) -> Result<()> {
        let name = name(slot);
        connection.run(&format!("drop table {name} purge"))?;
        connection.run(&format!("drop tablespace {name} including contents and datafiles"))?;
        connection.run(&format!("drop diskgroup {name} including contents"))?;
        self.there.remove(&slot);
        Ok(())
    }

    /// What a disk of the model reads in order at both places, in its own time.
    pub(super) fn alone(&self) -> Result<(f64, f64)> {
        let bytes = self.table_mb * MB;
        let of = |slot| alone(self.run.model(), self.offset_mb(slot) * MB, bytes);
        let rates = (of(Slot::Outer), of(Slot::Inner));
        if rates.0.is_finite() && rates.1.is_finite() {
            Ok(rates)
        } else {
            Err(Error::bug("a model whose reads do not end"))
        }
    }
}

/// Megabytes a second that a device at rest reads from an offset on, a read after another.
fn alone(model: &ModelFile, offset: u64, bytes: u64) -> f64 {
    let mut device = model.start();
    let mut now = 0.0;
    // The first read has to find the place.
    let mut began = 0.0;
    let mut read = 0;
    for at in (offset..offset + bytes.max(READ_BYTES * 2)).step_by(READ_BYTES as usize) {
        let request = Request { kind: Kind::Read, block: at / 512, blocks: READ_BYTES / 512 };
        let ticket = device.submit(now, request);
        now = end_of(&mut *device, ticket);
        if at == offset {
            began = now;
        } else {
            read += READ_BYTES;
        }
    }
    read as f64 / (now - began)
}

/// Bytes of the table's blocks below its high-water mark, those that manage its space aside.
pub(super) fn bytes_below_high_water(connection: &Connection, table: &str) -> Result<u64> {
    Ok(formatted_blocks(connection, table)? * BLOCK_BYTES)
}

/// Microseconds of the machine as seconds of the model.
pub(super) fn seconds_of_model(real_us: u64, dilate: Positive) -> f64 {
    real_us as f64 / 1e6 / dilate.get()
}
