//! CREATE, ALTER and DROP SEQUENCE.

use common::{Error, Result};
use engine::ddl::SequenceSpec;
use sqlparser::tokenizer::Token;

use super::command::Command;
use crate::statement::words::Words;

/// Most digits of a sequence's value.
const DIGITS_MAX: usize = 28;

pub(crate) fn create(words: &mut Words<'_>) -> Result<Command> {
    let name = words.new_name(Words::new_sequence)?;
    Ok(Command::CreateSequence { name, spec: options(words)? })
}

pub(crate) fn alter(words: &mut Words<'_>) -> Result<Command> {
    let name = words.name()?;
    if words.at_end() {
        return Err(words.error(2286, "no options specified for ALTER SEQUENCE"));
    }
    Ok(Command::AlterSequence { name, spec: options(words)? })
}

fn options(words: &mut Words<'_>) -> Result<SequenceSpec> {
    let mut spec = SequenceSpec::default();
    while !words.at_end() {
        let at = words.offset();
        // The error number of a repeated option, its name, and true when it is repeated.
        let (ora, what, twice) = if words.take("INCREMENT BY") {
            (2284, "INCREMENT BY", spec.increment.replace(value(words)?).is_some())
        } else if words.take("START WITH") {
            (2285, "START WITH", spec.start.replace(value(words)?).is_some())
        } else if words.take("MAXVALUE") {
            (2278, "MAXVALUE", spec.maximum.replace(Some(value(words)?)).is_some())
        } else if words.take("NOMAXVALUE") {
            (2278, "MAXVALUE", spec.maximum.replace(None).is_some())
        } else if words.take("MINVALUE") {
            (2279, "MINVALUE", spec.minimum.replace(Some(value(words)?)).is_some())
        } else if words.take("NOMINVALUE") {
            (2279, "MINVALUE", spec.minimum.replace(None).is_some())
        } else if words.take("CYCLE") {
            (2280, "CYCLE", spec.cycle.replace(true).is_some())
        } else if words.take("NOCYCLE") {
            (2280, "CYCLE", spec.cycle.replace(false).is_some())
        } else if words.take("CACHE") {
            (2281, "CACHE", spec.cache.replace(Some(words.integer()?)).is_some())
        } else if words.take("NOCACHE") {
            (2281, "CACHE", spec.cache.replace(None).is_some())
        } else if words.take("ORDER") {
            (2282, "ORDER", spec.order.replace(true).is_some())
        } else if words.take("NOORDER") {
            (2282, "ORDER", spec.order.replace(false).is_some())
        } else {
            let known = ["KEEP", "NOKEEP", "SCALE", "NOSCALE", "SHARD", "NOSHARD", "SESSION", "GLOBAL", "RESTART"];
            if known.iter().any(|option| words.next_is(option)) {
                return Err(words.unsupported("option of a sequence:"));
            }
            return words.end().map(|()| spec);
        };
        if twice {
            return Err(Error::user(ora, format!("duplicate or conflicting {what} specifications")).at(at));
        }
    }
    Ok(spec)
}

/// A whole number of up to 28 digits, with or without a sign.
fn value(words: &mut Words<'_>) -> Result<i128> {
    let negative = words.take_sign(&Token::Minus);
    if !negative {
        words.take_sign(&Token::Plus);
    }
    let Some(Token::Number(digits, _)) = words.peek().map(|word| word.token.clone()) else {
        return Err(words.error(2017, "integer value required"));
    };
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(words.error(2017, "integer value required"));
    }
    let digits = digits.trim_start_matches('0');
    let magnitude = if digits.is_empty() { Ok(0) } else { digits.parse::<i128>() };
    match magnitude {
        Ok(magnitude) if digits.len() <= DIGITS_MAX => {
            words.advance();
            Ok(if negative { -magnitude } else { magnitude })
        }
        _ => Err(words.error(4011, format!("a sequence's values have at most {DIGITS_MAX} digits"))),
    }
}
