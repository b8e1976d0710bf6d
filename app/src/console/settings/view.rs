//! A section of the settings, with its form.

use super::second_look::{self, SecondLook};
use super::section::path;
use super::{
    HERE, PREVIEW, TEST, TESTED, bounds, logo_panel,
    sample::{legible, sample},
};
use crate::Logo;
use crate::PageMeta;
use crate::console::findings::how_decided;
use crate::console::labels;
use crate::console::layout::{Frame, mistakes, page};
use crate::console::parts::{Line, area, field_error, grouped, heading, line, mistake_of, options, tick};
use crate::console::words::{say, tell};
use crate::parts::{Mistake, title};
use domain::setting::Setting;
use domain::tenant::{Bounds, Section, TenantSettings};
use domain::{decision::Accepted, document::DocumentType, event::EventType, session::Step, time::Unit};
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
    /// Whether the screen shows changing colours at the end of a selfie.
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
    /// The callback URL to test.
    pub test: String,
    /// Whether it is allowed, once it was tested, and if not, why.
    pub tested: Option<Result<(), String>>,
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
    /// What was done, if it left unsaved what was typed.
    pub done: Option<&'static str>,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
}

/// A field of a setting.
fn of(setting: Setting, value: &str) -> Line {
    Line::text(setting.as_str(), labels::setting(setting), value)
}

fn number(setting: Setting, hint: impl Into<String>, value: &str, wrong: &[Mistake]) -> AnyView {
    line(
        Line {
            unit: bounds::unit(setting).map(labels::unit),
            hint: Some(hint.into()),
            narrow: true,
            ..of(setting, value)
        },
        wrong,
    )
}

