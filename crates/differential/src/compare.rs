//! The verdict on two answers to one statement.

use crate::side::{Answer, Class};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// The same rows, or as many changed.
    Same {
        rows: usize,
    },
    /// Refused by both for the same reason.
    BothRefuse,
    /// One side met a condition that depends on the order of evaluation.
    Order,
    /// A text is longer than Oracle's texts may be.
    TextLimit,
    /// The peer does not support the statement, so there is no answer to compare with.
    PeerRefuses(String),
    /// Highwater does not support the statement, and says so.
    Unsupported(String),
    Different,
    /// Highwater refuses a statement that the peer runs.
    Refused(String),
}

impl Verdict {
    pub(crate) fn is_wrong(&self) -> bool {
        matches!(self, Self::Different | Self::Refused(_))
    }

    /// True: a smaller statement shows the same difference as this one.
    pub(crate) fn shows_the_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Different, Self::Different) => true,
            (Self::Refused(one), Self::Refused(other)) | (Self::Unsupported(one), Self::Unsupported(other)) => {
                head(one) == head(other)
            }
            _ => false,
        }
    }
}

/// The number of an error, and the words that do not name anything of the statement.
pub(crate) fn head(error: &str) -> &str {
    error.split(['"', '\'', '(']).next().unwrap_or(error)
}

/// `ordered`: the rows are one sequence.
pub(crate) fn compare(ours: &Answer, theirs: &Answer, ordered: bool) -> Verdict {
    match (ours, theirs) {
        (Answer::Rows(ours), Answer::Rows(theirs)) => {
            let same = if ordered {
                ours == theirs
            } else {
                let (mut ours, mut theirs) = (ours.clone(), theirs.clone());
                ours.sort_unstable();
                theirs.sort_unstable();
                ours == theirs
            };
            if same { Verdict::Same { rows: ours.len() } } else { Verdict::Different }
        }
        (Answer::Changed(ours), Answer::Changed(theirs)) if ours == theirs => Verdict::Same { rows: *ours as usize },
        (Answer::Refused(Class::Unsupported, why), _) => Verdict::Unsupported(why.clone()),
        (_, Answer::Refused(Class::Other | Class::Unsupported, why)) => Verdict::PeerRefuses(why.clone()),
        (Answer::Refused(Class::TextLimit, _), _) => Verdict::TextLimit,
        // The order in which two constraints are checked is not specified.
        (Answer::Refused(one, _), Answer::Refused(other, _))
            if one == other || (one.is_constraint() && other.is_constraint()) =>
        {
            Verdict::BothRefuse
        }
        (Answer::Refused(class, _), _) | (_, Answer::Refused(class, _)) if class.depends_on_order() => Verdict::Order,
        // The peer evaluates constants even for no row at all.
        (Answer::Changed(0), Answer::Refused(Class::Precision | Class::TooLong, _)) => Verdict::Order,
        (Answer::Refused(_, why), _) => Verdict::Refused(why.clone()),
        _ => Verdict::Different,
    }
}

#[cfg(test)]
mod tests {
    use super::{Verdict, compare};
    use crate::side::{Answer, Class};

    #[test]
    fn a_text_beyond_the_limit_is_no_difference() {
        let refused = Answer::Refused(Class::TextLimit, "ORA-01489: result of string concatenation is too long".into());
        let rows = Answer::Rows(vec![vec![Some("a".to_owned())]]);
        assert_eq!(compare(&refused, &rows, false), Verdict::TextLimit);
        assert_eq!(compare(&refused, &Answer::Changed(1), false), Verdict::TextLimit);
        assert!(!Verdict::TextLimit.is_wrong());
        // Another refusal of a statement that the peer runs is one.
        let other = Answer::Refused(Class::Other, "ORA-00942: table or view does not exist".into());
        assert!(compare(&other, &rows, false).is_wrong());
    }
}
