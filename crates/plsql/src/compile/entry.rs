//! Whole units: blocks, procedures and functions, packages, triggers.

use std::collections::HashMap;
use std::sync::Arc;

use common::sync::atomic::AtomicU64;

use super::emit::FunctionState;
use super::error::{Compiled, fault};
use super::op::{Op, Register};
use super::subprogram::Frame;
use super::symbol::{Access, Symbol, Variable, VariableHome};
use super::types::{RecordType, Type};
use super::unit::{HostVariable, TriggerFrame, Unit, UnitType, trigger_registers};
use super::{Compiler, Scope};
use crate::ast::{self, At, Block, Declaration, Ident, Path, Statement, StatementKind, TriggerTiming, UnitKind};
use crate::error::{CompileError, Fault, Number};
use crate::host::{Host, Object};
use crate::library::Library;
use crate::parser;
use crate::position::Lines;
use crate::value::ScalarType;

/// The result of compiling a unit: all its errors, in order of discovery.
pub type Compilation = Result<Unit, Vec<CompileError>>;

/// A stored program as the dictionary has it.
#[derive(Clone, Debug)]
pub struct Stored<'s> {
    pub owner: &'s str,
    pub name: &'s str,
    /// From PROCEDURE, FUNCTION, PACKAGE or TRIGGER on.
    pub source: &'s Arc<str>,
    /// Changes whenever the program is replaced.
    pub stamp: u64,
    /// Of a package: its body's text and stamp.
    pub body: Option<(Arc<str>, u64)>,
}

pub(super) fn empty_unit(owner: &str, name: &str, unit_type: UnitType, source: &Arc<str>, stamp: u64) -> Unit {
    Unit {
        owner: owner.into(),
        name: name.into(),
        unit_type,
        stamp,
        body_stamp: None,
        source: Arc::clone(source),
        body_source: None,
        functions: Vec::new(),
        globals: 0,
        constants: Vec::new(),
        places: Vec::new(),
        scalar_types: Vec::new(),
        scalar_functions: Vec::new(),
        collection_kinds: Vec::new(),
        statements: Vec::new(),
        dynamics: Vec::new(),
        shapes: Vec::new(),
        natives: Vec::new(),
        exceptions: Vec::new(),
        sequences: Vec::new(),
        links: Vec::new(),
        dependencies: Vec::new(),
        invoker_rights: false,
        current_in: AtomicU64::new(0),
        host_variables: Vec::new(),
        exports: HashMap::new(),
        trigger: None,
        has_state: false,
    }
}

impl<'a> Compiler<'a> {
    pub(super) fn new(host: &'a mut dyn Host, library: &'a Library, unit: Unit) -> Self {
        Self {
            host,
            library,
            unit,
            scopes: Vec::new(),
            states: Vec::new(),
            faults: Vec::new(),
            imports: HashMap::new(),
            resolved: HashMap::new(),
            binds_allowed: false,
            in_body: false,
            is_supplied: false,
            interface_only: false,
            depth: 0,
            next_context: 0,
        }
    }

    pub(super) fn finish(self, base: At, source: &str) -> Compilation {
        if self.faults.is_empty() {
            return Ok(self.unit);
        }
        let lines = Lines::new(source, base);
        Err(self.faults.into_iter().map(|fault| fault.place(&lines)).collect())
    }

    /// The function of the unit's own statements: a block's, a trigger's or a package's.
    pub(super) fn enter_main(&mut self, registers: usize) {
        self.reserve_function("");
        // Its own registers are its parameters: they stay when it returns. The result's register follows them.
        let next = registers as Register + 1;
        self.states.push(FunctionState { parameters: registers as u16, next, high: next, ..FunctionState::default() });
    }

    pub(super) fn leave_main(&mut self) {
        self.emit(Op::Return);
        // The scope that leave_function closes.
        self.scopes.push(Scope::default());
        self.leave_function(&Frame { index: 0, level: 0, name: "", parameters: &[], result: None });
    }

