//! Settings: who may change what, within which bounds, and without overwriting concurrent changes.

use domain::{
    audit::AuditAction,
    callback::BadCallback,
    decision::Policy,
    event::EventType,
    findings::SelfieFindings,
    ids::TenantId,
    language::Language,
    role::Role,
    scope::{Scope, Scopes},
    session::Step,
    setting::Setting,
    tenant::{Change, Mode, SettingFault, TenantSettings, Weakening},
    time::Millis,
};
use futures::FutureExt as _;
use service::{
    access::{
        AccessError, Admin, Auditor, CommandLine, Developer, Operator, Reader, Reviewer, Roster, Staff, api_key, staff,
    },
    capture::{
        consent::{Agreement, consent},
        decline::decline,
        progress::StepRefused,
    },
    people::{self, change_person},
    privacy::erase_now::erase_of_tenant,
    session::{cancel::cancel, create::create_session, reprocess::reprocess},
    settings::{
        Confirmation, SettingsError,
        api_keys::{IssueKeyError, Issued, NewKey, draft_key, issue_key, list_keys, revoke_key, rotate_key},
        callbacks::allow_callback_from_here,
        change,
        create_tenant::{NewTenant, create_tenant},
        load,
        logo::{LogoError, RemoveLogoError, find_logo, logo_png, remove_logo, set_logo},
        preview::{Difference, RecentCaller, Tally, Value, preview},
    },
    webhook::signing_secret::{self, DisableSecretError, IssueSecretError},
};
use sqlx::{Connection as _, PgConnection};
use std::cell::Cell;
use store::{StoreError, audit, jobs::JobKind, settings::tenants};
use testkit::{Harness, analyser::holder, applicant::agree, localhost};

async fn apply(harness: &Harness, staff: &Staff, wanted: Change) -> Result<TenantSettings, SettingsError> {
    let version = load(&harness.honnin, staff).await.unwrap().version;
    change(&harness.honnin, staff, version, &wanted, Confirmation::Given).await?;
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
            flashes: true,
        },
    )
    .await
    .unwrap();
    assert_eq!(
        after,
        TenantSettings {
            steps: vec![Step::Selfie],
            tries: 3,
            flashes: true,
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
        flashes: false,
    };
    change(&harness.honnin, &one, version, &first, Confirmation::Given)
        .await
        .unwrap();
    let second = change(
        &harness.honnin,
        &two,
        version,
        &Change::Callbacks(vec![]),
        Confirmation::Missing,
    )
    .await;
    assert!(matches!(second, Err(SettingsError::Stale)));
    let kept = load(&harness.honnin, &one).await.unwrap().settings.unwrap();
    assert_eq!(kept.callback_urls, ["https://shop.example/done"]);
}

#[tokio::test]
async fn saving_settings_as_they_are_is_no_change_in_the_audit_log_or_for_others() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    let before = load(&harness.honnin, &admin).await.unwrap();
    let same = Change::Callbacks(before.settings.clone().unwrap().callback_urls);
    apply(&harness, &admin, same).await.unwrap();
    assert_eq!(load(&harness.honnin, &admin).await.unwrap(), before);
    let tenant = harness.tenant.id.clone();
    let log = harness
        .read(async move |tx| audit::list(tx, &tenant, None, None, 100).await)
        .await;
    let mut actions = log.iter().map(|one| &one.entry.action);
    assert!(actions.all(|action| *action != AuditAction::SettingsChange), "{log:?}");
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
            flashes: false,
        },
        Change::Decision(Policy::default()),
        Change::Look {
            name: "Mine".into(),
            accent: None,
            contact: None,
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
        ("review_target", Change::Review { target: Millis(1) }),
        (
            "tries",
            Change::Steps {
                steps: vec![],
                tries: 10,
                flashes: false,
            },
        ),
        (
            "match_accept",
            Change::Decision(Policy {
                match_accept: 0.1,
                match_review: 0.0,
                ..Policy::default()
            }),
        ),
        (
            "liveness_accept",
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
                contact: None,
            },
        ),
        (
            "name",
            Change::Look {
                name: String::new(),
                accent: None,
                contact: None,
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
        let refused = match apply(&harness, &admin, wanted).await {
            Err(SettingsError::Faults(faults)) => faults[0].field.as_str(),
            Err(SettingsError::Receiver(_)) => "webhook_url",
            other => panic!("{field}: {other:?}"),
        };
        assert_eq!(refused, field);
    }
    assert_eq!(load(&harness.honnin, &admin).await.unwrap(), before);
}

/// A change as it is made without having seen what it does.
async fn at_first_look(harness: &Harness, staff: &Staff, wanted: &Change) -> Result<(), SettingsError> {
    let version = load(&harness.honnin, staff).await.unwrap().version;
    change(&harness.honnin, staff, version, wanted, Confirmation::Missing).await
}

