//! Setting up an authenticator app: its QR code, and the first code from it.

use super::before_removing;
use crate::{
    PageMeta,
    console::{
        fault::Fault,
        irreversible::{Answer, answer},
        layout::{Frame, NavigationItem, mistakes, page},
        parts::{Line, copy_button, line, minutes, shown_codes},
        proof::code_refusal,
        request::{PageResult, Request, done, not_done, signed_in},
        words::say,
    },
    page::{Fields, Outcome, form, mistake},
    parts::{Mistake, groups, title},
};
use axum::{Router, routing::post};
use http::StatusCode;
use leptos::prelude::*;
use qrcode::{QrCode, render::svg};
use service::people::second_factor::{
    AuthenticatorError, Enrolment, begin_authenticator, begun_authenticator, confirm_authenticator, list_factors,
    remove_authenticator,
};

const HERE: &str = "/admin/account/authenticator";
/// Where the app is removed.
pub(super) const REMOVE: &str = "/admin/account/authenticator/remove";

/// The page.
#[component]
pub fn AuthenticatorPage() -> impl IntoView {
    signed_in(NavigationItem::Account, load, render)
}

/// Its forms.
pub(super) fn forms() -> Router {
    Router::new()
        .route("/admin/account/authenticator", post(form(HERE, begin)))
        .route("/admin/account/authenticator/confirm", post(form(HERE, confirm)))
        .route(REMOVE, post(form("/admin/account", remove)))
}

#[derive(Clone, Default, PartialEq, Eq)]
struct AuthenticatorView {
    /// QR code as SVG and secret; `None` before the set-up is begun.
    enrolment: Option<(Option<String>, String)>,
    /// Recovery codes, shown only now.
    codes: Vec<String>,
    mistakes: Vec<Mistake>,
}

fn enrolled(enrolment: &Enrolment) -> AuthenticatorView {
    let qr = QrCode::new(enrolment.url.expose().as_bytes()).ok().map(|code| {
        let svg = code.render::<svg::Color<'_>>().min_dimensions(200, 200).build();
        // Inside a page, the SVG needs no XML declaration.
        svg.split_once("?>")
            .map_or_else(|| svg.clone(), |(_, rest)| rest.to_owned())
    });
    AuthenticatorView {
        enrolment: Some((qr, enrolment.secret.expose().clone())),
        ..AuthenticatorView::default()
    }
}

/// A set-up that was begun is shown again, since its key may be in the app already. People who would have to confirm first are not shown it.
async fn load(request: Request) -> PageResult<AuthenticatorView> {
    if !request.is_fresh() {
        return Ok(AuthenticatorView::default());
    }
    match begun_authenticator(request.honnin(), request.staff()).await {
        Ok(enrolment) => Ok(enrolled(&enrolment)),
        Err(AuthenticatorError::Exists | AuthenticatorError::Code(_)) => Ok(AuthenticatorView::default()),
        Err(AuthenticatorError::Store(error)) => Err(error.into()),
    }
}

fn failed(error: AuthenticatorError) -> PageResult<Outcome> {
    match error {
        AuthenticatorError::Exists => not_done(
            "/admin/account",
            say(
                "You already have an authenticator app. Remove it first.",
                "認証アプリはすでに設定されています。先に解除してください。",
            ),
        ),
        AuthenticatorError::Code(_) => not_done(
            HERE,
            say(
                "This set-up was started more than an hour ago. Start again.",
                "設定の開始から1時間以上が経過しました。最初からやり直してください。",
            ),
        ),
        AuthenticatorError::Store(error) => Err(error.into()),
    }
}

async fn begin(request: Request, _: Fields) -> PageResult<Outcome> {
    request.check_fresh(HERE)?;
    match begin_authenticator(request.honnin(), request.staff()).await {
        // If the response showed the key, loading it again would make another one: on a phone that has been in the app meanwhile, for example.
        Ok(_) => Ok(Outcome::go(HERE)),
        Err(error) => failed(error),
    }
}

async fn confirm(request: Request, fields: Fields) -> PageResult<Outcome> {
    request.check_fresh(HERE)?;
    let (honnin, staff) = (request.honnin(), request.staff());
    match confirm_authenticator(honnin, staff, fields.raw("code")).await {
        Ok(None) => done(
            "/admin/account",
            say("Your authenticator app has been set up.", "認証アプリを設定しました。"),
        ),
        Ok(Some(codes)) => {
            let view = AuthenticatorView {
                codes: codes.iter().map(|code| code.expose().clone()).collect(),
                ..AuthenticatorView::default()
            };
            Ok(Outcome::shown(StatusCode::CREATED, view))
        }
        // The form was sent twice, and the page with the codes is gone.
        Err(AuthenticatorError::Exists) => set_up_before(),
        Err(AuthenticatorError::Code(refused)) => match begun_authenticator(honnin, staff).await {
            Ok(enrolment) => Ok(Outcome::refused(AuthenticatorView {
                mistakes: vec![mistake("code", code_refusal(&refused))],
                ..enrolled(&enrolment)
            })),
            // The same form, sent at the same moment, came first.
            Err(AuthenticatorError::Exists) => set_up_before(),
            Err(error) => failed(error),
        },
        Err(error) => failed(error),
    }
}

