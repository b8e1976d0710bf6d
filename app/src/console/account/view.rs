//! The account page, and the page that asks for the password again.

use super::authenticator::REMOVE;
use crate::PageMeta;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::next::with_next;
use crate::console::parts::{Line, Tone, badge, line, new_password, shown_codes, time};
use crate::console::proof::{Proof, passkey_button, passkey_script, proof_fields, proof_fields_alone};
use crate::console::table::{Row, Table, cell, row_name};
use crate::console::words::{say, tell};
use crate::parts::{Mistake, title};
use domain::time::Timestamp;
use leptos::prelude::*;
use service::{
    people::{
        console_session::OwnSession,
        known_browser::{BrowserName, OwnBrowser},
        second_factor::{Factors, passkeys::id_text},
    },
    stored::PasskeyRow,
};

/// Where the script of this page gets a challenge for a new passkey.
pub(super) const NEW_PASSKEY: &str = "/admin/account/passkeys/challenge";

/// Field: the recovery codes that there were when the page was made, so that its form replaces them once.
pub(super) const SEEN_CODES: &str = "seen";

/// The page that asks for the password again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ConfirmView {
    /// Where to continue.
    pub next: String,
    /// What the person is asked for.
    pub proof: Proof,
    /// The OpenID provider's name.
    pub provider: Option<String>,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

/// What the confirmation is for, by the page that asked for it.
fn purpose(next: &str) -> &'static str {
    let page = next
        .trim_start_matches("/admin")
        .split(['?', '#'])
        .next()
        .unwrap_or_default();
    let under = |path: &str| page == path || page.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    if under("/keys") {
        say(
            "To issue, rotate or revoke an API key, confirm that it is you.",
            "APIキーを発行・更新・失効させるには、再認証が必要です。",
        )
    } else if under("/webhooks") {
        say(
            "To issue or disable a signing secret, confirm that it is you.",
            "署名シークレットを発行または無効にするには、再認証が必要です。",
        )
    } else if under("/people") {
        say(
            "To change who can sign in, confirm that it is you.",
            "メンバーを変更するには、再認証が必要です。",
        )
    } else if under("/account") {
        say(
            "To change how you sign in, confirm that it is you.",
            "サインイン方法を変更するには、再認証が必要です。",
        )
    } else if under("/audit") {
        say(
            "To check or download the audit log, confirm that it is you.",
            "監査ログを検証・ダウンロードするには、再認証が必要です。",
        )
    } else if under("/sessions") {
        say(
            "To download the list of sessions, confirm that it is you.",
            "セッションの一覧をダウンロードするには、再認証が必要です。",
        )
    } else {
        say("To continue, confirm that it is you.", "続けるには、再認証が必要です。")
    }
}

/// How to confirm: with a form, or at the provider.
fn confirm_form(view: &ConfirmView, meta: &PageMeta) -> AnyView {
    if let (Proof::Provider { .. }, Some(name)) = (view.proof, &view.provider) {
        let to = with_next("/admin/confirm/openid", &view.next);
        return view! { <p><a id="confirm" class="button primary" href=to>{tell!("Confirm with {name}", "{name} で再認証")}</a></p> }.into_any();
    }
    view! {
        <form class="stack" method="post" action="/admin/confirm" data-passkey=view.proof.challenge()>
            <input type="hidden" name="next" value=view.next.clone()/>
            {proof_fields(view.proof, &view.mistakes, meta)}
            <button class="button primary" type="submit">{say("Continue", "続ける")}</button>
        </form>
    }
    .into_any()
}

/// The page.
#[must_use]
pub(super) fn confirm(view: &ConfirmView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let main = view! {
        <div class="narrow-page">
            <h1>{say("Confirm that it is you", "再認証")}</h1>
            <p class="lead">{purpose(&view.next)}</p>
            <p class="soft">{say(
                "This is needed if you have not done so in the last ten minutes. You will then return to the page that you came from.",
                "重要な操作には、10分以内の認証が必要です。再認証後、元のページに戻ります。",
            )}</p>
            {mistakes(&view.mistakes)}
            {confirm_form(view, meta)}
        </div>
    };
    let title = title(meta, say("Confirm", "再認証"), !view.mistakes.is_empty());
    page(frame, meta, &title, main.into_any())
}

