//! The reviewers' work: who has reserved a case, who decided which attempt, and decisions that can still be undone.

use crate::{
    StoreError,
    db::{Dialect, Tx, on, row},
    ids,
    people::Colleague,
};
use domain::{
    ids::{SessionId, UserId},
    named::Named,
    reasons::Reason,
    ruling::{Ruling, latest_end_of_reservation},
    session::AttemptNumber,
    time::Timestamp,
};

/// Who has reserved a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// The reviewer.
    pub user: UserId,
    /// Their name.
    pub name: String,
    /// Until when.
    pub until: Timestamp,
    /// The decision that they have undone.
    pub undone: Option<Undone>,
}

/// What belonged to a decision that was undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// Why it was rejected.
    pub reasons: Vec<Named<Reason>>,
    /// Encrypted like the session's note.
    pub note: Option<Vec<u8>>,
}

row! {
    struct RawReservation {
        id: String,
        name: String,
        held_until: i64,
        undone_note: Option<Vec<u8>>,
        undone_reasons: Option<String>,
    }
}

impl TryFrom<RawReservation> for Reservation {
    type Error = StoreError;

    fn try_from(raw: RawReservation) -> Result<Self, StoreError> {
        let undone = |reasons: String| {
            Ok::<_, StoreError>(Undone {
                reasons: parse_reasons(&reasons)?,
                note: raw.undone_note,
            })
        };
        Ok(Self {
            user: ids::user_id(&raw.id)?,
            name: raw.name,
            until: Timestamp::from_millis(raw.held_until),
            undone: raw.undone_reasons.map(undone).transpose()?,
        })
    }
}

fn parse_reasons(json: &str) -> Result<Vec<Named<Reason>>, StoreError> {
    serde_json::from_str(json).map_err(|_| StoreError::Corrupt("malformed reasons"))
}

fn write_reasons(reasons: &[Named<Reason>]) -> Result<String, StoreError> {
    serde_json::to_string(reasons).map_err(|_| StoreError::Corrupt("malformed reasons"))
}

/// A reviewer's decision on one attempt of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruled {
    /// Which attempt.
    pub attempt: AttemptNumber,
    /// Who.
    pub user: UserId,
    /// Their name.
    pub name: String,
    /// What.
    pub ruling: Ruling,
    /// When.
    pub at: Timestamp,
    /// Encrypted: the note written with it. The note of a decision that ended the case is the session's.
    pub note: Option<Vec<u8>>,
}

row! {
    struct Raw {
        attempt: i64,
        user_id: String,
        name: String,
        ruling: String,
        reviewed_at: i64,
        note: Option<Vec<u8>>,
    }
}

impl TryFrom<Raw> for Ruled {
    type Error = StoreError;

    fn try_from(raw: Raw) -> Result<Self, StoreError> {
        Ok(Self {
            attempt: AttemptNumber::new(raw.attempt),
            user: ids::user_id(&raw.user_id)?,
            name: raw.name,
            ruling: Ruling::parse(&raw.ruling).ok_or(StoreError::Corrupt("an unknown ruling"))?,
            at: Timestamp::from_millis(raw.reviewed_at),
            note: raw.note,
        })
    }
}

/// Reserves a case for `user` until `until`, unless somebody else has reserved it. Returns who has reserved it now. A decision that somebody
/// else had undone is discarded.
///
/// # Errors
/// [`StoreError::Conflict`] if somebody else's reservation ended at this moment; or if the database does not respond.
pub async fn reserve(
    tx: &mut Tx,
    session: &SessionId,
    user: &UserId,
    now: Timestamp,
    until: Timestamp,
) -> Result<Reservation, StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO review_holds (session_id, user_id, held_until) VALUES ($1, $2, $3)
         ON CONFLICT (session_id) DO UPDATE SET user_id = excluded.user_id, held_until = excluded.held_until,
             undone_note = CASE WHEN review_holds.user_id = excluded.user_id THEN review_holds.undone_note END,
             undone_reasons = CASE WHEN review_holds.user_id = excluded.user_id THEN review_holds.undone_reasons END
         WHERE review_holds.user_id = excluded.user_id OR review_holds.held_until <= $4 OR review_holds.held_until > $5")
        .bind(session.as_str()).bind(user.as_str()).bind(until.as_millis()).bind(now.as_millis())
        .bind(latest_end_of_reservation(now).as_millis())
        .execute(conn).await.map(drop))?;
    match find_reservation(tx, session, now).await? {
        Some(reservation) => Ok(reservation),
        // It belonged to somebody else at the time of this attempt.
        None => Err(tx.conflict()),
    }
}

