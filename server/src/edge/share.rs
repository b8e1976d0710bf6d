//! A limited resource, shared among networks: while at least half of it remains free, anybody may take; what goes beyond that
//! half is for networks that hold less than a quarter. So a single network leaves at least half to the others, and an office
//! behind one address is not limited while nobody else is there.

use super::Network;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// A limited resource, in any unit.
#[derive(Debug)]
pub(crate) struct Shares {
    all: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    sum: usize,
    /// By network; a network that holds nothing is absent.
    by: HashMap<Network, usize>,
}

/// Why nothing was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Short {
    /// Not enough is left.
    All,
    /// The network has used its share.
    Network,
}

/// What a network holds, released when dropped.
#[derive(Debug)]
pub(crate) struct Part {
    shares: Arc<Shares>,
    network: Network,
    amount: usize,
}

impl Shares {
    pub(crate) fn new(all: usize) -> Arc<Self> {
        Arc::new(Self {
            all,
            taken: Mutex::default(),
        })
    }

    /// Takes `amount` for a network, if `kept` then remains for others. A network that holds nothing has not used its share.
    pub(crate) fn take(self: &Arc<Self>, network: Network, amount: usize, kept: usize) -> Result<Part, Short> {
        self.add(network, amount, kept)?;
        Ok(Part {
            shares: Arc::clone(self),
            network,
            amount,
        })
    }

    fn add(&self, network: Network, amount: usize, kept: usize) -> Result<(), Short> {
        let mut taken = self.taken();
        let sum = taken.sum + amount;
        if sum + kept > self.all {
            return Err(Short::All);
        }
        let held = taken.by.get(&network).copied().unwrap_or_default();
        let in_share = held == 0 || held + amount <= self.all / 4;
        if !in_share && sum > self.all / 2 {
            return Err(Short::Network);
        }
        taken.sum = sum;
        *taken.by.entry(network).or_default() += amount;
        Ok(())
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        // Nothing under the lock can panic.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Part {
    /// Takes `more`; if that is not available, the part keeps what it holds.
    pub(crate) fn grow(&mut self, more: usize) -> Result<(), Short> {
        self.shares.add(self.network, more, 0)?;
        self.amount += more;
        Ok(())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut taken = self.shares.taken();
        taken.sum = taken.sum.saturating_sub(self.amount);
        if let Some(held) = taken.by.get_mut(&self.network) {
            *held = held.saturating_sub(self.amount);
            if *held == 0 {
                taken.by.remove(&self.network);
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
        assert_eq!(shares.take(network(1), 1, 0).err(), Some(Short::Network));
        let second: Vec<_> = (0..4).map(|_| shares.take(network(2), 1, 0).unwrap()).collect();
        assert_eq!(shares.take(network(2), 1, 0).err(), Some(Short::Network));
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
        assert_eq!((small.grow(4), small.grow(1)), (Ok(()), Err(Short::Network)));
        drop(small);
        assert!(shares.take(network(1), 16, 0).is_ok());
    }

    #[test]
    fn the_first_of_a_network_is_never_too_large_for_its_share() {
        let shares = Shares::new(4);
        let _half = shares.take(network(1), 2, 0).unwrap();
        assert!(shares.take(network(2), 2, 0).is_ok());
    }
}
