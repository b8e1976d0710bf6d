//! API keys: issued and shown once, listed by their first characters; a revocation takes effect with the next request.

use crate::{
    Honnin,
    access::{Admin, Developer, Forbidden, api_key},
    people::is_still,
};
use domain::{
    audit::AuditAction,
    audit_detail::KeyClause,
    cursor::After,
    ids::ApiKeyId,
    name,
    scope::{Scope, Scopes},
    secret::Secret,
    tenant::{Mode, TenantSettings},
    time::{Millis, Timestamp},
};
use ipnet::IpNet;
use std::collections::HashMap;
pub use store::settings::api_keys::ListedKeys;
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
    /// What it may be used for.
    pub scopes: Scopes,
}

/// A key to issue.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Its id, from [`draft_key`]: two requests for the same key issue one.
    pub id: ApiKeyId,
    /// Its display name.
    pub name: String,
    /// Its lifetime; `None` for no expiry.
    pub lifetime: Option<Millis>,
    /// What it may be used for.
    pub scopes: Scopes,
    /// The networks from which it may be used; empty means any that the tenant admits.
    pub networks: Vec<IpNet>,
}

/// Why no key was issued.
#[derive(Clone, Debug, thiserror::Error)]
pub enum IssueKeyError {
    /// The name is not acceptable ([`name::is_acceptable`]).
    #[error("a key needs a name of 1 to {} characters", name::LONGEST)]
    BadName,
    /// It has more networks than [`TenantSettings::MAX_LISTED`].
    #[error("a key has at most {} networks", TenantSettings::MAX_LISTED)]
    TooManyNetworks,
    /// It has no scope.
    #[error("a key needs a scope")]
    NoScope,
    /// It would read personal data, which its issuer may not.
    #[error("only an admin may issue a key that reads personal data")]
    NeedsAdmin,
    /// The caller has lost the role that allows this.
    #[error("your role does not allow this")]
    Forbidden,
    /// The key to rotate is unknown, revoked or expired.
    #[error("there is no such key, or it is no longer valid")]
    NotFound,
    /// The key to rotate has a successor already.
    #[error("the key is being replaced already")]
    Replaced,
    /// The key was issued before, and shown then.
    #[error("the key was issued already")]
    Repeated,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The id of a key that a page offers to issue.
#[must_use]
pub fn draft_key(honnin: &Honnin) -> ApiKeyId {
    ApiKeyId::from_random(honnin.random_bytes())
}

/// Issues a key. A key that reads personal data requires an admin: nobody can create access beyond their own.
///
/// # Errors
/// [`IssueKeyError`].
pub async fn issue_key(honnin: &Honnin, developer: &Developer, new: NewKey) -> Result<Issued, IssueKeyError> {
    let NewKey {
        id,
        name,
        lifetime,
        scopes,
        networks,
    } = new;
    let name = name.trim().to_owned();
    if !name::is_acceptable(&name, name::LONGEST) {
        return Err(IssueKeyError::BadName);
    }
    let staff = developer.staff();
    if scopes.is_empty() {
        return Err(IssueKeyError::NoScope);
    }
    if networks.len() > TenantSettings::MAX_LISTED {
        return Err(IssueKeyError::TooManyNetworks);
    }
    if scopes.contains(Scope::Read) && Admin::of(staff).is_err() {
        return Err(IssueKeyError::NeedsAdmin);
    }
    let wanted = Wanted {
        name,
        lifetime,
        scopes,
        networks,
        replaces: None,
    };
    match issue(honnin, developer, id, wanted).await {
        Err(IssueKeyError::Store(StoreError::Duplicate)) => Err(IssueKeyError::Repeated),
        other => other,
    }
}

/// Issues a key with the name, scopes, networks and lifetime of another one, which expires after `overlap`: until then both are
/// valid, so that callers can change over. A key that has a successor is not replaced again: that one can be.
///
/// # Errors
/// [`IssueKeyError`].
pub async fn rotate_key(
    honnin: &Honnin,
    developer: &Developer,
    id: &ApiKeyId,
    overlap: Millis,
) -> Result<Issued, IssueKeyError> {
    let now = honnin.now();
    let old = replaceable(list_keys(honnin, developer).await?, id, now)?;
    if old.scopes.contains(Scope::Read) && Admin::of(developer.staff()).is_err() {
        return Err(IssueKeyError::NeedsAdmin);
    }
    let wanted = Wanted {
        lifetime: old
            .expires_at
            .map(|end| Millis(end.as_millis() - old.created_at.as_millis())),
        name: old.name,
        scopes: old.scopes,
        networks: old.networks,
        replaces: Some((old.id, now.plus(overlap))),
    };
    issue(honnin, developer, draft_key(honnin), wanted).await
}

/// The key with this id, which is valid and has no successor.
fn replaceable(keys: Vec<ApiKeyRow>, id: &ApiKeyId, now: Timestamp) -> Result<ApiKeyRow, IssueKeyError> {
    let key = keys.into_iter().find(|key| key.id == *id && key.is_valid(now));
    let key = key.ok_or(IssueKeyError::NotFound)?;
    if key.replaced_at.is_some() {
        return Err(IssueKeyError::Replaced);
    }
    Ok(key)
}

/// A key that may be issued.
struct Wanted {
    name: String,
    lifetime: Option<Millis>,
    scopes: Scopes,
    networks: Vec<IpNet>,
    /// The key that it replaces, and when that one expires.
    replaces: Option<(ApiKeyId, Timestamp)>,
}

async fn issue(honnin: &Honnin, developer: &Developer, id: ApiKeyId, wanted: Wanted) -> Result<Issued, IssueKeyError> {
    let staff = developer.staff();
    let now = honnin.now();
    // Which of them is issued is known in the unit, which reads the tenant's mode.
    let [live, sandbox] = [Mode::Live, Mode::Sandbox].map(|mode| api_key::generate(&*honnin.random, mode));
    let entry = staff.entry(now, AuditAction::KeyIssue).about(&id);
    let (caller, new, scopes) = (staff.clone(), id.clone(), wanted.scopes);
    let unit = honnin.db.write(async move |tx| {
        // A key works until it is revoked: a person who has just lost access must not get one.
        if !is_still(tx, &caller).await? {
            return Err(IssueKeyError::Forbidden);
        }
        let tenant = tenants::load(tx, caller.tenant()).await?;
        let key = match tenant.mode {
            Mode::Live => &live,
            Mode::Sandbox => &sandbox,
        };
        let row = ApiKeyRow {
            id: new.clone(),
            tenant: tenant.id.clone(),
            name: wanted.name.clone(),
            prefix: api_key::prefix(key.expose()),
            hash: api_key::hash(key.expose()),
            scopes: wanted.scopes,
            created_at: now,
            expires_at: wanted.expires_at(now),
            revoked_at: None,
            replaced_at: None,
            last_used_at: None,
            last_used_from: None,
            networks: wanted.networks.clone(),
        };
        if let Some((old, end)) = &wanted.replaces
            && !api_keys::replace(tx, &tenant.id, old, now, *end).await?
        {
            // Somebody revoked or replaced it meanwhile.
            let why = replaceable(api_keys::list(tx, &tenant.id).await?, old, now);
            return Err(why.err().unwrap_or(IssueKeyError::NotFound));
        }
        api_keys::insert(tx, &row).await?;
        for detail in wanted.describe(now) {
            audit::record(tx, &entry.clone().with_detail(detail)).await?;
        }
        Ok::<_, IssueKeyError>(key.clone())
    });
    let key = unit.await?;
    Ok(Issued { id, key, scopes })
}

impl Wanted {
    fn expires_at(&self, now: Timestamp) -> Option<Timestamp> {
        self.lifetime.map(|span| now.plus(span))
    }

