//! Lines that begin with `***`: the time, and names of the session from here on.

/// The content of a `***` line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark<'a> {
    /// The wall time, as printed.
    Time {
        stamp: &'a str,
    },
    Session {
        sid: u32,
        serial: u32,
        stamp: Option<&'a str>,
    },
    /// A property of the session.
    Named {
        what: Named,
        value: &'a str,
        stamp: Option<&'a str>,
    },
    /// The file has reached its size limit; nothing of the trace follows.
    SizeLimit {
        bytes: Option<u64>,
    },
    /// Any other.
    Other(&'a str),
}

/// The session's properties that a trace names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Named {
    Service,
    Module,
    Action,
    Client,
    ClientDriver,
    Container,
}

impl<'a> Mark<'a> {
    /// Reads a line that begins with `***`.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let text = line.strip_prefix("***")?.trim();
        if looks_like_stamp(text) {
            return Some(Self::Time { stamp: text });
        }
        if text.contains("FILE SIZE") && text.contains("LIMITED") {
            let digits = text.split_ascii_whitespace().find_map(|word| word.parse().ok());
            return Some(Self::SizeLimit { bytes: digits });
        }
        if let Some((label, rest)) = text.split_once(":(") {
            let (value, stamp) = value_and_stamp(rest)?;
            let what = match label {
                "SESSION ID" => {
                    let (sid, serial) = value.split_once('.')?;
                    let serial = serial.split('@').next().unwrap_or(serial);
                    return Some(Self::Session { sid: sid.parse().ok()?, serial: serial.parse().ok()?, stamp });
                }
                "SERVICE NAME" => Named::Service,
                "MODULE NAME" => Named::Module,
                "ACTION NAME" => Named::Action,
                "CLIENT ID" => Named::Client,
                "CLIENT DRIVER" => Named::ClientDriver,
                "CONTAINER ID" => Named::Container,
                _ => return Some(Self::Other(text)),
            };
            return Some(Self::Named { what, value, stamp });
        }
        Some(Self::Other(text))
    }
}

/// Parts `value) stamp`; the value may hold parentheses, and the stamp may end with a container's name in them.
fn value_and_stamp(text: &str) -> Option<(&str, Option<&str>)> {
    let with_stamp = text.match_indices(") ").find(|(at, _)| looks_like_stamp(text[at + 2..].trim_start()));
    match with_stamp {
        Some((at, _)) => Some((&text[..at], Some(text[at + 2..].trim()))),
        None => Some((text.trim_end().strip_suffix(')')?, None)),
    }
}

/// `2008-01-12 15:29:11.635` or `2026-02-03T20:49:13.749404+05:30`, at least the date.
fn looks_like_stamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 10
        && bytes[..10]
            .iter()
            .enumerate()
            .all(|(at, b)| if matches!(at, 4 | 7) { *b == b'-' } else { b.is_ascii_digit() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(line: &str) -> Mark<'_> {
        Mark::parse(line).unwrap()
    }

    #[test]
    fn stamps_of_all_releases() {
        assert_eq!(mark("*** 2001-05-03 10:11:12.123"), Mark::Time { stamp: "2001-05-03 10:11:12.123" });
        let container = "*** 2024-05-03T10:11:12.123456+02:00 (SHOP(3))";
        assert_eq!(mark(container), Mark::Time { stamp: "2024-05-03T10:11:12.123456+02:00 (SHOP(3))" });
    }

    #[test]
    fn sessions_and_names() {
        let session = Mark::Session { sid: 12, serial: 345, stamp: Some("2001-05-03 10:11:12.123") };
        assert_eq!(mark("*** SESSION ID:(12.345) 2001-05-03 10:11:12.123"), session);
        assert_eq!(mark("*** SESSION ID:(12.345@2)"), Mark::Session { sid: 12, serial: 345, stamp: None });
        let named = |what, value| Mark::Named { what, value, stamp: Some("2024-05-03T10:11:12.1+02:00 (SHOP(3))") };
        let stamp = "2024-05-03T10:11:12.1+02:00 (SHOP(3))";
        let line = format!("*** MODULE NAME:(load (day) 7) {stamp}");
        assert_eq!(mark(&line), named(Named::Module, "load (day) 7"));
        let line = format!("*** CLIENT ID:() {stamp}");
        assert_eq!(mark(&line), named(Named::Client, ""));
        let line = format!("*** CONTAINER ID:(3) {stamp}");
        assert_eq!(mark(&line), named(Named::Container, "3"));
    }

    #[test]
    fn the_size_limit_and_the_unknown() {
        assert_eq!(
            mark("*** DUMP FILE SIZE IS LIMITED TO 5242880 BYTES ***"),
            Mark::SizeLimit { bytes: Some(5_242_880) }
        );
        assert_eq!(mark("*** SOMETHING ELSE"), Mark::Other("SOMETHING ELSE"));
        assert_eq!(Mark::parse("*** SESSION ID:(x.y)"), None);
        assert_eq!(Mark::parse("*** MODULE NAME:(cut"), None);
    }
}
