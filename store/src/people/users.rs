//! Console users.

use crate::{
    StoreError, audit,
    db::{Dialect, Tx, on, row},
    ids,
};
use domain::{
    cursor::After,
    ids::{TenantId, UserId},
    role::{Membership, Role},
    time::Timestamp,
};

/// A person. The password is a PHC string, which `Debug` omits.
#[derive(Clone, PartialEq, Eq)]
pub struct UserRow {
    /// Their id.
    pub id: UserId,
    /// Their tenant and role; `None` for an operator who belongs to no tenant.
    pub membership: Option<Membership>,
    /// Lower case.
    pub email: String,
    /// Name shown to colleagues.
    pub name: String,
    /// Whether they are an operator.
    pub operator: bool,
    /// PHC string; `None` if they sign in with the OpenID provider only.
    pub password: Option<String>,
    /// When they were added.
    pub created_at: Timestamp,
    /// When they were disabled.
    pub disabled_at: Option<Timestamp>,
    /// How often all their console sessions have been ended: a session from an earlier epoch is no longer valid.
    pub session_epoch: i64,
}

/// Stored in place of a PHC string for somebody without a password.
const NO_PASSWORD: &str = "!";

impl UserRow {
    /// Their tenant; `None` for an operator who belongs to no tenant.
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

impl std::fmt::Debug for UserRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "UserRow({})", self.id)
    }
}

row! {
    struct Row {
        id: String,
        tenant_id: Option<String>,
        email: String,
        name: String,
        role: Option<String>,
        operator: bool,
        password: String,
        created_at: i64,
        disabled_at: Option<i64>,
        session_epoch: i64,
    }
}

impl TryFrom<Row> for UserRow {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: ids::user_id(&row.id)?,
            membership: membership(row.tenant_id, row.role, row.operator)?,
            email: row.email,
            name: row.name,
            operator: row.operator,
            password: Some(row.password).filter(|stored| stored != NO_PASSWORD),
            created_at: Timestamp::from_millis(row.created_at),
            disabled_at: row.disabled_at.map(Timestamp::from_millis),
            session_epoch: row.session_epoch,
        })
    }
}

/// A person's tenant and role. Only operators may belong to no tenant.
pub(crate) fn membership(
    tenant: Option<String>,
    role: Option<String>,
    operator: bool,
) -> Result<Option<Membership>, StoreError> {
    match (tenant, role) {
        (Some(tenant), Some(role)) => TenantId::parse(&tenant)
            .zip(Role::parse(&role))
            .map(|(tenant, role)| Some(Membership { tenant, role }))
            .ok_or(StoreError::Corrupt("a membership that does not parse")),
        (None, None) if operator => Ok(None),
        _ => Err(StoreError::Corrupt("a person without a tenant or a role")),
    }
}

macro_rules! user_columns {
    () => {
        "SELECT id, tenant_id, email, name, role, operator, password, created_at, disabled_at, session_epoch FROM users "
    };
}

/// Adds a person.
///
/// # Errors
/// [`StoreError::Duplicate`] if the e-mail address is already in use, [`StoreError::Refused`] with an empty password hash.
pub async fn insert(tx: &mut Tx, user: &UserRow) -> Result<(), StoreError> {
    let password = user.password.as_deref().unwrap_or(NO_PASSWORD);
    check_password(password)?;
    on!(tx, conn => sqlx::query(
        "INSERT INTO users (id, tenant_id, email, name, role, operator, password, created_at, disabled_at, session_epoch)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)")
        .bind(user.id.as_str()).bind(user.tenant().map(TenantId::as_str)).bind(&user.email)
        .bind(&user.name).bind(user.role().map(Role::as_str)).bind(user.operator)
        .bind(password).bind(user.created_at.as_millis()).bind(user.disabled_at.map(Timestamp::as_millis))
        .bind(user.session_epoch)
        .execute(conn).await.map(drop))
}

/// An empty hash must not be stored, because nobody could sign in with it.
fn check_password(hash: &str) -> Result<(), StoreError> {
    if hash.is_empty() {
        return Err(StoreError::refused("an empty password hash"));
    }
    Ok(())
}

