//! `highwater`: the one binary.
//!
//! Exit codes: 0 done, 1 failed, 2 wrong usage. An error is one line on stderr.

mod analyze;
mod bench;
mod cell;
mod cells;
mod command_line;
mod completions;
mod device;
mod disks;
mod dump;
mod durability;
mod failure;
mod generate;
mod help;
mod load;
mod map;
mod numbers;
mod offline;
mod reproduce;
mod size;
mod sql;
mod tkprof;
mod verify;

use std::process::ExitCode;

use clap::Parser;

use command_line::{Command, CommandLine};
use failure::{Outcome, USAGE};

/// Statements by key take and give back small pieces of memory; the system's allocator took an eighth of their time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let worker = common::sync::spawn_with_stack("main", common::limits::SESSION_STACK_BYTES, run);
    let ended = worker.map(|worker| worker.join());
    shell::interrupt::let_termination_end();
    match ended {
        Ok(Ok(code)) => code,
        // The panic has been printed.
        Ok(Err(_)) => ExitCode::from(101),
        Err(error) => failure::exit_code(Err(common::Error::own(
            common::ErrorKind::OutOfResource,
            5,
            format!("no thread to work on: {error}"),
        ))),
    }
}

fn run() -> ExitCode {
    let command_line = match CommandLine::try_parse() {
        Ok(command_line) => command_line,
        Err(error) => return usage(&error),
    };
    let outcome = match command_line.command {
        Command::Reproduce(arguments) => reproduce::run(&arguments),
        Command::Sql(arguments) => sql::run(&arguments),
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Load(arguments) => load::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Disks(arguments) => disks::run(&arguments),
        Command::Device(arguments) => device::run(&arguments),
        Command::Cells(arguments) => cells::run(&arguments),
        Command::Cell(arguments) => cell::run(&arguments),
        Command::Dump(arguments) => dump::run(&arguments),
        Command::Map(arguments) => map::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Tkprof(arguments) => tkprof::run(&arguments),
        Command::Analyze(arguments) => analyze::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Help(arguments) => help::run(&arguments),
        Command::DurabilityProcess(arguments) => durability::process(arguments),
    };
    failure::exit_code(outcome)
}

/// Help and version go to stdout and are no error; anything else is one line.
fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        return failure::exit_code(failure::written(error.print()).map(|()| Outcome::DONE));
    }
    let text = error.to_string();
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        failure::say(text.trim_end());
        return ExitCode::from(USAGE);
    }
    // A list of missing arguments stands on lines of its own, up to an empty one.
    let line: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
    let line = line.join(" ");
    failure::exit_code(Err(failure::wrong_use(format!(
        "{}; highwater --help has more",
        line.trim_start_matches("error: ")
    ))))
}