#[tokio::test]
async fn what_weakens_something_is_saved_at_the_second_look_only_and_old_and_new_values_are_recorded() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    let weaker = Change::Decision(Policy {
        liveness_accept: 0.5,
        accept_specimens: true,
        ..Policy::default()
    });
    let before = load(&harness.honnin, &admin).await.unwrap();
    let refused = at_first_look(&harness, &admin, &weaker).await;
    assert!(matches!(refused, Err(SettingsError::NeedsConfirmation)));
    assert_eq!(load(&harness.honnin, &admin).await.unwrap(), before);
    let seen = preview(&harness.honnin, &admin, &weaker).await.unwrap();
    assert_eq!(
        seen.weakenings,
        [Weakening::ThresholdLowered, Weakening::SpecimensAccepted]
    );
    apply(&harness, &admin, weaker).await.unwrap();
    let stricter = Change::Decision(Policy::default());
    at_first_look(&harness, &admin, &stricter).await.unwrap();
    let tenant = harness.tenant.id.clone();
    let log = harness
        .read(async move |tx| audit::list(tx, &tenant, None, None, 2).await)
        .await;
    let told: Vec<_> = log.iter().map(|one| one.entry.detail.clone().unwrap()).collect();
    assert_eq!(
        told,
        [
            "decision: accept_specimens true → false; liveness_accept 0.5 → 0.6",
            "decision: accept_specimens false → true; liveness_accept 0.6 → 0.5",
        ]
    );
}

#[tokio::test]
async fn liveness_cannot_be_accepted_from_where_one_sign_speaks_against_it() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    let from = |liveness_accept| {
        Change::Decision(Policy {
            liveness_accept,
            ..Policy::default()
        })
    };
    let refused = apply(&harness, &admin, from(0.42)).await;
    assert!(matches!(refused, Err(SettingsError::Faults(faults)) if faults[0].field == Setting::LivenessAccept));
    assert!(
        apply(&harness, &admin, from(Policy::LEAST_LIVENESS_ACCEPT))
            .await
            .is_ok()
    );
    let refused = at_first_look(&harness, &admin, &from(0.1)).await;
    assert!(
        matches!(refused, Err(SettingsError::Faults(_))),
        "not worth a second look"
    );
}

#[tokio::test]
async fn the_preview_shows_what_the_last_decisions_would_have_become() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    for _ in 0..2 {
        harness.decided().await;
    }
    harness.analyser.see_selfie(SelfieFindings {
        liveness: None,
        ..holder()
    });
    harness.decided().await;
    let seen = async |policy| {
        let change = Change::Decision(policy);
        preview(&harness.honnin, &admin, &change)
            .await
            .unwrap()
            .decisions
            .unwrap()
    };
    let as_decided = Tally {
        approved: 2,
        needs_review: 1,
        rejected: 0,
    };
    let same = seen(Policy::default()).await;
    assert_eq!((same.before, same.after), (as_decided, as_decided));
    let all_reviewed = Tally {
        approved: 0,
        needs_review: 3,
        rejected: 0,
    };
    // Nobody reaches this.
    let strict = Policy {
        liveness_accept: 1.0,
        ..Policy::default()
    };
    assert_eq!(seen(strict).await.after, all_reviewed);
    let sampled = Policy {
        sampled: 1.0,
        ..Policy::default()
    };
    assert_eq!(seen(sampled).await.after, all_reviewed);
    harness.clock.advance(Millis::days(31));
    assert_eq!(seen(Policy::default()).await.before, Tally::default(), "older ones");
}

#[tokio::test]
async fn the_preview_knows_the_decision_on_a_session_that_was_created_long_before() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    let (id, _) = harness.decided().await;
    harness.wait(Millis::days(80)).await;
    reprocess(&harness.honnin, &harness.caller().await, id.as_str())
        .await
        .unwrap();
    harness.decided_again(&id).await;
    harness.clock.advance(Millis::days(7));
    let change = Change::Decision(Policy::default());
    let seen = preview(&harness.honnin, &admin, &change).await.unwrap();
    let Tally {
        approved,
        needs_review,
        rejected,
    } = seen.decisions.unwrap().before;
    assert_eq!(approved + needs_review + rejected, 1);
}

#[tokio::test]
async fn the_preview_names_everything_that_changes_the_tenants_name_too() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    let wanted = Change::Look {
        name: "Sakura Bank".into(),
        accent: Some("#a0105a".into()),
        contact: None,
    };
    let seen = preview(&harness.honnin, &admin, &wanted).await.unwrap();
    let text = |text: &str| Value::Text(text.to_owned());
    let name = &harness.tenant.name;
    assert_eq!(
        seen.changes,
        [
            Difference {
                setting: Setting::Accent,
                old: Value::None,
                new: text("#a0105a"),
            },
            Difference {
                setting: Setting::Name,
                old: text(name),
                new: text("Sakura Bank"),
            },
        ]
    );
}

#[tokio::test]
async fn the_preview_of_an_allow_list_shows_who_is_shut_out() {
    let harness = Harness::new().await;
    let developer = harness.staff(Role::Developer).await;
    harness.create().await;
    let list = |networks: &[&str]| Change::Addresses(networks.iter().map(|net| net.parse().unwrap()).collect());
    let elsewhere = list(&["192.0.2.0/24"]);
    let seen = preview(&harness.honnin, &developer, &elsewhere).await.unwrap();
    assert_eq!(seen.weakenings, [Weakening::AddressesShutOut]);
    let callers = seen.callers.unwrap();
    assert_eq!((callers.own, callers.own_is_admitted), (localhost(), false));
    let shut_out = RecentCaller {
        address: localhost().to_string(),
        is_admitted: false,
    };
    assert_eq!(callers.lately, [shut_out]);
    let refused = at_first_look(&harness, &developer, &elsewhere).await;
    assert!(matches!(refused, Err(SettingsError::NeedsConfirmation)));
    at_first_look(&harness, &developer, &list(&["127.0.0.0/8"]))
        .await
        .unwrap();
}

