//! `highwater dump`: one block, or the redo log, readable.

use std::io::{self, BufWriter, Write};

use common::{Error, ErrorKind, Result};
use format::file::{OS_BLOCK, read_os_block};

use crate::command_line::{Dump, Dumped};
use crate::failure::{self, Outcome};
use crate::offline::Offline;

pub(crate) fn run(arguments: &Dump) -> Result<Outcome> {
    let open = || Offline::open(&arguments.data);
    match (arguments.what, arguments.number) {
        (Dumped::File(file), Some(number)) => block(&open()?, file, number),
        (Dumped::File(_), None) => Err(failure::wrong_use("which block of the file? highwater dump --help has more")),
        (Dumped::Redo, sequence) => redo(&open()?, sequence),
    }
}

fn block(offline: &Offline, file: u16, number: u32) -> Result<Outcome> {
    let file = offline.datafile(file)?;
    if number >= file.blocks {
        let text =
            format!("file {} has {} blocks, the last is {}", file.number.0, file.blocks, file.blocks.saturating_sub(1));
        return Err(Error::own(ErrorKind::User, 4, text));
    }
    let mut block = vec![0; file.block_size.bytes()];
    file.read(number, &mut block)?;
    let text = if number == OS_BLOCK {
        let (size, database) = read_os_block(&block)?;
        format!(
            "block {} operating-system block\nblock size {size}\ndatabase id {database:#018x}\n",
            file.address(OS_BLOCK)
        )
    } else {
        format::dump::dump(&block)
    };
    let mut out = io::stdout().lock();
    failure::written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))?;
    Ok(Outcome::DONE)
}

/// The records from the start of a log sequence to the end of the redo.
fn redo(offline: &Offline, sequence: Option<u32>) -> Result<Outcome> {
    let last = offline.control.log_groups.iter().map(|group| group.sequence).max();
    let mut reader = offline.redo(sequence.or(last).unwrap_or(0))?;
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut records, mut bytes) = (0_u64, 0_u64);
    while let Some((rba, record)) = reader.next()? {
        let text = format::redo::dump(record)?;
        if let Err(error) = write!(out, "record {}.{}.{} {text}", rba.sequence, rba.block, rba.offset) {
            failure::written(Err(error))?;
            return Ok(Outcome::DONE);
        }
        records += 1;
        bytes += record.len() as u64;
    }
    let end = reader.end().map(|end| format!(", end {}.{}", end.sequence, end.block)).unwrap_or_default();
    failure::written(writeln!(out, "records {records} of {bytes} bytes{end}").and_then(|()| out.flush()))?;
    Ok(Outcome::DONE)
}
