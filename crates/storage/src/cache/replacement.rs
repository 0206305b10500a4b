//! Touch-count replacement with midpoint insertion.
//!
//! ```text
//! hot head -> … hot half … -> | midpoint -> … cold half … -> tail
//!                              new buffers enter here            victims are sought from here
//! ```
//!
//! A get only counts a touch; the list moves when a session seeks a victim. A buffer touched twice or more goes to the
//! hot head and starts again at 0; as many buffers cross from the hot half into the cold one, with one touch. Buffers
//! of a large scan enter at the tail.

use common::{Error, Result};

const NONE: u32 = u32::MAX;
/// Share of the list, in percent, that is hot.
const HOT_PERCENT: usize = 50;

/// The place at which a buffer enters the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InsertPosition {
    Midpoint,
    Tail,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    previous: u32,
    next: u32,
    hot: bool,
    linked: bool,
}

/// A doubly linked list over the pool's frames, by index.
#[derive(Debug)]
pub(super) struct Replacement {
    nodes: Vec<Node>,
    head: u32,
    tail: u32,
    /// First node of the cold half; [`NONE`] when there is none.
    midpoint: u32,
    length: usize,
    hot: usize,
    /// Frames that hold no block.
    pub(super) free: Vec<u32>,
}

impl Replacement {
    pub(super) fn new() -> Self {
        Self { nodes: Vec::new(), head: NONE, tail: NONE, midpoint: NONE, length: 0, hot: 0, free: Vec::new() }
    }

    pub(super) fn grow(&mut self) -> u32 {
        self.nodes.push(Node { previous: NONE, next: NONE, hot: false, linked: false });
        (self.nodes.len() - 1) as u32
    }

