//! A section of the settings, with its form.

use super::second_look::{self, SecondLook};
use super::section::path;
use super::{
    HERE, PREVIEW, logo,
    sample::{legible, sample},
};
use crate::Logo;
use crate::PageMeta;
use crate::console::findings::how_decided;
use crate::console::labels;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{Line, area, heading, line, options, tick};
use crate::console::words::{say, tell};
use crate::parts::Mistake;
use domain::tenant::Section;
use domain::{decision::Accepted, document::DocumentType, event::EventType, session::Step};
use leptos::prelude::*;

/// The settings as the forms show them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SettingsView {
    /// The section that is shown.
    pub section: Section,
    /// Returned with each form, so that nobody overwrites a concurrent change.
    pub version: i64,
    /// Tenant's name.
    pub name: String,
    /// `#rrggbb` or empty.
    pub accent: String,
    /// An https URL, an e-mail address, or empty.
    pub contact: String,
    /// In hours.
    pub review_target: String,
    /// Enabled steps.
    pub steps: Vec<Step>,
    /// Tries per step.
    pub tries: String,
    /// Whether the screen shines in changing colours at the end of a selfie.
    pub flashes: bool,
    /// Link lifetime in minutes, session lifetime in hours, retention in days.
    pub lifetimes: [String; 3],
    /// Face match: accept, review; liveness: accept, review.
    pub thresholds: [String; 4],
    /// Reject on fraud signals.
    pub reject_on_fraud: bool,
    /// Accept specimens.
    pub accept_specimens: bool,
    /// What evidence is accepted.
    pub accepted: Accepted,
    /// Whether the face search among approved people is on.
    pub find_duplicates: bool,
    /// Face match from which two faces count as the same person.
    pub duplicate_from: String,
    /// Share of sessions selected for quality control.
    pub sampled: String,
    /// One URL per line.
    pub callbacks: String,
    /// The tested URL and the result.
    pub tested: Option<(String, Result<(), String>)>,
    /// One address or network per line.
    pub addresses: String,
    /// The address of the person viewing the page.
    pub own_address: String,
    /// Receiver.
    pub webhook_url: String,
    /// Events sent.
    pub event_types: Vec<EventType>,
    /// Whether everybody needs a second factor.
    pub second_factor_required: bool,
    /// The logo.
    pub logo: Option<Logo>,
    /// A change that is shown with its effects before it is saved, instead of the settings.
    pub second_look: Option<SecondLook>,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

fn number(name: &'static str, label: &'static str, hint: &str, value: &str, wrong: &[Mistake]) -> AnyView {
    let hint = (!hint.is_empty()).then(|| hint.to_owned());
    line(
        Line {
            hint,
            narrow: true,
            ..Line::text(name, label, value)
        },
        wrong,
    )
}

fn steps(view: &SettingsView) -> AnyView {
    let none = view
        .steps
        .is_empty()
        .then(|| view! { <p class="note">{say("No session can be created until at least one step is enabled.", "ステップを1つ以上有効にするまで、セッションを作成できません。")}</p> });
    let boxes = Step::ALL
        .iter()
        .map(|step| tick("step", step.as_str(), labels::step(*step), view.steps.contains(step)))
        .collect_view();
    view! {
        {none}
        <fieldset class="plain"><legend class="unseen">{say("Steps", "ステップ")}</legend>{boxes}</fieldset>
        {number(
            "tries",
            say("Tries per step", "ステップごとの試行回数"),
            say(
                "1 to 9. After that, the session continues with the pictures it has and goes to review.",
                "1から9まで。上限に達すると、それまでの画像で手続きを続け、審査に回ります。",
            ),
            &view.tries,
            &view.mistakes,
        )}
        {flashes(view.flashes)}
    }
    .into_any()
}

/// The colours of the screen, and what they cost.
fn flashes(on: bool) -> AnyView {
    view! {
        <fieldset class="plain" aria-describedby="flashes-hint">
            <legend>{say("Screen colours", "画面の色")}</legend>
            <p class="hint" id="flashes-hint">
                {say(
                    "At the end of the selfie, the phone’s screen shows five random colours, and the light on the face must change with them. In a video that was recorded earlier, it does not. In bright light the change is hard to measure, and users can choose to continue without colours. In both cases, the session goes to review.",
                    "自撮り写真の撮影の最後に、スマートフォンの画面にランダムな5色を表示し、顔に当たる光がそれに合わせて変わるかを調べます。事前に撮影された映像では変わりません。明るい場所では変化を測定しにくく、利用者は色なしで続けることもできます。いずれの場合も審査に回ります。",
                )}
            </p>
            {tick("flashes", "yes", say("Show colours at the end of the selfie", "自撮り写真の撮影の最後に色を表示する"), on)}
        </fieldset>
    }
    .into_any()
}

