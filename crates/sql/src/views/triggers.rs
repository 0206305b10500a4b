//! Triggers.

use std::sync::Arc;

use common::Result;
use engine::dictionary::{ProgramDef, SchemaObject, TriggerDef, TriggerRule, TriggerTiming};
use scalar::Datum;

use super::view::{Column, Each, Scope, Table, View, ViewContext, s, text};

/// A trigger, and the table or view that it is on.
struct Trigger {
    program: Arc<ProgramDef>,
    trigger: Arc<TriggerDef>,
    base: SchemaObject,
}

impl Trigger {
    fn rule(&self) -> &TriggerRule {
        &self.trigger.rule
    }

    fn body(&self) -> &str {
        parts(&self.program.source).1
    }
}

const TRIGGERS: &[Column<Trigger>] = &[
    text("OWNER", 128, |row| s(&row.program.owner)),
    text("TRIGGER_NAME", 128, |row| s(&row.program.name)),
    text("TRIGGER_TYPE", 16, |row| s(kind(row.rule().timing))),
    text("TRIGGERING_EVENT", 246, |row| s(events(row.rule()))),
    text("TABLE_OWNER", 128, |row| s(row.base.owner())),
    text("BASE_OBJECT_TYPE", 18, |row| s(if matches!(row.base, SchemaObject::View(_)) { "VIEW" } else { "TABLE" })),
    text("TABLE_NAME", 128, |row| s(row.base.name())),
    text("COLUMN_NAME", 4000, |row| cut(&row.rule().columns.join(", "))),
    text("REFERENCING_NAMES", 422, |row| s(format!("REFERENCING NEW AS {} OLD AS {}", row.rule().new, row.rule().old))),
    text("WHEN_CLAUSE", 4000, |row| row.rule().when.as_deref().map_or(Datum::Null, cut)),
    text("STATUS", 8, |row| s(if row.trigger.enabled { "ENABLED" } else { "DISABLED" })),
    text("DESCRIPTION", 4000, |row| cut(parts(&row.program.source).0)),
    text("ACTION_TYPE", 11, |row| {
        let calls = row.body().get(..4).is_some_and(|word| word.eq_ignore_ascii_case("call"));
        s(if calls { "CALL" } else { "PL/SQL" })
    }),
    text("TRIGGER_BODY", 4000, |row| cut(row.body())),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_TRIGGERS", &[TRIGGERS], |cx, each| triggers(cx, each, Scope::Dba)),
    &Table::new("ALL_TRIGGERS", &[TRIGGERS], |cx, each| triggers(cx, each, Scope::All)),
    &Table::new("USER_TRIGGERS", &[TRIGGERS], |cx, each| triggers(cx, each, Scope::User)).without(&["OWNER"]),
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

fn triggers(cx: &ViewContext, each: Each<'_, Trigger>, scope: Scope) -> Result<()> {
    let user = cx.session.user();
    let mut found: Vec<_> = cx
        .catalog
        .programs()
        .filter_map(|program| {
            let trigger = Arc::clone(program.trigger.as_ref()?);
            let base = cx.catalog.object_by_number(trigger.base)?;
            // Also those on one's own tables.
            let shown = scope == Scope::Dba || program.owner == user || (scope == Scope::All && base.owner() == user);
            shown.then(|| Trigger { program: Arc::clone(program), trigger, base })
        })
        .collect();
    found.sort_by(|a, b| (&a.program.owner, &a.program.name).cmp(&(&b.program.owner, &b.program.name)));
    found.into_iter().try_for_each(each)
}