    pub(super) fn bind_variable(
        &mut self,
        scope: &mut Scope,
        name: &str,
        register: Register,
        data_type: Type,
        access: Access,
    ) {
        let variable = Variable {
            name: format!(":{name}").into(),
            home: VariableHome::Frame { level: 0, register },
            data_type,
            access,
            value: None,
        };
        scope.names.insert(variable.name.clone(), vec![Symbol::Variable(variable)]);
    }
}

/// Compiles an anonymous block for a schema. `variables` are the host variables that it may name, without their colons.
///
/// # Errors
/// All that is wrong with it.
pub fn compile_block(
    host: &mut dyn Host,
    library: &Library,
    schema: &str,
    text: &str,
    variables: &[(Box<str>, Type)],
) -> Compilation {
    let parsed = parser::parse_unit(text)?;
    let source: Arc<str> = text.into();
    let UnitKind::Block(statement) = &parsed.kind else {
        let text = "a block is expected".to_owned();
        return Err(vec![CompileError { at: parsed.at, line: 1, column: 1, number: Number::Pls(103), text }]);
    };
    let mut compiler = Compiler::new(host, library, empty_unit(schema, "", UnitType::Block, &source, 0));
    compiler.binds_allowed = true;
    compiler.enter_main(variables.len());
    let mut scope = Scope::default();
    for (index, (name, data_type)) in variables.iter().enumerate() {
        let register = index as Register;
        compiler.bind_variable(&mut scope, name, register, data_type.clone(), Access::Assignable);
        compiler.unit.host_variables.push(HostVariable { name: name.clone(), register });
    }
    compiler.scopes.push(scope);
    compiler.main_block(statement);
    compiler.scopes.pop();
    compiler.leave_main();
    compiler.finish(0, text)
}

impl Compiler<'_> {
    /// The block itself, not as a statement of a block: its frame is the unit's.
    fn main_block(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Block(block) => {
                self.state().at = statement.at;
                self.block(block, &statement.labels);
            }
            _ => self.statement(statement),
        }
    }
}

fn last_name(path: &Path) -> Ident {
    path.parts.last().cloned().unwrap_or(Ident { name: "".into(), at: 0 })
}

/// Compiles a procedure, a function, or a package with its body when it has one.
///
/// # Errors
/// All that is wrong with it; of a package the specification's errors first.
pub fn compile_stored(host: &mut dyn Host, library: &Library, stored: &Stored<'_>) -> Compilation {
    compile_unit(host, library, stored, false, 0)
}

/// The interface of a stored program: signatures, types, variables.
///
/// # Errors
/// As [`compile_stored`], but only those of the specification.
pub(crate) fn compile_interface(
    host: &mut dyn Host,
    library: &Library,
    stored: &Stored<'_>,
    depth: usize,
) -> Compilation {
    compile_unit(host, library, stored, true, depth)
}

fn compile_unit(
    host: &mut dyn Host,
    library: &Library,
    stored: &Stored<'_>,
    interface_only: bool,
    depth: usize,
) -> Compilation {
    let parsed = parser::parse_unit(stored.source)?;
    let unit_type = match &parsed.kind {
        UnitKind::Subprogram(subprogram) if subprogram.result.is_some() => UnitType::Function,
        UnitKind::Subprogram(_) => UnitType::Procedure,
        _ => UnitType::Package,
    };
    let unit = empty_unit(stored.owner, stored.name, unit_type, stored.source, stored.stamp);
    let mut compiler = Compiler::new(host, library, unit);
    compiler.interface_only = interface_only;
    compiler.depth = depth;
    compiler.unit.invoker_rights = match &parsed.kind {
        UnitKind::Subprogram(subprogram) => subprogram.invoker_rights,
        UnitKind::PackageSpecification { invoker_rights, .. } => *invoker_rights,
        _ => false,
    };
    match &parsed.kind {
        UnitKind::Subprogram(subprogram) => {
            compiler.standalone(subprogram);
            compiler.finish(parsed.at, stored.source)
        }
        UnitKind::PackageSpecification { declarations, .. } => compiler.package(declarations, parsed.at, stored),
        _ => Err(vec![CompileError {
            at: parsed.at,
            line: 1,
            column: 1,
            number: Number::Pls(103),
            text: "a procedure, a function or a package's specification is expected".to_owned(),
        }]),
    }
}

