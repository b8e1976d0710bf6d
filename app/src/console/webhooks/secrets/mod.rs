//! Signing secrets: issue, rotate, disable.

mod view;

use super::receiver_status;
use crate::{
    console::{
        fault::Fault,
        irreversible::{Answer, Irreversible, answer, page_or_second_look},
        layout::NavigationItem,
        parts::minutes,
        request::{PageResult, Request, done, not_done},
        words::say,
    },
    page::{Fields, Outcome, form},
};
use axum::{Router, routing::post};
use domain::{event::EventKind, ids::SecretId};
use http::StatusCode;
use leptos::prelude::*;
use service::{
    access::Developer,
    stored::{DeliveryFilter, DeliveryState},
    webhook::{
        delivery_log,
        signing_secret::{self, DisableSecretError, IssueSecretError},
    },
};
use view::{SecretRow, SecretsView, render};

const HERE: &str = "/admin/webhooks/secrets";

/// The secrets.
#[component]
pub fn SecretsPage() -> impl IntoView {
    page_or_second_look(NavigationItem::Webhooks, load, render)
}

/// Its forms.
pub(super) fn forms() -> Router {
    Router::new()
        .route("/admin/webhooks/secrets", post(form(HERE, issue)))
        .route("/admin/webhooks/secrets/{id}/disable", post(form(HERE, disable)))
}

async fn load(request: Request) -> PageResult<SecretsView> {
    let developer = Developer::of(request.staff())?;
    view_of(&request, &developer).await
}

async fn view_of(request: &Request, developer: &Developer) -> PageResult<SecretsView> {
    let honnin = request.honnin();
    let listed = signing_secret::list(honnin, developer).await?;
    let accepted = DeliveryFilter {
        state: Some(DeliveryState::Delivered),
        kind: Some(EventKind::Test.into()),
        since: listed.first().map(|secret| secret.created_at),
        ..DeliveryFilter::default()
    };
    Ok(SecretsView {
        receiver_status: receiver_status(request, developer).await?,
        confirmed: !delivery_log::list(honnin, developer, &accepted, 1).await?.is_empty(),
        secrets: listed
            .into_iter()
            .map(|secret| SecretRow {
                id: secret.id.to_string(),
                created_at: secret.created_at,
                disabled_at: secret.disabled_at,
            })
            .collect(),
        next: signing_secret::draft(honnin).to_string(),
        issued: None,
        refused: None,
    })
}

async fn issue(request: Request, fields: Fields) -> PageResult<Outcome> {
    let developer = Developer::of(request.staff())?;
    request.check_fresh(HERE)?;
    let id = match fields.raw("id") {
        // Of a page from before an update.
        "" => signing_secret::draft(request.honnin()),
        id => SecretId::parse(id).ok_or(Fault::Malformed)?,
    };
    match signing_secret::issue(request.honnin(), &developer, id).await {
        Ok(issued) => {
            let view = SecretsView {
                issued: Some(issued.text.expose().clone()),
                ..view_of(&request, &developer).await?
            };
            Ok(Outcome::shown(StatusCode::CREATED, view))
        }
        // By reloading the page that shows the secret, for example.
        Err(IssueSecretError::Repeated) => not_done(
            HERE,
            say(
                "This form was sent before. The secret that it issued was shown only once and cannot be shown again. If nobody copied it, \
                 replace it with another one.",
                "このフォームはすでに送信されています。発行したシークレットは一度だけ表示され、再表示はできません。コピーしていない場合は、別のシークレットに切り替えてください。",
            ),
        ),
        Err(IssueSecretError::TwoValid) => {
            let why = say(
                "Two secrets are already active. Disable the old one before you issue another.",
                "有効なシークレットがすでに2つあります。新しく発行する前に、古いシークレットを無効にしてください。",
            );
            refused(&request, &developer, why).await
        }
        Err(IssueSecretError::Forbidden) => Err(Fault::Forbidden),
        Err(IssueSecretError::Store(error)) => Err(error.into()),
    }
}

async fn disable(request: Request, fields: Fields) -> PageResult<Outcome> {
    let developer = Developer::of(request.staff())?;
    request.check_fresh(HERE)?;
    let id = SecretId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    match answer(&fields) {
        Answer::Open => {
            if let Some(look) = before_disabling(&request, &developer, &id).await? {
                return Ok(Outcome::shown(StatusCode::OK, look));
            }
        }
        Answer::No => return Ok(Outcome::go(HERE)),
        Answer::Yes => {}
    }
    match signing_secret::disable(request.honnin(), &developer, &id).await {
        Ok(()) => done(
            HERE,
            say(
                "The secret has been disabled and deleted. It no longer signs webhooks.",
                "シークレットを無効にし、削除しました。以後の署名には使用されません。",
            ),
        ),
        Err(DisableSecretError::OnlyOne) => {
            let why = say(
                "This is the only active secret. Issue a new one first.",
                "有効なシークレットはこれだけです。先に新しいシークレットを発行してください。",
            );
            refused(&request, &developer, why).await
        }
        Err(DisableSecretError::NotFound) => Err(Fault::NotFound),
        Err(DisableSecretError::Forbidden) => Err(Fault::Forbidden),
        Err(DisableSecretError::Store(error)) => Err(error.into()),
    }
}

/// The confirmation page before a secret is disabled, which must not be the only one.
async fn before_disabling(request: &Request, developer: &Developer, id: &SecretId) -> PageResult<Option<Irreversible>> {
    let mut active = signing_secret::list(request.honnin(), developer).await?;
    active.retain(|secret| secret.disabled_at.is_none());
    let secret = active.iter().find(|secret| secret.id == *id && active.len() > 1);
    let Some(secret) = secret else { return Ok(None) };
    let status = receiver_status(request, developer).await?;
    // Each secret that is active signs every webhook.
    let used = status.health.last_success_at.filter(|at| *at >= secret.created_at);
    Ok(Some(Irreversible {
        title: say("Disable this signing secret?", "この署名シークレットを無効にしますか？"),
        meaning: vec![
            say(
                "It is deleted and no longer signs webhooks. A receiver that has only this secret will refuse all further webhooks.",
                "シークレットは削除され、以後の署名には使用されません。このシークレットだけを設定した受信先は、以後のWebhookを検証できません。",
            ),
            say("This cannot be undone.", "この操作は取り消せません。"),
        ],
        about: vec![
            (say("Secret", "シークレット"), id.to_string()),
            (say("Issued (UTC)", "発行日時（UTC）"), minutes(secret.created_at)),
            (
                say("Last delivery signed (UTC)", "最後に署名した配信（UTC）"),
                used.map_or_else(|| say("none", "なし").to_owned(), minutes),
            ),
        ],
        button: say("Disable", "無効にする"),
        action: format!("{HERE}/{id}/disable"),
        typed: Vec::new(),
    }))
}

/// The page again, which says why nothing was changed.
async fn refused(request: &Request, developer: &Developer, why: &'static str) -> PageResult<Outcome> {
    Ok(Outcome::refused(SecretsView {
        refused: Some(why),
        ..view_of(request, developer).await?
    }))
}
