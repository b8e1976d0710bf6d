//! The pages of the demonstration: the inbox, and the callback page.

use crate::support::{Answer, Server, settings};
use domain::tenant::TenantSettings;
use serde_json::json;
use service::jobs::worker::{Lane, Worker};
use std::net::Ipv4Addr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

const PAGE: &str = "/demo/inbox";
const CALLBACK: &str = "/demo/callback";

#[tokio::test]
async fn a_webhook_appears_in_the_inbox_with_the_check_of_its_signature() {
    let mut server = Server::demo().await;
    let made = crate::support::add_sandbox(&server.app, settings()).await;
    (server.tenant, server.key) = (made.id, made.key.expose().clone());
    let to_inbox = TenantSettings {
        webhook_url: Some("https://inbox.invalid/demo".into()),
        ..settings()
    };
    server.save_settings(Some(to_inbox)).await;
    let empty = server.send("GET", PAGE, &[], "").await;
    assert!(
        empty.status == 200 && empty.body.contains("Nothing has arrived yet"),
        "{}",
        empty.body
    );
    for verified in [false, true] {
        if verified {
            let inbox = server.app.inbox.as_ref().unwrap();
            inbox.trust("sandbox", made.webhook_secret.expose());
        }
        let id = server.create("{}").await["id"].as_str().unwrap().to_owned();
        let path = format!("/v1/sandbox/verification-sessions/{id}/complete");
        let outcome = json!({"outcome": "approved"}).to_string();
        assert_eq!(server.call("POST", &path, &outcome).await.status, 200);
        Worker::new(server.app.honnin.clone(), Lane::Deliver, 1)
            .run_until_idle()
            .await
            .unwrap();
        let page = server.send("GET", PAGE, &[], "").await.body;
        assert!(
            page.contains(&id) && page.contains("verification.approved") && page.contains("webhook-signature: v1,")
        );
        assert!(page.contains("matches no secret"), "the first one");
        assert_eq!(page.contains("valid for the secret of the sandbox tenant"), verified);
        let back = server
            .send("GET", &format!("{CALLBACK}?sessionId={id}&state=a%20b"), &[], "")
            .await
            .body;
        assert!(
            back.contains(&id) && back.contains("a b") && back.contains("verification.approved"),
            "{back}"
        );
        assert_eq!(
            back.matches("<article").count(),
            1,
            "only those about its session: {back}"
        );
        let foreign = server
            .send("GET", &format!("{CALLBACK}?sessionId=vs_0"), &[], "")
            .await
            .body;
        assert!(foreign.contains("None has arrived yet"), "{foreign}");
    }
}

#[tokio::test]
async fn a_site_whose_name_leads_to_this_machine_does_not_see_the_inbox() {
    let server = Server::demo().await;
    for (host, status) in [
        ("localhost:3000", 200),
        ("127.0.0.1:3000", 200),
        ("[::1]:3000", 200),
        ("id.example", 200),
        ("evil.example:3000", 404),
        ("localhost.evil.example", 404),
        ("localhost@evil.example", 404),
    ] {
        let mut stream = server.connect_from(Ipv4Addr::LOCALHOST).await;
        let head = format!("GET {PAGE} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        assert_eq!(Answer::parse(&bytes).status, status, "{host}");
    }
}

#[tokio::test]
async fn there_is_neither_inbox_nor_callback_page_outside_the_demonstration() {
    let server = Server::new().await;
    for page in [PAGE, CALLBACK] {
        assert_eq!(server.send("GET", page, &[], "").await.status, 404, "{page}");
    }
}
