//! Display of a subquery that is run for each set of outer values.

pub(super) const VALUE: &str = "SUBQUERY";
pub(super) const EXISTS: &str = "EXISTS";
pub(super) const NOT_EXISTS: &str = "NOT EXISTS";
pub(super) const IN: &str = "IN";
pub(super) const NOT_IN: &str = "NOT IN";
pub(super) const EQUAL: &str = "=";
pub(super) const UNEQUAL: &str = "<>";
pub(super) const ANY: &str = "ANY";
pub(super) const ALL: &str = "ALL";

/// The text of a subquery's call, by its name and its arguments; None for another function's.
pub(crate) fn shown(name: &str, arguments: &[String]) -> Option<String> {
    let (form, _) = name.split_once('\u{1}')?;
    let left = arguments.first().map_or("", String::as_str);
    Some(match form {
        VALUE => "(SELECT …)".to_owned(),
        EXISTS | NOT_EXISTS => format!("{form} (SELECT …)"),
        _ => format!("{left} {form} (SELECT …)"),
    })
}
