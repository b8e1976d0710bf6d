//! Signing in and setting up.

mod view;

use super::{
    fault::Fault,
    request::{GuestRequest, PageResult, SessionChange, guest},
};
use crate::page::{Fields, Outcome, form, mistake};
use axum::{Router, routing::post};
use domain::secret::Secret;
use http::StatusCode;
use leptos::prelude::*;
use service::people::{
    BadField,
    set_up::{self, SetUp, SetUpError},
    sign_in::{self, SignInError},
};
use view::{SetUpView, SignInView};

/// Signing in.
#[component]
pub fn SignInPage() -> impl IntoView {
    guest(load_sign_in, view::sign_in)
}

/// Setting up.
#[component]
pub fn SetUpPage() -> impl IntoView {
    guest(load_set_up, view::set_up)
}

/// Their forms.
pub(super) fn forms() -> Router {
    Router::new()
        .route("/admin/sign-in", post(form("/admin/sign-in", sign_in)))
        .route("/admin/set-up/{token}", post(form("/admin/set-up/{token}", set_up)))
}

/// The address in the console to continue at. Anything else, above all another site, becomes the overview.
pub(super) fn safe_next(next: &str) -> &str {
    let inside = next == "/admin" || next.starts_with("/admin/") || next.starts_with("/admin?");
    let plain = next.bytes().all(|b| b.is_ascii_graphic() && b != b'\\') && !next.starts_with("//");
    if inside && plain { next } else { "/admin" }
}

async fn load_sign_in(request: GuestRequest) -> PageResult<SignInView> {
    let fields = request.query()?;
    Ok(SignInView {
        next: safe_next(&fields.text("next")).to_owned(),
        has_new_password: fields.text("done") == "password",
        ..SignInView::default()
    })
}

async fn sign_in(request: GuestRequest, fields: Fields) -> PageResult<Outcome> {
    let (email, next) = (fields.text("email"), safe_next(&fields.text("next")).to_owned());
    let password = Secret::new(fields.raw("password").to_owned());
    let (status, sentence) = match sign_in::sign_in(request.honnin(), &email, password, request.client).await {
        Ok(user) => {
            return Ok(Outcome::go(&next).with(SessionChange::SignedIn(user)));
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
    Ok(Outcome::shown(status, view))
}

async fn load_set_up(request: GuestRequest) -> PageResult<SetUpView> {
    let token = request.param("token").to_owned();
    match set_up::open_set_up(request.honnin(), &token).await {
        Ok(tenant) => Ok(SetUpView {
            token,
            tenant,
            ..SetUpView::default()
        }),
        Err(SetUpError::Store(error)) => Err(error.into()),
        Err(SetUpError::Closed | SetUpError::Bad(_)) => Err(Fault::SetUpClosed),
    }
}

async fn set_up(request: GuestRequest, fields: Fields) -> PageResult<Outcome> {
    let token = request.param("token");
    let typed = SetUp {
        organisation: fields.text("organisation"),
        email: fields.text("email"),
        name: fields.text("name"),
        password: Secret::new(fields.raw("password").to_owned()),
    };
    let faults = match set_up::set_up(request.honnin(), token, typed).await {
        Ok(user) => {
            return Ok(Outcome::go("/admin").with(SessionChange::SignedIn(user)));
        }
        Err(SetUpError::Bad(faults)) => faults,
        Err(SetUpError::Closed) => return Err(Fault::SetUpClosed),
        Err(SetUpError::Store(error)) => return Err(error.into()),
    };
    let tenant = set_up::open_set_up(request.honnin(), token)
        .await
        .map_err(|_| Fault::NotFound)?;
    Ok(Outcome::refused(SetUpView {
        token: token.to_owned(),
        tenant,
        organisation: fields.text("organisation"),
        name: fields.text("name"),
        email: fields.text("email"),
        mistakes: faults
            .into_iter()
            .map(|BadField { field, message }| mistake(field, message))
            .collect(),
    }))
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
