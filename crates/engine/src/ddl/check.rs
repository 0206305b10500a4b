//! Checks of a DDL statement's request before anything is made.

use std::collections::BTreeSet;

use common::{BlockSize, DataType, Error, Result, limits};
use format::freelist;
use format::heap::itl::slots_max;

use crate::dictionary::ColumnDef;
use storage::control::SpaceManagement;
use storage::segment::Storage;
use storage::tablespace::Tablespace;

/// PCTFREE and its like from a statement; None where the statement does not give it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PhysicalAttributes {
    pub pctfree: Option<u64>,
    pub pctused: Option<u64>,
    pub initrans: Option<u64>,
    pub maxtrans: Option<u64>,
}

/// The same, checked and complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Physical {
    pub(super) pctfree: u8,
    pub(super) pctused: u8,
    pub(super) initrans: u8,
    pub(super) maxtrans: u8,
}

impl Physical {
    pub(super) const TABLE: Self = Self { pctfree: 10, pctused: 40, initrans: 1, maxtrans: 255 };
    /// An index block keeps a second ITL slot for a session that splits it. PCTUSED does not apply.
    pub(super) const INDEX: Self = Self { pctfree: 10, pctused: 0, initrans: 2, maxtrans: 255 };

    /// These values, replaced by those that `asked` gives. Under automatic space management PCTUSED has no effect: it
    /// is kept, and leaves PCTFREE its whole range. A table that moves to freelists by a statement that gives neither
    /// keeps its PCTFREE, and its PCTUSED is lowered to what PCTFREE leaves.
    ///
    /// # Errors
    /// ORA-02211, ORA-04000, ORA-02207, ORA-02209.
    pub(super) fn with(
        self,
        asked: PhysicalAttributes,
        block_size: BlockSize,
        management: SpaceManagement,
    ) -> Result<Self> {
        let percent = |asked: Option<u64>, most: u8, name: &str, now: u8| match asked {
            None => Ok(now),
            Some(value) => u8::try_from(value)
                .ok()
                .filter(|value| *value <= most)
                .ok_or_else(|| Error::user(2211, format!("{name} {value} is not from 0 to {most}"))),
        };
        let slots = |asked: Option<u64>, number: u32, name: &str, now: u8| match asked {
            None => Ok(now),
            Some(value) => u8::try_from(value).ok().filter(|value| *value > 0).ok_or_else(|| {
                Error::user(number, format!("{name} {value} is not from 1 to {}", limits::ITL_SLOTS_MAX))
            }),
        };
        // ITL slots may take half of a block; a larger request is cut to that.
        let room = slots_max(block_size.bytes());
        let mut physical = Self {
            pctfree: percent(asked.pctfree, 99, "PCTFREE", self.pctfree)?,
            pctused: percent(asked.pctused, 99, "PCTUSED", self.pctused)?,
            initrans: slots(asked.initrans, 2207, "INITRANS", self.initrans)?.min(room as u8),
            maxtrans: slots(asked.maxtrans, 2209, "MAXTRANS", self.maxtrans)?,
        };
        if physical.initrans > physical.maxtrans {
            let (initrans, maxtrans) = (physical.initrans, physical.maxtrans);
            let number = if asked.maxtrans.is_some() { 2209 } else { 2207 };
            return Err(Error::user(number, format!("MAXTRANS {maxtrans} is less than INITRANS {initrans}")));
        }
        let manual = management == SpaceManagement::Manual;
        if manual && asked.pctfree.is_none() && asked.pctused.is_none() {
            physical.pctused = physical.pctused.min(100 - physical.pctfree);
        }
        let sum = physical.pctfree + physical.pctused;
        if sum > 100 && (manual || asked.pctused.is_some()) {
            return Err(Error::user(4000, format!("PCTFREE and PCTUSED together are {sum}, more than 100")));
        }
        Ok(physical)
    }
}

/// A name of an object, column or user.
///
/// # Errors
/// ORA-00972 too long, ORA-00904 empty or with characters that no name has.
pub(crate) fn check_name(name: &str) -> Result<()> {
    if name.len() > limits::NAME_BYTES_MAX {
        return Err(Error::user(972, format!("a name has {} bytes, more than {}", name.len(), limits::NAME_BYTES_MAX)));
    }
    if name.is_empty() || name.contains(['"', '\0']) {
        return Err(Error::user(904, format!("'{name}' is no valid identifier")));
    }
    Ok(())
}

/// The columns of a new table.
///
/// # Errors
/// ORA-01792, ORA-00957, and those of one column.
pub(super) fn check_columns(columns: &[ColumnDef]) -> Result<()> {
    if columns.is_empty() {
        return Err(Error::user(904, "a table has at least one column"));
    }
    if columns.len() > limits::COLUMNS_MAX {
        return Err(Error::user(1792, format!("{} columns are more than {}", columns.len(), limits::COLUMNS_MAX)));
    }
    let mut names = BTreeSet::new();
    for column in columns {
        check_column(column)?;
        if !names.insert(&column.name) {
            return Err(Error::user(957, format!("column name {} appears twice", column.name)));
        }
    }
    Ok(())
}

