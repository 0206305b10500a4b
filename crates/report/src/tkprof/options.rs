//! The options of TKPROF: `name=value` words, as its command line has them.

use common::{Error, ErrorKind, Result};

use super::model::{Figures, Statement};

/// Selection and computation of the report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Statements go in descending order of the sum of these; empty: in the order of the trace.
    pub sort: Vec<SortKey>,
    /// List that many statements only; the totals are of all.
    pub print: Option<usize>,
    /// List the statements of SYS.
    pub sys: bool,
    /// Merge the cursors of one user with the same text; otherwise each parse is separate.
    pub aggregate: bool,
    /// List waits.
    pub waits: bool,
    /// Leave the figures of recursive calls in those of their caller, as the trace's lines have them.
    pub inclusive: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { sort: Vec::new(), print: None, sys: true, aggregate: true, waits: true, inclusive: false }
    }
}

impl Options {
    /// Takes one word of the command line: `sort=(prsela,exeela)`, `print=10`, `sys=no`, `aggregate=no`, `waits=no`,
    /// `inclusive=yes`.
    ///
    /// # Errors
    ///
    /// HW-0805 for a word that is no option or has a value it cannot have; HW-0001 for options of TKPROF that need a
    /// database.
    pub fn apply(&mut self, word: &str) -> Result<()> {
        let wrong = |why: String| Error::own(ErrorKind::User, 805, why);
        let (name, value) =
            word.split_once('=').ok_or_else(|| wrong(format!("tkprof: \"{word}\" is not of the form name=value")))?;
        let yes_or_no = || match value.to_ascii_lowercase().as_str() {
            "yes" | "y" => Ok(true),
            "no" | "n" => Ok(false),
            _ => Err(wrong(format!("tkprof: {name} takes yes or no, not \"{value}\""))),
        };
        match name.to_ascii_lowercase().as_str() {
            "sort" => {
                let keys = value.trim_start_matches('(').trim_end_matches(')');
                for key in keys.split([',', ' ']).filter(|key| !key.is_empty()) {
                    self.sort
                        .push(SortKey::parse(key).ok_or_else(|| wrong(format!("tkprof: \"{key}\" is no sort key")))?);
                }
            }
            "print" => {
                let count =
                    value.parse().map_err(|_| wrong(format!("tkprof: print takes a number, not \"{value}\"")))?;
                self.print = Some(count);
            }
            "sys" => self.sys = yes_or_no()?,
            "aggregate" => self.aggregate = yes_or_no()?,
            "waits" => self.waits = yes_or_no()?,
            "inclusive" => self.inclusive = yes_or_no()?,
            "explain" | "table" | "insert" | "record" | "width" | "pdbtrace" => {
                return Err(Error::unsupported(format!("tkprof option {name}")));
            }
            _ => return Err(wrong(format!("tkprof: no option is called \"{name}\""))),
        }
        Ok(())
    }

    /// The statements to list, in order.
    #[must_use]
    pub fn listed<'a>(&self, statements: &'a [Statement]) -> Vec<&'a Statement> {
        let mut listed: Vec<_> = statements.iter().filter(|s| self.sys || s.user != Some(0)).collect();
        if !self.sort.is_empty() {
            listed.sort_by_key(|s| std::cmp::Reverse(self.sort.iter().map(|key| i128::from(key.of(s))).sum::<i128>()));
        }
        listed.truncate(self.print.unwrap_or(usize::MAX));
        listed
    }

    /// The sort keys as they are written, or "default".
    #[must_use]
    pub fn sort_text(&self) -> String {
        if self.sort.is_empty() {
            return "default".into();
        }
        self.sort.iter().map(|key| key.name()).collect::<Vec<_>>().join(" ")
    }
}

macro_rules! sort_keys {
    ($($variant:ident $name:literal $doc:literal $figure:expr;)*) => {
        /// The sort keys of statements.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum SortKey {
            $(#[doc = $doc] $variant,)*
        }

        impl SortKey {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// As it is written.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// The sort key in words.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $doc),* }
            }

            pub(crate) fn of(self, statement: &Statement) -> i64 {
                let of: fn(&Statement) -> i64 = match self { $(Self::$variant => $figure),* };
                of(statement)
            }
        }
    };
}

