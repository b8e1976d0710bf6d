//! Finding sessions for the console: by their properties, page by page, and counted by day. Personal data is stored encrypted only; a
//! person is found by keyed hashes.

use super::{
    blind_index::TermHash,
    statistics::{is_open, last_step},
};
use crate::{
    StoreError,
    db::{Dialect, Tx, day, on, row},
    ids,
    people::Colleague,
};
use domain::{
    document::DocumentType,
    funnel::FunnelStep,
    ids::{SessionId, TenantId, UserId},
    named::Named,
    outcome::{Outcome, Verdict},
    reasons::Reason,
    ruling::latest_end_of_reservation,
    secret::Unlogged,
    session::Status,
    time::Timestamp,
};

/// The characters of a text that is looked for in metadata: the work grows with them.
pub const LONGEST_PART: usize = 100;

/// The properties to filter by; `None` does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only this one.
    pub id: Option<SessionId>,
    /// Only those whose id begins with this, such as `vs_0198`, in lower case.
    pub id_prefix: Option<String>,
    /// Status as readers see it now.
    pub status: Option<Status>,
    /// Verdict of the last decision.
    pub verdict: Option<Verdict>,
    /// Among the reasons of the last decision.
    pub reason: Option<Reason>,
    /// Chosen by the user.
    pub document_type: Option<DocumentType>,
    /// Created at or after.
    pub from: Option<Timestamp>,
    /// Created before.
    pub until: Option<Timestamp>,
    /// Part of the metadata, its ASCII letters in upper or lower case; of a longer one than [`LONGEST_PART`], its beginning.
    pub metadata: Option<String>,
    /// Also those in whose metadata a character is written as `\u002d`: it may be one of that part.
    pub or_escaped: bool,
    /// Only cases assigned to this person.
    pub assigned_to: Option<UserId>,
    /// Only cases that nobody but this person works on or is to decide.
    pub free_for: Option<UserId>,
    /// Only of this person.
    pub person: Person,
    /// Only those whose user took this step last and cannot go on.
    pub lost_after: Option<FunnelStep>,
}

/// A person as the blind index knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    /// The full name in at most four forms: any of them. Empty for any name.
    pub name: Vec<TermHash>,
    /// The date of birth.
    pub birth_date: Option<TermHash>,
}

impl Person {
    /// The forms of the name, as many as the statement has room for.
    fn names(&self) -> [TermHash; 4] {
        std::array::from_fn(|form| self.name.get(form).copied().unwrap_or_default())
    }
}

/// The order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Newest first.
    Newest,
    /// Only those waiting for review, longest waiting first.
    LongestWaiting,
    /// The same, longest waiting last.
    ShortestWaiting,
}

/// The order of a page, and where it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The order.
    pub order: Order,
    /// The last row of the previous page: what it is ordered by, and its id.
    pub after: Option<(Timestamp, SessionId)>,
    /// Maximum number of rows.
    pub limit: u32,
}

/// A session as a list shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionSummary {
    /// Its id.
    pub id: SessionId,
    /// Status as readers see it now.
    pub status: Status,
    /// When it was created.
    pub created_at: Timestamp,
    /// Its deadline.
    pub expires_at: Timestamp,
    /// When the decision was fixed.
    pub completed_at: Option<Timestamp>,
    /// When the personal data was erased.
    pub purged_at: Option<Timestamp>,
    /// Since when it has been waiting for review, if it is.
    pub waiting_since: Option<Timestamp>,
    /// Chosen by the user.
    pub document_type: Option<DocumentType>,
    /// The last decision.
    pub outcome: Option<Outcome>,
    /// Compact JSON.
    pub metadata: Option<Unlogged>,
    /// Who has reserved the case.
    pub held_by: Option<Colleague>,
    /// Who is to decide the case.
    pub assigned_to: Option<Colleague>,
}

