//! The integrator's side of Honnin, complete: create a session, hand the link to the user, receive the webhook, read the result.
//!
//! In production, a public authority issues the receiver's certificate. This one is generated, for `webhooks.extra_ca_file`.
#![expect(clippy::print_stdout, reason = "the example shows what it does")]

use axum::{Router, body::Bytes, extract::State, http::HeaderMap, http::StatusCode, routing::post};
use axum_server::{Handle, tls_rustls::RustlsConfig};
use clap::Parser;
use qrcode::{QrCode, render::unicode};
use serde_json::{Value, json};
use standardwebhooks::Webhook;
use std::{collections::HashSet, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};
use tokio::{sync::Mutex, task::spawn_blocking};
use ureq::Agent;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Time-out of a call. Shorter than the 15 s in which Honnin expects the answer to a webhook, which waits for a call.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Verifies one person with Honnin, as a customer's server would
#[derive(Parser)]
struct Arguments {
    /// Base URL of Honnin
    #[arg(long, default_value = "http://localhost:3000")]
    base: String,
    /// API key
    #[arg(long, required_unless_present = "only_certificate", default_value = "")]
    key: String,
    /// Webhook signing secret, `whsec_..`
    #[arg(long, required_unless_present = "only_certificate", default_value = "")]
    secret: String,
    /// Address to receive webhooks on; register `https://localhost:PORT/` in the console
    #[arg(long, default_value = "127.0.0.1:8443")]
    listen: SocketAddr,
    /// Folder for the receiver's certificate, `customer.pem`, which Honnin's operator has to trust
    #[arg(long, default_value = ".")]
    cert_out: PathBuf,
    /// Create the certificate and exit
    #[arg(long)]
    only_certificate: bool,
    /// URL that the user returns to; it must be on the tenant's allow-list
    #[arg(long)]
    callback_url: Option<String>,
    /// Keep listening after the final event
    #[arg(long)]
    stay: bool,
}

/// What the receiver of webhooks works with.
struct Shop {
    session_id: String,
    honnin: Agent,
    /// Where the session is read.
    url: String,
    authorization: String,
    webhook: Webhook,
    /// Ids of processed events. A real shop stores them in its database, in the transaction that processes the event.
    seen: Mutex<HashSet<String>>,
    /// Stops the receiver after the final event.
    stop: Option<Handle<SocketAddr>>,
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let arguments = Arguments::parse();
    let [certificate, key] = ["customer.pem", "customer.key"].map(|name| arguments.cert_out.join(name));
    if !key.exists() {
        std::fs::create_dir_all(&arguments.cert_out)?;
        let made = rcgen::generate_simple_self_signed(["localhost", "127.0.0.1"].map(str::to_owned))?;
        std::fs::write(&certificate, made.cert.pem())?;
        std::fs::write(&key, made.signing_key.serialize_pem())?;
    }
    println!("certificate {}", certificate.display());
    if arguments.only_certificate {
        return Ok(());
    }

    // Before the session is created: no event meets a closed port.
    let listener = std::net::TcpListener::bind(arguments.listen)?;
    listener.set_nonblocking(true)?;
    println!("listening https://{}/", listener.local_addr()?);

    let sessions = format!("{}/v1/verification-sessions", arguments.base.trim_end_matches('/'));
    let authorization = format!("Bearer {}", arguments.key);
    let honnin: Agent = Agent::config_builder().timeout_global(Some(TIMEOUT)).build().into();
    let session_id = create_session(&honnin, &sessions, &authorization, arguments.callback_url)?;
    let handle = Handle::new();
    let shop = Arc::new(Shop {
        honnin,
        url: format!("{sessions}/{session_id}"),
        session_id,
        authorization,
        webhook: Webhook::new(&arguments.secret)?,
        seen: Mutex::default(),
        stop: (!arguments.stay).then(|| handle.clone()),
    });
    let app = Router::new().route("/", post(receive)).with_state(shop);
    let server = axum_server::from_tcp_rustls(listener, RustlsConfig::from_pem_file(certificate, key).await?)?;
    Ok(server.handle(handle).serve(app.into_make_service()).await?)
}

/// Creates a session and prints the user's link; returns the session's id.
fn create_session(
    honnin: &Agent,
    url: &str,
    authorization: &str,
    callback_url: Option<String>,
) -> Result<String, Error> {
    let mut wanted = json!({ "metadata": { "order": "example-1" } });
    if let Some(callback_url) = callback_url {
        wanted["callbackUrl"] = callback_url.into();
        wanted["state"] = "example-state".into();
    }
    let request = honnin.post(url).header("Authorization", authorization);
    let session: Value = request.send_json(&wanted)?.body_mut().read_json()?;
    let text = |name: &str| session[name].as_str().ok_or(format!("the response has no {name}"));
    let (id, link) = (text("id")?, text("verificationUrl")?);
    // The link is secret: in production, show it only to the user and never log it.
    let code = QrCode::new(link)?.render::<unicode::Dense1x2>().build();
    println!("session {id}\nlink {link}\n{code}");
    Ok(id.to_owned())
}

/// Receives a webhook. After any status but 2xx, it is sent again later.
async fn receive(State(shop): State<Arc<Shop>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    // The signature covers the bytes as they came, so it is verified before they are parsed.
    if shop.webhook.verify(&body, &headers).is_err() {
        return StatusCode::BAD_REQUEST;
    }
    let event: Value = serde_json::from_slice(&body).unwrap_or_default();
    let [id, kind] = ["id", "type"].map(|name| event[name].as_str().unwrap_or_default());
    let mut seen = shop.seen.lock().await;
    // The same event may arrive several times, and events may arrive in any order.
    if seen.contains(id) {
        println!("again {id} {kind}");
        return StatusCode::NO_CONTENT;
    }
    let is_ours = event["data"]["session"]["sessionId"] == shop.session_id.as_str();
    if is_ours && let Err(error) = print_result(shop.clone()).await {
        println!("failed {id} {kind}: {error}");
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    println!("event {id} {kind}");
    seen.insert(id.to_owned());
    let is_final = is_ours && kind != "verification.needs_review";
    if is_final && let Some(stop) = &shop.stop {
        stop.graceful_shutdown(None);
    }
    StatusCode::NO_CONTENT
}

/// Reads the session: an event is only a notification, and the state is what GET returns.
async fn print_result(shop: Arc<Shop>) -> Result<(), Error> {
    let request = shop.honnin.get(&shop.url).header("Authorization", &shop.authorization);
    let result = spawn_blocking(|| request.call()?.body_mut().read_to_string()).await??;
    println!("result {result}");
    Ok(())
}
