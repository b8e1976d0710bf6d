//! Settings: who may change what, within which bounds, and without overwriting concurrent changes.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use domain::{
    decision::Policy,
    event::EventType,
    role::Role,
    scope::{Scope, Scopes},
    session::Step,
    tenant::{Change, TenantSettings},
    time::Millis,
};
use service::{
    access::{Admin, Auditor, Developer, Operator, Reader, Reviewer, Roster, Staff, api_key, staff},
    settings::{
        SettingsError,
        api_keys::{IssueKeyError, NewKey, issue_key, list_keys, revoke_key},
        change, load,
    },
};
use testkit::{Harness, localhost};

async fn apply(harness: &Harness, staff: &Staff, wanted: Change) -> Result<TenantSettings, SettingsError> {
    let version = load(&harness.honnin, staff).await.unwrap().version;
    change(&harness.honnin, staff, version, wanted).await?;
    Ok(load(&harness.honnin, staff).await.unwrap().settings.unwrap())
}

#[tokio::test]
async fn a_section_is_changed_and_the_others_stay() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    let before = load(&harness.honnin, &admin).await.unwrap().settings.unwrap();
    let after = apply(
        &harness,
        &admin,
        Change::Steps {
            steps: vec![Step::Selfie],
            tries: 3,
        },
    )
    .await
    .unwrap();
    assert_eq!(
        after,
        TenantSettings {
            steps: vec![Step::Selfie],
            tries: 3,
            ..before
        }
    );
}

#[tokio::test]
async fn of_two_who_saw_the_same_version_the_second_is_told() {
    let harness = Harness::new().await;
    let (one, two) = (harness.staff(Role::Admin).await, harness.staff(Role::Developer).await);
    let version = load(&harness.honnin, &one).await.unwrap().version;
    let first = Change::Steps {
        steps: vec![Step::Document],
        tries: 5,
    };
    change(&harness.honnin, &one, version, first).await.unwrap();
    let second = change(&harness.honnin, &two, version, Change::Callbacks(vec![])).await;
    assert!(matches!(second, Err(SettingsError::Stale)));
    let kept = load(&harness.honnin, &one).await.unwrap().settings.unwrap();
    assert_eq!(kept.callback_urls, ["https://shop.example/done"]);
}

#[tokio::test]
async fn a_developer_changes_what_servers_need_and_nothing_of_the_verification() {
    let harness = Harness::new().await;
    let developer = harness.staff(Role::Developer).await;
    let allowed = [
        Change::Callbacks(vec!["https://shop.example/back".into()]),
        Change::Addresses(vec!["192.0.2.0/24".parse().unwrap()]),
        Change::Webhook {
            url: None,
            event_types: vec![EventType::Approved],
        },
    ];
    for wanted in allowed {
        assert!(apply(&harness, &developer, wanted).await.is_ok());
    }
    let refused = [
        Change::Steps {
            steps: vec![],
            tries: 5,
        },
        Change::Decision(Policy::default()),
        Change::Look {
            name: "Mine".into(),
            accent: None,
        },
    ];
    for wanted in refused {
        assert!(matches!(
            apply(&harness, &developer, wanted).await,
            Err(SettingsError::Forbidden(_))
        ));
    }
    for role in [Role::Reviewer, Role::Auditor] {
        let staff = harness.staff(role).await;
        let refused = apply(&harness, &staff, Change::Callbacks(vec![])).await;
        assert!(matches!(refused, Err(SettingsError::Forbidden(_))), "{role:?}");
    }
}

#[tokio::test]
async fn what_is_out_of_bounds_is_named_and_nothing_is_saved() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    let before = load(&harness.honnin, &admin).await.unwrap();
    let wrong = [
        (
            "retention",
            Change::Lifetimes {
                link: Millis::hours(1),
                session: Millis::hours(2),
                retention: Millis(1),
            },
        ),
        (
            "tries",
            Change::Steps {
                steps: vec![],
                tries: 10,
            },
        ),
        (
            "policy",
            Change::Decision(Policy {
                match_accept: 0.1,
                match_review: 0.0,
                ..Policy::default()
            }),
        ),
        (
            "policy",
            Change::Decision(Policy {
                liveness_accept: f64::NAN,
                ..Policy::default()
            }),
        ),
        ("callback_urls", Change::Callbacks(vec!["http://shop.example/".into()])),
        (
            "accent",
            Change::Look {
                name: "Shop".into(),
                accent: Some("blue".into()),
            },
        ),
        (
            "name",
            Change::Look {
                name: String::new(),
                accent: None,
            },
        ),
        (
            "webhook_url",
            Change::Webhook {
                url: Some("http://shop.example/".into()),
                event_types: vec![],
            },
        ),
        (
            "webhook_url",
            Change::Webhook {
                url: Some("https://10.0.0.1/".into()),
                event_types: vec![],
            },
        ),
    ];
    for (field, wanted) in wrong {
        let Err(SettingsError::Faults(faults)) = apply(&harness, &admin, wanted).await else {
            panic!("{field}")
        };
        assert_eq!(faults[0].field, field);
    }
    assert_eq!(load(&harness.honnin, &admin).await.unwrap(), before);
}

