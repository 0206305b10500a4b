//! Reading views, sequences and synonyms into a catalog.

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{ObjectNumber, Result};

use super::catalog::Catalog;
use super::field::damaged;
use super::load::{Reader, object, owner};
use super::object::SchemaObject;
use super::rows::{
    ColumnRow, KIND_SEQUENCE, KIND_SYNONYM, KIND_VIEW, ObjectRow, SequenceRow, SynonymRow, ViewRow, ViewTextRow,
    decode_type,
};
use super::sequence::{SequenceDef, SequenceSettings, SequenceState};
use super::synonym::SynonymDef;
use super::view::{TYPE_UNKNOWN, ViewColumn, ViewDef};

impl Reader<'_> {
    pub(crate) fn load_views(&self, catalog: &mut Catalog, objects: &BTreeMap<u32, ObjectRow>) -> Result<()> {
        let mut pieces: BTreeMap<u32, BTreeMap<u16, String>> = BTreeMap::new();
        for row in self.all::<ViewTextRow>()? {
            pieces.entry(row.object).or_default().insert(row.piece, row.text);
        }
        let mut columns: BTreeMap<u32, BTreeMap<u16, ColumnRow>> = BTreeMap::new();
        for row in self.all::<ColumnRow>()? {
            columns.entry(row.object).or_default().insert(row.position, row);
        }
        for row in self.all::<ViewRow>()? {
            let object = object(objects, row.object, KIND_VIEW)?;
            let text: String = pieces.remove(&row.object).unwrap_or_default().into_values().collect();
            let columns = columns.remove(&row.object).unwrap_or_default();
            if text.len() as u64 != row.text_bytes || columns.len() != usize::from(row.columns) {
                return Err(damaged(format_args!("the text or the columns of view {} are not whole", object.name)));
            }
            let view = ViewDef {
                object: ObjectNumber(row.object),
                owner: owner(catalog, object)?,
                name: object.name.clone(),
                text,
                columns: columns.values().map(column).collect::<Result<_>>()?,
                read_only: row.read_only,
                created_us: object.created.0,
                changed_us: object.changed.0,
            };
            catalog.put_other(SchemaObject::View(Arc::new(view)));
        }
        Ok(())
    }

    pub(crate) fn load_sequences(&self, catalog: &mut Catalog, objects: &BTreeMap<u32, ObjectRow>) -> Result<()> {
        for row in self.all::<SequenceRow>()? {
            let object = object(objects, row.object, KIND_SEQUENCE)?;
            let settings = SequenceSettings {
                increment: row.increment,
                minimum: row.minimum,
                maximum: row.maximum,
                cycle: row.cycle,
                order: row.order,
                cache: row.cache,
            };
            if settings.increment == 0 || settings.minimum >= settings.maximum {
                return Err(damaged(format_args!("sequence {} has no values", object.name)));
            }
            let sequence = SequenceDef {
                object: ObjectNumber(row.object),
                owner: owner(catalog, object)?,
                name: object.name.clone(),
                settings,
                created_us: object.created.0,
                changed_us: object.changed.0,
                state: SequenceState::new(settings, row.highwater),
            };
            catalog.put_other(SchemaObject::Sequence(Arc::new(sequence)));
        }
        Ok(())
    }

    pub(crate) fn load_synonyms(&self, catalog: &mut Catalog, objects: &BTreeMap<u32, ObjectRow>) -> Result<()> {
        for row in self.all::<SynonymRow>()? {
            let object = object(objects, row.object, KIND_SYNONYM)?;
            let synonym = SynonymDef {
                object: ObjectNumber(row.object),
                owner: owner(catalog, object)?,
                name: object.name.clone(),
                target_owner: row.owner,
                target_name: row.name,
                created_us: object.created.0,
                changed_us: object.changed.0,
            };
            catalog.put_other(SchemaObject::Synonym(Arc::new(synonym)));
        }
        Ok(())
    }
}

fn column(row: &ColumnRow) -> Result<ViewColumn> {
    let data_type = if row.kind == TYPE_UNKNOWN { None } else { Some(decode_type(row)?) };
    Ok(ViewColumn { name: row.name.clone(), data_type, nullable: !row.not_null })
}
