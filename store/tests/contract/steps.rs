//! What is done again and again, or while others wait, takes SQLite as many steps whether there are few rows or many. Steps are those of
//! its virtual machine: unlike times, they are the same on every machine.

use domain::{
    ids::{EventId, SessionId, TenantId},
    time::{Millis, Timestamp},
};
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};
use store::{
    Db, DbOptions, StoreError, Tx,
    decision::identities,
    jobs::{self, Claim, JobKind, Moment},
    people::try_counters,
    session::{
        ended, idempotency,
        search::{self, Filter, Order, Page, Person},
    },
    webhook::{
        deliveries::{self, DeliveryFilter, DeliveryState},
        events::{self, Old},
    },
};
use tempfile::TempDir;

/// The steps that `unit` takes on a database that was filled by these statements, where `i` of `n` counts to `rows`.
async fn steps<T>(rows: u32, fill: &[&str], unit: impl AsyncFn(&mut Tx) -> Result<T, StoreError>) -> u64 {
    let folder = TempDir::new().unwrap();
    let url = format!("sqlite://{}", folder.path().join("honnin.db").display());
    Db::open(&url, DbOptions::default()).await.unwrap().close().await;
    let mut connection = SqliteConnection::connect(&url).await.unwrap();
    for statement in fill {
        let counting =
            format!("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) {statement}");
        sqlx::raw_sql(AssertSqlSafe(counting))
            .execute(&mut connection)
            .await
            .unwrap();
    }
    let taken = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&taken);
    let count = move || {
        counter.fetch_add(1, Relaxed);
        true
    };
    connection.lock_handle().await.unwrap().set_progress_handler(1, count);
    let mut tx = Tx::on_connection(connection);
    unit(&mut tx).await.unwrap();
    taken.load(Relaxed)
}

/// Asserts that `unit` takes about as many steps among 5,000 rows as among 50.
async fn assert_bounded<T>(what: &str, fill: &[&str], unit: impl AsyncFn(&mut Tx) -> Result<T, StoreError>) {
    let few = steps(50, fill, &unit).await;
    let many = steps(5_000, fill, &unit).await;
    assert!(
        few > 0 && many < few * 2,
        "{what}: {few} steps among few rows, {many} among many"
    );
}

const NOW: Timestamp = Timestamp::from_millis(1_000_000);
const AT: Moment = Moment::by_one_clock(NOW);

#[tokio::test]
async fn erasures_that_are_due_are_not_walked_through_for_jobs_of_other_kinds() {
    let erasures = "INSERT INTO jobs (kind, subject, run_at) SELECT 'erase', 'vs_' || i, i FROM n";
    let expiries = "INSERT INTO jobs (kind, subject, run_at) SELECT 'expire', 'vs_' || i, 2000000 + i FROM n";
    let fill = [erasures, expiries];
    assert_bounded("whether any is due", &fill, async |tx| {
        jobs::any_due(tx, &[JobKind::Analyse, JobKind::Decide], AT).await
    })
    .await;
    let claim = Claim {
        worker: "w",
        at: AT,
        until: NOW,
        limit: 8,
    };
    assert_bounded("the claim of other kinds", &fill, async |tx| {
        jobs::claim(tx, &[JobKind::Analyse, JobKind::Decide], claim).await
    })
    .await;
    assert_bounded("the claim of erasures", &fill, async |tx| {
        jobs::claim(tx, &[JobKind::Expire, JobKind::Erase], claim).await
    })
    .await;
    assert_bounded("when the next is due", &fill, async |tx| {
        jobs::find_next_due_at(tx).await
    })
    .await;
}

#[tokio::test]
async fn the_pictures_of_a_tenant_are_not_walked_through_for_those_of_another() {
    let pile = "INSERT INTO jobs (kind, subject, run_at, tenant_id) SELECT 'analyse', 'cap_' || i, i, 'tn_a' FROM n";
    let other =
        "INSERT INTO jobs (kind, subject, run_at, tenant_id) SELECT 'decide', 'vs_x', 9, 'tn_b' FROM n WHERE i = 1";
    let fill = [pile, other];
    assert_bounded("whose turn it may be", &fill, async |tx| {
        jobs::list_tenants_round_robin(tx, AT).await
    })
    .await;
    let claim = Claim {
        worker: "w",
        at: AT,
        until: NOW,
        limit: 1,
    };
    for tenant in ["tn_a", "tn_b"] {
        assert_bounded(tenant, &fill, async |tx| {
            jobs::claim_round_robin(tx, tenant, claim).await
        })
        .await;
    }
}

#[tokio::test]
async fn plans_that_are_not_due_are_not_counted() {
    let fill = ["INSERT INTO jobs (kind, subject, run_at) SELECT 'expire', 'vs_' || i, 2000000 + i FROM n"];
    assert_bounded("what is due", &fill, async |tx| jobs::count_due(tx, NOW).await).await;
    let soon = NOW.plus(Millis::minutes(10));
    assert_bounded("what fails", &fill, async |tx| {
        jobs::count_failing(tx, 8, NOW, soon).await
    })
    .await;
}

