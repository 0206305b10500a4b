//! DELETE of rows of the session's own PLAN_TABLE, as scripts do to clean up.

use std::collections::HashSet;
use std::sync::Arc;

use common::{Error, Result};
use scalar::Datum;
use sqlparser::ast::{self, Ident, ObjectName, SelectItem};

use super::statement::is_own;
use super::step::PlanStep;
use crate::cursor::arrays::to_rows;
use crate::cursor::connection::Connection;
use crate::cursor::open::{Cursor, RowSource};
use crate::cursor::run::Running;
use crate::plan::binder::owner_and_name;
use crate::scan::figures::FiguresValue;

impl Connection {
    /// True: a name in a DML statement means the session's own plan table.
    pub(crate) fn is_own_plan_table(&self, name: &ObjectName) -> Result<bool> {
        let (owner, table) = owner_and_name(name)?;
        Ok(is_own(owner.as_deref(), &table)
            && self.session.catalog().resolve(&self.schema, owner.as_deref(), &table)?.object.is_none())
    }

    /// Deletes the rows that `select`, a query of whole rows, returns.
    pub(crate) fn delete_plan_rows(&self, mut select: ast::Select, cursor: &mut Cursor) -> Result<u64> {
        let column = |name| SelectItem::UnnamedExpr(ast::Expr::Identifier(Ident::new(name)));
        select.projection = vec![column("PLAN_ID"), column("ID")];
        let bound =
            self.with_binder(&cursor.shared.text, &cursor.binds, |binder| binder.block(&select, &[], None, &[]))?;
        let plan = self.plan(&bound.plan)?;
        if cursor.explaining {
            let step = PlanStep::change("DELETE", "SYS", super::table::PLAN_TABLE);
            cursor.row_sources = vec![RowSource { depth: 0, object: 0, step, figures: FiguresValue::default() }];
            super::sources::row_sources(&plan, 1, &mut cursor.row_sources);
            return Ok(0);
        }
        let mut running = Running::start(&self.session, &self.runtime, &self.state, plan, Arc::clone(&self.demand))?;
        let mut gone = HashSet::new();
        for row in to_rows(&running.fetch(usize::MAX)?)? {
            gone.insert((number(row.first())?, number(row.get(1))?));
        }
        let mut rows = self.shared.plan_rows.lock();
        let before = rows.len();
        rows.retain(|row| !gone.contains(&(row.plan_id, row.line.id)));
        Ok((before - rows.len()) as u64)
    }
}

fn number(value: Option<&Datum>) -> Result<u64> {
    match value {
        Some(Datum::Number(bytes)) => format::number::decode_i64(bytes).and_then(|number| u64::try_from(number).ok()),
        _ => None,
    }
    .ok_or_else(|| Error::bug("a row of a plan without its number"))
}
