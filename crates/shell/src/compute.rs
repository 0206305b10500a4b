//! COMPUTE: summary lines at the breaks of a report.

use common::Result;
use format::number::NumberBytes;
use scalar::number::arithmetic::{divide, multiply, subtract};
use scalar::number::elementary::power;
use scalar::number::sum::Sum;

use crate::breaks::Element;
use crate::command::sp2;
use crate::server::Cell;
use crate::words::Word;

/// The functions in the order in which SQL*Plus prints them, however the command names them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Function {
    Average,
    Count,
    Minimum,
    Maximum,
    Number,
    Sum,
    StandardDeviation,
    Variance,
}

const FUNCTIONS: [(&str, Function, &str); 8] = [
    ("avg", Function::Average, "avg"),
    ("cou[nt]", Function::Count, "count"),
    ("min[imum]", Function::Minimum, "minimum"),
    ("max[imum]", Function::Maximum, "maximum"),
    ("num[ber]", Function::Number, "number"),
    ("sum", Function::Sum, "sum"),
    ("std", Function::StandardDeviation, "std"),
    ("var[iance]", Function::Variance, "variance"),
];

impl Function {
    fn name(self) -> &'static str {
        FUNCTIONS.iter().find(|(_, function, _)| *function == self).map_or("", |(_, _, name)| name)
    }
}

/// One function of one column at one break.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Compute {
    pub(crate) function: Function,
    pub(crate) label: String,
    pub(crate) column: String,
    pub(crate) element: Element,
}

impl Compute {
    fn replaces(&self, other: &Self) -> bool {
        self.function == other.function
            && self.column.eq_ignore_ascii_case(&other.column)
            && self.element.is(&other.element)
    }

    /// As the command that would make it.
    fn shown(&self) -> String {
        format!("COMPUTE {} LABEL '{}' OF {} ON {}", self.function.name(), self.label, self.column, self.element)
    }
}

/// All that COMPUTE has set.
#[derive(Clone, Default, Debug)]
pub(crate) struct Computes(Vec<Compute>);

impl Computes {
    /// `COMPUTE function [LABEL text]… OF column… ON element…`
    ///
    /// # Errors
    /// SP2-0158 for a word out of place, and nothing is set.
    pub(crate) fn command(&mut self, words: &[Word]) -> Result<()> {
        let (functions, rest) = functions(words)?;
        let on = rest.iter().position(|word| word.is("on"));
        let on = on.ok_or_else(|| sp2(158, "COMPUTE: ON and a column, REPORT or ROW are missing"))?;
        let (columns, elements) = (names(&rest[..on]), names(&rest[on + 1..]));
        if columns.is_empty() || elements.is_empty() {
            return Err(sp2(158, "COMPUTE: the name of a column is missing"));
        }
        for element in &elements {
            for column in &columns {
                for (function, label) in &functions {
                    self.put(Compute {
                        function: *function,
                        label: label.clone(),
                        column: column.text.clone(),
                        element: Element::of(element),
                    });
                }
            }
        }
        Ok(())
    }

    fn put(&mut self, compute: Compute) {
        self.0.retain(|old| !compute.replaces(old));
        self.0.push(compute);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Compute> {
        self.0.iter()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn shown(&self) -> Vec<String> {
        self.0.iter().map(Compute::shown).collect()
    }
}

type Labelled = (Function, String);

/// The functions with their labels, and the words behind OF.
fn functions(words: &[Word]) -> Result<(Vec<Labelled>, &[Word])> {
    let mut functions: Vec<Labelled> = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        if word.is("of") && !functions.is_empty() {
            return Ok((functions, &words[at..]));
        }
        if word.is("lab[el]")
            && let (Some((_, label)), Some(text)) = (functions.last_mut(), words.get(at))
        {
            label.clone_from(&text.text);
            at += 1;
            continue;
        }
        let found = FUNCTIONS.iter().find(|(pattern, _, _)| word.is(pattern));
        let (_, function, name) =
            found.ok_or_else(|| sp2(158, format!("COMPUTE has no function \"{}\"", word.text)))?;
        functions.push((*function, (*name).to_owned()));
    }
    Err(sp2(158, "COMPUTE: a function, OF and a column are missing"))
}

/// Names may stand with commas between them.
fn names(words: &[Word]) -> Vec<Word> {
    let mut out = Vec::new();
    for word in words {
        if word.quoted {
            out.push(word.clone());
            continue;
        }
        let parts = word.text.split(',').filter(|part| !part.is_empty());
        out.extend(parts.map(|part| Word { text: part.to_owned(), ..word.clone() }));
    }
    out
}

/// The state of one computation since its last break.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tally {
    rows: u64,
    values: u64,
    sum: Sum,
    squares: Sum,
    least: Option<Cell>,
    most: Option<Cell>,
}

