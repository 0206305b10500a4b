//! The log-on of CONNECT and of `highwater sql`.

/// The user to connect. There is one database, so a name behind `@` is ignored.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Logon {
    /// `/`: the operating system's user, whose process has opened the database's files and needs no password.
    #[default]
    Machine,
    /// `… AS SYSDBA`: the same as SYS, whatever name and password precede it.
    Sysdba,
    /// By name; the shell asks for a password that is missing.
    Named { user: String, password: Option<String> },
}

impl Logon {
    /// `text` is `/`, `user`, `user/password`, each with `@database` or without. None: the user is missing.
    #[must_use]
    pub fn parse(text: &str, privileged: bool) -> Option<Self> {
        if privileged {
            return Some(Self::Sysdba);
        }
        let strip = |part: &str| part.rsplit_once('@').map_or(part, |(before, _)| before).to_owned();
        let (user, password) = match text.split_once('/') {
            Some((user, password)) => (user.to_owned(), Some(strip(password)).filter(|password| !password.is_empty())),
            None => (strip(text), None),
        };
        match (user.is_empty(), password) {
            (true, None) if text.starts_with('/') => Some(Self::Machine),
            (true, _) => None,
            (false, password) => Some(Self::Named { user, password }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_passwords_and_the_machines_own_user_are_told_apart() {
        let named = |user: &str, password: Option<&str>| {
            Some(Logon::Named { user: user.to_owned(), password: password.map(str::to_owned) })
        };
        for (text, expected) in [
            ("scott/tiger@orcl", named("scott", Some("tiger"))),
            ("scott/p@ss@orcl", named("scott", Some("p@ss"))),
            ("scott@orcl", named("scott", None)),
            ("scott/", named("scott", None)),
            ("/", Some(Logon::Machine)),
            ("/@orcl", Some(Logon::Machine)),
            ("/tiger", None),
            ("", None),
            ("@orcl", None),
        ] {
            assert_eq!(Logon::parse(text, false), expected, "{text}");
            assert_eq!(Logon::parse(text, true), Some(Logon::Sysdba), "{text}");
        }
    }
}
