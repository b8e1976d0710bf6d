//! The people of a tenant's console: who they are, changing their roles, disabling them. They join by invitation
//! ([`crate::people::invite`]) and choose their own passwords.

pub mod accept_invitation;
pub mod change_password;
mod client_network;
pub mod command_line;
pub mod console_session;
pub mod invite;
pub mod known_browser;
pub mod links;
pub mod news;
pub mod openid;
pub mod password;
pub mod pending_sign_in;
mod provider_link;
pub mod reset_password;
pub mod second_factor;
pub mod set_up;
pub mod sign_in;
pub mod try_counter;
pub mod visit;

use crate::{
    Honnin,
    access::{Admin, Rank, Roster, Staff, role_reviews},
    audit::record_look,
};
use domain::{
    audit::AuditAction,
    audit_detail::DetailWord,
    cursor::After,
    ids::{TenantId, UserId},
    name,
    role::Role,
    time::Timestamp,
    visible,
};
use password::BadPassword;
pub use store::people::{LINK_LIFETIME, users::ListedPeople};
use store::{
    StoreError, Tx, audit,
    people::{
        password_resets,
        users::{self, UserRow},
    },
    review,
    settings::tenants,
};

/// A person's data, as typed.
#[derive(Clone, Debug)]
pub struct NewPerson {
    /// E-mail address used to sign in; case does not matter.
    pub email: String,
    /// Name shown to colleagues.
    pub name: String,
}

/// What is wrong with a person's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadField {
    /// No e-mail address.
    #[error("Enter an e-mail address, like name@example.com.")]
    Email,
    /// The address of an account.
    #[error("An account with this address already exists.")]
    Taken,
    /// No name.
    #[error("Enter a name.")]
    NoName,
    /// Not acceptable ([`name::is_acceptable`]).
    #[error("Enter a name of up to {} characters.", name::LONGEST)]
    Name,
    /// The password.
    #[error(transparent)]
    Password(BadPassword),
    /// The organisation's name.
    #[error("Enter the name that your users know you by.")]
    Organisation,
}

impl BadField {
    /// The name of the field.
    #[must_use]
    pub const fn field(self) -> &'static str {
        match self {
            Self::Email | Self::Taken => "email",
            Self::NoName | Self::Name => "name",
            Self::Password(_) => "password",
            Self::Organisation => "organisation",
        }
    }
}

/// Why a person was not changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PeopleError {
    /// There is no such person in this tenant.
    #[error("no such person")]
    NotFound,
    /// The tenant would have no admin.
    #[error("the last admin cannot be removed")]
    LastAdmin,
    /// The installation would have no operator.
    #[error("the last operator cannot be removed")]
    LastOperator,
    /// People sign in with the provider only.
    #[error("password sign-in is disabled")]
    NoPasswords,
    /// The caller has lost the role that allows this, or has been signed out.
    #[error("your role does not allow this")]
    Forbidden,
    /// The person has more rights than the caller.
    #[error("this person has more rights than you")]
    Above,
    /// A link for this person was issued after the page was shown.
    #[error("a link has been issued meanwhile")]
    Repeated,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The only character beyond ASCII whose lower case is an ASCII letter.
const KELVIN_SIGN: &str = "\u{212a}";

/// Lower case and trimmed. The Kelvin sign stays as it is: with a plain `k` in its place, the address would be somebody else's, who may have an
/// account.
pub(crate) fn normalised(email: &str) -> String {
    let parts: Vec<_> = email.trim().split(KELVIN_SIGN).map(str::to_lowercase).collect();
    parts.join(KELVIN_SIGN)
}

/// Checks that an admin may act on somebody's account: on a colleague's, not on their own, and on an operator's only as an operator.
fn check_may_act_on(staff: &Staff, user: &UserRow) -> Result<(), PeopleError> {
    if user.tenant() != Some(staff.tenant()) || user.id == *staff.user() {
        return Err(PeopleError::NotFound);
    }
    if user.operator && !staff.is_operator() {
        return Err(PeopleError::Above);
    }
    Ok(())
}

