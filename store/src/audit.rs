//! The audit log: who did what, when, from where. An entry is written in the unit of the change it records. Ids and action
//! names only: never personal data of an applicant.

use crate::{
    StoreError,
    db::{Dialect, Tx, on, row},
    ids,
};
use domain::{
    audit::{Actor, AuditAction},
    audit_detail::{DetailPhrase, DetailWord},
    ids::{TenantId, UserId},
    named::Named,
    role::Role,
    time::{Millis, Timestamp},
};
use std::{borrow::Cow, fmt::Display, ops::Range};

/// Longest detail of an entry, in bytes: readers of the log hold thousands of entries in memory, and receivers of its export limit the size of a
/// message.
pub const MAX_DETAIL: usize = 8 * 1024;
/// How much of the beginning and of the end of a longer one is kept, in bytes.
const KEPT: usize = 4_000;

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When.
    pub at: Timestamp,
    /// The tenant concerned; `None` for the whole installation.
    pub tenant: Option<TenantId>,
    /// Who.
    pub actor: Actor,
    /// What was done; entries of other versions may have names that this version does not know.
    pub action: Named<AuditAction>,
    /// The id of what it was done to.
    pub subject: Option<String>,
    /// Details, such as the names of the changed settings.
    pub detail: Option<String>,
    /// The caller's address.
    pub address: Option<String>,
}

impl Entry {
    /// An entry that `actor` did something that concerns the whole installation. The other methods add the rest.
    #[must_use]
    pub fn new(at: Timestamp, actor: Actor, action: AuditAction) -> Self {
        Self {
            at,
            tenant: None,
            actor,
            action: action.into(),
            subject: None,
            detail: None,
            address: None,
        }
    }

    /// In this tenant; with `None`, in the whole installation.
    #[must_use]
    pub fn in_tenant(self, tenant: impl Into<Option<TenantId>>) -> Self {
        Self {
            tenant: tenant.into(),
            ..self
        }
    }

    /// To what has this id.
    #[must_use]
    pub fn about(self, subject: impl Display) -> Self {
        Self {
            subject: Some(subject.to_string()),
            ..self
        }
    }

    /// With details.
    #[must_use]
    pub fn with_detail(self, detail: impl Display) -> Self {
        Self {
            detail: Some(detail.to_string()),
            ..self
        }
    }

    /// By a caller from this address.
    #[must_use]
    pub fn from_address(self, address: impl Display) -> Self {
        Self {
            address: Some(address.to_string()),
            ..self
        }
    }
}

/// An entry with its number and, where the actor is a person or an API key, its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Increasing in the order of writing.
    pub number: i64,
    /// What was done.
    pub entry: Entry,
    /// The name of the person or API key.
    pub actor_name: Option<String>,
    /// The name of the person or API key that it is about, if it is about one and was searched for.
    pub subject_name: Option<String>,
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
        actor_name: Option<String>,
        subject_name: Option<String>,
    }
}

/// A detail as it is written: of one that is too long, the beginning and the end, and how much is missing between them.
fn fitting(detail: &str) -> Cow<'_, str> {
    if detail.len() <= MAX_DETAIL {
        return detail.into();
    }
    let beginning = &detail[..detail.floor_char_boundary(KEPT)];
    let end = &detail[detail.ceil_char_boundary(detail.len() - KEPT)..];
    let missing = detail.len() - beginning.len() - end.len();
    format!("{beginning} [{missing} bytes left out] {end}").into()
}

/// The detail of a row, truncated because earlier versions wrote details of any length. The limit counts characters, so a detail that [`fitting`]
/// has written is never cut.
macro_rules! detail {
    () => {
        "CASE WHEN LENGTH(audit.detail) <= 8192 THEN audit.detail
              ELSE substr(audit.detail, 1, 4000) || ' [' || CAST(LENGTH(audit.detail) - 8000 AS TEXT) || ' characters left out] '
                   || substr(audit.detail, LENGTH(audit.detail) - 3999) END AS detail"
    };
}
pub(crate) use detail;
const _: () = assert!(
    MAX_DETAIL == 8_192 && KEPT == 4_000,
    "the statement `detail!` has the same numbers"
);