#[tokio::test]
async fn on_a_busy_tenant_the_preview_knows_the_callers_of_long_ago_and_says_what_it_searched() {
    let harness = Harness::new().await;
    let developer = harness.staff(Role::Developer).await;
    // A key that is used once a day, from an address of its own; then other keys, from many addresses.
    let seldom = "198.51.100.9".parse().unwrap();
    let caller = service::access::tenant_by_key(&harness.honnin, &harness.key, seldom, Scope::Create);
    create_session(&harness.honnin, &caller.await.unwrap(), b"{}")
        .await
        .unwrap();
    harness.clock.advance(Millis::hours(1));
    let busy = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20100)
         INSERT INTO audit (at, tenant_id, actor, action, address)
         SELECT {}, '{}', 'key_busy', 'session.read', '192.0.2.' || (i % 30) FROM n",
        harness.honnin.now().as_millis(),
        developer.tenant()
    );
    harness.database.run(busy.leak()).await;
    let change = Change::Addresses(["127.0.0.0/8", "192.0.2.0/24"].map(|net| net.parse().unwrap()).to_vec());
    let seen = preview(&harness.honnin, &developer, &change).await.unwrap();
    assert_eq!(seen.weakenings, [Weakening::AddressesShutOut]);
    let callers = seen.callers.unwrap();
    let first = &callers.lately[0];
    assert_eq!(
        (&*first.address, first.is_admitted),
        ("198.51.100.9", false),
        "first of all"
    );
    assert_eq!((callers.lately.len(), callers.more, callers.shut_out), (20, 11, 1));
    assert_eq!(callers.since, Some(harness.honnin.now()));
}

#[tokio::test]
async fn a_receivers_query_is_not_in_the_audit_log() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    harness.names.say("shop.example", &[&[localhost()]]);
    let url = Change::Webhook {
        url: Some("https://shop.example/hook?token=canary".into()),
        event_types: EventType::ALL.to_vec(),
    };
    apply(&harness, &admin, url).await.unwrap();
    let tenant = harness.tenant.id.clone();
    let log = harness
        .read(async move |tx| audit::list(tx, &tenant, None, None, 1).await)
        .await;
    assert_eq!(
        log[0].entry.detail.as_deref(),
        Some("webhook: webhook_url none → https://shop.example/hook?…")
    );
}

/// How long until each session's data is erased, in days, oldest session first.
async fn days_left(harness: &Harness) -> Vec<i64> {
    let now = harness.honnin.now();
    let jobs = harness.open_jobs().await;
    let mut erasures: Vec<_> = jobs.into_iter().filter(|job| job.kind == JobKind::Erase).collect();
    erasures.sort_by_key(|job| job.number.0);
    erasures
        .iter()
        .map(|job| (job.run_at.as_millis() - now.as_millis()) / Millis::days(1).0)
        .collect()
}

#[tokio::test]
async fn a_shorter_retention_counts_for_ended_sessions_and_a_longer_one_does_not() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    let retention = |days| Change::Lifetimes {
        link: TenantSettings::default().link_lifetime,
        session: TenantSettings::default().session_lifetime,
        retention: Millis::days(days),
    };
    let (old, _) = harness.decided().await;
    harness.wait(Millis::days(40)).await;
    let (declined, applicant) = harness.agreed().await;
    decline(&harness.honnin, &applicant).await.unwrap();
    harness.create().await;
    harness.wait(Millis::days(10)).await;
    // The last one expired seven days after its creation, three days ago.
    assert_eq!(days_left(&harness).await, [40, 80, 87]);
    let shorter = retention(30);
    let refused = at_first_look(&harness, &admin, &shorter).await;
    assert!(matches!(refused, Err(SettingsError::NeedsConfirmation)));
    let erasures = preview(&harness.honnin, &admin, &shorter)
        .await
        .unwrap()
        .erasures
        .unwrap();
    assert_eq!((erasures.before, erasures.after), ([0, 0, 0], [1, 1, 3]));
    at_first_look(&harness, &admin, &retention(120)).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(days_left(&harness).await, [40, 80, 87], "as their users were told");
    apply(&harness, &admin, shorter).await.unwrap();
    harness.run_until_idle().await;
    assert!(harness.detail(&old).await.session.purged_at.is_some(), "at once");
    assert_eq!(days_left(&harness).await, [20, 27]);
    harness.wait(Millis::days(20)).await;
    assert!(harness.detail(&declined).await.session.purged_at.is_some());
}

