//! COLUMN: display of the columns of a name in all later queries.

use common::{Error, ErrorKind, Number, Result};

use crate::number::NumberModel;
use crate::words::Word;

/// FORMAT of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// `A30`
    Characters(usize),
    Number {
        text: String,
        model: NumberModel,
    },
}

/// The treatment of a value that is wider than its column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wrap {
    Anywhere,
    AtBlanks,
    Truncate,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Justify {
    Left,
    Center,
    Right,
}

/// The settings of COLUMN for one name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) on: bool,
    pub(crate) alias: Option<String>,
    pub(crate) format: Option<Format>,
    pub(crate) heading: Option<String>,
    pub(crate) justify: Option<Justify>,
    pub(crate) newline: bool,
    pub(crate) null: Option<String>,
    pub(crate) print: bool,
    pub(crate) wrap: Option<Wrap>,
    pub(crate) new_value: Option<String>,
    pub(crate) old_value: Option<String>,
}

impl Column {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            on: true,
            alias: None,
            format: None,
            heading: None,
            justify: None,
            newline: false,
            null: None,
            print: true,
            wrap: None,
            new_value: None,
            old_value: None,
        }
    }

    /// As the command that would make it.
    pub(crate) fn shown(&self) -> Vec<String> {
        let mut lines = vec![format!("COLUMN   {} {}", self.name, if self.on { "ON" } else { "OFF" })];
        let mut option = |name: &str, value: &str| lines.push(format!("{name:<8} {value}").trim_end().to_owned());
        if let Some(alias) = &self.alias {
            option("ALIAS", alias);
        }
        if let Some(heading) = &self.heading {
            option("HEADING", &format!("'{heading}'"));
        }
        match &self.format {
            Some(Format::Characters(width)) => option("FORMAT", &format!("A{width}")),
            Some(Format::Number { text, .. }) => option("FORMAT", text),
            None => {}
        }
        match self.justify {
            Some(Justify::Left) => option("JUSTIFY", "LEFT"),
            Some(Justify::Center) => option("JUSTIFY", "CENTER"),
            Some(Justify::Right) => option("JUSTIFY", "RIGHT"),
            None => {}
        }
        if let Some(null) = &self.null {
            option("NULL", &format!("'{null}'"));
        }
        if let Some(name) = &self.new_value {
            option("NEW_VALUE", name);
        }
        if let Some(name) = &self.old_value {
            option("OLD_VALUE", name);
        }
        if self.newline {
            option("NEWLINE", "");
        }
        if !self.print {
            option("NOPRINT", "");
        }
        match self.wrap {
            Some(Wrap::Anywhere) => option("WRAPPED", ""),
            Some(Wrap::AtBlanks) => option("WORD_WRAPPED", ""),
            Some(Wrap::Truncate) => option("TRUNCATED", ""),
            None => {}
        }
        lines
    }
}

/// All that COLUMN has set.
#[derive(Clone, Default, Debug)]
pub(crate) struct Columns(Vec<Column>);

impl Columns {
    /// The settings for a column of a query, unless they are OFF.
    pub(crate) fn active(&self, name: &str) -> Option<&Column> {
        self.get(name).filter(|column| column.on)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Column> {
        self.position(name).map(|at| &self.0[at])
    }

    fn position(&self, name: &str) -> Option<usize> {
        let same = |other: &str| other.eq_ignore_ascii_case(name);
        self.0.iter().position(|column| same(&column.name) || column.alias.as_deref().is_some_and(same))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Column> {
        self.0.iter()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// `COLUMN name option…`: options before a wrong one take effect.
    pub(crate) fn command(&mut self, name: &str, options: &[Word]) -> Result<()> {
        if options.iter().any(|word| word.is("cle[ar]")) {
            let at = self.position(name);
            return at.map(|at| drop(self.0.remove(at))).ok_or_else(|| undefined(name));
        }
        let at = self.position(name).unwrap_or_else(|| {
            self.0.push(Column::new(name));
            self.0.len() - 1
        });
        let mut words = options.iter();
        while let Some(word) = words.next() {
            self.option(at, word, &mut words)?;
        }
        Ok(())
    }

    fn option(&mut self, at: usize, word: &Word, words: &mut std::slice::Iter<'_, Word>) -> Result<()> {
        let mut value = || {
            words
                .next()
                .map(|word| word.text.clone())
                .ok_or_else(|| sp2(266, format!("COLUMN {}: the value is missing", word.text)))
        };
        if word.is("like") {
            let source = value()?;
            let like = self.get(&source).ok_or_else(|| undefined(&source))?.clone();
            let column = &mut self.0[at];
            let (name, alias) = (column.name.clone(), column.alias.clone());
            *column = Column { name, alias, ..like };
            return Ok(());
        }
        let column = &mut self.0[at];
        if word.is("ali[as]") {
            column.alias = Some(value()?);
        } else if word.is("for[mat]") {
            column.format = Some(format(&value()?)?);
        } else if word.is("hea[ding]") {
            column.heading = Some(value()?);
        } else if word.is("jus[tify]") {
            let side = value()?;
            column.justify = Some(
                justify(&side)
                    .ok_or_else(|| sp2(158, format!("COLUMN JUSTIFY takes LEFT, CENTER or RIGHT, not \"{side}\"")))?,
            );
        } else if word.is("newl[ine]") || word.is("fold_b[efore]") {
            column.newline = true;
        } else if word.is("new_v[alue]") {
            column.new_value = Some(value()?);
        } else if word.is("old_v[alue]") {
            column.old_value = Some(value()?);
        } else if word.is("nul[l]") {
            column.null = Some(value()?);
        } else if word.is("nopri[nt]") {
            column.print = false;
        } else if word.is("pri[nt]") {
            column.print = true;
        } else if word.is("on") {
            column.on = true;
        } else if word.is("off") {
            column.on = false;
        } else if word.is("wra[pped]") {
            column.wrap = Some(Wrap::Anywhere);
        } else if word.is("wor[d_wrapped]") {
            column.wrap = Some(Wrap::AtBlanks);
        } else if word.is("tru[ncated]") {
            column.wrap = Some(Wrap::Truncate);
        } else if word.is("entmap") || word.is("fold_a[fter]") {
            return Err(Error::unsupported(format!("COLUMN {}", word.text.to_uppercase())));
        } else {
            return Err(sp2(158, format!("COLUMN has no option \"{}\"", word.text)));
        }
        Ok(())
    }
}

/// A FORMAT: `A` and a width, or a number format model.
fn format(text: &str) -> Result<Format> {
    if let Some(width) = text.strip_prefix(['a', 'A']) {
        let width = width.parse::<usize>().ok().filter(|width| (1..=60_000).contains(width));
        return width.map(Format::Characters).ok_or_else(|| sp2(246, format!("\"{text}\" is not a column format")));
    }
    Ok(Format::Number { text: text.to_owned(), model: NumberModel::parse(text)? })
}

fn justify(side: &str) -> Option<Justify> {
    [("l[eft]", Justify::Left), ("c[enter]", Justify::Center), ("r[ight]", Justify::Right)]
        .into_iter()
        .find(|(pattern, _)| crate::words::abbreviates(side, pattern))
        .map(|(_, justify)| justify)
}

fn undefined(name: &str) -> Error {
    sp2(46, format!("COLUMN: nothing is set for {name}"))
}

fn sp2(number: u32, text: impl Into<String>) -> Error {
    Error::new(ErrorKind::User, Number::Sp2(number), text)
}