fn look(view: &SettingsView) -> AnyView {
    let wrong = &view.mistakes;
    let name = Line::text("name", say("Name", "名称"), view.name.clone());
    let contact = Line {
        hint: Some(
            say(
                "An https page or an e-mail address. Shown where a verification ends or goes wrong. Leave empty to show none.",
                "「https://」で始まるURLまたはメールアドレスを入力します。本人確認の終了時や問題の発生時に表示されます。空欄の場合は表示されません。",
            )
            .into(),
        ),
        ..Line::text("contact", say("Contact for your users", "利用者向けの問い合わせ先"), view.contact.clone())
    };
    view! {
        {line(name, wrong)}
        {number(
            "accent",
            say("Accent colour", "アクセントカラー"),
            say("For example #1f4fd8. Leave empty for the default colour.", "例：#1f4fd8。空欄の場合は既定の色が使用されます。"),
            &view.accent,
            wrong,
        )}
        {legible(&view.accent)}
        {line(contact, wrong)}
    }
    .into_any()
}

fn review(view: &SettingsView) -> AnyView {
    number(
        "review_target",
        say("Review target (hours)", "審査の目標時間（時間）"),
        say(
            "Within what time a case should be reviewed.",
            "案件を審査するまでの目標時間です。",
        ),
        &view.review_target,
        &view.mistakes,
    )
}

fn lifetimes(view: &SettingsView) -> AnyView {
    let wrong = &view.mistakes;
    let [link, session, retention] = &view.lifetimes;
    view! {
        <div class="grid-form three">
            {number(
                "link_lifetime",
                say("Link lifetime (minutes)", "リンクの有効期間（分）"),
                say("5 minutes to 7 days (10,080 minutes)", "5分から7日（10,080分）まで"),
                link,
                wrong,
            )}
            {number(
                "session_lifetime",
                say("Session lifetime (hours)", "セッションの有効期間（時間）"),
                say("1 hour to 30 days", "1時間から30日まで"),
                session,
                wrong,
            )}
            {number(
                "retention",
                say("Personal data retention (days)", "個人情報の保存期間（日）"),
                say(
                    "1 day to 7 years after the end. A shorter period also applies to sessions that have already ended.",
                    "セッションの終了後1日から7年まで。短縮した場合は、終了済みのセッションにも適用されます。",
                ),
                retention,
                wrong,
            )}
        </div>
    }
    .into_any()
}

fn decision(view: &SettingsView) -> AnyView {
    let wrong = &view.mistakes;
    let [match_accept, match_review, live_accept, live_review] = &view.thresholds;
    view! {
        <div class="grid-form">
            {number(
                "match_accept",
                say("Face match, acceptance threshold", "顔照合：合格のしきい値"),
                say("0.50 to 1.", "0.50から1まで。"),
                match_accept,
                wrong,
            )}
            {number(
                "match_review",
                say("Face match, review threshold", "顔照合：審査のしきい値"),
                say("Below this value: a different person.", "この値未満は別人とみなします。"),
                match_review,
                wrong,
            )}
            {number(
                "liveness_accept",
                say("Liveness, acceptance threshold", "生体検知：合格のしきい値"),
                say("0.43 to 1.", "0.43から1まで。"),
                live_accept,
                wrong,
            )}
            {number(
                "liveness_review",
                say("Liveness, review threshold", "生体検知：審査のしきい値"),
                say("Below this value: a presentation attack.", "この値未満はなりすましとみなします。"),
                live_review,
                wrong,
            )}
        </div>
        {evidence(view.accepted)}
        <fieldset class="plain"><legend class="unseen">{say("Policies", "ポリシー")}</legend>
            {tick(
                "reject_on_fraud_signals",
                "yes",
                say(
                    "Reject automatically on fraud signals (otherwise such sessions go to review)",
                    "不正の兆候があれば自動で不承認にする（オフの場合は審査に回す）",
                ),
                view.reject_on_fraud,
            )}
            {tick(
                "accept_specimens",
                "yes",
                say(
                    "Accept specimens and documents of the fictional state UTO (demonstrations only)",
                    "見本および架空の国UTOの書類を受け付ける（デモ専用）",
                ),
                view.accept_specimens,
            )}
        </fieldset>
        {number(
            "sampled",
            say("Quality control, share", "品質管理の抽出割合"),
            say(
                "0 to 1. This share of the sessions that would be approved goes to review.",
                "0から1まで。承認されるセッションのうち、この割合を審査に回します。",
            ),
            &view.sampled,
            wrong,
        )}
        {duplicates(view)}
        {how_decided()}
    }
    .into_any()
}