    /// All frames of the pool, on the list or not.
    pub(super) fn allocated(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn length(&self) -> usize {
        self.length
    }

    pub(super) fn tail(&self) -> Option<u32> {
        (self.tail != NONE).then_some(self.tail)
    }

    /// True: the frame is on the list.
    pub(super) fn is_linked(&self, index: u32) -> bool {
        self.nodes[index as usize].linked
    }

    /// The neighbour on the way from the tail to the head.
    pub(super) fn warmer(&self, index: u32) -> Option<u32> {
        let previous = self.nodes[index as usize].previous;
        (previous != NONE).then_some(previous)
    }

    /// Links `index` between `previous` and `next`.
    fn link(&mut self, index: u32, previous: u32, next: u32, hot: bool) {
        debug_assert!(!self.nodes[index as usize].linked);
        self.nodes[index as usize] = Node { previous, next, hot, linked: true };
        if previous == NONE {
            self.head = index;
        } else {
            self.nodes[previous as usize].next = index;
        }
        if next == NONE {
            self.tail = index;
        } else {
            self.nodes[next as usize].previous = index;
        }
        self.length += 1;
        self.hot += usize::from(hot);
        debug_assert!(
            self.length <= self.nodes.len(),
            "{} buffers of {} are on the list",
            self.length,
            self.nodes.len()
        );
    }

    pub(super) fn insert(&mut self, index: u32, entry: InsertPosition) {
        match entry {
            InsertPosition::Tail => {
                let last = self.tail;
                // Behind a hot tail the new buffer is the whole cold half.
                self.link(index, last, NONE, false);
                if self.midpoint == NONE {
                    self.midpoint = index;
                }
            }
            InsertPosition::Midpoint => {
                let next = self.midpoint;
                let previous = if next == NONE { self.tail } else { self.nodes[next as usize].previous };
                self.link(index, previous, next, false);
                self.midpoint = index;
            }
        }
    }

    pub(super) fn remove(&mut self, index: u32) {
        let node = self.nodes[index as usize];
        if !node.linked {
            return;
        }
        if node.previous == NONE {
            self.head = node.next;
        } else {
            self.nodes[node.previous as usize].next = node.next;
        }
        if node.next == NONE {
            self.tail = node.previous;
        } else {
            self.nodes[node.next as usize].previous = node.previous;
        }
        if self.midpoint == index {
            self.midpoint = node.next;
        }
        self.length -= 1;
        self.hot -= usize::from(node.hot);
        self.nodes[index as usize].linked = false;
        debug_assert!(
            (self.length == 0) == (self.head == NONE) && (self.head == NONE) == (self.tail == NONE),
            "{}",
            self.length
        );
        debug_assert!(self.hot <= self.length, "{} of {} buffers are hot", self.hot, self.length);
    }

    /// Moves a buffer to the hot head. Returns the buffer that crossed into the cold half, if one did.
    pub(super) fn heat(&mut self, index: u32) -> Option<u32> {
        self.remove(index);
        let head = self.head;
        self.link(index, NONE, head, true);
        if self.hot * 100 <= self.length * HOT_PERCENT {
            return None;
        }
        let last_hot = if self.midpoint == NONE { self.tail } else { self.nodes[self.midpoint as usize].previous };
        debug_assert!(last_hot != NONE && self.nodes[last_hot as usize].hot);
        self.nodes[last_hot as usize].hot = false;
        self.hot -= 1;
        self.midpoint = last_hot;
        debug_assert!(self.hot * 100 <= self.length * HOT_PERCENT, "{} of {} buffers are hot", self.hot, self.length);
        Some(last_hot)
    }

    /// Checks that the list reads the same both ways, its hot part comes first, the midpoint is the start of the cold
    /// part, and no free frame is on it.
    ///
    /// # Errors
    /// ORA-00600 with the invariant that does not hold.
    pub(super) fn check_invariants(&self) -> Result<()> {
        let wrong = |what: String| Err(Error::bug(format!("replacement list: {what}")));
        let (mut at, mut before, mut length, mut hot, mut midpoint) = (self.head, NONE, 0, 0, NONE);
        while at != NONE {
            let Some(node) = self.nodes.get(at as usize).filter(|node| node.linked) else {
                return wrong(format!("buffer {at} is on it and says that it is not"));
            };
            if node.previous != before {
                return wrong(format!("buffer {at} is behind {before} and says {}", node.previous));
            }
            if node.hot && midpoint != NONE {
                return wrong(format!("buffer {at} is hot behind the midpoint"));
            }
            if !node.hot && midpoint == NONE {
                midpoint = at;
            }
            hot += usize::from(node.hot);
            length += 1;
            if length > self.nodes.len() {
                return wrong("it runs in a circle".to_owned());
            }
            (before, at) = (at, node.next);
        }
        if (before, midpoint, length, hot) != (self.tail, self.midpoint, self.length, self.hot) {
            return wrong(format!(
                "tail {before}, midpoint {midpoint}, {length} buffers, {hot} hot; it says {}, {}, {}, {}",
                self.tail, self.midpoint, self.length, self.hot
            ));
        }
        match self.free.iter().find(|index| self.nodes[**index as usize].linked) {
            Some(index) => wrong(format!("buffer {index} is free and on it")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cold_to_hot(list: &Replacement) -> Vec<u32> {
        let mut order = Vec::new();
        let mut at = list.tail();
        while let Some(index) = at {
            order.push(index);
            at = list.warmer(index);
        }
        order
    }

    #[test]
    fn a_broken_list_is_seen() {
        let broken = |change: fn(&mut Replacement)| {
            let mut list = Replacement::new();
            for index in 0..6 {
                list.grow();
                list.insert(index, InsertPosition::Midpoint);
            }
            list.heat(2);
            list.check_invariants().unwrap();
            change(&mut list);
            list.check_invariants().unwrap_err().text
        };
        assert!(broken(|list| list.nodes[3].linked = false).contains("says that it is not"));
        assert!(broken(|list| list.nodes[3].previous = 0).contains("buffer 3 is behind"));
        assert!(broken(|list| list.nodes[0].hot = true).contains("is hot behind the midpoint"));
        assert!(broken(|list| list.length = 5).contains("6 buffers"));
        assert!(broken(|list| list.free.push(1)).contains("buffer 1 is free and on it"));
    }

    #[test]
    fn midpoint_tail_and_hot_head() {
        let mut list = Replacement::new();
        for _ in 0..6 {
            list.grow();
        }
        for index in 0..4 {
            list.insert(index, InsertPosition::Midpoint);
        }
        assert_eq!(cold_to_hot(&list), [0, 1, 2, 3]);
        assert_eq!(list.heat(0), None);
        assert_eq!(list.heat(1), None);
        assert_eq!(cold_to_hot(&list), [2, 3, 0, 1]);
        list.insert(4, InsertPosition::Midpoint);
        assert_eq!(cold_to_hot(&list), [2, 3, 4, 0, 1]);
        list.insert(5, InsertPosition::Tail);
        assert_eq!(cold_to_hot(&list), [5, 2, 3, 4, 0, 1]);
        assert_eq!(list.heat(2), None);
        assert_eq!(list.heat(3), Some(0));
        assert_eq!(cold_to_hot(&list), [5, 4, 0, 1, 2, 3]);
        for index in 0..6 {
            list.remove(index);
        }
        assert_eq!(list.length(), 0);
        assert!(list.tail().is_none());
        list.insert(3, InsertPosition::Tail);
        assert_eq!(cold_to_hot(&list), [3]);
    }
}
