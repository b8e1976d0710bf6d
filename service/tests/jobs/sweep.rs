//! The hourly sweep: what is old leaves, however much it is, and nobody waits for it.
//!
//! Planted faults that these tests detect: a sweep that removes one batch; one unit of work for everything; a chain of the audit log
//! that cannot be checked once its beginning has left.

use domain::{
    audit::{Actor, AuditAction},
    ids::SessionId,
    tenant::TenantSettings,
    time::{Clock as _, Millis, Timestamp},
};
use service::{
    audit::{Head, Verified, verify},
    jobs::{
        backlog::failing,
        sweep::{self, Retention},
    },
    privacy::erase_now::erase_of_tenant,
    session::{create::create_session, rate_limit::CreationRate},
    webhook::{delivery_log, redeliver::send_again},
};
use std::{
    fs,
    os::unix::fs::symlink,
    time::{Duration, Instant},
};
use store::{
    StoreError,
    audit::{self, Entry},
    audit_chain,
    capture::pictures::path_of,
    jobs::JobKind,
};
use testkit::{
    Harness, START,
    databases::{Backend, backends, sqlite, texts_at},
    long_runs, loopback_sender,
    receiver::Receiver,
};
use tokio::pin;

async fn harness(database: Backend) -> Harness {
    let settings = TenantSettings {
        steps: domain::session::Step::ALL.to_vec(),
        ..TenantSettings::default()
    };
    let unlimited = CreationRate {
        per_minute: 0,
        ..CreationRate::default()
    };
    Harness::on(database, settings, loopback_sender(), unlimited).await
}

/// Runs `INSERT .. SELECT .. FROM n`, where `i` of `n` counts to `rows`.
async fn fill(database: &Backend, rows: u64, insert: &str) {
    let sql = format!("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) {insert}");
    assert_eq!(database.run(Box::leak(sql.into_boxed_str())).await, rows);
}

const TABLES: [&str; 7] = [
    "SELECT COUNT(*) FROM events WHERE id < 'evt_~' AND data IS NULL",
    "SELECT COUNT(*) FROM deliveries",
    "SELECT COUNT(*) FROM delivery_attempts",
    "SELECT COUNT(*) FROM jobs WHERE finished_at IS NOT NULL AND kind = 'deliver'",
    "SELECT COUNT(*) FROM idempotency",
    "SELECT COUNT(*) FROM console_sessions",
    "SELECT COUNT(*) FROM sign_in_tries",
];

/// Old rows in every table that the sweep empties.
async fn fill_all(harness: &Harness, rows: u64) {
    let tenant = harness.tenant.id.as_str();
    let old = START.minus(Millis::days(400)).as_millis();
    let is_sqlite = harness.database.name == "sqlite";
    let bytes = if is_sqlite {
        "CAST('k' || i AS BLOB)"
    } else {
        "convert_to('k' || i, 'UTF8')"
    };
    for insert in [
        format!(
            "INSERT INTO events (id, tenant_id, kind, created_at)
             SELECT 'evt_' || i, '{tenant}', 'webhook.test', {old} + i FROM n"
        ),
        format!(
            "INSERT INTO deliveries (event_id, tenant_id, kind, created_at, state, attempts, started_at, step, settled_at)
             SELECT 'evt_' || i, '{tenant}', 'webhook.test', {old} + i,
                 CASE WHEN i % 3 = 0 THEN 'abandoned' ELSE 'delivered' END, 1, {old}, 1, {old} + i FROM n"
        ),
        format!(
            "INSERT INTO delivery_attempts (event_id, number, tenant_id, attempted_at, duration_ms)
             SELECT 'evt_' || i, 1, '{tenant}', {old} + i, 5 FROM n"
        ),
        format!("INSERT INTO jobs (kind, subject, run_at, finished_at) SELECT 'deliver', 'evt_' || i, {old}, {old} + i FROM n"),
        format!(
            "INSERT INTO idempotency (tenant_id, key_hash, body_hash, session_id, created_at, expires_at, link_expires_at)
             SELECT '{tenant}', {bytes}, {bytes}, 'vs_' || i, {old} + i, {old}, {old} FROM n"
        ),
        format!("INSERT INTO console_sessions (hash, data, expires_at) SELECT {bytes}, '{{}}', {old} + i FROM n"),
        format!("INSERT INTO sign_in_tries (bucket, tries, since) SELECT {bytes}, 1, {old} + i FROM n"),
    ] {
        fill(&harness.database, rows, &insert).await;
    }
}

