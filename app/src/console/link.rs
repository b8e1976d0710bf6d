//! A link that is shown once, with its QR code.

use super::{
    fault::Fault,
    irreversible::page_or_second_look,
    layout::{Frame, NavigationItem, page},
    parts::{copy_button, heading, time},
    request::{PageResult, Request, signed_in},
    words::say,
};
use crate::PageMeta;
use domain::{ids::SessionId, time::Timestamp};
use leptos::prelude::*;
use qrcode::{QrCode, render::svg};
use service::review::AskedAgain;

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
    /// The part of the queue to go on with, for a reviewer who comes from a case.
    pub queue: Option<String>,
}

impl std::fmt::Debug for LinkView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LinkView({})", self.session)
    }
}

/// A page whose forms may make a link, which is then shown once instead of the page; before that, they may ask for a second look.
pub(super) fn page_or_link<V, F>(
    item: NavigationItem,
    load: fn(Request) -> F,
    render_page: fn(&V, &Frame, &PageMeta) -> AnyView,
) -> AnyView
where
    V: Clone + Send + Sync + 'static,
    F: Future<Output = PageResult<V>> + Send + 'static,
{
    // It cannot be loaded again: only its hash is stored.
    let unknown = |_| std::future::ready(Err(Fault::NotFound));
    if use_context::<LinkView>().is_some() {
        signed_in(NavigationItem::Sessions, unknown, render).into_any()
    } else {
        page_or_second_look(item, load, render_page)
    }
}

/// The page.
#[must_use]
fn render(view: &LinkView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let back = format!("/admin/sessions/{}", view.session);
    let queue = view.queue.clone().map(|href| {
        view! { " "<a class="button secondary small" href=href>{say("Back to the queue", "審査待ち一覧に戻る")}</a> }
    });
    let main = view! {
        <p class="crumb"><a href="/admin/sessions">{say("Sessions", "セッション")}</a></p>
        {heading(view.title, ().into_any())}
        <section class="panel secret link-shown" role="status">
            <div class="stack">
                <h2>{say("The link for the user", "利用者用のリンク")}</h2>
                <p class="secret-text"><code>{view.url.clone()}</code></p>
                {copy_button(meta)}
                <p>{say("It works once, until ", "一度だけ使用できます。有効期限：")}{time(view.expires_at)}{say(" UTC. It is not shown again. Share it only with the user.", "（UTC）。再表示はできません。利用者本人にのみお知らせください。")}</p>
                <p><a class="button secondary small" href=back>{say("Go to the session", "セッションへ")}</a>{queue}</p>
            </div>
            {view.qr.clone().map(|qr| view! { <div class="qr" role="img" aria-label=say("The link as a QR code", "リンクのQRコード") inner_html=qr></div> })}
        </section>
    };
    page(frame, meta, view.title, main.into_any())
}

/// The page for the link with which a user who is asked again starts again.
#[must_use]
pub(super) fn of_new_attempt(session: &SessionId, made: &AskedAgain) -> LinkView {
    let title = say("New link created", "新しいリンクを作成しました");
    shown(title, session, made.url.expose(), made.expires_at)
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
        queue: None,
    }
}
