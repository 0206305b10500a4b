//! TTITLE, BTITLE, REPHEADER and REPFOOTER: lines around the pages and around the report.
//!
//! ```text
//! TTITLE LEFT 'Staff' CENTER SQL.USER RIGHT FORMAT 99 SQL.PNO SKIP 2
//!     new form: items, each beside or below the one before
//! TTITLE 'Staff'
//!     old form: date and page number, the text in the middle
//! ```

use common::Result;
use scalar::Nls;

use crate::command::sp2;
use crate::number::NumberModel;
use crate::settings::Settings;
use crate::words::Word;

/// Position of the following text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Left,
    Center,
    Right,
    /// From 0.
    Column(usize),
    /// So many characters behind the text before; in front of its end when negative.
    Tab(isize),
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Item {
    Text(String),
    /// A word without quotes: the variable of that name, or text where there is none.
    Name(String),
    Place(Place),
    Skip(usize),
    Format(NumberModel),
}

/// The value of a name in a title.
pub(crate) struct Value {
    pub(crate) text: String,
    pub(crate) number: bool,
}

/// The values for a title when a page is printed.
pub(crate) struct Surroundings<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) nls: &'a Nls,
    pub(crate) page: u32,
    /// As `Tue Nov 24`.
    pub(crate) date: String,
    pub(crate) value: &'a dyn Fn(&str) -> Option<Value>,
}

/// One title.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Title {
    pub(crate) on: bool,
    /// REPHEADER PAGE, REPFOOTER PAGE: it has a page of its own.
    pub(crate) page: bool,
    /// As typed, for SHOW.
    pub(crate) typed: String,
    old_form: bool,
    items: Vec<Item>,
}

/// The titles that are set.
#[derive(Clone, Default, Debug)]
pub(crate) struct Titles {
    pub(crate) top: Option<Title>,
    pub(crate) bottom: Option<Title>,
    pub(crate) header: Option<Title>,
    pub(crate) footer: Option<Title>,
}

impl Title {
    /// # Errors
    /// SP2-0158 and SP2-0246 for a number that is none.
    pub(crate) fn parse(typed: &str, words: &[Word]) -> Result<Self> {
        let mut title = Self { on: true, page: false, typed: typed.to_owned(), old_form: false, items: Vec::new() };
        let mut words = words.iter().peekable();
        title.page = words.next_if(|word| word.is("page")).is_some();
        while let Some(word) = words.next() {
            let number = words.peek().and_then(|word| word.text.parse::<isize>().ok());
            if word.is("off") || word.is("on") {
                title.on = word.is("on");
            } else if word.is("s[kip]") {
                let lines = number.and_then(|number| usize::try_from(number).ok());
                title.items.push(Item::Skip(lines.unwrap_or(1)));
                words.next_if(|_| lines.is_some());
            } else if word.is("col") || word.is("tab") {
                let number = number.filter(|number| number.unsigned_abs() <= 32_767);
                let number = number.ok_or_else(|| sp2(158, format!("{}: the number is missing", word.text)))?;
                words.next();
                let place = if word.is("tab") {
                    Place::Tab(number)
                } else {
                    Place::Column(usize::try_from(number).unwrap_or(0).saturating_sub(1))
                };
                title.items.push(Item::Place(place));
            } else if word.is("form[at]") {
                let model = words.next().map_or("", |word| word.text.as_str());
                title.items.push(Item::Format(NumberModel::parse(model)?));
            } else if let Some(place) = place(word) {
                title.items.push(Item::Place(place));
            } else if word.is("bold") {
                // Bold is how printers showed it: the same text three times in the same place.
            } else {
                title.old_form |= title.items.is_empty();
                let text = word.text.clone();
                title.items.push(if word.quoted { Item::Text(text) } else { Item::Name(text) });
            }
        }
        Ok(title)
    }

    /// Nothing but ON or OFF.
    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The lines above a page.
    pub(crate) fn top(&self, around: &Surroundings<'_>) -> Vec<String> {
        if !self.old_form {
            return self.lines(around);
        }
        let page = format!("page {:>4}", around.page);
        let width = around.settings.linesize.saturating_sub(page.len());
        let mut lines = vec![format!("{:<width$}{page}", around.date)];
        lines.extend(self.centered(around));
        lines.push(String::new());
        lines
    }

    /// The lines below a page, or around the report.
    pub(crate) fn lines(&self, around: &Surroundings<'_>) -> Vec<String> {
        if self.old_form {
            return self.centered(around);
        }
        let mut sheet = Sheet::new(around.settings.linesize);
        let mut format = None;
        for item in &self.items {
            match item {
                Item::Text(text) => sheet.text.push_str(text),
                Item::Name(name) => sheet.text.push_str(&named(name, format, around)),
                Item::Place(place) => sheet.place(*place),
                Item::Skip(lines) => sheet.skip(*lines),
                Item::Format(model) => format = Some(model),
            }
        }
        sheet.end()
    }

