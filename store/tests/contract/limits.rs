//! The rate limit of session creation, and responses stored for retries.

use crate::fixtures::{self, World, world};
use domain::{
    ids::{SessionId, TenantId},
    tenant::Mode,
    time::Timestamp,
};
use store::{
    StoreError, Tx,
    session::{
        creation_rates::TokenRequest,
        idempotency::{self, KeptAnswer},
        links::{self, LinkRow},
    },
    settings::tenants::{self, TenantRow},
};
use testkit::databases::{Backend, backends};

const fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

async fn tenant(backend: &Backend, number: u8) -> TenantId {
    let row = TenantRow {
        id: TenantId::from_random([number; 16]),
        name: "Example".into(),
        settings: None,
        mode: Mode::Live,
        created_at: at(0),
        version: 0,
    };
    let id = row.id.clone();
    let unit = backend.db.write(async move |tx| tenants::insert(tx, &row).await);
    unit.await.unwrap();
    id
}

/// Ten microseconds per token, three tokens in a full bucket, clocks that differ by a thousand.
const fn token_request(now: i64) -> TokenRequest {
    TokenRequest {
        now,
        cost: 10,
        latest: now + 20,
        credible: now + 1_030,
    }
}

/// Creates a session. What was stored of one that finds no token is left, as no caller does.
async fn take_in(tx: &mut Tx, tenant: &TenantId, token_request: &TokenRequest) -> Result<bool, StoreError> {
    fixtures::create(tx, &fixtures::new_session(tenant), Some(token_request)).await
}

async fn take(backend: &Backend, tenant: &TenantId, now: i64) -> bool {
    let tenant = tenant.clone();
    let unit = backend
        .db
        .write(async move |tx| take_in(tx, &tenant, &token_request(now)).await);
    unit.await.unwrap()
}

#[tokio::test]
async fn a_bucket_gives_its_tokens_then_one_at_a_time_as_they_come() {
    for backend in backends().await {
        let (a, b) = (tenant(&backend, 1).await, tenant(&backend, 2).await);
        for (now, there) in [
            (100, true),
            (100, true),
            (100, true),
            (100, false),
            (109, false),
            (110, true),
            (110, false),
        ] {
            assert_eq!(take(&backend, &a, now).await, there, "{} at {now}", backend.name);
        }
        assert!(
            take(&backend, &b, 100).await,
            "{}: each tenant has its own",
            backend.name
        );
        assert!(take(&backend, &a, 10_000).await);
        // An idle bucket is full, but not more: it has three tokens again, not a thousand.
        for there in [true, true, false] {
            assert_eq!(take(&backend, &a, 10_000).await, there, "{}", backend.name);
        }
    }
}

#[tokio::test]
async fn a_clock_that_was_set_back_costs_a_tenant_one_bucket_and_not_the_hours_it_was_set_back_by() {
    for backend in backends().await {
        let tenant = tenant(&backend, 1).await;
        assert!(take(&backend, &tenant, 1_000_000).await, "{}", backend.name);
        // From here, the bucket would be full in a million, which three tokens cannot explain. One is granted, and the rest is
        // owed.
        for (now, there) in [
            (100, true),
            (100, false),
            (109, false),
            (110, true),
            (110, false),
            (120, true),
        ] {
            assert_eq!(take(&backend, &tenant, now).await, there, "{} at {now}", backend.name);
        }
    }
}

#[tokio::test]
async fn nodes_whose_clocks_differ_share_a_bucket() {
    for backend in backends().await {
        for (number, behind) in [(1, 1), (2, 10), (3, 15), (4, 999)] {
            let tenant = tenant(&backend, number).await;
            let unit = backend.db.write(async move |tx| -> Result<_, StoreError> {
                let mut taken = 0;
                for now in 10_000..10_300 {
                    taken += u32::from(take_in(tx, &tenant, &token_request(now)).await?);
                    taken += u32::from(take_in(tx, &tenant, &token_request(now - behind)).await?);
                }
                Ok(taken)
            });
            // Thirty were requested in that time, and three were available.
            let taken = unit.await.unwrap();
            let name = backend.name;
            assert!((30..=33).contains(&taken), "{name}: {taken} with clocks {behind} apart");
        }
    }
}

