//! CREATE and DROP VIEW.
//!
//! A view is a text. Its names are resolved when a statement uses the view, in the owner's schema and with the owner's
//! privileges; the dictionary keeps no dependencies of views. The names and types of its columns are those of its
//! creation.

use std::sync::Arc;

use common::{Error, ObjectNumber, Result, limits};

use super::check::check_name;
use super::statement::Ddl;
use crate::dictionary::access::equal;
use crate::dictionary::privilege::{insufficient, no_table};
use crate::dictionary::rows::{ColumnRow, KIND_VIEW, ViewRow, ViewTextRow, encode_type};
use crate::dictionary::table_rows::object_row;
use crate::dictionary::view::TYPE_UNKNOWN;
use crate::dictionary::{ObjectPrivilege, SchemaObject, SystemPrivilege, ViewColumn, ViewDef};
use crate::instance::Session;

/// Bytes of a view's text that one row of VIEWTEXT$ keeps: a row fits into a block of any size.
const PIECE_BYTES: usize = 1000;

/// A view to make. Names are in the dictionary's case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViewSpec {
    pub owner: String,
    pub name: String,
    pub text: String,
    pub columns: Vec<ViewColumn>,
    pub read_only: bool,
    /// OR REPLACE: a view of this name goes, with its triggers; the privileges on it stay.
    pub replace: bool,
}

impl Session {
    /// CREATE VIEW. The caller has checked the text, or it is not to be checked (FORCE).
    ///
    /// # Errors
    /// ORA-00955 name in use, ORA-00957 a column name twice, ORA-01792 too many columns, ORA-00972, ORA-01031,
    /// ORA-01918.
    pub fn create_view(self: &Arc<Self>, spec: &ViewSpec) -> Result<Arc<ViewDef>> {
        self.ddl(|ddl| ddl.create_view(spec))
    }

    /// Checks that the user may make this view, before the caller looks at its text.
    ///
    /// # Errors
    /// ORA-01031.
    pub fn check_may_create_view(self: &Arc<Self>, owner: &str) -> Result<()> {
        let own = self.rights() == owner;
        let privilege = if own { SystemPrivilege::CreateView } else { SystemPrivilege::CreateAnyView };
        self.catalog().check_system_privilege(&self.rights(), privilege)
    }

    /// DROP VIEW.
    ///
    /// # Errors
    /// ORA-00942, ORA-01031.
    pub fn drop_view(self: &Arc<Self>, owner: &str, name: &str) -> Result<()> {
        self.ddl(|ddl| {
            let Some(object @ SchemaObject::View(_)) = ddl.catalog.object(owner, name) else {
                return Err(no_table(owner, name));
            };
            let user = ddl.session.rights();
            if user != owner && !ddl.catalog.has_system_privilege(&user, SystemPrivilege::DropAnyView) {
                ddl.catalog.check_object(&user, &object, ObjectPrivilege::Select)?;
                return Err(insufficient(format_args!("{user} lacks {}", SystemPrivilege::DropAnyView)));
            }
            ddl.drop_other(&object)
        })
    }
}

impl Ddl<'_> {
    fn create_view(&mut self, spec: &ViewSpec) -> Result<Arc<ViewDef>> {
        let any = SystemPrivilege::CreateAnyView;
        self.check_schema_privilege(&spec.owner, SystemPrivilege::CreateView, any)?;
        let owner = self.catalog.require_user(&spec.owner)?.number;
        check_name(&spec.name)?;
        check_columns(&spec.columns)?;
        let old = match self.catalog.object(&spec.owner, &spec.name) {
            Some(SchemaObject::View(old)) if spec.replace => Some(old),
            _ => None,
        };
        if old.is_none() {
            self.check_name_free(&spec.owner, &spec.name)?;
        }
        let now = self.now_us();
        let object = match &old {
            Some(old) => {
                self.drop_triggers_of(old.object)?;
                self.delete_view_rows(old.object)?;
                self.touch(old.object, now)?;
                old.object
            }
            None => {
                let object = self.new_object();
                self.insert(&[object_row(object, ObjectNumber(0), owner, &spec.name, KIND_VIEW, now)])?;
                object
            }
        };
        self.insert(&[ViewRow {
            object: object.0,
            columns: spec.columns.len() as u16,
            text_bytes: spec.text.len() as u64,
            read_only: spec.read_only,
        }])?;
        self.insert(&pieces(object, &spec.text)?)?;
        self.insert(&column_rows(object, &spec.columns))?;
        let view = Arc::new(ViewDef {
            object,
            owner: spec.owner.clone(),
            name: spec.name.clone(),
            text: spec.text.clone(),
            columns: spec.columns.clone(),
            read_only: spec.read_only,
            created_us: old.map_or(now, |old| old.created_us),
            changed_us: now,
        });
        self.catalog.put_other(SchemaObject::View(view.clone()));
        self.object_changed(object, &spec.owner, &spec.name)?;
        Ok(view)
    }

    pub(super) fn delete_view_rows(&mut self, object: ObjectNumber) -> Result<()> {
        self.delete::<ColumnRow>(&equal("OBJ#", object.0)?)?;
        self.delete::<ViewTextRow>(&equal("OBJ#", object.0)?)?;
        self.delete::<ViewRow>(&equal("OBJ#", object.0)?)?;
        Ok(())
    }
}

/// The text in pieces, cut between characters.
fn pieces(object: ObjectNumber, text: &str) -> Result<Vec<ViewTextRow>> {
    let mut rest = text;
    let mut rows = Vec::new();
    while !rest.is_empty() {
        let mut end = rest.len().min(PIECE_BYTES);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let piece = u16::try_from(rows.len() + 1).map_err(|_| Error::unsupported("a view of this length"))?;
        rows.push(ViewTextRow { object: object.0, piece, text: rest[..end].to_owned() });
        rest = &rest[end..];
    }
    Ok(rows)
}

fn check_columns(columns: &[ViewColumn]) -> Result<()> {
    if columns.len() > limits::COLUMNS_MAX {
        return Err(Error::user(1792, format!("{} columns are more than {}", columns.len(), limits::COLUMNS_MAX)));
    }
    let mut names = std::collections::BTreeSet::new();
    for column in columns {
        check_name(&column.name)?;
        if !names.insert(&column.name) {
            return Err(Error::user(957, format!("duplicate column name: {}", column.name)));
        }
    }
    Ok(())
}

fn column_rows(object: ObjectNumber, columns: &[ViewColumn]) -> Vec<ColumnRow> {
    (1u16..)
        .zip(columns)
        .map(|(position, column)| {
            let (kind, length, precision, scale) = column.data_type.map_or((TYPE_UNKNOWN, 0, None, None), encode_type);
            let (object, name, not_null) = (object.0, column.name.clone(), !column.nullable);
            let (distinct, nulls, low, high) = (None, None, None, None);
            let default = None;
            ColumnRow {
                object,
                position,
                name,
                kind,
                length,
                precision,
                scale,
                not_null,
                default,
                distinct,
                nulls,
                low,
                high,
                histogram: None,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_in_pieces_of_whole_characters() {
        let text = format!("{}é{}", "x".repeat(PIECE_BYTES - 1), "y".repeat(PIECE_BYTES));
        let rows = pieces(ObjectNumber(1), &text).unwrap();
        assert_eq!(rows.len(), 3);
        assert_eq!(rows.iter().map(|row| row.piece).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(rows.iter().map(|row| row.text.as_str()).collect::<String>(), text);
        assert!(rows.iter().all(|row| row.text.len() <= PIECE_BYTES));
    }
}
