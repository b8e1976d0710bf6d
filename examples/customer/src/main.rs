//! The integrator's side of Honnin, complete: create a session, hand the link to the user, receive the webhook, read the
//! result.
//!
//! In production, the receiver has a certificate from a public authority. This example generates one and writes it to a file,
//! so that Honnin's operator can trust it (`webhooks.extra_ca_file`).
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
    /// Base URL of Honnin
    #[arg(long, default_value = "http://localhost:3000")]
    base: String,
    /// API key
    #[arg(long, required_unless_present = "only_certificate")]
    key: Option<String>,
    /// Webhook signing secret, `whsec_..`
    #[arg(long, required_unless_present = "only_certificate")]
    secret: Option<String>,
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
    /// PEM file to trust if `--base` is https with a self-signed certificate
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
    // Responses in progress are sent before the program ends: the channel closes with the last connection.
    receiver.abort();
    while deliveries.recv().await.is_some() {}
    Ok(())
}

/// Creates a session and prints the user's link; returns the session's id.
async fn create_session(client: &Client, callback_url: Option<&str>) -> Result<String> {
    let mut wanted = json!({ "metadata": { "order": "example-1" } });
    if let Some(url) = callback_url {
        wanted["callbackUrl"] = url.into();
        wanted["state"] = "example-state".into();
    }
    let session = client.call("POST", "/v1/verification-sessions", Some(&wanted)).await?;
    let id = session["id"].as_str().ok_or("the response has no id")?.to_owned();
    let link = session["verificationUrl"]
        .as_str()
        .ok_or("the response has no verificationUrl")?;
    println!("session {id}");
    // The link is secret: in production, show it only to the user and never log it.
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
        // The same event may arrive several times, and events may arrive in any order.
        if seen.contains(event_id) {
            println!("again {event_id} {kind}");
            delivery.accept();
            continue;
        }
        if let Err(error) = process(client, id, &event).await {
            // Neither recorded nor accepted, so the event is delivered again.
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

/// Processes an event. An event is only a notification: the state is what GET returns.
async fn process(client: &Client, id: &str, event: &Value) -> Result<()> {
    // Events of other sessions are handled elsewhere.
    if is_about(event, id) {
        let detail = client
            .call("GET", &format!("/v1/verification-sessions/{id}"), None)
            .await?;
        println!("result {detail}");
    }
    Ok(())
}
