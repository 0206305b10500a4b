//! Types of expressions and variables, as the compiler knows them.

use std::sync::Arc;

use super::unit::CollectionKind;
use crate::ast::Expr;
use crate::host::Column;
use crate::value::convert::same_family;
use crate::value::{Length, ScalarKind, ScalarType};

#[derive(Clone, Debug)]
pub enum Type {
    /// The literal NULL.
    Null,
    Scalar(ScalarType),
    Record(Arc<RecordType>),
    Collection(Arc<CollectionType>),
    /// A REF CURSOR; strong when the type of its rows is declared.
    Cursor(Option<Arc<RecordType>>),
    /// The type after an error that has been reported.
    Unknown,
}

#[derive(Debug)]
pub struct RecordType {
    /// Where it was declared: two types of one name in two places are two types.
    pub id: Box<str>,
    pub name: Box<str>,
    pub fields: Vec<FieldType>,
    /// %ROWTYPE and rows of queries: compatible with every record with such fields.
    pub is_row: bool,
}

#[derive(Debug)]
pub struct FieldType {
    pub name: Box<str>,
    pub data_type: Type,
    pub default: Option<Expr>,
}

#[derive(Debug)]
pub struct CollectionType {
    pub id: Box<str>,
    pub name: Box<str>,
    pub kind: CollectionKind,
    /// Of an associative array.
    pub key: Option<ScalarType>,
    pub element: Type,
}

impl From<ScalarType> for Type {
    fn from(scalar: ScalarType) -> Self {
        Self::Scalar(scalar)
    }
}

impl Type {
    pub const NUMBER: Self = Self::Scalar(ScalarType::NUMBER);
    pub const INTEGER: Self = Self::Scalar(ScalarType::INTEGER);
    pub const BOOLEAN: Self = Self::Scalar(ScalarType::BOOLEAN);
    pub const VARCHAR2: Self = Self::Scalar(ScalarType::VARCHAR2);
    pub const CHAR: Self = Self::Scalar(ScalarType::CHAR);

    #[must_use]
    pub fn scalar(&self) -> Option<&ScalarType> {
        if let Self::Scalar(scalar) = self { Some(scalar) } else { None }
    }

    #[must_use]
    pub fn kind(&self) -> Option<ScalarKind> {
        self.scalar().map(|scalar| scalar.kind)
    }

    #[must_use]
    pub fn is_numeric(&self) -> bool {
        matches!(self.kind(), Some(ScalarKind::Number { .. } | ScalarKind::Integer { .. }))
    }

    #[must_use]
    pub fn is_integer(&self) -> bool {
        matches!(self.kind(), Some(ScalarKind::Integer { .. }))
    }

    #[must_use]
    pub fn is_text(&self) -> bool {
        matches!(self.kind(), Some(ScalarKind::Varchar2(_) | ScalarKind::Char(_) | ScalarKind::Rowid))
    }

    #[must_use]
    pub fn is_boolean(&self) -> bool {
        self.kind() == Some(ScalarKind::Boolean)
    }

    #[must_use]
    pub fn is_datetime(&self) -> bool {
        matches!(self.kind(), Some(ScalarKind::Date | ScalarKind::Timestamp(_)))
    }

    /// Without lengths and limits, as formal parameters and results are.
    #[must_use]
    pub fn unconstrained(&self) -> Self {
        match self {
            Self::Scalar(scalar) => Self::Scalar(scalar.unconstrained()),
            other => other.clone(),
        }
    }

    /// Cost of converting a value of this type to `to`: 0 unchanged, more with conversion; None impossible.
    #[must_use]
    pub fn distance(&self, to: &Self) -> Option<u32> {
        match (self, to) {
            (Self::Unknown, _) | (_, Self::Unknown) | (Self::Null, _) => Some(0),
            (Self::Scalar(from), Self::Scalar(to)) => scalar_distance(&from.kind, &to.kind),
            (Self::Record(from), Self::Record(to)) => records_fit(from, to).then_some(0),
            (Self::Collection(from), Self::Collection(to)) => (from.id == to.id).then_some(0),
            (Self::Cursor(from), Self::Cursor(to)) => match (from, to) {
                (Some(from), Some(to)) => records_fit(from, to).then_some(0),
                _ => Some(0),
            },
            _ => None,
        }
    }
}

fn scalar_distance(from: &ScalarKind, to: &ScalarKind) -> Option<u32> {
    use ScalarKind::{Boolean, Char, Date, Integer, Number, Raw, Rowid, Timestamp, Varchar2};
    Some(match (from, to) {
        (Integer { .. }, Integer { .. })
        | (Number { .. }, Number { .. })
        | (Varchar2(_), Varchar2(_))
        | (Char(_), Char(_))
        | (Date, Date)
        | (Timestamp(_), Timestamp(_))
        | (Raw(_), Raw(_))
        | (Rowid, Rowid)
        | (Boolean, Boolean) => 0,
        (from, to) if same_family(from, to) => 1,
        (Boolean, _) | (_, Boolean) => return None,
        (Date, Timestamp(_)) | (Timestamp(_), Date) => 2,
        (_, Varchar2(_) | Char(_) | Rowid) => 4,
        (Varchar2(_) | Char(_) | Rowid, Number { .. } | Integer { .. } | Date | Timestamp(_) | Raw(_)) => 5,
        _ => return None,
    })
}

/// True: the same record type, or one of them is a row with compatible fields.
#[must_use]
pub fn records_fit(from: &RecordType, to: &RecordType) -> bool {
    from.id == to.id
        || ((from.is_row || to.is_row)
            && from.fields.len() == to.fields.len()
            && from.fields.iter().zip(&to.fields).all(|(a, b)| a.data_type.distance(&b.data_type).is_some()))
}