/// The face search among approved people, and what it means for the people concerned.
fn duplicates(view: &SettingsView) -> AnyView {
    view! {
        <fieldset class="plain" aria-describedby="find_duplicates-hint">
            <legend>{say("People approved before", "承認済みの人物")}</legend>
            <p class="hint" id="find_duplicates-hint">
                {say(
                    "This is a biometric search. Users are asked for a separate consent; those who do not agree go to review. The face of each approved user who agreed is stored, encrypted, until their session is erased, and later users are compared with it. A match sends the session to review: among many thousands of faces, some look alike by chance. Ask your data protection officer before you turn it on.",
                    "これは生体情報による検索です。利用者には別途同意を求め、同意しない場合は審査に回ります。同意して承認された利用者の顔は、セッションが消去されるまで暗号化して保存され、以後の利用者と照合されます。一致した場合は審査に回ります。何千人、何万人もの顔の中には、偶然似たものもあるためです。有効にする前に、個人情報保護の責任者にご確認ください。",
                )}
            </p>
            {tick(
                "find_duplicates",
                "yes",
                say("Search for each face among those approved before", "承認済みの人物の顔から検索する"),
                view.find_duplicates,
            )}
            {number(
                "duplicate_from",
                say("Same-face threshold", "同一の顔とみなすしきい値"),
                say(
                    "0.83 to 1. Stricter than the face match, because each face is compared with all others.",
                    "0.83から1まで。1つの顔を他のすべての顔と照合するため、顔照合より厳しい値です。",
                ),
                &view.duplicate_from,
                &view.mistakes,
            )}
        </fieldset>
    }
    .into_any()
}

/// Which evidence a document needs, and the risk of the weaker choice.
fn evidence(chosen: Accepted) -> AnyView {
    let choices = Accepted::ALL
        .iter()
        .map(|accepted| (accepted.to_string(), labels::accepted(*accepted).to_owned()));
    let rows = DocumentType::ALL
        .iter()
        .map(|kind| view! { <li>{labels::evidence(*kind)}</li> })
        .collect_view();
    view! {
        <div class="field">
            <label for="accepted">{say("Automatic approval", "自動承認")}</label>
            <p class="hint" id="accepted-hint">
                {say(
                    "A layout can be imitated with a printer. If visual evidence alone is accepted, a copy of a genuine card with other details on it may be approved. Machine-readable data is harder to forge.",
                    "書類のレイアウトはプリンターで模倣できます。外観検査だけでも承認する場合、本物のカードの内容を書き換えた複製が承認されるおそれがあります。機械読取データのほうが偽造は困難です。",
                )}
            </p>
            <select class="input" id="accepted" name="accepted" aria-describedby="accepted-hint">
                {options(choices, chosen.as_str())}
            </select>
        </div>
        <details class="fold"><summary>{say(
            "Evidence accepted for each kind of document",
            "書類の種類別に、真正と認める根拠",
        )}</summary><ul class="points">{rows}</ul></details>
    }
    .into_any()
}

fn callbacks(view: &SettingsView) -> AnyView {
    let field = Line {
        name: "callback_urls",
        label: say("Allowed callback URLs", "許可するコールバックURL"),
        hint: Some(
            say(
                "One URL per line. https only, without query or fragment.",
                "URLを1行に1つ入力します。「https://」で始まり、クエリとフラグメントを含まないURLに限ります。",
            )
            .into(),
        ),
        value: view.callbacks.clone(),
        ..Line::default()
    };
    area(field, 3, &view.mistakes)
}

/// Tells whether a URL would be allowed.
fn tester(view: &SettingsView) -> AnyView {
    let (asked, answer) = view.tested.clone().unzip();
    let answer = answer.map(|answer| match answer {
        Ok(()) => view! { <p class="answer good" role="status">{say("Allowed.", "許可されています。")}</p> }.into_any(),
        Err(why) => view! { <p class="answer bad" role="status">{why}</p> }.into_any(),
    });
    let test = Line::text(
        "test",
        say("Test a callback URL", "コールバックURLを確認"),
        asked.unwrap_or_default(),
    );
    view! {
        <form class="panel row-form tester" method="get" action=path(Section::Callbacks)>
            {line(test, &[])}<button class="button secondary small" type="submit">{say("Test", "確認する")}</button>{answer}
        </form>
    }
    .into_any()
}

