//! Messages of a long run about its progress.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};

/// Receives messages about the present work.
pub trait Progress {
    /// A new step begins; the one before is done.
    fn step(&mut self, text: &str);
    /// The progress of the step.
    fn at(&mut self, done: u64, total: u64);
    /// The run is over.
    fn end(&mut self);
}

/// Says nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn step(&mut self, _: &str) {}
    fn at(&mut self, _: u64, _: u64) {}
    fn end(&mut self) {}
}

/// On a terminal, a line that is written over; otherwise a plain line for each step. On stderr.
#[must_use]
pub fn automatic() -> Box<dyn Progress> {
    if io::stderr().is_terminal() { Box::new(Line::default()) } else { Box::new(Steps(io::stderr())) }
}

/// One plain line for each step.
#[derive(Debug)]
pub struct Steps<W>(pub W);

impl<W: Write> Progress for Steps<W> {
    fn step(&mut self, text: &str) {
        // A failed message does not stop the run.
        let _ = writeln!(self.0, "{text}");
    }

    fn at(&mut self, _: u64, _: u64) {}
    fn end(&mut self) {}
}

/// A line on a terminal.
#[derive(Debug)]
struct Line {
    bar: ProgressBar,
}

impl Default for Line {
    fn default() -> Self {
        let bar = ProgressBar::new_spinner();
        // The template is ours and right; the plain style is as good.
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg} {bar:30} {percent}%") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(std::time::Duration::from_millis(100));
        Self { bar }
    }
}

impl Progress for Line {
    fn step(&mut self, text: &str) {
        self.bar.set_position(0);
        self.bar.set_length(1);
        self.bar.set_message(text.to_owned());
    }

    fn at(&mut self, done: u64, total: u64) {
        self.bar.set_length(total.max(1));
        self.bar.set_position(done);
    }

    fn end(&mut self) {
        self.bar.finish_and_clear();
    }
}