impl RecordType {
    /// The row that these columns make.
    #[must_use]
    pub fn of_columns(name: &str, columns: &[Column]) -> Arc<Self> {
        let field = |column: &Column| FieldType {
            name: column.name.clone(),
            data_type: Type::Scalar(ScalarType::from(column.data_type)),
            default: None,
        };
        Arc::new(Self {
            id: format!("{name}%ROWTYPE").into(),
            name: name.into(),
            fields: columns.iter().map(field).collect(),
            is_row: true,
        })
    }

    #[must_use]
    pub fn field(&self, name: &str) -> Option<(u16, &FieldType)> {
        self.fields.iter().enumerate().find(|(_, field)| &*field.name == name).map(|(at, field)| (at as u16, field))
    }
}

/// A type of STANDARD by its name; `arguments` are the numbers in parentheses.
///
/// The error is None for an unknown name, else a reason.
pub fn standard(name: &str, arguments: &[i64], characters: bool) -> Result<ScalarType, Option<String>> {
    let length = |most: i64, least: i64| match arguments {
        [] => Ok(u32::try_from(most).unwrap_or(1)),
        [length] if (least..=i64::from(crate::value::scalar_type::LONGEST)).contains(length) => {
            Ok(u32::try_from(*length).unwrap_or(1))
        }
        _ => Err(Some(format!(
            "PLS-00215: String length constraints must be in range (1 .. {})",
            crate::value::scalar_type::LONGEST
        ))),
    };
    let integer = |range: Option<(i64, i64)>, not_null: bool| ScalarType {
        kind: ScalarKind::Integer { wrap: false },
        not_null,
        range,
    };
    let number = |precision: Option<u8>, scale: Option<i8>| ScalarType::from(ScalarKind::Number { precision, scale });
    const LARGEST: i64 = i32::MAX as i64;
    Ok(match name {
        "NUMBER" | "NUMERIC" | "DECIMAL" | "DEC" => match arguments {
            [] if name == "NUMBER" => number(None, None),
            [] => number(Some(38), Some(0)),
            [precision] => number(Some(precision_of(*precision)?), Some(0)),
            [precision, scale] => {
                let scale = i8::try_from(*scale).ok().filter(|scale| (-84..=127).contains(scale)).ok_or_else(|| {
                    Some("PLS-00217: NUMBER scale constraint must be in range (-84 .. 127)".to_owned())
                })?;
                number(Some(precision_of(*precision)?), Some(scale))
            }
            _ => return Err(Some("PLS-00103: too many constraints of NUMBER".to_owned())),
        },
        "INTEGER" | "INT" | "SMALLINT" => number(Some(38), Some(0)),
        "FLOAT" | "REAL" | "DOUBLE PRECISION" => number(None, None),
        "PLS_INTEGER" | "BINARY_INTEGER" => integer(None, false),
        "SIMPLE_INTEGER" => ScalarType { kind: ScalarKind::Integer { wrap: true }, not_null: true, range: None },
        "NATURAL" => integer(Some((0, LARGEST)), false),
        "NATURALN" => integer(Some((0, LARGEST)), true),
        "POSITIVE" => integer(Some((1, LARGEST)), false),
        "POSITIVEN" => integer(Some((1, LARGEST)), true),
        "SIGNTYPE" => integer(Some((-1, 1)), false),
        "VARCHAR2" | "VARCHAR" | "STRING" | "NVARCHAR2" | "CHARACTER VARYING" | "CHAR VARYING" => {
            ScalarType::from(ScalarKind::Varchar2(if arguments.is_empty() {
                None
            } else {
                Some(Length { most: length(1, 1)?, characters: characters || name == "NVARCHAR2" })
            }))
        }
        "CHAR" | "CHARACTER" | "NCHAR" => ScalarType::from(ScalarKind::Char(Some(Length {
            most: length(1, 1)?,
            characters: characters || name == "NCHAR",
        }))),
        "LONG" => ScalarType::from(ScalarKind::Varchar2(Some(Length { most: 32_760, characters: false }))),
        "RAW" => ScalarType::from(ScalarKind::Raw(if arguments.is_empty() { None } else { Some(length(1, 1)?) })),
        "LONG RAW" => ScalarType::from(ScalarKind::Raw(Some(32_760))),
        "DATE" => ScalarType::DATE,
        "TIMESTAMP" => ScalarType::from(ScalarKind::Timestamp(match arguments {
            [] => 6,
            [digits] if (0..=9).contains(digits) => *digits as u8,
            _ => return Err(Some("PLS-30088: datetime/interval precision is out of range".to_owned())),
        })),
        "BOOLEAN" => ScalarType::BOOLEAN,
        "ROWID" | "UROWID" => ScalarType::from(ScalarKind::Rowid),
        "CLOB" | "BLOB" | "NCLOB" | "BFILE" | "BINARY_DOUBLE" | "BINARY_FLOAT" | "SIMPLE_DOUBLE" | "SIMPLE_FLOAT"
        | "XMLTYPE" | "ANYDATA" | "ANYTYPE" | "JSON" => {
            return Err(Some(format!("HW-0001: not supported: the type {name}")));
        }
        name if name.starts_with("INTERVAL") || name.starts_with("TIMESTAMP ") => {
            return Err(Some(format!("HW-0001: not supported: the type {name}")));
        }
        _ => return Err(None),
    })
}

fn precision_of(precision: i64) -> Result<u8, Option<String>> {
    u8::try_from(precision)
        .ok()
        .filter(|precision| (1..=38).contains(precision))
        .ok_or_else(|| Some("PLS-00216: NUMBER precision constraint must be in range (1 .. 38)".to_owned()))
}