/// The tenant whose id has no digit but 0.
const TENANT: &str = "INSERT INTO tenants (id, name, livemode, created_at, version)
                      SELECT printf('tn_%032x', 0), 'A', 1, 0, 0 FROM n WHERE i = 1";

/// Its sessions, of which the first two are of one person, whose term has no bit set.
const SESSIONS: [&str; 3] = [
    TENANT,
    "INSERT INTO sessions (id, tenant_id, status, plan, created_at, expires_at, attempt, version, data_key)
     SELECT printf('vs_%032x', i), printf('tn_%032x', 0), 'created', '{}', i, 2000000, 0, 0, printf('dk_%032x', i) FROM n",
    "INSERT INTO blind_index (tenant_id, term, session_id)
     SELECT printf('tn_%032x', 0), CASE WHEN i <= 2 THEN zeroblob(32) ELSE randomblob(32) END, printf('vs_%032x', i)
     FROM n",
];

#[tokio::test]
async fn a_person_is_looked_up_however_many_sessions_there_are() {
    let tenant = TenantId::from_random([0; 16]);
    for person in [
        Person {
            name: vec![[0; 32]],
            birth_date: None,
        },
        Person {
            name: Vec::new(),
            birth_date: Some([0; 32]),
        },
    ] {
        let filter = Filter {
            person,
            ..Filter::default()
        };
        let page = Page {
            order: Order::Newest,
            after: None,
            limit: 50,
        };
        assert_bounded("a person", &SESSIONS, async |tx| {
            search::list(tx, &tenant, &filter, &page, NOW).await
        })
        .await;
    }
}

#[tokio::test]
async fn an_approval_that_can_be_undone_is_found_however_many_people_were_approved() {
    let identities = "INSERT INTO identities (session_id, tenant_id, document, approved_at)
                      SELECT printf('vs_%032x', i), printf('tn_%032x', 0), zeroblob(32), CASE WHEN i > 2 THEN i END FROM n";
    let user = "INSERT INTO users (id, email, name, operator, password, created_at)
                SELECT printf('usr_%032x', 0), 'ada@example.com', 'Ada', 1, '', 0 FROM n WHERE i = 1";
    // As many as people decide within the seconds in which they can undo it.
    let pending = "INSERT INTO pending_rulings (session_id, attempt, user_id, ruling, reasons, address, made_at, due_at)
                   SELECT printf('vs_%032x', i), 1, printf('usr_%032x', 0), 'approved', '[]', '192.0.2.1', i, i FROM n WHERE i <= 2";
    let fill = [SESSIONS[0], SESSIONS[1], identities, user, pending];
    let (tenant, me) = (TenantId::from_random([0; 16]), SessionId::from_random([0; 16]));
    for document in [[0; 32], [1; 32]] {
        assert_bounded("a pending approval", &fill, async |tx| {
            identities::is_approval_pending(tx, &tenant, &document, &me).await
        })
        .await;
    }
}

#[tokio::test]
async fn a_slice_of_a_table_is_swept_however_long_the_table_is() {
    let links = "INSERT INTO idempotency (tenant_id, key_hash, body_hash, session_id, created_at, expires_at, link_expires_at, link)
                 SELECT printf('tn_%032x', 0), CAST(printf('%06d', i) AS BLOB), x'00', 'vs_' || i, 0, 0, 2000000, x'00' FROM n";
    assert_bounded("links that are still good", &[TENANT, links], async |tx| {
        let last = idempotency::forget_expired_links(tx, NOW, None, 20).await?;
        idempotency::forget_expired_links(tx, NOW, last.as_ref(), 20).await
    })
    .await;
    let tries =
        "INSERT INTO sign_in_tries (bucket, tries, since) SELECT CAST(printf('%06d', i) AS BLOB), 1, 1000000 FROM n";
    assert_bounded("attempts that still count", &[tries], async |tx| {
        let last = try_counters::sweep(tx, NOW, Millis(1_000), None, 20).await?;
        try_counters::sweep(tx, NOW, Millis(1_000), last.as_deref(), 20).await
    })
    .await;
}

/// Deliveries of a tenant, a second apart, of which the first and the last are abandoned.
const DELIVERIES: [&str; 3] = [
    TENANT,
    "INSERT INTO events (id, tenant_id, kind, created_at)
     SELECT printf('evt_%032x', i), printf('tn_%032x', 0), 'webhook.test', i * 1000 FROM n",
    "INSERT INTO deliveries (event_id, tenant_id, kind, created_at, state, attempts, started_at, step, settled_at)
     SELECT printf('evt_%032x', i), printf('tn_%032x', 0), 'webhook.test', i * 1000,
            CASE WHEN i IN (1, (SELECT MAX(i) FROM n)) THEN 'abandoned' ELSE 'delivered' END, 1, i * 1000, 1, i * 1000 FROM n",
];

