//! A function's inputs beyond its arguments.

use std::fmt;

use format::date::DateTime;

use crate::nls::Nls;

/// The session for functions. All inputs other than arguments come through here, so that a test or a simulation
/// controls them.
pub trait Context: fmt::Debug + Send + Sync {
    fn nls(&self) -> &Nls;

    /// SYSDATE and SYSTIMESTAMP: the same throughout a statement.
    fn now(&self) -> DateTime;

    /// USER.
    fn user(&self) -> &str;

    /// UID.
    fn user_id(&self) -> u32;

    /// SYS_CONTEXT: None where there is no such parameter. Both names are in upper case.
    fn environment(&self, namespace: &str, parameter: &str) -> Option<String>;

    /// For SYS_GUID and DBMS_RANDOM.
    fn random(&self) -> u64;
}

/// A context without a session: a fixed time, no environment. For constant expressions in tests.
#[derive(Debug)]
pub struct FixedContext {
    pub nls: Nls,
    pub now: DateTime,
}

impl Default for FixedContext {
    fn default() -> Self {
        Self {
            nls: Nls::default(),
            now: DateTime { hour: 13, minute: 45, second: 30, ..DateTime::midnight(2024, 2, 29) },
        }
    }
}

impl Context for FixedContext {
    fn nls(&self) -> &Nls {
        &self.nls
    }

    fn now(&self) -> DateTime {
        self.now
    }

    fn user(&self) -> &'static str {
        "SYSTEM"
    }

    fn user_id(&self) -> u32 {
        5
    }

    fn environment(&self, _namespace: &str, parameter: &str) -> Option<String> {
        (parameter == "SESSION_USER").then(|| "SYSTEM".to_owned())
    }

    fn random(&self) -> u64 {
        0
    }
}
