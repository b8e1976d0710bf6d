//! The link between an account here and one at the OpenID provider.

use super::visit;
use domain::{audit::AuditAction, audit_detail::DetailWord, time::Timestamp};
use std::fmt::Display;
use store::{
    StoreError, Tx, audit,
    people::{
        provider_accounts::{self, ProviderAccount, ProviderIdentity},
        users::UserRow,
    },
};

/// Links an account at the provider to a person who is locked, and records it.
///
/// # Errors
/// [`StoreError::Duplicate`] if either is linked.
pub(super) async fn add(
    tx: &mut Tx,
    user: &UserRow,
    account: &ProviderIdentity,
    now: Timestamp,
    address: impl Display,
) -> Result<(), StoreError> {
    let row = ProviderAccount {
        issuer: account.issuer.clone(),
        subject: account.subject.clone(),
        user: user.id.clone(),
        linked_at: now,
    };
    provider_accounts::insert(tx, &row).await?;
    let entry = visit::entry_by(user, now, AuditAction::PersonLinkAccount)
        .with_detail(DetailWord::OpenId)
        .from_address(address);
    audit::record(tx, &entry.about(&user.id)).await
}

/// The same for somebody who has shown their second factor some minutes later. Returns whether the account is theirs: it, or they, may have been linked to
/// another one meanwhile.
pub(super) async fn add_late(
    tx: &mut Tx,
    user: &UserRow,
    account: &ProviderIdentity,
    now: Timestamp,
    address: impl Display,
) -> Result<bool, StoreError> {
    let owner = provider_accounts::find_user(tx, &account.issuer, &account.subject).await?;
    if let Some(owner) = owner {
        return Ok(owner == user.id);
    }
    if provider_accounts::is_linked(tx, &account.issuer, &user.id).await? {
        return Ok(false);
    }
    add(tx, user, account, now, address).await?;
    Ok(true)
}
