//! Events that happened while there was no receiver, and sending them.

mod view;

use super::{SENT, about, receiver_status, refused, why_left_out};
use crate::{
    console::{
        layout::NavigationItem,
        request::{PageResult, Request, done, signed_in, told},
        words::tell,
    },
    page::{Fields, Outcome, form},
};
use axum::{Router, routing::post};
use domain::{cursor, ids::EventId};
use leptos::prelude::*;
use service::{
    access::Developer,
    webhook::{
        redeliver::SentAgain,
        unsent::{self, Unsent},
    },
};
use view::{Row, UnsentView, render};

const HERE: &str = "/admin/webhooks/unsent";

/// Rows per page.
const PAGE: u32 = 50;

/// The events that were not sent.
#[component]
pub fn UnsentPage() -> impl IntoView {
    signed_in(NavigationItem::Webhooks, load, render)
}

/// Its form.
pub(super) fn forms() -> Router {
    Router::new().route("/admin/webhooks/unsent", post(form(HERE, send_all)))
}

async fn load(request: Request) -> PageResult<UnsentView> {
    let fields = request.query()?;
    let developer = Developer::of(request.staff())?;
    let honnin = request.honnin();
    let found = unsent::list(
        honnin,
        &developer,
        cursor::parse(&fields.text("after"), EventId::parse),
        PAGE + 1,
    )
    .await?;
    let (found, more) = cursor::page_of(found, PAGE);
    let next = found
        .last()
        .filter(|_| more)
        .map(|last| fields.next_page(HERE, &cursor::write(&(last.created_at, &last.id))));
    let row = |event: Unsent| Row {
        id: event.id.to_string(),
        kind: event.kind,
        at: event.created_at,
    };
    Ok(UnsentView {
        rows: found.into_iter().map(row).collect(),
        next,
        count: unsent::count(honnin, &developer).await?,
        sent: fields.text(SENT),
        status: receiver_status(&request, &developer).await?,
    })
}

async fn send_all(request: Request, fields: Fields) -> PageResult<Outcome> {
    let developer = Developer::of(request.staff())?;
    let after = cursor::parse(&fields.text(SENT), EventId::parse);
    match unsent::send_all(request.honnin(), &developer, after).await {
        Ok(SentAgain {
            count,
            left_out,
            go_on_after,
        }) => {
            let skipped = why_left_out(left_out);
            match go_on_after {
                None => {
                    let said = tell!("Being sent: {count}.{skipped}", "{count}件を送信しています。{skipped}");
                    told(HERE, about(count, said))
                }
                Some(last) => done(
                    &fields.with(HERE, SENT, &cursor::write(&last)),
                    tell!(
                        "Being sent: {count}.{skipped} There are more.",
                        "{count}件を送信しています。{skipped}残りのイベントは続けて送信してください。"
                    ),
                ),
            }
        }
        Err(error) => refused(&fields.kept(HERE, &[SENT]), error),
    }
}