/// A setting that is on or off.
fn switch(setting: Setting, label: impl Into<String>, on: bool) -> AnyView {
    tick(setting.as_str(), "yes", label, on)
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
    let Bounds { least, most } = TenantSettings::TRIES;
    view! {
        {none}
        <fieldset class="plain"><legend class="unseen">{labels::setting(Setting::Steps)}</legend>{boxes}</fieldset>
        {number(
            Setting::Tries,
            tell!(
                "{least} to {most}. After that, the session continues with the pictures it has and goes to review.",
                "{least}から{most}まで。上限に達すると、それまでの画像で手続きを続け、審査に回ります。",
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
            <legend>{labels::setting(Setting::Flashes)}</legend>
            <p class="hint" id="flashes-hint">
                {say(
                    "At the end of the selfie, the phone’s screen shows five random colours, and the light on the face must change with them. In a video that was recorded earlier, it does not. In bright light the change is hard to measure, and users can choose to continue without colours. In both cases, the session goes to review.",
                    "自撮り写真の撮影の最後に、スマートフォンの画面にランダムな5色を表示し、顔に当たる光がそれに合わせて変わるかを調べます。事前に撮影された映像では変わりません。明るい場所では変化を測定しにくく、利用者は色なしで続けることもできます。いずれの場合も審査に回ります。",
                )}
            </p>
            {switch(Setting::Flashes, say("Show colours at the end of the selfie", "自撮り写真の撮影の最後に色を表示する"), on)}
        </fieldset>
    }
    .into_any()
}

fn look(view: &SettingsView) -> AnyView {
    let wrong = &view.mistakes;
    let name = of(Setting::Name, &view.name);
    let contact = Line {
        hint: Some(
            say(
                "An https page or an e-mail address. Shown where a verification ends or goes wrong. Leave empty to show none.",
                "「https://」で始まるURLまたはメールアドレスを入力します。本人確認の終了時や問題の発生時に表示されます。空欄の場合は表示されません。",
            )
            .into(),
        ),
        ..of(Setting::Contact, &view.contact)
    };
    view! {
        {line(name, wrong)}
        {number(
            Setting::Accent,
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
        Setting::ReviewTarget,
        say(
            "How soon a case should be reviewed.",
            "案件を審査するまでの目標時間です。",
        ),
        &view.review_target,
        &view.mistakes,
    )
}

fn lifetimes(view: &SettingsView) -> AnyView {
    let wrong = &view.mistakes;
    let [link, session, retention] = &view.lifetimes;
    let [shortest_link, longest_link] = bounds::of_span(Setting::LinkLifetime);
    let [shortest_session, longest_session] = bounds::of_span(Setting::SessionLifetime);
    let [shortest_retention, longest_retention] = bounds::of_span(Setting::Retention);
    let minutes = grouped(TenantSettings::LINK_LIFETIME.most.0 / Unit::Minutes.length().0);
    view! {
        <div class="grid-form three">
            {number(
                Setting::LinkLifetime,
                tell!(
                    "{shortest_link} to {longest_link} ({minutes} minutes)",
                    "{shortest_link}から{longest_link}（{minutes}分）まで",
                ),
                link,
                wrong,
            )}
            {number(
                Setting::SessionLifetime,
                tell!("{shortest_session} to {longest_session}", "{shortest_session}から{longest_session}まで"),
                session,
                wrong,
            )}
            {number(
                Setting::Retention,
                tell!(
                    "{shortest_retention} to {longest_retention} after the end. A shorter period also applies to sessions that have already ended; with a longer one, these keep their date of erasure.",
                    "セッションの終了後{shortest_retention}から{longest_retention}まで。短縮した場合は、終了済みのセッションにも適用されます。延長した場合、終了済みのセッションの消去予定日は変わりません。",
                ),
                retention,
                wrong,
            )}
        </div>
    }
    .into_any()
}

/// Which values a threshold may have.
fn from(threshold: Setting) -> String {
    tell!("{} to 1.", "{}から1まで。", bounds::least(threshold))
}

fn decision(view: &SettingsView) -> AnyView {
    let wrong = &view.mistakes;
    let [match_accept, match_review, live_accept, live_review] = &view.thresholds;
    view! {
        <div class="grid-form">
            {number(
                Setting::MatchAccept,
                from(Setting::MatchAccept),
                match_accept,
                wrong,
            )}
            {number(
                Setting::MatchReview,
                say("Below this value: a different person.", "この値未満は別人とみなします。"),
                match_review,
                wrong,
            )}
            {number(
                Setting::LivenessAccept,
                from(Setting::LivenessAccept),
                live_accept,
                wrong,
            )}
            {number(
                Setting::LivenessReview,
                tell!(
                    "{} to {}. Below this value: a presentation attack.",
                    "{}から{}まで。この値未満はなりすましとみなします。",
                    bounds::least(Setting::LivenessReview),
                    bounds::most(Setting::LivenessReview),
                ),
                live_review,
                wrong,
            )}
        </div>
        {evidence(view.accepted)}
        <fieldset class="plain"><legend class="unseen">{say("Policies", "ポリシー")}</legend>
            {switch(
                Setting::RejectOnFraudSignals,
                tell!(
                    "{} (otherwise such sessions go to review, but a digital seal with an invalid signature always rejects)",
                    "{}（オフの場合は審査に回す。ただし、電子シールの署名が無効な場合は常に不承認）",
                    labels::setting(Setting::RejectOnFraudSignals),
                ),
                view.reject_on_fraud,
            )}
            {switch(
                Setting::AcceptSpecimens,
                tell!("{} (demonstrations only)", "{}（デモ専用）", labels::setting(Setting::AcceptSpecimens)),
                view.accept_specimens,
            )}
        </fieldset>
        {number(
            Setting::Sampled,
            tell!(
                "{} to 1. This share of the sessions that would be approved goes to review.",
                "{}から1まで。承認されるセッションのうち、この割合を審査に回します。",
                bounds::least(Setting::Sampled),
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
            {switch(Setting::FindDuplicates, labels::setting(Setting::FindDuplicates), view.find_duplicates)}
            {number(
                Setting::DuplicateFrom,
                tell!(
                    "{} to 1. Stricter than the face match, because each face is compared with all others.",
                    "{}から1まで。1つの顔をほかのすべての顔と照合するため、顔照合より厳しい値です。",
                    bounds::least(Setting::DuplicateFrom),
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
            <label for="accepted">{labels::setting(Setting::Accepted)}</label>
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
        hint: Some(
            say(
                "One URL per line. https only, without query or fragment.",
                "URLを1行に1つ入力します。「https://」で始まり、クエリとフラグメントを含まないURLに限ります。",
            )
            .into(),
        ),
        ..of(Setting::CallbackUrls, &view.callbacks)
    };
    area(field, 3, &view.mistakes)
}

/// Tells whether a URL would be allowed by the list as it is typed. Its button stands before the one that saves, so that Enter presses it.
fn tester(view: &SettingsView) -> AnyView {
    let answer = view.tested.clone().map(|answer| match answer {
        Ok(()) => view! { <p class="answer good" role="status">{say("Allowed.", "許可されています。")}</p> }.into_any(),
        Err(why) => view! { <p class="answer bad" role="status">{why}</p> }.into_any(),
    });
    let test = Line::text(
        TESTED,
        say("Test a callback URL", "コールバックURLを確認"),
        view.test.clone(),
    );
    view! {
        <div class="row-form">
            {line(test, &[])}
            <button class="button secondary small" type="submit" name=TEST value="yes">{say("Test", "確認する")}</button>
            {answer}
        </div>
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
        hint: Some(hint),
        ..of(Setting::IpAllowList, &view.addresses)
    };
    area(field, 3, &view.mistakes)
}

fn webhook(view: &SettingsView) -> AnyView {
    let field = Line {
        hint: Some(
            say(
                "An https URL whose host resolves to public addresses. Leave empty to send no webhooks.",
                "「https://」で始まり、ホスト名が公開アドレスに解決されるURLを入力します。空欄の場合、Webhookは送信されません。",
            )
            .into(),
        ),
        kind: "url",
        ..of(Setting::WebhookUrl, &view.webhook_url)
    };
    let boxes = EventType::ALL
        .iter()
        .map(|kind| tick("event", kind.as_str(), kind.as_str(), view.event_types.contains(kind)))
        .collect_view();
    let name = Setting::EventTypes.as_str();
    let error = mistake_of(&view.mistakes, name);
    let wrong = error.is_some();
    let described = wrong.then(|| format!("{name}-error"));
    view! {
        {line(field, &view.mistakes)}
        <fieldset class="plain" id=name class:wrong=wrong aria-describedby=described>
            <legend>{labels::setting(Setting::EventTypes)}</legend>
            {field_error(name, error)}
            {boxes}
        </fieldset>
        <p class="alone"><a href="/admin/webhooks">{say("Signing secrets and deliveries", "署名シークレットと配信")}</a></p>
    }
    .into_any()
}

fn sign_in(view: &SettingsView) -> AnyView {
    switch(
        Setting::SecondFactorRequired,
        labels::setting(Setting::SecondFactorRequired),
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
        Section::Callbacks => view! { {callbacks(view)}{tester(view)} }.into_any(),
        Section::Addresses => addresses(view),
        Section::Lifetimes => lifetimes(view),
        Section::SignIn => sign_in(view),
    }
}

/// What stands below a section's form.
fn below(view: &SettingsView) -> AnyView {
    match view.section {
        Section::Look => logo_panel::panel(view.logo.as_ref(), &view.mistakes),
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
    let preview = match section {
        Section::Look => Some(say("Preview", "プレビュー")),
        Section::Decision => Some(say("Show the effect", "影響を確認")),
        Section::Review
        | Section::Steps
        | Section::Lifetimes
        | Section::Callbacks
        | Section::Addresses
        | Section::SignIn
        | Section::Webhook => None,
    };
    let preview = preview.map(|name| {
        view! { " "<button class="button secondary small" type="submit" name=PREVIEW value="yes">{name}</button> }
    });
    let main = view! {
        <p class="crumb"><a href=HERE>{say("Settings", "設定")}</a></p>
        {heading(labels::section(section), ().into_any())}
        {view.done.map(|done| view! { <p class="flash" role="status">{done}</p> })}
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
    let title = title(meta, labels::section(section), !view.mistakes.is_empty());
    page(frame, meta, &title, main.into_any())
}