impl Compiler<'_> {
    fn standalone(&mut self, subprogram: &ast::Subprogram) {
        let name = last_name(&subprogram.name);
        if let Err(fault) = self.standalone_function(subprogram, &name) {
            self.report(fault);
        }
    }

    fn standalone_function(&mut self, subprogram: &ast::Subprogram, name: &Ident) -> Compiled<()> {
        // Function 0 is the subprogram; its signature is compiled as if it stood in a package.
        self.states.push(FunctionState::default());
        self.scopes.push(Scope::default());
        let signature = self.standalone_signature(subprogram, name);
        let symbols = signature.as_ref().ok().map(Arc::clone).map(Symbol::Subprogram);
        if let Some(symbol) = symbols {
            self.declare(name, symbol.clone())?;
            self.unit.exports.insert(self.unit.name.clone(), vec![symbol]);
        }
        let signature = signature?;
        if let (Some(block), false) = (&subprogram.body, self.interface_only) {
            let frame = Frame {
                index: 0,
                level: 0,
                name: &name.name,
                parameters: &signature.parameters,
                result: signature.result.clone(),
            };
            self.function(&frame, block);
        }
        self.scopes.pop();
        self.states.pop();
        Ok(())
    }

    fn standalone_signature(
        &mut self,
        subprogram: &ast::Subprogram,
        name: &Ident,
    ) -> Compiled<Arc<super::symbol::Signature>> {
        // Declarations here have no frame around them.
        let unit_type = std::mem::replace(&mut self.unit.unit_type, UnitType::Package);
        let made = (|| {
            let types = self.parameter_types(&subprogram.parameters)?;
            let result = match &subprogram.result {
                Some(result) => Some(self.type_of_name(result)?.unconstrained()),
                None => None,
            };
            self.signature(name, &subprogram.parameters, types, result).map(Arc::new)
        })();
        self.unit.unit_type = unit_type;
        made
    }

    fn package(mut self, declarations: &[Declaration], base: At, stored: &Stored<'_>) -> Compilation {
        self.enter_main(0);
        self.scopes.push(Scope { labels: vec![self.unit.name.clone()], ..Scope::default() });
        self.declarations(declarations);
        let exports = self.scopes.last().map(|scope| scope.names.clone()).unwrap_or_default();
        if !self.faults.is_empty() || self.interface_only {
            self.unit.exports = exports;
            self.scopes.pop();
            self.leave_main();
            return self.finish(base, stored.source);
        }
        let Some((body, stamp)) = &stored.body else {
            self.unit.exports = exports;
            self.scopes.pop();
            self.leave_main();
            return self.finish(base, stored.source);
        };
        let parsed = parser::parse_unit(body)?;
        let UnitKind::PackageBody { declarations, initialization, .. } = &parsed.kind else {
            let text = "a package's body is expected".to_owned();
            return Err(vec![CompileError { at: parsed.at, line: 1, column: 1, number: Number::Pls(103), text }]);
        };
        self.in_body = true;
        self.unit.body_source = Some(Arc::clone(body));
        self.unit.body_stamp = Some(*stamp);
        self.declarations(declarations);
        if let Some(Block { statements, handlers, declarations, .. }) = initialization {
            self.declarations(declarations);
            self.guarded_statements(statements, handlers);
            self.unit.has_state = true;
        }
        self.state().at = parsed.at;
        self.check_bodies();
        self.unit.exports = exports;
        self.scopes.pop();
        self.leave_main();
        self.finish(parsed.at, body)
    }
}

/// A supplied package: only its specification; the bodies are natives.
///
/// # Errors
/// The faults of the text.
pub(crate) fn compile_supplied(
    host: &mut dyn Host,
    library: &Library,
    owner: &str,
    name: &str,
    source: &Arc<str>,
) -> Compilation {
    let parsed = parser::parse_unit(source)?;
    let UnitKind::PackageSpecification { declarations, .. } = &parsed.kind else {
        let text = "a package's specification is expected".to_owned();
        return Err(vec![CompileError { at: parsed.at, line: 1, column: 1, number: Number::Pls(103), text }]);
    };
    let unit = empty_unit(owner, name, UnitType::Package, source, 0);
    let mut compiler = Compiler::new(host, library, unit);
    compiler.interface_only = true;
    compiler.is_supplied = true;
    let stored = Stored { owner, name, source, stamp: 0, body: None };
    compiler.package(declarations, parsed.at, &stored)
}

