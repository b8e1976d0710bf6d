//! Invitations to the console: links with which people create an account. A row is an open invitation; used or revoked ones are
//! deleted. Only the SHA-256 of the token is stored.

use crate::{
    StoreError,
    db::{Tx, on, row},
    people::{LINK_LIFETIME, latest_end, users::membership},
};
use domain::{
    ids::{InvitationId, TenantId, UserId},
    role::{Membership, Role},
    time::Timestamp,
};

/// An invitation as stored.
#[derive(Clone, PartialEq, Eq)]
pub struct InvitationRow {
    /// Its id.
    pub id: InvitationId,
    /// SHA-256 of the link's token.
    pub hash: Vec<u8>,
    /// Their tenant and role; `None` for an operator who belongs to no tenant.
    pub membership: Option<Membership>,
    /// Whether they become an operator.
    pub operator: bool,
    /// E-mail address used to sign in, in lower case.
    pub email: String,
    /// Name shown to colleagues.
    pub name: String,
    /// Who invited them; `None` for the command line.
    pub invited_by: Option<UserId>,
    /// Valid only while the tenant has no admin.
    pub first_admin: bool,
    /// When they were invited.
    pub created_at: Timestamp,
    /// When the link expires.
    pub expires_at: Timestamp,
}

impl InvitationRow {
    /// The tenant they are invited to; `None` for an operator who belongs to no tenant.
    #[must_use]
    pub fn tenant(&self) -> Option<&TenantId> {
        self.membership.as_ref().map(|membership| &membership.tenant)
    }

    /// Their role there.
    #[must_use]
    pub fn role(&self) -> Option<Role> {
        self.membership.as_ref().map(|membership| membership.role)
    }
}

impl std::fmt::Debug for InvitationRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "InvitationRow({})", self.id)
    }
}

row! {
    struct Raw {
        id: String,
        hash: Vec<u8>,
        tenant_id: Option<String>,
        role: Option<String>,
        operator: bool,
        email: String,
        name: String,
        invited_by: Option<String>,
        first_admin: bool,
        created_at: i64,
        expires_at: i64,
    }
}

impl TryFrom<Raw> for InvitationRow {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        let malformed = StoreError::Corrupt("a malformed user id");
        let invited_by = raw
            .invited_by
            .map(|id| UserId::parse(&id).ok_or(malformed))
            .transpose()?;
        Ok(Self {
            id: InvitationId::parse(&raw.id).ok_or(StoreError::Corrupt("a malformed invitation id"))?,
            hash: raw.hash,
            membership: membership(raw.tenant_id, raw.role, raw.operator)?,
            operator: raw.operator,
            email: raw.email,
            name: raw.name,
            invited_by,
            first_admin: raw.first_admin,
            created_at: Timestamp::from_millis(raw.created_at),
            expires_at: Timestamp::from_millis(raw.expires_at),
        })
    }
}

macro_rules! columns {
    ($before:literal, $after:literal) => {
        concat!(
            $before,
            "id, hash, tenant_id, role, operator, email, name, invited_by, first_admin, created_at, expires_at",
            $after
        )
    };
}

/// Stores an invitation.
///
/// # Errors
/// [`StoreError::Duplicate`] if its id or hash is already in use.
pub async fn insert(tx: &mut Tx, row: &InvitationRow) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(columns!(
        "INSERT INTO invitations (", ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"))
        .bind(row.id.as_str()).bind(&row.hash).bind(row.tenant().map(TenantId::as_str))
        .bind(row.role().map(Role::as_str)).bind(row.operator).bind(&row.email).bind(&row.name)
        .bind(row.invited_by.as_ref().map(UserId::as_str)).bind(row.first_admin)
        .bind(row.created_at.as_millis()).bind(row.expires_at.as_millis())
        .execute(conn).await.map(drop))
}

