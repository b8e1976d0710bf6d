//! What commands on the machine do to accounts, whichever tenant they belong to: disabling and enabling them, releasing their address, granting and
//! revoking operator rights.
//! An operator who belongs to no tenant is on no page of the console, so this is the only way to end such an account.

use super::{PeopleError, console_session, normalised, organisation, take_effect};
use crate::{Honnin, access::CommandLine};
use domain::{
    audit::AuditAction,
    audit_detail::DetailWord,
    ids::{TenantId, UserId},
    time::Timestamp,
};
use store::{
    StoreError, Tx, audit,
    people::{
        invitations, password_resets, provider_accounts,
        users::{self, UserRow},
    },
    settings::tenants,
};

/// Whose account it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Their id.
    pub id: UserId,
    /// E-mail address used to sign in.
    pub email: String,
    /// Name shown to colleagues.
    pub name: String,
    /// Their tenant, with its name; `None` for an operator who belongs to none.
    pub tenant: Option<(TenantId, String)>,
    /// When they were added.
    pub created_at: Timestamp,
}

/// Why an account was not changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AccountError {
    /// No account has this address.
    #[error("there is no account with this address")]
    NotFound,
    /// The account does not belong to the tenant that was named, or to one although none was.
    #[error("the account belongs to another tenant")]
    OtherTenant(Box<Account>),
    /// They are not an operator.
    #[error("the account has no operator rights")]
    NoOperator,
    /// They belong to no tenant, so that nothing would be left of the account.
    #[error("the account belongs to no tenant")]
    NoTenant,
    /// What holds in the console as well.
    #[error(transparent)]
    People(#[from] PeopleError),
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The account with an address.
async fn find(tx: &mut Tx, email: &str) -> Result<UserRow, AccountError> {
    let found = users::find_by_email(tx, email).await?;
    found.ok_or(AccountError::NotFound)
}

/// `user`, if it is of that tenant: which one it is of, the caller may see.
async fn of_tenant(tx: &mut Tx, user: UserRow, tenant: Option<&TenantId>) -> Result<UserRow, AccountError> {
    if user.tenant() == tenant {
        return Ok(user);
    }
    Err(AccountError::OtherTenant(Box::new(account(tx, user).await?)))
}

/// The account with an address, and the people of its tenant. They stay as they are until the unit is done.
async fn lock(tx: &mut Tx, email: &str) -> Result<(UserRow, Vec<UserRow>), AccountError> {
    let user = find(tx, email).await?;
    let people = match user.tenant() {
        Some(tenant) => {
            tenants::lock(tx, tenant).await?;
            users::list(tx, tenant).await?
        }
        None => Vec::new(),
    };
    if user.operator {
        // All of them at once: of two who are shut out, each would have locked themselves before the other.
        users::lock_operators(tx, &user.id).await?;
    }
    users::lock(tx, &user.id).await?;
    let user = users::find(tx, &user.id).await?;
    Ok((user.ok_or(AccountError::NotFound)?, people))
}

async fn account(tx: &mut Tx, user: UserRow) -> Result<Account, StoreError> {
    let name = organisation(tx, user.tenant()).await?;
    Ok(Account {
        tenant: user.tenant().cloned().zip(name),
        id: user.id,
        email: user.email,
        name: user.name,
        created_at: user.created_at,
    })
}

fn entry(here: CommandLine, user: &UserRow, now: Timestamp, action: AuditAction) -> audit::Entry {
    here.entry(now, action)
        .in_tenant(user.tenant().cloned())
        .about(&user.id)
}

/// Disables the account with an address and ends its sessions, as the console does.
///
/// # Errors
/// [`AccountError::NotFound`]; [`AccountError::People`] for the last admin of a tenant and the last operator.
pub async fn disable(honnin: &Honnin, here: CommandLine, email: &str) -> Result<Account, AccountError> {
    set_disabled(honnin, here, email, true).await
}

/// Enables the account with an address again.
///
/// # Errors
/// [`AccountError::NotFound`], or storage.
pub async fn enable(honnin: &Honnin, here: CommandLine, email: &str) -> Result<Account, AccountError> {
    set_disabled(honnin, here, email, false).await
}

async fn set_disabled(
    honnin: &Honnin,
    here: CommandLine,
    email: &str,
    is_disabled: bool,
) -> Result<Account, AccountError> {
    let (email, now) = (normalised(email), honnin.now());
    let unit = honnin.db.write(async move |tx| -> Result<_, AccountError> {
        let (mut user, people) = lock(tx, &email).await?;
        if user.disabled_at.is_some() == is_disabled {
            return Ok(account(tx, user).await?);
        }
        user.disabled_at = is_disabled.then_some(now);
        let detail = if is_disabled {
            DetailWord::Disabled
        } else {
            DetailWord::Enabled
        };
        let entry = entry(here, &user, now, AuditAction::PersonChange).with_detail(detail);
        take_effect(tx, &people, &user, &entry).await?;
        Ok(account(tx, user).await?)
    });
    unit.await
}

/// Frees an address for its owner: an account that was made with it is disabled, unlinked from the OpenID provider, and gets an
/// address that nobody has; its sessions end, and its tenant's invitations to the address are revoked. Returns the account as it was. The caller
/// names the tenant, as for [`grant_operator`].
///
/// # Errors
/// [`AccountError::NotFound`], [`AccountError::OtherTenant`]; [`AccountError::People`] for the last admin of a tenant and the last operator.
pub async fn release(
    honnin: &Honnin,
    here: CommandLine,
    email: &str,
    tenant: Option<&TenantId>,
) -> Result<Account, AccountError> {
    let (email, tenant, now) = (normalised(email), tenant.cloned(), honnin.now());
    let unit = honnin.db.write(async move |tx| -> Result<_, AccountError> {
        let (user, people) = lock(tx, &email).await?;
        let mut user = of_tenant(tx, user, tenant.as_ref()).await?;
        user.disabled_at = user.disabled_at.or(Some(now));
        let entry = entry(here, &user, now, AuditAction::PersonReleaseAddress);
        take_effect(tx, &people, &user, &entry).await?;
        provider_accounts::remove_of(tx, &user.id).await?;
        invitations::revoke_to(tx, user.tenant(), &email).await?;
        users::release_email(tx, &user.id).await?;
        Ok(account(tx, user).await?)
    });
    unit.await
}

/// Makes the person who signs in with `email` an operator, and re-enables a disabled account, so that an installation never
/// remains without an operator. The caller names their tenant: its admins choose whom they invite, and under which address, so the address alone
/// does not say who somebody is.
///
/// # Errors
/// [`AccountError::NotFound`], [`AccountError::OtherTenant`], or storage.
pub async fn grant_operator(
    honnin: &Honnin,
    here: CommandLine,
    email: &str,
    tenant: Option<&TenantId>,
) -> Result<Account, AccountError> {
    let (email, tenant, now) = (normalised(email), tenant.cloned(), honnin.now());
    let unit = honnin.db.write(async move |tx| -> Result<_, AccountError> {
        let (user, _) = lock(tx, &email).await?;
        let user = of_tenant(tx, user, tenant.as_ref()).await?;
        users::grant_operator(tx, &user.id).await?;
        // A link that an admin made for a colleague must not become a link to an operator's account.
        password_resets::revoke_of(tx, &user.id).await?;
        audit::record(tx, &entry(here, &user, now, AuditAction::PersonGrantOperator)).await?;
        Ok(account(tx, user).await?)
    });
    unit.await
}

/// Takes operator rights away from the person of a tenant who signs in with `email`, ends their sessions, and revokes the links they made.
/// Their role in their tenant stays.
///
/// # Errors
/// [`AccountError::NotFound`], [`AccountError::NoOperator`], [`AccountError::NoTenant`]; [`AccountError::People`] for the last operator.
pub async fn revoke_operator(honnin: &Honnin, here: CommandLine, email: &str) -> Result<Account, AccountError> {
    let (email, now) = (normalised(email), honnin.now());
    let unit = honnin.db.write(async move |tx| -> Result<_, AccountError> {
        let (user, _) = lock(tx, &email).await?;
        if !user.operator {
            return Err(AccountError::NoOperator);
        }
        if user.tenant().is_none() {
            return Err(AccountError::NoTenant);
        }
        if !users::lock_operators(tx, &user.id).await? {
            return Err(PeopleError::LastOperator.into());
        }
        users::revoke_operator(tx, &user.id).await?;
        console_session::end_all(tx, &user.id, now).await?;
        audit::record(tx, &entry(here, &user, now, AuditAction::PersonRevokeOperator)).await?;
        Ok(account(tx, user).await?)
    });
    unit.await
}
