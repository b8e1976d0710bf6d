//! The account page: signing out here or everywhere, confirming the password, choosing the tenant to work in.

mod view;

use super::{
    entry::safe_next,
    fault::Fault,
    layout::NavigationItem,
    request::{PageResult, Request, SessionChange, done, signed_in},
};
use crate::page::{Fields, Outcome, form, mistake};
use crate::parts::Mistake;
use axum::{Router, routing::post};
use domain::{ids::TenantId, secret::Secret};
use leptos::prelude::*;
use service::{
    access::Operator,
    people::{
        change_password::{ChangePasswordError, change_password as change},
        console_session,
        sign_in::{SignInError, confirm_password},
    },
};
use view::{AccountView, ConfirmView};

/// The account page.
#[component]
pub fn AccountPage() -> impl IntoView {
    signed_in(NavigationItem::Account, load, view::account)
}

/// The page that asks for the password again.
#[component]
pub fn ConfirmPage() -> impl IntoView {
    signed_in(NavigationItem::Overview, load_confirm, view::confirm)
}

/// The forms of both pages, and those present on every page.
pub(super) fn forms() -> Router {
    Router::new()
        .route("/admin/account/password", post(form("/admin/account", change_password)))
        .route("/admin/confirm", post(form("/admin/confirm", confirm)))
        .route("/admin/sign-out", post(form("/admin/account", sign_out)))
        .route(
            "/admin/sign-out-everywhere",
            post(form("/admin/account", sign_out_everywhere)),
        )
        .route("/admin/tenant", post(form("/admin", look_at)))
}

async fn load(request: Request) -> PageResult<AccountView> {
    Ok(view_of(&request, Vec::new()))
}

fn view_of(request: &Request, mistakes: Vec<Mistake>) -> AccountView {
    AccountView {
        email: request.staff().email().to_owned(),
        mistakes,
    }
}

async fn change_password(request: Request, fields: Fields) -> PageResult<Outcome> {
    let secret = |name| Secret::new(fields.raw(name).to_owned());
    let (present, new) = (secret("present"), secret("password"));
    let wrong_field = match change(request.honnin(), request.staff(), present, new).await {
        Ok(()) => {
            // The change ended every session; this browser gets a new one.
            let change = SessionChange::SignedIn(request.staff().user().clone());
            let notice = "Your password has been changed. You have been signed out everywhere else.";
            return Ok(done("/admin/account", notice)?.with(change));
        }
        Err(ChangePasswordError::Bad(sentence)) => mistake("password", sentence),
        Err(ChangePasswordError::Present(refused)) => mistake("present", refusal(&refused)),
        Err(ChangePasswordError::Store(error)) => return Err(error.into()),
    };
    Ok(Outcome::refused(view_of(&request, vec![wrong_field])))
}

/// Why a password entered for confirmation is refused.
const fn refusal(refused: &SignInError) -> &'static str {
    match refused {
        SignInError::Throttled => "Too many attempts. Wait 15 minutes, then try again.",
        SignInError::Wrong | SignInError::Store(_) => "The password is incorrect.",
    }
}

async fn sign_out(_: Request, _: Fields) -> PageResult<Outcome> {
    Ok(Outcome::go("/admin/sign-in").with(SessionChange::SignedOut))
}

async fn sign_out_everywhere(request: Request, _: Fields) -> PageResult<Outcome> {
    console_session::sign_out_everywhere(request.honnin(), request.staff()).await?;
    Ok(Outcome::go("/admin/sign-in").with(SessionChange::SignedOut))
}

async fn load_confirm(request: Request) -> PageResult<ConfirmView> {
    Ok(ConfirmView {
        next: safe_next(&request.query()?.text("next")).to_owned(),
        mistakes: Vec::new(),
    })
}

/// Asks who it is once more, with the fields of a form that has them (step-up): what is wrong with them, if anything.
pub(super) async fn step_up(request: &Request, fields: &Fields) -> PageResult<Option<Mistake>> {
    let password = Secret::new(fields.raw("password").to_owned());
    match confirm_password(request.honnin(), request.staff(), password).await {
        Ok(()) => Ok(None),
        Err(SignInError::Store(error)) => Err(error.into()),
        Err(refused) => Ok(Some(mistake("password", refusal(&refused)))),
    }
}

async fn confirm(request: Request, fields: Fields) -> PageResult<Outcome> {
    let next = safe_next(&fields.text("next")).to_owned();
    match step_up(&request, &fields).await? {
        None => Ok(done(&next, "Thank you. You can continue.")?.with(SessionChange::PasswordEntered)),
        Some(wrong) => Ok(Outcome::refused(ConfirmView {
            next,
            mistakes: vec![wrong],
        })),
    }
}

async fn look_at(request: Request, fields: Fields) -> PageResult<Outcome> {
    Operator::of(request.staff())?;
    let tenant = TenantId::parse(&fields.text("tenant")).ok_or(Fault::NotFound)?;
    Ok(Outcome::go("/admin").with(SessionChange::LooksAt(tenant)))
}