/// The open invitation of a link's token.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn find_open(tx: &mut Tx, hash: &[u8], now: Timestamp) -> Result<Option<InvitationRow>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(
        columns!("SELECT ", " FROM invitations WHERE hash = $1 AND expires_at > $2 AND expires_at <= $3"))
        .bind(hash).bind(now.as_millis()).bind(latest_end(now).as_millis()).fetch_optional(conn).await)?;
    raw.map(InvitationRow::try_from).transpose()
}

/// Uses up an open invitation: of two concurrent units, one gets it.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn take(tx: &mut Tx, hash: &[u8], now: Timestamp) -> Result<Option<InvitationRow>, StoreError> {
    let raw: Option<Raw> = on!(tx, conn => sqlx::query_as(
        columns!("DELETE FROM invitations WHERE hash = $1 AND expires_at > $2 AND expires_at <= $3 RETURNING ", ""))
        .bind(hash).bind(now.as_millis()).bind(latest_end(now).as_millis()).fetch_optional(conn).await)?;
    raw.map(InvitationRow::try_from).transpose()
}

/// A tenant's open invitations, oldest first.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list(tx: &mut Tx, tenant: &TenantId, now: Timestamp) -> Result<Vec<InvitationRow>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        columns!("SELECT ", " FROM invitations WHERE tenant_id = $1 AND expires_at > $2 ORDER BY created_at, id"))
        .bind(tenant.as_str()).bind(now.as_millis()).fetch_all(conn).await)?;
    raw.into_iter().map(InvitationRow::try_from).collect()
}

/// Revokes one of a tenant's invitations. Returns whether there was one with this id.
///
/// # Errors
/// If the database does not respond.
pub async fn revoke(tx: &mut Tx, tenant: &TenantId, id: &InvitationId) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM invitations WHERE tenant_id = $1 AND id = $2")
        .bind(tenant.as_str()).bind(id.as_str()).execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Revokes a tenant's invitations to an address; `None` for operators who belong to no tenant.
///
/// # Errors
/// If the database does not respond.
pub async fn revoke_to(tx: &mut Tx, tenant: Option<&TenantId>, email: &str) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM invitations WHERE tenant_id IS NOT DISTINCT FROM $1 AND email = $2")
        .bind(tenant.map(TenantId::as_str)).bind(email).execute(conn).await.map(drop))
}

/// Revokes every invitation that a person made, in any tenant. Returns them, in no order.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn revoke_by(tx: &mut Tx, user: &UserId) -> Result<Vec<InvitationRow>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        columns!("DELETE FROM invitations WHERE invited_by = $1 RETURNING ", ""))
        .bind(user.as_str()).fetch_all(conn).await)?;
    raw.into_iter().map(InvitationRow::try_from).collect()
}

/// The addresses to which a person has open invitations, in any tenant, in the order of the alphabet.
///
/// # Errors
/// If the database does not respond.
pub async fn list_addresses_by(tx: &mut Tx, user: &UserId, now: Timestamp) -> Result<Vec<String>, StoreError> {
    on!(tx, conn => sqlx::query_scalar(
        "SELECT email FROM invitations WHERE invited_by = $1 AND expires_at > $2 ORDER BY email, id")
        .bind(user.as_str()).bind(now.as_millis()).fetch_all(conn).await)
}

/// Lets invitations that were made by a clock that was ahead count as made at `now`. Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn bring_back(tx: &mut Tx, now: Timestamp) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query("UPDATE invitations SET expires_at = $2 WHERE expires_at > $1")
        .bind(latest_end(now).as_millis()).bind(now.plus(LINK_LIFETIME).as_millis())
        .execute(conn).await.map(|done| done.rows_affected()))
}

/// Removes invitations that have expired.
///
/// # Errors
/// If the database does not respond.
pub async fn sweep(tx: &mut Tx, now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM invitations WHERE expires_at <= $1")
        .bind(now.as_millis()).execute(conn).await.map(drop))
}
