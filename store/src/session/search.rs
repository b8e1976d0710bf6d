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
    cursor::After,
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
use sqlx::AssertSqlSafe;

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
    /// Only those whose user took this step last and cannot continue.
    pub lost_after: Option<FunnelStep>,
}

/// A person as the blind index knows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    /// The full name in a few forms: any of them. Empty for any name.
    pub name: Vec<TermHash>,
    /// The date of birth.
    pub birth_date: Option<TermHash>,
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
    pub after: Option<After<SessionId>>,
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

/// A value of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Text(String),
    Number(i64),
    Hash(TermHash),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<TermHash> for Value {
    fn from(hash: TermHash) -> Self {
        Self::Hash(hash)
    }
}

/// The conditions of a search with the values that they compare with: only those that a filter has. So each is one that an index may answer. The
/// first value (`$1`) is the tenant, and the second one (`$2`) the time.
struct Conditions {
    all: Vec<String>,
    values: Vec<Value>,
}

impl Conditions {
    fn new(tenant: &TenantId, now: Timestamp) -> Self {
        Self {
            all: Vec::new(),
            values: vec![tenant.as_str().into(), now.as_millis().into()],
        }
    }

    /// Adds a value. Returns what stands for it in the statement.
    fn place(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    fn add(&mut self, condition: impl Into<String>) {
        self.all.push(condition.into());
    }

    fn add_tenant(&mut self, filter: &Filter, order: Order) {
        // Where few sessions have the beginning of an id, or are of one person, the tenant is compared so that no index of its sessions is preferred.
        let is_narrow = matches!(found_by(filter, order), FoundBy::Prefix | FoundBy::Person);
        self.add(if is_narrow {
            "sessions.tenant_id || '' = $1"
        } else {
            "sessions.tenant_id = $1"
        });
    }

    fn add_ids(&mut self, filter: &Filter, order: Order) {
        if let Some(id) = &filter.id {
            let id = self.place(id.as_str());
            self.add(format!("sessions.id = {id}"));
        }
        let Some(prefix) = &filter.id_prefix else { return };
        if found_by(filter, order) == FoundBy::Prefix {
            // No digit of an id comes after `f`.
            let (from, until) = (self.place(prefix.as_str()), self.place(format!("{prefix}g").as_str()));
            self.add(format!("sessions.id >= {from} AND sessions.id < {until}"));
        } else {
            let prefix = self.place(prefix.as_str());
            self.add(format!("SUBSTR(sessions.id, 1, LENGTH({prefix})) = {prefix}"));
        }
    }

    fn add_status(&mut self, filter: &Filter, order: Order) {
        let Some(status) = filter.status else { return };
        let status = self.place(status.as_str());
        if found_by(filter, order) == FoundBy::Status {
            self.add(format!("sessions.status = {status}"));
        }
        self.add(format!("{status} = {}", status_at!("$2")));
    }

    fn add_outcome(&mut self, filter: &Filter) {
        if let Some(verdict) = filter.verdict {
            let verdict = self.place(format!("%\"verdict\":\"{verdict}\"%").as_str());
            self.add(format!("sessions.outcome LIKE {verdict}"));
        }
        if let Some(reason) = filter.reason {
            let reason = self.place(format!("%\"{reason}\"%").as_str());
            self.add(format!("sessions.outcome LIKE {reason}"));
        }
        if let Some(kind) = filter.document_type {
            let kind = self.place(kind.as_str());
            self.add(format!("sessions.document_type = {kind}"));
        }
    }

    /// The databases find a text in the metadata in different ways. Neither uses `LIKE`, which compares all of the text again at each place of the
    /// metadata: that took a hundred times as long for metadata of one letter and a text that ends in another.
    fn add_metadata(&mut self, filter: &Filter, dialect: Dialect) {
        let Some(part) = &filter.metadata else { return };
        let part = self.place(beginning(part));
        let contains = match dialect {
            Dialect::Sqlite => format!("INSTR(LOWER(sessions.metadata), LOWER({part})) > 0"),
            // What follows `***=` is a text and no pattern. `COLLATE "C"` changes ASCII letters only, as SQLite does, whatever the database's locale.
            Dialect::Postgres => {
                format!("LOWER(sessions.metadata COLLATE \"C\") ~ ('***=' || LOWER({part} COLLATE \"C\"))")
            }
        };
        self.add(if filter.or_escaped {
            format!("({contains} OR sessions.metadata LIKE '%\\\\u%' ESCAPE '\\')")
        } else {
            contains
        });
    }

    fn add_colleagues(&mut self, filter: &Filter) {
        if let Some(user) = &filter.assigned_to {
            let user = self.place(user.as_str());
            self.add(format!("review_assignments.user_id = {user}"));
        }
        if let Some(user) = &filter.free_for {
            let user = self.place(user.as_str());
            self.add(format!(
                "COALESCE(review_holds.user_id, {user}) = {user} AND COALESCE(review_assignments.user_id, {user}) = {user}"
            ));
        }
    }

    fn add_person(&mut self, person: &Person) {
        for terms in [&person.name[..], person.birth_date.as_slice()] {
            if terms.is_empty() {
                continue;
            }
            let places: Vec<String> = terms.iter().map(|term| self.place(*term)).collect();
            let places = places.join(", ");
            self.add(format!(
                "sessions.id IN (SELECT session_id FROM blind_index WHERE tenant_id = $1 AND term IN ({places}))"
            ));
        }
    }

    fn add_last_step(&mut self, filter: &Filter) {
        let Some(step) = filter.lost_after else { return };
        let step = self.place(step.as_str());
        self.add("sessions.status NOT IN ('reviewing', 'completed', 'deciding')");
        self.add(format!("NOT ({})", is_open!("$2")));
        self.add(format!("{step} = {}", last_step!()));
    }

    fn add_bounds(&mut self, filter: &Filter, page: &Page) {
        let (until, (at, id)) = bounds(filter, page);
        let from = self.place(filter.from.map_or(i64::MIN, Timestamp::as_millis));
        self.add(format!("sessions.created_at >= {from}"));
        if page.order != Order::Newest {
            self.add(waiting!());
            let until = self.place(until);
            self.add(format!("sessions.created_at < {until}"));
        }
        let (at, id) = (self.place(at), self.place(id));
        self.add(match page.order {
            Order::Newest => format!("(sessions.created_at, sessions.id) < ({at}, {id})"),
            Order::LongestWaiting => format!("(sessions.waiting_since, sessions.id) > ({at}, {id})"),
            Order::ShortestWaiting => format!("(sessions.waiting_since, sessions.id) < ({at}, {id})"),
        });
    }
}

/// What an index finds the sessions of a filter by, however many sessions there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FoundBy {
    /// Its id.
    Id,
    /// The beginning of it.
    Prefix,
    /// The person.
    Person,
    /// The status, which is stored as readers see it or not at all.
    Status,
    /// The order.
    Order,
}

