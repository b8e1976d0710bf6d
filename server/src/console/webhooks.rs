//! Webhooks: the list of deliveries, sending again, test events. One delivery, secrets and the debugger are beside it.

pub(super) mod check;
pub(super) mod delivery;
pub(super) mod secrets;

use super::{
    form::Fields,
    sessions::midnight,
    wall::{Answer, Desk, Fault, ok},
};
use app::console::{
    Place,
    webhooks::{self, Asked, Health, Row, Standing, State, WebhooksView},
};
use domain::{
    ids::EventId,
    time::{Millis, Timestamp},
};
use service::{
    access::Developer,
    redeliver::{self, RedeliverError, SentAgain},
    sender::fault::Fault as SendFault,
    settings, webhook_log, webhook_secret,
};
use store::deliveries::{AttemptRow, DeliveryFilter, DeliveryRow, DeliveryState};

const HERE: &str = "/admin/webhooks";

/// Rows of a page.
const PAGE: u32 = 50;

/// A place in the list: time and id of a row.
fn place_of(at: Timestamp, event: &EventId) -> String {
    format!("{}.{event}", at.as_millis())
}

/// Reads what [`place_of`] wrote.
fn parse_after(text: &str) -> Option<(Timestamp, EventId)> {
    let (at, id) = text.split_once('.')?;
    Some((Timestamp::from_millis(at.parse().ok()?), EventId::parse(id)?))
}

fn filter(fields: &Fields) -> DeliveryFilter {
    DeliveryFilter {
        state: DeliveryState::parse(&fields.text("state")),
        kind: Some(fields.text("kind")).filter(|kind| !kind.is_empty()),
        since: midnight(&fields.text("from")),
        until: midnight(&fields.text("to")).map(|day| day.plus(Millis::days(1))),
        after: parse_after(&fields.text("after")),
    }
}

/// Where a delivery stands, for the page.
fn state_of(delivery: Option<&DeliveryRow>) -> State {
    let Some(delivery) = delivery else {
        return State::NotSent;
    };
    match (delivery.state, delivery.next_attempt_at) {
        (DeliveryState::Pending, next) => State::Pending(next.unwrap_or(delivery.created_at)),
        (DeliveryState::Delivered, _) => State::Delivered,
        (DeliveryState::Abandoned, _) => State::Abandoned,
    }
}

/// What an attempt came to, in one word.
fn outcome(attempt: &AttemptRow) -> String {
    match (attempt.status, &attempt.fault) {
        (Some(status), _) => status.to_string(),
        (None, Some(fault)) => fault.replace('_', " "),
        (None, None) => String::new(),
    }
}

/// Why an attempt failed, in a sentence.
fn why(attempt: &AttemptRow) -> Option<String> {
    let fault = attempt.fault.as_deref()?;
    Some(SendFault::parse(fault).map_or_else(|| fault.to_owned(), |fault| fault.sentence().to_owned()))
}

/// How the receiver is doing, and how many secrets sign.
async fn health(desk: &Desk, developer: &Developer) -> Result<(Health, usize), Fault> {
    let honnin = &desk.app.honnin;
    let tenant = settings::load(honnin, &desk.staff).await?;
    let health = redeliver::receiver_health(honnin, developer).await?;
    let secrets = webhook_secret::list(honnin, developer).await?;
    let last_fault = health.last_fault.as_deref().and_then(SendFault::parse);
    let health = Health {
        receiver: tenant.settings.and_then(|settings| settings.webhook_url),
        last_success_at: health.last_success_at,
        failing_since: health.failing_since,
        ours: last_fault.filter(|fault| fault.is_ours()).map(SendFault::sentence),
    };
    Ok((
        health,
        secrets.iter().filter(|secret| secret.disabled_at.is_none()).count(),
    ))
}

/// What the pages beside the list say of the receiver on top.
async fn standing(desk: &Desk, developer: &Developer) -> Result<Standing, Fault> {
    let (health, secrets) = health(desk, developer).await?;
    Ok(Standing {
        health,
        secrets,
        now: desk.app.honnin.now(),
    })
}

