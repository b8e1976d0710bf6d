//! The list of sessions as a file, and searches that people save.

use crate::{
    console::Browser,
    support::{SESSIONS, Server, between, dechunked, settings},
    webhook::run,
};
use domain::{
    role::Role,
    tenant::TenantSettings,
    time::{Clock as _, Millis},
};
use service::session::{
    export::BATCH,
    search::{LOOKED_AT, LOOKED_AT_FOR_CONSOLE},
};

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
        Some("\u{feff}id,status,verdict,reasons,documentType,createdAt,expiresAt,completedAt,purgedAt,metadata")
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
    assert!(log.contains("(status completed)"), "what was downloaded: {log}");
}

#[tokio::test]
async fn the_count_is_of_the_page_if_there_are_others_and_missing_after_a_mistake() {
    let server = Server::new().await;
    for _ in 0..51 {
        server.clock.advance(Millis::seconds(60));
        server.create("{}").await;
    }
    let mut reviewer = Browser::signed_in(&server, Role::Reviewer).await;
    let count = |page: &str| -> Option<String> {
        let (_, said) = page.split_once("<p data-count")?;
        Some(between(said, ">", &['<']).to_owned())
    };
    let first = reviewer.get("/admin/sessions").await.body;
    assert_eq!(count(&first).as_deref(), Some("50 sessions on this page"));
    let next = between(&first, "href=\"/admin/sessions?after=", &['"']);
    let last = reviewer.get(&format!("/admin/sessions?after={next}")).await.body;
    assert_eq!(count(&last).as_deref(), Some("1 session on this page"));
    let none = reviewer.get("/admin/sessions?status=failed").await.body;
    assert_eq!(count(&none).as_deref(), Some("0 sessions"));
    let refused = reviewer.post("/admin/sessions", "name=&birthDate=1+May").await;
    assert_eq!((refused.status, count(&refused.body)), (422, None));
    let nameless = reviewer.post("/admin/sessions/filters", "status=created&filter=").await;
    assert_eq!(
        (nameless.status, count(&nameless.body).as_deref()),
        (422, Some("50 sessions on this page")),
        "only the search itself can leave nothing to count"
    );
}

