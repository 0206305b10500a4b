//! Plays a script and writes it with its results.

use std::fmt::Write;
use std::sync::Arc;

use sql::Database;

use super::player::{Player, work};
use super::watch::{lock_wait, settle};

const INDENT: &str = "    ";

/// The sessions of a script in the order of their names, with aliases.
struct Stage<'d> {
    database: &'d Arc<Database>,
    players: Vec<Player>,
    /// The sessions named `victim` and `other`.
    aliases: Vec<(&'static str, String)>,
    written: String,
}

/// The script with the results that it gives.
pub(crate) fn play(database: &Arc<Database>, script: &str) -> String {
    let mut stage = Stage { database, players: Vec::new(), aliases: Vec::new(), written: String::new() };
    for line in script.lines() {
        if line.starts_with(INDENT) {
            // A result.
            continue;
        }
        writeln!(stage.written, "{line}").unwrap();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match line.split_once("> ") {
            Some((session, statement)) if !session.contains(' ') => stage.line(session, statement),
            _ => stage.directive(line),
        }
    }
    // Idle sessions first: the end of their transactions may release the others.
    let (busy, idle): (Vec<Player>, Vec<Player>) = stage.players.into_iter().partition(|player| player.busy);
    idle.into_iter().chain(busy).for_each(Player::leave);
    stage.written
}

impl Stage<'_> {
    fn real<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, real)| real)
    }

    /// The session's name in the script.
    fn shown<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.iter().find(|(_, real)| real == name).map_or(name, |(alias, _)| alias)
    }

    fn line(&mut self, session: &str, statement: &str) {
        let name = self.real(session).to_owned();
        if !self.players.iter().any(|player| player.name == name) {
            self.players.push(Player::new(&name, self.database));
            self.players.sort_by(|a, b| a.name.cmp(&b.name));
        }
        let at = self.players.iter().position(|player| player.name == name).unwrap();
        if self.players[at].busy {
            writeln!(self.written, "{INDENT}{session} is blocked").unwrap();
            return;
        }
        if statement == "leave" {
            self.players.remove(at).leave();
            writeln!(self.written, "{INDENT}gone").unwrap();
            self.settle(&name, |_| true);
            return;
        }
        self.players[at].start(work(statement));
        self.settle(&name, |_| true);
        let player = self.players.iter().find(|player| player.name == name).unwrap();
        if player.busy {
            let event = lock_wait(player).unwrap_or("?");
            writeln!(self.written, "{INDENT}blocked: {event}").unwrap();
        }
    }

    /// Writes the ended work: the session's own lines as they are, those of others behind their names.
    fn settle(&mut self, own: &str, enough: impl Fn(&[Player]) -> bool) {
        let mut ended = settle(&mut self.players, enough);
        // The result of the line's own session comes before those of the sessions it released.
        ended.sort_by_key(|(name, _)| name != own);
        for (name, lines) in &ended {
            let prefix = if name == own { String::new() } else { format!("{}: ", self.shown(name)) };
            for line in lines {
                writeln!(self.written, "{INDENT}{prefix}{line}").unwrap();
            }
        }
    }

    /// `other` closes a circle of waits with its statement; either session may get the error.
    fn deadlock(&mut self, one: &str, other: &str, statement: &str) {
        let names = [one.to_owned(), other.to_owned()];
        let player = self.players.iter_mut().find(|player| player.name == other).unwrap();
        player.start(work(statement));
        let ended = |players: &[Player]| players.iter().any(|player| names.contains(&player.name) && !player.busy);
        let before = self.written.len();
        self.settle("", ended);
        let victim =
            self.players.iter().find(|player| names.contains(&player.name) && !player.busy).unwrap().name.clone();
        let rest = names.iter().find(|name| **name != victim).unwrap().clone();
        // Its result is written under its new name.
        let lines = self.written.split_off(before);
        self.written += &lines.replace(&format!("{INDENT}{victim}: "), &format!("{INDENT}victim: "));
        self.aliases = vec![("victim", victim), ("other", rest)];
    }

    fn directive(&mut self, line: &str) {
        if let Some((sessions, statement)) = line.split_once("> ") {
            let names: Vec<&str> = sessions.split_whitespace().collect();
            let ["deadlock", one, other] = names.as_slice() else { panic!("what is this line of a script: {line}") };
            return self.deadlock(one, other, statement);
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["wait", session] => {
                let name = self.real(session).to_owned();
                self.settle("", |players| !players.iter().any(|player| player.name == name && player.busy));
            }
            _ => panic!("what is this line of a script: {line}"),
        }
    }
}

/// The first line in which a result differs: expected and actual.
pub(crate) fn difference(expected: &str, got: &str) -> Option<(usize, String, String)> {
    let (mut expected, mut got) = (expected.lines(), got.lines());
    for number in 1.. {
        match (expected.next(), got.next()) {
            (None, None) => break,
            (one, other) if one == other => {}
            (one, other) => {
                let text = |line: Option<&str>| line.unwrap_or("(the end)").trim().to_owned();
                return Some((number, text(one), text(other)));
            }
        }
    }
    None
}
