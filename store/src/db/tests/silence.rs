//! Connections to PostgreSQL that are lost silently, by the node or by the server, and locks that nobody releases: nothing waits for them
//! forever.
//!
//! Planted faults that these tests detect: units without a limit; a connection that is tested forever before its unit, or after it; an end
//! that waits for what is lost; a server that keeps the transactions of a node that has vanished; migrations that give up waiting for
//! those of another node.

use super::*;
use futures::future::join_all;
use sqlx::{Connection as _, PgConnection};
use std::sync::Arc;
use testkit::{
    databases::{postgres_address, postgres_server},
    proxy::Proxy,
};
use tokio::{
    sync::{Barrier, Semaphore},
    task::JoinHandle,
    time::timeout,
};

const LIMITS: DbOptions = DbOptions {
    connections: 4,
    // As in the product. Within it, four lost connections are tested, and others made; in two seconds a busy machine does not get that far.
    timeout: Duration::from_secs(5),
    write: Duration::from_secs(3),
    read: Duration::from_secs(3),
    ..OPTIONS
};
/// What nobody waits for in a test that passes.
const NEVER: Duration = Duration::from_secs(3600);
/// Far beyond the limits, for a machine that is busy.
const SOON: Duration = Duration::from_secs(60);

/// Takes the lock that every unit takes which links entries of the audit log.
const LOCK: &str = "UPDATE audit_chain SET position = position WHERE id = 1";

/// A database behind a proxy, if there is a server.
struct World {
    proxy: Arc<Proxy>,
    /// Through the proxy.
    db: Db,
    /// Past it.
    address: Address,
}

impl World {
    async fn with(options: DbOptions) -> Option<Self> {
        let address = postgres_address(&postgres_server()?).await;
        let (proxy, url) = Proxy::before_database(&address.url).await;
        let opened = async {
            loop {
                // On a busy machine, no connection may be made within the limits of these tests.
                if let Ok(db) = Db::open(&url, options).await {
                    return db;
                }
            }
        };
        let db = timeout(SOON, opened).await.expect("no connection is made");
        Some(Self {
            proxy: Arc::new(proxy),
            db,
            address,
        })
    }

    /// Units that execute a statement, and another one once there is a permit for each. Returns when all have executed the first one.
    async fn begin(&self, count: u32, gate: &Arc<Semaphore>) -> Vec<JoinHandle<Result<(), StoreError>>> {
        let mut units = Vec::new();
        let mut all_begun = Vec::new();
        for number in 0..count {
            let (db, gate) = (self.db.clone(), Arc::clone(gate));
            let (unit, begun) = begin_patiently(move |begun| {
                let (db, gate) = (db.clone(), Arc::clone(&gate));
                async move {
                    let unit = async move |tx: &mut Tx| {
                        execute(tx, "SELECT 1").await?;
                        begun.add_permits(1);
                        gate.acquire().await.unwrap().forget();
                        execute(tx, "SELECT 2").await
                    };
                    if number % 2 == 0 {
                        db.write(unit).await
                    } else {
                        db.read(unit).await
                    }
                }
            });
            units.push(unit);
            all_begun.push(begun);
        }
        join_all(all_begun).await;
        units
    }
}

/// Begins a unit, which adds a permit to what it is given as soon as it has begun. On a busy machine it may get no connection within the limits
/// of these tests; then it is begun again. Also returns what waits until it has begun.
fn begin_patiently<U>(
    unit: impl Fn(Arc<Semaphore>) -> U + Send + 'static,
) -> (JoinHandle<Result<(), StoreError>>, impl Future<Output = ()>)
where
    U: Future<Output = Result<(), StoreError>> + Send,
{
    let begun = Arc::new(Semaphore::new(0));
    let seen = Arc::clone(&begun);
    let unit = tokio::spawn(async move {
        loop {
            let ended = unit(Arc::clone(&seen)).await;
            if seen.available_permits() > 0 {
                return ended;
            }
        }
    });
    // The permit stays: it says that the unit has begun.
    let wait = async move { drop(timeout(SOON, begun.acquire()).await.expect("it never begins")) };
    (unit, wait)
}

/// Works within the limits, however many of the connections are lost.
async fn assert_works(db: &Db) {
    let asked = async { join_all((0..8).map(|_| committed(db))).await };
    let answers = timeout(SOON, asked).await.expect("units still wait");
    assert!(answers.iter().all(Vec::is_empty));
}

async fn lock(db: &Db) -> Result<(), StoreError> {
    let unit = db.write(async |tx| execute(tx, LOCK).await);
    timeout(SOON, unit).await.expect("it still waits for the lock")
}

#[tokio::test]
async fn units_whose_connections_are_lost_end_and_the_next_ones_get_others() {
    let Some(world) = World::with(LIMITS).await else { return };
    let gate = Arc::new(Semaphore::new(0));
    let units = world.begin(LIMITS.connections, &gate).await;
    world.proxy.lose_open();
    gate.add_permits(LIMITS.connections as usize);
    let ended = timeout(SOON, join_all(units)).await.expect("they still wait");
    for unit in ended {
        let ended = unit.unwrap();
        assert!(matches!(ended, Err(StoreError::Unavailable(_))), "{ended:?}");
    }
    assert_works(&world.db).await;
}

