//! The first messages of a connection.

use std::io;

const MAGIC: [u8; 6] = *b"HWCELL";
/// Version of the transport and of what it carries.
pub(crate) const VERSION: u8 = 3;

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// Requests for bytes of disks, one after another.
    Blocks,
    /// Requests for scans, whose answers come as they are ready.
    Scans,
}

/// Who asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Hello {
    pub(crate) purpose: Purpose,
    /// A number of the process, made up at its start.
    pub(crate) incarnation: u64,
    /// Rises when a write was given up: what was asked for before must have ended then.
    pub(crate) epoch: u64,
    /// Which instance it is: the same name after a restart.
    pub(crate) owner: String,
}

fn refused(text: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text.into())
}

impl Hello {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut to = MAGIC.to_vec();
        to.push(VERSION);
        to.push(u8::from(self.purpose == Purpose::Scans));
        to.extend(self.incarnation.to_le_bytes());
        to.extend(self.epoch.to_le_bytes());
        to.extend(self.owner.as_bytes());
        to
    }

    pub(crate) fn decode(from: &[u8]) -> io::Result<Self> {
        let rest = from.strip_prefix(&MAGIC).ok_or_else(|| refused("this is no instance of Highwater"))?;
        let (version, rest) = rest.split_first().ok_or_else(|| refused("the greeting ends too early"))?;
        if *version != VERSION {
            return Err(refused(format!("the instance speaks version {version}, and this cell version {VERSION}")));
        }
        let (numbers, owner) = rest.split_at_checked(17).ok_or_else(|| refused("the greeting ends too early"))?;
        let number = |at: usize| numbers[at..at + 8].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        let purpose = match numbers[0] {
            0 => Purpose::Blocks,
            1 => Purpose::Scans,
            _ => return Err(refused("a connection for what there is not")),
        };
        let owner = String::from_utf8(owner.to_vec()).map_err(|_| refused("a name that is no text"))?;
        Ok(Self { purpose, incarnation: number(1), epoch: number(9), owner })
    }
}

/// The answer to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Welcome {
    /// A number of the boot of the cell's machine.
    pub(crate) boot: u64,
    /// The cell's own name.
    pub(crate) name: String,
}

impl Welcome {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut to = self.boot.to_le_bytes().to_vec();
        to.extend(self.name.as_bytes());
        to
    }

    pub(crate) fn decode(from: &[u8]) -> io::Result<Self> {
        let (boot, name) = from.split_first_chunk().ok_or_else(|| refused("the greeting ends too early"))?;
        let name = String::from_utf8(name.to_vec()).map_err(|_| refused("a name that is no text"))?;
        Ok(Self { boot: u64::from_le_bytes(*boot), name })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn greetings_come_back(incarnation: u64, epoch: u64, owner in ".{0,30}", scans: bool) {
            let purpose = if scans { Purpose::Scans } else { Purpose::Blocks };
            let hello = Hello { purpose, incarnation, epoch, owner };
            prop_assert_eq!(Hello::decode(&hello.encode()).unwrap(), hello.clone());
            for end in 0..24 {
                prop_assert!(Hello::decode(&hello.encode()[..end]).is_err());
            }
        }

        #[test]
        fn answers_to_greetings_come_back(boot: u64, name in ".{0,30}") {
            let welcome = Welcome { boot, name };
            prop_assert_eq!(Welcome::decode(&welcome.encode()).unwrap(), welcome);
        }

        #[test]
        fn made_up_greetings_are_errors_at_most(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = (Hello::decode(&bytes), Welcome::decode(&bytes));
        }
    }

    #[test]
    fn another_version_is_named() {
        let mut bytes = Hello { purpose: Purpose::Blocks, incarnation: 1, epoch: 2, owner: "x".into() }.encode();
        bytes[6] = 9;
        let error = Hello::decode(&bytes).unwrap_err().to_string();
        assert_eq!(error, "the instance speaks version 9, and this cell version 3");
    }
}