#[tokio::test]
async fn one_box_finds_by_the_start_of_an_id_by_metadata_and_by_date() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    let mut ids = Vec::new();
    for order in ["A-1", "B-2"] {
        let created = server.create(&format!(r#"{{"metadata":{{"order":"{order}"}}}}"#)).await;
        ids.push(created["id"].as_str().unwrap().to_owned());
        server.clock.advance(Millis::days(40));
    }
    let day = |days_ago: i64| server.clock.now().plus(Millis::days(-days_ago)).to_iso();
    let mut found = async |query: &str| {
        // The browser's own session is over after half an hour.
        browser.sign_in("developer@shop.example").await;
        let page = browser.get(&format!("/admin/sessions?{query}")).await.body;
        ids.iter()
            .map(|id| page.contains(&format!("/admin/sessions/{id}")))
            .collect::<Vec<_>>()
    };
    assert_eq!(found(&format!("q={}", &ids[0][..30])).await, [true, false]);
    assert_eq!(
        found(&format!("q={}", ids[1].to_uppercase().replace("VS_", "vs_"))).await,
        [false, true]
    );
    assert_eq!(found("q=vs_").await, [true, true]);
    assert_eq!(found("q=b-2").await, [false, true]);
    assert_eq!(found(&format!("q={}", &day(80)[..10])).await, [true, false]);
    assert_eq!(found(&format!("q={}", &day(40)[..7])).await, [false, true]);
    assert_eq!(
        found(&format!("q=vs_&from={}", &day(41)[..10])).await,
        [false, true],
        "with another filter"
    );
    assert_eq!(found("q=nothing").await, [false, false]);
}

#[tokio::test]
async fn a_text_that_is_longer_than_the_box_is_cut_and_shown_as_it_was_searched() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    let order = "_".repeat(100);
    let created = server.create(&format!(r#"{{"metadata":{{"order":"{order}"}}}}"#)).await;
    let id = created["id"].as_str().unwrap();
    for name in ["q", "metadata"] {
        let found = browser
            .get(&format!("/admin/sessions?{name}={}", "_".repeat(26_000)))
            .await;
        assert_eq!(found.status, 200, "{name}");
        assert!(found.body.contains(&format!("value=\"{order}\"")), "{name}");
        assert!(!found.body.contains(&format!("{order}_")), "{name}");
        assert!(found.body.contains(id), "{name}");
    }
    let page = browser.get("/admin/sessions").await.body;
    assert!(page.contains("maxlength=\"100\""), "{page}");
}

#[tokio::test]
async fn a_date_that_does_not_exist_is_named_as_a_mistake_and_finds_nothing() {
    let server = Server::new().await;
    let created = server.create("{}").await;
    let id = created["id"].as_str().unwrap();
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    assert!(browser.get("/admin/sessions").await.body.contains(id));
    for (query, language, title) in [
        ("from=2026-13-01", "en", "“From” is not a date"),
        ("to=2026-02-30", "en", "“To” is not a date"),
        ("to=2026-02-30", "ja", "終了日が正しい日付ではありません"),
    ] {
        browser.language = Some(language);
        let page = browser.get(&format!("/admin/sessions?{query}")).await.body;
        assert!(page.contains(title) && !page.contains(id), "{query}: {page}");
    }
}

#[tokio::test]
async fn each_filter_is_removed_by_itself() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Developer).await;
    let page = browser
        .get("/admin/sessions?q=A-1&status=failed&from=2026-01-02")
        .await
        .body;
    for (words, rest) in [
        ("Search: A-1", "status=failed&amp;from=2026-01-02"),
        ("Status: Failed", "q=A-1&amp;from=2026-01-02"),
        ("From (UTC): 2026-01-02", "q=A-1&amp;status=failed"),
    ] {
        let chip = format!("href=\"/admin/sessions?{rest}\" aria-label=\"Remove the filter {words}\"");
        assert!(page.contains(&chip), "{words}: {page}");
    }
    let page = browser.get("/admin/sessions?status=failed").await.body;
    assert!(
        page.contains("href=\"/admin/sessions\" aria-label=\"Remove the filter Status: Failed\""),
        "{page}"
    );
    assert!(!browser.get("/admin/sessions").await.body.contains("Remove the filter"));
}

#[tokio::test]
async fn ticked_sessions_get_their_webhooks_again_and_the_search_stays() {
    let server = Server::without_worker().await;
    let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
    server.clock.advance(Millis::days(7));
    run(&server).await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    let page = developer.get("/admin/sessions?status=expired").await.body;
    assert!(
        page.contains(&format!("form=\"resend\" name=\"session\" value=\"{id}\"")),
        "{page}"
    );
    let later = format!("status=expired&after=9999999999999.{id}");
    let page = developer.get(&format!("/admin/sessions?{later}")).await.body;
    assert!(
        page.contains(&format!("name=\"after\" value=\"9999999999999.{id}\"")),
        "{page}"
    );
    let nothing_ticked = developer.post("/admin/sessions/resend", &later).await;
    assert_eq!(
        nothing_ticked.header("location"),
        Some(&*format!("/admin/sessions?{later}")),
        "the page of the list stays too"
    );
    let ticked = format!("status=expired&session={id}");
    let mut resend = async |form: &str| {
        let sent = developer.post("/admin/sessions/resend", form).await;
        assert_eq!(
            (sent.status, sent.header("location")),
            (303, Some("/admin/sessions?status=expired")),
            "{form}"
        );
        developer.get("/admin/sessions").await.body
    };
    assert!(resend("status=expired").await.contains("Select at least one session."));
    let refused = resend(&ticked).await;
    assert!(
        refused.contains("Nothing was sent: no receiver URL is configured."),
        "{refused}"
    );
    let receiver = TenantSettings {
        webhook_url: Some("https://hooks.shop.example/".into()),
        ..settings()
    };
    server.save_settings(Some(receiver)).await;
    let sent = resend(&ticked).await;
    assert!(sent.contains("Resent: 1."), "the event of its expiry: {sent}");
    let mut reviewer = Browser::signed_in(&server, Role::Reviewer).await;
    assert!(!reviewer.get("/admin/sessions").await.body.contains("form=\"resend\""));
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
    assert!(page.contains("Search saved."), "{page}");
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
    assert!(
        one_more.body.contains("value=\"one more\""),
        "what was typed stays: {}",
        one_more.body
    );
    let removed = reviewer
        .post("/admin/sessions/filters/remove", "filter=Failed+%3Cb%3E")
        .await;
    assert_eq!(
        (removed.status, removed.header("location")),
        (303, Some("/admin/sessions"))
    );
    let page = reviewer.get("/admin/sessions").await.body;
    assert!(!page.contains("Failed &lt;b&gt;"), "{page}");
    assert!(page.contains("Search removed."), "{page}");
}

