//! Shows the rows of a query: fetches, pages, record separators, NEW_VALUE, the row count.

use common::{Error, Result};
use scalar::Nls;

use crate::column::Column;
use crate::execute::Finish;
use crate::groups::{Ended, Groups};
use crate::layout::{Layout, RowLines, plain};
use crate::local_time;
use crate::server::{Cell, ColumnInfo};
use crate::settings::{Csv, RecordSeparator};
use crate::shell::Shell;
use crate::title::{Surroundings, Value};

/// Lines left on the page.
struct Page {
    left: usize,
    begun: bool,
    /// SKIP PAGE: nothing more goes on it.
    ended: bool,
    /// From 1, for titles.
    number: u32,
}

impl Shell {
    /// Fetches and shows all rows of the open query, whose statement is `text`.
    pub(crate) fn query(&mut self, text: &str, columns: &[ColumnInfo]) -> Finish {
        let nls = self.nls();
        let layout = match Layout::new(columns, &self.settings, &self.columns, &nls) {
            Ok(layout) => layout,
            Err(error) => {
                self.say_error(&error);
                return Finish::Failed(error);
            }
        };
        let mut page = Page { left: 0, begun: false, ended: false, number: 0 };
        let mut groups = Groups::new(columns, &self.columns, &self.breaks, &self.computes);
        let mut count = 0;
        match self.rows(columns, &layout, &mut groups, &mut page, &mut count) {
            Ok(()) => {
                let ended = groups.after(&layout);
                self.ended(&ended, &layout, &mut page);
                self.end_report(&layout, &mut page);
                self.say_count(count);
                Finish::Done(count)
            }
            // Nothing is on the screen yet: the error is the statement's.
            Err(error) if count == 0 => {
                self.say_statement_error(text, &error);
                Finish::Failed(error)
            }
            Err(error) => {
                self.out.line(&format!("ERROR:\n{error}\n\n"));
                self.say_count(count);
                Finish::Failed(error)
            }
        }
    }

    /// The session's format of numbers.
    pub(crate) fn nls(&mut self) -> Nls {
        let mut nls = Nls::default();
        if self.connected && nls.set_numeric_characters(&self.server.numeric_characters()).is_err() {
            // The server has checked them: unusable ones must not fail a query.
            return Nls::default();
        }
        nls
    }

    fn rows(
        &mut self,
        columns: &[ColumnInfo],
        layout: &Layout,
        groups: &mut Groups,
        page: &mut Page,
        count: &mut u64,
    ) -> Result<()> {
        // One row first, then arrays, as SQL*Plus fetches.
        let mut wanted = 1;
        loop {
            let rows = self.server.fetch(wanted)?;
            let got = rows.len();
            for row in &rows {
                self.keep_values(columns, layout, row, |column| column.new_value.as_ref());
                match self.settings.csv {
                    _ if self.settings.autotrace.only => {}
                    Some(csv) => self.csv_row(columns, row, csv, layout, page),
                    None => self.grouped(row, layout, groups, page),
                }
                self.keep_values(columns, layout, row, |column| column.old_value.as_ref());
                *count += 1;
            }
            if got < wanted {
                if *count == 0 {
                    self.no_new_values(columns);
                }
                return Ok(());
            }
            if self.out.broken() {
                return Err(Error::user(1013, "the output is gone"));
            }
            if self.out.interactive() {
                self.out.flush();
            }
            wanted = self.settings.arraysize;
        }
    }

    /// A row, with the end of the groups before it.
    fn grouped(&mut self, row: &[Cell], layout: &Layout, groups: &mut Groups, page: &mut Page) {
        let ended = groups.before(row, layout);
        self.ended(&ended, layout, page);
        let shown = layout.row(row, &groups.repeated(row));
        // The first row of a page repeats the values suppressed after the last one of the page before.
        let shown = if self.is_full(page, shown.lines.len()) { layout.row(row, &[]) } else { shown };
        self.row(&shown, layout, page);
        groups.add(row);
    }

    /// The summaries of the groups that have ended, and the lines left out behind them.
    fn ended(&mut self, ended: &Ended, layout: &Layout, page: &mut Page) {
        for line in &ended.lines {
            if self.is_full(page, 1) {
                // Skipped lines do not begin a page.
                if line.is_empty() {
                    continue;
                }
                self.new_page(layout, page);
            }
            self.out.report(line, &self.settings);
            page.left = page.left.saturating_sub(1);
        }
        page.ended |= ended.page;
    }

    fn is_full(&self, page: &Page, lines: usize) -> bool {
        self.settings.pagesize > 0 && (!page.begun || page.ended || page.left < lines)
    }

    fn row(&mut self, row: &RowLines, layout: &Layout, page: &mut Page) {
        if row.lines.is_empty() {
            return;
        }
        if self.is_full(page, row.lines.len()) {
            self.new_page(layout, page);
        }
        for line in &row.lines {
            self.out.report(line, &self.settings);
        }
        page.left = page.left.saturating_sub(row.lines.len());
        let separate = match self.settings.recsep {
            RecordSeparator::Off => false,
            RecordSeparator::Wrapped => row.wrapped,
            RecordSeparator::Each => true,
        };
        if separate {
            let line = self.settings.recsepchar.to_string().repeat(self.settings.linesize);
            self.out.report(&line, &self.settings);
            page.left = page.left.saturating_sub(1);
        }
    }

    fn new_page(&mut self, layout: &Layout, page: &mut Page) {
        let first = !page.begun;
        self.begin_page(layout, page);
        if first && let Some(header) = self.titles.header.clone().filter(|header| header.on) {
            let lines = self.titled(layout, page, |around| header.lines(around));
            self.lines_of_page(&lines, page);
            if header.page {
                self.begin_page(layout, page);
            }
        }
        if self.settings.heading {
            self.lines_of_page(&layout.headings(), page);
        }
    }

