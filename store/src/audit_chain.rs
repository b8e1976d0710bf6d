//! The audit log as a hash chain: each entry carries the SHA-256 of itself and of the hash of the entry before, so that an entry
//! cannot be changed, dropped, added or moved unnoticed.
//!
//! Entries are written without a position in the chain, so that no unit of work waits for another one's commit, and are linked
//! moments later in batches ([`seal()`]). Two nodes cannot link at the same time: the head is compared and set.

use crate::{
    StoreError,
    db::{Dialect, Tx, on, row},
};
use domain::time::{Millis, Timestamp};
use futures::{Stream, TryStreamExt as _};
use sha2::{Digest, Sha256};

/// How far before the last linked entry, by its number, others may still come that were numbered before it and committed later: much further
/// than the log grows while a unit of work may take.
const LATE: i64 = 500_000;
/// Time between two marks.
const MARKED_EVERY: Millis = Millis::days(1);
/// How many more marks must say that an entry is old than say that it is not: a week of a wrong clock removes nothing.
const MORE_MARKS: i64 = 7;

/// The last entry of the chain, or of a part that was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Its position, counted from 1; 0 before the first entry.
    pub position: i64,
    /// Its hash; empty before the first entry.
    pub hash: Vec<u8>,
}

/// What a check of a part of the chain found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// Unbroken so far; there is more.
    More(Head),
    /// Unbroken to its end, with the number of entries that are not linked yet.
    Whole(Head, i64),
    /// The entry at this position is missing, or it or its position was changed.
    Broken(i64),
}

/// Where a check of the newest entries begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// After this entry, which is trusted.
    After(Head),
    /// The entry at this position, after which it would begin, is missing.
    Missing(i64),
}

row! {
    struct Row {
        number: i64,
        at: i64,
        tenant_id: Option<String>,
        actor: String,
        action: String,
        subject: Option<String>,
        detail: Option<String>,
        address: Option<String>,
    }
}

row! {
    struct Linked {
        ..row: Row;
        position: i64,
        hash: Vec<u8>,
    }
}

/// The hash of an entry that follows `before`. Each part is preceded by its length, so that two entries never give the same bytes.
fn link(before: &[u8], position: i64, row: &Row) -> Vec<u8> {
    let mut hash = Sha256::new();
    let mut add = |part: Option<&[u8]>| {
        let length = part.map_or(u64::MAX, |part| part.len() as u64);
        hash.update(length.to_be_bytes());
        hash.update(part.unwrap_or_default());
    };
    add(Some(before));
    for number in [position, row.number, row.at] {
        add(Some(&number.to_be_bytes()));
    }
    add(row.tenant_id.as_ref().map(String::as_bytes));
    add(Some(row.actor.as_bytes()));
    add(Some(row.action.as_bytes()));
    for text in [&row.subject, &row.detail, &row.address] {
        add(text.as_ref().map(String::as_bytes));
    }
    hash.finalize().to_vec()
}

/// Up to `$1` entries that are not linked, oldest first. In an order also where any will do: without one, PostgreSQL reads the log from its
/// beginning if it expects to find many.
macro_rules! open_sql {
    ($columns:literal, $which:expr) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM audit WHERE position IS NULL",
            $which,
            " ORDER BY number LIMIT $1"
        )
    };
}

/// Those whose numbers are greater than that of the last linked one, or less by up to `$2`. What was linked stays in PostgreSQL's index of what
/// is not until the table is vacuumed, which a long one seldom is: each second, all of it would be passed by.
macro_rules! lately {
    () => {
        " AND number > COALESCE((SELECT linked.number FROM audit AS linked
              WHERE linked.position = (SELECT position FROM audit_chain WHERE id = 1)), 0) - $2"
    };
}

/// Whether there are entries that are not linked yet. One that was committed very late is left to [`seal_all`].
///
/// # Errors
/// If the database does not respond.
pub async fn any_open(tx: &mut Tx) -> Result<bool, StoreError> {
    any_open_within(tx, LATE).await
}

