//! Signing secrets: issue, rotate, disable.

use super::standing;
use crate::console::wall::{Answer, Desk, Fault, ok, wrong};
use app::console::{
    Place,
    webhooks::secrets::{self, SecretRow, SecretsView},
};
use axum::{
    extract::Path,
    response::{Html, IntoResponse},
};
use domain::{event::TestEvent, ids::SecretId};
use http::StatusCode;
use service::{
    access::Developer,
    webhook_log,
    webhook_secret::{self, SecretError},
};
use store::deliveries::{DeliveryFilter, DeliveryState};

const HERE: &str = "/admin/webhooks/secrets";

async fn view(desk: &Desk, developer: &Developer) -> Result<SecretsView, Fault> {
    let honnin = &desk.app.honnin;
    let listed = webhook_secret::list(honnin, developer).await?;
    let accepted = DeliveryFilter {
        state: Some(DeliveryState::Delivered),
        kind: Some(TestEvent::TYPE.to_owned()),
        since: listed.first().map(|secret| secret.created_at),
        ..DeliveryFilter::default()
    };
    Ok(SecretsView {
        confirmed: !webhook_log::list(honnin, developer, &accepted, 1).await?.is_empty(),
        secrets: listed
            .into_iter()
            .map(|secret| SecretRow {
                id: secret.id.to_string(),
                created_at: secret.created_at,
                disabled_at: secret.disabled_at,
            })
            .collect(),
        ..SecretsView::default()
    })
}

pub(in crate::console) async fn page(desk: Desk) -> Answer {
    let developer = Developer::of(&desk.staff)?;
    let view = view(&desk, &developer).await?;
    let standing = standing(&desk, &developer).await?;
    let frame = desk.frame(Place::Webhooks).await?;
    ok(secrets::render(&view, &standing, &frame, &desk.meta()))
}

pub(in crate::console) async fn issue(desk: Desk) -> Answer {
    let developer = Developer::of(&desk.staff)?;
    desk.check_fresh(HERE).await?;
    match webhook_secret::issue(&desk.app.honnin, &developer).await {
        Ok(issued) => {
            let view = SecretsView {
                issued: Some(issued.text.expose().clone()),
                ..view(&desk, &developer).await?
            };
            let standing = standing(&desk, &developer).await?;
            let frame = desk.frame(Place::Webhooks).await?;
            // Shown in the answer itself: a redirect would have to keep the secret somewhere.
            Ok((
                StatusCode::CREATED,
                Html(secrets::render(&view, &standing, &frame, &desk.meta())),
            )
                .into_response())
        }
        Err(error) => refused(&desk, &developer, error).await,
    }
}

pub(in crate::console) async fn disable(desk: Desk, Path(id): Path<String>) -> Answer {
    let developer = Developer::of(&desk.staff)?;
    desk.check_fresh(HERE).await?;
    let id = SecretId::parse(&id).ok_or(Fault::NotFound)?;
    match webhook_secret::disable(&desk.app.honnin, &developer, &id).await {
        Ok(()) => {
            desk.done(
                HERE,
                "The secret has been disabled and deleted. It no longer signs webhooks.",
            )
            .await
        }
        Err(error) => refused(&desk, &developer, error).await,
    }
}

async fn refused(desk: &Desk, developer: &Developer, error: SecretError) -> Answer {
    let why = match error {
        SecretError::TwoValid => "Two secrets are already active. Disable the old one before you issue another.",
        SecretError::OnlyOne => "This is the only active secret. Issue a new one first.",
        SecretError::NotFound => return Err(Fault::NotFound),
        SecretError::Store(error) => return Err(error.into()),
    };
    let view = SecretsView {
        refused: Some(why),
        ..view(desk, developer).await?
    };
    let standing = standing(desk, developer).await?;
    let frame = desk.frame(Place::Webhooks).await?;
    wrong(secrets::render(&view, &standing, &frame, &desk.meta()))
}
