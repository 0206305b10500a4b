//! BREAK and COMPUTE.

use common::Result;

use crate::breaks::Breaks;
use crate::command::Line;
use crate::shell::{Flow, Shell};

/// BREAK with words replaces the earlier one; without, it shows it.
pub(crate) fn breaks(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    if line.words.is_empty() {
        return Ok(list(shell, shell.breaks.shown(), "no breaks"));
    }
    shell.breaks = Breaks::parse(&line.words)?;
    Ok(Flow::Next)
}

/// COMPUTE with words is added to the others; without, it shows them.
pub(crate) fn compute(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    if line.words.is_empty() {
        return Ok(list(shell, shell.computes.shown(), "no computes"));
    }
    shell.computes.command(&line.words)?;
    Ok(Flow::Next)
}

fn list(shell: &mut Shell, lines: Vec<String>, none: &str) -> Flow {
    if lines.is_empty() {
        shell.out.line(none);
    }
    for line in lines {
        shell.out.line(&line);
    }
    Flow::Next
}