/// The same with another limit of what is very late.
pub(crate) async fn any_open_within(tx: &mut Tx, late: i64) -> Result<bool, StoreError> {
    let found: Option<i64> = match tx.dialect() {
        Dialect::Sqlite => {
            on!(tx, conn => sqlx::query_scalar(open_sql!("number", "")).bind(1_i64).fetch_optional(conn).await)?
        }
        Dialect::Postgres => on!(tx, conn => sqlx::query_scalar(open_sql!("number", lately!()))
            .bind(1_i64).bind(late).fetch_optional(conn).await)?,
    };
    Ok(found.is_some())
}

/// Up to `limit` of them; with `late`, those that are not very late.
async fn list_open(tx: &mut Tx, limit: u32, late: Option<i64>) -> Result<Vec<Row>, StoreError> {
    macro_rules! entries {
        ($which:expr) => {
            open_sql!(
                "number, at, tenant_id, actor, action, subject, detail, address",
                $which
            )
        };
    }
    let limit = i64::from(limit);
    match (tx.dialect(), late) {
        (Dialect::Postgres, Some(late)) => on!(tx, conn => sqlx::query_as(entries!(lately!()))
            .bind(limit).bind(late).fetch_all(conn).await),
        _ => on!(tx, conn => sqlx::query_as(entries!("")).bind(limit).fetch_all(conn).await),
    }
}

async fn head(tx: &mut Tx) -> Result<Head, StoreError> {
    let (position, hash) = on!(tx, conn => sqlx::query_as("SELECT position, hash FROM audit_chain WHERE id = 1")
        .fetch_one(conn).await)?;
    Ok(Head { position, hash })
}

/// The last of the entries that were removed because of their age, after which the chain begins now; position 0 if there is none.
///
/// # Errors
/// If the database does not respond.
pub async fn find_start(tx: &mut Tx) -> Result<Head, StoreError> {
    let (position, hash) = on!(tx, conn => sqlx::query_as(
        "SELECT removed_position, removed_hash FROM audit_chain WHERE id = 1").fetch_one(conn).await)?;
    Ok(Head { position, hash })
}

/// The entry before the newest `limit` linked ones, from which on they can be checked.
///
/// # Errors
/// If the database does not respond.
pub async fn find_before_newest(tx: &mut Tx, limit: u32) -> Result<Beginning, StoreError> {
    let (start, end) = (find_start(tx).await?, head(tx).await?);
    let position = end.position - i64::from(limit);
    if position <= start.position {
        return Ok(Beginning::After(start));
    }
    let hash: Option<Option<Vec<u8>>> = on!(tx, conn => sqlx::query_scalar("SELECT hash FROM audit WHERE position = $1")
        .bind(position).fetch_optional(conn).await)?;
    Ok(match hash.flatten() {
        Some(hash) => Beginning::After(Head { position, hash }),
        None => Beginning::Missing(position),
    })
}

/// Notes that the entries that are linked by now are at least as old as `now`, unless that was done within a day.
///
/// # Errors
/// If the database does not respond.
pub async fn mark(tx: &mut Tx, now: Timestamp) -> Result<(), StoreError> {
    on!(tx, conn => sqlx::query(
        "INSERT INTO audit_marks (position, at)
         SELECT position, $1 FROM audit_chain
         WHERE id = 1 AND position > removed_position
             AND NOT EXISTS (SELECT 1 FROM audit_marks WHERE at > $2 AND at <= $1)
         ON CONFLICT (position) DO NOTHING")
        .bind(now.as_millis()).bind(now.as_millis() - MARKED_EVERY.0)
        .execute(conn).await.map(drop))
}

/// The last entry that the marks date before `before`; 0 if there is none. Some marks may come from a wrong clock: counted from the beginning of
/// the log, [`MORE_MARKS`] more of them must say that it is old than say that it is not.
async fn find_last_marked(tx: &mut Tx, before: Timestamp) -> Result<i64, StoreError> {
    let position: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT MAX(position) FROM (
             SELECT position, at, SUM(CASE WHEN at < $1 THEN 1 ELSE -1 END) OVER (ORDER BY position) AS more
             FROM audit_marks) AS counted
         WHERE at < $1 AND more >= $2")
        .bind(before.as_millis()).bind(MORE_MARKS)
        .fetch_one(conn).await)?;
    Ok(position.unwrap_or(0))
}

