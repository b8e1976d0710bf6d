//! Signing in and setting up.

mod view;

use super::{
    fault::Fault,
    next::{safe_next, with_next},
    parts::in_order,
    password_faults::bad_field,
    proof::{challenge_response, code_refusal, no_code, no_passwords, throttled, wrong_passkey},
    request::{GuestRequest, PageResult, SessionChange, guest},
    words::say,
};
use crate::page::{Fields, Outcome, form, handler, mistake};
use axum::{Router, response::Response, routing::post};
use domain::secret::Secret;
use http::StatusCode;
use leptos::prelude::*;
use serde::Serialize;
use service::people::{
    openid::sign_out_address,
    pending_sign_in::AfterFirstFactor,
    second_factor::{
        CodeError, list_factors,
        passkeys::{self, Answerer, PasskeyError, issue_challenge},
        sign_in_with_code,
    },
    set_up::{self, SetUp, SetUpError},
    sign_in::{self, SignInError},
};
use view::{CodeView, SetUpView, SignInView};

/// Signing in.
#[component]
pub fn SignInPage() -> impl IntoView {
    guest(load_sign_in, view::sign_in)
}

/// The second factor.
#[component]
pub fn CodePage() -> impl IntoView {
    guest(load_code, view::code)
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
        .route("/admin/sign-in/code", post(form("/admin/sign-in/code", enter_code)))
        .route(
            "/admin/sign-in/passkey",
            post(form("/admin/sign-in", sign_in_with_passkey)),
        )
        .route("/admin/sign-in/challenge/{step}", post(handler(challenge)))
        .route("/admin/set-up/{token}", post(form("/admin/set-up/{token}", set_up)))
}

/// The fields of the set-up in their order.
const FIELDS: [&str; 4] = ["organisation", "name", "email", "password"];

/// The `done` of the page after signing out.
pub(super) const SIGNED_OUT: &str = "sign-out";
/// The same after a form was sent in a session that had ended.
pub const NOT_SAVED: &str = "not-saved";

/// The ways to sign in here.
fn view_of(request: &GuestRequest) -> SignInView {
    SignInView {
        provider: request.honnin().provider().map(|provider| provider.name.clone()),
        is_local: request.honnin().allows_local_sign_in(),
        ..SignInView::default()
    }
}

async fn load_sign_in(request: GuestRequest) -> PageResult<SignInView> {
    let fields = request.query()?;
    let done = fields.text("done");
    let elsewhere = match done.as_str() {
        SIGNED_OUT => sign_out_address(request.honnin()).await,
        _ => None,
    };
    Ok(SignInView {
        next: safe_next(&fields.text("next")).to_owned(),
        has_new_password: done == "password",
        has_signed_out: done == SIGNED_OUT,
        has_lost_form: done == NOT_SAVED,
        sign_out_elsewhere: elsewhere.map(String::from),
        ..view_of(&request)
    })
}

async fn sign_in(request: GuestRequest, fields: Fields) -> PageResult<Outcome> {
    let (email, next) = (fields.text("email"), safe_next(&fields.text("next")).to_owned());
    let password = Secret::new(fields.raw("password").to_owned());
    let (status, sentence) = match sign_in::sign_in(request.honnin(), &email, password, &request.who.client).await {
        Ok(AfterFirstFactor::SignedIn(entrance)) => {
            return Ok(Outcome::go(&next).with(SessionChange::SignedIn(entrance)));
        }
        Ok(AfterFirstFactor::SecondFactor(pending)) => {
            let code = Outcome::go(&with_next("/admin/sign-in/code", &next));
            return Ok(code.with(SessionChange::SignInPending(pending)));
        }
        Err(SignInError::Wrong) => (
            StatusCode::UNPROCESSABLE_ENTITY,
            say(
                "The e-mail address or password is incorrect.",
                "メールアドレスまたはパスワードが正しくありません。",
            ),
        ),
        Err(SignInError::Off) => (StatusCode::FORBIDDEN, no_passwords()),
        Err(SignInError::Throttled) => (StatusCode::TOO_MANY_REQUESTS, throttled()),
        Err(SignInError::Store(error)) => return Err(error.into()),
    };
    let view = SignInView {
        email,
        next,
        mistakes: vec![mistake("email", sentence)],
        ..view_of(&request)
    };
    Ok(Outcome::shown(status, view))
}

