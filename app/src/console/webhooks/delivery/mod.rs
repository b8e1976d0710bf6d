//! One event with its attempts and its request.

mod view;

use super::{faults, health, refused, sent, standing_of, view::Health, why};
use crate::{
    console::{
        fault::Fault,
        layout::NavigationItem,
        request::{PageResult, Request, signed_in, told},
        words::say,
    },
    page::{Fields, Outcome, form},
};
use axum::{Router, routing::post};
use domain::{delivery::DeliveryFault, ids::EventId, time::Timestamp};
use leptos::prelude::*;
use service::{
    access::Developer,
    webhook::{
        delivery_log::{self, DeliveryDetail, NoBody, RequestView},
        redeliver,
    },
};
use std::fmt::Write;
use view::{Attempt, DeliveryView, render};

/// One delivery.
#[component]
pub fn DeliveryPage() -> impl IntoView {
    signed_in(NavigationItem::Webhooks, load, render)
}

/// Its form.
pub(super) fn forms() -> Router {
    Router::new().route(
        "/admin/webhooks/{id}/again",
        post(form("/admin/webhooks/{id}", send_again)),
    )
}

async fn load(request: Request) -> PageResult<DeliveryView> {
    let developer = Developer::of(request.staff())?;
    let honnin = request.honnin();
    let id = EventId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let detail = delivery_log::find(honnin, &developer, &id)
        .await?
        .ok_or(Fault::NotFound)?;
    let chosen = request.query()?.text("attempt").parse::<i64>().ok();
    let chosen = detail.attempts.iter().find(|attempt| Some(attempt.number) == chosen);
    let at = chosen.map_or_else(|| honnin.now(), |attempt| attempt.attempted_at);
    let number = chosen.map(|attempt| attempt.number);
    let sent = delivery_log::find_request(honnin, &developer, &id, at)
        .await?
        .ok_or(Fault::NotFound)?;
    let (health, secrets) = health(&request, &developer).await?;
    Ok(DeliveryView {
        request: shown(sent, number),
        health,
        secrets,
        now: honnin.now(),
        ..view_of(detail, at)
    })
}

async fn send_again(request: Request, _: Fields) -> PageResult<Outcome> {
    let developer = Developer::of(request.staff())?;
    let id = EventId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let here = format!("/admin/webhooks/{id}");
    let found = delivery_log::find(request.honnin(), &developer, &id).await?;
    let before = found.map_or(0, |found| found.attempts.len());
    match redeliver::send_again(request.honnin(), &developer, &id).await {
        Ok(()) => told(&here, sent(&request, &developer, &id, before).await?),
        Err(error) => refused(&here, error),
    }
}

fn view_of(detail: DeliveryDetail, now: Timestamp) -> DeliveryView {
    let attempt = |attempt: &service::stored::AttemptRow| Attempt {
        number: attempt.number,
        at: attempt.attempted_at,
        duration_ms: attempt.duration_ms,
        status: attempt.status,
        fault: why(attempt),
    };
    DeliveryView {
        state: standing_of(&detail.standing),
        attempts: detail.attempts.iter().map(attempt).collect(),
        id: detail.id.to_string(),
        kind: detail.kind,
        at: detail.created_at,
        session: detail.session.map(|session| session.to_string()),
        request: view::Request {
            attempt: None,
            url: None,
            headers: Vec::new(),
            body: Err(String::new()),
            curl: None,
        },
        health: Health::default(),
        secrets: 0,
        now,
    }
}

fn shown(request: RequestView, attempt: Option<i64>) -> view::Request {
    let body = request
        .body
        .map(|body| String::from_utf8_lossy(&body).into_owned())
        .map_err(|why| match why {
            NoBody::Hidden => say(
                "The body contains a reviewer’s note that your role may not read. Its length and signature are hidden too.",
                "本文には、お使いの権限では閲覧できない審査担当者のメモが含まれています。本文の長さと署名も表示されません。",
            )
            .to_owned(),
            NoBody::Unreadable => faults::sentence(DeliveryFault::CannotRender),
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
    view::Request {
        attempt,
        url: request.url,
        headers,
        curl,
        body,
    }
}

/// The request as a POSIX shell command.
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

/// Inside single quotes, only the quote itself is special to a shell.
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
