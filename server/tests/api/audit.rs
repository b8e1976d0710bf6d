//! The audit log in the console.

use crate::{
    console::Browser,
    support::{Server, between, dechunked},
};
use domain::{
    role::Role,
    time::{Millis, Timestamp},
};
use store::audit_chain;

#[tokio::test]
async fn the_audit_log_is_filtered_and_exported() {
    let server = Server::new().await;
    let mut auditor = Browser::signed_in(&server, Role::Auditor).await;
    server.create("{}").await;
    let page = auditor.get("/admin/audit?action=session.create").await.body;
    assert!(
        page.contains("Key “") && page.contains("class=\"name\">created a session"),
        "{page}"
    );
    assert!(!page.contains("class=\"name\">signed in"), "{page}");
    assert!(page.contains("From (UTC)") && page.contains("To (UTC)"), "{page}");
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
    assert!(
        dechunked(&csv.body).starts_with("\u{feff}number,at,"),
        "Excel reads it as UTF-8"
    );
    let lines = dechunked(&auditor.get("/admin/audit/export?format=jsonl").await.body);
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["action"], &first["detail"]),
        (&"audit.export".into(), &"jsonl".into())
    );
    let page = auditor.get("/admin/audit?action=audit.export").await.body;
    assert!(
        page.contains("exported the audit log<span class=\"soft\"> (csv, action session.create)"),
        "{page}"
    );
    server.clock.advance(Millis::minutes(10));
    let asked = auditor
        .get("/admin/audit/export?action=session.create&format=csv")
        .await;
    assert_eq!(
        asked.header("location"),
        Some("/admin/confirm?next=%2Fadmin%2Faudit%3Faction%3Dsession.create"),
        "and back to the same list"
    );
    let none = auditor.get("/admin/audit?from=2030-01-01").await.body;
    assert!(none.contains("No entries match"));
    let backwards = auditor.get("/admin/audit?from=2026-08-03&until=2026-08-02").await.body;
    assert!(backwards.contains("Correct one of the two dates"), "{backwards}");
    for (query, title) in [
        ("from=2026-13-01", "“From” is not a date"),
        ("until=2026-02-30", "“To” is not a date"),
    ] {
        let unreal = auditor.get(&format!("/admin/audit?{query}")).await.body;
        assert!(
            unreal.contains(title) && unreal.contains("Enter a real date."),
            "{unreal}"
        );
    }
}

#[tokio::test]
async fn an_entry_says_who_did_what_to_the_second_and_in_the_language_of_the_console() {
    let server = Server::new().await;
    let mut admin = Browser::signed_in(&server, Role::Admin).await;
    server.clock.advance(Millis(17_000));
    let wrong = admin.post("/admin/confirm", "next=%2Fadmin&password=wrong").await;
    assert_eq!(wrong.status, 422);
    let list = "/admin/audit?action=person.sign_in_refused";
    let page = admin.get(list).await.body;
    let row = page
        .split("<tr")
        .find(|row| row.contains(">2026-08-02 09:30:17<"))
        .unwrap();
    assert!(
        row.contains("confirmation: password") && row.contains("actor=usr_"),
        "{row}"
    );
    assert!(!row.contains("The system"), "{row}");
    admin.language = Some("ja");
    let page = admin.get(list).await.body;
    assert!(
        page.contains("再認証のパスワード") && !page.contains("confirmation"),
        "{page}"
    );
}

#[tokio::test]
async fn an_entry_names_whom_it_is_about_and_leads_to_everything_about_them() {
    let server = Server::new().await;
    Browser::signed_in_as(&server, "rei", Role::Reviewer).await;
    let mut admin = Browser::signed_in_as(&server, "rita", Role::Admin).await;
    let people = admin.get("/admin/people").await.body;
    let (_, row) = people.split_once("rei@shop.example").unwrap();
    let id = between(row, "action=\"/admin/people/", &['"']).to_owned();
    let disabled = admin.post(&format!("/admin/people/{id}"), "change=disable").await;
    assert_eq!(disabled.header("location"), Some("/admin/people"));
    let notice = admin.get("/admin/people").await.body;
    assert!(notice.contains("The account has been disabled"), "{notice}");
    let log = admin.get("/admin/audit?action=person.change").await.body;
    let about = format!("href=\"/admin/audit?action=person.change&amp;subject={id}\"");
    let link = between(&log, &about, &['<']);
    assert!(link.ends_with(">Somebody"), "{link}");
    assert!(link.contains(&format!("title=\"{id}\"")), "{link}");
    let file = admin.get("/admin/audit/export?format=jsonl&action=person.change").await;
    let line: serde_json::Value = serde_json::from_str(dechunked(&file.body).lines().next().unwrap()).unwrap();
    assert_eq!(
        (&line["subject"], &line["subjectName"]),
        (&id.as_str().into(), &"Somebody".into()),
        "as on the page"
    );
}