/// The page that asks for the second factor. Without the first one, it starts at the beginning.
async fn load_code(request: GuestRequest) -> PageResult<CodeView> {
    let pending = request.who.pending.as_ref().ok_or(Fault::NoFirstFactor)?;
    let factors = list_factors(request.honnin(), &pending.user).await?;
    Ok(CodeView {
        next: safe_next(&request.query()?.text("next")).to_owned(),
        passkey: !factors.passkeys.is_empty(),
        mistakes: Vec::new(),
    })
}

async fn enter_code(request: GuestRequest, fields: Fields) -> PageResult<Outcome> {
    let next = safe_next(&fields.text("next")).to_owned();
    let pending = request.who.pending.clone().ok_or(Fault::NoFirstFactor)?;
    let honnin = request.honnin();
    let sentence = if fields.has("credential") {
        match passkeys::sign_in(honnin, Some(&pending), fields.raw("credential"), &request.who.client).await {
            Ok(entrance) => return Ok(Outcome::go(&next).with(SessionChange::SignedIn(entrance))),
            Err(PasskeyError::Store(error)) => return Err(error.into()),
            Err(_) => wrong_passkey(),
        }
    } else if fields.text("code").is_empty() {
        no_code()
    } else {
        match sign_in_with_code(honnin, &pending, fields.raw("code"), &request.who.client).await {
            Ok(entrance) => return Ok(Outcome::go(&next).with(SessionChange::SignedIn(entrance))),
            Err(CodeError::Store(error)) => return Err(error.into()),
            Err(refused) => code_refusal(&refused),
        }
    };
    let factors = list_factors(honnin, &pending.user).await?;
    Ok(Outcome::refused(CodeView {
        next,
        passkey: !factors.passkeys.is_empty(),
        mistakes: vec![mistake("code", sentence)],
    }))
}

async fn sign_in_with_passkey(request: GuestRequest, fields: Fields) -> PageResult<Outcome> {
    let next = safe_next(&fields.text("next")).to_owned();
    match passkeys::sign_in(request.honnin(), None, fields.raw("credential"), &request.who.client).await {
        Ok(entrance) => Ok(Outcome::go(&next).with(SessionChange::SignedIn(entrance))),
        Err(PasskeyError::Store(error)) => Err(error.into()),
        Err(_) => Ok(Outcome::refused(SignInView {
            next,
            mistakes: vec![mistake("email", wrong_passkey())],
            ..view_of(&request)
        })),
    }
}

/// What the script of both pages gets.
#[derive(Serialize)]
struct Asked {
    challenge: String,
    party: String,
    credentials: Vec<String>,
}

/// POST: a challenge for anybody's passkey, or for that of the person whose password was right.
async fn challenge(request: GuestRequest) -> PageResult<Response> {
    let pending = request.who.pending.as_ref();
    // On the page before the password there is nobody yet, even if a sign-in is pending in another tab.
    let pending = pending.filter(|_| request.param("step") == "code");
    let issued = issue_challenge(request.honnin(), Answerer::of_sign_in(pending, request.client)).await;
    challenge_response(issued, |issued| Asked {
        challenge: issued.challenge.expose().clone(),
        party: issued.party,
        credentials: issued.credentials,
    })
}

async fn load_set_up(request: GuestRequest) -> PageResult<SetUpView> {
    opened_set_up(&request).await
}

/// The form before anything is typed.
async fn opened_set_up(request: &GuestRequest) -> PageResult<SetUpView> {
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
    let faults = match set_up::set_up(request.honnin(), token, typed, &request.who.client).await {
        Ok(entrance) => {
            return Ok(Outcome::go("/admin").with(SessionChange::SignedIn(entrance)));
        }
        Err(SetUpError::Bad(faults)) => faults,
        Err(SetUpError::Closed) => return Err(Fault::SetUpClosed),
        Err(SetUpError::Store(error)) => return Err(error.into()),
    };
    Ok(Outcome::refused(SetUpView {
        organisation: fields.text("organisation"),
        name: fields.text("name"),
        email: fields.text("email"),
        mistakes: in_order(faults.into_iter().map(bad_field).collect(), &FIELDS),
        ..opened_set_up(&request).await?
    }))
}
