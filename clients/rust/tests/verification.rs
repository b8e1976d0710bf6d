//! Runs a verification on the sandbox of `HONNIN_URL` with the key in `HONNIN_KEY`. `HONNIN_RUST_CLIENT=1 scripts/judge-integration` starts one.

use honnin_client::{
    Error,
    types::{SandboxOutcome, SessionStatus, Verdict},
    with_key,
};
use std::{
    env,
    io::{Read as _, Write as _},
    net::TcpListener,
    thread,
};

const MOVED: &[u8] =
    b"HTTP/1.1 301 Moved Permanently\r\nlocation: /elsewhere\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

#[tokio::test(flavor = "current_thread")]
async fn a_redirect_is_an_error_and_not_followed() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let client = with_key(&format!("http://{}", listener.local_addr()?), "hn_test_k")?;
    // Answers once: whoever follows the redirect meets a closed port.
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept()?;
        assert!(stream.read(&mut [0; 4096])? > 0);
        stream.write_all(MOVED)
    });
    let Err(Error::UnexpectedResponse(moved)) = client.list_events().limit(1).send().await else {
        return Err("the redirect was followed".into());
    };
    assert_eq!(moved.status().as_u16(), 301);
    server.join().map_err(|_| "the server panicked")??;
    Ok(())
}

#[tokio::test(flavor = "current_thread")]
async fn a_base_url_may_end_with_a_slash() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let (url, key) = (env::var("HONNIN_URL")?, env::var("HONNIN_KEY")?);
    for end in ["", "/"] {
        let client = with_key(&format!("{}{end}", url.trim_end_matches('/')), &key)?;
        client.list_events().limit(1).send().await?;
    }
    Ok(())
}

#[tokio::test(flavor = "current_thread")]
async fn a_session_is_created_completed_and_read() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let (url, key) = (env::var("HONNIN_URL")?, env::var("HONNIN_KEY")?);
    let client = with_key(&url, &key)?;
    let order = serde_json::Map::from_iter([("order".to_owned(), "rust".into())]);
    let created = client
        .create_verification_session()
        .idempotency_key("order-rust")
        .body_map(|body| body.metadata(order.clone()))
        .send()
        .await?;
    assert_eq!(created.status, SessionStatus::Created);
    client
        .complete_sandbox_verification_session()
        .id(&*created.id)
        .body_map(|body| body.outcome(SandboxOutcome::Rejected))
        .send()
        .await?;
    let session = client.read_verification_session().id(&*created.id).send().await?;
    assert_eq!(session.metadata, Some(order));
    assert!(session.document_ocr.as_ref().is_some_and(|ocr| !ocr.fields.is_empty()));
    let outcome = session.outcome.as_ref().ok_or("no outcome")?;
    assert_eq!(outcome.verdict, Verdict::Rejected);
    assert!(outcome.reasons.iter().all(|code| code.contains('_')), "{:?}", outcome.reasons);

    let listed = client.list_verification_sessions().limit(1).send().await?;
    assert_eq!(*listed.sessions[0].id, *created.id);
    let events = client.list_events().limit(1).send().await?;
    assert_eq!(events.events.len(), 1);

    let Err(Error::ErrorResponse(refused)) = client.read_verification_session().id("vs_unknown").send().await else {
        return Err("an unknown session was read".into());
    };
    assert_eq!((refused.status().as_u16(), refused.tag.as_str()), (404, "SessionNotFound"));
    Ok(())
}
