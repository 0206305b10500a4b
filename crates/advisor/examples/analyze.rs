//! `analyze` without the rest of the command line: `cargo run -p advisor --example analyze -- FILE... [--json] [--csv]
//! [--mask] [--html OUT]`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use advisor::files::{Options, analyze};
use advisor::screen::Terminal;

fn main() -> ExitCode {
    let mut options = Options { terminal: Terminal::standard_output(), ..Options::default() };
    let mut paths = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--json" => options.json = true,
            "--csv" => options.csv = true,
            "--mask" => options.mask = true,
            "--html" => options.html = words.next().map(PathBuf::from),
            _ => paths.push(PathBuf::from(word)),
        }
    }
    let mut say = |line: &str| {
        let _ = writeln!(io::stderr(), "{line}");
    };
    if paths.is_empty() {
        say("usage: analyze FILE... [--json] [--csv] [--mask] [--html OUT]");
        return ExitCode::from(2);
    }
    match analyze(&paths, &options, &mut io::stdout().lock(), &mut say) {
        Ok(outcome) => ExitCode::from(outcome.exit_code()),
        Err(error) => {
            say(&error.to_string());
            ExitCode::from(1)
        }
    }
}
