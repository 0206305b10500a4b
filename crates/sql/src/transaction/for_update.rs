//! FOR UPDATE behind a query: its position and its options.

use common::{Error, Result};
use sqlparser::tokenizer::Token;
use storage::txn::LockWait;

use super::parse::wait;
use crate::statement::words::Words;

/// FOR UPDATE [OF columns] [NOWAIT | WAIT n | SKIP LOCKED].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ForUpdate {
    /// The columns behind OF with their positions; the rows of their tables are locked. Empty: the rows of all tables.
    pub(crate) of: Vec<(Vec<String>, usize)>,
    pub(crate) wait: LockWait,
    /// Offset of the clause.
    pub(crate) offset: usize,
}

/// The FOR UPDATE clause behind the query of these words, if there is one.
///
/// # Errors
/// ORA-00907 in parentheses: only a whole statement locks rows. Those of the clause's own grammar.
pub(crate) fn clause(words: &Words<'_>) -> Result<Option<ForUpdate>> {
    let mut words = words.clone();
    let mut depth = 0usize;
    while let Some(word) = words.peek() {
        match word.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        if words.next_is("FOR UPDATE") {
            if depth > 0 {
                return Err(words.error(907, "missing right parenthesis: FOR UPDATE ends a whole statement only"));
            }
            return read(&mut words).map(Some);
        }
        words.advance();
    }
    Ok(None)
}

fn read(words: &mut Words<'_>) -> Result<ForUpdate> {
    let offset = words.offset();
    words.take("FOR UPDATE");
    let mut of = Vec::new();
    if words.take("OF") {
        loop {
            let place = words.offset();
            let mut parts = vec![column(words)?];
            while words.take_sign(&Token::Period) {
                parts.push(column(words)?);
            }
            of.push((parts, place));
            if !words.take_sign(&Token::Comma) {
                break;
            }
        }
    }
    let wait = wait(words, true)?;
    words.end()?;
    Ok(ForUpdate { of, wait, offset })
}

fn column(words: &mut Words<'_>) -> Result<String> {
    if words.at_end() {
        return Err(Error::user(936, "missing expression").at(words.offset()));
    }
    words.identifier()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Result<Option<ForUpdate>> {
        clause(&Words::new(text).unwrap())
    }

    #[test]
    fn the_clause_is_found_behind_the_query() {
        assert_eq!(found("select a from t").unwrap(), None);
        let plain = found("select a from t where b = 'for update' for update").unwrap().unwrap();
        assert_eq!((plain.of.len(), plain.wait, plain.offset), (0, LockWait::Forever, 39));
        let of = found("select a from t, u for update of t.a, \"u\".b skip locked").unwrap().unwrap();
        assert_eq!(of.of[0].0, ["T", "A"]);
        assert_eq!(of.of[1].0, ["u", "B"]);
        assert_eq!(of.wait, LockWait::SkipLocked);
        assert_eq!(found("select a from t for update wait 3").unwrap().unwrap().wait, LockWait::Seconds(3));
    }

    #[test]
    fn what_is_wrong_in_it() {
        assert!(found("select a from (select a from t for update)").unwrap_err().is_ora(907));
        assert!(found("select a from t for update of").unwrap_err().is_ora(936));
        assert!(found("select a from t for update wait").unwrap_err().is_ora(30005));
        assert!(found("select a from t for update wait -1").unwrap_err().is_ora(30005));
        assert!(found("select a from t for update nowait wait 1").unwrap_err().is_ora(933));
        assert!(found("select a from t for update order by a").unwrap_err().is_ora(933));
    }
}
