//! The dictionary's tables, each declared once: name, object number, columns. The declaration makes the row's type, its
//! encoding and the table's definition.
//!
//! ```text
//! USER$ ─┬─ OBJ$ ─┬─ TAB$ ── COL$
//!        │        └─ IND$ ── ICOL$
//!        ├─ SYSAUTH$   system privileges (negative numbers) and roles (positive) granted
//!        ├─ OBJAUTH$   object privileges granted
//!        ├─ TSQ$       quotas
//!        └─ CON$ ── CDEF$ ── CCOL$   constraints
//! ```
//!
//! OBJ$ also has the objects without a segment: sequences (SEQ$), views (VIEW$, VIEWTEXT$, and COL$ for their columns)
//! and synonyms (SYN$).
//!
//! ```text
//! OBJ$ ─┬─ SEQ$
//!       ├─ VIEW$ ── VIEWTEXT$, COL$
//!       ├─ SYN$
//!       └─ SOURCE$, ERROR$, DEPENDENCY$, TRIGGER$ ── TRIGGERCOL$   stored programs
//! ```
//!
//! DIR$ has the directories; EXTERNAL_TAB$, EXTERNAL_LOCATION$ and COL$ have the tables whose rows are in files of the
//! operating system.
//!
//! Jobs have rows and no objects: JOB$ for DBMS_JOB; SCHEDULER$_JOB, SCHEDULER$_JOB_ARGUMENT and
//! SCHEDULER$_JOB_RUN_DETAILS for DBMS_SCHEDULER.
//!
//! Tablespaces and datafiles are in the control file alone: two places could disagree.

use common::{DataType, ObjectNumber, Result};

use super::ColumnDef;
use super::field::{Field, Moment, Timestamp, damaged};
use storage::cells::FlashUse;
use storage::segment::Storage;

/// One of the dictionary's tables.
pub(crate) struct DictionaryTable {
    pub(crate) object: ObjectNumber,
    pub(crate) name: &'static str,
    pub(crate) columns: fn() -> Vec<ColumnDef>,
}

/// A row of a dictionary table.
pub(crate) trait DictionaryRow: Sized {
    const TABLE: DictionaryTable;

    /// One value for each column.
    fn encode(&self) -> Result<Vec<Option<Vec<u8>>>>;
    /// `columns` may lack trailing NULLs.
    fn decode(columns: &[Option<&[u8]>]) -> Result<Self>;
}

macro_rules! dictionary {
    ($($(#[$meta:meta])* $row:ident $table:literal $number:literal {
        $($field:ident: $type:ty = $column:literal,)*
    })*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, PartialEq, Debug)]
            pub(crate) struct $row { $(pub(crate) $field: $type,)* }

            impl DictionaryRow for $row {
                const TABLE: DictionaryTable = DictionaryTable {
                    object: ObjectNumber($number),
                    name: $table,
                    columns: || vec![$(ColumnDef {
                        name: $column.to_owned(),
                        data_type: <$type as Field>::TYPE,
                        nullable: <$type as Field>::NULLABLE,
                        default: None,
                    },)*],
                };

                fn encode(&self) -> Result<Vec<Option<Vec<u8>>>> {
                    Ok(vec![$(self.$field.encode()?,)*])
                }

                fn decode(columns: &[Option<&[u8]>]) -> Result<Self> {
                    let mut columns = columns.iter().copied();
                    Ok(Self {
                        $($field: Field::decode(columns.next().flatten())
                            .map_err(|error| damaged(format_args!("{}.{}: {error}", $table, $column)))?,)*
                    })
                }
            }
        )*

        /// All tables, in the order in which a new database creates them.
        pub(crate) const TABLES: &[DictionaryTable] = &[$(<$row as DictionaryRow>::TABLE,)*];
    };
}

