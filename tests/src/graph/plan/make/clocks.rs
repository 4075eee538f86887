//! How often nodes fire in relation to one another, where fixed rates tie them together: so that rates are consistent by
//! construction.

use super::super::{CYCLES, Give, Take};

/// A reduced fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ratio {
    over: u64,
    under: u64,
}

/// Neither part of a ratio grows beyond this, so that one iteration of a network stays small.
const MOST: u64 = 48;

impl Ratio {
    pub(super) const ONE: Self = Self { over: 1, under: 1 };

    pub(super) fn new(over: usize, under: usize) -> Self {
        let g = gcd(over as u64, under as u64);
        Self { over: over as u64 / g, under: under as u64 / g }
    }

    pub(super) fn times(self, other: Self) -> Self {
        let (over, under) = (self.over * other.over, self.under * other.under);
        let g = gcd(over, under);
        Self { over: over / g, under: under / g }
    }

    pub(super) fn inverse(self) -> Self {
        Self { over: self.under, under: self.over }
    }

    pub(super) fn parts(self) -> (usize, usize) {
        (self.over as usize, self.under as usize)
    }

    pub(super) fn of(self, n: usize) -> usize {
        (n as u64 * self.over / self.under) as usize
    }

    fn is_small(self) -> bool {
        self.over <= MOST && self.under <= MOST
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn mean(cycle: usize) -> Ratio {
    Ratio::new(CYCLES[cycle].iter().sum(), CYCLES[cycle].len())
}

impl Take {
    /// Tokens a firing, in the mean.
    pub(super) fn mean(self) -> Ratio {
        match self {
            Self::Cyclic(cycle) => mean(cycle),
            _ => Ratio::new(self.taken(0), 1),
        }
    }
}

impl Give {
    /// Tokens a firing, in the mean, where they don't depend on the tokens.
    pub(super) fn mean(self) -> Option<Ratio> {
        match self {
            Self::One => Some(Ratio::ONE),
            Self::Maybe | Self::Any => None,
            Self::Exactly(n) => Some(Ratio::new(n, 1)),
            Self::Counted(cycle) => Some(mean(cycle)),
        }
    }
}

/// By node: a node that it is tied to, and how often it fires for each firing of that one. A node that is tied to itself
/// is a root.
#[derive(Default)]
pub(super) struct Clocks(Vec<(usize, Ratio)>);

impl Clocks {
    /// A node that is tied to nothing.
    pub(super) fn add(&mut self) {
        self.0.push((self.0.len(), Ratio::ONE));
    }

    /// The root of a node, and its firings for each of the root's.
    fn root(&self, mut node: usize) -> (usize, Ratio) {
        let mut ratio = Ratio::ONE;
        while self.0[node].0 != node {
            ratio = ratio.times(self.0[node].1);
            node = self.0[node].0;
        }
        (node, ratio)
    }

    /// What a node that is fed so, with fixed rates on both ends of each edge, would be tied to: pairs of a writer and the
    /// firings of the new node for each firing of it. False where that contradicts itself, or the numbers grow too large.
    pub(super) fn fits(&self, ties: &[(usize, Ratio)]) -> bool {
        let rooted: Vec<_> = ties.iter().map(|&(node, ratio)| (self.root(node), ratio)).collect();
        let own = |((root, of_root), ratio): ((usize, Ratio), Ratio)| (root, of_root.times(ratio));
        let rooted: Vec<(usize, Ratio)> = rooted.into_iter().map(own).collect();
        let agree = |(i, &(root, ratio)): (usize, &(usize, Ratio))| {
            ratio.is_small() && rooted[..i].iter().all(|&(other, known)| other != root || known == ratio)
        };
        if !rooted.iter().enumerate().all(agree) {
            return false;
        }
        // Roots that become tied to the first one: everything below them must stay small, too.
        let Some(&(first, base)) = rooted.first() else { return true };
        let joined = |&(root, ratio): &(usize, Ratio)| {
            let shift = base.times(ratio.inverse());
            root == first || self.below(root).all(|of_root| of_root.times(shift).is_small())
        };
        rooted.iter().all(joined)
    }

    fn below(&self, root: usize) -> impl Iterator<Item = Ratio> {
        (0..self.0.len()).map(|node| self.root(node)).filter(move |(of, _)| *of == root).map(|(_, ratio)| ratio)
    }

    /// Ties a node, by ties that fit.
    pub(super) fn tie(&mut self, node: usize, ties: &[(usize, Ratio)]) {
        for &(writer, ratio) in ties {
            let (root, of_root) = self.root(writer);
            let (own, of_own) = self.root(node);
            if root != own {
                // firings(node) = ratio × firings(writer) = of_own × firings(own)
                self.0[own] = (root, ratio.times(of_root).times(of_own.inverse()));
            }
        }
    }

    /// Ties two nodes, the first of which fires `ratio` times for each firing of the second; false where that contradicts
    /// what ties them already, or the numbers grow too large.
    pub(super) fn link(&mut self, node: usize, other: usize, ratio: Ratio) -> bool {
        if let Some(known) = self.between(node, other) {
            return known == ratio;
        }
        let ((root, of_root), (own, of_own)) = (self.root(other), self.root(node));
        let shift = ratio.times(of_root).times(of_own.inverse());
        let small = self.below(own).all(|of_own| of_own.times(shift).is_small());
        if small {
            self.0[own] = (root, shift);
        }
        small
    }

    /// Firings of one node for each of another, where they are tied.
    fn between(&self, node: usize, other: usize) -> Option<Ratio> {
        let ((root, ratio), (of, by)) = (self.root(node), self.root(other));
        (root == of).then(|| ratio.times(by.inverse()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_agree_or_are_refused() {
        let mut clocks = Clocks::default();
        (0..4).for_each(|_| clocks.add());
        let (half, three) = (Ratio::new(1, 2), Ratio::new(3, 1));
        clocks.tie(1, &[(0, half)]);
        assert!(clocks.fits(&[(0, Ratio::new(3, 2)), (1, three)]));
        assert!(!clocks.fits(&[(0, three), (1, three)]));
        clocks.tie(2, &[(0, Ratio::new(3, 2)), (1, three)]);
        assert_eq!(clocks.between(2, 1), Some(three));
        assert_eq!(clocks.between(3, 1), None);
        assert!(clocks.fits(&[(3, half), (2, three)]), "what is not tied yet fits");
        clocks.tie(3, &[(2, half)]);
        assert_eq!(clocks.between(3, 0), Some(Ratio::new(3, 4)));
    }
}