fn set_up_before() -> PageResult<Outcome> {
    done(
        "/admin/account",
        say(
            "Your authenticator app is set up. If you did not see your recovery codes, generate new ones.",
            "認証アプリは設定済みです。リカバリーコードを確認できなかった場合は、新しいコードを発行してください。",
        ),
    )
}

async fn remove(request: Request, fields: Fields) -> PageResult<Outcome> {
    request.check_fresh("/admin/account")?;
    match answer(&fields) {
        Answer::Open => {
            let factors = list_factors(request.honnin(), request.staff().user()).await?;
            let since = factors.authenticator.ok_or(Fault::NotFound)?;
            let about = vec![(say("Set up (UTC)", "設定日時（UTC）"), minutes(since))];
            let title = say("Remove your authenticator app?", "認証アプリを解除しますか？");
            let look = before_removing(&factors, title, about, REMOVE.to_owned());
            return Ok(Outcome::shown(StatusCode::OK, look));
        }
        Answer::No => return Ok(Outcome::go("/admin/account")),
        Answer::Yes => {}
    }
    remove_authenticator(request.honnin(), request.staff()).await?;
    done(
        "/admin/account",
        say("Your authenticator app has been removed.", "認証アプリを解除しました。"),
    )
}

fn render(view: &AuthenticatorView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let inside = match &view.enrolment {
        _ if !view.codes.is_empty() => view! {
            <p class="flash" role="status">{say("Your authenticator app has been set up.", "認証アプリを設定しました。")}</p>
            {shown_codes(&view.codes, meta)}
            <p><a class="button secondary" href="/admin/account">{say("Back to your account", "アカウントに戻る")}</a></p>
        }
        .into_any(),
        None => view! {
            <p>{say(
                "An authenticator app on your phone shows a new code every 30 seconds. You enter it after your password.",
                "スマートフォンの認証アプリには、30秒ごとに新しいコードが表示されます。サインインでは、パスワードに続けてこのコードを入力します。",
            )}</p>
            <form method="post" action=HERE>
                <button class="button primary" type="submit">{say("Set up an authenticator app", "認証アプリを設定")}</button>
            </form>
        }
        .into_any(),
        Some((qr, secret)) => {
            let code = Line {
                name: "code",
                label: say("Code that the app shows", "アプリに表示されたコード"),
                kind: "text",
                autocomplete: "one-time-code",
                ..Line::default()
            };
            let qr = qr.clone();
            view! {
                <section class="panel secret link-shown">
                    <div class="stack">
                        <h2>{say("1. Scan the code with the app", "1. アプリでコードを読み取る")}</h2>
                        <p>{say("Or type this key into it:", "または、次のキーをアプリに入力してください。")}</p>
                        <p class="secret-text"><code class="groups">{groups(secret)}</code></p>
                        {copy_button(meta)}
                    </div>
                    {qr.map(|qr| view! { <div class="qr" role="img" aria-label=say("The key as a QR code", "キーのQRコード") inner_html=qr></div> })}
                </section>
                <form class="stack" method="post" action="/admin/account/authenticator/confirm">
                    <h2>{say("2. Enter the code that it shows", "2. 表示されたコードを入力する")}</h2>
                    {line(code, &view.mistakes)}
                    <button class="button primary" type="submit">{say("Finish", "完了")}</button>
                </form>
                <form method="post" action=HERE>
                    <button class="button quiet small" type="submit">{say("Start again with another key", "別のキーで最初からやり直す")}</button>
                </form>
            }
            .into_any()
        }
    };
    let main = view! {
        <div class="narrow-page stack">
            <p class="crumb"><a href="/admin/account">{say("Account", "アカウント")}</a></p>
            <h1>{say("Authenticator app", "認証アプリ")}</h1>
            {mistakes(&view.mistakes)}
            {inside}
        </div>
    };
    let title = title(meta, say("Authenticator app", "認証アプリ"), !view.mistakes.is_empty());
    page(frame, meta, &title, main.into_any())
}