/// The name of the organisation that a person belongs or is invited to.
async fn organisation(tx: &mut Tx, tenant: Option<&TenantId>) -> Result<Option<String>, StoreError> {
    match tenant {
        Some(tenant) => Ok(tenants::find(tx, tenant).await?.map(|tenant| tenant.name)),
        None => Ok(None),
    }
}

/// Everything wrong with a person's data.
pub(crate) fn faults(person: &NewPerson) -> Vec<BadField> {
    let mut faults = Vec::new();
    let email = normalised(&person.email);
    let whole = email.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty() && domain.contains('.') && !domain.starts_with('.') && !domain.ends_with('.')
    });
    if !whole || email.len() > 254 || email.contains(char::is_whitespace) || visible::hides_something(&email) {
        faults.push(BadField::Email);
    }
    match person.name.trim() {
        "" => faults.push(BadField::NoName),
        name if !name::is_acceptable(name, name::LONGEST) => faults.push(BadField::Name),
        _ => {}
    }
    faults
}

/// Which of a tenant's people a page lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeopleFilter {
    /// By the state of their account.
    pub listed: ListedPeople,
    /// Those after this person.
    pub after: Option<After<UserId>>,
}

/// People of a tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct People {
    /// A page of them, oldest first.
    pub listed: Vec<UserRow>,
    /// Whether an admin is among all of them.
    pub has_admin: bool,
}

/// A tenant's people, at most `limit`. That an operator from elsewhere looks at them is recorded.
///
/// # Errors
/// If the database does not respond.
pub async fn list_people(
    honnin: &Honnin,
    roster: &Roster,
    filter: PeopleFilter,
    limit: u32,
) -> Result<People, StoreError> {
    record_look(honnin, roster.staff(), DetailWord::People).await?;
    let tenant = roster.staff().tenant().clone();
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let listed = users::list_page(tx, &tenant, filter.listed, filter.after.as_ref(), limit).await?;
        Ok(People {
            listed,
            has_admin: has_admin(tx, &tenant).await?,
        })
    });
    unit.await
}

/// Whether a tenant has an admin, disabled or not.
pub(crate) async fn has_admin(tx: &mut Tx, tenant: &TenantId) -> Result<bool, StoreError> {
    let people = users::list(tx, tenant).await?;
    Ok(people.iter().any(|user| user.role() == Some(Role::Admin)))
}

/// A change to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Changes their role.
    Role(Role),
    /// Disables the account and ends its sessions.
    Disable,
    /// Enables it again.
    Enable,
}

/// Changes a person of the admin's tenant. An operator of the installation is disabled, and enabled again, by another operator only.
///
/// # Errors
/// [`PeopleError`].
pub async fn change_person(honnin: &Honnin, admin: &Admin, id: &UserId, change: Change) -> Result<(), PeopleError> {
    let (staff, id, now) = (admin.staff().clone(), id.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        // A unit that takes the caller's rights away waits for the tenant, as this one waits for it. The caller's own account is only read, so
        // that two who shut each other out do not wait for each other.
        tenants::lock(tx, staff.tenant()).await?;
        let people = users::list(tx, staff.tenant()).await?;
        if !is_unchanged(&staff, people.iter().find(|person| person.id == *staff.user())) {
            return Err(PeopleError::Forbidden);
        }
        let mut user = people
            .iter()
            .find(|user| user.id == id)
            .cloned()
            .ok_or(PeopleError::NotFound)?;
        if matches!(change, Change::Disable | Change::Enable) && user.operator && !staff.is_operator() {
            return Err(PeopleError::Above);
        }
        let detail = match (change, &mut user.membership) {
            (Change::Role(role), Some(membership)) if membership.role == role => return Ok(()),
            (Change::Role(role), Some(membership)) => {
                let before = std::mem::replace(&mut membership.role, role);
                format!("{before} → {role}")
            }
            (Change::Role(_), None) => return Err(PeopleError::NotFound),
            (Change::Disable, _) => {
                user.disabled_at = Some(now);
                DetailWord::Disabled.to_string()
            }
            (Change::Enable, _) => {
                user.disabled_at = None;
                DetailWord::Enabled.to_string()
            }
        };
        let entry = staff
            .entry(now, AuditAction::PersonChange)
            .about(&id)
            .with_detail(detail);
        take_effect(tx, &people, &user, &entry).await
    });
    unit.await
}