/// Writes an entry, with its detail cut to [`MAX_DETAIL`]: a detail that must be complete has to be split into several entries.
///
/// # Errors
/// If the database does not respond.
pub async fn record(tx: &mut Tx, entry: &Entry) -> Result<(), StoreError> {
    let detail = entry.detail.as_deref().map(fitting);
    on!(tx, conn => sqlx::query(
        "INSERT INTO audit (at, tenant_id, actor, action, subject, detail, address) VALUES ($1, $2, $3, $4, $5, $6, $7)")
        .bind(entry.at.as_millis()).bind(entry.tenant.as_ref().map(TenantId::as_str)).bind(entry.actor.as_str())
        .bind(entry.action.as_str()).bind(&entry.subject).bind(detail.as_deref()).bind(&entry.address)
        .execute(conn).await.map(drop))
}

/// Which entries to find; `None` means any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// About this.
    pub subject: Option<String>,
    /// By them.
    pub actor: Option<Actor>,
    /// This action.
    pub action: Option<AuditAction>,
    /// Not before this time.
    pub from: Option<Timestamp>,
    /// Before this time.
    pub until: Option<Timestamp>,
}

impl Filter {
    /// Whether entries are examined one by one, because no index finds those that match. For a subject, there is an index.
    #[must_use]
    pub fn looks_at_each(&self) -> bool {
        let wants_all = *self == Self::default();
        self.subject.is_none() && !wants_all
    }
}

/// The numbers of the entries before this one; `None` for all.
#[must_use]
pub fn numbers_before(number: Option<i64>) -> Range<i64> {
    i64::MIN..number.unwrap_or(i64::MAX)
}

macro_rules! search_sql {
    ($subject:literal) => {
        concat!(
            "SELECT audit.number, audit.at, audit.tenant_id, audit.actor, audit.action, audit.subject, ",
            detail!(),
            ", audit.address, COALESCE(users.name, api_keys.name) AS actor_name,
                 COALESCE(about_user.name, about_key.name) AS subject_name
             FROM audit LEFT JOIN users ON users.id = audit.actor LEFT JOIN api_keys ON api_keys.id = audit.actor
                 LEFT JOIN users AS about_user ON about_user.id = audit.subject
                 LEFT JOIN api_keys AS about_key ON about_key.id = audit.subject
             WHERE audit.tenant_id = $1 AND audit.number < $2 AND ",
            $subject,
            " AND (CAST($4 AS TEXT) IS NULL OR audit.actor = $4)
                 AND (CAST($5 AS TEXT) IS NULL OR audit.action = $5) AND audit.at >= $6 AND audit.at < $7
                 AND audit.number >= $9
             ORDER BY audit.number DESC LIMIT $8"
        )
    };
}

/// A tenant's entries that match, of those with these numbers, newest first.
///
/// # Errors
/// If the database does not respond.
pub async fn search(
    tx: &mut Tx,
    tenant: &TenantId,
    filter: &Filter,
    numbers: &Range<i64>,
    limit: u32,
) -> Result<Vec<Recorded>, StoreError> {
    // With a clause of its own for the subject, which an index answers however long the log is.
    let sql = if filter.subject.is_some() {
        search_sql!("audit.subject = $3")
    } else {
        search_sql!("CAST($3 AS TEXT) IS NULL")
    };
    let rows: Vec<Row> = on!(tx, conn => sqlx::query_as(sql)
        .bind(tenant.as_str()).bind(numbers.end).bind(&filter.subject)
        .bind(filter.actor.as_ref().map(Actor::as_str))
        .bind(filter.action.map(AuditAction::as_str))
        .bind(filter.from.map_or(i64::MIN, Timestamp::as_millis))
        .bind(filter.until.map_or(i64::MAX, Timestamp::as_millis))
        .bind(i64::from(limit)).bind(numbers.start).fetch_all(conn).await)?;
    rows.into_iter().map(recorded).collect()
}

