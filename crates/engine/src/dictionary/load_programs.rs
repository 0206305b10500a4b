//! Reading stored programs into a catalog.

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{ObjectNumber, Result};

use super::catalog::Catalog;
use super::field::damaged;
use super::load::{Reader, owner};
use super::program::{CompileError, Dependency, ProgramDef, ProgramKind, ProgramStatus};
use super::rows::{DependencyRow, ErrorRow, ObjectRow, SourceRow, TriggerColumnRow, TriggerRow};
use super::trigger::{TriggerDef, TriggerRule, TriggerTiming};

/// Rows of one object, by their place among them.
type OrderedRows<R> = BTreeMap<u32, BTreeMap<u32, R>>;

impl Reader<'_> {
    pub(crate) fn load_programs(&self, catalog: &mut Catalog, objects: &BTreeMap<u32, ObjectRow>) -> Result<()> {
        let mut lines: OrderedRows<String> = BTreeMap::new();
        for row in self.all::<SourceRow>()? {
            lines.entry(row.object).or_default().insert(row.line, row.text);
        }
        let mut errors: OrderedRows<CompileError> = BTreeMap::new();
        for row in self.all::<ErrorRow>()? {
            let error = CompileError { line: row.line, position: row.position, text: row.text };
            errors.entry(row.object).or_default().insert(row.sequence, error);
        }
        let mut parents: OrderedRows<Dependency> = BTreeMap::new();
        for row in self.all::<DependencyRow>()? {
            let object = row.parent.map(ObjectNumber);
            let parent = Dependency { object, owner: row.parent_owner, name: row.parent_name };
            parents.entry(row.object).or_default().insert(row.order, parent);
        }
        let mut triggers = self.triggers()?;
        for row in objects.values() {
            let Some(kind) = ProgramKind::from_number(row.kind) else { continue };
            let whole = |what: &str| damaged(format_args!("{kind} {}: {what}", row.name));
            let lines = lines.remove(&row.object).unwrap_or_default();
            if lines.last_key_value().is_some_and(|(last, _)| *last as usize != lines.len()) {
                return Err(whole("SOURCE$ lacks a line"));
            }
            let trigger = triggers.remove(&row.object);
            if trigger.is_some() != (kind == ProgramKind::Trigger) {
                return Err(whole("TRIGGER$ and OBJ$ do not agree"));
            }
            let program = ProgramDef {
                object: ObjectNumber(row.object),
                owner: owner(catalog, row)?,
                name: row.name.clone(),
                kind,
                source: lines.into_values().collect::<String>().into(),
                status: ProgramStatus::from_number(row.status).ok_or_else(|| whole("its status is unknown"))?,
                stamp: catalog.new_stamp(),
                errors: errors.remove(&row.object).unwrap_or_default().into_values().collect(),
                depends_on: parents.remove(&row.object).unwrap_or_default().into_values().collect(),
                trigger: trigger.map(Arc::new),
                created_us: row.created.0,
                changed_us: row.changed.0,
            };
            catalog.put_program(program);
        }
        if let Some(object) = lines.keys().chain(triggers.keys()).next() {
            return Err(damaged(format_args!("SOURCE$ or TRIGGER$ has object {object}, which is no program")));
        }
        Ok(())
    }

    fn triggers(&self) -> Result<BTreeMap<u32, TriggerDef>> {
        let mut columns: OrderedRows<String> = BTreeMap::new();
        for row in self.all::<TriggerColumnRow>()? {
            columns.entry(row.object).or_default().insert(u32::from(row.position), row.name);
        }
        let mut triggers = BTreeMap::new();
        for row in self.all::<TriggerRow>()? {
            let timing = TriggerTiming::from_number(row.kind)
                .ok_or_else(|| damaged(format_args!("trigger # {} is of an unknown type", row.object)))?;
            let rule = TriggerRule {
                timing,
                on_insert: row.on_insert,
                on_update: row.on_update,
                on_delete: row.on_delete,
                columns: columns.remove(&row.object).unwrap_or_default().into_values().collect(),
                old: row.old,
                new: row.new,
                when: row.when,
            };
            triggers.insert(row.object, TriggerDef { base: ObjectNumber(row.base), rule, enabled: row.enabled });
        }
        Ok(triggers)
    }
}
