//! Finding the sessions of a person: by what was pre-registered, typed and read; by nobody who may not know; not after erasure.

use domain::{ids::SessionId, role::Role, secret::Personal, time::Millis};
use service::{
    access::Reader,
    jobs::sweep,
    session::{
        blind_index::{FindPersonError, Wanted, find_person},
        create::create_session,
    },
};
use store::{audit, decision::identities};
use testkit::Harness;

async fn reader(harness: &Harness) -> Reader {
    Reader::of(&harness.staff(Role::Auditor).await).unwrap()
}

async fn ask(
    harness: &Harness,
    reader: &Reader,
    name: &str,
    birth_date: &str,
) -> Result<Vec<SessionId>, FindPersonError> {
    let wanted = Wanted {
        name: Personal::new(name.to_owned()),
        birth_date: Personal::new(birth_date.to_owned()),
    };
    let found = find_person(&harness.honnin, reader, &wanted, 10).await?;
    Ok(found.sessions.into_iter().map(|found| found.id).collect())
}

async fn register(harness: &Harness, body: &str) -> SessionId {
    let caller = harness.caller().await;
    let created = create_session(&harness.honnin, &caller, body.as_bytes()).await;
    created.unwrap().id
}

const TARO: &str = r#"{"preRegisteredInfo":{"lastName":"髙橋","firstName":"太郎","birthDate":"1990-04-05"}}"#;
const JIRO: &str = r#"{"preRegisteredInfo":{"lastName":"高橋","firstName":"次郎","birthDate":"1990-04-05"}}"#;

#[tokio::test]
async fn a_person_is_found_by_full_name_and_date_of_birth() {
    let harness = Harness::new().await;
    let reader = reader(&harness).await;
    let taro = register(&harness, TARO).await;
    harness.clock.advance(Millis::seconds(1));
    let jiro = register(&harness, JIRO).await;
    for (name, birth_date, expected) in [
        ("高橋 太郎", "", vec![&taro]),
        ("太郎　髙橋", "1990-04-05", vec![&taro]),
        ("高橋太郎", "1990-04-06", vec![]),
        ("", "1990-04-05", vec![&jiro, &taro]),
        ("高橋", "", vec![]),
    ] {
        let found = ask(&harness, &reader, name, birth_date).await.unwrap();
        assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{name} {birth_date}");
    }
    for (name, birth_date) in [("", ""), (" - ", "")] {
        let refused = ask(&harness, &reader, name, birth_date).await.unwrap_err();
        assert!(matches!(refused, FindPersonError::Nothing));
    }
    let refused = ask(&harness, &reader, "高橋太郎", "1990-02-31").await.unwrap_err();
    assert!(matches!(refused, FindPersonError::NotADate));

    let tenant = harness.tenant.id.clone();
    let log = harness.read(async move |tx| audit::list(tx, &tenant, None, None, 100).await);
    let searches: Vec<_> = log
        .await
        .into_iter()
        .filter(|entry| entry.entry.action.as_str() == "session.search")
        .filter_map(|entry| entry.entry.detail)
        .collect();
    assert_eq!(searches.len(), 5);
    assert_eq!(searches[1], "by date of birth: 2 found");
    assert!(
        !searches.concat().contains("高橋") && !searches.concat().contains("1990"),
        "{searches:?}"
    );
}

#[tokio::test]
async fn who_has_more_sessions_than_are_listed_is_said_to_have_more() {
    let harness = Harness::new().await;
    let reader = reader(&harness).await;
    let first = register(&harness, TARO).await;
    harness.clock.advance(Millis::seconds(1));
    let second = register(&harness, TARO).await;
    let wanted = Wanted {
        name: Personal::new("高橋 太郎".to_owned()),
        birth_date: Personal::new(String::new()),
    };
    for (limit, listed, more) in [(1, vec![&second], true), (2, vec![&second, &first], false)] {
        let found = find_person(&harness.honnin, &reader, &wanted, limit).await.unwrap();
        let ids: Vec<_> = found.sessions.iter().map(|session| &session.id).collect();
        assert_eq!((ids, found.more), (listed, more), "{limit}");
    }
    let tenant = harness.tenant.id.clone();
    let log = harness.read(async move |tx| audit::list(tx, &tenant, None, None, 100).await);
    let details: Vec<_> = log.await.into_iter().filter_map(|entry| entry.entry.detail).collect();
    for told in ["by name: more than 1 found", "by name: 2 found"] {
        assert!(details.iter().any(|detail| detail == told), "{details:?}");
    }
}

