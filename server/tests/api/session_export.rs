//! The list of sessions as a file.

use crate::{
    console::Browser,
    support::{Server, between},
};
use domain::{role::Role, time::Millis};
use service::session::export::BATCH;

#[tokio::test]
async fn a_file_has_every_session_that_matches_and_is_in_the_audit_log() {
    let server = Server::new().await;
    let mut newest = String::new();
    for number in 0..=BATCH {
        server.clock.advance(Millis::seconds(60));
        let created = server
            .create(&format!(r#"{{"metadata": {{"order": "=A{number}"}}}}"#))
            .await;
        newest = created["id"].as_str().unwrap().to_owned();
    }
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let page = developer
        .get("/admin/sessions?status=created&after=9999999999999.vs_0")
        .await
        .body;
    let link = between(&page, "href=\"/admin/sessions/export", &['"']);
    assert_eq!(link, "?status=created", "all pages, not from the one that is shown");
    let file = developer.get(&format!("/admin/sessions/export{link}")).await;
    assert_eq!(
        (file.status, file.header("content-type")),
        (200, Some("text/csv; charset=utf-8"))
    );
    assert_eq!(
        file.header("content-disposition"),
        Some("attachment; filename=\"sessions.csv\"")
    );
    let body = dechunked(&file.body);
    let mut lines = body.lines();
    assert_eq!(
        lines.next(),
        Some("id,status,verdict,reasons,documentType,createdAt,expiresAt,completedAt,purgedAt,metadata")
    );
    let first = lines.next().unwrap();
    assert!(
        first.starts_with(&format!("\"{newest}\",\"created\",,,,")) && first.ends_with(r#","{""order"":""=A500""}""#),
        "{first}"
    );
    assert_eq!(lines.count(), BATCH as usize, "across the pages in which it is read");
    let none = developer.get("/admin/sessions/export?status=completed").await;
    assert_eq!(dechunked(&none.body).lines().count(), 1, "{}", none.body);
    let mut auditor = Browser::signed_in(&server, Role::Auditor).await;
    let log = auditor.get("/admin/audit?action=session.export").await.body;
    assert_eq!(
        log.matches("downloaded the list of sessions").count(),
        3,
        "twice, and as an action to filter by: {log}"
    );
}

/// The content of a chunked body.
fn dechunked(body: &str) -> String {
    let (mut content, mut rest) = (String::new(), body);
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        content += &after[..size];
        rest = after[size..].strip_prefix("\r\n").unwrap();
    }
    content
}
