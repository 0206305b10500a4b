//! What a long run says while it works.

use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressStyle};

/// Told what is being done.
pub trait Progress {
    /// A new step begins; the one before is done.
    fn step(&mut self, text: &str);
    /// How far the step is.
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

/// A line that is written over on a terminal, else a plain line for each step; on stderr.
#[must_use]
pub fn automatic() -> Box<dyn Progress> {
    if io::stderr().is_terminal() { Box::new(Line::default()) } else { Box::new(Steps(io::stderr())) }
}

/// One plain line for each step.
#[derive(Debug)]
pub struct Steps<W>(pub W);

impl<W: Write> Progress for Steps<W> {
    fn step(&mut self, text: &str) {
        // Nobody to tell is no reason to stop.
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