sort_keys! {
    ParseCount "prscnt" "parses" |s| count(&s.parse);
    ParseCpu "prscpu" "CPU time of parses" |s| s.parse.cpu;
    ParseElapsed "prsela" "elapsed time of parses" |s| s.parse.elapsed;
    ParseDisk "prsdsk" "blocks read by parses" |s| s.parse.disk;
    ParseQuery "prsqry" "consistent gets of parses" |s| s.parse.query;
    ParseCurrent "prscu" "current gets of parses" |s| s.parse.current;
    ParseMisses "prsmis" "library cache misses of parses" |s| s.parse.misses;
    ExecuteCount "execnt" "executions" |s| count(&s.execute);
    ExecuteCpu "execpu" "CPU time of executions" |s| s.execute.cpu;
    ExecuteElapsed "exeela" "elapsed time of executions" |s| s.execute.elapsed;
    ExecuteDisk "exedsk" "blocks read by executions" |s| s.execute.disk;
    ExecuteQuery "exeqry" "consistent gets of executions" |s| s.execute.query;
    ExecuteCurrent "execu" "current gets of executions" |s| s.execute.current;
    ExecuteRows "exerow" "rows of executions" |s| s.execute.rows;
    ExecuteMisses "exemis" "library cache misses of executions" |s| s.execute.misses;
    FetchCount "fchcnt" "fetches" |s| count(&s.fetch);
    FetchCpu "fchcpu" "CPU time of fetches" |s| s.fetch.cpu;
    FetchElapsed "fchela" "elapsed time of fetches" |s| s.fetch.elapsed;
    FetchDisk "fchdsk" "blocks read by fetches" |s| s.fetch.disk;
    FetchQuery "fchqry" "consistent gets of fetches" |s| s.fetch.query;
    FetchCurrent "fchcu" "current gets of fetches" |s| s.fetch.current;
    FetchRows "fchrow" "rows fetched" |s| s.fetch.rows;
    User "userid" "number of the parsing user" |s| s.user.map_or(0, i64::from);
}

fn count(figures: &Figures) -> i64 {
    i64::try_from(figures.count).unwrap_or(i64::MAX)
}

impl SortKey {
    /// Reads a key, in upper or lower case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|key| key.name().eq_ignore_ascii_case(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_command_line() {
        let mut options = Options::default();
        for word in
            ["sort=(PRSELA,exeela)", "sort=fchrow", "print=3", "SYS=no", "aggregate=NO", "waits=n", "inclusive=yes"]
        {
            options.apply(word).unwrap();
        }
        assert_eq!(options.sort, [SortKey::ParseElapsed, SortKey::ExecuteElapsed, SortKey::FetchRows]);
        assert_eq!(options.sort_text(), "prsela exeela fchrow");
        assert_eq!(options.print, Some(3));
        assert!(!options.sys && !options.aggregate && !options.waits && options.inclusive);
        for word in ["sort=none", "print=x", "sys=maybe", "colour=red", "10"] {
            assert_eq!(options.apply(word).unwrap_err().number.to_string(), "HW-0805", "{word}");
        }
        assert_eq!(options.apply("explain=scott/x").unwrap_err().number.to_string(), "HW-0001");
    }

    #[test]
    fn every_key_is_read_back() {
        assert_eq!(SortKey::ALL.len(), 23);
        for key in SortKey::ALL {
            assert_eq!(SortKey::parse(key.name()), Some(*key));
            assert!(!key.meaning().is_empty());
        }
    }

    #[test]
    fn keys_add_up_and_ties_keep_their_order() {
        let statement = |name: &str, user, parse, execute| Statement {
            sql: Some(name.into()),
            user: Some(user),
            parse: Figures { elapsed: parse, ..Figures::default() },
            execute: Figures { elapsed: execute, ..Figures::default() },
            ..Statement::default()
        };
        let all = [statement("a", 5, 1, 4), statement("b", 0, 9, 0), statement("c", 5, 3, 2), statement("d", 5, 0, 6)];
        let names =
            |options: &Options| -> String { options.listed(&all).iter().filter_map(|s| s.sql.as_deref()).collect() };
        let mut options = Options::default();
        assert_eq!(names(&options), "abcd");
        options.sort = vec![SortKey::ParseElapsed, SortKey::ExecuteElapsed];
        assert_eq!(names(&options), "bdac");
        options.sys = false;
        options.print = Some(2);
        assert_eq!(names(&options), "da");
    }
}