/// The account page.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct AccountView {
    /// The e-mail address the person signs in with.
    pub email: String,
    /// Their second factors.
    pub factors: Factors,
    /// The browsers they are signed in with.
    pub sessions: Vec<OwnSession>,
    /// Which of these is this one.
    pub here: String,
    /// The browsers they have signed in with.
    pub browsers: Vec<OwnBrowser>,
    /// Which of these is this one.
    pub this_browser: String,
    /// For whom there are open links that the person has made. They end with the sessions.
    pub links: Vec<String>,
    /// Whether they have to set up a second factor before they can do anything else.
    pub required: bool,
    /// Whether people have passwords here.
    pub has_passwords: bool,
    /// The OpenID provider's name.
    pub provider: Option<String>,
    /// Whether the account is linked to one at the provider.
    pub is_linked: bool,
    /// Recovery codes, shown only now.
    pub codes: Vec<String>,
    /// What changing the password needs besides the current one, unless the person has just proved who they are.
    pub proof: Option<Proof>,
    /// The name of a new passkey as typed.
    pub passkey_name: String,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

fn authenticator(factors: &Factors) -> AnyView {
    match factors.authenticator {
        Some(since) => view! {
            <form class="inline" method="post" action=REMOVE>
                <span>{badge(say("set up", "設定済み"), Tone::Good)}{say(" since ", " ")}{time(since)}{say(" UTC ", "（UTC）から ")}</span>
                <button class="button secondary small" type="submit">{say("Remove", "解除")}</button>
            </form>
        }
        .into_any(),
        None => view! {
            <p><a class="button secondary small" href="/admin/account/authenticator">{say(
                "Set up an authenticator app",
                "認証アプリを設定",
            )}</a></p>
        }
        .into_any(),
    }
}

fn passkey(key: &PasskeyRow) -> Row {
    let action = format!("/admin/account/passkeys/{}/remove", id_text(key));
    let used = key
        .last_used_at
        .map_or_else(|| say("never", "未使用").into_any(), |at| time(at).into_any());
    let remove = view! {
        <form method="post" action=action>
            <button class="button secondary small" type="submit">{say("Remove", "解除")}<span class="unseen">{format!(" {}", key.name)}</span></button>
        </form>
    };
    [
        row_name(key.name.clone()),
        cell(time(key.created_at)).class("nowrap"),
        cell(used).class("nowrap"),
        cell(remove),
    ]
    .into()
}

fn passkeys(view: &AccountView) -> AnyView {
    let keys = &view.factors.passkeys;
    let list = (!keys.is_empty()).then(|| {
        Table::new(
            say("Passkeys", "パスキー"),
            [
                say("Name", "名前"),
                say("Added (UTC)", "追加日時（UTC）"),
                say("Last used (UTC)", "最終使用日時（UTC）"),
            ],
        )
        .unseen(say("Remove", "解除"))
        .rows(keys.iter().map(passkey))
    });
    let name = Line::text(
        "name",
        say(
            "Name of a new passkey, such as “Work laptop”",
            "新しいパスキーの名前（例：業務用ノートPC）",
        ),
        view.passkey_name.clone(),
    );
    view! {
        <h3>{say("Passkeys", "パスキー")}</h3>
        <p>{say(
            "A passkey is kept by your device or a security key, which verifies you by fingerprint, face or PIN. It signs you in without \
            your password, and cannot be used on an imitation of this site.",
            "パスキーは端末またはセキュリティキーに保存され、指紋・顔・PINのいずれかで本人を確認します。パスワードなしでサインインできます。偽サイトでは使用できません。",
        )}</p>
        {list}
        <noscript><p class="soft">{say("Passkeys need JavaScript.", "パスキーの利用にはJavaScriptが必要です。")}</p></noscript>
        <form class="stack" method="post" action="/admin/account/passkeys" data-passkey=NEW_PASSKEY data-purpose="create" hidden>
            {line(name, &view.mistakes)}
            {passkey_button(say("Add a passkey", "パスキーを追加"))}
        </form>
    }
    .into_any()
}

fn recovery(factors: &Factors) -> Option<AnyView> {
    let left = factors.recovery_codes;
    factors.any().then(|| {
        view! {
            <h3>{say("Recovery codes", "リカバリーコード")}</h3>
            <form class="inline" method="post" action="/admin/account/recovery-codes">
                <input type="hidden" name=SEEN_CODES value=factors.recovery_mark.clone()/>
                <span>{tell!(
                    "{left} left. Each signs you in once if you have lost your device. New codes replace all of these.",
                    "残り{left}個。端末を紛失したときは、1つのコードで1回サインインできます。新しいコードを発行すると、これまでのコードはすべて無効になります。",
                )}</span>
                <button class="button secondary small" type="submit">{say("Generate new codes", "新しいコードを発行")}</button>
            </form>
        }
        .into_any()
    })
}

