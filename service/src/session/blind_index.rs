//! Finding the sessions of a person. Personal data is stored encrypted; what is looked for are keyed hashes of normalised names and dates
//! (`domain::blind_index`), under a key of the tenant.

use crate::{
    Honnin,
    access::Reader,
    fingerprints::tenant_key,
    runtime::sealed_json::open_column,
    session::search::{Filter, Order, Page, SessionSummary},
};
use domain::{
    audit::AuditAction,
    audit_detail::DetailPhrase,
    blind_index::{Term, of_name, of_session},
    civil_date, cursor,
    document::OcrField,
    ids::{SessionId, TenantId},
    request::PreRegistered,
    secret::Personal,
    user_input::UserInput,
};
use std::collections::BTreeSet;
use store::{
    StoreError, audit,
    session::{
        blind_index::{self, TermHash},
        search::{self, Person},
        sessions::{self, SessionRow},
    },
    vault::{FingerprintKey, SealedValue, SessionKey},
};

/// Sessions indexed in one unit of work.
const BATCH: u32 = 50;

/// Who is looked for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The full name, or empty.
    pub name: Personal<String>,
    /// The date of birth as typed, or empty.
    pub birth_date: Personal<String>,
}

/// Why nobody was looked for.
#[derive(Clone, Debug, thiserror::Error)]
pub enum FindPersonError {
    /// Neither a name nor a date.
    #[error("nothing to look for")]
    Nothing,
    /// Not a date of the calendar.
    #[error("not a date")]
    NotADate,
    /// Storage.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The sessions of a person.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundPerson {
    /// Newest first.
    pub sessions: Vec<SessionSummary>,
    /// Whether there are older ones.
    pub more: bool,
}

/// The sessions of the tenant whose person has this full name, this date of birth, or both: the newest `limit`. The search is recorded,
/// without what was looked for, before anything is returned.
///
/// # Errors
/// [`FindPersonError`].
pub async fn find_person(
    honnin: &Honnin,
    reader: &Reader,
    wanted: &Wanted,
    limit: u32,
) -> Result<FoundPerson, FindPersonError> {
    let names = of_name(wanted.name.expose());
    let date = match wanted.birth_date.expose().as_str() {
        "" => None,
        text => Some(civil_date::parse(text).ok_or(FindPersonError::NotADate)?),
    };
    let date: BTreeSet<_> = date.map(civil_date::format).map(Term::BirthDate).into_iter().collect();
    let (found, found_more) = match (names.is_empty(), date.is_empty()) {
        (true, true) => return Err(FindPersonError::Nothing),
        (false, true) => (DetailPhrase::ByName, DetailPhrase::MoreByName),
        (true, false) => (DetailPhrase::ByBirthDate, DetailPhrase::MoreByBirthDate),
        (false, false) => (DetailPhrase::ByNameAndBirthDate, DetailPhrase::MoreByNameAndBirthDate),
    };
    let staff = reader.staff().clone();
    let person = Person {
        name: hashes(honnin, staff.tenant(), &names).await?,
        birth_date: hashes(honnin, staff.tenant(), &date).await?.into_iter().next(),
    };
    let filter = Filter {
        person,
        ..Filter::default()
    };
    let page = Page {
        order: Order::Newest,
        after: None,
        limit: limit.saturating_add(1),
    };
    let now = honnin.now();
    let tenant = staff.tenant().clone();
    let search = honnin
        .db
        .read(async move |tx| search::list(tx, &tenant, &filter, &page, now).await);
    let (sessions, more) = cursor::page_of(search.await?, limit);
    let what = if more { found_more } else { found };
    let entry = staff
        .entry(now, AuditAction::SessionSearch)
        .with_detail(what.with(sessions.len()));
    let record = honnin.db.write(async move |tx| audit::record(tx, &entry).await);
    record.await?;
    Ok(FoundPerson { sessions, more })
}

/// The keyed hashes of terms.
///
/// # Errors
/// If a database does not respond.
pub(crate) async fn hashes(
    honnin: &Honnin,
    tenant: &TenantId,
    terms: &BTreeSet<Term>,
) -> Result<Vec<TermHash>, StoreError> {
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    let prints = tenant_key(honnin, tenant).await?.fingerprints();
    Ok(terms.iter().map(|term| hash(&prints, term)).collect())
}

fn hash(prints: &FingerprintKey, term: &Term) -> TermHash {
    let [kind, value] = term.parts();
    prints.of(&["blind index", kind, value])
}

/// Indexes the sessions that were there before the index. One that cannot be decrypted is left out, once and for all: nobody can be found by it.
///
/// # Errors
/// If storage fails.
pub(crate) async fn index_earlier(honnin: &Honnin) -> Result<(), StoreError> {
    loop {
        let list = honnin.db.read(async |tx| blind_index::list_unindexed(tx, BATCH).await);
        let sessions = list.await?;
        if sessions.is_empty() {
            return Ok(());
        }
        let mut indexed = Vec::new();
        for session in sessions {
            indexed.push(match index(honnin, session.clone()).await {
                Err(StoreError::Corrupt(fault)) => {
                    tracing::error!(%session, fault, "a session cannot be indexed, so no search finds its person");
                    (session, None)
                }
                done => done?,
            });
        }
        let unit = honnin.db.write(async move |tx| {
            for (session, terms) in &indexed {
                // Erased or indexed by another node in the meantime.
                if !blind_index::leave_unindexed(tx, session).await? {
                    continue;
                }
                if let Some((tenant, terms)) = terms {
                    blind_index::add(tx, tenant, session, terms).await?;
                }
            }
            Ok::<_, StoreError>(())
        });
        honnin.in_turn(unit).await?;
    }
}

/// The terms of a stored session, with its tenant; `None` if it is erased.
type Indexed = (SessionId, Option<(TenantId, Vec<TermHash>)>);

async fn index(honnin: &Honnin, session: SessionId) -> Result<Indexed, StoreError> {
    let wanted = session.clone();
    let find = honnin.db.read(async move |tx| sessions::find_any(tx, &wanted).await);
    let Some(row) = find.await?.filter(|row| row.session.purged_at.is_none()) else {
        return Ok((session, None));
    };
    let key = match honnin.vault.open(&row.data_key).await {
        Err(StoreError::Erased) => return Ok((session, None)),
        key => key?,
    };
    let tenant = row.session.tenant.clone();
    let terms = hashes(honnin, &tenant, &stored(&row, &key)?).await?;
    Ok((session, Some((tenant, terms))))
}

fn stored(row: &SessionRow, key: &SessionKey) -> Result<BTreeSet<Term>, StoreError> {
    let bound_to = |value| row.associated_data(value);
    let known: Option<Personal<PreRegistered>> = open_column(key, &bound_to(SealedValue::Known), row.known.as_ref())?;
    let typed: Option<Personal<UserInput>> = open_column(key, &bound_to(SealedValue::Typed), row.typed.as_ref())?;
    let read: Option<Personal<Vec<OcrField>>> = open_column(key, &bound_to(SealedValue::Ocr), row.ocr.as_ref())?;
    Ok(of_session(
        known.as_ref().map(Personal::expose),
        typed.as_ref().map(Personal::expose),
        read.as_ref().map_or(&[][..], |read| read.expose()),
    ))
}