/// Compiles a trigger; the host gives the table's columns.
///
/// # Errors
/// All that is wrong with it.
pub fn compile_trigger(host: &mut dyn Host, library: &Library, stored: &Stored<'_>) -> Compilation {
    let parsed = parser::parse_unit(stored.source)?;
    let UnitKind::Trigger(trigger) = &parsed.kind else {
        let text = "a trigger is expected".to_owned();
        return Err(vec![CompileError { at: parsed.at, line: 1, column: 1, number: Number::Pls(103), text }]);
    };
    let unit = empty_unit(stored.owner, stored.name, UnitType::Trigger, stored.source, stored.stamp);
    let mut compiler = Compiler::new(host, library, unit);
    compiler.binds_allowed = true;
    compiler.enter_main(usize::from(trigger_registers::COUNT));
    if let Err(fault) = compiler.trigger(trigger) {
        compiler.report(fault);
    }
    compiler.leave_main();
    compiler.finish(parsed.at, stored.source)
}

impl Compiler<'_> {
    fn trigger(&mut self, trigger: &ast::Trigger) -> Compiled<()> {
        let at = trigger.table.at();
        let (owner, name) = (self.unit.owner.clone(), self.unit.name.clone());
        let known = self.host.trigger_table(&owner, &name).map_err(|error| super::error::of_sql(at, &error))?;
        let parts: Vec<&str> = match &known {
            Some((owner, name)) => vec![&**owner, &**name],
            None => trigger.table.parts.iter().map(|part| &*part.name).collect(),
        };
        let Some((Object::Relation { columns, name, .. }, _)) = self.resolve(at, &parts)? else {
            return Err(Fault::ora(at, 942, "table or view does not exist"));
        };
        let before = trigger.timing == TriggerTiming::Before;
        self.unit.trigger = Some(TriggerFrame { columns: columns.len() as u16, row: trigger.for_each_row, before });
        let row = Type::Record(RecordType::of_columns(&name, &columns));
        let mut scope = Scope::default();
        for (name, register) in [
            ("INSERTING", trigger_registers::INSERTING),
            ("UPDATING", trigger_registers::UPDATING),
            ("DELETING", trigger_registers::DELETING),
        ] {
            let variable = Variable {
                name: name.into(),
                home: VariableHome::Frame { level: 0, register },
                data_type: Type::Scalar(ScalarType::BOOLEAN),
                access: Access::ReadOnly,
                value: None,
            };
            scope.names.insert(name.into(), vec![Symbol::Variable(variable)]);
        }
        let mut when_scope = Scope::default();
        if trigger.for_each_row {
            let new_access = if before { Access::Assignable } else { Access::ReadOnly };
            for (ident, register, access) in [
                (&trigger.old, trigger_registers::OLD, Access::ReadOnly),
                (&trigger.new, trigger_registers::NEW, new_access),
            ] {
                self.bind_variable(&mut scope, &ident.name, register, row.clone(), access);
                // In WHEN they have no colon.
                if let Some(symbols) = scope.names.get(&*format!(":{}", ident.name)) {
                    when_scope.names.insert(ident.name.clone(), symbols.clone());
                }
            }
        }
        self.scopes.push(scope);
        let mut guard = Ok(());
        if let Some(when) = &trigger.when {
            if !trigger.for_each_row {
                guard = fault(when.at, 49, "WHEN clause cannot be used with table level triggers");
            } else {
                self.scopes.push(when_scope);
                let fires = self.label();
                guard = self.branch(when, true, fires);
                self.emit(Op::Return);
                self.bind(fires);
                self.scopes.pop();
            }
        }
        self.block(&trigger.body, &[]);
        self.scopes.pop();
        guard
    }
}