fn session(own: &OwnSession, here: bool) -> Row {
    let action = format!("/admin/account/sessions/{}/end", own.id);
    let at = |at: Option<Timestamp>| at.map(time);
    let agent = browser_of(&own.agent);
    let end = if here {
        badge(say("this browser", "このブラウザー"), Tone::Live)
    } else {
        view! {
            <form method="post" action=action>
                <button class="button secondary small" type="submit">{say("Sign out", "サインアウト")}<span class="unseen">{format!(" {agent}")}</span></button>
            </form>
        }
        .into_any()
    };
    [
        row_name(view! { {agent}<br/><span class="soft">{own.address.clone()}</span> }),
        cell(at(own.signed_in_at)).class("nowrap"),
        cell(at(own.seen_at)).class("nowrap"),
        cell(end),
    ]
    .into()
}

/// A browser and its system in two words, as it names itself.
fn browser_of(agent: &str) -> String {
    let BrowserName { product, system } = BrowserName::of(agent);
    match (product, system) {
        (Some(product), Some(system)) => tell!("{product} on {system}", "{product}（{system}）"),
        (Some(only), None) | (None, Some(only)) => only.to_owned(),
        (None, None) => say("Unknown browser", "不明なブラウザー").to_owned(),
    }
}

fn known(own: &OwnBrowser, here: bool) -> Row {
    let action = format!("/admin/account/browsers/{}/forget", own.id);
    let here = here.then(|| view! { " "{badge(say("this browser", "このブラウザー"), Tone::Live)} });
    let agent = browser_of(&own.agent);
    let forget = view! {
        <form method="post" action=action>
            <button class="button secondary small" type="submit">{say("Forget", "記録を削除")}<span class="unseen">{format!(" {agent}")}</span></button>
        </form>
    };
    [
        row_name(view! { {agent}{here}<br/><span class="soft">{own.address.clone()}</span> }),
        cell(time(own.first_used_at)).class("nowrap"),
        cell(time(own.last_used_at)).class("nowrap"),
        cell(forget),
    ]
    .into()
}

/// The browsers that the person has signed in with.
fn known_browsers(view: &AccountView) -> Option<AnyView> {
    let rows = view.browsers.iter().map(|own| known(own, own.id == view.this_browser));
    let table = Table::new(
        say("Browsers you have signed in with", "サインインしたことのあるブラウザー"),
        [
            say("Browser", "ブラウザー"),
            say("First sign-in (UTC)", "最初のサインイン（UTC）"),
            say("Last sign-in (UTC)", "最後のサインイン（UTC）"),
        ],
    )
    .unseen(say("Forget", "記録を削除"))
    .rows(rows);
    let section = view! {
        <section class="panel stack">
            <h2>{say("Browsers you have signed in with", "サインインしたことのあるブラウザー")}</h2>
            <p>{say(
                "If somebody signs in to your account with a browser that is not listed here, the overview tells you at your next visit. Forgetting a \
                browser does not sign it out.",
                "ここにないブラウザーでサインインがあると、次回サインインしたときに概要ページでお知らせします。記録を削除しても、そのブラウザーはサインアウトされません。",
            )}</p>
            {table}
        </section>
    };
    (!view.browsers.is_empty()).then(|| section.into_any())
}

/// Which links end with the sessions. One that the person does not know of was made by somebody else in one of these.
fn ending_links(view: &AccountView) -> Option<AnyView> {
    let addresses = view.links.join(say(", ", "、"));
    let told = tell!(
        "The unused invitations and password reset links that you made for {addresses} stop working too.",
        "{addresses} 宛てに発行した未使用の招待リンクとパスワード再設定リンクも無効になります。"
    );
    (!view.links.is_empty()).then(|| view! { <p>{told}</p> }.into_any())
}

/// Whether somebody signs in with the provider.
fn identity_provider(view: &AccountView) -> Option<AnyView> {
    let name = view.provider.clone()?;
    let state = if view.is_linked {
        say(
            "Your account is linked. Before sensitive actions, you confirm there that it is still you, unless you have a second factor here.",
            "アカウントは連携済みです。2要素認証を設定していない場合は、重要な操作の前にIDプロバイダーでの再認証が必要です。",
        )
    } else {
        say(
            "Your account is not linked. Sign in with it once to link it by your e-mail address.",
            "アカウントは連携されていません。一度IDプロバイダーでサインインすると、メールアドレスをもとに連携されます。",
        )
    };
    let section = view! {
        <section class="panel">
            <h2>{tell!("Identity provider: {name}", "IDプロバイダー：{name}")}</h2>
            <p>{state}</p>
        </section>
    };
    Some(section.into_any())
}