/// How far back a search goes that [examines each entry](Filter::looks_at_each): it covers the entries from the returned number on, which are the
/// `most` newest before number `before`. `None` if there are no more.
///
/// # Errors
/// If the database does not respond.
pub async fn find_reach(
    tx: &mut Tx,
    tenant: &TenantId,
    before: Option<i64>,
    most: u32,
) -> Result<Option<i64>, StoreError> {
    let next: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT number FROM audit WHERE tenant_id = $1 AND number < $2 ORDER BY number DESC LIMIT 1 OFFSET $3")
        .bind(tenant.as_str()).bind(before.unwrap_or(i64::MAX)).bind(i64::from(most)).fetch_optional(conn).await)?;
    // Numbers may be missing between it and the last one that is looked at.
    Ok(next.map(|next| next + 1))
}

/// A tenant's entries, newest first, before number `before`; only those about `subject` if it is given.
///
/// # Errors
/// If the database does not respond.
pub async fn list(
    tx: &mut Tx,
    tenant: &TenantId,
    subject: Option<&str>,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<Recorded>, StoreError> {
    let filter = Filter {
        subject: subject.map(str::to_owned),
        ..Filter::default()
    };
    search(tx, tenant, &filter, &numbers_before(before), limit).await
}

/// Finds the part as it is written: `LIKE` would take the `_` of an id for any character, and on SQLite lower case for upper case.
macro_rules! recorded_sql {
    ($place:literal) => {
        concat!(
            "SELECT number FROM audit
             WHERE subject = $1 AND tenant_id = $2 AND actor = $3 AND COALESCE(address, '') = $4 AND action IN ($5, $6)
                 AND ",
            $place,
            " > 0 AND at BETWEEN $8 AND $9 LIMIT 1"
        )
    };
}

/// Whether an entry like this one, of one of these actions and with a detail that contains `part`, was written between `since` and the time of this
/// one. An entry that was written while a clock was ahead counts for nothing that happens before its time.
///
/// # Errors
/// If the database does not respond.
pub async fn is_recorded(
    tx: &mut Tx,
    like: &Entry,
    actions: [AuditAction; 2],
    part: &str,
    since: Timestamp,
) -> Result<bool, StoreError> {
    let sql = match tx.dialect() {
        Dialect::Sqlite => recorded_sql!("INSTR(detail, $7)"),
        Dialect::Postgres => recorded_sql!("STRPOS(detail, $7)"),
    };
    let found: Option<i64> = on!(tx, conn => sqlx::query_scalar(sql)
        .bind(&like.subject).bind(like.tenant.as_ref().map(TenantId::as_str)).bind(like.actor.as_str())
        .bind(like.address.as_deref().unwrap_or_default()).bind(actions[0].as_str()).bind(actions[1].as_str())
        .bind(part).bind(since.as_millis()).bind(like.at.as_millis()).fetch_optional(conn).await)?;
    Ok(found.is_some())
}

/// The number of a tenant's newest entry; 0 if there is none.
///
/// # Errors
/// If the database does not respond.
pub async fn find_newest(tx: &mut Tx, tenant: &TenantId) -> Result<i64, StoreError> {
    let number: i64 = on!(tx, conn => sqlx::query_scalar("SELECT COALESCE(MAX(number), 0) FROM audit WHERE tenant_id = $1")
        .bind(tenant.as_str()).fetch_one(conn).await)?;
    Ok(number)
}

/// How many of the newest entries are searched for missing numbers: more than can be written in the time that a unit of work may take.
const LATELY: i64 = 10_000;
/// How old an entry may be that follows the number of one that is still to be committed: longer than a unit of work may take, with clocks that
/// differ.
const UNCOMMITTED: Millis = Millis::minutes(2);

/// The number up to which no entry is still to come; 0 if there is none. On SQLite, it is that of the newest entry. On PostgreSQL, an entry gets its
/// number when it is written and may be committed after greater ones, so it is the number before the first one that has been missing for a moment
/// only. A unit that was rolled back leaves a number missing as well, and for [`UNCOMMITTED`] the result is smaller than necessary: a reader that
/// continues from it may read an entry twice, but misses none.
///
/// # Errors
/// If the database does not respond.
pub(crate) async fn find_settled(tx: &mut Tx, now: Timestamp) -> Result<i64, StoreError> {
    match tx.dialect() {
        Dialect::Sqlite => on!(tx, conn => sqlx::query_scalar("SELECT COALESCE(MAX(number), 0) FROM audit")
            .fetch_one(conn).await),
        Dialect::Postgres => on!(tx, conn => sqlx::query_scalar(
            "SELECT COALESCE(
                 (SELECT MIN(earlier) FROM (
                      SELECT number, at, LAG(number) OVER (ORDER BY number) AS earlier
                      FROM (SELECT number, at FROM audit ORDER BY number DESC LIMIT $1) AS newest) AS followed
                  WHERE number > earlier + 1 AND at >= $2),
                 (SELECT MAX(number) FROM audit), 0)")
            .bind(LATELY).bind(now.minus(UNCOMMITTED).as_millis()).fetch_one(conn).await),
    }
}

/// Whether an entry of this action on `subject` has a greater number than `number`.
///
/// # Errors
/// If the database does not respond.
pub async fn is_done_since(tx: &mut Tx, action: AuditAction, subject: &str, number: i64) -> Result<bool, StoreError> {
    let found: Option<i64> = on!(tx, conn => sqlx::query_scalar(
        "SELECT number FROM audit WHERE subject = $1 AND number > $2 AND action = $3 LIMIT 1")
        .bind(subject).bind(number).bind(action.as_str()).fetch_optional(conn).await)?;
    Ok(found.is_some())
}

fn recorded(row: Row) -> Result<Recorded, StoreError> {
    let tenant = row.tenant_id.map(|id| ids::tenant_id(&id)).transpose()?;
    Ok(Recorded {
        number: row.number,
        entry: Entry {
            at: Timestamp::from_millis(row.at),
            tenant,
            actor: Actor::parse(&row.actor),
            action: Named::parse(&row.action),
            subject: row.subject,
            detail: row.detail,
            address: row.address,
        },
        actor_name: row.actor_name,
        subject_name: row.subject_name,
    })
}

/// The number of the last entry that was written before a time, or one smaller than all if there is none. No index has the times, but numbers
/// increase with them: a binary search.
///
/// # Errors
/// If the database does not respond.
pub async fn find_number_before(tx: &mut Tx, time: Timestamp) -> Result<i64, StoreError> {
    let (first, last): (i64, i64) = on!(tx, conn => sqlx::query_as(
        "SELECT COALESCE((SELECT MIN(number) FROM audit), 1), COALESCE((SELECT MAX(number) FROM audit), 0)")
        .fetch_one(conn).await)?;
    // It is one of these.
    let (mut low, mut high) = (first - 1, last);
    while low < high {
        let middle = low + (high - low + 1) / 2;
        // Numbers may be missing.
        let found: Option<(i64, i64)> = on!(tx, conn => sqlx::query_as(
            "SELECT number, at FROM audit WHERE number > $1 AND number <= $2 ORDER BY number DESC LIMIT 1")
            .bind(low).bind(middle).fetch_optional(conn).await)?;
        match found {
            Some((number, at)) if at >= time.as_millis() => high = number - 1,
            _ => low = middle,
        }
    }
    Ok(low)
}

/// Refused attempts to sign in to an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedSignIns {
    /// How many.
    pub count: i64,
    /// In how many of them the first factor was correct and the second was not.
    pub wrong_second_factor: i64,
    /// In how many of them the first factor was correct and no second one followed.
    pub stopped: i64,
    /// When the last one was.
    pub last_at: Timestamp,
    /// Where the last one came from.
    pub last_from: Option<String>,
}

