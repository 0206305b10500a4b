//! Expressions.

use common::Result;
use scalar::{Function, functions};

use super::Compiler;
use super::convert::{Operand, Typed};
use super::error::{Compiled, fault, unsupported, wrong_arguments, wrong_type};
use super::op::{Op, Register};
use super::types::Type;
use super::unit::line_and_column;
use crate::ast::{At, Binary, Expr, ExprKind, Unary};
use crate::value::{ScalarKind, ScalarType, Value, arithmetic};

impl Compiler<'_> {
    /// The value of an expression. `to` is a register for it; the value may also be elsewhere already.
    pub(crate) fn expression(&mut self, expression: &Expr, to: Option<Register>) -> Compiled<Typed> {
        let at = expression.at;
        match &expression.kind {
            ExprKind::Null => Ok(Typed::value(Value::Null, Type::Null)),
            ExprKind::Boolean(value) => Ok(Typed::value(Value::Boolean(*value), ScalarType::BOOLEAN)),
            ExprKind::Number(text) => number_literal(text, at),
            ExprKind::Text(text) => Ok(match Value::character(text) {
                Value::Null => Typed::value(Value::Null, Type::CHAR),
                value => Typed::value(value, Type::CHAR),
            }),
            ExprKind::Inquiry(name) => self.inquiry(name, at),
            ExprKind::Date(text) => self.datetime_literal(text, at, ScalarType::DATE),
            ExprKind::Timestamp(text) => self.datetime_literal(text, at, ScalarType::TIMESTAMP),
            ExprKind::Path(_) | ExprKind::Bind(_) | ExprKind::Field(..) | ExprKind::Call { .. } => {
                let designated = self.designate(expression)?;
                self.value_of(designated, at, to)
            }
            ExprKind::CursorAttribute(cursor, which) => self.cursor_attribute(cursor, *which, to),
            ExprKind::Subscripted(which, subscript) => self.bulk_attribute(*which, subscript.as_deref(), to),
            ExprKind::Unary(Unary::Plus, inner) => {
                let value = self.expression(inner, to)?;
                self.numeric(value, inner.at, "+")
            }
            ExprKind::Unary(Unary::Minus, inner) => self.negate(inner, to),
            ExprKind::Unary(Unary::Not, inner) => {
                let value = self.expression(inner, None)?;
                let value = self.convert(value, &Type::BOOLEAN, inner.at, None)?;
                let a = self.in_register(&value, None)?;
                let to = self.destination(to)?;
                self.emit(Op::Not { to, a });
                Ok(Typed::register(to, ScalarType::BOOLEAN))
            }
            ExprKind::Binary(operator, left, right) => self.binary(*operator, left, right, at, to),
            ExprKind::Like { not, value, pattern, escape } => self.like(*not, value, pattern, escape.as_deref(), to),
            ExprKind::Between { not, value, low, high } => self.between(*not, value, low, high, at),
            ExprKind::In { not, value, list } => self.in_list(*not, value, list, at),
            ExprKind::IsNull { not, value } => self.is_null(*not, value, to),
            ExprKind::Cast { value, data_type } => {
                let wanted = self.type_of_name(data_type)?;
                let value = self.expression(value, None)?;
                let operand = self.convert(value, &wanted, at, None)?;
                Ok(Typed { operand, data_type: wanted })
            }
            ExprKind::Case { value, branches, otherwise } => {
                self.case(value.as_deref(), branches, otherwise.as_deref())
            }
        }
    }

    pub(crate) fn destination(&mut self, to: Option<Register>) -> Compiled<Register> {
        match to {
            Some(to) => Ok(to),
            None => self.allocate(),
        }
    }

    /// `$$PLSQL_UNIT`, `$$PLSQL_UNIT_OWNER`, `$$PLSQL_LINE`: of a block the first two are NULL, as the name of the unit
    /// is there.
    fn inquiry(&mut self, name: &str, at: At) -> Compiled<Typed> {
        let text = |text: &str| match Value::character(text) {
            Value::Null => Typed::value(Value::Null, Type::CHAR),
            value => Typed::value(value, Type::CHAR),
        };
        match name {
            "PLSQL_UNIT" => Ok(text(&self.unit.name)),
            "PLSQL_UNIT_OWNER" => Ok(text(if self.unit.name.is_empty() { "" } else { &self.unit.owner })),
            "PLSQL_LINE" => {
                let source = match &self.unit.body_source {
                    Some(body) if self.in_body => body,
                    _ => &self.unit.source,
                };
                number_literal(&line_and_column(source, at).0.to_string(), at)
            }
            _ => unsupported(at, format_args!("the inquiry directive $${name}")),
        }
    }

    fn datetime_literal(&mut self, text: &str, at: At, scalar: ScalarType) -> Compiled<Typed> {
        use scalar::date::{format::Format, parse};
        let context = scalar::context::FixedContext::default();
        let is_date = scalar.kind == ScalarKind::Date;
        let format = if is_date { "YYYY-MM-DD" } else { "YYYY-MM-DD HH24:MI:SS.FF" };
        let parsed = Format::parse(format).and_then(|format| parse::parse(&context, text, &format));
        match parsed {
            Ok(Some(moment)) => {
                let value = if is_date { Value::Date(moment.date()) } else { Value::Timestamp(moment.timestamp()) };
                Ok(Typed::value(value, scalar))
            }
            Ok(None) => Ok(Typed::value(Value::Null, scalar)),
            Err(error) => Err(super::error::of_sql(at, &common::Error { position: None, ..error })),
        }
    }

    /// As a number: texts are converted.
    pub(crate) fn numeric(&mut self, value: Typed, at: At, operator: &str) -> Compiled<Typed> {
        match &value.data_type {
            Type::Null => Ok(Typed::value(Value::Null, ScalarType::INTEGER)),
            found if found.is_numeric() => Ok(value),
            found if found.is_text() => {
                let operand = self.convert(value, &Type::NUMBER, at, None)?;
                Ok(Typed { operand, data_type: Type::NUMBER })
            }
            Type::Unknown => wrong_type(at),
            _ => wrong_arguments(at, operator),
        }
    }

    fn negate(&mut self, inner: &Expr, to: Option<Register>) -> Compiled<Typed> {
        let value = self.expression(inner, None)?;
        let value = self.numeric(value, inner.at, "-")?;
        if let Some(constant) = value.constant()
            && let Ok(negated) = arithmetic::negate(constant)
        {
            return Ok(literal(negated));
        }
        let a = self.in_register(&value.operand, None)?;
        let to = self.destination(to)?;
        self.emit(Op::Negate { to, a });
        if value.data_type.is_integer() {
            // -(-2147483648) is too large for it.
            return Ok(Typed::register(to, ScalarType::NUMBER));
        }
        Ok(Typed::register(to, ScalarType::NUMBER))
    }

    fn binary(&mut self, operator: Binary, left: &Expr, right: &Expr, at: At, to: Option<Register>) -> Compiled<Typed> {
        match operator {
            Binary::And | Binary::Or => self.logical(operator, left, right),
            Binary::Concatenate => self.concatenate(left, right, to),
            Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide | Binary::Power => {
                let a = self.expression(left, None)?;
                let b = self.expression(right, None)?;
                self.arithmetic(operator, a, b, at, to)
            }
            _ => {
                let how = super::condition::comparison(operator).unwrap_or(super::op::CompareOp::Equal);
                let (a, b) = self.compared(left, right, how, at)?;
                let to = self.destination(to)?;
                match b {
                    super::condition::Compared::Values(b) => {
                        self.emit(Op::Compare { to, a, b, how });
                    }
                    super::condition::Compared::Collections(b) => {
                        self.emit(Op::SameElements { to, a, b });
                        if how == super::op::CompareOp::NotEqual {
                            self.emit(Op::Not { to, a: to });
                        }
                    }
                }
                Ok(Typed::register(to, ScalarType::BOOLEAN))
            }
        }
    }

    fn arithmetic(&mut self, operator: Binary, a: Typed, b: Typed, at: At, to: Option<Register>) -> Compiled<Typed> {
        let sign = sign(operator);
        if a.data_type.is_datetime() || b.data_type.is_datetime() {
            let Some(function) = functions::lookup(sign) else { return super::error::undeclared(at, sign) };
            return self.scalar_function(function, vec![(a, at), (b, at)], at, to);
        }
        let a = self.numeric(a, at, sign)?;
        let b = self.numeric(b, at, sign)?;
        let integers = a.data_type.is_integer() && b.data_type.is_integer();
        if let (Some(x), Some(y)) = (a.constant(), b.constant())
            && let Some(folded) = fold(operator, x, y, integers)
        {
            return Ok(literal(folded));
        }
        let wraps = |value: &Typed| matches!(value.data_type.kind(), Some(ScalarKind::Integer { wrap: true }));
        // A literal beside a SIMPLE_INTEGER is one too.
        let wrap = integers && (wraps(&a) || a.constant().is_some()) && (wraps(&b) || b.constant().is_some());
        let result = if integers { ScalarType::from(ScalarKind::Integer { wrap }) } else { ScalarType::NUMBER };
        let small = |value: &Typed| match value.constant() {
            Some(Value::Int(number)) => i32::try_from(*number).ok().filter(|number| *number != i32::MIN),
            _ => None,
        };
        match (operator, small(&a), small(&b)) {
            (Binary::Add, _, Some(by)) => return self.add_constant(&a, by, result, to),
            (Binary::Add, Some(by), _) => return self.add_constant(&b, by, result, to),
            (Binary::Subtract, _, Some(by)) => return self.add_constant(&a, -by, result, to),
            _ => {}
        }
        let a = self.in_register(&a.operand, None)?;
        let b = self.in_register(&b.operand, None)?;
        let to = self.destination(to)?;
        self.emit(match (operator, integers) {
            (Binary::Add, true) => Op::IntegerAdd { to, a, b, wrap },
            (Binary::Subtract, true) => Op::IntegerSubtract { to, a, b, wrap },
            (Binary::Multiply, true) => Op::IntegerMultiply { to, a, b, wrap },
            (Binary::Add, false) => Op::Add { to, a, b },
            (Binary::Subtract, false) => Op::Subtract { to, a, b },
            (Binary::Multiply, false) => Op::Multiply { to, a, b },
            (Binary::Divide, _) => Op::Divide { to, a, b },
            _ => Op::Power { to, a, b },
        });
        let exact = matches!(operator, Binary::Divide | Binary::Power);
        Ok(Typed::register(to, if exact { ScalarType::NUMBER } else { result }))
    }

    fn add_constant(&mut self, to_what: &Typed, by: i32, result: ScalarType, to: Option<Register>) -> Compiled<Typed> {
        let a = self.in_register(&to_what.operand, None)?;
        let to = self.destination(to)?;
        self.emit(match result.kind {
            ScalarKind::Integer { wrap } => Op::IntegerAddConstant { to, a, by, wrap },
            _ => Op::AddConstant { to, a, by },
        });
        Ok(Typed::register(to, result))
    }

    fn concatenate(&mut self, left: &Expr, right: &Expr, to: Option<Register>) -> Compiled<Typed> {
        let a = self.expression(left, None)?;
        let b = self.expression(right, None)?;
        for (value, part) in [(&a, left), (&b, right)] {
            let fits = matches!(&value.data_type, Type::Null | Type::Scalar(_)) && !value.data_type.is_boolean();
            if !fits {
                return wrong_arguments(part.at, "||");
            }
        }
        if let (Some(x), Some(y)) = (a.constant(), b.constant())
            && let (Some(x), Some(y)) = (x.as_text(), y.as_text())
        {
            return Ok(Typed::value(Value::varchar2(&format!("{x}{y}")), Type::VARCHAR2));
        }
        let a = self.in_register(&a.operand, None)?;
        let b = self.in_register(&b.operand, None)?;
        let to = self.destination(to)?;
        self.emit(Op::Concatenate { to, a, b });
        Ok(Typed::register(to, ScalarType::VARCHAR2))
    }

    fn like(
        &mut self,
        not: bool,
        value: &Expr,
        pattern: &Expr,
        escape: Option<&Expr>,
        to: Option<Register>,
    ) -> Compiled<Typed> {
        let parts: Vec<&Expr> = [value, pattern].into_iter().chain(escape).collect();
        let first = self.allocate_many(parts.len())?;
        for (at, part) in parts.iter().enumerate() {
            let place = first + at as Register;
            let value = self.expression(part, Some(place))?;
            let value = self.convert(value, &Type::VARCHAR2, part.at, Some(place))?;
            self.move_to(&value, place);
        }
        let to = self.destination(to)?;
        self.emit(Op::Like { to, first, escape: escape.is_some() });
        if not {
            self.emit(Op::Not { to, a: to });
        }
        Ok(Typed::register(to, ScalarType::BOOLEAN))
    }

    fn is_null(&mut self, not: bool, value: &Expr, to: Option<Register>) -> Compiled<Typed> {
        let value_at = value.at;
        let value = self.expression(value, None)?;
        if matches!(value.data_type, Type::Record(_)) {
            return wrong_arguments(value_at, "IS NULL");
        }
        let a = self.in_register(&value.operand, None)?;
        let to = self.destination(to)?;
        self.emit(Op::IsNull { to, a, not });
        Ok(Typed::register(to, ScalarType::BOOLEAN))
    }

    /// CASE: each branch puts its value into one register; conversions follow once all types are known.
    fn case(&mut self, value: Option<&Expr>, branches: &[(Expr, Expr)], otherwise: Option<&Expr>) -> Compiled<Typed> {
        let to = self.allocate()?;
        let selector = match value {
            Some(selector) => {
                let found = self.expression(selector, None)?;
                let register = self.allocate()?;
                self.move_to(&found.operand, register);
                Some((Typed::register(register, found.data_type), selector.at))
            }
            None => None,
        };
        let end = self.label();
        let mut results: Vec<(usize, Type, At)> = Vec::new();
        for (when, then) in branches {
            let mark = self.mark();
            let next = self.label();
            match &selector {
                Some((selector, at)) => self.branch_unless_equal(selector.clone(), *at, when, next)?,
                None => self.branch(when, false, next)?,
            }
            self.case_result(then, to, &mut results)?;
            self.jump(end);
            self.bind(next);
            self.release(mark);
        }
        match otherwise {
            Some(otherwise) => self.case_result(otherwise, to, &mut results)?,
            None => {
                self.emit(Op::Null { to });
            }
        }
        self.bind(end);
        let common = common_type(&results)?;
        for (op, data_type, at) in results {
            if matches!(data_type, Type::Null) {
                continue;
            }
            if data_type.distance(&common).is_none() {
                return wrong_type(at);
            }
            if let Type::Scalar(scalar) = &common
                && data_type.kind().is_some_and(|kind| !crate::value::convert::same_family(&kind, &scalar.kind))
            {
                let scalar_type = self.scalar_type(*scalar);
                self.state().ops[op] = Op::Coerce { to, from: to, scalar_type };
            }
        }
        Ok(Typed::register(to, common))
    }

    fn case_result(&mut self, result: &Expr, to: Register, results: &mut Vec<(usize, Type, At)>) -> Compiled<()> {
        let mark = self.mark();
        let value = self.expression(result, Some(to))?;
        self.move_to(&value.operand, to);
        // Room for a conversion.
        let op = self.emit(Op::Move { to, from: to });
        self.release(mark);
        results.push((op, value.data_type, result.at));
        Ok(())
    }
}

