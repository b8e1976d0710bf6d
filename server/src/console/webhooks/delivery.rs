//! One event with its attempts and its request.

use super::{HERE, health, refused, state_of, why};
use crate::console::{
    form::Fields,
    wall::{Answer, Desk, Fault, ok},
};
use app::console::{
    Place,
    webhooks::delivery::{self, Attempt, DeliveryView, Request},
};
use axum::extract::Path;
use domain::{ids::EventId, time::Timestamp};
use service::{
    access::Developer,
    redeliver,
    sender::fault::Fault as SendFault,
    webhook_log::{self, DeliveryDetail, NoBody, RequestView},
};
use std::fmt::Write;

pub(in crate::console) async fn page(desk: Desk, Path(id): Path<String>, fields: Fields) -> Answer {
    let developer = Developer::of(&desk.staff)?;
    let honnin = &desk.app.honnin;
    let id = EventId::parse(&id).ok_or(Fault::NotFound)?;
    let detail = webhook_log::find(honnin, &developer, &id)
        .await?
        .ok_or(Fault::NotFound)?;
    let chosen = fields.text("attempt").parse::<i64>().ok();
    let chosen = detail.attempts.iter().find(|attempt| Some(attempt.number) == chosen);
    let at = chosen.map_or_else(|| honnin.now(), |attempt| attempt.attempted_at);
    let number = chosen.map(|attempt| attempt.number);
    let request = webhook_log::find_request(honnin, &developer, &id, at)
        .await?
        .ok_or(Fault::NotFound)?;
    let (health, secrets) = health(&desk, &developer).await?;
    let view = DeliveryView {
        request: shown(request, number),
        health,
        secrets,
        now: honnin.now(),
        ..view_of(detail, at)
    };
    let frame = desk.frame(Place::Webhooks).await?;
    ok(delivery::render(&view, &frame, &desk.meta()))
}

pub(in crate::console) async fn send_again(desk: Desk, Path(id): Path<String>) -> Answer {
    let developer = Developer::of(&desk.staff)?;
    let id = EventId::parse(&id).ok_or(Fault::NotFound)?;
    match redeliver::send_again(&desk.app.honnin, &developer, &id).await {
        Ok(()) => {
            desk.done(
                &format!("{HERE}/{id}"),
                "The event is being sent. Reload this page to see the response.",
            )
            .await
        }
        Err(error) => refused(&desk, error).await,
    }
}

fn view_of(detail: DeliveryDetail, now: Timestamp) -> DeliveryView {
    let attempt = |attempt: &store::deliveries::AttemptRow| Attempt {
        number: attempt.number,
        at: attempt.attempted_at,
        duration_ms: attempt.duration_ms,
        status: attempt.status,
        fault: why(attempt),
    };
    DeliveryView {
        state: state_of(detail.delivery.as_ref()),
        attempts: detail.attempts.iter().map(attempt).collect(),
        id: detail.id.to_string(),
        kind: detail.kind.to_owned(),
        at: detail.created_at,
        session: detail.session.map(|session| session.to_string()),
        request: Request {
            attempt: None,
            url: None,
            headers: Vec::new(),
            body: Err(""),
            curl: None,
        },
        health: app::console::webhooks::Health::default(),
        secrets: 0,
        now,
    }
}

fn shown(request: RequestView, attempt: Option<i64>) -> Request {
    let body = request
        .body
        .map(|body| String::from_utf8_lossy(&body).into_owned())
        .map_err(|why| match why {
            NoBody::Hidden => {
                "The body contains a reviewer's note that your role may not read. Its length and signature are hidden too."
            }
            NoBody::Unreadable => SendFault::CannotRender.sentence(),
        });
    let headers: Vec<(String, String)> = request
        .headers
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let curl = request
        .url
        .as_deref()
        .zip(body.as_deref().ok())
        .map(|(url, body)| as_curl(url, &headers, body));
    Request {
        attempt,
        url: request.url,
        headers,
        curl,
        body,
    }
}

/// The request as a command for a POSIX shell.
fn as_curl(url: &str, headers: &[(String, String)], body: &str) -> String {
    let mut command = format!("curl -i {}", quoted(url));
    for (name, value) in headers
        .iter()
        .filter(|(name, _)| name.starts_with("webhook-") || name == "content-type")
    {
        // Writing to a String cannot fail.
        let _ = write!(command, " \\\n  -H {}", quoted(&format!("{name}: {value}")));
    }
    let _ = write!(command, " \\\n  --data-binary {}", quoted(body));
    command
}

/// Nothing inside single quotes means anything to a shell but the quote itself.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_carries_any_body_past_the_shell() {
        let headers = [
            ("webhook-id".to_owned(), "evt_1".to_owned()),
            ("accept".to_owned(), "*/*".to_owned()),
        ];
        insta::assert_snapshot!(as_curl("https://a.example/?b=c&d", &headers, r#"{"note":"it's $HOME"}"#), @r#"
        curl -i 'https://a.example/?b=c&d' \
          -H 'webhook-id: evt_1' \
          --data-binary '{"note":"it'\''s $HOME"}'
        "#);
    }
}
