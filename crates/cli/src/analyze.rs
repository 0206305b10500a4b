//! `highwater analyze`.

use std::io;

use advisor::files::{Options, analyze};
use advisor::screen::Terminal;
use common::Result;

use crate::command_line::Analyze;
use crate::failure::{Outcome, say, wrong_use};

pub(crate) fn run(arguments: &Analyze) -> Result<Outcome> {
    if !(arguments.storage_ms.is_finite() && arguments.storage_ms > 0.0) {
        return Err(wrong_use("--storage-ms must be more than 0"));
    }
    let options = Options {
        json: arguments.json,
        csv: arguments.csv,
        html: arguments.html.clone(),
        mask: arguments.mask,
        terminal: Terminal::standard_output(),
        findings: advisor::Options { storage_ms: arguments.storage_ms },
    };
    let outcome = analyze(&arguments.files, &options, &mut io::stdout().lock(), &mut say)?;
    Ok(Outcome(outcome.exit_code()))
}