/// Detects if one tenant can have any number of connections read for previews.
#[tokio::test]
async fn a_tenant_has_one_preview_that_reads_much_at_a_time() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    let honnin = &harness.honnin;
    let decision = Change::Decision(Policy::default());
    let lifetimes = Change::Lifetimes {
        link: TenantSettings::default().link_lifetime,
        session: TenantSettings::default().session_lifetime,
        retention: Millis::days(1),
    };
    let addresses = Change::Addresses(Vec::new());
    for next in [&decision, &lifetimes, &addresses] {
        // It has its turn, and goes on only when it is polled again.
        let mut first = std::pin::pin!(preview(honnin, &admin, &decision));
        assert!((&mut first).now_or_never().is_none());
        let mut second = std::pin::pin!(preview(honnin, &admin, next));
        // Many times as much as an empty preview reads.
        let reads = async {
            for _ in 0..100 {
                load(honnin, &admin).await.unwrap();
            }
        };
        tokio::select! {
            biased;
            _ = &mut second => panic!("{next:?} did not wait"),
            () = reads => {}
        }
        first.await.unwrap();
        second.await.unwrap();
    }
    // Without much to read, nobody waits.
    let mut first = std::pin::pin!(preview(honnin, &admin, &decision));
    assert!((&mut first).now_or_never().is_none());
    let sign_in = Change::SignIn {
        second_factor_required: true,
    };
    preview(honnin, &admin, &sign_in).await.unwrap();
    first.await.unwrap();
}

/// A case may wait for a reviewer while the tenant makes the period longer. Planted fault that this test detects: keeping what its user agreed to give for
/// 90 days as long as those who agree today.
#[tokio::test]
async fn a_user_who_agreed_to_a_retention_is_not_kept_for_longer_however_late_the_session_ends() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    let retention = |days| Change::Lifetimes {
        link: TenantSettings::default().link_lifetime,
        session: TenantSettings::default().session_lifetime,
        retention: Millis::days(days),
    };
    let (_, before) = harness.agreed().await;
    let (created, after) = (harness.create().await, harness.create().await);
    let after = harness.start(&after).await;
    at_first_look(&harness, &admin, &retention(365)).await.unwrap();
    let shown_before = Agreement {
        version: "1".to_owned(),
        language: Language::En,
        retention_days: 90,
        face_search: None,
    };
    let refused = consent(&harness.honnin, &after, shown_before).await;
    assert!(matches!(refused, Err(StepRefused::OutOfTurn)), "{refused:?}");
    agree(&harness.honnin, &after, None).await.unwrap();
    for applicant in [before, after, harness.start(&created).await] {
        decline(&harness.honnin, &applicant).await.unwrap();
    }
    assert_eq!(days_left(&harness).await, [90, 365, 365]);
}

#[tokio::test]
async fn a_retention_that_is_shortened_again_and_again_makes_one_job() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    harness.decided().await;
    for days in [80, 200, 70, 60, 50] {
        let retention = Change::Lifetimes {
            link: TenantSettings::default().link_lifetime,
            session: TenantSettings::default().session_lifetime,
            retention: Millis::days(days),
        };
        apply(&harness, &admin, retention).await.unwrap();
    }
    let open = harness.open_jobs().await;
    let shortenings = open.iter().filter(|job| job.kind == JobKind::BringErasuresForward);
    assert_eq!(shortenings.count(), 1);
    harness.run_until_idle().await;
    assert_eq!(days_left(&harness).await, [50]);
}

#[tokio::test]
async fn the_preview_of_a_shorter_retention_counts_what_is_planned_by_an_even_shorter_one() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    let retention = |days| Change::Lifetimes {
        link: TenantSettings::default().link_lifetime,
        session: TenantSettings::default().session_lifetime,
        retention: Millis::days(days),
    };
    harness.decided().await;
    harness.wait(Millis::days(80)).await;
    apply(&harness, &admin, retention(365)).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(days_left(&harness).await, [10], "as its user was told");
    for (days, after) in [(200, [0, 0, 1]), (81, [0, 1, 1]), (60, [1, 1, 1])] {
        let seen = preview(&harness.honnin, &admin, &retention(days)).await.unwrap();
        let erasures = seen.erasures.unwrap();
        assert_eq!((erasures.before, erasures.after), ([0, 0, 1], after), "{days}");
    }
}

/// How many wait for what another connection has locked, among those that have read `tenants`.
const WAITS_FOR_TENANTS: &str =
    "SELECT COUNT(*) FROM pg_locks AS waiting JOIN pg_locks AS held ON held.pid = waiting.pid
    WHERE NOT waiting.granted AND held.relation = 'tenants'::regclass";

/// An approval locks the tenant and then its session. Whoever locks the session first would wait for it, and it for them.
///
/// Planted fault that this test detects: a session that is written before its tenant is locked.
#[tokio::test]
async fn whoever_ends_a_session_and_waits_for_its_tenant_has_not_locked_the_session() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let (honnin, caller) = (&harness.honnin, harness.caller().await);
    let (_, declined) = harness.agreed().await;
    let (cancelled, erased) = (harness.create().await.id, harness.create().await.id);
    let mut other = PgConnection::connect(&harness.database.url).await.unwrap();
    for how in ["declined", "cancelled", "erased"] {
        let lock = "BEGIN; UPDATE tenants SET version = version";
        sqlx::raw_sql(lock).execute(&mut other).await.unwrap();
        let has_ended = Cell::new(false);
        let end = async {
            match how {
                "declined" => decline(honnin, &declined).await.unwrap(),
                "cancelled" => drop(cancel(honnin, &caller, cancelled.as_str()).await.unwrap()),
                _ => drop(erase_of_tenant(honnin, &caller, erased.as_str()).await.unwrap()),
            }
            has_ended.set(true);
        };
        let look = async {
            while !has_ended.get() && harness.database.number(WAITS_FOR_TENANTS).await == 0 {
                tokio::task::yield_now().await;
            }
            let sessions = "SELECT id FROM sessions FOR UPDATE NOWAIT";
            let free = sqlx::raw_sql(sessions).execute(&mut other).await.is_ok();
            sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
            free
        };
        let ((), free) = tokio::join!(end, look);
        assert!(free, "{how}");
    }
}

