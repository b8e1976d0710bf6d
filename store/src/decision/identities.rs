//! What identifies an approved document or face: at most one row for each session, used for comparison only once the session
//! is approved, and removed with its personal data. A document is an HMAC under a key of the tenant; a face is encrypted with
//! the session's own key.

use crate::{
    StoreError,
    db::{Tx, on, row},
    ids,
    vault::DataKeyId,
};
use domain::{
    ids::{SessionId, TenantId},
    time::Timestamp,
};
use sqlx::QueryBuilder;

/// What identifies the document and the face of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityRow {
    /// The session.
    pub session: SessionId,
    /// Its tenant.
    pub tenant: TenantId,
    /// HMAC of the document's number with its kind and issuing state.
    pub document: Option<[u8; 32]>,
    /// Encrypted: the descriptor of the face.
    pub face: Option<Vec<u8>>,
    /// Name of the network that made the descriptor.
    pub face_engine: String,
    /// Since when it counts.
    pub approved_at: Option<Timestamp>,
}

/// The encrypted face of an approved session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedFace {
    /// The session.
    pub session: SessionId,
    /// The key it is encrypted with.
    pub data_key: DataKeyId,
    /// The encrypted descriptor.
    pub face: Vec<u8>,
}

/// Stores the identities of a session, replacing those of an earlier attempt.
///
/// # Errors
/// If the database does not respond.
pub async fn save(tx: &mut Tx, row: &IdentityRow) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO identities (session_id, tenant_id, document, face, face_engine, approved_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (session_id) DO UPDATE SET document = excluded.document, face = excluded.face,
             face_engine = excluded.face_engine, approved_at = excluded.approved_at")
        .bind(row.session.as_str()).bind(row.tenant.as_str()).bind(row.document.as_ref().map(<[u8; 32]>::as_slice))
        .bind(&row.face).bind(&row.face_engine).bind(row.approved_at.map(Timestamp::as_millis)).execute(conn).await.map(drop))
}

/// Activates the identities of a session that a reviewer has approved; a session without a row has none.
///
/// # Errors
/// If the database does not respond.
pub async fn approve(tx: &mut Tx, session: &SessionId, now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE identities SET approved_at = $2 WHERE session_id = $1")
        .bind(session.as_str()).bind(now.as_millis()).execute(conn).await.map(drop))
}

/// Deletes the identities of a session.
///
/// # Errors
/// If the database does not respond.
pub async fn remove(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM identities WHERE session_id = $1")
        .bind(session.as_str()).execute(conn).await.map(drop))
}

