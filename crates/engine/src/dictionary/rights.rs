//! Whose privileges count: a user's with all its roles, or, inside a stored program, the program's owner's without them.

use std::fmt;
use std::sync::Arc;

/// Somebody who may hold privileges. A name alone is a user with its roles.
pub trait Holder {
    /// The user, upper case.
    fn name(&self) -> &str;

    /// Does what was granted to its roles count?
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

/// A user as statements and programs work for it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rights {
    user: Arc<str>,
    roles: bool,
}

impl Rights {
    /// A user with its roles: who is connected.
    #[must_use]
    pub fn of_user(user: &str) -> Self {
        Self { user: user.into(), roles: true }
    }

    /// The owner of a stored program, inside that program: what was granted to roles does not count.
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
