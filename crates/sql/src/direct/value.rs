//! Expressions over one row, evaluated value by value: compiled from the planner's, with the same functions.
//!
//! What is not known here (a subquery, a function of PL/SQL, a sequence) compiles to nothing, and its statement goes
//! the long way.

use common::{BlockAddress, DataType, Error, Result, Rowid};
use datafusion::common::{Column, ScalarValue};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};
use scalar::conditions::Condition;
use scalar::{Context, Datum, DatumType, Function, load};
use scan::{Comparison, Truth};

use crate::functions::blank::BlankTrim;
use crate::functions::coercion::Conversion;
use crate::functions::condition::LibraryCondition;
use crate::functions::library::LibraryFunction;
use crate::functions::operators::Operators;
use crate::functions::{coalesce, integer, not_null, rows};
use crate::plan::parameter;
use crate::scan::predicate::comparison;
use crate::types::of_arrow;

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Constant(Datum),
    /// A bind variable, by its position among the statement's, and its name.
    Parameter(usize, Box<str>),
    /// A column, by its position among those that are read.
    Column(usize, DataType),
    /// ROWID of a table of the join, by its number from the outermost.
    Rowid(usize),
    /// An aggregate over all rows, by its position.
    Computed(usize),
    Call(&'static Function, Vec<Self>, DatumType),
    Convert(Box<Conversion>, Box<Self>),
    /// CHAR as VARCHAR2, a DATE as TIMESTAMP and the like: the same value under another type.
    As(DatumType, Box<Self>),
    /// A CHAR value without its trailing blanks.
    Trimmed(Box<Self>),
    Case(Vec<(Test, Self)>, Box<Self>),
    /// The first that is not NULL; under the name of its function.
    First(&'static str, Vec<Self>),
    NullIf(Box<Self>, Box<Self>),
}

/// A condition.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    Compare(Comparison, Value, Value),
    IsNull(Value),
    Within(Value, Vec<Value>),
    Condition(&'static Condition, Vec<Value>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Not(Box<Self>),
    Constant(Truth),
}

/// The columns that an expression may name, and where they are read.
pub(crate) trait Places {
    /// The place of a column; None when it is none of these.
    fn place(&self, column: &Column) -> Option<Value>;
}

/// No columns: for values that are the same for all rows.
#[derive(Debug)]
pub(crate) struct NoColumns;

impl Places for NoColumns {
    fn place(&self, _: &Column) -> Option<Value> {
        None
    }
}

/// What an expression is evaluated over.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub(crate) context: &'a dyn Context,
    pub(crate) parameters: &'a [Datum],
    /// The columns that are read, as stored.
    pub(crate) columns: &'a [Option<&'a [u8]>],
    /// The rowids of the joined rows, from the outermost.
    pub(crate) rowids: &'a [Rowid],
    pub(crate) computed: &'a [Datum],
}

impl<'a> Inputs<'a> {
    /// What is the same for all rows.
    pub(crate) fn of_statement(context: &'a dyn Context, parameters: &'a [Datum]) -> Self {
        Self { context, parameters, columns: &[], rowids: &[], computed: &[] }
    }
}

impl Value {
    /// Compiles an expression.
    pub(crate) fn of(expr: &Expr, places: &dyn Places) -> Option<Self> {
        Some(match expr {
            Expr::Alias(alias) => Self::of(&alias.expr, places)?,
            Expr::Column(column) => places.place(column)?,
            // The empty value is no NULL here: it is what is left of blanks, or DECODE's key of NULL.
            Expr::Literal(ScalarValue::Utf8(Some(text)), _) if text.is_empty() => {
                Self::Constant(Datum::Varchar2(String::new()))
            }
            Expr::Literal(ScalarValue::LargeUtf8(Some(text)), _) if text.is_empty() => {
                Self::Constant(Datum::Char(String::new()))
            }
            Expr::Literal(ScalarValue::Binary(Some(bytes)) | ScalarValue::LargeBinary(Some(bytes)), _)
                if bytes.is_empty() =>
            {
                Self::Constant(Datum::Raw(Vec::new()))
            }
            Expr::Literal(value, _) => Self::Constant(rows::from_scalar(value).ok()?),
            Expr::Placeholder(placeholder) => {
                Self::Parameter(parameter::position(placeholder)?, parameter::name(placeholder).into())
            }
            Expr::Cast(cast) => {
                let kind = of_arrow(cast.field.data_type())?;
                Self::As(kind, Box::new(Self::of(&cast.expr, places)?))
            }
            Expr::Case(case) => {
                let compared = match &case.expr {
                    // Evaluated once for each branch: it must be the same each time.
                    Some(compared) if compared.is_volatile() => return None,
                    Some(compared) => Some(Self::of(compared, places)?),
                    None => None,
                };
                let mut branches = Vec::with_capacity(case.when_then_expr.len());
                for (when, then) in &case.when_then_expr {
                    let test = match &compared {
                        Some(value) => Test::Compare(Comparison::Equal, value.clone(), Self::of(when, places)?),
                        None => Test::of(when, places)?,
                    };
                    branches.push((test, Self::of(then, places)?));
                }
                let otherwise = match &case.else_expr {
                    Some(otherwise) => Self::of(otherwise, places)?,
                    None => Self::Constant(Datum::Null),
                };
                Self::Case(branches, Box::new(otherwise))
            }
            Expr::ScalarFunction(call) => Self::of_call(call, places)?,
            _ => return None,
        })
    }

