//! What a webhook says at this moment: the stored event, with the metadata and the reviewer's note as far as they still exist.
//! Rendered anew at each attempt, so that an erasure shows in every later one.

use crate::Honnin;
use domain::event::{Event, EventData, TestEvent};
use store::{
    StoreError, Tx,
    events::{EventContent, EventRow},
    sessions::{self, SessionRow, column},
};

/// The session an event is about; none for a test event.
pub(crate) async fn find_session(tx: &mut Tx, event: &EventRow) -> Result<Option<SessionRow>, StoreError> {
    match &event.content {
        EventContent::Session { session, .. } => sessions::find_any(tx, session).await,
        EventContent::Test => Ok(None),
    }
}

/// The body of the webhook for `event`, whose session is `session`.
///
/// # Errors
/// When a sealed note does not open although its key exists, or stored metadata is no JSON.
pub(crate) async fn render(
    honnin: &Honnin,
    event: &EventRow,
    session: Option<&SessionRow>,
) -> Result<Vec<u8>, StoreError> {
    let body = match &event.content {
        EventContent::Test => {
            let (id, tenant) = (event.id.clone(), event.tenant.clone());
            TestEvent {
                id,
                created_at: event.created_at,
                tenant,
            }
            .render()
        }
        EventContent::Session { kind, data, note, .. } => {
            let mut data = data.clone();
            let present = session.filter(|row| row.session.purged_at.is_none());
            if let EventData::Decision(outcome) = &mut data
                && let Some(review) = &mut outcome.review
            {
                review.note = open_note(honnin, present, note.as_deref()).await?;
            }
            let event = Event {
                id: event.id.clone(),
                kind: *kind,
                created_at: event.created_at,
                data,
            };
            event.render(present.and_then(|row| row.metadata.as_deref()))
        }
    };
    body.map_err(|_| StoreError::Corrupt("an event that cannot be rendered"))
}

async fn open_note(
    honnin: &Honnin,
    session: Option<&SessionRow>,
    sealed: Option<&[u8]>,
) -> Result<Option<String>, StoreError> {
    let (Some(session), Some(sealed)) = (session, sealed) else {
        return Ok(None);
    };
    match honnin.vault.open(&session.data_key).await {
        Ok(key) => {
            let note = key.open_text(&session.place(column::NOTE), sealed)?;
            Ok(Some(note.into_exposed()))
        }
        // An erasure has begun since the event was read: it blanks the note, then destroys the key.
        Err(StoreError::Erased) => Ok(None),
        Err(error) => Err(error),
    }
}
