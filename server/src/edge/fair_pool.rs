//! A limited resource, shared among networks or tenants: while enough of it is free, anybody may take some; beyond that, only
//! those who hold less than a quarter may. So a single network leaves at least half to the others, and an office behind one
//! address is not limited while nobody else is active.

use super::Network;
use domain::ids::TenantId;
use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Who holds a part of a resource: a network or a tenant.
pub(crate) trait Holder: Clone + Eq + Hash {
    /// What is left of `all` for those who hold less than a quarter.
    fn reserve(all: usize) -> usize;

    /// Whether nothing is left for others until another one has come.
    const ALONE: bool;
}

impl Holder for Network {
    fn reserve(all: usize) -> usize {
        all - all / 2
    }

    /// Another one may come at any moment.
    const ALONE: bool = false;
}

/// A tenant has many networks, and may be the only one of its installation, which then loses nothing.
impl Holder for TenantId {
    fn reserve(all: usize) -> usize {
        all / 4
    }

    const ALONE: bool = true;
}

/// A limited resource, in any unit.
#[derive(Debug)]
pub(crate) struct FairPool<K: Holder = Network> {
    all: usize,
    taken: Mutex<Taken<K>>,
}

#[derive(Debug)]
struct Taken<K> {
    sum: usize,
    /// By holder; one that holds nothing is absent.
    by: HashMap<K, usize>,
    /// The first one that came, until another one does.
    only: Option<K>,
    /// Whether several have come since the start.
    several: bool,
}

/// The requests of `/v1`, shared among tenants. Cheap to clone.
#[derive(Clone, Debug)]
pub struct TenantPool(pub(super) Arc<FairPool<TenantId>>);

impl TenantPool {
    /// For this many concurrent requests.
    pub(crate) fn new(requests: usize) -> Self {
        Self(FairPool::new(requests))
    }
}

/// Why nothing was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exhausted {
    /// Not enough is left.
    All,
    /// The network or tenant has used its share.
    Share,
}

/// What somebody holds, released when dropped.
#[derive(Debug)]
pub(crate) struct Permit<K: Holder = Network> {
    pool: Arc<FairPool<K>>,
    holder: K,
    amount: usize,
}

impl<K: Holder> FairPool<K> {
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

    /// Takes `amount` for a holder, if `kept` then remains for others. Whoever holds nothing has not used their share.
    pub(crate) fn take(self: &Arc<Self>, holder: K, amount: usize, kept: usize) -> Result<Permit<K>, Exhausted> {
        self.add(&holder, amount, kept)?;
        Ok(Permit {
            pool: Arc::clone(self),
            holder,
            amount,
        })
    }

    fn add(&self, holder: &K, amount: usize, kept: usize) -> Result<(), Exhausted> {
        let mut taken = self.taken();
        taken.several = taken.several || taken.only.get_or_insert_with(|| holder.clone()) != holder;
        let sum = taken.sum + amount;
        if sum + kept > self.all {
            return Err(Exhausted::All);
        }
        let held = taken.by.get(holder).copied().unwrap_or_default();
        let in_share = held == 0 || held + amount <= self.all / 4;
        if taken.several && !in_share && sum > self.all - K::reserve(self.all) {
            return Err(Exhausted::Share);
        }
        taken.sum = sum;
        *taken.by.entry(holder.clone()).or_default() += amount;
        Ok(())
    }

    fn taken(&self) -> MutexGuard<'_, Taken<K>> {
        // Nothing under the lock can panic.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Holder> Permit<K> {
    /// Takes `more`; if that is not available, the permit keeps what it holds.
    pub(crate) fn grow(&mut self, more: usize) -> Result<(), Exhausted> {
        self.pool.add(&self.holder, more, 0)?;
        self.amount += more;
        Ok(())
    }
}

impl<K: Holder> Drop for Permit<K> {
    fn drop(&mut self) {
        let mut taken = self.pool.taken();
        taken.sum = taken.sum.saturating_sub(self.amount);
        if let Some(held) = taken.by.get_mut(&self.holder) {
            *held = held.saturating_sub(self.amount);
            if *held == 0 {
                taken.by.remove(&self.holder);
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
        let pool = FairPool::new(16);
        let mut greedy: Vec<_> = (0..8).map(|_| pool.take(network(1), 1, 0).unwrap()).collect();
        assert_eq!(pool.take(network(1), 1, 0).err(), Some(Exhausted::Share));
        let second: Vec<_> = (0..4).map(|_| pool.take(network(2), 1, 0).unwrap()).collect();
        assert_eq!(pool.take(network(2), 1, 0).err(), Some(Exhausted::Share));
        let others: Vec<_> = (3..7).map(|other| pool.take(network(other), 1, 0).unwrap()).collect();
        assert_eq!(pool.take(network(9), 1, 0).err(), Some(Exhausted::All));
        greedy.truncate(2);
        assert!(pool.take(network(9), 1, 0).is_ok());
        drop((greedy, second, others));
        assert!(
            pool.taken().sum == 0 && pool.taken().by.is_empty(),
            "all of it was returned"
        );
    }

    #[test]
    fn what_is_kept_for_others_is_not_given_and_a_permit_grows_within_its_share() {
        let pool = FairPool::new(16);
        let most = pool.take(network(1), 12, 4).unwrap();
        assert_eq!(pool.take(network(2), 1, 4).err(), Some(Exhausted::All));
        let mut small = pool.take(network(2), 1, 0).unwrap();
        assert_eq!((small.grow(3), small.grow(1)), (Ok(()), Err(Exhausted::All)));
        drop(most);
        assert_eq!((small.grow(4), small.grow(1)), (Ok(()), Err(Exhausted::Share)));
        drop(small);
        assert!(pool.take(network(1), 16, 0).is_ok());
    }

    #[test]
    fn the_first_of_a_network_is_never_too_large_for_its_share() {
        let pool = FairPool::new(4);
        let _half = pool.take(network(1), 2, 0).unwrap();
        assert!(pool.take(network(2), 2, 0).is_ok());
    }

    fn tenant(number: u8) -> TenantId {
        TenantId::from_random([number; 16])
    }

    #[test]
    fn a_tenant_alone_gets_everything_and_leaves_a_quarter_once_another_one_is_there() {
        let pool = FairPool::new(16);
        let all: Vec<_> = (0..16).map(|_| pool.take(tenant(1), 1, 0).unwrap()).collect();
        assert_eq!(pool.take(tenant(1), 1, 0).err(), Some(Exhausted::All));
        assert_eq!(pool.take(tenant(2), 1, 0).err(), Some(Exhausted::All));
        drop(all);
        let greedy: Vec<_> = (0..16).map_while(|_| pool.take(tenant(1), 1, 0).ok()).collect();
        assert_eq!(greedy.len(), 12);
        let others: Vec<_> = (0..16).map_while(|_| pool.take(tenant(2), 1, 0).ok()).collect();
        assert_eq!(others.len(), 4);
    }
}