/// `HONNIN_SWEEP_ROWS` sets how many rows each table has.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_table_loses_its_old_rows_in_one_sweep_while_sessions_are_created() {
    let rows = long_runs::count("HONNIN_SWEEP_ROWS", 3_000);
    for database in backends().await {
        let name = database.name;
        let harness = harness(database).await;
        fill_all(&harness, rows).await;
        sweep::plan(&harness.honnin).await.unwrap();
        let begun = Instant::now();
        let (mut created, mut longest) = (0, Duration::ZERO);
        {
            let sweeping = harness.run_until_idle();
            pin!(sweeping);
            loop {
                let one = Instant::now();
                tokio::select! {
                    biased;
                    ran = &mut sweeping => {
                        assert!(ran >= 1, "{name}");
                        break;
                    }
                    _ = harness.create() => {
                        created += 1;
                        longest = longest.max(one.elapsed());
                    }
                }
            }
        }
        println!(
            "{name}: {} rows removed in {:?}; meanwhile {created} sessions were created, the slowest in {longest:?}",
            rows * TABLES.len() as u64,
            begun.elapsed(),
        );
        for table in TABLES {
            assert_eq!(harness.database.number(table).await, 0, "{name}: {table}");
        }
        assert!(created > 1, "{name}: everybody waited for the sweep");
    }
}

/// Such as a command. It looks at SQLite's lock every tenth of a second.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_process_writes_while_a_long_audit_log_is_linked() {
    let harness = harness(sqlite().await).await;
    let insert = "INSERT INTO audit (at, actor, action) SELECT i, 'system', 'session.read' FROM n";
    fill(&harness.database, 5_000, insert).await;
    let process = harness.database.reopen().await;
    let writing = async {
        let linked = "SELECT COUNT(*) FROM audit WHERE position > 0";
        while harness.database.number(linked).await == 0 {}
        let entry = Entry::new(START, Actor::System, AuditAction::AuditTrim);
        let unit = process.write(async move |tx| {
            let is_linking = audit_chain::any_open(tx).await?;
            audit::record(tx, &entry).await?;
            Ok::<_, StoreError>(is_linking)
        });
        unit.await.unwrap()
    };
    let both = async { tokio::join!(harness.run_until_idle(), writing) };
    pin!(both);
    let (_, was_linking) = loop {
        // Time passes, so that each unit takes some.
        harness.clock.advance(Millis::seconds(1));
        tokio::select! {
            biased;
            done = &mut both => break done,
            _ = harness.database.number("SELECT COUNT(*) FROM tenants") => {}
        }
    };
    assert!(was_linking, "it waited until everything was linked");
}

/// Each second, only the end of the log is looked at. PostgreSQL numbers an entry when it is written, and shows it when it is committed.
#[tokio::test]
async fn an_entry_of_the_audit_log_that_comes_long_after_its_number_is_linked_by_the_sweep() {
    let Some(harness) = Harness::on_postgres(domain::session::Step::ALL).await else {
        return;
    };
    let many_more = "SELECT SETVAL(PG_GET_SERIAL_SEQUENCE('audit', 'number'), 1000000)";
    harness.database.run(many_more).await;
    harness.create().await;
    harness.run_until_idle().await;
    let late = "INSERT INTO audit (number, at, actor, action) OVERRIDING SYSTEM VALUE
                VALUES (400000, 1785663000000, 'system', 'session.read')";
    harness.database.run(late).await;
    harness.run_until_idle().await;
    let open = "SELECT COUNT(*) FROM audit WHERE position IS NULL";
    assert_eq!(harness.database.number(open).await, 1);
    sweep_now(&harness).await;
    assert_eq!(harness.database.number(open).await, 0);
}

