//! The people of a tenant's console: who they are, changing what they may do, shutting them out. They come in by invitation
//! ([`crate::people::invite`]) and choose their passwords themselves.

pub mod accept_invitation;
pub mod change_password;
pub mod client_network;
pub mod console_session;
pub mod invite;
pub mod password;
pub mod reset_password;
pub mod set_up;
pub mod sign_in;

use crate::{
    Honnin,
    access::{Admin, CommandLine, Roster},
};
use domain::{
    audit::AuditAction,
    ids::{TenantId, UserId},
    role::Role,
};
use store::{
    StoreError, Tx, audit,
    people::{
        console_sessions, invitations, password_resets,
        users::{self, UserRow},
    },
    settings::tenants,
};

/// Who somebody is, as typed.
#[derive(Clone, Debug)]
pub struct NewPerson {
    /// Signs in with it; case does not matter.
    pub email: String,
    /// How colleagues see them.
    pub name: String,
}

/// What is wrong with a person's data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadField {
    /// `email`, `name`, `password` or `organisation`.
    pub field: &'static str,
    /// A sentence.
    pub message: String,
}

/// Why nobody was changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PeopleError {
    /// No such person here.
    #[error("no such person")]
    NotFound,
    /// It would leave the tenant without anybody who may do everything.
    #[error("the last admin cannot be removed")]
    LastAdmin,
    /// It would leave the installation without anybody who runs it.
    #[error("the last operator cannot be removed")]
    LastOperator,
    /// They may do more than whoever asks.
    #[error("this person has more rights than you")]
    Above,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Lower case without blanks around it.
pub(crate) fn normalised(email: &str) -> String {
    email.trim().to_lowercase()
}

/// Everything wrong with a person's data.
pub(crate) fn faults(person: &NewPerson) -> Vec<BadField> {
    let mut faults = Vec::new();
    let email = normalised(&person.email);
    let whole = email.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty() && domain.contains('.') && !domain.starts_with('.') && !domain.ends_with('.')
    });
    if !whole || email.len() > 254 || email.chars().any(|c| c.is_whitespace() || c.is_control()) {
        faults.push(BadField {
            field: "email",
            message: "Enter an e-mail address, like name@example.com.".into(),
        });
    }
    let name = person.name.trim();
    if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
        faults.push(BadField {
            field: "name",
            message: "Enter a name of up to 100 characters.".into(),
        });
    }
    faults
}

/// What is wrong with a new password of somebody of whom `known` is known, as a sentence.
pub(crate) fn password_fault(known: &[&str], password: &str) -> Option<String> {
    let bad = password::check(password, known).err()?;
    Some(format!("The password {bad}."))
}

/// The address of somebody who cannot be there twice.
pub(crate) fn taken() -> BadField {
    BadField {
        field: "email",
        message: "An account with this address already exists.".to_owned(),
    }
}

/// A tenant's people, oldest first.
///
/// # Errors
/// When the database does not answer.
pub async fn list_people(honnin: &Honnin, roster: &Roster) -> Result<Vec<UserRow>, StoreError> {
    let tenant = roster.staff().tenant().clone();
    let unit = honnin.db.read(async move |tx| users::list(tx, &tenant).await);
    unit.await
}

/// Whether a tenant has an admin, shut out or not.
pub(crate) async fn has_admin(tx: &mut Tx, tenant: &TenantId) -> Result<bool, StoreError> {
    let is_admin = |user: &UserRow| user.place.as_ref().is_some_and(|(_, role)| *role == Role::Admin);
    Ok(users::list(tx, tenant).await?.iter().any(is_admin))
}

/// A change to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// What they may do.
    Role(Role),
    /// Shuts them out and ends their sessions, or lets them in again.
    Disabled(bool),
}

/// Changes somebody of the admin's tenant.
///
/// # Errors
/// [`PeopleError`].
pub async fn change_person(honnin: &Honnin, admin: &Admin, id: &UserId, change: Change) -> Result<(), PeopleError> {
    let (staff, id, now) = (admin.staff().clone(), id.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        tenants::hold(tx, staff.tenant()).await?;
        let people = users::list(tx, staff.tenant()).await?;
        let mut user = people
            .iter()
            .find(|user| user.id == id)
            .cloned()
            .ok_or(PeopleError::NotFound)?;
        match (change, &mut user.place) {
            (Change::Role(role), Some((_, own))) => *own = role,
            (Change::Role(_), None) => return Err(PeopleError::NotFound),
            (Change::Disabled(disabled), _) => user.disabled_at = disabled.then_some(now),
        }
        check_somebody_stays(tx, &people, &user).await?;
        users::save(tx, &user).await?;
        end_powers(tx, &user).await?;
        let mut entry = staff.entry(now, AuditAction::PersonChange, Some(id.to_string()));
        entry.detail = Some(match change {
            Change::Role(role) => role.as_str().to_owned(),
            Change::Disabled(true) => "disabled".to_owned(),
            Change::Disabled(false) => "enabled".to_owned(),
        });
        audit::record(tx, &entry).await?;
        Ok(())
    });
    unit.await
}

/// An admin of the tenant stays, and an operator of the installation, once `changed` is as it will be.
async fn check_somebody_stays(tx: &mut Tx, people: &[UserRow], changed: &UserRow) -> Result<(), PeopleError> {
    let mut others = people.iter().filter(|other| other.id != changed.id);
    if !is_active_admin(changed) && !others.any(is_active_admin) {
        return Err(PeopleError::LastAdmin);
    }
    if changed.operator && changed.disabled_at.is_some() && !users::hold_operators(tx, &changed.id).await? {
        return Err(PeopleError::LastOperator);
    }
    Ok(())
}

fn is_active_admin(user: &UserRow) -> bool {
    user.disabled_at.is_none() && user.place.as_ref().is_some_and(|(_, role)| *role == Role::Admin)
}

/// Whoever is shut out is so at once, and links that they made while they might bring nobody in any more.
async fn end_powers(tx: &mut Tx, user: &UserRow) -> Result<(), StoreError> {
    if !is_active_admin(user) {
        invitations::revoke_by(tx, &user.id).await?;
        password_resets::revoke_by(tx, &user.id).await?;
    }
    if user.disabled_at.is_some() {
        password_resets::revoke_of(tx, &user.id).await?;
        console_sessions::delete_of(tx, &user.id).await?;
    }
    Ok(())
}

/// Makes whoever signs in with `email` an operator, and lets them in again where they were shut out, so that an installation
/// never stays without one.
///
/// # Errors
/// [`PeopleError::NotFound`] where nobody does, or storage.
pub async fn grant_operator(honnin: &Honnin, here: CommandLine, email: &str) -> Result<UserId, PeopleError> {
    let (email, now) = (normalised(email), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let user = users::find_by_email(tx, &email).await?.ok_or(PeopleError::NotFound)?;
        users::grant_operator(tx, &user.id).await?;
        // A link that an admin made for a colleague does not become one to an operator's account.
        password_resets::revoke_of(tx, &user.id).await?;
        let tenant = user.place.map(|(tenant, _)| tenant);
        audit::record(
            tx,
            &here.entry(now, tenant, AuditAction::PersonGrantOperator, user.id.to_string()),
        )
        .await?;
        Ok(user.id)
    });
    unit.await
}
