//! Statements and segments.

use report::statspack::Snapshot;
use report::statspack::records::{SegmentObject, SegmentStatistics, SqlStatement, SqlText};
use waits::SegmentStatistic;

use crate::cursor::connection::Connection;

pub(super) fn statements(connection: &Connection, snapshot: &mut Snapshot) {
    for statement in connection.session.instance().sql_area().statements() {
        let figures = statement.figures();
        let source = statement.source();
        snapshot.sql.push(SqlStatement {
            sql_id: source.sql_id.to_string(),
            module: source.module.as_deref().unwrap_or_default().to_owned(),
            command: u64::from(source.command),
            executions: figures.executions,
            parse_calls: figures.parse_calls,
            gets: figures.buffer_gets,
            reads: figures.disk_reads,
            rows: figures.rows_processed,
            cpu_us: figures.cpu_us,
            elapsed_us: figures.elapsed_us,
        });
        snapshot.sql_texts.extend(SqlText::pieces(&source.sql_id, &source.text));
    }
}

pub(super) fn segments(connection: &Connection, snapshot: &mut Snapshot) {
    let instance = connection.session.instance();
    let catalog = connection.session.catalog();
    let totals = instance.system_meter().segments();
    let tablespaces = instance.tablespaces();
    let mut add = |owner: &str, name: &str, kind: &str, object: u32, segment: &storage::segment::Segment| {
        let number = segment.data_object();
        let Some((_, totals)) = totals.iter().find(|(data_object, _)| *data_object == number) else { return };
        let value = |statistic| totals.value(statistic);
        let (object, data_object) = (u64::from(object), u64::from(number.0));
        snapshot.segments.push(SegmentStatistics {
            object,
            data_object,
            logical_reads: value(SegmentStatistic::LogicalReads),
            physical_reads: value(SegmentStatistic::PhysicalReads),
            physical_writes: value(SegmentStatistic::PhysicalWrites),
            block_changes: value(SegmentStatistic::DbBlockChanges),
            buffer_busy_waits: value(SegmentStatistic::BufferBusyWaits),
            row_lock_waits: value(SegmentStatistic::RowLockWaits),
            itl_waits: value(SegmentStatistic::ItlWaits),
        });
        snapshot.segment_objects.push(SegmentObject {
            object,
            data_object,
            owner: owner.to_owned(),
            name: name.to_owned(),
            subobject: String::new(),
            kind: kind.to_owned(),
            tablespace: tablespaces
                .numbered(segment.tablespace().number())
                .map(|tablespace| tablespace.name().to_owned())
                .unwrap_or_default(),
        });
    };
    for table in catalog.tables() {
        add(&table.owner, &table.name, "TABLE", table.object.0, &table.segment);
        for index in &table.indexes {
            add(&index.owner, &index.name, "INDEX", index.object.0, &index.segment);
        }
    }
}
