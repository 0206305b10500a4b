//! Counters of the session for its client. A client in this process sends no messages: the calls that would be messages
//! are counted.

use waits::Statistic;

use super::connection::Connection;

impl Connection {
    /// The value of a statistic of the session, by name; None for an unknown name.
    #[must_use]
    pub fn statistic(&self, name: &str) -> Option<u64> {
        let statistic = Statistic::ALL.into_iter().find(|statistic| statistic.name() == name)?;
        Some(statistic.shown(self.session().meter().value(statistic)))
    }

    /// Counts a round trip: a call of the client with `received` bytes, and its answer. The first fetch of a query goes
    /// with its execution.
    pub fn count_message(&self, received: u64) {
        let meter = self.session().meter();
        meter.count(Statistic::SqlNetRoundtripsToFromClient, 1);
        meter.count(Statistic::BytesReceivedViaSqlNetFromClient, received);
    }

    /// Counts bytes of answers.
    pub fn count_sent(&self, bytes: u64) {
        self.session().meter().count(Statistic::BytesSentViaSqlNetToClient, bytes);
    }
}
