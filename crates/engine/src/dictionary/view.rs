//! Views as the dictionary knows them: a text, and the names and types of the columns as they were when the view was
//! made.

use common::{DataType, ObjectNumber};

/// A column of a view.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViewColumn {
    pub name: String,
    /// None where the view was made by FORCE, before its base objects.
    pub data_type: Option<DataType>,
    pub nullable: bool,
}

/// A view.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ViewDef {
    pub object: ObjectNumber,
    pub owner: String,
    pub name: String,
    /// The query.
    pub text: String,
    /// Empty where the columns were neither named nor known when the view was made.
    pub columns: Vec<ViewColumn>,
    /// WITH READ ONLY.
    pub read_only: bool,
    /// Wall time, microseconds since 1970.
    pub created_us: u64,
    pub changed_us: u64,
}

impl ViewDef {
    /// `OWNER.NAME`, for messages.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        format!("{}.{}", self.owner, self.name)
    }
}

/// COL$.TYPE# of a column whose type is not known.
pub(crate) const TYPE_UNKNOWN: u8 = 0;
