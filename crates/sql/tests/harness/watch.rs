//! Detects a blocked session: it waits for a lock, and its thread sleeps and has not been woken.

use std::path::Path;
use std::time::Duration;

use super::player::Player;

/// Consecutive looks that must find the session waiting, its thread asleep and not woken in between.
const LOOKS: u32 = 8;
const PAUSE: Duration = Duration::from_millis(2);
/// If a thread's sleep cannot be observed, or the wait polls: the session counts as blocked after this time in a wait
/// for a lock.
const FALL_BACK_US: u64 = 700_000;
/// A script's line is given up after this time.
const LIMIT_US: u64 = 60_000_000;

/// Observations of a session since it began to wait.
#[derive(Default)]
pub(crate) struct Watch {
    /// On the session's clock.
    since_us: Option<u64>,
    /// The thread's count of voluntary switches, and the looks that found it so.
    asleep: Option<(u64, u32)>,
}

/// The lock that a session waits for, as the event's name.
pub(crate) fn lock_wait(player: &Player) -> Option<&'static str> {
    let event = player.session.meter().current_wait()?.event;
    event.name().starts_with("enq: T").then(|| event.name())
}

pub(crate) fn now_us(player: &Player) -> u64 {
    player.session.meter().clock().monotonic_us()
}

/// State of a thread in /proc.
enum Thread {
    /// It sleeps, with so many voluntary switches.
    Asleep(u64),
    /// It runs or is runnable: a woken thread does not stay blocked.
    Awake,
    Unknown,
}

fn thread(folder: &Path) -> Thread {
    let Ok(stat) = std::fs::read_to_string(folder.join("stat")) else { return Thread::Unknown };
    let Ok(status) = std::fs::read_to_string(folder.join("status")) else { return Thread::Unknown };
    let asleep = stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('S'));
    let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    match count.and_then(|count| count.trim().parse().ok()) {
        Some(count) if asleep => Thread::Asleep(count),
        Some(_) => Thread::Awake,
        None => Thread::Unknown,
    }
}

impl Player {
    /// One look; returns true when the session is blocked.
    fn blocked(&mut self) -> bool {
        let thread = thread(&self.thread);
        if lock_wait(self).is_none() || matches!(thread, Thread::Awake) {
            self.watch = Watch::default();
            return false;
        }
        let now_us = now_us(self);
        let since_us = *self.watch.since_us.get_or_insert(now_us);
        self.watch.asleep = match (thread, self.watch.asleep) {
            (Thread::Asleep(now), Some((before, looks))) if now == before => Some((now, looks + 1)),
            (Thread::Asleep(now), _) => Some((now, 1)),
            _ => None,
        };
        self.watch.asleep.is_some_and(|(_, looks)| looks >= LOOKS) || now_us - since_us > FALL_BACK_US
    }
}

/// Waits until all running sessions are blocked and `enough` is true; returns the lines of those that ended, by
/// session.
pub(crate) fn settle(players: &mut [Player], enough: impl Fn(&[Player]) -> bool) -> Vec<(String, Vec<String>)> {
    for player in players.iter_mut() {
        player.watch = Watch::default();
    }
    let until_us = players.first().map_or(0, now_us) + LIMIT_US;
    let mut ended = Vec::new();
    loop {
        for player in players.iter_mut().filter(|player| player.busy) {
            if let Some(lines) = player.result() {
                ended.push((player.name.clone(), lines));
            }
        }
        // All are looked at, so that each is found asleep as often.
        let at_work =
            players.iter_mut().filter(|player| player.busy).map(Player::blocked).filter(|blocked| !blocked).count();
        let done = at_work == 0 && enough(players);
        if done {
            ended.sort();
            return ended;
        }
        assert!(now_us(&players[0]) < until_us, "a session neither ends nor waits for a lock");
        std::thread::sleep(PAUSE);
    }
}
