//! DBMS_OUTPUT: the buffer of lines that a program fills and the shell prints.

use std::collections::VecDeque;

use common::{Error, Result};

/// The most bytes of one line.
const LINE_BYTES_MAX: usize = 32_767;

/// The session's buffer.
#[derive(Debug, Default)]
pub struct Output {
    enabled: bool,
    /// Most bytes; None: no limit.
    limit: Option<usize>,
    bytes: usize,
    lines: VecDeque<String>,
    /// The line that PUT has begun.
    begun: String,
}

impl Output {
    /// ENABLE: the buffer's content stays.
    pub fn enable(&mut self, limit: Option<usize>) {
        self.enabled = true;
        self.limit = limit;
    }

    /// DISABLE: empties the buffer too.
    pub fn disable(&mut self) {
        *self = Self::default();
    }

    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// PUT.
    ///
    /// # Errors
    /// ORU-10027 when the buffer is full, ORU-10028 for a line that is too long; both as ORA-20000.
    pub fn put(&mut self, text: &str) -> Result<()> {
        if !self.enabled {
            return Ok(());
        }
        if self.begun.len() + text.len() > LINE_BYTES_MAX {
            self.begun.clear();
            return Err(Error::user(
                20_000,
                format!("ORU-10028: line length overflow, limit of {LINE_BYTES_MAX} bytes per line"),
            ));
        }
        if let Some(limit) = self.limit
            && self.bytes + self.begun.len() + text.len() > limit
        {
            return Err(Error::user(20_000, format!("ORU-10027: buffer overflow, limit of {limit} bytes")));
        }
        self.begun.push_str(text);
        Ok(())
    }

    /// NEW_LINE.
    pub fn new_line(&mut self) {
        if self.enabled {
            let line = std::mem::take(&mut self.begun);
            self.bytes += line.len();
            self.lines.push_back(line);
        }
    }

    /// GET_LINE: the oldest line.
    pub fn take_line(&mut self) -> Option<String> {
        let line = self.lines.pop_front()?;
        self.bytes -= line.len();
        Some(line)
    }

    /// Takes every complete line; a line that was begun stays.
    pub fn drain(&mut self) -> Vec<String> {
        self.bytes = 0;
        self.lines.drain(..).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_out_in_their_order() {
        let mut output = Output::default();
        output.put("lost").unwrap();
        output.enable(None);
        output.put("a").unwrap();
        output.put("b").unwrap();
        output.new_line();
        output.new_line();
        output.put("begun").unwrap();
        assert_eq!(output.drain(), ["ab", ""]);
        output.new_line();
        assert_eq!(output.take_line().as_deref(), Some("begun"));
        assert_eq!(output.take_line(), None);
    }

    #[test]
    fn a_full_buffer_says_so() {
        let mut output = Output::default();
        output.enable(Some(5));
        output.put("12345").unwrap();
        output.new_line();
        let error = output.put("6").unwrap_err();
        assert_eq!(error.to_string(), "ORA-20000: ORU-10027: buffer overflow, limit of 5 bytes");
        output.drain();
        output.put("6").unwrap();
    }
}
