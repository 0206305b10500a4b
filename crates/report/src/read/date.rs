//! Times as reports print them, as seconds since 1970 (as if they were UTC).

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// "23-Apr-14 18:30:40", "23-APR-2014 18:30", "2014-04-23 18:30:40", "23.04.14 18:30:40", "23-Avr. -14 18:30:40". None
/// when it is not understood.
pub(super) fn seconds(text: &str) -> Option<i64> {
    let text = text.trim();
    let (date, time) = split(text)?;
    let fields: Vec<&str> = date.split(['-', '.', '/', ' ']).filter(|field| !field.is_empty()).collect();
    let [first, second, third] = fields.as_slice() else { return None };
    let (year, month, day) = if first.len() == 4 && first.bytes().all(|byte| byte.is_ascii_digit()) {
        (first.parse().ok()?, month(second)?, third.parse().ok()?)
    } else {
        (year(third)?, month(second)?, first.parse().ok()?)
    };
    if !(1970..=2200).contains(&year) {
        return None;
    }
    let mut parts = time.split(':');
    let hour = parts.next()?.parse().ok()?;
    let minute = parts.next()?.parse().ok()?;
    let second = match parts.next() {
        Some(second) => second.split('.').next()?.parse().ok()?,
        None => 0,
    };
    let moment = DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
    Some(TimeZone::UTC.to_timestamp(moment).ok()?.as_second())
}

/// Date and time of day, at the last space or T before the first colon.
fn split(text: &str) -> Option<(&str, &str)> {
    let colon = text.find(':')?;
    let at = text.get(..colon)?.rfind([' ', 'T'])?;
    Some((text.get(..at)?.trim(), text.get(at + 1..)?.trim()))
}

fn year(text: &str) -> Option<i16> {
    let year: i16 = text.parse().ok()?;
    Some(match (text.len(), year) {
        (2, 70..) => 1900 + year,
        (2, _) => 2000 + year,
        _ => year,
    })
}

/// A month by number, or by the beginning of its name in the languages that Oracle's own session settings are most seen
/// with.
fn month(text: &str) -> Option<i8> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    const NAMES: [&[&str]; 12] = [
        &["jan", "ene", "gen"],
        &["feb", "fev", "fév"],
        &["mar", "mär", "mae", "mrz", "mrt"],
        &["apr", "avr", "abr"],
        &["may", "mai", "mag", "mei", "maj"],
        &["jun", "juin", "giu"],
        &["jul", "juil", "lug"],
        &["aug", "aou", "aoû", "ago"],
        &["sep", "set"],
        &["oct", "okt", "ott", "out"],
        &["nov"],
        &["dec", "dez", "dic", "déc"],
    ];
    let text = text.to_lowercase();
    let found = NAMES.iter().position(|names| names.iter().any(|name| text.starts_with(name)))?;
    i8::try_from(found).ok().map(|month| month + 1)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn one_moment_in_many_forms() {
        let moment = Some(1_398_277_840);
        for text in [
            "23-Apr-14 18:30:40",
            "23-APR-2014 18:30:40",
            "2014-04-23 18:30:40",
            "23.04.14 18:30:40",
            "23-Avr. -14 18:30:40",
            "23/04/2014 18:30:40",
            "2014-04-23T18:30:40.123",
        ] {
            assert_eq!(seconds(text), moment, "{text}");
        }
        assert_eq!(seconds("01-Jan-70 00:00:00"), Some(0));
        assert_eq!(seconds("29-Feb-24 00:00"), Some(1_709_164_800));
        assert_eq!(seconds("31-Déc-99 23:59"), Some(946_684_740));
    }

    #[test]
    fn texts_that_are_no_moment() {
        for text in [
            "",
            "18:30:40",
            "23-Apr 18:30:40",
            "99-Apr-14 18:30:40",
            "23-Xyz-14 18:30:40",
            "23-Apr-14",
            "23-Apr-14 25:00:00",
            "30-Feb-14 18:30:40",
            "2014-13-01 18:30:40",
        ] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
