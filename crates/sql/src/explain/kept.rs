//! State kept after a statement's execution: its plan, and that it was the session's last statement.

use std::sync::Arc;

use engine::dictionary::ObjectPrivilege;
use sqlparser::ast;
use storage::parameters::Parameter;
use waits::CallFigures;

use super::plan::{self, CursorPlan};
use crate::cursor::connection::Connection;
use crate::cursor::library::SharedCursor;
use crate::cursor::open::{Cursor, RowSource};
use crate::dml::insert::check;
use crate::scan::figures::FiguresValue;
use crate::statement::parse::Statement;

impl Connection {
    /// True: row source statistics are kept of an execution that begins now.
    pub(crate) fn measures(&self, statement: &SharedCursor) -> bool {
        statement.gathers
            || self.session.meter().trace_level() > 0
            || &*self.session.parameters().text(Parameter::StatisticsLevel) == "ALL"
    }

    /// Stores the plan and figures of an execution, which took `call`.
    pub(crate) fn note_executed(&self, cursor: &Cursor, call: &CallFigures) {
        let wall_us = self.session.meter().clock().wall_us();
        if cursor.running.is_none() {
            cursor.keep_plan(wall_us);
        }
        // An INSERT … VALUES is not planned. Its plan is always the same: it is made once, or at each measured
        // execution.
        if let Statement::Insert(insert, _) = &cursor.shared.statement
            && cursor.row_sources.is_empty()
            && (cursor.measured || cursor.shared.plan().is_none())
            && let Some(source) = self.load_source(insert, call)
        {
            let plan = CursorPlan::new(&cursor.shared, vec![source], cursor.measured);
            cursor.shared.keep_plan(CursorPlan { wall_us, ..plan });
        }
        if self.is_outermost() && !self.shared.is_recursive() {
            *self.shared.last.lock() = Some(Arc::clone(&cursor.shared));
        }
    }

    /// The row source of an INSERT … VALUES; None when its table is gone.
    fn load_source(&self, insert: &ast::Insert, call: &CallFigures) -> Option<RowSource> {
        let (name, _) = check(insert).ok()?;
        let table = self.target(name, ObjectPrivilege::Insert).ok()?;
        let figures = FiguresValue {
            starts: 1,
            consistent: call.consistent,
            current: call.current,
            reads: call.physical,
            micros: call.elapsed_us,
            ..FiguresValue::default()
        };
        Some(plan::load(&table, false, figures))
    }
}
