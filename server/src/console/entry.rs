//! Signing in and setting up.

use super::{
    form::{Fields, mistake},
    wall::{Answer, Fault, begin, meta, ok, wrong},
};
use crate::{edge::RequestContext, state::App};
use app::console::entry::{self, SetUpView, SignInView};
use axum::{
    extract::{Path, State},
    response::{Html, IntoResponse, Redirect, Response},
};
use domain::secret::Secret;
use http::StatusCode;
use service::{
    people::BadField,
    set_up::{self, SetUp, SetUpError},
    sign_in::{self, SignInError},
};
use tower_sessions::Session;

/// An address of the console to go on to; anything else is the overview. Never another site's.
pub(super) fn safe_next(next: &str) -> &str {
    let inside = next == "/admin" || next.starts_with("/admin/") || next.starts_with("/admin?");
    let plain = next.bytes().all(|b| b.is_ascii_graphic() && b != b'\\') && !next.starts_with("//");
    if inside && plain { next } else { "/admin" }
}

pub(super) async fn sign_in_page(State(app): State<App>, context: RequestContext, fields: Fields) -> Answer {
    let view = SignInView {
        next: safe_next(&fields.text("next")).to_owned(),
        has_new_password: fields.text("done") == "password",
        ..SignInView::default()
    };
    ok(entry::sign_in(&view, &meta(&app, &context)))
}

pub(super) async fn sign_in(
    State(app): State<App>,
    context: RequestContext,
    session: Session,
    fields: Fields,
) -> Answer {
    let (email, next) = (fields.text("email"), safe_next(&fields.text("next")).to_owned());
    let password = Secret::new(fields.raw("password").to_owned());
    let (status, sentence) = match sign_in::sign_in(&app.honnin, &email, password, context.client).await {
        Ok(user) => {
            begin(&session, &user, app.honnin.now()).await?;
            return Ok(Redirect::to(&next).into_response());
        }
        Err(SignInError::Wrong) => (
            StatusCode::UNPROCESSABLE_ENTITY,
            "The e-mail address or password is incorrect.",
        ),
        Err(SignInError::Throttled) => (
            StatusCode::TOO_MANY_REQUESTS,
            "Too many attempts. Wait 15 minutes, then try again.",
        ),
        Err(SignInError::Store(error)) => return Err(error.into()),
    };
    let view = SignInView {
        email,
        next,
        has_new_password: false,
        mistakes: vec![mistake("email", sentence)],
    };
    Ok((status, Html(entry::sign_in(&view, &meta(&app, &context)))).into_response())
}

fn closed(app: &App, context: &RequestContext) -> Response {
    let sentence =
        "This set-up link has already been used or does not exist. Sign in, or restart the server to get a new link.";
    let page = entry::message("Set-up is closed", sentence, None, &meta(app, context));
    (StatusCode::NOT_FOUND, Html(page)).into_response()
}

pub(super) async fn set_up_page(State(app): State<App>, context: RequestContext, Path(token): Path<String>) -> Answer {
    match set_up::open_set_up(&app.honnin, &token).await {
        Ok(tenant) => {
            let view = SetUpView {
                token,
                tenant,
                ..SetUpView::default()
            };
            ok(entry::set_up(&view, &meta(&app, &context)))
        }
        Err(SetUpError::Store(error)) => Err(error.into()),
        Err(SetUpError::Closed | SetUpError::Bad(_)) => Ok(closed(&app, &context)),
    }
}

pub(super) async fn set_up(
    State(app): State<App>,
    context: RequestContext,
    session: Session,
    Path(token): Path<String>,
    fields: Fields,
) -> Answer {
    let form = SetUp {
        organisation: fields.text("organisation"),
        email: fields.text("email"),
        name: fields.text("name"),
        password: Secret::new(fields.raw("password").to_owned()),
    };
    let faults = match set_up::set_up(&app.honnin, &token, form).await {
        Ok(user) => {
            begin(&session, &user, app.honnin.now()).await?;
            return Ok(Redirect::to("/admin").into_response());
        }
        Err(SetUpError::Bad(faults)) => faults,
        Err(SetUpError::Closed) => return Ok(closed(&app, &context)),
        Err(SetUpError::Store(error)) => return Err(error.into()),
    };
    let tenant = set_up::open_set_up(&app.honnin, &token)
        .await
        .map_err(|_| Fault::NotFound)?;
    let view = SetUpView {
        token,
        tenant,
        organisation: fields.text("organisation"),
        name: fields.text("name"),
        email: fields.text("email"),
        mistakes: faults
            .into_iter()
            .map(|BadField { field, message }| mistake(field, message))
            .collect(),
    };
    wrong(entry::set_up(&view, &meta(&app, &context)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_sent_to_another_site() {
        for inside in ["/admin", "/admin/sessions?status=failed", "/admin?x=1"] {
            assert_eq!(safe_next(inside), inside);
        }
        for outside in [
            "",
            "//evil.example",
            "https://evil.example/admin/",
            "/adminx",
            "/admin/\\evil",
            "/admin/\r\nx: y",
        ] {
            assert_eq!(safe_next(outside), "/admin", "{outside:?}");
        }
    }
}
