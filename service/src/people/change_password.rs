//! Changing one's own password: requires the current one, and ends every signed-in browser, since somebody who knows the old
//! password may be using one of them.

use crate::{
    Honnin,
    access::Staff,
    people::{
        console_session, links,
        password::{self, BadPassword},
        sign_in::{SignInError, check_own},
        visit::Entrance,
    },
};
use domain::{audit::AuditAction, secret::Secret};
use store::{
    StoreError, audit,
    people::{password_resets, users},
};

/// Why the password was not changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ChangePasswordError {
    /// The current password is wrong, or was not checked because of the rate limit.
    #[error(transparent)]
    Present(SignInError),
    /// The new password is not acceptable.
    #[error(transparent)]
    Bad(BadPassword),
    /// Their sessions were ended meanwhile: the password was reset, for example.
    #[error("the session has ended")]
    Ended,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<SignInError> for ChangePasswordError {
    fn from(error: SignInError) -> Self {
        match error {
            SignInError::Store(error) => Self::Store(error),
            refused => Self::Present(refused),
        }
    }
}

/// Changes the password of a signed-in person, ends all their sessions, this one included, and withdraws the links that they made. Returns what a new
/// session begins with.
///
/// # Errors
/// [`ChangePasswordError`].
pub async fn change_password(
    honnin: &Honnin,
    staff: &Staff,
    present: Secret<String>,
    new: Secret<String>,
) -> Result<Entrance, ChangePasswordError> {
    let known = [staff.email(), staff.name(), staff.tenant_name()];
    password::check(new.expose(), &known).map_err(ChangePasswordError::Bad)?;
    let right = check_own(honnin, staff, present).await?;
    let hash = password::hash(new).await?;
    let (staff, now) = (staff.clone(), honnin.now());
    let entry = staff.own_entry(now, AuditAction::PersonChangePassword);
    let unit = honnin.db.write(async move |tx| {
        links::lock(tx, staff.home()).await?;
        if !console_session::goes_on(tx, &staff).await? {
            return Err(ChangePasswordError::Ended);
        }
        right.settle(tx).await?;
        let user = staff.user();
        users::set_password(tx, user, &hash).await?;
        password_resets::revoke_of(tx, user).await?;
        let ended = console_session::end_all(tx, user, now).await?;
        audit::record(tx, &entry).await?;
        Ok(Entrance {
            user: user.clone(),
            epoch: ended.next_epoch,
            since: None,
        })
    });
    unit.await
}
