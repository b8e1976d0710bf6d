//! A tenant's sessions as its server lists them.

use domain::{ids::SessionId, outcome::Verdict, role::Role, session::Status};
use futures::TryStreamExt as _;
use service::session::{
    export::export_sessions,
    list::{SessionQuery, list_of_tenant},
    search::{Filter, LOOKED_AT, SessionSummary},
};
use testkit::Harness;

/// Ten thousand and one sessions after the one that is there, without a decision.
const LATER: &str = "WITH RECURSIVE series (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM series WHERE number < 10001)
    INSERT INTO sessions (id, tenant_id, status, plan, created_at, expires_at, attempt, version, data_key)
    SELECT printf('vs_%032x', number), tenant_id, 'created', plan, created_at + number, 9000000000000000, attempt, version,
        printf('dk_%032x', number) FROM series, (SELECT * FROM sessions LIMIT 1)";

#[tokio::test]
async fn a_file_looks_at_ten_thousand_sessions_at_a_time_and_holds_what_lies_beyond() {
    let harness = Harness::new().await;
    let (decided, _) = harness.decided().await;
    harness.database.run(LATER).await;
    let staff = harness.staff(Role::Auditor).await;
    let approved = Filter {
        verdict: Some(Verdict::Approved),
        ..Filter::default()
    };
    let file = export_sessions(&harness.honnin, &staff, approved).await.unwrap();
    let parts: Vec<Vec<SessionSummary>> = file.try_collect().await.unwrap();
    let ids: Vec<Vec<SessionId>> = parts
        .into_iter()
        .map(|part| part.into_iter().map(|found| found.id).collect())
        .collect();
    assert_eq!(ids, [vec![], vec![decided]]);
}

/// Planted fault that this test detects: a bound that counts only when metadata are looked for.
#[tokio::test]
async fn what_no_index_finds_is_looked_for_in_ten_thousand_sessions_for_a_page() {
    let harness = Harness::new().await;
    let (decided, _) = harness.decided().await;
    assert_eq!(harness.database.run(LATER).await, u64::from(LOOKED_AT) + 1);
    let list = async |query: SessionQuery| {
        let caller = harness.caller().await;
        let page = list_of_tenant(&harness.honnin, &caller, query).await.unwrap();
        let ids: Vec<SessionId> = page.sessions.into_iter().map(|found| found.id).collect();
        (ids, page.next)
    };
    let approved = SessionQuery {
        verdict: Some(Verdict::Approved),
        limit: 20,
        ..SessionQuery::default()
    };
    let (first, next) = list(approved.clone()).await;
    assert!(first.is_empty() && next.is_some(), "{first:?}");
    let second = list(SessionQuery {
        after: next,
        ..approved
    });
    assert_eq!(second.await, (vec![decided], None));
    let expired = SessionQuery {
        status: Some(Status::Expired),
        limit: 20,
        ..SessionQuery::default()
    };
    let (none, next) = list(expired).await;
    assert!(none.is_empty() && next.is_some());
}
