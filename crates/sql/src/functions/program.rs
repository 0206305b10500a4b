//! PL/SQL functions as DataFusion functions: one call a row, in the statement's session.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use common::{Error, Result, limits};
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::DataType as ArrowType;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use engine::dictionary::Rights;
use plsql::compile::sql_call::SqlCall;
use scalar::{Datum, DatumType};

use super::rows::{Argument, Builder};
use crate::cursor::nested::{CallPlace, Caller, Nested};
use crate::error::{from_datafusion, to_datafusion};
use crate::types::ArrowForm;

/// A function that a statement calls, with the caller.
#[derive(Clone)]
pub(crate) struct Program {
    /// The name in the statement.
    pub(crate) name: String,
    pub(crate) call: Arc<SqlCall>,
    pub(crate) nested: Arc<Nested>,
    pub(crate) schema: String,
    pub(crate) rights: Rights,
    pub(crate) place: CallPlace,
}

impl Program {
    /// The call as an expression, and the kind of its result.
    pub(crate) fn call(self, arguments: Vec<(Expr, DatumType)>) -> (Expr, DatumType) {
        let result = self.call.result.datum_type().unwrap_or(DatumType::Varchar2);
        let (expressions, kinds): (Vec<Expr>, Vec<DatumType>) = arguments.into_iter().unzip();
        // Its result may change with each call, also with DETERMINISTIC.
        let signature = match kinds.len() {
            0 => Signature::nullary(Volatility::Volatile),
            count => Signature::any(count, Volatility::Volatile),
        };
        let udf = ScalarUDF::new_from_impl(ProgramFunction { program: self, kinds, result, signature, guarded: false });
        (Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(udf), expressions)), result)
    }
}

/// True: a program is called somewhere in the expression.
pub(crate) fn calls_program(expr: &Expr) -> bool {
    let is_program = |part: &Expr| {
        let Expr::ScalarFunction(call) = part else { return Ok(false) };
        let inner: &dyn std::any::Any = call.func.inner().as_ref();
        Ok(inner.is::<ProgramFunction>())
    };
    expr.exists(is_program).unwrap_or(false)
}

/// The expression with its programs called only for rows for which a condition is true; for others they give NULL.
pub(crate) fn called_where(expr: Expr, condition: &Expr) -> Expr {
    let unchanged = expr.clone();
    let guarded = expr.transform_up(|part| {
        let Expr::ScalarFunction(call) = &part else { return Ok(Transformed::no(part)) };
        let inner: &dyn std::any::Any = call.func.inner().as_ref();
        let Some(function) = inner.downcast_ref::<ProgramFunction>() else { return Ok(Transformed::no(part)) };
        let guarded = ProgramFunction {
            program: function.program.clone(),
            kinds: function.kinds.clone(),
            result: function.result,
            signature: Signature::any(function.kinds.len() + 1, Volatility::Volatile),
            guarded: true,
        };
        let arguments = std::iter::once(condition.clone()).chain(call.args.iter().cloned()).collect();
        let udf = Arc::new(ScalarUDF::new_from_impl(guarded));
        Ok(Transformed::yes(Expr::ScalarFunction(ScalarFunction::new_udf(udf, arguments))))
    });
    guarded.map_or(unchanged, |guarded| guarded.data)
}

pub(crate) struct ProgramFunction {
    /// The first argument is a condition: rows for which it is not true are skipped.
    guarded: bool,
    program: Program,
    kinds: Vec<DatumType>,
    result: DatumType,
    signature: Signature,
}

impl fmt::Debug for ProgramFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({:?}) -> {:?}", self.program.name, self.kinds, self.result)
    }
}

impl PartialEq for ProgramFunction {
    fn eq(&self, other: &Self) -> bool {
        let (own, theirs) = (&self.program, &other.program);
        own.name == theirs.name
            && Arc::ptr_eq(&own.call, &theirs.call)
            && Arc::ptr_eq(&own.nested, &theirs.nested)
            && own.schema == theirs.schema
            && own.rights == theirs.rights
            && own.place == theirs.place
            && self.kinds == other.kinds
            && self.guarded == other.guarded
    }
}

impl Eq for ProgramFunction {}

impl Hash for ProgramFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.program.name, &self.program.schema, &self.kinds, self.guarded).hash(state);
    }
}

impl ScalarUDFImpl for ProgramFunction {
    fn name(&self) -> &str {
        &self.program.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[ArrowType]) -> datafusion::common::Result<ArrowType> {
        Ok(self.result.arrow())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> datafusion::common::Result<ColumnarValue> {
        self.evaluate(&args.args, args.number_rows).map_err(to_datafusion)
    }
}

impl ProgramFunction {
    /// Rows come in batches: the session's programs are set up once for all of them.
    fn evaluate(&self, arguments: &[ColumnarValue], count: usize) -> Result<ColumnarValue> {
        let mut builder = Builder::new(self.result, count);
        if count == 0 {
            return Ok(ColumnarValue::Array(builder.finish()));
        }
        let (condition, arguments) = match arguments.split_first() {
            Some((condition, arguments)) if self.guarded => (Some(condition), arguments),
            _ => (None, arguments),
        };
        let condition = condition.map(|condition| condition.to_array(count)).transpose().map_err(from_datafusion)?;
        let condition = condition.as_ref().map(|condition| condition.as_boolean());
        let called = |row: usize| condition.is_none_or(|rows| rows.is_valid(row) && rows.value(row));
        if !(0..count).any(called) {
            return Ok(ColumnarValue::Scalar(self.result.null()));
        }
        let arguments = arguments.iter().map(Argument::new).collect::<Result<Vec<_>>>()?;
        let Program { call, nested, schema, rights, place, .. } = &self.program;
        let caller = Caller { schema, rights: rights.clone(), place: *place };
        let array = nested.call_as(&caller, |host, session| {
            let mut values = Vec::with_capacity(arguments.len());
            for row in 0..count {
                if !called(row) {
                    builder.append(&Datum::Null)?;
                    continue;
                }
                values.clear();
                for argument in &arguments {
                    values.push(argument.datum(row)?);
                }
                let value = session.call_from_sql(host, call, &values)?;
                check_length(&value)?;
                builder.append(&value)?;
            }
            Ok(builder.finish())
        })?;
        Ok(ColumnarValue::Array(array))
    }
}

/// SQL's texts are shorter than PL/SQL's.
fn check_length(value: &Datum) -> Result<()> {
    let (Datum::Varchar2(text) | Datum::Char(text)) = value else { return Ok(()) };
    if text.len() <= limits::VARCHAR2_BYTES_MAX {
        return Ok(());
    }
    Err(Error::user(6502, "PL/SQL: numeric or value error: character string buffer too small"))
}