    fn of_call(call: &ScalarFunction, places: &dyn Places) -> Option<Self> {
        let function: &dyn std::any::Any = call.func.inner().as_ref();
        let arguments = || call.args.iter().map(|argument| Self::of(argument, places)).collect::<Option<Vec<_>>>();
        let one = || Some(Box::new(Self::of(call.args.first()?, places)?));
        if let Some(library) = function.downcast_ref::<LibraryFunction>() {
            return Some(Self::Call(library.function, arguments()?, library.result));
        }
        if let Some(conversion) = function.downcast_ref::<Conversion>() {
            return Some(Self::Convert(Box::new(conversion.clone()), one()?));
        }
        if function.is::<BlankTrim>() {
            return Some(Self::Trimmed(one()?));
        }
        if let Some((name, arguments)) = not_null::of_first(call) {
            let values = arguments.iter().map(|argument| Self::of(argument, places));
            return Some(Self::First(name, values.collect::<Option<Vec<_>>>()?));
        }
        if let Some((a, b)) = not_null::of_null_if(call) {
            return Some(Self::NullIf(Box::new(Self::of(a, places)?), Box::new(Self::of(b, places)?)));
        }
        if let Some(arguments) = coalesce::of_coalesce(call) {
            let values = arguments.iter().map(|argument| Self::of(argument, places));
            return Some(Self::First(coalesce::CHOICE, values.collect::<Option<Vec<_>>>()?));
        }
        if integer::is_to_number(call) {
            return Some(*one()?);
        }
        if let Some(operators) = function.downcast_ref::<Operators>() {
            let mut operands = arguments()?.into_iter();
            let first = operands.next()?;
            return Some(
                operators
                    .each()
                    .zip(operands)
                    .fold(first, |left, ((function, result), right)| Self::Call(function, vec![left, right], result)),
            );
        }
        None
    }

