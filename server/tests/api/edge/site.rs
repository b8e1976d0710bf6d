//! Health, files, documentation.

use crate::{
    console::Browser,
    support::{Server, between},
};
use axum::{
    body::{Body, to_bytes},
    extract::Request,
};
use domain::{role::Role, time::Millis};
use insta::assert_snapshot;
use serde_json::json;
use server::{router::router, state::App};
use std::{collections::BTreeSet, fs};
use tower::ServiceExt as _;

#[tokio::test]
async fn health_and_readiness() {
    let server = Server::new().await;
    assert_eq!(server.send("GET", "/healthz", &[], "").await.body, "ok\n");
    let ready = server.send("GET", "/readyz", &[], "").await;
    assert_snapshot!(ready.shown(), @r#"
    200
    content-type: application/json
    cache-control: no-store
    {"clock":true,"database":true,"keys":true,"masterKey":true,"models":false,"modelsMissing":["text","face"],"pictures":true,"ready":true}
    "#);
}

#[tokio::test]
async fn a_node_whose_clock_has_jumped_is_ready_and_says_that_it_does_not_trust_its_clock() {
    let server = Server::new().await;
    for (minutes, trusted) in [(4, true), (6, false), (-6, false)] {
        server.clock.jump(Millis::minutes(minutes));
        let ready = server.send("GET", "/readyz", &[], "").await;
        let said = format!(r#"{{"clock":{trusted},"#);
        assert!(
            ready.status == 200 && ready.body.starts_with(&said),
            "{minutes}: {}",
            ready.body
        );
    }
}

#[tokio::test]
async fn hashed_files_are_kept_for_ever_and_missing_ones_not_at_all() {
    let server = Server::new().await;
    let there = server.send("GET", "/pkg/honnin.1234.css", &[], "").await;
    assert_eq!(
        (there.status, there.header("cache-control")),
        (200, Some("public, max-age=31536000, immutable"))
    );
    let gone = server.send("GET", "/pkg/honnin.9999.css", &[], "").await;
    assert_eq!((gone.status, gone.header("cache-control")), (404, Some("no-store")));
    let icon = server.send("GET", "/favicon.svg", &[], "").await;
    assert_eq!((icon.status, icon.header("content-type")), (200, Some("image/svg+xml")));
}

/// Otherwise a cache in front gives what it got compressed for one client to another that cannot read it, for a year.
#[tokio::test]
async fn files_that_may_be_compressed_say_that_they_depend_on_what_the_client_accepts() {
    let server = Server::new().await;
    for path in ["/pkg/honnin.1234.css", "/favicon.svg"] {
        for accepted in ["identity", "br", "gzip"] {
            let file = server.send("GET", path, &[("accept-encoding", accepted)], "").await;
            assert_eq!(
                (file.status, file.header("vary")),
                (200, Some("accept-encoding")),
                "{path}, {accepted}"
            );
        }
    }
}

#[tokio::test]
async fn nothing_outside_the_site_is_served() {
    let server = Server::new().await;
    for path in [
        "/pkg/../data/master.key",
        "/pkg/%2e%2e/data/master.key",
        "/%2e%2e/etc/passwd",
        "/..%2f..%2fetc/passwd",
        "/pkg/%2fetc/passwd",
        "/pkg/..%5cdata",
    ] {
        let answer = server.send("GET", path, &[], "").await;
        assert_eq!(answer.status, 404, "{path}");
    }
}

#[tokio::test]
async fn what_else_lies_in_the_folder_of_the_site_is_not_served() {
    let server = Server::new().await;
    for name in ["hash.txt", "pkg/honnin.1234.css.map", "pkg/notes", ".env"] {
        let path = server.app.config.site_dir.join(name);
        fs::write(&path, "not for the public").unwrap();
        let answer = server.send("GET", &format!("/{name}"), &[], "").await;
        assert_eq!(answer.status, 404, "{name}");
        assert!(!answer.body.contains("not for the public"), "{name}");
    }
}

fn report(violated: &str, effective: Option<&str>, blocked: &str) -> String {
    json!({"csp-report": {
        "document-uri": "https://id.example/v/a-secret-token",
        "violated-directive": violated,
        "effective-directive": effective,
        "blocked-uri": blocked,
        "original-policy": "default-src 'none'",
    }})
    .to_string()
}

#[tokio::test]
async fn violations_of_the_policy_are_counted_by_directive_and_their_urls_are_not_kept() {
    let server = Server::new().await;
    let page = server.send("GET", "/docs", &[], "").await;
    let policy = page.header("content-security-policy").unwrap();
    let address = policy.rsplit_once("; report-uri ").unwrap().1.to_owned();
    let kind = [("content-type", "application/csp-report")];
    let reports = [
        report("script-src-elem", Some("script-src-elem"), "inline"),
        report("img-src 'self' blob:", None, "https://elsewhere.example/x.png?card=1"),
        report("img-src", Some("img-src"), "data"),
        report("a-secret-token", None, "a-secret-token"),
    ];
    for report in &reports {
        assert_eq!(
            server.send("POST", &address, &kind, report).await.status,
            204,
            "{report}"
        );
    }
    let text = server.app.metrics.text().unwrap();
    let counted: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("honnin_csp_violations_total"))
        .collect();
    let mut sorted = counted.clone();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        [
            r#"{directive="img-src"} 2"#,
            r#"{directive="other"} 1"#,
            r#"{directive="script-src-elem"} 1"#
        ]
    );
}