dictionary! {
    /// An object of any kind. The row with the name `_NEXT_OBJECT` keeps the next object number in DATAOBJ#.
    ObjectRow "OBJ$" 1 {
        object: u32 = "OBJ#",
        data_object: u32 = "DATAOBJ#",
        owner: u32 = "OWNER#",
        name: String = "NAME",
        kind: u8 = "TYPE#",
        created: Moment = "CTIME",
        changed: Moment = "MTIME",
        status: u8 = "STATUS",
    }

    /// A table and its segment.
    TableRow "TAB$" 2 {
        object: u32 = "OBJ#",
        tablespace: u32 = "TS#",
        header: u32 = "HEADER_DBA",
        columns: u16 = "COLS",
        pctfree: u8 = "PCTFREE$",
        pctused: u8 = "PCTUSED$",
        initrans: u8 = "INITRANS",
        maxtrans: u8 = "MAXTRANS",
        cache: bool = "CACHE",
        initial: Option<u64> = "INIEXTS",
        next: Option<u64> = "NEXTEXTS",
        minextents: Option<u32> = "MINEXTS",
        maxextents: Option<u32> = "MAXEXTS",
        pctincrease: Option<u32> = "EXTPCT",
        freelists: u16 = "LISTS",
        freelist_groups: u16 = "GROUPS",
        num_rows: Option<u64> = "ROWCNT",
        blocks: Option<u64> = "BLKCNT",
        empty_blocks: Option<u64> = "EMPCNT",
        average_row_bytes: Option<u64> = "AVGRLN",
        analyzed: Option<Moment> = "ANALYZETIME",
        average_space: Option<u64> = "AVGSPC",
        chained_rows: Option<u64> = "CHNCNT",
        // NULL: direct loads are logged.
        nologging: Option<u8> = "NOLOG",
        // NULL: row movement is disabled.
        row_movement: Option<u8> = "ROWMOVE",
        // NULL: the statistics are of all rows.
        sampled: Option<u64> = "SAMPLESIZE",
        // NULL: DEFAULT, or not given.
        flash_cache: Option<u8> = "CELLFLASH",
    }

    /// A column of a table; COL# counts from 1.
    ColumnRow "COL$" 3 {
        object: u32 = "OBJ#",
        position: u16 = "COL#",
        name: String = "NAME",
        kind: u8 = "TYPE#",
        length: u16 = "LENGTH",
        precision: Option<u8> = "PRECISION#",
        scale: Option<i64> = "SCALE",
        not_null: bool = "NULL$",
        default: Option<String> = "DEFAULT$",
        // Statistics; NULL where there are none.
        distinct: Option<u64> = "DISTCNT",
        nulls: Option<u64> = "NULLCNT",
        low: Option<Vec<u8>> = "LOWVAL",
        high: Option<Vec<u8>> = "HIVAL",
        histogram: Option<Vec<u8>> = "HISTGRM",
    }

    /// An index and its segment; BO# is the table's object number.
    IndexRow "IND$" 4 {
        object: u32 = "OBJ#",
        table: u32 = "BO#",
        tablespace: u32 = "TS#",
        header: u32 = "HEADER_DBA",
        root: u32 = "ROOT_DBA",
        unique: bool = "UNIQUE$",
        pctfree: u8 = "PCTFREE$",
        initrans: u8 = "INITRANS",
        maxtrans: u8 = "MAXTRANS",
        initial: Option<u64> = "INIEXTS",
        next: Option<u64> = "NEXTEXTS",
        minextents: Option<u32> = "MINEXTS",
        maxextents: Option<u32> = "MAXEXTS",
        pctincrease: Option<u32> = "EXTPCT",
        freelists: u16 = "LISTS",
        freelist_groups: u16 = "GROUPS",
        blevel: Option<u32> = "BLEVEL",
        leaf_blocks: Option<u64> = "LEAFCNT",
        distinct_keys: Option<u64> = "DISTKEY",
        clustering_factor: Option<u64> = "CLUFAC",
        num_rows: Option<u64> = "ROWCNT",
        analyzed: Option<Moment> = "ANALYZETIME",
        // NULL: building the index is logged.
        nologging: Option<u8> = "NOLOG",
        // NULL: DEFAULT, or not given.
        flash_cache: Option<u8> = "CELLFLASH",
    }

    /// A column of an index; POS# counts from 1, COL# is the column's in the table.
    IndexColumnRow "ICOL$" 5 {
        object: u32 = "OBJ#",
        table: u32 = "BO#",
        position: u16 = "POS#",
        column: u16 = "COL#",
    }

    /// A user (TYPE# 1) or a role (TYPE# 0).
    UserRow "USER$" 6 {
        number: u32 = "USER#",
        name: String = "NAME",
        kind: u8 = "TYPE#",
        verifier: Option<String> = "SPARE4",
        default_tablespace: String = "DATATS",
        locked: bool = "LOCKED",
        created: Moment = "CTIME",
    }

    /// A system privilege (negative) or a role (positive) granted.
    SystemGrantRow "SYSAUTH$" 7 {
        grantee: u32 = "GRANTEE#",
        privilege: i64 = "PRIVILEGE#",
        grantable: bool = "OPTION$",
    }

    /// An object privilege granted.
    ObjectGrantRow "OBJAUTH$" 8 {
        object: u32 = "OBJ#",
        grantee: u32 = "GRANTEE#",
        privilege: i64 = "PRIVILEGE#",
        grantable: bool = "OPTION$",
    }

    /// QUOTA UNLIMITED on a tablespace.
    QuotaRow "TSQ$" 9 {
        user: u32 = "USER#",
        tablespace: String = "TS",
    }

    /// A sequence. HIGHWATER is the first value that no session has got and no cache holds; CACHE is 0 for NOCACHE.
    SequenceRow "SEQ$" 10 {
        object: u32 = "OBJ#",
        increment: i128 = "INCREMENT$",
        minimum: i128 = "MINVALUE",
        maximum: i128 = "MAXVALUE",
        cycle: bool = "CYCLE#",
        order: bool = "ORDER$",
        cache: u64 = "CACHE",
        highwater: i128 = "HIGHWATER",
    }

    /// A view; its columns are in COL$, with TYPE# 0 where the type is not known.
    ViewRow "VIEW$" 11 {
        object: u32 = "OBJ#",
        columns: u16 = "COLS",
        text_bytes: u64 = "TEXTLENGTH",
        read_only: bool = "READONLY",
    }

    /// A piece of a view's text; PIECE# counts from 1.
    ViewTextRow "VIEWTEXT$" 12 {
        object: u32 = "OBJ#",
        piece: u16 = "PIECE#",
        text: String = "TEXT",
    }

    /// A synonym, with the owner and name of its target.
    SynonymRow "SYN$" 13 {
        object: u32 = "OBJ#",
        owner: String = "OWNER",
        name: String = "NAME",
    }

    /// The name of a constraint. The row with the name `_NEXT_CONSTRAINT` keeps the next constraint number.
    ConstraintNameRow "CON$" 14 {
        owner: u32 = "OWNER#",
        name: String = "NAME",
        number: u32 = "CON#",
    }

    /// A constraint. RCON# is the key that a foreign key refers to, ENABLED the object number of the index that
    /// enforces a key, or 1.
    ConstraintRow "CDEF$" 15 {
        number: u32 = "CON#",
        table: u32 = "OBJ#",
        kind: u8 = "TYPE#",
        referenced_table: Option<u32> = "ROBJ#",
        referenced_key: Option<u32> = "RCON#",
        on_delete: u8 = "REFACT",
        enabled: Option<u32> = "ENABLED",
        validated: bool = "VALIDATED",
        deferrable: bool = "DEFERRABLE",
        deferred: bool = "DEFERRED",
        generated: bool = "GENERATED",
        own_index: bool = "OWN_INDEX",
        changed: Moment = "MTIME",
        condition: Option<String> = "CONDITION",
    }

    /// A column of a constraint; POS# counts from 1, COL# is the column's in the table.
    ConstraintColumnRow "CCOL$" 16 {
        number: u32 = "CON#",
        table: u32 = "OBJ#",
        position: u16 = "POS#",
        column: u16 = "COL#",
    }

    /// A line of a stored program, with its end; LINE counts from 1.
    SourceRow "SOURCE$" 17 {
        object: u32 = "OBJ#",
        line: u32 = "LINE",
        text: String = "SOURCE",
    }

    /// An error of a program's last compilation; SEQUENCE# counts from 1.
    ErrorRow "ERROR$" 18 {
        object: u32 = "OBJ#",
        sequence: u32 = "SEQUENCE#",
        line: u32 = "LINE",
        position: u32 = "POSITION#",
        text: String = "TEXT",
    }

    /// A dependency of a program, as its last compilation found it: P_OBJ# is NULL for a name without an object. ORDER#
    /// counts from 1.
    DependencyRow "DEPENDENCY$" 19 {
        object: u32 = "D_OBJ#",
        order: u32 = "ORDER#",
        parent: Option<u32> = "P_OBJ#",
        parent_owner: String = "P_OWNER",
        parent_name: String = "P_NAME",
    }

    /// A trigger. TYPE# is 0 before statement, 1 before each row, 2 after statement, 3 after each row, 4 instead of.
    TriggerRow "TRIGGER$" 20 {
        object: u32 = "OBJ#",
        kind: u8 = "TYPE#",
        base: u32 = "BASEOBJECT",
        on_insert: bool = "INSERT$",
        on_update: bool = "UPDATE$",
        on_delete: bool = "DELETE$",
        old: String = "REFOLDNAME",
        new: String = "REFNEWNAME",
        enabled: bool = "ENABLED",
        when: Option<String> = "WHENCLAUSE",
    }

    /// A column whose update fires a trigger; POS# counts from 1. A trigger of all columns has none.
    TriggerColumnRow "TRIGGERCOL$" 21 {
        object: u32 = "OBJ#",
        position: u16 = "POS#",
        name: String = "NAME",
    }

    /// A job of DBMS_JOB. FLAG is 1 for a broken one; TOTAL is the time of all its runs in microseconds.
    JobRow "JOB$" 22 {
        number: u64 = "JOB",
        log_user: String = "LOWNER",
        priv_user: String = "POWNER",
        schema_user: String = "COWNER",
        last: Option<Moment> = "LAST_DATE",
        this: Option<Moment> = "THIS_DATE",
        next: Moment = "NEXT_DATE",
        total_us: u64 = "TOTAL",
        interval: Option<String> = "INTERVAL#",
        failures: u32 = "FAILURES",
        broken: bool = "FLAG",
        what: String = "WHAT",
        nls: Option<String> = "NLSENV",
        instance: u32 = "FIELD1",
    }

    /// A job of DBMS_SCHEDULER. STATE is a number of `JobState`; durations are in microseconds.
    SchedulerJobRow "SCHEDULER$_JOB" 23 {
        owner: String = "OWNER",
        name: String = "NAME",
        creator: String = "CREATOR",
        kind: String = "JOB_TYPE",
        action: String = "ACTION",
        arguments: u32 = "NUMBER_OF_ARGS",
        start: Option<Timestamp> = "START_DATE",
        interval: Option<String> = "SCHEDULE_EXPR",
        end: Option<Timestamp> = "END_DATE",
        class: String = "JOB_CLASS",
        enabled: bool = "ENABLED",
        auto_drop: bool = "AUTO_DROP",
        state: u8 = "STATE",
        runs: u64 = "RUN_COUNT",
        failures: u64 = "FAILURE_COUNT",
        failures_in_a_row: u64 = "FAILURES_IN_A_ROW",
        max_runs: Option<u64> = "MAX_RUNS",
        max_failures: Option<u64> = "MAX_FAILURES",
        last_start: Option<Timestamp> = "LAST_START_DATE",
        last_us: Option<u64> = "LAST_RUN_DURATION",
        next: Option<Timestamp> = "NEXT_RUN_DATE",
        last_error: Option<String> = "LAST_ERROR",
        comments: Option<String> = "COMMENTS",
    }

    /// A value for an argument of a job's procedure; POSITION counts from 1.
    SchedulerArgumentRow "SCHEDULER$_JOB_ARGUMENT" 24 {
        owner: String = "OWNER",
        job: String = "NAME",
        position: u32 = "POSITION",
        value: Option<String> = "VALUE",
    }

    /// A run of a job of DBMS_SCHEDULER that has ended; durations are in microseconds.
    SchedulerRunRow "SCHEDULER$_JOB_RUN_DETAILS" 25 {
        id: u64 = "LOG_ID",
        logged: Timestamp = "LOG_DATE",
        owner: String = "OWNER",
        job: String = "NAME",
        status: String = "STATUS",
        error: u32 = "ERROR#",
        requested: Option<Timestamp> = "REQ_START_DATE",
        started: Option<Timestamp> = "ACTUAL_START_DATE",
        elapsed_us: u64 = "RUN_DURATION",
        cpu_us: u64 = "CPU_USED",
        session: Option<u32> = "SESSION_ID",
        serial: Option<u32> = "SESSION_SERIAL#",
        information: Option<String> = "ADDITIONAL_INFO",
    }

    /// A directory of the operating system.
    DirectoryRow "DIR$" 26 {
        object: u32 = "OBJ#",
        path: String = "OS_PATH",
    }

    /// An external table. Its columns are in COL$, as those of any table.
    ExternalTableRow "EXTERNAL_TAB$" 27 {
        object: u32 = "OBJ#",
        directory: String = "DEFAULT_DIR",
        driver: String = "TYPE$",
        columns: u16 = "COLS",
        reject_limit: Option<u64> = "REJECT_LIMIT",
        parameters: Option<String> = "PARAM_CLOB",
    }

    /// A file of an external table; POSITION counts from 1.
    ExternalLocationRow "EXTERNAL_LOCATION$" 28 {
        object: u32 = "OBJ#",
        position: u16 = "POSITION",
        directory: Option<String> = "DIR",
        name: String = "NAME",
    }
}

