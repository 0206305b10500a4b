//! The NLS settings of a DBMS_JOB job: those of the session that has submitted it, as one text (NLS_ENV).

use common::{Error, Result};
use storage::parameters::{Parameter, Value};

use crate::cursor::connection::Connection;

/// The settings kept, by their names in the text.
const KEPT: [(&str, Parameter); 3] = [
    ("NLS_DATE_FORMAT", Parameter::NlsDateFormat),
    ("NLS_NUMERIC_CHARACTERS", Parameter::NlsNumericCharacters),
    ("NLS_TIMESTAMP_FORMAT", Parameter::NlsTimestampFormat),
];

/// A session's, as `NAME='value' NAME='value'`: no value holds quotes.
pub(super) fn text(connection: &Connection) -> String {
    let parameters = connection.session.parameters();
    KEPT.map(|(name, parameter)| format!("{name}='{}'", parameters.text(parameter))).join(" ")
}

/// The session's own settings before.
pub(super) struct Before(Vec<(Parameter, Option<Value>)>);

/// Sets the settings of a text in a session.
///
/// # Errors
/// ORA-23422 for a text not written by [`text`]; those of setting a parameter. Nothing is changed then.
pub(super) fn apply(connection: &Connection, text: &str) -> Result<Before> {
    let parameters = connection.session.parameters();
    let mut before = Before(Vec::new());
    let mut set = |name: &str, value: &str| {
        let known = KEPT.iter().find(|(kept, _)| *kept == name);
        let (_, parameter) = known.ok_or_else(|| Error::user(23422, format!("a job cannot run with {name}")))?;
        before.0.push((*parameter, parameters.replace(*parameter, Some(parameter.parse(value)?))));
        Ok(())
    };
    let set_all = read(text).and_then(|pairs| pairs.into_iter().try_for_each(|(name, value)| set(name, value)));
    match set_all.and_then(|()| connection.refresh_nls()) {
        Ok(()) => Ok(before),
        Err(error) => {
            before.put_back(connection)?;
            Err(error)
        }
    }
}

impl Before {
    /// # Errors
    /// The errors of the earlier settings.
    pub(super) fn put_back(self, connection: &Connection) -> Result<()> {
        for (parameter, value) in self.0.into_iter().rev() {
            connection.session.parameters().replace(parameter, value);
        }
        connection.refresh_nls()
    }
}

/// Names and values of a text.
fn read(text: &str) -> Result<Vec<(&str, &str)>> {
    let bad = || Error::user(23422, format!("the NLS settings of a job cannot be read: {text}"));
    let (mut pairs, mut rest) = (Vec::new(), text.trim());
    while !rest.is_empty() {
        let (name, after) = rest.split_once("='").ok_or_else(bad)?;
        let (value, after) = after.split_once('\'').ok_or_else(bad)?;
        pairs.push((name, value));
        rest = after.trim_start();
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_is_written() {
        let text = "NLS_DATE_FORMAT='DD-MON-RR HH24=MI' NLS_NUMERIC_CHARACTERS='. '";
        let pairs = [("NLS_DATE_FORMAT", "DD-MON-RR HH24=MI"), ("NLS_NUMERIC_CHARACTERS", ". ")];
        assert_eq!(read(text).unwrap(), pairs);
        assert!(read("").unwrap().is_empty());
        for bad in ["NLS_DATE_FORMAT", "NLS_DATE_FORMAT='DD", "X=1"] {
            assert!(read(bad).unwrap_err().is_ora(23422), "{bad}");
        }
    }
}