    /// The old form: HEADSEP divides the text into lines, each in the middle.
    fn centered(&self, around: &Surroundings<'_>) -> Vec<String> {
        let words = self.items.iter().filter_map(|item| match item {
            Item::Text(text) | Item::Name(text) => Some(text.as_str()),
            Item::Place(_) | Item::Skip(_) | Item::Format(_) => None,
        });
        let text = words.collect::<Vec<_>>().join(" ");
        let parts: Vec<&str> = match around.settings.headsep {
            Some(separator) => text.split(separator).collect(),
            None => vec![text.as_str()],
        };
        let width = around.settings.linesize;
        parts.into_iter().map(|part| format!("{part:^width$}")).collect()
    }
}

fn place(word: &Word) -> Option<Place> {
    [("le[ft]", Place::Left), ("ce[nter]", Place::Center), ("r[ight]", Place::Right)]
        .into_iter()
        .find(|(pattern, _)| word.is(pattern))
        .map(|(_, place)| place)
}

/// The value of a variable; a number has the format given, or the width of NUMWIDTH.
fn named(name: &str, format: Option<&NumberModel>, around: &Surroundings<'_>) -> String {
    let value = if name.eq_ignore_ascii_case("sql.pno") {
        Some(Value { text: around.page.to_string(), number: true })
    } else {
        (around.value)(name)
    };
    match (value, format) {
        (None, _) => name.to_owned(),
        (Some(value), _) if !value.number => value.text,
        (Some(value), Some(model)) => model.format(&value.text, around.nls),
        (Some(value), None) => format!("{:>width$}", value.text, width = around.settings.numwidth),
    }
}

/// Lines being filled.
struct Sheet {
    linesize: usize,
    lines: Vec<String>,
    line: Vec<char>,
    /// End of the last text.
    cursor: usize,
    place: Place,
    /// The text at `place`, as far as it is known.
    text: String,
    /// The line has text, or may get some.
    open: bool,
}

impl Sheet {
    fn new(linesize: usize) -> Self {
        let (lines, line, text) = (Vec::new(), Vec::new(), String::new());
        Self { linesize, lines, line, cursor: 0, place: Place::Left, text, open: false }
    }

    fn place(&mut self, place: Place) {
        self.put();
        self.place = place;
    }

    /// Writes the text at its place.
    fn put(&mut self) {
        let text: Vec<char> = std::mem::take(&mut self.text).chars().collect();
        let room = self.linesize.saturating_sub(text.len());
        let at = match self.place {
            Place::Left => 0,
            Place::Center => room / 2,
            Place::Right => room,
            Place::Column(column) => column,
            Place::Tab(columns) => self.cursor.saturating_add_signed(columns),
        };
        self.place = Place::Tab(0);
        if text.is_empty() {
            self.cursor = at;
            return;
        }
        self.open = true;
        let end = at + text.len();
        self.line.resize(self.line.len().max(end), ' ');
        self.line[at..end].copy_from_slice(&text);
        self.cursor = end;
    }

    /// Ends the line; `SKIP 0` goes back to its beginning.
    fn skip(&mut self, lines: usize) {
        self.put();
        self.place = Place::Left;
        self.cursor = 0;
        if lines > 0 {
            self.lines.push(std::mem::take(&mut self.line).iter().collect());
            self.lines.resize(self.lines.len() + lines - 1, String::new());
            self.open = false;
        }
    }

    fn end(mut self) -> Vec<String> {
        self.put();
        if self.open {
            self.lines.push(self.line.iter().collect());
        }
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::split;

    fn lines(typed: &str) -> Vec<String> {
        let value = |name: &str| (name == "name").then(|| Value { text: "Smith".to_owned(), number: false });
        let settings = Settings { linesize: 30, ..Settings::default() };
        let around = Surroundings {
            settings: &settings,
            nls: &Nls::default(),
            page: 12,
            date: "Tue Nov 24".to_owned(),
            value: &value,
        };
        Title::parse(typed, &split(typed)).unwrap().top(&around)
    }

    #[test]
    fn items_have_their_places() {
        for (typed, expected) in [
            ("left a center b right c", vec!["a             b              c"]),
            ("center 'one two' skip left name", vec!["           one two", "Smith"]),
            ("left x skip 2", vec!["x", ""]),
            ("skip 1 left x skip 0 col 5 y", vec!["", "x   y"]),
            ("left x tab 3 y tab -1 z", vec!["x   z"]),
            ("right 'Page' format 999 sql.pno", vec!["                      Page  12"]),
            ("left 'Page' sql.pno", vec!["Page        12"]),
            ("left ==== skip 1", vec!["===="]),
        ] {
            assert_eq!(lines(typed), expected, "{typed}");
        }
    }

    #[test]
    fn the_old_form_has_date_and_page() {
        assert_eq!(
            lines("'one|three'"),
            ["Tue Nov 24           page   12", "             one              ", "            three             ", ""]
        );
    }

    #[test]
    fn wrong_titles() {
        for typed in ["left col", "left tab x", "left format nonsense", "col 99999 x"] {
            assert!(Title::parse(typed, &split(typed)).is_err(), "{typed}");
        }
    }
}
