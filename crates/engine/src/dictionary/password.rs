//! Password verifiers: their stored form, and the comparison of a password with one.
//!
//! `S:<rounds>:<salt>:<hash>` in hexadecimal, the hash PBKDF2 with HMAC-SHA-256 over the password as UTF-8. Passwords
//! are case-sensitive.

use std::fmt::Write as _;

use common::{Error, Result};
use pbkdf2::pbkdf2_hmac;
use sha2::{Digest, Sha256};

use super::SystemPrivilege;
use super::catalog::Catalog;
use super::user::{SYS, UserKind};

const ROUNDS: u32 = 10_000;
const SALT_BYTES: usize = 16;
const HASH_BYTES: usize = 32;

/// The verifier of `password`. The salt only has to differ from user to user: it is derived from the time.
pub(crate) fn verifier(password: &str, now_us: u64) -> Result<String> {
    if password.is_empty() {
        return Err(Error::user(988, "a password has at least one character"));
    }
    let mut digest = Sha256::new();
    digest.update(now_us.to_le_bytes());
    digest.update(std::process::id().to_le_bytes());
    digest.update(password.as_bytes());
    let digest = digest.finalize();
    let salt = &digest[..SALT_BYTES];
    Ok(format!("S:{ROUNDS}:{}:{}", hex(salt), hex(&hash(password, salt, ROUNDS))))
}

fn hash(password: &str, salt: &[u8], rounds: u32) -> [u8; HASH_BYTES] {
    let mut hash = [0; HASH_BYTES];
    pbkdf2_hmac::<Sha256>(password.as_bytes(), salt, rounds, &mut hash);
    hash
}

/// True: `verifier` was made from `password`.
fn matches(verifier: &str, password: &str) -> bool {
    let mut parts = verifier.split(':');
    let (Some("S"), Some(rounds), Some(salt), Some(stored)) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let (Ok(rounds), Some(salt), Some(stored)) = (rounds.parse(), bytes(salt), bytes(stored)) else { return false };
    let computed = hash(password, &salt, rounds);
    // Constant time: every byte is compared, wherever the first difference is.
    stored.len() == computed.len() && stored.iter().zip(computed).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02X}");
        text
    })
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    if !hex.len().is_multiple_of(2) || !hex.is_ascii() {
        return None;
    }
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).ok()).collect()
}

/// Checks that a session may log on as `name` with `password`. None: the operating system's user, who could open the
/// files, logs on. A user without a password cannot log on with any. SYS without a password is AS SYSDBA, which a
/// locked account does not keep out: SYS must be able to unlock the others.
///
/// # Errors
/// ORA-01017 wrong password, none set, or no such user; ORA-28000 locked, ORA-01045 without CREATE SESSION.
pub fn authenticate(catalog: &Catalog, name: &str, password: Option<&str>) -> Result<()> {
    let wrong = || Error::user(1017, "user name or password is wrong");
    let user = catalog.user(name).filter(|user| user.kind == UserKind::User).ok_or_else(wrong)?;
    if let Some(password) = password {
        let Some(verifier) = &user.verifier else {
            let text = format!("{name} has no password yet, so nobody logs on by that name; ALTER USER sets one");
            return Err(Error::user(1017, text));
        };
        if !matches(verifier, password) {
            return Err(wrong());
        }
    }
    if user.locked && !(name == SYS && password.is_none()) {
        return Err(Error::user(28000, format!("the account {name} is locked")));
    }
    if !catalog.has_system_privilege(name, SystemPrivilege::CreateSession) {
        return Err(Error::user(1045, format!("{name} lacks CREATE SESSION")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_matches_its_verifier() {
        let stored = verifier("Tiger", 1).unwrap();
        assert!(matches(&stored, "Tiger"));
        assert!(!matches(&stored, "tiger"));
        assert_ne!(stored, verifier("Tiger", 2).unwrap());
        assert!(verifier("", 1).is_err());
        for damaged in ["", "S:1:zz:00", "S:10000:00", "T:1:00:00", "S:1:0:0"] {
            assert!(!matches(damaged, "Tiger"));
        }
    }
}