/// The tenant's other sessions that were approved with this document, the latest first, at most `limit`.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_by_document(
    tx: &mut Tx,
    tenant: &TenantId,
    document: &[u8; 32],
    but: &SessionId,
    limit: u32,
) -> Result<Vec<SessionId>, StoreError> {
    let ids: Vec<String> = on!(tx, conn => sqlx::query_scalar(
        "SELECT session_id FROM identities
         WHERE tenant_id = $1 AND document = $2 AND approved_at IS NOT NULL AND session_id <> $3
         ORDER BY approved_at DESC, session_id LIMIT $4")
        .bind(tenant.as_str()).bind(document.as_slice()).bind(but.as_str()).bind(i64::from(limit))
        .fetch_all(conn).await)?;
    ids.iter().map(|id| ids::session_id(id)).collect()
}

/// The tenant's other sessions with the document of this one that were approved after `since`, also by a reviewer whose approval can still be
/// undone, at most `limit`.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_same_document(
    tx: &mut Tx,
    session: &SessionId,
    since: Timestamp,
    limit: u32,
) -> Result<Vec<SessionId>, StoreError> {
    let ids: Vec<String> = on!(tx, conn => sqlx::query_scalar(
        "SELECT other.session_id FROM identities own
         JOIN identities other ON other.tenant_id = own.tenant_id AND other.document = own.document
         WHERE own.session_id = $1 AND other.session_id <> own.session_id AND other.approved_at > $2
         UNION
         SELECT other.session_id FROM identities own
         JOIN pending_rulings ON pending_rulings.ruling = 'approved'
         JOIN identities other ON other.session_id = pending_rulings.session_id AND other.tenant_id = own.tenant_id
             AND other.document = own.document
         WHERE own.session_id = $1 AND other.session_id <> own.session_id
         ORDER BY 1 LIMIT $3")
        .bind(session.as_str()).bind(since.as_millis()).bind(i64::from(limit)).fetch_all(conn).await)?;
    ids.iter().map(|id| ids::session_id(id)).collect()
}

/// Whether a reviewer has approved another of the tenant's sessions with this document and can still undo it.
///
/// # Errors
/// If the database does not respond.
pub async fn is_approval_pending(
    tx: &mut Tx,
    tenant: &TenantId,
    document: &[u8; 32],
    but: &SessionId,
) -> Result<bool, StoreError> {
    let found: Option<String> = on!(tx, conn => sqlx::query_scalar(
        "SELECT identities.session_id FROM pending_rulings
         JOIN identities ON identities.session_id = pending_rulings.session_id
         WHERE pending_rulings.ruling = 'approved' AND identities.tenant_id = $1 AND identities.document = $2
             AND identities.session_id <> $3 LIMIT 1")
        .bind(tenant.as_str()).bind(document.as_slice()).bind(but.as_str()).fetch_optional(conn).await)?;
    Ok(found.is_some())
}

/// The tenant's sessions whose faces were approved since `since`, by any clock, or by a reviewer whose approval can still be undone, by session.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_faces_since(tx: &mut Tx, tenant: &TenantId, since: Timestamp) -> Result<Vec<SessionId>, StoreError> {
    let ids: Vec<String> = on!(tx, conn => sqlx::query_scalar(
        "SELECT session_id FROM identities WHERE tenant_id = $1 AND face IS NOT NULL AND approved_at >= $2
         UNION
         SELECT identities.session_id FROM pending_rulings
         JOIN identities ON identities.session_id = pending_rulings.session_id
         WHERE pending_rulings.ruling = 'approved' AND identities.tenant_id = $1 AND identities.face IS NOT NULL
         ORDER BY 1")
        .bind(tenant.as_str()).bind(since.as_millis()).fetch_all(conn).await)?;
    ids.iter().map(|id| ids::session_id(id)).collect()
}

row! {
    struct Raw {
        session_id: String,
        data_key: String,
        face: Vec<u8>,
    }
}

/// A page of the tenant's approved faces that this network described, by session: those after `after`, at most `limit`.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_faces(
    tx: &mut Tx,
    tenant: &TenantId,
    engine: &str,
    after: Option<&SessionId>,
    limit: u32,
) -> Result<Vec<SealedFace>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT i.session_id, s.data_key, i.face FROM identities i JOIN sessions s ON s.id = i.session_id
         WHERE i.tenant_id = $1 AND i.approved_at IS NOT NULL AND i.face IS NOT NULL AND i.session_id > $2
             AND i.face_engine = $3
         ORDER BY i.session_id LIMIT $4")
        .bind(tenant.as_str()).bind(after.map_or("", SessionId::as_str)).bind(engine).bind(i64::from(limit))
        .fetch_all(conn).await)?;
    raw.into_iter().map(sealed).collect()
}

/// The tenant's faces that this network described and that a reviewer has approved who can still undo it, by session.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_pending_faces(tx: &mut Tx, tenant: &TenantId, engine: &str) -> Result<Vec<SealedFace>, StoreError> {
    let raw: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT i.session_id, s.data_key, i.face FROM pending_rulings p
         JOIN identities i ON i.session_id = p.session_id
         JOIN sessions s ON s.id = p.session_id
         WHERE p.ruling = 'approved' AND i.tenant_id = $1 AND i.face IS NOT NULL AND i.face_engine = $2
         ORDER BY i.session_id")
        .bind(tenant.as_str()).bind(engine).fetch_all(conn).await)?;
    raw.into_iter().map(sealed).collect()
}

fn sealed(raw: Raw) -> Result<SealedFace, StoreError> {
    Ok(SealedFace {
        session: ids::session_id(&raw.session_id)?,
        data_key: DataKeyId::stored(&raw.data_key)?,
        face: raw.face,
    })
}