/// The refused attempts to sign in to somebody's account after entry number `after`, in whichever tenant they are recorded.
///
/// # Errors
/// If the database does not respond.
pub async fn find_refused_sign_ins(
    tx: &mut Tx,
    after: i64,
    user: &UserId,
) -> Result<Option<RefusedSignIns>, StoreError> {
    let found: Option<(i64, i64, i64, i64, Option<String>)> = on!(tx, conn => sqlx::query_as(
        "WITH refused AS (SELECT number, at, detail, address FROM audit
             WHERE subject = $1 AND number > $2 AND action = $3)
         SELECT (SELECT COUNT(*) FROM refused), (SELECT COUNT(*) FROM refused WHERE detail IN ($4, $5)),
                (SELECT COUNT(*) FROM refused WHERE detail = $6), at, address
         FROM refused ORDER BY number DESC LIMIT 1")
        .bind(user.as_str()).bind(after)
        .bind(AuditAction::PersonSignInRefused.as_str()).bind(DetailWord::Code.as_str())
        .bind(DetailWord::SecondPasskey.as_str()).bind(DetailWord::Stopped.as_str())
        .fetch_optional(conn).await)?;
    Ok(found.map(
        |(count, wrong_second_factor, stopped, last_at, last_from)| RefusedSignIns {
            count,
            wrong_second_factor,
            stopped,
            last_at: Timestamp::from_millis(last_at),
            last_from,
        },
    ))
}

