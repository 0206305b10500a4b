//! Comparisons, AND and OR, and conditional jumps.

use super::Compiler;
use super::convert::{Operand, Typed};
use super::emit::Label;
use super::error::{Compiled, wrong_arguments, wrong_type};
use super::op::{CompareOp, Op, Register};
use super::types::Type;
use crate::ast::{At, Binary, Expr, ExprKind, Unary};
use crate::value::{ScalarKind, ScalarType, Value};

/// The form of a comparison's right side.
#[derive(Clone, Copy)]
pub(crate) enum Compared {
    Values(Register),
    Collections(Register),
}

#[must_use]
pub(crate) fn comparison(operator: Binary) -> Option<CompareOp> {
    Some(match operator {
        Binary::Equal => CompareOp::Equal,
        Binary::NotEqual => CompareOp::NotEqual,
        Binary::Less => CompareOp::Less,
        Binary::LessOrEqual => CompareOp::LessOrEqual,
        Binary::Greater => CompareOp::Greater,
        Binary::GreaterOrEqual => CompareOp::GreaterOrEqual,
        _ => return None,
    })
}

fn sign(how: CompareOp) -> &'static str {
    match how {
        CompareOp::Equal => "=",
        CompareOp::NotEqual => "!=",
        CompareOp::Less => "<",
        CompareOp::LessOrEqual => "<=",
        CompareOp::Greater => ">",
        CompareOp::GreaterOrEqual => ">=",
    }
}

