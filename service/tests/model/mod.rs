//! Every state of a session under every operation of the API, the capture pages, the console and time, compared step by step
//! with a reference model that knows the contract's table and nothing of the program. Random sequences on SQLite and, if
//! `HONNIN_TEST_POSTGRES` names a server, on Postgres; a sequence that finds a difference is shrunk and reported with its seed.
//!
//! `HONNIN_CASES` sets the number of sequences, `HONNIN_SEED` the first seed.
//!
//! Planted faults that this test found and shrank to two to five moves: `expired` may be reprocessed; `reviewing` ends at its
//! deadline; a reprocess after the erasure is allowed. Bugs that it found: a session whose expiry was stored late kept its data
//! for longer than its retention; a decision with a note on an erased session was an internal error; a reviewer who came too
//! late was shown the decision on an earlier attempt; a reprocess before the erasure that was requested undid it.

mod game;
mod operation;
mod real;
mod reference;
use game::play;
use operation::{Move, grid, sequence};
use proptest::{
    strategy::Strategy,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner},
};
use real::{PLACES, Real};
use service::session::rate_limit::CreationRate;
use std::{
    cell::RefCell,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};
use testkit::{
    Harness,
    databases::{Backend, postgres, postgres_server, sqlite},
    long_runs, loopback_sender,
};
use tokio::runtime::{Builder, Runtime};

/// Sequences in `make test`.
const CASES: u64 = 60;
/// Concurrent systems: while one waits for its disk, another computes.
const LANES: u64 = 8;

#[test]
fn sessions_do_what_the_table_says_on_sqlite() {
    explore(0, || async { sqlite().await });
}

#[test]
fn sessions_do_what_the_table_says_on_postgres() {
    if let Some(server) = postgres_server() {
        explore(1, || async { postgres(&server).await });
    }
}

/// The grid of states and operations, unless a single sequence is replayed, and then random sequences. A sequence of the grid is played for a customer
/// or in a sandbox, in turn; on the other database it is the other way round (`first`).
fn explore<D: Future<Output = Backend>>(first: usize, database: impl Fn() -> D + Sync) {
    let (seed, cases) = (long_runs::seed(), long_runs::count("HONNIN_CASES", CASES));
    println!("{cases} sequences from HONNIN_SEED={seed:#x}");
    let grid = if cases < LANES { Vec::new() } else { grid() };
    let stop = AtomicBool::new(false);
    let faults: Vec<String> = thread::scope(|scope| {
        let lanes: Vec<_> = (0..LANES.min(cases))
            .map(|number| {
                let (database, grid, stop) = (&database, &grid, &stop);
                scope.spawn(move || {
                    let lane = Lane::new(database);
                    let mine = |cases| (number..cases).step_by(LANES as usize);
                    let go_on = |_: &u64| !stop.load(Ordering::SeqCst);
                    let fault = mine(grid.len() as u64)
                        .find_map(|case| lane.play_written((first + case as usize) % 2, &grid[case as usize]))
                        .or_else(|| {
                            let mut drawn = mine(cases).take_while(go_on);
                            drawn.find_map(|case| lane.play_drawn(seed.wrapping_add(case)))
                        });
                    stop.fetch_or(fault.is_some(), Ordering::SeqCst);
                    fault
                })
            })
            .collect();
        let ended = lanes.into_iter().map(thread::ScopedJoinHandle::join);
        ended
            .filter_map(|fault| fault.unwrap_or_else(|_| Some("panicked, see above".to_owned())))
            .collect()
    });
    assert!(faults.is_empty(), "of HONNIN_SEED={seed:#x}: {}", faults.join("\n"));
}

/// One system, used for one sequence after another.
struct Lane {
    runtime: Runtime,
    real: RefCell<Real>,
}

impl Lane {
    fn new<D: Future<Output = Backend>>(database: impl Fn() -> D) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let unlimited = CreationRate {
            per_minute: 0,
            burst: 0,
        };
        let real = runtime.block_on(async {
            Real::new(Harness::on(database().await, Default::default(), loopback_sender(), unlimited).await).await
        });
        Self {
            runtime,
            real: RefCell::new(real),
        }
    }

    fn play(&self, place: usize, moves: &[Move]) -> Result<(), String> {
        self.runtime.block_on(play(&mut self.real.borrow_mut(), place, moves))
    }

    /// Plays a written sequence in the place with that number: a customer's, or a sandbox's.
    fn play_written(&self, place: usize, moves: &[Move]) -> Option<String> {
        let difference = self.play(place, moves).err()?;
        Some(format!("{difference}\n  after, in place {place}:{}", listed(moves)))
    }

    /// Draws a sequence from `seed` and plays it; one that finds a difference is shrunk.
    fn play_drawn(&self, seed: u64) -> Option<String> {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let config = Config {
            max_shrink_iters: 1_000,
            failure_persistence: None,
            ..Config::default()
        };
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
        let drawn = (0..PLACES.len(), sequence()).new_tree(&mut runner).unwrap();
        let outcome = runner.run_one(drawn, |(place, moves)| {
            self.play(place, &moves).map_err(TestCaseError::fail)
        });
        let Err(TestError::Fail(difference, (place, moves))) = outcome else {
            return None;
        };
        let moves = listed(&moves);
        Some(format!(
            "{difference}\n  after, in place {place}:{moves}\n  again with HONNIN_SEED={seed:#x} HONNIN_CASES=1"
        ))
    }
}

fn listed(moves: &[Move]) -> String {
    moves.iter().map(|each| format!("\n    {each:?}")).collect()
}
