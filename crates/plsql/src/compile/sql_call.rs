//! A PL/SQL function that a SQL statement calls: its name is resolved, an overload chosen, arguments converted and
//! defaults added as in a program. The result is a unit of one or a few instructions, which the statement runs row by
//! row.

use super::Compiler;
use super::Scope;
use super::entry::empty_unit;
use super::error::{Compiled, fault};
use super::names::ResolvedName;
use super::op::Register;
use super::symbol::{Access, Signature, Symbol};
use super::types::Type;
use super::unit::{Unit, UnitType};
use crate::ast::{Argument, Expr, ExprKind, Ident, Mode, Path};
use crate::error::{CompileError, Fault};
use crate::host::Host;
use crate::library::Library;
use crate::run::HostType;
use crate::value::ScalarType;

/// An argument of the call: its name where that is written, and its type; None for the literal NULL.
pub type CallArgument = (Option<Box<str>>, Option<HostType>);

/// A call, ready to run.
#[derive(Debug)]
pub struct SqlCall {
    pub(crate) unit: std::sync::Arc<Unit>,
    /// The type of its result.
    pub result: ScalarType,
}

/// Compiles the call `path(arguments)` of a statement in a schema. `path` is in upper case.
///
/// # Errors
/// PLS-00201 and its like when there is no such function, PLS-00306 when the arguments do not match, ORA-06572 when it
/// has OUT parameters, ORA-06552 and ORA-00902 when SQL does not have the type of its result.
pub(crate) fn compile_sql_call(
    host: &mut dyn Host,
    library: &Library,
    schema: &str,
    path: &[&str],
    arguments: &[CallArgument],
) -> Result<SqlCall, Vec<CompileError>> {
    let source = path.join(".").into();
    let unit = empty_unit(schema, "", UnitType::SqlCall, &source, 0);
    let mut compiler = Compiler::new(host, library, unit);
    compiler.binds_allowed = true;
    compiler.enter_main(arguments.len());
    let mut scope = Scope::default();
    for (index, (_, host_type)) in arguments.iter().enumerate() {
        if let Some(host_type) = host_type {
            let (name, register) = (index.to_string(), index as Register);
            compiler.bind_variable(&mut scope, &name, register, host_type.as_type(), Access::ReadOnly);
        }
    }
    compiler.scopes.push(scope);
    let result = compiler.sql_call(path, arguments);
    compiler.scopes.pop();
    compiler.leave_main();
    let result = match result {
        Ok(result) => result,
        Err(fault) => {
            compiler.report(fault);
            ScalarType::NUMBER
        }
    };
    Ok(SqlCall { unit: compiler.finish(0, &source)?.into(), result })
}

impl Compiler<'_> {
    fn sql_call(&mut self, path: &[&str], arguments: &[CallArgument]) -> Compiled<ScalarType> {
        let ident = |name: &str| Ident { name: name.into(), at: 0 };
        let path = Path { parts: path.iter().map(|part| ident(part)).collect() };
        self.check_callable(&path)?;
        let expression = |kind| Expr { kind, at: 0 };
        let given = arguments.iter().enumerate().map(|(index, (name, host_type))| Argument {
            name: name.as_ref().map(|name| ident(name)),
            value: expression(match host_type {
                Some(_) => ExprKind::Bind(index.to_string().into()),
                None => ExprKind::Null,
            }),
        });
        let callee = Box::new(expression(ExprKind::Path(path)));
        let call = expression(ExprKind::Call { callee, arguments: given.collect() });
        let value = self.expression(&call, None)?;
        let result = match &value.data_type {
            Type::Scalar(scalar) if scalar.datum_type().is_some() => *scalar,
            Type::Scalar(_) => {
                let text = "PL/SQL: Statement ignored\nORA-06553: PLS-382: expression is of wrong type";
                return Err(Fault::ora(0, 6552, text));
            }
            _ => return Err(Fault::ora(0, 902, "invalid datatype: SQL has no such type")),
        };
        self.move_to(&value.operand, arguments.len() as Register);
        Ok(result)
    }

    /// Checks that the name is a function that SQL may call.
    fn check_callable(&mut self, path: &Path) -> Compiled<()> {
        let undeclared = || {
            let name: Vec<&str> = path.parts.iter().map(|part| &*part.name).collect();
            fault(0, 201, format_args!("identifier '{}' must be declared", name.join(".")))
        };
        let ResolvedName::Symbols { symbols, used, .. } = self.find_thing(path)? else { return undeclared() };
        let functions: Vec<&Signature> = symbols
            .iter()
            .filter_map(|symbol| match symbol {
                Symbol::Subprogram(signature) if signature.result.is_some() => Some(&**signature),
                _ => None,
            })
            .collect();
        if functions.is_empty() || used < path.parts.len() {
            return undeclared();
        }
        let has_out = |signature: &&Signature| signature.parameters.iter().any(|each| each.mode != Mode::In);
        if functions.iter().all(has_out) {
            let name = path.parts.last().map_or("", |part| &*part.name);
            return Err(Fault::ora(0, 6572, format!("Function {name} has out arguments")));
        }
        Ok(())
    }
}
