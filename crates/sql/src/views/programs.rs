//! Stored programs: their texts and errors.

use std::sync::Arc;

use common::Result;
use engine::dictionary::{ProgramDef, SchemaObject};
use scalar::Datum;

use super::view::{Rows, Scope, View, ViewColumn, ViewContext, n, number, s, text};

const SOURCE: &[ViewColumn] =
    &[text("OWNER", 128), text("NAME", 128), text("TYPE", 12), number("LINE"), text("TEXT", 4000)];
const ERRORS: &[ViewColumn] = &[
    text("OWNER", 128),
    text("NAME", 128),
    text("TYPE", 12),
    number("SEQUENCE"),
    number("LINE"),
    number("POSITION"),
    text("TEXT", 4000),
    text("ATTRIBUTE", 9),
];

const fn own(columns: &'static [ViewColumn]) -> &'static [ViewColumn] {
    match columns.split_first() {
        Some((_, rest)) => rest,
        None => columns,
    }
}

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_SOURCE", columns: SOURCE, rows: |cx, rows| sources(cx, rows, Scope::Dba) },
    View { name: "ALL_SOURCE", columns: SOURCE, rows: |cx, rows| sources(cx, rows, Scope::All) },
    View { name: "USER_SOURCE", columns: own(SOURCE), rows: |cx, rows| sources(cx, rows, Scope::User) },
    View { name: "DBA_ERRORS", columns: ERRORS, rows: |cx, rows| errors(cx, rows, Scope::Dba) },
    View { name: "ALL_ERRORS", columns: ERRORS, rows: |cx, rows| errors(cx, rows, Scope::All) },
    View { name: "USER_ERRORS", columns: own(ERRORS), rows: |cx, rows| errors(cx, rows, Scope::User) },
];

/// The programs of a view: bodies and triggers for their owner only, except in DBA_.
fn programs(cx: &ViewContext, scope: Scope) -> Vec<Arc<ProgramDef>> {
    let user = cx.session.rights();
    let shown = |program: &&Arc<ProgramDef>| match scope {
        Scope::Dba => true,
        Scope::User => program.owner == user,
        Scope::All => {
            program.owner == user
                || (program.kind.shares_names() && cx.catalog.sees(&user, &SchemaObject::Program(Arc::clone(program))))
        }
    };
    let mut programs: Vec<_> = cx.catalog.programs().filter(shown).cloned().collect();
    programs.sort_by(|a, b| (&a.owner, &a.name, a.kind).cmp(&(&b.owner, &b.name, b.kind)));
    programs
}

/// Owner, where the view has it, name and type.
fn head(program: &ProgramDef, scope: Scope) -> Vec<Datum> {
    let mut row = Vec::with_capacity(8);
    if scope != Scope::User {
        row.push(s(&program.owner));
    }
    row.extend([s(&program.name), s(program.kind.to_string())]);
    row
}

fn sources(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for program in programs(cx, scope) {
        for (line, text) in (1u32..).zip(program.lines()) {
            let mut row = head(&program, scope);
            row.extend([n(line), s(text)]);
            rows.add(&row)?;
        }
    }
    Ok(())
}

fn errors(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    for program in programs(cx, scope) {
        for (sequence, error) in (1u32..).zip(program.errors.iter()) {
            let mut row = head(&program, scope);
            row.extend([n(sequence), n(error.line), n(error.position), s(&error.text), s("ERROR")]);
            rows.add(&row)?;
        }
    }
    Ok(())
}