/// One type for the branches of a CASE.
fn common_type(results: &[(usize, Type, At)]) -> Compiled<Type> {
    let mut common = Type::Null;
    for (_, next, at) in results {
        common = match (&common, next) {
            (Type::Null, next) => next.unconstrained(),
            (_, Type::Null) => common,
            (Type::Scalar(a), Type::Scalar(b)) => match (a.kind, b.kind) {
                (ScalarKind::Integer { .. }, ScalarKind::Number { .. }) => Type::NUMBER,
                (a, b) if a == b => common,
                (ScalarKind::Char(_) | ScalarKind::Varchar2(_), ScalarKind::Char(_) | ScalarKind::Varchar2(_)) => {
                    Type::VARCHAR2
                }
                (ScalarKind::Date, ScalarKind::Timestamp(_)) => Type::Scalar(ScalarType::TIMESTAMP),
                (ScalarKind::Boolean, _) | (_, ScalarKind::Boolean) if a.kind != b.kind => return wrong_type(*at),
                _ => common,
            },
            _ => common,
        };
    }
    Ok(common)
}

fn sign(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        _ => "**",
    }
}

/// A number that the compiler computed: PLS_INTEGER where it is one.
fn literal(value: Value) -> Typed {
    let small = matches!(value, Value::Int(number) if i32::try_from(number).is_ok());
    Typed::value(value, if small { ScalarType::INTEGER } else { ScalarType::NUMBER })
}