/// Who has reserved a case now. A reservation with more time left than any can have was made by a clock that was ahead, and does not count.
///
/// # Errors
/// If the database does not respond.
pub async fn find_reservation(
    tx: &mut Tx,
    session: &SessionId,
    now: Timestamp,
) -> Result<Option<Reservation>, StoreError> {
    let row: Option<RawReservation> = on!(tx, conn => sqlx::query_as(
        "SELECT users.id, users.name, review_holds.held_until,
             CASE WHEN review_holds.undone_by = review_holds.user_id THEN review_holds.undone_note END AS undone_note,
             CASE WHEN review_holds.undone_by = review_holds.user_id THEN review_holds.undone_reasons END AS undone_reasons
         FROM review_holds JOIN users ON users.id = review_holds.user_id
         WHERE session_id = $1 AND held_until > $2 AND held_until <= $3")
        .bind(session.as_str()).bind(now.as_millis()).bind(latest_end_of_reservation(now).as_millis()).fetch_optional(conn).await)?;
    row.map(Reservation::try_from).transpose()
}

/// Keeps, with the reservation of its case, what belonged to a decision that was undone.
///
/// # Errors
/// If the database does not respond.
pub async fn keep_undone(tx: &mut Tx, undone: &PendingRuling) -> Result<(), StoreError> {
    let reasons = write_reasons(&undone.reasons)?;
    on!(tx, conn => sqlx::query("UPDATE review_holds SET undone_by = $4, undone_note = $2, undone_reasons = $3 WHERE session_id = $1")
        .bind(undone.session.as_str()).bind(&undone.note).bind(&reasons).bind(undone.user.as_str())
        .execute(conn).await.map(drop))
}

/// Ends a person's own reservation of a case. Their undone decision stays with it until somebody else reserves the case or it is removed.
///
/// # Errors
/// If the database does not respond.
pub async fn end_reservation(
    tx: &mut Tx,
    session: &SessionId,
    user: &UserId,
    now: Timestamp,
) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "UPDATE review_holds SET held_until = $3 WHERE session_id = $1 AND user_id = $2 AND held_until > $3")
        .bind(session.as_str()).bind(user.as_str()).bind(now.as_millis())
        .execute(conn).await.map(drop))
}

/// Ends all reservations of a person who may no longer review.
///
/// # Errors
/// If the database does not respond.
pub async fn end_reservations_of(tx: &mut Tx, user: &UserId, now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE review_holds SET held_until = $2 WHERE user_id = $1 AND held_until > $2")
        .bind(user.as_str()).bind(now.as_millis())
        .execute(conn).await.map(drop))
}

/// Releases a case: it is then neither reserved nor assigned.
///
/// # Errors
/// If the database does not respond.
pub async fn release(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM review_holds WHERE session_id = $1")
        .bind(session.as_str()).execute(conn).await.map(drop))?;
    unassign(tx, session).await
}

/// Assigns a case to `user`, whoever it was assigned to before.
///
/// # Errors
/// If the database does not respond.
pub async fn assign(tx: &mut Tx, session: &SessionId, user: &UserId, now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO review_assignments (session_id, user_id, assigned_at) VALUES ($1, $2, $3)
         ON CONFLICT (session_id) DO UPDATE SET user_id = excluded.user_id, assigned_at = excluded.assigned_at")
        .bind(session.as_str()).bind(user.as_str()).bind(now.as_millis())
        .execute(conn).await.map(drop))
}

/// Who a case is assigned to.
///
/// # Errors
/// If the database does not respond.
pub async fn find_assignee(tx: &mut Tx, session: &SessionId) -> Result<Option<Colleague>, StoreError> {
    let row: Option<(String, String)> = on!(tx, conn => sqlx::query_as(
        "SELECT users.id, users.name FROM review_assignments JOIN users ON users.id = review_assignments.user_id
         WHERE session_id = $1")
        .bind(session.as_str()).fetch_optional(conn).await)?;
    row.map(|(id, name)| {
        Ok(Colleague {
            id: ids::user_id(&id)?,
            name,
        })
    })
    .transpose()
}

/// Assigns a case to nobody.
///
/// # Errors
/// If the database does not respond.
pub async fn unassign(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM review_assignments WHERE session_id = $1")
        .bind(session.as_str()).execute(conn).await.map(drop))
}

