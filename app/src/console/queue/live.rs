//! The data that the queue's script polls every few seconds, so that new cases appear without a reload.

use super::view::{QueueView, cases, reasons, start};
use crate::{
    console::request::{PageResult, Request},
    shell,
};
use axum::{
    Json,
    response::{IntoResponse as _, Response},
};
use http::{StatusCode, header::CACHE_CONTROL};
use leptos::prelude::*;
use serde::Serialize;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Its address. Polling is not activity: it does not keep an idle session alive.
pub const CASES: &str = "/admin/review/cases";
/// Query parameter: the version that the page shows.
const SEEN: &str = "seen";

/// The parts of the page that change.
#[derive(Hash, Serialize)]
pub(super) struct Regions {
    start: String,
    reasons: String,
    cases: String,
}

impl Regions {
    pub(super) fn of(view: &QueueView) -> Self {
        Self {
            start: shell::text(|| start(view).into_any()),
            reasons: shell::text(|| reasons(view)),
            cases: shell::text(|| cases(view)),
        }
    }

    /// Names this state of the page. Another version of the program may name it otherwise, which costs one answer.
    pub(super) fn version(&self, backlog: i64) -> String {
        let mut hasher = DefaultHasher::new();
        (self, backlog).hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }
}

/// What the script receives.
#[derive(Serialize)]
struct Changed {
    version: String,
    /// How many cases of the tenant are waiting.
    backlog: i64,
    regions: Regions,
    /// The cases of the page, to tell the new ones.
    ids: Vec<String>,
}

/// GET: the parts that change, or 204 if they are as the page shows them.
pub(super) async fn cases_now(request: Request) -> PageResult<Response> {
    let view = super::load(request.clone()).await?;
    let no_store = [(CACHE_CONTROL, "no-store")];
    if view.version == request.query()?.raw(SEEN) {
        return Ok((StatusCode::NO_CONTENT, no_store).into_response());
    }
    let changed = Changed {
        regions: Regions::of(&view),
        backlog: view.backlog,
        ids: view.rows.iter().map(|case| case.id.clone()).collect(),
        version: view.version,
    };
    Ok((no_store, Json(changed)).into_response())
}