fn number_literal(text: &str, at: At) -> Compiled<Typed> {
    if text.ends_with(['d', 'D', 'f', 'F']) {
        return unsupported(at, format_args!("the BINARY_DOUBLE or BINARY_FLOAT literal {text}"));
    }
    match format::number::parse(text) {
        Ok(number) => Ok(literal(Value::from(number))),
        Err(_) => fault(at, 569, format_args!("numeric overflow or underflow: {text}")),
    }
}

/// Folds an operation; None when it fails, so that it fails at run time.
fn fold(operator: Binary, a: &Value, b: &Value, integers: bool) -> Option<Value> {
    let folded: Result<Value> = match (operator, integers) {
        (Binary::Add, true) => arithmetic::integer(a, b, false, |a, b| a + b),
        (Binary::Subtract, true) => arithmetic::integer(a, b, false, |a, b| a - b),
        (Binary::Multiply, true) => arithmetic::integer(a, b, false, |a, b| a * b),
        (Binary::Add, false) => arithmetic::add(a, b),
        (Binary::Subtract, false) => arithmetic::subtract(a, b),
        (Binary::Multiply, false) => arithmetic::multiply(a, b),
        (Binary::Divide, _) => arithmetic::divide(a, b),
        _ => arithmetic::power(a, b),
    };
    folded.ok().filter(|value| !value.is_null())
}

