//! The documentation that every installation serves.

use crate::{access::routes, support::Server};
use domain::{delivery::DeliveryFault, session::FailureReason};
use std::collections::BTreeSet;

#[tokio::test]
async fn operations_come_in_the_order_in_which_an_integrator_needs_them() {
    let server = Server::new().await;
    let page = server.send("GET", "/docs", &[], "").await.body;
    let places: Vec<_> = ["create", "read", "reprocess", "cancel", "erase"]
        .iter()
        .map(|verb| page.find(&format!("<h2 id=\"{verb}VerificationSession\"")))
        .collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
}

#[tokio::test]
async fn guides_are_pages_with_anchors_and_without_scripts() {
    let server = Server::new().await;
    for (path, heading) in [
        (
            "/docs/tutorial",
            "<h2 id=\"2-create-a-session\">2. Create a session</h2>",
        ),
        ("/docs/api", "<h2 id=\"keys\">Keys</h2>"),
        ("/docs/webhooks", "<a id=\"once-in-any-order\"></a>"),
        ("/docs/going-live", "<h1>Going live</h1>"),
        ("/docs/limits", "<a id=\"budgets-by-route\"></a>"),
        ("/docs/changes", "<h2 id=\"unreleased\">"),
    ] {
        let page = server.send("GET", path, &[], "").await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.body.contains(heading), "{path}");
        assert!(
            page.body.contains(&format!("href=\"{path}\" aria-current=\"page\"")),
            "{path}"
        );
        assert!(!page.body.contains("<script") && !page.body.contains("src="), "{path}");
    }
    let collection = server.send("GET", app::docs::COLLECTION_PATH, &[], "").await;
    let parsed: serde_json::Value = serde_json::from_str(&collection.body).unwrap();
    assert!(parsed["item"].is_array(), "{}", collection.body);
    assert_eq!(
        parsed["variable"][0]["value"], "https://id.example",
        "of this installation"
    );
    for unknown in ["/docs/nothing", "/docs/nothing/deeper"] {
        let unknown = server.send("GET", unknown, &[], "").await;
        assert_eq!(unknown.status, 404);
        assert!(unknown.body.contains("There is no such page."), "{}", unknown.body);
    }
}

#[tokio::test]
async fn the_search_finds_guides_and_the_reference_and_repeats_what_was_asked() {
    let server = Server::new().await;
    let page = server.send("GET", "/docs/search?q=Idempotency", &[], "").await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("href=\"/docs/api#"), "{}", page.body);
    let reason = server
        .send("GET", "/docs/search?q=document_expired", &[], "")
        .await
        .body;
    assert!(reason.contains("href=\"/docs#document_expired\""), "{reason}");
    let nothing = server.send("GET", "/docs/search?q=%3Cb%3Exyzzy%22", &[], "").await.body;
    assert!(nothing.contains("Nothing was found."), "{nothing}");
    assert!(
        nothing.contains("&lt;b&gt;xyzzy") && !nothing.contains("<b>xyzzy"),
        "{nothing}"
    );
    let empty = server.send("GET", "/docs/search", &[], "").await;
    assert!(empty.status == 200 && empty.body.contains("Enter one or more words."));
}

#[tokio::test]
async fn the_reference_offers_each_operation_to_be_tried_and_as_a_command_without_scripts() {
    let server = Server::new().await;
    let page = server.send("GET", "/docs", &[], "").await;
    let policy = page.header("content-security-policy").unwrap();
    let nonce = policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap();
    assert_eq!(page.body.matches("<script").count(), 1);
    assert!(page.body.contains(&format!("<script nonce=\"{nonce}\">")), "{policy}");
    let operations = page.body.matches("<span class=\"m\">").count();
    assert_eq!(page.body.matches("data-try=").count(), operations);
    assert_eq!(
        page.body.matches("<pre>curl -X ").count(),
        operations + 3,
        "and the recipes of the sandbox"
    );
}

/// The routes of the table of budgets in `docs/LIMITS.md`: a method, if a row is of one only, and the beginning of a path.
fn budgets() -> Vec<(Option<String>, String)> {
    let page = include_str!("../../../docs/LIMITS.md");
    let (_, table) = page.split_once("<a id=\"budgets-by-route\"></a>").unwrap();
    let rows = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let rows = rows.map(|(route, _)| match route.split_once(' ') {
        Some((method, path)) => (Some(method.to_owned()), path.to_owned()),
        None => (None, route.to_owned()),
    });
    rows.take_while(|(_, path)| path.starts_with('/')).collect()
}

/// Detects if a route has no row, or if a row's routes are gone.
#[tokio::test]
async fn every_route_has_its_budget_in_the_table_and_every_row_has_routes() {
    let server = Server::new().await;
    let (budgets, mut used) = (budgets(), BTreeSet::new());
    for route in routes(&server.app) {
        let (method, path) = route.split_once(' ').unwrap();
        let fits = |(wanted, begin): &(Option<String>, String)| {
            let rest = path.strip_prefix(begin.as_str());
            wanted.as_ref().is_none_or(|wanted| wanted == method)
                && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.', '-']))
        };
        let rows = budgets.iter().enumerate().filter(|(_, row)| fits(row));
        let longest = rows.max_by_key(|(_, (method, begin))| (begin.len(), method.is_some()));
        let (row, _) = longest.unwrap_or_else(|| panic!("{route} has no row in docs/LIMITS.md"));
        used.insert(row);
    }
    let unused = budgets.iter().enumerate().filter(|(row, _)| !used.contains(row));
    let stale: Vec<_> = unused.map(|(_, row)| row).collect();
    assert!(stale.is_empty(), "without a route: {stale:?}");
}

/// Customers' servers branch on the first, and operators select metrics by the second.
#[test]
fn every_reason_of_a_failed_session_and_every_result_of_a_failed_delivery_is_in_a_guide() {
    let api = include_str!("../../../docs/API.md");
    let reasons = FailureReason::ALL.iter().map(|reason| (reason.as_str(), api));
    let monitoring = include_str!("../../../docs/MONITORING.md");
    let results = DeliveryFault::ALL.iter().map(|fault| (fault.as_str(), monitoring));
    let missing: Vec<_> = reasons
        .chain(results)
        .filter(|(name, guide)| !guide.contains(&format!("`{name}`")))
        .map(|(name, _)| name)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[tokio::test]
async fn a_slash_at_the_end_leads_to_the_page() {
    let server = Server::new().await;
    let slash = server.send("GET", "/docs/", &[], "").await;
    assert_eq!((slash.status, slash.header("location")), (308, Some("/docs")));
}
