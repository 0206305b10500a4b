//! The feedback after a statement without rows.

use crate::server::Done;

/// The sentence for an outcome, as `1 row created.` or `Table created.`; `verb` is the outcome's or the statement's
/// own.
pub(crate) fn sentence(verb: &str, done: &Done) -> String {
    let counted = |participle: &str| {
        let rows = done.rows.unwrap_or(0);
        format!("{rows} {} {participle}.", if rows == 1 { "row" } else { "rows" })
    };
    match verb {
        "INSERT" => return counted("created"),
        "UPDATE" => return counted("updated"),
        "DELETE" => return counted("deleted"),
        "MERGE" => return counted("merged"),
        "COMMIT" => return "Commit complete.".to_owned(),
        "ROLLBACK" => return "Rollback complete.".to_owned(),
        "SAVEPOINT" => return "Savepoint created.".to_owned(),
        "GRANT" => return "Grant succeeded.".to_owned(),
        "REVOKE" => return "Revoke succeeded.".to_owned(),
        "CALL" => return "Call completed.".to_owned(),
        "COMMENT" => return "Comment created.".to_owned(),
        "EXPLAIN" => return "Explained.".to_owned(),
        "RENAME" => return "Table renamed.".to_owned(),
        "LOCK TABLE" => return "Table(s) Locked.".to_owned(),
        "PL/SQL" => return "PL/SQL procedure successfully completed.".to_owned(),
        _ => {}
    }
    let (action, object) = verb.split_once(' ').unwrap_or((verb, ""));
    let participle = match action {
        "CREATE" => "created",
        "ALTER" => "altered",
        "DROP" => "dropped",
        "TRUNCATE" => "truncated",
        "ANALYZE" => "analyzed",
        "SET" => "set",
        "AUDIT" | "NOAUDIT" => return format!("{} succeeded.", capitalized(action)),
        "FLASHBACK" => return "Flashback complete.".to_owned(),
        "PURGE" => return "Purged.".to_owned(),
        _ => return "Done.".to_owned(),
    };
    let sentence = format!("{} {participle}", capitalized(object));
    if done.compilation_errors {
        format!("Warning: {sentence} with compilation errors.")
    } else {
        format!("{sentence}.")
    }
}

/// `PACKAGE BODY` as `Package body`.
fn capitalized(words: &str) -> String {
    let lower = words.to_ascii_lowercase();
    let mut chars = lower.chars();
    chars.next().map_or(String::new(), |first| format!("{}{}", first.to_ascii_uppercase(), chars.as_str()))
}

/// `Elapsed: 00:00:02.98`, in hundredths of a second.
pub(crate) fn elapsed(microseconds: u64) -> String {
    let hundredths = (microseconds + 5_000) / 10_000;
    let seconds = hundredths / 100;
    format!("Elapsed: {:02}:{:02}:{:02}.{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences() {
        let rows = |n| Done { rows: Some(n), ..Done::default() };
        for (verb, done, expected) in [
            ("INSERT", rows(1), "1 row created."),
            ("INSERT", rows(303_666), "303666 rows created."),
            ("DELETE", rows(0), "0 rows deleted."),
            ("CREATE TABLESPACE", Done::default(), "Tablespace created."),
            ("ALTER SESSION", Done::default(), "Session altered."),
            (
                "CREATE PACKAGE BODY",
                Done { compilation_errors: true, ..Done::default() },
                "Warning: Package body created with compilation errors.",
            ),
            ("SET ROLE", Done::default(), "Role set."),
        ] {
            assert_eq!(sentence(verb, &done), expected);
        }
        assert_eq!(elapsed(2_984_999), "Elapsed: 00:00:02.98");
        assert_eq!(elapsed(3_600_000_000 + 61_000_000), "Elapsed: 01:01:01.00");
    }
}