impl Compiler<'_> {
    /// A call of a function of `scalar` with known values.
    pub(crate) fn scalar_function(
        &mut self,
        function: &'static Function,
        arguments: Vec<(Typed, At)>,
        at: At,
        to: Option<Register>,
    ) -> Compiled<Typed> {
        let name = function.name;
        let mut types = Vec::with_capacity(arguments.len());
        for (value, at) in &arguments {
            types.push(match &value.data_type {
                Type::Null => scalar::DatumType::Null,
                Type::Scalar(scalar) => match scalar.datum_type() {
                    Some(data_type) => data_type,
                    None => return wrong_arguments(*at, name),
                },
                _ => return wrong_arguments(*at, name),
            });
        }
        let result = match function.result_type(&types) {
            Ok(result) => result,
            Err(error) if error.is_own(1) => return Err(super::error::of_sql(at, &error)),
            Err(_) => return wrong_arguments(at, name),
        };
        let first = self.allocate_many(arguments.len())?;
        for (place, (value, _)) in arguments.iter().enumerate() {
            self.move_to(&value.operand, first + place as Register);
        }
        let to = self.destination(to)?;
        let known = self
            .unit
            .scalar_functions
            .iter()
            .position(|(known, data_type)| std::ptr::eq(*known, function) && *data_type == result);
        let index = known.unwrap_or_else(|| {
            self.unit.scalar_functions.push((function, result));
            self.unit.scalar_functions.len() - 1
        });
        self.emit(Op::Scalar { to, function: index as u32, first, count: arguments.len() as u16 });
        Ok(Typed { operand: Operand::Register(to), data_type: type_of_datum(result) })
    }
}

fn type_of_datum(data_type: scalar::DatumType) -> Type {
    use scalar::DatumType;
    match data_type {
        DatumType::Null => Type::Null,
        DatumType::Number => Type::NUMBER,
        DatumType::Varchar2 => Type::VARCHAR2,
        DatumType::Char => Type::CHAR,
        DatumType::Date => Type::Scalar(ScalarType::DATE),
        DatumType::Timestamp => Type::Scalar(ScalarType::TIMESTAMP),
        DatumType::Raw => Type::Scalar(ScalarType::RAW),
        DatumType::Rowid => Type::Scalar(ScalarType::from(ScalarKind::Rowid)),
    }
}
