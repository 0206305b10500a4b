//! Loops, EXIT and CONTINUE.

use std::sync::Arc;

use super::emit::{Label, LoopState};
use super::error::{Compiled, fault, wrong_type};
use super::op::{Op, Register};
use super::place::Designated;
use super::symbol::{Access, Symbol, Variable, VariableHome};
use super::types::{RecordType, Type};
use super::{Compiler, Scope};
use crate::ast::{Argument, At, Expr, ExprKind, ForSource, Ident, Statement};
use crate::value::{ScalarKind, ScalarType};

/// Bounds of a loop: integers, and not NULL.
const BOUND: ScalarType = ScalarType { kind: ScalarKind::Integer { wrap: false }, not_null: true, range: None };

impl Compiler<'_> {
    fn enter_loop(&mut self, labels: &[Ident]) -> (Label, Label) {
        let (exit, next) = (self.label(), self.label());
        let state = self.state();
        let labels = labels.iter().map(|label| label.name.clone()).collect();
        state.loops.push(LoopState { labels, exit, next, handling: state.handling });
        (exit, next)
    }

    fn leave_loop(&mut self) {
        self.state().loops.pop();
    }

    pub(crate) fn plain_loop(&mut self, labels: &[Ident], body: &[Statement]) {
        let (exit, next) = self.enter_loop(labels);
        self.bind(next);
        let at = self.state().at;
        self.statements(body);
        self.state().at = at;
        self.emit(Op::Loop { target: next.0 });
        self.bind(exit);
        self.leave_loop();
    }

    pub(crate) fn while_loop(&mut self, labels: &[Ident], condition: &Expr, body: &[Statement]) -> Compiled<()> {
        let (exit, next) = self.enter_loop(labels);
        self.bind(next);
        let at = self.state().at;
        let result = self.branch(condition, false, exit);
        self.statements(body);
        self.state().at = at;
        self.emit(Op::Loop { target: next.0 });
        self.bind(exit);
        self.leave_loop();
        result
    }

    pub(crate) fn for_loop(
        &mut self,
        labels: &[Ident],
        variable: &Ident,
        source: &ForSource,
        body: &[Statement],
        at: At,
    ) -> Compiled<()> {
        match source {
            ForSource::Range { reverse, low, high } => self.for_range(labels, variable, (low, high), *reverse, body),
            ForSource::Query(query) => {
                let cursor = self.allocate()?;
                let (statement, columns) = self.prepare_with_binds(query)?;
                self.emit(Op::Query { statement: statement.index, first: statement.first, to: cursor });
                let place = self.register_place(cursor);
                let row = RecordType::of_columns(&variable.name, &columns);
                self.for_rows(labels, variable, place, cursor, &row, body)
            }
            ForSource::Cursor(expression) => self.for_cursor(labels, variable, expression, body, at),
        }
    }

    fn for_range(
        &mut self,
        labels: &[Ident],
        variable: &Ident,
        (low, high): (&Expr, &Expr),
        reverse: bool,
        body: &[Statement],
    ) -> Compiled<()> {
        let counter = self.allocate()?;
        let limit = self.allocate()?;
        let (low_to, high_to) = if reverse { (limit, counter) } else { (counter, limit) };
        let mut bounds = Ok(());
        for (bound, to) in [(low, low_to), (high, high_to)] {
            let mark = self.mark();
            bounds = bounds.and_then(|()| {
                let value = self.expression(bound, None)?;
                let value = self.convert(value, &Type::Scalar(BOUND), bound.at, Some(to))?;
                self.move_to(&value, to);
                Ok(())
            });
            self.release(mark);
        }
        let (exit, next) = self.enter_loop(labels);
        let again = self.label();
        let at = self.state().at;
        self.emit(Op::ForPrepare { counter, limit, reverse, target: exit.0 });
        self.bind(again);
        self.loop_body(labels, variable, Type::INTEGER, counter, body);
        self.bind(next);
        self.state().at = at;
        self.emit(if reverse {
            Op::ForNextReverse { counter, limit, target: again.0 }
        } else {
            Op::ForNext { counter, limit, target: again.0 }
        });
        self.bind(exit);
        self.leave_loop();
        bounds
    }

    /// The statements of a loop, in which its variable is known.
    fn loop_body(
        &mut self,
        labels: &[Ident],
        variable: &Ident,
        data_type: Type,
        register: Register,
        body: &[Statement],
    ) {
        let mut scope = Scope { labels: labels.iter().map(|label| label.name.clone()).collect(), ..Scope::default() };
        let home = VariableHome::Frame { level: self.level(), register };
        let symbol = Symbol::Variable(Variable {
            name: variable.name.clone(),
            home,
            data_type,
            access: Access::ReadOnly,
            value: None,
        });
        scope.names.insert(variable.name.clone(), vec![symbol]);
        self.scopes.push(scope);
        self.statements(body);
        self.scopes.pop();
    }

    fn for_cursor(
        &mut self,
        labels: &[Ident],
        variable: &Ident,
        expression: &Expr,
        body: &[Statement],
        at: At,
    ) -> Compiled<()> {
        let (callee, arguments): (&Expr, &[Argument]) = match &expression.kind {
            ExprKind::Call { callee, arguments } => (callee, arguments),
            _ => (expression, &[]),
        };
        let Designated::Cursor(cursor, import) = self.designate(callee)? else { return wrong_type(expression.at) };
        let from = self.open_declared(&cursor, import.as_ref(), arguments, at)?;
        let root = self.root(cursor.home, import.as_ref());
        let place = self.place(root, &[]);
        self.emit(Op::Open { cursor: place, from, declared: true });
        let row = Arc::clone(&cursor.row);
        self.for_rows(labels, variable, place, from, &row, body)
    }

    /// A loop over the rows of a cursor that has been opened.
    fn for_rows(
        &mut self,
        labels: &[Ident],
        variable: &Ident,
        cursor: u32,
        register: Register,
        row: &Arc<RecordType>,
        body: &[Statement],
    ) -> Compiled<()> {
        let count = row.fields.len();
        let record = self.allocate()?;
        let first = self.allocate_many(count)?;
        let (exit, next) = self.enter_loop(labels);
        self.bind(next);
        let at = self.state().at;
        self.emit(Op::Fetch { cursor, to: first, count: count as u16, ahead: true, target: exit.0 });
        self.emit(Op::Record { to: record, first, count: count as u16 });
        self.loop_body(labels, variable, Type::Record(Arc::clone(row)), record, body);
        self.state().at = at;
        self.emit(Op::Loop { target: next.0 });
        self.bind(exit);
        self.emit(Op::CloseLoop { cursor: register });
        self.leave_loop();
        Ok(())
    }

    pub(crate) fn exit(&mut self, label: Option<&Ident>, when: Option<&Expr>, leaves: bool, at: At) -> Compiled<()> {
        let word = if leaves { "EXIT" } else { "CONTINUE" };
        let state = self.state();
        let handling = state.handling;
        let found = match label {
            None => state.loops.last(),
            Some(label) => state.loops.iter().rev().find(|each| each.labels.contains(&label.name)),
        };
        let Some(found) = found else {
            return match label {
                None => fault(at, 376, format_args!("illegal {word} statement; it must appear inside a loop")),
                Some(label) => fault(
                    at,
                    378,
                    format_args!("invalid {word} statement; label '{}' is not that of a loop around it", label.name),
                ),
            };
        };
        let (target, outside) = (if leaves { found.exit } else { found.next }, found.handling);
        let skip = self.label();
        match when {
            Some(when) if handling == outside => return self.branch(when, true, target),
            Some(when) => self.branch(when, false, skip)?,
            None => {}
        }
        if handling != outside {
            self.emit(Op::Handling { depth: outside });
        }
        self.jump(target);
        self.bind(skip);
        Ok(())
    }
}
