//! A link that is shown once, with its QR code.

use super::layout::{Frame, page};
use super::parts::{heading, time};
use crate::PageMeta;
use domain::{ids::SessionId, time::Timestamp};
use leptos::prelude::*;
use qrcode::{QrCode, render::svg};

/// A link that was just created.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct LinkView {
    /// Session id.
    pub session: String,
    /// The link, shown only now.
    pub url: String,
    /// Until when it opens.
    pub expires_at: Timestamp,
    /// The link as a QR code, SVG.
    pub qr: Option<String>,
    /// What was done.
    pub title: &'static str,
}

impl std::fmt::Debug for LinkView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LinkView({})", self.session)
    }
}

/// The page.
#[must_use]
pub(super) fn render(view: &LinkView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let back = format!("/admin/sessions/{}", view.session);
    let main = view! {
        <p class="crumb"><a href="/admin/sessions">"Sessions"</a></p>
        {heading(view.title, ().into_any())}
        <section class="panel secret link-shown" role="status">
            <div class="stack">
                <h2>"The link for the user"</h2>
                <p class="secret-text"><code>{view.url.clone()}</code></p>
                <p>"It works once, until "{time(view.expires_at)}" UTC. It is not shown again. Share it only with the user."</p>
                <p><a class="button secondary small" href=back>"Go to the session"</a></p>
            </div>
            {view.qr.clone().map(|qr| view! { <div class="qr" role="img" aria-label="The link as a QR code" inner_html=qr></div> })}
        </section>
    };
    page(frame, meta, view.title, main.into_any())
}

/// The page for a link that was just made for a session.
#[must_use]
pub(super) fn shown(title: &'static str, session: &SessionId, url: &str, expires_at: Timestamp) -> LinkView {
    let qr = QrCode::new(url.as_bytes()).ok().map(|code| {
        let svg = code
            .render::<svg::Color<'_>>()
            .min_dimensions(200, 200)
            .quiet_zone(false)
            .build();
        // Inside a page, the SVG needs no XML declaration.
        svg.find("<svg")
            .and_then(|start| svg.get(start..))
            .unwrap_or_default()
            .to_owned()
    });
    LinkView {
        session: session.to_string(),
        url: url.to_owned(),
        expires_at,
        qr,
        title,
    }
}
