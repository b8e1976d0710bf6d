//! Webhooks: the list of deliveries, resending, test events. The pages for one delivery, secrets and the debugger are beside
//! it.

pub mod check;
pub mod delivery;
mod faults;
pub mod secrets;
pub mod unsent;
mod view;

use super::{
    day::span,
    fault::Fault,
    flash::Notice,
    layout::NavigationItem,
    parts::seconds,
    request::{PageResult, Request, done, not_done, signed_in, told},
    words::{say, tell},
};
use crate::page::{Fields, Outcome, form};
use axum::{Router, routing::post};
use domain::{cursor, ids::EventId, named::Named};
use leptos::prelude::*;
use service::{
    access::Developer,
    settings,
    stored::{AttemptRow, DeliveryFilter, DeliveryRow, DeliveryState},
    webhook::{
        delivery_log::{self, Standing},
        redeliver::{self, RedeliverError, SentAgain},
        signing_secret,
    },
};
use std::time::Duration;
pub(super) use view::State;
use view::{Asked, Health, ReceiverStatus, Row, WebhooksView, render};

/// The deliveries.
#[component]
pub fn WebhooksPage() -> impl IntoView {
    signed_in(NavigationItem::Webhooks, load, render)
}

/// The forms of the webhooks' pages.
pub(super) fn forms() -> Router {
    Router::new()
        .route("/admin/webhooks/test", post(form(HERE, send_test)))
        .route("/admin/webhooks/again", post(form(HERE, send_range)))
        .merge(check::forms())
        .merge(delivery::forms())
        .merge(secrets::forms())
        .merge(unsent::forms())
}

const HERE: &str = "/admin/webhooks";

/// Rows per page.
const PAGE: u32 = 50;
/// The fields of the form that resends a range: the filters, and how far the events that match them have been resent.
const RANGE: [&str; 5] = ["state", "kind", "from", "to", SENT];
/// How far the events have been resent, in the address of a list and in its form.
const SENT: &str = "sent";

fn filter(fields: &Fields) -> DeliveryFilter {
    let [since, until] = span(&fields.text("from"), &fields.text("to"));
    DeliveryFilter {
        state: DeliveryState::parse(&fields.text("state")),
        kind: Some(fields.text("kind"))
            .filter(|kind| !kind.is_empty())
            .map(|kind| Named::parse(&kind)),
        since,
        until,
        after: cursor::parse(&fields.text("after"), EventId::parse),
    }
}

/// The state of an event's delivery, for the page.
pub(super) fn standing_of(standing: &Standing) -> State {
    match &standing.delivery {
        Some(delivery) => state_of(delivery),
        None if standing.may_be_removed => State::NoRecord,
        None => State::NotSent,
    }
}

/// The state of a delivery, for the page.
fn state_of(delivery: &DeliveryRow) -> State {
    match (delivery.state, delivery.next_attempt_at) {
        (DeliveryState::Pending, next) => State::Pending(next.unwrap_or(delivery.created_at)),
        (DeliveryState::Delivered, _) => State::Delivered,
        (DeliveryState::Abandoned, _) => State::Abandoned,
    }
}

/// The outcome of an attempt in one word.
fn outcome(attempt: &AttemptRow) -> String {
    match (attempt.status, &attempt.fault) {
        (Some(status), _) => status.to_string(),
        (None, Some(fault)) => fault
            .known()
            .map_or_else(|| fault.as_str().replace('_', " "), faults::name),
        (None, None) => String::new(),
    }
}

/// Why an attempt failed, in a sentence.
fn why(attempt: &AttemptRow) -> Option<String> {
    let fault = attempt.fault.as_ref()?;
    Some(fault.known().map_or_else(|| fault.to_string(), faults::sentence))
}

/// The receiver's health, and the number of signing secrets.
async fn health(request: &Request, developer: &Developer) -> PageResult<(Health, usize)> {
    let honnin = request.honnin();
    let tenant = settings::load(honnin, request.staff()).await?;
    let health = redeliver::receiver_health(honnin, developer).await?;
    let secrets = signing_secret::list(honnin, developer).await?;
    let last_fault = health.last_fault.as_ref().and_then(Named::known);
    let health = Health {
        receiver: tenant.settings.and_then(|settings| settings.webhook_url),
        last_success_at: health.last_success_at,
        failing_since: health.failing_since,
        ours: last_fault.filter(|fault| fault.is_ours()).map(faults::sentence),
    };
    Ok((
        health,
        secrets.iter().filter(|secret| secret.disabled_at.is_none()).count(),
    ))
}

/// The receiver's state, for the top of the other pages.
async fn receiver_status(request: &Request, developer: &Developer) -> PageResult<ReceiverStatus> {
    let (health, secrets) = health(request, developer).await?;
    Ok(ReceiverStatus {
        health,
        secrets,
        now: request.honnin().now(),
    })
}

async fn load(request: Request) -> PageResult<WebhooksView> {
    let fields = request.query()?;
    let developer = Developer::of(request.staff())?;
    let honnin = request.honnin();
    let found = delivery_log::list(honnin, &developer, &filter(fields), PAGE + 1).await?;
    let (found, more) = cursor::page_of(found, PAGE);
    let last = delivery_log::last_attempts(honnin, &developer, &found).await?;
    let next = found
        .last()
        .filter(|_| more)
        .map(|last| fields.next_page(HERE, &cursor::write(&(last.created_at, &last.event))));
    let row = |(delivery, last): (DeliveryRow, Option<AttemptRow>)| Row {
        state: state_of(&delivery),
        id: delivery.event.to_string(),
        kind: delivery.kind,
        at: delivery.created_at,
        attempts: delivery.attempts,
        last: last.as_ref().map(outcome),
    };
    let (health, secrets) = health(&request, &developer).await?;
    let unsent = service::webhook::unsent::count(honnin, &developer).await?;
    Ok(WebhooksView {
        unsent,
        asked: Asked {
            state: fields.text("state"),
            kind: fields.text("kind"),
            from: fields.text("from"),
            to: fields.text("to"),
            sent: fields.text(SENT),
        },
        rows: found.into_iter().zip(last).map(row).collect(),
        next,
        health,
        secrets,
        now: honnin.now(),
    })
}

