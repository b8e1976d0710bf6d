//! The search for a face among those that the tenant approved before. Each descriptor is encrypted with the key of its own
//! session, so that erasing the session erases it from every backup; the keys are decrypted a page at a time.

use crate::Honnin;
use domain::{
    decision::{FaceSearch, Policy, match_confidence},
    findings::{Face, FaceEngine},
    ids::{SessionId, TenantId},
};
use store::{
    StoreError,
    decision::identities::{self, SealedFace},
    session::sessions::SessionRow,
    vault::{AssociatedData, DataKeyId, OpenedKeys, SealedValue, SessionKey},
};

/// Faces decrypted at a time.
const PAGE: u32 = 500;
/// Maximum number of faces searched: beyond it, a chance match is likely anyway (see docs/SECURITY.md), and the session goes to
/// review.
pub(crate) const MAX_FACES: u32 = 100_000;

/// The result if no search was made.
pub(super) const fn without(has_selfie: bool, policy: &Policy) -> FaceSearch {
    if policy.find_duplicates && has_selfie {
        FaceSearch::NotMade
    } else {
        FaceSearch::NotWanted
    }
}

/// The face as stored: its descriptor as little-endian numbers.
pub(super) fn seal(key: &SessionKey, row: &SessionRow, face: &Face) -> Result<Vec<u8>, StoreError> {
    let bytes: Vec<u8> = face.descriptor.iter().flat_map(|value| value.to_le_bytes()).collect();
    key.seal(&row.associated_data(SealedValue::Face), &bytes)
}

/// The smallest distance of `face` to an approved face of another session, among those that the same network described. A reviewer's approval counts from
/// the moment it is made: while it can be undone, nobody with that face is approved without a reviewer.
pub(super) async fn search(
    honnin: &Honnin,
    tenant: &TenantId,
    session: &SessionId,
    face: &Face,
) -> Result<FaceSearch, StoreError> {
    let mut nearest: Option<f32> = None;
    let mut searched = 0;
    let mut page = pending(honnin, tenant, &face.engine).await?;
    let mut after = None;
    loop {
        searched += page.len();
        if searched > MAX_FACES as usize {
            return Ok(FaceSearch::NotMade);
        }
        let keys: Vec<DataKeyId> = page.iter().map(|sealed| sealed.data_key.clone()).collect();
        let opened = honnin.vault.open_many(&keys).await?;
        if opened.without_version > 0 {
            // The face may be one of those: without a version of the master key, a node would find nobody.
            return Ok(FaceSearch::NotMade);
        }
        for sealed in page.iter().filter(|sealed| sealed.session != *session) {
            let Some(other) = open_other(&opened, tenant, sealed, &face.engine) else {
                continue;
            };
            let distance = face.distance(&other);
            nearest = nearest.into_iter().chain(distance).reduce(f32::min);
        }
        page = approved(honnin, tenant, &face.engine, after.clone()).await?;
        let Some(last) = page.last() else {
            return Ok(FaceSearch::Made(nearest));
        };
        after = Some(last.session.clone());
    }
}

/// The sessions among `others` with this face, with at least this confidence. Sessions that are being erased are left out, and so are damaged faces.
/// Only a page of faces is in memory at a time.
///
/// # Errors
/// If a database does not respond, or a version of the master key is missing: the face may be one of those.
pub(crate) async fn find_same(
    honnin: &Honnin,
    tenant: &TenantId,
    face: &Face,
    others: &[SessionId],
    from: f64,
) -> Result<Vec<SessionId>, StoreError> {
    let mut same = Vec::new();
    for some in others.chunks(PAGE as usize) {
        let page = of_sessions(honnin, tenant, &face.engine, some).await?;
        let keys: Vec<DataKeyId> = page.iter().map(|sealed| sealed.data_key.clone()).collect();
        let opened = honnin.vault.open_many(&keys).await?;
        if opened.without_version > 0 {
            return Err(StoreError::MasterKeyMissing);
        }
        for sealed in &page {
            let Some(other) = open_other(&opened, tenant, sealed, &face.engine) else {
                continue;
            };
            let distance = face.distance(&other);
            let is_same = |distance: f32| match_confidence(f64::from(distance)) >= from;
            same.extend(distance.is_some_and(is_same).then(|| sealed.session.clone()));
        }
    }
    Ok(same)
}

/// The face of another session; `None` if its key is gone because it is being erased, or if it is damaged, which must not stop the decisions of a
/// whole tenant.
fn open_other(opened: &OpenedKeys, tenant: &TenantId, sealed: &SealedFace, engine: &FaceEngine) -> Option<Face> {
    let key = opened.keys.get(&sealed.data_key)?;
    let face = open(key, tenant, sealed, engine);
    if face.is_err() {
        tracing::error!(session = %sealed.session, "the stored face of an approved session cannot be read");
    }
    face.ok()
}

async fn of_sessions(
    honnin: &Honnin,
    tenant: &TenantId,
    engine: &FaceEngine,
    sessions: &[SessionId],
) -> Result<Vec<SealedFace>, StoreError> {
    let (tenant, engine, sessions) = (tenant.clone(), engine.name.clone(), sessions.to_vec());
    let unit = honnin
        .db
        .read(async move |tx| identities::list_faces_of(tx, &tenant, &engine, &sessions).await);
    unit.await
}

async fn pending(honnin: &Honnin, tenant: &TenantId, engine: &FaceEngine) -> Result<Vec<SealedFace>, StoreError> {
    let (tenant, engine) = (tenant.clone(), engine.name.clone());
    let unit = honnin
        .db
        .read(async move |tx| identities::list_pending_faces(tx, &tenant, &engine).await);
    unit.await
}

async fn approved(
    honnin: &Honnin,
    tenant: &TenantId,
    engine: &FaceEngine,
    after: Option<SessionId>,
) -> Result<Vec<SealedFace>, StoreError> {
    let (tenant, engine) = (tenant.clone(), engine.name.clone());
    let unit = honnin
        .db
        .read(async move |tx| identities::list_faces(tx, &tenant, &engine, after.as_ref(), PAGE).await);
    unit.await
}

fn open(key: &SessionKey, tenant: &TenantId, sealed: &SealedFace, engine: &FaceEngine) -> Result<Face, StoreError> {
    let associated_data = AssociatedData::new(tenant, &sealed.session, SealedValue::Face);
    let bytes = key.open(&associated_data, &sealed.face)?;
    let (values, rest) = bytes.expose().as_chunks::<4>();
    if !rest.is_empty() {
        return Err(StoreError::Corrupt("a face that is not a list of numbers"));
    }
    Ok(Face {
        bounds: [0.0; 4],
        eye_distance: 0.0,
        eyes: [[0.0; 2]; 2],
        score: 0.0,
        descriptor: values.iter().map(|value| f32::from_le_bytes(*value)).collect(),
        engine: engine.clone(),
    })
}
