//! The sizes of datafiles: on disk, in the control file and in memory.

use common::{Error, FileNumber, Result};

use super::Tablespace;
use crate::process::{Process, Store};

impl Tablespace {
    /// True: a file of the tablespace may still grow.
    pub(crate) fn can_grow(&self, store: &Store) -> bool {
        let control = store.control();
        let mut own = control.data().datafiles.iter().filter(|file| file.tablespace == self.number.0);
        own.any(|file| file.autoextend.is_some_and(|growth| growth.max > file.blocks))
    }
}

/// The size to which a file may grow so that `want` more blocks fit, by its autoextend clause; None when it may not.
pub(super) fn autoextended(store: &Store, number: FileNumber, want: u32) -> Result<Option<u32>> {
    let control = store.control();
    let Some(record) = control.data().datafiles.iter().find(|file| file.number == number.0) else {
        return Err(Error::bug(format!("file {} is not in the control file", number.0)));
    };
    let Some(autoextend) = record.autoextend else {
        return Ok(None);
    };
    let steps = want.div_ceil(autoextend.next.max(1));
    let blocks = record.blocks.saturating_add(steps.saturating_mul(autoextend.next)).min(autoextend.max);
    Ok((blocks > record.blocks).then_some(blocks))
}

/// Changes a file's size on disk, in the control file and in memory; on an error the old size stands in all three.
///
/// # Errors
/// ORA-01237 when the file system has no room, ORA-01114 when the file cannot be cut, errors of the control file;
/// HW-0010 when a sync fails, or when a change that was made cannot be taken back.
pub(super) fn set_file_blocks(s: &Process, number: FileNumber, blocks: u32) -> Result<()> {
    let (store, meter) = (s.store(), s.meter());
    let file = store.cache().file(number)?;
    let before = file.blocks();
    let grows = blocks > before;
    // The control file must never name more blocks than the file has, not even after a crash.
    if grows {
        file.set_device_blocks(blocks, meter)?;
        file.sync_if_written(meter).map_err(|error| store.health().stop(&error))?;
    }
    debug_assert!(blocks > 0, "file {} is cut to nothing", number.0);
    let scn = store.advance_scn().0;
    let noted = note_file_blocks(store, number, blocks, (!grows).then_some(scn));
    if let Err(error) = noted {
        if grows && store.health().check().is_ok() {
            // A file that stays longer than its size does no harm: the next growth takes it as it is.
            let _ = file.set_device_blocks(before, meter);
        }
        return Err(error);
    }
    if !grows && let Err(error) = file.set_device_blocks(blocks, meter) {
        // The cut stays in the record: the blocks behind it are in no extent, so redo of them from before it is of no
        // use.
        return match note_file_blocks(store, number, before, None) {
            Ok(()) => Err(error),
            Err(again) => Err(store.health().stop(&again)),
        };
    }
    file.set_blocks(blocks);
    Ok(())
}

/// Writes a file's size into the control file, and with `cut` the SCN of the cut to that size.
fn note_file_blocks(store: &Store, number: FileNumber, blocks: u32, cut: Option<u64>) -> Result<()> {
    store.control().update(|data| {
        if let Some(record) = data.datafiles.iter_mut().find(|file| file.number == number.0) {
            record.blocks = blocks;
            if let Some(scn) = cut {
                record.cut(scn, blocks);
            }
        }
    })
}