async fn send_test(request: Request, _: Fields) -> PageResult<Outcome> {
    let developer = Developer::of(request.staff())?;
    match redeliver::send_test(request.honnin(), &developer).await {
        Ok(id) => told(&format!("{HERE}/{id}"), sent(&request, &developer, &id, 0).await?),
        Err(error) => refused(HERE, error),
    }
}

/// How long somebody who has had an event sent waits for the receiver's answer.
const ANSWERED_WITHIN: Duration = Duration::from_secs(2);

/// What became of an event that was sent by hand after `before` attempts.
async fn sent(request: &Request, developer: &Developer, id: &EventId, before: usize) -> PageResult<Notice> {
    let made = delivery_log::attempt_within(request.honnin(), developer, id, before, ANSWERED_WITHIN).await?;
    Ok(match made {
        None => Notice::good(say(
            "The event is being sent. Reload this page to see the response.",
            "イベントを送信しています。応答を確認するには、このページを再読み込みしてください。",
        )),
        Some(attempt) if attempt.fault.is_none() => {
            let status = outcome(&attempt);
            Notice::good(tell!(
                "The event was delivered. The receiver responded with {status}.",
                "イベントを配信しました。受信先の応答：{status}"
            ))
        }
        Some(attempt) => {
            let why = why(&attempt).unwrap_or_default();
            Notice::bad(tell!(
                "The event was not delivered. {why}",
                "イベントを配信できませんでした。{why}"
            ))
        }
    })
}

async fn send_range(request: Request, fields: Fields) -> PageResult<Outcome> {
    let developer = Developer::of(request.staff())?;
    let mut filter = DeliveryFilter {
        after: None,
        ..filter(&fields)
    };
    if filter == DeliveryFilter::default() {
        return Err(Fault::Malformed);
    }
    filter.after = cursor::parse(&fields.text(SENT), EventId::parse);
    match redeliver::send_range_again(request.honnin(), &developer, &filter).await {
        Ok(sent @ SentAgain { go_on_after: None, .. }) => resent(&fields.with(HERE, SENT, ""), &sent),
        Ok(SentAgain {
            count,
            left_out,
            go_on_after: Some((at, event)),
        }) => {
            let here = fields.with(HERE, SENT, &cursor::write(&(at, event)));
            let said = tell!(
                "Resent: {count}, up to {} UTC.{} There are more; continue below the list.",
                "{}（UTC）までの{count}件を再送しました。{}残りは一覧の下から続けて再送してください。",
                seconds(at),
                why_left_out(left_out)
            );
            done(&here, said)
        }
        Err(error) => refused(&fields.kept(HERE, &RANGE), error),
    }
}

/// Back to the page at `back`, which says how many events were sent again, and how many were not.
pub(in crate::console) fn resent(back: &str, sent: &SentAgain) -> PageResult<Outcome> {
    let (count, skipped) = (sent.count, why_left_out(sent.left_out));
    let said = tell!("Resent: {count}.{skipped}", "{count}件を再送しました。{skipped}");
    told(back, about(count, said))
}

/// What is said about so many events that were sent: a success only if there was one.
fn about(count: usize, said: String) -> Notice {
    if count == 0 {
        Notice::bad(said)
    } else {
        Notice::good(said)
    }
}

/// The sentence about events that only an admin can send.
fn why_left_out(count: usize) -> String {
    if count == 0 {
        return String::new();
    }
    tell!(
        " Skipped: {count}, because they contain a reviewer’s note and happened before the receiver URL was changed. An admin can \
         confirm the URL or send them.",
        "審査担当者のメモを含み、受信先のURLの変更前に発生した{count}件は除外しました。管理者がURLを確認するか、イベントを送信してください。"
    )
}

/// Back to the page at `back`, which says why nothing was sent.
pub(in crate::console) fn refused(back: &str, error: RedeliverError) -> PageResult<Outcome> {
    match error {
        RedeliverError::NotFound => Err(Fault::NotFound),
        RedeliverError::NoReceiver => not_done(
            back,
            say(
                "Nothing was sent: no receiver URL is configured.",
                "受信先のURLが設定されていないため、送信されませんでした。",
            ),
        ),
        RedeliverError::NeedsAdmin => {
            let said = say(
                "Nothing was sent: the event contains a reviewer’s note and happened before the receiver URL was changed. \
                 An admin can confirm the URL or send the event.",
                "送信されませんでした。イベントに審査担当者のメモが含まれ、発生後に受信先のURLが変更されたためです。管理者がURLを確認するか、イベントを送信してください。",
            );
            not_done(back, said)
        }
        RedeliverError::Busy => not_done(
            back,
            say(
                "Nothing was sent: events are being resent from another tab or by a colleague at this moment. Try again in a few seconds.",
                "別のタブまたはほかのメンバーがイベントを再送しているため、送信されませんでした。数秒後に再度お試しください。",
            ),
        ),
        RedeliverError::Store(error) => Err(error.into()),
    }
}
