//! Standard input of a traced process: a script, or a client that answers its output.

use std::io::{self, Write};

/// The next input from a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// Nothing yet.
    Wait,
    Say(String),
    /// Nothing any more.
    End,
}

/// A process's standard input.
pub enum Input<'a> {
    Script(&'a str),
    /// The client is called first with empty output, and then with each output.
    Dialog(&'a mut dyn FnMut(&[u8]) -> Reply),
}

impl std::fmt::Debug for Input<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if matches!(self, Self::Script(_)) { "Script" } else { "Dialog" })
    }
}

/// The client's end of a dialog.
pub(super) struct Client<'a> {
    pub(super) ask: &'a mut dyn FnMut(&[u8]) -> Reply,
    pub(super) pipe: Option<io::PipeWriter>,
}

impl Client<'_> {
    pub(super) fn hear(&mut self, bytes: &[u8]) {
        match (self.ask)(bytes) {
            Reply::Wait => {}
            Reply::Say(text) => {
                // A process that has ended reads nothing.
                let _ = self.pipe.as_mut().map(|pipe| pipe.write_all(text.as_bytes()));
            }
            Reply::End => self.pipe = None,
        }
    }
}
