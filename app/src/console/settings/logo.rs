//! The tenant's logo: its part of the branding, uploading one, and removing it.

use super::{SECTION, section::path, stored};
use crate::{
    Logo,
    console::{
        fault::Fault,
        parts::mistake_of,
        request::{PageResult, Request, done},
        words::{say, with_japanese},
    },
    forms,
    page::{Fields, File, Outcome, form, form_for, mistake},
    parts::Mistake,
    shell,
};
use axum::{Router, extract::DefaultBodyLimit, routing::post};
use domain::tenant::Section;
use leptos::prelude::*;
use service::{
    access::Admin,
    runtime::analyser::PictureFault,
    settings::{
        self,
        logo::{LogoError, LogoRow, remove_logo, set_logo},
    },
};

/// What is read of a form with a file that is too large, so that its page can say so.
const MAX_READ: usize = 10 * 1024 * 1024;
const FIELD: &str = "logo-file";

pub(super) fn forms() -> Router {
    Router::new()
        .route(
            "/admin/settings/logo",
            post(form_for(SECTION, may_upload, upload)).layer(DefaultBodyLimit::max(MAX_READ)),
        )
        .route("/admin/settings/logo/remove", post(form(SECTION, remove)))
}

/// The logo as pages show it.
pub(super) fn logo_of(row: &LogoRow) -> Logo {
    Logo {
        src: format!("{}{}", forms::LOGOS, row.hash),
        width: row.width,
        height: row.height,
    }
}

fn may_upload(request: &Request) -> PageResult<()> {
    Admin::of(request.staff())?;
    Ok(())
}

async fn upload(request: Request, fields: Fields) -> PageResult<Outcome> {
    let admin = Admin::of(request.staff())?;
    let sentence = match fields.file(FIELD) {
        File::Whole(bytes) if bytes.is_empty() => say("Choose a file.", "ファイルを選択してください。").to_owned(),
        File::TooLarge => say("The file is larger than 1 MB.", "ファイルが1MBを超えています。").to_owned(),
        File::Whole(bytes) if is_svg(&bytes) => say(
            "SVG files are not accepted, because they can contain programs. Export the logo as PNG.",
            "SVGファイルはプログラムを含むことがあるため使用できません。ロゴをPNG形式で書き出してください。",
        )
        .to_owned(),
        File::Whole(bytes) => match set_logo(request.honnin(), &admin, bytes).await {
            Ok(()) => return done(&path(Section::Look), say("Saved.", "保存しました。")),
            Err(error) => refusal(error)?,
        },
    };
    let tenant = settings::load(request.honnin(), request.staff()).await?;
    let mut view = stored(&request, Section::Look, &tenant).await?;
    view.mistakes = vec![mistake(FIELD, sentence)];
    Ok(Outcome::refused(view))
}

/// What the page says about a logo that was not set, if it is about the file.
fn refusal(error: LogoError) -> PageResult<String> {
    match error {
        LogoError::Picture(fault) => Ok(unusable(fault)),
        LogoError::Busy => Err(Fault::Busy),
        LogoError::Store(error) => Err(error.into()),
    }
}

/// Why a picture cannot be the logo.
fn unusable(fault: PictureFault) -> String {
    let why = match fault {
        PictureFault::TooLarge => "ファイルが大きすぎます。",
        PictureFault::NotAPicture => "JPEG、PNG、WebPのいずれの画像でもありません。",
        PictureFault::Heic => "HEICまたはAVIFの画像です。JPEGで保存してください。",
        PictureFault::Truncated => "ファイルが途中で切れています。",
        PictureFault::Corrupt => "ファイルが壊れています。",
        PictureFault::DimensionsTooLarge => "画素数が多すぎます。",
        PictureFault::TooSmall => "画素数が少なすぎます。",
    };
    let en = format!("This logo cannot be used: {fault}.");
    with_japanese(en, format!("このロゴは使用できません。{why}"))
}

/// Whether a file looks like SVG, which needs a sentence of its own: it is what designers send.
fn is_svg(bytes: &[u8]) -> bool {
    let start = bytes.get(..1024.min(bytes.len())).unwrap_or_default();
    let start = String::from_utf8_lossy(start).to_lowercase();
    start.contains("<svg") || start.trim_start_matches('\u{feff}').trim_start().starts_with("<?xml")
}

async fn remove(request: Request, _: Fields) -> PageResult<Outcome> {
    let admin = Admin::of(request.staff())?;
    remove_logo(request.honnin(), &admin).await?;
    done(&path(Section::Look), say("Removed.", "削除しました。"))
}

/// The logo's part of the branding.
pub(super) fn panel(logo: Option<&Logo>, mistakes: &[Mistake]) -> AnyView {
    let wrong = mistake_of(mistakes, FIELD);
    let is_wrong = wrong.is_some();
    let now = logo.map(|logo| {
        view! {
            <form class="inline" method="post" action="/admin/settings/logo/remove">
                <span class="logo-now">{shell::logo(logo)}</span>
                <button class="button secondary small" type="submit">{say("Remove the logo", "ロゴを削除")}</button>
            </form>
        }
    });
    view! {
        <section class="panel stack" id="logo">
            <div><h2>{say("Logo", "ロゴ")}</h2><p class="soft">{say("Shown on the start page and at the top of the capture pages, beside your name.", "開始ページと撮影ページの上部に、名称と並べて表示されます。")}</p></div>
            <div class="stack">
                {now}
                <form class="stack" method="post" action="/admin/settings/logo" enctype="multipart/form-data">
                    <div class="field" class:wrong=is_wrong>
                        <label for=FIELD>{say("Picture", "画像")}</label>
                        <p class="hint" id="logo-hint">{say(
                            "PNG, JPEG or WebP, up to 1 MB. It is shown at most 200 pixels wide and 48 high, on a white background in dark mode.",
                            "PNG・JPEG・WebP形式、1MBまで。最大で幅200ピクセル、高さ48ピクセルで表示されます。ダークモードでは背景が白になります。",
                        )}</p>
                        {wrong.map(|wrong| view! { <p class="error">{wrong}</p> })}
                        <input class="file" type="file" id=FIELD name=FIELD accept="image/png,image/jpeg,image/webp"
                            aria-describedby="logo-hint" aria-invalid=is_wrong.then_some("true")/>
                    </div>
                    <p><button class="button primary small" type="submit">{say("Upload", "アップロード")}</button></p>
                </form>
            </div>
        </section>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_too_many_pictures_are_being_worked_on_the_logo_may_be_sent_again() {
        let refused = refusal(LogoError::Busy).unwrap_err();
        assert!(matches!(refused, Fault::Busy), "{refused:?}");
    }

    #[test]
    fn svg_is_told_by_its_beginning() {
        for (bytes, svg) in [
            (&b"<svg xmlns='http://www.w3.org/2000/svg'/>"[..], true),
            (b"<?xml version='1.0'?>\n<!-- logo -->", true),
            ("\u{feff}<?xml version='1.0'?><SVG/>".as_bytes(), true),
            (b"\x89PNG\r\n\x1a\n", false),
            (b"Dear Sir or Madam", false),
        ] {
            assert_eq!(is_svg(bytes), svg, "{bytes:?}");
        }
    }
}
