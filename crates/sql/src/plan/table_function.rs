//! Functions in FROM: `TABLE(DBMS_XPLAN.DISPLAY)`.

use common::{Error, Result};
use sqlparser::ast::{self, TableAlias};

use super::binder::{Binder, Relation, Source, fold, fold_name};
use super::from::{FromContext, FromItem, alias_name, provided};
use super::function::Call;
use super::scope::Scope;
use crate::functions;

impl Binder<'_> {
    /// A function in FROM: its rows.
    pub(super) fn table_function(
        &self,
        called: &ast::Expr,
        alias: Option<&TableAlias>,
        cx: &mut FromContext<'_>,
    ) -> Result<FromItem> {
        let mut arguments = Vec::new();
        let path = match called {
            ast::Expr::CompoundIdentifier(parts) => parts.iter().map(fold).collect(),
            ast::Expr::Function(function) => {
                let call = Call::new(function)?;
                for (e, name) in call.arguments.iter().zip(&call.names) {
                    let value = self.value(e, &Scope::default())?;
                    arguments.push((name.clone(), functions::evaluate::datum(&value.expr)?));
                }
                fold_name(&function.name)?
            }
            _ => Vec::new(),
        };
        let relation = self.cx.tables.table_function(&path, &arguments)?;
        let Some(Relation { owner: _, columns, source: Source::Provider(provider) }) = relation else {
            return Err(Error::unsupported(format!("in FROM: TABLE({called})")));
        };
        // Without an alias no name qualifies its columns.
        let known = alias_name(alias)?.unwrap_or_else(|| self.unique_name("TABLE"));
        provided(provider, (known, None), &columns, cx)
    }
}

/// A function with its arguments in FROM without TABLE.
pub(super) fn called(name: &ast::ObjectName, args: &[ast::FunctionArg]) -> ast::Function {
    let list = ast::FunctionArgumentList { duplicate_treatment: None, args: args.to_vec(), clauses: Vec::new() };
    ast::Function {
        name: name.clone(),
        uses_odbc_syntax: false,
        parameters: ast::FunctionArguments::None,
        args: ast::FunctionArguments::List(list),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: Vec::new(),
    }
}
