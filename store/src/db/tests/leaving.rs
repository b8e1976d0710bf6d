//! Callers that go away at any moment: what was acknowledged is there, what was not is there completely or not at all, and the
//! next unit finds a usable connection.
//!
//! Planted fault that this test detects: a unit that runs within its caller's future, so that it ends when its caller goes
//! away.

use super::*;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use std::{
    collections::BTreeSet,
    future::poll_fn,
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
};
use tokio::{sync::Notify, task::JoinSet};

const CALLERS: i64 = 16;
const CALLS: i64 = 10_000;
/// What Postgres reports about a connection that was reused with a transaction open, or without the one that was begun.
const OUT_OF_STEP: [&str; 2] = [
    "there is already a transaction in progress",
    "there is no transaction in progress",
];

/// What the temporary Postgres has written to its log so far; empty if `scripts/with-postgres` did not start one.
fn postgres_log() -> String {
    let file = std::env::var_os("HONNIN_TEST_POSTGRES_LOG");
    file.map_or_else(String::new, |file| std::fs::read_to_string(file).unwrap())
}

/// When a caller goes away.
#[derive(Clone, Copy, Debug)]
enum Leaves {
    Never,
    /// When its unit has executed its first statement.
    Amid,
    /// When its unit waits for the nth time.
    AtWait(u32),
    /// After this many turns of the runtime.
    AfterTurns(u32),
}

impl Leaves {
    fn draw(random: &mut StdRng) -> Self {
        match random.random_range(0..4) {
            0 => Self::Never,
            1 => Self::Amid,
            2 => Self::AfterTurns(random.random_range(0..50)),
            _ => Self::AtWait(random.random_range(0..8)),
        }
    }

    /// The answer, if the caller stayed for it. `begun` is notified after the unit's first statement.
    async fn before<T>(self, call: impl Future<Output = T>, begun: &Notify) -> Option<T> {
        let call = pin!(call);
        match self {
            Self::Never => Some(call.await),
            Self::Amid => tokio::select! {
                biased;
                () = begun.notified() => None,
                answer = call => Some(answer),
            },
            Self::AtWait(nth) => until_wait(call, nth).await,
            Self::AfterTurns(turns) => tokio::select! {
                answer = call => Some(answer),
                () = async { for _ in 0..turns { tokio::task::yield_now().await } } => None,
            },
        }
    }
}

async fn until_wait<F: Future>(mut call: Pin<&mut F>, nth: u32) -> Option<F::Output> {
    let mut waits = 0;
    poll_fn(|cx| match call.as_mut().poll(cx) {
        Poll::Ready(answer) => Poll::Ready(Some(answer)),
        Poll::Pending if waits == nth => Poll::Ready(None),
        Poll::Pending => {
            waits += 1;
            Poll::Pending
        }
    })
    .await
}

/// Who, and which of its calls.
type Call = (i64, i64);

/// What callers learned about their writing units.
#[derive(Debug, Default)]
struct Learned {
    done: BTreeSet<Call>,
    undone: BTreeSet<Call>,
}

async fn make_table(db: &Db) {
    let table = "CREATE TABLE halves (caller BIGINT, turn BIGINT, half BIGINT, PRIMARY KEY (caller, turn, half))";
    let made = db.write(async move |tx| execute(tx, table).await);
    made.await.unwrap();
}

async fn add_half(tx: &mut Tx, (caller, turn): Call, half: i64) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("INSERT INTO halves (caller, turn, half) VALUES ($1, $2, $3)")
        .bind(caller).bind(turn).bind(half).execute(conn).await.map(drop))
}

/// Two halves, or none if the unit is to fail.
async fn write(db: &Db, begun: Arc<Notify>, call: Call, fails: bool) -> Result<(), StoreError> {
    db.write(async move |tx| {
        add_half(tx, call, 1).await?;
        begun.notify_one();
        add_half(tx, call, 2).await?;
        if fails { Err(StoreError::LeaseLost) } else { Ok(()) }
    })
    .await
}

