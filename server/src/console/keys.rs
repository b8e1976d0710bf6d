//! API keys.

use super::{
    form::{Fields, mistake},
    wall::{Answer, Desk, Fault, ok, wrong},
};
use app::console::{
    Place,
    keys::{self, KeyRow, KeysView},
};
use axum::{extract::Path, response::Html, response::IntoResponse};
use domain::{
    ids::ApiKeyId,
    scope::{Scope, Scopes},
    time::Millis,
};
use http::StatusCode;
use service::{
    access::{Admin, Developer},
    issue_key::{IssueKeyError, NewKey, issue_key, list_keys, revoke_key},
};

const HERE: &str = "/admin/keys";

async fn view(desk: &Desk, developer: &Developer) -> Result<KeysView, Fault> {
    let keys = list_keys(&desk.app.honnin, developer)
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
    let may_read = Admin::of(&desk.staff).is_ok();
    let usual = Scopes::NONE.with(Scope::Create);
    Ok(KeysView {
        keys: keys.collect(),
        scopes: if may_read { usual.with(Scope::Read) } else { usual },
        may_read,
        now: Some(desk.app.honnin.now()),
        ..KeysView::default()
    })
}

pub(super) async fn page(desk: Desk) -> Answer {
    let developer = Developer::of(&desk.staff)?;
    let view = view(&desk, &developer).await?;
    let frame = desk.frame(Place::Keys).await?;
    ok(keys::render(&view, &frame, &desk.meta()))
}

pub(super) async fn issue(desk: Desk, fields: Fields) -> Answer {
    let developer = Developer::of(&desk.staff)?;
    desk.check_fresh(HERE).await?;
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
    let wrong_field = match issue_key(&desk.app.honnin, &developer, new).await {
        Ok(issued) => {
            let mut view = view(&desk, &developer).await?;
            let curl = format!(
                "curl -X POST {}v1/verification-sessions -H 'Authorization: Bearer {}'",
                desk.app.honnin.base_url(),
                issued.key.expose()
            );
            view.issued = Some((issued.key.expose().clone(), curl));
            let frame = desk.frame(Place::Keys).await?;
            // Shown in the answer itself: a redirect would have to keep the key somewhere.
            return Ok((StatusCode::CREATED, Html(keys::render(&view, &frame, &desk.meta()))).into_response());
        }
        Err(IssueKeyError::BadName) => mistake(
            "name",
            "Enter a name of up to 100 characters, such as where the key is used.",
        ),
        Err(IssueKeyError::NoScope) => mistake("scope", "Choose at least one scope for the key."),
        Err(IssueKeyError::NeedsAdmin) => return Err(Fault::Forbidden),
        Err(IssueKeyError::Store(error)) => return Err(error.into()),
    };
    let view = KeysView {
        name,
        scopes,
        mistakes: vec![wrong_field],
        ..view(&desk, &developer).await?
    };
    let frame = desk.frame(Place::Keys).await?;
    wrong(keys::render(&view, &frame, &desk.meta()))
}

pub(super) async fn revoke(desk: Desk, Path(id): Path<String>) -> Answer {
    let developer = Developer::of(&desk.staff)?;
    desk.check_fresh(HERE).await?;
    let id = ApiKeyId::parse(&id).ok_or(Fault::NotFound)?;
    let revoked = revoke_key(&desk.app.honnin, &developer, &id).await?;
    desk.done(
        HERE,
        if revoked {
            "The key has been revoked and no longer works."
        } else {
            "There was nothing to revoke."
        },
    )
    .await
}