/// What somebody should know of.
#[derive(Clone, Copy, Debug)]
pub struct Concerns<'a> {
    /// Who.
    pub user: &'a UserId,
    /// Their own tenant, in which what they do to their account is recorded; `None` for an operator without one.
    pub home: Option<&'a TenantId>,
    /// Actions by them or to their account; of sign-ins, those with [`DetailWord::NewNetwork`] or [`DetailPhrase::NewBrowser`].
    pub own: &'a [AuditAction],
    /// Actions to their account, in whichever tenant they are recorded.
    pub to_them: &'a [AuditAction],
    /// Actions by them in their own tenant, besides `own`: somebody else may have used their session. Limited as those of others are.
    pub by_them: &'a [AuditAction],
    /// Actions by others in the tenant in which they work; of changes to settings, those of the webhook receiver, and of changes to people, those
    /// that made somebody an admin.
    pub by_others: &'a [AuditAction],
}

macro_rules! news {
    () => {
        "'factor.add', 'factor.remove', 'key.issue', 'person.change', 'person.change_password', 'person.grant_operator', \
         'person.issue_reset', 'person.join', 'person.link_account', 'person.reset_password', 'person.sign_in', \
         'person.unlink_account', 'recovery_codes.issue', 'settings.change', 'webhook_secret.disable', 'webhook_secret.issue'"
    };
}

/// The actions that people are notified of, as a list in SQL. An index covers exactly these; a new one needs another index.
pub const NEWS: &str = news!();

