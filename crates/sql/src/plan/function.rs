//! Function calls: special forms, aggregates, window functions, and the scalar library.

use std::sync::Arc;

use common::{Error, Number, Result};
use datafusion::functions_aggregate::grouping::grouping_udaf;
use datafusion::functions_aggregate::{count::count_udaf, min_max::max_udaf, min_max::min_udaf};
use datafusion::logical_expr::expr::{AggregateFunction, Sort};
use datafusion::logical_expr::{AggregateUDF, Expr, Operator, binary_expr};
use sqlparser::ast::{
    self, DuplicateTreatment, FunctionArg, FunctionArgExpr, FunctionArgOperator, FunctionArgumentClause,
    FunctionArguments,
};

use plsql::run::HostType;
use scalar::functions::Argument;
use scalar::{DatumType, Function};

use super::binder::{AGGREGATES_NESTED_MAX, Binder, fold, fold_name};
use super::bound::{Bound, null};
use super::scope::Scope;
use super::window;
use crate::error::from_datafusion;
use crate::functions::{self, aggregate::Measure, listagg};
use crate::statement::spelling::first_of_list;
use crate::types::{ArrowForm, literal};

/// The parsed arguments of a call.
pub(crate) struct Call<'e> {
    pub(crate) name: String,
    pub(crate) arguments: Vec<&'e ast::Expr>,
    /// The name of each argument, if given by name.
    pub(crate) names: Vec<Option<String>>,
    pub(crate) distinct: bool,
    /// `COUNT(*)`.
    pub(crate) star: bool,
    pub(crate) ignore_nulls: bool,
    /// WITHIN GROUP (ORDER BY …).
    pub(crate) within_group: &'e [ast::OrderByExpr],
}

impl<'e> Call<'e> {
    pub(crate) fn new(function: &'e ast::Function) -> Result<Self> {
        let ast::Function { name, uses_odbc_syntax, parameters, args, filter, null_treatment, over: _, within_group } =
            function;
        if *uses_odbc_syntax || filter.is_some() || !matches!(parameters, FunctionArguments::None) {
            return Err(Error::unsupported(format!("this form of function call: {function}")));
        }
        let mut call = Self {
            name: fold_name(name)?.join("."),
            arguments: Vec::new(),
            names: Vec::new(),
            distinct: false,
            star: false,
            ignore_nulls: matches!(null_treatment, Some(ast::NullTreatment::IgnoreNulls)),
            within_group,
        };
        let list = match args {
            FunctionArguments::None => return Ok(call),
            FunctionArguments::List(list) => list,
            FunctionArguments::Subquery(_) => {
                return Err(Error::unsupported(format!("a subquery as the argument list of {}", call.name)));
            }
        };
        call.distinct = matches!(list.duplicate_treatment, Some(DuplicateTreatment::Distinct));
        for clause in &list.clauses {
            match clause {
                FunctionArgumentClause::IgnoreOrRespectNulls(treatment) => {
                    call.ignore_nulls = *treatment == ast::NullTreatment::IgnoreNulls;
                }
                // LISTAGG's default.
                FunctionArgumentClause::OnOverflow(ast::ListAggOnOverflow::Error) if call.name == listagg::NAME => {}
                other => return Err(Error::unsupported(format!("{other} in {}", call.name))),
            }
        }
        for argument in &list.args {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(e)) => {
                    call.arguments.push(e);
                    call.names.push(None);
                }
                FunctionArg::Named {
                    name,
                    arg: FunctionArgExpr::Expr(e),
                    operator: FunctionArgOperator::RightArrow,
                } if !is_built_in(&call.name) => {
                    call.arguments.push(e);
                    call.names.push(Some(fold(name)));
                }
                FunctionArg::Unnamed(FunctionArgExpr::Wildcard) if call.name == "COUNT" => call.star = true,
                other => return Err(Error::unsupported(format!("argument {other} in {}", call.name))),
            }
        }
        Ok(call)
    }
}

/// Functions of SQL itself; any other name can only be a program's.
fn is_built_in(name: &str) -> bool {
    is_aggregate(name) || matches!(name, "LEVEL" | "PRIOR" | "LNNVL") || functions::library::exists(name)
}

/// Names of the aggregates.
pub(crate) fn aggregates() -> impl Iterator<Item = &'static str> {
    let others = ["COUNT", "GROUPING", "GROUPING_ID", listagg::NAME, "MAX", "MIN"];
    others.into_iter().chain(Measure::ALL.map(Measure::name))
}

