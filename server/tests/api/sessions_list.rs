//! The list of sessions as a file, and searches that people save.

use crate::{
    console::Browser,
    support::{Server, between, dechunked},
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
    server.clock.advance(Millis::minutes(10));
    let asked = developer.get(&format!("/admin/sessions/export{link}")).await;
    assert_eq!(
        asked.header("location"),
        Some("/admin/confirm?next=%2Fadmin%2Fsessions%3Fstatus%3Dcreated"),
        "and back to the same list"
    );
    let confirm = "next=%2Fadmin%2Fsessions&password=correct+horse+battery";
    assert_eq!(developer.post("/admin/confirm", confirm).await.status, 303);
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

#[tokio::test]
async fn a_search_is_saved_for_whoever_saved_it_and_removed() {
    let server = Server::new().await;
    let mut reviewer = Browser::signed_in(&server, Role::Reviewer).await;
    let form = "status=failed&metadata=a%26b&after=1.x&filter=Failed+%3Cb%3E";
    let saved = reviewer.post("/admin/sessions/filters", form).await;
    let address = "/admin/sessions?status=failed&metadata=a%26b";
    assert_eq!((saved.status, saved.header("location")), (303, Some(address)));
    let page = reviewer.get("/admin/sessions").await.body;
    assert!(
        page.contains(&format!("href=\"{}\"", address.replace('&', "&amp;"))),
        "{page}"
    );
    assert!(page.contains("Failed &lt;b&gt;") && !page.contains("<b>"), "{page}");
    let mut auditor = Browser::signed_in(&server, Role::Auditor).await;
    assert!(!auditor.get("/admin/sessions").await.body.contains("Failed &lt;b&gt;"));
    for (form, sentence) in [
        ("status=failed&filter=+", "Enter a name of 1 to 40 characters."),
        ("filter=Everything", "Search for something first."),
    ] {
        let refused = reviewer.post("/admin/sessions/filters", form).await;
        assert!(
            refused.status == 422 && refused.body.contains(sentence),
            "{}",
            refused.body
        );
    }
    for number in 1..20 {
        let saved = reviewer
            .post(
                "/admin/sessions/filters",
                &format!("status=created&filter=number+{number}"),
            )
            .await;
        assert_eq!(saved.status, 303, "{number}");
    }
    let one_more = reviewer
        .post("/admin/sessions/filters", "status=created&filter=one+more")
        .await;
    assert!(one_more.status == 422 && one_more.body.contains("You have saved 20 searches."));
    let removed = reviewer
        .post("/admin/sessions/filters/remove", "filter=Failed+%3Cb%3E")
        .await;
    assert_eq!(
        (removed.status, removed.header("location")),
        (303, Some("/admin/sessions"))
    );
    assert!(!reviewer.get("/admin/sessions").await.body.contains("Failed &lt;b&gt;"));
}