/// Saves what has changed about one of a tenant's people, or about an operator of none, with what follows from it.
async fn take_effect(
    tx: &mut Tx,
    people: &[UserRow],
    changed: &UserRow,
    entry: &audit::Entry,
) -> Result<(), PeopleError> {
    check_somebody_stays(tx, people, changed).await?;
    users::save(tx, changed).await?;
    end_powers(tx, changed, entry.at).await?;
    audit::record(tx, entry).await?;
    Ok(())
}

/// Checks that an admin of the tenant, if there is one, and an operator of the installation remain after `changed`.
async fn check_somebody_stays(tx: &mut Tx, people: &[UserRow], changed: &UserRow) -> Result<(), PeopleError> {
    let admins: Vec<_> = people.iter().filter(|person| is_active_admin(person)).collect();
    let others = admins.iter().any(|admin| admin.id != changed.id);
    if !is_active_admin(changed) && !admins.is_empty() && !others {
        return Err(PeopleError::LastAdmin);
    }
    if changed.operator && changed.disabled_at.is_some() && !users::lock_operators(tx, &changed.id).await? {
        return Err(PeopleError::LastOperator);
    }
    Ok(())
}

/// Whether a person may decide the cases of their tenant now.
pub(crate) fn may_review(user: &UserRow) -> bool {
    user.disabled_at.is_none() && user.role().is_some_and(role_reviews)
}

fn is_active_admin(user: &UserRow) -> bool {
    user.disabled_at.is_none() && user.role() == Some(Role::Admin)
}

/// Whether somebody still is what they were when they made the request, in a unit that invites, makes a key, changes settings or erases:
/// [`end_powers`] ends the invitations that are there, and whoever takes the powers away waits for this unit, or this one for theirs. A unit that
/// goes on to lock other people locks the tenant instead, and asks [`is_unchanged`].
pub(crate) async fn is_still(tx: &mut Tx, staff: &Staff) -> Result<bool, StoreError> {
    users::lock(tx, staff.user()).await?;
    let user = users::find(tx, staff.user()).await?;
    Ok(is_unchanged(staff, user.as_ref()))
}

/// Whether somebody, whose account is `user` by now, has kept their rank since they made the request, and been neither disabled nor signed out
/// everywhere, like a person who loses operator rights.
fn is_unchanged(staff: &Staff, user: Option<&UserRow>) -> bool {
    user.is_some_and(|user| {
        let has_rank = match staff.rank() {
            Rank::Role(role) => user.role() == Some(role),
            Rank::Operator => user.operator,
        };
        let is_signed_in = user.disabled_at.is_none() && user.session_epoch == staff.session_epoch();
        has_rank && is_signed_in
    })
}

/// Disabling takes effect immediately, links that the person made can no longer be used, and cases that they had are free for others.
async fn end_powers(tx: &mut Tx, user: &UserRow, now: Timestamp) -> Result<(), StoreError> {
    if !is_active_admin(user) {
        links::withdraw(tx, &user.id, now).await?;
    }
    if !may_review(user) {
        review::unassign_all(tx, &user.id).await?;
        review::end_reservations_of(tx, &user.id, now).await?;
    }
    if user.disabled_at.is_some() {
        password_resets::revoke_of(tx, &user.id).await?;
        console_session::end_all(tx, &user.id, now).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_the_same_in_capitals_and_never_becomes_another_one() {
        assert_eq!(normalised(" Mike@Example.COM "), "mike@example.com");
        assert_eq!(normalised("ÉLISE@example.com"), "élise@example.com");
        assert_eq!(normalised("MI\u{212a}E@example.com"), "mi\u{212a}e@example.com");
        let ascii = |c: char| c.to_lowercase().all(|lower| lower.is_ascii());
        let become_ascii: String = ('\u{80}'..=char::MAX).filter(|c| ascii(*c)).collect();
        assert_eq!(become_ascii, KELVIN_SIGN);
    }
}
