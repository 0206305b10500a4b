//! Rules for the type of a result.

use common::Result;

use crate::datum::{DatumType, common_type};

pub(super) fn fixed_number(_types: &[DatumType]) -> Result<DatumType> {
    Ok(DatumType::Number)
}

pub(super) fn fixed_text(_types: &[DatumType]) -> Result<DatumType> {
    Ok(DatumType::Varchar2)
}

pub(super) fn fixed_date(_types: &[DatumType]) -> Result<DatumType> {
    Ok(DatumType::Date)
}

pub(super) fn fixed_timestamp(_types: &[DatumType]) -> Result<DatumType> {
    Ok(DatumType::Timestamp)
}

pub(super) fn fixed_raw(_types: &[DatumType]) -> Result<DatumType> {
    Ok(DatumType::Raw)
}

/// A CHAR stays one, everything else becomes VARCHAR2.
pub(super) fn same_text(types: &[DatumType]) -> Result<DatumType> {
    Ok(if types[0] == DatumType::Char { DatumType::Char } else { DatumType::Varchar2 })
}

/// The type of the first argument, to which the others are converted; a text is VARCHAR2.
pub(super) fn first(types: &[DatumType]) -> Result<DatumType> {
    Ok(match types.iter().copied().find(|found| *found != DatumType::Null) {
        Some(DatumType::Char) => DatumType::Varchar2,
        Some(other) => other,
        None => DatumType::Varchar2,
    })
}

/// One type for all; texts are VARCHAR2.
pub(super) fn shared(types: &[DatumType]) -> Result<DatumType> {
    common_type(types).map(|found| if found.is_text() { DatumType::Varchar2 } else { found })
}
