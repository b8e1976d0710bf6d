//! The logo's part of the page of the branding.

use crate::{
    Logo,
    console::{
        parts::{field_error, mistake_of},
        words::{say, tell},
    },
    parts::Mistake,
    shell,
};
use domain::tenant::Section;
use leptos::prelude::*;
use service::settings::logo::MAX_UPLOAD;

/// The field of the file.
pub(super) const FIELD: &str = "logo-file";
/// The largest file that can be a logo, as the page says it.
pub(super) const MEGABYTES: usize = MAX_UPLOAD / (1024 * 1024);

/// The logo's part of the branding. Its buttons send the form above it along, so that what is being typed there is not lost.
pub(super) fn panel(logo: Option<&Logo>, mistakes: &[Mistake]) -> AnyView {
    let error = mistake_of(mistakes, FIELD);
    let is_wrong = error.is_some();
    let described = if is_wrong {
        "logo-hint logo-file-error"
    } else {
        "logo-hint"
    };
    let form = Section::Look.as_str();
    let now = logo.map(|logo| {
        view! {
            <div class="inline">
                <span class="logo-now">{shell::logo(logo)}</span>
                <button class="button secondary small" type="submit" form=form formaction="/admin/settings/logo/remove">{say("Remove the logo", "ロゴを削除")}</button>
            </div>
        }
    });
    view! {
        <section class="panel stack" id="logo">
            <div><h2>{say("Logo", "ロゴ")}</h2><p class="soft">{say("Shown on the start page and at the top of the capture pages, beside your name.", "開始ページと撮影ページの上部に、名称と並べて表示されます。")}</p></div>
            <div class="stack">
                {now}
                <div class="field" class:wrong=is_wrong>
                    <label for=FIELD>{say("Picture", "画像")}</label>
                    <p class="hint" id="logo-hint">{tell!(
                        "PNG, JPEG or WebP, up to {MEGABYTES} MB. It is shown at most 200 pixels wide and 48 high, on a white background in dark mode.",
                        "PNG・JPEG・WebP形式、{MEGABYTES}MBまで。最大で幅200ピクセル、高さ48ピクセルで表示されます。ダークモードでは背景が白になります。",
                    )}</p>
                    {field_error(FIELD, error)}
                    <input class="file" type="file" id=FIELD name=FIELD form=form accept="image/png,image/jpeg,image/webp"
                        aria-describedby=described aria-invalid=is_wrong.then_some("true")/>
                </div>
                <p><button class="button primary small" type="submit" form=form formaction="/admin/settings/logo"
                    formenctype="multipart/form-data">{say("Upload", "アップロード")}</button></p>
            </div>
        </section>
    }
    .into_any()
}
