//! Prints an AWR report of an invented database; docs/images shows its analysis.

#[path = "../tests/support/made_up.rs"]
mod made_up;

use std::io::Write;

fn main() -> std::io::Result<()> {
    std::io::stdout().write_all(made_up::MadeUp::default().html().as_bytes())
}
