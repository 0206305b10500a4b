//! The FORMAT of DBMS_XPLAN: a level, with additions and removals.

use common::{Error, Result};

/// The displayed parts of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Format {
    pub(crate) rows: bool,
    pub(crate) bytes: bool,
    pub(crate) predicate: bool,
    pub(crate) alias: bool,
    pub(crate) note: bool,
    pub(crate) hints: HintReport,
    /// Figures of the row sources.
    /// The costs; with the figures of executions only when they are asked for.
    pub(crate) cost: bool,
    pub(crate) statistics: bool,
    /// Figures of the last execution, not of all.
    pub(crate) last: bool,
}

/// The hints that the report of a plan lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HintReport {
    None,
    /// Unused ones.
    Unused,
    All,
}

/// Result of reading a format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    Known(Format),
    /// An unknown word.
    Unknown(String),
}

const TYPICAL: Format = Format {
    rows: true,
    bytes: true,
    cost: true,
    predicate: true,
    alias: false,
    note: true,
    hints: HintReport::Unused,
    statistics: false,
    last: false,
};
const BASIC: Format = Format {
    rows: false,
    bytes: false,
    cost: false,
    predicate: false,
    note: false,
    hints: HintReport::None,
    ..TYPICAL
};

impl Format {
    /// TYPICAL.
    pub(crate) fn usual() -> Self {
        TYPICAL
    }

    /// Reads a format; None is TYPICAL.
    ///
    /// # Errors
    /// HW-0001 for parts of Oracle's DBMS_XPLAN that have no counterpart.
    pub(crate) fn read(text: Option<&str>) -> Result<Reading> {
        let mut format = TYPICAL;
        let words = text.unwrap_or_default().to_uppercase();
        // `+ BYTES` is `+BYTES`.
        let words = words.replace("+ ", "+").replace("- ", "-").replace('+', " +").replace('-', " -");
        let mut level = false;
        for word in words.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty()) {
            let (name, on) = match (word.strip_prefix('+'), word.strip_prefix('-')) {
                (Some(name), _) => (name, true),
                (_, Some(name)) => (name, false),
                _ => (word, true),
            };
            let plain = name.len() == word.len();
            match name {
                "BASIC" | "TYPICAL" | "SERIAL" | "ALL" if plain => {
                    let base = match name {
                        "BASIC" => BASIC,
                        "ALL" => Format { alias: true, hints: HintReport::All, ..TYPICAL },
                        _ => TYPICAL,
                    };
                    let (bytes, cost) = (base.bytes && !format.statistics, base.cost && !format.statistics);
                    format = Format { statistics: format.statistics, last: format.last, bytes, cost, ..base };
                    level = true;
                }
                "ALLSTATS" | "IOSTATS" => {
                    format.statistics = on;
                    if !level || format.rows {
                        format.bytes = false;
                        format.cost = false;
                    }
                }
                "LAST" => format.last = on,
                "ROWS" => format.rows = on,
                "BYTES" => format.bytes = on,
                "COST" => format.cost = on,
                "PREDICATE" => format.predicate = on,
                "ALIAS" => format.alias = on,
                "NOTE" => format.note = on,
                "HINT_REPORT" if on => format.hints = HintReport::All,
                "HINT_REPORT_UNUSED" if on => format.hints = HintReport::Unused,
                "HINT_REPORT" | "HINT_REPORT_UNUSED" => format.hints = HintReport::None,
                // Removing a part that does not exist has no effect.
                "PARTITION" | "PARALLEL" | "PROJECTION" | "REMOTE" | "QBREGISTRY" if !on => {}
                "ADVANCED" | "ADAPTIVE" | "MEMSTATS" | "OUTLINE" | "PEEKED_BINDS" | "RUNSTATS_LAST"
                | "RUNSTATS_TOT" | "PARTITION" | "PARALLEL" | "PROJECTION" | "REMOTE" | "QBREGISTRY" | "METRICS"
                | "HINT_REPORT_USED" => {
                    return Err(Error::unsupported(format!("{word} in a format of DBMS_XPLAN")));
                }
                _ => return Ok(Reading::Unknown(text.unwrap_or_default().to_owned())),
            }
        }
        Ok(Reading::Known(format))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(text: &str) -> Format {
        match Format::read(Some(text)).unwrap() {
            Reading::Known(format) => format,
            Reading::Unknown(word) => panic!("{word}"),
        }
    }

    #[test]
    fn levels_and_changes() {
        assert_eq!(Format::read(None).unwrap(), Reading::Known(TYPICAL));
        assert_eq!(known("basic"), BASIC);
        assert_eq!(known("BASIC +ROWS + predicate"), Format { rows: true, predicate: true, ..BASIC });
        assert_eq!(known("typical -bytes-note"), Format { bytes: false, note: false, ..TYPICAL });
        assert_eq!(
            known("allstats last"),
            Format { bytes: false, cost: false, statistics: true, last: true, ..TYPICAL }
        );
        assert_eq!(known("ALLSTATS LAST, +bytes"), Format { cost: false, statistics: true, last: true, ..TYPICAL });
        assert_eq!(known("ALLSTATS LAST +COST"), Format { bytes: false, statistics: true, last: true, ..TYPICAL });
        assert_eq!(known("all -projection"), Format { alias: true, hints: HintReport::All, ..TYPICAL });
        assert_eq!(known("basic +hint_report"), Format { hints: HintReport::All, ..BASIC });
        assert_eq!(known("typical -hint_report"), Format { hints: HintReport::None, ..TYPICAL });
    }

    #[test]
    fn what_is_wrong() {
        assert_eq!(Format::read(Some("typcal")).unwrap(), Reading::Unknown("typcal".to_owned()));
        assert!(Format::read(Some("advanced")).is_err());
    }
}
