//! Optimiser hints: `/*+ FULL(t) INDEX(t t_ndx) */`.

use sqlparser::ast::OptimizerHint;

use super::binder::Hints;

/// Names and arguments, upper-cased; what is not of the form `NAME(arguments)` has no arguments.
pub(crate) fn parse(hints: &[OptimizerHint]) -> Hints {
    let mut list = Vec::new();
    for hint in hints.iter().filter(|hint| hint.prefix.is_empty()) {
        let text = hint.text.to_uppercase();
        let mut rest = text.as_str();
        while let Some(start) = rest.find(|c: char| c.is_alphabetic()) {
            rest = &rest[start..];
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let name = rest[..end].to_owned();
            rest = rest[end..].trim_start();
            let mut arguments = Vec::new();
            if let Some(inner) = rest.strip_prefix('(') {
                let close = inner.find(')').unwrap_or(inner.len());
                arguments = inner[..close]
                    .split(|c: char| c.is_whitespace() || c == ',')
                    .filter(|argument| !argument.is_empty())
                    .map(str::to_owned)
                    .collect();
                rest = inner.get(close + 1..).unwrap_or("");
            }
            list.push((name, arguments));
        }
    }
    Hints { list, table: None }
}