impl Compiler<'_> {
    /// Both sides in registers, of one family.
    pub(crate) fn compared(
        &mut self,
        left: &Expr,
        right: &Expr,
        how: CompareOp,
        at: At,
    ) -> Compiled<(Register, Compared)> {
        let a = self.expression(left, None)?;
        let b = self.expression(right, None)?;
        self.compared_values(a, b, how, at)
    }

    pub(crate) fn compared_values(
        &mut self,
        a: Typed,
        b: Typed,
        how: CompareOp,
        at: At,
    ) -> Compiled<(Register, Compared)> {
        if let (Type::Collection(x), Type::Collection(y)) = (&a.data_type, &b.data_type) {
            let comparable = x.id == y.id
                && matches!(x.kind, super::unit::CollectionKind::Nested)
                && matches!(x.element, Type::Scalar(_))
                && matches!(how, CompareOp::Equal | CompareOp::NotEqual);
            if !comparable {
                return wrong_arguments(at, sign(how));
            }
            let a = self.in_register(&a.operand, None)?;
            let b = self.in_register(&b.operand, None)?;
            return Ok((a, Compared::Collections(b)));
        }
        let common = comparison_type(&a.data_type, &b.data_type);
        let Some(common) = common else { return wrong_arguments(at, sign(how)) };
        let a = self.comparable(a, &common, at)?;
        let b = self.comparable(b, &common, at)?;
        Ok((a, Compared::Values(b)))
    }

    fn comparable(&mut self, value: Typed, common: &Type, at: At) -> Compiled<Register> {
        let operand = match (value.data_type.kind(), common.kind()) {
            (Some(from), Some(to)) if !crate::value::convert::same_family(&from, &to) => {
                self.convert(value, common, at, None)?
            }
            _ => value.operand,
        };
        self.in_register(&operand, None)
    }

    /// AND and OR: the right side is evaluated only when it matters.
    pub(crate) fn logical(&mut self, operator: Binary, left: &Expr, right: &Expr) -> Compiled<Typed> {
        let to = self.allocate()?;
        let end = self.label();
        let a = self.boolean(left)?;
        self.move_to(&a, to);
        self.emit(match operator {
            Binary::And => Op::JumpIfFalse { condition: to, target: end.0 },
            _ => Op::JumpIfTrue { condition: to, target: end.0 },
        });
        let mark = self.mark();
        let b = self.boolean(right)?;
        let b = self.in_register(&b, None)?;
        self.emit(match operator {
            Binary::And => Op::And { to, a: to, b },
            _ => Op::Or { to, a: to, b },
        });
        self.release(mark);
        self.bind(end);
        Ok(Typed::register(to, ScalarType::BOOLEAN))
    }

    fn boolean(&mut self, expression: &Expr) -> Compiled<Operand> {
        let value = self.expression(expression, None)?;
        self.convert(value, &Type::BOOLEAN, expression.at, None)
    }

    pub(crate) fn between(&mut self, not: bool, value: &Expr, low: &Expr, high: &Expr, at: At) -> Compiled<Typed> {
        let value_at = value.at;
        let value = self.expression(value, None)?;
        let low = self.expression(low, None)?;
        let (a, Compared::Values(b)) = self.compared_values(value.clone(), low, CompareOp::GreaterOrEqual, at)? else {
            return wrong_type(value_at);
        };
        let to = self.allocate()?;
        self.emit(Op::Compare { to, a, b, how: CompareOp::GreaterOrEqual });
        let high = self.expression(high, None)?;
        let (a, Compared::Values(b)) = self.compared_values(value, high, CompareOp::LessOrEqual, at)? else {
            return wrong_type(value_at);
        };
        let below = self.allocate()?;
        self.emit(Op::Compare { to: below, a, b, how: CompareOp::LessOrEqual });
        self.emit(Op::And { to, a: to, b: below });
        if not {
            self.emit(Op::Not { to, a: to });
        }
        Ok(Typed::register(to, ScalarType::BOOLEAN))
    }

    pub(crate) fn in_list(&mut self, not: bool, value: &Expr, list: &[Expr], at: At) -> Compiled<Typed> {
        let value = self.expression(value, None)?;
        let to = self.allocate()?;
        let end = self.label();
        self.load_constant(to, Value::Boolean(false));
        for each in list {
            let mark = self.mark();
            let candidate = self.expression(each, None)?;
            let (a, Compared::Values(b)) = self.compared_values(value.clone(), candidate, CompareOp::Equal, at)? else {
                return wrong_type(each.at);
            };
            let same = self.allocate()?;
            self.emit(Op::Compare { to: same, a, b, how: CompareOp::Equal });
            self.emit(Op::Or { to, a: to, b: same });
            self.emit(Op::JumpIfTrue { condition: to, target: end.0 });
            self.release(mark);
        }
        self.bind(end);
        if not {
            self.emit(Op::Not { to, a: to });
        }
        Ok(Typed::register(to, ScalarType::BOOLEAN))
    }

    /// Jumps to `label` when the condition is TRUE; with `when` false, when it is FALSE or NULL.
    pub(crate) fn branch(&mut self, condition: &Expr, when: bool, label: Label) -> Compiled<()> {
        let mark = self.mark();
        match (&condition.kind, when) {
            (ExprKind::Binary(Binary::And, a, b), false) | (ExprKind::Binary(Binary::Or, a, b), true) => {
                self.branch(a, when, label)?;
                self.branch(b, when, label)?;
            }
            (ExprKind::Binary(Binary::And, a, b), true) | (ExprKind::Binary(Binary::Or, a, b), false) => {
                let skip = self.label();
                self.branch(a, !when, skip)?;
                self.branch(b, when, label)?;
                self.bind(skip);
            }
            (ExprKind::Binary(operator, a, b), _) if comparison(*operator).is_some() => {
                let how = comparison(*operator).unwrap_or(CompareOp::Equal);
                self.branch_compared(a, b, how, condition.at, when, label)?;
            }
            (ExprKind::Unary(Unary::Not, inner), _) if matches!(inner.kind, ExprKind::IsNull { .. }) => {
                let value = self.expression(condition, None)?;
                self.jump_by(&value, condition.at, when, label)?;
            }
            _ => {
                let value = self.expression(condition, None)?;
                self.jump_by(&value, condition.at, when, label)?;
            }
        }
        self.release(mark);
        Ok(())
    }

    fn jump_by(&mut self, value: &Typed, at: At, when: bool, label: Label) -> Compiled<()> {
        match (value.constant(), &value.data_type) {
            (Some(Value::Boolean(truth)), _) => {
                if *truth == when {
                    self.jump(label);
                }
                return Ok(());
            }
            (_, data_type) if data_type.is_boolean() || matches!(data_type, Type::Null) => {}
            _ => return wrong_type(at),
        }
        let condition = self.in_register(&value.operand, None)?;
        self.emit(if when {
            Op::JumpIfTrue { condition, target: label.0 }
        } else {
            Op::JumpUnlessTrue { condition, target: label.0 }
        });
        Ok(())
    }

    fn branch_compared(
        &mut self,
        left: &Expr,
        right: &Expr,
        how: CompareOp,
        at: At,
        when: bool,
        label: Label,
    ) -> Compiled<()> {
        let a = self.expression(left, None)?;
        let b = self.expression(right, None)?;
        if !when
            && a.data_type.is_numeric()
            && let Some(Value::Int(number)) = b.constant()
            && let Ok(number) = i16::try_from(*number)
        {
            let a = self.in_register(&a.operand, None)?;
            self.emit(Op::JumpUnlessCompareConstant { a, how, b: number, target: label.0 });
            return Ok(());
        }
        let (a, b) = self.compared_values(a, b, how, at)?;
        match b {
            Compared::Values(b) => {
                self.emit(if when {
                    Op::JumpIfCompare { a, b, how, target: label.0 }
                } else {
                    Op::JumpUnlessCompare { a, b, how, target: label.0 }
                });
            }
            Compared::Collections(b) => {
                let to = self.allocate()?;
                self.emit(Op::SameElements { to, a, b });
                if how == CompareOp::NotEqual {
                    self.emit(Op::Not { to, a: to });
                }
                self.jump_by(&Typed::register(to, ScalarType::BOOLEAN), at, when, label)?;
            }
        }
        Ok(())
    }

    /// CASE with a value: jumps to `label` unless the value equals this one.
    pub(crate) fn branch_unless_equal(&mut self, value: Typed, at: At, when: &Expr, label: Label) -> Compiled<()> {
        let candidate = self.expression(when, None)?;
        match self.compared_values(value, candidate, CompareOp::Equal, at)? {
            (a, Compared::Values(b)) => {
                self.emit(Op::JumpUnlessCompare { a, b, how: CompareOp::Equal, target: label.0 });
                Ok(())
            }
            _ => wrong_type(when.at),
        }
    }
}