impl Tally {
    pub(crate) fn add(&mut self, cell: &Cell) {
        self.rows += 1;
        if *cell == Cell::Null {
            return;
        }
        self.values += 1;
        if self.least.as_ref().is_none_or(|least| is_before(cell, least)) {
            self.least = Some(cell.clone());
        }
        if self.most.as_ref().is_none_or(|most| is_before(most, cell)) {
            self.most = Some(cell.clone());
        }
        let Some(number) = number(cell) else { return };
        self.sum.add(&number);
        if let Ok(square) = multiply(&number, &number) {
            self.squares.add(&square);
        }
    }

    /// NULL where there are no values, or the result is no NUMBER.
    pub(crate) fn result(&self, function: Function) -> Cell {
        match function {
            Function::Count => Cell::Number(self.values.to_string()),
            Function::Number => Cell::Number(self.rows.to_string()),
            Function::Minimum => self.least.clone().unwrap_or(Cell::Null),
            Function::Maximum => self.most.clone().unwrap_or(Cell::Null),
            Function::Sum => shown(self.sum.sum()),
            Function::Average => shown(self.sum.average()),
            Function::Variance => shown(self.variance()),
            Function::StandardDeviation => shown(self.deviation()),
        }
    }

    /// Sample variance; zero for one value.
    fn variance(&self) -> Result<Option<NumberBytes>> {
        let (Some(sum), Some(average), Some(squares)) = (self.sum.sum()?, self.sum.average()?, self.squares.sum()?)
        else {
            return Ok(None);
        };
        let others = format::number::encode_i64(self.sum.count() as i64 - 1);
        if others.is_zero() {
            return Ok(Some(others));
        }
        divide(&subtract(&squares, &multiply(&sum, &average)?)?, &others).map(Some)
    }

    fn deviation(&self) -> Result<Option<NumberBytes>> {
        let Some(variance) = self.variance()? else { return Ok(None) };
        power(&variance.absolute(), &format::number::parse(".5")?).map(Some)
    }
}

fn number(cell: &Cell) -> Option<NumberBytes> {
    match cell {
        Cell::Number(text) => format::number::parse(text).ok(),
        Cell::Null | Cell::Text(_) => None,
    }
}

/// Numbers by their value, text by its bytes.
fn is_before(one: &Cell, other: &Cell) -> bool {
    match (one, other) {
        (Cell::Text(one), Cell::Text(other)) => one < other,
        _ => match (number(one), number(other)) {
            (Some(one), Some(other)) => one.as_bytes() < other.as_bytes(),
            _ => false,
        },
    }
}

fn shown(number: Result<Option<NumberBytes>>) -> Cell {
    number.ok().flatten().map_or(Cell::Null, |number| Cell::Number(number.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::split;

    #[test]
    fn commands() {
        let mut computes = Computes::default();
        computes.command(&split("sum label 'Total' avg of sal, comm on deptno report")).unwrap();
        assert_eq!(computes.shown().len(), 8);
        assert_eq!(computes.shown()[0], "COMPUTE sum LABEL 'Total' OF sal ON deptno");
        computes.command(&split("sum of SAL on Deptno")).unwrap();
        assert_eq!(computes.shown().len(), 8);
        for line in ["sum", "of sal on x", "sum of sal", "sum of on x", "sum of sal on", "nosuch of a on b"] {
            assert!(computes.command(&split(line)).is_err(), "{line}");
        }
    }

    #[test]
    fn results() {
        let mut tally = Tally::default();
        for cell in ["2", "4", "-10.5", "9"] {
            tally.add(&Cell::Number(cell.to_owned()));
        }
        tally.add(&Cell::Null);
        for (function, expected) in [
            (Function::Count, "4"),
            (Function::Number, "5"),
            (Function::Minimum, "-10.5"),
            (Function::Maximum, "9"),
            (Function::Sum, "4.5"),
            (Function::Average, "1.125"),
        ] {
            assert_eq!(tally.result(function), Cell::Number(expected.to_owned()), "{function:?}");
        }
        let Cell::Number(variance) = tally.result(Function::Variance) else { panic!("no variance") };
        assert!(variance.starts_with("68.72916"), "{variance}");
        let Cell::Number(deviation) = tally.result(Function::StandardDeviation) else { panic!("no deviation") };
        assert!(deviation.starts_with("8.2903"), "{deviation}");
        assert_eq!(Tally::default().result(Function::Sum), Cell::Null);
    }
}
