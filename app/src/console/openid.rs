//! Signing in, confirming and joining with the installation's OpenID provider. Each begins with a link and not with a form: a
//! redirect after a form would have to be allowed by the page's policy (`form-action`), for every server that the provider sends the
//! browser on to.

use super::{
    fault::{Fault, ProviderFault},
    flash::Notice,
    next::{safe_next, with_next},
    proof::confirmed,
    request::{GuestRequest, PageResult, Request, SessionChange},
};
use crate::page::handler;
use axum::{
    Router,
    response::{IntoResponse as _, Redirect, Response},
    routing::get,
};
use domain::secret::Secret;
use service::{
    people::{
        openid::{Answer, Finished, OpenIdError, Purpose, begin, finish},
        second_factor::list_factors,
    },
    runtime::token::is_well_formed,
};

/// Longest code and state that are looked at, in bytes.
const LONGEST: usize = 4096;

/// An extension of the response: the browser's cookie of its attempt; `None` removes it.
#[derive(Clone, Debug)]
pub struct AttemptCookie(pub Option<Secret<String>>);

/// What people who are not signed in may open.
pub(super) fn guest_forms() -> Router {
    Router::new()
        .route("/admin/sign-in/openid", get(handler(sign_in)))
        .route("/admin/sign-in/openid/callback", get(handler(callback)))
        .route("/admin/invitation/{token}/openid", get(handler(join)))
}

/// What people who are signed in may open.
pub(super) fn signed_in_forms() -> Router {
    Router::new().route("/admin/confirm/openid", get(handler(confirm)))
}

fn fault(error: OpenIdError) -> Fault {
    match error {
        OpenIdError::Off => Fault::NotFound,
        OpenIdError::Store(error) => error.into(),
        OpenIdError::SecondFactor => Fault::Confirm("/admin".into()),
        OpenIdError::Invitation => Fault::LinkClosed,
        OpenIdError::Unreachable => Fault::Provider(ProviderFault::Away),
        OpenIdError::Closed => Fault::Provider(ProviderFault::Closed),
        OpenIdError::Denied => Fault::Provider(ProviderFault::Denied),
        OpenIdError::Refused => Fault::Provider(ProviderFault::Refused),
        OpenIdError::Unknown => Fault::Provider(ProviderFault::Unknown),
        OpenIdError::Other => Fault::Provider(ProviderFault::Other),
        OpenIdError::Throttled => Fault::Provider(ProviderFault::Throttled),
    }
}

fn go(path: &str) -> Response {
    Redirect::to(path).into_response()
}

fn with<T: Clone + Send + Sync + 'static>(mut answer: Response, extension: T) -> Response {
    answer.extensions_mut().insert(extension);
    answer
}

async fn begun(honnin: &service::Honnin, purpose: Purpose, next: &str) -> PageResult<Response> {
    let begun = begin(honnin, purpose, next).await.map_err(fault)?;
    Ok(with(go(begun.location.as_str()), AttemptCookie(Some(begun.cookie))))
}

async fn sign_in(request: GuestRequest) -> PageResult<Response> {
    let next = safe_next(&request.query()?.text("next")).to_owned();
    if !request.who.is_own_link {
        return Ok(go("/admin/sign-in"));
    }
    begun(request.honnin(), Purpose::SignIn, &next).await
}

/// Another site could otherwise have somebody who is signed in at the provider accept an invitation unseen.
async fn join(request: GuestRequest) -> PageResult<Response> {
    let token = request.param("token").to_owned();
    // What is no token fits neither an address nor a cookie.
    if !is_well_formed(&token) {
        return Err(Fault::LinkClosed);
    }
    if !request.who.is_own_link {
        return Ok(go(&format!("/admin/invitation/{token}")));
    }
    begun(request.honnin(), Purpose::Join(token), "/admin").await
}

async fn confirm(request: Request) -> PageResult<Response> {
    let next = safe_next(&request.query()?.text("next")).to_owned();
    let user = request.staff().user().clone();
    if list_factors(request.honnin(), &user).await?.any() {
        // The page asks for the second factor.
        return Ok(go(&with_next("/admin/confirm", &next)));
    }
    begun(request.honnin(), Purpose::Confirm(user), &next).await
}

async fn callback(request: GuestRequest) -> PageResult<Response> {
    let query = request.query()?;
    let given = |name: &str| Some(query.raw(name).to_owned()).filter(|value| !value.is_empty());
    let answer = Answer {
        state: query.raw("state").to_owned(),
        code: given("code"),
        error: given("error"),
        issuer: given("iss"),
    };
    if answer.state.len() > LONGEST || answer.code.as_ref().is_some_and(|code| code.len() > LONGEST) {
        return Err(Fault::Malformed);
    }
    let cookie = request.who.attempt.as_deref();
    let finished = finish(request.honnin(), cookie, &answer, &request.who.client).await;
    let answer = match finished.map_err(fault)? {
        Finished::SignedIn {
            entrance,
            proved_at,
            next,
        } => with(
            go(safe_next(&next)),
            SessionChange::SignedInElsewhere { entrance, proved_at },
        ),
        Finished::SecondFactor { pending, next } => with(
            go(&with_next("/admin/sign-in/code", &next)),
            SessionChange::SignInPending(pending),
        ),
        Finished::Confirmed { user, proved_at, next } => {
            let next = safe_next(&next);
            let answer = with(go(next), SessionChange::ConfirmedElsewhere { user, proved_at });
            with(answer, Notice::good(confirmed(next)))
        }
    };
    Ok(with(answer, AttemptCookie(None)))
}