    /// Ends the page before, and prints the top of this one.
    fn begin_page(&mut self, layout: &Layout, page: &mut Page) {
        if page.begun {
            self.end_page(layout, page);
        }
        (page.begun, page.ended) = (true, false);
        page.number += 1;
        page.left = self.settings.pagesize.saturating_sub(self.bottom(layout, page).len());
        match self.settings.newpage {
            Some(0) => self.out.both("\u{c}"),
            Some(lines) => {
                for _ in 0..lines {
                    self.out.line("");
                }
                page.left = page.left.saturating_sub(lines);
            }
            None => {}
        }
        if let Some(title) = self.titles.top.clone().filter(|title| title.on) {
            let lines = self.titled(layout, page, |around| title.top(around));
            self.lines_of_page(&lines, page);
        }
    }

    /// The title below a page stands on its last lines.
    fn end_page(&mut self, layout: &Layout, page: &mut Page) {
        let lines = self.bottom(layout, page);
        if lines.is_empty() {
            return;
        }
        for _ in 0..std::mem::take(&mut page.left) {
            self.out.line("");
        }
        self.lines_of_page(&lines, page);
    }

    /// REPFOOTER, and the end of the last page.
    fn end_report(&mut self, layout: &Layout, page: &mut Page) {
        if !page.begun || self.settings.pagesize == 0 || self.settings.csv.is_some() {
            return;
        }
        if let Some(footer) = self.titles.footer.clone().filter(|footer| footer.on) {
            let lines = self.titled(layout, page, |around| footer.lines(around));
            if footer.page || self.is_full(page, lines.len()) {
                self.begin_page(layout, page);
            }
            self.lines_of_page(&lines, page);
        }
        self.end_page(layout, page);
    }

    fn bottom(&self, layout: &Layout, page: &Page) -> Vec<String> {
        let title = self.titles.bottom.as_ref().filter(|title| title.on);
        title.map_or_else(Vec::new, |title| self.titled(layout, page, |around| title.lines(around)))
    }

    fn lines_of_page(&mut self, lines: &[String], page: &mut Page) {
        for line in lines {
            self.out.report(line, &self.settings);
        }
        page.left = page.left.saturating_sub(lines.len());
    }

    /// The lines of a title on this page.
    fn titled(&self, layout: &Layout, page: &Page, lines: impl Fn(&Surroundings<'_>) -> Vec<String>) -> Vec<String> {
        lines(&Surroundings {
            settings: &self.settings,
            nls: layout.nls(),
            page: page.number,
            date: local_time::date(self.clock.wall_us()),
            value: &|name| self.title_value(name),
        })
    }

    /// SQL.USER and its like, and substitution variables.
    fn title_value(&self, name: &str) -> Option<Value> {
        let text = |text: String| Some(Value { text, number: false });
        match name.to_ascii_lowercase().as_str() {
            "sql.user" => text(self.server.user()),
            "sql.release" => text(self.defines.get("_O_RELEASE")?.value.clone()),
            "sql.sqlcode" => Some(Value { text: self.sqlcode.to_string(), number: true }),
            _ => {
                let define = self.defines.get(name)?;
                // A number that NEW_VALUE keeps has its format already.
                text(define.value.clone())
            }
        }
    }

    fn csv_row(&mut self, columns: &[ColumnInfo], row: &[Cell], csv: Csv, layout: &Layout, page: &mut Page) {
        let quoted =
            |text: &str| if csv.quote { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() };
        let delimiter = csv.delimiter.to_string();
        if !page.begun && self.settings.heading && self.settings.pagesize > 0 {
            let names: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
            self.out.line(&names.join(&delimiter));
        }
        page.begun = true;
        let values: Vec<String> = row
            .iter()
            .map(|cell| match cell {
                Cell::Null => String::new(),
                Cell::Number(text) => plain(text, layout.nls()),
                Cell::Text(text) => quoted(text),
            })
            .collect();
        self.out.line(&values.join(&delimiter));
    }

    /// COLUMN NEW_VALUE and OLD_VALUE: the variable has the value of this row, before the row is printed or after.
    fn keep_values(
        &mut self,
        columns: &[ColumnInfo],
        layout: &Layout,
        row: &[Cell],
        variable: fn(&Column) -> Option<&String>,
    ) {
        for (at, (info, cell)) in columns.iter().zip(row).enumerate() {
            let Some(name) = self.columns.active(&info.name).and_then(variable) else { continue };
            let text = layout.text(at, cell);
            match cell {
                Cell::Number(_) => self.defines.set_number(name, text),
                Cell::Null | Cell::Text(_) => self.defines.set(name, text),
            }
        }
    }

    /// As in SQL*Plus, a query without rows defines variables that are not defined yet: scripts test so whether a
    /// variable has a value.
    fn no_new_values(&mut self, columns: &[ColumnInfo]) {
        for info in columns {
            let name = self.columns.active(&info.name).and_then(|column| column.new_value.clone());
            if let Some(name) = name.filter(|name| self.defines.get(name).is_none()) {
                self.defines.set(&name, "");
            }
        }
    }

    fn say_count(&mut self, count: u64) {
        match self.settings.feedback {
            0 => {}
            _ if count == 0 => self.out.line("\nno rows selected\n"),
            least if count >= least => {
                self.out.line(&format!("\n{count} row{} selected.\n", if count == 1 { "" } else { "s" }));
            }
            _ => self.out.line(""),
        }
    }
}