#[tokio::test]
async fn connections_that_are_lost_while_they_rest_are_replaced() {
    let Some(world) = World::with(LIMITS).await else { return };
    let gate = Arc::new(Semaphore::new(LIMITS.connections as usize));
    join_all(world.begin(LIMITS.connections, &gate).await).await;
    world.proxy.lose_open();
    let recovered = async { while world.db.ask(async |tx| execute(tx, "SELECT 1").await).await.is_err() {} };
    timeout(SOON, recovered)
        .await
        .expect("every unit still fails, or waits");
    assert_works(&world.db).await;
}

/// Runs a unit on each connection. When all have done their work, the connections are lost. Whether all units have ended well.
async fn all_lose_theirs(world: &World) -> bool {
    let all_there = Arc::new(Barrier::new(LIMITS.connections as usize));
    let units = (0..LIMITS.connections).map(|_| {
        let (all_there, proxy) = (Arc::clone(&all_there), Arc::clone(&world.proxy));
        world.db.ask(async move |tx| {
            let done = execute(tx, "SELECT 1").await;
            all_there.wait().await;
            proxy.lose_open();
            done
        })
    });
    join_all(units).await.iter().all(Result::is_ok)
}

#[tokio::test]
async fn connections_that_are_lost_when_their_units_have_ended_are_replaced() {
    let Some(world) = World::with(LIMITS).await else { return };
    let lost = async {
        // On a busy machine, one of the units may get no connection within the limits; then none of them loses its own.
        while !all_lose_theirs(&world).await {}
    };
    timeout(SOON, lost).await.expect("the units never run at the same time");
    let recovered = async { while world.db.ask(async |tx| execute(tx, "SELECT 1").await).await.is_err() {} };
    timeout(SOON, recovered)
        .await
        .expect("every unit still fails, or waits");
    assert_works(&world.db).await;
}

#[tokio::test]
async fn closing_does_not_wait_for_units_whose_connections_are_lost() {
    let endless = DbOptions {
        write: NEVER,
        read: NEVER,
        ..LIMITS
    };
    let Some(world) = World::with(endless).await else {
        return;
    };
    let gate = Arc::new(Semaphore::new(0));
    let units = world.begin(LIMITS.connections, &gate).await;
    world.proxy.lose_open();
    gate.add_permits(LIMITS.connections as usize);
    timeout(SOON, world.db.close()).await.expect("it still waits");
    drop(units);
}

#[tokio::test]
async fn the_locks_of_a_node_that_vanishes_in_the_middle_of_a_unit_are_released() {
    let Some(world) = World::with(LIMITS).await else { return };
    let db = world.db.clone();
    let (unit, begun) = begin_patiently(move |begun| {
        let db = db.clone();
        async move {
            db.write(async move |tx| {
                execute(tx, LOCK).await?;
                begun.add_permits(1);
                std::future::pending::<Result<(), StoreError>>().await
            })
            .await
        }
    });
    begun.await;
    // The server is told nothing, not even when the unit's time is over.
    world.proxy.lose_open();
    let patient = DbOptions {
        timeout: SOON,
        ..LIMITS
    };
    let other = Db::open(&world.address.url, DbOptions { write: SOON, ..patient }).await;
    lock(&other.unwrap()).await.unwrap();
    drop(unit);
}

#[tokio::test]
async fn a_unit_that_waits_for_a_lock_gives_up() {
    let endless = DbOptions {
        write: NEVER,
        read: NEVER,
        ..LIMITS
    };
    let Some(world) = World::with(endless).await else {
        return;
    };
    let mut other = PgConnection::connect(&world.address.url).await.unwrap();
    sqlx::raw_sql("BEGIN").execute(&mut other).await.unwrap();
    sqlx::raw_sql(LOCK).execute(&mut other).await.unwrap();
    let refused = lock(&world.db).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    lock(&world.db).await.unwrap();
}

#[tokio::test]
async fn migrations_wait_for_those_of_another_node_however_long_they_take() {
    let Some(world) = World::with(LIMITS).await else { return };
    let mut other = PgConnection::connect(&world.address.url).await.unwrap();
    let migrating = "BEGIN; LOCK TABLE _sqlx_migrations IN ACCESS EXCLUSIVE MODE";
    sqlx::raw_sql(migrating).execute(&mut other).await.unwrap();
    let mut opening = Box::pin(Db::open(&world.address.url, LIMITS));
    let early = timeout(LIMITS.timeout + LIMITS.write, &mut opening).await;
    assert!(early.is_err(), "{:?}", early.map(|opened| opened.map(drop)));
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    assert_works(&opening.await.unwrap()).await;
}
