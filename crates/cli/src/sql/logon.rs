//! `[USER[/PASSWORD]] [@SCRIPT [ARGS]]` behind `highwater sql`.

use common::Result;
use shell::Logon;

use crate::failure::wrong_use;

/// A script's name and its arguments.
pub(super) type Script = (String, Vec<String>);

pub(super) fn parse(words: &[String]) -> Result<(Logon, Option<Script>)> {
    // SQL*Plus takes a logon AS SYSDBA in one word as well: "/ as sysdba".
    let quoted: Vec<&str> = words.first().map(|first| first.split_whitespace().collect()).unwrap_or_default();
    let split = matches!(&quoted[..], [_, privilege, _] if privilege.eq_ignore_ascii_case("as"));
    let (first, rest) = if split { (quoted, &words[1..]) } else { (Vec::new(), words) };
    let mut words = first.into_iter().chain(rest.iter().map(String::as_str)).peekable();
    let mut logon = Logon::default();
    if let Some(first) = words.next_if(|word| !word.starts_with('@')) {
        if first.starts_with('-') {
            return Err(wrong_use(format!("sql: there is no option {first}")));
        }
        let privileged = words.next_if(|word| word.eq_ignore_ascii_case("as")).is_some();
        if privileged
            && !words
                .next()
                .is_some_and(|word| ["sysdba", "sysoper"].iter().any(|role| word.eq_ignore_ascii_case(role)))
        {
            return Err(wrong_use("sql: AS is followed by SYSDBA or SYSOPER"));
        }
        logon = Logon::parse(first, privileged).ok_or_else(|| wrong_use(format!("sql: {first} names no user")))?;
    }
    let script = match words.next() {
        None => None,
        Some(word) => {
            let name = word.strip_prefix('@').filter(|name| !name.is_empty());
            let name =
                name.ok_or_else(|| wrong_use(format!("sql: {word} is no script; its name follows @ at once")))?;
            Some((name.to_owned(), words.map(str::to_owned).collect()))
        }
    };
    Ok((logon, script))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn user_and_script_are_told_apart() {
        let user = |name: &str, password: Option<&str>| Logon::Named {
            user: name.to_owned(),
            password: password.map(str::to_owned),
        };
        let script = |name: &str, arguments: &str| Some((name.to_owned(), words(arguments)));
        for (line, logon, expected) in [
            ("", Logon::Machine, None),
            ("@x.sql", Logon::Machine, script("x.sql", "")),
            ("@x a -b", Logon::Machine, script("x", "a -b")),
            ("scott/tiger @x", user("scott", Some("tiger")), script("x", "")),
            ("scott", user("scott", None), None),
            ("/", Logon::Machine, None),
            ("/ as sysdba @x", Logon::Sysdba, script("x", "")),
            ("scott/tiger as sysdba", Logon::Sysdba, None),
        ] {
            assert_eq!(parse(&words(line)).unwrap(), (logon, expected), "{line}");
        }
        let quoted = ["/ as sysdba".to_owned(), "@x".to_owned()];
        assert_eq!(parse(&quoted).unwrap(), (Logon::Sysdba, script("x", "")));
        let blank = ["scott/my pass".to_owned(), "@x".to_owned()];
        assert_eq!(parse(&blank).unwrap(), (user("scott", Some("my pass")), script("x", "")));
        assert!(parse(&[String::new(), "@x".to_owned()]).is_err(), "an empty word is no logon");
        for line in ["scott tiger", "-X", "@", "scott as dba", "scott @", "/tiger"] {
            assert!(parse(&words(line)).is_err(), "{line}");
        }
    }
}