fn addresses(view: &SettingsView) -> AnyView {
    let hint = tell!(
        "One IP address or network per line, for example 192.0.2.0/24 or 2001:db8::/32. Your current address is {}.",
        "IPアドレスまたはネットワークを1行に1つ入力します（例：192.0.2.0/24、2001:db8::/32）。現在のアドレスは{}です。",
        view.own_address
    );
    let field = Line {
        name: "ip_allow_list",
        label: say("Networks that may call the API", "APIを呼び出せるネットワーク"),
        hint: Some(hint),
        value: view.addresses.clone(),
        ..Line::default()
    };
    area(field, 3, &view.mistakes)
}

fn webhook(view: &SettingsView) -> AnyView {
    let field = Line {
        name: "webhook_url",
        label: say("Receiver", "受信先"),
        hint: Some(
            say(
                "An https URL whose host resolves to public addresses. Leave empty to send no webhooks.",
                "「https://」で始まり、ホスト名が公開アドレスに解決されるURLを入力します。空欄の場合、Webhookは送信されません。",
            )
            .into(),
        ),
        kind: "url",
        value: view.webhook_url.clone(),
        autocomplete: "off",
        ..Line::default()
    };
    let boxes = EventType::ALL
        .iter()
        .map(|kind| tick("event", kind.as_str(), kind.as_str(), view.event_types.contains(kind)))
        .collect_view();
    view! {
        {line(field, &view.mistakes)}
        <fieldset class="plain"><legend>{say("Events", "イベント")}</legend>{boxes}</fieldset>
        <p class="alone"><a href="/admin/webhooks">{say("Signing secrets and deliveries", "署名シークレットと配信")}</a></p>
    }
    .into_any()
}

fn sign_in(view: &SettingsView) -> AnyView {
    tick(
        "second_factor_required",
        "yes",
        say(
            "Require a second factor: an authenticator app or a passkey",
            "2要素認証（認証アプリまたはパスキー）を必須にする",
        ),
        view.second_factor_required,
    )
}

/// The fields of a section's form.
fn fields(view: &SettingsView) -> AnyView {
    match view.section {
        Section::Steps => steps(view),
        Section::Decision => decision(view),
        Section::Review => review(view),
        Section::Look => look(view),
        Section::Webhook => webhook(view),
        Section::Callbacks => callbacks(view),
        Section::Addresses => addresses(view),
        Section::Lifetimes => lifetimes(view),
        Section::SignIn => sign_in(view),
    }
}

/// What stands below a section's form.
fn below(view: &SettingsView) -> AnyView {
    match view.section {
        Section::Callbacks => tester(view),
        Section::Look => logo::panel(view.logo.as_ref(), &view.mistakes),
        _ => ().into_any(),
    }
}

/// The page.
#[must_use]
pub(super) fn render(view: &SettingsView, frame: &Frame, meta: &PageMeta) -> AnyView {
    if let Some(look) = &view.second_look {
        return second_look::render(look, frame, meta);
    }
    let section = view.section;
    let beside = (section == Section::Look).then(|| sample(&view.name, &view.accent, view.logo.as_ref(), meta));
    let width = if beside.is_some() { "two" } else { "narrow-page" };
    let preview = (section == Section::Look).then(|| {
        view! { " "<button class="button secondary small" type="submit" name=PREVIEW value="yes">{say("Preview", "プレビュー")}</button> }
    });
    let main = view! {
        <p class="crumb"><a href=HERE>{say("Settings", "設定")}</a></p>
        {heading(labels::section(section), ().into_any())}
        {mistakes(&view.mistakes)}
        <p class="soft narrow-page">{labels::section_lead(section)}</p>
        <div class=width>
            <div class="stack">
                <form class="panel stack" id=section.as_str() method="post" action=path(section)>
                    <input type="hidden" name="version" value=view.version.to_string()/>
                    {fields(view)}
                    <p><button class="button primary small" type="submit">{say("Save", "保存")}</button>{preview}</p>
                </form>
                {below(view)}
            </div>
            {beside}
        </div>
    };
    page(frame, meta, labels::section(section), main.into_any())
}
