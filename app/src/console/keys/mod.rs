//! API keys.

mod view;

use super::{
    fault::Fault,
    layout::NavigationItem,
    request::{PageResult, Request, done, signed_in},
};
use crate::page::{Fields, Outcome, form, mistake};
use axum::{Router, routing::post};
use domain::{
    ids::ApiKeyId,
    scope::{Scope, Scopes},
    time::Millis,
};
use http::StatusCode;
use leptos::prelude::*;
use service::{
    access::{Admin, Developer},
    settings::api_keys::{IssueKeyError, NewKey, issue_key, list_keys, revoke_key},
};
pub(super) use view::shown_once;
use view::{KeyRow, KeysView, render};

const HERE: &str = "/admin/keys";

/// API keys.
#[component]
pub fn KeysPage() -> impl IntoView {
    signed_in(NavigationItem::Keys, load, render)
}

/// Its forms.
pub(super) fn forms() -> Router {
    Router::new()
        .route("/admin/keys", post(form(HERE, issue)))
        .route("/admin/keys/{id}/revoke", post(form(HERE, revoke)))
}

async fn load(request: Request) -> PageResult<KeysView> {
    let developer = Developer::of(request.staff())?;
    view_of(&request, &developer).await
}

async fn view_of(request: &Request, developer: &Developer) -> PageResult<KeysView> {
    let keys = list_keys(request.honnin(), developer)
        .await?
        .into_iter()
        .map(|key| KeyRow {
            id: key.id.to_string(),
            name: key.name,
            prefix: key.prefix,
            scopes: key.scopes,
            created_at: key.created_at,
            expires_at: key.expires_at,
            revoked_at: key.revoked_at,
            last_used_at: key.last_used_at,
        });
    let may_read = Admin::of(request.staff()).is_ok();
    let usual = Scopes::NONE.with(Scope::Create);
    Ok(KeysView {
        keys: keys.collect(),
        scopes: if may_read { usual.with(Scope::Read) } else { usual },
        may_read,
        now: Some(request.honnin().now()),
        ..KeysView::default()
    })
}

async fn issue(request: Request, fields: Fields) -> PageResult<Outcome> {
    let developer = Developer::of(request.staff())?;
    request.check_fresh(HERE)?;
    let name = fields.text("name");
    let scopes: Option<Scopes> = fields.all("scope").map(Scope::parse).collect();
    let scopes = scopes.ok_or(Fault::Malformed)?;
    let lifetime = match fields.raw("days") {
        "" => None,
        days => Some(Millis::days(
            days.parse()
                .ok()
                .filter(|days| (1..=3650).contains(days))
                .ok_or(Fault::Malformed)?,
        )),
    };
    let new = NewKey {
        name: name.clone(),
        lifetime,
        scopes,
    };
    let wrong_field = match issue_key(request.honnin(), &developer, new).await {
        Ok(issued) => {
            let mut view = view_of(&request, &developer).await?;
            let curl = format!(
                "curl -X POST {}v1/verification-sessions -H 'Authorization: Bearer {}'",
                request.honnin().base_url(),
                issued.key.expose()
            );
            view.issued = Some((issued.key.expose().clone(), curl));
            return Ok(Outcome::shown(StatusCode::CREATED, view));
        }
        Err(IssueKeyError::BadName) => mistake(
            "name",
            "Enter a name of up to 100 characters, such as where the key is used.",
        ),
        Err(IssueKeyError::NoScope) => mistake("scope", "Choose at least one scope for the key."),
        Err(IssueKeyError::NeedsAdmin) => return Err(Fault::Forbidden),
        Err(IssueKeyError::Store(error)) => return Err(error.into()),
    };
    Ok(Outcome::refused(KeysView {
        name,
        scopes,
        mistakes: vec![wrong_field],
        ..view_of(&request, &developer).await?
    }))
}

async fn revoke(request: Request, _: Fields) -> PageResult<Outcome> {
    let developer = Developer::of(request.staff())?;
    request.check_fresh(HERE)?;
    let id = ApiKeyId::parse(request.param("id")).ok_or(Fault::NotFound)?;
    let revoked = revoke_key(request.honnin(), &developer, &id).await?;
    done(
        HERE,
        if revoked {
            "The key has been revoked and no longer works."
        } else {
            "There was nothing to revoke."
        },
    )
}