/// The row of CON$ with the next constraint number.
pub(crate) const NEXT_CONSTRAINT: &str = "_NEXT_CONSTRAINT";

/// OBJ$.TYPE#.
pub(crate) const KIND_NEXT_OBJECT: u8 = 0;
pub(crate) const KIND_INDEX: u8 = 1;
pub(crate) const KIND_TABLE: u8 = 2;
pub(crate) const KIND_VIEW: u8 = 4;
pub(crate) const KIND_SYNONYM: u8 = 5;
pub(crate) const KIND_SEQUENCE: u8 = 6;
pub(crate) const KIND_DIRECTORY: u8 = 23;

/// OBJ$.STATUS.
pub(crate) const STATUS_VALID: u8 = 1;

/// COL$.TYPE#, LENGTH, PRECISION# and SCALE of a data type.
pub(crate) fn encode_type(data_type: DataType) -> (u8, u16, Option<u8>, Option<i64>) {
    match data_type {
        DataType::Varchar2 { bytes } => (1, bytes, None, None),
        DataType::Number { precision, scale } => (2, 22, precision, Some(i64::from(scale))),
        DataType::Date => (12, 7, None, None),
        DataType::Raw { bytes } => (23, bytes, None, None),
        DataType::Char { bytes } => (96, bytes, None, None),
        DataType::Timestamp { precision } => (180, 11, None, Some(i64::from(precision))),
    }
}

