//! The machine: registers, frames, and the loop over instructions.

use std::sync::Arc;

use common::Result;
use scalar::{Context, Datum, functions};

use super::session::Session;
use crate::compile::op::{Builtin, Op};
use crate::compile::unit::Unit;
use crate::exception::{Raised, RunResult};
use crate::host::{Host, Mark};
use crate::value::scalar_type::value_error;
use crate::value::{ScalarType, Value, arithmetic, compare, convert};

/// A call that has not returned.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) unit: Arc<Unit>,
    pub(crate) function: usize,
    /// The unit's instance in the session.
    pub(crate) instance: usize,
    /// Where its registers begin on the stack.
    pub(crate) base: usize,
    /// The instruction to go on with.
    pub(crate) pc: usize,
    /// The frame of the enclosing subprogram.
    pub(crate) parent: u32,
    /// Exceptions that were being handled when it was called.
    pub(crate) handling: usize,
    /// It began a transaction of its own, which has not ended.
    pub(crate) autonomous: bool,
    /// Its unit's owner's rights count while it runs; before it, others did.
    pub(crate) rights: bool,
}

/// The iterations that FORALL has gathered.
#[derive(Debug, Default)]
pub(crate) struct ForAll {
    pub(crate) indexes: Vec<i64>,
    pub(crate) binds: Vec<Vec<Datum>>,
}

/// One call of the session, running.
pub(crate) struct Machine<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) host: &'a mut dyn Host,
    pub(crate) stack: Vec<Value>,
    pub(crate) frames: Vec<Frame>,
    /// Exceptions being handled, the innermost last.
    pub(crate) handling: Vec<Arc<Raised>>,
    pub(crate) context: Option<Arc<dyn Context>>,
    /// The rows of the last bulk query or RETURNING.
    pub(crate) rows: Vec<Vec<Datum>>,
    /// Mark before the statement of that RETURNING: a statement that returns too many rows is rolled back.
    pub(crate) before_returning: Option<Mark>,
    pub(crate) for_all: ForAll,
    /// Backward jumps and calls until the host is asked for a cancel.
    pub(crate) budget: u32,
}

/// See [`Machine::budget`].
pub(crate) const BUDGET: u32 = 256;

/// The session's settings, cached until something may have changed them.
pub(crate) fn settings<'c>(
    cache: &'c mut Option<Arc<dyn Context>>,
    host: &'c mut dyn Host,
) -> impl FnMut() -> Result<Arc<dyn Context>> + 'c {
    move || match cache {
        Some(context) => Ok(Arc::clone(context)),
        None => Ok(Arc::clone(cache.insert(host.context()?))),
    }
}

impl<'a> Machine<'a> {
    pub(crate) fn new(session: &'a mut Session, host: &'a mut dyn Host) -> Self {
        Self {
            session,
            host,
            stack: Vec::new(),
            frames: Vec::new(),
            handling: Vec::new(),
            context: None,
            rows: Vec::new(),
            before_returning: None,
            for_all: ForAll::default(),
            budget: BUDGET,
        }
    }

    /// Runs until only `floor` frames are left.
    pub(crate) fn run(&mut self, floor: usize) -> RunResult<()> {
        loop {
            match self.frames(floor) {
                Ok(()) => return Ok(()),
                Err(raised) => self.unwind(raised, floor)?,
            }
        }
    }

    fn tick(&mut self) -> Result<()> {
        self.budget = BUDGET;
        self.host.check()
    }

    pub(crate) fn text(&mut self, at: usize) -> Result<Arc<str>> {
        convert::text(&mut settings(&mut self.context, self.host), &self.stack[at])
    }

