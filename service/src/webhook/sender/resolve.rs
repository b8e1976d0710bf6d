//! Name resolution. Behind a trait, so that a test can decide what a name resolves to, and change it.

use crate::runtime::turns::Turns;
use async_trait::async_trait;
use std::{
    fmt, io,
    net::{IpAddr, ToSocketAddrs as _},
    sync::Arc,
};
use tokio::{sync::Semaphore, task::spawn_blocking};

/// Look-ups at a time. Each occupies a thread of those that hash passwords and write files as well, of which tokio has 512.
const MAX_AT_ONCE: usize = 64;
/// Look-ups of one name at a time: a name server that keeps silent takes no more of them.
const MAX_OF_A_NAME: usize = 8;

/// Resolves names.
#[async_trait]
pub trait Resolve: Send + Sync + 'static {
    /// Every address of `name`.
    ///
    /// # Errors
    /// If the name does not resolve.
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

type LookUp = dyn Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync;

/// The operating system's resolver. It blocks a thread until it has an answer, and a name server chooses how long that takes.
pub struct SystemResolver {
    look_up: Arc<LookUp>,
    slots: Arc<Semaphore>,
    names: Turns<String>,
}

impl SystemResolver {
    /// A resolver that blocks its threads in `look_up`, for tests.
    pub fn over(look_up: impl Fn(&str) -> io::Result<Vec<IpAddr>> + Send + Sync + 'static) -> Self {
        Self {
            look_up: Arc::new(look_up),
            slots: Arc::new(Semaphore::new(MAX_AT_ONCE)),
            names: Turns::of_each(MAX_OF_A_NAME),
        }
    }
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self::over(|name| {
            let found = (name, 0_u16).to_socket_addrs()?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

impl fmt::Debug for SystemResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SystemResolver").finish_non_exhaustive()
    }
}

#[async_trait]
impl Resolve for SystemResolver {
    /// A look-up that has begun cannot be ended, so it keeps its places even if its caller goes away.
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        // The name's first: who waits for it takes no place from other names.
        let turn = self.names.take(name.to_owned()).await;
        let slot = Arc::clone(&self.slots).acquire_owned().await;
        let places = (turn, slot.map_err(io::Error::other)?);
        let (look_up, name) = (Arc::clone(&self.look_up), name.to_owned());
        let job = spawn_blocking(move || {
            let _places = places;
            look_up(&name)
        });
        job.await.map_err(io::Error::other)?
    }
}