/// Links what is not yet linked, as the worker does.
async fn link(server: &Server) {
    let unit = server
        .app
        .honnin
        .db()
        .write(async |tx| audit_chain::seal(tx, 1_000).await);
    unit.await.unwrap();
}

#[tokio::test]
async fn checking_the_chain_leads_back_to_the_filtered_list() {
    let server = Server::without_worker().await;
    let mut auditor = Browser::signed_in(&server, Role::Auditor).await;
    let filters = "?action=session.create&from=2026-01-01";
    let page = auditor.get(&format!("/admin/audit{filters}")).await.body;
    let action = format!("action=\"/admin/audit/verify{}\"", filters.replace('&', "&amp;"));
    assert!(page.contains(&action), "{page}");
    let (form, list) = (
        format!("/admin/audit/verify{filters}"),
        format!("/admin/audit{filters}"),
    );
    assert_eq!(auditor.post(&form, "").await.header("location"), Some(&*list));
    server.clock.advance(Millis::minutes(10));
    assert_eq!(
        auditor.post(&form, "").await.header("location"),
        Some("/admin/confirm?next=%2Fadmin%2Faudit%3Faction%3Dsession.create%26from%3D2026-01-01"),
        "after a confirmation as well"
    );
}

/// Removes the oldest linked entries, as the worker does because of their age.
async fn remove(server: &Server, most: u32) {
    let end = Timestamp::from_millis(i64::MAX);
    let unit = server
        .app
        .honnin
        .db()
        .write(async move |tx| audit_chain::remove_before(tx, end, end, most).await);
    unit.await.unwrap();
}

#[tokio::test]
async fn the_page_says_whether_the_chain_is_intact_and_checks_all_of_it_on_demand() {
    let server = Server::without_worker().await;
    let mut auditor = Browser::signed_in(&server, Role::Auditor).await;
    let nothing = auditor.get("/admin/audit").await.body;
    assert!(
        nothing.contains("There are no linked entries. Not yet linked: "),
        "{nothing}"
    );
    link(&server).await;
    server.create("{}").await;
    let page = auditor.get("/admin/audit").await.body;
    let state = between(&page, "Entries 1 to ", &['<']);
    let (last, rest) = state.split_once(' ').unwrap();
    assert_eq!(rest, "are intact. Not yet linked: 1.");
    link(&server).await;
    assert_eq!(
        auditor.post("/admin/audit/verify", "").await.header("location"),
        Some("/admin/audit")
    );
    let last = last.parse::<u32>().unwrap() + 1;
    let told = format!("Entries 1 to {last} are intact.");
    assert_eq!(
        auditor.get("/admin/audit").await.body.matches(&told).count(),
        2,
        "as a notice as well"
    );
    let changed = server.run("UPDATE audit SET actor = 'usr_1' WHERE position = 1").await;
    assert_eq!(changed, 1);
    let told = "The chain is broken at position 1: the entry there is missing, or was changed or moved.";
    assert_eq!(auditor.get("/admin/audit").await.body.matches(told).count(), 1);
    assert_eq!(auditor.post("/admin/audit/verify", "").await.status, 303);
    let checked = auditor.get("/admin/audit").await.body;
    assert_eq!(checked.matches(told).count(), 2, "as a notice as well");
    assert!(checked.contains(r#"class="flash bad""#), "not as a success: {checked}");
    remove(&server, 1).await;
    let trimmed = auditor.get("/admin/audit").await.body;
    assert!(
        trimmed.contains(&format!("Entries 2 to {last} are intact.")),
        "{trimmed}"
    );
    remove(&server, last).await;
    let emptied = auditor.get("/admin/audit").await.body;
    assert!(
        emptied.contains("There are no linked entries. Not yet linked: 0."),
        "{emptied}"
    );
}
