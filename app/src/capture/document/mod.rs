//! The camera for the next side of the document. The picture itself is uploaded to the server.

mod view;

pub use view::{DocumentView, render};

use super::{
    refusal::Refusal,
    upload::FaultyFile,
    visit::{Here, PageResult, step},
};
use crate::{Stage, forms};
use leptos::prelude::*;
use service::capture::progress::{Next, Slot};
use std::sync::Arc;

/// The camera for the next side.
#[component]
pub fn DocumentPage() -> impl IntoView {
    step(Some(Stage::Document), forms::DOCUMENT, load, render)
}

async fn load(here: Arc<Here>) -> PageResult<DocumentView> {
    let (Next::Photograph(side), Some(document_type)) = (here.next(), here.attempt.document_type()) else {
        return Err(Refusal::OutOfTurn);
    };
    Ok(DocumentView {
        document_type,
        side,
        tries_left: here.attempt.tries_left(Slot::Document(side)),
        // Passed on by an upload that was refused.
        fault: use_context::<FaultyFile>().map(|file| file.fault),
    })
}
