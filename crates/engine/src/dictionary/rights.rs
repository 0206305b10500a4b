//! Rights: a user's privileges with all its roles, or, inside a stored program, its owner's without roles.

use std::fmt;
use std::sync::Arc;

/// A holder of privileges. A name alone is a user with its roles.
pub trait Holder {
    /// The user, upper case.
    fn name(&self) -> &str;

    /// True: privileges granted to its roles count.
    fn has_roles(&self) -> bool {
        true
    }
}

impl Holder for str {
    fn name(&self) -> &str {
        self
    }
}

impl Holder for String {
    fn name(&self) -> &str {
        self
    }
}

/// The user whose privileges statements and programs have.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rights {
    user: Arc<str>,
    roles: bool,
}

impl Rights {
    /// The connected user, with its roles.
    #[must_use]
    pub fn of_user(user: &str) -> Self {
        Self { user: user.into(), roles: true }
    }

    /// The owner of a stored program, inside that program: privileges granted to roles do not count.
    #[must_use]
    pub fn of_owner(user: &str) -> Self {
        Self { user: user.into(), roles: false }
    }
}

impl Holder for Rights {
    fn name(&self) -> &str {
        &self.user
    }

    fn has_roles(&self) -> bool {
        self.roles
    }
}

impl fmt::Display for Rights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.user)
    }
}

impl PartialEq<str> for Rights {
    fn eq(&self, other: &str) -> bool {
        *self.user == *other
    }
}

impl PartialEq<&str> for Rights {
    fn eq(&self, other: &&str) -> bool {
        *self.user == **other
    }
}

impl PartialEq<String> for Rights {
    fn eq(&self, other: &String) -> bool {
        *self.user == **other
    }
}

impl PartialEq<Rights> for String {
    fn eq(&self, other: &Rights) -> bool {
        other == self
    }
}

impl PartialEq<Rights> for &str {
    fn eq(&self, other: &Rights) -> bool {
        other == self
    }
}