#[tokio::test]
async fn deliveries_are_listed_and_sent_again_however_many_there_are() {
    let tenant = TenantId::parse(&format!("tn_{:032x}", 0)).unwrap();
    let at = |second: i64| Timestamp::from_millis(second * 1000);
    let abandoned = DeliveryFilter {
        state: Some(DeliveryState::Abandoned),
        ..DeliveryFilter::default()
    };
    let delivered = DeliveryFilter {
        state: Some(DeliveryState::Delivered),
        ..DeliveryFilter::default()
    };
    let of_a_time = |filter: &DeliveryFilter| DeliveryFilter {
        since: Some(at(25)),
        until: Some(at(35)),
        ..filter.clone()
    };
    let beyond = |filter: &DeliveryFilter| DeliveryFilter {
        after: Some((at(25), EventId::parse(&format!("evt_{:032x}", 25)).unwrap())),
        ..filter.clone()
    };
    let any = DeliveryFilter::default();
    let filters = [
        ("any", any.clone()),
        ("those of a time", of_a_time(&any)),
        ("those beyond one", beyond(&any)),
        ("abandoned ones", abandoned.clone()),
        ("abandoned ones of a time", of_a_time(&abandoned)),
        ("abandoned ones beyond one", beyond(&abandoned)),
        ("delivered ones of a time", of_a_time(&delivered)),
        ("delivered ones beyond one", beyond(&delivered)),
    ];
    for (what, filter) in filters {
        assert_bounded(&format!("{what}, newest first"), &DELIVERIES, async |tx| {
            deliveries::list(tx, &tenant, &filter, 10).await
        })
        .await;
        assert_bounded(&format!("{what}, oldest first"), &DELIVERIES, async |tx| {
            deliveries::list_oldest(tx, &tenant, &filter, 10).await
        })
        .await;
    }
}

/// A retention was shortened: many sessions that ended long ago have been erased only now, so that their events stay.
#[tokio::test]
async fn old_events_are_looked_for_slice_by_slice_however_many_of_them_stay() {
    let erased = "INSERT INTO sessions (id, tenant_id, status, plan, created_at, expires_at, purged_at, attempt, version, data_key)
                  SELECT printf('vs_%032x', i), printf('tn_%032x', 0), 'expired', '{}', i, i, 900000, 0, 0, printf('dk_%032x', i) FROM n";
    let recorded = "INSERT INTO events (id, tenant_id, session_id, kind, created_at, data)
                  SELECT printf('evt_%032x', i), printf('tn_%032x', 0), printf('vs_%032x', i), 'verification.expired', i, '{}' FROM n";
    let tenant = TenantId::parse(&format!("tn_{:032x}", 0)).unwrap();
    let old = Old {
        happened_before: NOW,
        erased_before: Timestamp::from_millis(800_000),
    };
    assert_bounded("events that stay", &[TENANT, erased, recorded], async |tx| {
        let first = events::list_old(tx, &tenant, old, None, 20).await?;
        let second = events::list_old(tx, &tenant, old, first.last.as_ref(), 20).await?;
        assert_eq!(second.last, Some((40, format!("evt_{:032x}", 40))));
        events::remove_old(tx, &second.removable, old.erased_before).await
    })
    .await;
}

/// Each of them has an event, from which its end is known, and a job that will erase it.
#[tokio::test]
async fn the_erasure_of_a_session_is_looked_up_once_for_all_counts() {
    let failed = "INSERT INTO sessions (id, tenant_id, status, plan, created_at, expires_at, attempt, version, data_key)
                  SELECT printf('vs_%032x', i), printf('tn_%032x', 0), 'failed', '{}', i, i, 1, 0, printf('dk_%032x', i) FROM n";
    let recorded = "INSERT INTO events (id, tenant_id, session_id, kind, created_at, data)
                    SELECT printf('evt_%032x', i), printf('tn_%032x', 0), printf('vs_%032x', i), 'verification.failed', i, '{}' FROM n";
    let planned =
        "INSERT INTO jobs (kind, subject, run_at) SELECT 'erase', printf('vs_%032x#1', i), 2000000 + i FROM n";
    let fill = [TENANT, failed, recorded, planned];
    let tenant = TenantId::from_random([0; 16]);
    let count = async |tx: &mut Tx| {
        let by = [10, 20, 30].map(Timestamp::from_millis);
        let counts = ended::count_erasures(tx, &tenant, Millis(5), by).await?;
        assert_eq!(counts, [5, 15, 25]);
        Ok::<_, StoreError>(counts)
    };
    let of_each = (steps(1_050, &fill, &count).await - steps(50, &fill, &count).await) / 1_000;
    // Twice as many if the databases look it up wherever it is used.
    assert!(of_each < 150, "{of_each} steps for each session");
}
