//! A record and its table, declared once.

/// Declares a struct whose fields are the columns of a table: `field: type => "COLUMN" column type, about`. Fields
/// before the bar are the key.
macro_rules! record {
    (
        $(#[doc = $doc:literal])+
        $name:ident in $table:literal {
            $( $(#[doc = $key_doc:literal])+ $key:ident: $key_type:ty => $key_column:literal $key_kind:expr, )*
            |
            $( $(#[doc = $field_doc:literal])+ $field:ident: $field_type:ty => $column:literal $kind:expr, )*
        }
    ) => {
        $(#[doc = $doc])+
        #[derive(Clone, PartialEq, Debug, Default)]
        pub struct $name {
            $( $(#[doc = $key_doc])+ pub $key: $key_type, )*
            $( $(#[doc = $field_doc])+ pub $field: $field_type, )*
        }

        impl crate::statspack::record::Record for $name {
            const TABLE: crate::statspack::Table = crate::statspack::Table {
                name: $table,
                about: concat!($($doc),+).trim_ascii(),
                own: &[
                    $( crate::statspack::Column {
                        name: $key_column,
                        kind: $key_kind,
                        key: true,
                        about: concat!($($key_doc),+).trim_ascii(),
                    }, )*
                    $( crate::statspack::Column {
                        name: $column,
                        kind: $kind,
                        key: false,
                        about: concat!($($field_doc),+).trim_ascii(),
                    }, )*
                ],
            };

            fn values(&self) -> Vec<crate::statspack::Value> {
                use crate::statspack::value::Field;
                vec![ $( self.$key.put($key_kind), )* $( self.$field.put($kind), )* ]
            }

            fn from_values(values: &[crate::statspack::Value]) -> common::Result<Self> {
                let mut columns = Self::TABLE.own.iter().zip(values);
                let mut next = || {
                    columns.next().ok_or_else(|| crate::statspack::record::short_row($table))
                };
                Ok(Self {
                    $( $key: { let (column, value) = next()?; crate::statspack::value::take($table, column, value)? }, )*
                    $( $field: { let (column, value) = next()?; crate::statspack::value::take($table, column, value)? }, )*
                })
            }

            fn order(&self, other: &Self) -> std::cmp::Ordering {
                #[allow(unused_variables)]
                let _ = other;
                std::cmp::Ordering::Equal $( .then_with(|| self.$key.cmp(&other.$key)) )*
            }
        }
    };
}
pub(super) use record;

use std::cmp::Ordering;

use common::{Error, ErrorKind, Result};

use super::value::{Table, Value};

/// A part of a snapshot that is one row.
pub(super) trait Record: Sized {
    const TABLE: Table;
    /// Without the three columns that every table begins with.
    fn values(&self) -> Vec<Value>;
    fn from_values(values: &[Value]) -> Result<Self>;
    /// By key.
    fn order(&self, other: &Self) -> Ordering;
}

pub(super) fn short_row(table: &str) -> Error {
    Error::own(ErrorKind::User, 831, format!("{table}: a row has not as many values as the table has columns"))
}
