//! Creating a tenant: from the command line with its settings, a first API key with all scopes and a webhook secret, both shown once; in
//! the console empty, because an operator makes nothing there that could read a tenant's data.

use super::api_keys::describe;
use crate::{
    Honnin,
    access::{Operator, api_key},
    webhook::{
        sender::receiver_url::UrlFault,
        signing_secret::{self, NewSecret},
    },
};
use domain::{
    audit::AuditAction,
    ids::{ApiKeyId, TenantId},
    name,
    scope::Scopes,
    secret::Secret,
    tenant::{BadSetting, Mode, TenantSettings, tenant_name_fault},
};
use store::{
    StoreError, audit,
    settings::{
        api_keys::{self, ApiKeyRow},
        tenants::{self, TenantRow},
    },
};

/// A tenant to create.
#[derive(Clone, Debug)]
pub struct NewTenant {
    /// Shown to end users.
    pub name: String,
    /// Its settings.
    pub settings: TenantSettings,
    /// Whether it verifies people.
    pub mode: Mode,
}

/// A tenant just created.
#[derive(Clone, Debug)]
pub struct CreatedTenant {
    /// Its id.
    pub id: TenantId,
    /// Its first key, shown only once.
    pub key: Secret<String>,
    /// `whsec_..`, shown only once.
    pub webhook_secret: Secret<String>,
}

/// Why no tenant was created.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CreateTenantError {
    /// The name is not acceptable ([`tenant_name_fault`]).
    #[error("a tenant needs a name of 1 to {} visible characters", name::LONGEST)]
    BadName,
    /// At least one setting is not acceptable.
    #[error("the settings are invalid")]
    BadSettings {
        /// Those out of their bounds.
        faults: Vec<BadSetting>,
        /// What is wrong with the receiver URL.
        receiver: Option<UrlFault>,
    },
    /// The tenant was created before.
    #[error("the tenant has already been created")]
    Repeated,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Creates a tenant.
///
/// # Errors
/// [`CreateTenantError`].
pub async fn create_tenant(
    honnin: &Honnin,
    operator: &Operator,
    new: NewTenant,
) -> Result<CreatedTenant, CreateTenantError> {
    check(honnin, &new.settings)?;
    let tenant = new_row(honnin, draft_tenant(honnin), &new.name, Some(new.settings), new.mode)?;
    let now = tenant.created_at;
    let key = api_key::generate(&*honnin.random, new.mode);
    let row = ApiKeyRow {
        id: ApiKeyId::from_random(honnin.random_bytes()),
        tenant: tenant.id.clone(),
        name: "first key".to_owned(),
        prefix: api_key::prefix(key.expose()),
        hash: api_key::hash(key.expose()),
        scopes: Scopes::ALL,
        created_at: now,
        expires_at: None,
        revoked_at: None,
        replaced_at: None,
        last_used_at: None,
        last_used_from: None,
        networks: Vec::new(),
    };
    let id = tenant.id.clone();
    let secret = NewSecret::generate(honnin, &id, signing_secret::draft(honnin)).await?;
    let webhook_secret = secret.text.clone();
    let entry = operator.entry(now, &id, AuditAction::TenantCreate).about(&id);
    let key_issue = operator
        .entry(now, &id, AuditAction::KeyIssue)
        .about(&row.id)
        .with_detail(describe(row.scopes, "", row.expires_at));
    let issue = operator
        .entry(now, &id, AuditAction::WebhookSecretIssue)
        .about(&secret.id);
    let unit = honnin.db.write(async move |tx| {
        tenants::insert(tx, &tenant).await?;
        api_keys::insert(tx, &row).await?;
        audit::record(tx, &entry).await?;
        audit::record(tx, &key_issue).await?;
        if !secret.store(tx, &tenant.id, &issue).await? {
            return Err(StoreError::Corrupt("a new tenant has secrets"));
        }
        Ok(())
    });
    unit.await?;
    Ok(CreatedTenant {
        id,
        key,
        webhook_secret,
    })
}

/// The id of a tenant that a page offers to create.
#[must_use]
pub fn draft_tenant(honnin: &Honnin) -> TenantId {
    TenantId::from_random(honnin.random_bytes())
}

/// Creates a tenant without settings, keys and secrets: those are for its first admin. A tenant that is asked for twice, by its id from
/// [`draft_tenant`], is created once.
///
/// # Errors
/// [`CreateTenantError`].
pub async fn create_empty_tenant(
    honnin: &Honnin,
    operator: &Operator,
    id: TenantId,
    name: &str,
    mode: Mode,
) -> Result<(), CreateTenantError> {
    let tenant = new_row(honnin, id, name, None, mode)?;
    let entry = operator
        .entry(tenant.created_at, &tenant.id, AuditAction::TenantCreate)
        .about(&tenant.id);
    let unit = honnin.db.write(async move |tx| {
        tenants::insert(tx, &tenant).await?;
        audit::record(tx, &entry).await
    });
    match unit.await {
        Err(StoreError::Duplicate) => Err(CreateTenantError::Repeated),
        other => Ok(other?),
    }
}

fn new_row(
    honnin: &Honnin,
    id: TenantId,
    name: &str,
    settings: Option<TenantSettings>,
    mode: Mode,
) -> Result<TenantRow, CreateTenantError> {
    let name = name.trim().to_owned();
    if tenant_name_fault(&name).is_some() {
        return Err(CreateTenantError::BadName);
    }
    Ok(TenantRow {
        id,
        name,
        settings,
        mode,
        created_at: honnin.now(),
        version: 0,
    })
}

fn check(honnin: &Honnin, settings: &TenantSettings) -> Result<(), CreateTenantError> {
    let faults = settings.faults();
    let receiver = settings.webhook_url.as_deref();
    let receiver = receiver.and_then(|url| honnin.sender.parse_receiver(url).err());
    if faults.is_empty() && receiver.is_none() {
        Ok(())
    } else {
        Err(CreateTenantError::BadSettings { faults, receiver })
    }
}