    /// True: it is the same for all rows of an execution.
    pub(crate) fn is_of_statement(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Parameter(..) => true,
            Self::Column(..) | Self::Rowid(_) | Self::Computed(_) | Self::Case(..) => false,
            Self::First(..) | Self::NullIf(..) => false,
            Self::Call(function, arguments, _) => function.deterministic && arguments.iter().all(Self::is_of_statement),
            Self::Convert(_, value) | Self::As(_, value) | Self::Trimmed(value) => value.is_of_statement(),
        }
    }

    /// False: it may have another value when it is evaluated again for a row.
    pub(crate) fn is_deterministic(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Parameter(..) | Self::Column(..) | Self::Rowid(_) | Self::Computed(_) => true,
            Self::Case(..) | Self::First(..) | Self::NullIf(..) => false,
            Self::Call(function, arguments, _) => {
                function.deterministic && arguments.iter().all(Self::is_deterministic)
            }
            Self::Convert(_, value) | Self::As(_, value) | Self::Trimmed(value) => value.is_deterministic(),
        }
    }

    /// The same where `width` columns, and `number` tables, stand before its own.
    pub(crate) fn moved(&self, width: usize, number: usize) -> Self {
        let moved = |value: &Self| value.moved(width, number);
        match self {
            Self::Column(at, data_type) => Self::Column(at + width, *data_type),
            Self::Rowid(own) => Self::Rowid(own + number),
            Self::Constant(_) | Self::Parameter(..) | Self::Computed(_) => self.clone(),
            Self::Call(function, arguments, result) => {
                Self::Call(function, arguments.iter().map(moved).collect(), *result)
            }
            Self::Convert(conversion, value) => Self::Convert(conversion.clone(), Box::new(moved(value))),
            Self::As(kind, value) => Self::As(*kind, Box::new(moved(value))),
            Self::Trimmed(value) => Self::Trimmed(Box::new(moved(value))),
            Self::Case(branches, otherwise) => {
                let branches = branches.iter().map(|(when, then)| (when.moved(width, number), moved(then)));
                Self::Case(branches.collect(), Box::new(moved(otherwise)))
            }
            Self::First(name, values) => Self::First(name, values.iter().map(moved).collect()),
            Self::NullIf(a, b) => Self::NullIf(Box::new(moved(a)), Box::new(moved(b))),
        }
    }

    /// # Errors
    /// Errors of functions and conversions; stored bytes that are no value of the column's type.
    pub(crate) fn evaluate(&self, inputs: &Inputs<'_>) -> Result<Datum> {
        match self {
            Self::Constant(value) => Ok(value.clone()),
            Self::Parameter(at, _) => {
                let value = inputs.parameters.get(*at);
                value.cloned().ok_or_else(|| Error::bug(format!("no bind variable at {at}")))
            }
            Self::Column(at, data_type) => load(inputs.columns.get(*at).copied().flatten(), *data_type),
            Self::Rowid(number) => {
                // A row that is not there has no block.
                let rowid = inputs.rowids.get(*number).filter(|rowid| rowid.block != BlockAddress::NONE);
                Ok(rowid.map_or(Datum::Null, |rowid| Datum::varchar2(rowid.to_string())))
            }
            Self::Computed(at) => Ok(inputs.computed.get(*at).cloned().unwrap_or_default()),
            Self::Call(function, arguments, result) => {
                let value = match arguments.as_slice() {
                    [] => function.call(inputs.context, &[])?,
                    [one] => function.call(inputs.context, &[one.evaluate(inputs)?])?,
                    [one, other] => function.call(inputs.context, &[one.evaluate(inputs)?, other.evaluate(inputs)?])?,
                    more => {
                        let values = more.iter().map(|argument| argument.evaluate(inputs));
                        function.call(inputs.context, &values.collect::<Result<Vec<_>>>()?)?
                    }
                };
                typed(value, *result)
            }
            Self::Convert(conversion, value) => {
                typed(conversion.convert_in(inputs.context, &value.evaluate(inputs)?)?, conversion.result())
            }
            Self::As(kind, value) => typed(value.evaluate(inputs)?, *kind),
            Self::Trimmed(value) => Ok(match value.evaluate(inputs)? {
                Datum::Char(mut text) | Datum::Varchar2(mut text) => {
                    text.truncate(text.trim_end_matches(' ').len());
                    Datum::Char(text)
                }
                other => other,
            }),
            Self::Case(branches, otherwise) => {
                for (when, then) in branches {
                    if when.evaluate(inputs)? == Truth::True {
                        return then.evaluate(inputs);
                    }
                }
                otherwise.evaluate(inputs)
            }
            Self::First(_, values) => {
                for value in values {
                    let value = value.evaluate(inputs)?;
                    if !value.is_null() {
                        return Ok(value);
                    }
                }
                Ok(Datum::Null)
            }
            Self::NullIf(a, b) => {
                let a = a.evaluate(inputs)?;
                let equal = compared(Comparison::Equal, &a, &b.evaluate(inputs)?) == Truth::True;
                Ok(if equal { Datum::Null } else { a })
            }
        }
    }
}

/// A value in the form that a column of the planner's arrays gives back for the type.
pub(crate) fn typed(value: Datum, kind: DatumType) -> Result<Datum> {
    match (value, kind) {
        (Datum::Null, _) => Ok(Datum::Null),
        (Datum::Char(text), DatumType::Null | DatumType::Varchar2 | DatumType::Rowid) => Ok(Datum::varchar2(text)),
        (Datum::Varchar2(text), DatumType::Char) => Ok(Datum::character(text)),
        (value @ (Datum::Varchar2(_) | Datum::Number(_) | Datum::Char(_) | Datum::Date(_) | Datum::Raw(_)), kind)
            if value.datum_type() == kind =>
        {
            Ok(value)
        }
        (value, kind) => rows::from_scalar(&rows::to_scalar(&value, kind)?),
    }
}