/// # Errors
/// ORA-01723 zero length, ORA-00910 too long, ORA-01727 and ORA-01728 precision and scale, ORA-30088 fractional digits.
pub(super) fn check_column(column: &ColumnDef) -> Result<()> {
    check_name(&column.name)?;
    let name = &column.name;
    let length = |bytes: u16, most: usize| {
        if bytes == 0 {
            return Err(Error::user(1723, format!("column {name} has no length")));
        }
        if usize::from(bytes) > most {
            return Err(Error::user(910, format!("column {name} of {bytes} bytes is longer than {most}")));
        }
        Ok(())
    };
    match column.data_type {
        DataType::Varchar2 { bytes } => length(bytes, limits::VARCHAR2_BYTES_MAX),
        DataType::Char { bytes } => length(bytes, limits::CHAR_BYTES_MAX),
        DataType::Raw { bytes } => length(bytes, limits::RAW_BYTES_MAX),
        DataType::Number { precision, scale } => {
            let most = limits::NUMBER_PRECISION_MAX;
            if precision.is_some_and(|precision| !(1..=most).contains(&precision)) {
                return Err(Error::user(1727, format!("column {name}: a NUMBER has a precision of 1 to {most}")));
            }
            if scale < -84 {
                return Err(Error::user(1728, format!("column {name}: a NUMBER has a scale of -84 to 127")));
            }
            Ok(())
        }
        DataType::Timestamp { precision } if precision > 9 => {
            Err(Error::user(30088, format!("column {name}: a TIMESTAMP has 0 to 9 fractional digits")))
        }
        DataType::Timestamp { .. } | DataType::Date => Ok(()),
    }
}

/// The STORAGE clause against the tablespace that the segment goes to. Under automatic space management freelists are
/// accepted and ignored.
///
/// # Errors
/// ORA-02168 no freelists, ORA-01590 more than a header block holds.
pub(super) fn check_storage(storage: &Storage, tablespace: &Tablespace) -> Result<()> {
    if storage.freelists == 0 || storage.freelist_groups == 0 {
        return Err(Error::user(2168, "FREELISTS and FREELIST GROUPS are at least 1"));
    }
    if tablespace.space_management() == SpaceManagement::Auto {
        return Ok(());
    }
    let most = freelist::freelists_max(tablespace.block_size().bytes());
    if storage.freelists > most {
        return Err(Error::user(
            1590,
            format!(
                "{} freelists are more than {most}, the most in a block of {}",
                storage.freelists,
                tablespace.block_size()
            ),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(data_type: DataType) -> ColumnDef {
        ColumnDef { name: "C".to_owned(), data_type, nullable: true, default: None }
    }

    #[test]
    fn physical_attributes_keep_to_their_ranges() {
        let under = |management, pctfree, pctused, initrans| {
            let asked = PhysicalAttributes { pctfree, pctused, initrans, maxtrans: None };
            Physical::TABLE.with(asked, BlockSize::K8, management)
        };
        let with = |pctfree, pctused, initrans| under(SpaceManagement::Manual, pctfree, pctused, initrans);
        assert_eq!(with(None, None, None).unwrap(), Physical::TABLE);
        assert_eq!(with(Some(60), Some(40), Some(255)).unwrap().pctfree, 60);
        assert!(with(Some(61), None, None).unwrap_err().is_ora(4000));
        assert_eq!(with(Some(99), Some(1), None).unwrap().pctfree, 99);
        assert_eq!(under(SpaceManagement::Auto, Some(99), None, None).unwrap().pctfree, 99);
        assert!(under(SpaceManagement::Auto, Some(99), Some(2), None).unwrap_err().is_ora(4000));
        let moved = Physical { pctfree: 90, ..Physical::TABLE };
        let into = |management, pctfree| {
            let asked = PhysicalAttributes { pctfree, ..Default::default() };
            moved.with(asked, BlockSize::K8, management)
        };
        assert_eq!(into(SpaceManagement::Manual, None).unwrap(), Physical { pctused: 10, ..moved });
        assert_eq!(into(SpaceManagement::Auto, None).unwrap(), moved);
        assert!(into(SpaceManagement::Manual, Some(90)).unwrap_err().is_ora(4000));
        assert!(with(Some(100), Some(0), None).unwrap_err().is_ora(2211));
        assert!(with(None, Some(1 << 40), None).unwrap_err().is_ora(2211));
        assert!(with(None, None, Some(0)).unwrap_err().is_ora(2207));
        assert!(with(None, None, Some(256)).unwrap_err().is_ora(2207));
        let asked = PhysicalAttributes { initrans: Some(255), ..Default::default() };
        let initrans = |block_size| Physical::TABLE.with(asked, block_size, SpaceManagement::Auto).unwrap().initrans;
        assert_eq!(initrans(BlockSize::K8), 169);
        assert_eq!(initrans(BlockSize::K32), 255);
    }

    #[test]
    fn columns_keep_to_their_limits() {
        let number = |precision, scale| column(DataType::Number { precision, scale });
        for (wrong, ora) in [
            (column(DataType::Varchar2 { bytes: 4001 }), 910),
            (column(DataType::Varchar2 { bytes: 0 }), 1723),
            (column(DataType::Char { bytes: 2001 }), 910),
            (number(Some(39), 0), 1727),
            (number(Some(0), 0), 1727),
            (number(Some(1), -85), 1728),
            (column(DataType::Timestamp { precision: 10 }), 30088),
        ] {
            assert!(check_column(&wrong).unwrap_err().is_ora(ora), "{wrong:?}");
        }
        check_columns(&[number(Some(38), 127)]).unwrap();
        assert!(check_columns(&[number(None, 0), number(None, 0)]).unwrap_err().is_ora(957));
        assert!(check_columns(&[]).unwrap_err().is_ora(904));
        assert!(check_name(&"X".repeat(129)).unwrap_err().is_ora(972));
    }
}