/// Takes all cases from a person who may no longer review. Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn unassign_all(tx: &mut Tx, user: &UserId) -> Result<u64, StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM review_assignments WHERE user_id = $1")
        .bind(user.as_str()).execute(conn).await.map(|done| done.rows_affected()))
}

/// Removes up to `$3` of the reservations that have ended at `$1`, or last beyond `$2`.
macro_rules! remove_ended_sql {
    ($lock:literal) => {
        concat!(
            "DELETE FROM review_holds WHERE session_id IN (
                 SELECT session_id FROM review_holds WHERE held_until <= $1 OR held_until > $2 ORDER BY session_id LIMIT $3",
            $lock,
            ")"
        )
    };
}

/// Removes up to `limit` of the reservations that have ended, or do not count. Returns how many.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_ended_reservations(tx: &mut Tx, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
    let sql = match tx.dialect() {
        // Units run one after another.
        Dialect::Sqlite => remove_ended_sql!(""),
        // Waits for one that is being renewed at this moment, which then has not ended.
        Dialect::Postgres => remove_ended_sql!(" FOR UPDATE"),
    };
    on!(tx, conn => sqlx::query(sql)
        .bind(now.as_millis()).bind(latest_end_of_reservation(now).as_millis()).bind(i64::from(limit))
        .execute(conn).await.map(|done| done.rows_affected()))
}

/// A reviewer's decision to store.
#[derive(Clone, Copy, Debug)]
pub struct NewRuling<'a> {
    /// The session.
    pub session: &'a SessionId,
    /// Which of its attempts.
    pub attempt: AttemptNumber,
    /// Who decided.
    pub user: &'a UserId,
    /// The decision.
    pub ruling: Ruling,
    /// Encrypted: why.
    pub note: Option<&'a [u8]>,
    /// When.
    pub at: Timestamp,
}

/// Stores a decision. An attempt is decided once.
///
/// # Errors
/// [`StoreError::Duplicate`] if this attempt is already decided.
pub async fn insert(tx: &mut Tx, new: NewRuling<'_>) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO reviews (session_id, attempt, user_id, ruling, note, reviewed_at) VALUES ($1, $2, $3, $4, $5, $6)")
        .bind(new.session.as_str()).bind(new.attempt.get()).bind(new.user.as_str()).bind(new.ruling.as_str()).bind(new.note)
        .bind(new.at.as_millis())
        .execute(conn).await.map(drop))
}

/// Empties the notes of a session.
///
/// # Errors
/// If the database does not respond.
pub async fn erase_notes(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query("UPDATE reviews SET note = NULL WHERE session_id = $1")
        .bind(session.as_str()).execute(conn).await.map(drop))
}

/// The decisions on a session, first attempt first.
///
/// # Errors
/// If the database does not respond.
pub async fn list(tx: &mut Tx, session: &SessionId) -> Result<Vec<Ruled>, StoreError> {
    let rows: Vec<Raw> = on!(tx, conn => sqlx::query_as(
        "SELECT reviews.attempt, users.id AS user_id, users.name, reviews.ruling, reviews.reviewed_at, reviews.note
         FROM reviews JOIN users ON users.id = reviews.user_id WHERE session_id = $1 ORDER BY reviews.attempt")
        .bind(session.as_str()).fetch_all(conn).await)?;
    rows.into_iter().map(Ruled::try_from).collect()
}

/// A decision that takes effect at `due_at` unless it is undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingRuling {
    /// The case.
    pub session: SessionId,
    /// Which attempt.
    pub attempt: AttemptNumber,
    /// Who.
    pub user: UserId,
    /// What: approved or rejected.
    pub ruling: Ruling,
    /// Why it is rejected.
    pub reasons: Vec<Named<Reason>>,
    /// Encrypted like the session's note, which it becomes.
    pub note: Option<Vec<u8>>,
    /// The reviewer's network address.
    pub address: String,
    /// When.
    pub made_at: Timestamp,
    /// When it takes effect.
    pub due_at: Timestamp,
}

/// A pending decision and its author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPending {
    /// The decision.
    pub pending: PendingRuling,
    /// The reviewer's name.
    pub name: String,
}