pub(super) async fn page(desk: Desk, fields: Fields) -> Answer {
    let developer = Developer::of(&desk.staff)?;
    let honnin = &desk.app.honnin;
    let mut found = webhook_log::list(honnin, &developer, &filter(&fields), PAGE + 1).await?;
    let more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let last = webhook_log::last_attempts(honnin, &developer, &found).await?;
    let next = found
        .last()
        .filter(|_| more)
        .map(|last| fields.next_page(HERE, &place_of(last.created_at, &last.event)));
    let row = |(delivery, last): (DeliveryRow, Option<AttemptRow>)| Row {
        state: state_of(Some(&delivery)),
        id: delivery.event.to_string(),
        kind: delivery.kind,
        at: delivery.created_at,
        attempts: delivery.attempts,
        last: last.as_ref().map(outcome),
    };
    let (health, secrets) = health(&desk, &developer).await?;
    let view = WebhooksView {
        asked: Asked {
            state: fields.text("state"),
            kind: fields.text("kind"),
            from: fields.text("from"),
            to: fields.text("to"),
            sent: fields.text("sent"),
        },
        rows: found.into_iter().zip(last).map(row).collect(),
        next,
        health,
        secrets,
        now: honnin.now(),
    };
    let frame = desk.frame(Place::Webhooks).await?;
    ok(webhooks::render(&view, &frame, &desk.meta()))
}

pub(super) async fn send_test(desk: Desk) -> Answer {
    let developer = Developer::of(&desk.staff)?;
    match redeliver::send_test(&desk.app.honnin, &developer).await {
        Ok(id) => {
            desk.done(
                &format!("{HERE}/{id}"),
                "The test event is being sent. Reload this page to see the response.",
            )
            .await
        }
        Err(error) => refused(&desk, error).await,
    }
}

pub(super) async fn send_range(desk: Desk, fields: Fields) -> Answer {
    let developer = Developer::of(&desk.staff)?;
    let mut filter = filter(&fields);
    if filter == DeliveryFilter::default() {
        return Err(Fault::Malformed);
    }
    filter.after = parse_after(&fields.text("sent"));
    match redeliver::send_range_again(&desk.app.honnin, &developer, &filter).await {
        Ok(SentAgain {
            count,
            left_out,
            go_on_after: None,
        }) => {
            desk.done(HERE, &format!("Sent again: {count}.{}", why_left_out(left_out)))
                .await
        }
        Ok(SentAgain {
            count,
            left_out,
            go_on_after: Some((at, event)),
        }) => {
            let here = fields.with(HERE, "sent", &place_of(at, &event));
            let said = format!(
                "Sent again: {count}, to {} UTC.{} There are more; continue below the list.",
                webhooks::seconds(at),
                why_left_out(left_out)
            );
            desk.done(&here, &said).await
        }
        Err(error) => refused(&desk, error).await,
    }
}

/// What to say of events that an admin has to send.
fn why_left_out(count: usize) -> String {
    if count == 0 {
        return String::new();
    }
    format!(
        " Skipped: {count}, because they contain a reviewer's note and are older than the receiver URL. An admin can confirm the URL \
         or send them."
    )
}

/// Nothing was sent: why.
async fn refused(desk: &Desk, error: RedeliverError) -> Answer {
    match error {
        RedeliverError::NotFound => Err(Fault::NotFound),
        RedeliverError::NoReceiver => {
            desk.done(HERE, "Nothing was sent: no receiver URL is configured.")
                .await
        }
        RedeliverError::NeedsAdmin => {
            let said = "Nothing was sent: the event contains a reviewer's note and is older than the receiver URL. An admin \
                        can confirm the URL or send the event.";
            desk.done(HERE, said).await
        }
        RedeliverError::Store(error) => Err(error.into()),
    }
}
