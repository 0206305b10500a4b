//! The text of a statement: its verb, and the replaced name of the table that it changes.

use super::Names;

/// First words that do not reveal the subject of a statement.
const VERBS: [&str; 22] = [
    "SELECT",
    "WITH",
    "INSERT",
    "UPDATE",
    "DELETE",
    "MERGE",
    "BEGIN",
    "DECLARE",
    "CALL",
    "ALTER",
    "CREATE",
    "DROP",
    "TRUNCATE",
    "LOCK",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT",
    "SET",
    "EXPLAIN",
    "ANALYZE",
    "GRANT",
    "REVOKE",
];

impl Names {
    /// `INSERT INTO OBJECT_3 /* statement 5 */`; the same text gets the same number.
    pub(super) fn statement(&mut self, text: &str) -> String {
        if text.trim().is_empty() {
            return text.to_owned();
        }
        let number = self.statement_number(text.trim());
        let mut words = Words { rest: text };
        let first = words.next().unwrap_or_default().to_ascii_uppercase();
        let verb = VERBS.iter().find(|verb| **verb == first).copied().unwrap_or("STATEMENT");
        let table = match verb {
            "UPDATE" => words.next(),
            "DELETE" => {
                words.next().and_then(|word| if word.eq_ignore_ascii_case("FROM") { words.next() } else { Some(word) })
            }
            "INSERT" | "MERGE" => {
                words.next().filter(|word| word.eq_ignore_ascii_case("INTO")).and_then(|_| words.next())
            }
            _ => None,
        };
        let into = match verb {
            "INSERT" | "MERGE" => "INTO ",
            "DELETE" => "FROM ",
            _ => "",
        };
        match table.filter(|table| !table.is_empty() && !table.starts_with('(')) {
            Some(table) => format!("{verb} {into}{} /* statement {number} */", self.qualified(table)),
            None => format!("{verb} /* statement {number} */"),
        }
    }

    /// `SCHEMA.TABLE`, quoted or not, with or without a link.
    fn qualified(&mut self, text: &str) -> String {
        let text = text.split('@').next().unwrap_or_default().replace('"', "");
        match text.split_once('.') {
            Some((schema, object)) => {
                let object = self.object(Some(schema), object);
                format!("{}.{object}", self.schema(schema))
            }
            None => self.object(None, &text),
        }
    }
}

/// Words of a statement; comments and hints are passed over.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("/*") {
                self.rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
            } else if let Some(comment) = self.rest.strip_prefix("--") {
                self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
            } else {
                break;
            }
        }
        if self.rest.is_empty() {
            return None;
        }
        if self.rest.starts_with('(') {
            let (word, rest) = self.rest.split_at(1);
            self.rest = rest;
            return Some(word);
        }
        let mut quoted = false;
        let ends = |(_, c): &(usize, char)| {
            quoted ^= *c == '"';
            !quoted && (c.is_whitespace() || matches!(c, '(' | ')' | ',' | ';'))
        };
        let end = self
            .rest
            .char_indices()
            .find(ends)
            .map_or(self.rest.len(), |(at, c)| if at == 0 { c.len_utf8() } else { at });
        let end = self.rest[..end].find("/*").filter(|at| *at > 0).unwrap_or(end);
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn text_that_is_no_statement_is_taken_all_the_same() {
        let mut names = Names::default();
        for text in [
            "",
            "(",
            "/*",
            "--",
            "\"",
            "insert",
            "insert into",
            "insert into \"",
            "update/**/t",
            "delete from (",
            "merge into é.ü using",
            "\u{a0}ü",
            "upd",
        ] {
            let masked = names.statement(text);
            assert!(!masked.contains('ü'), "{masked}");
        }
    }

    #[test]
    fn the_verb_and_the_changed_table_are_left() {
        let mut names = Names::default();
        assert_eq!(
            names.statement("insert /*+ append */ into till.sales(id) values (1)"),
            "INSERT INTO SCHEMA_1.OBJECT_1 /* statement 1 */"
        );
        assert_eq!(names.statement("UPDATE \"SALES\" SET x = 'secret'"), "UPDATE OBJECT_1 /* statement 2 */");
        assert_eq!(
            names.statement("update \"TILL\".\"My Sales\" set y = 1"),
            "UPDATE SCHEMA_1.OBJECT_2 /* statement 3 */"
        );
        assert_eq!(names.statement("delete sales where a = 1"), "DELETE FROM OBJECT_1 /* statement 4 */");
        assert_eq!(names.statement("select secret from sales"), "SELECT /* statement 5 */");
        assert_eq!(names.statement("secret_procedure(1)"), "STATEMENT /* statement 6 */");
        assert_eq!(names.statement("select secret from sales"), "SELECT /* statement 5 */");
        assert_eq!(names.statement("delete from (select * from sales)"), "DELETE /* statement 7 */");
    }
}
