//! Few words are reserved: all others are names wherever one may stand.

use plsql::ast::StatementKind;

use crate::{block, faults, show, unit};

const FREE: &[&str] = &[
    "a",
    "action",
    "array",
    "body",
    "bulk",
    "byte",
    "c",
    "call",
    "cast",
    "char",
    "close",
    "collect",
    "commit",
    "constant",
    "continue",
    "count",
    "data",
    "date",
    "day",
    "delete",
    "elsif",
    "error",
    "escape",
    "execute",
    "exists",
    "exit",
    "extend",
    "external",
    "extract",
    "final",
    "first",
    "forall",
    "found",
    "hour",
    "id",
    "immediate",
    "indices",
    "interval",
    "isolation",
    "java",
    "key",
    "language",
    "last",
    "level",
    "limit",
    "long",
    "loop",
    "max",
    "merge",
    "min",
    "minute",
    "mod",
    "month",
    "name",
    "new",
    "next",
    "nextval",
    "nocopy",
    "number",
    "object",
    "old",
    "open",
    "others",
    "out",
    "owner",
    "package",
    "parameter",
    "partition",
    "pipe",
    "pragma",
    "prior",
    "private",
    "raise",
    "range",
    "raw",
    "read",
    "record",
    "ref",
    "referencing",
    "result",
    "return",
    "returning",
    "reverse",
    "role",
    "rollback",
    "row",
    "rowcount",
    "rowid",
    "rownum",
    "rowtype",
    "sample",
    "save",
    "savepoint",
    "second",
    "session",
    "set",
    "sqlcode",
    "statement",
    "status",
    "subtype",
    "sysdate",
    "text",
    "time",
    "timestamp",
    "transaction",
    "trigger",
    "trim",
    "type",
    "under",
    "user",
    "value",
    "varchar2",
    "varray",
    "while",
    "work",
    "write",
    "year",
    "zone",
];

/// Words that are used as names everywhere below but that a statement or declaration may not begin with.
const NOT_FIRST: &[&str] = &["pragma"];

#[test]
fn a_free_word_is_a_variable() {
    for word in FREE {
        let text = format!(
            "declare
               v {word}.{word}%type;
             begin
               {word} := {word} + 1;
               {word}.x := f({word}, {word} => {word});
               r.{word} := t(i).{word};
               for {word} in 1 .. {word} loop null; end loop;
               if {word} is null or {word} in ({word}) then null; end if;
               x := case {word} when {word} then {word} else {word} end;
               open c for select a from b where x = {word};
               fetch c into {word};
             end;"
        );
        let block = block(&text);
        assert_eq!(block.statements.len(), 8, "{word}");
        assert!(matches!(block.statements[0].kind, StatementKind::Assign { .. }), "{word}");
        if !NOT_FIRST.contains(word) {
            unit(&format!("procedure p ({word} in number) is {word} number; begin null; end;"));
            unit(&format!("function {word} return number is {word} number := 1; begin return {word}; end {word};"));
        }
    }
}

#[test]
fn words_behind_a_dot_are_names_always() {
    let block = block("begin a.begin.end := b.select(1).from + c.type; d.delete; e.exists(1); end;");
    assert_eq!(show::outline(&block.statements), "A.BEGIN.END := (+ B.SELECT(1).FROM C.TYPE); D.DELETE; E.EXISTS(1)");
}

#[test]
fn methods_and_procedures_named_like_statements() {
    let block = block("begin open(1); close(f); commit(1); raise(x); exit(1); delete(2); set(3); pk.open; end;");
    assert_eq!(
        show::outline(&block.statements),
        "OPEN(1); CLOSE(F); COMMIT(1); RAISE(X); EXIT(1); DELETE(2); SET(3); PK.OPEN"
    );
}

#[test]
fn reserved_words_are_no_names() {
    for word in ["begin", "select", "table", "index", "end", "order", "default", "size", "mode", "then"] {
        let said = faults(&format!("declare {word} number; begin null; end;"));
        assert!(said.contains("PLS-00103"), "{word}");
        assert!(unit(&format!("declare \"{word}\" number; begin \"{word}\" := 1; end;")).at == 0, "{word}");
    }
}

#[test]
fn names_are_at_most_128_bytes_long() {
    let name = "x".repeat(128);
    unit(&format!("declare {name} number; begin null; end;"));
    assert_eq!(
        faults(&format!("declare {name}y number; begin null; end;")),
        format!("1/9 PLS-00114: identifier '{}' too long", "X".repeat(30))
    );
}