fn is_aggregate(name: &str) -> bool {
    aggregates().any(|known| known == name)
}

impl Binder<'_> {
    pub(crate) fn function(&self, function: &ast::Function, scope: &Scope<'_>) -> Result<Bound> {
        if let Some(value) = first_of_list(function) {
            return self.value(value, scope);
        }
        let call = Call::new(function)?;
        let narrower =
            (function.over.is_some() || is_aggregate(&call.name)).then(|| scope.inside_aggregate()).flatten();
        let scope = narrower.as_ref().unwrap_or(scope);
        if let Some(over) = &function.over {
            return self.window_function(&call, over, scope);
        }
        if is_aggregate(&call.name) {
            let allowed = self.aggregates_allowed.get();
            if allowed == 0 {
                return Err(Error::user(934, format!("group function is not allowed here: {}", call.name)));
            }
            self.aggregates_allowed.set(allowed - 1);
            let bound = self.aggregate(&call, scope);
            self.aggregates_allowed.set(allowed);
            return bound.map_err(|error| match error {
                // The error is about the aggregate inside this one, which is itself inside another.
                error if error.is_ora(934) && allowed < AGGREGATES_NESTED_MAX => Error {
                    text: error.text.replace("is not allowed here", "is nested too deeply"),
                    number: Number::Ora(935),
                    ..error
                },
                error => error,
            });
        }
        if !function.within_group.is_empty() || call.distinct {
            return Err(Error::unsupported(format!("{function}")));
        }
        let arguments = call.arguments.iter().map(|e| self.value(e, scope));
        let known = scalar::functions::called(&call.name);
        if let Some(function) = known.filter(|function| function.special_form) {
            function.check_arguments(call.arguments.len())?;
        }
        match call.name.as_str() {
            "NVL" => {
                let mut values = arguments.collect::<Result<Vec<_>>>()?;
                // The first argument's kind is the result's; a text beside a number or a date is converted.
                if values[0].kind != DatumType::Null && values[0].kind != values[1].kind {
                    let kind = if values[0].kind == DatumType::Char { DatumType::Varchar2 } else { values[0].kind };
                    let second = values.remove(1);
                    let first = values.remove(0);
                    values = vec![self.convert(first, kind)?, self.convert(second, kind)?];
                }
                self.first_not_null("NVL", values)
            }
            "NVL2" => {
                let mut values = arguments.collect::<Result<Vec<_>>>()?;
                let given = Expr::IsNotNull(Box::new(values.remove(0).expr));
                self.choose(vec![given], values)
            }
            "COALESCE" => {
                let values = arguments.collect::<Result<Vec<_>>>()?;
                // Values behind one that is not NULL are not evaluated; for harmless ones a shorter call does.
                if values[1..].iter().all(|value| functions::not_null::is_harmless(&value.expr)) {
                    return self.first_not_null("COALESCE", values);
                }
                self.first_of_failing(values)
            }
            "NULLIF" => {
                let values = arguments.collect::<Result<Vec<_>>>()?;
                self.null_if(&values[0], &values[1])
            }
            "DECODE" => self.decode(arguments.collect::<Result<Vec<_>>>()?),
            "LEVEL" | "PRIOR" => Err(Error::unsupported(call.name)),
            // A text literal is a CHAR, as DUMP shows.
            "DUMP" => {
                let mut values = arguments.collect::<Result<Vec<_>>>()?;
                if let Some(first) = values.first_mut().filter(|first| first.text_literal) {
                    *first = self.convert(first.clone(), DatumType::Char)?;
                }
                self.call("DUMP", values)
            }
            _ => {
                let values = arguments.collect::<Result<Vec<_>>>()?;
                let ident = function.name.0.first().and_then(|part| part.as_ident());
                let path = fold_name(&function.name)?;
                let result = if known.is_some() {
                    self.call(&call.name, values)
                } else if self.cx.tables.is_program(&path) {
                    self.program(&path, call.names, values)
                } else if window::exists(&call.name) {
                    let text = format!("missing window specification for this function: {}", call.name);
                    Err(Error::user(30484, text))
                } else {
                    Err(functions::library::unknown(&call.name))
                };
                match ident {
                    Some(ident) => result.map_err(|error| self.at(error, ident.span)),
                    None => result,
                }
            }
        }
    }

    /// The first of the values that is not NULL, the values unified.
    pub(super) fn first_not_null(&self, name: &'static str, values: Vec<Bound>) -> Result<Bound> {
        let bytes = values.iter().map(|value| value.bytes).max().unwrap_or(4000);
        let nullable = values.iter().all(|value| value.nullable);
        let values = self.unify(values)?;
        let kind = values[0].kind;
        let expr = functions::not_null::first(name, values.into_iter().map(|value| value.expr).collect());
        let mut bound = Bound::new(expr, kind).bytes(bytes);
        bound.nullable = nullable;
        Ok(bound)
    }

    /// COALESCE whose later values may fail: each is evaluated only where all before it are NULL.
    fn first_of_failing(&self, values: Vec<Bound>) -> Result<Bound> {
        let bytes = values.iter().map(|value| value.bytes).max().unwrap_or(4000);
        let nullable = values.iter().all(|value| value.nullable);
        let mut values = self.unify(values)?;
        let Some(last) = values.pop() else { return Err(Error::bug("COALESCE of nothing")) };
        let kind = last.kind;
        let expr = values.into_iter().rev().fold(last.expr, |otherwise, value| match value.expr {
            // These may occur twice at no cost, and the planner knows CASE.
            plain @ (Expr::Column(_) | Expr::Literal(..) | Expr::OuterReferenceColumn(..)) => {
                let given = Expr::IsNotNull(Box::new(plain.clone()));
                functions::branches::case(None, vec![(given, plain)], otherwise, kind)
            }
            value => functions::coalesce::coalesce(value, otherwise),
        });
        let mut bound = Bound::new(expr, kind).bytes(bytes);
        bound.nullable = nullable;
        Ok(bound)
    }

    /// `NULLIF(a, b)`.
    fn null_if(&self, a: &Bound, b: &Bound) -> Result<Bound> {
        let (left, right) = self.comparable(a.clone(), b.clone())?;
        let found = |expr| Bound { expr, nullable: true, text_literal: false, declared: None, ..a.clone() };
        if a.kind == DatumType::Null {
            return self.choose(vec![binary_expr(left, Operator::Eq, right)], vec![null(), a.clone()]);
        }
        if left == a.expr {
            return Ok(found(functions::not_null::null_if(left, right)));
        }
        if matches!(a.expr, Expr::Literal(..)) {
            return self.choose(vec![binary_expr(left, Operator::Eq, right)], vec![null(), a.clone()]);
        }
        // The compared form is made of the value, which occurs once.
        let value = functions::coalesce::argument(0);
        let (left, right) = self.comparable(Bound { expr: value, ..a.clone() }, b.clone())?;
        functions::coalesce::null_if(a.expr.clone(), a.kind, left, right).map(found).map_err(from_datafusion)
    }

    /// `DECODE(value, search, result, … [, otherwise])`: two NULLs are equal here.
    fn decode(&self, mut values: Vec<Bound>) -> Result<Bound> {
        let value = values.remove(0);
        let mut searched = Vec::new();
        let mut results = Vec::new();
        let mut rest = values.into_iter();
        let mut otherwise = null();
        // All values are compared in the kind of the first search value.
        let mut compared: Option<DatumType> = None;
        while let Some(search) = rest.next() {
            let Some(result) = rest.next() else {
                otherwise = search;
                break;
            };
            let kind = *compared.get_or_insert(match search.kind {
                DatumType::Null => value.kind,
                DatumType::Char => DatumType::Varchar2,
                kind => kind,
            });
            searched.push(self.convert(search, kind)?.expr);
            results.push(result);
        }
        // The value occurs once, however many it is compared with.
        let kind = compared.unwrap_or(value.kind);
        let value = self.convert(value, kind)?.expr;
        let never_null = |search: &Expr| matches!(search, Expr::Literal(value, _) if !value.is_null());
        let (value, searched) = if searched.iter().all(never_null) {
            (value, searched)
        } else {
            let key = |expr| functions::not_null::key(expr, kind);
            (key(value), searched.into_iter().map(key).collect())
        };
        // The first result's kind is the kind of all; NULL counts as text.
        let kind = match results[0].kind {
            DatumType::Null | DatumType::Char => DatumType::Varchar2,
            kind => kind,
        };
        results.push(otherwise);
        let bytes = results.iter().map(|result| result.bytes).max().unwrap_or(4000);
        let results = results.into_iter().map(|result| self.convert(result, kind)).collect::<Result<Vec<_>>>()?;
        Ok(self.choose_by(Some(value), searched, results)?.bytes(bytes))
    }

    /// A function of the scalar library.
    pub(crate) fn call(&self, name: &str, arguments: Vec<Bound>) -> Result<Bound> {
        let function = functions::library::named(name)?;
        let bytes = result_bytes(function, &arguments);
        let arguments = arguments.into_iter().map(|bound| (bound.expr, bound.kind)).collect();
        let (expr, kind) = functions::library::call(function, arguments, self.context())?;
        Ok(Bound::new(expr, kind).bytes(bytes))
    }

    /// A function of PL/SQL.
    pub(crate) fn program(&self, path: &[String], names: Vec<Option<String>>, values: Vec<Bound>) -> Result<Bound> {
        if self.programs_refused.get() {
            let text = format!("procedure, function, package, or type is not allowed here: {}", path.join("."));
            return Err(Error::user(4044, text));
        }
        let arguments = names.into_iter().zip(&values).map(|(name, value)| {
            let host_type = (value.kind != DatumType::Null).then_some(HostType::Any(value.kind));
            (name.map(Into::into), host_type)
        });
        let Some(program) = self.cx.tables.program(path, arguments.collect())? else {
            let name = path.iter().map(|part| format!("\"{part}\"")).collect::<Vec<_>>().join(".");
            return Err(Error::user(904, format!("{name}: invalid identifier")));
        };
        let (expr, kind) = program.call(values.into_iter().map(|bound| (bound.expr, bound.kind)).collect());
        Ok(Bound::new(expr, kind))
    }

    pub(crate) fn call_condition(&self, name: &str, arguments: Vec<Bound>) -> Result<Expr> {
        let arguments = arguments.into_iter().map(|bound| bound.expr).collect();
        functions::condition::call(name, arguments, self.context())?
            .ok_or_else(|| Error::unsupported(format!("condition {name}")))
    }

    /// A function as a condition: REGEXP_LIKE; None when there is none of that name.
    pub(crate) fn condition_function(&self, function: &ast::Function, scope: &Scope<'_>) -> Result<Option<Expr>> {
        let call = Call::new(function)?;
        if call.name == "LNNVL" {
            let [inner] = call.arguments.as_slice() else {
                return Err(Error::user(909, "invalid number of arguments for LNNVL"));
            };
            return Ok(Some(Expr::IsNotTrue(Box::new(self.condition(inner, scope)?))));
        }
        let arguments = call.arguments.iter().map(|e| Ok(self.value(e, scope)?.expr)).collect::<Result<Vec<_>>>()?;
        functions::condition::call(&call.name, arguments, self.context())
    }

    /// The function of an aggregate's name, its arguments, and the kind of its result; COUNT's result still has to
    /// become NUMBER.
    pub(crate) fn aggregate_parts(
        &self,
        call: &Call<'_>,
        scope: &Scope<'_>,
    ) -> Result<(Arc<AggregateUDF>, Vec<Expr>, DatumType, u32)> {
        if call.name == listagg::NAME {
            return self.listagg(call, scope);
        }
        if !call.within_group.is_empty() {
            return Err(Error::unsupported(format!("{} … WITHIN GROUP", call.name)));
        }
        if call.name == "COUNT" {
            let argument = match call.arguments.as_slice() {
                [] if call.star => Expr::Literal(datafusion::common::ScalarValue::Int64(Some(1)), None),
                [e] => self.value(e, scope)?.expr,
                _ => return Err(Error::user(909, "invalid number of arguments for COUNT")),
            };
            return Ok((count_udaf(), vec![argument], DatumType::Number, 40));
        }
        let arguments = call.arguments.iter().map(|e| self.value(e, scope)).collect::<Result<Vec<_>>>()?;
        if matches!(call.name.as_str(), "GROUPING" | "GROUPING_ID") {
            if arguments.is_empty() || (call.name == "GROUPING" && arguments.len() > 1) {
                return Err(Error::user(909, format!("invalid number of arguments for {}", call.name)));
            }
            let arguments = arguments.into_iter().map(|bound| bound.expr).collect();
            return Ok((grouping_udaf(), arguments, DatumType::Number, 40));
        }
        if matches!(call.name.as_str(), "MIN" | "MAX") {
            let [value] = arguments.as_slice() else {
                return Err(Error::user(909, format!("invalid number of arguments for {}", call.name)));
            };
            let udaf = if call.name == "MIN" { min_udaf() } else { max_udaf() };
            return Ok((udaf, vec![value.expr.clone()], value.kind, value.bytes));
        }
        let measure = Measure::by_name(&call.name)
            .ok_or_else(|| Error::user(904, format!("\"{}\": invalid identifier", call.name)))?;
        let function = functions::aggregate::function(measure, self.context());
        let [value] = arguments.as_slice() else {
            return Err(Error::user(909, format!("invalid number of arguments for {}", call.name)));
        };
        Ok((function, vec![self.convert(value.clone(), DatumType::Number)?.expr], DatumType::Number, 40))
    }

    /// LISTAGG's function and arguments: text, separator, sort keys. DISTINCT is the function's own.
    fn listagg(&self, call: &Call<'_>, scope: &Scope<'_>) -> Result<(Arc<AggregateUDF>, Vec<Expr>, DatumType, u32)> {
        let values = call.arguments.iter().map(|e| self.value(e, scope)).collect::<Result<Vec<_>>>()?;
        let first = values.first().map(|value| value.expr.clone());
        let mut arguments = Vec::new();
        for value in values {
            arguments.push(self.convert(value, DatumType::Varchar2)?.expr);
        }
        match arguments.len() {
            0 => return Err(Error::user(938, "not enough arguments for function LISTAGG")),
            1 => arguments.push(Expr::Literal(DatumType::Varchar2.null(), None)),
            2 => {}
            _ => return Err(Error::user(939, "too many arguments for function LISTAGG")),
        }
        let mut order = Vec::new();
        for key in self.sort_keys(call.within_group, scope)? {
            if call.distinct && Some(&key.expr) != first.as_ref() {
                return Err(Error::unsupported("LISTAGG (DISTINCT …) in the order of something else than its texts"));
            }
            order.push(listagg::Direction { ascending: key.asc, nulls_first: key.nulls_first });
            arguments.push(key.expr);
        }
        Ok((listagg::function(order, call.distinct), arguments, DatumType::Varchar2, 4000))
    }

    fn aggregate(&self, call: &Call<'_>, scope: &Scope<'_>) -> Result<Bound> {
        let (function, arguments, kind, bytes) = self.aggregate_parts(call, scope)?;
        let expr = Expr::AggregateFunction(AggregateFunction::new_udf(
            function,
            arguments,
            call.distinct && call.name != listagg::NAME,
            None,
            Vec::new(),
            None,
        ));
        let counted = matches!(call.name.as_str(), "COUNT" | "GROUPING" | "GROUPING_ID");
        let expr = if counted { functions::integer::to_number(expr) } else { expr };
        Ok(Bound::new(expr, kind).bytes(bytes))
    }

    /// ORDER BY of an aggregate or a window, over the columns in scope.
    pub(crate) fn sort_keys(&self, order: &[ast::OrderByExpr], scope: &Scope<'_>) -> Result<Vec<Sort>> {
        order
            .iter()
            .map(|key| {
                if key.with_fill.is_some() {
                    return Err(Error::unsupported("WITH FILL"));
                }
                let (ascending, nulls_first) = direction(&key.options);
                Ok(Sort::new(self.value(&key.expr, scope)?.expr, ascending, nulls_first))
            })
            .collect()
    }
}

/// Ascending, and whether NULLs come first: they are the largest value.
pub(crate) fn direction(options: &ast::OrderByOptions) -> (bool, bool) {
    let ascending = options.asc.unwrap_or(true);
    (ascending, options.nulls_first.unwrap_or(!ascending))
}

/// Upper bound of the bytes of a function's result, as text: the length of a column that is made of the call.
pub(super) fn result_bytes(function: &Function, arguments: &[Bound]) -> u32 {
    let known = |bound: &Bound| Argument {
        datum_type: bound.kind,
        bytes: bound.bytes,
        integer: literal::as_integer(&bound.expr),
    };
    function.result_bytes(&arguments.iter().map(known).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use scalar::functions::{lookup, unsupported};

    use super::{aggregates, is_aggregate};

    #[test]
    fn no_aggregate_is_listed_as_unsupported() {
        let listed: Vec<_> = unsupported::functions().filter(|name| is_aggregate(name)).collect();
        assert!(listed.is_empty(), "{listed:?}");
        assert!(aggregates().all(|name| lookup(name).is_none()));
    }
}
