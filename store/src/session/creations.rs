//! Everything that creating a session stores, in one round trip to the database: six would cost a request more than its own work
//! ([P1b, P1c](../../../docs/TESTING.md)).

use crate::{
    StoreError,
    audit::Entry,
    db::{Dialect, Tx, on},
    jobs::NewJob,
    session::{blind_index::TermHash, creation_rates::TokenRequest, links::LinkRow, sessions::SessionRow},
};
use domain::ids::TenantId;

/// A session that was just created, and what belongs to it.
#[derive(Clone, Copy, Debug)]
pub struct Creation<'a> {
    /// Without anything that a person or a decision adds later.
    pub session: &'a SessionRow,
    /// Its first link.
    pub link: &'a LinkRow,
    /// The entry of the audit log.
    pub entry: &'a Entry,
    /// The job that expires it, without a key.
    pub expiry: NewJob<'a>,
    /// What it is found by, each once.
    pub terms: &'a [TermHash],
    /// The token that it takes from its tenant's bucket, if creations are limited.
    pub token_request: Option<&'a TokenRequest>,
}

macro_rules! session {
    () => {
        "INSERT INTO sessions (id, tenant_id, status, plan, created_at, expires_at, attempt, version, data_key, metadata, callback_url,
             state, known)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
    };
}

macro_rules! link {
    () => {
        "INSERT INTO links (hash, session_id, created_at, expires_at) VALUES ($14, $1, $15, $16)"
    };
}

/// The job that expires it at its deadline.
macro_rules! job {
    () => {
        "INSERT INTO jobs (kind, subject, run_at) VALUES ($17, $1, $18)"
    };
}

macro_rules! entry {
    () => {
        "INSERT INTO audit (at, tenant_id, actor, action, subject, detail, address) VALUES ($19, $20, $21, $22, $23, $24, $25)"
    };
}

/// What it is found by, from a list of hexadecimal numbers: one parameter, however many there are. `$unpacked` is the list as rows,
/// and `$bytes` one of them as bytes.
macro_rules! terms {
    ($unpacked:literal, $bytes:literal) => {
        concat!(
            "INSERT INTO blind_index (tenant_id, term, session_id) SELECT $2, ",
            $bytes,
            ", $1 FROM ",
            $unpacked
        )
    };
}

/// Takes a token if [`TokenRequest::is_granted`] allows it. One statement, so that two nodes cannot take the same token.
macro_rules! token {
    () => {
        "INSERT INTO creation_rates (tenant_id, full_at) VALUES ($2, $27 + $28)
         ON CONFLICT (tenant_id) DO UPDATE
         SET full_at = $28 + CASE
             WHEN creation_rates.full_at <= $27 THEN $27
             WHEN creation_rates.full_at <= $29 THEN creation_rates.full_at
             ELSE $29 END
         WHERE creation_rates.full_at <= $29 OR creation_rates.full_at > $30"
    };
}

/// The statement, and how many rows it reports if everything was stored, apart from the terms. SQLite runs several statements and adds
/// up their rows. PostgreSQL takes one, and reports the rows of its last part; what the other parts refer to is checked at its end.
const fn statement(dialect: Dialect, is_limited: bool) -> (&'static str, usize) {
    macro_rules! sqlite {
        ($($more:expr),*) => {
            concat!(
                session!(), ";", link!(), ";", job!(), ";",
                terms!("json_each($26)", "unhex(value)"), ";", entry!() $(, ";", $more)*
            )
        };
    }
    macro_rules! postgres {
        ($($part:literal, $of:expr),*; $last:expr) => {
            concat!(
                "WITH session AS (", session!(), "), link AS (", link!(), "), job AS (", job!(), "), terms AS (",
                terms!("json_array_elements_text($26::json) AS listed (term)", "decode(listed.term, 'hex')"),
                ")" $(, ", ", $part, " AS (", $of, ")")*, " ", $last
            )
        };
    }
    match (dialect, is_limited) {
        (Dialect::Sqlite, false) => (sqlite!(), 4),
        (Dialect::Sqlite, true) => (sqlite!(token!()), 5),
        (Dialect::Postgres, false) => (postgres!(; entry!()), 1),
        (Dialect::Postgres, true) => (postgres!("entry", entry!(); token!()), 1),
    }
}

/// Stores a creation. Returns false if its tenant's bucket has no token: the caller must fail then, so that nothing is stored.
///
/// # Errors
/// [`StoreError::Duplicate`] if the id or the link's hash is already in use.
pub async fn insert(tx: &mut Tx, new: &Creation<'_>) -> Result<bool, StoreError> {
    let Creation {
        session: row,
        link,
        entry,
        expiry,
        terms,
        token_request,
    } = *new;
    let plan = serde_json::to_string(&row.session.plan).map_err(StoreError::refused)?;
    let listed =
        serde_json::to_string(&terms.iter().map(hex::encode).collect::<Vec<_>>()).map_err(StoreError::refused)?;
    let (sql, mut complete) = statement(tx.dialect(), token_request.is_some());
    if tx.dialect() == Dialect::Sqlite {
        complete += terms.len();
    }
    let stored = on!(tx, conn => {
        let statement = sqlx::query(sql)
            .bind(row.session.id.as_str()).bind(row.session.tenant.as_str()).bind(row.session.status.as_str()).bind(&plan)
            .bind(row.session.created_at.as_millis()).bind(row.session.expires_at.as_millis())
            .bind(row.session.attempt.get()).bind(row.session.version).bind(row.data_key.as_str()).bind(row.metadata.as_deref())
            .bind(&row.callback_url).bind(&row.state).bind(&row.known)
            .bind(&link.hash).bind(link.created_at.as_millis()).bind(link.expires_at.as_millis())
            .bind(expiry.kind.as_str()).bind(expiry.run_at.as_millis())
            .bind(entry.at.as_millis()).bind(entry.tenant.as_ref().map(TenantId::as_str)).bind(entry.actor.as_str())
            .bind(entry.action.as_str()).bind(&entry.subject).bind(&entry.detail).bind(&entry.address)
            .bind(&listed);
        let statement = match token_request {
            Some(token) => statement.bind(token.now).bind(token.cost).bind(token.latest).bind(token.credible),
            None => statement,
        };
        statement.execute(conn).await.map(|done| done.rows_affected())
    })?;
    tx.count_session(row.session.status);
    Ok(stored == complete as u64)
}
