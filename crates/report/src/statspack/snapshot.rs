//! The content of a snapshot, and its rows.

use common::{Error, ErrorKind, Result};

use super::record::Record;
use super::records::{
    BackgroundEvent, BufferPool, CellTraffic, ClassWaits, EnqueueStatistics, EventHistogram, FileHistogram,
    FileStatistics, Header, Instance, Latch, LatchMisses, LibraryCache, OsStatistic, Parameter, PgaStatistic,
    RollbackSegment, SegmentObject, SegmentStatistics, Sga, SqlStatement, SqlText, SystemEvent, SystemStatistic,
    TimeModel, UndoStatistics,
};
use super::value::KEY_COLUMNS;
use super::value::{Table, Value, take};

/// The rows of one table that belong to one snapshot, each with as many values as the table has columns.
#[derive(Clone, PartialEq, Debug)]
pub struct TableRows {
    /// `STATS$SYSSTAT`.
    pub table: &'static str,
    pub rows: Vec<Vec<Value>>,
}

/// Declares the snapshot, the list of tables, and the way from one to the other: `field: record`.
macro_rules! snapshot {
    ($( $(#[doc = $doc:literal])+ $field:ident: $record:ty, )*) => {
        /// The instance at one moment: counters since its start, and levels. Lists are in the order of their keys once
        /// they have been rows.
        #[derive(Clone, PartialEq, Debug, Default)]
        pub struct Snapshot {
            /// The snapshot's number.
            pub id: u64,
            /// The database's number.
            pub database_id: u64,
            pub instance_number: u64,
            pub header: Header,
            pub instance: Instance,
            $( $(#[doc = $doc])+ pub $field: Vec<$record>, )*
        }

        /// All tables that snapshots are kept in. STATS$SNAPSHOT is the first: a snapshot is one row there.
        pub const TABLES: &[Table] = &[<Header as Record>::TABLE, <Instance as Record>::TABLE, $( <$record as Record>::TABLE, )*];

        impl Snapshot {
            /// The snapshot as rows of [`TABLES`], all tables in their order, those without rows too. A text longer
            /// than its column is cut there.
            #[must_use]
            pub fn to_rows(&self) -> Vec<TableRows> {
                vec![
                    self.table_rows(std::slice::from_ref(&self.header)),
                    self.table_rows(std::slice::from_ref(&self.instance)),
                    $( self.table_rows(&self.$field), )*
                ]
            }

            /// One table's rows into their list.
            fn take_rows(&mut self, table: &str, rows: &[Vec<Value>]) -> Result<()> {
                match table {
                    name if name == <Header as Record>::TABLE.name => {
                        self.header = self.one(&<Header as Record>::TABLE, rows)?;
                    }
                    name if name == <Instance as Record>::TABLE.name => {
                        self.instance = self.one(&<Instance as Record>::TABLE, rows)?;
                    }
                    $( name if name == <$record as Record>::TABLE.name => {
                        for row in rows {
                            let record = self.record(row)?;
                            self.$field.push(record);
                        }
                        self.$field.sort_by(Record::order);
                    } )*
                    _ => return Err(bad(format!("{table} is not a table of snapshots"))),
                }
                Ok(())
            }

            /// Puts all lists into the order of their keys.
            pub fn sort(&mut self) {
                $( self.$field.sort_by(Record::order); )*
            }
        }
    };
}

snapshot! {
    /// Initialisation parameters.
    parameters: Parameter,
    /// Shared memory by part.
    sga: Sga,
    /// V$PGASTAT.
    pga: PgaStatistic,
    /// V$OSSTAT.
    os_statistics: OsStatistic,
    /// V$SYSSTAT.
    statistics: SystemStatistic,
    /// V$SYS_TIME_MODEL.
    time_model: TimeModel,
    /// V$SYSTEM_EVENT.
    events: SystemEvent,
    /// The same of background processes alone.
    background_events: BackgroundEvent,
    /// V$EVENT_HISTOGRAM_MICRO.
    event_histograms: EventHistogram,
    /// V$WAITSTAT.
    class_waits: ClassWaits,
    /// V$ENQUEUE_STATISTICS.
    enqueues: EnqueueStatistics,
    /// V$LATCH.
    latches: Latch,
    /// V$LATCH_MISSES.
    latch_misses: LatchMisses,
    /// V$SQL.
    sql: SqlStatement,
    /// V$SQLTEXT; [`SqlText::pieces`] makes them.
    sql_texts: SqlText,
    /// V$FILESTAT and V$TEMPSTAT.
    files: FileStatistics,
    /// V$FILE_HISTOGRAM.
    file_histograms: FileHistogram,
    /// V$BUFFER_POOL_STATISTICS.
    buffer_pools: BufferPool,
    /// V$UNDOSTAT.
    undo: UndoStatistics,
    /// V$ROLLSTAT.
    rollback_segments: RollbackSegment,
    /// V$SEGSTAT.
    segments: SegmentStatistics,
    /// Names of the segments.
    segment_objects: SegmentObject,
    /// V$LIBRARYCACHE.
    library_cache: LibraryCache,
    /// V$CELL_GLOBAL.
    cells: CellTraffic,
}

impl Snapshot {
    /// The snapshot out of its rows, tables and rows in any order.
    ///
    /// # Errors
    /// HW-0831 when one of [`TABLES`] is not there (without rows it may be) or another is, there is not exactly one row
    /// of STATS$SNAPSHOT, rows belong to several snapshots, or a value is of another kind than its column's.
    pub fn from_rows<T: AsRef<str>>(tables: &[(T, Vec<Vec<Value>>)]) -> Result<Self> {
        let given = |table: &Table| tables.iter().any(|(name, _)| name.as_ref() == table.name);
        if let Some(table) = TABLES.iter().find(|table| !given(table)) {
            return Err(bad(format!("rows of all tables are needed, and {} is not among them", table.name)));
        }
        let header = <Header as Record>::TABLE.name;
        let own = tables.iter().filter(|(name, _)| name.as_ref() == header).flat_map(|(_, rows)| rows);
        let rows: Vec<&Vec<Value>> = own.collect();
        let [row] = rows.as_slice() else {
            return Err(bad(format!("a snapshot has one row in {header}, not {}", rows.len())));
        };
        let [id, database_id, instance_number] = keys(header, row)?;
        let mut snapshot = Self { id, database_id, instance_number, ..Self::default() };
        for (table, rows) in tables {
            snapshot.take_rows(table.as_ref(), rows)?;
        }
        Ok(snapshot)
    }

    fn table_rows<R: Record>(&self, records: &[R]) -> TableRows {
        let row = |record: &R| {
            let keys = [self.id, self.database_id, self.instance_number].map(Value::Number);
            keys.into_iter().chain(record.values()).collect()
        };
        TableRows { table: R::TABLE.name, rows: records.iter().map(row).collect() }
    }

    fn record<R: Record>(&self, row: &[Value]) -> Result<R> {
        let (of, record) = row_of(row)?;
        if of != [self.id, self.database_id, self.instance_number] {
            return Err(bad(format!("{}: a row belongs to snapshot {}, not {}", R::TABLE.name, of[0], self.id)));
        }
        Ok(record)
    }

    fn one<R: Record>(&self, table: &Table, rows: &[Vec<Value>]) -> Result<R> {
        match rows {
            [row] => self.record(row),
            _ => Err(bad(format!("a snapshot has one row in {}, not {}", table.name, rows.len()))),
        }
    }
}

/// A parsed row: its snapshot, database and instance, and its record.
pub(super) fn row_of<R: Record>(row: &[Value]) -> Result<([u64; 3], R)> {
    let of = keys(R::TABLE.name, row)?;
    let values = &row[KEY_COLUMNS.len()..];
    if values.len() != R::TABLE.own.len() {
        return Err(super::record::short_row(R::TABLE.name));
    }
    Ok((of, R::from_values(values)?))
}

/// Snapshot, database and instance that a row belongs to.
fn keys(table: &str, row: &[Value]) -> Result<[u64; 3]> {
    let mut keys = [0; 3];
    for (at, (key, column)) in keys.iter_mut().zip(&KEY_COLUMNS).enumerate() {
        let value = row.get(at).ok_or_else(|| bad(format!("{table}: a row has no {}", column.name)))?;
        *key = take(table, column, value)?;
    }
    Ok(keys)
}

fn bad(text: impl Into<String>) -> Error {
    Error::own(ErrorKind::User, 831, text)
}