impl Test {
    /// Compiles a condition.
    pub(crate) fn of(expr: &Expr, places: &dyn Places) -> Option<Self> {
        Some(match expr {
            Expr::Alias(alias) => Self::of(&alias.expr, places)?,
            Expr::Literal(ScalarValue::Boolean(value), _) => Self::Constant(value.map_or(Truth::Unknown, Truth::from)),
            Expr::Not(inner) => Self::Not(Box::new(Self::of(inner, places)?)),
            Expr::IsNull(inner) => Self::IsNull(Value::of(inner, places)?),
            Expr::IsNotNull(inner) => Self::Not(Box::new(Self::IsNull(Value::of(inner, places)?))),
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
                Self::And(Box::new(Self::of(left, places)?), Box::new(Self::of(right, places)?))
            }
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
                Self::Or(Box::new(Self::of(left, places)?), Box::new(Self::of(right, places)?))
            }
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
                Self::Compare(comparison(*op)?, Value::of(left, places)?, Value::of(right, places)?)
            }
            Expr::InList(list) => {
                let items = list.list.iter().map(|item| Value::of(item, places)).collect::<Option<Vec<_>>>()?;
                let within = Self::Within(Value::of(&list.expr, places)?, items);
                if list.negated { Self::Not(Box::new(within)) } else { within }
            }
            Expr::Between(between) => {
                let value = Value::of(&between.expr, places)?;
                let above = Self::Compare(Comparison::GreaterOrEqual, value.clone(), Value::of(&between.low, places)?);
                let below = Self::Compare(Comparison::LessOrEqual, value, Value::of(&between.high, places)?);
                let both = Self::And(Box::new(above), Box::new(below));
                if between.negated { Self::Not(Box::new(both)) } else { both }
            }
            Expr::ScalarFunction(call) => {
                let function: &dyn std::any::Any = call.func.inner().as_ref();
                let library = function.downcast_ref::<LibraryCondition>()?;
                let arguments = call.args.iter().map(|argument| Value::of(argument, places));
                Self::Condition(library.condition(), arguments.collect::<Option<Vec<_>>>()?)
            }
            _ => return None,
        })
    }

    /// The same where `width` columns, and `number` tables, stand before its own.
    pub(crate) fn moved(&self, width: usize, number: usize) -> Self {
        let value = |value: &Value| value.moved(width, number);
        let test = |test: &Self| Box::new(test.moved(width, number));
        match self {
            Self::Compare(comparison, left, right) => Self::Compare(*comparison, value(left), value(right)),
            Self::IsNull(inner) => Self::IsNull(value(inner)),
            Self::Within(inner, list) => Self::Within(value(inner), list.iter().map(value).collect()),
            Self::Condition(condition, list) => Self::Condition(condition, list.iter().map(value).collect()),
            Self::And(left, right) => Self::And(test(left), test(right)),
            Self::Or(left, right) => Self::Or(test(left), test(right)),
            Self::Not(inner) => Self::Not(test(inner)),
            Self::Constant(truth) => Self::Constant(*truth),
        }
    }

    /// # Errors
    /// As [`Value::evaluate`].
    pub(crate) fn evaluate(&self, inputs: &Inputs<'_>) -> Result<Truth> {
        Ok(match self {
            Self::Constant(value) => *value,
            Self::Compare(comparison, left, right) => {
                compared(*comparison, &left.evaluate(inputs)?, &right.evaluate(inputs)?)
            }
            Self::IsNull(value) => value.evaluate(inputs)?.is_null().into(),
            Self::Within(value, list) => {
                let value = value.evaluate(inputs)?;
                let mut any = Truth::False;
                for item in list {
                    match compared(Comparison::Equal, &value, &item.evaluate(inputs)?) {
                        Truth::True => return Ok(Truth::True),
                        Truth::Unknown => any = Truth::Unknown,
                        Truth::False => {}
                    }
                }
                any
            }
            Self::Condition(condition, arguments) => {
                let values = arguments.iter().map(|argument| argument.evaluate(inputs)).collect::<Result<Vec<_>>>()?;
                (condition.call)(inputs.context, &values)?.map_or(Truth::Unknown, Truth::from)
            }
            Self::And(left, right) => match left.evaluate(inputs)? {
                Truth::False => Truth::False,
                Truth::True => right.evaluate(inputs)?,
                Truth::Unknown => match right.evaluate(inputs)? {
                    Truth::False => Truth::False,
                    _ => Truth::Unknown,
                },
            },
            Self::Or(left, right) => match left.evaluate(inputs)? {
                Truth::True => Truth::True,
                Truth::False => right.evaluate(inputs)?,
                Truth::Unknown => match right.evaluate(inputs)? {
                    Truth::True => Truth::True,
                    _ => Truth::Unknown,
                },
            },
            Self::Not(inner) => !inner.evaluate(inputs)?,
        })
    }
}

/// A comparison of two values of one type: by their stored bytes, which are in order.
fn compared(comparison: Comparison, left: &Datum, right: &Datum) -> Truth {
    match (left.as_stored(), right.as_stored()) {
        (Some(left), Some(right)) => comparison.holds(left, right).into(),
        // An empty text without its blanks is no NULL.
        _ => Truth::Unknown,
    }
}
