//! Taking recursive calls off their caller.
//!
//! A line is written when its call ends, so the lines of recursive calls come before that of their caller, one deeper:
//!
//! ```text
//! FETCH #3:…,cr=4,…,dep=2        \ both belong to the call at depth 1 that ends next
//! EXEC  #3:…,cr=2,…,dep=2        /
//! EXEC  #2:…,cr=9,…,dep=1        own: 9 - (4 + 2) = 3; nothing is left at depth 2, 9 at depth 1
//! EXEC  #1:…,cr=20,…,dep=0       own: 20 - 9 = 11
//! ```
//!
//! Sums over all statements are thus those of the calls at the least depth, and nothing counts twice. CLOSE lines take
//! no part: TKPROF leaves their time with the caller.

/// Subtracted amounts: cpu, elapsed, disk, query, current.
pub(crate) type Amounts = [i64; 5];

/// One session's calls whose caller has not ended yet, by depth.
#[derive(Default, Debug)]
pub(crate) struct Recursion {
    open: Vec<Amounts>,
}

impl Recursion {
    /// Takes a finished call at `depth` and returns its own amounts.
    pub(crate) fn own(&mut self, depth: u32, call: Amounts) -> Amounts {
        let depth = depth as usize;
        if self.open.len() <= depth {
            self.open.resize(depth + 1, Amounts::default());
        }
        let mut own = call;
        // Deeper calls without a caller of their own belong here too: the lines between were lost.
        for children in self.open.drain(depth + 1..) {
            subtract(&mut own, &children);
        }
        add(&mut self.open[depth], &call);
        own
    }
}

fn add(to: &mut Amounts, amounts: &Amounts) {
    to.iter_mut().zip(amounts).for_each(|(to, amount)| *to = to.saturating_add(*amount));
}

fn subtract(from: &mut Amounts, amounts: &Amounts) {
    from.iter_mut().zip(amounts).for_each(|(from, amount)| *from = from.saturating_sub(*amount));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(amount: i64) -> Amounts {
        [0, 0, 0, amount, 0]
    }

    #[test]
    fn the_picture_above() {
        let mut recursion = Recursion::default();
        assert_eq!(recursion.own(2, query(4)), query(4));
        assert_eq!(recursion.own(2, query(2)), query(2));
        assert_eq!(recursion.own(1, query(9)), query(3));
        assert_eq!(recursion.own(0, query(20)), query(11));
        assert_eq!(recursion.own(0, query(5)), query(5));
    }

    #[test]
    fn a_lost_line_leaves_its_calls_to_the_next_above() {
        let mut recursion = Recursion::default();
        recursion.own(3, query(4));
        assert_eq!(recursion.own(1, query(9)), query(5));
        assert_eq!(recursion.own(0, query(9)), query(0));
    }
}
