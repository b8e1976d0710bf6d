//! Creating a session.

use domain::{
    scope::Scope,
    session::{Status, Step},
    tenant::{NotReady, TenantSettings},
    time::Millis,
};
use futures::future::join_all;
use service::{
    access::{self, AccessError},
    session::{
        create::{
            CreateSessionError, FormOutcome, create_session, create_session_by_form, create_session_once, draft_form,
        },
        rate_limit::CreationRate,
        read::read_session,
    },
};
use store::{
    Db, DbOptions,
    session::{links, sessions},
    settings::api_keys,
};
use testkit::{
    Harness,
    databases::{OPTIONS, backends, number_at, postgres, postgres_server},
    localhost, loopback_sender,
    round_trips::RoundTrips,
};

const WITH_NAME: &[u8] =
    br#"{"preRegisteredInfo":{"lastName":"Takahashi","firstName":"Taro","birthDate":"1990-01-02"}}"#;

#[tokio::test]
async fn a_created_session_can_be_read_and_its_link_is_stored_as_a_hash_only() {
    let harness = Harness::new().await;
    let created = harness.create().await;
    assert_eq!(created.status, Status::Created);
    assert_eq!(created.expires_at, testkit::START.plus(Millis::days(7)));
    assert_eq!(
        created.verification_url_expires_at,
        testkit::START.plus(Millis::hours(48))
    );
    let detail = read_session(&harness.honnin, &harness.caller().await, created.id.as_str())
        .await
        .unwrap();
    assert_eq!((detail.status, detail.metadata), (Status::Created, None));
    let token = Harness::token(&created);
    let hash = service::runtime::token::hash(&token);
    let link = harness.read(async move |tx| links::find(tx, &hash).await);
    assert!(link.await.unwrap().is_open(testkit::START));
    for name in ["honnin.db", "honnin.db-wal"] {
        let bytes = std::fs::read(harness.folder().join(name)).unwrap();
        assert!(
            !bytes.windows(token.len()).any(|window| window == token.as_bytes()),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_link_never_outlives_its_session() {
    let settings = TenantSettings {
        steps: vec![Step::Selfie],
        session_lifetime: Millis::hours(1),
        ..TenantSettings::default()
    };
    let harness = Harness::with(settings).await;
    let created = harness.create().await;
    assert_eq!(created.verification_url_expires_at, created.expires_at);
}

#[tokio::test]
async fn what_the_tenant_gave_comes_back_as_it_was_and_is_sealed_on_the_disk() {
    let harness = Harness::new().await;
    let body = r#"{"metadata":{"b":1.50,"a":[1]},"state":"s\u0000t","callbackUrl":"https://shop.example/done",
        "preRegisteredInfo":{"lastName":"Zyxwvutsrq","birthDate":"1990-01-02"}}"#;
    let created = create_session(&harness.honnin, &harness.caller().await, body.as_bytes())
        .await
        .unwrap();
    let detail = read_session(&harness.honnin, &harness.caller().await, created.id.as_str())
        .await
        .unwrap();
    assert_eq!(detail.metadata.as_deref(), Some(r#"{"b":1.50,"a":[1]}"#));
    assert_eq!(
        detail.pre_registered.unwrap().expose().last_name.as_deref(),
        Some("Zyxwvutsrq")
    );
    for entry in std::fs::read_dir(harness.folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            assert!(!bytes.windows(10).any(|window| window == b"Zyxwvutsrq"), "{path:?}");
        }
    }
}

#[tokio::test]
async fn nothing_that_holds_a_tenants_texts_prints_them() {
    let harness = Harness::new().await;
    let body = r#"{"metadata":{"order":"canary"},"state":"canary","preRegisteredInfo":{"lastName":"canary"}}"#;
    let created = create_session(&harness.honnin, &harness.caller().await, body.as_bytes())
        .await
        .unwrap();
    let id = created.id.clone();
    let row = harness.read(async move |tx| sessions::find_any(tx, &id).await);
    let row = row.await.unwrap();
    let detail = read_session(&harness.honnin, &harness.caller().await, created.id.as_str())
        .await
        .unwrap();
    assert!(detail.metadata.as_deref().is_some_and(|text| text.contains("canary")));
    for printed in [format!("{row:?} {row:#?}"), format!("{detail:?} {detail:#?}")] {
        assert!(!printed.contains("canary"), "{printed}");
    }
}

#[tokio::test]
async fn each_refusal_stores_nothing() {
    let mut harness = Harness::new().await;
    let caller = harness.caller().await;
    let bad_body = create_session(&harness.honnin, &caller, b"[]").await.unwrap_err();
    assert!(matches!(bad_body, CreateSessionError::Decode(_)));
    let foreign = create_session(&harness.honnin, &caller, br#"{"callbackUrl":"https://evil.example/"}"#).await;
    assert!(matches!(foreign, Err(CreateSessionError::CallbackUrlNotAllowed(url)) if url == "https://evil.example/"));
    harness.save_settings(TenantSettings::default()).await;
    let caller = harness.caller().await;
    let no_steps = create_session(&harness.honnin, &caller, b"{}").await.unwrap_err();
    assert!(matches!(
        no_steps,
        CreateSessionError::NotReady(NotReady::NoStepsEnabled)
    ));
    assert!(harness.open_jobs().await.is_empty());
}

#[tokio::test]
async fn only_the_exact_valid_key_opens_the_api() {
    let harness = Harness::new().await;
    let mut other = harness.key.clone();
    other.pop();
    for wrong in ["", "hn_live_", other.as_str(), "Bearer x"] {
        let refused = access::tenant_by_key(&harness.honnin, wrong, localhost(), Scope::Create).await;
        assert!(matches!(refused, Err(AccessError::Unauthorized)), "{wrong}");
    }
    let caller = harness.caller().await;
    let (tenant, key) = (harness.tenant.id.clone(), caller.key().unwrap().clone());
    let revoked = harness
        .honnin
        .db()
        .write(async move |tx| api_keys::revoke(tx, &tenant, &key, testkit::START).await);
    assert!(revoked.await.unwrap());
    let refused = access::tenant_by_key(&harness.honnin, &harness.key, localhost(), Scope::Create).await;
    assert!(
        matches!(refused, Err(AccessError::Unauthorized)),
        "revocation holds on the very next request"
    );
}

#[tokio::test]
async fn an_address_off_the_list_is_refused_with_a_valid_key_only() {
    let settings = TenantSettings {
        ip_allow_list: vec!["192.0.2.0/24".parse().unwrap()],
        ..TenantSettings::default()
    };
    let harness = Harness::with(settings).await;
    let off = access::tenant_by_key(&harness.honnin, &harness.key, localhost(), Scope::Create).await;
    assert!(matches!(off, Err(AccessError::IpNotAllowed)));
    let on = access::tenant_by_key(
        &harness.honnin,
        &harness.key,
        "192.0.2.9".parse().unwrap(),
        Scope::Create,
    )
    .await;
    assert!(on.is_ok());
    let unknown = access::tenant_by_key(&harness.honnin, "hn_live_0", localhost(), Scope::Create).await;
    assert!(matches!(unknown, Err(AccessError::Unauthorized)));
}

#[tokio::test]
async fn a_creation_with_a_name_goes_to_postgres_and_back_four_times() {
    let Some(server) = postgres_server() else { return };
    let round_trips = RoundTrips::to(&server).await;
    let settings = TenantSettings {
        steps: vec![Step::Selfie],
        ..TenantSettings::default()
    };
    let mut database = postgres(&round_trips.url).await;
    // Each connection prepares a statement when it first executes it, so that more than one would make the count a matter of time.
    let single = DbOptions {
        connections: 1,
        ..OPTIONS
    };
    database.db = Db::open(&database.url, single).await.unwrap();
    let harness = Harness::on(database, settings, loopback_sender(), CreationRate::default()).await;
    let mut each = Vec::new();
    for _ in 0..21 {
        let before = round_trips.count();
        create_session(&harness.honnin, &harness.caller().await, WITH_NAME)
            .await
            .unwrap();
        each.push(round_trips.count() - before);
    }
    // Whose key it is; BEGIN, everything, COMMIT. The first ones also prepare statements, and make the tenant's key.
    assert_eq!(each[2..], [4; 19], "{each:?}");
    let found_by = "SELECT COUNT(DISTINCT session_id) FROM blind_index";
    assert_eq!(harness.database.number(found_by).await, 21);
}

/// Stored keys of sessions and tenants, and those that are in the memory of the process: as many as it may keep in advance.
async fn assert_no_key_is_lost(harness: &Harness, used: i64) {
    let most = used + 96;
    let mut stored = i64::MAX;
    // What is too much leaves when the next key is taken.
    for _ in 0..100 {
        stored = number_at(&harness.database.keys_url, "SELECT COUNT(*) FROM data_keys").await;
        if stored <= most {
            return;
        }
        let refused = create_session(&harness.honnin, &harness.caller().await, WITH_NAME).await;
        assert!(matches!(refused, Err(CreateSessionError::RateLimited)), "{refused:?}");
    }
    panic!("{}: {stored} keys, of which {used} are used", harness.database.name);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_form_that_is_sent_again_creates_one_session_whose_link_is_not_kept() {
    for database in backends().await {
        let name = database.name;
        let settings = TenantSettings {
            steps: vec![Step::Selfie],
            ..TenantSettings::default()
        };
        let harness = Harness::on(database, settings, loopback_sender(), CreationRate::default()).await;
        let caller = harness.caller().await;
        let (form, other) = (draft_form(&harness.honnin), draft_form(&harness.honnin));
        let send = |form, body| create_session_by_form(&harness.honnin, &caller, form, body);
        let all = join_all((0..20).map(|_| send(&form, b"{}"))).await;
        let (now, before): (Vec<_>, Vec<_>) = all
            .into_iter()
            .map(Result::unwrap)
            .partition(|made| matches!(made, FormOutcome::Created(_)));
        let [FormOutcome::Created(created)] = &now[..] else {
            panic!("{name}: {} at once", now.len());
        };
        let later = send(&form, b"{}").await.unwrap();
        for made in before.iter().chain([&later]) {
            assert!(
                matches!(made, FormOutcome::Repeated(session) if *session == created.id),
                "{name}: {made:?}"
            );
        }
        let kept = "SELECT COUNT(*) FROM idempotency WHERE link IS NOT NULL";
        assert_eq!(number_at(&harness.database.url, kept).await, 0, "{name}");
        assert!(
            matches!(send(&other, b"{}").await, Ok(FormOutcome::Created(_))),
            "{name}"
        );
        let for_somebody_else = send(&form, WITH_NAME).await;
        assert!(
            matches!(for_somebody_else, Ok(FormOutcome::Created(_))),
            "{name}: {for_somebody_else:?}"
        );
    }
}

/// Planted fault that this test detects: a key that is dropped when its session is not stored.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn creations_that_are_refused_use_no_keys_up() {
    for database in backends().await {
        let settings = TenantSettings {
            steps: vec![Step::Selfie],
            ..TenantSettings::default()
        };
        let rate = CreationRate {
            per_minute: 1,
            burst: 5,
        };
        let harness = Harness::on(database, settings, loopback_sender(), rate).await;
        let caller = harness.caller().await;
        // Of those with the same key, one creates the session and the others get its answer.
        let same = join_all((0..20).map(|_| create_session_once(&harness.honnin, &caller, "same", b"{}"))).await;
        assert!(same.iter().all(Result::is_ok), "{}", harness.database.name);
        let all = join_all((0..200).map(|_| create_session(&harness.honnin, &caller, WITH_NAME))).await;
        let created = all.iter().filter(|one| one.is_ok()).count();
        assert_eq!(created, 4, "{}", harness.database.name);
        // One of each session, and the tenant's.
        assert_no_key_is_lost(&harness, 5 + 1).await;
        harness.vault.close().await.unwrap();
        let left = number_at(&harness.database.keys_url, "SELECT COUNT(*) FROM data_keys").await;
        assert_eq!(left, 5 + 1, "{}: after an orderly end", harness.database.name);
    }
}
