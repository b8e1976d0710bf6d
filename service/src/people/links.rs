//! The links that a person has made for others: invitations and password resets. They give their holders access, so they become invalid when the
//! person who made them loses the role or their sessions are ended: somebody else may have made the links in one of those sessions.

use crate::{Honnin, access::Staff};
use domain::{
    audit::{Actor, AuditAction},
    ids::{TenantId, UserId},
    time::Timestamp,
};
use store::{
    StoreError, Tx,
    audit::{self, Entry},
    people::{invitations, password_resets},
    settings::tenants,
};

/// The open links that a person has made, by the addresses of those whom they are for: first those who are invited, in any tenant.
///
/// # Errors
/// If the database does not respond.
pub async fn list_own(honnin: &Honnin, staff: &Staff) -> Result<Vec<String>, StoreError> {
    let (user, now) = (staff.user().clone(), honnin.now());
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let mut addresses = invitations::list_addresses_by(tx, &user, now).await?;
        addresses.extend(password_resets::list_addresses_by(tx, &user, now).await?);
        Ok(addresses)
    });
    unit.await
}

/// Makes units in which somebody of a tenant makes a password reset wait until the caller's is done, or this one for theirs: then the link is not
/// made, or is there to be withdrawn. It comes before the person is locked. Who invites is locked themselves.
pub(super) async fn lock(tx: &mut Tx, home: Option<&TenantId>) -> Result<(), StoreError> {
    match home {
        Some(tenant) => tenants::lock(tx, tenant).await,
        None => Ok(()),
    }
}

/// Withdraws every link that a person has made. An open invitation has a separate audit entry, since its tenant lists it until then.
pub(super) async fn withdraw(tx: &mut Tx, user: &UserId, now: Timestamp) -> Result<(), StoreError> {
    password_resets::revoke_by(tx, user).await?;
    let revoked = invitations::revoke_by(tx, user).await?;
    for row in revoked.iter().filter(|row| row.expires_at > now) {
        let entry = Entry::new(now, Actor::System, AuditAction::PersonRevokeInvitation)
            .in_tenant(row.tenant().cloned())
            .about(&row.id);
        audit::record(tx, &entry).await?;
    }
    Ok(())
}
