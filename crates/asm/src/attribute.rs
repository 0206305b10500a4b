//! Attributes of a group that can be set.
//!
//! `disk_repair_time` is how long a disk may be offline before it is dropped by force. `compatible.asm` and
//! `compatible.rdbms` are the releases that a group is for: nothing depends on them here, so they are only kept, and
//! never get smaller. `cell.smart_scan_capable` lets cells scan the group's disks where all of them are on cells.

use std::collections::BTreeMap;

use common::{Error, Result};

/// The attributes, with the values of a group that is told nothing else.
const ATTRIBUTES: [(&str, &str); 4] =
    [(REPAIR_TIME, "3.6h"), (COMPATIBLE_ASM, "11.2.0.2.0"), (COMPATIBLE_RDBMS, "11.2.0.0.0"), (SMART_SCAN, "FALSE")];
pub(crate) const REPAIR_TIME: &str = "disk_repair_time";
/// Cells may scan the group's disks.
pub(crate) const SMART_SCAN: &str = "cell.smart_scan_capable";
const COMPATIBLE_ASM: &str = "compatible.asm";
const COMPATIBLE_RDBMS: &str = "compatible.rdbms";

/// Attributes of Oracle's groups that these do not have.
const UNSUPPORTED: [&str; 19] = [
    "access_control.enabled",
    "access_control.umask",
    "appliance._partnering_type",
    "appliance.mode",
    "cell.sparse_dg",
    "compatible.advm",
    "content.check",
    "content.type",
    "content_hardcheck.enabled",
    "failgroup_repair_time",
    "idp.boundary",
    "idp.type",
    "logical_sector_size",
    "phys_meta_replicated",
    "preferred_read.enabled",
    "scrub_async_limit",
    "storage.type",
    "thin_provisioned",
    "vam_migration_done",
];
/// Attributes that only CREATE DISKGROUP sets.
const READ_ONLY: [&str; 2] = ["au_size", "sector_size"];

const SECOND_US: u64 = 1_000_000;
/// Releases whose groups these are like: the first and the last.
const RELEASES: [u32; 2] = [11, 23];
/// Numbers of a release.
const RELEASE_PARTS: usize = 5;

/// A time as a statement gives it: a number with `m` for minutes or `h` for hours, which stands for none. Microseconds.
pub(crate) fn time_us(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, unit) = match text.chars().last()?.to_ascii_lowercase() {
        'm' => (&text[..text.len() - 1], 60),
        'h' => (&text[..text.len() - 1], 3600),
        _ => (text, 3600),
    };
    let digits = digits.trim_end();
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let seconds = digits.parse::<f64>().ok()? * f64::from(unit);
    // As many as fit with room into the microseconds of a date.
    (seconds <= 4e9).then(|| (seconds * SECOND_US as f64).round() as u64)
}

/// The numbers of a release.
fn release(text: &str) -> Option<[u32; RELEASE_PARTS]> {
    let mut release = [0; RELEASE_PARTS];
    let parts: Vec<_> = text.split('.').collect();
    if parts.len() > RELEASE_PARTS {
        return None;
    }
    for (number, part) in release.iter_mut().zip(parts) {
        *number = part.parse().ok().filter(|_| part.chars().all(|c| c.is_ascii_digit()))?;
    }
    (RELEASES[0]..=RELEASES[1]).contains(&release[0]).then_some(release)
}

fn wrong(name: &str, value: &str, why: &str) -> Error {
    Error::user(15238, format!("{value} is not a valid value for attribute {name}: {why}"))
}

/// The attributes of a group that differ from those of a new one: by name, in small letters.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Attributes(BTreeMap<String, String>);

impl Attributes {
    /// Those that are in the metadata.
    pub(crate) fn stored(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }

    pub(crate) fn stored_count(&self) -> usize {
        self.0.len()
    }

    fn get(&self, name: &str) -> &str {
        let first = ATTRIBUTES.iter().find(|(other, _)| *other == name).map_or("", |(_, value)| value);
        self.0.get(name).map_or(first, String::as_str)
    }

    /// All of them, with their values.
    pub(crate) fn all(&self) -> Vec<(String, String)> {
        ATTRIBUTES.iter().map(|(name, _)| ((*name).to_owned(), self.get(name).to_owned())).collect()
    }

    /// How long a disk may be offline, in microseconds.
    pub(crate) fn repair_us(&self) -> u64 {
        time_us(self.get(REPAIR_TIME)).unwrap_or(u64::MAX)
    }

    /// Cells may scan the disks.
    pub(crate) fn smart_scan(&self) -> bool {
        self.get(SMART_SCAN) == "TRUE"
    }