async fn count(tx: &mut Tx, caller: i64) -> Result<i64, StoreError> {
    on!(tx, conn => sqlx::query_scalar("SELECT COUNT(*) FROM halves WHERE caller = $1")
        .bind(caller).fetch_one(conn).await)
}

/// A snapshot of the database does not change, and contains no half of a unit.
async fn read(db: &Db, begun: Arc<Notify>, whose: i64) -> Result<(), StoreError> {
    let seen = db.read(async move |tx| {
        let first = count(tx, whose).await?;
        begun.notify_one();
        Ok::<_, StoreError>((first, count(tx, whose).await?))
    });
    let (first, second) = seen.await?;
    assert_eq!((first, first % 2), (second, 0));
    Ok(())
}

async fn ask(db: &Db, begun: Arc<Notify>, whose: i64) -> Result<(), StoreError> {
    let asked = db.ask(async move |tx| {
        let counted = count(tx, whose).await;
        begun.notify_one();
        counted
    });
    let counted = asked.await?;
    assert_eq!(counted % 2, 0);
    Ok(())
}

/// The writes that are present, and how many halves there are.
async fn written(db: &Db) -> (BTreeSet<Call>, usize) {
    let all = db.read(async |tx| -> Result<Vec<Call>, StoreError> {
        on!(tx, conn => sqlx::query_as("SELECT caller, turn FROM halves").fetch_all(conn).await)
    });
    let halves = all.await.unwrap();
    (halves.iter().copied().collect(), halves.len())
}

/// One impatient caller after the other.
async fn call(db: Db, caller: i64) -> Learned {
    let mut random = StdRng::seed_from_u64(caller.unsigned_abs());
    let mut learned = Learned::default();
    for turn in 0..CALLS / CALLERS {
        let whose = random.random_range(0..CALLERS);
        let (leaves, begun) = (Leaves::draw(&mut random), Arc::new(Notify::new()));
        let unit = Arc::clone(&begun);
        match random.random_range(0..4) {
            0 => assert!(matches!(
                leaves.before(read(&db, unit, whose), &begun).await,
                None | Some(Ok(()))
            )),
            1 => assert!(matches!(
                leaves.before(ask(&db, unit, whose), &begun).await,
                None | Some(Ok(()))
            )),
            _ => {
                let (call, fails) = ((caller, turn), random.random_ratio(1, 8));
                match leaves.before(write(&db, unit, call, fails), &begun).await {
                    None => {}
                    Some(Ok(())) => assert!(learned.done.insert(call)),
                    Some(Err(StoreError::LeaseLost)) if fails => assert!(learned.undone.insert(call)),
                    Some(other) => panic!("{leaves:?}: {other:?}"),
                }
            }
        }
    }
    learned
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn callers_that_leave_at_any_moment_leave_whole_units_and_connections_in_order() {
    for Backend { name, db, url, .. } in backends().await {
        make_table(&db).await;
        let mut callers = JoinSet::new();
        for caller in 0..CALLERS {
            callers.spawn(call(db.clone(), caller));
        }
        let learned = callers
            .join_all()
            .await
            .into_iter()
            .fold(Learned::default(), |mut all, one| {
                all.done.extend(one.done);
                all.undone.extend(one.undone);
                all
            });
        // Waits for the units whose callers have gone away.
        db.close().await;
        let (there, halves) = written(&Db::open(&url, OPTIONS).await.unwrap()).await;
        assert_eq!(there.len() * 2, halves, "{name}: each unit completely");
        assert!(learned.done.is_subset(&there), "{name}: acknowledged and lost");
        assert!(learned.undone.is_disjoint(&there), "{name}: refused but stored");
        let (waited_for, all) = (learned.done.len(), there.len());
        assert!(waited_for > 1000 && all > waited_for, "{name}: {waited_for} of {all}");
    }
    let log = postgres_log();
    let complaints: Vec<_> = log
        .lines()
        .filter(|line| OUT_OF_STEP.iter().any(|words| line.contains(words)))
        .collect();
    assert!(complaints.is_empty(), "{} times: {}", complaints.len(), complaints[0]);
}