/// Removes up to `limit` linked entries from the beginning of the chain, up to the first one of `before` or later. Returns how many.
/// The hash of the last one stays, so that the rest can still be checked. Entries that are old by their [marks](mark) leave, whatever their own
/// time is. Of the others, an entry that is later than `now` is from a clock that was ahead: it is as old as the next one that is not. One
/// that only looks younger than the next may be from a right clock, and the next from one that was behind, so it stays until its own time
/// or that of its marks has come, with all that follow.
///
/// # Errors
/// [`StoreError::Conflict`] if another node does the same.
pub async fn remove_before(tx: &mut Tx, before: Timestamp, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
    let marked = find_last_marked(tx, before).await?;
    let is_old = |position: i64, at: i64| position <= marked || at < before.as_millis();
    let is_of_the_future = |at: i64| at > now.as_millis();
    let start = find_start(tx).await?;
    let oldest: Vec<(i64, Vec<u8>, i64)> = on!(tx, conn => sqlx::query_as(
        "SELECT position, hash, at FROM audit WHERE position > $1 ORDER BY position LIMIT $2")
        .bind(start.position).bind(i64::from(limit)).fetch_all(conn).await)?;
    let can_leave = oldest
        .iter()
        .take_while(|(position, _, at)| is_old(*position, *at) || is_of_the_future(*at));
    let mut old = &oldest[..can_leave.count()];
    if let Some((position, _, at)) = old.last()
        && !is_old(*position, *at)
        && !find_first_until(tx, *position, now)
            .await?
            .is_some_and(|(position, at)| is_old(position, at))
    {
        let last = old.iter().rposition(|(position, _, at)| is_old(*position, *at));
        old = &old[..last.map_or(0, |last| last + 1)];
    }
    let Some((position, hash, _)) = old.last() else {
        return Ok(0);
    };
    let moved = on!(tx, conn => sqlx::query(
        "UPDATE audit_chain SET removed_position = $2, removed_hash = $3 WHERE id = 1 AND removed_position = $1")
        .bind(start.position).bind(*position).bind(hash)
        .execute(conn).await.map(|done| done.rows_affected()))?;
    if moved != 1 {
        return Err(tx.conflict());
    }
    on!(tx, conn => sqlx::query("DELETE FROM audit_marks WHERE position <= $1")
        .bind(*position).execute(conn).await.map(drop))?;
    on!(tx, conn => sqlx::query("DELETE FROM audit WHERE position > $1 AND position <= $2")
        .bind(start.position).bind(*position).execute(conn).await.map(|done| done.rows_affected()))
}

/// The position and the time of the first entry after a position that is of `end` or earlier.
async fn find_first_until(tx: &mut Tx, position: i64, end: Timestamp) -> Result<Option<(i64, i64)>, StoreError> {
    on!(tx, conn => sqlx::query_as(
        "SELECT position, at FROM audit WHERE position > $1 AND at <= $2 ORDER BY position LIMIT 1")
        .bind(position).bind(end.as_millis()).fetch_optional(conn).await)
}

/// Links up to `limit` entries, oldest first. Returns how many. One that was committed very late is left to [`seal_all`].
///
/// # Errors
/// [`StoreError::Conflict`] if another node links at the same time.
pub async fn seal(tx: &mut Tx, limit: u32) -> Result<usize, StoreError> {
    seal_open(tx, limit, Some(LATE)).await
}

/// The same, however late they were committed.
///
/// # Errors
/// [`StoreError::Conflict`] if another node links at the same time.
pub async fn seal_all(tx: &mut Tx, limit: u32) -> Result<usize, StoreError> {
    seal_open(tx, limit, None).await
}

async fn seal_open(tx: &mut Tx, limit: u32, late: Option<i64>) -> Result<usize, StoreError> {
    // First: a process that links these entries after they are listed has moved it by then.
    let before = head(tx).await?;
    let rows = list_open(tx, limit, late).await?;
    let mut last = before.clone();
    let mut links = Vec::with_capacity(rows.len());
    for row in &rows {
        last.position += 1;
        last.hash = link(&last.hash, last.position, row);
        links.push((row.number, last.clone()));
    }
    if rows.is_empty() {
        return Ok(0);
    }
    // The compare-and-set comes first: another node that links at the same time waits here, and then runs again.
    let moved = on!(tx, conn => sqlx::query(
        "UPDATE audit_chain SET position = $2, hash = $3 WHERE id = 1 AND position = $1")
        .bind(before.position).bind(last.position).bind(&last.hash)
        .execute(conn).await.map(|done| done.rows_affected()))?;
    if moved != 1 {
        return Err(tx.conflict());
    }
    note_links(tx, &links).await?;
    Ok(rows.len())
}

