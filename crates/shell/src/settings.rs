//! The settings of SET, with SQL*Plus's defaults.

/// When a line is printed between two rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordSeparator {
    /// Never.
    Off,
    /// After a row that took more lines than its columns alone needed.
    Wrapped,
    /// After each row.
    Each,
}

/// SET SERVEROUTPUT: display of lines longer than the screen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerOutput {
    Off,
    Wrapped,
    WordWrapped,
    Truncated,
}

/// SET MARKUP CSV.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Csv {
    pub delimiter: char,
    pub quote: bool,
}

/// SET AUTOTRACE: output behind the result of a query or DML.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Autotrace {
    /// The statement's plan.
    pub explain: bool,
    /// Statistics of the execution.
    pub statistics: bool,
    /// TRACEONLY: rows are not shown.
    pub only: bool,
}

impl Autotrace {
    #[must_use]
    pub fn is_on(self) -> bool {
        self.explain || self.statistics
    }
}

/// SET SQLCASE: case conversion of a statement before it is sent, its literals included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SqlCase {
    Mixed,
    Lower,
    Upper,
}

/// The settings of SET and SHOW.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Rows a fetch, after the first row.
    pub arraysize: usize,
    pub autocommit: bool,
    pub autoprint: bool,
    pub autotrace: Autotrace,
    pub colsep: String,
    /// Ends the name of a substitution variable.
    pub concat: Option<char>,
    pub csv: Option<Csv>,
    /// Begins the name of a substitution variable; None: no substitution.
    pub define: Option<char>,
    pub echo: bool,
    pub escape: Option<char>,
    pub exitcommit: bool,
    /// Row counts are shown from this many rows on; 0: never, nor the feedback of other statements.
    pub feedback: u64,
    pub heading: bool,
    /// Breaks the lines of a COLUMN HEADING.
    pub headsep: Option<char>,
    pub linesize: usize,
    /// Characters shown of a long value.
    pub long: usize,
    /// Empty lines at the top of each page; None: none, and Some(0) a form feed.
    pub newpage: Option<usize>,
    pub null: String,
    pub numformat: String,
    pub numwidth: usize,
    /// Lines a page; 0: no pages and no headings.
    pub pagesize: usize,
    pub pause: bool,
    pub recsep: RecordSeparator,
    pub recsepchar: char,
    pub serveroutput: ServerOutput,
    /// Each SET shows the value before and after.
    pub showmode: bool,
    pub sqlblanklines: bool,
    pub sqlcase: SqlCase,
    pub sqlprompt: String,
    pub suffix: String,
    /// Kept and shown only: blanks are never written as tabs.
    pub tab: bool,
    pub termout: bool,
    /// The prompt begins with the time of day.
    pub time: bool,
    pub timing: bool,
    pub trimout: bool,
    pub trimspool: bool,
    pub underline: Option<char>,
    pub verify: bool,
    pub wrap: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            arraysize: 15,
            autocommit: false,
            autoprint: false,
            autotrace: Autotrace::default(),
            colsep: " ".to_owned(),
            concat: Some('.'),
            csv: None,
            define: Some('&'),
            echo: false,
            escape: None,
            exitcommit: true,
            feedback: 6,
            heading: true,
            headsep: Some('|'),
            linesize: 80,
            long: 80,
            newpage: Some(1),
            null: String::new(),
            numformat: String::new(),
            numwidth: 10,
            pagesize: 14,
            pause: false,
            recsep: RecordSeparator::Wrapped,
            recsepchar: ' ',
            serveroutput: ServerOutput::Off,
            showmode: false,
            sqlblanklines: false,
            sqlcase: SqlCase::Mixed,
            sqlprompt: "SQL> ".to_owned(),
            suffix: "sql".to_owned(),
            tab: true,
            termout: true,
            time: false,
            timing: false,
            trimout: true,
            trimspool: false,
            underline: Some('-'),
            verify: true,
            wrap: true,
        }
    }
}