row! {
    struct RawPending {
        session_id: String,
        attempt: i64,
        user_id: String,
        ruling: String,
        reasons: String,
        note: Option<Vec<u8>>,
        address: String,
        made_at: i64,
        due_at: i64,
        name: String,
    }
}

macro_rules! pending_columns {
    () => {
        "SELECT pending.session_id, pending.attempt, pending.user_id, pending.ruling, pending.reasons, pending.note,
            pending.address, pending.made_at, pending.due_at, users.name
         FROM pending_rulings AS pending JOIN users ON users.id = pending.user_id "
    };
}

impl TryFrom<RawPending> for NamedPending {
    type Error = StoreError;

    fn try_from(raw: RawPending) -> Result<Self, StoreError> {
        let pending = PendingRuling {
            session: ids::session_id(&raw.session_id)?,
            attempt: AttemptNumber::new(raw.attempt),
            user: ids::user_id(&raw.user_id)?,
            ruling: Ruling::parse(&raw.ruling).ok_or(StoreError::Corrupt("an unknown ruling"))?,
            reasons: parse_reasons(&raw.reasons)?,
            note: raw.note,
            address: raw.address,
            made_at: Timestamp::from_millis(raw.made_at),
            due_at: Timestamp::from_millis(raw.due_at),
        };
        Ok(Self {
            pending,
            name: raw.name,
        })
    }
}

/// Stores a decision that can still be undone.
///
/// # Errors
/// [`StoreError::Duplicate`] if the case has one already.
pub async fn insert_pending(tx: &mut Tx, pending: &PendingRuling) -> Result<(), StoreError> {
    let reasons = write_reasons(&pending.reasons)?;
    on!(tx, conn => sqlx::query(
        "INSERT INTO pending_rulings (session_id, attempt, user_id, ruling, reasons, note, address, made_at, due_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)")
        .bind(pending.session.as_str()).bind(pending.attempt.get()).bind(pending.user.as_str()).bind(pending.ruling.as_str())
        .bind(&reasons).bind(&pending.note).bind(&pending.address)
        .bind(pending.made_at.as_millis()).bind(pending.due_at.as_millis())
        .execute(conn).await.map(drop))
}

/// The pending decision on a case, with its reviewer's name.
///
/// # Errors
/// If the database does not respond.
pub async fn find_pending(tx: &mut Tx, session: &SessionId) -> Result<Option<NamedPending>, StoreError> {
    let row: Option<RawPending> = on!(tx, conn => sqlx::query_as(
        concat!(pending_columns!(), "WHERE pending.session_id = $1"))
        .bind(session.as_str()).fetch_optional(conn).await)?;
    row.map(NamedPending::try_from).transpose()
}

/// A person's pending decisions, newest first.
///
/// # Errors
/// If the database does not respond.
pub async fn list_pending(tx: &mut Tx, user: &UserId) -> Result<Vec<PendingRuling>, StoreError> {
    let rows: Vec<RawPending> = on!(tx, conn => sqlx::query_as(
        concat!(pending_columns!(), "WHERE pending.user_id = $1 ORDER BY pending.made_at DESC, pending.session_id DESC"))
        .bind(user.as_str()).fetch_all(conn).await)?;
    rows.into_iter()
        .map(|row| Ok(NamedPending::try_from(row)?.pending))
        .collect()
}

/// Removes this pending decision, but not one that has replaced it since it was read. Returns whether it was there: of two concurrent
/// calls, one gets `true`.
///
/// # Errors
/// If the database does not respond.
pub async fn take_pending(tx: &mut Tx, pending: &PendingRuling) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query(
        "DELETE FROM pending_rulings WHERE session_id = $1 AND attempt = $2 AND user_id = $3 AND ruling = $4 AND made_at = $5")
        .bind(pending.session.as_str()).bind(pending.attempt.get()).bind(pending.user.as_str()).bind(pending.ruling.as_str())
        .bind(pending.made_at.as_millis())
        .execute(conn).await.map(|done| done.rows_affected() == 1))
}

/// Removes the pending decision on a case, whichever it is. Returns whether there was one.
///
/// # Errors
/// If the database does not respond.
pub async fn remove_pending(tx: &mut Tx, session: &SessionId) -> Result<bool, StoreError> {
    on!(tx, conn => sqlx::query("DELETE FROM pending_rulings WHERE session_id = $1")
        .bind(session.as_str()).execute(conn).await.map(|done| done.rows_affected() == 1))
}
