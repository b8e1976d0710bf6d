//! One's own account: signing out, here or everywhere; confirming the password; choosing the tenant to look at.

use super::{
    entry::safe_next,
    form::{Fields, mistake},
    wall::{Answer, Desk, Fault, begin, ok, wrong},
};
use app::console::{
    Place,
    entry::{self, ConfirmView},
};
use axum::response::{IntoResponse, Redirect};
use domain::{ids::TenantId, secret::Secret};
use service::{
    access::Operator,
    change_password::{ChangePasswordError, change_password as change},
    console_session,
    sign_in::{SignInError, confirm_password},
};

pub(super) async fn page(desk: Desk) -> Answer {
    let frame = desk.frame(Place::Account).await?;
    ok(entry::account(desk.staff.email(), &[], &frame, &desk.meta()))
}

pub(super) async fn change_password(desk: Desk, fields: Fields) -> Answer {
    let secret = |name| Secret::new(fields.raw(name).to_owned());
    let (present, new) = (secret("present"), secret("password"));
    let wrong_field = match change(&desk.app.honnin, &desk.staff, present, new).await {
        Ok(()) => {
            // Every session ended by it; this browser gets a new one.
            begin(&desk.session, desk.staff.user(), desk.app.honnin.now()).await?;
            return desk
                .done(
                    "/admin/account",
                    "Your password has been changed. You have been signed out everywhere else.",
                )
                .await;
        }
        Err(ChangePasswordError::Bad(sentence)) => mistake("password", sentence),
        Err(ChangePasswordError::Present(refused)) => mistake("present", refusal(&refused)),
        Err(ChangePasswordError::Store(error)) => return Err(error.into()),
    };
    let frame = desk.frame(Place::Account).await?;
    wrong(entry::account(desk.staff.email(), &[wrong_field], &frame, &desk.meta()))
}

/// Why a password that was asked for again is not taken.
pub(super) const fn refusal(refused: &SignInError) -> &'static str {
    match refused {
        SignInError::Throttled => "Too many attempts. Wait 15 minutes, then try again.",
        SignInError::Wrong | SignInError::Store(_) => "The password is incorrect.",
    }
}

pub(super) async fn sign_out(desk: Desk) -> Answer {
    desk.session.flush().await?;
    Ok(Redirect::to("/admin/sign-in").into_response())
}

pub(super) async fn sign_out_everywhere(desk: Desk) -> Answer {
    console_session::sign_out_everywhere(&desk.app.honnin, &desk.staff).await?;
    desk.session.flush().await?;
    Ok(Redirect::to("/admin/sign-in").into_response())
}

pub(super) async fn confirm_page(desk: Desk, fields: Fields) -> Answer {
    let frame = desk.frame(Place::Overview).await?;
    let view = ConfirmView {
        next: safe_next(&fields.text("next")).to_owned(),
        mistakes: Vec::new(),
    };
    ok(entry::confirm(&view, &frame, &desk.meta()))
}

pub(super) async fn confirm(desk: Desk, fields: Fields) -> Answer {
    let next = safe_next(&fields.text("next")).to_owned();
    let password = Secret::new(fields.raw("password").to_owned());
    let sentence = match confirm_password(&desk.app.honnin, &desk.staff, password).await {
        Ok(()) => {
            desk.freshen().await?;
            return desk.done(&next, "Thank you. You can continue.").await;
        }
        Err(SignInError::Store(error)) => return Err(error.into()),
        Err(refused) => refusal(&refused),
    };
    let frame = desk.frame(Place::Overview).await?;
    let view = ConfirmView {
        next,
        mistakes: vec![mistake("password", sentence)],
    };
    wrong(entry::confirm(&view, &frame, &desk.meta()))
}

pub(super) async fn look_at(desk: Desk, fields: Fields) -> Answer {
    Operator::of(&desk.staff)?;
    let tenant = TenantId::parse(&fields.text("tenant")).ok_or(Fault::NotFound)?;
    desk.look_at(&tenant).await?;
    Ok(Redirect::to("/admin").into_response())
}
