//! The callers of operations, which are each operation's first argument after the system. Their fields are private and they are
//! created here only.

pub mod api_key;
pub mod capture_cookie;
mod staff;

pub(crate) use staff::role_reviews;
pub use staff::{
    Admin, Auditor, CommandLine, Developer, Forbidden, Operator, Rank, Reader, Reviewer, Roster, Staff, staff,
};

use crate::Honnin;
use domain::{
    audit::{Actor, AuditAction},
    ids::{ApiKeyId, SessionId, TenantId},
    network::admits,
    scope::Scope,
    session::AttemptNumber,
    tenant::{Mode, TenantSettings},
    time::{Millis, Timestamp},
};
use std::{net::IpAddr, sync::Arc};
use store::{
    StoreError, Tx, audit,
    capture::capture_cookies::CookieRow,
    settings::api_keys::{self, CallerRow},
};

/// A customer's server, identified by its API key; or a person of the tenant who creates a session by hand.
#[derive(Clone, Debug)]
pub struct Tenant {
    id: TenantId,
    key: Option<ApiKeyId>,
    actor: Actor,
    address: IpAddr,
    key_is_stale: bool,
    mode: Mode,
    settings: Option<Arc<TenantSettings>>,
    full_at: Option<i64>,
}

/// An end user whose browser holds the capture cookie of a session's attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applicant {
    tenant: TenantId,
    session: SessionId,
    attempt: AttemptNumber,
    /// SHA-256 of the cookie, which may end while a request runs.
    cookie: Vec<u8>,
    until: Timestamp,
}

/// Why a call to the API is refused.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AccessError {
    /// Missing, wrong, revoked, expired or malformed key, or one without the scope, without saying which.
    #[error("the API key is missing or not valid")]
    Unauthorized,
    /// The key is valid, but the caller's address is not on the allow-list.
    #[error("the caller's address is not allowed")]
    IpNotAllowed,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Precision of a key's last use.
const LAST_USE_PRECISION: Millis = Millis::minutes(1);

/// A key that is valid. Whether its holder may do something is still to be decided.
#[derive(Clone, Debug)]
pub struct KnownKey(CallerRow);

/// The key that a caller presented.
///
/// # Errors
/// [`AccessError::Unauthorized`], or if storage fails.
pub async fn find_key(honnin: &Honnin, presented: &str) -> Result<KnownKey, AccessError> {
    if !api_key::is_well_formed(presented) {
        return Err(AccessError::Unauthorized);
    }
    let (hash, now) = (api_key::hash(presented), honnin.now());
    let found = honnin
        .db
        .ask(async move |tx| api_keys::find_caller(tx, &hash, now).await);
    found.await?.map(KnownKey).ok_or(AccessError::Unauthorized)
}

impl KnownKey {
    /// Its tenant.
    #[must_use]
    pub const fn tenant(&self) -> &TenantId {
        &self.0.tenant
    }

    /// Its id.
    #[must_use]
    pub const fn id(&self) -> &ApiKeyId {
        &self.0.key
    }

    /// The tenant, for an operation that requires `scope` and a caller from `address`.
    ///
    /// # Errors
    /// [`AccessError`].
    pub fn admit(self, honnin: &Honnin, address: IpAddr, scope: Scope) -> Result<Tenant, AccessError> {
        let found = self.0;
        if !found.scopes.contains(scope) {
            return Err(AccessError::Unauthorized);
        }
        if found
            .settings
            .as_ref()
            .is_some_and(|settings| !settings.admits(address))
            || !admits(&found.networks, address)
        {
            return Err(AccessError::IpNotAllowed);
        }
        let now = honnin.now();
        Ok(Tenant {
            id: found.tenant,
            actor: Actor::ApiKey(found.key.clone()),
            key: Some(found.key),
            address,
            key_is_stale: found.last_used_at.is_none_or(|at| at.plus(LAST_USE_PRECISION) <= now),
            settings: found.settings.map(Arc::new),
            mode: found.mode,
            full_at: found.full_at,
        })
    }
}

/// The tenant of a key presented by a caller from `address`, for an operation that requires `scope`.
///
/// # Errors
/// [`AccessError`].
pub async fn tenant_by_key(
    honnin: &Honnin,
    presented: &str,
    address: IpAddr,
    scope: Scope,
) -> Result<Tenant, AccessError> {
    find_key(honnin, presented).await?.admit(honnin, address, scope)
}

impl Tenant {
    /// The tenant's id.
    #[must_use]
    pub const fn id(&self) -> &TenantId {
        &self.id
    }

    /// The API key of the request, if there was one.
    #[must_use]
    pub const fn key(&self) -> Option<&ApiKeyId> {
        self.key.as_ref()
    }

    /// The caller's address.
    #[must_use]
    pub const fn address(&self) -> IpAddr {
        self.address
    }

    /// Whether it is a sandbox: its sessions can be completed with test data.
    #[must_use]
    pub const fn is_sandbox(&self) -> bool {
        self.mode.is_sandbox()
    }

    /// Its settings at the time of authentication; `None` until an admin has saved some.
    #[must_use]
    pub fn settings(&self) -> Option<&TenantSettings> {
        self.settings.as_deref()
    }

    /// When its rate-limit bucket is full again, in microseconds, at the time of authentication.
    pub(crate) const fn full_at(&self) -> Option<i64> {
        self.full_at
    }

    /// An audit entry for something it did to a session.
    pub(crate) fn audit_entry(&self, at: Timestamp, action: AuditAction, session: &SessionId) -> audit::Entry {
        audit::Entry::new(at, self.actor.clone(), action)
            .in_tenant(self.id.clone())
            .about(session)
            .from_address(self.address)
    }

    /// Records the use of the key, at most once a minute, in the unit of the operation.
    pub(crate) async fn mark_key_used(&self, tx: &mut Tx, now: Timestamp) -> Result<(), StoreError> {
        if let Some(key) = self.key.as_ref().filter(|_| self.key_is_stale) {
            api_keys::mark_used(tx, key, &self.address.to_string(), now).await?;
        }
        Ok(())
    }

    /// The same for an operation that writes nothing else.
    pub(crate) async fn record_use(&self, honnin: &Honnin) -> Result<(), StoreError> {
        if !self.key_is_stale {
            return Ok(());
        }
        let (caller, now) = (self.clone(), honnin.now());
        let unit = honnin.db.write(async move |tx| caller.mark_key_used(tx, now).await);
        unit.await
    }
}

impl Applicant {
    /// Created once a capture cookie was found to be valid.
    pub(crate) fn new(tenant: TenantId, cookie: CookieRow, until: Timestamp) -> Self {
        Self {
            tenant,
            session: cookie.session,
            attempt: cookie.attempt,
            cookie: cookie.hash,
            until,
        }
    }

    /// The session.
    #[must_use]
    pub const fn session(&self) -> &SessionId {
        &self.session
    }

    /// The session's tenant.
    #[must_use]
    pub const fn tenant(&self) -> &TenantId {
        &self.tenant
    }

    /// The attempt of that session.
    #[must_use]
    pub const fn attempt(&self) -> AttemptNumber {
        self.attempt
    }

    /// SHA-256 of the capture cookie.
    pub(crate) fn cookie(&self) -> &[u8] {
        &self.cookie
    }

    /// The absolute end of the capture cookie.
    #[must_use]
    pub const fn until(&self) -> Timestamp {
        self.until
    }
}
