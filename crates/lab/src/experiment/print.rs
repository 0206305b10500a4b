//! The printed report of an experiment, readable at 120 columns.

use std::io::{self, Write};

use common::text::wrapped;

use super::expectation::ExpectationKind;
use super::reproduction::Reproduction;

const WIDTH: usize = 118;

/// Prints the report.
///
/// # Errors
/// Those of writing to `out`.
pub fn print(report: &Reproduction, out: &mut dyn Write) -> io::Result<()> {
    for head in report.parts.iter().take(1) {
        writeln!(out, "{}: {}", head.name, head.title)?;
        writeln!(out, "{}", head.origin)?;
    }
    let named: Vec<&str> = report.parts.iter().filter_map(|part| part.part).collect();
    if !named.is_empty() {
        writeln!(out, "parts: {}", named.join(", "))?;
    }
    for (head, text) in report.parts.iter().flat_map(|part| &part.about) {
        lines(out, head, text)?;
    }
    report.notes.iter().try_for_each(|note| lines(out, "", note))?;
    writeln!(out)?;
    report.parts.iter().try_for_each(|part| out.write_all(&part.tables))?;
    expectations(report, out)
}

/// A paragraph; its further lines are indented to the first one's text.
pub(crate) fn lines(out: &mut dyn Write, head: &str, text: &str) -> io::Result<()> {
    let indent = head.chars().count();
    for (index, line) in wrapped(text, WIDTH - indent, "", "").iter().enumerate() {
        if index == 0 {
            writeln!(out, "{head}{line}")?;
        } else {
            writeln!(out, "{:indent$}{line}", "")?;
        }
    }
    Ok(())
}

fn expectations(report: &Reproduction, out: &mut dyn Write) -> io::Result<()> {
    for expectation in &report.expectations {
        let verdict = match expectation.holds {
            Some(true) => "yes",
            Some(false) => "NO",
            None => "undecided",
        };
        let kind = match expectation.kind {
            ExpectationKind::Exact => "exact",
            ExpectationKind::Shape => "shape",
        };
        lines(out, &format!("{verdict:<10} {kind}  "), &expectation.text)?;
        lines(out, &format!("{:18}", ""), &expectation.figures)?;
        if let Some(because) = &expectation.because {
            lines(out, &format!("{:18}undecided: ", ""), because)?;
        }
        if let Some(weakened) = &expectation.weakened {
            lines(out, &format!("{:18}weakened by the fitted source: ", ""), weakened)?;
        }
    }
    writeln!(out)?;
    if let Some(device) = &report.device {
        device.lines().iter().try_for_each(|line| lines(out, "", line))?;
        if device.refusal().is_some() {
            return Ok(());
        }
    }
    let exact = report.expectations.iter().filter(|e| e.kind == ExpectationKind::Exact);
    let failed = exact.filter(|e| e.holds == Some(false)).count();
    if failed == 0 {
        writeln!(out, "No exact expectation is false.")
    } else {
        writeln!(out, "{failed} exact expectation(s) are false.")
    }
}
