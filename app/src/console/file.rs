//! Files that are sent while they are written.

use axum::{
    body::{Body, Bytes},
    response::{IntoResponse as _, Response},
};
use futures::{Stream, StreamExt as _, TryStreamExt as _, future::ready, stream::once};
use http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use service::stored::StoreError;

/// The file `name` of a media type: `head`, and what `row` makes of each entry. The browser shows its progress; if the database fails on the
/// way, the connection breaks and the browser says that the file is not complete.
pub(super) fn sent<T: 'static>(
    name: &str,
    kind: &'static str,
    head: &'static str,
    entries: impl Stream<Item = Result<Vec<T>, StoreError>> + Send + 'static,
    row: fn(&T) -> String,
) -> Response {
    let head = once(ready(Ok(Bytes::from_static(head.as_bytes()))));
    let rows = entries.map_ok(move |page| Bytes::from(page.iter().map(row).collect::<String>()));
    let headers = [
        (CONTENT_TYPE, kind.to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (CACHE_CONTROL, "no-store".to_owned()),
    ];
    (headers, Body::from_stream(head.chain(rows))).into_response()
}