pub(crate) fn decode_type(row: &ColumnRow) -> Result<DataType> {
    let scale = row.scale.unwrap_or(0);
    Ok(match row.kind {
        1 => DataType::Varchar2 { bytes: row.length },
        2 => DataType::Number {
            precision: row.precision,
            scale: i8::try_from(scale).map_err(|_| damaged("a scale is out of range"))?,
        },
        12 => DataType::Date,
        23 => DataType::Raw { bytes: row.length },
        96 => DataType::Char { bytes: row.length },
        180 => {
            DataType::Timestamp { precision: u8::try_from(scale).map_err(|_| damaged("a precision is out of range"))? }
        }
        other => return Err(damaged(format_args!("column {} has the unknown type {other}", row.name))),
    })
}

macro_rules! storage_of {
    ($($row:ident),*) => {$(
        impl $row {
            /// The STORAGE clause in its columns.
            pub(crate) fn storage(&self) -> Storage {
                Storage {
                    initial: self.initial,
                    next: self.next,
                    minextents: self.minextents,
                    maxextents: self.maxextents,
                    pctincrease: self.pctincrease,
                    freelists: self.freelists,
                    freelist_groups: self.freelist_groups,
                    flash_cache: self.flash_cache.and_then(|code| FlashUse::ALL.get(usize::from(code)).copied()),
                }
            }
        }
    )*};
}

