//! Times of day without a zone, as the DATE columns and the report have them.

/// Seconds from 1970-01-01 00:00:00 of the instance's own clock to this reading of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct LocalTime(pub i64);

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

/// A time taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parts {
    pub year: i64,
    /// 1 to 12.
    pub month: u32,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
}

impl LocalTime {
    /// Of a date in the Gregorian calendar, as a DATE column holds it.
    #[must_use]
    pub fn from_parts(parts: Parts) -> Self {
        let year = parts.year - i64::from(parts.month <= 2);
        let from_march = (i64::from(parts.month) + 9) % 12;
        let day_of_year = (153 * from_march + 2) / 5 + i64::from(parts.day) - 1;
        let year_of_era = year.rem_euclid(400);
        let day_of_era = 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year;
        let days = year.div_euclid(400) * 146_097 + day_of_era - 719_468;
        let second = 3600 * i64::from(parts.hour) + 60 * i64::from(parts.minute) + i64::from(parts.second);
        Self(days * 86_400 + second)
    }

    /// Year, month and so on in the Gregorian calendar.
    #[must_use]
    pub fn parts(self) -> Parts {
        let days = self.0.div_euclid(86_400);
        let second = self.0.rem_euclid(86_400) as u32;
        // Eras of 400 years that begin on 1 March: the leap day is the last day of a year.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * from_march + 2) / 5 + 1) as u32;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 } as u32;
        let year = era * 400 + year_of_era + i64::from(month <= 2);
        Parts { year, month, day, hour: second / 3600, minute: second / 60 % 60, second: second % 60 }
    }

    /// "23-Apr-14 18:30:40".
    #[must_use]
    pub fn to_second(self) -> String {
        format!("{}:{:02}", self.to_minute(), self.parts().second)
    }

    /// "23-Apr-14 18:30".
    #[must_use]
    pub fn to_minute(self) -> String {
        let parts = self.parts();
        let month = MONTHS[parts.month as usize - 1];
        let year = parts.year.rem_euclid(100);
        format!("{:02}-{month}-{year:02} {:02}:{:02}", parts.day, parts.hour, parts.minute)
    }

    /// "23-Apr 18:30".
    #[must_use]
    pub fn in_year(self) -> String {
        let parts = self.parts();
        format!("{:02}-{} {:02}:{:02}", parts.day, MONTHS[parts.month as usize - 1], parts.hour, parts.minute)
    }

    /// "Wed 23 18:30:40".
    #[must_use]
    pub fn in_month(self) -> String {
        let parts = self.parts();
        let day = DAYS[self.0.div_euclid(86_400).rem_euclid(7) as usize];
        format!("{day} {:02} {:02}:{:02}:{:02}", parts.day, parts.hour, parts.minute, parts.second)
    }
}

#[cfg(test)]
mod tests {
    use super::{LocalTime, Parts};

    #[test]
    fn times_as_printed() {
        let time = LocalTime(1_398_277_840);
        assert_eq!(time.to_second(), "23-Apr-14 18:30:40");
        assert_eq!(time.to_minute(), "23-Apr-14 18:30");
        assert_eq!(time.in_year(), "23-Apr 18:30");
        assert_eq!(time.in_month(), "Wed 23 18:30:40");
        assert_eq!(LocalTime(951_782_400).to_minute(), "29-Feb-00 00:00");
        assert_eq!(LocalTime(-1).to_second(), "31-Dec-69 23:59:59");
    }

    #[test]
    fn every_day_is_put_together_again() {
        // From 1 January 1600 on, a time in each day of eight hundred years.
        let first = LocalTime::from_parts(Parts { year: 1600, month: 1, day: 1, hour: 0, minute: 0, second: 0 });
        assert_eq!(first, LocalTime(-11_676_096_000));
        for day in 0..292_194 {
            let time = LocalTime(first.0 + day * 86_400 + day * 37 % 86_400);
            assert_eq!(LocalTime::from_parts(time.parts()), time);
        }
    }
}