/// A system on this database whose tenant sends to `receiver`.
async fn sending_to(receiver: &Receiver, database: Backend) -> Harness {
    let settings = testkit::webhooks::settings_for(receiver);
    let harness = Harness::on(database, settings, loopback_sender(), CreationRate::default()).await;
    harness.issue_secret().await;
    harness
}

#[tokio::test]
async fn an_event_is_kept_until_ninety_days_after_the_erasure_and_its_delivery_for_ninety_days() {
    let receiver = Receiver::start().await;
    for database in backends().await {
        let name = database.name;
        let harness = sending_to(&receiver, database).await;
        let (id, _) = harness.decided().await;
        sweep::plan(&harness.honnin).await.unwrap();
        let event = harness.events(&id).await[0].id.clone();
        harness.wait(Millis(Millis::days(90).0 - 1)).await;
        assert!(harness.delivery(&event).await.is_some(), "{name}");
        harness.wait(Millis::hours(2)).await;
        assert!(harness.detail(&id).await.session.purged_at.is_some(), "{name}");
        assert!(harness.delivery(&event).await.is_none(), "{name}");
        assert_eq!(
            harness.events(&id).await.len(),
            1,
            "{name}: it is read without its personal data"
        );
        harness.wait(Millis::days(89)).await;
        assert_eq!(harness.events(&id).await.len(), 1, "{name}");
        harness.wait(Millis::days(2)).await;
        assert_eq!(harness.events(&id).await.len(), 0, "{name}");
        assert!(
            harness.detail(&id).await.outcome.is_some(),
            "{name}: the session's record stays"
        );
    }
}

/// A tenant that keeps personal data for long, whose only session was erased on the first day; sweeps are planned.
async fn erased_early(database: Backend) -> (Harness, SessionId) {
    let mut harness = harness(database).await;
    let settings = TenantSettings {
        steps: domain::session::Step::ALL.to_vec(),
        retention: Millis::days(2_000),
        ..TenantSettings::default()
    };
    harness.save_settings(settings).await;
    let session = harness.create().await.id;
    erase_of_tenant(&harness.honnin, &harness.caller().await, session.as_str())
        .await
        .unwrap();
    harness.run_until_idle().await;
    sweep::plan(&harness.honnin).await.unwrap();
    (harness, session)
}

/// Planted fault that this test detects: a sweep that never looks at events of the retention period.
#[tokio::test]
async fn an_event_of_a_session_that_was_erased_early_leaves_ninety_days_after_that_however_long_others_are_kept() {
    for database in backends().await {
        let name = database.name;
        let (harness, session) = erased_early(database).await;
        harness.wait(Millis::days(89)).await;
        for hour in 1..=48 {
            harness.wait(Millis::hours(1)).await;
            let left = harness.events(&session).await.len();
            assert!(left == 1 || hour > 24, "{name}, {hour}");
        }
        assert_eq!(harness.events(&session).await.len(), 0, "{name}");
    }
}

/// Planted fault that this test detects: events that are looked at only at some hours of the day.
#[tokio::test]
async fn an_event_of_a_session_that_was_erased_early_leaves_although_no_node_runs_at_night() {
    let (harness, session) = erased_early(testkit::databases::sqlite().await).await;
    harness.run_until_idle().await;
    // One sweep a day, at half past nine in the morning.
    harness.wait(Millis::days(91)).await;
    for _ in 0..12 {
        harness.wait(Millis::days(1)).await;
    }
    assert_eq!(harness.events(&session).await.len(), 0);
}