    /// For the audit log: the key, and the one that it replaces. If its networks are too many for an entry, there are several, each with some of them.
    fn describe(&self, now: Timestamp) -> Vec<String> {
        /// The longest one is written with 43 characters.
        const NETWORKS: usize = 150;
        let with = |networks: &str| {
            let mut words = describe(self.scopes, networks, self.expires_at(now));
            if let Some((old, end)) = &self.replaces {
                words.push_str(&format!("{}{old}", KeyClause::InPlaceOf));
                words.push_str(&format!("{}{}", KeyClause::ReplacedExpires, end.to_iso()));
            }
            words
        };
        let networks: Vec<String> = self.networks.iter().map(ToString::to_string).collect();
        let whole = with(&networks.join(", "));
        if whole.len() <= audit::MAX_DETAIL {
            return vec![whole];
        }
        let some = networks.chunks(NETWORKS);
        some.map(|some| with(&format!("{}{}", some.join(", "), KeyClause::AndOthers)))
            .collect()
    }
}

/// A key for the audit log: scopes, networks, and when it expires.
pub(super) fn describe(scopes: Scopes, networks: &str, expires_at: Option<Timestamp>) -> String {
    let mut words = scopes.iter().map(Scope::as_str).collect::<Vec<_>>().join(",");
    if !networks.is_empty() {
        words.push_str(&format!("{}{networks}", KeyClause::From));
    }
    match expires_at {
        Some(end) => words.push_str(&format!("{}{}", KeyClause::Expires, end.to_iso())),
        None => words.push_str(KeyClause::NeverExpires.as_str()),
    }
    words
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

/// A key with whoever issued it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyAndIssuer {
    /// The key.
    pub key: ApiKeyRow,
    /// The name of the person who issued it; `None` if it is from the command line, or the audit log no longer says.
    pub issued_by: Option<String>,
}

/// A page of the tenant's keys, newest first, after the key `after`.
///
/// # Errors
/// If the database does not respond.
pub async fn list_key_page(
    honnin: &Honnin,
    developer: &Developer,
    listed: ListedKeys,
    after: Option<After<ApiKeyId>>,
    limit: u32,
) -> Result<Vec<KeyAndIssuer>, StoreError> {
    let (tenant, now) = (developer.staff().tenant().clone(), honnin.now());
    let unit = honnin.db.read(async move |tx| -> Result<_, StoreError> {
        let keys = api_keys::list_page(tx, &tenant, listed, now, after.as_ref(), limit).await?;
        let mut issuers = match (keys.last(), keys.first()) {
            (Some(oldest), Some(newest)) => {
                api_keys::list_issuers(tx, &tenant, (oldest.created_at, newest.created_at)).await?
            }
            _ => HashMap::new(),
        };
        let listed = keys.into_iter().map(|key| KeyAndIssuer {
            issued_by: issuers.remove(&key.id),
            key,
        });
        Ok(listed.collect::<Vec<_>>())
    });
    unit.await
}

/// Why no key was revoked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RevokeKeyError {
    /// The caller has lost the role that allows this, or has been signed out.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Revokes a key. Returns whether there was one to revoke.
///
/// # Errors
/// [`RevokeKeyError`].
pub async fn revoke_key(honnin: &Honnin, developer: &Developer, id: &ApiKeyId) -> Result<bool, RevokeKeyError> {
    let (staff, id, now) = (developer.staff().clone(), id.clone(), honnin.now());
    let unit = honnin.db.write(async move |tx| {
        // It cannot be undone: a person who has just lost access must not stop anybody's servers.
        if !is_still(tx, &staff).await? {
            return Err(RevokeKeyError::from(Forbidden));
        }
        let revoked = api_keys::revoke(tx, staff.tenant(), &id, now).await?;
        if revoked {
            audit::record(tx, &staff.entry(now, AuditAction::KeyRevoke).about(&id)).await?;
        }
        Ok(revoked)
    });
    unit.await
}
