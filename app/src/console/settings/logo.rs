//! The tenant's logo: its part of the branding, uploading one, and removing it.

use super::{
    SECTION,
    logo_panel::{FIELD, MEGABYTES},
    section::path,
    stored, typed,
    view::SettingsView,
};
use crate::{
    Logo,
    console::{
        fault::Fault,
        request::{PageResult, Request, done},
        words::{say, tell, with_japanese},
    },
    forms,
    page::{Fields, File, Outcome, form, form_for, mistake},
};
use axum::{Router, extract::DefaultBodyLimit, routing::post};
use domain::{setting::Setting, tenant::Section};
use http::StatusCode;
use service::{
    access::Admin,
    runtime::analyser::PictureFault,
    settings::{
        self,
        logo::{LogoError, LogoRow, RemoveLogoError, remove_logo, set_logo},
    },
};

/// What is read of a form with a file that is too large, so that its page can say so.
const MAX_READ: usize = 10 * 1024 * 1024;

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
        File::TooLarge => tell!(
            "The file is larger than {MEGABYTES} MB.",
            "ファイルが{MEGABYTES}MBを超えています。"
        ),
        File::Whole(bytes) if is_svg(&bytes) => say(
            "SVG files are not accepted, because they can contain programs. Export the logo as PNG.",
            "SVGファイルはプログラムを含むことがあるため使用できません。ロゴをPNG形式で書き出してください。",
        )
        .to_owned(),
        File::Whole(bytes) => match set_logo(request.honnin(), &admin, bytes).await {
            Ok(()) => {
                let notices = [
                    say("Saved.", "保存しました。"),
                    say(
                        "The logo is saved. The other fields are not saved yet.",
                        "ロゴを保存しました。ほかの項目はまだ保存されていません。",
                    ),
                ];
                return changed(&request, &fields, notices).await;
            }
            Err(error) => refusal(error)?,
        },
    };
    let (_, shown) = branding(&request, &fields).await?;
    Ok(Outcome::refused(SettingsView {
        mistakes: vec![mistake(FIELD, sentence)],
        ..shown
    }))
}

/// The branding as it is stored, and with what was typed beside the logo, whose buttons send it along.
async fn branding(request: &Request, fields: &Fields) -> PageResult<(SettingsView, SettingsView)> {
    let tenant = settings::load(request.honnin(), request.staff()).await?;
    let saved = stored(request, Section::Look, &tenant).await?;
    // A page from before an update sends nothing along.
    let is_sent = fields.all(Setting::Name.as_str()).next().is_some();
    let shown = if is_sent {
        typed(request, Section::Look, fields).await?
    } else {
        saved.clone()
    };
    Ok((saved, shown))
}

/// After the logo was changed: back to the page with the first notice, or if something was typed that is not saved, the page with that, and
/// with the second one.
async fn changed(request: &Request, fields: &Fields, notices: [&'static str; 2]) -> PageResult<Outcome> {
    let [plain, unsaved] = notices;
    let (saved, shown) = branding(request, fields).await?;
    if [&saved.name, &saved.accent, &saved.contact] == [&shown.name, &shown.accent, &shown.contact] {
        return done(&path(Section::Look), plain);
    }
    let view = SettingsView {
        done: Some(unsaved),
        ..shown
    };
    Ok(Outcome::shown(StatusCode::OK, view))
}

/// What the page says about a logo that was not set, if it is about the file.
fn refusal(error: LogoError) -> PageResult<String> {
    match error {
        LogoError::Picture(fault) => Ok(unusable(fault)),
        LogoError::Busy => Err(Fault::Busy),
        LogoError::Forbidden(forbidden) => Err(forbidden.into()),
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

impl From<RemoveLogoError> for Fault {
    fn from(error: RemoveLogoError) -> Self {
        match error {
            RemoveLogoError::Forbidden(forbidden) => forbidden.into(),
            RemoveLogoError::Store(error) => error.into(),
        }
    }
}

async fn remove(request: Request, fields: Fields) -> PageResult<Outcome> {
    let admin = Admin::of(request.staff())?;
    remove_logo(request.honnin(), &admin).await?;
    let notices = [
        say("Removed.", "削除しました。"),
        say(
            "The logo is removed. The other fields are not saved yet.",
            "ロゴを削除しました。ほかの項目はまだ保存されていません。",
        ),
    ];
    changed(&request, &fields, notices).await
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
