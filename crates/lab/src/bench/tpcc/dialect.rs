//! The words in which the two sides differ. Everything else of a text is the same on both.

/// Our tablespace with all tables and indexes.
pub(super) const TABLESPACE: &str = "tpcc_tbs";

/// A side's language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dialect {
    Highwater,
    Postgres,
}

impl Dialect {
    /// The side's name for people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Highwater => "Highwater",
            Self::Postgres => "PostgreSQL",
        }
    }

    /// A text with this side's words in the place of the names in braces.
    pub(super) fn words(self, text: &str) -> String {
        WORDS.iter().fold(text.to_owned(), |text, (name, ours, theirs)| {
            text.replace(name, if self == Self::Highwater { ours } else { theirs })
        })
    }

    /// A source of the numbers from 1 to `rows`, in a column `n`.
    pub(super) fn numbers(self, rows: u64) -> String {
        match self {
            Self::Highwater => format!("(select level n from dual connect by level <= {rows}) numbers"),
            Self::Postgres => format!("generate_series(1::bigint, {rows}) n"),
        }
    }
}

/// A name, our words and PostgreSQL's.
const WORDS: [(&str, &str, &str); 13] = [
    // What stands around a procedure's body.
    ("{is}", "is", "language plpgsql as $$ declare"),
    ("{out}", "out", "inout"),
    ("{end}", "end;", "end $$"),
    // Types.
    ("{integer}", "number", "bigint"),
    ("{number}", "number", "numeric"),
    ("{text}", "varchar2", "varchar"),
    ("{date}", "date", "timestamp(0)"),
    // The record of a loop over a query is declared on one side alone.
    ("{row r}", "", "r record;"),
    ("{now}", "sysdate", "localtimestamp(0)"),
    // A query for one row, and what is done where there is none.
    ("{try}", "begin", ""),
    ("{none found}", "exception when no_data_found then", "if not found then"),
    ("{tried}", "end;", "end if;"),
    ("{changed}", "v_changed := sql%rowcount;", "get diagnostics v_changed = row_count;"),
];
