//! PL/SQL's reserved words: no unquoted name is spelled like them. All other keywords are keywords only where one is
//! expected.

/// In alphabetical order.
const RESERVED: &[&str] = &[
    "ALL",
    "ALTER",
    "AND",
    "ANY",
    "AS",
    "ASC",
    "AT",
    "BEGIN",
    "BETWEEN",
    "BY",
    "CASE",
    "CHECK",
    "CLUSTER",
    "CLUSTERS",
    "COLAUTH",
    "COLUMNS",
    "COMPRESS",
    "CONNECT",
    "CRASH",
    "CREATE",
    "CURSOR",
    "DECLARE",
    "DEFAULT",
    "DESC",
    "DISTINCT",
    "DROP",
    "ELSE",
    "END",
    "EXCEPTION",
    "EXCLUSIVE",
    "FETCH",
    "FOR",
    "FROM",
    "FUNCTION",
    "GOTO",
    "GRANT",
    "GROUP",
    "HAVING",
    "IDENTIFIED",
    "IF",
    "IN",
    "INDEX",
    "INDEXES",
    "INSERT",
    "INTERSECT",
    "INTO",
    "IS",
    "LIKE",
    "LOCK",
    "MINUS",
    "MODE",
    "NOCOMPRESS",
    "NOT",
    "NOWAIT",
    "NULL",
    "OF",
    "ON",
    "OPTION",
    "OR",
    "ORDER",
    "OVERLAPS",
    "PROCEDURE",
    "PUBLIC",
    "RESOURCE",
    "REVOKE",
    "SELECT",
    "SHARE",
    "SIZE",
    "SQL",
    "START",
    "TABAUTH",
    "TABLE",
    "THEN",
    "TO",
    "UNION",
    "UNIQUE",
    "UPDATE",
    "VALUES",
    "VIEW",
    "VIEWS",
    "WHEN",
    "WHERE",
    "WITH",
];

pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(RESERVED.is_sorted());
    }

    #[test]
    fn common_names_are_free() {
        for name in
            ["COUNT", "TYPE", "DATE", "NAME", "VALUE", "FIRST", "NEXT", "OPEN", "LIMIT", "RESULT", "LOOP", "DELETE"]
        {
            assert!(!is_reserved(name), "{name}");
        }
        assert!(is_reserved("BEGIN") && is_reserved("WITH") && is_reserved("ALL"));
    }
}
