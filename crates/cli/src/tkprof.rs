//! `highwater tkprof`.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

use common::{Error, Number, Result};
use report::tkprof::{Options, Report, json, print, summarise};

use crate::command_line::Tkprof;
use crate::failure::{self, Outcome, file, wrong_use};

pub(crate) fn run(arguments: &Tkprof) -> Result<Outcome> {
    let mut options = Options::default();
    let mut out: Option<&Path> = None;
    for word in &arguments.words {
        if word.contains('=') {
            options.apply(word).map_err(|error| wrong_use(error.text))?;
        } else if out.replace(Path::new(word)).is_some() {
            return Err(wrong_use("tkprof takes one trace file and one output file"));
        }
    }
    let path = &arguments.trace;
    let trace = File::open(path).map_err(|error| file(path, &error))?;
    let report = summarise(BufReader::with_capacity(1 << 20, trace), &options).map_err(|error| named(path, error))?;
    match out {
        None => failure::written(write(&report, &options, arguments.json, &mut io::stdout().lock()))?,
        Some(out) => {
            if same_file(path, out) {
                return Err(wrong_use(format!("{}: the report would overwrite the trace", out.display())));
            }
            let target = File::create(out).map_err(|error| file(out, &error))?;
            write(&report, &options, arguments.json, &mut { target }).map_err(|error| file(out, &error))?;
        }
    }
    Ok(Outcome::DONE)
}

fn write(report: &Report, options: &Options, as_json: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    if as_json {
        serde_json::to_writer_pretty(&mut out, &json(report, options))?;
        writeln!(out)?;
    } else {
        print(report, options, &mut out)?;
    }
    out.flush()
}

/// An error of the reader with the file that it is about.
fn named(path: &Path, error: Error) -> Error {
    if error.number == Number::Hw(1) || error.text.contains(&*path.to_string_lossy()) {
        return error;
    }
    Error { text: format!("{}: {}", path.display(), error.text), ..error }
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}
