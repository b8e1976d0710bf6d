//! Finding a person in the console: a form for those who may read personal data, and nothing of the name outside the page.

use crate::{console::Browser, support::Server};
use domain::role::Role;

const TARO: &str = r#"{"preRegisteredInfo": {"lastName": "髙橋", "firstName": "太郎", "birthDate": "1990-04-05"}}"#;

#[tokio::test]
async fn a_reviewer_finds_the_sessions_of_a_person_by_a_form() {
    let server = Server::new().await;
    let id = server.create(TARO).await["id"].as_str().unwrap().to_owned();
    let other = server.create("{}").await["id"].as_str().unwrap().to_owned();
    let mut reviewer = Browser::signed_in(&server, Role::Reviewer).await;
    let form = reviewer.get("/admin/sessions").await.body;
    assert!(form.contains(r#"method="post" action="/admin/sessions""#), "{form}");
    let name = "%E9%AB%98%E6%A9%8B+%E5%A4%AA%E9%83%8E";
    let found = reviewer
        .post("/admin/sessions", &format!("name={name}&birthDate=1990-04-05"))
        .await;
    assert_eq!(found.status, 200);
    assert!(found.body.contains(&format!("/admin/sessions/{id}")) && !found.body.contains(&other));
    assert!(found.body.contains("高橋 太郎"), "what was typed stays");
    let nobody = reviewer
        .post("/admin/sessions", &format!("name={name}&birthDate=1990-04-06"))
        .await;
    assert!(nobody.status == 200 && nobody.body.contains("No sessions of this person"));
    for (fields, sentence) in [
        ("name=+&birthDate=", "Enter a name or a date of birth."),
        ("name=&birthDate=1990-02-31", "Enter a real date."),
    ] {
        let refused = reviewer.post("/admin/sessions", fields).await;
        assert!(refused.status == 422 && refused.body.contains(sentence), "{fields}");
    }
}

#[tokio::test]
async fn a_developer_sees_no_form_and_finds_nobody_and_the_audit_log_holds_no_name() {
    let server = Server::new().await;
    server.create(TARO).await;
    let mut developer = Browser::signed_in(&server, Role::Developer).await;
    assert!(!developer.get("/admin/sessions").await.body.contains("Find a person"));
    let refused = developer.post("/admin/sessions", "name=&birthDate=1990-04-05").await;
    assert_eq!(refused.status, 403);
    let mut auditor = Browser::signed_in(&server, Role::Auditor).await;
    let found = auditor.post("/admin/sessions", "name=&birthDate=1990-04-05").await;
    assert_eq!(found.status, 200);
    let log = auditor.get("/admin/audit?action=session.search").await.body;
    assert!(
        log.contains("searched for a person") && log.contains("by date of birth: 1 found"),
        "{log}"
    );
    assert!(!log.contains("1990-04-05"));
}
