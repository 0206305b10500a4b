//! Prints an AWR report of a database that never was: what docs/images shows the analysis of.

#[path = "../tests/support/made_up.rs"]
mod made_up;

use std::io::Write;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(made_up::MadeUp::default().html().as_bytes())
}
