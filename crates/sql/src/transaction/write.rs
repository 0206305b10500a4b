//! The mode in which a commit writes its redo: by the statement, then by the parameters.

use storage::parameters::{Parameter, SessionParameters};
use storage::txn::CommitWrite;

use super::command::WriteOptions;

/// COMMIT_WAIT and COMMIT_LOGGING where the session has set them, else the session's COMMIT_WRITE, which is older than
/// the two, else the instance's COMMIT_WAIT and COMMIT_LOGGING. FORCE_WAIT overrides the statement, and the instance's
/// FORCE_WAIT the session.
pub(super) fn resolved(options: WriteOptions, parameters: &SessionParameters) -> CommitWrite {
    let old = parameters.text(Parameter::CommitWrite).to_ascii_uppercase();
    let old: Vec<&str> = old.split(',').map(str::trim).collect();
    let forced = forced(parameters);
    let either = |yes: &str, no: &str, parameter: Parameter| {
        let word = old.iter().find(|word| **word == yes || **word == no);
        match word {
            Some(word) if !parameters.is_own(parameter) => *word == yes,
            _ => &*parameters.text(parameter) == yes,
        }
    };
    CommitWrite {
        no_wait: !forced && options.no_wait.unwrap_or_else(|| either("NOWAIT", "WAIT", Parameter::CommitWait)),
        batch: options.batch.unwrap_or_else(|| either("BATCH", "IMMEDIATE", Parameter::CommitLogging)),
    }
}

/// FORCE_WAIT: every commit waits.
pub(super) fn forced(parameters: &SessionParameters) -> bool {
    &*parameters.text(Parameter::CommitWait) == "FORCE_WAIT"
        || &*parameters.system().text(Parameter::CommitWait) == "FORCE_WAIT"
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use storage::parameters::Parameters;

    use super::*;

    #[test]
    fn the_statement_comes_before_the_parameters() {
        let session = SessionParameters::new(Arc::new(Parameters::default()));
        let asked = |no_wait, batch, session: &SessionParameters| {
            let write = resolved(WriteOptions { no_wait, batch }, session);
            (write.no_wait, write.batch)
        };
        assert_eq!(asked(None, None, &session), (false, false));
        session.set("commit_write", "batch,nowait").unwrap();
        assert_eq!(asked(None, None, &session), (true, true));
        assert_eq!(asked(Some(false), Some(false), &session), (false, false));
        session.set("commit_logging", "immediate").unwrap();
        assert_eq!(asked(None, None, &session), (true, false));
        session.set("commit_wait", "nowait").unwrap();
        assert_eq!(asked(None, None, &session), (true, false));
        session.set("commit_wait", "force_wait").unwrap();
        assert_eq!(asked(Some(true), None, &session), (false, false));
        assert!(session.set("commit_wait", "perhaps").unwrap_err().is_ora(96));
        assert!(session.set("commit_write", "batch,batch").unwrap_err().is_ora(96));
    }
}
