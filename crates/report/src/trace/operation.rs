//! The operation of a `STAT` line: its name, and from 9.2.0.2 on the figures in parentheses behind it.

use super::fields::number;

/// `op='…'` taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation<'a> {
    /// With the object's name where the trace has one.
    pub name: &'a str,
    pub figures: RowSourceFigures,
}

/// The figures of one row source, including those of the row sources below it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RowSourceFigures {
    /// `cr`: blocks got in consistent mode.
    pub query: Option<i64>,
    /// `pr` (9.2: `r`): blocks read.
    pub reads: Option<i64>,
    /// `pw` (9.2: `w`): blocks written.
    pub writes: Option<i64>,
    /// `time`, in the unit that is printed behind it: microseconds.
    pub elapsed: Option<i64>,
    /// `str` or `starts`, from 12c on.
    pub starts: Option<i64>,
    /// From 11g on.
    pub cost: Option<i64>,
    /// From 11g on: bytes expected.
    pub size: Option<i64>,
    /// From 11g on: rows expected.
    pub cardinality: Option<i64>,
}

impl<'a> Operation<'a> {
    /// Parses the text between the quotes. Text that does not look like figures is part of the name.
    pub(crate) fn parse(text: &'a str) -> Self {
        let split = text.trim_end().strip_suffix(')').and_then(|body| {
            let at = body.rfind(" (").or_else(|| body.rfind('('))?;
            let inner = body[at..].trim_start_matches([' ', '(']);
            Some((&body[..at], figures(inner)?))
        });
        match split {
            Some((name, figures)) => Self { name: name.trim_end(), figures },
            None => Self { name: text.trim_end(), figures: RowSourceFigures::default() },
        }
    }
}

/// `cr=3 pr=0 pw=0 str=1 time=122 us cost=1 size=2 card=3`, in any order; none if something else stands between.
fn figures(text: &str) -> Option<RowSourceFigures> {
    let mut out = RowSourceFigures::default();
    let mut found = false;
    for word in text.split_ascii_whitespace() {
        if word == "us" {
            continue;
        }
        let (key, value) = word.split_once('=')?;
        let (value, taken) = number(value.as_bytes())?;
        let value = i64::try_from(value).ok().filter(|_| taken + key.len() + 1 == word.len())?;
        let place = match key {
            "cr" => &mut out.query,
            "pr" | "r" => &mut out.reads,
            "pw" | "w" => &mut out.writes,
            "time" => &mut out.elapsed,
            "str" | "starts" => &mut out.starts,
            "cost" => &mut out.cost,
            "size" => &mut out.size,
            "card" => &mut out.cardinality,
            // A figure of a later release.
            _ if key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') => continue,
            _ => return None,
        };
        *place = Some(value);
        found = true;
    }
    found.then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_all_releases() {
        let bare = Operation::parse("TABLE ACCESS FULL DUAL ");
        assert_eq!((bare.name, bare.figures), ("TABLE ACCESS FULL DUAL", RowSourceFigures::default()));
        let nine = Operation::parse("SORT AGGREGATE (cr=5 r=2 w=1 time=7 us)");
        let expected = RowSourceFigures {
            query: Some(5),
            reads: Some(2),
            writes: Some(1),
            elapsed: Some(7),
            ..RowSourceFigures::default()
        };
        assert_eq!((nine.name, nine.figures), ("SORT AGGREGATE", expected));
        let twelve = Operation::parse("INDEX RANGE SCAN I (cr=5 pr=2 pw=1 str=3 time=7 us cost=8 size=9 card=10)");
        let expected =
            RowSourceFigures { starts: Some(3), cost: Some(8), size: Some(9), cardinality: Some(10), ..expected };
        assert_eq!((twelve.name, twelve.figures), ("INDEX RANGE SCAN I", expected));
    }

    #[test]
    fn parentheses_of_a_name_stay_in_it() {
        assert_eq!(Operation::parse("VIEW  (odd name)").name, "VIEW  (odd name)");
        let join = Operation::parse("HASH JOIN (OUTER) (cr=1 pr=0 pw=0 time=4 us)");
        assert_eq!((join.name, join.figures.elapsed), ("HASH JOIN (OUTER)", Some(4)));
        assert_eq!(Operation::parse(")").name, ")");
        assert_eq!(Operation::parse("").name, "");
    }
}