/// A person by id.
///
/// # Errors
/// If the database does not respond.
pub async fn find(tx: &mut Tx, id: &UserId) -> Result<Option<UserRow>, StoreError> {
    let row: Option<Row> = on!(tx, conn => sqlx::query_as(concat!(user_columns!(), "WHERE id = $1"))
        .bind(id.as_str()).fetch_optional(conn).await)?;
    row.map(UserRow::try_from).transpose()
}

/// A person by e-mail address, in lower case.
///
/// # Errors
/// If the database does not respond.
pub async fn find_by_email(tx: &mut Tx, email: &str) -> Result<Option<UserRow>, StoreError> {
    let row: Option<Row> = on!(tx, conn => sqlx::query_as(concat!(user_columns!(), "WHERE email = $1"))
        .bind(email).fetch_optional(conn).await)?;
    row.map(UserRow::try_from).transpose()
}

/// The people of a tenant, oldest first.
///
/// # Errors
/// If the database does not respond.
pub async fn list(tx: &mut Tx, tenant: &TenantId) -> Result<Vec<UserRow>, StoreError> {
    let rows: Vec<Row> = on!(tx, conn => sqlx::query_as(
        concat!(user_columns!(), "WHERE tenant_id = $1 ORDER BY created_at, id"))
        .bind(tenant.as_str()).fetch_all(conn).await)?;
    rows.into_iter().map(UserRow::try_from).collect()
}

/// Which of a tenant's people are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListedPeople {
    /// Those whose account is enabled.
    Enabled,
    /// Those whose account is disabled.
    Disabled,
    /// Both.
    #[default]
    All,
}

/// A page of a tenant's people, oldest first, after the person `after`.
///
/// # Errors
/// If the database does not respond.
pub async fn list_page(
    tx: &mut Tx,
    tenant: &TenantId,
    listed: ListedPeople,
    after: Option<&After<UserId>>,
    limit: u32,
) -> Result<Vec<UserRow>, StoreError> {
    let (at, id) = after.map_or((i64::MIN, ""), |(at, id)| (at.as_millis(), id.as_str()));
    let rows: Vec<Row> = on!(tx, conn => sqlx::query_as(concat!(user_columns!(),
        "WHERE tenant_id = $1 AND (created_at, id) > ($2, $3) AND ((disabled_at IS NULL) = $4 OR $5)
         ORDER BY created_at, id LIMIT $6"))
        .bind(tenant.as_str()).bind(at).bind(id)
        .bind(listed == ListedPeople::Enabled).bind(listed == ListedPeople::All)
        .bind(i64::from(limit)).fetch_all(conn).await)?;
    rows.into_iter().map(UserRow::try_from).collect()
}

/// Whether there are any people.
///
/// # Errors
/// If the database does not respond.
pub async fn exist(tx: &mut Tx) -> Result<bool, StoreError> {
    let one: Option<String> =
        on!(tx, conn => sqlx::query_scalar("SELECT id FROM users LIMIT 1").fetch_optional(conn).await)?;
    Ok(one.is_some())
}

/// Changes a person's name, role or whether they are disabled. Tenant, e-mail address, operator rights and password stay the same.
///
/// # Errors
/// If the database does not respond.
pub async fn save(tx: &mut Tx, user: &UserRow) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE users SET name = $2, role = $3, disabled_at = $4 WHERE id = $1")
        .bind(user.id.as_str()).bind(&user.name).bind(user.role().map(Role::as_str))
        .bind(user.disabled_at.map(Timestamp::as_millis))
        .execute(conn).await.map(drop))
}

/// Frees a person's e-mail address for somebody else. They get one that nobody can have, since `invalid` is no domain (RFC 2606).
///
/// # Errors
/// If the database does not respond.
pub async fn release_email(tx: &mut Tx, id: &UserId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE users SET email = 'released-' || id || '@invalid' WHERE id = $1")
        .bind(id.as_str()).execute(conn).await.map(drop))
}

/// Changes only a person's password, whatever an admin changes concurrently.
///
/// # Errors
/// [`StoreError::Refused`] without a hash; if the database does not respond.
pub async fn set_password(tx: &mut Tx, id: &UserId, hash: &str) -> Result<(), StoreError> {
    check_password(hash)?;
    on!(tx, conn => sqlx::query("UPDATE users SET password = $2 WHERE id = $1")
        .bind(id.as_str()).bind(hash).execute(conn).await.map(drop))
}

