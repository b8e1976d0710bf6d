//! The open connections by client network. A new client is not refused while an idle connection could be closed instead: if
//! there are too many, an idle connection of the network with the most connections is closed. A network that has its share
//! replaces its own connections, but in the long run not faster than [`REPLACES_EVERY`]: one that opens again whatever is
//! closed would otherwise occupy the accept loop with thousands of connections a second.

use super::{Network, io::Phase};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::Notify, time::Instant};
use tokio_util::sync::CancellationToken;

/// How many connections are searched for an idle one before one that is reading a body is closed.
const LOOKED_AT: usize = 64;
/// A network that has its share closes one of its connections for a new one this often in the long run.
const REPLACES_EVERY: Duration = Duration::from_millis(10);
/// How far ahead of that pace it may be: a hundred connections at once, as when an office comes back online.
const REPLACES_AHEAD: Duration = Duration::from_secs(1);

/// All of them.
#[derive(Debug)]
pub(super) struct Connections {
    most: usize,
    state: Mutex<State>,
    /// Notified when a connection ends, and when one could be closed for a new one.
    room: Arc<Notify>,
}

#[derive(Debug, Default)]
struct State {
    open: usize,
    next: u64,
    networks: HashMap<Network, Members>,
    /// Networks by number of connections.
    by_size: BTreeSet<(usize, Network)>,
}

/// The connections of a network, in order of arrival.
#[derive(Debug, Default)]
struct Members {
    all: BTreeMap<u64, Member>,
    /// Where to continue searching for one to close.
    hand: u64,
    /// The time by which those replaced so far would have been replaced at the long-run pace (GCRA, ITU-T I.371).
    replaced: Option<Instant>,
}

#[derive(Debug)]
struct Member {
    phase: Phase,
    cut: CancellationToken,
}

/// A connection's permit, released when dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    connections: Arc<Connections>,
    network: Network,
    number: u64,
}

/// Who connects.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arriving {
    /// A client, whose network may hold half of all permits.
    Client(Network),
    /// A proxy. Its connections may exceed half, because they carry many people's requests.
    Proxy(Network),
}

impl Arriving {
    const fn network(self) -> Network {
        match self {
            Self::Client(network) | Self::Proxy(network) => network,
        }
    }
}

/// The result for a new connection.
#[derive(Debug)]
pub(super) enum Arrival {
    /// It has a permit.
    Admitted(ConnectionSlot),
    /// The network holds half of all permits, and all its connections are busy, or enough were replaced a moment ago.
    Refused,
    /// All connections are busy.
    Full,
}