/// Notes the position and the hash of entries, from a list of their numbers, positions and hashes: one parameter, however many there are. `$listed` is
/// the list as rows, and `$bytes` a hash of it as bytes.
macro_rules! note_links_sql {
    ($listed:literal, $bytes:literal) => {
        concat!(
            "UPDATE audit SET position = CAST(value ->> 1 AS BIGINT), hash = ",
            $bytes,
            " FROM ",
            $listed,
            " WHERE audit.number = CAST(value ->> 0 AS BIGINT)"
        )
    };
}

/// Notes the links of entries, given by their numbers, in a single statement: each creation and each reading has an entry, and a statement for each
/// would cost them as much as storing it.
async fn note_links(tx: &mut Tx, links: &[(i64, Head)]) -> Result<(), StoreError> {
    let listed: Vec<(i64, i64, String)> = links
        .iter()
        .map(|(number, linked)| (*number, linked.position, hex::encode(&linked.hash)))
        .collect();
    let listed = serde_json::to_string(&listed).map_err(StoreError::refused)?;
    let sql = match tx.dialect() {
        Dialect::Sqlite => note_links_sql!("json_each($1) AS listed", "unhex(value ->> 2)"),
        Dialect::Postgres => note_links_sql!(
            "json_array_elements($1::json) AS listed (value)",
            "decode(value ->> 2, 'hex')"
        ),
    };
    let noted = on!(tx, conn => sqlx::query(sql).bind(&listed).execute(conn).await.map(|done| done.rows_affected()))?;
    if noted == links.len() as u64 {
        Ok(())
    } else {
        Err(tx.conflict())
    }
}

/// Checks up to `limit` entries after `from`, which was checked before. Entries that were removed because of their age are skipped.
///
/// # Errors
/// If the database does not respond.
pub async fn check(tx: &mut Tx, from: &Head, limit: u32) -> Result<Checked, StoreError> {
    let start = find_start(tx).await?;
    let from = if start.position > from.position { &start } else { from };
    let followed = on!(tx, conn => follow(
        sqlx::query_as(
            "SELECT position, hash, number, at, tenant_id, actor, action, subject, detail, address FROM audit
             WHERE position > $1 ORDER BY position LIMIT $2")
            .bind(from.position).bind(i64::from(limit)).fetch(conn),
        from).await)?;
    let Followed {
        last,
        entries,
        is_broken,
    } = followed;
    if is_broken {
        return Ok(Checked::Broken(last.position + 1));
    }
    if entries == limit {
        return Ok(Checked::More(last));
    }
    if head(tx).await? != last {
        return Ok(Checked::Broken(last.position + 1));
    }
    let open: i64 = on!(tx, conn => sqlx::query_scalar("SELECT COUNT(*) FROM audit WHERE position IS NULL")
        .fetch_one(conn).await)?;
    Ok(Checked::Whole(last, open))
}

/// A part of the chain, as far as it is unbroken.
struct Followed {
    last: Head,
    /// How many there are, the last one included.
    entries: u32,
    /// Whether the one after the last is not the one that was linked to it.
    is_broken: bool,
}

/// Reads entries one by one: whatever their details are, not all of them are in memory.
async fn follow(
    mut rows: impl Stream<Item = Result<Linked, sqlx::Error>> + Unpin,
    from: &Head,
) -> Result<Followed, sqlx::Error> {
    let (mut last, mut entries) = (from.clone(), 0);
    while let Some(linked) = rows.try_next().await? {
        let position = last.position + 1;
        if linked.position != position || linked.hash != link(&last.hash, position, &linked.row) {
            return Ok(Followed {
                last,
                entries,
                is_broken: true,
            });
        }
        last = Head {
            position,
            hash: linked.hash,
        };
        entries += 1;
    }
    Ok(Followed {
        last,
        entries,
        is_broken: false,
    })
}
