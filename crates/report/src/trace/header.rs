//! The lines at the head of a trace file: path, release, machine; and from these the unit of time.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Lines before the first record that are taken for the head of the file; a longer run is no head.
pub(super) const LONGEST_HEADER: u32 = 100;

/// True: the line is the first of a head: the path of the trace file.
pub(super) fn begins(line: &str) -> bool {
    let line = line.trim_end();
    let path = line.strip_prefix("Trace file ").or_else(|| line.strip_prefix("Dump file ")).unwrap_or(line);
    let rooted = path.starts_with('/') || path.get(1..3).is_some_and(|after| after == ":\\");
    rooted && path.ends_with(".trc")
}

/// The head of the file. All of it is optional.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Header {
    /// The path that the database wrote to.
    pub trace_file: Option<String>,
    /// The product line.
    pub banner: Option<String>,
    pub release: Option<Release>,
    pub oracle_home: Option<String>,
    pub system_name: Option<String>,
    pub node_name: Option<String>,
    pub machine: Option<String>,
    pub instance_name: Option<String>,
    pub oracle_process: Option<u32>,
    /// Process id, or thread id on Windows.
    pub system_process: Option<u64>,
    pub image: Option<String>,
    /// The number of lines.
    pub lines: u32,
}

/// A release number, as many parts as are printed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Release(pub Vec<u32>);

impl From<Release> for String {
    fn from(release: Release) -> Self {
        release.to_string()
    }
}

impl TryFrom<String> for Release {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("not a dotted release number")
    }
}

impl Release {
    /// Parses the dotted number at the start of `text`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
        let parts =
            text[..end].trim_end_matches('.').split('.').map(|part| part.parse().ok()).collect::<Option<Vec<_>>>()?;
        Some(Self(parts))
    }

    fn begins_with(&self, parts: &[u32]) -> bool {
        self.0.starts_with(parts)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.0.iter().enumerate() {
            write!(f, "{}{part}", if at == 0 { "" } else { "." })?;
        }
        Ok(())
    }
}

/// The unit of time figures in a trace. `c` (CPU) is in microseconds in all but the first.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeUnit {
    /// To 8i: c, e, ela and tim in hundredths of a second.
    Centisecond,
    /// 9.2 and 10.2 on Linux and Solaris: e, ela and tim count units of 1,024 ns, though documented as microseconds.
    Nanoseconds1024,
    /// All others.
    #[default]
    Microsecond,
}

impl TimeUnit {
    /// Nanoseconds of one unit of e, ela and tim.
    #[must_use]
    pub fn elapsed_nanoseconds(self) -> u64 {
        match self {
            Self::Centisecond => 10_000_000,
            Self::Nanoseconds1024 => 1_024,
            Self::Microsecond => 1_000,
        }
    }

    /// Factor from a figure to TKPROF's microseconds: it takes 1,024 ns for a microsecond.
    #[must_use]
    pub fn nominal_microseconds(self) -> i64 {
        match self {
            Self::Centisecond => 10_000,
            Self::Nanoseconds1024 | Self::Microsecond => 1,
        }
    }
}

impl Header {
    /// The unit of time by release and platform.
    #[must_use]
    pub fn time_unit(&self) -> TimeUnit {
        let Some(release) = &self.release else { return TimeUnit::Microsecond };
        let coarse_clock = matches!(self.system_name.as_deref(), Some("Linux" | "SunOS"));
        match release.0.first() {
            Some(..=8) => TimeUnit::Centisecond,
            _ if coarse_clock && (release.begins_with(&[9, 2]) || release.begins_with(&[10, 2])) => {
                TimeUnit::Nanoseconds1024
            }
            _ => TimeUnit::Microsecond,
        }
    }

    /// True: the unit of time is the one of most releases by assumption, because the release is not named. Highwater's
    /// own traces name none and need none.
    #[must_use]
    pub fn unit_assumed(&self) -> bool {
        self.release.is_none() && !self.banner.as_deref().is_some_and(|banner| banner.starts_with("Highwater"))
    }

    /// True: the head looks like that of a database's trace file.
    #[must_use]
    pub fn recognised(&self) -> bool {
        self.banner.is_some() || self.instance_name.is_some()
    }

