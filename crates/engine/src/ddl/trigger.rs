//! Triggers: events that fire them, enabling and disabling.

use std::sync::Arc;

use common::{Error, ObjectNumber, Result, limits};

use super::statement::Ddl;
use crate::dictionary::access::equal;
use crate::dictionary::privilege::insufficient;
use crate::dictionary::rows::{TriggerColumnRow, TriggerRow};
use crate::dictionary::trigger::no_trigger;
use crate::dictionary::{
    ProgramDef, SYS, SchemaObject, SystemPrivilege, SystemPrivilege as P, TriggerDef, TriggerRule, TriggerTiming,
};
use crate::instance::Session;

/// A trigger to make: of a table or view.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TriggerSpec {
    pub base_owner: String,
    pub base_name: String,
    pub rule: TriggerRule,
    pub enabled: bool,
}

impl Session {
    /// ALTER TRIGGER … ENABLE and DISABLE.
    ///
    /// # Errors
    /// ORA-04080, ORA-01031.
    pub fn alter_trigger(self: &Arc<Self>, owner: &str, name: &str, enabled: bool) -> Result<()> {
        self.ddl(|ddl| {
            let trigger = ddl.catalog.trigger(owner, name).cloned().ok_or_else(|| no_trigger(name))?;
            let user = ddl.session.rights();
            if user != owner {
                if owner == SYS && user != SYS {
                    return Err(no_trigger(name));
                }
                ddl.check_privilege(SystemPrivilege::AlterAnyTrigger)?;
            }
            ddl.enable_trigger(&trigger, enabled)
        })
    }

    /// ALTER TABLE … ENABLE and DISABLE ALL TRIGGERS.
    ///
    /// # Errors
    /// ORA-00942, ORA-01031.
    pub fn alter_triggers_of(self: &Arc<Self>, owner: &str, table: &str, enabled: bool) -> Result<()> {
        self.ddl(|ddl| {
            let table = ddl.table_to_change(owner, table, SystemPrivilege::AlterAnyTable)?;
            let triggers: Vec<_> = ddl.catalog.triggers_of(table.object).cloned().collect();
            triggers.iter().try_for_each(|trigger| ddl.enable_trigger(trigger, enabled))
        })
    }
}

impl Ddl<'_> {
    fn enable_trigger(&mut self, program: &Arc<ProgramDef>, enabled: bool) -> Result<()> {
        let Some(trigger) = program.trigger.as_ref().filter(|trigger| trigger.enabled != enabled) else {
            return Ok(());
        };
        let now = self.now_us();
        self.update::<TriggerRow>(&equal("OBJ#", program.object.0)?, |row| row.enabled = enabled)?;
        self.touch(program.object, now)?;
        let trigger = Arc::new(TriggerDef { enabled, ..TriggerDef::clone(trigger) });
        let program = ProgramDef { trigger: Some(trigger), changed_us: now, ..ProgramDef::clone(program) };
        self.catalog.put_program(program);
        Ok(())
    }

    /// The table or view that a new trigger is on.
    ///
    /// # Errors
    /// ORA-00942; ORA-04089 of SYS; ORA-25001, 25002 a timing that it does not take; ORA-00904 a column that it does
    /// not have; ORA-01031.
    pub(super) fn trigger_base(&self, owner: &str, spec: &TriggerSpec) -> Result<SchemaObject> {
        let (base_owner, base_name) = (spec.base_owner.as_str(), spec.base_name.as_str());
        let own = self.session.rights() == owner && owner == base_owner;
        self.check_schema_privilege(
            owner,
            if own { P::CreateTrigger } else { P::CreateAnyTrigger },
            P::CreateAnyTrigger,
        )?;
        let found = self.catalog.object(base_owner, base_name);
        let instead = spec.rule.timing == TriggerTiming::InsteadOf;
        let has_column: Box<dyn Fn(&str) -> bool> = match &found {
            Some(SchemaObject::Table(_) | SchemaObject::View(_)) if base_owner == SYS => {
                return Err(Error::user(4089, "cannot create triggers on objects owned by SYS"));
            }
            Some(SchemaObject::Table(_)) if instead => {
                return Err(Error::user(25002, "cannot create INSTEAD OF triggers on tables"));
            }
            Some(SchemaObject::View(_)) if !instead => {
                return Err(Error::user(25001, "cannot create this trigger type on views"));
            }
            Some(SchemaObject::Table(table)) => Box::new(|name| table.column(name).is_some()),
            Some(SchemaObject::View(view)) => Box::new(|name| view.columns.iter().any(|column| column.name == name)),
            _ => {
                return Err(match self.catalog.require_table(base_owner, base_name) {
                    Err(error) => error,
                    Ok(_) => Error::bug("a table is there and is not"),
                });
            }
        };
        let columns = &spec.rule.columns;
        if let Some(name) = columns.iter().find(|name| !has_column(name)) {
            return Err(Error::user(904, format!("\"{name}\": invalid identifier")));
        }
        if instead && !columns.is_empty() {
            return Err(Error::user(25006, "cannot specify this column in UPDATE OF clause"));
        }
        if spec.rule.when.as_ref().is_some_and(|when| when.len() > limits::VARCHAR2_BYTES_MAX) {
            return Err(Error::unsupported(format_args!(
                "a WHEN clause of more than {} bytes",
                limits::VARCHAR2_BYTES_MAX
            )));
        }
        drop(has_column);
        found.ok_or_else(|| insufficient("the object is gone"))
    }

    pub(super) fn insert_trigger_rows(&mut self, object: ObjectNumber, trigger: &TriggerDef) -> Result<()> {
        let TriggerDef { base, rule, enabled } = trigger;
        self.insert(&[TriggerRow {
            object: object.0,
            kind: rule.timing.number(),
            base: base.0,
            on_insert: rule.on_insert,
            on_update: rule.on_update,
            on_delete: rule.on_delete,
            old: rule.old.clone(),
            new: rule.new.clone(),
            enabled: *enabled,
            when: rule.when.clone(),
        }])?;
        let column =
            |(position, name): (u16, &String)| TriggerColumnRow { object: object.0, position, name: name.clone() };
        let columns: Vec<_> = (1u16..).zip(&rule.columns).map(column).collect();
        self.insert(&columns)
    }

    /// The triggers of a table or view that goes.
    pub(super) fn drop_triggers_of(&mut self, base: ObjectNumber) -> Result<()> {
        let triggers: Vec<_> = self.catalog.triggers_of(base).cloned().collect();
        triggers.iter().try_for_each(|trigger| self.remove_program(trigger))
    }
}