#[tokio::test]
async fn many_reports_of_one_network_are_counted_and_few_of_them_are_logged() {
    let server = Server::new().await;
    let kind = [("content-type", "application/csp-report")];
    let report = report("img-src", None, "inline");
    for _ in 0..13 {
        assert_eq!(server.send("POST", "/csp-reports", &kind, &report).await.status, 204);
    }
    let text = server.app.metrics.text().unwrap();
    for line in [
        "honnin_csp_violations_total{directive=\"img-src\"} 13\n",
        "honnin_csp_reports_unlogged_total 3\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[tokio::test]
async fn what_is_no_report_of_a_violation_is_refused() {
    let server = Server::new().await;
    let kind = [("content-type", "application/csp-report")];
    let long = report("img-src", None, &"x".repeat(20_000));
    for (body, status) in [("", 400), ("{}", 400), (r#"{"csp-report": 1}"#, 400), (&long, 413)] {
        assert_eq!(server.send("POST", "/csp-reports", &kind, body).await.status, status);
    }
    let short = report("img-src", None, "inline");
    for kind in [None, Some("text/plain"), Some("application/json")] {
        let kind: Vec<_> = kind.map(|kind| ("content-type", kind)).into_iter().collect();
        assert_eq!(server.send("POST", "/csp-reports", &kind, &short).await.status, 415);
    }
    let text = server.app.metrics.text().unwrap();
    assert!(!text.contains("honnin_csp_violations_total{"), "{text}");
}

#[tokio::test]
async fn an_address_that_leads_nowhere_is_a_page() {
    let server = Server::new().await;
    let answer = server.send("GET", "/nowhere", &[("accept-language", "ja")], "").await;
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (404, Some("text/html; charset=utf-8"))
    );
    assert!(answer.body.contains("lang=\"ja\""));
    let request = answer.header("x-request-id").unwrap();
    assert!(answer.body.contains(request), "what to quote");
}

#[tokio::test]
async fn whoever_comes_without_a_link_is_told_what_this_is() {
    let server = Server::new().await;
    let answer = server.send("GET", "/", &[], "").await;
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some("text/html; charset=utf-8"))
    );
    assert!(answer.body.contains("Have you lost your link?") && answer.body.contains("href=\"/admin\""));
    assert!(!answer.body.contains("href=\"/capture\""), "no session to continue");
    // Also beside the cookie of another site of the domain, whatever that one is written in.
    for cookies in ["__Host-honnin-capture=x", "city=M\u{fc}nchen; __Host-honnin-capture=x"] {
        let answer = server.send("GET", "/", &[("cookie", cookies)], "").await;
        assert!(answer.body.contains("href=\"/capture\""), "{cookies}");
    }
}

#[tokio::test]
async fn the_description_and_its_page_need_no_key_and_load_nothing() {
    let server = Server::new().await;
    let description = server.send("GET", "/v1/openapi.json", &[], "").await;
    assert_eq!(description.json()["openapi"], "3.1.0");
    let page = server.send("GET", "/docs", &[], "").await;
    let policy = page.header("content-security-policy").unwrap();
    let nonce = between(policy, "'nonce-", &['\'']);
    assert!(page.body.contains(&format!("<style nonce=\"{nonce}\">")));
    assert_eq!(page.body.matches("<script").count(), 1, "its own");
    assert!(page.body.contains(&format!("<script nonce=\"{nonce}\">")) && !page.body.contains("src="));
    for path in [
        "/v1/verification-sessions",
        "/v1/verification-sessions/{id}",
        "/v1/verification-sessions/{id}/reprocess",
        "/v1/sandbox/verification-sessions/{id}/complete",
    ] {
        assert!(page.body.contains(path), "{path}");
    }
}

#[tokio::test]
async fn pages_are_compressed_and_the_api_is_not() {
    let server = Server::new().await;
    let accept = [("accept-encoding", "gzip")];
    assert_eq!(
        server
            .send("GET", "/docs", &accept, "")
            .await
            .header("content-encoding"),
        Some("gzip")
    );
    assert_eq!(
        server
            .send("GET", "/v1/openapi.json", &accept, "")
            .await
            .header("content-encoding"),
        None
    );
}

