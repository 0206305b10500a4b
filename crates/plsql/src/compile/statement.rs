//! Statements and blocks.

use super::Compiler;
use super::error::{Compiled, fault, undeclared, wrong_type};
use super::names::{ResolvedName, full_name};
use super::op::Op;
use super::place::Designated;
use super::symbol::Symbol;
use super::unit::Handlers;
use super::{Scope, emit::Goto, emit::GotoTarget};
use crate::ast::{Argument, Block, Branch, Expr, ExprKind, Handler, Ident, Path, Statement, StatementKind};
use crate::error::Number;
use crate::exception::{ExceptionKey, PREDEFINED};

impl Compiler<'_> {
    /// A list of statements; errors of one are reported, and the next one is compiled.
    pub(crate) fn statements(&mut self, statements: &[Statement]) {
        self.enter_context();
        for statement in statements {
            self.statement(statement);
        }
        self.leave_context();
    }

    pub(crate) fn statement(&mut self, statement: &Statement) {
        self.state().at = statement.at;
        let mark = self.mark();
        for label in &statement.labels {
            let target = self.label();
            self.bind(target);
            let state = self.state();
            state.goto_targets.push(GotoTarget {
                name: label.name.clone(),
                context: state.context.clone(),
                label: target,
                handling: state.handling,
            });
        }
        if let Err(fault) = self.statement_kind(statement) {
            let is_sql = matches!(fault.number, Number::Ora(_)) || matches!(statement.kind, StatementKind::Sql(_));
            self.report(fault);
            self.report_ignored(statement.at, if is_sql { "SQL Statement" } else { "Statement" });
        }
        self.release(mark);
    }

    fn statement_kind(&mut self, statement: &Statement) -> Compiled<()> {
        let at = statement.at;
        match &statement.kind {
            StatementKind::Null => Ok(()),
            StatementKind::Assign { target, value } => {
                let place = self.target(target)?;
                let temporary = self.mark();
                let value_at = value.at;
                let value = self.expression(value, None)?;
                self.assign_from(&place, value, value_at, temporary)
            }
            StatementKind::Call(call) => self.call_statement(call),
            StatementKind::If { branches, otherwise } => self.if_statement(branches, otherwise.as_deref()),
            StatementKind::Case { value, branches, otherwise } => {
                self.case_statement(value.as_ref(), branches, otherwise.as_deref())
            }
            StatementKind::Loop(body) => {
                self.plain_loop(&statement.labels, body);
                Ok(())
            }
            StatementKind::While { condition, body } => self.while_loop(&statement.labels, condition, body),
            StatementKind::For { variable, source, body } => {
                self.for_loop(&statement.labels, variable, source, body, at)
            }
            StatementKind::Exit { label, when } => self.exit(label.as_ref(), when.as_ref(), true, at),
            StatementKind::Continue { label, when } => self.exit(label.as_ref(), when.as_ref(), false, at),
            StatementKind::Goto(name) => {
                self.emit(Op::Handling { depth: 0 });
                let op = self.emit(Op::Loop { target: 0 });
                let state = self.state();
                state.gotos.push(Goto { name: name.clone(), context: state.context.clone(), op });
                Ok(())
            }
            StatementKind::Return(value) => self.return_statement(value.as_ref(), at),
            StatementKind::Raise(name) => self.raise(name.as_ref(), at),
            StatementKind::Block(block) => {
                self.block(block, &statement.labels);
                Ok(())
            }
            StatementKind::Sql(sql) => self.sql_statement(sql),
            StatementKind::ForAll { variable, bounds, save_exceptions, statement } => {
                self.for_all(variable, bounds, *save_exceptions, statement, at)
            }
            StatementKind::ExecuteImmediate { text, into, using, returning } => {
                self.execute_immediate(text, into.as_ref(), using, returning.as_ref(), at)
            }
            StatementKind::Open { cursor, open } => self.open(cursor, open, at),
            StatementKind::Fetch { cursor, into, limit } => self.fetch(cursor, into, limit.as_ref(), at),
            StatementKind::Close(cursor) => self.close(cursor),
        }
    }

    fn call_statement(&mut self, call: &Expr) -> Compiled<()> {
        let (callee, arguments): (&Expr, &[Argument]) = match &call.kind {
            ExprKind::Call { callee, arguments } => (callee, arguments),
            _ => (call, &[]),
        };
        match self.designate(callee)? {
            Designated::Subprograms { name, candidates, import } => {
                self.call(&name, &candidates, import.as_ref(), arguments, call.at, false)?;
                Ok(())
            }
            Designated::Standard(name) if &*name == "RAISE_APPLICATION_ERROR" => {
                self.raise_application_error(arguments, call.at)
            }
            Designated::Method(place, method) if super::collect::is_procedure(method) => {
                self.method_call(&place, method, arguments, call.at)?;
                Ok(())
            }
            Designated::Standard(name) | Designated::Type(_, name) => {
                fault(call.at, 221, format_args!("'{name}' is not a procedure or is undefined"))
            }
            Designated::Place(place) => {
                fault(call.at, 221, format_args!("'{}' is not a procedure or is undefined", place.name))
            }
            Designated::Cursor(cursor, _) => {
                fault(call.at, 221, format_args!("'{}' is not a procedure or is undefined", cursor.name))
            }
            _ => fault(call.at, 221, "this is not a procedure or is undefined"),
        }
    }

    fn if_statement(&mut self, branches: &[Branch], otherwise: Option<&[Statement]>) -> Compiled<()> {
        let end = self.label();
        for branch in branches {
            let next = self.label();
            self.guarded(|compiler| compiler.branch(&branch.condition, false, next), branch.condition.at);
            self.statements(&branch.statements);
            self.jump(end);
            self.bind(next);
        }
        self.statements(otherwise.unwrap_or_default());
        self.bind(end);
        Ok(())
    }

    /// Reports a fault of the part, and compiles the rest of the statement.
    fn guarded(&mut self, part: impl FnOnce(&mut Self) -> Compiled<()>, at: u32) {
        if let Err(fault) = part(self) {
            self.report(fault);
            let at = self.states.last().map_or(at, |state| state.at);
            self.report_ignored(at, "Statement");
        }
    }

    fn case_statement(
        &mut self,
        value: Option<&Expr>,
        branches: &[Branch],
        otherwise: Option<&[Statement]>,
    ) -> Compiled<()> {
        let selector = match value {
            Some(selector) => {
                let register = self.allocate()?;
                let found = self.expression(selector, Some(register))?;
                self.move_to(&found.operand, register);
                Some((super::convert::Typed::register(register, found.data_type), selector.at))
            }
            None => None,
        };
        let end = self.label();
        for branch in branches {
            let next = self.label();
            let mark = self.mark();
            match &selector {
                Some((selector, at)) => {
                    let (selector, at) = (selector.clone(), *at);
                    self.guarded(|compiler| compiler.branch_unless_equal(selector, at, &branch.condition, next), at);
                }
                None => self.guarded(|compiler| compiler.branch(&branch.condition, false, next), branch.condition.at),
            }
            self.release(mark);
            self.statements(&branch.statements);
            self.jump(end);
            self.bind(next);
        }
        match otherwise {
            Some(otherwise) => self.statements(otherwise),
            None => {
                self.emit(Op::CaseNotFound);
            }
        }
        self.bind(end);
        Ok(())
    }

    fn return_statement(&mut self, value: Option<&Expr>, at: u32) -> Compiled<()> {
        let state = self.state();
        let (result, to) = (state.result.clone(), state.parameters);
        match (value, result) {
            (None, None) => {}
            (Some(value), Some(result)) => {
                let value_at = value.at;
                let value = self.expression(value, Some(to))?;
                let value = self.convert(value, &result, value_at, Some(to))?;
                self.move_to(&value, to);
            }
            (Some(_), None) => return fault(at, 372, "In a procedure, RETURN statement cannot contain an expression"),
            (None, Some(_)) => {
                return fault(at, 503, "RETURN <value> statement required for this return from function");
            }
        }
        self.emit(Op::Return);
        Ok(())
    }

    fn raise(&mut self, name: Option<&Path>, at: u32) -> Compiled<()> {
        match name {
            None => {
                if self.state().handling == 0 {
                    return fault(
                        at,
                        367,
                        "a RAISE statement with no exception name must be inside an exception handler",
                    );
                }
                self.emit(Op::Reraise { line_only: false });
            }
            Some(path) => {
                let key = self.exception(path)?;
                self.unit.exceptions.push((key, full_name(path).into()));
                let exception = self.unit.exceptions.len() as u32 - 1;
                self.emit(Op::Raise { exception });
            }
        }
        Ok(())
    }

    /// The exception that a name stands for.
    pub(crate) fn exception(&mut self, path: &Path) -> Compiled<ExceptionKey> {
        let parts: Vec<&str> = path.parts.iter().map(|part| &*part.name).collect();
        if self.declared(&parts).is_none() {
            let last = match parts[..] {
                [only] | ["STANDARD", only] => Some(only),
                _ => None,
            };
            if let Some((_, code, _)) = last.and_then(|name| PREDEFINED.iter().find(|(known, ..)| *known == name)) {
                return Ok(ExceptionKey::Number(*code));
            }
        }
        match self.find(path)? {
            ResolvedName::Symbols { symbols, used, .. } if used == path.parts.len() => match symbols.into_iter().next()
            {
                Some(Symbol::Exception(key)) => Ok(key),
                _ => wrong_type(path.at()),
            },
            _ => undeclared(path.at(), &full_name(path)),
        }
    }

    pub(crate) fn block(&mut self, block: &Block, labels: &[Ident]) {
        let mark = self.mark();
        self.scopes.push(Scope { labels: labels.iter().map(|label| label.name.clone()).collect(), ..Scope::default() });
        self.declarations(&block.declarations);
        self.guarded_statements(&block.statements, &block.handlers);
        self.check_bodies();
        self.scopes.pop();
        self.release(mark);
    }

    /// Statements and the handlers of their exceptions.
    pub(crate) fn guarded_statements(&mut self, statements: &[Statement], handlers: &[Handler]) {
        let clear_from = self.mark();
        let from = self.position();
        self.statements(statements);
        if handlers.is_empty() {
            return;
        }
        let to = self.position();
        let end = self.label();
        self.jump(end);
        let depth = self.state().handling;
        let mut choices = Vec::with_capacity(handlers.len());
        self.state().handling += 1;
        for (index, handler) in handlers.iter().enumerate() {
            let mut keys = Vec::with_capacity(handler.exceptions.len());
            for path in &handler.exceptions {
                match self.exception(path) {
                    Ok(key) => keys.push(key),
                    Err(fault) => self.report(fault),
                }
            }
            if handler.exceptions.is_empty() && index + 1 < handlers.len() {
                self.report(crate::error::Fault::pls(
                    handler.at,
                    370,
                    "OTHERS handler must be last among the exception handlers of a block",
                ));
            }
            let target = self.position();
            // An unknown exception is reported; it must not become OTHERS.
            if keys.is_empty() == handler.exceptions.is_empty() {
                choices.push((keys, target));
            }
            self.statements(&handler.statements);
            self.emit(Op::Handling { depth });
            self.jump(end);
        }
        self.state().handling = depth;
        self.bind(end);
        self.state().handlers.push(Handlers { from, to, choices, depth, clear_from });
    }

    /// Patches the jumps of GOTO when the function's labels are known.
    pub(crate) fn finish_gotos(&mut self) {
        let state = self.state();
        let gotos = std::mem::take(&mut state.gotos);
        let mut faults: Vec<(u32, Compiled<()>)> = Vec::new();
        for goto in gotos {
            let at = self.state().places_in_source.get(goto.op).copied().unwrap_or(goto.name.at);
            let state = self.state();
            let named: Vec<&GotoTarget> =
                state.goto_targets.iter().filter(|target| target.name == goto.name.name).collect();
            let reachable = named.iter().rev().find(|target| goto.context.starts_with(&target.context));
            match reachable {
                Some(target) => {
                    let (label, handling) = (target.label, target.handling);
                    state.ops[goto.op - 1] = Op::Handling { depth: handling };
                    state.ops[goto.op] = Op::Loop { target: label.0 };
                }
                None if named.is_empty() => faults.push((at, undeclared(goto.name.at, &goto.name.name))),
                None => faults.push((
                    at,
                    fault(
                        goto.name.at,
                        375,
                        format_args!("illegal GOTO statement; this GOTO cannot branch to label '{}'", goto.name.name),
                    ),
                )),
            }
            // Labels are unbound targets no longer: a faulty one must still be one that exists.
            let state = self.state();
            if let Op::Loop { target } = &mut state.ops[goto.op]
                && state.labels.get(*target as usize).is_none()
            {
                state.labels.push(Some(0));
            }
        }
        for (at, fault) in faults {
            if let Err(fault) = fault {
                self.report(fault);
                self.report_ignored(at, "Statement");
            }
        }
    }
}