fn found_by(filter: &Filter, order: Order) -> FoundBy {
    let is_long = |prefix: &String| prefix.len() >= INDEXED_PREFIX;
    match order {
        Order::LongestWaiting | Order::ShortestWaiting => FoundBy::Order,
        Order::Newest if filter.id.is_some() => FoundBy::Id,
        Order::Newest if filter.id_prefix.as_ref().is_some_and(is_long) => FoundBy::Prefix,
        Order::Newest if filter.person != Person::default() => FoundBy::Person,
        Order::Newest if filter.status.is_some_and(|status| status != Status::Expired) => FoundBy::Status,
        Order::Newest => FoundBy::Order,
    }
}

/// The statement that lists what a filter selects, and its values.
fn statement(
    dialect: Dialect,
    tenant: &TenantId,
    filter: &Filter,
    page: &Page,
    now: Timestamp,
) -> (String, Vec<Value>) {
    let mut conditions = Conditions::new(tenant, now);
    conditions.add_tenant(filter, page.order);
    conditions.add_ids(filter, page.order);
    conditions.add_status(filter, page.order);
    conditions.add_outcome(filter);
    conditions.add_metadata(filter, dialect);
    conditions.add_colleagues(filter);
    conditions.add_person(&filter.person);
    conditions.add_last_step(filter);
    conditions.add_bounds(filter, page);
    let latest_end = conditions.place(latest_end_of_reservation(now).as_millis());
    let limit = conditions.place(i64::from(page.limit));
    let order = match page.order {
        Order::Newest => "sessions.created_at DESC, sessions.id DESC",
        Order::LongestWaiting => "sessions.waiting_since, sessions.id",
        Order::ShortestWaiting => "sessions.waiting_since DESC, sessions.id DESC",
    };
    let all = conditions.all.join(" AND ");
    let sql = format!(
        "SELECT sessions.id, sessions.status, sessions.created_at, sessions.completed_at, sessions.waiting_since,
                sessions.expires_at, sessions.purged_at, sessions.document_type, sessions.outcome, sessions.metadata,
                users.id AS holder, users.name AS holder_name,
                assignees.id AS assignee, assignees.name AS assignee_name
         FROM sessions
         LEFT JOIN review_holds ON review_holds.session_id = sessions.id
              AND review_holds.held_until > $2 AND review_holds.held_until <= {latest_end}
         LEFT JOIN users ON users.id = review_holds.user_id
         LEFT JOIN review_assignments ON review_assignments.session_id = sessions.id
         LEFT JOIN users AS assignees ON assignees.id = review_assignments.user_id
         WHERE {all} ORDER BY {order} LIMIT {limit}"
    );
    (sql, conditions.values)
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
    let (sql, values) = statement(tx.dialect(), tenant, filter, page, now);
    let rows: Vec<Row> = on!(tx, conn => {
        // It has conditions that are written here and places of values, and nothing that anybody else wrote.
        let mut query = sqlx::query_as(AssertSqlSafe(sql));
        for value in values {
            query = match value {
                Value::Text(text) => query.bind(text),
                Value::Number(number) => query.bind(number),
                Value::Hash(hash) => query.bind(hash.to_vec()),
            };
        }
        query.fetch_all(conn).await
    })?;
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
    after: Option<&After<SessionId>>,
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

    /// Every value is compared with something, and each filter adds its own.
    #[test]
    fn a_statement_has_the_conditions_of_its_filter_and_no_others() {
        let tenant = TenantId::from_random([1; 16]);
        let page = Page {
            order: Order::Newest,
            after: None,
            limit: 10,
        };
        let none = Filter::default();
        let status = Filter {
            status: Some(Status::Reviewing),
            ..none.clone()
        };
        let person = Filter {
            person: Person {
                name: vec![[1; 32], [2; 32]],
                birth_date: Some([3; 32]),
            },
            ..none.clone()
        };
        let metadata = Filter {
            metadata: Some("A-17".into()),
            or_escaped: true,
            ..none.clone()
        };
        for dialect in [Dialect::Sqlite, Dialect::Postgres] {
            let of = |filter: &Filter| statement(dialect, &tenant, filter, &page, Timestamp::from_millis(5));
            let plain = of(&none).1.len();
            for (filter, more, part) in [
                (&none, 0, "sessions.tenant_id = $1"),
                (&status, 1, "sessions.status = $3"),
                (&person, 3, "term IN ($3, $4)"),
                (&metadata, 1, r"LIKE '%\\u%' ESCAPE '\'"),
            ] {
                let (sql, values) = of(filter);
                assert_eq!(values.len(), plain + more, "{sql}");
                assert!(sql.contains(part), "{sql}");
                for place in 1..=values.len() {
                    let place = format!("${place}");
                    let is_there = sql
                        .split(&place)
                        .skip(1)
                        .any(|after| !after.starts_with(|next: char| next.is_ascii_digit()));
                    assert!(is_there, "{place} in {sql}");
                }
            }
        }
    }

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
