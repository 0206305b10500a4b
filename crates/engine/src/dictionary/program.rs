//! Stored programs: procedures, functions, packages, package bodies and triggers.
//!
//! The dictionary keeps a program's text, its dependencies, and the outcome of its last compilation. The SQL layer
//! compiles, and passes the outcome ([`Compilation`](crate::ddl::Compilation)).
//!
//! ```text
//!            create, recompile                    what it depends on changes
//! Valid   <───────────────────── Invalid <───────────────────────────────────── Valid, Errors
//! Errors  <─────────────────────
//! ```

use std::fmt;
use std::sync::Arc;

use common::{Error, ObjectNumber, Result, limits};

use super::rows::SourceRow;
use super::trigger::TriggerDef;

/// The kind of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ProgramKind {
    Procedure,
    Function,
    /// The specification of a package.
    Package,
    PackageBody,
    Trigger,
}

impl ProgramKind {
    pub const ALL: [Self; 5] = [Self::Procedure, Self::Function, Self::Package, Self::PackageBody, Self::Trigger];

    /// OBJ$.TYPE#.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::Procedure => 7,
            Self::Function => 8,
            Self::Package => 9,
            Self::PackageBody => 11,
            Self::Trigger => 12,
        }
    }

    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.number() == number)
    }

    /// True: its names share the name space of tables and views. Other programs can depend on such a program alone.
    #[must_use]
    pub fn shares_names(self) -> bool {
        matches!(self, Self::Procedure | Self::Function | Self::Package)
    }
}

impl fmt::Display for ProgramKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Procedure => "PROCEDURE",
            Self::Function => "FUNCTION",
            Self::Package => "PACKAGE",
            Self::PackageBody => "PACKAGE BODY",
            Self::Trigger => "TRIGGER",
        })
    }
}

/// The state of a program. Users see VALID, or INVALID for both others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProgramStatus {
    Valid,
    /// Compiled with errors; no dependency has changed since.
    Errors,
    /// Must be compiled before its next use.
    Invalid,
}

impl ProgramStatus {
    /// OBJ$.STATUS.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::Valid => super::rows::STATUS_VALID,
            Self::Errors => 3,
            Self::Invalid => 5,
        }
    }

    pub(crate) fn from_number(number: u8) -> Option<Self> {
        [Self::Valid, Self::Errors, Self::Invalid].into_iter().find(|status| status.number() == number)
    }
}

/// An error of a compilation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompileError {
    /// Line and column in the program's text, from 1; 0 for none.
    pub line: u32,
    pub position: u32,
    /// With the error's number, as `PLS-00201: …`; cut to 4000 bytes.
    pub text: String,
}

/// A dependency of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependency {
    /// None where no object of this name existed, or was visible: the program becomes invalid when one is made.
    pub object: Option<ObjectNumber>,
    pub owner: String,
    pub name: String,
}

/// A stored program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProgramDef {
    pub object: ObjectNumber,
    pub owner: String,
    pub name: String,
    pub kind: ProgramKind,
    /// From the kind on: what follows CREATE [OR REPLACE].
    pub source: Arc<str>,
    pub status: ProgramStatus,
    /// New after each creation and each compilation, and unique in the instance: code compiled under another stamp is
    /// stale.
    pub stamp: u64,
    /// Errors of the last compilation, in its order.
    pub errors: Arc<[CompileError]>,
    /// Dependencies found by the last compilation.
    pub depends_on: Arc<[Dependency]>,
    /// For triggers only.
    pub trigger: Option<Arc<TriggerDef>>,
    /// Wall time, microseconds since 1970.
    pub created_us: u64,
    /// The last CREATE OR REPLACE or ALTER … COMPILE.
    pub changed_us: u64,
}

impl ProgramDef {
    /// `OWNER.NAME`, for messages.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        format!("{}.{}", self.owner, self.name)
    }

    /// Its lines, each with its end, as ALL_SOURCE shows them.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.source.split_inclusive('\n')
    }

    /// True: it depends on this object, or on this name.
    pub(crate) fn is_dependent_on(&self, object: ObjectNumber, owner: &str, name: &str) -> bool {
        self.depends_on
            .iter()
            .any(|parent| parent.object == Some(object) || (parent.owner == owner && parent.name == name))
    }
}

/// The text as rows.
///
/// # Errors
/// HW-0001 for a line that is too long, or too many of them.
pub(crate) fn source_rows(object: ObjectNumber, source: &str) -> Result<Vec<SourceRow>> {
    (1u32..)
        .zip(source.split_inclusive('\n'))
        .map(|(line, text)| {
            let (bytes, most) = (text.len(), limits::VARCHAR2_BYTES_MAX);
            if bytes > most {
                return Err(Error::unsupported(format_args!(
                    "line {line} of the program has {bytes} bytes with its end, more than {most}"
                )));
            }
            Ok(SourceRow { object: object.0, line, text: text.to_owned() })
        })
        .collect()
}

/// The text, cut to the width of a dictionary column.
pub(crate) fn cut(text: &str) -> String {
    let mut end = text.len().min(limits::VARCHAR2_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_kept_by_lines() {
        let rows = |text: &str| source_rows(ObjectNumber(1), text).unwrap();
        for text in ["", "a", "a\n", "\n\na\r\n b", &format!("{}\n", "x".repeat(3999))] {
            assert_eq!(rows(text).iter().map(|row| row.text.as_str()).collect::<String>(), text);
        }
        assert_eq!(rows("a\n\nb").iter().map(|row| row.line).collect::<Vec<_>>(), [1, 2, 3]);
        let error = source_rows(ObjectNumber(1), &format!("a\n{}\n", "x".repeat(4000))).unwrap_err();
        assert!(error.is_own(1) && error.text.contains("line 2"), "{error}");
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(cut("é"), "é");
        assert_eq!(cut(&format!("{}é", "x".repeat(3999))).len(), 3999);
    }

    #[test]
    fn numbers_come_back() {
        for kind in ProgramKind::ALL {
            assert_eq!(ProgramKind::from_number(kind.number()), Some(kind));
        }
        assert_eq!(ProgramKind::from_number(10), None);
        for status in [ProgramStatus::Valid, ProgramStatus::Errors, ProgramStatus::Invalid] {
            assert_eq!(ProgramStatus::from_number(status.number()), Some(status));
        }
    }
}
