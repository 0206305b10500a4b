//! Triggers.

use common::Result;
use engine::dictionary::{SchemaObject, TriggerRule, TriggerTiming};
use scalar::Datum;

use super::view::{Rows, Scope, View, ViewColumn, ViewContext, s, text};

const TRIGGERS: &[ViewColumn] = &[
    text("OWNER", 128),
    text("TRIGGER_NAME", 128),
    text("TRIGGER_TYPE", 16),
    text("TRIGGERING_EVENT", 246),
    text("TABLE_OWNER", 128),
    text("BASE_OBJECT_TYPE", 18),
    text("TABLE_NAME", 128),
    text("COLUMN_NAME", 4000),
    text("REFERENCING_NAMES", 422),
    text("WHEN_CLAUSE", 4000),
    text("STATUS", 8),
    text("DESCRIPTION", 4000),
    text("ACTION_TYPE", 11),
    text("TRIGGER_BODY", 4000),
];

const fn own(columns: &'static [ViewColumn]) -> &'static [ViewColumn] {
    match columns.split_first() {
        Some((_, rest)) => rest,
        None => columns,
    }
}

pub(crate) const VIEWS: &[View] = &[
    View { name: "DBA_TRIGGERS", columns: TRIGGERS, rows: |cx, rows| triggers(cx, rows, Scope::Dba) },
    View { name: "ALL_TRIGGERS", columns: TRIGGERS, rows: |cx, rows| triggers(cx, rows, Scope::All) },
    View { name: "USER_TRIGGERS", columns: own(TRIGGERS), rows: |cx, rows| triggers(cx, rows, Scope::User) },
];

fn kind(timing: TriggerTiming) -> &'static str {
    match timing {
        TriggerTiming::BeforeStatement => "BEFORE STATEMENT",
        TriggerTiming::BeforeRow => "BEFORE EACH ROW",
        TriggerTiming::AfterStatement => "AFTER STATEMENT",
        TriggerTiming::AfterRow => "AFTER EACH ROW",
        TriggerTiming::InsteadOf => "INSTEAD OF",
    }
}

fn events(rule: &TriggerRule) -> String {
    let events = [(rule.on_insert, "INSERT"), (rule.on_update, "UPDATE"), (rule.on_delete, "DELETE")];
    events.into_iter().filter_map(|(fires, event)| fires.then_some(event)).collect::<Vec<_>>().join(" OR ")
}

/// The text of a trigger before its body, without TRIGGER, and its body.
fn parts(source: &str) -> (&str, &str) {
    let body =
        plsql::parser::parse_trigger_heading(source).map_or(source.len(), |(trigger, ..)| trigger.body.at as usize);
    let (heading, body) = source.split_at(body);
    let name = heading.char_indices().find(|(_, c)| c.is_whitespace()).map_or(0, |(at, _)| at);
    (heading[name..].trim_start(), body)
}

/// The text, cut to the column's width.
fn cut(text: &str) -> Datum {
    s(&text[..text.floor_char_boundary(4000)])
}

fn triggers(cx: &ViewContext, rows: &mut Rows, scope: Scope) -> Result<()> {
    let user = cx.session.user();
    let mut found: Vec<_> = cx
        .catalog
        .programs()
        .filter_map(|program| {
            let trigger = program.trigger.as_ref()?;
            let base = cx.catalog.object_by_number(trigger.base)?;
            // Also those on one's own tables.
            let shown = scope == Scope::Dba || program.owner == user || (scope == Scope::All && base.owner() == user);
            shown.then_some((program, trigger, base))
        })
        .collect();
    found.sort_by(|(a, ..), (b, ..)| (&a.owner, &a.name).cmp(&(&b.owner, &b.name)));
    for (program, trigger, base) in found {
        let rule = &trigger.rule;
        let (description, body) = parts(&program.source);
        let mut row = Vec::new();
        if scope != Scope::User {
            row.push(s(&program.owner));
        }
        let base_type = if matches!(base, SchemaObject::View(_)) { "VIEW" } else { "TABLE" };
        row.extend([
            s(&program.name),
            s(kind(rule.timing)),
            s(events(rule)),
            s(base.owner()),
            s(base_type),
            s(base.name()),
            if rule.columns.is_empty() { Datum::Null } else { cut(&rule.columns.join(", ")) },
            s(format!("REFERENCING NEW AS {} OLD AS {}", rule.new, rule.old)),
            rule.when.as_deref().map_or(Datum::Null, cut),
            s(if trigger.enabled { "ENABLED" } else { "DISABLED" }),
            cut(description),
            s(if body.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("call")) { "CALL" } else { "PL/SQL" }),
            cut(body),
        ]);
        rows.add(&row)?;
    }
    Ok(())
}
