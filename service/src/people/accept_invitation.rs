//! Accepting an invitation: the holder of the link chooses a password, which creates their account. Viewing the link changes
//! nothing.

use crate::{
    Honnin,
    people::{
        has_admin, invite,
        known_browser::Client,
        organisation,
        password::{self, BadPassword},
        visit::{self, Entrance},
    },
    runtime::token::{self, NotAToken},
};
use domain::{
    audit::{Actor, AuditAction},
    ids::UserId,
    role::Role,
    secret::Secret,
    time::Timestamp,
};
use std::net::IpAddr;
use store::{
    StoreError, Tx,
    audit::{self, Entry},
    people::{
        invitations::{self, InvitationRow},
        provider_accounts::{self, ProviderAccount},
        users::{self, UserRow},
    },
    settings::tenants,
};

/// What the page of an open invitation shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenInvitation {
    /// Name of the invited person.
    pub name: String,
    /// E-mail address they will sign in with.
    pub email: String,
    /// Their role; `None` for an operator who belongs to no tenant.
    pub role: Option<Role>,
    /// Their tenant; `None` for an operator who belongs to no tenant.
    pub tenant: Option<String>,
    /// Whether they become an operator.
    pub operator: bool,
}

/// Why an invitation was not accepted.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AcceptError {
    /// Unknown, used, revoked, replaced or expired, without saying which.
    #[error("the invitation is not valid")]
    Closed,
    /// An account with this address already exists.
    #[error("an account with this address already exists")]
    Taken,
    /// The password is not acceptable.
    #[error(transparent)]
    Bad(BadPassword),
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<NotAToken> for AcceptError {
    fn from(_: NotAToken) -> Self {
        Self::Closed
    }
}

/// What the page of a link shows.
///
/// # Errors
/// [`AcceptError::Closed`], or storage.
pub async fn open_invitation(honnin: &Honnin, token: &str) -> Result<OpenInvitation, AcceptError> {
    let (hash, now) = (token::hash_presented(token)?, honnin.now());
    let unit = honnin.db.read(async move |tx| {
        let row = invitations::find_open(tx, &hash, now).await?;
        let row = still_good(tx, row).await?;
        let tenant = organisation(tx, row.tenant()).await?;
        Ok(OpenInvitation {
            role: row.role(),
            operator: row.operator,
            name: row.name,
            email: row.email,
            tenant,
        })
    });
    unit.await
}

/// An operator's invitation to another tenant is void once that tenant has an admin: otherwise an operator could make several
/// and keep one for later.
async fn still_good(tx: &mut Tx, row: Option<InvitationRow>) -> Result<InvitationRow, AcceptError> {
    let row = row.ok_or(AcceptError::Closed)?;
    if let (true, Some(tenant)) = (row.first_admin, row.tenant())
        && has_admin(tx, tenant).await?
    {
        return Err(AcceptError::Closed);
    }
    Ok(row)
}

/// Creates the account of the invited person, who is signed in with that: it is their first visit.
///
/// # Errors
/// [`AcceptError`]; after any but [`AcceptError::Closed`] the link remains valid.
pub async fn accept_invitation(
    honnin: &Honnin,
    token: &str,
    password: Secret<String>,
    client: &Client,
) -> Result<Entrance, AcceptError> {
    if !honnin.allows_local_sign_in() {
        return Err(AcceptError::Bad(BadPassword::Unused));
    }
    let (hash, now) = (token::hash_presented(token)?, honnin.now());
    let shown = open_invitation(honnin, token).await?;
    let known = [&*shown.email, &shown.name, shown.tenant.as_deref().unwrap_or_default()];
    password::check(password.expose(), &known).map_err(AcceptError::Bad)?;
    let phc = password::hash(password).await?;
    let id = UserId::from_random(honnin.random_bytes());
    let client = client.clone();
    let unit = honnin.db.write(async move |tx| {
        let entry = join(tx, &hash, Some(&phc), &id, now).await?;
        Ok::<_, AcceptError>(visit::record(tx, &id, entry.from_address(client.address), &client).await?)
    });
    unit.await
}

/// Creates the account of the invited person, who has signed in to the OpenID provider as `account` (issuer, subject) and has no
/// password here. The caller signs them in, which is their first visit.
///
/// # Errors
/// [`AcceptError`], with [`StoreError::Duplicate`] if the provider's account belongs to somebody else here.
pub(crate) async fn accept_linked(
    honnin: &Honnin,
    token: &str,
    (issuer, subject): (String, String),
    address: IpAddr,
) -> Result<UserId, AcceptError> {
    let (hash, now) = (token::hash_presented(token)?, honnin.now());
    let account = ProviderAccount {
        issuer,
        subject,
        user: UserId::from_random(honnin.random_bytes()),
        linked_at: now,
    };
    let made = account.user.clone();
    let unit = honnin.db.write(async move |tx| {
        let entry = join(tx, &hash, None, &account.user, now).await?;
        audit::record(tx, &entry.from_address(address)).await?;
        Ok::<_, AcceptError>(provider_accounts::insert(tx, &account).await?)
    });
    unit.await?;
    Ok(made)
}

/// Takes the invitation and stores the account. Returns what the caller has to record.
async fn join(
    tx: &mut Tx,
    hash: &[u8],
    password: Option<&str>,
    id: &UserId,
    now: Timestamp,
) -> Result<Entry, AcceptError> {
    let found = invitations::find_open(tx, hash, now)
        .await?
        .ok_or(AcceptError::Closed)?;
    if let Some(tenant) = found.tenant() {
        // Of two concurrent first admins, the second waits here and is refused.
        tenants::lock(tx, tenant).await?;
    }
    let row = invitations::take(tx, hash, now).await?;
    let row = still_good(tx, row).await?;
    if users::find_by_email(tx, &row.email).await?.is_some() {
        return Err(AcceptError::Taken);
    }
    let entry = Entry::new(now, Actor::Person(id.clone()), AuditAction::PersonJoin)
        .in_tenant(row.tenant().cloned())
        .about(&row.id);
    let entry = invite::with_role(entry, &row);
    let user = UserRow {
        id: id.clone(),
        membership: row.membership,
        email: row.email,
        name: row.name,
        operator: row.operator,
        password: password.map(str::to_owned),
        created_at: now,
        disabled_at: None,
        session_epoch: 0,
    };
    match users::insert(tx, &user).await {
        // An invitation to another tenant was accepted at the same time.
        Err(StoreError::Duplicate) => Err(AcceptError::Taken),
        other => Ok(other.map(|()| entry)?),
    }
}