impl Connections {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most: most.max(1),
            state: Mutex::default(),
            room: Arc::default(),
        })
    }

    /// The phase of a connection that is about to arrive.
    pub(super) fn phase(&self) -> Phase {
        Phase::telling(&self.room)
    }

    /// A permit for a connection that `cut` closes.
    pub(super) fn arrive(self: &Arc<Self>, who: Arriving, phase: &Phase, cut: &CancellationToken) -> Arrival {
        let network = who.network();
        let mut state = self.lock();
        let share = (self.most / 2).max(1);
        let held = state.networks.get(&network).map_or(0, |members| members.all.len());
        if matches!(who, Arriving::Client(_)) && held >= share && !state.replace_one_of(network, Instant::now()) {
            return Arrival::Refused;
        }
        if state.open >= self.most && !state.close_one() {
            return Arrival::Full;
        }
        let number = state.insert(network, phase, cut);
        Arrival::Admitted(ConnectionSlot {
            connections: Arc::clone(self),
            network,
            number,
        })
    }

    /// The same, waiting for a permit; `None` if there will be none.
    pub(super) async fn wait_for_slot(
        self: &Arc<Self>,
        who: Arriving,
        phase: &Phase,
        cut: &CancellationToken,
    ) -> Option<ConnectionSlot> {
        loop {
            let room = self.room.notified();
            match self.arrive(who, phase, cut) {
                Arrival::Admitted(slot) => return Some(slot),
                Arrival::Refused => return None,
                Arrival::Full => room.await,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.connections.lock().remove(self.network, self.number);
        self.connections.room.notify_one();
    }
}

impl State {
    fn insert(&mut self, network: Network, phase: &Phase, cut: &CancellationToken) -> u64 {
        self.next += 1;
        self.open += 1;
        let members = self.networks.entry(network).or_default();
        let before = members.all.len();
        let (phase, cut) = (phase.clone(), cut.clone());
        members.all.insert(self.next, Member { phase, cut });
        self.by_size.remove(&(before, network));
        self.by_size.insert((before + 1, network));
        self.next
    }

    /// Does nothing if it is already gone.
    fn remove(&mut self, network: Network, number: u64) {
        let Some(members) = self.networks.get_mut(&network) else {
            return;
        };
        let before = members.all.len();
        if members.all.remove(&number).is_none() {
            return;
        }
        self.open -= 1;
        self.by_size.remove(&(before, network));
        if before > 1 {
            self.by_size.insert((before - 1, network));
        } else {
            self.networks.remove(&network);
        }
    }

    /// Closes a connection of the network that has the most or, if all of those are busy, of the next one.
    fn close_one(&mut self) -> bool {
        let greediest = self.by_size.iter().rev().take(LOOKED_AT);
        let greediest: Vec<Network> = greediest.map(|(_, network)| *network).collect();
        greediest.into_iter().any(|network| self.close_one_of(network))
    }

    /// Closes a connection of the network for a new one of its own.
    fn replace_one_of(&mut self, network: Network, now: Instant) -> bool {
        let replaced = self.networks.get(&network).and_then(|members| members.replaced);
        let by = replaced.map_or(now, |by| by.max(now)) + REPLACES_EVERY;
        if by - now > REPLACES_AHEAD || !self.close_one_of(network) {
            return false;
        }
        if let Some(members) = self.networks.get_mut(&network) {
            members.replaced = Some(by);
        }
        true
    }

    /// Closes a connection of the network that can be closed.
    fn close_one_of(&mut self, network: Network) -> bool {
        let Some(number) = self.networks.get_mut(&network).and_then(Members::give_up_one) else {
            return false;
        };
        self.remove(network, number);
        true
    }
}

impl Members {
    /// Ends the first idle one or, if the next ones are not idle either, one that is waiting for a body.
    fn give_up_one(&mut self) -> Option<u64> {
        let mut round = self.all.range(self.hand..).chain(self.all.range(..self.hand));
        let (number, member) = loop {
            let neighbours: Vec<(&u64, &Member)> = round.by_ref().take(LOOKED_AT).collect();
            if neighbours.is_empty() {
                return None;
            }
            let rests = neighbours.iter().find(|(_, member)| member.phase.give_up_rest());
            if let Some(found) = rests.or_else(|| neighbours.iter().find(|(_, member)| member.phase.give_up_reading()))
            {
                break *found;
            }
        };
        member.cut.cancel();
        self.hand = number + 1;
        Some(*number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    struct Client {
        phase: Phase,
        cut: CancellationToken,
        slot: Option<ConnectionSlot>,
    }

    fn network(number: u8) -> Network {
        Network::of([127, number, 0, 1].into())
    }

    /// A new connection, which is idle, reading or busy.
    fn come(connections: &Arc<Connections>, from: u8, become_: fn(&Phase)) -> Client {
        let (phase, cut) = (connections.phase(), CancellationToken::new());
        let slot = match connections.arrive(Arriving::Client(network(from)), &phase, &cut) {
            Arrival::Admitted(slot) => Some(slot),
            Arrival::Refused | Arrival::Full => None,
        };
        become_(&phase);
        Client { phase, cut, slot }
    }

    fn cut(clients: &[Client]) -> Vec<usize> {
        let cut = clients
            .iter()
            .enumerate()
            .filter(|(_, client)| client.cut.is_cancelled());
        cut.map(|(at, _)| at).collect()
    }

    #[test]
    fn a_newcomer_takes_the_place_of_one_that_rests_where_there_are_most() {
        let connections = Connections::new(8);
        let few: Vec<_> = (0..2).map(|_| come(&connections, 1, Phase::idle)).collect();
        let mut many: Vec<_> = (0..4).map(|_| come(&connections, 2, Phase::idle)).collect();
        many[0].phase.busy();
        many[1].phase.reading();
        let others: Vec<_> = (3..5).map(|from| come(&connections, from, Phase::busy)).collect();
        let new = come(&connections, 9, Phase::busy);
        assert!(new.slot.is_some() && cut(&few).is_empty() && cut(&others).is_empty());
        assert_eq!(cut(&many), [2], "idle ones are closed before busy ones");
        many.extend((0..2).map(|_| come(&connections, 2, Phase::busy)));
        assert_eq!(cut(&many), [1, 2, 3], "then those waiting for a body");
        assert!(
            come(&connections, 2, Phase::busy).slot.is_some(),
            "its own share is not full, and another network has an idle one"
        );
        assert_eq!(cut(&few).len(), 1);
    }

    #[test]
    fn a_network_has_half_of_them_and_its_newcomers_take_its_own_places() {
        let connections = Connections::new(8);
        let mut greedy: Vec<_> = (0..4).map(|_| come(&connections, 1, Phase::idle)).collect();
        greedy.push(come(&connections, 1, Phase::idle));
        assert_eq!(cut(&greedy), [0], "though half of the permits are free");
        greedy.iter().for_each(|client| client.phase.busy());
        assert!(come(&connections, 1, Phase::idle).slot.is_none());
        let others: Vec<_> = (0..4).map(|_| come(&connections, 2, Phase::busy)).collect();
        assert!(others.iter().all(|client| client.slot.is_some()));
        drop((greedy, others));
        let state = connections.lock();
        assert!(state.open == 0 && state.networks.is_empty() && state.by_size.is_empty());
    }

    #[test]
    fn a_network_that_has_its_share_replaces_its_connections_at_a_limited_pace() {
        let at_once = usize::try_from(REPLACES_AHEAD.as_millis() / REPLACES_EVERY.as_millis()).unwrap();
        let connections = Connections::new(4 * at_once);
        let own: Vec<_> = (0..2 * at_once).map(|_| come(&connections, 1, Phase::idle)).collect();
        let mut state = connections.lock();
        let first = Instant::now();
        assert!((0..at_once).all(|_| state.replace_one_of(network(1), first)));
        assert!(!state.replace_one_of(network(1), first + REPLACES_EVERY / 2));
        assert!(state.replace_one_of(network(1), first + REPLACES_EVERY));
        assert!(!state.replace_one_of(network(1), first + REPLACES_EVERY));
        drop(state);
        assert_eq!(cut(&own).len(), at_once + 1);
    }

    #[tokio::test]
    async fn where_all_are_at_work_a_newcomer_waits_for_one_to_end() {
        let connections = Connections::new(2);
        let first = come(&connections, 1, Phase::busy);
        let _second = come(&connections, 2, Phase::busy);
        let (phase, cut) = (connections.phase(), CancellationToken::new());
        let waiting = connections.wait_for_slot(Arriving::Client(network(3)), &phase, &cut);
        let (slot, ()) = tokio::join!(waiting, async move { drop(first) });
        assert!(slot.is_some());
    }

    #[tokio::test]
    async fn a_response_that_is_still_being_written_is_not_cut_off_for_a_newcomer() {
        let connections = Connections::new(2);
        let clients = [1, 2].map(|from| come(&connections, from, Phase::busy));
        clients[0].phase.handed_over();
        let (phase, cut) = (connections.phase(), CancellationToken::new());
        let mut waiting = std::pin::pin!(connections.wait_for_slot(Arriving::Client(network(3)), &phase, &cut));
        assert!((&mut waiting).now_or_never().is_none());
        clients[1].phase.idle();
        assert!(waiting.now_or_never().flatten().is_some());
        assert_eq!(self::cut(&clients), [1]);
    }

    #[tokio::test]
    async fn a_newcomer_that_waits_takes_the_place_of_the_first_that_is_done() {
        for done in [Phase::idle, Phase::reading] {
            let connections = Connections::new(2);
            let clients = [1, 2].map(|from| come(&connections, from, Phase::busy));
            let (phase, cut) = (connections.phase(), CancellationToken::new());
            let mut waiting = std::pin::pin!(connections.wait_for_slot(Arriving::Client(network(3)), &phase, &cut));
            assert!((&mut waiting).now_or_never().is_none());
            done(&clients[1].phase);
            assert!(waiting.now_or_never().flatten().is_some());
            assert_eq!(self::cut(&clients), [1]);
        }
    }
}
