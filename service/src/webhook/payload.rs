//! The current webhook body: the stored event, with the metadata and the reviewer's note if they still exist. Rendered at
//! each attempt, so that an erasure takes effect in every later one.

use crate::Honnin;
use domain::event::{Event, EventData, TestEvent};
use store::{
    StoreError,
    vault::DataKeyId,
    webhook::{
        events::{EventContent, EventRow},
        outbox::Sources,
    },
};

/// Whether storage responded, but with something that cannot be sent: an immediate retry would get the same.
pub(super) const fn is_unreadable(error: &StoreError) -> bool {
    !error.is_temporary() && !matches!(error, StoreError::Panicked)
}

/// The body of the webhook rendered from `sources`.
///
/// # Errors
/// If an encrypted note cannot be decrypted although its key exists, or stored metadata is not JSON.
pub(crate) async fn render(honnin: &Honnin, sources: &Sources) -> Result<Vec<u8>, StoreError> {
    let Sources { event, metadata, .. } = sources;
    let note = match &event.content {
        EventContent::Session { note, .. } => {
            open_note(honnin, event, sources.data_key.as_ref(), note.as_deref()).await?
        }
        EventContent::Test => None,
    };
    render_with(event, metadata.as_deref(), note)
}

/// The same body without the reviewer's note.
///
/// # Errors
/// If stored metadata is not JSON.
pub(crate) fn render_without_note(event: &EventRow, metadata: Option<&str>) -> Result<Vec<u8>, StoreError> {
    render_with(event, metadata, None)
}

fn render_with(event: &EventRow, metadata: Option<&str>, note: Option<String>) -> Result<Vec<u8>, StoreError> {
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
        EventContent::Session { kind, data, .. } => {
            let mut data = data.clone();
            if let EventData::Decision(outcome) = &mut data
                && let Some(review) = &mut outcome.review
            {
                review.note = note;
            }
            let rendered = Event {
                id: event.id.clone(),
                kind: *kind,
                created_at: event.created_at,
                data,
            };
            rendered.render(metadata)
        }
    };
    body.map_err(|_| StoreError::Corrupt("an event that cannot be rendered"))
}

async fn open_note(
    honnin: &Honnin,
    event: &EventRow,
    data_key: Option<&DataKeyId>,
    sealed: Option<&[u8]>,
) -> Result<Option<String>, StoreError> {
    let (Some(associated_data), Some(data_key), Some(sealed)) = (event.note_associated_data(), data_key, sealed) else {
        return Ok(None);
    };
    match honnin.vault.open(data_key).await {
        Ok(key) => {
            let note = key.open_text(&associated_data, sealed)?;
            Ok(Some(note.into_exposed()))
        }
        // An erasure has begun since the event was read: it blanks the note, then destroys the key.
        Err(StoreError::Erased) => Ok(None),
        Err(error) => Err(error),
    }
}
