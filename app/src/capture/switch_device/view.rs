//! Continuing on another device: what it means, then the link with its QR code.

use crate::parts::primary;
use crate::text::switch_device as text;
use crate::{PageMeta, forms, shell};
use leptos::prelude::*;

/// The link for the other device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The whole URL.
    pub url: String,
    /// Its QR code as SVG, inserted unescaped.
    pub qr_svg: Option<String>,
    /// The URL that reports whether the link is still unopened.
    pub follow: String,
    /// How long it works.
    pub minutes: i64,
}

/// The page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchDeviceView {
    /// The link, once it was asked for.
    pub link: Option<Link>,
}

/// The page.
#[must_use]
pub fn render(view: &SwitchDeviceView, meta: &PageMeta) -> AnyView {
    let title = meta.say(text::TITLE);
    let stay = view! { <a class="button quiet" href=forms::CAPTURE>{meta.say(text::STAY)}</a> };
    let main = match &view.link {
        None => view! {
            <h1>{title}</h1>
            <p class="lead">{meta.say(text::LEAD)}</p>
            <p>{meta.say(text::ONE_PLACE)}</p>
            <form class="actions" method="post" action=forms::SWITCH_DEVICE>{primary(meta.say(text::MAKE))}{stay}</form>
        }
        .into_any(),
        Some(link) => view! {
            <h1>{title}</h1>
            <p class="lead">{meta.say(text::SCAN)}</p>
            {link.qr_svg.clone().map(|svg| code(meta, svg))}
            {copy(meta, Some(&link.url))}
            <p class="note">{meta.tell(text::LASTS, &[("minutes", &link.minutes.to_string())])}</p>
            <div class="actions">{stay}</div>
            {opened(meta, &link.follow, Some(forms::SWITCH_DEVICE))}
            {script(meta)}
        }
        .into_any(),
    };
    shell::phone(meta, title.to_owned(), main)
}

/// A QR code, drawn by the server.
pub(crate) fn code(meta: &PageMeta, svg: String) -> impl IntoView + use<> {
    view! { <div class="qr-code" role="img" aria-label=meta.say(text::QR_LABEL) inner_html=svg></div> }
}

/// A link to copy: with a button if scripts run, by hand otherwise. Without `url` it is the page's own URL, which the script
/// shows where the browser does not allow copying.
pub(crate) fn copy(meta: &PageMeta, url: Option<&str>) -> impl IntoView + use<> {
    let is_own = url.is_none();
    let url = url.unwrap_or_default().to_owned();
    let (done, failed) = (meta.say(text::COPIED), meta.say(text::NOT_COPIED));
    view! {
        <div class="copy">
            <div class="field" hidden=is_own>
                <label for="link">{meta.say(text::LINK)}</label>
                <input class="input" id="link" type="text" readonly=true value=url data-link spellcheck="false"/>
            </div>
            <button class="button secondary" type="button" data-copy hidden>{meta.say(text::COPY)}</button>
            <p class="hint" role="status" data-done=done data-failed=failed></p>
        </div>
    }
}

/// Replaces the page once its link cannot be opened any more, mostly because it was opened elsewhere; `follow` is the URL that
/// reports it. `here` is the page on which the link was created: as long as that still works, the link has only expired.
/// Without it, only screens that show a code to scan poll.
pub(crate) fn opened(meta: &PageMeta, follow: &str, here: Option<&'static str>) -> impl IntoView + use<> {
    let follow = follow.to_owned();
    view! {
        <div class="result" role="status" data-follow=follow data-here=here hidden>
            <h1 tabindex="-1">{meta.say(text::OPENED_TITLE)}</h1>
            <p class="lead">{meta.say(text::OPENED_LEAD)}</p>
            <p>{meta.say(text::OPENED_HINT)}</p>
        </div>
    }
}

/// Enables the copy buttons, and polls whether the link was opened.
pub(crate) fn script(meta: &PageMeta) -> impl IntoView + use<> {
    view! { <script nonce=meta.nonce.clone() inner_html=concat!(include_str!("../../shell/over.js"), include_str!("../../shell/fetch_within.js"), include_str!("switch_device.js"))></script> }
}