/// The tenant's other sessions whose faces the network of this one's described and that were approved after `since`, also by a reviewer whose
/// approval can still be undone, by session, at most `limit`. None if this session has no face.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_faces_approved_after(
    tx: &mut Tx,
    session: &SessionId,
    since: Timestamp,
    limit: u32,
) -> Result<Vec<SessionId>, StoreError> {
    let ids: Vec<String> = on!(tx, conn => sqlx::query_scalar(
        "SELECT other.session_id FROM identities own
         JOIN identities other ON other.tenant_id = own.tenant_id AND other.face_engine = own.face_engine
         WHERE own.session_id = $1 AND own.face IS NOT NULL AND other.session_id <> own.session_id
             AND other.face IS NOT NULL AND other.approved_at > $2
         UNION
         SELECT other.session_id FROM identities own
         JOIN pending_rulings ON pending_rulings.ruling = 'approved'
         JOIN identities other ON other.session_id = pending_rulings.session_id AND other.tenant_id = own.tenant_id
             AND other.face_engine = own.face_engine
         WHERE own.session_id = $1 AND own.face IS NOT NULL AND other.session_id <> own.session_id
             AND other.face IS NOT NULL
         ORDER BY 1 LIMIT $3")
        .bind(session.as_str()).bind(since.as_millis()).bind(i64::from(limit)).fetch_all(conn).await)?;
    ids.iter().map(|id| ids::session_id(id)).collect()
}

/// The faces of some of the tenant's sessions that this network described, by session. Sessions that were erased meanwhile have none.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_faces_of(
    tx: &mut Tx,
    tenant: &TenantId,
    engine: &str,
    sessions: &[SessionId],
) -> Result<Vec<SealedFace>, StoreError> {
    if sessions.is_empty() {
        return Ok(Vec::new());
    }
    let raw: Vec<Raw> = on!(tx, conn => {
        let mut statement = QueryBuilder::new(
            "SELECT i.session_id, s.data_key, i.face FROM identities i JOIN sessions s ON s.id = i.session_id
             WHERE i.face IS NOT NULL AND i.tenant_id = ");
        statement.push_bind(tenant.as_str()).push(" AND i.face_engine = ").push_bind(engine);
        statement.push(" AND i.session_id IN (");
        let mut listed = statement.separated(", ");
        for session in sessions {
            listed.push_bind(session.as_str());
        }
        statement.push(") ORDER BY i.session_id");
        statement.build_query_as().fetch_all(conn).await
    })?;
    raw.into_iter().map(sealed).collect()
}

/// The data key of a tenant's HMACs, if it has one.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn find_key(tx: &mut Tx, tenant: &TenantId) -> Result<Option<DataKeyId>, StoreError> {
    let id: Option<String> = on!(tx, conn => sqlx::query_scalar("SELECT data_key FROM tenant_keys WHERE tenant_id = $1")
        .bind(tenant.as_str()).fetch_optional(conn).await)?;
    id.map(|id| DataKeyId::stored(&id)).transpose()
}

/// The data keys of all tenants.
///
/// # Errors
/// If the database does not respond or a row does not parse.
pub async fn list_keys(tx: &mut Tx) -> Result<Vec<DataKeyId>, StoreError> {
    let ids: Vec<String> = on!(tx, conn => sqlx::query_scalar("SELECT data_key FROM tenant_keys ORDER BY tenant_id")
        .fetch_all(conn).await)?;
    ids.iter().map(|id| DataKeyId::stored(id)).collect()
}

/// Gives a tenant a key if it has none, or only the one that is `lost`; returns its current key.
///
/// # Errors
/// If the database does not respond or the row does not parse.
pub async fn give_key(
    tx: &mut Tx,
    tenant: &TenantId,
    key: &DataKeyId,
    lost: Option<&DataKeyId>,
) -> Result<DataKeyId, StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO tenant_keys (tenant_id, data_key) VALUES ($1, $2)
         ON CONFLICT (tenant_id) DO UPDATE SET data_key = excluded.data_key WHERE tenant_keys.data_key = $3")
        .bind(tenant.as_str()).bind(key.as_str()).bind(lost.map(DataKeyId::as_str)).execute(conn).await.map(drop))?;
    find_key(tx, tenant)
        .await?
        .ok_or(StoreError::Corrupt("a tenant's key that was just stored is missing"))
}