impl Filter {
    /// Whether sessions are looked at one by one, because no index finds those that match: it takes as long as there are many that do not.
    /// An index finds a session by its id or the beginning of it, by its status as it is stored, and by its person; those assigned to
    /// somebody are looked for among the waiting ones only.
    #[must_use]
    pub fn looks_at_each(&self) -> bool {
        let is_short = |prefix: &String| prefix.len() < INDEXED_PREFIX;
        let is_found_otherwise = self.id.is_some() || self.person != Person::default() || self.assigned_to.is_some();
        !is_found_otherwise
            && (self.metadata.is_some()
                || self.verdict.is_some()
                || self.reason.is_some()
                || self.document_type.is_some()
                || self.lost_after.is_some()
                || self.status == Some(Status::Expired)
                || self.id_prefix.as_ref().is_some_and(is_short))
    }
}

/// The beginning of an id that is at least this long is looked up in the index of ids. Ids begin with the time of their creation: of `vs_` and
/// seven digits, those of 17 minutes.
const INDEXED_PREFIX: usize = "vs_".len() + 7;

impl SessionSummary {
    /// The verdict of the current decision; there is one only while `reviewing` or `completed`.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        let outcome = self.outcome.as_ref()?;
        matches!(self.status, Status::Reviewing | Status::Completed).then_some(outcome.verdict)
    }
}

row! {
    struct Row {
        id: String,
        status: String,
        created_at: i64,
        completed_at: Option<i64>,
        waiting_since: Option<i64>,
        expires_at: i64,
        purged_at: Option<i64>,
        document_type: Option<String>,
        outcome: Option<String>,
        metadata: Option<String>,
        holder: Option<String>,
        holder_name: Option<String>,
        assignee: Option<String>,
        assignee_name: Option<String>,
    }
}

/// The status of a session at a time, as `Session::status_at` has it.
macro_rules! status_at {
    ($now:literal) => {
        concat!(
            "CASE WHEN sessions.status IN ('created', 'collecting') AND sessions.expires_at <= ",
            $now,
            " THEN 'expired' ELSE sessions.status END"
        )
    };
}

/// A session that waits for a reviewer. One that a reviewer has just decided waits for nobody: that takes effect soon, or is undone.
macro_rules! waiting {
    () => {
        "sessions.status = 'reviewing'
               AND NOT EXISTS (SELECT 1 FROM pending_rulings WHERE pending_rulings.session_id = sessions.id)"
    };
}

/// A statement as each database has it. They find a text in the metadata in different ways. Neither uses `LIKE`, which compares all of the text again at
/// each place of the metadata: that took a hundred times as long for metadata of one letter and a text that ends in another.
struct Statement {
    sqlite: &'static str,
    postgres: &'static str,
}

impl Statement {
    const fn on(&self, dialect: Dialect) -> &'static str {
        match dialect {
            Dialect::Sqlite => self.sqlite,
            Dialect::Postgres => self.postgres,
        }
    }
}

