//! Subprograms of the supplied packages: those that need the session alone are implemented here, the others by the
//! host.

use common::{Error, Result};
use scalar::{Datum, functions};

use super::machine::{Machine, settings};
use crate::ast::Mode;
use crate::compile::unit::{CollectionKind, Native};
use crate::exception::RunResult;
use crate::value::scalar_type::value_error;
use crate::value::{Value, convert};

/// Default of DBMS_OUTPUT.ENABLE in bytes, and its limits.
const OUTPUT_BYTES: i64 = 20_000;
const OUTPUT_BYTES_LEAST: i64 = 2_000;

impl Machine<'_> {
    /// The arguments are in registers from `first` on, the result goes behind them.
    pub(crate) fn native(&mut self, native: &Native, first: usize) -> RunResult<()> {
        let count = native.parameters.len();
        if self.own(&native.name, first, count)? {
            return Ok(());
        }
        if let Some(function) =
            functions::lookup(&native.name).filter(|function| function.check_arguments(count).is_ok())
        {
            let result = native.result.and_then(|result| result.datum_type()).unwrap_or(scalar::DatumType::Null);
            let value = self.scalar(function, result, first, count as u16)?;
            self.stack[first + count] = value;
            return Ok(());
        }
        self.native_of_host(native, first)
    }

    fn native_of_host(&mut self, native: &Native, first: usize) -> RunResult<()> {
        let count = native.parameters.len();
        let mut arguments = Vec::with_capacity(count);
        for value in &self.stack[first..first + count] {
            arguments.push(match value {
                // SQL has no BOOLEAN: 1 and 0.
                Value::Boolean(value) => Datum::integer(i64::from(*value)),
                other => other.to_datum().ok_or_else(|| Error::bug("an argument that the host does not know"))?,
            });
        }
        let result = self.host.native(self.session, &native.name, &mut arguments);
        // It may have set NLS parameters, or run programs that did.
        self.context = None;
        let result = result?;
        for (place, ((mode, scalar), argument)) in native.parameters.iter().zip(arguments).enumerate() {
            if *mode == Mode::In {
                continue;
            }
            let value = match scalar {
                Some(scalar) => self.host_value(argument, scalar)?,
                None => Value::from(argument),
            };
            self.stack[first + place] = value;
        }
        if let Some(scalar) = &native.result {
            self.stack[first + count] = self.host_value(result, scalar)?;
        }
        Ok(())
    }

    fn host_value(&mut self, datum: Datum, scalar: &crate::value::ScalarType) -> Result<Value> {
        if scalar.kind == crate::value::ScalarKind::Boolean {
            return Ok(match Value::from(datum) {
                Value::Null => Value::Null,
                Value::Int(0) => Value::Boolean(false),
                _ => Value::Boolean(true),
            });
        }
        convert::assign(&mut settings(&mut self.context, self.host), Value::from(datum), scalar)
    }

    /// Runs a subprogram that needs no host; false when it does.
    fn own(&mut self, name: &str, first: usize, count: usize) -> RunResult<bool> {
        let Some((package, program)) = name.split_once('.') else { return Ok(false) };
        match package {
            "DBMS_OUTPUT" => self.output(program, first, count),
            "DBMS_UTILITY" => self.utility(program, first, count),
            "DBMS_RANDOM" if program == "NORMAL" => {
                let number = normal(&*self.host.context()?);
                self.stack[first + count] = format::number::encode_f64(number).map_or(Value::Null, Value::from);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn output(&mut self, program: &str, first: usize, count: usize) -> RunResult<bool> {
        match program {
            "PUT_LINE" | "PUT" => {
                if self.session.output.is_enabled() {
                    let text = self.text(first)?;
                    self.session.output.put(&text)?;
                    if program == "PUT_LINE" {
                        self.session.output.new_line();
                    }
                }
            }
            "NEW_LINE" => self.session.output.new_line(),
            "ENABLE" => {
                let limit = match self.stack.get(first) {
                    _ if count == 0 => Some(OUTPUT_BYTES),
                    Some(Value::Int(limit)) => Some(*limit),
                    _ => None,
                };
                let limit = limit.map(|limit| limit.max(OUTPUT_BYTES_LEAST) as usize);
                self.session.output.enable(limit);
            }
            "DISABLE" => self.session.output.disable(),
            "GET_LINE" => {
                let line = self.session.output.take_line();
                self.stack[first + 1] = Value::Int(i64::from(line.is_none()));
                self.stack[first] = line.map_or(Value::Null, |line| Value::varchar2(&line));
            }
            "GET_LINES" => {
                let Value::Int(most) = self.stack[first + 1] else { return Err(value_error("").into()) };
                let mut lines = Vec::new();
                while (lines.len() as i64) < most
                    && let Some(line) = self.session.output.take_line()
                {
                    lines.push(Value::varchar2(&line));
                }
                self.stack[first + 1] = Value::Int(lines.len() as i64);
                self.stack[first] = super::collect::collect(lines.into_iter(), CollectionKind::Integers)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn utility(&mut self, program: &str, first: usize, count: usize) -> RunResult<bool> {
        let text = match program {
            "FORMAT_ERROR_STACK" => self.error_stack(),
            "FORMAT_ERROR_BACKTRACE" => {
                let handled = self.handling.last();
                handled.map_or_else(String::new, |raised| {
                    raised.backtrace.iter().map(|line| format!("{line}\n")).collect()
                })
            }
            "FORMAT_CALL_STACK" => self.call_stack(),
            _ => return Ok(false),
        };
        self.stack[first + count] = Value::varchar2(&text);
        Ok(true)
    }

    fn error_stack(&self) -> String {
        let mut stack = String::new();
        let mut next = self.handling.last();
        while let Some(raised) = next {
            stack.push_str(&raised.message());
            stack.push('\n');
            next = raised.previous.as_ref();
        }
        stack
    }

    fn call_stack(&self) -> String {
        let mut stack = "----- PL/SQL Call Stack -----\n  line  object\nnumber  name\n".to_owned();
        for frame in self.frames.iter().rev() {
            let function = &frame.unit.functions[frame.function];
            let place = function.places_in_source.get(frame.pc.saturating_sub(1)).copied().unwrap_or(0);
            let line = frame.unit.line(frame.function, place);
            let name = if frame.unit.name.is_empty() {
                "anonymous block".to_owned()
            } else {
                format!("{:?} {}.{}", frame.unit.unit_type, frame.unit.owner, frame.unit.name).to_lowercase().replace(
                    &format!("{}.{}", frame.unit.owner, frame.unit.name).to_lowercase(),
                    &format!("{}.{}", frame.unit.owner, frame.unit.name),
                )
            };
            stack.push_str(&format!("{line:>6}  {name}\n"));
        }
        stack
    }
}

/// A number of the standard normal distribution: Box and Muller's method.
fn normal(context: &dyn scalar::Context) -> f64 {
    // 53 bits, above 0 and at most 1.
    let unit = || ((context.random() >> 11) + 1) as f64 / (1u64 << 53) as f64;
    (-2.0 * unit().ln()).sqrt() * (2.0 * std::f64::consts::PI * unit()).cos()
}
