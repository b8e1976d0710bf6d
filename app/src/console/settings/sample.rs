//! The top of the phone's start page in the tenant's colours, beside the form in which they are chosen.

use crate::console::words::{language, say};
use crate::text::{Text, entry};
use crate::{Accent, Logo, PageMeta, shell};
use leptos::prelude::*;

/// The sample: how the start page begins with a name, a colour (`#rrggbb`) and a logo. A colour that is none leaves the product's own.
/// The script shows it anew while somebody types.
pub(super) fn sample(name: &str, accent: &str, logo: Option<&Logo>, meta: &PageMeta) -> AnyView {
    let css = Accent::parse(accent).map(|accent| accent.css_of(".sample"));
    let said = |text: Text| text.fill(language(), &[("tenant", name)]);
    let logo = logo.map(shell::logo);
    view! {
        <section class="panel" data-sample>
            <h2>{say("How it looks", "表示例")}</h2>
            <style nonce=meta.nonce.clone() inner_html=css.unwrap_or_default()></style>
            <div class="sample" role="img" aria-label=said(entry::START_LEAD)>
                <p class="sample-tenant">{logo}<b>{name.to_owned()}</b></p>
                <p class="sample-title">{entry::START_TITLE.get(language())}</p>
                <p>{said(entry::START_LEAD)}</p>
                <p class="sample-button">{entry::START_BUTTON.get(language())}</p>
            </div>
        </section>
        <script nonce=meta.nonce.clone() inner_html=include_str!("sample.js")></script>
    }
    .into_any()
}