/// Somebody shortens the period while a session ends: the unit that ends it has read the longer one.
///
/// Planted fault that this test detects: an erasure that is planned by the settings as they were when the unit began.
#[tokio::test]
async fn a_session_that_ends_while_the_retention_is_shortened_is_kept_for_the_shorter_one() {
    let Some(harness) = Harness::on_postgres(Step::ALL).await else {
        return;
    };
    let (_, applicant) = harness.agreed().await;
    let mut other = PgConnection::connect(&harness.database.url).await.unwrap();
    let shorten = "BEGIN; UPDATE tenants SET settings = jsonb_set(settings::jsonb, '{retention}', '2592000000')::text";
    sqlx::raw_sql(shorten).execute(&mut other).await.unwrap();
    let has_ended = Cell::new(false);
    let end = async {
        decline(&harness.honnin, &applicant).await.unwrap();
        has_ended.set(true);
    };
    let commit = async {
        while !has_ended.get() && harness.database.number(WAITS_FOR_TENANTS).await == 0 {
            tokio::task::yield_now().await;
        }
        sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
    };
    tokio::join!(end, commit);
    assert_eq!(days_left(&harness).await, [30]);
}

#[tokio::test]
async fn a_key_is_shown_once_opens_the_api_and_is_refused_after_revoking() {
    let harness = Harness::new().await;
    let developer = Developer::of(&harness.staff(Role::Developer).await).unwrap();
    let key = |name: &str, scopes| NewKey {
        id: draft_key(&harness.honnin),
        name: name.to_owned(),
        lifetime: Some(Millis::days(30)),
        scopes,
        networks: Vec::new(),
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
    let wanted = key(" Till ", create);
    let issued = issue(wanted.clone()).await.unwrap();
    assert!(matches!(issue(wanted).await, Err(IssueKeyError::Repeated)));
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

/// Detects if only the middleware asks what somebody is: their receiver's name server takes as long to answer as they like.
#[tokio::test]
async fn whoever_has_lost_their_role_changes_no_setting_with_a_request_that_is_under_way() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    let boss = Admin::of(&admin).unwrap();
    let before = load(&harness.honnin, &admin).await.unwrap();
    for shut_out in [people::Change::Role(Role::Developer), people::Change::Disable] {
        let leaving = harness.staff(Role::Admin).await;
        change_person(&harness.honnin, &boss, leaving.user(), shut_out)
            .await
            .unwrap();
        let steps = Change::Steps {
            steps: vec![Step::Selfie],
            tries: 3,
            flashes: true,
        };
        let late = apply(&harness, &leaving, steps).await;
        assert!(
            matches!(late, Err(SettingsError::Forbidden(_))),
            "{shut_out:?}: {late:?}"
        );
    }
    assert_eq!(load(&harness.honnin, &admin).await.unwrap(), before);
}

/// Detects if only the middleware asks what somebody is: a logo takes a while to arrive and to be drawn.
#[tokio::test]
async fn whoever_has_lost_their_role_sets_and_removes_no_logo_with_a_request_that_is_under_way() {
    let harness = Harness::new().await;
    let boss = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    for shut_out in [people::Change::Role(Role::Developer), people::Change::Disable] {
        let leaving = Admin::of(&harness.staff(Role::Admin).await).unwrap();
        change_person(&harness.honnin, &boss, leaving.staff().user(), shut_out)
            .await
            .unwrap();
        let late = set_logo(&harness.honnin, &leaving, hex::decode(BLUE).unwrap()).await;
        assert!(matches!(late, Err(LogoError::Forbidden(_))), "{shut_out:?}: {late:?}");
        let late = remove_logo(&harness.honnin, &leaving).await;
        assert!(
            matches!(late, Err(RemoveLogoError::Forbidden(_))),
            "{shut_out:?}: {late:?}"
        );
    }
    let logo = find_logo(&harness.honnin, boss.staff().tenant()).await.unwrap();
    assert_eq!(logo, None);
}

/// Detects if only the middleware asks what somebody is: a password takes a while to be checked, in which they may be shut out.
#[tokio::test]
async fn whoever_has_lost_their_role_issues_no_key_and_changes_no_secret_with_a_request_that_is_under_way() {
    let harness = Harness::new().await;
    let honnin = &harness.honnin;
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    for shut_out in [people::Change::Role(Role::Auditor), people::Change::Disable] {
        let leaving = Developer::of(&harness.staff(Role::Admin).await).unwrap();
        let new = || NewKey {
            id: draft_key(honnin),
            name: "Till".into(),
            lifetime: None,
            scopes: Scopes::ALL,
            networks: Vec::new(),
        };
        let old = issue_key(honnin, &leaving, new()).await.unwrap();
        change_person(honnin, &admin, leaving.staff().user(), shut_out)
            .await
            .unwrap();
        let count = list_keys(honnin, &leaving).await.unwrap().len();
        let issued = issue_key(honnin, &leaving, new()).await;
        assert!(
            matches!(issued, Err(IssueKeyError::Forbidden)),
            "{shut_out:?}: {issued:?}"
        );
        let rotated = rotate_key(honnin, &leaving, &old.id, Millis::hours(1)).await;
        assert!(
            matches!(rotated, Err(IssueKeyError::Forbidden)),
            "{shut_out:?}: {rotated:?}"
        );
        assert_eq!(list_keys(honnin, &leaving).await.unwrap().len(), count, "{shut_out:?}");
        let secret = signing_secret::issue(honnin, &leaving, signing_secret::draft(honnin)).await;
        assert!(
            matches!(secret, Err(IssueSecretError::Forbidden)),
            "{shut_out:?}: {secret:?}"
        );
        let disabled = signing_secret::disable(honnin, &leaving, &signing_secret::draft(honnin)).await;
        assert!(
            matches!(disabled, Err(DisableSecretError::Forbidden)),
            "{shut_out:?}: {disabled:?}"
        );
    }
}

#[tokio::test]
async fn a_key_opens_the_api_from_its_networks_only_and_says_where_it_was_used() {
    let harness = Harness::new().await;
    let developer = Developer::of(&harness.staff(Role::Developer).await).unwrap();
    let issue = async |network: &str| {
        let new = NewKey {
            id: draft_key(&harness.honnin),
            name: "Till".into(),
            lifetime: None,
            scopes: Scopes::NONE.with(Scope::Create),
            networks: vec![network.parse().unwrap()],
        };
        issue_key(&harness.honnin, &developer, new).await.unwrap()
    };
    let enter = async |issued: &Issued| {
        service::access::tenant_by_key(&harness.honnin, issued.key.expose(), localhost(), Scope::Create).await
    };
    let (here, elsewhere) = (issue("127.0.0.0/8").await, issue("192.0.2.0/24").await);
    assert!(matches!(enter(&elsewhere).await, Err(AccessError::IpNotAllowed)));
    let caller = enter(&here).await.unwrap();
    create_session(&harness.honnin, &caller, b"{}").await.unwrap();
    let listed = list_keys(&harness.honnin, &developer).await.unwrap();
    let used = |id| listed.iter().find(|key| key.id == id).unwrap().last_used_from.clone();
    assert_eq!(
        (used(here.id), used(elsewhere.id)),
        (Some(localhost().to_string()), None)
    );
}

/// A key that creates sessions from this machine only, for thirty days.
fn key_of_a_till(harness: &Harness) -> NewKey {
    NewKey {
        id: draft_key(&harness.honnin),
        name: "Till".into(),
        lifetime: Some(Millis::days(30)),
        scopes: Scopes::NONE.with(Scope::Create),
        networks: vec!["127.0.0.0/8".parse().unwrap()],
    }
}

#[tokio::test]
async fn a_rotated_key_and_its_successor_are_valid_together_for_the_chosen_time() {
    let harness = Harness::new().await;
    let developer = Developer::of(&harness.staff(Role::Developer).await).unwrap();
    let new = key_of_a_till(&harness);
    let old = issue_key(&harness.honnin, &developer, new).await.unwrap();
    let enter = async |issued: &Issued| {
        let entered = service::access::tenant_by_key(&harness.honnin, issued.key.expose(), localhost(), Scope::Create);
        entered.await.is_ok()
    };
    harness.clock.advance(Millis::days(10));
    let rotate = async |id| rotate_key(&harness.honnin, &developer, id, Millis::hours(24)).await;
    let fresh = rotate(&old.id).await.unwrap();
    assert!(enter(&old).await && enter(&fresh).await);
    let listed = list_keys(&harness.honnin, &developer).await.unwrap();
    let row = listed.iter().find(|key| key.id == fresh.id).unwrap();
    assert_eq!((row.name.as_str(), row.networks.len()), ("Till", 1));
    assert_eq!(
        row.expires_at,
        Some(harness.honnin.now().plus(Millis::days(30))),
        "the same lifetime anew"
    );
    // Its end is that of the overlap by now, which is no lifetime for another successor.
    assert!(matches!(rotate(&old.id).await, Err(IssueKeyError::Replaced)));
    assert_eq!(
        list_keys(&harness.honnin, &developer).await.unwrap().len(),
        listed.len(),
        "no second successor"
    );
    harness.clock.advance(Millis::hours(24));
    assert!(!enter(&old).await && enter(&fresh).await);
    assert!(matches!(rotate(&old.id).await, Err(IssueKeyError::NotFound)), "expired");
    // A key that reads personal data is an admin's to renew.
    let reading = listed.iter().find(|key| key.scopes.contains(Scope::Read)).unwrap();
    assert!(matches!(rotate(&reading.id).await, Err(IssueKeyError::NeedsAdmin)));
}

#[tokio::test]
async fn of_two_who_rotate_a_key_at_once_one_is_told_that_it_is_replaced() {
    let harness = Harness::new().await;
    let developer = Developer::of(&harness.staff(Role::Developer).await).unwrap();
    let new = NewKey {
        id: draft_key(&harness.honnin),
        name: "Till".into(),
        lifetime: None,
        scopes: Scopes::NONE.with(Scope::Create),
        networks: Vec::new(),
    };
    let old = issue_key(&harness.honnin, &developer, new).await.unwrap().id;
    let rotate = || rotate_key(&harness.honnin, &developer, &old, Millis::hours(24));
    let both = tokio::join!(rotate(), rotate());
    assert!(
        matches!(
            both,
            (Ok(_), Err(IssueKeyError::Replaced)) | (Err(IssueKeyError::Replaced), Ok(_))
        ),
        "{both:?}"
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
        membership: None,
        email: "operator@host.example".into(),
        name: "Operator".into(),
        operator: true,
        password: Some("none".into()),
        created_at: harness.honnin.now(),
        disabled_at: None,
        session_epoch: 0,
    };
    let stored: Result<(), store::StoreError> = harness
        .honnin
        .db()
        .write(async move |tx| store::people::users::insert(tx, &row).await)
        .await;
    stored.unwrap();
    id
}

/// A PNG of 32 × 8 pixels.
const BLUE: &str = "89504e470d0a1a0a0000000d494844520000002000000008080200000017e76af8000000164944415478da63e012394153c4306ac1a80583df0200f15de6015fb4c1380000000049454e44ae426082";
/// The same in another colour.
const DARK_BLUE: &str = "89504e470d0a1a0a0000000d494844520000002000000008080200000017e76af8000000164944415478da63e01289a2296218b560d482c16f01009da37801b2ee18960000000049454e44ae426082";

#[tokio::test]
async fn a_logo_is_drawn_anew_replaced_and_removed_and_the_audit_log_says_so() {
    let harness = Harness::new().await;
    let staff = harness.staff(Role::Admin).await;
    let admin = Admin::of(&staff).unwrap();
    let refused = set_logo(&harness.honnin, &admin, b"<svg/>".to_vec()).await;
    assert!(matches!(refused, Err(LogoError::Picture(_))), "{refused:?}");
    assert_eq!(find_logo(&harness.honnin, staff.tenant()).await.unwrap(), None);
    set_logo(&harness.honnin, &admin, hex::decode(BLUE).unwrap())
        .await
        .unwrap();
    let first = find_logo(&harness.honnin, staff.tenant()).await.unwrap().unwrap();
    assert_eq!((first.width, first.height), (192, 48));
    let served = logo_png(&harness.honnin, &first.hash).await.unwrap().unwrap();
    assert!(served.starts_with(b"\x89PNG") && served.len() <= 12 * 1024);
    set_logo(&harness.honnin, &admin, hex::decode(DARK_BLUE).unwrap())
        .await
        .unwrap();
    let second = find_logo(&harness.honnin, staff.tenant()).await.unwrap().unwrap();
    assert_ne!(first.hash, second.hash);
    assert_eq!(logo_png(&harness.honnin, &first.hash).await.unwrap(), None);
    for _ in 0..2 {
        remove_logo(&harness.honnin, &admin).await.unwrap();
    }
    assert_eq!(find_logo(&harness.honnin, staff.tenant()).await.unwrap(), None);
    let tenant = staff.tenant().clone();
    let log = harness
        .read(async move |tx| audit::list(tx, &tenant, None, None, 3).await)
        .await;
    let actions: Vec<_> = log.iter().map(|one| one.entry.action.to_string()).collect();
    assert_eq!(
        actions,
        ["logo.remove", "logo.set", "logo.set"],
        "removing nothing is not recorded"
    );
}

/// Otherwise the pictures of all other tenants would wait behind many that are sent at once.
#[tokio::test]
async fn a_tenant_has_one_logo_drawn_at_a_time() {
    let harness = Harness::new().await;
    let admin = Admin::of(&harness.staff(Role::Admin).await).unwrap();
    let set = || set_logo(&harness.honnin, &admin, hex::decode(BLUE).unwrap());
    let (first, second) = tokio::join!(set(), set());
    first.unwrap();
    assert!(matches!(second, Err(LogoError::Busy)), "{second:?}");
    set().await.unwrap();
}

#[tokio::test]
async fn a_callback_url_is_allowed_from_the_command_line_once() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    let tenant = admin.tenant().clone();
    let before = load(&harness.honnin, &admin).await.unwrap();
    let url = "https://localhost:3443/demo/callback";
    for text in [url, "HTTPS://LOCALHOST:3443/demo/callback"] {
        let allowed = allow_callback_from_here(&harness.honnin, CommandLine::here(), tenant.clone(), text).await;
        assert!(allowed.is_ok(), "{allowed:?}");
    }
    let after = load(&harness.honnin, &admin).await.unwrap();
    let wanted = [before.settings.unwrap().callback_urls, vec![url.to_owned()]].concat();
    assert_eq!(after.settings.unwrap().callback_urls, wanted);
    assert_eq!(after.version, before.version + 1);
    let refused = allow_callback_from_here(
        &harness.honnin,
        CommandLine::here(),
        tenant.clone(),
        "http://localhost/back",
    )
    .await;
    assert!(matches!(refused, Err(SettingsError::Faults(_))), "{refused:?}");
    let entries = harness
        .read(async move |tx| audit::list(tx, &tenant, None, None, 1).await)
        .await;
    let detail = entries[0].entry.detail.as_deref();
    let wanted = format!("callbacks: callback_urls https://shop.example/done → https://shop.example/done, {url}");
    assert_eq!(detail, Some(wanted.as_str()));
}