/// Changing the password.
fn password(view: &AccountView) -> AnyView {
    let wrong = view.mistakes.as_slice();
    let present = Line {
        name: "present",
        label: say("Current password", "現在のパスワード"),
        kind: "password",
        autocomplete: "current-password",
        ..Line::default()
    };
    let new = Line {
        label: say("New password", "新しいパスワード"),
        ..new_password()
    };
    view! {
        <section class="panel">
            <h2>{say("Password", "パスワード")}</h2>
            <p>{say("Changing your password signs you out everywhere else.", "パスワードを変更すると、ほかのブラウザーからはすべてサインアウトされます。")}</p>
            {ending_links(view)}
            <form class="stack" method="post" action="/admin/account/password" data-passkey=view.proof.and_then(Proof::challenge)>
                <input type="hidden" name="username" autocomplete="username" value=view.email.clone()/>
                {line(present, wrong)}
                {line(new, wrong)}
                {view.proof.map(|proof| proof_fields_alone(proof, wrong))}
                <p><button class="button secondary small" type="submit">{say("Change the password", "パスワードを変更")}</button></p>
            </form>
        </section>
    }
    .into_any()
}

/// The browsers in which the person is signed in, and the way to end all of these sessions.
fn signed_in_browsers(view: &AccountView) -> AnyView {
    let sessions = view.sessions.iter().map(|own| session(own, own.id == view.here));
    let sessions = Table::new(
        say("Signed-in browsers", "サインイン中のブラウザー"),
        [
            say("Browser", "ブラウザー"),
            say("Signed in (UTC)", "サインイン日時（UTC）"),
            say("Last seen (UTC)", "最終利用日時（UTC）"),
        ],
    )
    .unseen(say("Sign out", "サインアウト"))
    .rows(sessions);
    view! {
        <section class="panel stack">
            <h2>{say("Signed-in browsers", "サインイン中のブラウザー")}</h2>
            {sessions}
            <p>{say(
                "If you have lost a device, sign out everywhere. That includes this browser.",
                "端末を紛失した場合は、すべてのブラウザーからサインアウトしてください。このブラウザーも対象です。",
            )}</p>
            {ending_links(view)}
            <form method="post" action="/admin/sign-out-everywhere">
                <p><button class="button secondary small" type="submit">{say("Sign out everywhere", "すべてのブラウザーからサインアウト")}</button></p>
            </form>
        </section>
    }
    .into_any()
}

/// The account page: password, second factors, browsers.
#[must_use]
pub(super) fn account(view: &AccountView, frame: &Frame, meta: &PageMeta) -> AnyView {
    let (address, wrong) = (view.email.clone(), view.mistakes.as_slice());
    let codes = (!view.codes.is_empty()).then(|| shown_codes(&view.codes, meta));
    let required = view.required.then(|| {
        view! {
            <p class="note" role="status">
                {say(
                    "Your organisation requires a second factor. Set up an authenticator app or a passkey below to continue.",
                    "組織の設定により2要素認証が必要です。続けるには、下で認証アプリまたはパスキーを設定してください。",
                )}
            </p>
        }
    });
    let main = view! {
        <div class="narrow-page stack">
            <h1>{say("Account", "アカウント")}</h1>
            {mistakes(wrong)}
            {required}
            {codes}
            <p>{say("Signed in as ", "サインイン中：")}<strong>{frame.person.clone()}</strong>{tell!(" ({address}), {}.", "（{address}）、{}", frame.role)}</p>
            <section class="panel stack">
                <h2>{say("Second factor", "2要素認証")}</h2>
                <p>{say(
                    "With a second factor, nobody can sign in with your password alone.",
                    "2要素認証を設定すると、パスワードが他人に知られても、それだけではサインインされません。",
                )}</p>
                <h3>{say("Authenticator app", "認証アプリ")}</h3>
                {authenticator(&view.factors)}
                {passkeys(view)}
                {recovery(&view.factors)}
            </section>
            {identity_provider(view)}
            {view.has_passwords.then(|| password(view))}
            {signed_in_browsers(view)}
            {known_browsers(view)}
        </div>
        {passkey_script(meta)}
    };
    let title = title(meta, say("Account", "アカウント"), !wrong.is_empty());
    page(frame, meta, &title, main.into_any())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confirmation_says_what_it_is_for() {
        for (next, begins) in [
            ("/admin/keys", "To issue, rotate"),
            (
                "/admin/audit?action=session.create",
                "To check or download the audit log",
            ),
            ("/admin/account/authenticator", "To change how you sign in"),
            ("/admin/keys-of-others", "To continue"),
            ("/admin", "To continue"),
        ] {
            assert!(purpose(next).starts_with(begins), "{next}");
        }
    }

    #[test]
    fn a_browser_that_does_not_say_what_it_is_is_unknown() {
        assert_eq!(browser_of("X Firefox/140 (X11; Linux)"), "Firefox on Linux");
        assert_eq!(browser_of("curl/8"), "Unknown browser");
    }
}
