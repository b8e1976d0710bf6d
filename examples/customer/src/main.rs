//! The integrator's side of Honnin, whole: create a session, hand the link to the user, receive the webhook, read the result.
//!
//! A real customer has a certificate of a public authority; this example makes its own and writes it where Honnin's operator can
//! trust it (`webhooks.extra_ca_file`).
#![expect(
    clippy::print_stdout,
    reason = "the example shows what it does on its standard output"
)]

mod web;

use clap::Parser;
use qrcode::{QrCode, render::unicode};
use serde_json::{Value, json};
use standardwebhooks::Webhook;
use std::{collections::HashSet, net::SocketAddr, path::PathBuf};
use tokio::{net::TcpListener, sync::mpsc};
use web::{Certificate, Client, Delivery};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[derive(Parser)]
#[command(about = "Verifies one person with Honnin, as a customer's server would")]
struct Arguments {
    /// Where Honnin is
    #[arg(long, default_value = "http://localhost:3000")]
    base: String,
    /// The API key; it never leaves the server side
    #[arg(long, required_unless_present = "only_certificate")]
    key: Option<String>,
    /// The webhook secret, `whsec_..`
    #[arg(long, required_unless_present = "only_certificate")]
    secret: Option<String>,
    /// Where to receive webhooks; register `https://localhost:PORT/` in the console
    #[arg(long, default_value = "127.0.0.1:8443")]
    listen: SocketAddr,
    /// Folder of the receiver's certificate, `customer.pem`, which Honnin's operator has to trust
    #[arg(long, default_value = ".")]
    cert_out: PathBuf,
    /// Make the certificate and stop
    #[arg(long)]
    only_certificate: bool,
    /// Where the user comes back to; it must be on the tenant's list
    #[arg(long)]
    callback_url: Option<String>,
    /// A PEM file to trust when `--base` is https with a certificate of its own making
    #[arg(long)]
    trust: Option<PathBuf>,
    /// Keep listening after the final event
    #[arg(long)]
    stay: bool,
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let certificate = Certificate::in_folder(&arguments.cert_out)?;
    println!("certificate {}", certificate.path.display());
    let (false, Some(key), Some(secret)) = (arguments.only_certificate, &arguments.key, &arguments.secret) else {
        return Ok(());
    };
    let client = Client::new(&arguments.base, key, arguments.trust.as_deref())?;
    let listener = TcpListener::bind(arguments.listen).await?;
    println!("listening https://{}/", listener.local_addr()?);
    let (sender, mut deliveries) = mpsc::channel(16);
    let receiver = tokio::spawn(web::receive(
        listener,
        certificate.acceptor()?,
        Webhook::new(secret)?,
        sender,
    ));

    let id = create_session(&client, arguments.callback_url.as_deref()).await?;
    follow(&client, &id, &mut deliveries, arguments.stay).await?;
    // Answers that are on their way leave before the program does: the channel ends with the last connection.
    receiver.abort();
    while deliveries.recv().await.is_some() {}
    Ok(())
}

/// Creates a session and shows the user's link; answers the session's id.
async fn create_session(client: &Client, callback_url: Option<&str>) -> Result<String> {
    let mut wanted = json!({ "metadata": { "order": "example-1" } });
    if let Some(url) = callback_url {
        wanted["callbackUrl"] = url.into();
        wanted["state"] = "example-state".into();
    }
    let session = client.call("POST", "/v1/verification-sessions", Some(&wanted)).await?;
    let id = session["id"].as_str().ok_or("the answer has no id")?.to_owned();
    let link = session["verificationUrl"]
        .as_str()
        .ok_or("the answer has no verificationUrl")?;
    println!("session {id}");
    // The link is a secret of the user's: a real customer shows it to nobody else and never logs it.
    println!("link {link}");
    println!("{}", QrCode::new(link)?.render::<unicode::Dense1x2>().build());
    Ok(id)
}

/// Follows the events of a session until its verdict is final.
async fn follow(client: &Client, id: &str, deliveries: &mut mpsc::Receiver<Delivery>, stay: bool) -> Result<()> {
    let mut seen = HashSet::new();
    while let Some(delivery) = deliveries.recv().await {
        let event: Value = serde_json::from_slice(&delivery.body)?;
        let (event_id, kind) = (
            event["id"].as_str().unwrap_or_default(),
            event["type"].as_str().unwrap_or_default(),
        );
        // The same event may come several times, and in any order.
        if seen.contains(event_id) {
            println!("again {event_id} {kind}");
            delivery.accept();
            continue;
        }
        if let Err(error) = process(client, id, &event).await {
            // Not remembered and not accepted: the event comes again.
            println!("failed {event_id} {kind}: {error}");
            continue;
        }
        println!("event {event_id} {kind}");
        seen.insert(event_id.to_owned());
        delivery.accept();
        let is_final = [
            "verification.approved",
            "verification.rejected",
            "verification.expired",
            "verification.failed",
        ];
        if !stay && is_about(&event, id) && is_final.contains(&kind) {
            break;
        }
    }
    Ok(())
}

fn is_about(event: &Value, id: &str) -> bool {
    event["data"]["session"]["sessionId"] == id
}

/// Takes note of an event. It is only a notice: the state is what GET says.
async fn process(client: &Client, id: &str, event: &Value) -> Result<()> {
    // Another session's events would be another part's business.
    if is_about(event, id) {
        let detail = client
            .call("GET", &format!("/v1/verification-sessions/{id}"), None)
            .await?;
        println!("result {detail}");
    }
    Ok(())
}
