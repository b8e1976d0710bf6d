//! Retried creations: the same key and body get the first response again. It contains the secret URL only until the link is opened, has
//! expired, or opens nothing because its session has ended; after that, it is replaced by a URL that leads to the page for links that
//! cannot be used, as the first URL itself would.

use crate::{
    Honnin,
    access::Tenant,
    runtime::{clock_trust::ClockReading, token},
    session::create::{CreateSessionError, Created},
};
use domain::{
    ids::SessionId,
    secret::Secret,
    session::Status,
    time::{Millis, Timestamp},
};
use sha2::{Digest, Sha256};
use store::{
    StoreError, Tx,
    session::{
        idempotency::{self, KeptAnswer},
        links,
        sessions::{self, SessionRow},
    },
    vault::{AssociatedData, SealedValue, SessionKey},
};

/// How long a response is stored.
const KEPT: Millis = Millis::hours(24);
/// Replaces the token of an opened link.
const OPENED: &str = "opened";

/// A request that may be a retry.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    key_hash: Vec<u8>,
    body_hash: Vec<u8>,
    keeps_link: bool,
}

impl Attempt {
    pub(crate) fn new(key: &str, body: &[u8]) -> Self {
        Self {
            key_hash: Sha256::digest(key.as_bytes()).to_vec(),
            body_hash: Sha256::digest(body).to_vec(),
            keeps_link: true,
        }
    }

    /// A form that may be sent again as it is. Filled in for somebody else, it is another one: a browser that goes back shows the same
    /// form. Its link is shown once and not kept.
    pub(crate) fn of_form(form: &str, body: &[u8]) -> Self {
        let sent = [form.as_bytes(), &[0], body].concat();
        Self {
            key_hash: Sha256::digest(&sent).to_vec(),
            keeps_link: false,
            ..Self::new(form, body)
        }
    }

    /// The response to store for it.
    pub(crate) fn keep(&self, tenant: &Tenant, created: &Created, key: &SessionKey) -> Result<KeptAnswer, StoreError> {
        let associated_data = AssociatedData::new(tenant.id(), &created.id, SealedValue::Link);
        Ok(KeptAnswer {
            tenant: tenant.id().clone(),
            key_hash: self.key_hash.clone(),
            body_hash: self.body_hash.clone(),
            session: created.id.clone(),
            created_at: created.created_at,
            expires_at: created.expires_at,
            link_expires_at: created.verification_url_expires_at,
            link: self
                .keeps_link
                .then(|| key.seal(&associated_data, created.verification_url.expose().as_bytes()))
                .transpose()?,
        })
    }

    /// What is stored of it, if it was made before.
    async fn kept(&self, honnin: &Honnin, tenant: &Tenant) -> Result<Option<KeptAnswer>, StoreError> {
        let (id, hash, outdated) = (
            tenant.id().clone(),
            self.key_hash.clone(),
            outdated(honnin.read_clock()),
        );
        let kept = honnin.db.read(async move |tx| idempotency::find(tx, &id, &hash).await);
        Ok(kept.await?.filter(|kept| kept.created_at > outdated))
    }

    /// The session that it has created before.
    pub(crate) async fn made(&self, honnin: &Honnin, tenant: &Tenant) -> Result<Option<SessionId>, StoreError> {
        Ok(self.kept(honnin, tenant).await?.map(|kept| kept.session))
    }

    /// The first response, if this is a retry.
    pub(crate) async fn replay(&self, honnin: &Honnin, tenant: &Tenant) -> Result<Option<Created>, CreateSessionError> {
        let Some(kept) = self.kept(honnin, tenant).await? else {
            return Ok(None);
        };
        if kept.body_hash != self.body_hash {
            return Err(CreateSessionError::IdempotencyConflict);
        }
        let (tenant, id) = (kept.tenant.clone(), kept.session.clone());
        let row = honnin.db.read(async move |tx| sessions::find(tx, &tenant, &id).await);
        let row = row.await?;
        // What is kept may have been dated again; the session keeps the time at which it was created.
        let created_at = row.as_ref().map_or(kept.created_at, |row| row.session.created_at);
        let url = open_link(honnin, &kept, row).await?;
        Ok(Some(Created {
            verification_url: url.unwrap_or_else(|| honnin.link_url(OPENED)),
            id: kept.session,
            status: Status::Created,
            verification_url_expires_at: kept.link_expires_at,
            expires_at: kept.expires_at,
            created_at,
        }))
    }
}

/// Stores a response in the caller's unit. Returns false, without any lasting change, if a retry was faster.
pub(crate) async fn store(tx: &mut Tx, kept: &KeptAnswer, at: ClockReading) -> Result<bool, StoreError> {
    idempotency::insert(tx, kept, outdated(at)).await
}

/// Deletes the stored link of a session in the caller's unit, because it was opened.
pub(crate) async fn forget_link(tx: &mut Tx, session: &SessionId) -> Result<(), StoreError> {
    idempotency::forget_link(tx, session).await
}

/// Responses stored before this time are deleted.
pub(crate) fn oldest(now: Timestamp) -> Timestamp {
    now.minus(KEPT)
}

/// Responses stored before this time are not repeated any more. None are outdated by a clock in doubt: a retry would create a second session.
fn outdated(at: ClockReading) -> Timestamp {
    oldest(at.for_certain())
}

/// The stored link, if it can still be opened.
async fn open_link(
    honnin: &Honnin,
    kept: &KeptAnswer,
    row: Option<SessionRow>,
) -> Result<Option<Secret<String>>, StoreError> {
    let Some(sealed) = kept.link.clone() else {
        return Ok(None);
    };
    let now = honnin.now();
    let is_open = |row: &SessionRow| matches!(row.session.status_at(now), Status::Created | Status::Collecting);
    let Some(row) = row.filter(is_open) else {
        return Ok(None);
    };
    let key = match honnin.vault.open(&row.data_key).await {
        Err(StoreError::Erased) => return Ok(None),
        key => key?,
    };
    let url = key
        .open_text(&row.associated_data(SealedValue::Link), &sealed)?
        .into_exposed();
    let hash = token::hash(url.rsplit('/').next().unwrap_or_default());
    let find = honnin.db.read(async move |tx| links::find(tx, &hash).await);
    let opens = find.await?.is_some_and(|link| link.is_open(now));
    Ok(opens.then(|| Secret::new(url)))
}
