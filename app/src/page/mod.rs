//! What all pages share: what a page knows about its request, how pages and forms are answered, and the fields of a form.
//! Every response is rendered by `leptos_axum` from the one application, at the route of its page.

mod answer;
mod fields;
mod form;
mod request;

pub use answer::{RETRY_SOON, refuse};
pub(crate) use answer::{get, page, render, without_markers};
pub use fields::{Fields, Malformed};
pub(crate) use fields::{File, mistake, with_query};
pub(crate) use form::{Outcome, form, form_for, handler, not_allowed};
pub use request::{Area, Refused, Request, Site};