#[tokio::test]
async fn every_key_is_in_the_audit_log_with_its_expiry_and_so_is_the_first_one_of_a_tenant() {
    let harness = Harness::new().await;
    // What became a key, newest first.
    let issued = async |tenant: &TenantId| {
        let tenant = tenant.clone();
        let log = harness
            .read(async move |tx| audit::list(tx, &tenant, None, None, 100).await)
            .await;
        let issued = log.into_iter().filter(|one| one.entry.action == AuditAction::KeyIssue);
        issued
            .map(|one| (one.entry.subject.unwrap(), one.entry.detail.unwrap()))
            .collect::<Vec<_>>()
    };
    let new = NewTenant {
        name: "Another Shop".into(),
        settings: TenantSettings {
            steps: Step::ALL.to_vec(),
            ..TenantSettings::default()
        },
        mode: Mode::Live,
    };
    let made = create_tenant(&harness.honnin, &Operator::at_command_line(), new)
        .await
        .unwrap();
    let first = service::access::tenant_by_key(&harness.honnin, made.key.expose(), localhost(), Scope::Create).await;
    assert_eq!(first.unwrap().id(), &made.id);
    let tenant = made.id.clone();
    let keys = harness
        .read(async move |tx| store::settings::api_keys::list(tx, &tenant).await)
        .await;
    let wanted = (keys[0].id.to_string(), "create,read,manage; does not expire".to_owned());
    assert_eq!(issued(&made.id).await, [wanted]);

    let developer = Developer::of(&harness.staff(Role::Developer).await).unwrap();
    let new = key_of_a_till(&harness);
    let old = issue_key(&harness.honnin, &developer, new).await.unwrap().id;
    let end = harness.honnin.now().plus(Millis::days(30)).to_iso();
    let key = format!("create from 127.0.0.0/8; expires {end}");
    assert_eq!(issued(&harness.tenant.id).await, [(old.to_string(), key.clone())]);
    let overlap = Millis::hours(24);
    let fresh = rotate_key(&harness.honnin, &developer, &old, overlap).await.unwrap().id;
    let until = harness.honnin.now().plus(overlap).to_iso();
    let replaced = format!("{key}; in place of {old}, which expires at {until}");
    assert_eq!(issued(&harness.tenant.id).await[0], (fresh.to_string(), replaced));

    // More networks than an entry has room for.
    let networks: Vec<String> = (0..200)
        .map(|number| format!("2001:db8:1111:2222:3333:4444:5555:{:x}/128", 0x1000 + number))
        .collect();
    let new = NewKey {
        networks: networks.iter().map(|network| network.parse().unwrap()).collect(),
        ..key_of_a_till(&harness)
    };
    let many = issue_key(&harness.honnin, &developer, new).await.unwrap().id;
    let entry = |networks: &[String]| {
        let detail = format!("create from {}, and others; expires {end}", networks.join(", "));
        (many.to_string(), detail)
    };
    let entries = issued(&harness.tenant.id).await;
    assert_eq!(entries[..2], [entry(&networks[150..]), entry(&networks[..150])]);
}

