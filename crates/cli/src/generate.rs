//! `highwater generate`: flat files of TPC-DS and TPC-H.

use std::io::{self, BufWriter, Write};

use common::Result;
use lab::generate::{Options, generate};

use crate::command_line::Generate;
use crate::failure::{self, Outcome};

pub(crate) fn run(arguments: &Generate) -> Result<Outcome> {
    let options = Options {
        suite: arguments.suite.parse()?,
        scale: arguments.scale,
        table: arguments.table.clone(),
        out: arguments.out.clone().unwrap_or_else(|| ".".into()),
    };
    let made = generate(&options, &mut *lab::progress::automatic())?;
    let mut out = BufWriter::new(io::stdout().lock());
    let widest = made.iter().map(|file| file.table.len()).max().unwrap_or(0);
    let printed = made.iter().try_for_each(|file| {
        writeln!(out, "{:widest$} {:>12} rows {:>15} bytes  {}", file.table, file.rows, file.bytes, file.path.display())
    });
    failure::written(printed.and_then(|()| out.flush()))?;
    Ok(Outcome::DONE)
}
