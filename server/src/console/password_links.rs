//! Links by which people choose a password: invitations and resets. Looking at one changes nothing; sending the form uses it up.

use super::{
    form::{Fields, mistake},
    wall::{Answer, begin, meta, ok, wrong},
};
use crate::{edge::RequestContext, state::App};
use app::{
    console::{
        entry::message,
        password_links::{self, InvitationView, ResetView},
    },
    parts::Mistake,
};
use axum::{
    extract::{Path, State},
    response::{Html, IntoResponse, Redirect, Response},
};
use domain::secret::Secret;
use http::StatusCode;
use service::{
    accept_invitation::{AcceptError, OpenInvitation, accept_invitation, open_invitation},
    reset_password::{ResetError, open_reset, reset_password},
};
use store::users::Role;
use tower_sessions::Session;

/// One answer for a link that was used, revoked, replaced, has expired, or never was.
fn closed(app: &App, context: &RequestContext) -> Response {
    let sentence = "This link has been used or revoked, or it is older than 72 hours. Ask for a new one.";
    let page = message("This link cannot be used", sentence, None, &meta(app, context));
    (StatusCode::NOT_FOUND, Html(page)).into_response()
}

fn view(token: String, open: OpenInvitation, mistakes: Vec<Mistake>) -> InvitationView {
    InvitationView {
        token,
        name: open.name,
        email: open.email,
        role: open.role.map(Role::as_str),
        tenant: open.tenant,
        operator: open.operator,
        mistakes,
    }
}

pub(super) async fn invitation_page(
    State(app): State<App>,
    context: RequestContext,
    Path(token): Path<String>,
) -> Answer {
    match open_invitation(&app.honnin, &token).await {
        Ok(open) => ok(password_links::invitation(
            &view(token, open, Vec::new()),
            &meta(&app, &context),
        )),
        Err(AcceptError::Store(error)) => Err(error.into()),
        Err(AcceptError::Closed | AcceptError::Taken | AcceptError::Bad(_)) => Ok(closed(&app, &context)),
    }
}

pub(super) async fn accept(
    State(app): State<App>,
    context: RequestContext,
    session: Session,
    Path(token): Path<String>,
    fields: Fields,
) -> Answer {
    let password = Secret::new(fields.raw("password").to_owned());
    let sentence = match accept_invitation(&app.honnin, &token, password).await {
        Ok(user) => {
            begin(&session, &user, app.honnin.now()).await?;
            return Ok(Redirect::to("/admin").into_response());
        }
        Err(AcceptError::Bad(sentence)) => sentence,
        Err(AcceptError::Taken) => {
            "An account with this address already exists. Sign in, or ask for an invitation to another address."
                .to_owned()
        }
        Err(AcceptError::Closed) => return Ok(closed(&app, &context)),
        Err(AcceptError::Store(error)) => return Err(error.into()),
    };
    match open_invitation(&app.honnin, &token).await {
        Ok(open) => {
            let view = view(token, open, vec![mistake("password", sentence)]);
            wrong(password_links::invitation(&view, &meta(&app, &context)))
        }
        Err(AcceptError::Store(error)) => Err(error.into()),
        Err(AcceptError::Closed | AcceptError::Taken | AcceptError::Bad(_)) => Ok(closed(&app, &context)),
    }
}

pub(super) async fn reset_page(State(app): State<App>, context: RequestContext, Path(token): Path<String>) -> Answer {
    match open_reset(&app.honnin, &token).await {
        Ok(email) => {
            let view = ResetView {
                token,
                email,
                mistakes: Vec::new(),
            };
            ok(password_links::reset(&view, &meta(&app, &context)))
        }
        Err(ResetError::Store(error)) => Err(error.into()),
        Err(ResetError::Closed | ResetError::Bad(_)) => Ok(closed(&app, &context)),
    }
}

/// Whoever chose a new password signs in with it: the link alone opens nothing else.
pub(super) async fn reset(
    State(app): State<App>,
    context: RequestContext,
    Path(token): Path<String>,
    fields: Fields,
) -> Answer {
    let password = Secret::new(fields.raw("password").to_owned());
    let sentence = match reset_password(&app.honnin, &token, password).await {
        Ok(()) => return Ok(Redirect::to("/admin/sign-in?done=password").into_response()),
        Err(ResetError::Bad(sentence)) => sentence,
        Err(ResetError::Closed) => return Ok(closed(&app, &context)),
        Err(ResetError::Store(error)) => return Err(error.into()),
    };
    match open_reset(&app.honnin, &token).await {
        Ok(email) => {
            let view = ResetView {
                token,
                email,
                mistakes: vec![mistake("password", sentence)],
            };
            wrong(password_links::reset(&view, &meta(&app, &context)))
        }
        Err(ResetError::Store(error)) => Err(error.into()),
        Err(ResetError::Closed | ResetError::Bad(_)) => Ok(closed(&app, &context)),
    }
}