#[tokio::test]
async fn what_was_typed_and_read_is_found_until_it_is_erased_and_by_its_tenant_alone() {
    let harness = Harness::new().await;
    let reader = reader(&harness).await;
    let (id, _) = harness.decided().await;
    let detail = harness.detail(&id).await;
    let typed = detail.typed.as_ref().unwrap().expose();
    let name =
        |last: &Option<String>, first: &Option<String>| format!("{} {}", first.clone().unwrap(), last.clone().unwrap());
    let typed_name = name(&typed.last_name, &typed.first_name);
    let birth_date = typed.birth_date.clone().unwrap();
    assert_eq!(
        ask(&harness, &reader, &typed_name, &birth_date).await.unwrap(),
        std::slice::from_ref(&id)
    );

    let other = harness.another_tenant().await;
    let body = format!(
        r#"{{"preRegisteredInfo":{{"lastName":"{}","firstName":"{}"}}}}"#,
        typed.last_name.clone().unwrap(),
        typed.first_name.clone().unwrap()
    );
    create_session(&harness.honnin, &other, body.as_bytes()).await.unwrap();
    assert_eq!(
        ask(&harness, &reader, &typed_name, "").await.unwrap(),
        std::slice::from_ref(&id),
        "not another tenant's"
    );

    harness.wait(Millis::days(91)).await;
    assert_eq!(ask(&harness, &reader, &typed_name, "").await.unwrap(), []);
    let rows = harness.database.number("SELECT COUNT(*) FROM blind_index WHERE tenant_id IN (SELECT tenant_id FROM sessions WHERE purged_at IS NOT NULL)");
    assert_eq!(rows.await, 0);
}

#[tokio::test]
async fn sessions_from_before_the_index_are_indexed_by_the_sweep_and_erased_ones_are_not() {
    let harness = Harness::new().await;
    let reader = reader(&harness).await;
    let taro = register(&harness, TARO).await;
    register(&harness, JIRO).await;
    let all = "INSERT INTO unindexed_sessions (session_id) SELECT id FROM sessions";
    harness.database.run("DELETE FROM blind_index").await;
    harness.database.run(all).await;
    assert_eq!(ask(&harness, &reader, "高橋 太郎", "").await.unwrap(), []);
    sweep::plan(&harness.honnin).await.unwrap();
    harness.run_until_idle().await;
    assert_eq!(ask(&harness, &reader, "高橋 太郎", "").await.unwrap(), [taro]);
    assert_eq!(
        harness.database.number("SELECT COUNT(*) FROM unindexed_sessions").await,
        0
    );

    harness.wait(Millis::days(100)).await;
    harness.database.run(all).await;
    harness.wait(Millis::hours(2)).await;
    assert_eq!(
        harness.database.number("SELECT COUNT(*) FROM unindexed_sessions").await,
        0
    );
    assert_eq!(harness.database.number("SELECT COUNT(*) FROM blind_index").await, 0);
}

#[tokio::test]
async fn a_tenants_key_that_was_destroyed_is_not_used_any_longer() {
    let harness = Harness::new().await;
    let reader = reader(&harness).await;
    register(&harness, TARO).await;
    let tenant = harness.tenant.id.clone();
    let key = harness.read(async move |tx| identities::find_key(tx, &tenant).await);
    harness.vault.destroy(&key.await.unwrap()).await.unwrap();
    assert_eq!(
        ask(&harness, &reader, "高橋 太郎", "").await.unwrap(),
        [],
        "under a new key"
    );
    let again = register(&harness, TARO).await;
    assert_eq!(ask(&harness, &reader, "高橋 太郎", "").await.unwrap(), [again]);
}
