//! An error's number with its family, as the user sees it: `ORA-00942`.

use std::fmt;

/// The families of error numbers, in the order in which a number without a family is looked up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Family {
    /// Oracle's numbers, for the same conditions.
    Ora,
    /// Highwater's own numbers.
    Hw,
    /// Numbers of the PL/SQL compiler.
    Pls,
    /// Numbers of SQL*Plus.
    Sp2,
    /// Numbers of the external table access driver.
    Kup,
}

impl Family {
    pub const ALL: [Self; 5] = [Self::Ora, Self::Hw, Self::Pls, Self::Sp2, Self::Kup];

    /// The prefix of the number in a message.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Ora => "ORA",
            Self::Hw => "HW",
            Self::Pls => "PLS",
            Self::Sp2 => "SP2",
            Self::Kup => "KUP",
        }
    }

    fn digits(self) -> usize {
        match self {
            Self::Ora | Self::Pls | Self::Kup => 5,
            Self::Hw | Self::Sp2 => 4,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code {
    pub family: Family,
    pub number: u32,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { family, number } = self;
        write!(f, "{}-{number:0width$}", family.prefix(), width = family.digits())
    }
}
