//! Stored programs: their texts and errors.

use std::sync::Arc;

use common::Result;
use engine::dictionary::{CompileError, ProgramDef, SchemaObject};

use super::view::{Column, Each, Scope, Table, View, ViewContext, n, number, s, text};

/// A line of a program's text, or an error of its last compilation, with its number from 1.
struct Numbered<T> {
    program: Arc<ProgramDef>,
    number: u32,
    item: T,
}

const fn program<T>() -> [Column<Numbered<T>>; 3] {
    [
        text("OWNER", 128, |row: &Numbered<T>| s(&row.program.owner)),
        text("NAME", 128, |row: &Numbered<T>| s(&row.program.name)),
        text("TYPE", 12, |row: &Numbered<T>| s(row.program.kind.to_string())),
    ]
}

const LINES: &[Column<Numbered<String>>] =
    &[number("LINE", |row| n(row.number)), text("TEXT", 4000, |row| s(&row.item))];

const ERRORS: &[Column<Numbered<CompileError>>] = &[
    number("SEQUENCE", |row| n(row.number)),
    number("LINE", |row| n(row.item.line)),
    number("POSITION", |row| n(row.item.position)),
    text("TEXT", 4000, |row| s(&row.item.text)),
    text("ATTRIBUTE", 9, |_| s("ERROR")),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_SOURCE", &[&program(), LINES], |cx, each| sources(cx, each, Scope::Dba)),
    &Table::new("ALL_SOURCE", &[&program(), LINES], |cx, each| sources(cx, each, Scope::All)),
    &Table::new("USER_SOURCE", &[&program(), LINES], |cx, each| sources(cx, each, Scope::User)).without(&["OWNER"]),
    &Table::new("DBA_ERRORS", &[&program(), ERRORS], |cx, each| errors(cx, each, Scope::Dba)),
    &Table::new("ALL_ERRORS", &[&program(), ERRORS], |cx, each| errors(cx, each, Scope::All)),
    &Table::new("USER_ERRORS", &[&program(), ERRORS], |cx, each| errors(cx, each, Scope::User)).without(&["OWNER"]),
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

fn sources(cx: &ViewContext, each: Each<'_, Numbered<String>>, scope: Scope) -> Result<()> {
    for program in programs(cx, scope) {
        for (number, line) in (1..).zip(program.lines()) {
            each(Numbered { program: Arc::clone(&program), number, item: line.to_owned() })?;
        }
    }
    Ok(())
}

fn errors(cx: &ViewContext, each: Each<'_, Numbered<CompileError>>, scope: Scope) -> Result<()> {
    for program in programs(cx, scope) {
        for (number, error) in (1..).zip(program.errors.iter()) {
            each(Numbered { program: Arc::clone(&program), number, item: error.clone() })?;
        }
    }
    Ok(())
}
