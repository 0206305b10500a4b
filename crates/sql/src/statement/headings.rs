//! Headings of a query's columns: the text of each expression, without blanks, in upper case.

use sqlparser::tokenizer::Token;

use super::words::Words;

/// One heading for each item of the first select list at the top of the statement; empty when it cannot be determined.
pub(crate) fn headings(text: &str) -> Vec<String> {
    let Ok(mut words) = Words::new(text) else { return Vec::new() };
    let mut depth = 0usize;
    // WITH's queries stand in parentheses, so the first SELECT at this level is the query's own.
    loop {
        if depth == 0 && words.take("SELECT") {
            break;
        }
        match words.advance().map(|word| word.token) {
            None => return Vec::new(),
            Some(Token::LParen) => depth += 1,
            Some(Token::RParen) => depth = depth.saturating_sub(1),
            Some(_) => {}
        }
    }
    let _ = words.take("DISTINCT") || words.take("ALL") || words.take("UNIQUE");
    let mut list = vec![String::new()];
    while let Some(word) = words.peek().cloned() {
        if depth == 0 && words.next_is("FROM") {
            return list;
        }
        match word.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && word.token == Token::Comma {
            list.push(String::new());
        } else if let Some(last) = list.last_mut() {
            last.extend(text[word.start..word.end].chars().filter(|c| !c.is_whitespace()).flat_map(char::to_uppercase));
        }
        words.advance();
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::headings;

    #[test]
    fn the_text_of_each_item() {
        assert_eq!(headings("select a , count( * ), 1 / 2 from t"), ["A", "COUNT(*)", "1/2"]);
        assert_eq!(headings("with x as (select 1 from dual) select nvl(a, 'b c') from x"), ["NVL(A,'BC')"]);
        assert_eq!(headings("select /* no */ distinct q from t"), ["Q"]);
    }
}
