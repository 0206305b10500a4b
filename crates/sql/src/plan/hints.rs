//! Optimiser hints: `/*+ FULL(t) INDEX(t t_ndx) */`, and their fates.
//!
//! Those that [`is_for_tables`], [`is_for_joins`] and [`is_for_goal`] name, APPEND and GATHER_PLAN_STATISTICS have an
//! effect. Other hints are parsed, and the plan's hint report says why they are unused.

use std::fmt;

use sqlparser::ast::OptimizerHint;

/// A hint as it is written, in upper case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Hint {
    pub(crate) name: String,
    /// A list in parentheses is one argument, with them: `INDEX(T (A B))` has `T` and `(A B)`.
    pub(crate) arguments: Vec<String>,
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.arguments.is_empty() { Ok(()) } else { write!(f, "({})", self.arguments.join(" ")) }
    }
}

/// The hints of a query block that are for one of its tables, or for all of them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Hints {
    pub(crate) list: Vec<Hint>,
    /// The name of that table in the block.
    pub(crate) table: Option<String>,
    /// Its place in the FROM clause.
    pub(crate) place: usize,
    /// The fates of those about joins that this table's row source reports.
    pub(crate) fates: Vec<HintFate>,
    /// Its rows are joined by a merge.
    pub(crate) merges: bool,
}

impl Hints {
    /// The rows that a FIRST_ROWS hint wants soon.
    pub(crate) fn first_rows(&self) -> Option<f64> {
        let hint = self.list.iter().find(|hint| is_for_goal(&hint.name))?;
        match hint.arguments.as_slice() {
            [] => Some(1.0),
            [rows, ..] => rows.parse::<u32>().ok().map(|rows| f64::from(rows.max(1))),
        }
    }

    /// The rows that a CARDINALITY hint says a table has behind its conditions.
    pub(crate) fn cardinality(&self) -> Option<f64> {
        let hint = self.list.iter().find(|hint| hint.name == "CARDINALITY")?;
        match hint.arguments.as_slice() {
            [_, rows] => rows.parse().ok().filter(|rows: &f64| rows.is_finite() && *rows >= 0.0),
            _ => None,
        }
    }
}

/// The fate of a hint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    Used,
    Unused,
    /// It names a table that is not in its query block.
    Unresolved,
    /// There is no such hint.
    Error,
}

impl Mark {
    /// The letter of the hint report.
    pub(crate) fn letter(self) -> char {
        match self {
            Self::Used => '-',
            Self::Unused => 'U',
            Self::Unresolved => 'N',
            Self::Error => 'E',
        }
    }
}

/// A hint with its fate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct HintFate {
    pub(crate) mark: Mark,
    /// The hint as displayed, and behind ` / ` the reason why it is unused.
    pub(crate) text: String,
}

impl HintFate {
    pub(crate) fn used(hint: &Hint) -> Self {
        Self { mark: Mark::Used, text: hint.to_string() }
    }

    pub(crate) fn not(mark: Mark, hint: &Hint, why: impl fmt::Display) -> Self {
        Self { mark, text: format!("{hint} / {why}") }
    }

    /// True: it is the fate of this hint.
    pub(crate) fn is_of(&self, hint: &Hint) -> bool {
        self.text.strip_prefix(&hint.to_string()).is_some_and(|rest| rest.is_empty() || rest.starts_with(" / "))
    }
}

/// The hints of a statement's or query block's comments.
pub(crate) fn parse(hints: &[OptimizerHint]) -> Vec<Hint> {
    hints.iter().filter(|hint| hint.prefix.is_empty()).flat_map(|hint| read(&hint.text)).collect()
}

