//! Links of the console: they lead nobody to a page that their role may not open.

use super::privilege_escalation::operator;
use crate::{
    console::Browser,
    support::{Answer, Server, add_sandbox, dechunked, settings},
};
use domain::{role::Role, time::Millis};
use std::collections::BTreeSet;

/// The pages of the console that a page leads to. With another query it is the same page.
fn links(answer: &Answer) -> Vec<String> {
    let page = match answer.header("transfer-encoding") {
        Some("chunked") => dechunked(&answer.body),
        _ => answer.body.clone(),
    };
    let addresses = page.split("href=\"").skip(1);
    let paths = addresses.filter_map(|rest| rest.split(['"', '?', '#']).next());
    paths
        .filter(|path| path.starts_with("/admin"))
        .map(str::to_owned)
        .collect()
}

/// What somebody sees who follows every link, and the links that are refused, each with the page it is on.
async fn follow(browser: &mut Browser<'_>, from: &[&str]) -> (BTreeSet<String>, Vec<String>) {
    let mut open: Vec<_> = from.iter().map(|path| (String::new(), (*path).to_owned())).collect();
    let (mut seen, mut refused) = (BTreeSet::new(), Vec::new());
    while let Some((page, path)) = open.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let answer = browser.get(&path).await;
        let kind = answer.header("content-type").unwrap_or_default();
        if answer.status == 403 {
            refused.push(format!("{page} leads to {path}"));
        } else if kind.starts_with("text/html") {
            open.extend(links(&answer).into_iter().map(|link| (path.clone(), link)));
        }
    }
    (seen, refused)
}

#[tokio::test]
async fn no_link_leads_somebody_to_a_page_that_they_may_not_open() {
    let mut server = Server::new().await;
    // The first one is the operator's own.
    server.clock.advance(Millis::seconds(1));
    let made = add_sandbox(&server.app, settings()).await;
    (server.tenant, server.key) = (made.id.clone(), made.key.expose().clone());
    for outcome in ["approved", "needs_review"] {
        let created = server.create("{}").await;
        let id = created["id"].as_str().unwrap();
        let complete = format!("/v1/sandbox/verification-sessions/{id}/complete");
        let body = format!(r#"{{"outcome":"{outcome}"}}"#);
        assert_eq!(server.call("POST", &complete, &body).await.status, 200);
    }
    // The overview says of the case that it has been waiting for more than half the retention period.
    server.clock.advance(Millis::days(46));
    let mut elsewhere = operator(&server).await;
    let looking = elsewhere.post("/admin/tenant", &format!("tenant={}", made.id)).await;
    assert_eq!(looking.header("location"), Some("/admin"));
    let (seen, mut refused) = follow(&mut elsewhere, &["/admin"]).await;
    let sees_sessions = |seen: &BTreeSet<String>| seen.iter().any(|path| path.starts_with("/admin/sessions/vs_"));
    assert!(sees_sessions(&seen), "{seen:?}");
    for role in Role::ALL {
        let mut browser = Browser::signed_in(&server, *role).await;
        let overview = browser.get("/admin").await.body;
        assert!(overview.contains("half the retention period"), "{role}: {overview}");
        let (seen, of_role) = follow(&mut browser, &["/admin", "/admin/decisions"]).await;
        assert!(sees_sessions(&seen), "{role}: {seen:?}");
        refused.extend(of_role.into_iter().map(|link| format!("{role}: {link}")));
    }
    assert_eq!(refused, Vec::<String>::new());
}
