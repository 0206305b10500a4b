//! ALTER SYSTEM SET and RESET, with the session's privileges.

use common::Result;

use super::session::Session;
use crate::dictionary::SystemPrivilege;
use storage::parameters::{Parameter, Scope};

impl Session {
    /// ALTER SYSTEM SET `name` = `text` SCOPE = `scope`.
    ///
    /// # Errors
    /// ORA-01031 without ALTER SYSTEM, and those of [`storage::parameters::Parameters::alter_system`].
    pub fn alter_system(&self, name: &str, text: &str, scope: Scope) -> Result<Parameter> {
        self.catalog().check_system_privilege(&self.rights(), SystemPrivilege::AlterSystem)?;
        let instance = self.instance();
        instance.parameters().alter_system(&**instance.files(), instance.directory(), name, text, scope)
    }

    /// ALTER SYSTEM RESET `name`, in the parameter file.
    ///
    /// # Errors
    /// ORA-01031 without ALTER SYSTEM, and those of [`storage::parameters::Parameters::reset_system`].
    pub fn reset_system(&self, name: &str) -> Result<Parameter> {
        self.catalog().check_system_privilege(&self.rights(), SystemPrivilege::AlterSystem)?;
        let instance = self.instance();
        instance.parameters().reset_system(&**instance.files(), instance.directory(), name)
    }
}
