//! Links for choosing a password: invitations and resets. Opening one changes nothing; submitting the form uses it up.

mod view;

use super::{
    fault::Fault,
    password_faults::bad_password,
    request::{GuestRequest, PageResult, SessionChange, guest},
    words::say,
};
use crate::{
    page::{Fields, Outcome, form, mistake},
    parts::Mistake,
};
use axum::{Router, routing::post};
use domain::secret::Secret;
use leptos::prelude::*;
use service::{
    Honnin,
    people::{
        accept_invitation::{AcceptError, OpenInvitation, accept_invitation, open_invitation},
        pending_sign_in::AfterFirstFactor,
        reset_password::{ResetError, open_reset, reset_password, sign_in_by_link},
    },
};
use view::{InvitationView, ResetView};

const INVITATION: &str = "/admin/invitation/{token}";
const RESET: &str = "/admin/reset/{token}";

/// An invitation.
#[component]
pub fn InvitationPage() -> impl IntoView {
    guest(load_invitation, view::invitation)
}

/// A password reset.
#[component]
pub fn ResetPage() -> impl IntoView {
    guest(load_reset, view::reset)
}

/// Their forms.
pub(super) fn forms() -> Router {
    Router::new()
        .route("/admin/invitation/{token}", post(form(INVITATION, accept)))
        .route("/admin/reset/{token}", post(form(RESET, reset)))
}

fn view_of(honnin: &Honnin, token: String, open: OpenInvitation, mistakes: Vec<Mistake>) -> InvitationView {
    InvitationView {
        provider: honnin.provider().map(|provider| provider.name.clone()),
        has_passwords: honnin.allows_local_sign_in(),
        token,
        name: open.name,
        email: open.email,
        role: open.role,
        tenant: open.tenant,
        operator: open.operator,
        mistakes,
    }
}

async fn load_invitation(request: GuestRequest) -> PageResult<InvitationView> {
    opened_invitation(&request, Vec::new()).await
}

async fn opened_invitation(request: &GuestRequest, mistakes: Vec<Mistake>) -> PageResult<InvitationView> {
    let token = request.param("token");
    match open_invitation(request.honnin(), token).await {
        Ok(open) => Ok(view_of(request.honnin(), token.to_owned(), open, mistakes)),
        Err(AcceptError::Store(error)) => Err(error.into()),
        Err(AcceptError::Closed | AcceptError::Taken | AcceptError::Bad(_)) => Err(Fault::LinkClosed),
    }
}

async fn accept(request: GuestRequest, fields: Fields) -> PageResult<Outcome> {
    let password = Secret::new(fields.raw("password").to_owned());
    let sentence = match accept_invitation(request.honnin(), request.param("token"), password, &request.who.client).await {
        Ok(entrance) => return Ok(Outcome::go("/admin").with(SessionChange::SignedIn(entrance))),
        Err(AcceptError::Bad(bad)) => bad_password(bad),
        Err(AcceptError::Taken) => say(
            "An account with this address already exists. Sign in, or ask for an invitation sent to a different address.",
            "このメールアドレスのアカウントはすでに存在します。サインインするか、別のメールアドレスへの招待をご依頼ください。",
        )
        .to_owned(),
        Err(AcceptError::Closed) => return Err(Fault::LinkClosed),
        Err(AcceptError::Store(error)) => return Err(error.into()),
    };
    let view = opened_invitation(&request, vec![mistake("password", sentence)]).await?;
    Ok(Outcome::refused(view))
}

async fn load_reset(request: GuestRequest) -> PageResult<ResetView> {
    opened_reset(&request, Vec::new()).await
}

async fn opened_reset(request: &GuestRequest, mistakes: Vec<Mistake>) -> PageResult<ResetView> {
    let token = request.param("token");
    let email = open_reset(request.honnin(), token).await.map_err(unusable)?;
    Ok(ResetView {
        token: token.to_owned(),
        email,
        has_passwords: request.honnin().allows_local_sign_in(),
        mistakes,
    })
}

/// Why a link cannot be opened.
fn unusable(error: ResetError) -> Fault {
    match error {
        ResetError::Store(error) => error.into(),
        ResetError::Closed | ResetError::Bad(_) => Fault::LinkClosed,
    }
}

/// After choosing a new password, the person signs in with it: the link alone grants no access. Where nobody has a password, a link
/// from the command line signs in once.
async fn reset(request: GuestRequest, fields: Fields) -> PageResult<Outcome> {
    if !request.honnin().allows_local_sign_in() {
        let signed_in = sign_in_by_link(request.honnin(), request.param("token"), &request.who.client).await;
        return Ok(match signed_in.map_err(unusable)? {
            AfterFirstFactor::SignedIn(entrance) => Outcome::go("/admin").with(SessionChange::SignedIn(entrance)),
            AfterFirstFactor::SecondFactor(pending) => {
                Outcome::go("/admin/sign-in/code").with(SessionChange::SignInPending(pending))
            }
        });
    }
    let password = Secret::new(fields.raw("password").to_owned());
    let sentence = match reset_password(request.honnin(), request.param("token"), password, request.client).await {
        Ok(()) => return Ok(Outcome::go("/admin/sign-in?done=password")),
        Err(ResetError::Bad(bad)) => bad_password(bad),
        Err(ResetError::Closed) => return Err(Fault::LinkClosed),
        Err(ResetError::Store(error)) => return Err(error.into()),
    };
    let view = opened_reset(&request, vec![mistake("password", sentence)]).await?;
    Ok(Outcome::refused(view))
}