    /// Sets a value that [`outcome`](Self::outcome) has returned. False: there is no such attribute.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> bool {
        let Some((_, first)) = ATTRIBUTES.iter().find(|(other, _)| *other == name) else { return false };
        if *first == value {
            self.0.remove(name);
        } else {
            self.0.insert(name.to_owned(), value.to_owned());
        }
        true
    }

    /// Checks a new value. Returns the attribute's name and the value in the form in which they are kept.
    ///
    /// # Errors
    /// ORA-15240 for an unknown attribute; HW-0001 for one that groups do not have here; ORA-15241 for one that cannot
    /// be changed; ORA-15238 for a wrong value; ORA-15243 for one that is no release; ORA-15244 for an earlier release;
    /// ORA-15234 for a release of the database above that of ASM.
    pub(crate) fn outcome(&self, name: &str, value: &str) -> Result<(String, String)> {
        let known = name.to_ascii_lowercase();
        match &*known {
            REPAIR_TIME => {
                // The metadata has texts of 255 bytes.
                if value.trim().len() > 40 || time_us(value).is_none() {
                    return Err(wrong(name, value, "it is a number of minutes (m) or hours (h)"));
                }
                Ok((known, value.trim().to_ascii_lowercase()))
            }
            SMART_SCAN => {
                let value = value.trim().to_ascii_uppercase();
                if value != "TRUE" && value != "FALSE" {
                    return Err(wrong(name, &value, "it is TRUE or FALSE"));
                }
                Ok((known, value))
            }
            COMPATIBLE_ASM | COMPATIBLE_RDBMS => {
                let text = format!(
                    "{value} is not a valid version number: attribute {known} is a release from {}.0 to {}.0",
                    RELEASES[0], RELEASES[1]
                );
                let wanted = release(value).ok_or_else(|| Error::user(15243, text))?;
                let before = release(self.get(&known)).unwrap_or_default();
                if wanted < before {
                    let text = format!("new compatibility setting less than current [{}]", self.get(&known));
                    return Err(Error::user(15244, text));
                }
                let asm = release(self.get(COMPATIBLE_ASM)).unwrap_or_default();
                if known == COMPATIBLE_RDBMS && wanted > asm {
                    let text = format!(
                        "target RDBMS compatibility ({value}) exceeds ASM compatibility ({})",
                        self.get(COMPATIBLE_ASM)
                    );
                    return Err(Error::user(15234, text));
                }
                let parts: Vec<_> = wanted.iter().map(u32::to_string).collect();
                Ok((known, parts.join(".")))
            }
            _ if READ_ONLY.contains(&&*known) => Err(Error::user(15241, format!("attribute {known} is read only"))),
            _ if UNSUPPORTED.contains(&&*known) => {
                Err(Error::unsupported(format!("the disk group attribute '{known}'")))
            }
            _ => Err(Error::user(15240, format!("attribute name {name} is invalid"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(attributes: &mut Attributes, name: &str, value: &str) -> Result<()> {
        let (name, value) = attributes.outcome(name, value)?;
        assert!(attributes.set(&name, &value));
        Ok(())
    }

    #[test]
    fn times_have_minutes_or_hours() {
        for (text, seconds) in
            [("3.6h", 12_960), ("3.6 H", 12_960), ("30m", 1800), ("2", 7200), ("0h", 0), ("0.5m", 30), (" 1m ", 60)]
        {
            assert_eq!(time_us(text), Some(seconds * SECOND_US), "{text}");
        }
        for wrong in ["", "h", "1s", "-1h", "1e3h", "1.2.3h", "999999999999h", "ä"] {
            assert_eq!(time_us(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn values_are_checked() {
        let mut attributes = Attributes::default();
        assert_eq!(attributes.repair_us(), 12_960 * SECOND_US);
        set(&mut attributes, "DISK_REPAIR_TIME", "30M").unwrap();
        assert_eq!((attributes.repair_us(), attributes.get(REPAIR_TIME)), (1800 * SECOND_US, "30m"));
        let error = |attributes: &mut Attributes, name, value| set(attributes, name, value).unwrap_err();
        assert!(error(&mut attributes, "disk_repair_time", "soon").is_ora(15238));
        assert!(error(&mut attributes, "compatible.rdbms", "12.1").is_ora(15234));
        set(&mut attributes, "compatible.asm", "19.0").unwrap();
        set(&mut attributes, "compatible.rdbms", "12.1").unwrap();
        assert_eq!(attributes.get(COMPATIBLE_RDBMS), "12.1.0.0.0");
        assert!(error(&mut attributes, "compatible.asm", "18.0").is_ora(15244));
        for wrong in ["", "10.1", "24", "12.x", "12.1.0.0.0.0", "+12"] {
            assert!(error(&mut attributes, "compatible.asm", wrong).is_ora(15243), "{wrong}");
        }
        assert!(error(&mut attributes, "au_size", "1M").is_ora(15241));
        assert!(error(&mut attributes, "content.type", "data").is_own(1));
        assert!(error(&mut attributes, "colour", "red").is_ora(15240));
        // What is as in a new group is not stored.
        set(&mut attributes, "disk_repair_time", "3.6h").unwrap();
        assert_eq!(attributes.stored_count(), 2);
    }
}
