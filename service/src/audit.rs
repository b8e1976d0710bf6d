//! The audit log: linking its entries to a chain, checking the chain, searching and exporting.

use crate::{
    Honnin,
    access::{Auditor, Rank, Staff},
    runtime::{
        pages::{Part, pages},
        turns::Effort,
    },
};
use domain::{
    audit::{Actor, AuditAction},
    audit_detail::{DetailPhrase, DetailWord},
    ids::has_form_of_id,
    time::Millis,
};
use futures::Stream;
use store::{
    StoreError, Tx,
    audit::{self, numbers_before},
    audit_chain::{self, Beginning, Checked},
};

pub use store::{
    audit::{Filter, Recorded},
    audit_chain::Head,
};

/// Entries linked in one unit of work.
const BATCH: u32 = 500;
/// Entries checked at a time.
const PART: u32 = 10_000;
/// Entries that one request checks at most: in about ten seconds.
pub const MAX_VERIFIED: u32 = 1_000_000;
/// For how long another look of an operator at the same page is not recorded again.
const LOOK: Millis = Millis::minutes(15);
/// Entries of an export read at a time.
const EXPORT_BATCH: u32 = 1_000;
/// Entries looked at for a part of an export, if no index finds those that match: it takes as long whether the log is long or short.
pub const LOOKED_AT: u32 = 10_000;

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verified {
    /// Intact; the last entry, and how many are not yet linked.
    Whole(Head, i64),
    /// Broken at this position: the entry is missing, or it was changed or moved.
    Broken(i64),
    /// The same, but the entry that was noted before was removed since, because of its age.
    NotedRemoved(Head, i64),
    /// Intact in itself, but not what was noted before.
    Replaced,
}

/// The result of a check of the newest entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newest {
    /// The position of the first one that was checked.
    pub first: i64,
    /// [`Verified::Whole`] or [`Verified::Broken`].
    pub verified: Verified,
}

/// Links the entries that are not yet linked.
pub(crate) async fn seal_new(honnin: &Honnin) -> Result<(), StoreError> {
    let any = honnin.db.ask(async |tx| audit_chain::any_open(tx).await).await?;
    if !any {
        return Ok(());
    }
    seal_batches(honnin, async |tx| audit_chain::seal(tx, BATCH).await).await
}

/// The same, also those that were committed very late, for which a long log is searched.
pub(crate) async fn seal_all(honnin: &Honnin) -> Result<(), StoreError> {
    seal_batches(honnin, async |tx| audit_chain::seal_all(tx, BATCH).await).await
}

/// Runs `seal` in one unit of work after another, until it has linked less than a batch.
async fn seal_batches<F>(honnin: &Honnin, seal: F) -> Result<(), StoreError>
where
    F: AsyncFn(&mut Tx) -> Result<usize, StoreError> + Clone + Send + 'static,
{
    loop {
        let seal = seal.clone();
        let unit = honnin.db.write(async move |tx| seal(tx).await);
        let sealed = match honnin.in_turn(unit).await {
            // Another node is doing it.
            Err(StoreError::Conflict) => return Ok(()),
            sealed => sealed?,
        };
        if sealed < BATCH as usize {
            return Ok(());
        }
    }
}

/// Checks the whole chain. With `noted`, an earlier head, it must contain that one.
///
/// # Errors
/// If the database does not respond.
pub async fn verify(honnin: &Honnin, noted: Option<&Head>) -> Result<Verified, StoreError> {
    let start = honnin.db.read(async |tx| audit_chain::find_start(tx).await).await?;
    verify_from(honnin, start, noted).await
}

/// Checks the newest `most` linked entries. The one before them is trusted.
///
/// # Errors
/// If the database does not respond.
pub async fn verify_newest(honnin: &Honnin, _auditor: &Auditor, most: u32) -> Result<Newest, StoreError> {
    let begin = honnin
        .db
        .read(async move |tx| audit_chain::find_before_newest(tx, most).await);
    let before = match begin.await? {
        Beginning::After(before) => before,
        Beginning::Missing(position) => {
            return Ok(Newest {
                first: position,
                verified: Verified::Broken(position),
            });
        }
    };
    Ok(Newest {
        first: before.position + 1,
        verified: verify_from(honnin, before, None).await?,
    })
}

/// The same for as many entries as one request may take ([`MAX_VERIFIED`]). `None` if another request is doing it: it reads a large part
/// of the database.
///
/// # Errors
/// If the database does not respond.
pub async fn verify_many(honnin: &Honnin, auditor: &Auditor) -> Result<Option<Newest>, StoreError> {
    let Ok(_turn) = honnin.audit_check.try_lock() else {
        return Ok(None);
    };
    Ok(Some(verify_newest(honnin, auditor, MAX_VERIFIED).await?))
}

/// Checks everything after `start`.
async fn verify_from(honnin: &Honnin, start: Head, noted: Option<&Head>) -> Result<Verified, StoreError> {
    let removed = noted.is_some_and(|noted| noted.position < start.position);
    let mut replaced = !removed && noted.is_some_and(|noted| *noted != start);
    let mut last = start;
    loop {
        // A part ends at the noted position, so that its hash is seen.
        let left = noted.map_or(i64::MAX, |noted| noted.position - last.position);
        let limit = u32::try_from(left).map_or(PART, |left| if left == 0 { PART } else { left.min(PART) });
        let from = last.clone();
        let part = honnin
            .db
            .read(async move |tx| audit_chain::check(tx, &from, limit).await);
        let (head, open) = match part.await? {
            Checked::Broken(position) => return Ok(Verified::Broken(position)),
            Checked::More(head) => (head, None),
            Checked::Whole(head, open) => (head, Some(open)),
        };
        if noted == Some(&head) {
            replaced = false;
        }
        last = head;
        if let Some(open) = open {
            return Ok(match (replaced, removed) {
                (true, _) => Verified::Replaced,
                (false, true) => Verified::NotedRemoved(last, open),
                (false, false) => Verified::Whole(last, open),
            });
        }
    }
}

