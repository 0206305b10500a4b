//! The scripts below `@?/`: those of Oracle that have a counterpart here. They are our own.

const SPREPORT: &str = include_str!("spreport.sql");
/// Prompts for the snapshots; replaces the line with this beginning.
const ASKING: &str = include_str!("spreport_ask.sql");
const UTLXPLAN: &str = include_str!("utlxplan.sql");
const UTLCHAIN: &str = include_str!("utlchain.sql");
const PLACE: &str = "-- ask\n";

/// A script's text. `asks`: there is a user at a terminal to ask.
pub(super) fn script(path: &str, asks: bool) -> Option<String> {
    match path {
        "rdbms/admin/spreport.sql" | "rdbms/admin/spreport" => {
            Some(SPREPORT.replacen(PLACE, if asks { ASKING } else { "" }, 1))
        }
        "rdbms/admin/utlchain.sql" | "rdbms/admin/utlchain" => Some(UTLCHAIN.to_owned()),
        "rdbms/admin/utlxplan.sql" | "rdbms/admin/utlxplan" => Some(UTLXPLAN.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_somebody_at_a_terminal_is_asked() {
        let text = |asks| script("rdbms/admin/spreport.sql", asks).unwrap();
        assert!(text(true).contains("accept begin_snap") && !text(false).contains("accept"));
        assert_eq!(script("rdbms/admin/spcreate.sql", false), None);
    }
}
