//! `highwater dump`: one block, readable.

use std::io::{self, Write};

use common::{Error, ErrorKind, Result};
use format::file::{OS_BLOCK, read_os_block};

use crate::command_line::Dump;
use crate::failure::{self, Outcome};
use crate::offline::Offline;

pub(crate) fn run(arguments: &Dump) -> Result<Outcome> {
    let file = Offline::open(&arguments.data)?.datafile(arguments.file)?;
    if arguments.block >= file.blocks {
        let text =
            format!("file {} has {} blocks, the last is {}", file.number.0, file.blocks, file.blocks.saturating_sub(1));
        return Err(Error::own(ErrorKind::User, 4, text));
    }
    let mut block = vec![0; file.block_size.bytes()];
    file.read(arguments.block, &mut block)?;
    let text = if arguments.block == OS_BLOCK {
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