/// Records that all sessions of a person end now. Returns the epoch that begins.
///
/// # Errors
/// If the database does not respond, or there is no such person.
pub async fn begin_session_epoch(tx: &mut Tx, id: &UserId) -> Result<i64, StoreError> {
    on!(tx, conn => sqlx::query_scalar(
        "UPDATE users SET session_epoch = session_epoch + 1 WHERE id = $1 RETURNING session_epoch")
        .bind(id.as_str()).fetch_one(conn).await)
}

/// Makes a person an operator and enables a disabled account. Returns whether there is such a person.
///
/// # Errors
/// If the database does not respond.
pub async fn grant_operator(tx: &mut Tx, id: &UserId) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query("UPDATE users SET operator = $2, disabled_at = NULL WHERE id = $1")
        .bind(id.as_str()).bind(true).execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Takes operator rights away from a person of a tenant. Returns whether they had them.
///
/// # Errors
/// If the database does not respond.
pub async fn revoke_operator(tx: &mut Tx, id: &UserId) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE users SET operator = $2 WHERE id = $1 AND operator = $3 AND tenant_id IS NOT NULL")
        .bind(id.as_str()).bind(false).bind(true).execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Makes other units that lock or change this person wait until the caller's is done. What is read afterwards stays true until then. On
/// SQLite, units run one after another anyway.
///
/// # Errors
/// If the database does not respond.
pub async fn lock(tx: &mut Tx, id: &UserId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE users SET operator = operator WHERE id = $1")
        .bind(id.as_str()).execute(conn).await.map(drop))
}

/// Makes other units that lock the operators wait until the caller's is done, and returns whether an enabled operator other
/// than `id` remains. On SQLite, units run one after another anyway.
///
/// # Errors
/// If the database does not respond.
pub async fn lock_operators(tx: &mut Tx, id: &UserId) -> Result<bool, StoreError> {
    if tx.dialect() == Dialect::Postgres {
        // Always in the same order, which prevents deadlocks.
        on!(tx, conn => sqlx::query("SELECT id FROM users WHERE operator = $1 ORDER BY id FOR NO KEY UPDATE")
            .bind(true).execute(conn).await.map(drop))?;
    }
    let other: Option<String> = on!(tx, conn => sqlx::query_scalar(
        "SELECT id FROM users WHERE operator = $1 AND disabled_at IS NULL AND id <> $2 LIMIT 1")
        .bind(true).bind(id.as_str()).fetch_optional(conn).await)?;
    Ok(other.is_some())
}

/// What a person's visit follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedVisit {
    /// Where their last two visits came from, as far as known.
    pub before: Vec<String>,
    /// The epoch of their sessions that the new one belongs to.
    pub session_epoch: i64,
    /// The number of the entry of the audit log up to which none is still to come; 0 if there is none.
    pub entry: i64,
    /// When they were added.
    pub created_at: Timestamp,
}

/// Records that a person has signed in.
///
/// # Errors
/// If the database does not respond, or there is no such person.
pub async fn mark_visit(
    tx: &mut Tx,
    id: &UserId,
    from: Option<&str>,
    now: Timestamp,
) -> Result<MarkedVisit, StoreError> {
    let before: Option<(Option<String>, Option<String>)> = on!(tx, conn => sqlx::query_as(
        "SELECT visited_from, visited_before_from FROM users WHERE id = $1")
        .bind(id.as_str()).fetch_optional(conn).await)?;
    let entry = audit::find_settled(tx, now).await?;
    // The time and the entry of the visit before are read by nodes of earlier versions only.
    let (session_epoch, created_at): (i64, i64) = on!(tx, conn => sqlx::query_as(
        "UPDATE users SET visited_before_at = visited_at, visited_before_from = visited_from, visited_before_entry = visited_entry,
             visited_at = $2, visited_from = $3, visited_entry = $4
         WHERE id = $1 RETURNING session_epoch, created_at")
        .bind(id.as_str()).bind(now.as_millis()).bind(from).bind(entry).fetch_one(conn).await)?;
    let (last, before_it) = before.unwrap_or_default();
    Ok(MarkedVisit {
        before: last.into_iter().chain(before_it).collect(),
        session_epoch,
        entry,
        created_at: Timestamp::from_millis(created_at),
    })
}
