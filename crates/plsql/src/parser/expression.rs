//! Operators, by precedence climbing.
//!
//! From weak to strong: OR, AND, NOT, comparisons (which do not chain), `+ - ||`, `* / MOD`, signs, `**`. So `-a ** b`
//! is `-(a ** b)`, and `NOT a = b` is `NOT (a = b)`.

use super::special::positional;
use super::{MAX_HEIGHT, Parsed, Parser};
use crate::ast::{At, Binary, Expr, ExprKind, Unary};
use crate::error::Fault;
use crate::lexer::TokenKind;

const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const ADDITION: u8 = 5;
const MULTIPLICATION: u8 = 6;
const SIGN: u8 = 7;
const POWER: u8 = 8;

/// Operands from which a chain of an associative operator becomes a balanced tree.
const BALANCED: usize = 16;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.operand(OR)
    }

    /// An expression without comparisons at its top: the bounds of a range.
    pub(super) fn simple_expression(&mut self) -> Parsed<Expr> {
        self.operand(ADDITION)
    }

    /// An expression whose operators bind at least as strongly as `least`.
    fn operand(&mut self, least: u8) -> Parsed<Expr> {
        self.deeper(|parser| {
            let mut left = parser.prefixed()?;
            let mut compared = false;
            while let Some((operator, strength)) = parser.operator() {
                if strength < least {
                    break;
                }
                if strength == COMPARISON {
                    if compared {
                        return Err(parser.unexpected(&["and", "or", ";"]));
                    }
                    compared = true;
                }
                left = match operator {
                    Operator::Plain(operator) => parser.chain(left, operator, strength)?,
                    Operator::Modulus => parser.modulus(left)?,
                    Operator::Condition => parser.condition(left)?,
                };
            }
            Ok(left)
        })
    }

    /// A primary or one with a sign or NOT in front.
    fn prefixed(&mut self) -> Parsed<Expr> {
        let at = self.at();
        let (operator, strength) = match self.peek() {
            TokenKind::Sign("-") => (Unary::Minus, SIGN),
            TokenKind::Sign("+") => (Unary::Plus, SIGN),
            TokenKind::Word(word) if **word == *"NOT" => (Unary::Not, NOT),
            _ => return self.primary(),
        };
        self.advance();
        let operand = self.operand(strength)?;
        self.taller(self.height)?;
        Ok(Expr { kind: ExprKind::Unary(operator, Box::new(operand)), at })
    }

    /// `left` and the rest of a chain of the same operator.
    fn chain(&mut self, left: Expr, operator: Binary, strength: u8) -> Parsed<Expr> {
        let mut operands = vec![(left, self.height)];
        while matches!(self.operator(), Some((Operator::Plain(next), _)) if next == operator) {
            self.advance();
            let operand = self.operand(strength + 1)?;
            operands.push((operand, self.height));
            if strength == COMPARISON {
                break;
            }
        }
        let associative = matches!(operator, Binary::And | Binary::Or | Binary::Concatenate);
        if associative && operands.len() >= BALANCED {
            return self.balanced(operands, operator);
        }
        let mut operands = operands.into_iter();
        let Some((mut left, mut height)) = operands.next() else { return Err(self.unexpected(&[])) };
        for (right, other) in operands {
            height = self.taller(height.max(other))?;
            left = binary(operator, left, right);
        }
        Ok(left)
    }

    /// `left MOD right`
    fn modulus(&mut self, left: Expr) -> Parsed<Expr> {
        let (at, height) = (left.at, self.height);
        let callee = self.callee("MOD");
        let right = self.operand(MULTIPLICATION + 1)?;
        self.taller(height.max(self.height))?;
        Ok(Expr { kind: ExprKind::Call { callee, arguments: vec![positional(left), positional(right)] }, at })
    }

    /// The operands in their order, as a tree of no more than logarithmic height.
    fn balanced(&mut self, mut operands: Vec<(Expr, usize)>, operator: Binary) -> Parsed<Expr> {
        while operands.len() > 1 {
            let mut pairs = Vec::with_capacity(operands.len().div_ceil(2));
            let mut left = operands.into_iter();
            while let Some((first, height)) = left.next() {
                pairs.push(match left.next() {
                    Some((second, other)) => (binary(operator, first, second), self.taller(height.max(other))?),
                    None => (first, height),
                });
            }
            operands = pairs;
        }
        match operands.pop() {
            Some((expression, height)) => {
                self.height = height;
                Ok(expression)
            }
            None => Err(self.unexpected(&[])),
        }
    }

    /// Parses a condition behind `value` that has no sign: IS NULL, LIKE, BETWEEN, IN.
    fn condition(&mut self, value: Expr) -> Parsed<Expr> {
        let at = value.at;
        let mut height = self.height;
        let value = Box::new(value);
        let place = self.at();
        if self.take_word("IS") {
            let not = self.take_word("NOT");
            if !self.take_word("NULL") {
                for word in ["A", "EMPTY", "NAN", "INFINITE", "OF", "JSON", "DANGLING"] {
                    if self.is_word(word) {
                        return Err(Fault::unsupported(place, format!("the condition IS {word}")));
                    }
                }
                return Err(self.unexpected(if not { &["null"] } else { &["null", "not"] }));
            }
            self.taller(height)?;
            return Ok(Expr { kind: ExprKind::IsNull { not, value }, at });
        }
        let not = self.take_word("NOT");
        let kind = if self.take_word("LIKE") {
            let pattern = self.boxed(ADDITION, &mut height)?;
            let escape = if self.take_word("ESCAPE") { Some(self.boxed(ADDITION, &mut height)?) } else { None };
            ExprKind::Like { not, value, pattern, escape }
        } else if self.take_word("BETWEEN") {
            let low = self.boxed(ADDITION, &mut height)?;
            self.expect_word("AND")?;
            let high = self.boxed(ADDITION, &mut height)?;
            ExprKind::Between { not, value, low, high }
        } else if self.take_word("IN") {
            self.expect_sign("(")?;
            self.refuse_query()?;
            let list = self.list(|parser| Ok(*parser.boxed(OR, &mut height)?))?;
            self.expect_sign(")")?;
            ExprKind::In { not, value, list }
        } else {
            for word in ["LIKE2", "LIKE4", "LIKEC", "MEMBER", "SUBMULTISET"] {
                if self.is_word(word) {
                    return Err(Fault::unsupported(self.at(), format!("the condition {word}")));
                }
            }
            return Err(self.unexpected(&["in", "like", "between"]));
        };
        self.taller(height)?;
        Ok(Expr { kind, at })
    }

    /// An operand; `height` becomes at least its height.
    fn boxed(&mut self, least: u8, height: &mut usize) -> Parsed<Box<Expr>> {
        let operand = self.operand(least)?;
        *height = self.height.max(*height);
        Ok(Box::new(operand))
    }

    /// An expression over operands of this height: it is now the one parsed last.
    pub(super) fn taller(&mut self, height: usize) -> Parsed<usize> {
        if height >= MAX_HEIGHT {
            return Err(
                self.too_large(format!("an expression has more than {MAX_HEIGHT} operators on top of each other"))
            );
        }
        self.height = height + 1;
        Ok(self.height)
    }

    /// The operator that comes next, and how strongly it binds.
    fn operator(&self) -> Option<(Operator, u8)> {
        use Operator::{Condition, Plain};
        Some(match self.peek() {
            TokenKind::Sign(sign) => match *sign {
                "+" => (Plain(Binary::Add), ADDITION),
                "-" => (Plain(Binary::Subtract), ADDITION),
                "||" => (Plain(Binary::Concatenate), ADDITION),
                "*" => (Plain(Binary::Multiply), MULTIPLICATION),
                "/" => (Plain(Binary::Divide), MULTIPLICATION),
                "**" => (Plain(Binary::Power), POWER),
                "=" => (Plain(Binary::Equal), COMPARISON),
                "<>" | "!=" | "^=" | "~=" => (Plain(Binary::NotEqual), COMPARISON),
                "<" => (Plain(Binary::Less), COMPARISON),
                "<=" => (Plain(Binary::LessOrEqual), COMPARISON),
                ">" => (Plain(Binary::Greater), COMPARISON),
                ">=" => (Plain(Binary::GreaterOrEqual), COMPARISON),
                _ => return None,
            },
            TokenKind::Word(word) => match &**word {
                "AND" => (Plain(Binary::And), AND),
                "OR" => (Plain(Binary::Or), OR),
                "MOD" => (Operator::Modulus, MULTIPLICATION),
                "IS" | "LIKE" | "LIKE2" | "LIKE4" | "LIKEC" | "BETWEEN" | "IN" | "NOT" | "MEMBER" | "SUBMULTISET" => {
                    (Condition, COMPARISON)
                }
                _ => return None,
            },
            _ => return None,
        })
    }
}

enum Operator {
    /// `a MOD b`, which is `MOD(a, b)`.
    Modulus,
    /// One token between two operands.
    Plain(Binary),
    /// IS, LIKE, BETWEEN, IN with or without NOT.
    Condition,
}

fn binary(operator: Binary, left: Expr, right: Expr) -> Expr {
    let at: At = left.at;
    Expr { kind: ExprKind::Binary(operator, Box::new(left), Box::new(right)), at }
}