/// Records that an operator looks at a page with names, addresses or metadata in a tenant that is not their own: at most once in [`LOOK`] for each
/// of these pages and each address they come from.
pub(crate) async fn record_look(honnin: &Honnin, staff: &Staff, page: DetailWord) -> Result<(), StoreError> {
    if staff.rank() != Rank::Operator {
        return Ok(());
    }
    let now = honnin.now();
    let entry = staff
        .entry(now, AuditAction::TenantView)
        .about(staff.tenant())
        .with_detail(page);
    let unit = honnin.db.write(async move |tx| -> Result<_, StoreError> {
        let (actions, since) = ([AuditAction::TenantView; 2], now.minus(LOOK));
        if audit::is_recorded(tx, &entry, actions, page.as_str(), since).await? {
            return Ok(());
        }
        audit::record(tx, &entry).await
    });
    unit.await
}

/// The tenant's entries that match, newest first, before entry number `before`. That an operator from elsewhere looks at them is recorded.
///
/// # Errors
/// If the database does not respond.
pub async fn search(
    honnin: &Honnin,
    auditor: &Auditor,
    filter: Filter,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<Recorded>, StoreError> {
    record_look(honnin, auditor.staff(), DetailWord::AuditLog).await?;
    let tenant = auditor.staff().tenant().clone();
    // Whoever asks for many at once leaves the other connections to everybody else.
    let turn = if filter.looks_at_each() {
        Some(honnin.efforts.take((tenant.clone(), Effort::Search)).await)
    } else {
        None
    };
    let unit = honnin.db.read(async move |tx| {
        let _turn = &turn;
        audit::search(tx, &tenant, &filter, &numbers_before(before), limit).await
    });
    unit.await
}

/// A part of them for a file.
async fn search_part(
    honnin: &Honnin,
    auditor: &Auditor,
    filter: Filter,
    before: Option<i64>,
) -> Result<Part<Recorded, i64>, StoreError> {
    let tenant = auditor.staff().tenant().clone();
    let unit = honnin.db.read(async move |tx| {
        let reach = if filter.looks_at_each() {
            audit::find_reach(tx, &tenant, before, LOOKED_AT).await?
        } else {
            None
        };
        let mut numbers = numbers_before(before);
        numbers.start = reach.unwrap_or(numbers.start);
        let found = audit::search(tx, &tenant, &filter, &numbers, EXPORT_BATCH).await?;
        Ok(Part::of(found, EXPORT_BATCH, |last| last.number, reach))
    });
    unit.await
}

/// A format of the log as a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// For spreadsheets.
    Csv,
    /// One JSON object on each line.
    JsonLines,
}

impl ExportFormat {
    /// Its name, which is also the end of the file's name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
        }
    }
}

/// The same for a file: all of them, read part by part while the file is sent. A part is empty if none of the entries matches that were looked
/// at for it. The export is in the audit log, with its format and its filter, before the first entry is read.
///
/// # Errors
/// If the database does not respond: before the first entry, or in place of further ones.
pub async fn export(
    honnin: &Honnin,
    auditor: &Auditor,
    filter: Filter,
    format: ExportFormat,
) -> Result<impl Stream<Item = Result<Vec<Recorded>, StoreError>> + Send + use<>, StoreError> {
    let entry = auditor
        .staff()
        .entry(honnin.now(), AuditAction::AuditExport)
        .with_detail(describe(&filter, format));
    honnin.db.write(async move |tx| audit::record(tx, &entry).await).await?;
    let (honnin, auditor) = (honnin.clone(), auditor.clone());
    Ok(pages(move |before| {
        let (honnin, auditor, filter) = (honnin.clone(), auditor.clone(), filter.clone());
        async move { search_part(&honnin, &auditor, filter, before).await }
    }))
}

/// For the audit log: format and filter of an export. What was typed in place of an id could be anything, even a name.
fn describe(filter: &Filter, format: ExportFormat) -> String {
    let id = |typed: &str| {
        if has_form_of_id(typed) || Actor::parse(typed) == Actor::System {
            typed.to_owned()
        } else {
            DetailWord::InvalidId.to_string()
        }
    };
    describe_filter([
        Some(format.as_str().to_owned()),
        filter.action.map(|action| DetailPhrase::Action.with(action)),
        filter
            .actor
            .as_ref()
            .map(|actor| DetailPhrase::By.with(id(actor.as_str()))),
        filter
            .subject
            .as_deref()
            .map(|subject| DetailPhrase::About.with(id(subject))),
        filter.from.map(|time| DetailPhrase::From.with(time.to_iso())),
        filter.until.map(|time| DetailPhrase::Until.with(time.to_iso())),
    ])
}

/// For the audit log: those parts of a filter that are set; [`DetailWord::Everything`] if none is.
pub(crate) fn describe_filter<const N: usize>(parts: [Option<String>; N]) -> String {
    let set: Vec<String> = parts.into_iter().flatten().collect();
    if set.is_empty() {
        DetailWord::Everything.to_string()
    } else {
        set.join(", ")
    }
}