    fn frames(&mut self, floor: usize) -> RunResult<()> {
        'frame: loop {
            if self.frames.len() <= floor {
                return Ok(());
            }
            let frame = &self.frames[self.frames.len() - 1];
            let unit = Arc::clone(&frame.unit);
            let function = &unit.functions[frame.function];
            let ops = &function.ops[..];
            let base = frame.base;
            let mut pc = frame.pc;
            /// Raises a failure at this instruction.
            macro_rules! attempt {
                ($result:expr) => {
                    match $result {
                        Ok(value) => value,
                        Err(error) => {
                            self.save(pc);
                            return Err(error.into());
                        }
                    }
                };
            }
            macro_rules! register {
                ($register:expr) => {
                    self.stack[base + usize::from($register)]
                };
            }
            macro_rules! number {
                ($to:expr, $a:expr, $b:expr, $small:ident, $compute:path) => {
                    match (&register!($a), &register!($b)) {
                        (Value::Int(x), Value::Int(y)) if let Some(result) = x.$small(*y) => {
                            register!($to) = Value::Int(result);
                        }
                        (a, b) => {
                            let result = attempt!($compute(a, b));
                            register!($to) = result;
                        }
                    }
                };
            }
            macro_rules! integer {
                ($to:expr, $a:expr, $b:expr, $wrap:expr, $compute:expr) => {{
                    let result = attempt!(arithmetic::integer(&register!($a), &register!($b), $wrap, $compute));
                    register!($to) = result;
                }};
            }
            /// A jump backwards.
            macro_rules! back {
                ($target:expr) => {{
                    pc = $target as usize;
                    self.budget -= 1;
                    if self.budget == 0 {
                        attempt!(self.tick());
                    }
                }};
            }
            loop {
                let op = ops[pc];
                pc += 1;
                match op {
                    Op::Move { to, from } => {
                        let value = register!(from).clone();
                        register!(to) = value;
                    }
                    Op::Constant { to, constant } => register!(to) = unit.constants[constant as usize].clone(),
                    Op::Integer { to, value } => register!(to) = Value::Int(i64::from(value)),
                    Op::Null { to } => register!(to) = Value::Null,
                    Op::ClearFrom { first } => {
                        self.clear(base + usize::from(first), base + usize::from(function.registers))
                    }
                    Op::Load { to, place } => {
                        let value = attempt!(self.read(&unit.places[place as usize], base)).clone();
                        register!(to) = value;
                    }
                    Op::Store { place, from } => {
                        let value = register!(from).clone();
                        attempt!(self.store(&unit.places[place as usize], base, value));
                    }
                    Op::Field { to, record, field } => {
                        let value = match &register!(record) {
                            Value::Record(fields) => fields[usize::from(field)].clone(),
                            _ => Value::Null,
                        };
                        register!(to) = value;
                    }
                    Op::Element { to, collection, subscript } => {
                        let value = match &register!(collection) {
                            Value::Collection(elements) => attempt!(elements.get_by(&register!(subscript))).clone(),
                            _ => attempt!(Err(crate::value::collection::is_null())),
                        };
                        register!(to) = value;
                    }
                    Op::Coerce { to, from, scalar_type } => {
                        let value = register!(from).clone();
                        let value = attempt!(self.coerce(value, &unit.scalar_types[scalar_type as usize]));
                        register!(to) = value;
                    }
                    Op::NotNull { from } => {
                        if register!(from).is_null() {
                            attempt!(Err(value_error("")));
                        }
                    }
                    Op::Add { to, a, b } => number!(to, a, b, checked_add, arithmetic::add),
                    Op::Subtract { to, a, b } => number!(to, a, b, checked_sub, arithmetic::subtract),
                    Op::Multiply { to, a, b } => number!(to, a, b, checked_mul, arithmetic::multiply),
                    Op::AddConstant { to, a, by } => match &register!(a) {
                        Value::Int(x) if let Some(result) = x.checked_add(i64::from(by)) => {
                            register!(to) = Value::Int(result);
                        }
                        a => {
                            let result = attempt!(arithmetic::add(a, &Value::Int(i64::from(by))));
                            register!(to) = result;
                        }
                    },
                    Op::Divide { to, a, b } => {
                        let result = attempt!(arithmetic::divide(&register!(a), &register!(b)));
                        register!(to) = result;
                    }
                    Op::Power { to, a, b } => {
                        let result = attempt!(arithmetic::power(&register!(a), &register!(b)));
                        register!(to) = result;
                    }
                    Op::Negate { to, a } => {
                        let result = attempt!(arithmetic::negate(&register!(a)));
                        register!(to) = result;
                    }
                    Op::IntegerAdd { to, a, b, wrap } => integer!(to, a, b, wrap, |x, y| x + y),
                    Op::IntegerSubtract { to, a, b, wrap } => integer!(to, a, b, wrap, |x, y| x - y),
                    Op::IntegerMultiply { to, a, b, wrap } => integer!(to, a, b, wrap, |x, y| x * y),
                    Op::IntegerAddConstant { to, a, by, wrap } => {
                        let by = Value::Int(i64::from(by));
                        let result = attempt!(arithmetic::integer(&register!(a), &by, wrap, |x, y| x + y));
                        register!(to) = result;
                    }
                    Op::Concatenate { to, a, b } => {
                        let value = attempt!(self.concatenate(base + usize::from(a), base + usize::from(b)));
                        register!(to) = value;
                    }
                    Op::Compare { to, a, b, how } => {
                        let order = attempt!(compare::compare(&register!(a), &register!(b)));
                        register!(to) = order.map(|order| how.holds(order)).into();
                    }
                    Op::SameElements { to, a, b } => {
                        let same = attempt!(compare::same_elements(&register!(a), &register!(b)));
                        register!(to) = same.into();
                    }
                    Op::Not { to, a } => {
                        let value = match &register!(a) {
                            Value::Boolean(value) => Value::Boolean(!value),
                            _ => Value::Null,
                        };
                        register!(to) = value;
                    }
                    Op::And { to, a, b } => {
                        let value = match (&register!(a), &register!(b)) {
                            (Value::Boolean(false), _) | (_, Value::Boolean(false)) => Value::Boolean(false),
                            (Value::Boolean(true), Value::Boolean(true)) => Value::Boolean(true),
                            _ => Value::Null,
                        };
                        register!(to) = value;
                    }
                    Op::Or { to, a, b } => {
                        let value = match (&register!(a), &register!(b)) {
                            (Value::Boolean(true), _) | (_, Value::Boolean(true)) => Value::Boolean(true),
                            (Value::Boolean(false), Value::Boolean(false)) => Value::Boolean(false),
                            _ => Value::Null,
                        };
                        register!(to) = value;
                    }
                    Op::IsNull { to, a, not } => register!(to) = Value::Boolean(register!(a).is_null() != not),
                    Op::Like { to, first, escape } => {
                        let value = attempt!(self.like(base + usize::from(first), escape));
                        register!(to) = value;
                    }
                    Op::Jump { target } => pc = target as usize,
                    Op::Loop { target } => back!(target),
                    Op::JumpIfTrue { condition, target } => {
                        if matches!(register!(condition), Value::Boolean(true)) {
                            pc = target as usize;
                        }
                    }
                    Op::JumpIfFalse { condition, target } => {
                        if matches!(register!(condition), Value::Boolean(false)) {
                            pc = target as usize;
                        }
                    }
                    Op::JumpUnlessTrue { condition, target } => {
                        if !matches!(register!(condition), Value::Boolean(true)) {
                            pc = target as usize;
                        }
                    }
                    Op::JumpIfNull { value, target } => {
                        if register!(value).is_null() {
                            pc = target as usize;
                        }
                    }
                    Op::JumpIfCompare { a, b, how, target } => {
                        let order = attempt!(compare::compare(&register!(a), &register!(b)));
                        if order.is_some_and(|order| how.holds(order)) {
                            pc = target as usize;
                        }
                    }
                    Op::JumpUnlessCompare { a, b, how, target } => {
                        let order = attempt!(compare::compare(&register!(a), &register!(b)));
                        if !order.is_some_and(|order| how.holds(order)) {
                            pc = target as usize;
                        }
                    }
                    Op::JumpUnlessCompareConstant { a, how, b, target } => {
                        let order = attempt!(compare::compare(&register!(a), &Value::Int(i64::from(b))));
                        if !order.is_some_and(|order| how.holds(order)) {
                            pc = target as usize;
                        }
                    }
                    Op::ForPrepare { counter, limit, reverse, target } => {
                        let order = attempt!(compare::compare(&register!(counter), &register!(limit)));
                        let none = order.is_none_or(|order| if reverse { order.is_lt() } else { order.is_gt() });
                        if none {
                            pc = target as usize;
                        }
                    }
                    Op::ForNext { counter, limit, target } => {
                        if let (Value::Int(at), Value::Int(end)) = (&register!(counter), &register!(limit))
                            && at < end
                        {
                            let next = at + 1;
                            register!(counter) = Value::Int(next);
                            back!(target);
                        }
                    }
                    Op::ForNextReverse { counter, limit, target } => {
                        if let (Value::Int(at), Value::Int(end)) = (&register!(counter), &register!(limit))
                            && at > end
                        {
                            let next = at - 1;
                            register!(counter) = Value::Int(next);
                            back!(target);
                        }
                    }
                    Op::Scalar { to, function, first, count } => {
                        let (function, result) = unit.scalar_functions[function as usize];
                        let value = attempt!(self.scalar(function, result, base + usize::from(first), count));
                        register!(to) = value;
                    }
                    Op::Builtin { to, builtin, first, count } => {
                        let value = attempt!(self.builtin(builtin, base + usize::from(first), usize::from(count)));
                        register!(to) = value;
                    }
                    Op::Record { to, first, count } => {
                        let first = base + usize::from(first);
                        let value = Value::Record(self.stack[first..first + usize::from(count)].into());
                        register!(to) = value;
                    }
                    Op::Construct { to, first, count, kind } => {
                        let kind = unit.collection_kinds[kind as usize];
                        let value = attempt!(self.construct(base + usize::from(first), usize::from(count), kind));
                        register!(to) = value;
                    }
                    Op::Method { to, place, method, first, count } => {
                        let first = base + usize::from(first);
                        let place = &unit.places[place as usize];
                        let value = attempt!(self.method(place, base, method, first, usize::from(count)));
                        register!(to) = value;
                    }
                    Op::Missing { to, place } => {
                        let missing = attempt!(self.is_missing(&unit.places[place as usize], base));
                        register!(to) = Value::Boolean(missing);
                    }
                    Op::Call { function, first, levels } => {
                        self.save(pc);
                        let parent = self.parent(levels);
                        let instance = self.frames[self.frames.len() - 1].instance;
                        self.call(&unit, function as usize, instance, base + usize::from(first), parent)?;
                        continue 'frame;
                    }
                    Op::CallLinked { link, function, first } => {
                        self.save(pc);
                        self.call_linked(link, function as usize, base + usize::from(first))?;
                        continue 'frame;
                    }
                    Op::CallNative { native, first } => {
                        self.save(pc);
                        self.native(&unit.natives[native as usize], base + usize::from(first))?;
                    }
                    Op::Need { link } => {
                        self.save(pc);
                        if self.need(link)? {
                            continue 'frame;
                        }
                    }
                    Op::Return => {
                        self.save(pc);
                        self.leave()?;
                        continue 'frame;
                    }
                    Op::NoReturn => attempt!(Err(common::Error::user(6503, "PL/SQL: Function returned without value"))),
                    Op::Raise { exception } => {
                        self.save(pc);
                        return Err(Raised::named(&unit.exceptions[exception as usize].0));
                    }
                    Op::Reraise { .. } => {
                        self.save(pc);
                        return Err(self.reraised());
                    }
                    Op::Handling { depth } => self.handled(depth),
                    Op::CaseNotFound => {
                        let text = "CASE not found while executing CASE statement";
                        attempt!(Err(common::Error::user(6592, text)));
                    }
                    Op::Fetch { cursor, to, count, ahead, target } => {
                        let place = &unit.places[cursor as usize];
                        let to = base + usize::from(to);
                        if !attempt!(self.fetch(place, base, to, usize::from(count), ahead)) {
                            pc = target as usize;
                        }
                    }
                    Op::Returned { to, count, target } => {
                        if !attempt!(self.returned(base + usize::from(to), usize::from(count))) {
                            pc = target as usize;
                        }
                    }
                    other => {
                        self.save(pc);
                        self.sql_op(&unit, other, base)?;
                    }
                }
            }
        }
    }

    /// Saves the program counter of the running function.
    #[inline]
    pub(crate) fn save(&mut self, pc: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.pc = pc;
        }
    }

    pub(crate) fn clear(&mut self, from: usize, to: usize) {
        let to = to.min(self.stack.len());
        if let Some(values) = self.stack.get_mut(from..to) {
            values.fill(Value::Null);
        }
    }

    #[inline]
    fn coerce(&mut self, value: Value, to: &ScalarType) -> Result<Value> {
        convert::assign(&mut settings(&mut self.context, self.host), value, to)
    }

    fn concatenate(&mut self, a: usize, b: usize) -> Result<Value> {
        let joined = match (&self.stack[a], &self.stack[b]) {
            (Value::Null, Value::Null) => return Ok(Value::Null),
            (Value::Varchar2(x) | Value::Char(x), Value::Null) | (Value::Null, Value::Varchar2(x) | Value::Char(x)) => {
                return Ok(Value::Varchar2(Arc::clone(x)));
            }
            (Value::Varchar2(x) | Value::Char(x), Value::Varchar2(y) | Value::Char(y)) => join(x, y),
            _ => {
                let (x, y) = (self.text(a)?, self.text(b)?);
                join(&x, &y)
            }
        };
        if joined.len() > crate::value::scalar_type::LONGEST as usize {
            return Err(value_error("character string buffer too small"));
        }
        Ok(Value::varchar2(&joined))
    }

    fn like(&mut self, first: usize, escape: bool) -> Result<Value> {
        use scalar::text::like::Pattern;
        let part = |at: usize| self.stack[at].as_text();
        let (Some(value), Some(pattern)) = (part(first), part(first + 1)) else { return Ok(Value::Null) };
        if escape && part(first + 2).is_none() {
            return Ok(Value::Null);
        }
        let pattern = Pattern::new(pattern, if escape { part(first + 2) } else { None })?;
        Ok(Value::Boolean(pattern.matches(value)))
    }

    /// A function of `scalar`.
    pub(crate) fn scalar(
        &mut self,
        function: &'static functions::Function,
        result: scalar::DatumType,
        first: usize,
        count: u16,
    ) -> Result<Value> {
        let count = usize::from(count);
        let mut arguments: [Datum; 4] = Default::default();
        let mut more = Vec::new();
        let arguments: &[Datum] = if count <= arguments.len() {
            for (argument, value) in arguments.iter_mut().zip(&self.stack[first..first + count]) {
                *argument = value.to_datum().unwrap_or_default();
            }
            &arguments[..count]
        } else {
            more.extend(self.stack[first..first + count].iter().map(|value| value.to_datum().unwrap_or_default()));
            &more
        };
        if !function.deterministic {
            // The clock and the user are read again.
            self.context = None;
        }
        let context = settings(&mut self.context, self.host)()?;
        function.call_as(&*context, arguments, result).map(Value::from).map_err(convert::in_plsql)
    }

    fn builtin(&mut self, builtin: Builtin, first: usize, count: usize) -> RunResult<Value> {
        Ok(match builtin {
            Builtin::SqlCode => Value::Int(self.handling.last().map_or(0, |raised| i64::from(raised.code))),
            Builtin::SqlErrm => self.sqlerrm(first, count),
            Builtin::SysDate => Value::Date(self.host.context()?.now().date()),
            Builtin::SysTimestamp => {
                let now = scalar::column::round_fraction(&self.host.context()?.now(), 6)?;
                Value::Timestamp(now.timestamp())
            }
            Builtin::Mod => arithmetic::modulo(&self.stack[first], &self.stack[first + 1])?,
            Builtin::Nvl => {
                let at = if self.stack[first].is_null() { first + 1 } else { first };
                match self.stack[at].clone() {
                    Value::Char(text) => Value::Varchar2(text),
                    value => value,
                }
            }
            Builtin::RegexpLike => {
                let arguments: Vec<Datum> =
                    self.stack[first..first + count].iter().map(|value| value.to_datum().unwrap_or_default()).collect();
                let context = settings(&mut self.context, self.host)()?;
                let condition = scalar::conditions::lookup("REGEXP_LIKE")
                    .ok_or_else(|| common::Error::bug("REGEXP_LIKE is not there"))?;
                (condition.call)(&*context, &arguments)?.into()
            }
            Builtin::Updating => {
                let (Value::Collection(columns), Some(name)) = (&self.stack[first], self.stack[first + 1].as_text())
                else {
                    return Ok(Value::Boolean(false));
                };
                Value::Boolean(columns.exists(&crate::value::Key::Text(name.to_uppercase().into())))
            }
            Builtin::RaiseApplicationError => return Err(self.application_error(first, count)?),
        })
    }

    /// Registers of the caller's frame, for what is called from outside.
    pub(crate) fn registers(&mut self, count: usize) -> usize {
        let base = self.stack.len();
        self.stack.resize(base + count, Value::Null);
        base
    }
}

fn join(a: &str, b: &str) -> String {
    let mut joined = String::with_capacity(a.len() + b.len());
    joined.push_str(a);
    joined.push_str(b);
    joined
}