#[tokio::test]
async fn a_key_is_shown_once_opens_the_api_and_is_refused_after_revoking() {
    let harness = Harness::new().await;
    let developer = Developer::of(&harness.staff(Role::Developer).await).unwrap();
    let key = |name: &str, scopes| NewKey {
        name: name.to_owned(),
        lifetime: Some(Millis::days(30)),
        scopes,
    };
    let (create, read) = (Scopes::NONE.with(Scope::Create), Scopes::NONE.with(Scope::Read));
    let issue = |new| issue_key(&harness.honnin, &developer, new);
    assert!(matches!(issue(key("  ", create)).await, Err(IssueKeyError::BadName)));
    assert!(matches!(
        issue(key("Till", Scopes::NONE)).await,
        Err(IssueKeyError::NoScope)
    ));
    for reading in [read, Scopes::ALL] {
        assert!(matches!(
            issue(key("Till", reading)).await,
            Err(IssueKeyError::NeedsAdmin)
        ));
    }
    let issued = issue(key(" Till ", create)).await.unwrap();
    let open = || service::access::tenant_by_key(&harness.honnin, issued.key.expose(), localhost(), Scope::Create);
    let read = service::access::tenant_by_key(&harness.honnin, issued.key.expose(), localhost(), Scope::Read);
    assert!(read.await.is_err(), "not what it was issued for");
    assert_eq!(open().await.unwrap().id(), &harness.tenant.id);
    let listed = list_keys(&harness.honnin, &developer).await.unwrap();
    let row = listed.iter().find(|key| key.id == issued.id).unwrap();
    assert_eq!(
        (row.name.as_str(), &row.prefix),
        ("Till", &api_key::prefix(issued.key.expose()))
    );
    assert!(revoke_key(&harness.honnin, &developer, &issued.id).await.unwrap());
    assert!(open().await.is_err());
    assert!(
        !revoke_key(&harness.honnin, &developer, &issued.id).await.unwrap(),
        "once is enough"
    );
}

#[tokio::test]
async fn an_operator_looks_after_another_tenant_and_makes_nothing_there_that_sees_applicants() {
    let harness = Harness::new().await;
    let foreign = harness.another_tenant().await;
    let id = harness.staff(Role::Admin).await.user().clone();
    let own = staff(&harness.honnin, &id, Some(foreign.id()), localhost())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(own.tenant(), &harness.tenant.id, "who is no operator stays at home");
    assert!(Operator::of(&own).is_err());
    let id = operator_of_no_tenant(&harness).await;
    let guest = staff(&harness.honnin, &id, Some(foreign.id()), localhost())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(guest.tenant(), foreign.id());
    assert!(Operator::of(&guest).is_ok() && Roster::of(&guest).is_ok() && Auditor::of(&guest).is_ok());
    assert!(Admin::of(&guest).is_err() && Developer::of(&guest).is_err());
    assert!(Reviewer::of(&guest).is_err() && Reader::of(&guest).is_err());
}

async fn operator_of_no_tenant(harness: &Harness) -> domain::ids::UserId {
    let id = domain::ids::UserId::from_random(harness.honnin.random_bytes());
    let row = store::people::users::UserRow {
        id: id.clone(),
        place: None,
        email: "operator@host.example".into(),
        name: "Operator".into(),
        operator: true,
        password: "none".into(),
        created_at: harness.honnin.now(),
        disabled_at: None,
    };
    let stored: Result<(), store::StoreError> = harness
        .honnin
        .db()
        .write(async move |tx| store::people::users::insert(tx, &row).await)
        .await;
    stored.unwrap();
    id
}
