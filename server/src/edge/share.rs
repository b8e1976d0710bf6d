//! A limited resource, shared among networks or tenants: while enough of it remains free, anybody may take; what goes beyond that
//! is for those who hold less than a quarter. So a single network leaves at least half to the others, and an office behind one
//! address is not limited while nobody else is there.

use super::Network;
use domain::ids::TenantId;
use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Among whom a resource is shared.
pub(crate) trait Sharer: Clone + Eq + Hash {
    /// What is left of `all` for those who hold less than a quarter.
    fn reserve(all: usize) -> usize;

    /// Whether nothing is left for others until another one has come.
    const ALONE: bool;
}

impl Sharer for Network {
    fn reserve(all: usize) -> usize {
        all - all / 2
    }

    /// Another one may come at any moment.
    const ALONE: bool = false;
}

/// A tenant has many networks, and may be the only one of its installation, which then loses nothing.
impl Sharer for TenantId {
    fn reserve(all: usize) -> usize {
        all / 4
    }

    const ALONE: bool = true;
}

/// A limited resource, in any unit.
#[derive(Debug)]
pub(crate) struct Shares<K: Sharer = Network> {
    all: usize,
    taken: Mutex<Taken<K>>,
}

#[derive(Debug)]
struct Taken<K> {
    sum: usize,
    /// By sharer; one that holds nothing is absent.
    by: HashMap<K, usize>,
    /// The first one that came, until another one does.
    only: Option<K>,
    /// Whether several have come since the start.
    several: bool,
}

/// The requests of `/v1`, shared among tenants. Cheap to clone.
#[derive(Clone, Debug)]
pub struct TenantShares(pub(super) Arc<Shares<TenantId>>);

impl TenantShares {
    /// For this many concurrent requests.
    pub(crate) fn new(requests: usize) -> Self {
        Self(Shares::new(requests))
    }
}

/// Why nothing was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Short {
    /// Not enough is left.
    All,
    /// The network or tenant has used its share.
    Share,
}

/// What somebody holds, released when dropped.
#[derive(Debug)]
pub(crate) struct Part<K: Sharer = Network> {
    shares: Arc<Shares<K>>,
    sharer: K,
    amount: usize,
}

impl<K: Sharer> Shares<K> {
    pub(crate) fn new(all: usize) -> Arc<Self> {
        let taken = Taken {
            sum: 0,
            by: HashMap::new(),
            only: None,
            several: !K::ALONE,
        };
        Arc::new(Self {
            all,
            taken: Mutex::new(taken),
        })
    }

    /// Takes `amount` for a sharer, if `kept` then remains for others. Whoever holds nothing has not used their share.
    pub(crate) fn take(self: &Arc<Self>, sharer: K, amount: usize, kept: usize) -> Result<Part<K>, Short> {
        self.add(&sharer, amount, kept)?;
        Ok(Part {
            shares: Arc::clone(self),
            sharer,
            amount,
        })
    }

    fn add(&self, sharer: &K, amount: usize, kept: usize) -> Result<(), Short> {
        let mut taken = self.taken();
        taken.several = taken.several || taken.only.get_or_insert_with(|| sharer.clone()) != sharer;
        let sum = taken.sum + amount;
        if sum + kept > self.all {
            return Err(Short::All);
        }
        let held = taken.by.get(sharer).copied().unwrap_or_default();
        let in_share = held == 0 || held + amount <= self.all / 4;
        if taken.several && !in_share && sum > self.all - K::reserve(self.all) {
            return Err(Short::Share);
        }
        taken.sum = sum;
        *taken.by.entry(sharer.clone()).or_default() += amount;
        Ok(())
    }

    fn taken(&self) -> MutexGuard<'_, Taken<K>> {
        // Nothing under the lock can panic.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Sharer> Part<K> {
    /// Takes `more`; if that is not available, the part keeps what it holds.
    pub(crate) fn grow(&mut self, more: usize) -> Result<(), Short> {
        self.shares.add(&self.sharer, more, 0)?;
        self.amount += more;
        Ok(())
    }
}

impl<K: Sharer> Drop for Part<K> {
    fn drop(&mut self) {
        let mut taken = self.shares.taken();
        taken.sum = taken.sum.saturating_sub(self.amount);
        if let Some(held) = taken.by.get_mut(&self.sharer) {
            *held = held.saturating_sub(self.amount);
            if *held == 0 {
                taken.by.remove(&self.sharer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(number: u8) -> Network {
        Network::of([127, number, 0, 1].into())
    }

    #[test]
    fn one_network_gets_half_and_the_others_share_the_rest() {
        let shares = Shares::new(16);
        let mut greedy: Vec<_> = (0..8).map(|_| shares.take(network(1), 1, 0).unwrap()).collect();
        assert_eq!(shares.take(network(1), 1, 0).err(), Some(Short::Share));
        let second: Vec<_> = (0..4).map(|_| shares.take(network(2), 1, 0).unwrap()).collect();
        assert_eq!(shares.take(network(2), 1, 0).err(), Some(Short::Share));
        let others: Vec<_> = (3..7).map(|other| shares.take(network(other), 1, 0).unwrap()).collect();
        assert_eq!(shares.take(network(9), 1, 0).err(), Some(Short::All));
        greedy.truncate(2);
        assert!(shares.take(network(9), 1, 0).is_ok());
        drop((greedy, second, others));
        assert!(
            shares.taken().sum == 0 && shares.taken().by.is_empty(),
            "all of it was returned"
        );
    }

    #[test]
    fn what_is_kept_for_others_is_not_given_and_a_part_grows_within_its_share() {
        let shares = Shares::new(16);
        let most = shares.take(network(1), 12, 4).unwrap();
        assert_eq!(shares.take(network(2), 1, 4).err(), Some(Short::All));
        let mut small = shares.take(network(2), 1, 0).unwrap();
        assert_eq!((small.grow(3), small.grow(1)), (Ok(()), Err(Short::All)));
        drop(most);
        assert_eq!((small.grow(4), small.grow(1)), (Ok(()), Err(Short::Share)));
        drop(small);
        assert!(shares.take(network(1), 16, 0).is_ok());
    }

    #[test]
    fn the_first_of_a_network_is_never_too_large_for_its_share() {
        let shares = Shares::new(4);
        let _half = shares.take(network(1), 2, 0).unwrap();
        assert!(shares.take(network(2), 2, 0).is_ok());
    }

    fn tenant(number: u8) -> TenantId {
        TenantId::from_random([number; 16])
    }

    #[test]
    fn a_tenant_alone_gets_everything_and_leaves_a_quarter_once_another_one_is_there() {
        let shares = Shares::new(16);
        let all: Vec<_> = (0..16).map(|_| shares.take(tenant(1), 1, 0).unwrap()).collect();
        assert_eq!(shares.take(tenant(1), 1, 0).err(), Some(Short::All));
        assert_eq!(shares.take(tenant(2), 1, 0).err(), Some(Short::All));
        drop(all);
        let greedy: Vec<_> = (0..16).map_while(|_| shares.take(tenant(1), 1, 0).ok()).collect();
        assert_eq!(greedy.len(), 12);
        let others: Vec<_> = (0..16).map_while(|_| shares.take(tenant(2), 1, 0).ok()).collect();
        assert_eq!(others.len(), 4);
    }
}
