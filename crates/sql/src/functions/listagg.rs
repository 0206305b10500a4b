//! LISTAGG: the texts of a group, one behind the other.

use common::{Error, Result};

/// A list of texts with a separator between them; NULLs are left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct List {
    text: String,
    any: bool,
}

impl List {
    pub(crate) fn add(&mut self, text: &str, separator: &str) -> Result<()> {
        if self.any {
            self.text.push_str(separator);
        }
        self.any = true;
        self.text.push_str(text);
        if self.text.len() > common::limits::VARCHAR2_BYTES_MAX {
            return Err(Error::user(1489, "result of string concatenation is too long"));
        }
        Ok(())
    }

    pub(crate) fn value(&self) -> Option<&str> {
        (self.any && !self.text.is_empty()).then_some(self.text.as_str())
    }

    pub(crate) fn size(&self) -> usize {
        self.text.capacity()
    }
}
