//! `highwater tkprof`.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;

use common::{Error, Number, Result};
use report::profile::{self, Profile, ProfileOptions, StatementKey};
use report::tkprof::{Options, json, print, summarise};

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
    File::open(path).map_err(|error| file(path, &error))?;
    let trace = report::input::open_trace(path).map_err(|error| named(path, error))?;
    let trace = BufReader::with_capacity(1 << 20, trace);
    let mut profile_options = ProfileOptions::default();
    if let Some(key) = &arguments.profile_sort {
        profile_options.sort = StatementKey::parse(key).map_err(|error| wrong_use(error.text))?;
    }
    let read = if arguments.profile {
        profile::read(trace, &options)
    } else {
        summarise(trace, &options).map(|summary| Profile { summary, ..Profile::default() })
    };
    let printing = Printing {
        profile: read.map_err(|error| named(path, error))?,
        options,
        profile_options: arguments.profile.then_some(profile_options),
        json: arguments.json,
    };
    match out {
        None => failure::written(printing.write(&mut io::stdout().lock()))?,
        Some(out) => {
            if same_file(path, out) {
                return Err(wrong_use(format!("{}: the report would overwrite the trace", out.display())));
            }
            let target = File::create(out).map_err(|error| file(out, &error))?;
            printing.write(&mut { target }).map_err(|error| file(out, &error))?;
        }
    }
    Ok(Outcome::DONE)
}

/// Output options.
struct Printing {
    profile: Profile,
    options: Options,
    /// None without the profile's sections.
    profile_options: Option<ProfileOptions>,
    json: bool,
}

impl Printing {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::new(out);
        let summary = &self.profile.summary;
        if self.json {
            let mut report = json(summary, &self.options);
            report.profile = self.profile_options.as_ref().map(|options| profile::json(&self.profile, options));
            serde_json::to_writer_pretty(&mut out, &report)?;
            writeln!(out)?;
        } else {
            print(summary, &self.options, &mut out)?;
            if let Some(options) = &self.profile_options {
                profile::print(&self.profile, options, &mut out)?;
            }
        }
        out.flush()
    }
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