#[tokio::test]
async fn an_event_of_an_erased_session_that_is_sent_again_after_its_delivery_was_removed_has_no_metadata() {
    let receiver = Receiver::start().await;
    for database in backends().await {
        let name = database.name;
        let harness = sending_to(&receiver, database).await;
        let caller = harness.caller().await;
        let created = create_session(&harness.honnin, &caller, br#"{"metadata": {"order": 7}}"#);
        let session = created.await.unwrap().id;
        let event = harness.record_expired(&session).await;
        harness.run_until_idle().await;
        let first = receiver.received().pop().unwrap();
        assert_eq!(first.json()["metadata"]["order"], 7, "{name}");
        erase_of_tenant(&harness.honnin, &caller, session.as_str())
            .await
            .unwrap();
        harness.run_until_idle().await;
        sweep::plan(&harness.honnin).await.unwrap();
        harness.wait(Millis::days(90)).await;
        harness.wait(Millis::hours(2)).await;
        assert!(harness.detail(&session).await.session.purged_at.is_some(), "{name}");
        assert!(harness.delivery(&event).await.is_none(), "{name}");
        let developer = harness.developer().await;
        let found = delivery_log::find(&harness.honnin, &developer, &event).await.unwrap();
        assert!(found.unwrap().standing.may_be_removed, "{name}: it was not left unsent");
        send_again(&harness.honnin, &developer, &event).await.unwrap();
        harness.run_until_idle().await;
        let again = receiver.received().pop().unwrap();
        assert_eq!(again.header("webhook-id"), event.as_str(), "{name}");
        assert!(again.json()["metadata"].is_null(), "{name}");
    }
}

async fn whole(harness: &Harness, noted: Option<&Head>) -> Head {
    match verify(&harness.honnin, noted).await.unwrap() {
        Verified::Whole(head, _) => head,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_audit_log_loses_what_is_older_than_seven_years_and_stays_verifiable() {
    for database in backends().await {
        let name = database.name;
        let harness = harness(database).await;
        harness.create().await;
        harness.run_until_idle().await;
        // More than one batch.
        let seal = "INSERT INTO audit (at, actor, action) SELECT {}, 'system', 'session.read' FROM n";
        fill(
            &harness.database,
            520,
            &seal.replace("{}", &START.as_millis().to_string()),
        )
        .await;
        let old = whole(&harness, None).await;
        harness
            .clock
            .advance(Millis(Retention::default().audit.0 - Millis::days(1).0));
        harness.create().await;
        harness.run_until_idle().await;
        let noted = whole(&harness, Some(&old)).await;
        harness.clock.advance(Millis::days(2));
        sweep::plan(&harness.honnin).await.unwrap();
        harness.run_until_idle().await;
        harness.run_until_idle().await;
        whole(&harness, Some(&noted)).await;
        let verified = verify(&harness.honnin, Some(&Head { position: 7, ..old }))
            .await
            .unwrap();
        assert!(matches!(verified, Verified::NotedRemoved(..)), "{name}: {verified:?}");
        let first = harness.database.number("SELECT MIN(at) FROM audit").await;
        assert!(
            Timestamp::from_millis(first) >= harness.honnin.now().minus(Retention::default().audit),
            "{name}"
        );
        let trimmed = "SELECT COUNT(*) FROM audit WHERE action = 'audit.trim'";
        assert_eq!(harness.database.number(trimmed).await, 2, "{name}: one for each batch");
    }
}

/// Planted fault that this test detects: batches that are recorded together, after the last one.
#[tokio::test]
async fn entries_that_left_the_audit_log_are_recorded_although_others_could_not_leave() {
    let harness = harness(testkit::databases::sqlite().await).await;
    let at = START.as_millis();
    let seal = format!("INSERT INTO audit (at, actor, action) SELECT {at}, 'system', 'session.read' FROM n");
    fill(&harness.database, 520, &seal).await;
    harness.run_until_idle().await;
    let stay =
        "CREATE TRIGGER stay BEFORE DELETE ON audit WHEN old.position > 500 BEGIN SELECT RAISE(ABORT, 'stay'); END";
    harness.database.run(stay).await;
    harness
        .clock
        .advance(Millis(Retention::default().audit.0 + Millis::days(1).0));
    sweep::plan(&harness.honnin).await.unwrap();
    harness.run_until_idle().await;
    harness.run_until_idle().await;
    let left = "SELECT MIN(position) FROM audit WHERE action = 'session.read'";
    assert_eq!(harness.database.number(left).await, 501);
    let recorded = "SELECT COUNT(*) FROM audit WHERE action = 'audit.trim' AND detail LIKE '500 entries %'";
    assert_eq!(harness.database.number(recorded).await, 1);
}

/// Planted faults that this test detects: a sweep that makes no marks; one that makes them before new entries are linked.
#[tokio::test]
async fn an_entry_from_a_clock_that_was_ahead_does_not_hold_up_those_after_it() {
    for database in backends().await {
        let name = database.name;
        let harness = harness(database).await;
        let ahead = START.plus(Millis::days(365)).as_millis();
        let insert = format!("INSERT INTO audit (at, actor, action) SELECT {ahead}, 'system', 'session.read' FROM n");
        fill(&harness.database, 1, &insert).await;
        sweep::plan(&harness.honnin).await.unwrap();
        for _ in 0..10 {
            harness.create().await;
            harness.wait(Millis::days(1)).await;
        }
        harness
            .clock
            .advance(Millis(Retention::default().audit.0 + Millis::days(1).0));
        sweep::plan(&harness.honnin).await.unwrap();
        harness.run_until_idle().await;
        let left = format!("SELECT COUNT(*) FROM audit WHERE at = {ahead}");
        let left = harness.database.number(Box::leak(left.into_boxed_str())).await;
        assert_eq!(left, 0, "{name}");
        let first = harness.database.number("SELECT MIN(at) FROM audit").await;
        let kept_from = harness.honnin.now().minus(Retention::default().audit);
        assert!(Timestamp::from_millis(first) >= kept_from, "{name}");
        whole(&harness, None).await;
    }
}

/// Stores a picture of a session that is not in the database, as old as that.
async fn foreign_picture(harness: &Harness, number: u8, age: Millis) -> SessionId {
    let session = SessionId::from_random([number; 16]);
    harness
        .pictures
        .put(&session, "front", b"sealed".to_vec())
        .await
        .unwrap();
    harness.age_picture(&session, "front", harness.clock.now().minus(age));
    session
}

async fn is_kept(harness: &Harness, session: &SessionId) -> bool {
    harness.pictures.find(session, "front").await.unwrap().is_some()
}

async fn sweep_now(harness: &Harness) {
    sweep::plan(&harness.honnin).await.unwrap();
    harness.wait(Millis::hours(1)).await;
}

/// Planted faults that this test detects: removing whatever the database does not know; looking at the age alone.
#[tokio::test]
async fn pictures_that_the_database_does_not_know_are_removed_only_when_they_are_old_and_few() {
    let harness = harness(testkit::databases::sqlite().await).await;
    let own = harness.ready().await;
    harness.clock.advance(Millis::hours(28));
    let older = foreign_picture(&harness, 1, Millis::hours(30)).await;
    let newer_than_the_database = foreign_picture(&harness, 2, Millis::hours(26)).await;
    let young = foreign_picture(&harness, 3, Millis::hours(20)).await;
    sweep_now(&harness).await;
    assert!(!is_kept(&harness, &older).await);
    assert!(is_kept(&harness, &newer_than_the_database).await && is_kept(&harness, &young).await);
    assert!(!harness.stored_pictures(&own.1).await.is_empty());

    // A database that was restored from an older backup and goes on, with the pictures of a production that it knows nothing of.
    let many = 40_u8..65;
    let mut foreign = Vec::new();
    for number in many {
        foreign.push(foreign_picture(&harness, number, Millis::days(3)).await);
    }
    harness.create().await;
    sweep_now(&harness).await;
    for session in &foreign {
        assert!(is_kept(&harness, session).await);
    }
    // Everything else was swept all the same, and goes on.
    for session in &foreign[..10] {
        harness.pictures.delete_session(session).await.unwrap();
    }
    sweep_now(&harness).await;
    assert!(!is_kept(&harness, &foreign[20]).await);
}

#[tokio::test]
async fn pictures_of_an_erased_session_are_removed_however_new_they_are() {
    let harness = harness(testkit::databases::sqlite().await).await;
    let (id, _) = harness.decided().await;
    harness.wait(Millis::days(91)).await;
    assert!(harness.detail(&id).await.session.purged_at.is_some());
    harness.pictures.put(&id, "late", b"sealed".to_vec()).await.unwrap();
    sweep_now(&harness).await;
    assert_eq!(harness.pictures.list_names(&id).await.unwrap(), Vec::<String>::new());
}

/// Planted faults that this test detects: ending at the first session whose pictures cannot be removed; saying nothing of it.
#[tokio::test]
async fn pictures_that_cannot_be_removed_keep_none_of_the_others() {
    let harness = harness(testkit::databases::sqlite().await).await;
    let mut erased = Vec::new();
    for _ in 0..3 {
        erased.push(harness.create().await.id);
    }
    // They expire, and their retention period is over.
    harness.wait(Millis::days(30)).await;
    harness.wait(Millis::days(91)).await;
    harness.create().await;
    for session in &erased {
        assert!(harness.detail(session).await.session.purged_at.is_some());
        let put = harness.pictures.put(session, "front", b"sealed".to_vec());
        put.await.unwrap();
    }
    let unknown = foreign_picture(&harness, 1, Millis::hours(30)).await;
    // The first one that the sweep comes to. A folder that is within itself cannot be listed.
    erased.sort_by_key(|session| path_of(session, "front").unwrap());
    let front = path_of(&erased[0], "front").unwrap();
    let front = harness.folder().join("pictures").join(front);
    let obstacle = front.with_file_name("loop");
    symlink(".", &obstacle).unwrap();
    sweep_now(&harness).await;
    assert!(is_kept(&harness, &erased[0]).await);
    for other in [&erased[1], &erased[2], &unknown] {
        assert!(!is_kept(&harness, other).await, "{other}");
    }
    let open = harness.open_jobs().await;
    let next = open.iter().find(|job| job.kind == JobKind::Sweep).unwrap();
    let fault = next.last_error.as_deref().unwrap();
    assert!(fault.starts_with("pictures of no session: "), "{fault}");

    fs::remove_file(obstacle).unwrap();
    sweep_now(&harness).await;
    assert!(!is_kept(&harness, &erased[0]).await);
}

/// Planted faults that this test detects: a step that ends the sweep; a sweep that does not come again.
#[tokio::test]
async fn a_step_that_fails_keeps_none_of_the_others_from_being_done() {
    for database in backends().await {
        let name = database.name;
        let harness = harness(database).await;
        fill_all(&harness, 10).await;
        harness
            .database
            .run("ALTER TABLE sign_in_tries RENAME TO elsewhere")
            .await;
        sweep::plan(&harness.honnin).await.unwrap();
        harness.run_until_idle().await;
        for count in TABLES.iter().filter(|count| !count.contains("sign_in_tries")) {
            assert_eq!(harness.database.number(count).await, 0, "{name}: {count}");
        }
        let open = harness.open_jobs().await;
        let next = open.iter().find(|job| job.kind == JobKind::Sweep).unwrap();
        assert_eq!(next.run_at, START.plus(Millis::minutes(10)), "{name}");
        let fault = next.last_error.as_deref().unwrap();
        assert!(fault.starts_with("attempts to sign in: "), "{name}: {fault}");
        harness
            .database
            .run("ALTER TABLE elsewhere RENAME TO sign_in_tries")
            .await;
        harness.wait(Millis::minutes(10)).await;
        assert_eq!(
            harness.database.number(TABLES[6]).await,
            0,
            "{name}: the next one does it"
        );
    }
}

/// Planted fault that this test detects: a session that cannot be decrypted and stops every sweep.
#[tokio::test]
async fn a_session_that_cannot_be_indexed_is_left_out_and_does_not_come_again() {
    for database in backends().await {
        let name = database.name;
        let harness = harness(database).await;
        let (damaged, _) = harness.decided().await;
        harness.decided().await;
        harness.database.run("DELETE FROM blind_index").await;
        harness
            .database
            .run("INSERT INTO unindexed_sessions (session_id) SELECT id FROM sessions")
            .await;
        let damage = format!("UPDATE sessions SET typed = ocr WHERE id = '{damaged}'");
        assert_eq!(
            harness.database.run(Box::leak(damage.into_boxed_str())).await,
            1,
            "{name}"
        );
        sweep_now(&harness).await;
        assert_eq!(
            harness.database.number("SELECT COUNT(*) FROM unindexed_sessions").await,
            0,
            "{name}"
        );
        let found = "SELECT COUNT(DISTINCT session_id) FROM blind_index";
        assert_eq!(
            harness.database.number(found).await,
            1,
            "{name}: the other one is indexed"
        );
    }
}

/// Planted fault that this test detects: a sweep that leaves them.
#[tokio::test]
async fn a_draft_that_a_node_of_an_earlier_version_left_is_emptied_once_its_session_is_erased() {
    for database in backends().await {
        let name = database.name;
        let harness = harness(database).await;
        let [erased, kept] = [harness.create().await.id, harness.create().await.id];
        erase_of_tenant(&harness.honnin, &harness.caller().await, erased.as_str())
            .await
            .unwrap();
        harness.run_until_idle().await;
        // As that node leaves it.
        let bytes = if name == "sqlite" { "x'0102'" } else { "'\\x0102'" };
        let draft = format!(
            "INSERT INTO attempts (session_id, attempt, version, draft)
             SELECT id, 1, 1, {bytes} FROM sessions WHERE id IN ('{erased}', '{kept}')"
        );
        assert_eq!(
            harness.database.run(Box::leak(draft.into_boxed_str())).await,
            2,
            "{name}"
        );
        sweep_now(&harness).await;
        let left = texts_at(
            &harness.database.url,
            "SELECT session_id FROM attempts WHERE draft IS NOT NULL",
        );
        assert_eq!(left.await, [kept.as_str()], "{name}");
    }
}

#[tokio::test]
async fn an_erasure_that_keeps_failing_is_counted_until_it_is_done() {
    let harness = Harness::new().await;
    let session = harness.create().await.id;
    let [pictures, away] = ["pictures", "away"].map(|name| harness.folder().join(name));
    std::fs::rename(&pictures, &away).unwrap();
    erase_of_tenant(&harness.honnin, &harness.caller().await, session.as_str())
        .await
        .unwrap();
    harness.run_until_idle().await;
    assert_eq!(failing(&harness.honnin).await.unwrap(), [], "it may be an outage");
    for _ in 0..8 {
        harness.wait(Millis::minutes(10)).await;
    }
    assert_eq!(failing(&harness.honnin).await.unwrap(), [(JobKind::Erase, 1)]);
    std::fs::rename(&away, &pictures).unwrap();
    harness.wait(Millis::minutes(10)).await;
    assert_eq!(failing(&harness.honnin).await.unwrap(), []);
    assert!(harness.detail(&session).await.session.purged_at.is_some());
}