#[tokio::test]
async fn tokens_taken_at_the_same_time_are_taken_once() {
    for backend in backends().await {
        let tenant = tenant(&backend, 1).await;
        let taken = futures::future::join_all((0..12).map(|_| take(&backend, &tenant, 100))).await;
        assert_eq!(taken.iter().filter(|there| **there).count(), 3, "{}", backend.name);
    }
}

async fn insert(backend: &Backend, kept: &KeptAnswer) -> bool {
    let kept = kept.clone();
    let unit = backend.db.write(async move |tx| {
        // What was stored for a thousand is outdated.
        let outdated = at(kept.created_at.as_millis() - 1_000);
        idempotency::insert(tx, &kept, outdated).await
    });
    unit.await.unwrap()
}

async fn find(backend: &Backend, kept: &KeptAnswer) -> Option<KeptAnswer> {
    let (tenant, hash) = (kept.tenant.clone(), kept.key_hash.clone());
    let unit = backend
        .db
        .read(async move |tx| idempotency::find(tx, &tenant, &hash).await);
    unit.await.unwrap()
}

fn answer(tenant: &TenantId, key: u8, created_at: i64) -> KeptAnswer {
    KeptAnswer {
        tenant: tenant.clone(),
        key_hash: vec![key; 32],
        body_hash: vec![7; 32],
        session: SessionId::from_random([key; 16]),
        created_at: at(created_at),
        expires_at: at(created_at + 1000),
        link_expires_at: at(created_at + 500),
        link: Some(vec![1, 2, 3]),
    }
}

#[tokio::test]
async fn an_answer_is_kept_once_for_its_tenant_and_key() {
    for backend in backends().await {
        let (a, b) = (tenant(&backend, 1).await, tenant(&backend, 2).await);
        let first = answer(&a, 1, 0);
        assert!(insert(&backend, &first).await);
        assert!(
            !insert(
                &backend,
                &KeptAnswer {
                    body_hash: vec![8; 32],
                    ..first.clone()
                }
            )
            .await
        );
        assert_eq!(find(&backend, &first).await, Some(first.clone()), "{}", backend.name);
        let theirs = answer(&b, 1, 0);
        assert_eq!(find(&backend, &theirs).await, None);
        assert!(insert(&backend, &theirs).await);
    }
}

#[tokio::test]
async fn a_new_answer_takes_the_place_of_an_outdated_one_and_leaves_other_keys_alone() {
    for backend in backends().await {
        let tenant = tenant(&backend, 1).await;
        let (old, other) = (answer(&tenant, 1, 0), answer(&tenant, 2, 0));
        assert!(insert(&backend, &old).await && insert(&backend, &other).await);
        let again = |created_at| KeptAnswer {
            session: SessionId::from_random([9; 16]),
            body_hash: vec![8; 32],
            ..answer(&tenant, 1, created_at)
        };
        assert!(!insert(&backend, &again(999)).await, "{}: not yet", backend.name);
        assert!(insert(&backend, &again(1_000)).await, "{}", backend.name);
        assert_eq!(find(&backend, &old).await, Some(again(1_000)), "{}", backend.name);
        assert_eq!(find(&backend, &other).await, Some(other.clone()), "{}", backend.name);
    }
}

#[tokio::test]
async fn old_answers_go_and_links_that_are_opened_or_over_are_forgotten() {
    // Slice by slice, whatever is in them: each of one answer, or all of them in the last one.
    for (most, slices) in [(1, 4), (10, 1)] {
        forget(most, slices).await;
    }
}

async fn forget(most: u32, expected: u32) {
    for backend in backends().await {
        let tenant = tenant(&backend, 1).await;
        let (old, over, opened, live) = (
            answer(&tenant, 1, 0),
            answer(&tenant, 2, 100),
            answer(&tenant, 3, 200),
            answer(&tenant, 4, 200),
        );
        for kept in [&old, &over, &opened, &live] {
            insert(&backend, kept).await;
        }
        let session = opened.session.clone();
        let unit = backend.db.write(async move |tx| {
            let removed = idempotency::remove_old(tx, at(50), 10).await?;
            let (mut last, mut slices) = (None, 0);
            while slices == 0 || last.is_some() {
                last = idempotency::forget_expired_links(tx, at(600), last.as_ref(), most).await?;
                slices += 1;
            }
            idempotency::forget_link(tx, &session).await?;
            Ok::<_, StoreError>((removed, slices))
        });
        assert_eq!(unit.await.unwrap(), (1, expected), "{}", backend.name);
        assert_eq!(find(&backend, &old).await, None, "{}", backend.name);
        assert_eq!(find(&backend, &over).await.unwrap().link, None, "{}", backend.name);
        assert_eq!(find(&backend, &opened).await.unwrap().link, None, "{}", backend.name);
        assert_eq!(find(&backend, &live).await, Some(live.clone()), "{}", backend.name);
    }
}

