//! API keys: issued and shown once, listed by their first characters, revoked from the next request on.

use crate::{
    Honnin,
    access::{Admin, Developer, api_key},
};
use domain::{
    audit::AuditAction,
    ids::ApiKeyId,
    scope::{Scope, Scopes},
    secret::Secret,
    time::{Millis, Timestamp},
};
use store::{
    StoreError, audit,
    settings::{
        api_keys::{self, ApiKeyRow},
        tenants,
    },
};

/// A key just issued.
#[derive(Clone, Debug)]
pub struct Issued {
    /// Its id.
    pub id: ApiKeyId,
    /// The key, shown only once.
    pub key: Secret<String>,
}

/// A key to issue.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Its display name.
    pub name: String,
    /// Its lifetime; `None` for no expiry.
    pub lifetime: Option<Millis>,
    /// What it may be used for.
    pub scopes: Scopes,
}

/// Why no key was issued.
#[derive(Clone, Debug, thiserror::Error)]
pub enum IssueKeyError {
    /// The name is empty or has more than 100 characters.
    #[error("a key needs a name of 1 to 100 characters")]
    BadName,
    /// It has no scope.
    #[error("a key needs a scope")]
    NoScope,
    /// It would read personal data, which its issuer may not.
    #[error("only an admin may issue a key that reads personal data")]
    NeedsAdmin,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Issues a key. A key that reads personal data requires an admin: nobody can create access beyond their own.
///
/// # Errors
/// [`IssueKeyError`].
pub async fn issue_key(honnin: &Honnin, developer: &Developer, new: NewKey) -> Result<Issued, IssueKeyError> {
    let NewKey { name, lifetime, scopes } = new;
    let name = name.trim().to_owned();
    if !(1..=100).contains(&name.chars().count()) || name.chars().any(char::is_control) {
        return Err(IssueKeyError::BadName);
    }
    let staff = developer.staff();
    if scopes.is_empty() {
        return Err(IssueKeyError::NoScope);
    }
    if scopes.contains(Scope::Read) && Admin::of(staff).is_err() {
        return Err(IssueKeyError::NeedsAdmin);
    }
    let now = honnin.now();
    let id = ApiKeyId::from_random(honnin.random_bytes());
    let keys = [true, false].map(|livemode| api_key::generate(&*honnin.random, livemode));
    let mut entry = staff.entry(now, AuditAction::KeyIssue, Some(id.to_string()));
    entry.detail = Some(scopes.iter().map(Scope::as_str).collect::<Vec<_>>().join(","));
    let (tenant, offered, new) = (staff.tenant().clone(), keys.clone(), id.clone());
    let unit = honnin.db.write(async move |tx| {
        let owner = tenants::find(tx, &tenant)
            .await?
            .ok_or(StoreError::Corrupt("a tenant is missing"))?;
        let key = &offered[usize::from(!owner.livemode)];
        let row = ApiKeyRow {
            id: new.clone(),
            tenant: tenant.clone(),
            name: name.clone(),
            prefix: api_key::prefix(key.expose()),
            hash: api_key::hash(key.expose()),
            scopes,
            created_at: now,
            expires_at: lifetime.map(|span| now.plus(span)),
            revoked_at: None,
            last_used_at: None,
        };
        api_keys::insert(tx, &row).await?;
        audit::record(tx, &entry).await?;
        Ok::<_, IssueKeyError>(owner.livemode)
    });
    let livemode = unit.await?;
    let [live, test] = keys;
    Ok(Issued {
        id,
        key: if livemode { live } else { test },
    })
}

/// The tenant's keys, newest first.
///
/// # Errors
/// If the database does not respond.
pub async fn list_keys(honnin: &Honnin, developer: &Developer) -> Result<Vec<ApiKeyRow>, StoreError> {
    let tenant = developer.staff().tenant().clone();
    let unit = honnin.db.read(async move |tx| api_keys::list(tx, &tenant).await);
    unit.await
}

/// Revokes a key. Returns whether there was one to revoke.
///
/// # Errors
/// If the database does not respond.
pub async fn revoke_key(honnin: &Honnin, developer: &Developer, id: &ApiKeyId) -> Result<bool, StoreError> {
    let (staff, id, now): (_, _, Timestamp) = (developer.staff().clone(), id.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        let revoked = api_keys::revoke(tx, staff.tenant(), &id, now).await?;
        if revoked {
            audit::record(tx, &staff.entry(now, AuditAction::KeyRevoke, Some(id.to_string()))).await?;
        }
        Ok(revoked)
    });
    unit.await
}