#[tokio::test]
async fn a_change_that_is_too_long_for_an_entry_of_the_audit_log_is_in_several() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    let url = |number: usize| format!("https://shop.example/{number}/{}", "a".repeat(1_967));
    let evil = "https://evil.example/done".to_owned();
    let urls = vec![url(0), url(1), evil.clone(), url(3), url(4), url(5)];
    apply(&harness, &admin, Change::Callbacks(urls.clone())).await.unwrap();
    let tenant = harness.tenant.id.clone();
    let log = harness
        .read(async move |tx| audit::list(tx, &tenant, None, None, 100).await)
        .await;
    let changes = log
        .into_iter()
        .filter(|one| one.entry.action == AuditAction::SettingsChange);
    let details: Vec<String> = changes.map(|one| one.entry.detail.unwrap()).collect();
    assert!(details.len() > 1, "{details:?}");
    for url in &urls {
        let is_in = |detail: &String| detail.contains(&format!(r#""{url}""#));
        assert!(details.iter().any(is_in), "{url}: {details:?}");
    }
}

#[tokio::test]
async fn a_callback_url_that_was_stored_before_its_length_was_limited_keeps_nobody_from_changing_settings() {
    let harness = Harness::new().await;
    let admin = harness.staff(Role::Admin).await;
    let long = |letter: &str| format!("https://shop.example/{}", letter.repeat(2_000));
    let (tenant, stored) = (harness.tenant.id.clone(), long("a"));
    let unit = harness.honnin.db().write(async move |tx| {
        let mut row = tenants::load(tx, &tenant).await?;
        row.settings.get_or_insert_default().callback_urls = vec![stored.clone()];
        tenants::save(tx, &row).await
    });
    let kept: Result<(), StoreError> = unit.await;
    kept.unwrap();
    let review = Change::Review {
        target: Millis::hours(12),
    };
    assert!(apply(&harness, &admin, review).await.is_ok());
    let done = "https://shop.example/done".to_owned();
    let longer = Change::Callbacks(vec![long("a"), done.clone()]);
    let changed = apply(&harness, &admin, longer).await.unwrap();
    assert_eq!(changed.callback_urls, [long("a"), done]);
    let another = apply(&harness, &admin, Change::Callbacks(vec![long("a"), long("b")])).await;
    let Err(SettingsError::Faults(faults)) = another else {
        panic!("{another:?}");
    };
    let told: Vec<_> = faults.into_iter().map(|bad| bad.fault).collect();
    let wanted = SettingFault::Callback {
        url: long("b"),
        fault: BadCallback::TooLong,
    };
    assert_eq!(told, [wanted]);
}