#[tokio::test]
async fn every_page_carries_these_headers_and_a_nonce_of_its_own() {
    let server = Server::new().await;
    let mut nonces = BTreeSet::new();
    for path in ["/", "/docs", "/admin/sign-in", "/capture/consent", "/v/x", "/nowhere"] {
        let page = server.send("GET", path, &[], "").await;
        assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        let policy = page.header("content-security-policy").unwrap();
        let nonce = between(policy, "'nonce-", &['\'']);
        let expected = format!(
            "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self' 'nonce-{nonce}'; \
             img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; \
             form-action 'self'; base-uri 'none'; frame-ancestors 'none'; report-uri /csp-reports"
        );
        assert_eq!(policy, expected, "{path}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("strict-transport-security", "max-age=31536000"),
            ("cache-control", "no-store"),
        ] {
            assert_eq!(page.header(name), Some(value), "{path}");
        }
        assert!(nonces.insert(nonce.to_owned()), "{path}: a nonce again");
    }
}

/// Whoever types the address of a form, for example, gets a page with a way out.
#[tokio::test]
async fn a_method_that_an_address_does_not_have_is_refused_with_a_page_and_the_methods_that_it_has() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    let answers = [
        (browser.get("/admin/sign-out").await, "POST"),
        (browser.send("PUT", "/admin/keys", "").await, "GET,HEAD,POST"),
        (server.send("DELETE", "/admin/sign-in", &[], "").await, "GET,HEAD,POST"),
        (server.send("PUT", "/v/x", &[], "").await, "GET,HEAD,POST"),
        (server.send("BREW", "/docs", &[], "").await, "GET,HEAD"),
    ];
    for (at, (answer, allowed)) in answers.iter().enumerate() {
        let methods: BTreeSet<_> = answer.header("allow").unwrap_or_default().split(',').collect();
        assert_eq!((answer.status, methods), (405, allowed.split(',').collect()), "{at}");
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{at}");
        assert!(answer.body.contains("<h1"), "{at}: {}", answer.body);
    }
    assert!(
        answers[0].0.body.contains("href=\"/admin/keys\""),
        "{}",
        answers[0].0.body
    );
    assert_eq!(browser.get("/admin").await.status, 200, "still signed in");
}

#[tokio::test]
async fn a_page_says_which_methods_it_has_if_it_is_sent_another() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    for (method, path, allowed) in [
        ("PUT", "/admin/sign-in", "GET,HEAD,POST"),
        ("DELETE", "/admin/people", "GET,HEAD,POST"),
        ("BREW", "/admin/account", "GET,HEAD"),
        ("GET", "/admin/sign-out", "POST"),
        ("DELETE", "/capture/consent", "GET,HEAD,POST"),
        ("POST", "/healthz", "GET,HEAD"),
    ] {
        let answer = browser.send(method, path, "").await;
        assert_eq!(answer.status, 405, "{method} {path}: {}", answer.body);
        let said: BTreeSet<_> = answer.header("allow").unwrap_or_default().split(',').collect();
        assert_eq!(said, allowed.split(',').collect(), "{method} {path}");
    }
}

#[tokio::test]
async fn a_page_holds_no_script_but_its_own_and_says_how_long_it_is() {
    let server = Server::new().await;
    let mut browser = Browser::signed_in(&server, Role::Admin).await;
    for path in [
        "/admin",
        "/admin/keys",
        "/admin/settings",
        "/admin/nothing",
        "/docs/tutorial",
    ] {
        let answer = browser.get(path).await;
        assert!(!answer.body.contains("<script"), "{path}");
        let length = answer.header("content-length").unwrap().parse();
        assert_eq!(length, Ok(answer.body.len()), "{path}");
    }
}

#[tokio::test]
async fn only_a_server_for_development_has_pages_that_reload_by_themselves() {
    let server = Server::new().await;
    for reload in [false, true] {
        let app = App {
            reload,
            ..server.app.clone()
        };
        let router = router(app.clone());
        let get = |path| {
            Request::get(path)
                .header("host", "id.example")
                .body(Body::empty())
                .unwrap()
        };
        let answer = router.clone().oneshot(get("/admin/sign-in")).await.unwrap();
        let policy = answer.headers()["content-security-policy"].to_str().unwrap().to_owned();
        let nonce = between(&policy, "'nonce-", &['\'']);
        let page = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        let page = String::from_utf8(page.to_vec()).unwrap();
        let script = format!("<script nonce=\"{nonce}\">(async (start)");
        assert_eq!(page.contains(&script), reload);
        let start = router.clone().oneshot(get("/dev/start")).await.unwrap();
        assert_eq!(start.status() == 200, reload);
        if reload {
            app.stopping.cancel();
            let stopping = router.oneshot(get("/dev/stopping")).await.unwrap();
            assert_eq!(stopping.status(), 200);
        }
    }
}