/// Names and arguments; a text of another form than `NAME(arguments)` has no arguments.
pub(crate) fn read(text: &str) -> Vec<Hint> {
    let mut list = Vec::new();
    let text = upper_outside_quotes(text);
    let mut rest = text.as_str();
    while let Some(start) = rest.find(|c: char| c.is_alphabetic()) {
        rest = &rest[start..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let name = rest[..end].to_owned();
        rest = rest[end..].trim_start();
        let mut arguments = Vec::new();
        if let Some(inner) = rest.strip_prefix('(') {
            (arguments, rest) = in_parentheses(inner);
        }
        list.push(Hint { name, arguments });
    }
    list
}

/// Folds names to upper case, except quoted ones.
fn upper_outside_quotes(text: &str) -> String {
    let fold = |(at, part): (usize, &str)| if at % 2 == 0 { part.to_uppercase() } else { part.to_owned() };
    text.split('"').enumerate().map(fold).collect::<Vec<_>>().join("\"")
}

/// The arguments up to the closing parenthesis, and the rest.
fn in_parentheses(text: &str) -> (Vec<String>, &str) {
    let mut arguments = Vec::new();
    let mut argument = String::new();
    let mut depth = 0;
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        let separates = c.is_whitespace() || c == ',';
        if c == '"' {
            quoted = !quoted;
            continue;
        }
        if quoted {
            argument.push(c);
            continue;
        }
        match c {
            ')' if depth == 0 => {
                arguments.extend((!argument.is_empty()).then_some(argument));
                return (arguments, &text[at + 1..]);
            }
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if !separates {
            argument.push(c);
        } else if depth > 0 && !argument.ends_with([' ', '(']) {
            argument.push(' ');
        } else if depth == 0 && !argument.is_empty() {
            arguments.push(std::mem::take(&mut argument));
        }
    }
    arguments.extend((!argument.is_empty()).then_some(argument));
    (arguments, "")
}

/// True: hints of this name take a table as their first argument.
pub(crate) fn is_for_tables(name: &str) -> bool {
    is_for_access(name) || name == "CARDINALITY" || is_for_joins(name) && !is_for_block(name)
}

/// True: hints of this name are about the way to a table's rows.
pub(crate) fn is_for_access(name: &str) -> bool {
    const NAMES: [&str; 10] = [
        "FULL",
        "INDEX",
        "INDEX_FFS",
        "INDEX_RS",
        "INDEX_RS_ASC",
        "INDEX_SS",
        "INDEX_SS_ASC",
        "NO_INDEX",
        "NO_INDEX_FFS",
        "NO_INDEX_SS",
    ];
    NAMES.contains(&name)
}

/// True: hints of this name are about the order or the method of joins.
pub(crate) fn is_for_joins(name: &str) -> bool {
    is_for_block(name) || name == "LEADING" || is_for_methods(name)
}

/// True: hints of this name are about the method by which a table is joined.
fn is_for_methods(name: &str) -> bool {
    const NAMES: [&str; 6] = ["USE_NL", "USE_HASH", "USE_MERGE", "NO_USE_NL", "NO_USE_HASH", "NO_USE_MERGE"];
    NAMES.contains(&name)
}

/// True: hints of this name say which rows a query block is to have soon.
pub(crate) fn is_for_goal(name: &str) -> bool {
    name == "FIRST_ROWS"
}

/// True: hints of this name are for all tables of their query block.
pub(crate) fn is_for_block(name: &str) -> bool {
    name == "ORDERED"
}

/// True: the hint is for the table that its query block knows by this name.
pub(crate) fn is_for(hint: &Hint, table: &str) -> bool {
    if is_for_joins(&hint.name) {
        return is_for_block(&hint.name) || hint.arguments.iter().any(|argument| argument == table);
    }
    is_for_tables(&hint.name) && hint.arguments.first().is_some_and(|argument| argument == table)
}

/// True: a hint of Oracle that has no effect here: parsed, and reported as unused.
pub(crate) fn is_foreign(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "ALL_ROWS",
        "APPEND_VALUES",
        "BIND_AWARE",
        "CACHE",
        "CHANGE_DUPKEY_ERROR_INDEX",
        "CHOOSE",
        "CLUSTER",
        "CLUSTERING",
        "CONTAINERS",
        "CURSOR_SHARING_EXACT",
        "DISABLE_PARALLEL_DML",
        "DRIVING_SITE",
        "DYNAMIC_SAMPLING",
        "ENABLE_PARALLEL_DML",
        "EXPAND_GSET_TO_UNION",
        "FACT",
        "FRESH_MV",
        "GATHER_OPTIMIZER_STATISTICS",
        "GROUPING",
        "HASH",
        "IGNORE_OPTIM_EMBEDDED_HINTS",
        "IGNORE_ROW_ON_DUPKEY_INDEX",
        "INDEX_ASC",
        "INDEX_COMBINE",
        "INDEX_DESC",
        "INDEX_JOIN",
        "INDEX_RS_DESC",
        "INDEX_SS_DESC",
        "INLINE",
        "INMEMORY",
        "INMEMORY_PRUNING",
        "MATERIALIZE",
        "MERGE",
        "MERGE_AJ",
        "MERGE_SJ",
        "MODEL_MIN_ANALYSIS",
        "MONITOR",
        "NATIVE_FULL_OUTER_JOIN",
        "NLJ_BATCHING",
        "NL_AJ",
        "NL_SJ",
        "HASH_AJ",
        "HASH_SJ",
        "NOAPPEND",
        "NOCACHE",
        "NOPARALLEL",
        "NOPARALLEL_INDEX",
        "NOREWRITE",
        "NO_BIND_AWARE",
        "NO_CLUSTERING",
        "NO_EXPAND",
        "NO_FACT",
        "NO_GATHER_OPTIMIZER_STATISTICS",
        "NO_INMEMORY",
        "NO_INMEMORY_PRUNING",
        "NO_MERGE",
        "NO_MONITOR",
        "NO_NATIVE_FULL_OUTER_JOIN",
        "NO_NLJ_BATCHING",
        "NO_PARALLEL",
        "NO_PARALLEL_INDEX",
        "NO_PQ_CONCURRENT_UNION",
        "NO_PQ_SKEW",
        "NO_PUSH_PRED",
        "NO_PUSH_SUBQ",
        "NO_PX_JOIN_FILTER",
        "NO_QUERY_TRANSFORMATION",
        "NO_RESULT_CACHE",
        "NO_REWRITE",
        "NO_STAR_TRANSFORMATION",
        "NO_STATEMENT_QUEUING",
        "NO_SWAP_JOIN_INPUTS",
        "NO_UNNEST",
        "NO_USE_BAND",
        "NO_USE_CUBE",
        "NO_XMLINDEX_REWRITE",
        "NO_XML_QUERY_REWRITE",
        "NO_ZONEMAP",
        "OPTIMIZER_FEATURES_ENABLE",
        "OPT_ESTIMATE",
        "OPT_PARAM",
        "ORDERED_PREDICATES",
        "OUTLINE",
        "OUTLINE_LEAF",
        "PARALLEL",
        "PARALLEL_INDEX",
        "PQ_CONCURRENT_UNION",
        "PQ_DISTRIBUTE",
        "PQ_FILTER",
        "PQ_SKEW",
        "PUSH_PRED",
        "PUSH_SUBQ",
        "PX_JOIN_FILTER",
        "QB_NAME",
        "RESULT_CACHE",
        "RETRY_ON_ROW_CHANGE",
        "REWRITE",
        "RULE",
        "SHARED",
        "STAR",
        "STAR_TRANSFORMATION",
        "STATEMENT_QUEUING",
        "SWAP_JOIN_INPUTS",
        "UNNEST",
        "USE_ANTI",
        "USE_BAND",
        "USE_CONCAT",
        "USE_CUBE",
        "USE_HASH_AGGREGATION",
        "USE_NL_WITH_INDEX",
        "USE_SEMI",
    ];
    NAMES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        read(text).iter().map(Hint::to_string).collect()
    }

    #[test]
    fn names_and_arguments() {
        assert_eq!(shown(" full(t), index( t , t_ndx ) append"), ["FULL(T)", "INDEX(T T_NDX)", "APPEND"]);
        assert_eq!(shown("index(t ( a , b) t_ndx) x"), ["INDEX(T (A B) T_NDX)", "X"]);
        assert_eq!(shown("full(t"), ["FULL(T)"]);
        assert_eq!(shown("full()"), ["FULL"]);
        assert_eq!(shown("full(\"a b\") index(t \"i\")"), ["FULL(a b)", "INDEX(T i)"]);
        assert_eq!(shown(" 12 )("), Vec::<String>::new());
    }

    #[test]
    fn fates_know_their_hints() {
        let [hint, longer] =
            [Hint { name: "FULL".into(), arguments: vec![] }, Hint { name: "FULLER".into(), arguments: vec![] }];
        let fate = HintFate::not(Mark::Unused, &longer, "why");
        assert!(fate.is_of(&longer) && !fate.is_of(&hint));
        assert!(HintFate::used(&hint).is_of(&hint));
    }
}
