//! The top of the phone's start page in the tenant's colours, beside the form in which they are chosen.

use crate::console::words::{language, say, tell};
use crate::text::{Text, entry};
use crate::{Accent, Logo, PageMeta, shell};
use leptos::prelude::*;

/// What becomes of a colour in which text could not be read, with a sample of it. The script shows it again while somebody types.
pub(super) fn legible(accent: &str) -> AnyView {
    let notes = Accent::parse(accent).map(|typed| {
        let [light, dark] = typed.legible();
        let changed = |colour: Accent, note: fn(&str) -> String| {
            (colour != typed).then(|| view! { <p class="hint swatch">{swatch(colour)}{note(&colour.to_hex())}</p> })
        };
        view! {
            {changed(light, |hex| tell!(
                "Too light to be read on a light page: {hex} is used there instead.",
                "明るい画面では読みにくいため、代わりに{hex}を使用します。",
            ))}
            {changed(dark, |hex| tell!(
                "Too dark to be read on a dark page: {hex} is used there instead.",
                "暗い画面では読みにくいため、代わりに{hex}を使用します。",
            ))}
        }
    });
    view! { <div data-legible role="status">{notes}</div> }.into_any()
}

fn swatch(colour: Accent) -> AnyView {
    let square = format!(r#"<rect width="16" height="16" rx="4" fill="{}"/>"#, colour.to_hex());
    view! { <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false" inner_html=square></svg> }
        .into_any()
}

/// The sample: how the start page begins with a name, a colour (`#rrggbb`) and a logo. With an invalid colour, the product's own is
/// used. The script shows it again while somebody types.
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
