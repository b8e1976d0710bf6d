//! The audit log in the console.

use crate::{console::Browser, support::{Server, dechunked}};
use domain::{role::Role, time::Millis};

#[tokio::test]
async fn the_audit_log_is_filtered_and_exported() {
    let server = Server::new().await;
    let mut auditor = Browser::signed_in(&server, Role::Auditor).await;
    server.create("{}").await;
    let page = auditor.get("/admin/audit?action=session.create").await.body;
    assert!(
        page.contains("Key “") && !page.contains("data-label=\"What\">signed in"),
        "{page}"
    );
    let csv = auditor
        .get("/admin/audit/export?format=csv&action=session.create")
        .await;
    let kind = csv.header("content-type").map(str::to_owned);
    assert_eq!((csv.status, kind.as_deref()), (200, Some("text/csv; charset=utf-8")));
    assert_eq!(
        csv.header("content-disposition"),
        Some("attachment; filename=\"audit.csv\"")
    );
    assert_eq!(dechunked(&csv.body).lines().count(), 2, "{}", csv.body);
    let lines = dechunked(&auditor.get("/admin/audit/export?format=jsonl").await.body);
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&first["action"], &first["detail"]), (&"audit.export".into(), &"jsonl".into()));
    let page = auditor.get("/admin/audit?action=audit.export").await.body;
    assert!(page.contains("exported the audit log<span class=\"soft\"> (csv, action session.create)"), "{page}");
    server.clock.advance(Millis::minutes(10));
    let asked = auditor.get("/admin/audit/export?action=session.create&format=csv").await;
    assert_eq!(
        asked.header("location"),
        Some("/admin/confirm?next=%2Fadmin%2Faudit%3Faction%3Dsession.create"),
        "and back to the same list"
    );
    let none = auditor.get("/admin/audit?from=2030-01-01").await.body;
    assert!(none.contains("No entries match"));
}