/// On PostgreSQL, a creation may use an old key again while the sweep removes what was stored for it: otherwise a retry would create another session.
#[tokio::test]
async fn an_answer_that_takes_the_place_of_an_old_one_while_those_are_removed_stays() {
    for backend in backends().await {
        if backend.name == "sqlite" {
            // Units run one after another.
            continue;
        }
        let tenant = tenant(&backend, 1).await;
        let (old, other) = (answer(&tenant, 1, 0), answer(&tenant, 2, 0));
        assert!(insert(&backend, &old).await && insert(&backend, &other).await);
        let replaced = "UPDATE idempotency SET created_at = 1000 WHERE key_hash = decode(repeat('01', 32), 'hex')";
        let removed = backend.beside(replaced, async {
            let unit = backend
                .db
                .write(async |tx| idempotency::remove_old(tx, at(50), 10).await);
            unit.await.unwrap()
        });
        assert_eq!(removed.await, 1);
        assert_eq!(find(&backend, &old).await.unwrap().created_at, at(1_000));
        assert_eq!(find(&backend, &other).await, None);
    }
}

#[tokio::test]
async fn an_answer_that_is_dated_anew_names_the_end_of_its_link_as_that_is_now() {
    for backend in backends().await {
        let World { tenant, session, .. } = world(&backend.db).await;
        let kept = KeptAnswer {
            session: session.session.id.clone(),
            ..answer(&tenant.id, 1, 100)
        };
        assert!(insert(&backend, &kept).await);
        let link = LinkRow {
            hash: vec![1, 2, 3],
            session: kept.session.clone(),
            created_at: at(5_000),
            expires_at: at(5_500),
            used_at: None,
            killed_at: None,
        };
        let unit = backend.db.write(async move |tx| -> Result<(), StoreError> {
            links::insert(tx, &link).await?;
            idempotency::redate(tx, &link.session, at(5_000), at(9_000)).await
        });
        unit.await.unwrap();
        let redated = KeptAnswer {
            created_at: at(5_000),
            expires_at: at(9_000),
            link_expires_at: at(5_500),
            ..kept.clone()
        };
        assert_eq!(find(&backend, &kept).await, Some(redated), "{}", backend.name);
    }
}

#[tokio::test]
async fn answers_of_the_future_are_brought_back_and_no_others() {
    for backend in backends().await {
        let tenant = tenant(&backend, 1).await;
        let (now, ahead) = (answer(&tenant, 1, 100), answer(&tenant, 2, 101));
        assert!(insert(&backend, &now).await && insert(&backend, &ahead).await);
        let unit = backend
            .db
            .write(async move |tx| idempotency::bring_back(tx, at(100), at(40)).await);
        assert_eq!(unit.await.unwrap(), 1, "{}", backend.name);
        let brought = KeptAnswer {
            created_at: at(40),
            ..ahead.clone()
        };
        assert_eq!(find(&backend, &ahead).await, Some(brought), "{}", backend.name);
        assert_eq!(find(&backend, &now).await, Some(now.clone()), "{}", backend.name);
    }
}

#[tokio::test]
async fn of_a_forgotten_body_nothing_is_kept_and_the_answer_stays() {
    for backend in backends().await {
        let tenant = tenant(&backend, 1).await;
        let (kept, other) = (answer(&tenant, 1, 100), answer(&tenant, 2, 100));
        assert!(insert(&backend, &kept).await && insert(&backend, &other).await);
        let session = kept.session.clone();
        let unit = backend
            .db
            .write(async move |tx| idempotency::forget_body(tx, &session).await);
        unit.await.unwrap();
        let forgotten = KeptAnswer {
            body_hash: Vec::new(),
            ..kept.clone()
        };
        assert_eq!(find(&backend, &kept).await, Some(forgotten), "{}", backend.name);
        assert_eq!(find(&backend, &other).await, Some(other), "{}", backend.name);
    }
}