/// Ten thousand and one sessions after the one that is there, with other metadata.
const LATER: &str =
    "WITH RECURSIVE series (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM series WHERE number < 10001)
    INSERT INTO sessions (id, tenant_id, status, plan, created_at, expires_at, attempt, version, data_key, metadata)
    SELECT printf('vs_%032x', number), tenant_id, status, plan, created_at + number, expires_at, attempt, version,
        printf('dk_%032x', number), '{\"order\":\"B-1\"}' FROM series, (SELECT * FROM sessions LIMIT 1)";

/// Planted faults that this test detects: a next page that begins where this one did; a file that ends where the page does.
#[tokio::test]
async fn a_search_in_the_metadata_says_how_far_back_it_went_and_goes_on_from_there() {
    let server = Server::without_worker().await;
    let oldest = server.create(r#"{"metadata": {"order": "A-1"}}"#).await;
    let id = oldest["id"].as_str().unwrap();
    let mut auditor = Browser::signed_in(&server, Role::Auditor).await;
    let all = auditor.get("/admin/sessions?q=A-1").await.body;
    assert!(all.contains(id) && !all.contains("were not searched"), "{all}");
    assert_eq!(server.run(LATER).await, u64::from(LOOKED_AT) + 1);

    let none = auditor.get("/admin/sessions?q=A-1").await.body;
    assert!(
        !none.contains(id) && none.contains("No recent sessions match these filters"),
        "{none}"
    );
    assert!(
        none.contains("Sessions created before 2026-08-02 09:30 (UTC) were not searched."),
        "{none}"
    );
    let (mut found, mut pages) = (none, 1);
    while found.contains("were not searched") {
        assert!(found.contains("data-older=\""), "the script goes on: {found}");
        let older = between(&found, "href=\"/admin/sessions?q=A-1&amp;after=", &['"']);
        found = auditor.get(&format!("/admin/sessions?q=A-1&after={older}")).await.body;
        pages += 1;
    }
    assert!(found.contains(id), "{found}");
    assert_eq!(pages, LOOKED_AT / LOOKED_AT_FOR_CONSOLE + 1);
    let file = auditor.get("/admin/sessions/export?q=A-1").await;
    assert!(dechunked(&file.body).contains(id), "the file has all");

    let search = format!("{SESSIONS}?metadata%5Border%5D=A-1");
    let first = server.call("GET", &search, "").await.json();
    assert_eq!(first["sessions"], serde_json::json!([]));
    let cursor = first["nextCursor"].as_str().unwrap();
    let second = server
        .call("GET", &format!("{search}&cursor={cursor}"), "")
        .await
        .json();
    assert_eq!(
        (&second["sessions"][0]["id"], &second["nextCursor"]),
        (&oldest["id"], &serde_json::Value::Null)
    );
    let by_id = auditor
        .get(&format!("/admin/sessions?q={}", &id[..12].to_uppercase()))
        .await
        .body;
    assert!(by_id.contains(id) && !by_id.contains("were not searched"), "{by_id}");

    // Whoever has found something decides whether to go on.
    server.clock.advance(Millis::minutes(1));
    let newest = server.create(r#"{"metadata": {"order": "A-1"}}"#).await;
    let some = auditor.get("/admin/sessions?q=A-1").await.body;
    assert!(
        some.contains(newest["id"].as_str().unwrap()) && some.contains("were not searched"),
        "{some}"
    );
    assert!(!some.contains("data-older=\""), "{some}");
}