    /// Takes one line of the head.
    pub(super) fn take(&mut self, line: &str) {
        self.lines += 1;
        let line = line.trim();
        let labelled =
            |label: &str| line.strip_prefix(label).map(|rest| rest.trim_start_matches([':', '=', ' ', '\t']));
        let owned = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        if let Some(path) = labelled("Trace file").or_else(|| labelled("Dump file")) {
            self.trace_file = owned(path);
        } else if let Some(home) = labelled("ORACLE_HOME") {
            self.oracle_home = owned(home);
        } else if let Some(name) = labelled("System name:") {
            self.system_name = owned(name);
        } else if let Some(name) = labelled("Node name:") {
            self.node_name = owned(name);
        } else if let Some(name) = labelled("Machine:") {
            self.machine = owned(name);
        } else if let Some(name) = labelled("Instance name:") {
            self.instance_name = owned(name);
        } else if let Some(number) = labelled("Oracle process number:") {
            self.oracle_process = number.parse().ok();
        } else if let Some(process) = labelled("Unix process pid:").or_else(|| labelled("Windows thread id:")) {
            let (number, image) = process.split_once(',').unwrap_or((process, ""));
            self.system_process = number.trim().parse().ok();
            self.image = image.trim().strip_prefix("image:").and_then(|image| owned(image.trim()));
        } else if line.starts_with("Windows ") {
            self.system_name = Some("Windows".into());
        } else if let Some(version) = line.strip_prefix("Version ").and_then(Release::parse) {
            // From 18c on the banner names the base release, and this line the one that runs.
            self.release = Some(version);
        } else if self.banner.is_none() && line.starts_with("Highwater") {
            self.banner = owned(line);
        } else if self.banner.is_none() && line.contains("Oracle") && line.contains("Release ") {
            self.banner = owned(line);
            self.release = line.split_once("Release ").and_then(|(_, rest)| Release::parse(rest));
        } else if self.lines == 1 && line.ends_with(".trc") {
            self.trace_file = owned(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(lines: &[&str]) -> Header {
        let mut header = Header::default();
        lines.iter().for_each(|line| header.take(line));
        header
    }

    #[test]
    fn units_follow_release_and_platform() {
        let unit = |banner: &str, system: &str| header(&[banner, system]).time_unit();
        let linux = "System name:\tLinux";
        assert_eq!(unit("Oracle8i Enterprise Edition Release 8.1.7.4.0 - Production", linux), TimeUnit::Centisecond);
        assert_eq!(
            unit("Oracle9i Enterprise Edition Release 9.2.0.8.0 - Production", linux),
            TimeUnit::Nanoseconds1024
        );
        assert_eq!(
            unit("Oracle Database 10g Release 10.2.0.4.0 - 64bit", "System name: SunOS"),
            TimeUnit::Nanoseconds1024
        );
        assert_eq!(unit("Oracle Database 10g Release 10.2.0.4.0", "Windows NT Version V5.2"), TimeUnit::Microsecond);
        assert_eq!(unit("Oracle Database 10g Release 10.1.0.5.0", linux), TimeUnit::Microsecond);
        assert_eq!(unit("Oracle Database 11g Release 11.2.0.4.0", linux), TimeUnit::Microsecond);
        assert_eq!(unit("Highwater Release 0.1.0", linux), TimeUnit::Microsecond);
    }

    #[test]
    fn the_first_line_of_a_head() {
        for line in ["/u01/udump/toy_ora_77.trc", "Trace file /u01/x.trc", "Dump file C:\\oracle\\udump\\ora01.trc"] {
            assert!(begins(line), "{line}");
        }
        for line in ["", "Trace file", "see /u01/x.trc", "x.trc", "/u01/x.log"] {
            assert!(!begins(line), "{line}");
        }
    }

    #[test]
    fn labels_of_several_releases() {
        let old = header(&[
            "/u01/udump/test_ora_77.trc",
            "Oracle9i Enterprise Edition Release 9.2.0.1.0 - Production",
            "ORACLE_HOME = /u01/home",
            "Oracle process number: 12",
            "Unix process pid: 77, image: oracle@host (TNS V1-V3)",
        ]);
        assert_eq!(old.trace_file.as_deref(), Some("/u01/udump/test_ora_77.trc"));
        assert_eq!(old.oracle_home.as_deref(), Some("/u01/home"));
        assert_eq!((old.oracle_process, old.system_process), (Some(12), Some(77)));
        assert_eq!(old.image.as_deref(), Some("oracle@host (TNS V1-V3)"));
        let new = header(&[
            "Trace file /u01/trace/x_ora_1.trc",
            "Oracle Database 23ai Enterprise Edition Release 23.0.0.0.0 - Production",
            "Version 23.4.0.24.05",
        ]);
        assert_eq!(new.release.as_ref().map(|r| r.to_string()).as_deref(), Some("23.4.0.24.5"));
        assert_eq!(new.trace_file.as_deref(), Some("/u01/trace/x_ora_1.trc"));
        assert_eq!(header(&[]).release, None);
        // Without a release the unit is a guess; in Highwater's own traces it is not.
        assert!(header(&[]).unit_assumed() && header(&["System name: Linux"]).unit_assumed());
        assert!(!new.unit_assumed() && !header(&["Highwater 0.1.0"]).unit_assumed());
    }
}