storage_of!(TableRow, IndexRow);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_numbers_follow_the_order_of_creation() {
        for (at, table) in TABLES.iter().enumerate() {
            assert_eq!(table.object.0 as usize, at + 1);
        }
    }

    #[test]
    fn a_row_comes_back_and_may_lack_trailing_nulls() {
        let row = ColumnRow {
            object: 74,
            position: 1,
            name: "ID".to_owned(),
            kind: 2,
            length: 22,
            precision: Some(9),
            scale: Some(-2),
            not_null: true,
            default: None,
            distinct: None,
            nulls: None,
            low: None,
            high: None,
            histogram: None,
        };
        let values = row.encode().unwrap();
        assert_eq!(values.len(), (ColumnRow::TABLE.columns)().len());
        let stored: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
        assert_eq!(ColumnRow::decode(&stored[..8]).unwrap(), row);
        let analyzed = ColumnRow { distinct: Some(7), nulls: Some(0), low: Some(vec![0x80]), ..row };
        let values = analyzed.encode().unwrap();
        let stored: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
        assert_eq!(ColumnRow::decode(&stored).unwrap(), analyzed);
        assert!(ColumnRow::decode(&stored[..3]).is_err());
    }

    #[test]
    fn data_types_come_back() {
        for data_type in [
            DataType::Number { precision: None, scale: 0 },
            DataType::Number { precision: Some(10), scale: -3 },
            DataType::Varchar2 { bytes: 4000 },
            DataType::Char { bytes: 1 },
            DataType::Date,
            DataType::Timestamp { precision: 6 },
            DataType::Raw { bytes: 16 },
        ] {
            let (kind, length, precision, scale) = encode_type(data_type);
            let (distinct, nulls, low, high) = (None, None, None, None);
            let row = ColumnRow {
                object: 1,
                position: 1,
                name: String::new(),
                kind,
                length,
                precision,
                scale,
                not_null: false,
                default: None,
                distinct,
                nulls,
                low,
                high,
                histogram: None,
            };
            assert_eq!(decode_type(&row).unwrap(), data_type);
        }
    }
}