/// The type that two values are compared as; None when they cannot be.
fn comparison_type(a: &Type, b: &Type) -> Option<Type> {
    let (a, b) = match (a, b) {
        (Type::Null, other) | (other, Type::Null) if matches!(other, Type::Null | Type::Scalar(_)) => {
            return Some(other.clone());
        }
        (Type::Scalar(a), Type::Scalar(b)) => (a.kind, b.kind),
        _ => return None,
    };
    use ScalarKind::{Boolean, Char, Date, Integer, Number, Raw, Rowid, Timestamp, Varchar2};
    Some(Type::from(match (a, b) {
        (Boolean, Boolean) => ScalarType::BOOLEAN,
        (Boolean, _) | (_, Boolean) => return None,
        (Varchar2(_) | Char(_) | Rowid, Varchar2(_) | Char(_) | Rowid) => ScalarType::VARCHAR2,
        (Integer { .. } | Number { .. }, Integer { .. } | Number { .. } | Varchar2(_) | Char(_))
        | (Varchar2(_) | Char(_), Integer { .. } | Number { .. }) => ScalarType::NUMBER,
        (Date, Date) => ScalarType::DATE,
        (Date | Timestamp(_), Date | Timestamp(_)) => ScalarType::TIMESTAMP,
        (Date, Varchar2(_) | Char(_)) | (Varchar2(_) | Char(_), Date) => ScalarType::DATE,
        (Timestamp(_), Varchar2(_) | Char(_)) | (Varchar2(_) | Char(_), Timestamp(_)) => ScalarType::TIMESTAMP,
        (Raw(_), Raw(_) | Varchar2(_) | Char(_)) | (Varchar2(_) | Char(_), Raw(_)) => ScalarType::RAW,
        _ => return None,
    }))
}