macro_rules! list_sql {
    (@ $contains:literal, $tenant:literal, $clause:expr, $order:literal) => {
        concat!(
            "SELECT sessions.id, sessions.status, sessions.created_at, sessions.completed_at, sessions.waiting_since,
                    sessions.expires_at, sessions.purged_at, sessions.document_type, sessions.outcome, sessions.metadata,
                    users.id AS holder, users.name AS holder_name,
                    assignees.id AS assignee, assignees.name AS assignee_name
             FROM sessions
             LEFT JOIN review_holds ON review_holds.session_id = sessions.id
                  AND review_holds.held_until > $2 AND review_holds.held_until <= $25
             LEFT JOIN users ON users.id = review_holds.user_id
             LEFT JOIN review_assignments ON review_assignments.session_id = sessions.id
             LEFT JOIN users AS assignees ON assignees.id = review_assignments.user_id
             WHERE ",
            $tenant,
            "
               AND (CAST($3 AS TEXT) IS NULL OR sessions.id = $3)
               AND (CAST($4 AS TEXT) IS NULL OR $4 = ",
            status_at!("$2"),
            ")
               AND (CAST($5 AS TEXT) IS NULL OR sessions.outcome LIKE $5)
               AND (CAST($6 AS TEXT) IS NULL OR sessions.outcome LIKE $6)
               AND (CAST($7 AS TEXT) IS NULL OR sessions.document_type = $7)
               AND sessions.created_at >= $8
               AND (CAST($10 AS TEXT) IS NULL OR ",
            $contains,
            "
                    OR ($24 = 1 AND sessions.metadata LIKE '%\\\\u%' ESCAPE '\\'))
               AND (CAST($14 AS TEXT) IS NULL OR review_assignments.user_id = $14)
               AND (CAST($26 AS TEXT) IS NULL OR (COALESCE(review_holds.user_id, $26) = $26
                    AND COALESCE(review_assignments.user_id, $26) = $26))
               AND ($15 = 0 OR sessions.id IN (SELECT session_id FROM blind_index
                    WHERE tenant_id = $1 AND term IN ($16, $17, $18, $19)))
               AND ($20 = 0 OR sessions.id IN (SELECT session_id FROM blind_index
                    WHERE tenant_id = $1 AND term = $21))
               AND (CAST($22 AS TEXT) IS NULL OR SUBSTR(sessions.id, 1, LENGTH($22)) = $22)
               AND (CAST($23 AS TEXT) IS NULL OR (sessions.status NOT IN ('reviewing', 'completed', 'deciding')
                    AND NOT (",
            is_open!("$2"),
            ")
                    AND $23 = ",
            last_step!(),
            "))
               AND ",
            $clause,
            " ORDER BY ",
            $order,
            " LIMIT $13"
        )
    };
    ($clause:expr, $order:literal) => {
        list_sql!("sessions.tenant_id = $1", $clause, $order)
    };
    ($tenant:literal, $clause:expr, $order:literal) => {
        Statement {
            sqlite: list_sql!(@ "INSTR(LOWER(sessions.metadata), LOWER($10)) > 0", $tenant, $clause, $order),
            // What follows `***=` is a text and no pattern. `COLLATE "C"` changes ASCII letters only, as SQLite does, whatever the database's locale.
            postgres: list_sql!(@ "LOWER(sessions.metadata COLLATE \"C\") ~ ('***=' || LOWER($10 COLLATE \"C\"))",
                $tenant, $clause, $order),
        }
    };
}

/// The statement that lists what a filter selects. An id, the beginning of one, a person, and a status that is stored as readers see it or not
/// at all, have clauses of their own, which an index answers however many sessions there are.
fn statement(filter: &Filter, order: Order) -> Statement {
    let prefix = filter.id_prefix.as_deref();
    let person = &filter.person;
    match (order, &filter.id, filter.status) {
        (Order::Newest, Some(_), _) => list_sql!(
            "sessions.id = $3 AND (sessions.created_at, sessions.id) < ($11, $12)",
            "sessions.created_at DESC, sessions.id DESC"
        ),
        // No digit of an id comes after `f`. The tenant is compared so that no index of its sessions is preferred to that of ids.
        (Order::Newest, None, _) if prefix.is_some_and(|prefix| prefix.len() >= INDEXED_PREFIX) => list_sql!(
            "sessions.tenant_id || '' = $1",
            "sessions.id >= $22 AND sessions.id < CAST($22 AS TEXT) || 'g'
               AND (sessions.created_at, sessions.id) < ($11, $12)",
            "sessions.created_at DESC, sessions.id DESC"
        ),
        // Few sessions are of one person.
        (Order::Newest, None, _) if !person.name.is_empty() => list_sql!(
            "sessions.tenant_id || '' = $1",
            "sessions.id IN (SELECT session_id FROM blind_index WHERE tenant_id = $1 AND term IN ($16, $17, $18, $19))
               AND (sessions.created_at, sessions.id) < ($11, $12)",
            "sessions.created_at DESC, sessions.id DESC"
        ),
        (Order::Newest, None, _) if person.birth_date.is_some() => list_sql!(
            "sessions.tenant_id || '' = $1",
            "sessions.id IN (SELECT session_id FROM blind_index WHERE tenant_id = $1 AND term = $21)
               AND (sessions.created_at, sessions.id) < ($11, $12)",
            "sessions.created_at DESC, sessions.id DESC"
        ),
        (Order::Newest, None, Some(status)) if status != Status::Expired => list_sql!(
            "sessions.status = $4 AND (sessions.created_at, sessions.id) < ($11, $12)",
            "sessions.created_at DESC, sessions.id DESC"
        ),
        (Order::Newest, None, _) => list_sql!(
            "(sessions.created_at, sessions.id) < ($11, $12)",
            "sessions.created_at DESC, sessions.id DESC"
        ),
        (Order::LongestWaiting, ..) => list_sql!(
            concat!(
                waiting!(),
                " AND sessions.created_at < $9 AND (sessions.waiting_since, sessions.id) > ($11, $12)"
            ),
            "sessions.waiting_since, sessions.id"
        ),
        (Order::ShortestWaiting, ..) => list_sql!(
            concat!(
                waiting!(),
                " AND sessions.created_at < $9 AND (sessions.waiting_since, sessions.id) < ($11, $12)"
            ),
            "sessions.waiting_since DESC, sessions.id DESC"
        ),
    }
}

/// The bounds of a page: the end of the time that is wanted, and the row after which the page begins, by what it is ordered by and its id. The
/// empty text comes before every id. The end of the time is such a row as well: with two upper bounds, SQLite would not use
/// the index by status.
fn bounds<'a>(filter: &Filter, page: &'a Page) -> (i64, (i64, &'a str)) {
    let until = filter.until.map_or(i64::MAX, Timestamp::as_millis);
    let after = page.after.as_ref().map(|(at, id)| (at.as_millis(), id.as_str()));
    let begin = match (page.order, after) {
        (Order::LongestWaiting, after) => after.unwrap_or((i64::MIN, "")),
        (Order::ShortestWaiting, after) => after.unwrap_or((i64::MAX, "")),
        (Order::Newest, Some(after)) => after.min((until, "")),
        (Order::Newest, None) => (until, ""),
    };
    (until, begin)
}

/// What is looked for of a part of the metadata.
fn beginning(part: &str) -> &str {
    let end = part.char_indices().nth(LONGEST_PART).map_or(part.len(), |(end, _)| end);
    &part[..end]
}

/// A page of a tenant's sessions.
///
/// # Errors
/// If the database does not respond.
pub async fn list(
    tx: &mut Tx,
    tenant: &TenantId,
    filter: &Filter,
    page: &Page,
    now: Timestamp,
) -> Result<Vec<SessionSummary>, StoreError> {
    let sql = statement(filter, page.order).on(tx.dialect());
    let (until, (at, id)) = bounds(filter, page);
    let verdict = filter.verdict.map(|verdict| format!("%\"verdict\":\"{verdict}\"%"));
    let reason = filter.reason.map(|reason| format!("%\"{reason}\"%"));
    let metadata = filter.metadata.as_deref().map(beginning);
    let (names, birth_date) = (filter.person.names(), filter.person.birth_date);
    let rows: Vec<Row> = on!(tx, conn => sqlx::query_as(sql)
        .bind(tenant.as_str()).bind(now.as_millis())
        .bind(filter.id.as_ref().map(SessionId::as_str)).bind(filter.status.map(Status::as_str))
        .bind(verdict).bind(reason).bind(filter.document_type.map(DocumentType::as_str))
        .bind(filter.from.map_or(i64::MIN, Timestamp::as_millis))
        .bind(until).bind(metadata).bind(at).bind(id).bind(i64::from(page.limit))
        .bind(filter.assigned_to.as_ref().map(UserId::as_str))
        .bind(i64::from(!filter.person.name.is_empty()))
        .bind(names[0].as_slice()).bind(names[1].as_slice()).bind(names[2].as_slice()).bind(names[3].as_slice())
        .bind(i64::from(birth_date.is_some())).bind(birth_date.unwrap_or_default().as_slice())
        .bind(filter.id_prefix.as_deref()).bind(filter.lost_after.map(FunnelStep::as_str))
        .bind(i64::from(filter.or_escaped)).bind(latest_end_of_reservation(now).as_millis())
        .bind(filter.free_for.as_ref().map(UserId::as_str))
        .fetch_all(conn).await)?;
    rows.into_iter().map(|row| found(row, now)).collect()
}

/// How far back a search goes that [looks at each session](Filter::looks_at_each): it looks at those created since the time that is returned,
/// which are the `most` newest after the last row of the previous page. `None` if there are no more.
///
/// # Errors
/// If the database does not respond.
pub async fn find_reach(
    tx: &mut Tx,
    tenant: &TenantId,
    filter: &Filter,
    after: Option<&(Timestamp, SessionId)>,
    most: u32,
) -> Result<Option<Timestamp>, StoreError> {
    let until = filter.until.map_or(i64::MAX, Timestamp::as_millis);
    let after = after.map_or((i64::MAX, ""), |(at, id)| (at.as_millis(), id.as_str()));
    let (at, id) = after.min((until, ""));
    let found: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT created_at FROM sessions WHERE tenant_id = $1 AND (created_at, id) < ($2, $3) AND created_at >= $4
         ORDER BY created_at DESC, id DESC LIMIT 1 OFFSET $5")
        .bind(tenant.as_str()).bind(at).bind(id).bind(filter.from.map_or(i64::MIN, Timestamp::as_millis))
        .bind(i64::from(most)).fetch_optional(conn).await)?;
    Ok(found.map(Timestamp::from_millis))
}

fn found(row: Row, now: Timestamp) -> Result<SessionSummary, StoreError> {
    let status = Status::parse(&row.status).ok_or(StoreError::Corrupt("an unknown status"))?;
    let status = match status {
        Status::Created | Status::Collecting if row.expires_at <= now.as_millis() => Status::Expired,
        other => other,
    };
    let outcome = row.outcome.as_deref().map(serde_json::from_str).transpose();
    Ok(SessionSummary {
        id: ids::session_id(&row.id)?,
        status,
        created_at: Timestamp::from_millis(row.created_at),
        expires_at: Timestamp::from_millis(row.expires_at),
        completed_at: row.completed_at.map(Timestamp::from_millis),
        purged_at: row.purged_at.map(Timestamp::from_millis),
        waiting_since: row.waiting_since.map(Timestamp::from_millis),
        document_type: row.document_type.as_deref().and_then(DocumentType::parse),
        outcome: outcome.map_err(|_| StoreError::Corrupt("an outcome that does not parse"))?,
        metadata: row.metadata.map(Unlogged::from),
        held_by: colleague(row.holder.as_deref(), row.holder_name),
        assigned_to: colleague(row.assignee.as_deref(), row.assignee_name),
    })
}

fn colleague(id: Option<&str>, name: Option<String>) -> Option<Colleague> {
    let id = id.and_then(UserId::parse)?;
    Some(Colleague { id, name: name? })
}

/// How many sessions were created on a day, by current status and verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayCount {
    /// Days since the epoch, UTC.
    pub day: i64,
    /// Their status.
    pub status: Status,
    /// The last decision's verdict.
    pub verdict: Option<Verdict>,
    /// How many.
    pub count: i64,
}

/// A tenant's sessions created since `from`, counted by day, status and verdict.
///
/// # Errors
/// If the database does not respond.
pub async fn count_by_day(tx: &mut Tx, tenant: &TenantId, from: Timestamp) -> Result<Vec<DayCount>, StoreError> {
    let rows: Vec<(i64, String, String, i64)> = on!(tx, conn => sqlx::query_as(concat!(
        "SELECT day, status, verdict, COUNT(*) FROM (
            SELECT ", day!("created_at"), " AS day, status,
                CASE WHEN outcome LIKE '%\"verdict\":\"approved\"%' THEN 'approved'
                     WHEN outcome LIKE '%\"verdict\":\"rejected\"%' THEN 'rejected'
                     WHEN outcome LIKE '%\"verdict\":\"needs_review\"%' THEN 'needs_review'
                     ELSE '' END AS verdict
            FROM sessions WHERE tenant_id = $1 AND created_at >= $2) AS counted
         GROUP BY day, status, verdict ORDER BY day, status, verdict"))
        .bind(tenant.as_str()).bind(from.as_millis()).fetch_all(conn).await)?;
    rows.into_iter()
        .map(|(day, status, verdict, count)| {
            Ok(DayCount {
                day,
                status: Status::parse(&status).ok_or(StoreError::Corrupt("an unknown status"))?,
                verdict: Verdict::parse(&verdict),
                count,
            })
        })
        .collect()
}

/// How many of a tenant's sessions are waiting for review, and since when the oldest has been.
///
/// # Errors
/// If the database does not respond.
pub async fn backlog(tx: &mut Tx, tenant: &TenantId) -> Result<(i64, Option<Timestamp>), StoreError> {
    let (count, oldest): (i64, Option<i64>) = on!(tx, conn => sqlx::query_as(concat!(
        "SELECT COUNT(*), MIN(waiting_since) FROM sessions WHERE tenant_id = $1 AND ",
        waiting!()
    ))
        .bind(tenant.as_str()).fetch_one(conn).await)?;
    Ok((count, oldest.map(Timestamp::from_millis)))
}

/// How many of a tenant's sessions waiting for review are assigned to a person.
///
/// # Errors
/// If the database does not respond.
pub async fn count_assigned(tx: &mut Tx, tenant: &TenantId, user: &UserId) -> Result<i64, StoreError> {
    on!(tx, conn => sqlx::query_scalar(concat!(
        "SELECT COUNT(*) FROM review_assignments JOIN sessions ON sessions.id = review_assignments.session_id
         WHERE sessions.tenant_id = $1 AND review_assignments.user_id = $2 AND ",
        waiting!()
    ))
        .bind(tenant.as_str()).bind(user.as_str()).fetch_one(conn).await)
}

/// Which of a tenant's sessions waiting for review are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cases {
    /// Only those with this kind of document.
    pub document: Option<DocumentType>,
    /// Only those assigned to this person.
    pub assigned_to: Option<UserId>,
}

macro_rules! waiting_cases {
    () => {
        concat!(
            " WHERE sessions.tenant_id = $1
                AND (CAST($2 AS TEXT) IS NULL OR sessions.document_type = $2)
                AND (CAST($3 AS TEXT) IS NULL
                     OR sessions.id IN (SELECT session_id FROM review_assignments WHERE user_id = $3))
                AND ",
            waiting!()
        )
    };
}

/// How many of a tenant's sessions are waiting for review, and how many of them have which reason; one with several counts for each.
///
/// # Errors
/// If the database does not respond or an outcome does not parse.
pub async fn count_reasons(
    tx: &mut Tx,
    tenant: &TenantId,
    cases: &Cases,
) -> Result<(i64, Vec<(Named<Reason>, i64)>), StoreError> {
    let document = cases.document.map(DocumentType::as_str);
    let assigned_to = cases.assigned_to.as_ref().map(UserId::as_str);
    let all = on!(tx, conn => sqlx::query_scalar(concat!("SELECT COUNT(*) FROM sessions", waiting_cases!()))
        .bind(tenant.as_str()).bind(document).bind(assigned_to).fetch_one(conn).await)?;
    let sql = match tx.dialect() {
        Dialect::Sqlite => concat!(
            "SELECT reason.value, COUNT(*) FROM sessions, json_each(sessions.outcome, '$.reasons') AS reason",
            waiting_cases!(),
            " GROUP BY reason.value"
        ),
        Dialect::Postgres => concat!(
            "SELECT reason.value, COUNT(*) FROM sessions
             CROSS JOIN LATERAL json_array_elements_text(CAST(sessions.outcome AS json) -> 'reasons') AS reason (value)",
            waiting_cases!(),
            " GROUP BY reason.value"
        ),
    };
    let counted: Vec<(String, i64)> = on!(tx, conn => sqlx::query_as(sql)
        .bind(tenant.as_str()).bind(document).bind(assigned_to).fetch_all(conn).await)?;
    let by_reason = counted.into_iter().map(|(name, count)| (Named::parse(&name), count));
    Ok((all, by_reason.collect()))
}

/// How many of a tenant's sessions have been waiting for review since before `before`.
///
/// # Errors
/// If the database does not respond.
pub async fn count_waiting_since(tx: &mut Tx, tenant: &TenantId, before: Timestamp) -> Result<i64, StoreError> {
    on!(tx, conn => sqlx::query_scalar(concat!(
        "SELECT COUNT(*) FROM sessions WHERE tenant_id = $1 AND waiting_since < $2 AND ",
        waiting!()
    ))
        .bind(tenant.as_str()).bind(before.as_millis()).fetch_one(conn).await)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_beginning_of_a_long_part_is_looked_for() {
        for (part, expected) in [
            (String::new(), 0),
            ("A-17".to_owned(), 4),
            ("山".repeat(LONGEST_PART), LONGEST_PART * 3),
            ("x".repeat(4_000) + "y", LONGEST_PART),
        ] {
            assert_eq!(beginning(&part).len(), expected, "{part}");
            assert!(part.starts_with(beginning(&part)));
        }
    }
}