macro_rules! news_sql {
    ($home:literal) => {
        concat!(
            "SELECT news.number, news.at, news.tenant_id, news.actor, news.action, news.subject, news.detail,
                    news.address, COALESCE(users.name, api_keys.name) AS actor_name,
                    COALESCE(about_user.name, about_key.name) AS subject_name
             FROM (
                 SELECT number, at, tenant_id, actor, action, subject, detail, address FROM audit
                 WHERE subject = $3 AND number > $2 AND action IN (",
            news!(),
            ")
                     AND (($4 LIKE '%,' || action || ',%'
                           AND (action <> $7 OR detail LIKE '%' || $8 || '%' OR detail LIKE '%' || $13 || '%'))
                         OR $5 LIKE '%,' || action || ',%')
                 UNION
                 SELECT number, at, tenant_id, actor, action, subject, detail, address FROM audit
                 WHERE ",
            $home,
            " AND number > $2 AND action IN (",
            news!(),
            ")
                     AND actor = $3 AND ($4 LIKE '%,' || action || ',%' OR $15 LIKE '%,' || action || ',%')
                     AND (action <> $7 OR detail LIKE '%' || $8 || '%' OR detail LIKE '%' || $13 || '%')
                     AND (action <> $9 OR detail LIKE 'webhook:%')
                     AND (action <> $10 OR detail = $11 OR detail LIKE '% ' || $11)
                 UNION
                 SELECT number, at, tenant_id, actor, action, subject, detail, address FROM audit
                 WHERE tenant_id = $1 AND number > $2 AND action IN (",
            news!(),
            ")
                     AND actor <> $3 AND $6 LIKE '%,' || action || ',%'
                     AND (action <> $9 OR detail LIKE 'webhook:%')
                     AND (action <> $10 OR detail = $11 OR detail LIKE '% ' || $11)
             ) AS news LEFT JOIN users ON users.id = news.actor LEFT JOIN api_keys ON api_keys.id = news.actor
                 LEFT JOIN users AS about_user ON about_user.id = news.subject
                 LEFT JOIN api_keys AS about_key ON about_key.id = news.subject
             ORDER BY news.number DESC LIMIT $12"
        )
    };
}

/// The entries that concern somebody who works in a tenant, after number `after`, newest first. Only actions in [`NEWS`] are found.
///
/// # Errors
/// If the database does not respond.
pub async fn list_news(
    tx: &mut Tx,
    tenant: &TenantId,
    after: i64,
    concerns: Concerns<'_>,
    limit: u32,
) -> Result<Vec<Recorded>, StoreError> {
    // One SQL text serves any set of actions: `,key.issue,person.join,` is like `%,key.issue,%`.
    let listed = |actions: &[AuditAction]| {
        actions
            .iter()
            .fold(String::from(","), |list, action| list + action.as_str() + ",")
    };
    // With a separate clause for people without a tenant, so that an index answers both.
    let sql = match concerns.home {
        Some(_) => news_sql!("tenant_id = $14"),
        None => news_sql!("tenant_id IS NULL AND CAST($14 AS TEXT) IS NULL"),
    };
    let rows: Vec<Row> = on!(tx, conn => sqlx::query_as(sql)
        .bind(tenant.as_str()).bind(after).bind(concerns.user.as_str())
        .bind(listed(concerns.own)).bind(listed(concerns.to_them)).bind(listed(concerns.by_others))
        .bind(AuditAction::PersonSignIn.as_str()).bind(DetailWord::NewNetwork.as_str())
        .bind(AuditAction::SettingsChange.as_str())
        .bind(AuditAction::PersonChange.as_str()).bind(Role::Admin.as_str())
        .bind(i64::from(limit)).bind(DetailPhrase::NewBrowser.beginning()).bind(concerns.home.map(TenantId::as_str))
        .bind(listed(concerns.by_them))
        .fetch_all(conn).await)?;
    rows.into_iter().map(recorded).collect()
}

/// The entries of the tenant `$1`, newest first. Ordered by the tenant as well, as only the index of a tenant's entries is: in the order of
/// all entries, PostgreSQL would look for those of a quiet tenant among everybody's, with a plan that it makes once for all tenants.
macro_rules! newest_first {
    () => {
        "WHERE tenant_id >= $1 AND tenant_id <= $1 ORDER BY tenant_id DESC, number DESC"
    };
}

/// How many of a tenant's last entries are searched without an index.
pub const SEARCHED: i64 = 20_000;

/// The time of the oldest entry that is searched without an index, if there are older ones.
///
/// # Errors
/// If the database does not respond.
pub async fn find_searched_since(tx: &mut Tx, tenant: &TenantId) -> Result<Option<Timestamp>, StoreError> {
    let last: Vec<i64> = on!(tx, conn => sqlx::query_scalar(concat!("SELECT at FROM audit ", newest_first!(), " LIMIT 2 OFFSET $2"))
        .bind(tenant.as_str()).bind(SEARCHED - 1).fetch_all(conn).await)?;
    Ok(match last.as_slice() {
        [oldest, _] => Some(Timestamp::from_millis(*oldest)),
        _ => None,
    })
}

/// The addresses from which API keys were used since a time, with the last time, latest first. In a very long log, only the last part is searched.
///
/// # Errors
/// If the database does not respond.
pub async fn list_key_addresses(
    tx: &mut Tx,
    tenant: &TenantId,
    since: Timestamp,
) -> Result<Vec<(String, Timestamp)>, StoreError> {
    let rows: Vec<(String, i64)> = on!(tx, conn => sqlx::query_as(concat!(
        "SELECT address, MAX(at) AS last FROM (SELECT address, at, actor FROM audit ", newest_first!(), " LIMIT $2) AS lately
         WHERE substr(actor, 1, 4) = 'key_' AND address IS NOT NULL AND at >= $3
         GROUP BY address ORDER BY last DESC, address"))
        .bind(tenant.as_str()).bind(SEARCHED).bind(since.as_millis()).fetch_all(conn).await)?;
    Ok(rows
        .into_iter()
        .map(|(address, at)| (address, Timestamp::from_millis(at)))
        .collect())
}
